//! Times the bundled programs on the CPU engine, from initial to final values. Every answer is compared with a serial
//! oracle. `--gap DIR` runs the programs of the GAP Benchmark Suite in turns with ours, `--scaling` uses more and more
//! threads, `--scipy` and `--serial` compare single programs (`suite/beside.rs`).
//!
//!     cargo bench --features full --bench cpu                  all real graphs
//!     cargo bench --features full --bench cpu -- --only osm-moscow --repeat 7 --rmat-scale 20 --json
//!     cargo bench --features full --bench cpu -- --gap ../gapbs --scaling

mod suite;

use std::process::ExitCode;
use std::time::Instant;

use suite::{Arguments, Judge, Result, Table, run};
use wolfpath::Engine;

fn main() -> ExitCode {
    match time() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Times everything that was requested. Returns `true` if all answers were right.
fn time() -> Result<bool> {
    let began = Instant::now();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let command = format!("cargo bench --features full --bench cpu -- {}", Arguments::shown(&words));
    let defaults = Arguments::new(7, Judge::Oracle);
    let Some(arguments) = defaults.read(words.into_iter())? else { return Ok(true) };
    let (engine, mut out) = (Engine::cpu(), std::io::stdout());
    let mut table = Table::new(&mut out, arguments.json, false);
    table.head(&engine.name(), &command)?;
    run(&engine, &arguments, began, &mut table)?;
    Ok(table.bad == 0)
}

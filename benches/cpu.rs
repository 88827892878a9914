//! Times the bundled programs on the CPU engine, values reset to values ready; every answer is compared with a serial
//! oracle. Its lines stand beside those of other frameworks on the same files, for example GAP's `bfs -f GRAPH -r ID`
//! and `sssp -f GRAPH -r ID -d 256`.
//!
//!     cargo bench --bench cpu                                  all real graphs
//!     cargo bench --bench cpu -- --only osm-moscow --repeat 7 --rmat 20 --json

mod suite;

use std::process::ExitCode;

use serde_json::json;
use suite::{Arguments, GRAPHS, Judge, Prepared, Result, Table, run_all};
use wolfpath::Engine;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all answers were right.
fn run() -> Result<bool> {
    let Some(arguments) = Arguments::read(7, None, Judge::Oracle)? else { return Ok(true) };
    let (engine, mut table) = (Engine::cpu(), Table::new(arguments.json));
    table.head();
    for graph in GRAPHS.iter().filter(|graph| arguments.wants(graph.name)) {
        time(&engine, &graph.prepare(&arguments)?, &arguments, &mut table)?;
    }
    if let Some(scale) = arguments.rmat_scale.filter(|_| arguments.wants("R-MAT")) {
        time(&engine, &Prepared::rmat(scale, &arguments)?, &arguments, &mut table)?;
    }
    Ok(table.wrong == 0)
}

fn time(engine: &Engine, prepared: &Prepared, arguments: &Arguments, table: &mut Table) -> Result<()> {
    let took = prepared.took.as_secs_f64();
    let words = format!("{} made ready in {took:.2} s", prepared.name);
    table.say(&json!({"graph": prepared.name, "ready_s": took}), &words);
    run_all(engine, prepared, arguments, table)
}

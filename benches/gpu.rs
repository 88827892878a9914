//! Times programs on an NVIDIA GPU by the device's own clock, from initial to final values on the device. Each line
//! also shows the bound that must be reached, the best other system, and a floor computed from the run's own counts:
//! bytes, random reads and barriers (`suite/floor.rs`, `suite/targets.rs`). Answers must equal the CPU engine's bit for
//! bit (PageRank: within 1e-5).
//!
//!     cargo bench --features full --bench gpu
//!     cargo bench --features full --bench gpu -- --schedules --ablations
//!                                            every line with every schedule, and without each technique
//!     cargo bench --features full --bench gpu -- --only USA-road-NE --only R-MAT/sssp --rmat-scale 20 --json

mod suite;

use std::process::{Command, ExitCode};
use std::time::Instant;

use serde_json::json;
use suite::{Arguments, Judge, Result, Table};
use wolfpath::cuda::{self, Configuration};
use wolfpath::graph::LayeredGraph;
use wolfpath::{Engine, RowUse, Schedule, Shape, Techniques, programs};

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

/// Times everything that was requested. Returns `true` if all answers were right.
fn run() -> Result<bool> {
    let began = Instant::now();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let command = format!("cargo bench --features full --bench gpu -- {}", Arguments::shown(&words));
    let defaults = Arguments {
        rmat_scale: Some(22),
        path: Some(1_000_000),
        star: Some(10_000_000),
        ..Arguments::new(10, Judge::CpuEngine)
    };
    let Some(arguments) = defaults.read(words.into_iter())? else { return Ok(true) };
    if arguments.startup {
        return start().map(|()| true);
    }
    if arguments.compilations {
        return compilations().map(|()| true);
    }
    // The timed command has an engine of its own. If this process used the driver too, the command would start faster than
    // it does for a user.
    let is_outside = arguments.on_cpu || arguments.end_to_end;
    let engine = if is_outside { Engine::cpu() } else { Engine::cuda(0)? };
    let mut out = std::io::stdout();
    let mut table = Table::new(&mut out, arguments.json, true);
    table.head(&engine.name(), &command)?;
    if !arguments.end_to_end && !arguments.no_starts && !arguments.on_cpu {
        time_starts(&arguments, &mut table)?;
        time_compilations(&arguments, &mut table)?;
    }
    suite::run(&engine, &arguments, began, &mut table)?;
    Ok(table.bad == 0)
}

/// Times two starts of the same program, each in a separate process. In the first, nothing is compiled yet.
fn time_starts(arguments: &Arguments, table: &mut Table<'_>) -> Result<()> {
    let cache = arguments.scratch.join("start").join(std::process::id().to_string());
    for start in ["cold", "warm"] {
        let child = Command::new(std::env::current_exe()?)
            .arg("--startup")
            .env("WOLFPATH_CACHE_DIR", &cache)
            .env("CUDA_CACHE_DISABLE", "1")
            .output()?;
        let said = String::from_utf8_lossy(&child.stdout);
        if !child.status.success() {
            return Err(format!("a {start} start failed: {}", String::from_utf8_lossy(&child.stderr)).into());
        }
        let times: serde_json::Value = serde_json::from_str(said.trim())?;
        let words = format!(
            "{start} start: context {} ms, program ready {} ms, first run {} ms in all",
            times["context_ms"], times["compile_ms"], times["first_run_ms"]
        );
        table.say(&json!({"start": start, "times": times}), &words)?;
    }
    // Errors are ignored: leftovers in a scratch folder do no harm.
    let _ = std::fs::remove_dir_all(&cache);
    Ok(())
}

/// Times how long NVRTC takes to compile each bundled program, and how long loading it from the cache takes.
fn time_compilations(arguments: &Arguments, table: &mut Table<'_>) -> Result<()> {
    let cache = arguments.scratch.join("compile").join(std::process::id().to_string());
    let child = Command::new(std::env::current_exe()?)
        .arg("--compilations")
        .env("WOLFPATH_CACHE_DIR", &cache)
        // CUDA has its own cache of compiled programs.
        .env("CUDA_CACHE_DISABLE", "1")
        .output()?;
    if !child.status.success() {
        return Err(format!("compiling failed: {}", String::from_utf8_lossy(&child.stderr)).into());
    }
    for line in String::from_utf8_lossy(&child.stdout).lines() {
        let times: serde_json::Value = serde_json::from_str(line)?;
        let words = format!(
            "{}: compiled in {} ms, found compiled in {} ms",
            times["compiled"], times["first_ms"], times["second_ms"]
        );
        table.say(&times, &words)?;
    }
    // Errors are ignored: leftovers in a scratch folder do no harm.
    let _ = std::fs::remove_dir_all(&cache);
    Ok(())
}

/// Compiles each bundled program twice for the first device, starting with an empty cache.
fn compilations() -> Result<()> {
    let device = cuda::devices()?.into_iter().next().ok_or("there is no device")?;
    let (major, minor) = device.capability;
    let rows = RowUse { send_out: true, send_in: false, gather_out: true, gather_in: false };
    let programs = [
        (Shape::of::<programs::bfs>(), Schedule::Relax),
        (Shape::of::<programs::sssp>(), Schedule::Bucket),
        (Shape::of::<programs::widest>(), Schedule::Relax),
        (Shape::of::<programs::reach>(), Schedule::Relax),
        (Shape::of::<programs::Components>(), Schedule::Union),
        (Shape::of::<programs::PageRank>(), Schedule::Pull),
    ];
    for (shape, schedule) in programs {
        let uniform = shape.uniform;
        let configuration = Configuration {
            schedule,
            rows,
            symmetric: true,
            weighted: true,
            narrow_weights: None,
            uniform,
            wide_offsets: false,
            techniques: Techniques::NONE.direction(uniform).shared_window(uniform),
            packed: false,
            rows_on_host: false,
            overflows: false,
            first_ends: false,
            streamed: false,
            hot_bytes: 0,
            settles: false,
            bounded: false,
            several: false,
            delays: false,
        };
        let milliseconds = || -> Result<f64> {
            let began = Instant::now();
            cuda::compile(&shape, &configuration, major, minor)?;
            Ok((began.elapsed().as_secs_f64() * 1e6).round() / 1e3)
        };
        let (first, second) = (milliseconds()?, milliseconds()?);
        println!("{}", json!({"compiled": shape.model.name, "first_ms": first, "second_ms": second}));
    }
    Ok(())
}

/// Starts once, and prints the times of creating the context, preparing the program, and the first run.
fn start() -> Result<()> {
    let milliseconds = |time: std::time::Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
    let graph = LayeredGraph::from_edges((0..1000).map(|v| (v, v + 1)))?;
    let began = Instant::now();
    let engine = Engine::cuda(0)?;
    let context = began.elapsed();
    let began = Instant::now();
    let outcome = engine.run(&graph, &programs::bfs::from_source(0, 0))?;
    let first = began.elapsed();
    let times = outcome.stats().times;
    println!(
        "{}",
        json!({
            "context_ms": milliseconds(context),
            "compile_ms": milliseconds(times.compile),
            "load_ms": milliseconds(times.load),
            "run_ms": milliseconds(times.run),
            "first_run_ms": milliseconds(first),
        })
    );
    Ok(())
}

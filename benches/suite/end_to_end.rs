//! The time that a user waits: the command `wolfpath run`, from the start of its process to its end, and the stages in
//! between. The graph is kept in a `.wolf` file, with its weights. Afterwards, the time of reading back an outcome's values
//! with their ids.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::{Engine, RunOptions, programs};

use super::graphs::{Prepared, hub};
use super::{Arguments, Graph, Program, Result, Table};

/// Number of timed processes per line. Another one before them fills the page cache and the cache of programs.
const RUNS: usize = 7;

/// Stages in the command's JSON that are shown. Creating the engine and opening the graph take place at the same time, as
/// do compiling and loading.
const STAGES: [&str; 7] = ["engine", "open", "plan", "compile", "load", "run", "read_back"];

/// Scale of the R-MAT graph, unless another is requested.
const SCALE: u32 = 22;

/// Largest weight of the R-MAT graph.
const LARGEST_WEIGHT: u32 = 64;

/// Times the command over an R-MAT graph and a road network.
pub(crate) fn run(arguments: &Arguments, table: &mut Table<'_>) -> Result<()> {
    let command = Waiting { command: command()?, arguments };
    let scale = arguments.rmat_scale.unwrap_or(SCALE);
    let mut graphs = Vec::new();
    for graph in [Graph::Rmat(scale), roads()] {
        let is_wanted = |program: &Program| arguments.wants(&graph, *program);
        let wanted: Vec<Program> = [Program::Bfs, Program::Sssp].into_iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            continue;
        }
        let name = graph.name();
        let kept = match kept(&graph, arguments) {
            Ok(kept) => kept,
            Err(error) => {
                table.failed("end to end", &name, "", &error.to_string())?;
                continue;
            }
        };
        for program in wanted.iter().map(|program| program.name()) {
            match command.time(&name, program, &kept) {
                Ok((object, words)) => table.say(&object, &words)?,
                Err(error) => table.failed("end to end", &name, program, &error.to_string())?,
            }
        }
        graphs.push((name, kept));
    }
    // From here on, this process uses the driver.
    for (name, kept) in graphs {
        match read_back(&name, &kept, arguments) {
            Ok((object, words)) => table.say(&object, &words)?,
            Err(error) => table.failed("read back", &name, "bfs", &error.to_string())?,
        }
    }
    Ok(())
}

/// Returns the road network that is timed.
fn roads() -> Graph {
    Graph::real("USA-road-NE").expect("it is a real graph of the benchmark")
}

/// Keeps a graph in a file.
fn kept(graph: &Graph, arguments: &Arguments) -> Result<Kept> {
    match *graph {
        Graph::Rmat(scale) => rmat(scale, &arguments.scratch),
        _ => real(graph, arguments),
    }
}

/// Times how long an outcome's values take to return from the device, first without ids, then paired with them.
fn read_back(name: &str, kept: &Kept, arguments: &Arguments) -> Result<(Value, String)> {
    let graph = LayeredGraph::open_wolf(&kept.file)?;
    let engine = if arguments.on_cpu { Engine::cpu() } else { Engine::cuda(0)? };
    let program = programs::bfs::starting_at(kept.source);
    let loaded = engine.load(&graph);
    let (mut reads, mut pairs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let outcome = loaded.run_with(&program, &RunOptions::new())?;
        let began = Instant::now();
        let values = outcome.read()?;
        reads.push(began.elapsed().as_secs_f64() * 1e3);
        let all = values.to_vec();
        pairs.push(began.elapsed().as_secs_f64() * 1e3);
        assert_eq!(all.len() as u64, u64::from(graph.num_vertices()), "one pair per vertex");
    }
    let (count, read, paired) = (graph.num_vertices(), median(reads), median(pairs));
    let object = json!({
        "kind": "read back", "graph": name, "values": count, "runs": RUNS, "read_ms": read, "with_ids_ms": paired,
    });
    let words = format!("{name:<12} reading back {count} values: {read:.2} ms, with ids {paired:.2} ms");
    Ok((object, words))
}

/// A graph in a file, and the source of traversals.
struct Kept {
    file: PathBuf,
    source: u64,
}

/// Returns the R-MAT graph with stored weights, and generates it unless the scratch folder has it.
fn rmat(scale: u32, scratch: &Path) -> Result<Kept> {
    let file = scratch.join(format!("rmat-{scale}-{}-weights-{LARGEST_WEIGHT}.wolf", generate::EDGE_FACTOR));
    let graph = if file.is_file() {
        LayeredGraph::open_wolf(&file)?
    } else {
        let list = generate::rmat(scale, generate::EDGE_FACTOR, 1)?.with_random_weights(1, LARGEST_WEIGHT);
        let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default())?;
        std::fs::create_dir_all(scratch)?;
        graph.write(&file)?;
        graph
    };
    Ok(Kept { source: hub(&graph)?, file })
}

/// Returns a real graph with its weights.
fn real(real: &Graph, arguments: &Arguments) -> Result<Kept> {
    let Prepared { graph, source, .. } = real.prepare(arguments)?;
    let file = arguments.scratch.join(format!("{}.wolf", real.name()));
    std::fs::create_dir_all(&arguments.scratch)?;
    graph.write(&file)?;
    Ok(Kept { file, source })
}

/// Returns the path of the command. `cargo bench` builds it; elsewhere it is beside this program.
fn command() -> Result<PathBuf> {
    let beside = std::env::current_exe()?.with_file_name("wolfpath");
    let Some(cargo) = std::env::var_os("CARGO") else {
        let missing = || format!("{}: no such file; it is timed end to end", beside.display()).into();
        return beside.is_file().then_some(beside.clone()).ok_or_else(missing);
    };
    let built = Command::new(cargo)
        .args(["build", "--release", "--package", "wolfpath-cli", "--message-format", "json"])
        .stderr(std::process::Stdio::inherit())
        .output()?;
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let executable =
        artifacts.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    executable.filter(|_| built.status.success()).ok_or_else(|| "the command could not be built".into())
}

/// Runs the command and waits for it.
struct Waiting<'a> {
    command: PathBuf,
    arguments: &'a Arguments,
}

impl Waiting<'_> {
    /// Times a first run, with an empty cache of programs, and repeated runs. Returns the times as an object and in
    /// words.
    fn time(&self, graph: &str, program: &str, kept: &Kept) -> Result<(Value, String)> {
        let cache = self.arguments.scratch.join(format!("first-{}", std::process::id()));
        std::fs::create_dir_all(&cache)?;
        let first = self.once(program, kept, &cache)?;
        let mut again = Vec::new();
        for _ in 0..RUNS {
            again.push(self.once(program, kept, &cache)?);
        }
        // Errors are ignored: leftovers in a scratch folder do no harm.
        let _ = std::fs::remove_dir_all(&cache);
        let of = |stage: &str| median(again.iter().map(|times| milliseconds(&times[stage])).collect());
        let stages: serde_json::Map<String, Value> =
            STAGES.iter().map(|&stage| (stage.to_owned(), json!(of(stage)))).collect();
        let (wall, total, first_wall) = (of("wall"), of("total"), milliseconds(&first["wall"]));
        let first_compile = milliseconds(&first["compile"]);
        let object = json!({
            "kind": "end to end", "graph": graph, "program": program, "runs": RUNS, "wall_ms": wall,
            "total_ms": total, "stages_ms": stages, "first_wall_ms": first_wall, "first_compile_ms": first_compile,
        });
        let parts: Vec<String> = STAGES.iter().map(|&stage| format!("{stage} {:.1}", of(stage))).collect();
        let words = format!(
            "{graph:<12} {program:<6} {wall:>8.1} ms from the process's start to its end (answer after {total:.1}; {}); \
             first time {first_wall:.0} ms, of which NVRTC {first_compile:.0}",
            parts.join(", ")
        );
        Ok((object, words))
    }

    /// Runs the command once. Returns its stages in seconds, and the time from its start to its end as `wall`.
    fn once(&self, program: &str, kept: &Kept, cache: &Path) -> Result<Value> {
        let engine = if self.arguments.on_cpu { "cpu" } else { "cuda" };
        let mut command = Command::new(&self.command);
        command.arg("run").arg(program).arg(&kept.file);
        command.args(["--source", &kept.source.to_string(), "--engine", engine, "--json"]);
        // CUDA has its own cache of compiled programs.
        command.env("WOLFPATH_CACHE_DIR", cache).env("CUDA_CACHE_DISABLE", "1");
        let began = Instant::now();
        let ran = command.output()?;
        let wall = began.elapsed();
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).trim().to_owned().into());
        }
        let report: Value = serde_json::from_slice(&ran.stdout)?;
        let mut times = report["seconds"].clone();
        times["wall"] = json!(wall.as_secs_f64());
        Ok(times)
    }
}

/// Converts seconds to milliseconds; 0 if there are none.
fn milliseconds(seconds: &Value) -> f64 {
    (seconds.as_f64().unwrap_or(0.0) * 1e5).round() / 1e2
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

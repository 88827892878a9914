//! Sessions beside GAP. Shell scripts replace its programs: they read the size of the graph from the file that they
//! get, and print invented times.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use wolfpath::Engine;
use wolfpath::graph::{Direction, LayeredGraph, WeightChoice};
use wolfpath::load::{LoadOptions, load};

use crate::suite::beside::gap::Files;
use crate::suite::beside::lines::LINES;
use crate::suite::{Arguments, Graph, Judge, Prepared, Program, Table, run};

/// Logs its call, and prints the size in the header of the file after `-f`: a byte that is 1 if the graph is directed,
/// and the numbers of edges and vertices.
const SCRIPT: &str = r#"#!/bin/sh
echo "$OMP_NUM_THREADS threads: $(basename "$2") $3 $4 $5 $6 $7 $8" >>"$0.log"
set -- $(od -An -t u1 -N1 "$2") $(od -An -t d8 -j1 -N16 "$2")
if [ "$1" = 1 ]; then kind="$2 directed"; else kind="$(($2 / 2)) undirected"; fi
echo "Graph has $3 nodes and $kind edges for degree: 1"
for time in 0.00300 0.00100 0.00200; do echo "Trial Time:          $time"; done
"#;

/// Returns a folder with these programs.
fn programs(names: &[&str], script: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in names {
        let path = folder.path().join(name);
        std::fs::write(&path, script).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    folder
}

/// Runs a session over an R-MAT graph of scale 7. Returns its objects and the number of bad lines.
fn session(folder: &Path, words: &[&str]) -> Result<(Vec<Value>, usize), String> {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let defaults = Arguments {
        scratch: scratch.path().to_owned(),
        gap: Some(folder.to_owned()),
        rmat_scale: Some(7),
        ..Arguments::new(2, Judge::Oracle)
    };
    let words = ["--only", "R-MAT", "--threads", "2"].iter().chain(words).map(|&word| word.to_owned());
    let arguments = defaults.read(words).expect("the options are valid").expect("help was not requested");
    let mut out = Vec::new();
    let mut table = Table::new(&mut out, true, false);
    run(&Engine::cpu(), &arguments, Instant::now(), &mut table).map_err(|error| error.to_string())?;
    let bad = table.bad;
    let left: Vec<_> = std::fs::read_dir(scratch.path()).expect("the folder").flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name().to_string_lossy().ends_with(".wolf")), "{left:?}");
    let text = String::from_utf8(out).expect("the output is UTF-8");
    Ok((text.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect(), bad))
}

fn of<'o>(objects: &'o [Value], kind: &str) -> Vec<&'o Value> {
    objects.iter().filter(|object| object["kind"] == kind).collect()
}

#[test]
fn both_sides_take_turns() {
    let folder = programs(&["bfs", "sssp", "pr_spmv", "cc"], SCRIPT);
    let (objects, bad) = session(folder.path(), &["--scaling"]).expect("the session succeeds");
    assert_eq!(bad, 0, "{objects:?}");
    assert_eq!(of(&objects, "machine")[0]["threads"], 2);
    let lines = of(&objects, "beside");
    let programs: Vec<&Value> = lines.iter().map(|line| &line["program"]).collect();
    assert_eq!(programs, ["bfs", "sssp", "pagerank, 20 steps", "components"]);
    for line in lines {
        assert_eq!((&line["wrong"], &line["peer_ms"]), (&0.into(), &2.0.into()), "{line}");
        // Two rounds of three runs.
        assert_eq!((&line["runs"], &line["peer_runs"]), (&6.into(), &6.into()), "{line}");
        assert!(line["verdict"] == "met" || line["verdict"] == "MISSED", "{line}");
        assert!(line["schedule"].as_str().is_some_and(|schedule| !schedule.is_empty()), "{line}");
        let times = line["median_ms"].as_f64().map(|ours| ours / 2.0);
        let printed = line["times"].as_f64();
        assert!(times.zip(printed).is_some_and(|(a, b)| (a - b).abs() < 1e-3), "{line}");
    }
    let threads: Vec<&Value> = of(&objects, "scaling").iter().map(|line| &line["threads"]).collect();
    assert_eq!(threads, [1, 2, 1, 2, 1, 2, 1, 2]);
    assert!(of(&objects, "scaling").iter().all(|line| line["peer_ms"] == 2.0 && line["wrong"] == 0));

    let log = |name: &str| std::fs::read_to_string(folder.path().join(format!("{name}.log"))).expect("a log");
    let calls = log("pr_spmv");
    let expected = |threads: usize| format!("{threads} threads: graph.sg -i 20 -t 0 -n 3");
    // One call per round, then one for each number of threads.
    assert_eq!(calls.lines().collect::<Vec<_>>(), [2, 2, 1, 2].map(expected));
    let delta = log("sssp").lines().all(|call| call.contains(" graph.wsg -r ") && call.contains(" -d 16 "));
    assert!(delta, "{}", log("sssp"));
}

#[test]
fn a_missing_program_is_named() {
    let folder = programs(&["bfs", "sssp", "cc"], SCRIPT);
    let error = session(folder.path(), &[]).expect_err("pr_spmv is missing");
    assert!(error.contains("pr_spmv: no such program; build the GAP Benchmark Suite"), "{error}");
    assert!(error.contains("make bfs sssp pr_spmv cc"), "{error}");
}

#[test]
fn only_what_is_needed_must_exist() {
    let folder = programs(&["cc"], SCRIPT);
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let words = ["--only", "R-MAT/components", "--rmat-scale", "6", "--repeat", "1"].map(str::to_owned);
    let defaults = Arguments {
        gap: Some(folder.path().to_owned()),
        scratch: scratch.path().to_owned(),
        ..Arguments::new(2, Judge::Oracle)
    };
    let arguments = defaults.read(words.into_iter()).expect("valid options").expect("help was not requested");
    let mut out = Vec::new();
    let mut table = Table::new(&mut out, false, false);
    run(&Engine::cpu(), &arguments, Instant::now(), &mut table).expect("the session succeeds");
    assert_eq!(table.bad, 0);
    let text = String::from_utf8(out).expect("the output is UTF-8");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" GAP ")).collect();
    assert_eq!((rows.len(), rows[0].ends_with("  right")), (1, true), "{text}");
}

#[test]
fn a_program_that_fails_is_a_bad_line() {
    for (script, part) in [
        ("#!/bin/sh\necho no memory >&2\nexit 3\n", "no memory"),
        ("#!/bin/sh\necho 'Graph has 5 nodes and 4 directed edges for degree: 0'\n", "expected a graph with"),
    ] {
        let folder = programs(&["bfs", "sssp", "pr_spmv", "cc"], script);
        let (objects, bad) = session(folder.path(), &["--only", "R-MAT"]).expect("the session succeeds");
        let lines = of(&objects, "beside");
        assert_eq!((lines.len(), bad), (4, 4), "{objects:?}");
        assert!(lines.iter().all(|line| line["error"].as_str().is_some_and(|error| error.contains(part))));
    }
}

#[test]
fn ids_are_translated() {
    let edges = [(100, 7), (7, 30), (30, 100), (30, 7)];
    let graph = LayeredGraph::from_edges(edges).expect("the graph is valid");
    let took = Duration::ZERO;
    let prepared = Prepared { of: Graph::Rmat(2), graph, source: 30, note: None, took };
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let files = Files::new(scratch.path()).expect("a folder");
    let search = LINES.iter().find(|line| line.program == Program::Bfs).expect("a line");
    let call = search.call(&prepared, &files).expect("a call");
    assert_eq!(call.options, ["-r", "1"]);
    let read = load(&call.file, &LoadOptions::new()).expect("the file is valid");
    let found: BTreeSet<(u64, u64)> = (0..read.num_edges() as usize).map(|line| read.edge(line)).collect();
    assert_eq!(found, BTreeSet::from([(2, 0), (0, 1), (1, 2), (1, 0)]));
}

/// GAP must find paths over the same weights.
#[test]
fn weights_are_those_of_our_runs() {
    let edges = wolfpath::generate::rmat(6, 8, 1).expect("the graph is valid");
    let graph = LayeredGraph::from_edge_list(edges, &Default::default()).expect("the graph is valid");
    let graph = graph.with_weights(WeightChoice::Random { seed: 3, max: 64 });
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let files = Files::new(scratch.path()).expect("a folder");
    let read = load(files.of(&graph, true).expect("a file"), &LoadOptions::new()).expect("the file is valid");
    let read = LayeredGraph::from_edge_list(read, &Default::default()).expect("the graph is valid");
    let (ours, theirs) = (triples(&graph), triples(&read));
    assert!(ours.len() > 100 && ours.iter().any(|&(.., weight)| weight > 50), "{ours:?}");
    assert_eq!(ours, theirs);
}

/// Returns the edges by the ranks of their vertices, with their weights.
fn triples(graph: &LayeredGraph) -> BTreeSet<(usize, usize, u32)> {
    let (rows, order) = (graph.out_edges(), graph.by_rank());
    let weights = graph.weights_as::<u32>(Direction::Out, false).expect("integer weights");
    let rank = |vertex: u32| order.iter().position(|&of| of == vertex).expect("a rank");
    let of = |vertex: u32| rows.range(vertex).map(move |place| (vertex, place));
    let all = (0..graph.num_vertices()).flat_map(of);
    all.map(|(vertex, place)| (rank(vertex), rank(rows.ends[place]), weights[place])).collect()
}

//! Runs on clusters of several sizes, whose values must be those of the CPU engine, bit for bit.

mod graphs;
mod processes;

use graphs::{graphs, number};
use wolfpath::cluster::{Cluster, ClusterError, Deal, Shards};
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::programs::{
    Components, CoreNumbers, PageRank, PageRankF64, bfs, reach, sssp, sssp_f64, widest,
};

/// Numbers of processes, and of threads of each.
const SIZES: [(usize, usize); 4] = [(1, 2), (2, 1), (2, 2), (3, 1)];

/// Values of all vertices, or the error, as text.
type Values = Result<String, String>;

/// Runs a program on clusters of all sizes, and compares the values with those of the CPU engine.
fn agrees<P: EdgeProgram>(
    (name, graph, shards): (&str, &LayeredGraph, &Shards),
    program: &P,
    options: &RunOptions,
) {
    let show = |values: &mut dyn Iterator<Item = (u64, Option<P::Value>)>| {
        values.map(|(id, value)| format!("{id} {:?}\n", value.map(|value| bits(value)))).collect::<String>()
    };
    let outcome = Engine::cpu().run_with(graph, program, options);
    let expected: Values = outcome
        .as_ref()
        .map(|outcome| show(&mut outcome.read().expect("values in memory").iter()))
        .map_err(|error| error.to_string());
    for (processes, threads) in SIZES {
        let options = options.clone().threads(threads);
        let found = processes::run(
            processes,
            |config| config,
            |connected| -> Values {
                let text = |error: &dyn std::fmt::Display| error.to_string();
                let cluster: Cluster = connected.map_err(|error| text(&error))?;
                let shards = Shards::open(shards.folder()).map_err(|error| text(&error))?;
                let mut graph =
                    cluster.load(shards).map_err(|error| text(&error))?.with_weights(graph.weight_choice());
                let shard = graph.run_with(program, &options).map_err(|error| text(&error))?;
                let all = graph.gather(&shard).map_err(|error| text(&error))?;
                Ok(all.map_or(String::new(), |all| show(&mut all.into_iter())))
            },
        );
        let what = format!("{} over {name} on {processes} processes of {threads} threads", P::MODEL.name);
        match (&expected, &found[0]) {
            (Ok(expected), Ok(found)) => {
                assert!(expected == found, "{what}: {}", first_difference(expected, found))
            }
            (Err(expected), _) => {
                let told = found.iter().filter_map(|found| found.as_ref().err());
                assert!(told.clone().count() == processes, "{what}: some processes did not fail: {found:?}");
                assert!(told.clone().any(|told| told == expected), "{what}: {found:?}, expected {expected}");
            }
            (Ok(_), Err(error)) => panic!("{what}: {error}"),
        }
    }
}

fn bits<V: Datum>(value: V) -> Vec<u8> {
    let mut bytes = vec![0; V::KIND.size()];
    value.write(&mut bytes);
    bytes
}

fn first_difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines());
    let differing = lines.filter(|(expected, found)| expected != found);
    let count = differing.clone().count();
    format!("{count} of {} lines differ, first {:?}", expected.lines().count(), differing.clone().next())
}

/// Calls `check` for graphs of several kinds, and their shards.
fn on_graphs(check: impl Fn((&str, &LayeredGraph, &Shards), u64)) {
    let folder = tempfile::tempdir().expect("a folder");
    for (at, (name, graph)) in graphs().into_iter().enumerate() {
        let path = folder.path().join(at.to_string());
        let deal = Deal::new(&graph, number(7)).expect("the graph is dealt");
        let shards = Shards::write(&graph, &deal, path).expect("the shards are written");
        if let Some(root) = graph.root() {
            check((name, &graph, &shards), root);
        }
    }
}

#[test]
fn traversals() {
    on_graphs(|graph, root| {
        let options = RunOptions::new();
        agrees(graph, &bfs::starting_at(root), &options);
        agrees(graph, &reach::starting_at(root), &options);
        agrees(graph, &Components, &options);
        agrees(graph, &bfs::starting_at(root), &RunOptions::new().steps_at_most(2));
        let weighted = graph.1.with_weights(WeightChoice::Random { seed: 5, max: 1000 });
        agrees((graph.0, &weighted, graph.2), &sssp::starting_at(root), &options);
        agrees((graph.0, &weighted, graph.2), &sssp_f64::starting_at(root), &options);
        agrees((graph.0, &weighted, graph.2), &widest::from_source(root, 1 << 30), &options);
    });
}

#[test]
fn ranks_and_cores() {
    on_graphs(|graph, _| {
        let options = RunOptions::new().steps_at_most(7);
        agrees(graph, &PageRank { damping: 0.85, tolerance: 1e-6 }, &options);
        agrees(graph, &PageRankF64 { damping: 0.85, tolerance: 1e-3 }, &RunOptions::new());
        agrees(graph, &CoreNumbers, &RunOptions::new());
    });
}

#[test]
fn an_unknown_source_is_an_error_everywhere() {
    on_graphs(|graph, _| agrees(graph, &bfs::starting_at(1 << 40), &RunOptions::new()));
}

#[test]
fn more_processes_than_shards() {
    let folder = tempfile::tempdir().expect("a folder");
    let graph = LayeredGraph::from_edges([(1, 2)]).expect("an edge is a graph");
    let deal = Deal::new(&graph, number(1)).expect("the graph is dealt");
    Shards::write(&graph, &deal, folder.path()).expect("the shards are written");
    let errors = processes::run(
        2,
        |config| config,
        |connected| {
            let shards = Shards::open(folder.path()).expect("the shards are there");
            connected.expect("both processes are there").load(shards).map(drop)
        },
    );
    let expected = |error: Result<(), ClusterError>| {
        matches!(error, Err(ClusterError::TooFewShards { shards: 1, processes: 2 }))
    };
    assert!(errors.into_iter().all(expected));
}

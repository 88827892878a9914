//! Runs on clusters of several sizes, whose values must be those of the CPU engine, bit for bit.

#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
mod processes;

use graphs::{graphs, number};
use wolfpath::cluster::{Cluster, ClusterError, ClusterGraph, Deal, Shards};
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::programs::{
    Components, CoreNumbers, PageRank, PageRankF64, bfs, reach, sssp, sssp_f64, widest,
};
use wolfpath::{OutcomeError, PlanError, ScheduleChoice};

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
        values.map(|(id, value)| format!("{id} {:?}\n", value.map(bits))).collect::<String>()
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
fn ranks() {
    on_graphs(|graph, _| {
        let options = RunOptions::new().steps_at_most(7);
        agrees(graph, &PageRank { damping: 0.85, tolerance: 1e-6 }, &options);
        agrees(graph, &PageRankF64 { damping: 0.85, tolerance: 1e-3 }, &RunOptions::new());
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

/// Runs something on two processes, which have the shards of a star with a long row.
fn on_a_star<T: Send>(part: impl Fn(ClusterGraph) -> T + Sync) -> Vec<T> {
    let folder = tempfile::tempdir().expect("a folder");
    let star = LayeredGraph::from_edges((1..70_000).map(|leaf| (0u64, leaf))).expect("a star is a graph");
    let deal = Deal::new(&star, number(4)).expect("the graph is dealt");
    Shards::write(&star, &deal, folder.path()).expect("the shards are written");
    processes::run(
        2,
        |config| config,
        |connected| {
            let shards = Shards::open(folder.path()).expect("the shards are there");
            part(connected.expect("both processes are there").load(shards).expect("the shards are whole"))
        },
    )
}

#[test]
fn each_process_has_its_own_vertices() {
    let found = on_a_star(|mut graph| {
        let depths = graph.run(&bfs::starting_at(0)).expect("the run succeeds");
        let again = graph.run(&bfs::starting_at(0)).expect("connections stay open");
        assert!(again.iter().eq(depths.iter()), "the same run has the same values");
        let is_here = |id: u64| match depths.value(id) {
            Ok(depth) => Some(depth == Some(u32::from(id > 0))),
            Err(OutcomeError::Elsewhere { id: named }) if named == id => None,
            Err(error) => panic!("{error}"),
        };
        assert_eq!((depths.steps(), depths.iter().len()), (2, depths.num_vertices() as usize));
        (0..70_000).map(is_here).collect::<Vec<_>>()
    });
    for (id, (one, other)) in found[0].iter().zip(&found[1]).enumerate() {
        assert!(matches!((one, other), (Some(true), None) | (None, Some(true))), "vertex {id}");
    }
}

#[test]
fn processes_that_run_different_programs() {
    let errors = on_a_star(|mut graph| {
        let from = graph.process() as u64;
        let options = RunOptions::new().max_steps(100 + from);
        graph.run_with(&bfs::starting_at(0), &options).expect_err("the options differ").to_string()
    });
    assert!(errors[0].contains("process 1 runs bfs") && errors[0].contains("101"), "{}", errors[0]);
    assert!(errors[1].contains("process 0 runs bfs") || errors[1].contains("process 0"), "{}", errors[1]);
}

#[test]
fn what_clusters_cannot_do_yet_is_refused() {
    on_a_star(|mut graph| {
        let error = graph.run(&CoreNumbers).expect_err("it reads distinct neighbours");
        assert!(
            matches!(error, RunError::Plan(PlanError::NotShared { program: "CoreNumbers", .. })),
            "{error}"
        );
        let settled = RunOptions::new().until_settled([5]);
        let error = graph.run_with(&bfs::starting_at(0), &settled).expect_err("processes go step by step");
        assert!(error.to_string().contains("until_settled"), "{error}");
        let sweeps = RunOptions::new().schedule(ScheduleChoice::Sweep);
        let error = graph.run_with(&bfs::starting_at(0), &sweeps).expect_err("processes go step by step");
        assert!(error.to_string().contains("step by step"), "{error}");
        // Refusals come before anything is exchanged.
        assert!(graph.run(&bfs::starting_at(0)).is_ok());
    });
}

#[test]
fn a_process_whose_shard_is_missing_tells_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let star = LayeredGraph::from_edges((1..5_000).map(|leaf| (0u64, leaf))).expect("a star is a graph");
    let deal = Deal::new(&star, number(3)).expect("the graph is dealt");
    Shards::write(&star, &deal, folder.path()).expect("the shards are written");
    std::fs::remove_file(folder.path().join("0001.shard")).expect("the shard is there");
    let errors = processes::run(
        3,
        |config| config,
        |connected| {
            let shards = Shards::open(folder.path()).expect("the manifest is there");
            connected
                .expect("all are there")
                .load(shards)
                .map(drop)
                .expect_err("a shard is missing")
                .to_string()
        },
    );
    assert!(errors[1].contains("0001.shard"), "{}", errors[1]);
    assert!(
        [&errors[0], &errors[2]]
            .iter()
            .all(|error| error.contains("process 1") && error.contains("0001.shard")),
        "{errors:?}"
    );
}

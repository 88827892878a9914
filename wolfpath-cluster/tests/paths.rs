//! Predecessors and paths on clusters of several sizes, which must be those of the CPU engine.

#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
mod processes;

use std::path::Path;

use graphs::{graphs, layered, number};
use wolfpath::cluster::{ClusterGraph, Deal, ShardPredecessors, Shards};
use wolfpath::generate;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::programs::{Components, PageRank, bfs, reach, sssp, sssp_f64, widest};
use wolfpath::{Outcome, OutcomeError};

/// An id that no graph of these tests has.
const UNKNOWN: u64 = 1 << 40;

/// Paths to some vertices, or the errors.
type Paths = Vec<(u64, Result<Option<Vec<u64>>, OutcomeError>)>;

/// Returns about a dozen ids of a graph, in no particular order, and an unknown one.
fn some_ids(graph: &LayeredGraph) -> Vec<u64> {
    let ids: Vec<u64> = graph.by_id().map(|(id, _)| id).collect();
    let some = ids.iter().step_by(ids.len() / 12 + 1).rev();
    some.copied().chain(ids.last().copied()).chain([UNKNOWN]).collect()
}

/// Runs something on processes that have the shards of a folder.
fn on_processes<T: Send>(processes: usize, folder: &Path, part: impl Fn(ClusterGraph) -> T + Sync) -> Vec<T> {
    processes::run(
        processes,
        |config| config,
        |connected| {
            let shards = Shards::open(folder).expect("the shards are there");
            part(connected.expect("all are there").load(shards).expect("the shards are whole"))
        },
    )
}

/// Runs a program on one machine and on clusters of all sizes, and compares predecessors and paths.
fn agrees<P: EdgeProgram>(
    (name, graph, shards): (&str, &LayeredGraph, &Shards),
    program: &P,
    options: &RunOptions,
) {
    let what = format!("{} over {name}", P::MODEL.name);
    let alone: Outcome<P> = Engine::cpu().run_with(graph, program, options).expect("the run succeeds");
    let expected: Vec<(u64, Option<u64>)> = alone.predecessors().expect("there are paths").collect();
    let ids = some_ids(graph);
    let paths: Paths = ids.iter().map(|&id| (id, alone.path_to(id))).collect();
    let options = options.clone().threads(1);
    for processes in 1..=3 {
        let found = on_processes(processes, shards.folder(), |graph_of_process| {
            let mut graph = graph_of_process.with_weights(graph.weight_choice());
            let outcome = graph.run_with(program, &options).expect("the run succeeds");
            let predecessors = graph.predecessors(&outcome).expect("there are paths");
            let own: Vec<(u64, Option<u64>)> = predecessors.iter().collect();
            assert!(own.iter().map(|&(id, _)| id).eq(outcome.iter().map(|(id, _)| id)), "{what}");
            check_ids(&predecessors, &own, &ids);
            let paths: Paths = ids.iter().map(|&id| (id, graph.path_to(&predecessors, id))).collect();
            (own, paths)
        });
        let mut all = Vec::new();
        for (own, found) in found {
            all.extend(own);
            assert_eq!(found, paths, "{what} on {processes} processes");
        }
        all.sort_unstable();
        let differs = all.iter().zip(&expected).find(|(found, expected)| found != expected);
        assert!(
            all.len() == expected.len() && differs.is_none(),
            "{what}, {processes} processes: {differs:?}"
        );
    }
}

/// Checks that a process answers for its own vertices only.
fn check_ids(predecessors: &ShardPredecessors, own: &[(u64, Option<u64>)], ids: &[u64]) {
    for &id in ids {
        let expected = match own.binary_search_by_key(&id, |&(id, _)| id) {
            Ok(at) => Ok(own[at].1),
            Err(_) => Err(OutcomeError::Elsewhere { id }),
        };
        assert_eq!(predecessors.of(id), expected);
    }
}

/// Writes the shards of a graph to a new folder, and calls `check` with them.
fn with_shards<T>(graph: &LayeredGraph, shards: u16, check: impl FnOnce(&Shards) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let deal = Deal::new(graph, number(shards)).expect("the graph is dealt");
    check(&Shards::write(graph, &deal, folder.path()).expect("the shards are written"))
}

/// Threads share the vertices of large levels. The predecessor must still be the one with the smallest id.
#[test]
fn predecessors_from_large_levels_are_the_smallest() {
    let graph = layered(generate::rmat(14, 16, 2).expect("a valid recipe"));
    let root = graph.root().expect("the graph has vertices");
    let outcome = Engine::cpu().run(&graph, &bfs::starting_at(root)).expect("the run succeeds");
    let vertices = 0..graph.num_vertices();
    let depths = vertices.clone().map(|v| outcome.value(graph.id_of(v)).expect("it is in memory"));
    let depths: Vec<Option<u32>> = depths.collect();
    let mut expected: Vec<Option<u64>> = vec![None; depths.len()];
    for v in vertices.clone() {
        for &end in graph.out_edges().row(v) {
            let (end, id) = (end as usize, graph.id_of(v));
            if depths[v as usize].is_some_and(|depth| depths[end] == Some(depth + 1)) {
                expected[end] = Some(expected[end].map_or(id, |before| before.min(id)));
            }
        }
    }
    let widest = (0..10).map(|depth| depths.iter().filter(|&&of| of == Some(depth)).count()).max();
    assert!(widest > Some(5000), "{widest:?}");
    for v in vertices {
        let found = outcome.predecessor(graph.id_of(v)).expect("there are paths");
        assert_eq!(found, expected[v as usize], "vertex {}", graph.id_of(v));
    }
}

#[test]
fn predecessors_of_traversals() {
    for (name, graph) in graphs() {
        let Some(root) = graph.root() else { continue };
        with_shards(&graph, 7, |shards| {
            let options = RunOptions::new();
            let of_shards = (name, &graph, shards);
            agrees(of_shards, &bfs::starting_at(root), &options);
            agrees(of_shards, &bfs::starting_at(root), &RunOptions::new().steps_at_most(2));
            agrees(of_shards, &reach::starting_at(root), &options);
            agrees(of_shards, &Components, &options);
            let unit = graph.with_weights(WeightChoice::Unit);
            agrees((name, &unit, shards), &sssp::starting_at(root), &options);
            let weighted = graph.with_weights(WeightChoice::Random { seed: 5, max: 3 });
            let of_shards = (name, &weighted, shards);
            agrees(of_shards, &sssp::starting_at(root), &options);
            agrees(of_shards, &sssp_f64::starting_at(root), &options);
            agrees(of_shards, &widest::from_source(root, 1 << 30), &options);
        });
    }
}

/// Returns a graph with edges in one direction or both, loops, parallel edges and weights of zero. Ids are scattered, so their
/// order is not that of the vertices in the graph.
fn ties(both_ways: bool) -> LayeredGraph {
    let scattered = |id: u64| id.wrapping_mul(2_654_435_761) % 1_000_003;
    let rmat = generate::rmat_directed(12, 4, 9).expect("a valid recipe");
    let pairs = (0..rmat.num_lines() as usize).map(|line| rmat.edge(line));
    let edges = pairs.flat_map(|(from, to)| {
        let (from, to, weight) = (scattered(from), scattered(to), (from * 7 + to * 13) % 4);
        let reverse = if both_ways { (to, from, weight) } else { (from, to, 3 - weight) };
        let again = if from % 5 == 0 { (from, from, 0) } else { (from, to, weight) };
        [(from, to, weight), reverse, again]
    });
    LayeredGraph::from_weighted_edges(edges).expect("the edges form a graph")
}

#[test]
fn ties_and_edges_of_weight_zero() {
    for (name, graph) in [("directed ties", ties(false)), ("undirected ties", ties(true))] {
        with_shards(&graph, 5, |shards| {
            let (of_shards, options) = ((name, &graph, shards), RunOptions::new());
            let ids: Vec<u64> = graph.by_id().map(|(id, _)| id).step_by(100).take(4).collect();
            let sources = |last| [(ids[0], 0), (ids[1], 2), (ids[2], 2), (ids[3], last), (ids[1], 9)];
            agrees(of_shards, &sssp::from_sources(sources(60_000)), &options);
            agrees(of_shards, &sssp::starting_at(graph.root().expect("a root")), &options);
            agrees(of_shards, &widest::from_source(ids[1], 2), &options);
            agrees(of_shards, &reach::starting_at(ids[2]), &options);
            agrees(of_shards, &bfs::from_sources(sources(1)), &options);
            agrees(of_shards, &Components, &options);
        });
    }
}

/// Returns a star whose middle has edges to all others, and from the last half of them to one vertex.
fn star() -> LayeredGraph {
    let rays = (1..9_000u64).map(|leaf| (0, leaf));
    let back = (4_500..9_000).map(|leaf| (leaf, 10_000));
    LayeredGraph::from_edges(rays.chain(back)).expect("the edges form a graph")
}

/// Runs something on processes that have the shards of a star.
fn on_a_star<T: Send>(processes: usize, part: impl Fn(ClusterGraph) -> T + Sync) -> Vec<T> {
    with_shards(&star(), 4, |shards| on_processes(processes, shards.folder(), part))
}

#[test]
fn programs_without_paths_are_refused() {
    on_a_star(2, |mut graph| {
        let ranks = graph.run(&PageRank { damping: 0.85, tolerance: 1e-3 }).expect("the run succeeds");
        let error = graph.predecessors(&ranks).expect_err("ranks are sums");
        assert!(matches!(error, OutcomeError::NoPaths { program: "PageRank", .. }), "{error}");
        assert!(error.to_string().contains("sums or merges messages"), "{error}");
        // Nothing was exchanged.
        let depths = graph.run(&bfs::starting_at(0)).expect("the run succeeds");
        let predecessors = graph.predecessors(&depths).expect("there are paths");
        let path = graph.path_to(&predecessors, 10_000);
        assert_eq!(path, Ok(Some(vec![0, 4_500, 10_000])), "the smallest of 4,500 candidates");
    });
}

#[test]
fn errors_that_all_processes_find_leave_connections_open() {
    on_a_star(3, |mut graph| {
        let process = graph.process() as u64;
        let depths = graph.run(&bfs::starting_at(0)).expect("the run succeeds");
        let shorter = RunOptions::new().steps_at_most(2);
        let shorter = graph.run_with(&bfs::starting_at(0), &shorter).expect("the run succeeds");
        let differs = graph.predecessors(if process == 1 { &shorter } else { &depths });
        let differs = differs.expect_err("the outcomes differ").to_string();
        assert!(differs.contains("the number of steps of process"), "{differs}");
        let reached = graph.run(&reach::starting_at(0)).expect("the run succeeds");
        let differs = match process {
            2 => graph.predecessors(&reached),
            _ => graph.predecessors(&depths),
        };
        let differs = differs.expect_err("the programs differ").to_string();
        assert!(differs.contains("the program of process"), "{differs}");

        let predecessors = graph.predecessors(&depths).expect("the outcomes are the same");
        let several = graph.path_to(&predecessors, 7 + process).expect_err("the ids differ").to_string();
        assert!(several.contains("looks for the path to vertex"), "{several}");
        let unknown = graph.path_to(&predecessors, UNKNOWN);
        assert_eq!(unknown, Err(OutcomeError::UnknownVertex { id: UNKNOWN }));
        assert_eq!(graph.path_to(&predecessors, 7), Ok(Some(vec![0, 7])));
    });
}

/// Chains of predecessors of different runs can have no end.
#[test]
fn paths_over_predecessors_of_different_runs_end() {
    let edges = (0..3_000u64).flat_map(|id| [(id, id + 1), (id + 1, id)]);
    let path = LayeredGraph::from_edges(edges).expect("a path is a graph");
    with_shards(&path, 3, |shards| {
        on_processes(3, shards.folder(), |mut graph| {
            let first = graph.run(&bfs::starting_at(0)).expect("the run succeeds");
            let first = graph.predecessors(&first).expect("there are paths");
            let other = graph.run(&bfs::starting_at(3_000)).expect("the run succeeds");
            let other = graph.predecessors(&other).expect("there are paths");
            let has_middle = first.of(1_400).is_ok();
            match graph.path_to(if has_middle { &first } else { &other }, 1_400) {
                Err(OutcomeError::Peer { message }) => assert!(message.contains("the same run"), "{message}"),
                other => panic!("{other:?}"),
            }
            let path = graph.path_to(&first, 3_000).expect("there is a path").expect("it was reached");
            assert!(path.into_iter().eq(0..=3_000));
        });
    });
}

#[test]
fn a_process_that_leaves_is_an_error_of_the_others() {
    let found = on_a_star(2, |mut graph| {
        let depths = graph.run(&bfs::starting_at(0)).expect("the run succeeds");
        (graph.process() == 0).then(|| graph.predecessors(&depths).expect_err("the other has left"))
    });
    let Some(OutcomeError::Peer { message }) = &found[0] else { panic!("{found:?}") };
    assert!(message.contains("process 1"), "{message}");
}

//! Runs on clusters of several sizes, whose values must be those of the CPU engine, bit for bit.

mod agreement;
#[allow(dead_code, reason = "some programs are only for other tests")]
#[path = "../../tests/conformance/edge_programs.rs"]
mod edge_programs;
#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
#[allow(dead_code, reason = "some programs are only for other tests")]
#[path = "../../tests/conformance/neighbour_programs.rs"]
mod neighbour_programs;
mod processes;

use agreement::{agrees, on_graphs};
use edge_programs::{both_all, place_in, place_oriented, place_pushed, turns};
use graphs::number;
use neighbour_programs::{clustering, gathered, oriented_all, triangles};
use wolfpath::cluster::{ClusterError, ClusterGraph, Deal, Shards};
use wolfpath::edge_list::EdgeList;
use wolfpath::generate;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::programs::{
    AccumulatingPageRank, Components, CoreNumbers, PageRank, PageRankF64, bfs, reach, sssp, sssp_f64, widest,
};
use wolfpath::{OutcomeError, PlanError, ScheduleChoice};

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

/// Adds up thirds of the values of neighbours that have fewer neighbours.
#[edge_program]
mod later {
    use wolfpath::prelude::*;

    pub(crate) struct Later {}

    impl EdgeProgram for Later {
        type Value = f64;
        type Message = f64;
        type Combine = Sum;
        const ALONG: Along = Along::Neighbours;
        const ORIENTED: bool = true;

        fn start(&self, v: Vertex) -> f64 {
            1.0 / (1 + v.neighbours) as f64
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value / 3.0
        }
    }
}

#[test]
fn neighbours() {
    on_graphs(|graph, _| {
        agrees(graph, &CoreNumbers, &RunOptions::new());
        let few = RunOptions::new().steps_at_most(3);
        agrees(graph, &later::Later {}, &few);
        agrees(graph, &clustering::Clustering, &RunOptions::new());
        agrees(graph, &triangles::Triangles, &RunOptions::new());
        agrees(graph, &gathered::Mixing { seed: 1 }, &few);
        agrees(graph, &oriented_all::Mixing { seed: 2 }, &few);
    });
}

#[test]
fn places() {
    on_graphs(|graph, _| {
        let few = RunOptions::new().steps_at_most(3);
        agrees(graph, &place_pushed::Mixing { seed: 1 }, &few);
        agrees(graph, &place_in::Mixing { seed: 2 }, &few);
        agrees(graph, &both_all::Mixing { seed: 3 }, &few);
        agrees(graph, &place_oriented::Mixing { seed: 4 }, &few);
    });
    // Each pair has the same weights in both directions, but not in the same order.
    let weights = |from: u64, to: u64| if from < to { [5u32, 9] } else { [9, 5] };
    let roads = (0..3000u64).flat_map(|v| [(v, (v * 7 + 1) % 3001), ((v * 7 + 1) % 3001, v)]);
    let roads = roads.flat_map(|(from, to)| weights(from, to).map(|weight| (from, to, weight)));
    let roads = LayeredGraph::from_weighted_edges(roads).expect("the edges form a graph");
    assert!(roads.is_symmetric());
    let folder = tempfile::tempdir().expect("a folder");
    let deal = Deal::new(&roads, number(3)).expect("the graph is dealt");
    let shards = Shards::write(&roads, &deal, folder.path()).expect("the shards are written");
    agrees(("crossed roads", &roads, &shards), &turns::Turns { from: 4 }, &RunOptions::new());
}

/// Rows take several batches, and edges are ranked in several rounds.
#[test]
fn what_is_found_in_parts() {
    let graph = graphs::layered(generate::rmat_directed(15, 24, 7).expect("a valid recipe"));
    let folder = tempfile::tempdir().expect("a folder");
    let deal = Deal::new(&graph, number(3)).expect("the graph is dealt");
    let shards = Shards::write(&graph, &deal, folder.path()).expect("the shards are written");
    agrees(("a larger R-MAT", &graph, &shards), &clustering::Clustering, &RunOptions::new());
    let few = RunOptions::new().steps_at_most(2);
    agrees(("a larger R-MAT", &graph, &shards), &place_pushed::Mixing { seed: 5 }, &few);
}

/// The sum of tolls and lengths of all roads to a vertex, in both directions.
#[edge_program]
mod tolls {
    use wolfpath::prelude::*;

    pub(crate) struct Road {
        pub(crate) length: f32,
        pub(crate) toll: u32,
    }

    pub(crate) struct Tolls {}

    impl EdgeProgram for Tolls {
        type Value = f64;
        type Message = f64;
        type Weight = Road;
        type Aggregate = Sum<f64>;
        type Combine = Sum;
        const ALONG: Along = Along::Both;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f64 {
            v.id as f64
        }
        fn edge(&self, e: Edge<f64, Road>) -> f64 {
            e.value / 64.0 + e.weight.length as f64 * e.weight.toll as f64
        }
        fn apply(&self, v: Vertex<f64>, incoming: f64) -> f64 {
            v.value / 3.0 + incoming
        }
        fn aggregate(&self, v: Vertex<f64>) -> f64 {
            v.value
        }
    }
}

#[test]
fn columns_of_shards() {
    let folder = tempfile::tempdir().expect("a folder");
    let weight = |from: u64, to: u64| (from * 7 + to * 13) % 90;
    let star = |reversed: bool| {
        let edges = (1..70_000u64).map(move |leaf| if reversed { (leaf, 0) } else { (0, leaf) });
        edges.map(|(from, to)| (from, to, weight(from, to))).collect::<Vec<_>>()
    };
    let rmat = generate::rmat(12, 10, 4).expect("a valid recipe");
    let pairs: Vec<(u64, u64)> = (0..rmat.num_lines() as usize).map(|line| rmat.edge(line)).collect();
    let both_ways = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
    // The edges are symmetric, but not their weights.
    let uneven = both_ways.map(|(from, to)| (from, to, 1_000 * weight(from, to) + to % 3));
    let graphs = [
        ("star", LayeredGraph::from_weighted_edges(star(false))),
        ("star inward", LayeredGraph::from_weighted_edges(star(true))),
        ("uneven R-MAT", LayeredGraph::from_weighted_edges(uneven)),
        (
            "fractions",
            LayeredGraph::from_weighted_edges(pairs.iter().map(|&(a, b)| (a, b, 0.25 * (b % 7) as f64))),
        ),
    ];
    for (at, (name, graph)) in graphs.into_iter().enumerate() {
        let graph = graph.expect("the edges form a graph");
        let deal = Deal::new(&graph, number(5)).expect("the graph is dealt");
        let shards =
            Shards::write(&graph, &deal, folder.path().join(at.to_string())).expect("they are written");
        let source = graph.root().expect("there are vertices");
        let options = RunOptions::new().lossy_weights(true);
        let of_shards = (name, &graph, &shards);
        agrees(of_shards, &sssp::starting_at(source), &options);
        agrees(of_shards, &sssp_f64::starting_at(source), &RunOptions::new());
        agrees(of_shards, &widest::from_source(source, 1 << 30), &options);
    }
    let list = EdgeList::from_edges(pairs.iter().copied()).expect("the edges are valid");
    let lengths: Vec<f32> = pairs.iter().map(|&(a, b)| 1.0 / (1 + weight(a, b)) as f32).collect();
    let tolls: Vec<u32> = pairs.iter().map(|&(a, b)| weight(b, a) as u32).collect();
    let list = list.with_column("length", &lengths).and_then(|list| list.with_column("toll", &tolls));
    let roads = graphs::layered(list.expect("the columns are valid"));
    let deal = Deal::new(&roads, number(3)).expect("the graph is dealt");
    let shards = Shards::write(&roads, &deal, folder.path().join("roads")).expect("they are written");
    agrees(("roads", &roads, &shards), &tolls::Tolls {}, &RunOptions::new().steps_at_most(4));
    let source = roads.root().expect("there are vertices");
    for column in [Some("length"), Some("toll"), Some("width"), None] {
        let options = RunOptions::new().weight_column(column);
        agrees(("roads", &roads, &shards), &sssp_f64::starting_at(source), &options);
    }
}

/// Values grow, and `aggregate` fails at vertex 5,000 in the step after which the run ends.
#[edge_program]
mod failing {
    use wolfpath::prelude::*;

    pub(crate) struct Failing {}

    impl EdgeProgram for Failing {
        type Value = u32;
        type Message = u32;
        type Aggregate = Sum<u64>;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, _: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, v: Vertex<u32>, _: u32) -> u32 {
            if v.value < 4 { v.value + 1 } else { v.value }
        }
        fn aggregate(&self, v: Vertex<u32>) -> u64 {
            if v.id == 5_000 { 12 / (4 - v.value as u64) } else { 1 }
        }
        fn finished(&self, _before: u64, _now: u64, step: u64) -> bool {
            step == 4
        }
    }
}

/// No other process ends as if all was well. The fault is in the last fold, after which nothing is exchanged.
#[test]
fn a_fault_in_one_process_ends_all() {
    let found = on_a_star(|mut graph| {
        let error = graph.run(&failing::Failing {}).expect_err("the fold faults").to_string();
        assert!(error.contains("vertex 5000") && error.contains("divide by zero"), "{error}");
        let again = graph.run(&bfs::starting_at(0)).expect_err("the connections are closed");
        assert!(matches!(again, RunError::Peer { .. }), "{again}");
        error
    });
    assert!(found.iter().any(|error| error.starts_with("process")), "{found:?}");
}

#[test]
fn runs_that_all_processes_end_can_be_followed_by_others() {
    on_a_star(|mut graph| {
        let unknown = graph.run(&bfs::starting_at(1 << 40)).expect_err("the graph is smaller");
        assert!(matches!(unknown, RunError::Plan(PlanError::UnknownSource { .. })), "{unknown}");
        let limited = RunOptions::new().max_steps(1);
        let overrun = graph.run_with(&bfs::starting_at(0), &limited).expect_err("two steps are too many");
        assert!(matches!(overrun, RunError::Overrun { max_steps: 1, .. }), "{overrun}");
        assert_eq!(graph.run(&bfs::starting_at(0)).expect("all are still there").steps(), 2);
    });
}

#[test]
fn a_cancelled_process_ends_all() {
    let errors = on_a_star(|mut graph| {
        let cancel = CancelHandle::new();
        if graph.process() == 1 {
            cancel.cancel();
        }
        let options = RunOptions::new().cancel(&cancel);
        graph.run_with(&bfs::starting_at(0), &options).expect_err("one process is cancelled")
    });
    assert!(matches!(errors[1], RunError::Cancelled { .. }), "{}", errors[1]);
    assert!(
        errors[0].to_string().contains("process 1") && errors[0].to_string().contains("cancelled"),
        "{}",
        errors[0]
    );
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
    let differ = |run: &(dyn Fn(&mut ClusterGraph, u64) -> RunError + Sync), what: &str| {
        let errors = on_a_star(|mut graph| {
            let process = graph.process() as u64;
            run(&mut graph, process).to_string()
        });
        let (one, other) = (format!("the {what} of process 1 is"), format!("the {what} of process 0 is"));
        assert!(errors[0].starts_with(&one) && errors[1].starts_with(&other), "{errors:?}");
    };
    let run = |graph: &mut ClusterGraph, source, options: &RunOptions| {
        graph.run_with(&bfs::starting_at(source), options).expect_err("the runs differ")
    };
    differ(&|graph, process| run(graph, process, &RunOptions::new()), "sources");
    differ(&|graph, process| run(graph, 0, &RunOptions::new().max_steps(9 + process)), "step limit");
    let of_column = |process| RunOptions::new().weight_column(if process == 0 { "length" } else { "toll" });
    differ(&|graph, process| run(graph, 0, &of_column(process)), "weight column");
    differ(
        &|graph, process| {
            let options = RunOptions::new().tolerance(0.1 / (1 + process) as f64);
            let program = AccumulatingPageRank { damping: 0.85 };
            graph.run_with(&program, &options).expect_err("the tolerances differ")
        },
        "tolerance",
    );
    differ(
        &|graph, process| run(graph, 0, &RunOptions::new().until_settled(0..process)),
        "number of vertices to settle",
    );
    differ(
        &|graph, process| match process {
            0 => run(graph, 0, &RunOptions::new()),
            _ => graph.run(&Components).expect_err("the programs differ"),
        },
        "program",
    );
    let damped = |damping| PageRank { damping, tolerance: 1e-6 };
    differ(
        &|graph, process| {
            let program = damped(if process == 0 { 0.85 } else { 0.5 });
            graph.run(&program).expect_err("the parameters differ")
        },
        "parameters",
    );
}

#[test]
fn what_clusters_cannot_do_yet_is_refused() {
    on_a_star(|mut graph| {
        let portions = AccumulatingPageRank { damping: 0.85 };
        for choice in [ScheduleChoice::Paths, ScheduleChoice::Pull] {
            let error =
                graph.run_with(&portions, &RunOptions::new().schedule(choice)).expect_err("by frontier");
            assert!(error.to_string().contains("use `frontier`"), "{error}");
        }
        for options in [RunOptions::new().tolerance(-1.0), RunOptions::new().steps_at_most(3)] {
            assert!(matches!(graph.run_with(&portions, &options), Err(RunError::Plan(_))), "{options:?}");
        }
        let tolerance = RunOptions::new().tolerance(0.1);
        let error = graph.run_with(&bfs::starting_at(0), &tolerance).expect_err("it does not accumulate");
        assert!(matches!(error, RunError::Plan(PlanError::Tolerance { .. })), "{error}");
        let settled = RunOptions::new().until_settled([5]);
        let error = graph.run_with(&portions, &settled).expect_err("sums are not settled");
        assert!(matches!(error, RunError::Plan(PlanError::CannotSettle { .. })), "{error}");
        let unknown = RunOptions::new().until_settled([5, 1 << 40]);
        let error = graph.run_with(&bfs::starting_at(0), &unknown).expect_err("no process has it");
        assert!(matches!(error, RunError::Plan(PlanError::UnknownTarget { id }) if id == 1 << 40), "{error}");
        let sweeps = RunOptions::new().schedule(ScheduleChoice::Sweep);
        let error = graph.run_with(&bfs::starting_at(0), &sweeps).expect_err("processes go step by step");
        assert!(error.to_string().contains("step by step"), "{error}");
        // Refusals come before anything is exchanged, or all processes know of them.
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

/// A program with an input.
#[edge_program]
mod marked {
    use wolfpath::prelude::*;

    /// Reachability from marked vertices.
    pub(crate) struct Marked {
        pub(crate) marked: VertexSet,
    }

    impl EdgeProgram for Marked {
        type Value = bool;
        type Message = bool;
        type Combine = Or;

        fn start(&self, v: Vertex) -> Option<bool> {
            self.marked.contains(v).then_some(true)
        }
        fn edge(&self, e: Edge<bool>) -> bool {
            e.value
        }
    }
}

#[test]
fn inputs_are_the_same_in_all_processes() {
    let marked = |ids: &[u64]| marked::Marked { marked: VertexSet::from_ids(ids.iter().copied()) };
    on_a_star(|mut graph| {
        match graph.run(&marked(&[0, 99_999])) {
            Err(RunError::Plan(PlanError::UnknownInput { input: "marked", id: 99_999, .. })) => {}
            other => panic!("expected an unknown id, got {other:?}"),
        }
        let union = RunOptions::new().schedule(ScheduleChoice::Union).trace(true);
        let error = graph.run_with(&Components, &union).expect_err("union-find has no trace");
        assert!(matches!(error, RunError::Plan(PlanError::Schedule { .. })), "{error}");
        // All processes have found the same, so connections stay open.
        let reached = graph.run(&marked(&[0])).expect("the vertex is in the graph");
        assert!(reached.iter().all(|(_, reached)| reached == Some(true)));
        let ids: &[u64] = if graph.process() == 0 { &[0, 99_999] } else { &[] };
        let error = graph.run(&marked(ids)).expect_err("the inputs differ").to_string();
        assert!(error.contains("the ids in the input `marked` are not those of process"), "{error}");
    });
}

#[test]
fn numbers_of_all_processes_are_joined() {
    let edges = (0..9000u64).map(|v| (v, v + 1, (v % 77) as i64 - i64::from(v == 8470)));
    let graph = LayeredGraph::from_weighted_edges(edges).expect("a valid graph");
    let folder = tempfile::tempdir().expect("a folder");
    let deal = Deal::new(&graph, number(3)).expect("the graph is dealt");
    Shards::write(&graph, &deal, folder.path()).expect("the shards are written");
    let found = processes::run(
        3,
        |config| config,
        |connected| {
            let shards = Shards::open(folder.path()).expect("the shards are there");
            let mut graph = connected.expect("all are there").load(shards).expect("the shards are whole");
            let negative = graph.negative_weight().expect("all are there");
            let bound = graph.length_bound(0, u64::MAX).expect("all are there");
            let contained = graph.contains(&[0, 9000, 9001]).expect("all are there");
            (negative, bound, contained)
        },
    );
    let negative = graph.first_negative_weight();
    for found in found {
        assert_eq!(found, (negative.clone(), graph.length_bound(0, u64::MAX), vec![true, true, false]));
    }
}

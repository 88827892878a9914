//! Runs in which processes gather pieces of rows for each other.

#[allow(dead_code, reason = "some functions are only for other tests")]
mod agreement;
#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
mod processes;

use agreement::agrees;
use graphs::{layered, number};
use wolfpath::cluster::{Deal, Shards};
use wolfpath::generate;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::programs::{PageRank, PageRankF64, bfs};
use wolfpath_runtime::part::GraphPart;

/// Programs in which every vertex sends, with messages of several kinds.
#[edge_program]
mod tolls {
    use wolfpath::prelude::*;

    /// A sum that depends on the weight, and on the ids and indices of both ends, in both directions.
    pub(crate) struct Tolls {}

    impl EdgeProgram for Tolls {
        type Value = f64;
        type Message = f64;
        type Weight = f32;
        type Aggregate = Sum<f64>;
        type Combine = Sum;
        const ALONG: Along = Along::Both;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f64 {
            1.0 / (1 + v.id) as f64
        }
        fn edge(&self, e: Edge<f64, f32>) -> f64 {
            (e.value + e.weight as f64 / 64.0) / (1 + e.target % 7 + e.source % 5 + e.step) as f64
        }
        fn apply(&self, v: Vertex<f64>, incoming: f64) -> f64 {
            v.value / 3.0 + incoming
        }
        fn aggregate(&self, v: Vertex<f64>) -> f64 {
            v.value
        }
    }
}

#[edge_program]
mod marks {
    use wolfpath::prelude::*;

    /// The bits of all ids from which messages have come, by a `combine` of its own. Some senders send nothing.
    pub(crate) struct Marks {}

    impl EdgeProgram for Marks {
        type Value = u64;
        type Message = u64;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> u64 {
            1 << (v.id % 64)
        }
        fn edge(&self, e: Edge<u64>) -> Option<u64> {
            if e.source % 3 == 1 { None } else { Some(e.value.rotate_left(1)) }
        }
        fn combine(&self, a: u64, b: u64) -> u64 {
            a | b
        }
        fn apply(&self, v: Vertex<u64>, incoming: Option<u64>) -> u64 {
            match incoming {
                Some(bits) => v.value | bits,
                None => v.value,
            }
        }
    }
}

#[edge_program]
mod moments {
    use wolfpath::prelude::*;

    pub(crate) struct Moment {
        pub(crate) sum: f32,
        pub(crate) squares: f32,
    }

    /// A struct of sums, which are accumulated in more bits than they have.
    pub(crate) struct Moments {}

    impl EdgeProgram for Moments {
        type Value = f32;
        type Message = Moment;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f32 {
            1.0 / (1 + v.id % 1000) as f32
        }
        fn edge(&self, e: Edge<f32>) -> Moment {
            Moment { sum: e.value, squares: e.value * e.value }
        }
        fn apply(&self, v: Vertex<f32>, incoming: Moment) -> f32 {
            v.value / 3.0 + incoming.sum + incoming.squares
        }
    }
}

#[edge_program]
mod counts {
    use wolfpath::prelude::*;

    /// A sum of integers that wraps around. Every value depends on the fold of all values.
    pub(crate) struct Counts {}

    impl EdgeProgram for Counts {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;
        type Aggregate = Max<u32>;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> u32 {
            v.id as u32
        }
        fn edge(&self, e: Edge<u32, (), u32>) -> u32 {
            e.value ^ e.aggregate
        }
        fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
            v.value.wrapping_mul(3).wrapping_add(incoming)
        }
        fn aggregate(&self, v: Vertex<u32>) -> u32 {
            v.value
        }
    }
}

/// Graphs most of whose edges lead to few vertices.
fn uneven() -> Vec<(&'static str, LayeredGraph)> {
    let to_hub = (1..300_000u64).map(|leaf| (leaf, 0, (leaf % 99) as f32 / 3.0));
    let hubs = (6000..20_000u64).flat_map(|leaf| {
        let both = move |hub: u64| [(leaf, hub, (hub + leaf % 7) as f32), (hub, leaf + hub, 0.5)];
        (leaf % 5..leaf % 5 + 3).flat_map(both)
    });
    let star = LayeredGraph::from_weighted_edges(to_hub).expect("a star is a graph");
    let hubs = LayeredGraph::from_weighted_edges(hubs).expect("the edges form a graph");
    let rmat = layered(generate::rmat_directed(14, 24, 2).expect("a valid recipe"));
    vec![("star to its centre", star), ("hubs", hubs), ("directed R-MAT", rmat)]
}

/// Calls `check` for graphs with divided rows, and their shards.
fn on_uneven_graphs(check: impl Fn((&str, &LayeredGraph, &Shards))) {
    let folder = tempfile::tempdir().expect("a folder");
    for (at, (name, graph)) in uneven().into_iter().enumerate() {
        let path = folder.path().join(at.to_string());
        let deal = Deal::new(&graph, number(6)).expect("the graph is dealt");
        let shards = Shards::write(&graph, &deal, path).expect("the shards are written");
        check((name, &graph, &shards));
    }
}

#[test]
fn values_are_those_of_whole_rows() {
    on_uneven_graphs(|graph| {
        let few = RunOptions::new().steps_at_most(4);
        agrees(graph, &PageRank { damping: 0.85, tolerance: 1e-6 }, &few);
        agrees(graph, &PageRankF64 { damping: 0.85, tolerance: 1e-3 }, &few);
        agrees(graph, &marks::Marks {}, &few);
        agrees(graph, &counts::Counts {}, &few);
        agrees(graph, &moments::Moments {}, &few);
        let random = graph.1.with_weights(WeightChoice::Random { seed: 5, max: 1000 });
        agrees((graph.0, &random, graph.2), &tolls::Tolls {}, &few);
        if !graph.1.column_names().is_empty() {
            agrees(graph, &tolls::Tolls {}, &few);
        }
    });
}

/// Returns the number of edges over which a process gathers.
fn edges_of(part: &GraphPart) -> u64 {
    part.gather_in.iter().chain(&part.gather_out).map(|rows| rows.ends.len() as u64).sum()
}

/// Each process gathers over about as many edges as the others, and programs that need whole rows have them.
#[test]
fn edges_are_even() {
    on_uneven_graphs(|(name, graph, shards)| {
        let input = WeightChoice::Input;
        let ranks = PageRank { damping: 0.85, tolerance: 1e-6 };
        let options = RunOptions::new().steps_at_most(2);
        let planned = shards.plan(&ranks, number(3), input, &options).expect("the run is planned");
        let found = processes::run(
            3,
            |config| config,
            |connected| {
                let shards = Shards::open(shards.folder()).expect("the shards are there");
                let cluster = connected.expect("all are there");
                let mut loaded = cluster.load(shards).expect("the shards are whole");
                let outcome = loaded.run_with(&ranks, &options).expect("the run succeeds");
                let part = outcome.part();
                let root = graph.root().expect("the graph has vertices");
                let whole = loaded.run(&bfs::starting_at(root)).expect("the run succeeds");
                assert!(part.pieces.is_some() && whole.part().pieces.is_none());
                [edges_of(part), edges_of(whole.part())]
            },
        );
        let most = |at: usize| found.iter().map(|edges| edges[at]).max().expect("there are processes");
        assert!(33 * most(0) < 32 * most(1), "{name}: {found:?}");
        if name == "star to its centre" {
            assert!(3 * 20 * most(0) <= 21 * graph.num_edges(), "{found:?}");
        }
        let planned: Vec<u64> = planned.processes().iter().map(|process| process.edges).collect();
        assert_eq!(found.iter().map(|edges| edges[0]).collect::<Vec<_>>(), planned, "{name}");
    });
}

/// The process that has the piece with the fault is another one than that of the vertex.
#[test]
fn a_fault_in_a_piece_ends_all_processes() {
    let graph = LayeredGraph::from_edges((1..300_000u64).map(|leaf| (leaf, 0))).expect("a star is a graph");
    let folder = tempfile::tempdir().expect("a folder");
    let deal = Deal::new(&graph, number(6)).expect("the graph is dealt");
    let shards = Shards::write(&graph, &deal, folder.path()).expect("the shards are written");
    agrees(("star", &graph, &shards), &faults::Inverse {}, &RunOptions::new().steps_at_most(3));
}

#[edge_program]
mod faults {
    use wolfpath::prelude::*;

    /// Divides by zero along one edge.
    pub(crate) struct Inverse {}

    impl EdgeProgram for Inverse {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            1000 / ((e.source ^ 100_000) + e.target)
        }
        fn apply(&self, v: Vertex<u64>, incoming: u64) -> u64 {
            v.value + incoming
        }
    }
}

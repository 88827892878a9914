//! Combiners that work field by field, and the most frequent message.

use wolfpath::edge_list::EdgeList;
use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::EdgeProgram;
use wolfpath::{Outcome, RunOptions, Schedule, ScheduleChoice, oracle};

use crate::Tested;
use crate::checks::{agrees, compare, on_random};
use crate::combiner_programs::{
    all_votes, averages, cdlp, commons, extremes, marked, origins, summary, sums, votes, weighed_votes,
};
use crate::{graphs, reference};

/// Returns graphs with rows of all lengths that are counted in different ways: of few edges, of more than a lane, a warp
/// and the shared memory of a warp count, and of more different messages than a table holds.
fn graphs() -> Vec<(String, LayeredGraph)> {
    let layered = |list: EdgeList| {
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    };
    let star = |leaves: u64, both: bool| {
        let edges =
            (1..=leaves).flat_map(|leaf| [(leaf, 0), (0, leaf)].into_iter().take(1 + usize::from(both)));
        EdgeList::from_edges(edges.collect::<Vec<_>>()).expect("the edges are valid")
    };
    let mut graphs: Vec<(String, LayeredGraph)> =
        graphs::small().into_iter().map(|sample| (sample.name.to_owned(), sample.graph)).collect();
    for leaves in [8, 9, 32, 33, 64, 65, 127, 128, 129, 256, 257, 513, 1_100, 5_000] {
        graphs.push((format!("star of {leaves}"), layered(star(leaves, leaves % 3 == 0))));
    }
    let rmat = generate::rmat(9, 12, 5).expect("the R-MAT graph is valid").with_random_weights(3, 9);
    graphs.push(("R-MAT 9".to_owned(), layered(rmat)));
    graphs.push(("no vertices".to_owned(), graphs::empty()));
    graphs
}

fn steps<P: EdgeProgram>(
    engine: &Tested,
    graph: &LayeredGraph,
    program: &P,
    steps: u64,
    name: &str,
) -> Outcome<P> {
    let (expected, _) = reference::run(graph, program, steps).expect("the reference does not fault");
    let options = RunOptions::new().steps_at_most(steps);
    let outcome = engine.run_with(graph, program, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    compare(&outcome, &expected, name);
    outcome
}

pub(crate) fn fields_are_combined(engine: &Tested) {
    let check = |graph: &LayeredGraph, name: &str| {
        steps(engine, graph, &sums::Sums, 2, name);
        steps(engine, graph, &extremes::Extreme, 3, name);
        for silent in [0, 3] {
            steps(engine, graph, &summary::Summaries { silent }, 4, name);
        }
        agrees(engine, graph, &origins::Origins, name);
        agrees(engine, graph, &commons::Commons, name);
    };
    graphs().iter().for_each(|(name, graph)| check(graph, name));
    on_random(12, &|graph, source| {
        check(graph, "random");
        let marks = |at: usize| std::array::from_fn(|i| i == at || i == 11);
        let sources = [(source, marks(0)), (source, marks(10))];
        let outcome = engine.run(graph, &marked::from_sources(sources)).expect("the run succeeds");
        let expected = std::array::from_fn(|i| [0, 10, 11].contains(&i));
        assert_eq!(outcome.value(source).expect("the source is a vertex"), Some(expected));
    });
}

/// Floats are accumulated in f64: 16,777,216 is the first f32 to which 1 cannot be added.
pub(crate) fn float_fields_are_accumulated(engine: &Tested) {
    #[wolfpath::edge_program]
    mod large {
        use wolfpath::prelude::*;

        pub(crate) struct Large;

        impl EdgeProgram for Large {
            type Value = [f32; 2];
            type Message = [f32; 2];
            type Combine = Sum;

            fn start(&self, v: Vertex) -> [f32; 2] {
                if v.id == 1 { [16_777_216.0, -0.0] } else { [1.0, -0.0] }
            }
            fn edge(&self, e: Edge<[f32; 2]>) -> [f32; 2] {
                e.value
            }
            fn apply(&self, _v: Vertex<[f32; 2]>, incoming: [f32; 2]) -> [f32; 2] {
                incoming
            }
        }
    }
    let graph = LayeredGraph::from_edges((1..=401).map(|leaf| (leaf, 0))).expect("the graph is valid");
    let outcome = engine
        .run_with(&graph, &large::Large, &RunOptions::new().steps_at_most(1))
        .expect("the run succeeds");
    assert_eq!(outcome.value(0).expect("a vertex"), Some([16_777_616.0, 0.0]));
}

/// Sums that round are within the tolerance of sums in f64, and the same for any number of threads and in any slices.
pub(crate) fn rounded_fields(engine: &Tested) {
    let rmat = generate::rmat(10, 16, 5).expect("the R-MAT graph is valid").with_random_weights(3, 9);
    let graph = LayeredGraph::from_edge_list(rmat, &LayerOptions::default()).expect("layering succeeds");
    let bits = |threads: usize| -> Vec<(u32, u64, u32)> {
        let options = RunOptions::new().steps_at_most(5).threads(threads);
        let outcome = engine.run_with(&graph, &averages::Averages, &options).expect("the run succeeds");
        let values = outcome.read().expect("the values are there");
        let values = values.iter().map(|(_, value)| value.expect("every vertex has a value"));
        values.map(|v| (v.total.to_bits(), v.weights.to_bits(), v.third[0].to_bits())).collect()
    };
    let once = bits(1);
    assert!([2, 3, 8].into_iter().all(|threads| bits(threads) == once));
    let (expected, _) = reference::run(&graph, &averages::Averages, 5).expect("the reference does not fault");
    for (&v, &(total, weights, third)) in graph.by_rank().iter().zip(&once) {
        let right = expected[v as usize].expect("every vertex has a value");
        // The reference adds up floats of 32 bits in f32.
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-4 * b.abs();
        assert!(close(f32::from_bits(total).into(), right.total.into()), "vertex {v}");
        assert!(close(f64::from_bits(weights), right.weights), "vertex {v}");
        assert!(close(f32::from_bits(third).into(), right.third[0].into()), "vertex {v}");
    }
}

pub(crate) fn communities(engine: &Tested) {
    let check = |graph: &LayeredGraph, name: &str| {
        for steps in [1, 2, 10] {
            let outcome = self::steps(engine, graph, &cdlp::Communities, steps, name);
            let back = graph.in_edges().expect("the in-rows are built");
            let expected = oracle::labels_by_majority(graph.out_edges(), back, graph.ids(), steps);
            let labels: Vec<_> = expected.into_iter().map(Some).collect();
            compare(&outcome, &labels, name);
        }
    };
    graphs().iter().for_each(|(name, graph)| check(graph, name));
    on_random(12, &|graph, _| check(graph, "random"));
}

pub(crate) fn most_frequent_messages(engine: &Tested) {
    let check = |graph: &LayeredGraph, name: &str| {
        for (labels, silent) in [(2, 0), (7, 3), (100_000, 2)] {
            steps(engine, graph, &votes::Voting { labels, silent }, 6, &format!("{name}, some send"));
            steps(engine, graph, &weighed_votes::Voting { labels, silent }, 6, &format!("{name}, weighed"));
            steps(engine, graph, &all_votes::Voting { labels, silent }, 4, &format!("{name}, all send"));
        }
    };
    graphs().iter().for_each(|(name, graph)| check(graph, name));
    on_random(12, &|graph, _| check(graph, "random"));
}

/// Other schedules are refused with the reason, and many runs at once give the same values as one after the other.
pub(crate) fn most_frequent_is_planned(engine: &Tested) {
    let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (3, 4)]).expect("the graph is valid");
    let plan = engine.plan(&graph, &cdlp::Communities, &RunOptions::new()).expect("the run is planned");
    assert_eq!(plan.schedule, Schedule::Pull);
    assert!(plan.to_string().contains("all messages to a vertex at once"), "{plan}");
    let options = RunOptions::new().schedule(ScheduleChoice::Frontier);
    let refused =
        engine.plan(&graph, &votes::Voting { labels: 3, silent: 0 }, &options).expect_err("it cannot push");
    assert!(refused.to_string().contains("`MostFrequent` needs all messages"), "{refused}");
    let loaded = engine.load(&graph);
    let programs = [cdlp::Communities, cdlp::Communities];
    let options = RunOptions::new().steps_at_most(3);
    let alone = engine.run_with(&graph, &cdlp::Communities, &options).expect("the run succeeds");
    let alone = alone.read().expect("the values are there");
    for outcome in loaded.run_many_with(&programs, &options).expect("the runs succeed").outcomes() {
        let found = outcome.expect("the outcome is there").read().expect("the values are there");
        assert!(found.iter().eq(alone.iter()));
    }
}

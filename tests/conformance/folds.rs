//! Several folds, as a tuple and as a struct, and folds of changes.

use std::time::Duration;

use wolfpath::graph::LayeredGraph;
use wolfpath::program::EdgeProgram;
use wolfpath::{End, RunOptions, generate};

use crate::Tested;
use crate::checks::compare;
use crate::fold_programs::{
    alike, awake, choosing, collecting, everyone, gathered, looping, moving, nearing, ordered, pushed,
    queueing, thin, together, totals, waking, weighed,
};
use crate::reference;
use crate::senders::graphs;

/// Compares values, number of steps, end and fold, whose bits are written as text.
fn agrees<P: EdgeProgram + std::fmt::Debug>(engine: &Tested, graph: &LayeredGraph, program: &P, name: &str) {
    let name = format!("{} on {name}, {program:?}", P::MODEL.name);
    let few = RunOptions::new().steps_at_most(3).threads(3);
    let whole = crate::with_pauses(RunOptions::new()).into_iter().map(|options| (options, 1_000));
    for (options, most) in whole.chain([(few, 3)]) {
        let expected = reference::ran(graph, program, most).expect("the reference does not fault");
        let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
        compare(&outcome, &expected.values, &name);
        assert_eq!((outcome.steps(), outcome.end()), (expected.steps, expected.end), "{name}");
        let (found, wanted) = (format!("{:?}", outcome.aggregate()), format!("{:?}", expected.aggregate));
        assert_eq!(found, wanted, "fold of {name}");
    }
}

pub(crate) fn several_folds_agree(engine: &Tested) {
    for (name, graph) in graphs() {
        for at in [0.0, 300.0, 7_000.25, f64::INFINITY] {
            agrees(engine, &graph, &pushed::Folding { at }, name);
            agrees(engine, &graph, &ordered::Folding { at }, name);
            agrees(engine, &graph, &awake::Folding { at }, name);
            agrees(engine, &graph, &gathered::Folding { at }, name);
            agrees(engine, &graph, &everyone::Folding { at }, name);
        }
        for from in 0..3 {
            agrees(engine, &graph, &totals::Spreading { from }, name);
        }
    }
}

/// Returns a path of several blocks of values, of which a search reaches two vertices in each step.
fn path() -> LayeredGraph {
    let edges = (0..1_500).flat_map(|id| [(id, id + 1), (id + 1, id)]);
    LayeredGraph::from_edges(edges.collect::<Vec<_>>()).expect("the graph is valid")
}

pub(crate) fn folds_of_changes_agree(engine: &Tested) {
    for (name, graph) in graphs().into_iter().chain([("path", path())]) {
        for until in [-1.0, 0.0, 900.0] {
            agrees(engine, &graph, &moving::Changing { until }, name);
            agrees(engine, &graph, &nearing::Changing { until }, name);
            agrees(engine, &graph, &queueing::Changing { until }, name);
            agrees(engine, &graph, &waking::Changing { until }, name);
            agrees(engine, &graph, &collecting::Changing { until }, name);
            agrees(engine, &graph, &choosing::Changing { until }, name);
            agrees(engine, &graph, &alike::Changing { until }, name);
            agrees(engine, &graph, &weighed::Changing { until }, name);
            agrees(engine, &graph, &looping::Changing { until }, name);
        }
    }
}

/// A run that continues another one folds the values with which it starts as if they had not changed.
pub(crate) fn folds_of_changes_in_sequence(engine: &Tested) {
    let (graph, steps) = (path(), RunOptions::new().steps_at_most(2));
    let loaded = engine.load(&graph);
    let program = alike::Changing { until: -1.0 };
    let first = loaded.run_with(&program, &steps).expect("the run succeeds");
    assert!(first.aggregate().moved > 0.0);
    let next = loaded.run_from_with(&program, &first, &steps).expect("the run succeeds");
    let (again, last) =
        (loaded.run_from_with(&program, &first, &steps).expect("the run succeeds"), next.aggregate());
    assert_eq!(format!("{:?}", again.aggregate()), format!("{last:?}"));
    // The first fold of a run knows no change, unlike the third one of a longer run.
    let whole = loaded.run_with(&program, &RunOptions::new().steps_at_most(4)).expect("the run succeeds");
    assert_ne!(format!("{:?}", whole.aggregate()), format!("{last:?}"));
}

/// Folds of floats have the same bits for any number of threads and any slice, whether all values are folded in a step
/// or only a few.
pub(crate) fn folds_of_changes_repeat(engine: &Tested) {
    let list = generate::random(5_000, 3, 9).expect("the random graph is valid");
    let graph = LayeredGraph::from_edge_list(list, &Default::default()).expect("layering succeeds");
    let bits = |(a, b): (f64, f64)| (a.to_bits(), b.to_bits());
    let mut once = None;
    for threads in [1, 2, 3, 7] {
        let options = RunOptions::new().threads(threads).slice(Duration::ZERO);
        let options = if threads == 1 { options } else { options.slice(Duration::from_secs(1)) };
        let thin = engine.run_with(&graph, &thin::Thin, &options).expect("the run succeeds");
        let together = engine.run_with(&graph, &together::Together, &options).expect("the run succeeds");
        assert_eq!(together.end(), End::Finished);
        let folds = (bits(thin.aggregate()), bits(together.aggregate()), together.steps());
        assert_eq!(*once.get_or_insert(folds), folds, "{threads} threads");
    }
    for (steps, program) in [2, 5].map(|steps| (steps, thin::Thin)) {
        let outcome =
            engine.run_with(&graph, &program, &RunOptions::new().steps_at_most(steps)).expect("a result");
        let expected = reference::ran(&graph, &program, steps).expect("no fault").aggregate;
        let (sum, change) = outcome.aggregate();
        assert!((sum / expected.0 - 1.0).abs() < 1e-12 && (change - expected.1).abs() <= 1e-12 * sum);
    }
}

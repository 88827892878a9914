//! Ends of runs: programs that end them, and folds of the values at the end.

use std::time::Duration;

use wolfpath::graph::LayeredGraph;
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{FaultPlace, RunError, RunOptions, generate};

use crate::Tested;
use crate::checks::compare;
use crate::end_programs::{everyone, floats, gathered, ordered, pushed, weighed};
use crate::reference;
use crate::senders::graphs;

fn agrees<P: EdgeProgram + std::fmt::Debug>(engine: &Tested, graph: &LayeredGraph, program: &P, name: &str) {
    let name = format!("{} on {name}, {program:?}", P::MODEL.name);
    let whole = crate::with_pauses(RunOptions::new()).into_iter().map(|options| (options, 1_000));
    let limited = [1, 3, 100].map(|steps| (RunOptions::new().steps_at_most(steps).threads(3), steps));
    for (options, most) in whole.chain(limited) {
        let expected = reference::ran(graph, program, most).expect("the reference does not fault");
        let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
        compare(&outcome, &expected.values, &name);
        assert_eq!((outcome.steps(), outcome.end()), (expected.steps, expected.end), "{name}");
        assert!(outcome.aggregate().same(expected.aggregate), "fold of {name}: {:?}", outcome.aggregate());
    }
}

pub(crate) fn ends_agree(engine: &Tested) {
    let faults = u64::MAX;
    for (name, graph) in graphs() {
        for at in [0, 300, 5_000, 70_000, u64::MAX] {
            agrees(engine, &graph, &pushed::Ending { at, faults }, name);
            agrees(engine, &graph, &ordered::Ending { at, faults }, name);
            agrees(engine, &graph, &gathered::Ending { at, faults }, name);
            agrees(engine, &graph, &everyone::Ending { at, faults }, name);
            agrees(engine, &graph, &weighed::Ending { at, faults }, name);
        }
    }
}

/// A fault in `finished` names the step.
pub(crate) fn ends_fail(engine: &Tested) {
    let ring = LayeredGraph::from_edges([(0, 1), (1, 2), (2, 0)]).expect("the graph is valid");
    let place = |error: RunError| match error {
        RunError::Fault { place, message: "the end is known", function: "finished", .. } => place,
        other => panic!("another error: {other}"),
    };
    let at = u64::MAX;
    let errors = [
        engine.run(&ring, &pushed::Ending { at, faults: 2 }).map(|_| ()),
        engine.run(&ring, &gathered::Ending { at, faults: 2 }).map(|_| ()),
        engine.run(&ring, &everyone::Ending { at, faults: 2 }).map(|_| ()),
    ];
    for error in errors {
        let error = error.expect_err("`finished` faults");
        assert!(error.to_string().contains("after step 2"), "{error}");
        assert_eq!(place(error), FaultPlace::Step { step: 2 });
    }
}

/// Folds of floats have the same bits for any number of threads and any slice.
pub(crate) fn folds_repeat(engine: &Tested) {
    let list = generate::random(5_000, 3, 9).expect("the random graph is valid");
    let graph = LayeredGraph::from_edge_list(list, &Default::default()).expect("layering succeeds");
    let run = |options: RunOptions| {
        let outcome = engine.run_with(&graph, &floats::Floats, &options).expect("the run succeeds");
        outcome.aggregate().to_bits()
    };
    let once = run(RunOptions::new());
    let serial: f64 = reference::ran(&graph, &floats::Floats, 1_000).expect("no fault").aggregate;
    assert!(
        (f64::from_bits(once) / serial - 1.0).abs() < 1e-12,
        "{} instead of {serial}",
        f64::from_bits(once)
    );
    for threads in [1, 2, 3, 7] {
        assert_eq!(run(RunOptions::new().threads(threads).slice(Duration::ZERO)), once);
    }
}

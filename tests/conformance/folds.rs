//! Several folds, as a tuple and as a struct.

use std::time::Duration;

use wolfpath::graph::LayeredGraph;
use wolfpath::program::EdgeProgram;
use wolfpath::{Engine, RunOptions};

use crate::checks::compare;
use crate::fold_programs::{awake, everyone, gathered, ordered, pushed, totals};
use crate::reference;
use crate::senders::graphs;

/// Compares values, number of steps, end and fold, whose bits are written as text.
fn agrees<P: EdgeProgram + std::fmt::Debug>(engine: &Engine, graph: &LayeredGraph, program: &P, name: &str) {
    let name = format!("{} on {name}, {program:?}", P::MODEL.name);
    // A slice of no time pauses a kernel after every step.
    let paused = RunOptions::new().slice(Duration::ZERO);
    let few = RunOptions::new().steps_at_most(3).threads(3);
    for (options, most) in [(RunOptions::new(), 1_000), (paused, 1_000), (few, 3)] {
        let expected = reference::ran(graph, program, most).expect("the reference does not fault");
        let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
        compare(&outcome, &expected.values, &name);
        assert_eq!((outcome.steps(), outcome.end()), (expected.steps, expected.end), "{name}");
        let (found, wanted) = (format!("{:?}", outcome.aggregate()), format!("{:?}", expected.aggregate));
        assert_eq!(found, wanted, "fold of {name}");
    }
}

pub(crate) fn several_folds_agree(engine: &Engine) {
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

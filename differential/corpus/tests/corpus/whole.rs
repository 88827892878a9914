//! Runs programs with functions of their own at vertices, and with folds, for a few steps over small graphs. The values,
//! the end and the fold of a run must be those of the reference of the conformance suite, bit for bit. If the reference
//! faults, the run must end with a fault: which of several faults a run reports depends on the engine.

use wolfpath::graph::LayeredGraph;
use wolfpath::program::{Datum, EdgeProgram, random};
use wolfpath::{Engine, RunError, RunOptions};

use crate::reference::{Ran, ran};

/// Number of runs of each program.
const RUNS: u64 = 32;

/// Returns a graph of 9 to 12 vertices. Indices below 9, which programs pass to `v.value_at`, are therefore in range.
fn graph(seed: u64) -> LayeredGraph {
    let vertices = 9 + seed % 4;
    let id = |index: u64| 5 * index + random(seed, index, 0) % 5;
    let weight = |at: u64| random(seed, at, 1) >> (random(seed, at, 2) % 64);
    let path = (1..vertices).map(|at| (id(at - 1), id(at), weight(at)));
    let others = (vertices..vertices + 9)
        .map(|at| (id(random(seed, at, 3) % vertices), id(random(seed, at, 4) % vertices), weight(at)));
    LayeredGraph::from_weighted_edges(path.chain(others)).expect("the edges form a graph")
}

/// Compares runs of one to four steps with the reference.
pub(crate) fn check<P>(program: &P, engine: &Engine)
where
    P: EdgeProgram<Value = u64, Weight = u64>,
{
    let mut sound = 0;
    for seed in 0..RUNS {
        let (graph, steps) = (graph(seed), 1 + seed % 4);
        let run = engine.run_with(&graph, program, &RunOptions::new().steps_at_most(steps));
        let name = P::MODEL.name;
        match (ran(&graph, program, steps), run) {
            (Ok(expected), Ok(outcome)) => {
                let Ran { values, steps, end, aggregate } = expected;
                let found = outcome.read().expect("the values can be read");
                for (v, value) in (0..).zip(values) {
                    let id = graph.id_of(v);
                    assert_eq!(found.value(id), Ok(value), "{name}, run {seed}: value of {id}");
                }
                assert_eq!((outcome.steps(), outcome.end()), (steps, end), "{name}, run {seed}");
                let fold = outcome.aggregate();
                assert!(fold.same(aggregate), "{name}, run {seed}: fold {fold:?}, expected {aggregate:?}");
                sound += 1;
            }
            (Err(_), Err(RunError::Fault { .. })) => {}
            (expected, run) => {
                let expected = expected.map(|expected| expected.values);
                panic!("{name}, run {seed}: {run:?}, expected {expected:?}");
            }
        }
    }
    assert!(sound >= RUNS / 2, "too few runs without a fault for a meaningful comparison: {sound}");
}

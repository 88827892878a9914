//! Limits of a run hold over all its phases.

use wolfpath::graph::LayeredGraph;
use wolfpath::{Engine, RunError, RunOptions, programs};

/// A path, on which the nearest-first schedule needs a step an edge.
fn path() -> LayeredGraph {
    LayeredGraph::from_weighted_edges((0..100u64).map(|v| (v, v + 1, 1000u32))).expect("a path is a graph")
}

#[test]
fn a_limit_that_was_asked_for_is_the_limit() {
    let program = programs::sssp::from_source(0, 0);
    for limit in [1, 20, 60] {
        match Engine::cpu().run_with(&path(), &program, &RunOptions::new().max_steps(limit)) {
            Err(RunError::Overrun { max_steps, .. }) => assert_eq!(max_steps, limit),
            other => panic!("expected an overrun after {limit} steps, got {other:?}"),
        }
    }
    let outcome = Engine::cpu().run(&path(), &program).expect("the default limit suffices");
    assert_eq!(outcome.value(100), Ok(Some(100_000)));
}

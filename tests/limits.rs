//! The step limit of a run applies to all of its phases together.

use wolfpath::graph::LayeredGraph;
use wolfpath::{Engine, RunError, RunOptions, programs};

/// Returns a path with long edges, on which the schedule `bucket` needs many buckets.
fn path() -> LayeredGraph {
    LayeredGraph::from_weighted_edges((0..1000u64).map(|v| (v, v + 1, 1000u32))).expect("the graph is valid")
}

#[test]
fn a_limit_that_was_asked_for_is_the_limit() {
    let program = programs::sssp::from_source(0, 0);
    let outcome = Engine::cpu().run(&path(), &program).expect("the default limit suffices");
    assert_eq!(outcome.value(1000), Ok(Some(1_000_000)));
    assert!(outcome.steps() > 3, "a limit of 3 steps must be too low, but {} suffice", outcome.steps());
    for limit in [1, 2, 3] {
        match Engine::cpu().run_with(&path(), &program, &RunOptions::new().max_steps(limit)) {
            Err(RunError::Overrun { max_steps, .. }) => assert_eq!(max_steps, limit),
            other => panic!("expected an overrun after {limit} steps, got {other:?}"),
        }
    }
}

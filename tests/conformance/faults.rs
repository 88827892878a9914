//! Programs that would panic in Rust, never end, or break a promise. The result must be an error, never a crash or a
//! hang.

use wolfpath::graph::LayeredGraph;
use wolfpath::{FaultPlace, RunError, RunOptions};

use crate::Tested;
use crate::programs as own;

fn chain() -> LayeredGraph {
    LayeredGraph::from_weighted_edges([(0, 10, 5u32), (10, 20, 0), (20, 30, 1)]).expect("the graph is valid")
}

pub(crate) fn division_by_zero(engine: &Tested) {
    match engine.run(&chain(), &own::division::Division) {
        Err(RunError::Fault { program, place, message, function, file, line }) => {
            assert_eq!(program, "Division");
            assert_eq!(place, FaultPlace::Edge { source: 10, target: 20 });
            assert_eq!(message, "attempt to divide by zero");
            assert_eq!(function, "edge");
            assert!(file.ends_with("programs.rs") && line > 0, "{file}:{line}");
        }
        other => panic!("expected a fault, got {other:?}"),
    }
}

pub(crate) fn overflow_as_the_build_says(engine: &Tested) {
    let ran = engine.run(&chain(), &own::overflowing::from_source(0, 0x8000_0001));
    match ran {
        Err(RunError::Fault { place, message, .. }) if cfg!(debug_assertions) => {
            assert_eq!(message, "attempt to add with overflow");
            assert_eq!(place, FaultPlace::Edge { source: 10, target: 20 });
        }
        Ok(outcome) if !cfg!(debug_assertions) => {
            assert_eq!(outcome.value(10).expect("the vertex exists"), Some(0xc000_0001));
            assert_eq!(outcome.value(20).expect("the vertex exists"), Some(1));
        }
        other => panic!("unexpected: {other:?}"),
    }
}

pub(crate) fn endless_programs_end(engine: &Tested) {
    match engine.run(&chain(), &own::endless::Endless) {
        Err(RunError::Overrun { program: "Endless", max_steps: 10_000, .. }) => {}
        other => panic!("expected an overrun, got {other:?}"),
    }
    let options = RunOptions::new().max_steps(1000);
    match engine.run_with(&chain(), &own::endless::Endless, &options) {
        Err(RunError::Overrun { max_steps: 1000, .. }) => {}
        other => panic!("expected an overrun, got {other:?}"),
    }
    let outcome = engine
        .run_with(&chain(), &own::endless::Endless, &RunOptions::new().steps_at_most(3))
        .expect("three steps succeed");
    assert_eq!((outcome.steps(), outcome.value(0).expect("the vertex exists")), (3, Some(false)));
}

pub(crate) fn fault_at_a_vertex(engine: &Tested) {
    match engine.run(&chain(), &own::vertex_division::VertexDivision { bad: 20 }) {
        Err(RunError::Fault { place: FaultPlace::Vertex { id: 20 }, function: "apply", .. }) => {}
        other => panic!("expected a fault at vertex 20, got {other:?}"),
    }
}

/// Checks that the run of a program that breaks its promise ends, with any values or with an error.
pub(crate) fn dishonest_uniform_is_no_crash(engine: &Tested) {
    for sample in crate::graphs::small().iter().chain(&crate::graphs::large()) {
        match engine.run(&sample.graph, &own::dishonest::from_source(sample.source, 0)) {
            Ok(_) | Err(RunError::NotUniform { .. }) => {}
            Err(error) => panic!("{}: {error}", sample.name),
        }
    }
}

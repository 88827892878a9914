//! The whole language on every engine, and constructs that stop a program.

use wolfpath::graph::LayeredGraph;
use wolfpath::program::{AggregateOf, Edge, EdgeProgram, Executable, Vertex};
use wolfpath::{Engine, FaultPlace, RunError, RunOptions};

use crate::control_program::{self, control};
use crate::own_faults::{Stops, stops};
use crate::reference;
use crate::value_program::{self, values};

/// Returns a graph with one edge for every operation and pair of numbers, unless they fault. All edges of an operation
/// lead to the same receiver.
fn questions<P>(program: &P, operations: u64) -> LayeredGraph
where
    P: EdgeProgram<Value = i64, Weight = i64>,
    AggregateOf<P>: Default,
{
    let weights = [i64::MIN, -100, -7, -1, 0, 1, 2, 3, 4, 7, 10, 63, 99, 1 << 40, i64::MAX];
    let mut edges = Vec::new();
    for round in 0..40 {
        for operation in 0..operations {
            let source = operation + 128 * round;
            let vertex = Vertex { id: source, ..Vertex::default() };
            let Ok(Some(value)) = Executable::checked_start(program, vertex) else { continue };
            for weight in weights {
                let edge = Edge { value, weight, source, ..Edge::default() };
                if Executable::checked_edge(program, edge).is_ok() {
                    edges.push((source, 1_000_000 + operation, weight));
                }
            }
        }
    }
    assert!(edges.len() > 10_000, "{} cases", edges.len());
    LayeredGraph::from_weighted_edges(edges).expect("the graph is valid")
}

pub(crate) fn the_whole_language(engine: &Engine) {
    every_operation(engine, &control::Control, control_program::OPERATIONS);
    every_operation(engine, &values::Values, value_program::OPERATIONS);
}

fn every_operation<P>(engine: &Engine, program: &P, operations: u64)
where
    P: EdgeProgram<Value = i64, Weight = i64>,
    AggregateOf<P>: Default,
{
    let graph = questions(program, operations);
    let (wanted, _) = reference::run(&graph, program, 1).expect("no operation faults");
    let options = RunOptions::new().steps_at_most(1);
    let outcome = engine.run_with(&graph, program, &options).expect("no operation faults");
    for (vertex, wanted) in (0u32..).zip(wanted) {
        let id = graph.id_of(vertex);
        assert_eq!(
            outcome.value(id).expect("the vertex exists"),
            wanted,
            "{} operation {}",
            P::MODEL.name,
            id % 128
        );
    }
}

fn stop(engine: &Engine, how: Stops) -> (FaultPlace, &'static str, &'static str) {
    let chain = LayeredGraph::from_edges([(0, 10), (10, 20), (20, 30)]).expect("the graph is valid");
    match engine.run(&chain, &stops::Stopping { how: how as u32 }) {
        Err(RunError::Fault { program, place, message, function, file, line }) => {
            assert_eq!(program, "Stopping");
            assert!(file.ends_with("own_faults.rs") && line > 0, "{file}:{line}");
            (place, message, function)
        }
        other => panic!("expected a fault, got {other:?}"),
    }
}

pub(crate) fn what_stops_a_program(engine: &Engine) {
    let at = FaultPlace::Edge { source: 10, target: 20 };
    for (how, message, function) in [
        (Stops::Assertion, "assertion failed: value != 1", "stop"),
        (Stops::SaidAssertion, "the value is not one", "stop"),
        (Stops::Equality, "assertion `left != right` failed", "stop"),
        (Stops::Panic, "one is rejected", "stop"),
        (Stops::Unreachable, "internal error: entered unreachable code: never one", "stop"),
        (Stops::Expect, "a smaller number", "stop"),
        (Stops::Unwrap, "called `Option::unwrap()` on a `None` value", "stop"),
        (Stops::Index, "index out of bounds: the len is 3", "stop"),
        (Stops::IndexInLoop, "index out of bounds: the len is 3", "sum"),
        (Stops::Method, "attempt to divide by zero", "share"),
        (Stops::Step, "assertion failed: step != 0", "stop"),
    ] {
        assert_eq!(stop(engine, how), (at, message, function), "{how:?}");
    }
    let (place, message, function) = stop(engine, Stops::Apply);
    assert_eq!((place, message, function), (FaultPlace::Vertex { id: 10 }, "ten is rejected", "apply"));
}

/// Checks that `debug_assert!` is an assertion in a debug build and does nothing in a release build, as in Rust.
pub(crate) fn debug_assertions_as_the_build_says(engine: &Engine) {
    let chain = LayeredGraph::from_edges([(0, 10), (10, 20), (20, 30)]).expect("the graph is valid");
    match engine.run(&chain, &stops::Stopping { how: Stops::Debug as u32 }) {
        Err(RunError::Fault { message: "only in debug builds", .. }) if cfg!(debug_assertions) => {}
        Ok(outcome) if !cfg!(debug_assertions) => {
            assert_eq!(outcome.value(30).expect("the vertex exists"), Some(3));
        }
        other => panic!("unexpected: {other:?}"),
    }
}

//! Values of runs that end without an answer.

use std::time::Duration;

use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{CancelHandle, Engine, RunError, RunOptions, ScheduleChoice, programs as bundled};

use crate::senders::graphs;

/// A program that never ends: every vertex counts the steps.
#[wolfpath::edge_program]
mod endless {
    use wolfpath::prelude::*;

    pub(crate) struct Endless;

    impl EdgeProgram for Endless {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, _: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, v: Vertex<u32>, _incoming: u32) -> u32 {
            v.value.wrapping_add(1)
        }
    }
}

fn is_same<V: Datum>(a: Option<V>, b: Option<V>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Checks that a run that exceeds its step limit hands over the values after its last step.
fn stepped<P: EdgeProgram>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    options: &RunOptions,
    name: &str,
) {
    let loaded = engine.load(graph);
    for steps in [1, 3] {
        let limited = options.clone().max_steps(steps).keep_unfinished(true);
        let Err(error) = loaded.run_with(program, &limited) else { continue };
        assert!(error.to_string().contains("still changing values"), "{name}: {error}");
        let unfinished = error.unfinished::<P::Value>().expect("readable").expect("values were kept");
        let expected =
            loaded.run_with(program, &options.clone().steps_at_most(steps)).expect("the run succeeds");
        let expected = expected.read().expect("readable");
        assert_eq!(unfinished.iter_so_far().len(), expected.iter().len());
        for ((id, value), (_, expected)) in unfinished.iter_so_far().zip(expected.iter()) {
            assert!(is_same(value, expected), "{name}, {steps} steps, {id}: {value:?}, not {expected:?}");
        }
    }
}

pub(crate) fn unfinished_values(engine: &Engine) {
    for (name, graph) in graphs() {
        let graph = graph.with_weights(WeightChoice::Random { seed: 3, max: 100 });
        let Some(source) = graph.root() else { continue };
        let (plain, pulled) = (RunOptions::new(), RunOptions::new().schedule(ScheduleChoice::Pull));
        let ranks = bundled::PageRank { damping: 0.85, tolerance: 0.0 };
        stepped(engine, &graph, &ranks, &plain, name);
        stepped(engine, &graph, &bundled::bfs::starting_at(source), &pulled, name);
        stepped(engine, &graph, &endless::Endless, &plain, name);
        // In place, values are bounds.
        let program = bundled::sssp::starting_at(source);
        let full = engine.run(&graph, &program).expect("the run succeeds").read().expect("readable");
        let limited = RunOptions::new().max_steps(2).keep_unfinished(true).slice(Duration::ZERO);
        let Err(error) = engine.run_with(&graph, &program, &limited) else { continue };
        let unfinished = error.unfinished::<u32>().expect("readable").expect("values were kept");
        assert_eq!(unfinished.value_so_far(source), Ok(Some(0)), "{name}");
        for ((id, value), (_, last)) in unfinished.iter_so_far().zip(full.iter()) {
            assert!(value.is_none_or(|value| last.is_some_and(|last| last <= value)), "{name}, {id}");
        }
    }
}

pub(crate) fn stopped_runs_keep_values(engine: &Engine) {
    let ring = LayeredGraph::from_edges((0..300u64).map(|v| (v, (v + 1) % 300))).expect("the graph is valid");
    let limit = RunOptions::new().time_limit(Duration::from_millis(300)).max_steps(u64::from(u32::MAX / 2));
    let limited = limit.clone().slice(Duration::ZERO).keep_unfinished(true);
    let error = engine.run_with(&ring, &endless::Endless, &limited).expect_err("the program never ends");
    let RunError::Unfinished { error: plain, .. } = &error else { panic!("{error}") };
    assert!(
        matches!(**plain, RunError::TimeLimit { .. }) && error.to_string() == plain.to_string(),
        "{error}"
    );
    let unfinished = error.unfinished::<u32>().expect("readable").expect("values were kept");
    let steps = unfinished.value_so_far(0).expect("0 is a vertex");
    assert!(steps.is_some_and(|steps| steps > 0), "{steps:?}");
    assert!(unfinished.iter_so_far().all(|(_, value)| value == steps), "all values are of one step");
    assert!(unfinished.value_so_far(300).is_err());
    assert!(error.unfinished::<f32>().expect("nothing is read").is_none(), "the type is another one");
    // Nothing is kept unless it is asked for, and never of many runs.
    let error = engine.run_with(&ring, &endless::Endless, &limit).expect_err("the program never ends");
    assert!(
        matches!(error, RunError::TimeLimit { .. })
            && error.unfinished::<u32>().is_ok_and(|kept| kept.is_none())
    );
    let cancel = CancelHandle::new();
    cancel.cancel();
    let cancelled = RunOptions::new().cancel(&cancel).keep_unfinished(true);
    let error = engine.load(&ring).run_many_with(&[1, 2].map(bundled::bfs::starting_at), &cancelled);
    assert!(error.is_err_and(|error| error.unfinished::<u32>().is_ok_and(|kept| kept.is_none())));
    // A run that is cancelled before it begins has its first values on the CPU, and none on a device.
    let error =
        engine.run_with(&ring, &bundled::bfs::starting_at(1), &cancelled).expect_err("it is cancelled");
    let kept = error.unfinished::<u32>().expect("readable");
    assert_eq!(kept.is_none(), engine.is_cuda(), "{error}");
    assert!(kept.is_none_or(|kept| kept.value_so_far(1) == Ok(Some(0)) && kept.value_so_far(2) == Ok(None)));
}

/// A run that continues another one and stops before its first step has the other one's values.
pub(crate) fn stopped_chains_keep_values(engine: &Engine) {
    let ring = LayeredGraph::from_edges((0..300u64).map(|v| (v, (v + 1) % 300))).expect("the graph is valid");
    let loaded = engine.load(&ring);
    let one = RunOptions::new().steps_at_most(1);
    let ranks = bundled::PageRank { damping: 0.85, tolerance: 0.0 };
    // Memory that earlier runs leave behind must not show.
    drop(loaded.run_with(&endless::Endless, &one.clone().steps_at_most(7)).expect("the run succeeds"));
    let counted = loaded.run_with(&endless::Endless, &one).expect("the run succeeds");
    let ranked = loaded.run_with(&ranks, &one).expect("the run succeeds");
    let cancel = CancelHandle::new();
    cancel.cancel();
    let cancelled = RunOptions::new().cancel(&cancel).keep_unfinished(true);
    let error = loaded.run_from_with(&endless::Endless, &counted, &cancelled).expect_err("it is cancelled");
    let kept = error.unfinished::<u32>().expect("readable");
    assert_eq!(kept.is_none(), engine.is_cuda(), "{error}");
    assert!(kept.is_none_or(|kept| kept.iter_so_far().all(|(_, value)| value == Some(1))));
    let error = loaded.run_from_with(&ranks, &ranked, &cancelled).expect_err("it is cancelled");
    let kept = error.unfinished::<f32>().expect("readable");
    assert!(kept.is_none_or(|kept| kept.iter_so_far().all(|(_, value)| value == Some(1.0 / 300.0))));
}

#[wolfpath::edge_program(combine = min, first = 0)]
fn cheapest(sum: i64, weight: i64) -> i64 {
    sum + weight
}

#[wolfpath::edge_program(combine = max, first = 0.0)]
fn dearest(sum: f64, weight: f64) -> f64 {
    sum + weight
}

/// The error of a run that never ends names the cycle that is the reason.
pub(crate) fn endless_cycles_are_named(engine: &Engine) {
    let mut edges: Vec<(u64, u64, i64)> = (0..20u64).map(|v| (v, v + 1, 5)).collect();
    // A cycle of three edges, and others whose sums are positive or zero.
    edges.extend([(10, 8, -11), (3, 2, -5), (15, 5, 1), (6, 6, 0)]);
    let graph = |edges: &[(u64, u64, i64)]| {
        LayeredGraph::from_weighted_edges(edges.iter().copied()).expect("the graph is valid")
    };
    let endless = graph(&edges);
    for options in [RunOptions::new(), RunOptions::new().schedule(ScheduleChoice::Frontier)] {
        let error =
            engine.run_with(&endless, &cheapest::starting_at(0), &options).expect_err("it never ends");
        let text = error.to_string();
        let RunError::Overrun { cycle: Some(cycle), .. } = error else { panic!("{text}") };
        assert_eq!((&cycle.vertices[..], &cycle.sum[..]), (&[8, 9, 10][..], "-1"), "{text}");
        assert!(text.contains("the cycle 8 -> 9 -> 10 -> 8 sum to -1"), "{text}");
        // The values are kept only if they are asked for.
        let keeping = options.keep_unfinished(true);
        let error =
            engine.run_with(&endless, &cheapest::starting_at(0), &keeping).expect_err("it never ends");
        assert!(error.to_string() == text && error.unfinished::<i64>().is_ok_and(|kept| kept.is_some()));
    }
    edges.retain(|&(_, _, weight)| weight != -11);
    let finite = graph(&edges);
    assert_eq!(engine.run(&finite, &cheapest::starting_at(0)).expect("it ends").value(20), Ok(Some(100)));
    // A limit that is too low does not prove a cycle.
    let limited = RunOptions::new().max_steps(1).schedule(ScheduleChoice::Frontier);
    let error = engine.run_with(&finite, &cheapest::starting_at(0), &limited);
    assert!(matches!(error, Err(RunError::Overrun { cycle: None, .. })));
    // A cycle whose sum is 0 shares a vertex with the negative one, and the messages of both are equal at first.
    let tied = graph(&[(1, 2, -1), (2, 1, 1), (2, 3, -3), (3, 4, -2), (4, 2, 4)]);
    for options in [RunOptions::new(), RunOptions::new().schedule(ScheduleChoice::Frontier)] {
        let error = engine.run_with(&tied, &cheapest::starting_at(1), &options).expect_err("it never ends");
        let RunError::Overrun { cycle: Some(cycle), .. } = error else { panic!("{error}") };
        assert_eq!((&cycle.vertices[..], &cycle.sum[..]), (&[2, 3, 4][..], "-1"));
    }
    let rising = LayeredGraph::from_weighted_edges([(1, 2, 0.5), (2, 3, -1.0), (3, 2, 1.25)]).expect("valid");
    match engine.run(&rising, &dearest::starting_at(1)) {
        Err(RunError::Overrun { cycle: Some(cycle), .. }) => {
            assert_eq!((&cycle.vertices[..], &cycle.sum[..]), (&[2, 3][..], "0.25"));
        }
        other => panic!("the cycle 2 -> 3 -> 2 rises: {other:?}"),
    }
}

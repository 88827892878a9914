//! Union-find: programs that propagate labels get the same values and predecessors as by a frontier, bit for bit, with
//! any number of threads.

use std::time::Duration;

use wolfpath::graph::LayeredGraph;
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{CancelHandle, Outcome, PlanError, RunError, RunOptions, Schedule, ScheduleChoice, Sharing};

use crate::Tested;
use crate::label_programs as labels;
use crate::{checks, graphs};

/// Returns every vertex with the bits of its value, and its predecessor.
fn found<P: EdgeProgram>(outcome: &Outcome<P>) -> Vec<(u64, Option<u64>, Option<u64>)> {
    let predecessors = outcome.predecessors().expect("labels come along edges");
    let values = outcome.read().expect("the values are readable");
    let both = values.iter().zip(predecessors);
    both.map(|((id, value), (_, before))| (id, value.map(Datum::to_bits), before)).collect()
}

fn says_union<P: EdgeProgram>(outcome: &Outcome<P>) -> bool {
    outcome.stats().notes.iter().any(|note| note.contains("union-find"))
}

/// Checks that the plan chooses union-find, and that the results are those of a frontier.
fn agrees<P: EdgeProgram>(engine: &Tested, graph: &LayeredGraph, program: &P, what: &str) {
    let by = |choice, threads| {
        let options = RunOptions::new().schedule(choice).threads(threads);
        engine.run_with(graph, program, &options).unwrap_or_else(|error| panic!("{what}: {error}"))
    };
    let expected = found(&by(Some(ScheduleChoice::Frontier), 2));
    for threads in [1, 2, 16] {
        let outcome = by(None, threads);
        let name = P::MODEL.name;
        assert_eq!(outcome.stats().schedule, Schedule::Union, "{name} on {what}");
        assert!(says_union(&outcome), "{:?}", outcome.stats());
        assert_eq!(found(&outcome), expected, "{name} on {what} with {threads} threads");
    }
}

/// Returns sources all over the graph. The values are repeated in turn, and the first source is listed twice.
fn sources<V: Copy>(graph: &LayeredGraph, values: &[V]) -> Vec<(u64, V)> {
    let ids = graph.ids();
    let apart = (ids.len() / 5).max(1);
    let spread = ids.iter().step_by(apart).take(6).chain(ids.first());
    spread.zip(values.iter().cycle()).map(|(&id, &value)| (id, value)).collect()
}

/// Checks programs of one number type.
macro_rules! type_agrees {
    ($engine:ident, $graph:ident, $what:ident, $least:ident, $greatest:ident, $number:ty, $low:expr, $high:expr) => {
        let (low, high): ($number, $number) = ($low, $high);
        // The last two lists consist of one value, which is the combiner's identity for integers.
        for values in [&[high, 3 as $number, 5 as $number, low][..], &[high], &[low]] {
            let sources = sources($graph, values);
            agrees($engine, $graph, &labels::$least::from_sources(sources.clone()), $what);
            agrees($engine, $graph, &labels::$greatest::from_sources(sources), $what);
        }
    };
}

/// Checks programs of every number type.
fn types_agree(engine: &Tested, graph: &LayeredGraph, what: &str) {
    type_agrees!(engine, graph, what, least_u32, greatest_u32, u32, 0, u32::MAX);
    type_agrees!(engine, graph, what, least_i32, greatest_i32, i32, i32::MIN, i32::MAX);
    type_agrees!(engine, graph, what, least_u64, greatest_u64, u64, 0, u64::MAX);
    type_agrees!(engine, graph, what, least_i64, greatest_i64, i64, i64::MIN, i64::MAX);
    type_agrees!(engine, graph, what, least_f32, greatest_f32, f32, f32::NEG_INFINITY, -0.0);
    type_agrees!(engine, graph, what, least_f64, greatest_f64, f64, 0.0, f64::INFINITY);
}

/// Checks programs in which all vertices have first values, or some of them.
fn starts_agree(engine: &Tested, graph: &LayeredGraph, what: &str) {
    for apart in [1, 3, 50, u64::MAX] {
        agrees(engine, graph, &labels::scattered::Scattered { apart }, what);
    }
    agrees(engine, graph, &labels::degrees::GreatestDegree, what);
    agrees(engine, graph, &wolfpath::programs::Components, what);
    if graph.is_symmetric() {
        agrees(engine, graph, &labels::outward::from_sources(sources(graph, &[4, 2, 9])), what);
    }
}

pub(crate) fn labels_of_every_type(engine: &Tested) {
    for sample in graphs::small() {
        types_agree(engine, &sample.graph, sample.name);
    }
    checks::on_random(10, &|graph, _| types_agree(engine, graph, "a random graph"));
}

pub(crate) fn labels_of_every_start(engine: &Tested) {
    for sample in graphs::small() {
        starts_agree(engine, &sample.graph, sample.name);
    }
    checks::on_random(30, &|graph, _| starts_agree(engine, graph, "a random graph"));
}

pub(crate) fn labels_on_large_graphs(engine: &Tested) {
    let large = |graph: &LayeredGraph, what: &str| {
        let sources = sources(graph, &[8, 2, 5, 3]);
        agrees(engine, graph, &labels::least_u32::from_sources(sources.clone()), what);
        let wide = sources.iter().map(|&(id, label)| (id, u64::from(label)));
        agrees(engine, graph, &labels::greatest_u64::from_sources(wide), what);
    };
    graphs::large().iter().for_each(|sample| large(&sample.graph, sample.name));
    // One of the stars is not the largest component, so all of its center's edges are looked at.
    let leaves = graphs::large()[0].graph.num_edges();
    let stars: Vec<_> =
        (1..=3 * leaves).map(|leaf| (leaf, if leaf < leaves { 0 } else { u64::MAX }, 1)).collect();
    for both_ways in [false, true] {
        large(&graphs::layered(&stars, both_ways), "two stars");
    }
}

/// Checks that the run keeps an ordinary schedule, gives the same values as a frontier, and does not mention
/// union-find. A request for union-find must fail with a reason that contains `why`.
fn stays_ordinary<P: EdgeProgram>(
    engine: &Tested,
    graph: &LayeredGraph,
    program: &P,
    options: &RunOptions,
    why: &str,
) -> Outcome<P> {
    let run = |options: &RunOptions| engine.run_with(graph, program, options);
    let outcome = run(options).expect("the run succeeds");
    assert!(outcome.stats().schedule != Schedule::Union && !says_union(&outcome), "{:?}", outcome.stats());
    let frontier = run(&options.clone().schedule(ScheduleChoice::Frontier)).expect("the run succeeds");
    assert_eq!(found(&outcome), found(&frontier), "{why}");
    match run(&options.clone().schedule(ScheduleChoice::Union)) {
        Err(RunError::Plan(PlanError::Schedule { reason, schedule, .. })) => {
            assert!(reason.contains(why) && schedule == "union", "{reason}");
        }
        other => panic!("expected a rejected schedule, got {other:?}"),
    }
    outcome
}

pub(crate) fn labels_that_are_nan(engine: &Tested) {
    // On a device, programs whose first values are floats that `start` returns never use union-find.
    let by_start = if engine.is_cuda() { "floats" } else { "a first value is NaN" };
    checks::on_random(20, &|graph, source| {
        let plain = RunOptions::new();
        let nan = labels::least_f32::from_sources([(source, f32::NAN)]);
        stays_ordinary(engine, graph, &nan, &plain, "a first value is NaN");
        let mut several = sources(graph, &[f64::NAN, 2.0, -1.0, f64::NAN]);
        // The repeated source would replace the NaN.
        several.pop();
        let many = labels::greatest_f64::from_sources(several);
        stays_ordinary(engine, graph, &many, &plain, "a first value is NaN");
        // The vertex 0 may be missing, but the first vertex may not.
        for nan_at in [1, source.max(1)] {
            stays_ordinary(engine, graph, &labels::nan_labels::NanLabels { nan_at }, &plain, by_start);
        }
    });
    let graph = graphs::layered(&[(1, 2, 1), (3, 2, 1), (5, 7, 1)], false);
    let numbers = labels::nan_labels::NanLabels { nan_at: 100 };
    if engine.is_cuda() {
        stays_ordinary(engine, &graph, &numbers, &RunOptions::new(), "floats");
    } else {
        agrees(engine, &graph, &numbers, "a graph without NaN");
    }
}

pub(crate) fn labels_along_edges(engine: &Tested) {
    let edges = [(0, 1, 1), (2, 1, 1), (3, 4, 1), (5, 5, 1)];
    let graph = graphs::layered(&edges, false);
    let program = labels::least_u32::from_sources([(2, 7), (0, 9), (4, 1)]);
    let plain = RunOptions::new();
    stays_ordinary(engine, &graph, &program, &plain.clone().steps_at_most(1), "a fixed number of steps");
    stays_ordinary(engine, &graph, &program, &plain.clone().max_steps(9), "a step limit");
    let traced = stays_ordinary(engine, &graph, &program, &plain.clone().trace(true), "a trace");
    assert!(!traced.trace().expect("a trace was requested").steps.is_empty());
    let outward = labels::outward::from_sources([(2, 7), (0, 9)]);
    stays_ordinary(engine, &graph, &outward, &plain, "messages travel in one direction");
    agrees(engine, &graphs::layered(&edges, true), &outward, "the same graph, made symmetric");
}

/// Checks that runs which share send messages, and that they have the limit of such runs.
pub(crate) fn labels_of_many_runs(engine: &Tested) {
    let graph = graphs::layered(&[(1, 2, 1), (3, 2, 1), (5, 7, 1), (7, 9, 1)], false);
    let programs: Vec<_> = graph.ids().iter().map(|&id| labels::least_u32::from_source(id, 7)).collect();
    let parts = engine.plan_many(&graph, &programs, &RunOptions::new()).expect("the runs can be planned");
    let plan = &parts[0].plan;
    assert!(parts.len() == 1 && parts[0].sharing == Sharing::Bits, "{plan}");
    assert!(plan.schedule == Schedule::Relax && plan.max_steps == 7, "{plan}");
    let many = engine.run_many(&graph, &programs).expect("the runs succeed");
    for (run, program) in programs.iter().enumerate() {
        let alone = engine.run(&graph, program).expect("the run succeeds");
        assert_eq!(alone.stats().schedule, Schedule::Union);
        assert_eq!(found(&many.outcome(run).expect("there is such a run")), found(&alone));
    }
}

pub(crate) fn labels_that_fail(engine: &Tested) {
    let graph = graphs::layered(&[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1)], false);
    match engine.run(&graph, &labels::quotients::Quotients) {
        Err(error @ RunError::Fault { .. }) => assert!(error.to_string().contains("vertex 3"), "{error}"),
        other => panic!("expected a fault, got {other:?}"),
    }
    let handle = CancelHandle::new();
    handle.cancel();
    let cancelled = RunOptions::new().cancel(&handle);
    match engine.run_with(&graph, &wolfpath::programs::Components, &cancelled) {
        Err(RunError::Cancelled { .. }) => {}
        other => panic!("expected a cancelled run, got {other:?}"),
    }
    let limited = RunOptions::new().time_limit(Duration::ZERO);
    match engine.run_with(&graph, &wolfpath::programs::Components, &limited) {
        Err(RunError::TimeLimit { .. }) => {}
        other => panic!("expected a time limit, got {other:?}"),
    }
    agrees(engine, &graph, &wolfpath::programs::Components, "the same graph afterwards");
}

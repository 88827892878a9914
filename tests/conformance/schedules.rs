//! Requested schedules: the values never depend on them, and a schedule that cannot run a program is an error.

use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{
    Engine, PlanError, RunError, RunOptions, Schedule, ScheduleChoice, StepKind, Techniques,
    programs as bundled,
};

use crate::{checks, graphs, programs as own};

/// Returns `true` if a choice may result in this schedule.
fn is_taken(choice: ScheduleChoice, taken: Schedule) -> bool {
    match choice {
        ScheduleChoice::Frontier => matches!(taken, Schedule::Relax | Schedule::Frontier),
        ScheduleChoice::Bucket => taken == Schedule::Bucket,
        ScheduleChoice::Pull => taken == Schedule::Pull,
        ScheduleChoice::Sweep => taken == Schedule::Sweep,
        ScheduleChoice::Union => taken == Schedule::Union,
        ScheduleChoice::Paths => taken == Schedule::Paths,
        _ => panic!("the test does not support the schedule {choice:?}"),
    }
}

/// Checks that each schedule that can run the program gives the same values as the default schedule. Returns the
/// schedules that can run it.
fn agree<P: EdgeProgram>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    options: &RunOptions,
    what: &str,
) -> Vec<ScheduleChoice> {
    let name = P::MODEL.name;
    let default = engine.run_with(graph, program, options).expect("the default schedule succeeds");
    let mut taken = Vec::new();
    for choice in ScheduleChoice::ALL {
        let forced = options.clone().schedule(choice);
        let outcome = match engine.run_with(graph, program, &forced) {
            Ok(outcome) => outcome,
            Err(RunError::Plan(PlanError::Schedule { .. })) => continue,
            Err(error) => panic!("{name} by {choice:?} on {what}: {error}"),
        };
        assert!(
            is_taken(choice, outcome.stats().schedule),
            "{name}: {choice:?} became {:?}",
            outcome.stats()
        );
        for ((id, expected), (_, found)) in default
            .read()
            .expect("the values are readable")
            .iter()
            .zip(outcome.read().expect("the values are readable").iter())
        {
            let is_same = match (expected, found) {
                (Some(expected), Some(found)) => expected.same(found),
                (None, None) => true,
                _ => false,
            };
            assert!(is_same, "{name} by {choice:?} on {what}, vertex {id}: {found:?}, expected {expected:?}");
        }
        taken.push(choice);
    }
    taken
}

/// Maximum number of steps, which none of these runs reaches.
const ENOUGH: u64 = 1 << 20;

/// Checks the traversals, which support many schedules. Sweeps run only on devices. Only `Components` can use union-find,
/// and only without a step limit.
fn traversals_agree(engine: &Engine, graph: &LayeredGraph, source: u64, options: &RunOptions, what: &str) {
    use ScheduleChoice::{Bucket, Frontier, Paths, Pull, Sweep, Union};
    let has = |taken: &[ScheduleChoice], expected: &[ScheduleChoice]| {
        let taken: Vec<_> = taken.iter().filter(|&&choice| choice != Sweep && choice != Union).collect();
        assert!(taken.into_iter().eq(expected), "{what}");
    };
    let all = |taken: &[ScheduleChoice]| has(taken, &[Frontier, Bucket, Pull, Paths]);
    let unordered = |taken: &[ScheduleChoice]| has(taken, &[Frontier, Pull, Paths]);
    let checks: [&(dyn Fn() + Sync); 10] = [
        &|| all(&agree(engine, graph, &bundled::bfs::from_source(source, 0), options, what)),
        &|| all(&agree(engine, graph, &bundled::bfs_f64::from_source(source, 0.0), options, what)),
        &|| all(&agree(engine, graph, &bundled::sssp::from_source(source, 0), options, what)),
        &|| all(&agree(engine, graph, &bundled::sssp_f32::from_source(source, 0.0), options, what)),
        &|| all(&agree(engine, graph, &bundled::widest_u64::from_source(source, 1 << 40), options, what)),
        &|| all(&agree(engine, graph, &bundled::Components, options, what)),
        &|| all(&agree(engine, graph, &own::zeros_min::from_source(source, 0.0), options, what)),
        &|| all(&agree(engine, graph, &own::signed_gain::from_source(source, 0), options, what)),
        &|| unordered(&agree(engine, graph, &bundled::reach::from_source(source, true), options, what)),
        &|| unordered(&agree(engine, graph, &own::intersected::from_source(source, u32::MAX), options, what)),
    ];
    // Each program has a kernel per schedule, and compiling them takes most of the time on a device.
    std::thread::scope(|scope| {
        for some in checks.chunks(5) {
            scope.spawn(|| some.iter().for_each(|check| check()));
        }
    });
}

pub(crate) fn forced_schedules_agree(engine: &Engine) {
    for techniques in [Techniques::ALL, Techniques::NONE] {
        // The program `intersected` may clear its bits one by one, so a run may take more steps than the graph has
        // vertices.
        let options = RunOptions::new().techniques(techniques).max_steps(ENOUGH);
        checks::on_random(30, &|graph, source| {
            traversals_agree(engine, graph, source, &options, "a random graph");
        });
    }
}

pub(crate) fn forced_schedules_agree_on_hard_graphs(engine: &Engine) {
    for sample in graphs::small() {
        traversals_agree(engine, &sample.graph, sample.source, &RunOptions::new(), sample.name);
        // Only a frontier and gathering can run a program with a fixed number of steps, with integer sums, or with the
        // combiner `any`.
        let steps = RunOptions::new().steps_at_most(4);
        let (graph, source) = (&sample.graph, sample.source);
        let both = [ScheduleChoice::Frontier, ScheduleChoice::Pull];
        assert_eq!(agree(engine, graph, &bundled::sssp::from_source(source, 0), &steps, sample.name), both);
        assert_eq!(agree(engine, graph, &own::ways::Ways { start: source }, &steps, sample.name), both);
        assert_eq!(
            agree(engine, graph, &own::any_depth::from_source(source, 0), &RunOptions::new(), sample.name),
            both
        );
    }
}

/// Checks that pushing and gathering give the same values, and that a wide frontier on the CPU gathers: in place, step
/// by step, and over the in-rows of a directed graph.
pub(crate) fn directions_agree(engine: &Engine) {
    let edges = generate::rmat(12, 16, 7).expect("the graph is small");
    let directed: Vec<(u64, u64)> =
        edges.edges().map(|(source, target, _)| (u64::from(source), u64::from(target) + 1)).collect();
    let symmetric = LayeredGraph::from_edge_list(edges.clone(), &LayerOptions::new()).expect("a valid graph");
    let directed = LayeredGraph::from_edges(directed).expect("a valid graph");
    directed.in_edges().expect("the in-rows fit");
    for graph in [&symmetric, &directed] {
        let source = graph.root().expect("the graph has vertices");
        gathers(engine, graph, &bundled::bfs::from_source(source, 0), &RunOptions::new());
        gathers(engine, graph, &bundled::bfs::from_source(source, 0), &RunOptions::new().steps_at_most(4));
        gathers(engine, graph, &bundled::reach::from_source(source, true), &RunOptions::new());
        gathers(engine, graph, &own::any_depth::from_source(source, 0), &RunOptions::new());
    }
}

/// Runs a program with and without gathering, and compares the values.
fn gathers<P: EdgeProgram>(engine: &Engine, graph: &LayeredGraph, program: &P, options: &RunOptions) {
    let run = |techniques: Techniques| {
        let options = options.clone().techniques(techniques).trace(true);
        engine.run_with(graph, program, &options).expect("the run succeeds")
    };
    let (both, pushed) = (run(Techniques::ALL), run(Techniques::NONE));
    let is_same = |a: Option<P::Value>, b: Option<P::Value>| match (a, b) {
        (Some(a), Some(b)) => a.same(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let values = [&both, &pushed].map(|outcome| outcome.read().expect("the values are readable"));
    let mut pairs = values[0].iter().zip(values[1].iter());
    assert!(pairs.all(|((_, a), (_, b))| is_same(a, b)), "{}", P::MODEL.name);
    if !engine.is_cuda() {
        let steps = &both.trace().expect("a trace was requested").steps;
        assert!(steps.iter().any(|step| step.kind == StepKind::Pull), "{}: {steps:?}", P::MODEL.name);
        assert!(both.stats().edges < pushed.stats().edges, "{}", P::MODEL.name);
    }
}

/// Checks runs of more than 2^32 steps. On a device, marks store the step number in 32 bits, so a longer run could
/// mistake an old mark for a new one.
pub(crate) fn more_steps_than_marks_hold(engine: &Engine) {
    const MANY: u64 = 1 << 33;
    let graph = graphs::layered(&[(0, 1, 1), (1, 2, 1), (2, 0, 1)], true);
    let shortest = bundled::sssp::from_source(0, 0);
    for options in [RunOptions::new().steps_at_most(MANY), RunOptions::new().max_steps(MANY)] {
        match engine.run_with(&graph, &shortest, &options) {
            Ok(outcome) => {
                assert!(!engine.is_cuda() && outcome.value(2).expect("the vertex exists") == Some(1))
            }
            Err(RunError::Plan(PlanError::TooManySteps { steps, limit, .. })) => {
                assert!(engine.is_cuda() && steps == MANY && limit < 1 << 32);
            }
            Err(error) => panic!("{error}"),
        }
    }
    // If all vertices send and receivers gather, there are no marks.
    let ranks = bundled::PageRank { damping: 0.85, tolerance: 1e-3 };
    engine
        .run_with(&graph, &ranks, &RunOptions::new().max_steps(MANY))
        .expect("a run without marks is not limited to 2^32 steps");
}

pub(crate) fn impossible_schedules_are_refused(engine: &Engine) {
    let graph = graphs::layered(&[(0, 1, 1), (1, 2, 1), (2, 0, 1)], true);
    let refused = |asked: ScheduleChoice, result: Option<RunError>, why: &str| match result {
        Some(RunError::Plan(PlanError::Schedule { schedule, reason, instead, .. })) => {
            assert_eq!(schedule, asked.name());
            assert!(reason.contains(why), "{reason}");
            assert!(instead.contains("`pull`"), "{instead}");
        }
        other => panic!("expected a rejected schedule, got {other:?}"),
    };
    for choice in [ScheduleChoice::Frontier, ScheduleChoice::Bucket] {
        let options = RunOptions::new().schedule(choice);
        let ranks = bundled::PageRank { damping: 0.85, tolerance: 1e-3 };
        refused(choice, engine.run_with(&graph, &ranks, &options).err(), "");
        refused(choice, engine.plan(&graph, &ranks, &options).err(), "");
    }
    let steps = RunOptions::new().steps_at_most(2).schedule(ScheduleChoice::Bucket);
    let shortest = bundled::sssp::from_source(0, 0);
    let stepped = engine.run_with(&graph, &shortest, &steps).err();
    refused(ScheduleChoice::Bucket, stepped, "a fixed number of steps was requested");
    let sweep = RunOptions::new().schedule(ScheduleChoice::Sweep);
    if !engine.is_cuda() {
        let swept = engine.run_with(&graph, &shortest, &sweep).err();
        refused(ScheduleChoice::Sweep, swept, "the CPU engine does not sweep");
    }
    assert!(engine.run(&graph, &shortest).is_ok(), "the engine remains usable");
}

/// Forty thousand vertices wait with a thousand different values. The buckets that take few of them are followed by wider
/// ones, so that there are far fewer buckets than if all had the width of the first. (A dense part that is not reached
/// makes that one narrow. How narrow depends on the device's costs.)
pub(crate) fn buckets_widen(engine: &Engine) {
    const LEAVES: u64 = 40_000;
    const DENSE: u64 = 1000;
    let length = |leaf: u64| 1 + (leaf * 7919 % 1000) as u32 * 100;
    let star = (1..=LEAVES).flat_map(|leaf| [(0, leaf, length(leaf)), (leaf, 0, 1)]);
    let dense = (0..DENSE).flat_map(|a| (0..DENSE).map(move |b| (LEAVES + 1 + a, LEAVES + 1 + b, 1)));
    let graph = LayeredGraph::from_weighted_edges(star.chain(dense)).expect("the graph can be built");
    let options = RunOptions::new().schedule(ScheduleChoice::Bucket);
    let outcome =
        engine.run_with(&graph, &bundled::sssp::from_source(0, 0u32), &options).expect("it succeeds");
    for leaf in (1..=LEAVES).step_by(97) {
        assert_eq!(outcome.value(leaf).expect("it is a vertex"), Some(length(leaf)));
    }
    let steps = outcome.stats().steps;
    assert!(!engine.is_cuda() || steps <= 12, "{steps} steps");
}

/// A bucket has a thousand vertices and a path of forty, along which all lengths are equal. The next bucket has such a path,
/// too. It begins when the first path is all that is left of the frontier, so that both paths take forty steps together.
pub(crate) fn tails_join_the_next_bucket(engine: &Engine) {
    const LEAVES: u64 = 1000;
    const LENGTH: u64 = 40;
    const FAR: u32 = 1_000_000;
    let leaves = (1..=LEAVES).map(|leaf| (0, leaf, 1));
    let path = |first: u64| (first..first + LENGTH - 1).map(|v| (v, v + 1, 0));
    let (near, far) = (LEAVES + 1, LEAVES + 1 + LENGTH);
    let ways = [(1, near, 0), (0, far, FAR)];
    let edges = leaves.chain(ways).chain(path(near)).chain(path(far));
    let graph = LayeredGraph::from_weighted_edges(edges).expect("the graph can be built");
    let options =
        RunOptions::new().schedule(ScheduleChoice::Bucket).techniques(Techniques::ALL.local_rounds(false));
    let outcome =
        engine.run_with(&graph, &bundled::sssp::from_source(0, 0u32), &options).expect("it succeeds");
    assert_eq!(outcome.value(near + LENGTH - 1).expect("it is a vertex"), Some(1));
    assert_eq!(outcome.value(far + LENGTH - 1).expect("it is a vertex"), Some(FAR));
    let steps = outcome.stats().steps;
    // Rows in host memory are not visited again to save steps.
    let is_resident = std::env::var_os("WOLFPATH_TEST_ROWS").is_none_or(|rows| rows.is_empty());
    assert!(!engine.is_cuda() || !is_resident || steps <= LENGTH + 10, "{steps} steps");
}

//! Runs that end when named vertices are settled. What they call settled is compared with runs to the fixpoint.

use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::program::{CombineKind, Combiner, Datum, EdgeProgram};
use wolfpath::{
    End, Outcome, PlanError, RunError, RunOptions, Schedule, ScheduleChoice, generate, programs as bundled,
};

use crate::Tested;
use crate::senders::graphs;

/// Shortest paths over some of the edges, by signed sums.
#[wolfpath::edge_program(combine = min, first = -50, non_negative)]
fn detours(length: i64, weight: i32) -> Option<i64> {
    if weight > 90 {
        return None;
    }
    let next = length + weight as i64;
    if weight % 2 == 0 { Some(next.max(length)) } else { Some(length.saturating_add(1)) }
}

/// The same number along every path: all values are settled at once.
#[wolfpath::edge_program(combine = max, first = 7, along = both)]
fn same(number: u64) -> u64 {
    number
}

/// Returns `true` if `a` is a better value than `b`.
fn is_better<P: EdgeProgram>(a: P::Value, b: P::Value) -> bool {
    let number = |value: P::Value| match value.to_bits() {
        bits if P::Value::KIND == f32::KIND => f64::from(f32::from_bits(bits as u32)),
        bits if P::Value::KIND == f64::KIND => f64::from_bits(bits),
        bits if P::Value::KIND == i64::KIND => bits as i64 as f64,
        bits => bits as f64,
    };
    match <P::Combine as Combiner<P::Message>>::KIND {
        CombineKind::Min => number(a) < number(b),
        _ => number(a) > number(b),
    }
}

/// Checks an outcome of a run that had to settle `named`.
fn check<P: EdgeProgram>(outcome: &Outcome<P>, full: &Outcome<P>, named: &[u64], what: &str) {
    let (values, finals) = (outcome.read().expect("readable"), full.read().expect("readable"));
    let is_settled = |id| outcome.is_settled(id).expect("the vertex is in the graph");
    for ((id, value), (_, last)) in values.iter().zip(finals.iter()) {
        assert_eq!(values.is_settled(id).expect("the vertex is in the graph"), is_settled(id), "{what}");
        let is_last = match (value, last) {
            (Some(value), Some(last)) => value.same(last),
            (value, last) => value.is_none() && last.is_none(),
        };
        assert!(is_last || !is_settled(id), "{what}: {id} is settled at {value:?}, not {last:?}");
        if let (Some(value), false) = (value, is_last) {
            let last = last.expect("a vertex keeps a value");
            assert!(is_better::<P>(last, value), "{what}: {value:?} of {id} does not bound {last:?}");
        }
    }
    assert!(named.iter().all(|&id| is_settled(id)), "{what}: {named:?} are not settled");
    let are_reached = named.iter().all(|&id| finals.value(id).expect("it is in the graph").is_some());
    let end = outcome.end();
    assert!(end == End::Fixpoint || (end == End::Settled && are_reached), "{what} ended with {end}");
    for &id in named {
        assert_eq!(outcome.path_to(id), full.path_to(id), "{what}: path to {id}");
    }
}

/// Runs a program until some vertices are settled, in many ways.
fn settles<P: EdgeProgram>(engine: &Tested, graph: &LayeredGraph, program: &P, source: u64, name: &str) {
    let loaded = engine.load(graph);
    let full = loaded.run(program).expect("the run succeeds");
    let ids: Vec<u64> = graph.by_rank().iter().map(|&v| graph.id_of(v)).collect();
    let at = |place: usize| ids[place * 7919 % ids.len()];
    let lists = [vec![source], vec![at(1)], vec![at(2), at(3), at(2)], (0..100).map(at).collect()];
    for named in lists {
        let options = RunOptions::new().until_settled(named.iter().copied());
        let mut ways = crate::with_pauses(options.clone());
        ways.push(options.clone().threads(1));
        ways.extend(crate::SCHEDULES_THAT_SETTLE.iter().map(|&choice| options.clone().schedule(choice)));
        ways.extend(
            (!engine.is_cuda()).then(|| options.clone().schedule(ScheduleChoice::Frontier).threads(3)),
        );
        for options in ways {
            let outcome = loaded.run_with(program, &options).expect("the run succeeds");
            let schedule = outcome.stats().schedule;
            check(&outcome, &full, &named, &format!("{} on {name} by {schedule:?}", P::MODEL.name));
        }
    }
}

pub(crate) fn settled_values_are_final(engine: &Tested) {
    for (name, graph) in graphs().into_iter().filter(|(_, graph)| graph.num_vertices() > 0) {
        let graph = graph.with_weights(WeightChoice::Random { seed: 3, max: 100 });
        let source = graph.id_of(0);
        settles(engine, &graph, &bundled::sssp::starting_at(source), source, name);
        settles(engine, &graph, &bundled::sssp_f32::starting_at(source), source, name);
        settles(engine, &graph, &bundled::bfs::starting_at(source), source, name);
        settles(engine, &graph, &bundled::widest::starting_at(source), source, name);
        settles(engine, &graph, &detours::starting_at(source), source, name);
        settles(engine, &graph, &same::starting_at(source), source, name);
        // First values that differ: a `uniform` program whose messages are not equal.
        let ends = [(source, 5), (graph.id_of(graph.num_vertices() - 1), 1)];
        settles(engine, &graph, &bundled::bfs::from_sources(ends), source, name);
    }
}

/// A run whose target is near looks at few edges. The network is longer than several buckets of streamed rows, which are
/// the widest.
pub(crate) fn settled_runs_stop_early(engine: &Tested) {
    let list = generate::road(4, 2000, false, 1).expect("the road network is valid");
    let graph = LayeredGraph::from_edge_list(list, &Default::default()).expect("layering succeeds");
    let graph = graph.with_weights(WeightChoice::Random { seed: 5, max: 100 });
    let loaded = engine.load(&graph);
    // In layered order, neighbours of the root come first.
    let (source, target) = (graph.id_of(0), graph.id_of(1));
    let options = RunOptions::new().until_settled([target]);
    let full = loaded.run(&bundled::sssp::starting_at(source)).expect("the run succeeds");
    let early = loaded.run_with(&bundled::sssp::starting_at(source), &options).expect("the run succeeds");
    assert_eq!(early.end(), End::Settled);
    assert!(early.stats().edges * 4 < full.stats().edges, "{} edges", early.stats().edges);
    assert!(!early.is_settled(graph.id_of(graph.num_vertices() - 1)).expect("it is in the graph"));
    let full = loaded.run(&bundled::bfs::starting_at(source)).expect("the run succeeds");
    let early = loaded.run_with(&bundled::bfs::starting_at(source), &options).expect("the run succeeds");
    // A step on a device may cover several layers.
    assert!(early.end() == End::Settled && early.steps() < full.steps(), "{} steps", early.steps());
    // Many runs end one by one.
    let programs = [target, source].map(bundled::sssp::starting_at);
    let many = loaded.run_many_with(&programs, &options).expect("the runs succeed");
    for run in 0..2 {
        assert_eq!(many.outcome(run).expect("there are two runs").end(), End::Settled);
    }
}

/// First values may be final, and so may those of an earlier outcome.
pub(crate) fn settled_at_the_start(engine: &Tested) {
    // The path is longer than several buckets of streamed rows.
    let last = 3000u64;
    let path = LayeredGraph::from_weighted_edges((0..last).map(|v| (v, v + 1, 3u32))).expect("it is valid");
    let loaded = engine.load(&path);
    let program = bundled::sssp::starting_at(0);
    let settle = |id| RunOptions::new().until_settled([id]);
    let start = loaded.run_with(&program, &settle(0)).expect("the run succeeds");
    assert_eq!((start.end(), start.steps(), start.value(1)), (End::Settled, 0, Ok(None)));
    let begun = loaded.run_with(&program, &settle(10)).expect("the run succeeds");
    assert_eq!((begun.end(), begun.value(10)), (End::Settled, Ok(Some(30))));
    let more = loaded.run_from_with(&program, &begun, &settle(20)).expect("the run succeeds");
    assert_eq!((more.is_settled(20), more.value(20)), (Ok(true), Ok(Some(60))));
    let all = loaded.run_from(&program, &more).expect("the run succeeds");
    assert_eq!((all.end(), all.value(last)), (End::Fixpoint, Ok(Some(9000))));
    assert!((0..=last).all(|id| all.is_settled(id) == Ok(true)));
    // A vertex that is never reached is settled at the fixpoint.
    let never = loaded.run_with(&bundled::sssp::starting_at(9), &settle(3)).expect("the run succeeds");
    assert_eq!((never.end(), never.value(3), never.is_settled(3)), (End::Fixpoint, Ok(None), Ok(true)));
    // No vertex is named.
    let none = RunOptions::new().until_settled([7]).until_settled([]);
    assert_eq!(loaded.run_with(&program, &none).expect("the run succeeds").end(), End::Fixpoint);
    // Nothing is settled if the run ends for another reason.
    let limited = loaded.run_with(&program, &RunOptions::new().steps_at_most(2)).expect("the run succeeds");
    assert_eq!((limited.end(), limited.is_settled(0)), (End::Steps, Ok(false)));
}

/// Programs whose messages may be better than the sender's value, or whose values come step by step.
#[wolfpath::edge_program(combine = min, first = 0)]
fn signed(sum: i32, weight: i32) -> i32 {
    sum + weight
}

#[wolfpath::edge_program(combine = max, first = 1)]
fn longest(sum: u32, weight: u32) -> u32 {
    sum + weight
}

/// NaN becomes a number.
#[wolfpath::edge_program(combine = min, first = 0.0)]
fn at_least(value: f32) -> f32 {
    value.max(3.0)
}

pub(crate) fn settling_is_refused(engine: &Tested) {
    let graph = LayeredGraph::from_weighted_edges([(1, 2, 3u32), (2, 3, 4)]).expect("it is valid");
    let named = RunOptions::new().until_settled([3]);
    let refused = |error: RunError, part: &str| {
        let text = error.to_string();
        assert!(matches!(error, RunError::Plan(PlanError::CannotSettle { .. })), "{text}");
        assert!(text.contains(part), "{text}");
    };
    macro_rules! refused {
        ($program:expr, $part:expr) => {
            refused(engine.run_with(&graph, &$program, &named).expect_err("it is refused"), $part);
        };
    }
    refused!(signed::starting_at(1), "at least the sender's value");
    refused!(longest::starting_at(1), "at most the sender's value");
    refused!(bundled::PageRank { damping: 0.85, tolerance: 1e-6 }, "`min` or `max` over numbers");
    refused!(bundled::reach::starting_at(1), "`min` or `max` over numbers");
    refused!(at_least::from_source(1, f32::NAN), "NaN");
    let numbers = engine.run_with(&graph, &at_least::starting_at(1), &named).expect("there is no NaN");
    assert_eq!(numbers.value(3), Ok(Some(3.0)));
    let program = bundled::sssp::starting_at(1);
    let counted = engine.run_with(&graph, &program, &named.clone().steps_at_most(3));
    refused(counted.expect_err("it is refused"), "`steps_at_most`");
    let unknown = engine.run_with(&graph, &program, &RunOptions::new().until_settled([3, 9]));
    let unknown = unknown.expect_err("9 is not in the graph");
    assert!(matches!(unknown, RunError::Plan(PlanError::UnknownTarget { id: 9 })), "{unknown}");
}

pub(crate) fn schedules_that_do_not_settle(engine: &Tested) {
    let graph = LayeredGraph::from_weighted_edges([(1, 2, 3u32), (2, 3, 4)]).expect("it is valid");
    let (program, named) = (bundled::sssp::starting_at(1), RunOptions::new().until_settled([3]));
    let mut others = vec![ScheduleChoice::Pull, ScheduleChoice::Sweep];
    others.extend(engine.is_cuda().then_some(ScheduleChoice::Frontier));
    for schedule in others {
        let error = engine.run_with(&graph, &program, &named.clone().schedule(schedule));
        let error = error.expect_err("only some schedules can stop");
        assert!(matches!(error, RunError::Plan(PlanError::Schedule { .. })), "{error}");
    }
    let plan = engine.plan(&graph, &program, &named).expect("the program is planned");
    assert!(
        plan.schedule == Schedule::Bucket && plan.to_string().contains("until 1 named vertex is settled")
    );
}

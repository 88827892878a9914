//! Accumulating programs: sums of integers are exact, sums of floats are within the tolerance, in any order and on any
//! number of threads; sums that do not converge say so.

use std::ops::Range;
use std::time::Duration;

use wolfpath::graph::{Direction, LayeredGraph};
use wolfpath::oracle::{self, PageRankOptions};
use wolfpath::prelude::*;
use wolfpath::program::EdgeProgram;
use wolfpath::programs::LABELS;
use wolfpath::{
    CancelHandle, End, Outcome, PlanError, PlannedEngine, RunError, Schedule, ScheduleChoice,
    programs as bundled,
};

use crate::accumulating_programs::{
    against, along_both, influence::Influence, influence::Shares, lopsided, several, ways,
};
use crate::{Tested, graphs};

/// Returns options for every schedule and several numbers of threads.
fn ways_to_run(engine: &Tested) -> Vec<RunOptions> {
    let threads = if engine.is_cuda() { &[1] } else { crate::THREADS };
    let on = |&schedule: &Option<ScheduleChoice>| {
        threads.iter().map(move |&threads| RunOptions::new().threads(threads).schedule(schedule))
    };
    crate::SCHEDULES_OF_SUMS.iter().flat_map(on).collect()
}

/// Returns a random graph without cycles, of 300 vertices in no particular order.
pub(crate) fn acyclic(seed: u64, edges: u64) -> Vec<(u64, u64)> {
    let random = |edge: u64, end: u64| wolfpath::program::random(seed, edge, end) % 300;
    let scattered = |v: u64| v * 7919 % 300;
    let pairs = (0..edges).map(|edge| (random(edge, 0), random(edge, 1)));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| (scattered(a.min(b)), scattered(a.max(b)))).collect()
}

/// Returns the number of ways from the first end of the first edge to every vertex, along all edges in a given order of
/// their senders.
fn ways_to(edges: &[(u64, u64)], source: u64, times: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let mut all = vec![0u64; 300];
    all[source as usize] = 1;
    let mut new = all.clone();
    while new.iter().any(|&ways| ways > 0) {
        let mut next = vec![0u64; 300];
        for &(from, to) in edges {
            let more = new[from as usize].wrapping_mul(times(from, to));
            next[to as usize] = next[to as usize].wrapping_add(more);
        }
        all.iter_mut().zip(&next).for_each(|(all, next)| *all = all.wrapping_add(*next));
        new = next;
    }
    all
}

pub(crate) fn integers_are_exact(engine: &Tested) {
    for seed in 0..6 {
        let edges = acyclic(seed, 200 << seed.min(4));
        let graph = LayeredGraph::from_edges(edges.clone()).expect("a valid graph");
        let source = edges[0].0;
        let back: Vec<(u64, u64)> = edges.iter().map(|&(a, b)| (b, a)).collect();
        let (expected, expected_back) = (ways_to(&edges, source, |_, _| 1), ways_to(&back, source, |_, _| 1));
        for options in ways_to_run(engine) {
            let loaded = engine.load(&graph);
            let found = loaded.run_with(&ways::from_source(source, 1), &options).expect("the run succeeds");
            let back = loaded.run_with(&against::from_source(source, 1), &options).expect("the run succeeds");
            assert_eq!((found.end(), found.stats().pending), (End::Fixpoint, Some(0.0)));
            for (outcome, expected) in [(found.read(), &expected), (back.read(), &expected_back)] {
                for (id, value) in outcome.expect("the values are readable").iter() {
                    assert_eq!(value.unwrap_or(0), expected[id as usize], "{seed}, {id}, {options:?}");
                }
            }
        }
    }
}

/// Number of vertices per layer of the graphs below. Edges lead to later layers.
const LAYER: u64 = 4000;

/// Number of their vertices.
const VERTICES: u64 = 10 * LAYER;

/// Returns four random edges from each vertex before the last layer of the first `end` vertices, to later layers.
fn onward(end: u64) -> impl Iterator<Item = (u64, u64)> {
    let random = |seed: u64, v: u64| wolfpath::program::random(17, seed, v);
    let edge = move |v: u64, edge: u64| {
        let next = (v / LAYER + 1) * LAYER;
        (v, next + random(edge, v) % (end - next))
    };
    (0..end - LAYER).flat_map(move |v| (0..4).map(move |at| edge(v, at)))
}

/// Graphs without cycles, with many tasks and several groups of layers. Threads add to the same sums, and take them, at the same
/// time. In the first graph, rows of hubs are cut into pieces. In the next two, each thread adds up by itself what eight busy
/// vertices receive: from all earlier vertices in the second graph, and from the pieces of hubs in the third one. Hardly anything
/// is sent afterwards, so a sum that is not passed on at the end of a round would be missing. In the last one, a busy vertex
/// receives nothing but 0, and so has a value.
pub(crate) fn threads_lose_nothing(engine: &Tested) {
    let all = |vertices: Range<u64>, ends: Range<u64>| {
        vertices.flat_map(move |v| ends.clone().map(move |end| (v, end))).collect::<Vec<_>>()
    };
    let (busy, sinks) = (9 * LAYER..9 * LAYER + 8, VERTICES - 3..VERTICES);
    let with_hubs = [
        onward(VERTICES).collect(),
        all(0..1, 2 * LAYER..VERTICES),
        all(LAYER + 1..LAYER + 2, 2 * LAYER..VERTICES),
        all(0..LAYER, LAYER + 1..LAYER + 2),
    ];
    let all_to_busy =
        [onward(9 * LAYER).collect(), all(0..9 * LAYER, busy.clone()), all(busy.clone(), sinks.clone())];
    let hubs_to_busy = [all(0..4, LAYER..8 * LAYER), all(0..LAYER, busy.clone()), all(busy, sinks)];
    lose_nothing(engine, &with_hubs.concat(), LAYER);
    if !engine.is_cuda() {
        lose_nothing(engine, &all_to_busy.concat(), LAYER);
        lose_nothing(engine, &hubs_to_busy.concat(), 4);
        let star = LayeredGraph::from_edges((1..20_000).map(|v| (v, 0))).expect("a valid graph");
        let zeros = lopsided::from_sources((1..20_000).map(|v| (v, 2)));
        for options in ways_to_run(engine) {
            let outcome = engine.run_with(&star, &zeros, &options).expect("the run succeeds");
            assert_eq!(outcome.value(0).expect("it is a vertex"), Some(0), "{options:?}");
        }
    }
}

/// Counts the ways from the first vertices of a graph to each vertex.
fn lose_nothing(engine: &Tested, edges: &[(u64, u64)], sources: u64) {
    let mut expected = vec![0u64; VERTICES as usize];
    expected[..sources as usize].fill(1);
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    for (from, to) in sorted {
        expected[to as usize] = expected[to as usize].wrapping_add(expected[from as usize]);
    }
    let graph = LayeredGraph::from_edges(edges.iter().copied()).expect("a valid graph");
    let loaded = engine.load(&graph);
    let program = ways::from_sources((0..sources).map(|v| (v, 1)));
    let rounds = if engine.is_cuda() { 1 } else { 6 };
    for round in 0..rounds {
        for options in ways_to_run(engine) {
            if !engine.is_cuda() {
                let plan = engine.plan(&graph, &program, &options).expect("it can be planned");
                let is_alone = plan.engine == PlannedEngine::Cpu { threads: 1 };
                assert_eq!(plan.techniques.uses_shared_window(), !is_alone, "{plan}");
            }
            let outcome = loaded.run_with(&program, &options).expect("the run succeeds");
            for (id, value) in outcome.read().expect("the values are readable").iter() {
                assert_eq!(value.unwrap_or(0), expected[id as usize], "{round}, {id}, {options:?}");
            }
        }
    }
}

/// All of the vertices that wait have the same value, whose mean is rounded up. They are due nevertheless.
pub(crate) fn equal_values_are_due(engine: &Tested) {
    let star = (0u64..2000).flat_map(|v| [(v, 5000 + v % 7, 1u32), (5000 + v % 7, 6000 + v, 1)]);
    let graph = LayeredGraph::from_weighted_edges(star).expect("a valid graph");
    for value in [0.1, 0.3, 2.7] {
        let program = bundled::sssp_f64::from_sources((0..2000).map(|v| (v, value)));
        let options = RunOptions::new().schedule(ScheduleChoice::Paths).max_steps(20);
        let outcome = engine.run_with(&graph, &program, &options).expect("few rounds are enough");
        assert_eq!(outcome.value(6001).expect("it is a vertex"), Some(value + 2.0));
    }
}

/// A value travels along a whole path in one round of the CPU engine, also if ids are in no particular order. (Devices do not walk
/// paths.) The shapes are those with as few and as many dependencies as there can be.
pub(crate) fn values_travel_along_paths(engine: &Tested) {
    const VERTICES: u64 = 3000;
    let scattered = |v: u64| v % VERTICES * 1009 % VERTICES;
    let line: Vec<(u64, u64)> = (0..VERTICES - 1).map(|v| (scattered(v), scattered(v + 1))).collect();
    let cycle: Vec<(u64, u64)> = (0..VERTICES).map(|v| (scattered(v), scattered(v + 1))).collect();
    let complete: Vec<(u64, u64)> =
        (0..60).flat_map(|v| (0..60).filter(move |&w| w != v).map(move |w| (v, w))).collect();
    for (edges, most_rounds) in [(line, 2), (cycle, 40), (complete, 3)] {
        let graph = LayeredGraph::from_edges(edges.clone()).expect("a valid graph");
        let hops = bundled::sssp::from_source(0, 0);
        let options = RunOptions::new().max_steps(20_000);
        let [expected, outcome] = [ScheduleChoice::Frontier, ScheduleChoice::Paths].map(|schedule| {
            let options = options.clone().schedule(schedule).threads(1);
            engine.run_with(&graph, &hops, &options).expect("the run succeeds")
        });
        assert!(outcome.read().expect("readable").iter().eq(expected.read().expect("readable").iter()));
        let rounds = outcome.stats().steps;
        assert!(engine.is_cuda() || rounds <= most_rounds, "{rounds} rounds along {} edges", edges.len());
        let ranks = bundled::AccumulatingPageRank { damping: 0.85 };
        let ranks =
            engine.run_with(&graph, &ranks, &options.schedule(ScheduleChoice::Paths)).expect("it converges");
        assert!(ranks.stats().pending <= Some(1e-6), "{:?}", ranks.stats());
        let pagerank = PageRankOptions::new().damping(0.85).tolerance(1e-12);
        let expected = oracle::pagerank(graph.out_edges(), &pagerank).ranks;
        let values = ranks.read().expect("the values are readable");
        let found: Vec<f64> = values.iter().map(|(_, rank)| f64::from(rank.expect("all have one"))).collect();
        let sum: f64 = found.iter().sum();
        for (&v, rank) in graph.by_rank().iter().zip(found) {
            assert!((rank / sum - expected[v as usize]).abs() <= 1e-5, "{rank}, vertex {v}");
        }
    }
}

/// Rounds that leave out vertices whose value is worse than the mean take fewer updates than rounds of all that wait, for
/// unsigned integers and for floats. On this graph, in which no order is good, one thread takes 5.7, 4.9 and 3.5 times as many
/// updates as by frontier. If all that wait had their turn, it would take 11, 11 and 8 times as many.
pub(crate) fn leaving_out_saves_updates(engine: &Tested) {
    fn saves<P: EdgeProgram<Value: PartialEq>>(
        engine: &Tested,
        graph: &LayeredGraph,
        program: &P,
        limit: u64,
    ) {
        let [by_paths, by_frontier] = [ScheduleChoice::Paths, ScheduleChoice::Frontier].map(|schedule| {
            let options = RunOptions::new().schedule(schedule).threads(1);
            engine.run_with(graph, program, &options).expect("the run succeeds")
        });
        assert!(by_paths.read().expect("readable").iter().eq(by_frontier.read().expect("readable").iter()));
        let [paths, frontier] = [by_paths, by_frontier].map(|outcome| outcome.stats().updates);
        let paths = paths.expect("updates by paths are counted");
        // A device does not count those by frontier.
        assert_eq!(frontier.is_none(), engine.is_cuda());
        assert!(frontier.is_none_or(|frontier| paths < limit * frontier), "{paths}, {frontier:?}");
    }
    // Each vertex of a ring has edges to some of the hundred that follow.
    const VERTICES: u64 = 20_000;
    let random = |seed: u64, edge: u64, v: u64| wolfpath::program::random(seed, edge, v) % 100;
    let id = |v: u64| v % VERTICES * 7919 % VERTICES;
    let edge = |v: u64, edge: u64| (id(v), id(v + 1 + random(3, edge, v)), 1 + random(5, edge, v) as u32);
    let edges = (0..VERTICES).flat_map(|v| (0..16).map(move |number| edge(v, number)));
    let graph = LayeredGraph::from_weighted_edges(edges).expect("a valid graph");
    saves(engine, &graph, &bundled::sssp::starting_at(0), 8);
    saves(engine, &graph, &bundled::sssp_f32::starting_at(0), 8);
    saves(engine, &graph, &bundled::widest::from_source(0, u32::MAX), 5);
}

pub(crate) fn ranks_are_within_the_tolerance(engine: &Tested) {
    let program = bundled::AccumulatingPageRank { damping: 0.85 };
    for sample in graphs::small().into_iter().chain(graphs::large()) {
        let options = PageRankOptions::new().damping(0.85).tolerance(1e-12);
        let expected = oracle::pagerank(sample.graph.out_edges(), &options).ranks;
        for options in ways_to_run(engine) {
            let outcome = engine.run_with(&sample.graph, &program, &options).expect("the run succeeds");
            let pending = outcome.stats().pending.expect("it accumulates");
            assert!(pending <= 1e-6, "{}: {pending}", sample.name);
            let values = outcome.read().expect("the values are readable");
            let ranks: Vec<f64> =
                values.iter().map(|(_, rank)| f64::from(rank.expect("all have one"))).collect();
            let sum: f64 = ranks.iter().sum();
            let by_id = sample.graph.by_rank().iter().map(|&v| expected[v as usize]);
            let error: f64 = by_id.zip(&ranks).map(|(expected, rank)| (expected - rank / sum).abs()).sum();
            // What is pending is passed on with 0.85, 0.85^2, ...; the sum by which ranks are divided lacks it, too.
            assert!(error <= 2.0 * 1e-6 / 0.15 + 1e-6, "{}: {error}, {options:?}", sample.name);
        }
    }
}

/// Checks the shares of labels that an outcome has, each of which may be wrong by `most`, and by what rounding adds.
fn has_shares<P: EdgeProgram<Value = [f32; LABELS]>>(
    outcome: &Outcome<P>,
    expected: &[[f64; LABELS]],
    most: f64,
) {
    let values = outcome.read().expect("the values are readable");
    for (&v, (id, found)) in outcome.graph().by_rank().iter().zip(values.iter()) {
        let found = found.expect("all vertices have shares");
        for (expected, found) in expected[v as usize].into_iter().zip(found.map(f64::from)) {
            let error = (found - expected).abs();
            assert!(error <= most + 1e-5 * expected + 1e-7, "{id}: {found}, expected {expected}");
        }
    }
}

pub(crate) fn labels_are_adsorbed(engine: &Tested) {
    const CONTINUES: f32 = 0.6;
    crate::checks::on_random(30, &|graph, source| {
        // Two vertices have the same label, and the last one has a number that is too large for a label.
        let ids = graph.ids().iter().copied().filter(|&id| id != source);
        let labels: Vec<(u64, u32)> =
            [source].into_iter().chain(ids).zip([3, 0, 1, 2, 4, 5, 6, 7, 3, 8]).collect();
        let label_of =
            |v: u32| labels.iter().find(|&&(id, _)| id == graph.id_of(v)).map_or(8, |&(_, label)| label);
        let by_vertex: Vec<u32> = (0..graph.num_vertices()).map(label_of).collect();
        let weights = graph.weights_as::<f64>(Direction::In, false).expect("weights");
        let rows = graph.in_edges().expect("in-edges");
        let expected = oracle::adsorption(rows, &weights, &by_vertex, f64::from(CONTINUES));
        let loaded = engine.load(graph);

        let program =
            bundled::Adsorption::over(graph, labels, CONTINUES, false).expect("the weights are floats");
        let outcome = loaded.run(&program).expect("the run succeeds");
        has_shares(&outcome, &expected, f64::from(program.tolerance / (1.0 - CONTINUES)));

        let in_portions = bundled::AccumulatingAdsorption::from(program);
        for options in ways_to_run(engine) {
            let outcome = loaded.run_with(&in_portions, &options.tolerance(1e-7)).expect("the run succeeds");
            // No vertex receives more than `CONTINUES` of the largest share that is not yet sent.
            let all: f64 = expected.iter().flatten().sum();
            let pending = outcome.stats().pending.expect("it accumulates");
            assert!(pending <= 1e-7, "{pending}");
            has_shares(&outcome, &expected, pending * all / f64::from(1.0 - CONTINUES));
        }
    });
}

/// Solves `x = start + sum of messages` by repeating it.
fn influences(graph: &LayeredGraph, program: &Influence) -> Vec<[f64; 3]> {
    let (rows, weights) =
        (graph.out_edges(), graph.weights_as::<f32>(Direction::Out, true).expect("weights"));
    let first = |v: u32| program.first(graph.id_of(v)).map(f64::from);
    let mut all: Vec<[f64; 3]> = (0..graph.num_vertices()).map(first).collect();
    for _ in 0..200 {
        let mut next: Vec<[f64; 3]> = (0..graph.num_vertices()).map(first).collect();
        for v in 0..graph.num_vertices() {
            for edge in rows.range(v) {
                let factor = f64::from(program.factor) * f64::from(weights[edge]) / rows.degree(v) as f64;
                let receiver = &mut next[rows.ends[edge] as usize];
                receiver.iter_mut().zip(all[v as usize]).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        all = next;
    }
    all
}

pub(crate) fn fields_are_accumulated(engine: &Tested) {
    let program = Influence { factor: 0.006 };
    crate::checks::on_random(40, &|graph, _| {
        let expected = influences(graph, &program);
        for options in ways_to_run(engine) {
            let outcome =
                engine.run_with(graph, &program, &options.tolerance(1e-7)).expect("the run succeeds");
            let values = outcome.read().expect("the values are readable");
            for (&v, (id, found)) in graph.by_rank().iter().zip(values.iter()) {
                let Shares { good, bad, both: [both] } = found.expect("all have a value");
                for (found, expected) in [good, bad, both].into_iter().zip(expected[v as usize]) {
                    let error = (f64::from(found) - expected).abs();
                    assert!(error <= 1e-4 * (1.0 + expected.abs()), "{id}: {found}, expected {expected}");
                }
            }
        }
    });
}

pub(crate) fn sums_that_do_not_converge(engine: &Tested) {
    let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (1, 3)]).expect("a valid graph");
    for options in ways_to_run(engine) {
        let error = engine.run_with(&graph, &Influence { factor: 5.0 }, &options).expect_err("it diverges");
        let RunError::Overrun { pending: Some(pending), .. } = &error else { panic!("{error}") };
        assert!(!pending.last.is_finite() && pending.first > 0.0, "{pending:?}");
        assert!(error.to_string().contains("so the sums do not converge"), "{error}");
    }
    // A ring passes on all that it receives, which neither grows nor shrinks.
    let ring = LayeredGraph::from_edges([(0, 1), (1, 0)]).expect("a valid graph");
    let error = engine.run(&ring, &ways::from_source(0, 1)).expect_err("it never ends");
    assert!(matches!(error, RunError::Overrun { max_steps: 10_000, pending: Some(_), .. }), "{error}");
    assert!(error.to_string().contains("did not fall, from 1.0000 to 1.0000"), "{error}");
    let error =
        engine.run(&ring, &along_both::from_source(0, f64::INFINITY)).expect_err("it begins with infinity");
    assert!(error.to_string().contains("the first amounts sum to inf"), "{error}");
}

/// A limit that is too low for a program that does converge.
pub(crate) fn unfinished_sums_are_kept(engine: &Tested) {
    let ring = LayeredGraph::from_edges([(0, 1), (1, 0)]).expect("a valid graph");
    let options = RunOptions::new().max_steps(3).keep_unfinished(true);
    let program = bundled::AccumulatingPageRank { damping: 0.85 };
    let error = engine.run_with(&ring, &program, &options).expect_err("three rounds are too few");
    assert!(error.to_string().contains("raise the limit of steps, or the tolerance"), "{error}");
    let kept = error.unfinished::<f32>().expect("readable").expect("values were kept");
    let so_far = kept.value_so_far(0).expect("the vertex exists").expect("it has a value");
    assert!((0.15..0.5).contains(&so_far), "{so_far}");
}

pub(crate) fn what_accumulating_programs_refuse(engine: &Tested) {
    let graph = graphs::layered(&[(0, 1, 1), (1, 2, 1)], false);
    let program = ways::from_source(0, 1);
    for share in [f64::NAN, -1.0, 1.5, f64::INFINITY] {
        let error = engine.run_with(&graph, &program, &RunOptions::new().tolerance(share)).err();
        assert!(
            matches!(error, Some(RunError::Plan(PlanError::Tolerance { program: "ways", .. }))),
            "{error:?}"
        );
    }
    let hops = bundled::bfs::from_source(0, 0);
    let error = engine.run_with(&graph, &hops, &RunOptions::new().tolerance(0.1)).expect_err("refused");
    assert!(error.to_string().contains("it does not accumulate"), "{error}");
    let error = engine.run_with(&graph, &program, &RunOptions::new().steps_at_most(3)).expect_err("refused");
    assert!(error.to_string().contains("takes no steps that could be counted"), "{error}");
    let settled =
        engine.run_with(&graph, &program, &RunOptions::new().until_settled([2])).expect_err("refused");
    assert!(matches!(settled, RunError::Plan(PlanError::CannotSettle { .. })), "{settled}");
    let outcome = engine.run(&graph, &program).expect("the run succeeds");
    assert!(outcome.path_to(2).is_err(), "sums do not come along one path");
}

pub(crate) fn schedules_of_sums(engine: &Tested) {
    let graph = graphs::layered(&[(0, 1, 1), (1, 2, 1)], false);
    let program = ways::from_source(0, 1);
    for choice in ScheduleChoice::ALL {
        let run = engine.run_with(&graph, &program, &RunOptions::new().schedule(choice));
        let taken = match choice {
            ScheduleChoice::Frontier => Some(Schedule::Accumulate),
            ScheduleChoice::Paths => Some(Schedule::Paths),
            _ => None,
        };
        match (run, taken) {
            (Ok(outcome), Some(taken)) => assert_eq!(outcome.stats().schedule, taken),
            (Err(RunError::Plan(PlanError::Schedule { instead, .. })), None) => {
                assert_eq!(instead, "`frontier` or `paths`");
            }
            (run, _) => panic!("{choice:?}: {run:?}"),
        }
    }
}

pub(crate) fn accumulating_runs_behave(engine: &Tested) {
    let edges = acyclic(9, 900);
    let graph = LayeredGraph::from_edges(edges.clone()).expect("a valid graph");
    let (loaded, program) = (engine.load(&graph), ways::from_source(edges[0].0, 1));
    // Values of an earlier outcome are amounts that are still to be sent.
    let first = loaded.run(&program).expect("the run succeeds");
    let again = loaded.run_from(&program, &first).expect("the run succeeds");
    let twice =
        several::from_sources(first.read().expect("readable").iter().filter_map(|(id, v)| Some((id, v?))));
    let expected = loaded.run(&twice).expect("the run succeeds");
    assert!(again.read().expect("readable").iter().eq(expected.read().expect("readable").iter()));
    // Many runs are the same as one after the other.
    let sources: Vec<_> = edges[..5].iter().map(|&(source, _)| ways::from_source(source, 1)).collect();
    let many = loaded.run_many(&sources).expect("the runs succeed");
    for (run, program) in sources.iter().enumerate() {
        let one = loaded.run(program).expect("the run succeeds");
        let of_many = many.outcome(run).expect("there is such a run");
        assert!(of_many.read().expect("readable").iter().eq(one.read().expect("readable").iter()));
    }
    // Rounds are traced, and runs can be stopped.
    let traced = loaded.run_with(&program, &RunOptions::new().trace(true)).expect("the run succeeds");
    let trace = traced.trace().expect("a trace was requested");
    assert_eq!(trace.steps.iter().map(|step| step.edges).sum::<u64>(), traced.stats().edges);
    assert_eq!(trace.steps.len() as u64, traced.stats().steps);
    assert!(traced.stats().updates > Some(0));
    // A device may pause between any two rounds.
    for &schedule in crate::SCHEDULES_OF_SUMS {
        let options = RunOptions::new().slice(Duration::ZERO).schedule(schedule);
        let paused = loaded.run_with(&program, &options).expect("the run succeeds");
        assert!(paused.read().expect("readable").iter().eq(first.read().expect("readable").iter()));
        assert!(!engine.is_cuda() || paused.stats().launches > 3, "{:?}", paused.stats());
    }
    for &schedule in crate::SCHEDULES_OF_SUMS {
        let program = bundled::AccumulatingPageRank { damping: 0.85 };
        let options = RunOptions::new().schedule(schedule);
        let [plain, paused] = [options.clone(), options.slice(Duration::ZERO)]
            .map(|options| loaded.run_with(&program, &options).expect("the run succeeds"));
        // Sums depend on the order of messages, and with them how much work is done, but only a little.
        let edges = |outcome: &Outcome<_>| outcome.stats().edges as f64;
        assert_eq!(plain.end(), paused.end());
        assert!(!engine.is_cuda() || (0.9..1.1).contains(&(edges(&paused) / edges(&plain))));
        for ((_, a), (_, b)) in
            plain.read().expect("readable").iter().zip(paused.read().expect("readable").iter())
        {
            assert!((a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() < 1e-3, "{a:?}, {b:?}");
        }
    }
    let cancel = CancelHandle::new();
    cancel.cancel();
    let cancelled = loaded.run_with(&program, &RunOptions::new().cancel(&cancel)).expect_err("cancelled");
    assert!(matches!(cancelled, RunError::Cancelled { .. }), "{cancelled}");
    let limited = loaded.run_with(&program, &RunOptions::new().time_limit(Duration::ZERO));
    assert!(matches!(limited, Err(RunError::TimeLimit { .. })));
    // A fault names its edge.
    let fault = loaded.run(&lopsided::from_source(edges[0].0, 1)).expect_err("it divides by zero");
    assert!(matches!(fault, RunError::Fault { program: "lopsided", .. }), "{fault}");
}

/// Messages that travel both ways along the edges of a tree, or of any graph, shrink. Every schedule adds up the same.
pub(crate) fn both_ways(engine: &Tested) {
    crate::checks::on_random(30, &|graph, source| {
        let results: Vec<Vec<f64>> = ways_to_run(engine)
            .into_iter()
            .map(|options| {
                let program = along_both::from_source(source, 1.0);
                let outcome =
                    engine.run_with(graph, &program, &options.tolerance(1e-9)).expect("it succeeds");
                let values = outcome.read().expect("the values are readable");
                values.iter().map(|(_, value)| value.unwrap_or(0.0)).collect()
            })
            .collect();
        for other in &results[1..] {
            let largest = results[0].iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(largest <= 1e-7, "{largest}");
        }
    });
}

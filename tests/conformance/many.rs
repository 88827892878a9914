//! Many runs at once: the outcome of each equals that of a separate run, whether or not runs share their work.

use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::{
    Home, Many, ManyStats, PlanError, RunError, Schedule, ScheduleChoice, Sharing, programs as bundled,
};

use crate::checks::on_random;
use crate::{graphs, programs as own};

/// Hops against the direction of the edges.
#[edge_program(combine = min, uniform, along = in)]
fn hops_against(hops: u32) -> u32 {
    hops + 1
}

/// Hops in either direction. The program is uniform, but not declared so.
#[edge_program(combine = min, along = both)]
fn hops_any_way(hops: i64) -> i64 {
    hops + 1
}

/// Strength that decreases with every hop. From a source with 4, vertices more than four hops away receive nothing.
#[edge_program(combine = max)]
fn fades(strength: u32) -> Option<u32> {
    if strength > 0 { Some(strength - 1) } else { None }
}

/// Size that increases with every hop. A vertex that is reached again improves, which bits cannot represent.
#[edge_program(combine = max)]
fn grows(size: u32) -> u32 {
    if size < 9 { size + 1 } else { size }
}

/// Shortest paths against the direction of the edges.
#[edge_program(combine = min, along = in)]
fn weighed_against(length: u64, weight: u32) -> u64 {
    length + weight as u64
}

/// Vertices reached over edges of odd weights.
#[edge_program(combine = or)]
fn odd_ways(reached: bool, weight: u32) -> Option<bool> {
    if weight % 2 == 1 { Some(reached) } else { None }
}

/// Marks that occur on all paths.
#[edge_program(combine = and, along = both)]
fn marks_left(marks: u32, weight: u32) -> u32 {
    marks | 1 << (weight % 8)
}

/// Faults in the third step if the first value is 6.
#[edge_program(combine = max)]
fn runs_out(left: i32) -> i32 {
    left - 1 - 1 % (left - 3)
}

/// Does the same as `runs_out` if all weights are 1.
#[edge_program(combine = max)]
fn runs_out_by_weight(left: i32, weight: i32) -> i32 {
    left - weight - 1 % (left - 3)
}

/// Runs programs at once, and compares each with a separate run of the same program.
fn agree<P: EdgeProgram>(
    engine: &Engine,
    graph: &LayeredGraph,
    programs: &[P],
    options: &RunOptions,
) -> ManyStats {
    let loaded = engine.load(graph);
    let many = loaded.run_many_with(programs, options).expect("the runs succeed");
    assert_eq!((many.len(), many.stats().runs), (programs.len(), programs.len()));
    for (run, program) in programs.iter().enumerate() {
        let (alone, outcome) = (
            loaded.run_with(program, options).expect("the run succeeds"),
            many.outcome(run).expect("the run has an outcome"),
        );
        let (name, runs) = (P::MODEL.name, programs.len());
        let values = many.values(run).expect("the run has values");
        for (((id, expected), (_, found)), (same_id, listed)) in alone
            .read()
            .expect("the values are readable")
            .iter()
            .zip(outcome.read().expect("the values are readable").iter())
            .zip(values)
        {
            let is_same = |found| match (expected, found) {
                (Some(expected), Some(found)) => P::Value::same(expected, found),
                (expected, found) => expected.is_none() && found.is_none(),
            };
            assert!(
                is_same(found),
                "{name}, run {run} of {runs}, vertex {id}: {found:?}, expected {expected:?}"
            );
            assert!(id == same_id && is_same(listed), "{name}, run {run}, vertex {same_id}: {listed:?}");
        }
        assert_eq!(
            alone.read().expect("the values are readable").reached(),
            outcome.read().expect("the values are readable").reached()
        );
        assert_eq!(alone.end(), outcome.end(), "{name}, run {run} of {runs}");
        // A separate run may combine several rounds into one step: in local rounds on a device, and in buckets.
        let keeps_rounds_apart = !engine.is_cuda() && alone.stats().schedule != Schedule::Bucket;
        if matches!(many.stats().parts[..], [(_, Sharing::Bits)]) && keeps_rounds_apart {
            assert_eq!(alone.steps(), outcome.steps(), "{name}, run {run} of {runs}");
        }
    }
    check_stats(engine, &many);
    many.stats().clone()
}

/// Checks the statistics of any batch.
fn check_stats<P: EdgeProgram>(engine: &Engine, many: &Many<P>) {
    let stats = many.stats();
    let shared = stats.parts.iter().filter(|(_, sharing)| !matches!(sharing, Sharing::Alone(_)));
    let shared: Vec<usize> = shared.map(|&(runs, _)| runs).collect();
    assert_eq!((shared.iter().sum::<usize>(), shared.len()), (stats.shared, stats.batches), "{stats:?}");
    assert_eq!(stats.parts.iter().map(|(runs, _)| runs).sum::<usize>(), stats.runs, "{stats:?}");
    assert!(shared.iter().all(|runs| (2..=64).contains(runs)), "{stats:?}");
    // Each of several devices may have executed some, and all together those without a batch.
    let most = if engine.is_cuda() && crate::ordinals().len() > 1 { crate::ordinals().len() + 1 } else { 1 };
    assert!((1..=most).contains(&stats.engines.len()) || stats.runs == 0, "{stats:?}");
    if stats.shared == 0 {
        assert!(stats.edges == stats.edges_apart && stats.gained() == 1.0, "{stats:?}");
    }
    if !engine.is_cuda() {
        assert_eq!(stats.launches, 0);
    }
}

/// Returns `many` ids of a graph, with repetitions if it has fewer vertices.
fn ids(graph: &LayeredGraph, many: usize) -> Vec<u64> {
    graph.ids().iter().copied().cycle().step_by(3).take(many).collect()
}

/// Checks that all runs shared bits, on either engine.
fn all_bits(stats: &ManyStats) {
    assert_eq!((stats.shared, stats.batches), (stats.runs, stats.runs.div_ceil(64)), "{stats:?}");
}

/// Returns the number of batches of runs abreast, at most `most` per batch. Each device gets some of the runs, if it gets at
/// least four.
fn abreast_batches(runs: usize, most: usize) -> usize {
    runs.div_ceil(runs.div_ceil(crate::ordinals().len()).clamp(4, most))
}

/// Checks that all runs were abreast, at most `most` per batch, if the engine supports that.
fn all_abreast(engine: &Engine, stats: &ManyStats, most: usize) {
    let (shared, batches) =
        if engine.is_cuda() { (stats.runs, abreast_batches(stats.runs, most)) } else { (0, 0) };
    assert_eq!((stats.shared, stats.batches), (shared, batches), "{stats:?}");
    let is_told = |note: &String| note.contains("each by itself");
    assert!(engine.is_cuda() || stats.notes.iter().any(is_told), "{stats:?}");
}

pub(crate) fn many_runs_of_any_number(engine: &Engine) {
    let options = RunOptions::new();
    for sample in graphs::small() {
        for many in [0, 1, 2, 63, 64, 65, 200] {
            let ids = ids(&sample.graph, many);
            let searches: Vec<_> = ids.iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
            let stats = agree(engine, &sample.graph, &searches, &options);
            let paths = ids.iter().map(|&id| bundled::sssp::from_source(id, 0));
            agree(engine, &sample.graph, &paths.take(33).collect::<Vec<_>>(), &options);
            if ![1, 65].contains(&many) {
                all_bits(&stats);
            }
        }
    }
    let none = engine.load(&graphs::empty()).run_many::<bundled::bfs>(&[]);
    let none = none.expect("an empty batch succeeds");
    assert!(none.is_empty() && none.outcomes().next().is_none() && none.stats().gained() == 1.0);
    assert!(matches!(none.outcome(0), Err(RunError::UnknownRun { run: 0, runs: 0 })));
}

pub(crate) fn many_runs_on_large_graphs(engine: &Engine) {
    for sample in graphs::large() {
        let graph = &sample.graph;
        let ids: Vec<u64> = graph.ids().iter().copied().step_by(graph.ids().len() / 20 + 1).collect();
        let searches: Vec<_> = ids.iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
        all_bits(&agree(engine, graph, &searches, &RunOptions::new()));
        let reaches: Vec<_> = ids.iter().map(|&id| bundled::reach::from_source(id, true)).collect();
        all_bits(&agree(engine, graph, &reaches, &RunOptions::new()));
    }
}

pub(crate) fn many_runs_on_random_graphs(engine: &Engine) {
    on_random(24, &|graph, source| {
        let ids = ids(graph, 20);
        let options = RunOptions::new();
        let pairs = |&id: &u64| [(id, 0), (source, 0)];
        let searches: Vec<_> = ids.iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
        all_bits(&agree(engine, graph, &searches, &options));
        agree(engine, graph, &searches, &options.clone().steps_at_most(2));
        agree(engine, graph, &searches, &options.clone().techniques(wolfpath::Techniques::NONE));
        let several: Vec<_> = ids.iter().map(|id| bundled::bfs::from_sources(pairs(id))).collect();
        all_bits(&agree(engine, graph, &several, &options));
        let floats: Vec<_> = ids.iter().map(|&id| bundled::bfs_f64::from_source(id, f64::NAN)).collect();
        all_bits(&agree(engine, graph, &floats, &options));
        let against: Vec<_> = ids.iter().map(|&id| hops_against::from_source(id, 7)).collect();
        all_bits(&agree(engine, graph, &against, &options));
        let any_way: Vec<_> = ids.iter().map(|&id| hops_any_way::from_source(id, -3)).collect();
        all_bits(&agree(engine, graph, &any_way, &options));
        let fading: Vec<_> = ids.iter().map(|&id| fades::from_source(id, 4)).collect();
        all_bits(&agree(engine, graph, &fading, &options));
        let united: Vec<_> = ids.iter().map(|&id| own::united::from_source(id, 0b1001)).collect();
        all_bits(&agree(engine, graph, &united, &options));
        let identities: Vec<_> = ids.iter().map(|&id| own::identity_min::from_source(id, 5)).collect();
        all_bits(&agree(engine, graph, &identities, &options));
        let false_ones: Vec<_> = ids.iter().map(|&id| own::spread_or::from_source(id, false)).collect();
        all_bits(&agree(engine, graph, &false_ones, &options));
    });
}

pub(crate) fn many_runs_abreast(engine: &Engine) {
    // Of the runs that wait at vertex 40, which no other vertex shares a word of the bitmap with, one sends along the last
    // edge while another one still waits.
    let fan = (1..33).map(|v| (0, v, 1)).chain([(1, 40, 5), (2, 40, 0), (40, 41, 7)]);
    let waiting = crate::graphs::layered(&fan.collect::<Vec<_>>(), false);
    let widths: Vec<_> = (1..9).map(|id| bundled::widest::from_source(id, u32::MAX)).collect();
    agree(engine, &waiting, &widths, &RunOptions::new());
    on_random(24, &|graph, source| {
        let (ids, options) = (ids(graph, 20), RunOptions::new());
        let agree_abreast = |stats: ManyStats, most| all_abreast(engine, &stats, most);
        let paths: Vec<_> = ids.iter().map(|&id| bundled::sssp::from_source(id, 0)).collect();
        agree_abreast(agree(engine, graph, &paths, &options), 16);
        let pairs = |&id: &u64| [(id, 7), (source, 2)];
        let several: Vec<_> = ids.iter().map(|id| bundled::sssp::from_sources(pairs(id))).collect();
        agree_abreast(agree(engine, graph, &several, &options), 16);
        let doubles: Vec<_> = ids.iter().map(|&id| bundled::sssp_f64::from_source(id, 0.5)).collect();
        agree_abreast(agree(engine, graph, &doubles, &options), 8);
        let widths: Vec<_> = ids.iter().map(|&id| bundled::widest::from_source(id, u32::MAX)).collect();
        agree_abreast(agree(engine, graph, &widths, &options), 16);
        let against: Vec<_> = ids.iter().map(|&id| weighed_against::from_source(id, 1)).collect();
        agree_abreast(agree(engine, graph, &against, &options), 8);
        let odd: Vec<_> = ids.iter().map(|&id| odd_ways::from_source(id, true)).collect();
        agree_abreast(agree(engine, graph, &odd, &options), 16);
        let left: Vec<_> = ids.iter().map(|&id| marks_left::from_source(id, 0x100)).collect();
        agree_abreast(agree(engine, graph, &left, &options), 16);
        let first: Vec<_> =
            (0..).zip(&ids).map(|(first, &id)| bundled::bfs::from_source(id, first)).collect();
        agree_abreast(agree(engine, graph, &first, &options), 16);
        // All values are identities, so no word can mean "no value".
        let largest: Vec<_> = ids.iter().map(|&id| own::identity_min::from_source(id, u32::MAX)).collect();
        agree(engine, graph, &largest, &options);
        let nothing: Vec<_> = ids.iter().map(|&id| odd_ways::from_source(id, false)).collect();
        agree(engine, graph, &nothing, &options);
        let growing: Vec<_> = ids.iter().map(|&id| grows::from_source(id, 1)).collect();
        // Around a cycle of two vertices, a run takes more steps than there are vertices.
        agree(engine, graph, &growing, &options.max_steps(100));
    });
}

pub(crate) fn many_runs_that_cannot_share(engine: &Engine) {
    on_random(12, &|graph, _| {
        let (ids, options) = (ids(graph, 5), RunOptions::new());
        let told = |stats: &ManyStats| stats.notes.iter().any(|note| note.contains("each by itself"));
        let paths: Vec<_> = ids.iter().map(|&id| bundled::sssp::from_source(id, 0)).collect();
        let stepped = agree(engine, graph, &paths, &options.clone().steps_at_most(3));
        assert!(stepped.shared == 0 && told(&stepped), "{stepped:?}");
        let scheduled = options.clone().schedule(ScheduleChoice::Frontier);
        let scheduled = agree(engine, graph, &paths, &scheduled);
        assert!(scheduled.shared == 0 && told(&scheduled), "{scheduled:?}");
        let ranks = [0.85, 0.5].map(|damping| bundled::PageRank { damping, tolerance: 1e-3 });
        let ranks = engine.load(graph).run_many(&ranks).expect("the runs succeed");
        assert!(ranks.stats().shared == 0 && told(ranks.stats()), "{ranks:?}");
        let mut mixed: Vec<_> = ids.iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
        mixed.push(bundled::bfs::from_sources([(ids[0], 1), (ids[1 % ids.len()], 4)]));
        mixed.push(bundled::bfs::from_sources(Vec::<(u64, u32)>::new()));
        agree(engine, graph, &mixed, &options);
    });
}

pub(crate) fn many_runs_sliced_and_traced(engine: &Engine) {
    on_random(12, &|graph, _| {
        let ids = ids(graph, 9);
        let sliced = RunOptions::new().slice(std::time::Duration::ZERO).trace(true);
        let searches: Vec<_> = ids.iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
        all_bits(&agree(engine, graph, &searches, &sliced));
        let paths: Vec<_> = ids.iter().map(|&id| bundled::sssp::from_source(id, 0)).collect();
        all_abreast(engine, &agree(engine, graph, &paths, &sliced), 16);
        traces(engine, graph, &searches, &sliced);
        traces(engine, graph, &paths, &sliced);
    });
}

/// Checks that the trace of each run counts the edges of its batch.
fn traces<P: EdgeProgram>(engine: &Engine, graph: &LayeredGraph, programs: &[P], options: &RunOptions) {
    let many = engine.load(graph).run_many_with(programs, options);
    let many = many.expect("the runs succeed");
    for outcome in many.outcomes() {
        let outcome = outcome.expect("the run has an outcome");
        let trace = outcome.trace().expect("a trace was requested");
        let edges: u64 = trace.steps.iter().map(|step| step.edges).sum();
        assert_eq!((edges, trace.lost), (outcome.stats().edges, 0), "{}", P::MODEL.name);
    }
}

/// Returns the error of a batch of two runs, or of the first of them.
fn of_first<P: EdgeProgram>(many: Result<Many<P>, RunError>) -> RunError {
    let error = many.expect_err("the runs fail");
    assert!(error.to_string().contains("0 of 2 runs were done when"), "{error}");
    let RunError::OfMany { runs, done: 0, all: 2, error } = error else { panic!("{error:?}") };
    assert!(matches!(runs[..], [0] | [0, 1]), "{runs:?}");
    *error
}

pub(crate) fn many_runs_that_fail(engine: &Engine) {
    let graph = graphs::layered(&[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1)], false);
    let loaded = engine.load(&graph);
    let searches: Vec<_> = [0, 1, 99].map(|id| bundled::bfs::from_source(id, 0)).into();
    match loaded.run_many(&searches) {
        Err(RunError::Plan(PlanError::UnknownSource { id: 99 })) => {}
        other => panic!("expected an unknown source, got {other:?}"),
    }
    let ends = RunOptions::new().max_steps(2);
    let error = of_first(loaded.run_many_with(&searches[..2], &ends));
    assert!(matches!(error, RunError::Overrun { max_steps: 2, .. }), "{error}");
    let paths = [0, 1].map(|id| bundled::sssp::from_source(id, 0));
    // On the CPU, one step in a bucket may be several rounds, so buckets may need fewer steps.
    let choice = (!engine.is_cuda()).then_some(ScheduleChoice::Frontier);
    let error = of_first(loaded.run_many_with(&paths, &ends.clone().schedule(choice)));
    assert!(matches!(error, RunError::Overrun { max_steps: 2, .. }), "{error}");
    let handle = wolfpath::CancelHandle::new();
    handle.cancel();
    let error = of_first(loaded.run_many_with(&searches[..2], &RunOptions::new().cancel(&handle)));
    assert!(matches!(error, RunError::Cancelled { .. }), "{error:?}");
    let error = of_first(loaded.run_many_with(&paths, &RunOptions::new().cancel(&handle)));
    assert!(matches!(error, RunError::Cancelled { .. }), "{error:?}");
    let late = RunOptions::new().time_limit(std::time::Duration::ZERO);
    let error = of_first(loaded.run_many_with(&searches[..2], &late));
    assert!(matches!(error, RunError::TimeLimit { .. }), "{error:?}");
    let alike = of_first(loaded.run_many(&[0, 1].map(|id| runs_out::from_source(id, 6))));
    let apart = of_first(loaded.run_many(&[0, 1].map(|id| runs_out_by_weight::from_source(id, 6))));
    for (fault, of) in [(alike, "runs_out"), (apart, "runs_out_by_weight")] {
        let RunError::Fault { program, message, .. } = fault else { panic!("{of}: {fault:?}") };
        assert_eq!((program, message), (of, "attempt to calculate the remainder with a divisor of zero"));
    }
    let many = loaded.run_many(&searches[..2]).expect("the engine can be used again");
    let outcome = many.outcome(1).expect("the run has an outcome");
    assert!(outcome.read().expect("the values are readable").iter().eq([
        (0, None),
        (1, Some(0)),
        (2, Some(1)),
        (3, Some(2)),
        (4, Some(3))
    ]));
    assert_eq!(
        (outcome.steps(), outcome.path_to(4).expect("the program has paths")),
        (4, Some(vec![1, 2, 3, 4]))
    );
    assert!(matches!(many.outcome(2), Err(RunError::UnknownRun { run: 2, runs: 2 })));
}

/// Checks that less memory gives smaller batches: all runs as bits, then 16, 8 or 4 abreast, then one by one, then an
/// error.
pub(crate) fn many_runs_that_do_not_fit(engine: &Engine) {
    // Runs that do not fit on one device may fit on several.
    let engine = &crate::devices::alone(engine);
    let graph = &LayeredGraph::from_edge_list(
        generate::rmat(10, 8, 3).expect("the R-MAT graph is valid").undirected(),
        &LayerOptions::default(),
    )
    .expect("layering succeeds");
    // Local rounds need memory that no batch needs, and on a small graph more than everything else.
    let all = RunOptions::new().techniques(wolfpath::Techniques::ALL.local_rounds(false));
    let searches: Vec<_> = ids(graph, 16).iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
    let bytes_of = |programs: &[bundled::bfs], options: &RunOptions| {
        engine.plan_many(graph, programs, options).expect("planning succeeds")[0].plan.bytes_in(Home::Device)
    };
    let whole = bytes_of(&searches, &all);
    if !engine.is_cuda() {
        let stats = agree(engine, graph, &searches, &all.device_memory(1));
        return all_bits(&stats);
    }
    // A search from the root has another plan, which needs less memory.
    let alone = |options: &RunOptions| {
        let plans = searches.iter().map(|search| engine.plan(graph, search, options));
        let bytes = plans.map(|plan| plan.expect("planning succeeds").bytes_in(Home::Device));
        bytes.max().expect("there is a search")
    };
    let one = alone(&all);
    let mut seen = std::collections::BTreeSet::new();
    for share in 0..=12 {
        let options = all.clone().device_memory(one + (whole - one) * share / 12);
        let stats = agree(engine, graph, &searches, &options);
        let is_noted =
            stats.notes.iter().any(|note| note.contains("did not fit") && note.contains("but may use only"));
        assert_eq!(is_noted, share < 12, "{stats:?}");
        seen.extend(stats.parts.iter().map(|(runs, sharing)| match sharing {
            Sharing::Alone(_) => "alone".to_owned(),
            Sharing::Bits => "bits".to_owned(),
            _ => format!("{runs} abreast"),
        }));
    }
    assert!(["alone", "4 abreast", "bits"].iter().all(|way| seen.contains(*way)), "{seen:?}");
    // The rows of a single run leave the device before it is refused.
    let least = alone(&all.clone().device_memory(1));
    let loaded = engine.load(graph);
    let refused = loaded.run_many_with(&searches, &all.clone().device_memory(least - 1));
    let error = refused.expect_err("one run does not fit");
    let RunError::OfMany { ref runs, all: 16, error: ref why, .. } = error else { panic!("{error:?}") };
    let RunError::Plan(PlanError::DoesNotFit { need, have, .. }) = **why else { panic!("{error:?}") };
    assert_eq!((runs.len(), need, have), (1, least, least - 1), "{error}");
    loaded.run(&searches[0]).expect("the engine can be used again");
}

pub(crate) fn many_runs_one_launch(engine: &Engine) {
    let graph = &graphs::large()[5].graph;
    let loaded = engine.load(graph);
    let searches: Vec<_> = ids(graph, 64).iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
    // The slice is long enough for any device, so there is only one launch.
    let options = RunOptions::new().slice(std::time::Duration::from_secs(10));
    let first = loaded.run_many_with(&searches, &options).expect("the runs succeed");
    // The results of earlier runs must not change.
    let second = loaded.run_many(&searches[..32]).expect("the runs succeed again");
    for run in [0, 31] {
        let (a, b) = (
            first.outcome(run).expect("the run has an outcome"),
            second.outcome(run).expect("the run has an outcome"),
        );
        assert!(
            a.read()
                .expect("the values are readable")
                .iter()
                .eq(b.read().expect("the values are readable").iter())
        );
    }
    let apart: u64 = searches.iter().map(|search| reached_edges(&loaded, search)).sum();
    assert_eq!((first.stats().shared, first.stats().edges_apart), (64, apart));
    assert!(first.stats().gained() > 4.0, "{:?}", first.stats());
    assert_eq!(first.stats().launches, u64::from(engine.is_cuda()));
    let paths: Vec<_> = ids(graph, 16).iter().map(|&id| bundled::sssp::from_source(id, 0)).collect();
    let paths = loaded.run_many_with(&paths, &options).expect("the runs succeed");
    if engine.is_cuda() {
        let batches = abreast_batches(16, 16);
        assert_eq!((paths.stats().launches, paths.stats().batches), (batches as u64, batches));
        assert!(paths.stats().gained() > 1.5, "{:?}", paths.stats());
    }
}

/// Counts the edges of the vertices that a search reaches.
fn reached_edges(loaded: &wolfpath::LoadedGraph, search: &bundled::bfs) -> u64 {
    let graph = loaded.graph();
    let outcome = loaded.run(search).expect("the run succeeds");
    let rows = graph.out_edges();
    let degree = |id| {
        let v = graph.vertex_of(id).expect("the vertex exists") as usize;
        rows.offsets[v + 1] - rows.offsets[v]
    };
    outcome
        .read()
        .expect("the values are readable")
        .iter()
        .filter(|(_, value)| value.is_some())
        .map(|(id, _)| degree(id))
        .sum()
}

pub(crate) fn many_runs_are_planned(engine: &Engine) {
    let graph = &graphs::large()[5].graph;
    let options = RunOptions::new();
    let searches: Vec<_> = ids(graph, 70).iter().map(|&id| bundled::bfs::from_source(id, 0)).collect();
    let planned = engine.plan_many(graph, &searches, &options).expect("planning succeeds");
    let parts: Vec<_> = planned.iter().map(|part| (part.runs.len(), part.sharing)).collect();
    let which: Vec<usize> = planned.iter().flat_map(|part| part.runs.clone()).collect();
    assert!(which.into_iter().eq(0..70));
    assert_eq!(parts, [(64, Sharing::Bits), (6, Sharing::Bits)]);
    assert!(planned[0].plan.schedule_reason.contains("64 runs at once"), "{}", planned[0].plan);
    let paths: Vec<_> = ids(graph, 20).iter().map(|&id| bundled::sssp::from_source(id, 0)).collect();
    let planned = engine.plan_many(graph, &paths, &options).expect("planning succeeds");
    let parts: Vec<_> = planned.iter().map(|part| (part.runs.len(), part.sharing)).collect();
    if engine.is_cuda() {
        let first = if crate::ordinals().len() == 1 { 16 } else { 20usize.div_ceil(abreast_batches(20, 16)) };
        assert_eq!(parts[0], (first, Sharing::Abreast));
        assert!(parts.iter().all(|(_, sharing)| *sharing == Sharing::Abreast), "{parts:?}");
        // A batch uses buckets, with at most two steps per vertex and run, even if a single run has another schedule.
        let alike = &graph.clone().with_weights(WeightChoice::Unit);
        let alone = engine.plan(alike, &paths[0], &options).expect("planning succeeds");
        assert_ne!(alone.schedule, Schedule::Bucket, "{alone}");
        let plan = &engine.plan_many(alike, &paths, &options).expect("planning succeeds")[0].plan;
        let most = 2 * (u64::from(graph.num_vertices()) + 1) * first as u64;
        assert_eq!((plan.schedule, plan.max_steps), (Schedule::Bucket, most), "{plan}");
    } else {
        assert!(matches!(parts[..], [(20, Sharing::Alone(_))]), "{parts:?}");
    }
}

//! Runs in sequence: runs that start with the values of earlier outcomes, and programs that read them as inputs.

use wolfpath::graph::LayeredGraph;
use wolfpath::program::{Datum, EdgeProgram, PerVertex};
use wolfpath::{
    ArrayName, Engine, Home, LoadedGraph, Outcome, OutcomeError, PlanError, RunError, RunOptions,
    ScheduleChoice, programs as bundled,
};

use crate::neighbour_programs::{clustering, triangles};
use crate::sequence_programs::{counted, indexed_totals, poured, seeded, stirred, totals};
use crate::{checks, graphs, reference};

fn steps(steps: u64) -> RunOptions {
    RunOptions::new().steps_at_most(steps)
}

/// Checks that two outcomes have the same values.
fn same<P, Q>(one: &Outcome<P>, other: &Outcome<Q>, what: &str)
where
    P: EdgeProgram,
    Q: EdgeProgram<Value = P::Value>,
{
    let (one, other) = (one.read().expect("it is readable"), other.read().expect("it is readable"));
    for ((id, one), (_, other)) in one.iter().zip(other.iter()) {
        let is_same = match (one, other) {
            (Some(one), Some(other)) => one.same(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        assert!(is_same, "{} on {what}, vertex {id}: {one:?} and {other:?}", P::MODEL.name);
    }
}

/// Takes `steps` steps in runs of one step, from the program's own first values.
fn chained<P: EdgeProgram>(loaded: &LoadedGraph, program: &P, count: u64) -> Outcome<P> {
    let mut outcome = loaded.run_with(program, &steps(1)).expect("the first step succeeds");
    for step in 1..count {
        outcome = loaded
            .run_from_with(program, &outcome, &steps(1))
            .unwrap_or_else(|error| panic!("{}, step {}: {error}", P::MODEL.name, step + 1));
    }
    outcome
}

fn chain_is_a_run<P: EdgeProgram>(loaded: &LoadedGraph, program: &P, count: u64, what: &str) {
    let at_once = loaded.run_with(program, &steps(count)).expect("the run succeeds");
    let (expected, _) = reference::run(loaded.graph(), program, count).expect("the reference does not fault");
    checks::compare(&at_once, &expected, what);
    checks::compare(&chained(loaded, program, count), &expected, what);
}

pub(crate) fn chains_are_runs(engine: &Engine) {
    for sample in graphs::small() {
        let (loaded, name) = (engine.load(&sample.graph), sample.name);
        chain_is_a_run(&loaded, &stirred::Stirred, 5, name);
        chain_is_a_run(&loaded, &seeded::Seeded { every: 3 }, 4, name);
        chain_is_a_run(&loaded, &clustering::Clustering, 3, name);
        chain_is_a_run(&loaded, &triangles::Triangles, 3, name);
        let ranks = bundled::PageRank { damping: 0.85, tolerance: 0.0 };
        let (chain, at_once) = (chained(&loaded, &ranks, 4), loaded.run_with(&ranks, &steps(4)));
        let (chain, at_once) = (chain.read(), at_once.expect("the run succeeds").read());
        let (chain, at_once) = (chain.expect("it is readable"), at_once.expect("it is readable"));
        for ((id, rank), (_, expected)) in chain.iter().zip(at_once.iter()) {
            let (rank, expected) = (rank.expect("all have ranks"), expected.expect("all have ranks"));
            assert!(
                (rank - expected).abs() <= 1e-6 * expected,
                "{name}, vertex {id}: {rank}, not {expected}"
            );
        }
    }
}

/// Programs in place: a run that begins with the values of a stopped run reaches the same fixpoint.
pub(crate) fn stopped_runs_go_on(engine: &Engine) {
    for sample in graphs::small() {
        let (loaded, name) = (engine.load(&sample.graph), sample.name);
        goes_on(&loaded, &bundled::bfs::from_source(sample.source, 0), name);
        goes_on(&loaded, &bundled::sssp_f64::from_source(sample.source, 0.0), name);
        goes_on(&loaded, &bundled::widest::from_source(sample.source, u32::MAX), name);
        goes_on(&loaded, &bundled::reach::from_source(sample.source, true), name);
        goes_on(&loaded, &bundled::Components, name);
    }
}

fn goes_on<P: EdgeProgram>(loaded: &LoadedGraph, program: &P, what: &str) {
    let done = loaded.run(program).expect("the run succeeds");
    for count in [1, 2] {
        let begun = loaded.run_with(program, &steps(count)).expect("the first steps succeed");
        let (again, whole) = (loaded.run_from(program, &begun), loaded.run_from(program, &done));
        same(&again.expect("the run goes on"), &done, what);
        same(&whole.expect("a run from the fixpoint succeeds"), &done, what);
    }
}

/// Runs in which every vertex gathers find the same rows, whichever runs over the same graph came between them.
pub(crate) fn runs_between_chains(engine: &Engine) {
    let ranks = bundled::PageRank { damping: 0.85, tolerance: 0.0 };
    for sample in graphs::small() {
        let (loaded, name) = (engine.load(&sample.graph), sample.name);
        let first = loaded.run_with(&ranks, &steps(3)).expect("the run succeeds");
        let again = |what: &str| {
            let ranks = loaded.run_with(&ranks, &steps(3)).expect("the run succeeds");
            same(&ranks, &first, &format!("{name}, after {what}"));
        };
        again("itself");
        let pulled = RunOptions::new().schedule(ScheduleChoice::Pull);
        drop(
            loaded.run_with(&bundled::bfs::from_source(sample.source, 0), &pulled).expect("the run succeeds"),
        );
        again("a search whose receivers gather");
        drop(loaded.run(&bundled::Components).expect("the run succeeds"));
        again("components");
        drop(loaded.run_with(&clustering::Clustering, &steps(1)).expect("the run succeeds"));
        again("a run over distinct neighbours");
        let stopped = RunOptions::new().max_steps(1);
        drop(loaded.run_with(&ranks, &stopped));
        again("a run that ended too early");
    }
}

/// A run may start with the values of another program, whose values have another representation on the device.
pub(crate) fn programs_take_turns(engine: &Engine) {
    for sample in graphs::small() {
        let (loaded, name) = (engine.load(&sample.graph), sample.name);
        let hops = loaded.run(&bundled::bfs::from_source(sample.source, 0)).expect("the run succeeds");
        let widths = loaded.run(&bundled::widest::from_source(sample.source, 90)).expect("the run succeeds");
        let poured = loaded.run_with(&poured::Poured, &steps(1)).expect("the run succeeds");
        let on_cpu = Engine::cpu().load(&sample.graph);
        take_turns(&loaded, &on_cpu, &hops, name);
        take_turns(&loaded, &on_cpu, &widths, name);
        take_turns(&loaded, &on_cpu, &poured, name);
    }
}

/// Checks that several programs give the same values on the engine and on the CPU if they start from an outcome.
fn take_turns<P: EdgeProgram<Value = u32>>(
    loaded: &LoadedGraph,
    on_cpu: &LoadedGraph,
    first: &Outcome<P>,
    name: &str,
) {
    let three = steps(3);
    let both = |one: &LoadedGraph| {
        let poured = one.run_from_with(&poured::Poured, first, &three).expect("the run succeeds");
        let seeded = one.run_from_with(&seeded::Seeded { every: 1 }, first, &three);
        let hops = one.run_from(&bundled::bfs::starting_at(0), first).expect("sources are ignored");
        let widths = one.run_from(&bundled::widest::starting_at(0), first).expect("sources are ignored");
        (poured, seeded.expect("the run succeeds"), hops, widths)
    };
    let (here, there) = (both(loaded), both(on_cpu));
    same(&here.0, &there.0, name);
    same(&here.1, &there.1, name);
    same(&here.2, &there.2, name);
    same(&here.3, &there.3, name);
}

pub(crate) fn inputs_from_outcomes(engine: &Engine) {
    for sample in graphs::small() {
        let loaded = engine.load(&sample.graph);
        let hops = loaded.run(&bundled::bfs::from_source(sample.source, 0)).expect("the run succeeds");
        let far = loaded.run(&bundled::sssp_f64::from_source(sample.source, 0.0)).expect("the run succeeds");
        let stirred = loaded.run_with(&stirred::Stirred, &steps(2)).expect("the run succeeds");
        let taken = totals::Totals {
            hops: PerVertex::from_outcome(&hops).or(1000),
            mixed: PerVertex::from_field(&stirred, |pair| &pair.mixed),
            far: PerVertex::from_outcome(&far).or(1e9),
            odd: PerVertex::from_field(&stirred, |pair| &pair.odd[1]),
        };
        agrees(&loaded, taken.clone(), looked_up(&hops, &far, &stirred), sample.name);
        // Values that have moved to the host, because another run needed their memory, are as good.
        let needed = engine.plan(&sample.graph, &taken, &steps(2)).expect("it can be planned");
        let own = needed
            .arrays
            .iter()
            .filter(|array| array.home == Home::Device && array.name != ArrayName::Outcomes);
        let least = steps(1).device_memory(own.map(|array| array.bytes).sum::<u64>());
        loaded
            .run_with(&totals::Totals { hops: PerVertex::constant(0), ..taken.clone() }, &least)
            .expect("it fits");
        let again = totals::Totals { hops: PerVertex::from_outcome(&hops).or(1000), ..taken };
        agrees(&loaded, again, looked_up(&hops, &far, &stirred), sample.name);
    }
}

/// Returns the inputs of which the test looks up every value.
fn looked_up(
    hops: &Outcome<bundled::bfs>,
    far: &Outcome<bundled::sssp_f64>,
    stirred: &Outcome<stirred::Stirred>,
) -> totals::Totals {
    let hops: Vec<_> = hops.read().expect("it is readable").iter().collect();
    let far: Vec<_> = far.read().expect("it is readable").iter().collect();
    let stirred = stirred.read().expect("it is readable");
    let pairs: Vec<_> = stirred.iter().map(|(id, pair)| (id, pair.expect("all have values"))).collect();
    totals::Totals {
        hops: PerVertex::from_pairs(hops.into_iter().map(|(id, hops)| (id, hops.unwrap_or(1000))), 0),
        mixed: PerVertex::from_pairs(pairs.iter().map(|(id, pair)| (*id, pair.mixed)), 0),
        far: PerVertex::from_pairs(far.into_iter().map(|(id, far)| (id, far.unwrap_or(1e9))), 0.0),
        odd: PerVertex::from_pairs(pairs.iter().map(|(id, pair)| (*id, pair.odd[1])), false),
    }
}

/// Runs the program with inputs in layered order, and the one with inputs by rank. `taken` is run first, so that no
/// outcome has been read.
fn agrees(loaded: &LoadedGraph, taken: totals::Totals, given: totals::Totals, what: &str) {
    let indexed = |totals: &totals::Totals| {
        let totals::Totals { hops, mixed, far, odd } = totals.clone();
        indexed_totals::Totals { hops, mixed, far, odd }
    };
    let run = |totals: &totals::Totals| loaded.run_with(totals, &steps(2)).expect("the run succeeds");
    let by_rank = |totals| loaded.run_with(&indexed(totals), &steps(2)).expect("the run succeeds");
    let (one, other) = (run(&taken), by_rank(&taken));
    same(&one, &run(&given), what);
    same(&other, &by_rank(&given), what);
}

/// The data of an input belong to ids, so another graph may read them.
pub(crate) fn inputs_of_other_graphs(engine: &Engine) {
    let graph = LayeredGraph::from_edges([(4, 5), (5, 6), (6, 4)]).expect("the graph is valid");
    let other = LayeredGraph::from_edges([(6, 4), (5, 4), (4, 9)]).expect("the graph is valid");
    let hops = engine.run(&graph, &bundled::bfs::starting_at(5)).expect("the run succeeds");
    let totals = |hops| totals::Totals {
        hops,
        mixed: PerVertex::constant(0),
        far: PerVertex::constant(0.0),
        odd: PerVertex::constant(true),
    };
    let run = |graph, hops| engine.run_with(graph, &totals(hops), &steps(1));
    let given = PerVertex::from_pairs([(4, 2), (5, 0), (6, 1)], 77);
    let found = run(&other, PerVertex::from_outcome(&hops).or(77)).expect("the run succeeds");
    same(&found, &run(&other, given).expect("the run succeeds"), "another graph");
    let missing = |error: RunError| match error {
        RunError::Plan(error @ PlanError::MissingInput { id, .. }) => {
            let text = error.to_string();
            assert!(text.contains("`hops` of Totals") && text.contains("`or`"), "{text}");
            id
        }
        error => panic!("{error}"),
    };
    assert_eq!(missing(run(&other, PerVertex::from_outcome(&hops)).expect_err("9 has no value")), 9);
    let partly = engine.load(&graph).run_with(&bundled::bfs::starting_at(5), &steps(1)).expect("it succeeds");
    let loaded = engine.load(&graph);
    let partly =
        loaded.run_from_with(&bundled::bfs::starting_at(5), &partly, &steps(1)).expect("it succeeds");
    let begun = loaded.run_with(&bundled::bfs::starting_at(5), &steps(1)).expect("it succeeds");
    assert!(loaded.run_with(&totals(PerVertex::from_outcome(&partly)), &steps(1)).is_ok(), "all have values");
    let error = loaded.run_with(&totals(PerVertex::from_outcome(&begun)), &steps(1));
    assert_eq!(missing(error.map(drop).expect_err("4 has no value yet")), 4);
}

/// Outcomes count as long as they are on the device, and move to the host if a run needs their memory.
pub(crate) fn outcomes_occupy_the_device(engine: &Engine) {
    let sample = graphs::large().swap_remove(0);
    let (loaded, program) = (engine.load(&sample.graph), bundled::bfs::from_source(sample.source, 0));
    let planned = || {
        let plan = engine.plan(&sample.graph, &program, &RunOptions::new()).expect("it can be planned");
        let of = |is: fn(ArrayName) -> bool| {
            let here = plan.arrays.iter().filter(|array| array.home == Home::Device && is(array.name));
            here.map(|array| array.bytes).sum::<u64>()
        };
        (of(|name| name == ArrayName::Outcomes), of(|name| name != ArrayName::Outcomes))
    };
    let (before, own) = planned();
    let outcomes = [0, 1].map(|_| loaded.run(&program).expect("the run succeeds"));
    let (kept, _) = planned();
    let vertices = u64::from(sample.graph.num_vertices());
    let each = 4 * vertices + 4 * vertices.div_ceil(32);
    assert_eq!(kept - before, if engine.is_cuda() { 2 * each } else { 0 });
    let [first, second] = outcomes;
    if engine.is_cuda() {
        // Room for the run and one outcome: the older outcome moves.
        let room = RunOptions::new().device_memory(own + before + each);
        let third = loaded.run_with(&program, &room).expect("an outcome moves to the host");
        assert_eq!(planned().0 - before, 2 * each);
        assert!(third.stats().device_bytes >= own);
    }
    let from_host = loaded.run_from(&program, &first).expect("the run succeeds");
    same(&from_host, &second, "values that moved to the host");
    drop((first, second, from_host));
    assert_eq!(planned().0, before);
}

/// Two runs over one graph, of which each continues the other's outcome, while threads read them.
pub(crate) fn outcomes_are_shared_by_threads(engine: &Engine) {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let sample = graphs::large().swap_remove(0);
    let (loaded, program) = (engine.load(&sample.graph), stirred::Stirred);
    let first = loaded.run_with(&program, &steps(2)).expect("the run succeeds");
    is_shared(&first);
    let expected = loaded.run_with(&program, &steps(3)).expect("the run succeeds");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let next = loaded.run_from_with(&program, &first, &steps(1)).expect("the run succeeds");
                same(&next, &expected, "two threads");
                assert!(first.value(sample.source).expect("it is a vertex").is_some());
            });
        }
    });
}

pub(crate) fn what_runs_in_sequence_refuse(engine: &Engine) {
    let graph = LayeredGraph::from_edges([(1, 2), (2, 3)]).expect("the graph is valid");
    let other = LayeredGraph::from_edges([(1, 2), (2, 3)]).expect("the graph is valid");
    let (loaded, program) = (engine.load(&graph), bundled::bfs::starting_at(1));
    let outcome = loaded.run(&program).expect("the run succeeds");
    assert_eq!(outcome.path_to(3).expect("it has paths"), Some(vec![1, 2, 3]));
    let next = loaded.run_from(&program, &outcome).expect("the run succeeds");
    let OutcomeError::NoPaths { reason, .. } = next.path_to(3).expect_err("it has no paths") else {
        panic!("another error")
    };
    assert!(reason.contains("earlier outcome"), "{reason}");
    let error = engine.load(&other).run_from(&program, &outcome).expect_err("it is another graph");
    assert!(matches!(error, RunError::Plan(PlanError::OtherGraph { program: "bfs" })), "{error}");
    // A program whose vertices all have a value cannot start without one.
    let begun = loaded.run_with(&program, &steps(1)).expect("the run succeeds");
    let error = loaded.run_from(&counted::Counted, &begun).expect_err("3 is unreached");
    assert!(matches!(error, RunError::Plan(PlanError::Unreached { program: "Counted", id: 3 })), "{error}");
    let counted = loaded.run_from(&counted::Counted, &outcome).expect("every vertex has a value");
    assert_eq!(counted.value(3).expect("it is a vertex"), Some(2));
    // Nothing remains of a graph without vertices, and an outcome outlives what it came from.
    let empty = engine.load(&graphs::empty());
    let nothing = empty.run(&bundled::Components).expect("the run succeeds");
    let nothing = empty.run_from(&bundled::Components, &nothing).expect("the run succeeds");
    assert_eq!(nothing.read().expect("it is readable").reached(), 0);
    drop((loaded, graph));
    assert_eq!(outcome.value(3).expect("it is a vertex"), Some(2));
}

//! Compares programs with the reference and, for bundled programs, with the serial oracles.

use std::cell::Cell;
use std::time::Duration;

use proptest::test_runner::{Config, TestRunner};
use wolfpath::graph::{Direction, LayeredGraph};
use wolfpath::program::{Datum, EdgeProgram, Executable};
use wolfpath::{PlanError, RunError, RunOptions, oracle, programs as bundled};

use crate::Tested;
use crate::graphs::{self, Sample};
use crate::programs as own;
use crate::reference;

/// Maximum number of steps of the reference.
const ENOUGH: u64 = 300_000;

/// Time limit. Only a run that does not end exceeds it.
const PATIENCE: Duration = Duration::from_secs(300);

/// Checks that a complete run gives the same values as the reference.
pub(crate) fn agrees<P: EdgeProgram>(engine: &Tested, graph: &LayeredGraph, program: &P, what: &str) {
    let (expected, _) = reference::run(graph, program, ENOUGH).expect("the reference does not fault");
    // The program `intersected` may clear its bits one by one, so a run may take more steps than there are vertices.
    let options = RunOptions::new().max_steps(ENOUGH).time_limit(PATIENCE);
    let outcome = engine.run_with(graph, program, &options).unwrap_or_else(|error| panic!("{what}: {error}"));
    compare(&outcome, &expected, what);
}

pub(crate) fn compare<P: EdgeProgram>(
    outcome: &wolfpath::Outcome<P>,
    expected: &reference::Values<P>,
    what: &str,
) {
    let graph = outcome.graph();
    assert_eq!(
        outcome.read().expect("the values are readable").iter().count(),
        expected.len(),
        "values of {} on {what}",
        P::MODEL.name
    );
    for (&v, (id, value)) in
        graph.by_rank().iter().zip(outcome.read().expect("the values are readable").iter())
    {
        let right = match (expected[v as usize], value) {
            (Some(expected), Some(value)) => expected.same(value),
            (None, None) => true,
            _ => false,
        };
        let name = P::MODEL.name;
        assert!(right, "{name} on {what}, vertex {id}: {value:?}, expected {:?}", expected[v as usize]);
    }
}

/// Runs a check on all small and large samples.
fn on_samples(check: &dyn Fn(&Sample)) {
    graphs::small().iter().chain(&graphs::large()).for_each(check);
}

fn on_small(check: &dyn Fn(&Sample)) {
    graphs::small().iter().for_each(check);
}

/// Runs a check on random graphs, directed and undirected. A graph that fails is shrunk.
pub(crate) fn on_random(most: u32, check: &dyn Fn(&LayeredGraph, u64)) {
    let config = Config { cases: graphs::cases(most), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let tested = runner.run(&graphs::random(), |edges| {
        for both_ways in [false, true] {
            check(&graphs::layered(&edges, both_ways), edges[0].0);
        }
        Ok(())
    });
    tested.unwrap_or_else(|error| panic!("{error}"));
}

/// Compares an outcome with an oracle's values, which are ordered by internal index.
fn is_oracles<P: EdgeProgram>(engine: &Tested, sample: &Sample, program: &P, expected: &[Option<P::Value>]) {
    let outcome =
        engine.run(&sample.graph, program).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
    compare(&outcome, &expected.to_vec(), sample.name);
}

fn source(sample: &Sample) -> u32 {
    sample.graph.vertex_of(sample.source).expect("the source is in the graph")
}

pub(crate) fn bfs(engine: &Tested) {
    on_samples(&|sample| {
        let rows = sample.graph.out_edges();
        let hops = oracle::hops(rows, &[source(sample)]);
        let as_u32: Vec<_> = hops.iter().map(|hops| hops.map(|h| h as u32)).collect();
        is_oracles(engine, sample, &bundled::bfs::from_source(sample.source, 0), &as_u32);
        is_oracles(engine, sample, &bundled::bfs_u64::from_source(sample.source, 0), &hops);
        let as_f32: Vec<_> = hops.iter().map(|hops| hops.map(|h| h as f32)).collect();
        is_oracles(engine, sample, &bundled::bfs_f32::from_source(sample.source, 0.0), &as_f32);
        let as_f64: Vec<_> = hops.iter().map(|hops| hops.map(|h| h as f64)).collect();
        is_oracles(engine, sample, &bundled::bfs_f64::from_source(sample.source, 0.0), &as_f64);
    });
}

/// Checks a path program over several number types.
macro_rules! paths {
    ($engine:ident, $oracle:ident, $first:expr, $($program:ident: $number:ty),*) => {
        on_samples(&|sample| {$({
            let weights = sample.graph.weights_as::<$number>(Direction::Out, true).expect("weights");
            let first: $number = $first;
            let expected = oracle::$oracle(sample.graph.out_edges(), &weights, &[(source(sample), first)]);
            is_oracles($engine, sample, &bundled::$program::from_source(sample.source, first), &expected);
        })*})
    };
}

pub(crate) fn sssp(engine: &Tested) {
    paths!(engine, shortest, 0 as _, sssp: u32, sssp_u64: u64, sssp_f32: f32, sssp_f64: f64);
}

pub(crate) fn widest(engine: &Tested) {
    paths!(engine, widest, 1_000_000 as _, widest: u32, widest_u64: u64, widest_f32: f32, widest_f64: f64);
}

pub(crate) fn reach(engine: &Tested) {
    on_samples(&|sample| {
        let reached = oracle::reach(sample.graph.out_edges(), &[source(sample)]);
        let expected: Vec<_> = reached.into_iter().map(|reached| reached.then_some(true)).collect();
        is_oracles(engine, sample, &bundled::reach::from_source(sample.source, true), &expected);
    });
}

pub(crate) fn components(engine: &Tested) {
    on_samples(&|sample| {
        let expected = oracle::smallest_ids(&sample.graph);
        let expected: Vec<_> = expected.into_iter().map(Some).collect();
        is_oracles(engine, sample, &bundled::Components, &expected);
    });
    let empty =
        engine.run(&graphs::empty(), &bundled::Components).expect("a run over an empty graph succeeds");
    assert_eq!(empty.read().expect("the values are readable").iter().count(), 0);
}

pub(crate) fn pagerank(engine: &Tested) {
    on_samples(&|sample| {
        let options = oracle::PageRankOptions::new().steps(30);
        let expected = oracle::pagerank(sample.graph.out_edges(), &options).ranks;
        let single = bundled::PageRank { damping: 0.85, tolerance: 1e-7 };
        let outcome = engine
            .run_with(&sample.graph, &single, &RunOptions::new().steps_at_most(30))
            .expect("the run succeeds");
        // In single precision, the ranks may converge before step 30.
        assert!(outcome.steps() <= 30);
        for (&v, (id, rank)) in
            sample.graph.by_rank().iter().zip(outcome.read().expect("the values are readable").iter())
        {
            let (rank, expected) = (f64::from(rank.expect("every vertex has a rank")), expected[v as usize]);
            assert!(
                (rank - expected).abs() <= 1e-5 * expected,
                "{}, vertex {id}: {rank}, expected {expected}",
                sample.name
            );
        }
        let double = bundled::PageRankF64 { damping: 0.85, tolerance: 1e-10 };
        let outcome = engine.run(&sample.graph, &double).expect("the run converges");
        let sum: f64 =
            outcome.read().expect("the values are readable").iter().filter_map(|(_, rank)| rank).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{}: ranks sum to {sum}", sample.name);
        let options = options.tolerance(1e-10);
        let options = options.steps(None);
        let expected = oracle::pagerank(sample.graph.out_edges(), &options).ranks;
        for (&v, (id, rank)) in
            sample.graph.by_rank().iter().zip(outcome.read().expect("the values are readable").iter())
        {
            let (rank, expected) = (rank.expect("every vertex has a rank"), expected[v as usize]);
            assert!(
                (rank - expected).abs() <= 1e-5 * expected,
                "{}, vertex {id}: {rank}, expected {expected}",
                sample.name
            );
        }
    });
}

pub(crate) fn bundled_on_random_graphs(engine: &Tested) {
    on_random(24, &|graph, source| {
        agrees(engine, graph, &bundled::bfs::from_source(source, 0), "random");
        agrees(engine, graph, &bundled::sssp::from_source(source, 0), "random");
        agrees(engine, graph, &bundled::sssp_f64::from_source(source, 0.0), "random");
        agrees(engine, graph, &bundled::widest_u64::from_source(source, u64::MAX), "random");
        agrees(engine, graph, &bundled::reach::from_source(source, true), "random");
        agrees(engine, graph, &bundled::Components, "random");
        agrees(engine, graph, &bundled::CoreNumbers, "random");
        let rows = (graph.out_edges(), graph.in_edges().expect("memory suffices"));
        let expected: Vec<_> = oracle::core_numbers_of_neighbours(rows.0, rows.1)
            .into_iter()
            .map(|core| Some(core as u32))
            .collect();
        let outcome = engine.run(graph, &bundled::CoreNumbers).expect("the run succeeds");
        compare(&outcome, &expected, "core numbers of a random graph");
    });
}

pub(crate) fn several_sources(engine: &Tested) {
    on_random(12, &|graph, source| {
        let other = graph.id_of(graph.num_vertices() - 1);
        // The values of one id are combined. With unequal first values, messages are not uniform.
        let twice = [(source, 7), (other, 2), (source, 4), (other, 30)];
        agrees(engine, graph, &bundled::bfs::from_sources(twice), "two sources");
        agrees(engine, graph, &bundled::sssp::from_sources(twice), "two sources");
        agrees(engine, graph, &bundled::widest::from_sources(twice), "two sources");
        agrees(engine, graph, &bundled::bfs::from_sources([]), "no source");
    });
}

/// Runs an `any` program. Values may change forever, because the last message wins. But after as many steps as the
/// deepest vertex has hops, every value must equal that of the reference.
pub(crate) fn counts_paths_with_any_combiner(engine: &Tested) {
    let compared = Cell::new(0);
    on_samples(&|sample| {
        // The reference visits all edges in every step.
        if sample.graph.num_edges() >= 20_000 {
            return;
        }
        let hops = oracle::hops(sample.graph.out_edges(), &[source(sample)]);
        // Over cyclic graphs, only the number of steps ends the run.
        let deepest = hops.iter().flatten().max().copied().unwrap_or(0).clamp(1, 200);
        let program = own::any_depth::from_source(sample.source, 0);
        let options = RunOptions::new().steps_at_most(deepest);
        let outcome = engine.run_with(&sample.graph, &program, &options).expect("the run succeeds");
        let (expected, _) =
            reference::run(&sample.graph, &program, deepest).expect("the reference does not fault");
        compare(&outcome, &expected, sample.name);
        compared.set(compared.get() + 1);
    });
    assert!(compared.get() > 0, "every sample was too large for the reference");
}

pub(crate) fn wrapping_sums(engine: &Tested) {
    on_random(12, &|graph, source| {
        let program = own::ways::Ways { start: source };
        for steps in [1, 2, 5, 9] {
            let (expected, taken) =
                reference::run(graph, &program, steps).expect("the reference does not fault");
            let outcome = engine
                .run_with(graph, &program, &RunOptions::new().steps_at_most(steps))
                .expect("the run succeeds");
            compare(&outcome, &expected, "random");
            assert_eq!(outcome.steps(), taken, "after at most {steps} steps");
        }
    });
}

pub(crate) fn bit_sets(engine: &Tested) {
    on_random(12, &|graph, source| {
        let other = graph.id_of(0);
        agrees(
            engine,
            graph,
            &own::united::from_sources([(source, 0b1001), (other, 1 << 63), (other, 0)]),
            "random",
        );
        agrees(
            engine,
            graph,
            &own::intersected::from_sources([(source, u32::MAX), (other, 0xffff)]),
            "random",
        );
    });
}

pub(crate) fn custom_structs(engine: &Tested) {
    on_samples(&|sample| {
        if sample.graph.num_edges() < 50_000 {
            agrees(engine, &sample.graph, &own::nearest::Nearest { every: 7 }, sample.name);
        }
    });
    on_random(12, &|graph, _| agrees(engine, graph, &own::nearest::Nearest { every: 5 }, "random"));
}

pub(crate) fn optional_messages(engine: &Tested) {
    on_random(12, &|graph, source| {
        agrees(engine, graph, &own::over_wide_edges::from_source(source, 0), "random")
    });
}

pub(crate) fn along_in_and_both(engine: &Tested) {
    on_random(24, &|graph, source| {
        agrees(engine, graph, &own::backwards::from_source(source, 0), "random");
        agrees(engine, graph, &own::both_ways::from_source(source, 0), "random");
    });
}

pub(crate) fn senders_all_without_identity(engine: &Tested) {
    on_small(&|sample| agrees(engine, &sample.graph, &own::calm::Calm, sample.name));
    on_random(12, &|graph, _| agrees(engine, graph, &own::calm::Calm, "random"));
}

/// Checks programs whose messages a device computes once per step and sender: every vertex sends a message, or only
/// some do.
pub(crate) fn messages_made_once(engine: &Tested) {
    const {
        assert!(!own::gossip::Gossip::MODEL.edge_can_fault && !own::gossip::Gossip::MODEL.always_sends);
        assert!(!own::calm::Calm::MODEL.edge_can_fault && own::calm::Calm::MODEL.always_sends);
    };
    on_small(&|sample| agrees(engine, &sample.graph, &own::gossip::Gossip, sample.name));
    on_random(12, &|graph, _| agrees(engine, graph, &own::gossip::Gossip, "random"));
    // A device must not compute the message of a vertex without edges here, because the program's loop would not end.
    const { assert!(!own::patient::Patient::MODEL.edge_can_fault && own::patient::Patient::MODEL.has_loops) };
    on_small(&|sample| agrees(engine, &sample.graph, &own::patient::Patient, sample.name));
}

pub(crate) fn aggregates_of_every_kind(engine: &Tested) {
    on_random(12, &|graph, _| {
        agrees(engine, graph, &own::fold_sum::FoldSum, "random");
        agrees(engine, graph, &own::fold_min::FoldMin, "random");
        agrees(engine, graph, &own::fold_or::FoldOr, "random");
    });
    on_samples(&|sample| {
        if sample.graph.num_edges() < 20_000 {
            agrees(engine, &sample.graph, &own::fold_sum::FoldSum, sample.name);
        }
    });
}

pub(crate) fn own_apply(engine: &Tested) {
    on_random(12, &|graph, source| {
        let program = own::ways::Ways { start: source };
        let (expected, _) = reference::run(graph, &program, 3).expect("the reference does not fault");
        let outcome =
            engine.run_with(graph, &program, &RunOptions::new().steps_at_most(3)).expect("the run succeeds");
        compare(&outcome, &expected, "random");
    });
}

pub(crate) fn own_changed(engine: &Tested) {
    on_random(12, &|graph, _| agrees(engine, graph, &own::coarse::Coarse { least: 3 }, "random"));
}

pub(crate) fn identity_values(engine: &Tested) {
    let check = |graph: &LayeredGraph, source: u64, name: &str| {
        agrees(engine, graph, &own::identity_min::from_source(source, 5), name);
        agrees(engine, graph, &own::identity_min::from_source(source, u32::MAX), name);
        agrees(engine, graph, &own::identity_max::from_source(source, 5), name);
        agrees(engine, graph, &own::spread_or::from_source(source, false), name);
        agrees(engine, graph, &own::spread_and::from_source(source, true), name);
        agrees(engine, graph, &own::signed_depth::from_source(source, -40), name);
        agrees(engine, graph, &own::signed_gain::from_source(source, i64::MIN / 2), name);
        agrees(engine, graph, &own::united::from_source(source, 0), name);
    };
    on_small(&|sample| check(&sample.graph, sample.source, sample.name));
    on_random(12, &|graph, source| check(graph, source, "random"));
}

pub(crate) fn zeros_and_nans(engine: &Tested) {
    let check = |graph: &LayeredGraph, source: u64, name: &str| {
        for first in [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            agrees(engine, graph, &own::zeros_min::from_source(source, first), name);
        }
        for first in [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            agrees(engine, graph, &own::zeros_max::from_source(source, first), name);
        }
    };
    on_small(&|sample| check(&sample.graph, sample.source, sample.name));
    on_random(12, &|graph, source| check(graph, source, "random"));
}

pub(crate) fn every_field(engine: &Tested) {
    let program = own::everything::Everything { salt: 0x1234_5678_9abc, wide: true, shift: 9 };
    let check = |graph: &LayeredGraph, name: &str| {
        let (expected, _) = reference::run(graph, &program, 4).expect("the reference does not fault");
        let outcome =
            engine.run_with(graph, &program, &RunOptions::new().steps_at_most(4)).expect("the run succeeds");
        compare(&outcome, &expected, name);
    };
    on_small(&|sample| check(&sample.graph, sample.name));
    on_random(8, &|graph, _| check(graph, "random"));
}

pub(crate) fn step_counts(engine: &Tested) {
    on_random(12, &|graph, source| {
        let program = bundled::sssp::from_source(source, 0);
        let refused = engine.run_with(graph, &program, &RunOptions::new().steps_at_most(0));
        assert!(matches!(refused, Err(RunError::Plan(PlanError::NoSteps { .. }))), "{refused:?}");
        for steps in [1, 2, 4] {
            let (expected, taken) =
                reference::run(graph, &program, steps).expect("the reference does not fault");
            let outcome = engine
                .run_with(graph, &program, &RunOptions::new().steps_at_most(steps))
                .expect("the run succeeds");
            compare(&outcome, &expected, "random");
            assert_eq!(outcome.steps(), taken);
            assert_eq!(Ok(outcome.end()), reference::end(graph, &program, steps));
        }
    });
}

/// Checks programs in which all vertices have first values, over random graphs.
pub(crate) fn random_programs_graphs(engine: &Tested) {
    on_random(12, &|graph, _| {
        let sources: Vec<_> = graph.ids().iter().map(|&id| (id, (id % 13) as u32)).collect();
        agrees(engine, graph, &bundled::sssp::from_sources(sources.clone()), "random");
        agrees(engine, graph, &bundled::widest::from_sources(sources), "random");
    });
}

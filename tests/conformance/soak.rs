//! Many random runs whose threads wait for random times at barriers and atomics, so that rare orders of memory accesses
//! become frequent. Each run is compared with the CPU engine.
//!
//! `WOLFPATH_SOAK_RUNS` sets the number of runs, `WOLFPATH_SOAK_SEED` the seed of the graphs, programs and schedules, and
//! `WOLFPATH_SOAK_THREADS` the number of threads. Each thread has an engine of its own, and the seed of the thread before it
//! plus 1. A failure names its thread's seed, with which one thread repeats the same runs.

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use wolfpath::graph::LayeredGraph;
use wolfpath::program::EdgeProgram;
use wolfpath::{Engine, LoadedGraph, PlanError, RunError, RunOptions, ScheduleChoice, programs as bundled};

use crate::programs as own;
use crate::repeats::{any_case, assert_same};

/// Number of runs over each graph.
const RUNS_PER_GRAPH: u64 = 12;

/// Returns the number in an environment variable, or `otherwise` if it is not set.
fn number(name: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, expected a number"))
}

/// Runs random programs by random schedules over random graphs, on engines that `delayed` makes.
pub(crate) fn random_runs_with_delays(delayed: &(dyn Fn() -> Engine + Sync)) {
    let runs = number("WOLFPATH_SOAK_RUNS", 100);
    let seed = number("WOLFPATH_SOAK_SEED", 1);
    let threads = number("WOLFPATH_SOAK_THREADS", 1).max(1);
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let done = &done;
            scope.spawn(move || soak(&delayed(), seed.wrapping_add(thread), runs, done));
        }
    });
    let done = done.into_inner();
    println!("{done} runs with random delays, seed {seed}");
    assert!(done >= runs, "only {done} of {runs} runs");
}

/// Runs until all threads together have done `runs` runs.
fn soak(engine: &Engine, seed: u64, runs: u64, done: &AtomicU64) {
    let cpu = Engine::cpu();
    let mut seed_bytes = [0; 32];
    seed_bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed_bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (cases, choices) = (any_case(), proptest::num::u64::ANY);
    while done.load(Ordering::Relaxed) < runs {
        let case = cases.new_tree(&mut runner).expect("every case is accepted").current();
        let graph = case.graph();
        let source = graph.id_of(case.source.index(graph.num_vertices() as usize) as u32);
        let soaked = Soaked { graph: &graph, loaded: engine.load(&graph), cpu: &cpu };
        for _ in 0..RUNS_PER_GRAPH {
            let choice = choices.new_tree(&mut runner).expect("every number is accepted").current();
            let forced = ScheduleChoice::ALL.get((choice >> 8) as usize % (ScheduleChoice::ALL.len() + 1));
            let options = forced.map_or(RunOptions::new(), |&forced| RunOptions::new().schedule(forced));
            let what = format!("seed {seed}, {case:?}, {options:?}");
            let ran = match choice % 7 {
                0 => soaked.agrees(&bundled::bfs::from_source(source, 0), &options, &what),
                1 => soaked.agrees(&bundled::sssp::from_source(source, 0), &options, &what),
                2 => soaked.agrees(&bundled::widest::from_source(source, 50), &options, &what),
                3 => soaked.agrees(&bundled::reach::from_source(source, true), &options, &what),
                4 => soaked.agrees(&bundled::Components, &options, &what),
                5 => soaked.agrees(&bundled::sssp_f64::from_source(source, 0.0), &options, &what),
                _ => soaked.agrees(&own::over_wide_edges::from_source(source, 0), &options, &what),
            };
            done.fetch_add(u64::from(ran), Ordering::Relaxed);
        }
    }
}

/// A graph, loaded on the engine under test, and the engine with which it is compared.
struct Soaked<'a> {
    graph: &'a LayeredGraph,
    loaded: LoadedGraph,
    cpu: &'a Engine,
}

impl Soaked<'_> {
    /// Compares one run with the same run on the CPU engine. Returns `false` if the program cannot be run by the schedule.
    fn agrees<P: EdgeProgram>(&self, program: &P, options: &RunOptions, what: &str) -> bool {
        let name = P::MODEL.name;
        let outcome = match self.loaded.run_with(program, options) {
            Ok(outcome) => outcome,
            Err(RunError::Plan(PlanError::Schedule { .. })) => return false,
            Err(error) => panic!("{name}, {what}: {error}"),
        };
        let right = self.cpu.run(self.graph, program).expect("the CPU engine runs it");
        assert_same::<P>(
            outcome.read().expect("the values are readable").iter(),
            right.read().expect("the values are readable").iter().map(|(_, value)| value),
            &format!("{name}, {what}"),
        );
        true
    }
}

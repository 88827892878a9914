//! Chains of runs: many runs of one step, each from the outcome of the one before, against one run of as many steps.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde_json::json;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::EdgeProgram;
use wolfpath::{Engine, LoadedGraph, RunOptions, StageTimes, edge_program, generate, programs};

use super::{Arguments, Result, Table};

/// Width and height of the grid, which has a million vertices.
const SIDE: u32 = 1000;

/// Number of steps.
const STEPS: u64 = 300;

/// Times a chain of each kind of program in which every vertex sends in every step.
pub(crate) fn run(engine: &Engine, arguments: &Arguments, table: &mut Table<'_>) -> Result<()> {
    let list = generate::grid(SIDE, SIDE, 1)?.with_random_weights(1, 100);
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default())?;
    let loaded = engine.load(&graph);
    let ranks = programs::PageRank { damping: 0.85, tolerance: 0.0 };
    chain(&loaded, "a message per sender (pagerank)", &ranks, arguments, table)?;
    chain(&loaded, "a message per edge (blur)", &blur::Blur { share: 0.5 }, arguments, table)
}

/// Every vertex moves towards the weighted mean of its neighbours' values.
#[edge_program]
mod blur {
    use wolfpath::prelude::*;

    pub(crate) struct Blur {
        pub(crate) share: f32,
    }

    impl EdgeProgram for Blur {
        type Value = f32;
        type Message = f32;
        type Weight = f32;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f32 {
            (v.id % 1000) as f32
        }
        fn edge(&self, e: Edge<f32, f32>) -> f32 {
            e.value * e.weight / 50.0
        }
        fn apply(&self, v: Vertex<f32>, incoming: f32) -> f32 {
            let mean = incoming / v.in_degree.max(1) as f32;
            self.share * mean + (1.0 - self.share) * v.value + 0.125
        }
    }
}

/// Prints the median times of both ways, and the difference per step.
fn chain<P: EdgeProgram>(
    loaded: &LoadedGraph,
    what: &str,
    program: &P,
    arguments: &Arguments,
    table: &mut Table<'_>,
) -> Result<()> {
    let threads = Some(arguments.threads).filter(|&threads| threads > 0);
    let options = |steps: u64| RunOptions::new().steps_at_most(steps).threads(threads);
    let (whole, single) = (options(STEPS), options(1));
    loaded.run_with(program, &single)?;
    let at_once = || {
        loaded.run_with(program, &whole)?;
        Ok(())
    };
    let stages = RefCell::new(Stages::default());
    let one_by_one = || {
        let mut outcome = loaded.run_with(program, &single)?;
        for _ in 1..STEPS {
            outcome = loaded.run_from_with(program, &outcome, &single)?;
            stages.borrow_mut().add(outcome.stats().times);
        }
        Ok(())
    };
    let repeat = arguments.repeat.min(3);
    let (mut whole_times, mut chain_times) = (Vec::new(), Vec::new());
    for _ in 0..repeat {
        whole_times.push(timed(at_once)?);
        chain_times.push(timed(one_by_one)?);
    }
    let (whole, chain) = (median(whole_times), median(chain_times));
    let each = (chain - whole) * 1e6 / STEPS as f64;
    let [plan, load, run, read_back] = stages.into_inner().means_us();
    let object = json!({
        "chain": what, "steps": STEPS, "one_run_s": whole, "chain_s": chain, "each_us": each,
        "plan_us": plan, "load_us": load, "run_us": run, "read_back_us": read_back,
    });
    let words = format!(
        "{what}: {STEPS} steps in {whole:.3} s at once, {chain:.3} s one by one, {each:.0} us each \
         (a run of one step: {plan:.0} us planning, {load:.0} us loading, {run:.0} us running, {read_back:.0} us \
         reading back)"
    );
    table.say(&object, &words)
}

/// Sums of the times that runs spend in their stages.
#[derive(Default)]
struct Stages {
    sums: [Duration; 4],
    runs: u32,
}

impl Stages {
    fn add(&mut self, times: StageTimes) {
        let StageTimes { plan, load, run, read_back, .. } = times;
        self.sums.iter_mut().zip([plan, load, run, read_back]).for_each(|(sum, time)| *sum += time);
        self.runs += 1;
    }

    /// Returns the mean time in each stage in microseconds.
    fn means_us(&self) -> [f64; 4] {
        self.sums.map(|sum| sum.as_secs_f64() * 1e6 / f64::from(self.runs.max(1)))
    }
}

fn timed(work: impl Fn() -> Result<()>) -> Result<Duration> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

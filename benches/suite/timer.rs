//! Times a program over a loaded graph, and compares its results.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use wolfpath::graph::Direction;
use wolfpath::program::EdgeProgram;
use wolfpath::{
    Engine, LoadedGraph, Outcome, PlanError, RunError, RunOptions, Schedule, ScheduleChoice, oracle, programs,
};

use super::answers::{Answers, Judge, by_rank, of_cpu, same, weights, wrong};
use super::floor::{Floor, Work, jumps};
use super::guarded::{guarded::Guarded, unguarded::Unguarded};
use super::own::{self, arrivals};
use super::program::RANK_STEPS;
use super::{Arguments, Prepared, Program, Result};

/// Total time after which the timed runs of a line end.
pub(crate) const LONGEST: Duration = Duration::from_secs(5);

/// Warm-up time of a line. A device that waited for the compiler has lowered its clock: without a warm-up, the first
/// short runs took 7% longer.
const WARM_UP: Duration = Duration::from_millis(60);

/// A program, its options, and the number of runs.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) program: Program,
    pub(crate) options: RunOptions,
    pub(crate) repeat: usize,
}

/// Another program that takes turns with the timed runs of a task, so that other load on the machine slows both down.
pub(crate) struct Turns<'t> {
    /// Number of timed runs in each round. A task then has [`Task::repeat`] rounds, however long they take.
    pub(crate) runs: usize,
    /// Times the other program once. Called at the beginning of each round.
    pub(crate) other: &'t mut dyn FnMut() -> Result<()>,
}

/// Result of a task.
pub(crate) enum Ran {
    Timed(Box<Timing>),
    /// The program cannot run with these options. The text is the reason.
    Refused(String),
    /// The run exceeded its time limit. The text is the limit and the run's progress.
    Stopped(String),
}

/// Times and counts of a program over a graph.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    pub(crate) engine: String,
    /// Schedule that was used.
    pub(crate) schedule: &'static str,
    /// Times of the timed runs, in ascending order.
    pub(crate) times: Vec<Duration>,
    pub(crate) steps: u64,
    pub(crate) edges: u64,
    pub(crate) launches: u64,
    /// Bytes of the arrays in host memory.
    pub(crate) host_bytes: u64,
    pub(crate) streamed_bytes: u64,
    pub(crate) reached: u64,
    /// Time of the very first run, including compiling and loading.
    pub(crate) first: Duration,
    pub(crate) compile: Duration,
    pub(crate) load: Duration,
    pub(crate) read_back: Duration,
    /// Number of vertices with a wrong value, in the first or the last run, whichever has more.
    pub(crate) wrong: usize,
    pub(crate) floor: Floor,
    /// Largest number of hops, if the program counts them.
    pub(crate) levels: Option<u64>,
    /// For runs at once: their total time one after the other.
    pub(crate) apart: Option<Duration>,
}

impl Timing {
    /// Returns the median in milliseconds.
    pub(crate) fn median(&self) -> f64 {
        median(&self.times)
    }

    /// Returns the shortest and the longest time in milliseconds.
    pub(crate) fn ends(&self) -> (f64, f64) {
        ends(&self.times)
    }
}

/// Returns the median of ascending times, in milliseconds. For an even number of times, that is the mean of the middle
/// two; for none, 0.
pub(crate) fn median(times: &[Duration]) -> f64 {
    let half = times.len() / 2;
    match times.len() {
        0 => 0.0,
        len if len % 2 == 1 => milliseconds(times[half]),
        _ => (milliseconds(times[half - 1]) + milliseconds(times[half])) / 2.0,
    }
}

/// Returns the first and the last of ascending times, in milliseconds.
pub(crate) fn ends(times: &[Duration]) -> (f64, f64) {
    let end = |time: Option<&Duration>| time.copied().map_or(0.0, milliseconds);
    (end(times.first()), end(times.last()))
}

/// Converts a time to milliseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A graph loaded on an engine, with the answers to compare with.
pub(crate) struct Timer<'a> {
    pub(crate) prepared: Prepared,
    pub(crate) loaded: LoadedGraph,
    answers: Rc<Answers>,
    arguments: &'a Arguments,
    /// Fraction of jumping edges, by vertices per sector.
    jumps: RefCell<HashMap<u64, f64>>,
}

impl<'a> Timer<'a> {
    pub(crate) fn new(
        engine: &Engine,
        prepared: Prepared,
        answers: Rc<Answers>,
        arguments: &'a Arguments,
    ) -> Result<Timer<'a>> {
        let loaded = engine.load(&prepared.graph);
        Ok(Timer { prepared, loaded, answers, arguments, jumps: RefCell::default() })
    }

    /// Returns a timer for the same graph in random order, with the same answers.
    pub(crate) fn shuffled(&self) -> Result<Timer<'a>> {
        Timer::new(self.loaded.engine(), self.prepared.shuffled()?, self.answers.clone(), self.arguments)
    }

    /// Runs a task.
    pub(crate) fn run(&self, task: &Task) -> Result<Ran> {
        self.run_in_turns(task, None)
    }

    /// Runs a task in turns with another program. Searches at once take no turns.
    pub(crate) fn run_in_turns(&self, task: &Task, turns: Option<Turns<'_>>) -> Result<Ran> {
        let (graph, source) = (&self.prepared.graph, self.prepared.source);
        let from = |id: u64| graph.vertex_of(id).ok_or_else(|| format!("vertex {id} is not in the graph"));
        let rows = graph.out_edges();
        let hops = |id| {
            let hops = oracle::hops(rows, &[from(id)?]).into_iter();
            Ok(hops.map(|hops| hops.map(|hops| hops as u32)).collect())
        };
        let shortest = || Ok(oracle::shortest(rows, &weights(graph)?, &[(from(source)?, 0)]));
        match task.program {
            Program::Bfs | Program::BfsPush => {
                self.time(task, turns, &programs::bfs::from_source(source, 0), || hops(source), same)
            }
            Program::BfsFromRoot => {
                let root = graph.root().ok_or("the graph has no root")?;
                self.time(task, turns, &programs::bfs::from_source(root, 0), || hops(root), same)
            }
            Program::BfsMany => self.many(task),
            Program::Sssp => self.time(task, turns, &programs::sssp::from_source(source, 0), shortest, same),
            Program::CanFault => self.time(task, turns, &Guarded { from: source }, shortest, same),
            Program::CannotFault => self.time(task, turns, &Unguarded { from: source }, shortest, same),
            Program::Own => {
                let serial = || Ok(own::serial(rows, &weights(graph)?, from(source)?));
                self.time(task, turns, &arrivals::from_source(source, 0), serial, same)
            }
            Program::Widest => {
                let serial = || Ok(oracle::widest(rows, &weights(graph)?, &[(from(source)?, u32::MAX)]));
                self.time(task, turns, &programs::widest::from_source(source, u32::MAX), serial, same)
            }
            Program::Reach => {
                let reached = |reached: bool| reached.then_some(true);
                let serial = || Ok(oracle::reach(rows, &[from(source)?]).into_iter().map(reached).collect());
                self.time(task, turns, &programs::reach::from_source(source, true), serial, same)
            }
            Program::Components => {
                let serial = || Ok(oracle::smallest_ids(graph).into_iter().map(Some).collect());
                self.time(task, turns, &programs::Components, serial, same)
            }
            Program::PageRank => {
                let serial = || {
                    let options = oracle::PageRankOptions::new().steps(RANK_STEPS);
                    let ranks = oracle::pagerank(rows, &options).ranks;
                    Ok(ranks.into_iter().map(|rank| Some(rank as f32)).collect())
                };
                let program = programs::PageRank { damping: 0.85, tolerance: 1e-6 };
                self.time(task, turns, &program, serial, |ours, right| (ours - right).abs() <= 1e-5 * right)
            }
        }
    }

    /// Times the program, then checks the first and the last result. `serial` returns the answer by internal index.
    fn time<P: EdgeProgram>(
        &self,
        task: &Task,
        turns: Option<Turns<'_>>,
        program: &P,
        serial: impl FnOnce() -> Result<Vec<Option<P::Value>>>,
        is_right: impl Fn(P::Value, P::Value) -> bool,
    ) -> Result<Ran> {
        let options = self.options(task);
        let Runs { first, took, last, times } = match self.repeat(program, &options, task.repeat, turns) {
            Ok(runs) => runs,
            Err(error) => return refusal(error),
        };
        let expected = self.answers.of(task.program.answer(), || match self.arguments.judge {
            Judge::CpuEngine => of_cpu(&self.prepared.graph, program, options.asked_steps()),
            Judge::Oracle => Ok(by_rank(&self.prepared.graph, &serial()?)),
        })?;
        let (of_first, reading) = (first.read()?, Instant::now());
        let values = last.read()?;
        let read_back = reading.elapsed();
        let wrong = wrong(&of_first, &expected, &is_right).max(wrong(&values, &expected, &is_right));
        let (stats, of_first) = (last.stats(), first.stats().times);
        if let Some(asked) = options.asked_schedule().filter(|&asked| !is_taken(asked, stats.schedule)) {
            let (asked, taken) = (asked.name(), stats.schedule.name());
            return Ok(Ran::Refused(format!(
                "the engine used the schedule {taken}, but {asked} was requested"
            )));
        }
        let work = self.work(task.program, values.reached(), stats)?;
        let footprint = task.program.footprint();
        Ok(Ran::Timed(Box::new(Timing {
            engine: stats.engine.clone(),
            schedule: stats.schedule.name(),
            times,
            steps: stats.steps,
            edges: stats.edges,
            launches: stats.launches,
            host_bytes: stats.host_bytes,
            streamed_bytes: stats.streamed.bytes,
            reached: values.reached(),
            first: took,
            compile: of_first.compile,
            load: of_first.load,
            read_back,
            wrong,
            floor: work.floor(footprint),
            levels: self.levels(task.program)?,
            apart: None,
        })))
    }

    /// Returns a task's options, with the number of threads for all runs if there is one.
    pub(crate) fn options(&self, task: &Task) -> RunOptions {
        match self.arguments.threads {
            0 => task.options.clone(),
            threads => task.options.clone().threads(threads),
        }
    }

    /// Performs the first run, the warm-up runs and the timed runs.
    fn repeat<P: EdgeProgram>(
        &self,
        program: &P,
        options: &RunOptions,
        repeat: usize,
        mut turns: Option<Turns<'_>>,
    ) -> Result<Runs<P>> {
        let began = Instant::now();
        let first = self.loaded.run_with(program, options)?;
        let took = began.elapsed();
        // A time limit is checked during the run, which costs a few percent in runs with many steps. The first run was
        // within the limit, so the others run without it.
        let options = &options.clone().time_limit(None);
        let warming = Instant::now();
        while first.stats().times.run < LONGEST && warming.elapsed() < WARM_UP {
            self.loaded.run_with(program, options)?;
        }
        let (round, longest) = turns.as_ref().map_or((1, LONGEST), |turns| (turns.runs, Duration::MAX));
        let (mut times, mut sum) = (Vec::with_capacity(repeat * round), Duration::ZERO);
        let last = loop {
            if let Some(turns) = turns.as_mut().filter(|_| times.len() % round == 0) {
                (turns.other)()?;
            }
            let outcome = self.loaded.run_with(program, options)?;
            sum += outcome.stats().times.run;
            times.push(outcome.stats().times.run);
            if times.len() >= repeat * round || sum >= longest {
                break outcome;
            }
        };
        times.sort_unstable();
        Ok(Runs { first, took, last, times })
    }

    /// Returns the counts of a run.
    pub(crate) fn work(&self, program: Program, reached: u64, stats: &wolfpath::Stats) -> Result<Work> {
        let vertices_a_sector = program.footprint().vertices_a_sector();
        let known = self.jumps.borrow().get(&vertices_a_sector).copied();
        let share = match known {
            Some(share) => share,
            None => jumps(self.prepared.graph.out_edges(), vertices_a_sector),
        };
        self.jumps.borrow_mut().insert(vertices_a_sector, share);
        let graph = &self.prepared.graph;
        let vertices = graph.num_vertices().into();
        let kept = match program.footprint().kept_vertices() {
            0 => 0.0,
            most => {
                let edges = graph.degree_classes(Direction::Out)?.edges_of_largest(most);
                edges as f64 / graph.num_edges().max(1) as f64
            }
        };
        Ok(Work { vertices, reached, edges: stats.edges, steps: stats.steps, jumps: share, kept })
    }

    /// Returns the largest number of hops, from an answer that was computed before.
    fn levels(&self, program: Program) -> Result<Option<u64>> {
        if !matches!(program, Program::Bfs | Program::BfsPush | Program::BfsFromRoot) {
            return Ok(None);
        }
        let hops = self.answers.of::<u32>(program.answer(), || Err("there is no answer yet".into()))?;
        Ok(hops.iter().flatten().max().map(|&hops| hops.into()))
    }
}

/// Results of the runs of one program.
struct Runs<P: EdgeProgram> {
    first: Outcome<P>,
    took: Duration,
    last: Outcome<P>,
    /// Times of the timed runs, in ascending order.
    times: Vec<Duration>,
}

/// Returns `true` if the schedule of a run is the requested one. Compares the beginnings of their names; a frontier in
/// place (`relax`) also counts as `frontier`.
fn is_taken(asked: ScheduleChoice, taken: Schedule) -> bool {
    taken.name().starts_with(asked.name()) || (asked == ScheduleChoice::Frontier && taken == Schedule::Relax)
}

/// Converts errors of unsuitable schedules and time limits to results. Returns all other errors.
fn refusal(error: Box<dyn std::error::Error>) -> Result<Ran> {
    match *error.downcast::<RunError>()? {
        RunError::Plan(PlanError::Schedule { reason, .. }) => Ok(Ran::Refused(reason.to_owned())),
        RunError::TimeLimit { limit, progress, .. } => {
            let (limit, steps) = (limit.as_secs_f64(), progress.step);
            Ok(Ran::Stopped(format!("not done after {limit} s and {steps} steps")))
        }
        other => Err(other.into()),
    }
}

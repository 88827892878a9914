//! `wolfpath run`: opens a graph, runs a program over it, and reports the results.

use std::fmt::Write;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::{Plan, StageTimes, StageTrace, Trace};

use crate::arguments::{Program, RunArguments};
use crate::bars::Bars;
use crate::clock;
use crate::console;
use crate::destination::Destination;
use crate::engine::Starting;
use crate::error::Error;
use crate::many;
use crate::number::{self, Number};
use crate::open::{check_ids, open};
use crate::plot;
use crate::report::{Answers, Described, Report};
#[cfg(feature = "cluster")]
use crate::run_cluster;
use crate::sources::sources;
use crate::task::{self, Asked, Setup, Visitor};
#[cfg(feature = "cluster")]
use crate::values::EngineChoice;

pub(crate) fn run(arguments: &RunArguments) -> Result<(), Error> {
    #[cfg(feature = "cluster")]
    if arguments.engine == EngineChoice::Cluster {
        return run_cluster::run(arguments);
    }
    for (_, to) in arguments.outputs() {
        arguments.graph.check_beside(to)?;
        if let Some(list) = &arguments.sources_from {
            to.check_beside(list, "the list of sources")?;
        }
    }
    // The graph, its copy on the device and the context are never dropped: the process ends soon, and then the system
    // frees them all at once, which takes less time.
    let prepared: &Prepared = Box::leak(Box::new(Prepared::new(arguments)?));
    if arguments.each_source {
        return many::run_each(arguments, prepared);
    }
    let runner = Runner { arguments, prepared };
    let report = task::visit(arguments.program, prepared.number, &prepared.setup, runner)?;
    report.print(arguments)?;
    match report.answers.verification {
        Some(verification) => verification.into_result(arguments.program.name()),
        None => Ok(()),
    }
}

/// Everything that `run` and `explain` need.
pub(crate) struct Prepared {
    pub(crate) graph: LayeredGraph,
    pub(crate) opening: Duration,
    pub(crate) number: Number,
    /// Notes for the user about the options and the input.
    pub(crate) notes: Vec<String>,
    pub(crate) setup: Setup,
    pub(crate) engine: Engine,
    /// Time that creating the engine took. Meanwhile, the graph was opened.
    pub(crate) starting: Duration,
    /// The stages before the first run, relative to the start of the command.
    pub(crate) stages: [StageTrace; 2],
    pub(crate) options: RunOptions,
}

impl Prepared {
    pub(crate) fn new(arguments: &RunArguments) -> Result<Prepared, Error> {
        let began = clock::elapsed();
        let starting = Starting::begin(arguments.engine.clone())?;
        let open_options = arguments.keeping.of(arguments.graph.options()?);
        let (graph, opening) = open(&arguments.graph, &open_options)?;
        let graph = match &arguments.weight_column {
            Some(name) => graph.with_weight_column(name)?,
            None => graph.with_weights(arguments.weights),
        };
        let sources = sources(arguments, &graph)?;
        let wanted: Vec<u64> = arguments.path_to.into_iter().collect();
        check_ids(&graph, &arguments.graph.path, "--path-to", &wanted)?;
        let (number, note) = number::choose(arguments.program, arguments.precision, &graph)?;
        let ignored = ignored_weights(arguments, graph.has_weights());
        let (engine, starting) = starting.wait()?;
        let stage = |name, took| StageTrace { name, began, took };
        let stages = [stage("open", opening), stage("engine", starting)];
        let asked = arguments.notes(engine.is_cuda());
        let notes: Vec<String> = note.into_iter().chain(ignored).chain(asked).collect();
        notes.iter().for_each(console::note);
        let setup = Setup::new(arguments, sources, Some(&graph));
        let options = options(arguments);
        Ok(Prepared { graph, opening, number, notes, setup, engine, starting, stages, options })
    }
}

/// Returns a note that PageRank ignores the input's weights, because other definitions of PageRank use them.
pub(crate) fn ignored_weights(arguments: &RunArguments, has_weights: bool) -> Option<String> {
    let ignores =
        arguments.program == Program::Pagerank && arguments.weights == WeightChoice::Input && has_weights;
    ignores.then(|| {
        "pagerank ignores the weights of the graph: all out-edges of a vertex are equally likely".to_owned()
    })
}

/// Returns the options of the runs.
pub(crate) fn options(arguments: &RunArguments) -> RunOptions {
    RunOptions::new()
        .steps_at_most(arguments.steps)
        .tolerance(arguments.tolerance.filter(|_| arguments.accumulate))
        .max_steps(arguments.max_steps)
        .time_limit(arguments.time_limit)
        .lossy_weights(arguments.graph.lossy_weights)
        .schedule(arguments.schedule.0)
        .techniques(arguments.techniques())
        .device_memory(arguments.device_memory)
        .rows(arguments.rows)
}

/// The last outcome, the stage times of the first run, the time of each run, and the time when the last run began.
type Repeated<P> = (Outcome<P>, StageTimes, Vec<Duration>, Duration);

/// Visitor that runs the selected program.
struct Runner<'a> {
    arguments: &'a RunArguments,
    prepared: &'a Prepared,
}

impl Visitor for Runner<'_> {
    type Output = Report;

    fn visit<P: EdgeProgram>(self, asked: &Asked<'_, P>) -> Result<Report, Error> {
        let Prepared { graph, engine, options, setup, .. } = self.prepared;
        let program = &(asked.from)(&setup.sources);
        let plan = engine.plan(graph, program, options)?;
        let (outcome, first, runs, delay) = self.repeat(program)?;
        outcome.stats().notes.iter().for_each(console::note);
        let reading = Instant::now();
        let reached = outcome.read()?.reached();
        let read_back = reading.elapsed();
        let answers = self.answer(&outcome, asked, delay)?;
        let report = self.report(plan, &outcome, (reached, read_back), first, runs, answers);
        std::mem::forget(outcome);
        Ok(report)
    }
}

impl Runner<'_> {
    /// Runs as often as requested. Returns the last outcome, the stage times of the first run, the time of each run, and
    /// the time from the start of the command to the beginning of the last run.
    fn repeat<P: EdgeProgram>(&self, program: &P) -> Result<Repeated<P>, Error> {
        let name = self.arguments.program.name();
        let bars = Bars::begin(name);
        let options = console::stoppable(self.prepared.options.clone()).progress(bars.progress());
        let loaded = ManuallyDrop::new(self.prepared.engine.load(&self.prepared.graph));
        let is_traced = self.arguments.trace.is_some() || self.arguments.plot.is_some();
        let last = options.clone().trace(is_traced);
        let options = |run: u32| if run == self.arguments.repeat { &last } else { &options };
        let mut delay = clock::elapsed();
        let mut outcome = loaded.run_with(program, options(1))?;
        let first = outcome.stats().times;
        let mut runs = vec![first.run];
        for run in 2..=self.arguments.repeat {
            delay = clock::elapsed();
            outcome = loaded.run_with(program, options(run))?;
            runs.push(outcome.stats().times.run);
        }
        Ok((outcome, first, runs, delay))
    }

    /// Verifies, writes and looks up the requested results.
    fn answer<P: EdgeProgram>(
        &self,
        outcome: &Outcome<P>,
        asked: &Asked<'_, P>,
        delay: Duration,
    ) -> Result<Answers, Error> {
        let mut answers = Answers::default();
        if self.arguments.verify {
            let bars = Bars::begin("verifying");
            let began = Instant::now();
            answers.verification = Some((asked.check)(&self.prepared.setup, outcome)?);
            answers.verifying = Some(began.elapsed());
            drop(bars);
            console::go_on()?;
        }
        let began = Instant::now();
        if let Some(id) = self.arguments.path_to {
            answers.path = Some((id, outcome.path_to(id)?));
        }
        if let Some(to) = &self.arguments.predecessors {
            let predecessors: Vec<(u64, Option<u64>)> = outcome.predecessors()?.collect();
            let of = |ranks: Range<u32>| predecessors[ranks.start as usize..ranks.end as usize].to_vec();
            write_lines(to, predecessors.len() as u32, of)?;
        }
        if self.arguments.path_to.is_some() || self.arguments.predecessors.is_some() {
            answers.finding_paths = Some(began.elapsed());
        }
        if let Some(to) = &self.arguments.output {
            let began = Instant::now();
            let values = outcome.read()?;
            let vertices = self.prepared.graph.num_vertices();
            match asked.scale {
                Some(scale) => {
                    let sum = scale.sum(values.iter());
                    let divided = |value| (scale.divided)(value, sum);
                    write_lines(to, vertices, |ranks| {
                        values.ranks(ranks).map(|(id, value)| (id, value.map(divided))).collect()
                    })?;
                }
                None => write_lines(to, vertices, |ranks| values.ranks(ranks).collect())?,
            }
            answers.writing = Some(began.elapsed());
        }
        let whole = |trace: &Trace| trace.clone().after(self.prepared.stages, delay);
        outcome.trace().map(whole).map_or(Ok(()), |trace| show(self.arguments, &trace))?;
        Ok(answers)
    }

    fn report<P: EdgeProgram>(
        &self,
        plan: Plan,
        outcome: &Outcome<P>,
        (reached, read_back): (u64, Duration),
        first: StageTimes,
        runs: Vec<Duration>,
        answers: Answers,
    ) -> Report {
        let mut stats = outcome.stats().clone();
        stats.times.read_back += read_back;
        Report {
            graph: Described::of(outcome.graph(), &self.arguments.graph.path),
            opening: self.prepared.opening,
            starting: self.prepared.starting,
            number: P::Value::KIND.name(),
            setup: self.prepared.setup.clone(),
            plan: plan.into(),
            stats,
            first,
            runs,
            reached,
            notes: [&self.prepared.notes[..], &outcome.stats().notes].concat(),
            answers,
        }
    }
}

/// Writes the trace of the last run and draws its plot, if requested.
pub(crate) fn show(arguments: &RunArguments, trace: &Trace) -> Result<(), Error> {
    if trace.lost > 0 {
        console::note(format_args!(
            "{} steps are missing from the trace: the device had no space left to record them",
            trace.lost
        ));
    }
    if let Some(to) = &arguments.trace {
        to.write(|out| trace.write_chrome(out))?;
    }
    if let Some(to) = &arguments.plot {
        let graph = plot::file_name(&arguments.graph.path);
        let name = format!("{} over {graph}", arguments.program.name());
        let svg = plot::picture_of_steps(&name, trace)?;
        to.write(|out| out.write_all(svg.as_bytes()))?;
    }
    Ok(())
}

/// Number of lines that one thread formats at a time.
const LINES: u32 = 1 << 16;

/// Writes a line per id, with its value or `-`, for `count` vertices in ascending order of ids. `of` returns the ids and
/// values of a range of ranks. Floats have enough digits to be read back exactly. All threads format lines.
pub(crate) fn write_lines<T: std::fmt::Debug>(
    to: &Destination,
    count: u32,
    of: impl Fn(Range<u32>) -> Vec<(u64, Option<T>)> + Sync,
) -> Result<(), Error> {
    console::go_on()?;
    let text = |first: u32| {
        let mut text = String::new();
        for (id, value) in of(first..first.saturating_add(LINES).min(count)) {
            // Writing to a String cannot fail.
            let _ = match value {
                Some(value) => writeln!(text, "{id} {value:?}"),
                None => writeln!(text, "{id} -"),
            };
        }
        text
    };
    let at_once = LINES as usize * rayon::current_num_threads();
    to.write(|out| {
        for batch in (0..count).step_by(at_once) {
            let end = batch.saturating_add(at_once as u32).min(count);
            let firsts: Vec<u32> = (batch..end).step_by(LINES as usize).collect();
            let texts: Vec<String> = firsts.into_par_iter().map(text).collect();
            texts.iter().try_for_each(|text| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_in_order_in_any_number_of_pieces() {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        for count in [0, 1, LINES - 1, LINES, LINES + 1, 9 * LINES + 5] {
            let path = folder.path().join("lines");
            let of = |ranks: Range<u32>| {
                ranks.map(|rank| (u64::from(rank), (rank % 3 > 0).then_some(rank / 2))).collect()
            };
            write_lines(&Destination::File(path.clone()), count, of).expect("the file can be written");
            let text = std::fs::read_to_string(&path).expect("the file was written");
            let expected = (0..count).map(|rank| match rank % 3 {
                0 => format!("{rank} -"),
                _ => format!("{rank} {}", rank / 2),
            });
            assert!(text.lines().eq(expected), "{count} lines");
        }
    }
}

//! `wolfpath run --each-source`: runs a program once per source, with runs that share their work, and reports on all of
//! them.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::{Many, ManyStats, RunError, Sharing};

use crate::arguments::RunArguments;
use crate::bars::Bars;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::json::{graph_json, object, seconds};
use crate::open::origin;
use crate::report::{launches_text, median, repeats_json, streamed_json};
use crate::run::Prepared;
use crate::task::{self, Asked, Setup, Visitor};
use crate::verify::{Verification, shown};

/// Runs the program from each source, and prints, writes and verifies the results as requested.
pub(crate) fn run_each(arguments: &RunArguments, prepared: &Prepared) -> Result<(), Error> {
    let runner = Runner { arguments, prepared };
    let report = task::visit(arguments.program, prepared.number, &prepared.setup, runner)?;
    let text = if arguments.json {
        format!("{:#}\n", report.json(arguments, prepared))
    } else {
        report.text(arguments, prepared)
    };
    if arguments.output.as_ref().is_some_and(Destination::is_stdout) {
        console::tell(text.trim_end());
    } else {
        console::print(&text)?;
    }
    let wrong = report.runs.into_iter().find_map(|run| {
        let wrong = run.verification.filter(|of| of.differences > 0)?;
        Some((run.source, wrong))
    });
    wrong.map_or(Ok(()), |(source, wrong)| {
        wrong.into_result(format!("{} from {source}", arguments.program.name()))
    })
}

/// Describes how many runs were grouped in which way. Each description is listed once, with its number of occurrences.
pub(crate) fn ways<'a>(parts: impl Iterator<Item = (usize, &'a Sharing)>) -> Vec<String> {
    let mut ways: Vec<(usize, usize, &Sharing)> = Vec::new();
    for (runs, sharing) in parts {
        match ways.iter_mut().find(|(of, _, as_they)| *of == runs && *as_they == sharing) {
            Some((_, times, _)) => *times += 1,
            None => ways.push((runs, 1, sharing)),
        }
    }
    let told = |(runs, times, sharing)| match times {
        1 => format!("{runs} {sharing}"),
        times => format!("{times} times {runs} {sharing}"),
    };
    ways.into_iter().map(told).collect()
}

/// Result of one run.
struct RunResult {
    source: u64,
    reached: u64,
    steps: u64,
    verification: Option<Verification>,
}

/// Report on the finished runs.
struct Report {
    number: &'static str,
    /// Bytes of all arrays of the largest batch, computed before anything was allocated.
    planned_bytes: u64,
    engine_reason: String,
    stats: ManyStats,
    /// Stage times of the first repetition, which compiled the program and loaded the graph.
    first: wolfpath::StageTimes,
    /// Total time of all runs, per repetition.
    times: Vec<Duration>,
    runs: Vec<RunResult>,
    writing: Option<Duration>,
}

/// Converts an error. If it is the error of some of the runs, replaces their indices by their sources.
fn by_source(error: RunError, sources: &[u64]) -> Error {
    match error {
        RunError::OfMany { runs, done, all, error } => {
            let sources = runs.into_iter().map(|run| sources[run]).collect();
            Error::OfMany { sources, done, all, error: Box::new((*error).into()) }
        }
        error => error.into(),
    }
}

struct Runner<'a> {
    arguments: &'a RunArguments,
    prepared: &'a Prepared,
}

impl Visitor for Runner<'_> {
    type Output = Report;

    fn visit<P: EdgeProgram>(self, asked: &Asked<'_, P>) -> Result<Report, Error> {
        let Prepared { graph, engine, setup, options, .. } = self.prepared;
        let programs: Vec<P> = setup.sources.iter().map(|&id| (asked.from)(&[id])).collect();
        let parts = engine.plan_many(graph, &programs, options)?;
        let bars = Bars::begin(format_args!("{} from each source", self.arguments.program.name()));
        let options = console::stoppable(options.clone()).progress(bars.progress());
        let loaded = engine.load(graph);
        let (mut first, mut times) = (None, Vec::new());
        let many = loop {
            let many = loaded.run_many_with(&programs, &options);
            let many = many.map_err(|error| by_source(error, &setup.sources))?;
            first.get_or_insert(many.stats().times);
            times.push(many.stats().times.run);
            if times.len() == self.arguments.repeat as usize {
                break many;
            }
        };
        drop(bars);
        many.stats().notes.iter().for_each(console::note);
        let (runs, writing) = (self.judge(&many, asked)?, self.write(&many)?);
        Ok(Report {
            number: P::Value::KIND.name(),
            planned_bytes: parts.iter().map(|part| part.plan.bytes()).max().unwrap_or(0),
            engine_reason: parts.into_iter().next().map_or_else(String::new, |part| part.plan.engine_reason),
            stats: many.stats().clone(),
            first: first.unwrap_or_default(),
            times,
            runs,
            writing,
        })
    }
}

impl Runner<'_> {
    /// Returns the result of each run, compared with the oracle if requested.
    fn judge<P: EdgeProgram>(&self, many: &Many<P>, asked: &Asked<'_, P>) -> Result<Vec<RunResult>, Error> {
        let bars = self.arguments.verify.then(|| Bars::begin("verifying"));
        let mut runs = Vec::with_capacity(many.len());
        for (outcome, &source) in many.outcomes().zip(&self.prepared.setup.sources) {
            let outcome = outcome?;
            let setup = Setup { sources: vec![source], ..self.prepared.setup.clone() };
            let check = || (asked.check)(&setup, &outcome);
            let verification = bars.as_ref().map(|_| check()).transpose()?;
            let reached = outcome.read()?.reached();
            runs.push(RunResult { source, reached, steps: outcome.steps(), verification });
            console::go_on()?;
        }
        Ok(runs)
    }

    /// Writes one line per id, with its value in each run.
    fn write<P: EdgeProgram>(&self, many: &Many<P>) -> Result<Option<Duration>, Error> {
        let Some(to) = &self.arguments.output else { return Ok(None) };
        let began = Instant::now();
        let mut columns = (0..many.len()).map(|run| many.values(run)).collect::<Result<Vec<_>, _>>()?;
        console::go_on()?;
        to.write(|out| {
            write!(out, "# id")?;
            self.prepared.setup.sources.iter().try_for_each(|id| write!(out, " {id}"))?;
            writeln!(out)?;
            let (first, others) = match columns.split_first_mut() {
                Some(columns) => columns,
                None => return Ok(()),
            };
            for (id, value) in first {
                write!(out, "{id} {}", shown(value))?;
                for other in others.iter_mut() {
                    write!(out, " {}", shown(other.next().and_then(|(_, value)| value)))?;
                }
                writeln!(out)?;
            }
            Ok(())
        })?;
        Ok(Some(began.elapsed()))
    }
}

impl Report {
    fn time_a_run(&self) -> Duration {
        median(self.times.clone()) / u32::try_from(self.runs.len().max(1)).unwrap_or(u32::MAX)
    }

    fn text(&self, arguments: &RunArguments, prepared: &Prepared) -> String {
        let mut text = String::new();
        let mut line = |name: &str, what: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name:<10} {what}");
        };
        let (graph, stats, runs) = (&prepared.graph, &self.stats, self.runs.len());
        let (path, origin) = (arguments.graph.path.display(), origin(graph));
        let (vertices, edges) = (graph.num_vertices(), graph.num_edges());
        line(
            "graph",
            format!("{path}: {vertices} vertices, {edges} edges; {origin} ({:.1?})", prepared.opening),
        );
        line(
            "program",
            format!("{} with {} values from each of {runs} sources", arguments.program.name(), self.number),
        );
        line("engine", format!("{}: {}", stats.engines.join(" and "), self.engine_reason));
        for way in ways(stats.parts.iter().map(|(runs, sharing)| (*runs, sharing))) {
            line("runs", way);
        }
        let bytes = [stats.device_bytes, stats.host_bytes];
        let launches = launches_text(stats.launches, bytes, stats.streamed, stats.times.run);
        let (all, each) = (median(self.times.clone()), self.time_a_run());
        line("run", format!("{} edges{launches}, in {all:.1?}, {each:.1?} per run", stats.edges));
        if stats.shared > 0 {
            let (gained, apart) = (stats.gained(), stats.edges_apart);
            line(
                "gained",
                format!("{gained:.1} times fewer edges visited than by separate runs ({apart} edges)"),
            );
        }
        let reached = self.runs.iter().map(|run| run.reached);
        let (least, most) = (reached.clone().min().unwrap_or(0), reached.max().unwrap_or(0));
        line("reached", format!("{least} to {most} of {vertices} vertices"));
        let wrong = self.runs.iter().filter_map(|run| run.verification.as_ref());
        if let Some(Verification { oracle, .. }) = wrong.clone().next() {
            let wrong = wrong.filter(|run| run.differences > 0).count();
            let what = if wrong == 0 { "no difference".to_owned() } else { format!("{wrong} DIFFER") };
            line("verified", format!("against {oracle}: {runs} runs, {what}"));
        }
        if let Some(to) = &arguments.output {
            line("written", format!("values to {}", to.name()));
        }
        text
    }

    fn json(&self, arguments: &RunArguments, prepared: &Prepared) -> Value {
        let stats = &self.stats;
        let part =
            |(runs, sharing): &(usize, Sharing)| json!({ "runs": runs, "sharing": sharing.to_string() });
        let run = |run: &RunResult| {
            let passed = run.verification.as_ref().map(|verification| verification.differences == 0);
            json!({ "source": run.source, "reached": run.reached, "steps": run.steps, "verified": passed })
        };
        let (first, median) = (&self.first, median(self.times.clone()));
        let times = object([
            ("open", seconds(prepared.opening)),
            ("plan", seconds(first.plan)),
            ("compile", seconds(first.compile)),
            ("load", seconds(first.load)),
            ("run", seconds(median)),
            ("a_run", seconds(self.time_a_run())),
            ("output", self.writing.map_or(Value::Null, seconds)),
        ]);
        object([
            ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
            ("program", json!(arguments.program.name())),
            ("number", json!(self.number)),
            ("graph", graph_json(&prepared.graph, &arguments.graph.path)),
            ("sources", json!(prepared.setup.sources)),
            ("engine", json!(stats.engines.join(" and "))),
            ("engine_reason", json!(self.engine_reason)),
            ("each_source", stats.parts.iter().map(part).collect()),
            ("shared", json!(stats.shared)),
            ("batches", json!(stats.batches)),
            ("edges", json!(stats.edges)),
            ("edges_apart", json!(stats.edges_apart)),
            ("gained", json!(stats.gained())),
            ("launches", json!(stats.launches)),
            ("host_to_device_copies", json!(stats.host_to_device_copies)),
            ("device_to_host_copies", json!(stats.device_to_host_copies)),
            ("device_bytes", json!(stats.device_bytes)),
            ("host_bytes", json!(stats.host_bytes)),
            ("streamed", streamed_json(stats.streamed, stats.times.run)),
            ("planned_bytes", json!(self.planned_bytes)),
            ("seconds", times),
            ("each", self.runs.iter().map(run).collect()),
            ("runs", repeats_json(&self.times)),
            ("output", json!(arguments.output.as_ref().map(Destination::name))),
            ("notes", json!([&prepared.notes[..], &stats.notes].concat())),
        ])
    }
}

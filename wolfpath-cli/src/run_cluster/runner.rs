//! Runs the selected program, and writes and verifies what it finds.

use std::ops::Range;
use std::time::{Duration, Instant};

use wolfpath::cluster::{ShardOutcome, Shards};
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::{Schedule, StageTimes};

use super::parts::Parts;
use super::{Shared, described, on_failure_of_this};
use crate::arguments::RunArguments;
use crate::bars::Bars;
use crate::clock;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::report::{Answers, Planned, Report};
use crate::run::{options, show, write_lines};
use crate::task::{Asked, Scale, Setup, Visitor};
use crate::verify::Verification;

/// The last outcome, the stage times of the first run, the time of each run, and the time when the last run began.
type Repeated<P> = (ShardOutcome<P>, StageTimes, Vec<Duration>, Duration);

/// Visitor that runs the selected program.
pub(super) struct Runner<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) setup: &'a Setup,
    pub(super) parts: Option<Parts>,
    pub(super) notes: Vec<String>,
}

impl Visitor for Runner<'_> {
    type Output = Report;

    fn visit<P: EdgeProgram>(mut self, asked: &Asked<'_, P>) -> Result<Report, Error> {
        let program = (asked.from)(&self.setup.sources);
        let (outcome, first, runs, delay) = self.repeat(&program)?;
        let mut stats = outcome.stats().clone();
        stats.notes.extend(notes_of_checkpoints(self.shared.arguments, &outcome));
        if self.shared.is_first() {
            stats.notes.iter().for_each(console::note);
        }
        let reached = outcome.iter().filter(|(_, value)| value.is_some()).count() as u64;
        let all = self.shared.exchange(vec![reached, stats.edges, stats.updates.unwrap_or(0)])?;
        let sum = |at: usize| all.iter().filter_map(|numbers| numbers.get(at)).sum();
        let reached = sum(0);
        stats.edges = sum(1);
        stats.updates = stats.updates.map(|_| sum(2));
        let answers = self.answer(&program, &outcome, asked, delay)?;
        // No process succeeds unless all do, and unless the values are right.
        let differences = answers.verification.as_ref().map_or(0, |verification| verification.differences);
        let differences = self.shared.tell(vec![differences])?.first().copied().unwrap_or(0);
        if differences > 0 && !self.shared.is_first() {
            return Err(Error::DiffersElsewhere { run: self.shared.arguments.program.name(), differences });
        }
        let Runner { shared: Shared { arguments, graph, stages: [opened, connected] }, setup, notes, .. } =
            self;
        Ok(Report {
            graph: described(graph.shards(), arguments, graph.processes()),
            opening: opened.took,
            starting: connected.took,
            number: P::Value::KIND.name(),
            setup: setup.clone(),
            plan: Planned {
                engine_reason: "the processes share the rows".to_owned(),
                schedule_reason: outcome.schedule_reason().to_owned(),
                bound: None,
                bytes: None,
            },
            notes: [&notes[..], &stats.notes].concat(),
            stats,
            first,
            runs,
            reached,
            answers,
        })
    }
}

/// Says from where the run has continued, and whether it could keep checkpoints.
fn notes_of_checkpoints<P: EdgeProgram>(arguments: &RunArguments, outcome: &ShardOutcome<P>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(folder) = arguments.checkpoints.resumed() {
        let folder = folder.display();
        notes.push(match outcome.resumed_after() {
            Some(steps) => format!("the run continued after {steps} steps, from the checkpoint in {folder}"),
            None => format!("{folder} has no checkpoint: the run started over"),
        });
    }
    if arguments.checkpoints.kept().is_some() && outcome.stats().schedule == Schedule::Union {
        notes.push("union-find has no steps: the run kept no checkpoints".to_owned());
    }
    notes
}

impl Runner<'_> {
    /// Runs as often as requested.
    fn repeat<P: EdgeProgram>(&mut self, program: &P) -> Result<Repeated<P>, Error> {
        let Shared { arguments, graph, .. } = &mut self.shared;
        let bars = (graph.process() == 0).then(|| Bars::begin(arguments.program.name()));
        let progress = bars.as_ref().map(Bars::progress).unwrap_or_default();
        let options = console::stoppable(options(arguments)).progress(progress);
        let is_traced = arguments.trace.is_some() || arguments.plot.is_some();
        let (mut first, mut runs) = (None, Vec::new());
        loop {
            let is_last = runs.len() + 1 == arguments.repeat as usize;
            let delay = clock::elapsed();
            let options = options.clone().trace(is_traced && is_last);
            let outcome = match arguments.checkpoints.checkpoints() {
                Some(checkpoints) => graph.run_with_checkpoints(program, &options, &checkpoints)?,
                None => graph.run_with(program, &options)?,
            };
            let times = outcome.stats().times;
            runs.push(times.run);
            let first = *first.get_or_insert(times);
            if is_last {
                return Ok((outcome, first, runs, delay));
            }
        }
    }

    /// Writes, verifies and looks up the requested results.
    fn answer<P: EdgeProgram>(
        &mut self,
        program: &P,
        outcome: &ShardOutcome<P>,
        asked: &Asked<'_, P>,
        delay: Duration,
    ) -> Result<Answers, Error> {
        let mut answers = Answers::default();
        self.gather(program, outcome, asked, &mut answers)?;
        self.write_parts(outcome, asked.scale, &mut answers)?;
        self.find_paths(outcome, &mut answers)?;
        let Shared { arguments, graph, stages } = &self.shared;
        if let Some(trace) = outcome.trace().filter(|_| self.shared.is_first()) {
            let shown = show(arguments, &trace.clone().after(*stages, delay));
            on_failure_of_this(graph.cluster(), shown)?;
        }
        Ok(answers)
    }

    /// Gathers the values in process 0, which writes them to a file and verifies them, as requested.
    fn gather<P: EdgeProgram>(
        &mut self,
        program: &P,
        outcome: &ShardOutcome<P>,
        asked: &Asked<'_, P>,
        answers: &mut Answers,
    ) -> Result<(), Error> {
        let Shared { arguments, graph, .. } = &mut self.shared;
        let to_file = arguments.output.as_ref().filter(|_| self.parts.is_none());
        // All processes gather, or none: the options have been compared.
        if !arguments.verify && to_file.is_none() {
            return Ok(());
        }
        let Some(values) = graph.gather(outcome)? else { return Ok(()) };
        let mut answer = || -> Result<(), Error> {
            let began = Instant::now();
            if let Some(to) = to_file {
                match asked.scale {
                    Some(scale) => {
                        let sum = scale.sum(values.iter().copied());
                        write_pairs(to, &divided(values.iter().copied(), scale, sum))?;
                    }
                    None => write_pairs(to, &values)?,
                }
                answers.writing = Some(began.elapsed());
            }
            let began = Instant::now();
            if arguments.verify {
                let setup = self.setup;
                answers.verification =
                    Some(judge(arguments, setup, graph.shards(), program, outcome, asked, &values)?);
                answers.verifying = Some(began.elapsed());
            }
            Ok(())
        };
        let answered = answer();
        on_failure_of_this(graph.cluster(), answered)
    }

    /// Writes the values of this process's vertices to the folder for them, if one is named.
    fn write_parts<P: EdgeProgram>(
        &mut self,
        outcome: &ShardOutcome<P>,
        scale: Option<Scale<P::Value>>,
        answers: &mut Answers,
    ) -> Result<(), Error> {
        let Some(parts) = &self.parts else { return Ok(()) };
        let (shared, began) = (&mut self.shared, Instant::now());
        // Until all parts are written, the folder has no manifest.
        on_failure_of_this(shared.graph.cluster(), parts.remove_manifest())?;
        shared.wait()?;
        let values = match scale {
            Some(scale) => {
                let sums = shared.exchange(vec![scale.sum(outcome.iter()).to_bits()])?;
                let sum = sums.iter().flatten().copied().map(f64::from_bits).sum();
                divided(outcome.iter(), scale, sum)
            }
            None => outcome.iter().collect(),
        };
        on_failure_of_this(shared.graph.cluster(), parts.write(values))?;
        shared.wait()?;
        on_failure_of_this(shared.graph.cluster(), parts.finish(shared.arguments.program))?;
        answers.writing = Some(began.elapsed());
        Ok(())
    }

    /// Finds predecessors and a path, if they are requested.
    fn find_paths<P: EdgeProgram>(
        &mut self,
        outcome: &ShardOutcome<P>,
        answers: &mut Answers,
    ) -> Result<(), Error> {
        let Shared { arguments, graph, .. } = &mut self.shared;
        if arguments.path_to.is_none() && arguments.predecessors.is_none() {
            return Ok(());
        }
        let began = Instant::now();
        let predecessors = graph.predecessors(outcome)?;
        if let Some(id) = arguments.path_to {
            answers.path = Some((id, graph.path_to(&predecessors, id)?));
        }
        if let Some(to) = &arguments.predecessors {
            let all = graph.gather_predecessors(&predecessors)?;
            let written = all.map_or(Ok(()), |all| write_pairs(to, &all));
            on_failure_of_this(graph.cluster(), written)?;
        }
        answers.finding_paths = Some(began.elapsed());
        Ok(())
    }
}

/// Returns values divided by the sum of all.
fn divided<V: Datum>(
    values: impl Iterator<Item = (u64, Option<V>)>,
    scale: Scale<V>,
    sum: f64,
) -> Vec<(u64, Option<V>)> {
    values.map(|(id, value)| (id, value.map(|value| (scale.divided)(value, sum)))).collect()
}

/// Writes a line per id, with its datum or `-`.
pub(super) fn write_pairs<T: Copy + std::fmt::Debug + Sync + Send>(
    to: &Destination,
    pairs: &[(u64, Option<T>)],
) -> Result<(), Error> {
    let of = |ranks: Range<u32>| pairs[ranks.start as usize..ranks.end as usize].to_vec();
    write_lines(to, pairs.len() as u32, of)
}

/// Compares the values of all vertices with the oracle's. This needs the whole graph.
fn judge<P: EdgeProgram>(
    arguments: &RunArguments,
    setup: &Setup,
    shards: &Shards,
    program: &P,
    outcome: &ShardOutcome<P>,
    asked: &Asked<'_, P>,
    values: &[(u64, Option<P::Value>)],
) -> Result<Verification, Error> {
    let _bars = Bars::begin("verifying");
    let layers = LayerOptions::new().root(shards.root());
    let graph = LayeredGraph::from_edge_list(shards.to_edge_list()?, &layers)?;
    let graph = match &arguments.weight_column {
        Some(name) => graph.with_weight_column(name)?,
        None => graph.with_weights(arguments.weights),
    };
    let by_rank: Vec<Option<P::Value>> = values.iter().map(|&(_, value)| value).collect();
    let of_run = (outcome.stats().clone(), None);
    let outcome = Outcome::gathered(&graph, program, &by_rank, of_run, outcome.aggregate());
    let verification = (asked.check)(setup, &outcome)?;
    console::go_on()?;
    Ok(verification)
}

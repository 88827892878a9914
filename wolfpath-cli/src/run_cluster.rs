//! `wolfpath run --engine cluster`: runs a program over the shards of a graph, which several processes share.
//!
//! Every process executes this, with the same options. Process 0 names the sources, verifies, reports, and writes what is not
//! written by parts.

mod explain;
mod parts;

use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::json;
use wolfpath::cluster::{Cluster, ClusterGraph, ShardOutcome, Shards};
use wolfpath::graph::{LayerOptions, LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::program::{Datum, DatumKind};
use wolfpath::{OutcomeError, PlanError, RunError, StageTrace};

use crate::arguments::{Program, RunArguments};
use crate::bars::Bars;
use crate::clock;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::json::object;
use crate::number::{self, WeightFacts};
use crate::open::start_threads;
use crate::processes::{Processes, connect};
use crate::report::{Answers, Described, Planned, Report};
use crate::run::{ignored_weights, options, show, write_lines};
use crate::shards::{refuse_reading_options, shards_of};
use crate::sources::{NamedSources, root};
use crate::task::{self, Asked, Setup, Visitor};
use crate::verify::Verification;
pub(crate) use explain::explain;
use parts::Parts;

pub(crate) fn run(arguments: &RunArguments) -> Result<(), Error> {
    refuse_reading_options(&arguments.graph, &arguments.keeping)?;
    start_threads(Some(threads(arguments)))?;
    if arguments.cluster.starts_others() {
        open(arguments)?;
    }
    let began = clock::elapsed();
    let connecting = Instant::now();
    // Dropped in reverse order: the others leave only when this process does.
    let Processes { started: _started, cluster } = connect(&arguments.cluster)?;
    let connected = StageTrace { name: "connect", began, took: connecting.elapsed() };
    let (began, opening) = (clock::elapsed(), Instant::now());
    let shards = on_failure_of_this(&cluster, open(arguments))?;
    let is_first = cluster.process() == 0;
    if is_first {
        shards.notes().iter().for_each(console::note);
    }
    let graph = cluster.load(shards)?.with_weights(arguments.weights);
    let opened = StageTrace { name: "open", began, took: opening.elapsed() };
    let report = Shared { arguments, graph, stages: [opened, connected] }.run()?;
    if !is_first {
        return Ok(());
    }
    let verification = report.answers.verification.clone();
    report.print(arguments)?;
    verification.map_or(Ok(()), |verification| verification.into_result(arguments.program.name()))
}

/// Opens the folder of shards.
fn open(arguments: &RunArguments) -> Result<Shards, Error> {
    let path = &arguments.graph.path;
    if path.is_file() {
        return Err(Error::NotShards { path: path.clone() });
    }
    Ok(Shards::open(path)?)
}

/// Returns the number of threads of this process. Processes on one machine share its cores.
fn threads(arguments: &RunArguments) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let here = if arguments.cluster.local { arguments.cluster.processes().into() } else { 1 };
    arguments.graph.threads.unwrap_or_else(|| (cores() / here).max(1))
}

/// Makes all other processes fail, if this one has failed.
fn on_failure_of_this<T>(cluster: &Cluster, done: Result<T, Error>) -> Result<T, Error> {
    done.inspect_err(|error| cluster.abort(&error.to_string()))
}

/// Returns the type of the weights as they are stored; `None` if all are 1.
fn kind_of_weights(shards: &Shards, weights: WeightChoice) -> Option<DatumKind> {
    match weights {
        WeightChoice::Random { .. } => Some(DatumKind::U32),
        // The weight comes first. If none of several columns is the weight, runs say so.
        WeightChoice::Input => shards.columns().next().map(|(kind, _)| kind),
        _ => None,
    }
}

/// Returns an error if the program is adsorption.
fn refuse_adsorption(program: Program) -> Result<(), Error> {
    if program != Program::Adsorption {
        return Ok(());
    }
    let reason = "its inputs are computed from the whole graph";
    Err(PlanError::NotShared { program: "adsorption", reason }.into())
}

/// The weights of a graph that processes share.
struct SharedWeights<'a>(&'a mut ClusterGraph, WeightChoice);

impl WeightFacts for SharedWeights<'_> {
    fn kind(&self) -> Option<DatumKind> {
        kind_of_weights(self.0.shards(), self.1)
    }

    fn negative(&self) -> Option<PlanError> {
        None
    }

    fn sums_fit(&mut self, most: u64) -> Result<bool, Error> {
        Ok(self.0.length_bound(0, most)?.is_some())
    }
}

/// A run that this process shares with others.
struct Shared<'a> {
    arguments: &'a RunArguments,
    graph: ClusterGraph,
    stages: [StageTrace; 2],
}

impl Shared<'_> {
    fn run(mut self) -> Result<Report, Error> {
        let arguments = self.arguments;
        refuse_adsorption(arguments.program)?;
        self.compare()?;
        let named = match self.is_first() {
            true => NamedSources::of(arguments),
            false => Ok(NamedSources::none()),
        };
        let named = on_failure_of_this(self.graph.cluster_mut(), named)?;
        let sources = self.tell(self.sources(&named))?;
        let parts = self.parts()?;
        let weights = SharedWeights(&mut self.graph, arguments.weights);
        let (number, note) = number::choose(arguments.program, arguments.precision, weights)?;
        let ignored = ignored_weights(arguments, self.graph.shards().columns().len() > 0);
        let notes: Vec<String> = note.into_iter().chain(ignored).chain(arguments.notes(false)).collect();
        if self.is_first() {
            notes.iter().for_each(console::note);
        }
        let setup = Setup::new(arguments, sources, None);
        let runner = Runner { shared: self, setup: &setup, named: &named, parts, notes };
        task::visit(arguments.program, number, &setup, runner)
    }

    fn is_first(&self) -> bool {
        self.graph.process() == 0
    }

    /// Compares the options that decide which exchanges follow. Runs compare all others.
    fn compare(&mut self) -> Result<(), Error> {
        let RunArguments { program, precision, weights, repeat, verify, path_to, .. } = self.arguments;
        let name = |to: &Option<Destination>| to.as_ref().map_or("none".to_owned(), Destination::name);
        let settings = [
            ("program", program.name().to_owned()),
            ("precision", format!("{precision:?}")),
            ("choice of weights", weights.to_string()),
            ("number of runs (--repeat)", repeat.to_string()),
            ("choice of verifying (--verify)", verify.to_string()),
            ("output", name(&self.arguments.output)),
            ("file of predecessors", name(&self.arguments.predecessors)),
            ("vertex of a path", path_to.map_or("none".to_owned(), |id| id.to_string())),
        ];
        Ok(self.graph.cluster_mut().compare(&settings)?)
    }

    /// Returns the sources, in process 0.
    fn sources(&self, named: &NamedSources) -> Vec<u64> {
        let mut sources = named.ids();
        if self.is_first() && sources.is_empty() && self.arguments.program.takes_sources() {
            let shards = self.graph.shards();
            sources.extend(root(shards.root(), shards.root_reason()));
        }
        sources
    }

    /// Tells numbers of process 0 to all.
    fn tell(&mut self, numbers: Vec<u64>) -> Result<Vec<u64>, Error> {
        let heard = self.exchange(numbers)?;
        Ok(heard.into_iter().next().unwrap_or_default())
    }

    /// Tells numbers to all processes, and returns those of each.
    fn exchange(&mut self, numbers: Vec<u64>) -> Result<Vec<Vec<u64>>, Error> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let processes = self.graph.processes();
        let heard = self.graph.cluster_mut().exchange(vec![bytes; processes])?;
        let numbers =
            |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        Ok(heard.into_iter().map(numbers).collect())
    }

    /// Checks where results are to be written. Returns the folder to which each process writes its part, if the values are to
    /// be written to one.
    fn parts(&mut self) -> Result<Option<Parts>, Error> {
        let arguments = self.arguments;
        let checked = match self.is_first() {
            true => check_outputs(arguments),
            false => Ok(false),
        };
        let writes_parts = on_failure_of_this(self.graph.cluster_mut(), checked)?;
        let writes_parts = self.tell(vec![writes_parts.into()])?.first() == Some(&1);
        let folder = arguments.output.as_ref().filter(|_| writes_parts).and_then(Destination::path);
        let Some(folder) = folder else { return Ok(None) };
        let parts = Parts::new(folder, self.graph.process());
        // Process 0 has done it, and the folder may be on another disk here.
        let prepared = if self.is_first() { Ok(()) } else { parts.create() };
        on_failure_of_this(self.graph.cluster_mut(), prepared)?;
        Ok(Some(parts))
    }
}

/// Checks that the results can be written. Returns `true` if the values are to be written to a folder, and prepares it.
fn check_outputs(arguments: &RunArguments) -> Result<bool, Error> {
    let folder = arguments.output.as_ref().and_then(Destination::path).filter(|path| parts::is_folder(path));
    for (_, to) in arguments.outputs() {
        if folder.is_none() || to.path() != folder {
            to.check()?;
        }
        if let Some(list) = &arguments.sources_from {
            to.check_beside(list, "the list of sources")?;
        }
    }
    folder.map_or(Ok(()), |folder| Parts::new(folder, 0).prepare())?;
    Ok(folder.is_some())
}

/// Visitor that runs the selected program.
struct Runner<'a> {
    shared: Shared<'a>,
    setup: &'a Setup,
    named: &'a NamedSources,
    parts: Option<Parts>,
    notes: Vec<String>,
}

impl Visitor for Runner<'_> {
    type Output = Report;

    fn visit<P: EdgeProgram>(mut self, asked: &Asked<'_, P>) -> Result<Report, Error> {
        let program = (asked.from)(&self.setup.sources);
        let (outcome, runs, delay) = self.repeat(&program)?;
        let mut stats = outcome.stats().clone();
        let first = stats.times;
        let reached = outcome.iter().filter(|(_, value)| value.is_some()).count() as u64;
        let all = self.shared.exchange(vec![reached, stats.edges])?;
        let sum = |at: usize| all.iter().filter_map(|numbers| numbers.get(at)).sum();
        let reached = sum(0);
        stats.edges = sum(1);
        let answers = self.answer(&program, &outcome, asked, delay)?;
        // No process succeeds unless all do.
        self.shared.exchange(Vec::new())?;
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

impl Runner<'_> {
    /// Runs as often as requested. Returns the last outcome, the time of each run, and the time from the start of the command
    /// to the beginning of the last run.
    fn repeat<P: EdgeProgram>(
        &mut self,
        program: &P,
    ) -> Result<(ShardOutcome<P>, Vec<Duration>, Duration), Error> {
        let Shared { arguments, graph, .. } = &mut self.shared;
        let bars = (graph.process() == 0).then(|| Bars::begin(arguments.program.name()));
        let progress = bars.as_ref().map(Bars::progress).unwrap_or_default();
        let options = console::stoppable(options(arguments)).progress(progress);
        let is_traced = arguments.trace.is_some() || arguments.plot.is_some();
        let mut runs = Vec::new();
        loop {
            let is_last = runs.len() + 1 == arguments.repeat as usize;
            let delay = clock::elapsed();
            let ran = graph.run_with(program, &options.clone().trace(is_traced && is_last));
            let outcome = ran.map_err(|error| match error {
                RunError::Plan(PlanError::UnknownSource { id }) => {
                    self.named.unknown(arguments, id, known(graph.shards()))
                }
                other => other.into(),
            })?;
            runs.push(outcome.stats().times.run);
            if is_last {
                return Ok((outcome, runs, delay));
            }
        }
    }

    /// Verifies and writes the requested results.
    fn answer<P: EdgeProgram>(
        &mut self,
        program: &P,
        outcome: &ShardOutcome<P>,
        asked: &Asked<'_, P>,
        delay: Duration,
    ) -> Result<Answers, Error> {
        let Shared { arguments, graph, stages } = &mut self.shared;
        let mut answers = Answers::default();
        let to_file = arguments.output.as_ref().filter(|_| self.parts.is_none());
        // All processes gather, or none: the options have been compared.
        if arguments.verify || to_file.is_some() {
            let values = graph.gather(outcome)?;
            let done = values.map_or(Ok(()), |values| {
                let judged = judge(arguments, self.setup, graph.shards(), program, outcome, asked, &values);
                (answers.verification, answers.verifying) = judged?;
                let began = Instant::now();
                if let Some(to) = to_file {
                    write_pairs(to, &values)?;
                    answers.writing = Some(began.elapsed());
                }
                Ok(())
            });
            on_failure_of_this(graph.cluster_mut(), done)?;
        }
        if let Some(parts) = &self.parts {
            let began = Instant::now();
            let written = parts.write(outcome.iter().collect());
            on_failure_of_this(graph.cluster_mut(), written)?;
            // The manifest is written when all parts are.
            let (is_first, processes) = (graph.process() == 0, graph.processes());
            graph.cluster_mut().exchange(vec![Vec::new(); processes])?;
            let listed = if is_first { parts.write_manifest(arguments.program, processes) } else { Ok(()) };
            on_failure_of_this(graph.cluster_mut(), listed)?;
            answers.writing = Some(began.elapsed());
        }
        if arguments.path_to.is_some() || arguments.predecessors.is_some() {
            let began = Instant::now();
            let predecessors = graph.predecessors(outcome)?;
            if let Some(id) = arguments.path_to {
                let path = graph.path_to(&predecessors, id);
                let path = path.map_err(|error| match error {
                    OutcomeError::UnknownVertex { id } => {
                        let (path, known) = (arguments.graph.path.clone(), known(graph.shards()));
                        Error::UnknownVertex { path, option: "--path-to", id, known }
                    }
                    other => other.into(),
                })?;
                answers.path = Some((id, path));
            }
            if let Some(to) = &arguments.predecessors {
                let all = graph.gather_predecessors(&predecessors)?;
                let written = all.map_or(Ok(()), |all| write_pairs(to, &all));
                on_failure_of_this(graph.cluster_mut(), written)?;
            }
            answers.finding_paths = Some(began.elapsed());
        }
        if let Some(trace) = outcome.trace().filter(|_| graph.process() == 0) {
            let shown = show(arguments, &trace.clone().after(*stages, delay));
            on_failure_of_this(graph.cluster_mut(), shown)?;
        }
        Ok(answers)
    }
}

/// Says which ids are in the graph.
fn known(shards: &Shards) -> String {
    format!("it has {} others", shards.num_vertices())
}

/// Writes a line per id, with its datum or `-`.
fn write_pairs<T: Copy + std::fmt::Debug + Sync + Send>(
    to: &Destination,
    pairs: &[(u64, Option<T>)],
) -> Result<(), Error> {
    let of = |ranks: Range<u32>| pairs[ranks.start as usize..ranks.end as usize].to_vec();
    write_lines(to, pairs.len() as u32, of)
}

/// Compares the values of all vertices with the oracle's, if requested. This needs the whole graph.
fn judge<P: EdgeProgram>(
    arguments: &RunArguments,
    setup: &Setup,
    shards: &Shards,
    program: &P,
    outcome: &ShardOutcome<P>,
    asked: &Asked<'_, P>,
    values: &[(u64, Option<P::Value>)],
) -> Result<(Option<Verification>, Option<Duration>), Error> {
    if !arguments.verify {
        return Ok((None, None));
    }
    let _bars = Bars::begin("verifying");
    let began = Instant::now();
    let layers = LayerOptions::new().root(shards.root());
    let graph = LayeredGraph::from_edge_list(shards.to_edge_list()?, &layers)?;
    let graph = graph.with_weights(arguments.weights);
    let by_rank: Vec<Option<P::Value>> = values.iter().map(|&(_, value)| value).collect();
    let stats = outcome.stats().clone();
    let outcome = Outcome::gathered(&graph, program, &by_rank, stats, outcome.aggregate());
    let verification = (asked.check)(setup, &outcome)?;
    console::go_on()?;
    Ok((Some(verification), Some(began.elapsed())))
}

/// Describes the graph for the report.
fn described(shards: &Shards, arguments: &RunArguments, processes: usize) -> Described {
    let path = &arguments.graph.path;
    let (vertices, edges, layers) =
        (shards.num_vertices(), shards.num_edges(), shards.layer_offsets().len() - 1);
    let columns: Vec<&str> = shards.columns().map(|(_, name)| name).collect();
    let json = object([
        ("path", json!(path.to_string_lossy())),
        ("vertices", json!(vertices)),
        ("edges", json!(edges)),
        ("layers", json!(layers)),
        ("root", json!(shards.root())),
        ("symmetric", json!(!shards.has_in_rows())),
        ("weighted", json!(!columns.is_empty())),
        ("weights", json!(arguments.weights.to_string())),
        ("columns", json!(columns)),
        ("shards", json!(shards.num_shards())),
        ("processes", json!(processes)),
        ("notes", json!(shards.notes())),
    ]);
    let number = shards_of(shards.num_shards());
    let text = format!("{vertices} vertices, {edges} edges, {layers} layers; {number}");
    Described { vertices, text, json }
}

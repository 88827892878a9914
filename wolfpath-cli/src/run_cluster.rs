//! `wolfpath run --engine cluster`: takes part in a run on a cluster.
//!
//! Every process executes this, with the same options. Process 0 names the sources, verifies, reports, and writes what is not
//! written by parts.

mod explain;
mod parts;
mod runner;
mod weights;

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use wolfpath::cluster::{Cluster, ClusterGraph, Shards};
use wolfpath::graph::WeightChoice;
use wolfpath::programs::Adsorption;
use wolfpath::{ScheduleChoice, StageTrace};

use crate::arguments::{Program, RunArguments};
use crate::clock;
use crate::console;
use crate::destination::{Destination, is_in};
use crate::error::Error;
use crate::json::object;
use crate::number;
use crate::open::start_threads;
use crate::processes::{Processes, connect, threads};
use crate::report::{Described, Report};
use crate::run::{ignored_weights, options};
use crate::shards::{refuse_reading_options, shards_of};
use crate::sources::{NamedSources, root};
use crate::task::{self, Setup};
pub(crate) use explain::explain;
use parts::Parts;
use runner::Runner;
use weights::SharedWeights;

pub(crate) fn run(arguments: &RunArguments) -> Result<(), Error> {
    refuse_reading_options(&arguments.graph, &arguments.keeping)?;
    start_threads(threads(&arguments.cluster, arguments.graph.threads))?;
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
    let shards = Shards::open(path)?;
    match &arguments.weight_column {
        Some(name) => Ok(shards.with_weight_column(name)?),
        None => Ok(shards),
    }
}

/// Makes all other processes fail, if this one has failed.
fn on_failure_of_this<T>(cluster: &Cluster, done: Result<T, Error>) -> Result<T, Error> {
    done.inspect_err(|error| cluster.abort(&error.to_string()))
}

/// Returns the sources that the user named. If the user named none, returns the root of the layers, and says so in a note.
fn sources_or_root(
    named: &NamedSources,
    arguments: &RunArguments,
    shards: &Shards,
) -> Result<Vec<u64>, Error> {
    named.or_root(arguments, || root(shards.root(), shards.root_reason()))
}

/// Says which ids are in the graph.
fn known(shards: &Shards) -> String {
    format!("it has {} others", shards.num_vertices())
}

/// Returns the value of an option as text.
fn shown<T: ToString>(option: Option<T>) -> String {
    option.map_or_else(|| "none".to_owned(), |value| value.to_string())
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
        self.compare()?;
        let prepared = match self.is_first() {
            true => self.prepare(),
            false => Ok((NamedSources::none(), Vec::new(), false)),
        };
        let (named, sources, writes_parts) = on_failure_of_this(self.graph.cluster(), prepared)?;
        let sources = self.tell(sources)?;
        self.check_ids(&named, &sources)?;
        let parts = self.parts(writes_parts)?;
        let weights = SharedWeights(&mut self.graph, arguments.weights);
        let (number, note) = number::choose(arguments.program, arguments.precision, weights)?;
        let ignored = ignored_weights(arguments, self.graph.shards().columns().len() > 0);
        let notes: Vec<String> = note.into_iter().chain(ignored).chain(arguments.notes(false)).collect();
        if self.is_first() {
            notes.iter().for_each(console::note);
        }
        let mut setup = Setup::new(arguments, sources, None);
        if arguments.program == Program::Adsorption {
            setup.adsorption = Some(self.adsorption(&setup)?);
        }
        task::visit(arguments.program, number, &setup, Runner { shared: self, setup: &setup, parts, notes })
    }

    fn is_first(&self) -> bool {
        self.graph.process() == 0
    }

    /// Compares the options of all processes.
    fn compare(&mut self) -> Result<(), Error> {
        let RunArguments { program, weights, steps, max_steps, damping, tolerance, .. } = *self.arguments;
        let RunArguments { accumulate, verify, repeat, path_to, .. } = *self.arguments;
        // The library compares what follows from --checkpoint, --every and --resume.
        let RunArguments { sources, schedule, precision, output, predecessors, trace, plot, .. } =
            self.arguments;
        let column = self.arguments.weight_column.as_ref();
        let name = |to: &Option<Destination>| shown(to.as_ref().map(Destination::name));
        let settings = [
            ("program", program.name().to_owned()),
            ("--source", format!("{sources:?}")),
            ("--weights", weights.to_string()),
            ("--weight-column", shown(column)),
            ("--lossy-weights", self.arguments.graph.lossy_weights.to_string()),
            ("--precision", shown(precision.map(|precision| format!("{precision:?}")))),
            ("--schedule", shown(schedule.0.map(ScheduleChoice::name))),
            ("--steps", shown(steps)),
            ("--max-steps", shown(max_steps)),
            ("--damping", shown(damping)),
            ("--tolerance", shown(tolerance)),
            ("--accumulate", accumulate.to_string()),
            ("--verify", verify.to_string()),
            ("--repeat", repeat.to_string()),
            ("--path-to", shown(path_to)),
            ("--output", name(output)),
            ("--predecessors", name(predecessors)),
            ("--trace", name(trace)),
            ("--plot", name(plot)),
        ];
        Ok(self.graph.cluster_mut().compare(&settings)?)
    }

    /// Returns the sources, first as they are named, and whether each process is to write its part of the values. Checks what
    /// process 0 needs later.
    fn prepare(&self) -> Result<(NamedSources, Vec<u64>, bool), Error> {
        let (arguments, shards) = (self.arguments, self.graph.shards());
        let named = NamedSources::of(arguments)?;
        let sources = sources_or_root(&named, arguments, shards)?;
        if arguments.verify {
            shards.check_presence()?;
        }
        Ok((named, sources, check_outputs(arguments)?))
    }

    /// Returns adsorption with its inputs, which the processes compute together.
    fn adsorption(&mut self, setup: &Setup) -> Result<Adsorption, Error> {
        let options = options(self.arguments);
        Ok(Adsorption::on_cluster(&mut self.graph, setup.labels(), setup.damping as f32, &options)?)
    }

    /// Returns an error if a source, or the end of a path, is not in the graph.
    fn check_ids(&mut self, named: &NamedSources, sources: &[u64]) -> Result<(), Error> {
        let arguments = self.arguments;
        let ids: Vec<u64> = sources.iter().copied().chain(arguments.path_to).collect();
        let are_known = self.graph.contains(&ids)?;
        let Some(unknown) = are_known.iter().position(|is_known| !is_known) else { return Ok(()) };
        let (id, known) = (ids[unknown], known(self.graph.shards()));
        if unknown < sources.len() {
            return Err(named.unknown(arguments, id, known));
        }
        Err(Error::UnknownVertex { path: arguments.graph.path.clone(), option: "--path-to", id, known })
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

    /// Waits until all processes are here.
    fn wait(&mut self) -> Result<(), Error> {
        self.exchange(Vec::new()).map(|_| ())
    }

    /// Returns the folder to which each process writes its part of the values, if process 0 has found that one is named.
    fn parts(&mut self, writes_parts: bool) -> Result<Option<Parts>, Error> {
        let writes_parts = self.tell(vec![writes_parts.into()])?.first() == Some(&1);
        let folder = self.arguments.output.as_ref().filter(|_| writes_parts).and_then(Destination::path);
        let parts = folder.map(|folder| Parts::new(folder, self.graph.process(), self.graph.processes()));
        let checked = parts.as_ref().map_or(Ok(()), Parts::check);
        on_failure_of_this(self.graph.cluster(), checked)?;
        // No run begins unless all processes can write.
        self.wait()?;
        Ok(parts)
    }
}

/// Checks that the results can be written, and overwrite nothing that is needed. Returns `true` if the values are to be written
/// to a folder.
fn check_outputs(arguments: &RunArguments) -> Result<bool, Error> {
    let folder = arguments.output.as_ref().and_then(Destination::path).filter(|path| parts::is_folder(path));
    for (_, to) in arguments.outputs() {
        let Some(path) = to.path() else { continue };
        if let Some(list) = &arguments.sources_from {
            to.refuse_input(list, "the list of sources")?;
        }
        check_folder(path, &arguments.graph.path, "in the folder of the shards")?;
        if let Some(folder) = folder {
            check_folder(path, folder, "in the folder of the values")?;
        }
        if folder != Some(path) {
            to.check()?;
        }
    }
    if let Some(kept) = arguments.checkpoints.kept() {
        let file = kept.join("checkpoint");
        for (other, what) in
            [(Some(&*arguments.graph.path), "the folder of the shards"), (folder, "the folder of the values")]
        {
            if other.is_some_and(|other| is_in(&file, other)) {
                return Err(Error::InFolder { path: kept.to_owned(), what });
            }
        }
    }
    Ok(folder.is_some())
}

/// Returns an error if a result would be in a folder, which is described by `what`.
fn check_folder(path: &Path, folder: &Path, what: &'static str) -> Result<(), Error> {
    match is_in(path, folder) {
        true => Err(Error::InFolder { path: path.to_owned(), what }),
        false => Ok(()),
    }
}

/// Describes the graph for the report.
fn described(shards: &Shards, arguments: &RunArguments, processes: usize) -> Described {
    let path = &arguments.graph.path;
    let (vertices, edges, layers) =
        (shards.num_vertices(), shards.num_edges(), shards.layer_offsets().len() - 1);
    let columns: Vec<&str> = shards.columns().map(|(_, name)| name).collect();
    let column = shards.weight_column().filter(|_| arguments.weights == WeightChoice::Input);
    let json = object([
        ("path", json!(path.to_string_lossy())),
        ("vertices", json!(vertices)),
        ("edges", json!(edges)),
        ("layers", json!(layers)),
        ("root", json!(shards.root())),
        ("symmetric", json!(!shards.has_in_rows())),
        ("weighted", json!(!columns.is_empty())),
        ("weights", json!(arguments.weights.to_string())),
        ("weight_column", json!(column)),
        ("columns", json!(columns)),
        ("shards", json!(shards.num_shards())),
        ("processes", json!(processes)),
        ("notes", json!(shards.notes())),
    ]);
    let number = shards_of(shards.num_shards());
    let text = format!("{vertices} vertices, {edges} edges, {layers} layers; {number}");
    Described { vertices, text, json }
}

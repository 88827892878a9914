//! The command line, as data.

mod cache;
mod generate;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use wolfpath::Techniques;
use wolfpath::graph::{OpenOptions, WeightChoice};
use wolfpath::load::{Duplicates, Format, LoadOptions, Policy, each_id};
use wolfpath::resources::Resources;
use wolfpath::store::is_wolf;

use crate::destination::Destination;
use crate::error::Error;
use crate::number::Number;
use crate::values::{self, EngineChoice, Scheduling};

pub(crate) use cache::{CacheArguments, CacheCommand, KeepingArguments};
pub(crate) use generate::GenerateArguments;

/// Traversals and other iterative programs over large graphs, on every CPU core or on an NVIDIA GPU.
#[derive(Debug, Parser)]
#[command(name = "wolfpath", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program over a graph
    Run(RunArguments),
    /// Layer a graph once, and keep it in a .wolf file
    Build(BuildArguments),
    /// Show what a graph consists of: vertices, edges, layers, degrees, bytes
    Info(InfoArguments),
    /// Verify a .wolf file: every checksum, and everything that must hold of its numbers
    Check(CheckArguments),
    /// Show how a run would go, without running: engine and why, bytes, bound on steps, what will be compiled
    Explain(RunArguments),
    /// Write a graph in another format
    Convert(ConvertArguments),
    /// Make up a graph
    Generate(GenerateArguments),
    /// Show, empty or limit what is kept between runs: layered graphs, compiled programs, figures of devices
    Cache(CacheArguments),
    /// Print the CUDA C that a bundled program became
    Cuda(CudaArguments),
    /// Show which devices were found, what is missing and how to get it
    Devices,
}

/// The bundled programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Program {
    /// Breadth-first search: hops from the nearest source
    Bfs,
    /// Shortest paths: the smallest sum of weights
    Sssp,
    /// Widest paths: the largest bottleneck
    Widest,
    /// Which vertices the sources reach
    Reach,
    /// Weakly connected components: the smallest id of each
    Components,
    /// PageRank
    Pagerank,
}

impl Program {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Bfs => "bfs",
            Program::Sssp => "sssp",
            Program::Widest => "widest",
            Program::Reach => "reach",
            Program::Components => "components",
            Program::Pagerank => "pagerank",
        }
    }

    /// Whether it starts at sources.
    pub(crate) fn is_traversal(self) -> bool {
        !matches!(self, Program::Components | Program::Pagerank)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fate {
    Keep,
    Drop,
}

impl From<Fate> for Policy {
    fn from(fate: Fate) -> Policy {
        match fate {
            Fate::Keep => Policy::Keep,
            Fate::Drop => Policy::Drop,
        }
    }
}

/// Treatment of edges with the same source and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Merge {
    /// All stay
    Keep,
    /// The first stays
    Drop,
    /// The one with the smallest weight stays
    Min,
    /// The one with the largest weight stays
    Max,
    /// The first stays, with the sum of all weights
    Sum,
}

impl From<Merge> for Duplicates {
    fn from(merge: Merge) -> Duplicates {
        match merge {
            Merge::Keep => Duplicates::Keep,
            Merge::Drop => Duplicates::Drop,
            Merge::Min => Duplicates::Min,
            Merge::Max => Duplicates::Max,
            Merge::Sum => Duplicates::Sum,
        }
    }
}

/// What a run on a GPU can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Technique {
    /// Steps that pull where that costs less than pushing
    Direction,
    /// Thin frontiers expanded several rounds by each warp on its own
    LocalRounds,
    /// A window of shared memory in which blocks remember what they have sent
    SharedWindow,
}

/// Which graph, and how it is read.
#[derive(Debug, Args)]
pub(crate) struct GraphArguments {
    /// The graph: .el .wel .txt .tsv .csv .mtx .gr .graph .sg .wsg .bin32 .bin64, each also .gz .zst .xz, or .wolf
    #[arg(value_name = "GRAPH")]
    pub(crate) path: PathBuf,
    /// Every line of the input is an edge in both directions
    #[arg(long)]
    undirected: bool,
    /// The input's format: el (edge list: SNAP, TSV, CSV, text), mtx, gr, metis, sg, wsg, webgraph, bin32,
    /// bin64, ...; by default told from name and content
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Several edges from one vertex to another: keep all; drop all but the first; keep the one with the
    /// smallest (min) or largest (max) weight; or keep the first, with the sum of their weights
    #[arg(long, value_enum, default_value_t = Merge::Keep, value_name = "FATE", hide_possible_values = true)]
    duplicates: Merge,
    /// What becomes of edges from a vertex to itself
    #[arg(long, value_enum, default_value_t = Fate::Keep, value_name = "FATE")]
    self_loops: Fate,
    /// Pass over columns of an edge list beyond source, target and weight, instead of refusing them
    #[arg(long)]
    ignore_extra_columns: bool,
    /// The names of the numbers behind source and target, where the file does not say; where it does (a first line of
    /// names, Parquet), the columns that are read
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// More vertices, one id per line; those that no edge has are vertices without edges. Lines that begin with # are
    /// skipped
    #[arg(long, value_name = "FILE")]
    vertices: Option<PathBuf>,
    /// Accept weights that the numbers at hand hold only approximately: those of the program, or any at all
    #[arg(long)]
    pub(crate) lossy_weights: bool,
    /// Threads of the CPU; by default one a core
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<usize>,
}

impl GraphArguments {
    /// Returns how the graph is opened. Reads the list of further vertices.
    pub(crate) fn options(&self) -> Result<OpenOptions, Error> {
        Ok(OpenOptions::new().load(self.load_options()?))
    }

    /// Returns how the graph is read. Reads the list of further vertices.
    pub(crate) fn load_options(&self) -> Result<LoadOptions, Error> {
        let mut vertices = Vec::new();
        if let Some(path) = &self.vertices {
            each_id(path, |_, id| vertices.push(id))?;
        }
        Ok(LoadOptions::new()
            .format(self.format)
            .undirected(self.undirected)
            .duplicates(self.duplicates.into())
            .self_loops(self.self_loops.into())
            .ignore_extra_columns(self.ignore_extra_columns)
            .columns(&self.columns)
            .vertices(vertices)
            .lossy_weights(self.lossy_weights))
    }

    /// Refuses to write where something is read.
    pub(crate) fn check_beside(&self, to: &Destination) -> Result<(), Error> {
        to.check_beside(&self.path, "the graph itself")?;
        self.vertices.iter().try_for_each(|list| to.check_beside(list, "the list of vertices"))
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// What to run
    #[arg(value_enum)]
    pub(crate) program: Program,
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    /// Where a traversal starts; by default at the root of the layers
    #[arg(long = "source", value_name = "ID", value_delimiter = ',', value_parser = values::id, allow_negative_numbers = true)]
    pub(crate) sources: Vec<u64>,
    /// More sources, one a line; lines that begin with # are passed over
    #[arg(long, value_name = "FILE")]
    pub(crate) sources_from: Option<PathBuf>,
    /// Run from each source alone instead of once from all, many at a time where they can share what they read; the
    /// output has a column for each
    #[arg(long)]
    pub(crate) each_source: bool,
    /// The weights: the input's, all 1, or made up from 1 to MAX
    #[arg(long, value_name = "input|unit|random:SEED:MAX", default_value = "input", value_parser = values::weights)]
    pub(crate) weights: WeightChoice,
    /// The column that is the weight; by default `weight`, or the only one
    #[arg(long, value_name = "NAME")]
    pub(crate) weight_column: Option<String>,
    /// What runs the program
    #[arg(long, value_name = "auto|cpu|cuda|cuda:N", default_value = "auto")]
    pub(crate) engine: EngineChoice,
    /// How the run goes through the graph; by default the plan chooses
    #[arg(long, value_name = "auto|frontier|bucket|pull|sweep", default_value = "auto")]
    pub(crate) schedule: Scheduling,
    /// For measuring: leave out what a GPU would do to be faster (may be given again); answers are the same
    #[arg(long, value_enum, value_name = "TECHNIQUE", value_delimiter = ',')]
    without: Vec<Technique>,
    /// A GPU's memory that the graph and the run may take, such as 512M or 20G; by default what is free
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub(crate) device_memory: Option<u64>,
    /// Compute in floats of this precision, instead of in the numbers that are exact for the weights
    #[arg(long, value_enum)]
    pub(crate) precision: Option<Precision>,
    /// End after N steps
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,
    /// More than N steps are an error; by default as many as a run takes that ends (pagerank: at least 10000)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_steps: Option<u64>,
    /// A run that takes longer is an error
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<Duration>,
    /// pagerank: the probability of following an edge [default: 0.85]
    #[arg(long, value_name = "PROBABILITY", value_parser = values::probability, allow_negative_numbers = true)]
    pub(crate) damping: Option<f64>,
    /// pagerank: stop when no rank changed by more than this part of itself [default: 1e-6]
    #[arg(long, value_name = "PART", value_parser = values::probability, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Write a line `ID VALUE` a vertex, ascending by id, `-` where not reached; `-` is standard output. With
    /// --each-source a line `ID VALUE VALUE ...`, in the order of the sources, which a first line names
    #[arg(long, value_name = "FILE", value_parser = values::destination())]
    pub(crate) output: Option<Destination>,
    /// Write a line `ID PREDECESSOR` a vertex, ascending by id, `-` where there is none
    #[arg(long, value_name = "FILE", value_parser = values::destination())]
    pub(crate) predecessors: Option<Destination>,
    /// Print a path from a source to this vertex
    #[arg(long, value_name = "ID", value_parser = values::id, allow_negative_numbers = true)]
    pub(crate) path_to: Option<u64>,
    /// Compare the answer with that of a slow, obvious, serial program
    #[arg(long)]
    pub(crate) verify: bool,
    /// Run N times and report the median
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub(crate) repeat: u32,
    /// Write when each stage and each step of the last run began and how long it took, as JSON for ui.perfetto.dev and
    /// chrome://tracing
    #[arg(long, value_name = "FILE.json", value_parser = values::destination())]
    pub(crate) trace: Option<Destination>,
    /// Draw the steps of the last run over time: the frontier's size, direction and buckets, and edges a second
    #[arg(long, value_name = "FILE.svg", value_parser = values::svg_destination)]
    pub(crate) plot: Option<Destination>,
    #[command(flatten)]
    pub(crate) keeping: KeepingArguments,
    /// Print one JSON object, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArguments {
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    /// The root of the layers; by default a vertex that reaches most
    #[arg(long, value_name = "ID")]
    pub(crate) root: Option<u64>,
    /// The file to write the layered graph to; by default it is kept in the cache folder, where every command finds it
    #[arg(long, value_name = "FILE.wolf", value_parser = values::wolf_file)]
    pub(crate) output: Option<PathBuf>,
    /// Keep the layered graph beside the input instead of in the cache folder
    #[arg(long, conflicts_with = "output")]
    cache_beside: bool,
    /// Build anew even where a fresh layered graph is kept
    #[arg(long)]
    pub(crate) force: bool,
    /// Memory that may be used, such as 512M or 20G; by default what is available. A build that needs more keeps its
    /// large arrays in working files
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub(crate) memory: Option<u64>,
    /// The folder for working files; by default the system's
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    /// Leave the in-edges of a directed graph out of the file: they are then made when a program needs them
    #[arg(long)]
    no_in_edges: bool,
}

impl BuildArguments {
    pub(crate) fn options(&self) -> Result<OpenOptions, Error> {
        let resources = Resources::new().memory(self.memory).scratch(self.scratch.clone());
        // If a file is named, that file is wanted, and no second one in the cache folder.
        let cache = self.output.is_none();
        let options = self.graph.options()?.root(self.root).in_edges(!self.no_in_edges).resources(resources);
        Ok(options.cache(cache).cache_beside(self.cache_beside).rebuild(self.force))
    }
}

#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    #[command(flatten)]
    pub(crate) keeping: KeepingArguments,
    /// Draw the layers and the degrees
    #[arg(long, value_name = "FILE.svg", value_parser = values::svg_destination)]
    pub(crate) plot: Option<Destination>,
}

/// What `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A layered graph.
    Layered,
    /// Another format.
    Format(Format),
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    /// Where to write it; the ending tells the format and, with .gz .zst .xz behind it, the compression
    #[arg(value_name = "OUTPUT")]
    pub(crate) output: PathBuf,
    /// The output's format: wolf, el, mtx, gr, metis, sg, wsg, parquet, webgraph, bin32, bin64, bin32f32, ...; by
    /// default told from its name
    #[arg(long, value_name = "FORMAT", value_parser = values::target)]
    to: Option<Target>,
    /// Number the vertices by ascending id, from 0 or 1 as the format does, where it cannot hold theirs
    #[arg(long)]
    pub(crate) renumber: bool,
    /// Leave the weights and all other columns out
    #[arg(long)]
    pub(crate) drop_weights: bool,
    /// Keep this column only, as the weight
    #[arg(long, value_name = "NAME")]
    pub(crate) weight_column: Option<String>,
}

impl ConvertArguments {
    /// What is written; `None` when only the library can tell.
    pub(crate) fn target(&self) -> Option<Target> {
        let layered = is_wolf(&self.output).then_some(Target::Layered);
        self.to.or(layered)
    }

    fn check(&self) -> Result<(), String> {
        if self.target() != Some(Target::Layered) {
            return Ok(());
        }
        if !is_wolf(&self.output) {
            return Err(format!("{}: a layered graph has a name that ends in .wolf", self.output.display()));
        }
        if self.renumber || self.drop_weights {
            return Err(
                "a .wolf file holds any ids and weights: leave --renumber and --drop-weights out".into()
            );
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(crate) struct CudaArguments {
    /// Whose
    #[arg(value_enum)]
    pub(crate) program: Program,
    /// The numbers of sssp, widest and pagerank [default: u32; pagerank: f32]
    #[arg(long, value_enum)]
    pub(crate) number: Option<Number>,
    /// The whole translation unit, as NVRTC gets it for a directed graph with weights: settings, headers, program
    #[arg(long)]
    pub(crate) whole: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The file, as `wolfpath build` writes it
    #[arg(value_name = "FILE.wolf")]
    pub(crate) path: PathBuf,
    /// Threads of the CPU; by default one a core
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<usize>,
}

impl Arguments {
    /// Refuses what clap cannot see: options that contradict each other or have no meaning together.
    pub(crate) fn check(&self) -> Result<(), String> {
        match &self.command {
            Command::Run(run) | Command::Explain(run) => run.check(),
            Command::Generate(generate) => generate.check(),
            Command::Convert(convert) => convert.check(),
            Command::Build(_)
            | Command::Cache(_)
            | Command::Info(_)
            | Command::Check(_)
            | Command::Cuda(_)
            | Command::Devices => Ok(()),
        }
    }
}

impl RunArguments {
    fn check(&self) -> Result<(), String> {
        let name = self.program.name();
        if !self.program.is_traversal() && !self.sources.is_empty() {
            return Err(format!("{name} starts at every vertex: leave --source out"));
        }
        self.check_sources()?;
        let ranks = self.program == Program::Pagerank;
        if !ranks && (self.damping.is_some() || self.tolerance.is_some()) {
            return Err(format!("{name} has neither damping nor tolerance: they belong to pagerank"));
        }
        if ranks && (self.path_to.is_some() || self.predecessors.is_some()) {
            return Err("a rank does not come along one path: leave --path-to and --predecessors out".into());
        }
        if self.weight_column.is_some() && self.weights != WeightChoice::Input {
            return Err("--weight-column names a column of the input: leave --weights out".into());
        }
        let counts_steps = matches!(self.program, Program::Bfs | Program::Reach | Program::Pagerank);
        if self.verify && self.steps.is_some() && !counts_steps {
            return Err(format!("--verify compares with the end of {name}: leave --steps out"));
        }
        let to_stdout = self.outputs().filter(|(_, to)| to.is_stdout()).count();
        if to_stdout + usize::from(self.json) > 1 {
            let all = "--output -, --predecessors -, --trace - and --json";
            return Err(format!("only one of {all} can have standard output"));
        }
        let outputs: Vec<_> = self.outputs().collect();
        for (place, (first, to)) in outputs.iter().enumerate() {
            if let Some((second, _)) = outputs[place + 1..].iter().find(|(_, other)| other.is_same_file(to)) {
                return Err(format!("{first} and {second} name the same file"));
            }
        }
        Ok(())
    }

    fn check_sources(&self) -> Result<(), String> {
        let name = self.program.name();
        if !self.program.is_traversal() && (self.sources_from.is_some() || self.each_source) {
            return Err(format!("{name} starts at every vertex: leave --sources-from and --each-source out"));
        }
        if !self.each_source {
            return Ok(());
        }
        if self.sources.is_empty() && self.sources_from.is_none() {
            return Err("--each-source needs sources: name them with --source or --sources-from".into());
        }
        let of_one = [
            ("--predecessors", self.predecessors.is_some()),
            ("--path-to", self.path_to.is_some()),
            ("--trace", self.trace.is_some()),
            ("--plot", self.plot.is_some()),
        ];
        match of_one.into_iter().find(|&(_, is_given)| is_given) {
            Some((option, _)) => Err(format!("{option} is about one run: leave --each-source out")),
            None => Ok(()),
        }
    }

    /// What was asked for and changes nothing.
    pub(crate) fn notes(&self, on_device: bool) -> Vec<String> {
        let mut notes = Vec::new();
        let name = self.program.name();
        if let (Some(steps), Some(most)) = (self.steps, self.max_steps)
            && most < steps
        {
            notes.push(format!(
                "a run that does not settle within --max-steps {most} ends there, before --steps {steps}"
            ));
        }
        let changes_weights = self.weights != WeightChoice::Input;
        if changes_weights && !matches!(self.program, Program::Sssp | Program::Widest) {
            notes.push(format!("{name} reads no weights: --weights changes nothing"));
        }
        if !on_device && (self.device_memory.is_some() || !self.without.is_empty()) {
            notes.push("the run is not on a GPU: --device-memory and --without change nothing".to_owned());
        }
        notes
    }

    /// What only a run does, of what was asked for.
    pub(crate) fn of_a_run(&self) -> Vec<&'static str> {
        let others =
            [("--path-to", self.path_to.is_some()), ("--verify", self.verify), ("--repeat", self.repeat > 1)];
        let others = others.into_iter().filter_map(|(option, is_given)| is_given.then_some(option));
        self.outputs().map(|(option, _)| option).chain(others).collect()
    }

    /// What is written, by option.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = (&'static str, &Destination)> {
        let outputs = [
            ("--output", &self.output),
            ("--predecessors", &self.predecessors),
            ("--trace", &self.trace),
            ("--plot", &self.plot),
        ];
        outputs.into_iter().filter_map(|(option, to)| Some((option, to.as_ref()?)))
    }

    /// What a run on a GPU may use.
    pub(crate) fn techniques(&self) -> Techniques {
        let allowed = |technique| !self.without.contains(&technique);
        Techniques::new()
            .direction(allowed(Technique::Direction))
            .local_rounds(allowed(Technique::LocalRounds))
            .shared_window(allowed(Technique::SharedWindow))
    }
}

/// The ending of a file's name, or nothing.
pub(crate) fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

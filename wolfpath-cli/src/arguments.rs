//! The command line as data: every command and its options.

mod cache;
#[cfg(feature = "cluster")]
mod cluster;
mod generate;
mod run;

use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use wolfpath::Home;
use wolfpath::graph::{OpenOptions, WeightChoice};
use wolfpath::load::{Duplicates, Format, LoadOptions, Policy, each_id};
use wolfpath::resources::Resources;
use wolfpath::store::is_wolf;

use crate::destination::Destination;
use crate::error::Error;
use crate::number::Number;
use crate::values::{self, EngineChoice, Scheduling};

pub(crate) use cache::{CacheArguments, CacheCommand, KeepingArguments};
#[cfg(feature = "cluster")]
pub(crate) use cluster::{
    CheckClusterArguments, CheckpointArguments, ClusterArguments, PlanClusterArguments, ShardArguments,
};
pub(crate) use generate::GenerateArguments;

/// Run traversals and other iterative programs over large graphs, on all CPU cores or on an NVIDIA GPU
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
    /// Layer a graph and keep it in a .wolf file
    Build(BuildArguments),
    /// Describe a graph: vertices, edges, layers, degrees, bytes
    Info(InfoArguments),
    /// Verify a layered graph (.wolf): checksums and all invariants
    Check(CheckArguments),
    /// Print the plan of a run without running it: engine and schedule with reasons, bytes, limit of steps, compilation
    Explain(RunArguments),
    /// Write a graph in another format
    Convert(ConvertArguments),
    /// Generate a graph
    Generate(GenerateArguments),
    /// Show, remove or limit what is kept between runs: layered graphs, compiled programs, measured costs of devices
    Cache(CacheArguments),
    /// Print the CUDA C of a bundled program
    Cuda(CudaArguments),
    /// Show the devices that were found, what is missing and how to get it
    Devices,
    /// Write the shards of a graph, for the machines of a cluster
    #[cfg(feature = "cluster")]
    Shard(ShardArguments),
    /// Predict the load of the machines of a cluster: edges, mirrors, bytes received
    #[cfg(feature = "cluster")]
    PlanCluster(PlanClusterArguments),
    /// Connect the processes of a cluster, and measure how fast they exchange bytes
    #[cfg(feature = "cluster")]
    CheckCluster(CheckClusterArguments),
}

/// The bundled programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Program {
    /// Breadth-first search: hops from the nearest source
    Bfs,
    /// Shortest paths: smallest sum of weights from a source
    Sssp,
    /// Widest paths: largest possible value of a path's smallest weight
    Widest,
    /// Reachability: the vertices that can be reached from the sources
    Reach,
    /// Weakly connected components: smallest id in each vertex's component
    Components,
    /// PageRank: ranks that sum to 1
    Pagerank,
    /// Core numbers: the largest k for which the vertex belongs to the k-core
    Kcore,
    /// Adsorption: how likely a random walk against the edges ends at each of up to eight sources
    Adsorption,
}

impl Program {
    /// Returns the program's name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Bfs => "bfs",
            Program::Sssp => "sssp",
            Program::Widest => "widest",
            Program::Reach => "reach",
            Program::Components => "components",
            Program::Pagerank => "pagerank",
            Program::Kcore => "kcore",
            Program::Adsorption => "adsorption",
        }
    }

    /// Returns `true` if the program starts from sources, each of which can have a run of its own.
    pub(crate) fn is_traversal(self) -> bool {
        self.takes_sources() && self != Program::Adsorption
    }

    /// Returns `true` if the program has sources.
    pub(crate) fn takes_sources(self) -> bool {
        !matches!(self, Program::Components | Program::Pagerank | Program::Kcore)
    }

    /// Returns `true` if the program passes on a part of what a vertex has.
    pub(crate) fn passes_on_parts(self) -> bool {
        matches!(self, Program::Pagerank | Program::Adsorption)
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
    /// Keep all edges
    Keep,
    /// Keep the first edge
    Drop,
    /// Keep the edge with the smallest weight
    Min,
    /// Keep the edge with the largest weight
    Max,
    /// Keep the first edge, with the sum of all weights
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

/// Optional optimizations, most of them for GPU runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Technique {
    /// Steps that pull where pulling costs less than pushing, also on the CPU
    Direction,
    /// Several rounds inside each warp while the frontier is small
    LocalRounds,
    /// Shared memory in which each block records the messages that it sent; in accumulating programs, sums that each block, or
    /// each thread of the CPU, keeps for vertices with very many in-edges
    SharedWindow,
    /// The order of paths by their dependencies, also on the CPU
    PathOrder,
    /// Work that devices take from each other while vertices take turns
    Lending,
}

/// Input graph, and how it is read.
#[derive(Debug, Args)]
pub(crate) struct GraphArguments {
    /// Graph file: .el .wel .txt .tsv .csv .mtx .gr .graph .sg .wsg .bin32 .bin64 (each also as .gz .zst .xz), or .wolf
    #[arg(value_name = "GRAPH")]
    pub(crate) path: PathBuf,
    /// Treat every line of the input as an edge in both directions
    #[arg(long)]
    undirected: bool,
    /// Input format: el (edge list: SNAP, TSV, CSV, text), mtx, gr, metis, sg, wsg, webgraph, bin32, bin64, ... By
    /// default, it is detected from the file's name and content
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Several edges from one vertex to another: keep all (keep), keep the first (drop), keep the one with the smallest
    /// (min) or largest (max) weight, or keep the first with the sum of all weights (sum)
    #[arg(long, value_enum, default_value_t = Merge::Keep, value_name = "POLICY", hide_possible_values = true)]
    duplicates: Merge,
    /// Edges from a vertex to itself: keep or drop them
    #[arg(long, value_enum, default_value_t = Fate::Keep, value_name = "POLICY")]
    self_loops: Fate,
    /// Ignore columns of an edge list beyond source, target and weight. By default, they are an error
    #[arg(long)]
    ignore_extra_columns: bool,
    /// Names of the columns after source and target, if the file does not name them. If it does (a header line,
    /// Parquet), the names of the columns to read
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// File with additional vertices, one id per line. Those without an edge become isolated vertices. Lines that begin
    /// with # are skipped
    #[arg(long, value_name = "FILE")]
    vertices: Option<PathBuf>,
    /// Accept weights that must be rounded, because the program's number type, or every number type, is unable to
    /// represent them exactly. By default, they are an error
    #[arg(long)]
    pub(crate) lossy_weights: bool,
    /// Number of CPU threads. Defaults to one per core
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<usize>,
}

impl GraphArguments {
    /// Returns the given options that control how an input is read.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_reading(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--undirected", self.undirected),
            ("--format", self.format.is_some()),
            ("--duplicates", self.duplicates != Merge::Keep),
            ("--self-loops", self.self_loops != Fate::Keep),
            ("--ignore-extra-columns", self.ignore_extra_columns),
            ("--columns", !self.columns.is_empty()),
            ("--vertices", self.vertices.is_some()),
        ];
        options.into_iter().filter_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Returns the options to open the graph with. Reads the list of additional vertices.
    pub(crate) fn options(&self) -> Result<OpenOptions, Error> {
        Ok(OpenOptions::new().load(self.load_options()?))
    }

    /// Returns the options to read the graph with. Reads the list of additional vertices.
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

    /// Returns an error if `to` is one of the input files.
    pub(crate) fn check_beside(&self, to: &Destination) -> Result<(), Error> {
        to.check_beside(&self.path, "the graph itself")?;
        self.vertices.iter().try_for_each(|list| to.check_beside(list, "the list of vertices"))
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Program to run
    #[arg(value_enum)]
    pub(crate) program: Program,
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    /// Sources of a traversal, or labelled vertices of adsorption. Defaults to the root of the layers
    #[arg(long = "source", value_name = "ID", value_delimiter = ',', value_parser = values::id, allow_negative_numbers = true)]
    pub(crate) sources: Vec<u64>,
    /// File with more sources, one id per line. Lines that begin with # are skipped
    #[arg(long, value_name = "FILE")]
    pub(crate) sources_from: Option<PathBuf>,
    /// Run once per source instead of once from all sources. Runs share their work if possible. The output has one
    /// column per source
    #[arg(long)]
    pub(crate) each_source: bool,
    /// Weights of the edges: those of the input, all 1, or random from 1 to MAX
    #[arg(long, value_name = "input|unit|random:SEED:MAX", default_value = "input", value_parser = values::weights)]
    pub(crate) weights: WeightChoice,
    /// Column to use as the weight. Defaults to `weight`, or to the only column
    #[arg(long, value_name = "NAME")]
    pub(crate) weight_column: Option<String>,
    #[arg(long, help = values::ENGINE_HELP, value_name = values::ENGINES, default_value = "auto")]
    pub(crate) engine: EngineChoice,
    /// Schedule of the run. With `auto`, the plan chooses
    #[arg(long, value_name = "auto|frontier|bucket|pull|sweep|union|paths", default_value = "auto")]
    pub(crate) schedule: Scheduling,
    /// Switch off an optimization, for measurements. Can be repeated. Answers do not change
    #[arg(long, value_enum, value_name = "TECHNIQUE", value_delimiter = ',')]
    without: Vec<Technique>,
    /// Limit of GPU memory for graph and run, such as 512M or 20G. Defaults to the free memory
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub(crate) device_memory: Option<u64>,
    /// Home of the graph's rows in GPU runs; from the file they are streamed. Defaults to GPU memory as far as they fit, and
    /// host memory for the rest
    #[arg(long, value_name = "device|host|file", value_parser = values::home)]
    pub(crate) rows: Option<Home>,
    /// Compute sssp, widest and pagerank in floats of this precision. By default, sssp and widest use a number type
    /// that is exact for the weights
    #[arg(long, value_enum)]
    pub(crate) precision: Option<Precision>,
    /// End the run normally after N steps, if it has not ended before
    #[arg(long, value_name = "N", value_parser = values::steps, allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,
    /// Fail if the run takes more than N steps. The default depends on program and schedule (pagerank: at least 10000)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_steps: Option<u64>,
    /// Fail if the run takes longer than this
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<Duration>,
    /// pagerank and adsorption: probability of following an edge [default: 0.85]
    #[arg(long, value_name = "PROBABILITY", value_parser = values::probability, allow_negative_numbers = true)]
    pub(crate) damping: Option<f64>,
    /// pagerank and adsorption: add up values in portions, in any order, until the tolerance is reached
    #[arg(long)]
    pub(crate) accumulate: bool,
    /// pagerank: relative change below which a rank counts as unchanged; adsorption: change of a share; with --accumulate,
    /// share of all values that may still have to be passed on in the end [default: 1e-6]
    #[arg(long, value_name = "PART", value_parser = values::probability, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Write a line `ID VALUE` per vertex, in ascending order of ids, with `-` for unreached vertices. With
    /// --each-source, a line `ID VALUE VALUE ...` with one value per source, after a line that names the sources. `-`
    /// as FILE means standard output
    #[arg(long, value_name = "FILE", value_parser = values::destination())]
    pub(crate) output: Option<Destination>,
    /// Write a line `ID PREDECESSOR` per vertex, in ascending order of ids, with `-` for sources and unreached vertices
    #[arg(long, value_name = "FILE", value_parser = values::destination())]
    pub(crate) predecessors: Option<Destination>,
    /// Print a path from a source to this vertex
    #[arg(long, value_name = "ID", value_parser = values::id, allow_negative_numbers = true)]
    pub(crate) path_to: Option<u64>,
    /// Compare the values with those of a serial program that shares no code with the engines
    #[arg(long)]
    pub(crate) verify: bool,
    /// Run N times and report the median
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub(crate) repeat: u32,
    /// Record when each stage and each step of the last run began and how long it took, as JSON for ui.perfetto.dev and
    /// chrome://tracing
    #[arg(long, value_name = "FILE.json", value_parser = values::destination())]
    pub(crate) trace: Option<Destination>,
    /// Draw the last run over time: active vertices, kinds of steps, changes to another bucket, and edges per second
    #[arg(long, value_name = "FILE.svg", value_parser = values::svg_destination)]
    pub(crate) plot: Option<Destination>,
    #[command(flatten)]
    pub(crate) keeping: KeepingArguments,
    /// Print one JSON object, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    // The last fields, because the options that follow would be listed under their headings.
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArguments,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArguments {
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    /// Root of the layers. Defaults to a vertex that reaches many others
    #[arg(long, value_name = "ID")]
    pub(crate) root: Option<u64>,
    /// File to write the layered graph to. By default, it is kept in the cache folder, where other commands find it
    #[arg(long, value_name = "FILE.wolf", value_parser = values::wolf_file)]
    pub(crate) output: Option<PathBuf>,
    /// Keep the layered graph beside the input instead of in the cache folder
    #[arg(long, conflicts_with = "output")]
    cache_beside: bool,
    /// Build the graph even if a fresh one is kept
    #[arg(long)]
    pub(crate) force: bool,
    /// Memory limit, such as 512M or 20G. Defaults to the available memory. A build that needs more keeps its large
    /// arrays in working files
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub(crate) memory: Option<u64>,
    /// Folder for working files. Defaults to the system's folder for temporary files
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    /// Leave out the in-edges of a directed graph. Programs that need in-edges then compute them in every run
    #[arg(long)]
    no_in_edges: bool,
    /// Also store the rows in packed form. By default, they are packed where this saves at least a quarter
    #[arg(long, conflicts_with = "no_packed")]
    packed: bool,
    /// Do not store packed rows
    #[arg(long)]
    no_packed: bool,
    /// Also store edge-disjoint paths of at most this many edges (default: 16)
    #[arg(long, value_name = "EDGES", num_args = 0..=1, require_equals = true, default_missing_value = "16")]
    paths: Option<NonZeroU8>,
}

impl BuildArguments {
    pub(crate) fn options(&self) -> Result<OpenOptions, Error> {
        let resources = Resources::new().memory(self.memory).scratch(self.scratch.clone());
        // With --output, the named file is the only result: no second copy goes to the cache folder.
        let cache = self.output.is_none();
        let options = self.graph.options()?.root(self.root).in_edges(!self.no_in_edges).resources(resources);
        let packed = (self.packed || self.no_packed).then_some(self.packed);
        let options = options.packed(packed).paths(self.paths);
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
    /// Print one JSON object, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// Format that `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Layered graph.
    Layered,
    /// Any other format.
    Format(Format),
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    /// File to write. Its ending selects the format and, if .gz .zst .xz follows, the compression
    #[arg(value_name = "OUTPUT")]
    pub(crate) output: PathBuf,
    /// Output format: wolf, el, mtx, gr, metis, sg, wsg, parquet, webgraph, bin32, bin64, bin32f32, ... Defaults to the
    /// format of OUTPUT's ending
    #[arg(long, value_name = "FORMAT", value_parser = values::target)]
    to: Option<Target>,
    /// Renumber the vertices in ascending order of ids, if the format cannot represent the ids. Numbers start from 0 or
    /// 1, as the format requires
    #[arg(long)]
    pub(crate) renumber: bool,
    /// Leave out the weights and all other columns
    #[arg(long)]
    pub(crate) drop_weights: bool,
    /// Keep this column only, as the weight
    #[arg(long, value_name = "NAME")]
    pub(crate) weight_column: Option<String>,
}

impl ConvertArguments {
    /// Returns the target format, or `None` if the library has to detect it from the output's name.
    pub(crate) fn target(&self) -> Option<Target> {
        let layered = is_wolf(&self.output).then_some(Target::Layered);
        self.to.or(layered)
    }

    fn check(&self) -> Result<(), String> {
        if self.target() != Some(Target::Layered) {
            return Ok(());
        }
        if !is_wolf(&self.output) {
            return Err(format!(
                "{}: expected a name that ends in .wolf for a layered graph",
                self.output.display()
            ));
        }
        if self.renumber || self.drop_weights {
            return Err(
                "a .wolf file can contain any ids and weights: omit --renumber and --drop-weights".into()
            );
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(crate) struct CudaArguments {
    /// Program to print
    #[arg(value_enum)]
    pub(crate) program: Program,
    /// Number type of sssp, widest and pagerank [default: u32; pagerank: f32]
    #[arg(long, value_enum)]
    pub(crate) number: Option<Number>,
    /// Print the whole translation unit that NVRTC compiles for a directed graph with weights: settings, headers,
    /// program
    #[arg(long)]
    pub(crate) whole: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Layered graph to verify, as written by `wolfpath build`
    #[arg(value_name = "FILE.wolf")]
    pub(crate) path: PathBuf,
    /// Number of CPU threads. Defaults to one per core
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<usize>,
}

impl Arguments {
    /// Checks what clap cannot: returns an error if options contradict each other or are meaningless together.
    pub(crate) fn check(&self) -> Result<(), String> {
        match &self.command {
            #[cfg(feature = "cluster")]
            Command::Run(run) => run.check().and_then(|()| run.check_process()),
            #[cfg(not(feature = "cluster"))]
            Command::Run(run) => run.check(),
            Command::Explain(run) => run.check(),
            Command::Generate(generate) => generate.check(),
            Command::Convert(convert) => convert.check(),
            Command::Build(_)
            | Command::Cache(_)
            | Command::Info(_)
            | Command::Check(_)
            | Command::Cuda(_)
            | Command::Devices => Ok(()),
            #[cfg(feature = "cluster")]
            Command::PlanCluster(_) => Ok(()),
            #[cfg(feature = "cluster")]
            Command::Shard(shard) => shard.check(),
            #[cfg(feature = "cluster")]
            Command::CheckCluster(check) => check.cluster.check(),
        }
    }
}

/// Returns the extension of a file's name, or an empty string.
pub(crate) fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

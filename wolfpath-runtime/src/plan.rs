//! The plan: every decision about a run, as plain data, made before anything is allocated.

use std::fmt;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{Along, DatumKind, Readings, Senders};

use crate::options::RunOptions;
use crate::shape::Shape;

/// How a run goes through the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The frontier in place: messages are combined straight into values, which may be seen before the step ends.
    Relax,
    /// The frontier in place, nearest values first.
    Bucket,
    /// The frontier step by step: messages are combined beside the values and applied when all have come.
    Frontier,
    /// Receivers gather over their own rows, in row order.
    Pull,
    /// Combined edge lists in layered order, in place, swept until nothing changes.
    Sweep,
}

impl Schedule {
    /// The name as plans print it.
    pub const fn name(self) -> &'static str {
        match self {
            Schedule::Relax => "relax (frontier in place)",
            Schedule::Bucket => "bucket (frontier in place, nearest first)",
            Schedule::Frontier => "frontier (step by step)",
            Schedule::Pull => "pull (receivers gather)",
            Schedule::Sweep => "sweep (combined edge lists in layered order)",
        }
    }
}

impl Schedule {
    /// Whether messages are combined straight into values.
    pub(crate) const fn is_in_place(self) -> bool {
        matches!(self, Schedule::Relax | Schedule::Bucket | Schedule::Sweep)
    }
}

/// A schedule that a run is told to take, in the words of the paper and of the command (`--schedule`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScheduleChoice {
    /// Only active vertices send, pushing or (where the program allows it) pulled from.
    Frontier,
    /// The frontier in place, nearest values first: `min` and `max` over numbers.
    Bucket,
    /// Receivers gather over their own rows.
    Pull,
    /// WolfPath's layer iteration: combined edge lists in layered order, swept until nothing changes.
    Sweep,
}

impl ScheduleChoice {
    /// Every schedule that can be asked for.
    pub const ALL: [ScheduleChoice; 4] =
        [ScheduleChoice::Frontier, ScheduleChoice::Bucket, ScheduleChoice::Pull, ScheduleChoice::Sweep];

    /// The name as the command takes it.
    pub const fn name(self) -> &'static str {
        match self {
            ScheduleChoice::Frontier => "frontier",
            ScheduleChoice::Bucket => "bucket",
            ScheduleChoice::Pull => "pull",
            ScheduleChoice::Sweep => "sweep",
        }
    }
}

/// Techniques that a run may use. Answers never depend on them; benchmarks leave some out to measure what each is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Techniques {
    /// Steps that pull (receivers look for a sender) where that reads fewer edges.
    pub direction: bool,
    /// Thin frontiers are expanded several rounds by each block on its own before the device waits for all.
    pub local_rounds: bool,
}

impl Techniques {
    /// All of them: what runs use when they are told nothing.
    pub const ALL: Techniques = Techniques { direction: true, local_rounds: true };
    /// None of them.
    pub const NONE: Techniques = Techniques { direction: false, local_rounds: false };
}

impl Default for Techniques {
    fn default() -> Techniques {
        Techniques::ALL
    }
}

/// Which engine a plan is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedEngine {
    /// The CPU engine.
    Cpu {
        /// Its threads.
        threads: usize,
    },
    /// The CUDA engine.
    Cuda {
        /// The device's number.
        ordinal: usize,
        /// The device's name.
        device: String,
        /// Bytes free on it when the plan was made.
        free: u64,
    },
}

impl fmt::Display for PlannedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlannedEngine::Cpu { threads: 1 } => write!(f, "cpu, 1 thread"),
            PlannedEngine::Cpu { threads } => write!(f, "cpu, {threads} threads"),
            PlannedEngine::Cuda { ordinal, device, .. } => write!(f, "cuda:{ordinal} ({device})"),
        }
    }
}

/// One array that a run needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedArray {
    /// What it holds.
    pub name: &'static str,
    /// Its elements.
    pub elements: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// Which rows senders and receivers walk, on this graph. On a symmetric graph the out-rows serve both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowUse {
    /// Senders walk their out-rows.
    pub send_out: bool,
    /// Senders walk their in-rows.
    pub send_in: bool,
    /// Receivers gather over their out-rows.
    pub gather_out: bool,
    /// Receivers gather over their in-rows.
    pub gather_in: bool,
}

impl RowUse {
    /// The rows for messages `along` edges of a graph.
    pub(crate) fn new(along: Along, symmetric: bool) -> RowUse {
        let (out, inward) = match along {
            _ if symmetric => {
                return RowUse { send_out: true, send_in: false, gather_out: true, gather_in: false };
            }
            Along::Out => (true, false),
            Along::In => (false, true),
            Along::Both => (true, true),
        };
        RowUse { send_out: out, send_in: inward, gather_out: inward, gather_in: out }
    }
}

/// Vertices of an average layer up to which a graph is thin: USA-road-NE has 824, osm-moscow 376, dblp-2010 about 20,000.
const THIN_LAYER: u64 = 4096;

/// What a graph looks like to the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSize {
    /// Vertices.
    pub vertices: u64,
    /// Directed edges.
    pub edges: u64,
    /// Every edge stands in both directions.
    pub symmetric: bool,
    /// Its edges have weights.
    pub weighted: bool,
    /// Its layers.
    pub layers: u64,
}

impl GraphSize {
    /// The size of a graph, with the weights that it has been given; a program of structs reads its columns.
    pub(crate) fn of(graph: &LayeredGraph, shape: &Shape) -> GraphSize {
        GraphSize {
            vertices: u64::from(graph.num_vertices()),
            edges: graph.num_edges(),
            symmetric: graph.is_symmetric(),
            weighted: graph.has_weights() || shape.weight.is_struct(),
            layers: graph.num_layers() as u64,
        }
    }

    /// Whether a device counts its edges in 64 bits.
    pub(crate) fn wide_offsets(&self) -> bool {
        self.edges > u64::from(u32::MAX)
    }

    /// Whether its layers are so thin that blocks may go on alone for some rounds: what one of them finds is then seldom
    /// on a detour, and saves the device a barrier.
    pub(crate) fn is_thin(&self) -> bool {
        self.vertices / self.layers.max(1) <= THIN_LAYER
    }
}

/// Every decision about one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The program's name.
    pub program: &'static str,
    /// What it reads; no array of the graph stands below that this does not need.
    pub reads: Readings,
    /// The engine, and how it was chosen.
    pub engine: PlannedEngine,
    /// Why that engine.
    pub engine_reason: String,
    /// How the run goes through the graph.
    pub schedule: Schedule,
    /// Why so.
    pub schedule_reason: &'static str,
    /// The graph.
    pub graph: GraphSize,
    /// Which rows are walked.
    pub rows: RowUse,
    /// All messages of a step are equal in this run: the program says so, and all first values are equal.
    pub uniform: bool,
    /// What the run uses.
    pub techniques: Techniques,
    /// Warps that are at work at a time on the device; 0 for the CPU engine.
    pub warps: u64,
    /// Every step is recorded.
    pub traced: bool,
    /// The arrays, graph first.
    pub arrays: Vec<PlannedArray>,
    /// Steps asked for.
    pub steps: Option<u64>,
    /// More steps than these are an error.
    pub max_steps: u64,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Plan {
    /// Bytes of all arrays.
    pub fn bytes(&self) -> u64 {
        self.arrays.iter().map(|array| array.bytes).sum()
    }
}

/// Decides the schedule of a run.
pub(crate) fn schedule(shape: &Shape, options: &RunOptions) -> (Schedule, &'static str) {
    if shape.senders == Senders::All {
        (Schedule::Pull, "every vertex sends in every step")
    } else if shape.may_be_seen_early() && options.steps.is_none() {
        if !shape.uniform && is_ordered(shape) {
            (Schedule::Bucket, "min or max over numbers: what is nearest first saves work")
        } else {
            (Schedule::Relax, "combining in any order gives the same values, so they may be seen early")
        }
    } else if shape.must_pull() {
        (Schedule::Pull, "its messages cannot be combined by atomic operations in a fixed order")
    } else {
        (Schedule::Frontier, frontier_reason(shape, options))
    }
}

/// Whether a run on a device sweeps because it was asked to: the rows of one direction lie in layered order, those of
/// both do not.
pub(crate) fn sweeps(shape: &Shape, rows: RowUse, options: &RunOptions) -> bool {
    let asked = options.schedule == Some(ScheduleChoice::Sweep) && options.steps.is_none();
    asked && shape.may_be_seen_early() && !(rows.send_out && rows.send_in)
}

/// What a run on a device uses of what it may. Blocks that go on alone reach vertices on detours, and are then improved
/// again; pulling relies on a first value being the last. So a run does one of them, by the graph's layers.
pub(crate) fn techniques(
    schedule: Schedule,
    graph: GraphSize,
    uniform: bool,
    options: &RunOptions,
    on_cpu: bool,
) -> Techniques {
    let asked = options.techniques;
    let local_rounds = asked.local_rounds && !on_cpu && schedule.is_in_place() && graph.is_thin();
    let direction = asked.direction && !on_cpu && schedule == Schedule::Relax && uniform && !local_rounds;
    Techniques { direction, local_rounds }
}

fn is_ordered(shape: &Shape) -> bool {
    use wolfpath_core::program::CombineKind::{Max, Min};
    matches!(shape.combine, Min | Max) && shape.value != DatumKind::Bool
}

fn frontier_reason(shape: &Shape, options: &RunOptions) -> &'static str {
    if shape.may_be_seen_early() && options.steps.is_some() {
        "a number of steps was asked for, so no value may be seen early"
    } else {
        "only active vertices send, and values must not be seen before the step is over"
    }
}

/// Room that a run takes, by array. Queue items are those of the kernels: 16 bytes for at most `SEGMENT` edges.
pub(crate) struct Budget<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) graph: GraphSize,
    pub(crate) rows: RowUse,
    pub(crate) schedule: Schedule,
    pub(crate) uniform: bool,
    pub(crate) techniques: Techniques,
    pub(crate) sources: u64,
    /// Warps that are at work at a time on the device; 0 for the CPU engine.
    pub(crate) warps: u64,
    pub(crate) traced: bool,
}

/// Bytes of one element where atomics combine: a word of 4 or 8 bytes.
pub(crate) fn word_bytes(kind: DatumKind) -> u64 {
    if kind.size() <= 4 { 4 } else { 8 }
}

impl Budget<'_> {
    /// Arrays of the graph itself, as the run reads them.
    pub(crate) fn graph_arrays(&self) -> Vec<PlannedArray> {
        let (n, m) = (self.graph.vertices, self.graph.edges);
        let reads = &self.shape.model.reads;
        let weights =
            if reads.edge_weight && self.graph.weighted { self.shape.weight.size() as u64 } else { 0 };
        // The host's file has wide ones.
        let offset = if self.warps > 0 && !self.graph.wide_offsets() { 4 } else { 8 };
        let uses_in = self.uses_in_rows();
        let reads_in_degree = reads.vertex_in_degree && !self.graph.symmetric;
        let mut arrays = vec![];
        let mut add = |name, elements, each: u64, needed: bool| {
            if needed {
                arrays.push(PlannedArray { name, elements, bytes: elements * each });
            }
        };
        add("out-row offsets", n + 1, offset, true);
        add("out-edge ends", m, 4, self.uses_out_rows());
        add("out-edge weights", m, weights, self.uses_out_rows() && weights > 0);
        add("in-row offsets", n + 1, offset, uses_in || reads_in_degree);
        add("in-edge ends", m, 4, uses_in);
        add("in-edge weights", m, weights, uses_in && weights > 0);
        add("ids", n, 8, self.reads_ids());
        add("indices", n, 4, self.reads_ranks());
        arrays.extend(self.shape.model.inputs.iter().map(|input| {
            let (elements, bytes) = input.kind.room(n);
            PlannedArray { name: input.array, elements, bytes }
        }));
        arrays
    }

    pub(crate) fn uses_out_rows(&self) -> bool {
        match self.schedule {
            Schedule::Pull if self.shape.senders == Senders::All => self.rows.gather_out,
            Schedule::Pull => self.rows.gather_out || self.rows.send_out,
            _ => self.rows.send_out || self.techniques.direction && self.rows.gather_out,
        }
    }

    pub(crate) fn uses_in_rows(&self) -> bool {
        match self.schedule {
            Schedule::Pull if self.shape.senders == Senders::All => self.rows.gather_in,
            Schedule::Pull => self.rows.gather_in || self.rows.send_in,
            _ => self.rows.send_in || self.techniques.direction && self.rows.gather_in,
        }
    }

    pub(crate) fn reads_ids(&self) -> bool {
        self.shape.model.reads.ids()
    }

    pub(crate) fn reads_ranks(&self) -> bool {
        self.shape.model.reads.ranks()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program    {}", self.program)?;
        writeln!(f, "reads      {}", self.reads)?;
        writeln!(f, "engine     {}: {}", self.engine, self.engine_reason)?;
        writeln!(f, "schedule   {}: {}", self.schedule.name(), self.schedule_reason)?;
        let kind = if self.graph.symmetric { "symmetric" } else { "directed" };
        writeln!(f, "graph      {} vertices, {} edges, {kind}", self.graph.vertices, self.graph.edges)?;
        match self.steps {
            Some(steps) => writeln!(f, "steps      {steps} as asked for")?,
            None => {
                writeln!(f, "steps      until nothing changes; more than {} are an error", self.max_steps)?
            }
        }
        writeln!(f, "memory     {} bytes", self.bytes())?;
        for array in &self.arrays {
            writeln!(f, "  {:>15} bytes  {} ({} elements)", array.bytes, array.name, array.elements)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note       {note}"))
    }
}

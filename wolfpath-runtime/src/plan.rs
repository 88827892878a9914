//! The plan: every decision about a run as plain data, made before anything is allocated.

mod array_name;
mod arrays;
mod choose;
mod cost;
mod cpu_workload;
mod device_workload;
mod display;
mod estimate;
mod ring;
mod schedule;
mod share;
mod storage;
#[cfg(test)]
mod tests;

use wolfpath_core::graph::{Direction, LayeredGraph, LengthBound};
use wolfpath_core::program::{DatumKind, Readings};

pub use self::array_name::ArrayName;
pub(crate) use self::arrays::HEAD_SLACK;
pub(crate) use self::arrays::{Budget, word_bytes};
pub use self::arrays::{Home, PlannedArray, RowUse};
pub(crate) use self::choose::{CONTINUES, Decision, FIRST_IS_NAN, Machine, Question, against_union, choose};
pub(crate) use self::cost::TABLE_BYTES;
pub use self::cost::{DeviceCosts, StepParts};
pub(crate) use self::cpu_workload::CpuCosts;
pub use self::estimate::Estimate;
pub(crate) use self::ring::{Ring, STATE_BYTES};
pub(crate) use self::schedule::ScheduleConstraints;
pub use self::schedule::{Schedule, ScheduleChoice, Techniques};
pub(crate) use self::share::{OPENING, ShareEstimate};
pub(crate) use self::storage::RowStorage;
use crate::cuda::SlotPlan;
use crate::shape::Shape;

/// Engine of a plan.
///
/// # Examples
///
/// ```
/// use wolfpath::PlannedEngine;
///
/// assert_eq!(PlannedEngine::Cpu { threads: 8 }.to_string(), "cpu, 8 threads");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedEngine {
    /// The CPU engine.
    Cpu {
        /// Number of threads.
        threads: usize,
    },
    /// The CUDA engine.
    Cuda {
        /// Number of the device.
        ordinal: usize,
        /// Name of the device.
        device: String,
        /// Bytes of device memory that were free when the plan was made.
        free: u64,
    },
    /// The CUDA engine, on several devices of one kind that share the run.
    CudaDevices {
        /// Numbers of the devices. The first one leads.
        ordinals: Vec<usize>,
        /// Name of the devices.
        device: String,
        /// Bytes of memory that were free on the first device when the plan was made.
        free: u64,
    },
}

/// The part that each device has of a run that several devices share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// Number of devices.
    pub(crate) devices: u64,
    /// Largest number of edges in the rows of a device.
    pub(crate) edges: u64,
    /// Number of edges of the graph.
    pub(crate) all_edges: u64,
    /// Largest number of vertices of a device.
    pub(crate) vertices: u64,
    /// Number of vertices that are dealt out together.
    pub(crate) unit: u64,
    /// Number of vertices that an inbox has room for from each device, if tests limit it.
    pub(crate) inbox_room: Option<u64>,
    /// Smallest number of items of its queue that a device lends others, if devices do so ([`Techniques::lending`]).
    pub(crate) least_lent: u64,
    /// Largest number of 32-bit words of the packed out-rows of a device, and of its in-rows, if the run reads them.
    pub(crate) packed_words: [Option<u64>; 2],
}

/// Size and properties of a graph, as the planner sees it.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
/// let plan = Engine::cpu().plan(&graph, &wolfpath::programs::bfs::starting_at(1), &RunOptions::new())?;
/// assert!(plan.graph.symmetric && !plan.graph.weighted);
/// assert_eq!((plan.graph.vertices, plan.graph.edges), (2, 2));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSize {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of directed edges.
    pub edges: u64,
    /// `true` if every edge has its reverse.
    pub symmetric: bool,
    /// `true` if the edges have weights.
    pub weighted: bool,
    /// Type of 8 or 16 bits in which the weights are stored and copied to a device, where each is widened when it is
    /// read. `None` if a device stores them in the program's type.
    pub narrow_weights: Option<DatumKind>,
    /// Number of layers.
    pub layers: u64,
    /// Number of 32-bit words of the out-rows in packed form, if the graph stores them.
    pub packed_out_words: Option<u64>,
    /// The same of the in-rows; those of a symmetric graph are its out-rows.
    pub packed_in_words: Option<u64>,
}

impl GraphSize {
    /// Returns the size of a graph. Its weights include columns that a program reads as fields of a struct.
    pub(crate) fn of(graph: &LayeredGraph, shape: &Shape) -> GraphSize {
        // Counts of edges differ by direction if the input does.
        let reads = &shape.model.reads;
        let one_sided = reads.edge_common_edges && !graph.is_input_symmetric();
        GraphSize {
            vertices: u64::from(graph.num_vertices()),
            edges: graph.num_edges(),
            symmetric: graph.is_symmetric() && !one_sided,
            weighted: graph.has_weights() || shape.weight.is_struct() || reads.common().is_some(),
            narrow_weights: graph.narrow_weights().filter(|_| shape.reads_one_weight()),
            layers: graph.num_layers() as u64,
            packed_out_words: graph.packed_words(Direction::Out),
            packed_in_words: graph.packed_words(Direction::In),
        }
    }

    /// Returns the number of 32-bit words of the rows of one direction in packed form, if the graph stores them.
    pub(crate) fn packed_words(&self, direction: Direction) -> Option<u64> {
        match direction {
            Direction::Out => self.packed_out_words,
            Direction::In => self.packed_in_words,
        }
    }

    /// Returns the type in which a device stores the weights that a program of this shape reads.
    pub(crate) fn device_weight(&self, shape: &Shape) -> DatumKind {
        self.narrow_weights.unwrap_or(shape.weight)
    }

    /// Returns `true` if a device needs 64 bits to count the edges.
    pub(crate) fn wide_offsets(&self) -> bool {
        self.edges > u64::from(u32::MAX)
    }
}

/// Every decision about one run, as plain data. Its text is the output of `wolfpath explain`.
///
/// # Examples
///
/// ```
/// use wolfpath::Schedule;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(1, 2, 5u32), (2, 3, 1)])?;
/// let plan = Engine::cpu().plan(&graph, &wolfpath::programs::sssp::starting_at(1), &RunOptions::new())?;
/// assert_eq!(plan.schedule, Schedule::Bucket);
/// assert!(plan.bytes() > 0 && plan.to_string().contains(&plan.schedule_reason));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Name of the program.
    pub program: &'static str,
    /// Data that the program reads. Apart from the rows that the run traverses, the only arrays of the graph in
    /// `arrays` are those with this data.
    pub reads: Readings,
    /// Engine of the run.
    pub engine: PlannedEngine,
    /// Reason for using the engine.
    pub engine_reason: String,
    /// Reason why several devices share the run, or why they do not; empty if only one is available.
    pub devices_reason: String,
    /// The part that each device has, if several devices share the run.
    pub(crate) share: Option<Share>,
    /// Times on one and on several devices, if several can share the run.
    pub(crate) share_estimate: Option<ShareEstimate>,
    /// `true` if the run should take all devices of the machine instead of this engine.
    pub(crate) asks_for_all: bool,
    /// Schedule of the run.
    pub schedule: Schedule,
    /// Reason for using the schedule.
    pub schedule_reason: String,
    /// Estimated times of the possible schedules in place; empty if the run goes step by step.
    pub estimates: Vec<Estimate>,
    /// Size of the graph.
    pub graph: GraphSize,
    /// Rows that the run traverses.
    pub rows: RowUse,
    /// `true` if all messages of a step are equal in this run. This requires that the program is declared uniform, that
    /// all first values are equal, and that the schedule is neither by buckets nor a sweep.
    pub uniform: bool,
    /// Bound on the values of a program that finds shortest paths in `u32` or `u64`, which shows that no sum overflows.
    /// `None` for other programs, and if no bound shows this. The largest first value counts; that of a batch is the
    /// largest of all its runs.
    ///
    /// ```
    /// use wolfpath::graph::LengthBound;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(1, 2, 5u32), (2, 3, 1)])?;
    /// let plan = Engine::cpu().plan(&graph, &wolfpath::programs::sssp::starting_at(1), &RunOptions::new())?;
    /// // A path has at most two edges. A weight that is stored in 8 bits is at most 255.
    /// assert_eq!(plan.bound, Some(LengthBound::SimplePaths { longest: 2 * 255 }));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub bound: Option<LengthBound>,
    /// Optional optimizations that the run uses.
    pub techniques: Techniques,
    /// Reasons for using or avoiding the optimizations.
    pub technique_reasons: Vec<String>,
    /// Width of the first bucket on a device, in units of mean weight divided by mean degree.
    pub bucket_factor: u32,
    /// Number of warps that can be resident on the device at a time; 0 for the CPU engine.
    pub warps: u64,
    /// `true` if every step is recorded.
    pub traced: bool,
    /// `true` if the run reads packed rows ([`PackedRows`](wolfpath_core::graph::PackedRows)) on a device.
    pub packed: bool,
    /// Form and home of the rows of a run on a device, with the reason; empty for the CPU engine.
    pub rows_reason: String,
    /// Chunks and slots of streamed rows, if rows are streamed.
    pub(crate) ring: Option<Ring>,
    /// Sizes of the arrays of slots, if the run uses slots.
    pub(crate) slots: Option<SlotPlan>,
    /// Number of items that a queue has room for, if there can be more. Other vertices of a frontier are marked in a bitmap.
    pub(crate) queue_room: Option<u64>,
    /// Arrays of the run. The graph's arrays come first.
    pub arrays: Vec<PlannedArray>,
    /// Requested number of steps, if any.
    pub steps: Option<u64>,
    /// Number of steps after which the run fails with an error.
    pub max_steps: u64,
    /// Share of all values that may still have to be sent when the run of an accumulating program ends.
    pub tolerance: Option<f64>,
    /// Vertices whose values end the run when they are settled, by internal index, in ascending order.
    #[doc(hidden)]
    pub settles: Vec<u32>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Plan {
    /// Returns a plan whose arrays, limits and first values are still unknown. One engine runs it, and keeps plain rows in its
    /// own memory.
    pub(crate) fn new(
        shape: &Shape,
        engine: PlannedEngine,
        graph: GraphSize,
        rows: RowUse,
        decision: Decision,
    ) -> Plan {
        Plan {
            program: shape.model.name,
            reads: shape.model.readings(),
            engine,
            engine_reason: String::new(),
            devices_reason: String::new(),
            share: None,
            share_estimate: None,
            asks_for_all: false,
            schedule: decision.schedule,
            schedule_reason: decision.reason,
            estimates: decision.estimates,
            graph,
            rows,
            uniform: false,
            bound: None,
            techniques: decision.techniques,
            technique_reasons: decision.technique_reasons,
            bucket_factor: decision.bucket_factor,
            warps: 0,
            traced: false,
            packed: false,
            rows_reason: String::new(),
            ring: None,
            slots: None,
            queue_room: None,
            arrays: Vec::new(),
            steps: None,
            max_steps: u64::MAX,
            tolerance: None,
            settles: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns the total size of all arrays in bytes.
    pub fn bytes(&self) -> u64 {
        self.arrays.iter().map(|array| array.bytes).sum()
    }

    /// Returns the total size in bytes of the arrays that live in one place.
    ///
    /// ```
    /// use wolfpath::Home;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let plan = Engine::cpu().plan(&graph, &wolfpath::programs::bfs::starting_at(1), &RunOptions::new())?;
    /// assert_eq!((plan.bytes_in(Home::Host), plan.bytes_in(Home::Device)), (plan.bytes(), 0));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn bytes_in(&self, home: Home) -> u64 {
        self.arrays.iter().filter(|array| array.home == home).map(|array| array.bytes).sum()
    }

    /// Returns `true` if some rows of a run on a device, or their weights, live in host memory.
    pub(crate) fn rows_on_host(&self) -> bool {
        self.warps > 0
            && self.arrays.iter().any(|array| array.home == Home::Host && array.name.resident().is_some())
    }

    /// Returns `true` if the first ends of rows have an array of their own on the device.
    pub(crate) fn has_first_ends(&self) -> bool {
        self.arrays.iter().any(|array| matches!(array.name, ArrayName::FirstEnds(_)))
    }

    /// Returns the size of the graph whose rows a device has: a part of them, if several devices share the run.
    pub(crate) fn own_graph(&self) -> GraphSize {
        let Some(Share { edges, packed_words: [out, inward], .. }) = self.share else { return self.graph };
        GraphSize {
            edges,
            packed_out_words: out.or(self.graph.packed_out_words),
            packed_in_words: inward.or(self.graph.packed_in_words),
            ..self.graph
        }
    }

    /// Replaces the schedule and the techniques, with their reasons.
    pub(crate) fn adopt(&mut self, decision: Decision) {
        self.schedule = decision.schedule;
        self.schedule_reason = decision.reason;
        self.techniques = decision.techniques;
        self.technique_reasons = decision.technique_reasons;
        self.estimates = decision.estimates;
        self.bucket_factor = decision.bucket_factor;
    }

    /// Keeps the schedule, although that of another plan is estimated to be faster with rows that are stored like these.
    pub(crate) fn keep_despite(&mut self, other: Plan) {
        if other.schedule != self.schedule {
            let reason = "the schedule that is estimated to be the fastest needs more memory of the device than there is";
            self.schedule_reason = reason.to_owned();
        }
        self.estimates = other.estimates;
    }

    /// Returns the size of an array in bytes; 0 if it is not in the plan.
    pub(crate) fn planned_bytes(&self, name: ArrayName) -> u64 {
        self.arrays.iter().find(|array| array.name == name).map_or(0, |array| array.bytes)
    }

    /// Returns where an array lives; on the device if it is not in the plan.
    pub(crate) fn home_of(&self, name: ArrayName) -> Home {
        self.arrays.iter().find(|array| array.name == name).map_or(Home::Device, |array| array.home)
    }

    /// Returns the value beyond which messages are dropped, if the run drops any.
    pub(crate) fn drops_beyond(&self) -> Option<u64> {
        self.bound.filter(|bound| bound.drops_messages()).map(LengthBound::longest)
    }
}

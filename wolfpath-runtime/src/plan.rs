//! The plan: every decision about a run, as plain data, made before anything is allocated.

mod array_name;
mod arrays;
mod choose;
mod cost;
mod display;
mod estimate;
mod schedule;
#[cfg(test)]
mod tests;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::Readings;

pub use self::array_name::ArrayName;
pub(crate) use self::arrays::{Budget, word_bytes};
pub use self::arrays::{PlannedArray, RowUse};
pub(crate) use self::choose::{Question, choose};
pub(crate) use self::cost::TABLE_BYTES;
pub use self::cost::{DeviceCosts, StepParts};
pub use self::estimate::Estimate;
pub(crate) use self::schedule::ScheduleConstraints;
pub use self::schedule::{Schedule, ScheduleChoice, Techniques};
use crate::shape::Shape;

/// Engine that a plan is for.
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

/// Size and kind of a graph, as the planner sees it.
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
    /// `true` if its edges have weights.
    pub weighted: bool,
    /// Number of layers.
    pub layers: u64,
}

impl GraphSize {
    /// Returns the size of a graph; a program whose weight is a struct reads its columns as weights.
    pub(crate) fn of(graph: &LayeredGraph, shape: &Shape) -> GraphSize {
        GraphSize {
            vertices: u64::from(graph.num_vertices()),
            edges: graph.num_edges(),
            symmetric: graph.is_symmetric(),
            weighted: graph.has_weights() || shape.weight.is_struct(),
            layers: graph.num_layers() as u64,
        }
    }

    /// Returns `true` if a device counts its edges in 64 bits.
    pub(crate) fn wide_offsets(&self) -> bool {
        self.edges > u64::from(u32::MAX)
    }
}

/// Every decision about one run, as plain data. Its text is what `wolfpath explain` prints.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The program's name.
    pub program: &'static str,
    /// Data that the program reads. `arrays` holds no other array of the graph.
    pub reads: Readings,
    /// The engine.
    pub engine: PlannedEngine,
    /// Why that engine is used.
    pub engine_reason: String,
    /// The schedule.
    pub schedule: Schedule,
    /// Why that schedule is used.
    pub schedule_reason: String,
    /// Estimated times of the possible schedules on the device; empty for the CPU engine, and if there is no choice.
    pub estimates: Vec<Estimate>,
    /// The graph.
    pub graph: GraphSize,
    /// The rows that are walked.
    pub rows: RowUse,
    /// `true` if all messages of a step are equal in this run: the program says so, all first values are equal, and the
    /// schedule does not go nearest first.
    pub uniform: bool,
    /// The optional optimizations that the run uses.
    pub techniques: Techniques,
    /// Why it uses or avoids them.
    pub technique_reasons: Vec<String>,
    /// Width of the first bucket on a device, in mean weights over mean degrees.
    pub bucket_factor: u32,
    /// Number of warps that are resident on the device at a time; 0 for the CPU engine.
    pub warps: u64,
    /// `true` if every step is recorded.
    pub traced: bool,
    /// The arrays, those of the graph first.
    pub arrays: Vec<PlannedArray>,
    /// The number of steps asked for, if any.
    pub steps: Option<u64>,
    /// The number of steps beyond which the run is an error.
    pub max_steps: u64,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Plan {
    /// Returns the bytes of all arrays.
    pub fn bytes(&self) -> u64 {
        self.arrays.iter().map(|array| array.bytes).sum()
    }
}

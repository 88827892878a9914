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
    pub schedule_reason: String,
    /// What the schedules that come into question would take on the device; empty for the CPU engine, and where there is
    /// no choice.
    pub estimates: Vec<Estimate>,
    /// The graph.
    pub graph: GraphSize,
    /// Which rows are walked.
    pub rows: RowUse,
    /// All messages of a step are equal in this run: the program says so, all first values are equal, and what is nearest
    /// is not sent first.
    pub uniform: bool,
    /// What the run uses.
    pub techniques: Techniques,
    /// Why so.
    pub technique_reasons: Vec<String>,
    /// How wide the first bucket on a device is, in mean weights over mean degrees.
    pub bucket_factor: u32,
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

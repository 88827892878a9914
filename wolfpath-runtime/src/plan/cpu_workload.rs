//! Estimated time of a run on the CPU, from the layers of the graph.

use wolfpath_core::graph::LayerClass;

use super::cost::interpolated;
use super::estimate::{Estimate, LayerCost, Traversal};
use super::{ScheduleChoice, Techniques};

/// Costs of the CPU engine's basic operations. They are assumed, not measured: see [`CpuCosts::TYPICAL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CpuCosts {
    /// Nanoseconds to begin and end any run: entering the thread pool, and allocating the smallest arrays.
    pub(crate) start_ns: f64,
    /// Nanoseconds of a step that one thread does alone, without its edges.
    pub(crate) alone_step_ns: f64,
    /// Nanoseconds of a step in which all threads take part, without its edges: waking them, and waiting for the last.
    pub(crate) shared_step_ns: f64,
    /// Nanoseconds that one thread takes per edge, if the values take at most [`CACHED_BYTES`] or at least
    /// [`MEMORY_BYTES`].
    pub(crate) edge_ns: [f64; 2],
    /// Time of the steps of a layer by buckets, as a multiple of a step by frontier.
    pub(crate) bucket_steps: f64,
    /// Time of an edge by buckets, as a multiple of that by frontier.
    pub(crate) bucket_edge: f64,
}

/// Bytes of values that fit in a core's own cache (L2) with room for edges.
const CACHED_BYTES: u64 = 256 << 10;

/// Bytes of values that are mostly read from memory.
const MEMORY_BYTES: u64 = 64 << 20;

impl CpuCosts {
    /// Costs that are assumed for every CPU. They are orders of magnitude, which suffice to tell schedules apart whose
    /// times differ by a factor. SSSP with two threads of a server (2026-11-23), which visited each edge once, took by
    /// frontier and by buckets:
    ///
    /// - 85 and 29 ns per step on a path of 20,000 edges, 83 and 69 ns on one of 1,000;
    /// - 4.6 and 6.8 ns per edge on dblp-2010, 3.3 ns by either on R-MAT 18.
    pub(crate) const TYPICAL: CpuCosts = CpuCosts {
        start_ns: 10_000.0,
        alone_step_ns: 100.0,
        shared_step_ns: 2_000.0,
        edge_ns: [1.0, 5.0],
        bucket_steps: 0.5,
        bucket_edge: 1.25,
    };
}

/// Work of a run, and the threads that execute it.
#[derive(Clone, Copy)]
pub(crate) struct CpuWorkload<'a> {
    pub(super) costs: CpuCosts,
    pub(super) threads: usize,
    pub(super) traversal: Traversal<'a>,
}

impl CpuWorkload<'_> {
    /// Returns the cost of a layer by this schedule: that of one thread, or that of all threads if they finish the
    /// layer earlier.
    fn layer(&self, class: &LayerClass, schedule: ScheduleChoice) -> LayerCost {
        let costs = &self.costs;
        let sizes = [CACHED_BYTES, MEMORY_BYTES];
        let edge = interpolated(sizes, costs.edge_ns, self.traversal.table_bytes());
        let (steps, edge) = match schedule {
            ScheduleChoice::Bucket => (costs.bucket_steps, costs.bucket_edge * edge),
            _ => (1.0, edge),
        };
        let alone = LayerCost { step: steps * costs.alone_step_ns, edge };
        let threads = self.threads.max(1) as f64;
        let shared = LayerCost { step: steps * costs.shared_step_ns, edge: edge / threads };
        if shared.time(class) < alone.time(class) { shared } else { alone }
    }

    /// Returns the estimated time of a run in place by this schedule.
    pub(crate) fn estimate(&self, schedule: ScheduleChoice) -> Estimate {
        let visits = self.traversal.visits(schedule);
        let layers = self.traversal.time(visits, |class| self.layer(class, schedule));
        Estimate::of_ns(schedule, Techniques::NONE, self.costs.start_ns + layers)
    }
}

//! Estimated time of a run on the CPU, from the layers of the graph.

use wolfpath_core::graph::LayerClass;

use super::ScheduleChoice;
use super::cost::interpolated;
use super::estimate::{BUCKET_STEPS, Estimate, LayerCost, Traversal};
use crate::plan::Techniques;

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
}

/// Bytes of values that fit in a core's own cache (L2) with room for edges.
const CACHED_BYTES: u64 = 256 << 10;

/// Bytes of values that are mostly read from memory.
const MEMORY_BYTES: u64 = 64 << 20;

impl CpuCosts {
    /// Costs that are assumed for every CPU. They are orders of magnitude, which suffice to tell schedules apart whose
    /// times differ by a factor.
    pub(crate) const TYPICAL: CpuCosts =
        CpuCosts { start_ns: 10_000.0, alone_step_ns: 1_000.0, shared_step_ns: 2_000.0, edge_ns: [1.0, 5.0] };
}

/// Work of a run, and the threads that execute it.
#[derive(Clone, Copy)]
pub(crate) struct CpuWorkload<'a> {
    pub(super) costs: CpuCosts,
    pub(super) threads: usize,
    pub(super) traversal: Traversal<'a>,
}

impl CpuWorkload<'_> {
    /// Returns the cost of a layer: that of one thread, or that of all threads if they finish the layer earlier.
    /// `steps` multiplies the cost of a step.
    fn layer(&self, class: &LayerClass, steps: f64) -> LayerCost {
        let sizes = [CACHED_BYTES, MEMORY_BYTES];
        let edge = interpolated(sizes, self.costs.edge_ns, self.traversal.table_bytes());
        let alone = LayerCost { step: steps * self.costs.alone_step_ns, edge };
        let threads = self.threads.max(1) as f64;
        let shared = LayerCost { step: steps * self.costs.shared_step_ns, edge: edge / threads };
        if shared.time(class) < alone.time(class) { shared } else { alone }
    }

    /// Returns the estimated time of a run in place by this schedule.
    pub(crate) fn estimate(&self, schedule: ScheduleChoice) -> Estimate {
        let steps = if schedule == ScheduleChoice::Bucket { BUCKET_STEPS } else { 1.0 };
        let visits = self.traversal.visits(schedule);
        let layers = self.traversal.time(visits, |class| self.layer(class, steps));
        Estimate::of_ns(schedule, Techniques::NONE, self.costs.start_ns + layers)
    }
}

//! Estimated time of a run on a device, by schedule and technique.

use std::fmt;
use std::time::Duration;

use wolfpath_core::program::CombineKind;

use super::cost::DeviceCosts;
use super::{GraphSize, ScheduleChoice, Techniques};
use crate::shape::Shape;

/// Estimated time of a run by one schedule.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let plan = Engine::auto().plan(&graph, &wolfpath::programs::bfs::starting_at(1), &RunOptions::new())?;
/// for estimate in &plan.estimates {
///     println!("{estimate}"); // on a GPU, for example "frontier 0.25 ms (direction)"
/// }
/// assert!(plan.estimates.is_empty() || plan.engine_reason.contains("CUDA"));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Schedule of the estimated run.
    pub schedule: ScheduleChoice,
    /// Optional optimizations of the estimated run.
    pub techniques: Techniques,
    /// Time from the first values to the end of the last step.
    pub time: Duration,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.schedule.name(), milliseconds(self.time))?;
        match self.techniques {
            Techniques { local_rounds: true, .. } => write!(f, " (local rounds)"),
            Techniques { direction: true, .. } => write!(f, " (direction)"),
            _ => Ok(()),
        }
    }
}

/// Returns a time in milliseconds, with two significant digits.
pub(super) fn milliseconds(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        _ if ms < 0.995 => format!("{ms:.2} ms"),
        _ if ms < 9.95 => format!("{ms:.1} ms"),
        _ => format!("{ms:.0} ms"),
    }
}

/// Cost of pushing along an edge, as a multiple of the time that its reads take at the device's full rates. Fitted to
/// R-MAT 22 on an H100: pushing along its 128 million edges took 1.47 ms, whereas the rates alone give 1.10 ms.
const PUSH_OVERHEAD: f64 = 1.34;

/// Cost of a fat step (a step with many active vertices), without its edges, as a multiple of the cost of a thin step.
/// A fat step takes 5 to 10 us on an H100.
const FAT_STEP: f64 = 1.5;

/// A run's steps count as fat if its average layer has more than this number of vertices per warp. The kernels decide
/// in each step instead: with local rounds, a frontier of more than `THIN_ITEMS` (8 or 4) items per warp is fat. This
/// limit is lower because the widest layers are several times as large as the average.
const FAT_WIDTH: f64 = 1.0;

/// Maximum number of rounds that a warp runs on its own before a device-wide barrier (`LOCAL_ROUNDS` of the kernels).
const LOCAL_ROUNDS: f64 = 10.0;

/// Coefficient of the formula for the edge visits that local rounds repeat, as a share of all edge visits: DRIFT x
/// (vertices per layer and warp) ^ DRIFT_GROWTH. Fitted to two graphs on an H100 (4,224 warps). On USA-road-NE (824
/// vertices per layer), local rounds repeated 0.3% of the visits. On dblp-2010 (20,000 vertices per layer), they made
/// the run take 40 times as long.
const DRIFT: f64 = 1.3;
/// Exponent of the same formula.
const DRIFT_GROWTH: f64 = 3.7;

/// In a run whose steps may pull, one in this number of edges is visited (`PULL_SHARE` of the kernels).
const PULL_SHARE: f64 = 8.0;

/// Assumed number of steps that pull, in a run whose steps may pull: the fat steps in the middle of the run. Each of
/// them makes a pass over all values.
const PULL_STEPS: f64 = 3.0;

/// Number of steps of a run by buckets, divided by that of a run by frontier (118 / 75 on USA-road-NE).
const BUCKET_STEPS: f64 = 1.6;

/// Average number of times that a run by buckets visits each edge. Measured: 1.2 on R-MAT 22, 2.2 on USA-road-NE.
const BUCKET_WORK: f64 = 1.5;

/// Assumed spread of weights relative to their mean. This value fits weights from 1 to a large number.
const SPREAD: f64 = 2.0;

/// Assumed spread for `max` programs, whose values mostly do not add up along a path. For example, the bottleneck of
/// `widest` is the weight of a single edge, and many vertices share it. For such programs a frontier visits edges fewer
/// times than for `min` programs, and buckets visit them more often. On an H100, `widest` took 2.65 ms by frontier and
/// 3.06 ms by buckets on R-MAT 22, and 5.56 ms and 6.03 ms on USA-road-NE.
const SPREAD_OF_MAX: f64 = 1.2;
/// Average number of times that a run of a `max` program by buckets visits each edge.
const BUCKET_WORK_OF_MAX: f64 = 2.0;

/// Divisor in the formula for the average number of times that a frontier visits each edge: 1 + spread x sqrt(layers) /
/// `FRONTIER_SPREAD`. Visits repeat because a path with more edges may be better. On USA-road-NE with weights from 1 to
/// 100, each edge was visited 18 times.
const FRONTIER_SPREAD: f64 = 4.0;

/// Time that a sweep takes for a thin layer, without the barrier, as a number of dependent reads. Fitted to USA-road-NE
/// on an H100, where a thin layer took 1.4 us including the barrier.
const SWEEP_READS: f64 = 3.0;
/// Cost of a fat layer, as a multiple of the cost of a thin layer. Fitted to cnr-2000 on an H100, where a fat layer
/// took 3.3 us.
const FAT_LAYER: f64 = 2.2;

/// Number of passes that sweeping makes over the layers (5 on R-MAT 22). If the run starts at the root of the layers,
/// and the first value that a vertex receives is its final value, a single pass is enough.
const SWEEPS: f64 = 5.0;

/// Work of a run, and the device that executes it.
#[derive(Clone, Copy)]
pub(crate) struct Workload<'a> {
    pub(crate) costs: &'a DeviceCosts,
    /// Number of warps that are resident at a time.
    pub(crate) warps: u64,
    pub(crate) graph: GraphSize,
    /// Bytes of a value, stored as a word.
    pub(crate) value_bytes: u64,
    /// Bytes of an edge, including the weight if it is read.
    pub(crate) edge_bytes: u64,
    /// Spread of the weights relative to their mean; 0 if every edge changes values by the same amount.
    pub(crate) spread: f64,
    /// `true` if larger values are better.
    pub(crate) takes_largest: bool,
    /// `true` if the run traverses the layers in their order.
    pub(crate) from_root: bool,
}

impl<'a> Workload<'a> {
    pub(crate) fn new(costs: &'a DeviceCosts, warps: u64, graph: GraphSize, shape: &Shape) -> Workload<'a> {
        let reads_weight = shape.model.reads.edge_weight;
        let weight = if reads_weight && graph.weighted { shape.weight.size() as u64 } else { 0 };
        let alike = shape.uniform || reads_weight && !graph.weighted;
        let takes_largest = shape.combine == CombineKind::Max;
        Workload {
            costs,
            warps: warps.max(1),
            graph,
            value_bytes: super::word_bytes(shape.value),
            edge_bytes: 4 + weight,
            spread: match (alike, takes_largest) {
                (true, _) => 0.0,
                (_, true) => SPREAD_OF_MAX,
                _ => SPREAD,
            },
            takes_largest,
            from_root: false,
        }
    }

    fn layers(&self) -> f64 {
        self.graph.layers.max(1) as f64
    }

    /// Returns the number of vertices of an average layer.
    pub(crate) fn width(&self) -> u64 {
        self.graph.vertices / self.graph.layers.max(1)
    }

    /// Returns `true` if a value grows with every edge of its path, so that it pays to process the nearest values
    /// first.
    pub(super) fn values_add_up(&self) -> bool {
        self.spread > 0.0 && !self.takes_largest
    }

    /// Returns `true` if steps on this graph are fat.
    pub(super) fn is_fat(&self) -> bool {
        self.width() as f64 > FAT_WIDTH * self.warps as f64
    }

    /// Returns the time of a step without its edges, in nanoseconds.
    fn step(&self) -> f64 {
        self.costs.step_ns * if self.is_fat() { FAT_STEP } else { 1.0 }
    }

    /// Returns the time to push along every edge once, in nanoseconds.
    fn edges(&self) -> f64 {
        let table = self.graph.vertices * self.value_bytes;
        let each = self.costs.sequential_ns(self.edge_bytes as f64) + self.costs.random_read_ns(table);
        self.graph.edges as f64 * each * PUSH_OVERHEAD
    }

    /// Returns the time to improve every value once, in nanoseconds.
    fn values(&self) -> f64 {
        self.graph.vertices as f64 * self.costs.atomic_ns(self.graph.vertices * self.value_bytes)
    }

    /// Returns the average number of times that a schedule visits each edge, and the schedule's number of steps.
    fn work(&self, schedule: ScheduleChoice) -> (f64, f64) {
        match schedule {
            ScheduleChoice::Bucket if self.takes_largest => {
                (BUCKET_WORK_OF_MAX, BUCKET_STEPS * self.layers())
            }
            ScheduleChoice::Bucket => (BUCKET_WORK, BUCKET_STEPS * self.layers()),
            _ => (1.0 + self.spread * self.layers().sqrt() / FRONTIER_SPREAD, self.layers()),
        }
    }

    /// Returns the time of a run by frontier in place or by buckets, in nanoseconds. Without local rounds, every step
    /// has a barrier. With local rounds, there is one barrier per `LOCAL_ROUNDS` rounds.
    fn pushing(&self, schedule: ScheduleChoice, local_rounds: bool) -> f64 {
        let (work, steps) = self.work(schedule);
        if !local_rounds {
            return steps * self.step() + work * self.edges() + self.values();
        }
        let drift = DRIFT * (self.width() as f64 / self.warps as f64).powf(DRIFT_GROWTH);
        let each = self.costs.local_round_ns + self.step() / LOCAL_ROUNDS;
        steps * each + work * (1.0 + drift) * self.edges() + self.values()
    }

    /// Returns the time in nanoseconds of a run in which each step pushes or pulls, depending on which visits fewer
    /// edges.
    fn turning(&self) -> f64 {
        let pass = self.costs.sequential_ns((self.graph.vertices * self.value_bytes) as f64);
        self.layers() * self.step() + self.edges() / PULL_SHARE + PULL_STEPS * pass + self.values()
    }

    /// Returns the time in nanoseconds of sweeping the layers in order, repeatedly until nothing changes.
    fn sweeping(&self) -> f64 {
        let layer = self.costs.barrier_ns + SWEEP_READS * self.costs.dependent_read_ns;
        let sweeps = if self.from_root && self.spread == 0.0 { 1.0 } else { SWEEPS };
        let layer = layer * if self.is_fat() { FAT_LAYER } else { 1.0 };
        sweeps * (self.layers() * layer + self.edges()) + self.values()
    }

    /// Returns the estimated time of a run by this schedule with these techniques.
    pub(crate) fn estimate(&self, schedule: ScheduleChoice, techniques: Techniques) -> Estimate {
        let nanoseconds = match schedule {
            ScheduleChoice::Sweep => self.sweeping(),
            _ if techniques.direction => self.turning(),
            _ => self.pushing(schedule, techniques.local_rounds),
        };
        Estimate { schedule, techniques, time: Duration::from_nanos(nanoseconds as u64) }
    }

    /// Returns the best width of the first bucket on a device, in units of mean weight divided by mean degree. A run
    /// has about 2 ln(vertices) / width buckets. Each bucket costs two thin steps, and a pass over the waiting vertices
    /// at 22 ps per vertex. Repeated edges cost `width` / 12 times as much as pushing along all edges once. The sum of
    /// both costs is minimal where they are equal. This gives a width of 5 for R-MAT 22, and 15 for dblp-2010. Times
    /// measured on an H100 with the widths 2, 4, 8, 16 and 32: 3.5, 2.95, 3.1, 3.7 and 3.8 ms on R-MAT 22; 0.92, 0.82,
    /// 0.82, 0.76 and 0.77 ms on dblp-2010.
    pub(crate) fn bucket_factor(&self) -> u32 {
        const PENDING_NS: f64 = 0.022;
        const REPEATED: f64 = 1.0 / 12.0;
        let vertices = self.graph.vertices.max(2) as f64;
        let buckets = 2.0 * vertices.ln() * (2.0 * self.costs.step_ns + PENDING_NS * vertices);
        let repeated = REPEATED * self.edges().max(1.0);
        (buckets / repeated).sqrt().clamp(1.0, f64::from(BUCKET_FACTOR)).round() as u32
    }
}

/// Maximum width of the first bucket, in units of mean weight divided by mean degree. It is also the width if nothing
/// is known about the device. Davidson et al. (2014) found this number, the number of lanes of a warp, to work well on
/// GPUs.
pub(crate) const BUCKET_FACTOR: u32 = 32;

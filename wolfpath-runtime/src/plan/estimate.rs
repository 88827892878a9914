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

/// Cost of pushing along an edge, as a multiple of the time that its reads take at the device's full rates. When this
/// was fitted, 128 million edges of R-MAT 22 took 1.47 ms on an H100. The rates alone give 1.10 ms.
const PUSH_OVERHEAD: f64 = 1.34;

/// Cost of a fat step (a step with many active vertices), without its edges, as a multiple of the cost of a thin step.
/// A fat step takes 5 to 10 us on an H100.
const FAT_STEP: f64 = 1.5;

/// Average number of vertices per layer and warp above which steps count as fat. The widest layers are several times as
/// large as the average. With local rounds, the kernels treat a frontier of at least `THIN_ITEMS` items per warp as
/// fat.
const FAT_WIDTH: f64 = 1.0;

/// Maximum number of rounds that a block runs on its own before a device-wide barrier (`LOCAL_ROUNDS` of the kernels).
const LOCAL_ROUNDS: f64 = 10.0;

/// Work that local rounds repeat, as a share of all work, for layers with one vertex per warp. The share grows with the
/// width of the layers to the power DRIFT_GROWTH. Fitted to two points on an H100 (4,224 warps): 0.3% on USA-road-NE
/// (layers of 824 vertices), and 40 times the time on dblp-2010 (layers of 20,000).
const DRIFT: f64 = 1.3;
const DRIFT_GROWTH: f64 = 3.7;

/// If steps may pull, only one edge in this number is visited (`PULL_SHARE` of the kernels).
const PULL_SHARE: f64 = 8.0;

/// Number of steps that pull. They are the fat steps in the middle of a run. Each makes a pass over all values.
const PULL_STEPS: f64 = 3.0;

/// Ratio of the number of steps by buckets to the number of steps by frontier (118 to 75 on USA-road-NE).
const BUCKET_STEPS: f64 = 1.6;

/// Number of times that a run by buckets traverses an edge (1.2 on R-MAT 22 to 2.2 on USA-road-NE).
const BUCKET_WORK: f64 = 1.5;

/// Assumed spread of weights relative to their mean, if it is unknown. The value fits weights from 1 to a large number.
const SPREAD: f64 = 2.0;

/// Spread and number of traversals that are assumed for `max` programs. Their values mostly do not add up along a path:
/// the bottleneck of `widest` is the weight of a single edge, and many vertices share it. A frontier then repeats fewer
/// edges, and buckets repeat more. On an H100 `widest` took 2.65 ms by frontier and 3.06 ms by buckets on R-MAT 22, and
/// 5.56 ms and 6.03 ms on USA-road-NE.
const SPREAD_OF_MAX: f64 = 1.2;
const BUCKET_WORK_OF_MAX: f64 = 2.0;

/// Divisor in the formula for the number of times that a frontier traverses an edge: 1 + spread x sqrt(layers) /
/// `FRONTIER_SPREAD`. Edges are traversed repeatedly because a path with more edges may be better. On USA-road-NE with
/// weights from 1 to 100, the number was 18.
const FRONTIER_SPREAD: f64 = 4.0;

/// Number of dependent reads that take as long as a thin layer of a sweep without its barrier, and the cost of a fat
/// layer as a multiple of the cost of a thin layer. Both were fitted like those of a step. On an H100 a thin layer took
/// 1.4 us on USA-road-NE, and a fat layer 3.3 us on cnr-2000.
const SWEEP_READS: f64 = 3.0;
const FAT_LAYER: f64 = 2.2;

/// Number of passes of a sweep over the layers (5 on R-MAT 22). If a sweep starts at the root of the layers and first
/// values are final, a single pass is enough.
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

    /// Returns the nanoseconds of a step without its edges.
    fn step(&self) -> f64 {
        self.costs.step_ns * if self.is_fat() { FAT_STEP } else { 1.0 }
    }

    /// Returns the nanoseconds to push along every edge once.
    fn edges(&self) -> f64 {
        let table = self.graph.vertices * self.value_bytes;
        let each = self.costs.sequential_ns(self.edge_bytes as f64) + self.costs.random_read_ns(table);
        self.graph.edges as f64 * each * PUSH_OVERHEAD
    }

    /// Returns the nanoseconds to improve every value once.
    fn values(&self) -> f64 {
        self.graph.vertices as f64 * self.costs.atomic_ns(self.graph.vertices * self.value_bytes)
    }

    /// Returns the number of times that a schedule traverses an edge, and its number of steps.
    fn work(&self, schedule: ScheduleChoice) -> (f64, f64) {
        match schedule {
            ScheduleChoice::Bucket if self.takes_largest => {
                (BUCKET_WORK_OF_MAX, BUCKET_STEPS * self.layers())
            }
            ScheduleChoice::Bucket => (BUCKET_WORK, BUCKET_STEPS * self.layers()),
            _ => (1.0 + self.spread * self.layers().sqrt() / FRONTIER_SPREAD, self.layers()),
        }
    }

    /// Returns the nanoseconds of a run by frontier in place or by buckets. There is one barrier per step or, with
    /// local rounds, one per several rounds.
    fn pushing(&self, schedule: ScheduleChoice, local_rounds: bool) -> f64 {
        let (work, steps) = self.work(schedule);
        if !local_rounds {
            return steps * self.step() + work * self.edges() + self.values();
        }
        let drift = DRIFT * (self.width() as f64 / self.warps as f64).powf(DRIFT_GROWTH);
        let each = self.costs.local_round_ns + self.step() / LOCAL_ROUNDS;
        steps * each + work * (1.0 + drift) * self.edges() + self.values()
    }

    /// Returns the nanoseconds of a run in which each step pushes or pulls, depending on which visits fewer edges.
    fn turning(&self) -> f64 {
        let pass = self.costs.sequential_ns((self.graph.vertices * self.value_bytes) as f64);
        self.layers() * self.step() + self.edges() / PULL_SHARE + PULL_STEPS * pass + self.values()
    }

    /// Returns the nanoseconds of sweeps over the layers in order, until nothing changes.
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

    /// Returns the width of the first bucket, in units of mean weight divided by mean degree. There are about 2
    /// ln(vertices) / factor buckets. Each bucket costs two thin steps and a pass over the waiting vertices (22 ps
    /// each). A wider bucket repeats more edges: about one in twelve per unit of width. The sum of both costs is
    /// minimal at the square root of their quotient. This gives 5 for R-MAT 22 (measured on an H100: 3.5 ms at 2, 2.95
    /// at 4, 3.1 at 8, 3.7 at 16, 3.8 at 32) and 15 for dblp-2010 (0.92, 0.82, 0.82, 0.76, 0.77).
    pub(crate) fn bucket_factor(&self) -> u32 {
        const PENDING_NS: f64 = 0.022;
        const REPEATED: f64 = 1.0 / 12.0;
        let vertices = self.graph.vertices.max(2) as f64;
        let buckets = 2.0 * vertices.ln() * (2.0 * self.costs.step_ns + PENDING_NS * vertices);
        let repeated = REPEATED * self.edges().max(1.0);
        (buckets / repeated).sqrt().clamp(1.0, f64::from(BUCKET_FACTOR)).round() as u32
    }
}

/// Maximum width of the first bucket, in units of mean weight divided by mean degree, and its width if nothing is known
/// about the device. It is the width of a warp, which Davidson et al. (2014) found to work well on GPUs.
pub(crate) const BUCKET_FACTOR: u32 = 32;

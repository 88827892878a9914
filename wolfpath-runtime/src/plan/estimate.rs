//! Estimated time of a run over a graph on a device, by schedule and technique.

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
    /// The schedule.
    pub schedule: ScheduleChoice,
    /// The optional optimizations that it would use.
    pub techniques: Techniques,
    /// The time from first values to the last step's end.
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

/// A time in milliseconds, with two digits that count.
pub(super) fn milliseconds(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        _ if ms < 0.995 => format!("{ms:.2} ms"),
        _ if ms < 9.95 => format!("{ms:.1} ms"),
        _ => format!("{ms:.0} ms"),
    }
}

/// A push over an edge, in the reads that it makes at the device's full rates: 128 million edges of R-MAT 22 took 1.47 ms
/// on an H100, whose rates alone allow 1.10, when this was fitted.
const PUSH_OVERHEAD: f64 = 1.34;

/// A step with many active vertices costs so much of a thin one, beside its edges: 5 to 10 us on an H100.
const FAT_STEP: f64 = 1.5;

/// Vertices of an average layer for each warp from which steps are fat: the widest layers hold several times as many, and
/// with local rounds the kernels call a frontier fat from `THIN_ITEMS` items per warp on.
const FAT_WIDTH: f64 = 1.0;

/// Rounds that a block does on its own before it waits for the device (`LOCAL_ROUNDS` of the kernels).
const LOCAL_ROUNDS: f64 = 10.0;

/// Work repeated because of local rounds, as a share of the work, for layers of one vertex per warp; it grows with
/// the power DRIFT_GROWTH of their width. Two points on an H100 (4,224 warps): 0.3% on USA-road-NE (layers of 824), and 40
/// times the time on dblp-2010 (20,000).
const DRIFT: f64 = 1.3;
const DRIFT_GROWTH: f64 = 3.7;

/// Of the edges, one in so many is looked at where steps may pull (`PULL_SHARE` of the kernels).
const PULL_SHARE: f64 = 8.0;

/// Steps that pull, each with a pass over all values: the fat ones in the middle.
const PULL_STEPS: f64 = 3.0;

/// Steps of a run nearest first, for each that a frontier takes (USA-road-NE: 118 for 75).
const BUCKET_STEPS: f64 = 1.6;

/// Times that a run nearest first walks an edge (1.2 on R-MAT 22 to 2.2 on USA-road-NE).
const BUCKET_WORK: f64 = 1.5;

/// How far weights lie from each other where that is unknown, by their mean: that of weights from 1 to a large number.
const SPREAD: f64 = 2.0;

/// The same for `max` programs, whose values mostly do not add up along a path: the bottleneck of `widest` is one edge's,
/// and is the same for many vertices. A frontier walks fewer edges again, and a run nearest first more: on an H100 `widest`
/// took 2.65 ms by frontier and 3.06 by buckets on R-MAT 22, 5.56 and 6.03 on USA-road-NE.
const SPREAD_OF_MAX: f64 = 1.2;
const BUCKET_WORK_OF_MAX: f64 = 2.0;

/// A frontier walks an edge 1 + spread x sqrt(layers) / this many times, since a path of more edges may be better: 18 times
/// on USA-road-NE with weights from 1 to 100.
const FRONTIER_SPREAD: f64 = 4.0;

/// Dependent reads of a layer of a sweep beside its barrier, in the same sense as those of a step; and how many times as
/// long a fat layer takes: 1.4 us a thin layer on USA-road-NE, 3.3 us a fat one on cnr-2000 (H100).
const SWEEP_READS: f64 = 3.0;
const FAT_LAYER: f64 = 2.2;

/// Times that a sweep goes through the layers (5 on R-MAT 22); once where it begins at their root, and a first value is
/// the last.
const SWEEPS: f64 = 5.0;

/// Work of a run, and the device that does it.
#[derive(Clone, Copy)]
pub(crate) struct Workload<'a> {
    pub(crate) costs: &'a DeviceCosts,
    /// Warps that are at work at a time.
    pub(crate) warps: u64,
    pub(crate) graph: GraphSize,
    /// Bytes of a value as a word.
    pub(crate) value_bytes: u64,
    /// Bytes of an edge, with the weight that is read.
    pub(crate) edge_bytes: u64,
    /// How far weights lie from each other, by their mean; 0 when an edge makes the same difference wherever it lies.
    pub(crate) spread: f64,
    /// The better value is the larger one.
    pub(crate) takes_largest: bool,
    /// The run goes through the layers as they lie.
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

    /// Vertices of an average layer.
    pub(crate) fn width(&self) -> u64 {
        self.graph.vertices / self.graph.layers.max(1)
    }

    /// Returns `true` if a value grows with every edge of its path, so that it pays to take the nearest first.
    pub(super) fn values_add_up(&self) -> bool {
        self.spread > 0.0 && !self.takes_largest
    }

    /// Returns `true` if the graph's steps are fat.
    pub(super) fn is_fat(&self) -> bool {
        self.width() as f64 > FAT_WIDTH * self.warps as f64
    }

    /// A step's nanoseconds beside its edges.
    fn step(&self) -> f64 {
        self.costs.step_ns * if self.is_fat() { FAT_STEP } else { 1.0 }
    }

    /// Nanoseconds to push over all edges once.
    fn edges(&self) -> f64 {
        let table = self.graph.vertices * self.value_bytes;
        let each = self.costs.sequential_ns(self.edge_bytes as f64) + self.costs.random_read_ns(table);
        self.graph.edges as f64 * each * PUSH_OVERHEAD
    }

    /// Nanoseconds to improve every value once.
    fn values(&self) -> f64 {
        self.graph.vertices as f64 * self.costs.atomic_ns(self.graph.vertices * self.value_bytes)
    }

    /// Times that a schedule walks an edge, and steps that it takes.
    fn work(&self, schedule: ScheduleChoice) -> (f64, f64) {
        match schedule {
            ScheduleChoice::Bucket if self.takes_largest => {
                (BUCKET_WORK_OF_MAX, BUCKET_STEPS * self.layers())
            }
            ScheduleChoice::Bucket => (BUCKET_WORK, BUCKET_STEPS * self.layers()),
            _ => (1.0 + self.spread * self.layers().sqrt() / FRONTIER_SPREAD, self.layers()),
        }
    }

    /// The frontier in place, or nearest first, with a barrier for every step or with one for many rounds.
    fn pushing(&self, schedule: ScheduleChoice, local_rounds: bool) -> f64 {
        let (work, steps) = self.work(schedule);
        if !local_rounds {
            return steps * self.step() + work * self.edges() + self.values();
        }
        let drift = DRIFT * (self.width() as f64 / self.warps as f64).powf(DRIFT_GROWTH);
        let each = self.costs.local_round_ns + self.step() / LOCAL_ROUNDS;
        steps * each + work * (1.0 + drift) * self.edges() + self.values()
    }

    /// Pushing and pulling, whichever looks at fewer edges.
    fn turning(&self) -> f64 {
        let pass = self.costs.sequential_ns((self.graph.vertices * self.value_bytes) as f64);
        self.layers() * self.step() + self.edges() / PULL_SHARE + PULL_STEPS * pass + self.values()
    }

    /// Layers in order, until nothing changes.
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

    /// Returns the width of the first bucket, in mean weights over mean degrees. A bucket costs two thin steps and a pass over
    /// the vertices that wait (22 ps each); there are about 2 ln(vertices) / factor of them. A wider bucket walks edges again:
    /// about one in twelve a unit. The least of the sum is at the root of the quotient, which gives 5 for R-MAT 22 (measured on
    /// an H100: 3.5 ms at 2, 2.95 at 4, 3.1 at 8, 3.7 at 16, 3.8 at 32) and 15 for dblp-2010 (0.92, 0.82,
    /// 0.82, 0.76, 0.77).
    pub(crate) fn bucket_factor(&self) -> u32 {
        const PENDING_NS: f64 = 0.022;
        const REPEATED: f64 = 1.0 / 12.0;
        let vertices = self.graph.vertices.max(2) as f64;
        let buckets = 2.0 * vertices.ln() * (2.0 * self.costs.step_ns + PENDING_NS * vertices);
        let repeated = REPEATED * self.edges().max(1.0);
        (buckets / repeated).sqrt().clamp(1.0, f64::from(BUCKET_FACTOR)).round() as u32
    }
}

/// The widest first bucket, in mean weights over mean degrees, and the one where nothing is known of the device: a warp's
/// width, which Davidson et al. (2014) found good on GPUs.
pub(crate) const BUCKET_FACTOR: u32 = 32;

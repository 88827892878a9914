//! Estimated time of a run, by schedule and technique. The part here applies to both engines: which layers a run goes
//! through, and how often it visits their edges. `device_workload.rs` and `cpu_workload.rs` add what a step and an edge
//! cost.
//!
//! A layer takes one step. The step takes a fixed time, or the time of its edges if that is longer. The estimate is the
//! sum over all layers. It serves to choose between schedules: it shows which of two schedules is faster if the
//! difference is large, but does not predict absolute times.

use std::fmt;
use std::time::Duration;

use wolfpath_core::graph::{LayerClass, LayerHistogram};
use wolfpath_core::program::CombineKind;

use super::{GraphSize, ScheduleChoice, Techniques};
use crate::shape::Shape;

/// Estimated time of a run by one schedule.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(1, 2, 5u32), (2, 3, 1)])?;
/// let plan = Engine::cpu().plan(&graph, &wolfpath::programs::sssp::starting_at(1), &RunOptions::new())?;
/// let printed: Vec<String> = plan.estimates.iter().map(|estimate| estimate.to_string()).collect();
/// assert!(printed[0].starts_with("frontier ") && printed[1].starts_with("bucket "));
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

impl Estimate {
    pub(super) fn of_ns(schedule: ScheduleChoice, techniques: Techniques, nanoseconds: f64) -> Estimate {
        Estimate { schedule, techniques, time: Duration::from_nanos(nanoseconds as u64) }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.schedule.name(), rounded(self.time))?;
        match self.techniques {
            Techniques { local_rounds: true, .. } => write!(f, " (local rounds)"),
            Techniques { direction: true, .. } => write!(f, " (direction)"),
            _ => Ok(()),
        }
    }
}

/// Returns a time in milliseconds, or in microseconds if it is below a tenth of a millisecond, with about two
/// significant digits.
pub(super) fn rounded(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        _ if ms < 0.0995 => format!("{:.0} us", ms * 1e3),
        _ if ms < 0.995 => format!("{ms:.2} ms"),
        _ if ms < 9.95 => format!("{ms:.1} ms"),
        _ => format!("{ms:.0} ms"),
    }
}

/// Average number of times that a frontier visits each edge of a `min` program: 1 + REPEATS x sqrt(layers). Visits
/// repeat because a path with more edges may be better. The estimate for SSSP with a frontier, and the number that was
/// counted on an H200: 23 and 16 on USA-road-NE, 16 and 15 on osm-moscow, 4 and 9 on cnr-2000, 3 and 6 on dblp-2010,
/// 2.5 and 1.8 on R-MAT 22.
const REPEATS: f64 = 0.5;

/// The same for `max` programs, whose values mostly do not add up along a path. For example, the bottleneck of `widest`
/// is the weight of a single edge, and many vertices share it. Estimated and counted on an H200: 14 and 11 on
/// USA-road-NE, 1.9 and 1.7 on R-MAT 22.
const REPEATS_OF_MAX: f64 = 0.3;

/// Average number of times that a run by buckets visits each edge, if values improve several times. Counted on an H200:
/// 1.1 (SSSP) and 1.5 (`widest`) on R-MAT 22, 4.1 on dblp-2010, 5.2 on USA-road-NE. Thin layers wait for memory in the
/// meantime, so only the number on large graphs matters.
const BUCKET_VISITS: f64 = 1.5;

/// Number of times that a vertex's value improves in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Improvements {
    /// Every edge changes values by the same amount, so a vertex's first value is final.
    Once,
    /// Values grow with every edge of their path, so it pays to send the nearest values first.
    AddUp,
    /// Larger values are better. Most values come from a single edge of their path.
    Largest,
}

/// Costs of a layer, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LayerCost {
    /// Least time of the layer's step, however few edges it has.
    pub(super) step: f64,
    /// Time per edge.
    pub(super) edge: f64,
}

impl LayerCost {
    /// Returns the time of one layer of this class, if each edge is visited once.
    pub(super) fn time(&self, class: &LayerClass) -> f64 {
        self.step.max(class.mean_edges() * self.edge)
    }
}

/// The layers that a run goes through, and what it does with their edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traversal<'a> {
    pub(super) graph: GraphSize,
    pub(super) layers: &'a LayerHistogram,
    /// Bytes of a value, stored as a word.
    pub(super) value_bytes: u64,
    /// Bytes of an edge, including the weight if it is read.
    pub(super) edge_bytes: u64,
    pub(super) improvements: Improvements,
}

impl<'a> Traversal<'a> {
    pub(crate) fn new(graph: GraphSize, layers: &'a LayerHistogram, shape: &Shape) -> Traversal<'a> {
        let reads_weight = shape.model.reads.edge_load();
        let weight = if reads_weight && graph.weighted { shape.weight.size() as u64 } else { 0 };
        let alike = shape.uniform || reads_weight && !graph.weighted;
        Traversal {
            graph,
            layers,
            value_bytes: super::word_bytes(shape.value),
            edge_bytes: 4 + weight,
            improvements: match (alike, shape.combine) {
                (true, _) => Improvements::Once,
                (_, CombineKind::Max) => Improvements::Largest,
                _ => Improvements::AddUp,
            },
        }
    }

    /// Returns the bytes of all values.
    pub(super) fn table_bytes(&self) -> u64 {
        self.graph.vertices * self.value_bytes
    }

    /// Returns the average number of times that a schedule visits each edge.
    pub(super) fn visits(&self, schedule: ScheduleChoice) -> f64 {
        let repeats = match self.improvements {
            Improvements::Once => 0.0,
            Improvements::AddUp => REPEATS,
            Improvements::Largest => REPEATS_OF_MAX,
        };
        match schedule {
            ScheduleChoice::Bucket if self.improvements != Improvements::Once => BUCKET_VISITS,
            _ => 1.0 + repeats * (self.layers.layers_with_edges() as f64).sqrt(),
        }
    }

    /// Returns the layers that take a step.
    pub(super) fn steps(&self) -> impl Iterator<Item = &'a LayerClass> + use<'a> {
        self.layers.classes().iter().filter(|class| class.edges > 0)
    }

    /// Returns the time of a run in nanoseconds: the sum over all layers of the larger of the step's time and the
    /// edges' time. Repeated visits are added, because they take place in later steps, which have other edges to visit
    /// in the meantime.
    pub(super) fn time(&self, visits: f64, cost: impl Fn(&LayerClass) -> LayerCost) -> f64 {
        let of_class = |class: &LayerClass| {
            let cost = cost(class);
            class.layers as f64 * cost.time(class) + (visits - 1.0) * class.edges as f64 * cost.edge
        };
        self.steps().map(of_class).sum()
    }
}

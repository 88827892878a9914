//! Estimated time of a run on a device, from the layers of the graph and the measured costs of the device.

use wolfpath_core::graph::LayerClass;
use wolfpath_kernels::{FIRST_ROUNDS, LOCAL_ROUNDS, PULL_SHARE, TURN_EDGES, segment_edges, thin_items};

use super::cost::DeviceCosts;
use super::estimate::{Estimate, Improvements, LayerCost, Traversal};
use super::storage::RowStorage;
use super::{ScheduleChoice, Techniques};

/// Share of messages that improve a value, if vertices are improved more than once. Such a message takes an atomic in
/// addition to the read. On an H200, a visit of an edge of R-MAT 22 took 0.0107 ns with SSSP and 0.0103 ns with
/// `widest` by frontier; the rates give 0.0108 ns. If every vertex is improved once, it took 0.0068 ns; the rates give
/// 0.0074 ns.
const ATOMIC_SHARE: f64 = 0.25;

/// Number of further edges that a warp waits for in a wide layer, which has more items than there are warps. On an
/// H200, a step of BFS by frontier takes 6.8 us on cnr-2000 and 7.6 us on dblp-2010, where most layers are wide, and a
/// layer of a sweep takes 4.1 us on cnr-2000. The estimates are 7.1 and 4.1 us.
const WIDE_EDGES: f64 = 3.0;

/// Exponent of the share of edge visits that local rounds repeat on detours: (items per warp) ^ `DETOURS` of each
/// layer. On an H100, local rounds repeated 0.3% of the visits on USA-road-NE (0.2 items per warp; the formula gives
/// 1%), and made BFS take 40 times as long on dblp-2010 (3 to 8 items per warp in most layers; the formula gives 30
/// times).
const DETOURS: i32 = 4;

/// Number of rounds per layer in which warps revisit the edges that they keep, in sweeps over thin layers with local
/// rounds. On an H200, BFS from the root took 1.2 to 1.5 us per layer on USA-road-NE, and a round is 0.6 us.
const SWEEP_ROUNDS: f64 = 2.0;

/// Time of the steps of a run by buckets, as a multiple of that of a frontier: there are more steps, because a bucket
/// has several, and they cost more, because they look for the next bucket. The run time of SSSP by buckets, as a
/// multiple of BFS by frontier on the same graph (H200): 1.7 on USA-road-NE, 2.4 on osm-moscow.
const BUCKET_STEPS: f64 = 1.6;

/// Number of passes that sweeping makes over the layers (5 on R-MAT 22). If the run starts at the root of the layers,
/// and the first value that a vertex receives is its final value, a single pass is enough.
const SWEEPS: f64 = 5.0;

/// Nanoseconds per vertex of the graph to look for the next bucket among the waiting vertices. Fitted to R-MAT 22 on an
/// H100, together with [`REVISITS`], by the widths of the first bucket in [`DeviceWorkload::bucket_factor`].
const PENDING_NS: f64 = 0.022;

/// Share of edges that a run by buckets visits again, per unit of the first bucket's width.
const REVISITS: f64 = 1.0 / 12.0;

/// Most edges of an item, in kernels that send.
const SEGMENT_EDGES: f64 = segment_edges(false) as f64;

/// Work of a run, and the device that executes it.
#[derive(Clone, Copy)]
pub(crate) struct DeviceWorkload<'a> {
    pub(super) costs: &'a DeviceCosts,
    /// Number of warps that are resident at a time; at least 1.
    pub(super) warps: u64,
    pub(super) traversal: Traversal<'a>,
    /// `true` if the run traverses the layers in their order.
    pub(super) from_root: bool,
    pub(super) storage: RowStorage,
}

impl DeviceWorkload<'_> {
    /// Returns the number of work items per warp of an average layer of this class. An item is a vertex, or a part of
    /// its row if the row is long.
    fn items_per_warp(&self, class: &LayerClass) -> f64 {
        // A vertex without edges is not an item.
        let vertices = class.mean_vertices().min(class.mean_edges());
        (vertices + class.mean_edges() / SEGMENT_EDGES) / self.warps.max(1) as f64
    }

    /// Returns `true` if layers of this class have more items than there are warps.
    fn is_wide(&self, class: &LayerClass) -> bool {
        self.items_per_warp(class) > 1.0
    }

    /// Returns `true` if most edges are in wide layers.
    pub(super) fn is_mostly_wide(&self) -> bool {
        let wide = self.traversal.steps().filter(|class| self.is_wide(class));
        2 * u128::from(wide.map(|class| class.edges).sum::<u64>()) > u128::from(self.traversal.graph.edges)
    }

    /// Returns the number of layers that are not wide, and the number of all layers, among those that have edges.
    pub(super) fn thin_layers(&self) -> (u64, u64) {
        let thin = self.traversal.steps().filter(|class| !self.is_wide(class));
        (thin.map(|class| class.layers).sum(), self.traversal.layers.layers_with_edges())
    }

    /// Returns the time that a warp spends on further edges in a layer of this class.
    fn further_edges(&self, class: &LayerClass) -> f64 {
        if self.is_wide(class) { WIDE_EDGES * self.costs.step_parts.edge_ns() } else { 0.0 }
    }

    /// Returns the time to push along an edge, if the whole device is busy.
    fn edge(&self) -> f64 {
        let table = self.traversal.table_bytes();
        let improved = match self.traversal.improvements {
            Improvements::Once => 0.0,
            _ => ATOMIC_SHARE * self.costs.atomic_ns(table),
        };
        self.costs.sequential_ns(self.traversal.edge_bytes as f64)
            + self.costs.random_read_ns(table)
            + improved
    }

    /// Returns the time to improve every value once.
    fn values(&self) -> f64 {
        self.traversal.graph.vertices as f64 * self.costs.atomic_ns(self.traversal.table_bytes())
    }

    /// Returns the cost of a layer whose step ends with a device-wide barrier.
    fn layer(&self, class: &LayerClass) -> LayerCost {
        LayerCost { step: self.costs.step_ns() + self.further_edges(class), edge: self.edge() }
    }

    /// Returns the cost of a layer with local rounds: there is one barrier per `LOCAL_ROUNDS` layers, but edges are
    /// visited again on detours. The kernels take steps with more than [`thin_items`] items per warp without local
    /// rounds.
    fn local_layer(&self, class: &LayerClass) -> LayerCost {
        let items = self.items_per_warp(class);
        let thin = thin_items(self.traversal.value_bytes as usize, self.traversal.graph.wide_offsets());
        if items > f64::from(thin) {
            return self.layer(class);
        }
        LayerCost {
            step: self.costs.local_round_ns() + self.costs.step_ns() / f64::from(LOCAL_ROUNDS),
            edge: self.edge() * (1.0 + items.powi(DETOURS)),
        }
    }

    /// Returns `true` if the step of a layer pulls in a run whose steps may pull. The kernels pull if a frontier has more
    /// edges than pulling is expected to read, by the same formula.
    fn pulls(&self, class: &LayerClass) -> bool {
        let graph = self.traversal.graph;
        let pulled = graph.edges / PULL_SHARE + graph.vertices + TURN_EDGES;
        class.mean_edges() > pulled as f64
    }

    /// Returns the cost of a layer in a run whose steps may pull. A step that pulls makes a pass over all values.
    fn turning_layer(&self, class: &LayerClass) -> LayerCost {
        let pushed = self.layer(class);
        if !self.pulls(class) {
            return pushed;
        }
        let pass = self.costs.sequential_ns(self.traversal.table_bytes() as f64);
        LayerCost { step: pushed.step + pass, edge: pushed.edge / PULL_SHARE as f64 }
    }

    /// Returns the cost of a layer in a sweep, which needs neither a queue nor the bounds of rows.
    fn swept_layer(&self, class: &LayerClass, local_rounds: bool) -> LayerCost {
        let parts = self.costs.step_parts;
        let round = parts.end_ns + parts.value_ns;
        let step = match (local_rounds, self.is_wide(class)) {
            (true, false) => self.costs.barrier_ns / f64::from(LOCAL_ROUNDS) + SWEEP_ROUNDS * round,
            (true, true) => self.costs.barrier_ns + f64::from(FIRST_ROUNDS) * round,
            (false, _) => self.costs.barrier_ns + round,
        };
        LayerCost { step: step + self.further_edges(class), edge: self.edge() }
    }

    /// Returns the time of a run by frontier in place or by buckets.
    fn pushing(&self, schedule: ScheduleChoice, local_rounds: bool) -> f64 {
        let steps = if schedule == ScheduleChoice::Bucket { BUCKET_STEPS } else { 1.0 };
        self.traversal.time(self.traversal.visits(schedule), |class| {
            let cost = if local_rounds { self.local_layer(class) } else { self.layer(class) };
            LayerCost { step: steps * cost.step, ..cost }
        })
    }

    /// Returns the time of a run in which each step pushes or pulls.
    fn turning(&self) -> f64 {
        self.traversal.time(1.0, |class| self.turning_layer(class))
    }

    /// Returns the number of times that a sweep reads all rows.
    fn sweeps(&self) -> f64 {
        let once = self.from_root && self.traversal.improvements == Improvements::Once;
        if once { 1.0 } else { SWEEPS }
    }

    /// Returns the time of sweeping the layers in order, repeatedly until nothing changes.
    fn sweeping(&self, local_rounds: bool) -> f64 {
        self.sweeps() * self.traversal.time(1.0, |class| self.swept_layer(class, local_rounds))
    }

    /// Returns the additional time of a run because of the way in which rows are stored. A layer's edges and the bytes
    /// that cross the link for them take their time one after the other: on an H200, a sweep over R-MAT 22 took 4.0 ms
    /// with packed rows on the device, and 18.8 ms with packed rows in host memory, which take 14.4 ms over the link.
    fn storing(&self, schedule: ScheduleChoice, techniques: Techniques) -> f64 {
        let edges = self.traversal.graph.edges;
        if schedule == ScheduleChoice::Sweep {
            return self.sweeps() * self.storage.sweep_ns(edges);
        }
        let of_class = |class: &LayerClass| {
            let share = class.edges as f64 / edges.max(1) as f64;
            // A vertex without edges has no row to read.
            let ns = self.storage.random_ns(share, class.vertices.min(class.edges) as f64);
            let pulls = techniques.direction && self.pulls(class);
            if pulls { ns / PULL_SHARE as f64 } else { ns }
        };
        let visits = if techniques.direction { 1.0 } else { self.traversal.visits(schedule) };
        visits * self.traversal.steps().map(of_class).sum::<f64>()
    }

    /// Returns the estimated time of a run by this schedule with these techniques.
    pub(crate) fn estimate(&self, schedule: ScheduleChoice, techniques: Techniques) -> Estimate {
        let steps = match schedule {
            ScheduleChoice::Sweep => self.sweeping(techniques.local_rounds),
            _ if techniques.direction => self.turning(),
            _ => self.pushing(schedule, techniques.local_rounds),
        };
        let all = steps + self.values() + self.storing(schedule, techniques);
        Estimate::of_ns(schedule, techniques, all)
    }

    /// Returns the best width of the first bucket on a device, in units of mean weight divided by mean degree. A run
    /// has about 2 ln(vertices) / width buckets. Each bucket costs two thin steps, and a pass over the waiting vertices
    /// at [`PENDING_NS`] per vertex. Repeated edges cost `width` x [`REVISITS`] times as much as pushing along all
    /// edges once. The sum of both costs is minimal where they are equal. This gives a width of 5 for R-MAT 22, and 17
    /// for dblp-2010. Times measured on an H100 with the widths 2, 4, 8, 16 and 32: 3.5, 2.95, 3.1, 3.7 and 3.8 ms on
    /// R-MAT 22; 0.92, 0.82, 0.82, 0.76 and 0.77 ms on dblp-2010. (They are older than the rule by which kernels widen
    /// later buckets, which makes the first width matter less.)
    pub(crate) fn bucket_factor(&self) -> u32 {
        let graph = self.traversal.graph;
        let vertices = graph.vertices.max(2) as f64;
        let buckets = 2.0 * vertices.ln() * (2.0 * self.costs.step_ns() + PENDING_NS * vertices);
        let repeated = REVISITS * (graph.edges as f64 * self.edge()).max(1.0);
        (buckets / repeated).sqrt().clamp(1.0, f64::from(BUCKET_FACTOR)).round() as u32
    }
}

/// Maximum width of the first bucket, in units of mean weight divided by mean degree. It is also the width if nothing
/// is known about the device. Davidson et al. (2014) found this number, the number of lanes of a warp, to work well on
/// GPUs.
pub(crate) const BUCKET_FACTOR: u32 = 32;

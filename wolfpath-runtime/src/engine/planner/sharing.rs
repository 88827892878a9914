//! Decides whether several devices share a run.

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{Along, CombineKind, Datum, DatumKind};

use super::Planner;
use crate::cuda;
use crate::engine::{Engine, Place};
use crate::error::{DeviceError, RunError};
use crate::options::RunOptions;
use crate::plan::{
    Budget, Decision, GraphSize, Home, Plan, PlannedArray, Schedule, ScheduleChoice, Share, ShareEstimate,
    Techniques,
};
use crate::shape::Shape;
use crate::start::Sources;

use super::homes::Moves;

/// Smallest number of items of its queue that a device lends others. With a minimum of 1,024, accumulating PageRank is slower by
/// 4 % over cnr-2000 and 9 % over uk-2007-05@100000 than without lending; queues there never differ enough to lend 8,192 (two
/// H200s).
const LEAST_LENT: u64 = 8192;

/// Smallest number of edges per vertex of graphs in which devices lend. What another device finds out about the lender's
/// vertices travels back over the link, one addition per vertex and round, so that lending pays only if each of them receives
/// many messages. On two H200s, it makes accumulating PageRank faster by 2 % over three R-MAT graphs in a row, of 25 edges per
/// vertex, neither faster nor slower over three that are not connected, of 42, and slower by 12 % over three random graphs of 8.
/// Nothing between was measured.
const LEAST_DEGREE: u64 = 16;

impl Planner<'_> {
    /// Returns what each device has of a run if the engine's devices share it, and the reason. Adapts the decision.
    pub(super) fn share(
        &self,
        shape: &Shape,
        decision: &mut Decision,
        estimate: Option<ShareEstimate>,
    ) -> (Option<Share>, String) {
        let Place::Cuda(devices) = &self.engine.place else { return (None, String::new()) };
        let count = devices.len();
        if count == 1 {
            return (None, String::new());
        }
        let alone = |reason: &str| (None, alone_because(devices.lead(), reason));
        if let Some(reason) = self.against_sharing(shape) {
            return alone(reason);
        }
        let estimate = match estimate {
            // Each device has a link of its own to the host, and steps over rows there take as long as the link does.
            Some(estimate) if !self.engine.spread && !self.asks_for_host() && estimate.saved().is_none() => {
                return alone(&format!("the run would take {estimate}"));
            }
            Some(estimate) => format!(": {estimate}"),
            None => String::new(),
        };
        let share = self.part_of_each();
        restrict(&mut decision.techniques, &mut decision.technique_reasons, shape, decision.schedule);
        let (edges, devices) = (share.edges, share.devices);
        let together = match self.engine.dealing(shape, self.graph, self.options) {
            cuda::Dealing::ByComponent { .. } => ", and components of paths stay together",
            cuda::Dealing::InTurns(_) => "",
        };
        let reason =
            format!("{devices} devices share the run, each with at most {edges} edges{together}{estimate}");
        (Some(share), reason)
    }

    /// Estimates the times of a run on one device, and on all devices that the engine has or may open, if they can share it.
    pub(super) fn estimate_shared(
        &self,
        shape: &Shape,
        decision: &Decision,
        graph: GraphSize,
    ) -> Option<ShareEstimate> {
        let devices =
            self.engine.further.as_ref().map_or(self.engine.devices() as u64, |further| further.count());
        if devices < 2 || self.against_sharing(shape).is_some() {
            return None;
        }
        let costs = &self.engine.calibration()?.costs;
        let of_run = (self.options.steps, shape.portion_words);
        Some(ShareEstimate::of(decision, graph, of_run, costs, devices))
    }

    /// Returns what each device has if all devices of the engine share a run.
    fn part_of_each(&self) -> Share {
        let deal = &self.shards[0].deal;
        Share {
            devices: deal.devices() as u64,
            edges: deal.most_edges(),
            all_edges: self.graph.num_edges(),
            vertices: deal.most_vertices(),
            unit: deal.unit() as u64,
            inbox_room: self.engine.inbox_room,
            least_lent: self.engine.least_lent.unwrap_or(LEAST_LENT),
            packed_words: [None; 2],
        }
    }

    /// Returns the reason why several devices cannot share a run, if there is one.
    pub(in crate::engine) fn against_sharing(&self, shape: &Shape) -> Option<&'static str> {
        if shape.fold.is_some() && self.engine.unit as u64 != wolfpath_kernels::FOLD_VERTICES {
            return Some("units are too small for folds");
        }
        if self.graph.num_vertices() == 0 {
            return Some("the graph is empty");
        }
        None
    }

    /// Returns `true` if a plan, as it is laid out, has plain rows on the device and fits there.
    fn fits_as_laid_out(&self, plan: &Plan) -> bool {
        let is_away = |array: &PlannedArray| array.name.is_of_edges() && array.home != Home::Device;
        !plan.packed
            && !plan.arrays.iter().any(is_away)
            && self.known_room(plan).is_none_or(|room| plan.bytes_in(Home::Device) <= room)
    }

    /// Returns `true` if a plan fits on the device, and has no other rows than plain ones on the device unless these were
    /// requested.
    pub(in crate::engine) fn fits_as_requested(&self, plan: &Plan) -> bool {
        let packed = self.options.packed_rows.or(self.engine.packed_rows) == Some(true);
        let fits = self.known_room(plan).is_none_or(|room| plan.bytes_in(Home::Device) <= room);
        fits && (packed || self.asks_for_host() || self.fits_as_laid_out(plan))
    }

    /// Returns `true` if a plan in which devices share the run does not fit because each of them needs all rows, to count what
    /// the ends of edges have in common.
    pub(super) fn cannot_count_together(&self, plan: &Plan, shape: &Shape) -> bool {
        shape.model.reads.common().is_some() && !self.fits_as_requested(plan)
    }

    /// Changes a plan in which devices share the run to one in which the first of them executes it. The plan must be laid out
    /// again.
    pub(super) fn keep_on_one(&self, plan: &mut Plan) -> Result<(), DeviceError> {
        if let Place::Cuda(devices) = &self.engine.place {
            let reason = "all of them would need the rows of all vertices, to count common neighbours";
            plan.devices_reason = alone_because(devices.lead(), reason);
        }
        plan.share = None;
        plan.engine = self.engine(false)?;
        Ok(())
    }

    /// Decides whether devices that share a run take work from each other. The plan must be laid out: rows in host memory, and
    /// those that are streamed, are read over a device's own link. Values in place are not worth it, since what improves them
    /// travels on only in the next round if another device has found it.
    pub(super) fn lend(&self, plan: &mut Plan, shape: &Shape) {
        let Some(share) = plan.share else { return };
        let are_on_devices = !plan.rows_on_host() && plan.ring.is_none();
        let is_dense = self.graph.num_edges() >= LEAST_DEGREE * u64::from(self.graph.num_vertices());
        let may_lend = plan.schedule.walks() && shape.accumulates && are_on_devices;
        if !(self.options.techniques.lending && may_lend) {
            return;
        }
        let pays = is_dense || self.engine.least_lent.is_some();
        let lenders = cuda::lenders(share);
        let fits =
            self.known_room(plan).is_none_or(|room| plan.bytes_in(Home::Device) + lenders.bytes <= room);
        plan.techniques.lending = pays && fits;
        plan.technique_reasons.push(match (pays, fits) {
            (false, _) => format!(
                "devices lend each other no work: the graph has fewer than {LEAST_DEGREE} edges per vertex"
            ),
            (true, false) => format!(
                "devices lend each other no work: the {} bytes that describe loans do not fit",
                lenders.bytes
            ),
            (true, true) => "devices with more to send than others lend them some of it".to_owned(),
        });
        plan.arrays.extend(plan.techniques.lending.then_some(lenders));
    }

    /// Returns `true` if rows outside of the device were requested.
    fn asks_for_host(&self) -> bool {
        self.asked().is_some_and(|home| home != Home::Device)
    }

    /// Changes a plan that does not fit on one device to one that all devices share, if they can, and if that fits.
    pub(super) fn share_instead<V: Datum>(
        &self,
        plan: &mut Plan,
        shape: &Shape,
        sources: &Sources<V>,
        own: impl Fn(&Budget<'_>) -> Vec<PlannedArray>,
    ) -> Result<(), RunError> {
        let Place::Cuda(devices) = &self.engine.place else { return Ok(()) };
        if devices.len() == 1 || self.against_sharing(shape).is_some() {
            return Ok(());
        }
        let mut shared = plan.clone();
        shared.share = Some(self.part_of_each());
        restrict(&mut shared.techniques, &mut shared.technique_reasons, shape, shared.schedule);
        shared.engine = self.engine(true)?;
        self.lay_out(&mut shared, shape, sources, Moves::Queue, own)?;
        if self.known_room(&shared).is_none_or(|room| shared.bytes_in(Home::Device) <= room) {
            let count = devices.len();
            let reason = if self.unlockable { "its rows are streamed" } else { "it does not fit on one" };
            shared.devices_reason = format!("{count} devices share the run, because {reason}");
            *plan = shared;
        }
        Ok(())
    }
}

impl Engine {
    /// Returns how the vertices of a graph are dealt to the engine's devices in a run with these options. If all paths depend
    /// on each other, as those of a symmetric graph do, components are not worth looking for.
    pub(in crate::engine) fn dealing(
        &self,
        shape: &Shape,
        graph: &LayeredGraph,
        options: &RunOptions,
    ) -> cuda::Dealing {
        let takes_paths = options.schedule == Some(ScheduleChoice::Paths) && options.techniques.path_order;
        let is_directed = !graph.is_symmetric() && matches!(shape.along, Along::Out | Along::In);
        // Where in-rows cannot be computed, only a run that needs them fails.
        match takes_paths && is_directed && shape.fold.is_none() && graph.in_edges().is_ok() {
            true => cuda::Dealing::ByComponent { backward: shape.along == Along::In },
            false => cuda::Dealing::InTurns(self.unit),
        }
    }
}

/// Returns the words of a plan in which one of several devices executes the run.
pub(in crate::engine) fn alone_because(lead: &cuda::Device, reason: &str) -> String {
    format!("cuda:{} alone, because {reason}", lead.ordinal)
}

/// Removes the techniques that several devices, which share the run, cannot use, and says so.
pub(super) fn restrict(
    techniques: &mut Techniques,
    reasons: &mut Vec<String>,
    shape: &Shape,
    schedule: Schedule,
) {
    if techniques.direction && !may_listen(shape, schedule) {
        techniques.direction = false;
        reasons.push("several devices cannot pull in this run, so every step pushes".to_owned());
    }
}

/// Returns `true` if vertices may search for senders on several devices. All vertices that send in a step of a run whose
/// messages are equal must have equal values, and each device must know how long the rows of all vertices are: the degrees
/// that it has between distinct neighbours are those of the input.
fn may_listen(shape: &Shape, schedule: Schedule) -> bool {
    let has_one_value =
        matches!(shape.combine, CombineKind::Min | CombineKind::Max) || shape.value == DatumKind::Bool;
    schedule == Schedule::Relax && has_one_value && shape.along != Along::Neighbours
}

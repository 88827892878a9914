//! The further devices of a machine, which an automatically chosen engine opens only if they save more time than opening them
//! takes, or if a run does not fit on one device.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use wolfpath_core::program::EdgeProgram;

use super::planner::{Planner, alone_because};
use super::{Engine, LoadedGraph, Place};
use crate::cuda;
use crate::options::RunOptions;
use crate::plan::{OPENING, Plan};
use crate::shape::Shape;
use crate::start::Sources;

/// Number of runs that take about as long in batches as one run by itself. 64 runs of BFS over R-MAT 24 took as long as 11 on
/// an H200; other programs share less.
const RUNS_AS_ONE: f64 = 6.0;

/// The devices of the machine, of which only the first one is open at the beginning.
pub(super) struct FurtherDevices {
    lead: Arc<cuda::Device>,
    /// Bytes of memory of the first one.
    memory: Option<u64>,
    count: usize,
    opened: OnceLock<Result<cuda::Devices, String>>,
}

impl FurtherDevices {
    /// Returns the further devices of a machine with `count` devices, if it has any.
    pub(super) fn of(lead: &Arc<cuda::Device>, count: usize) -> Option<Arc<FurtherDevices>> {
        let count = count.min(cuda::MOST_DEVICES);
        let memory = lead.memory().ok().map(|(_, memory)| memory);
        (count > 1)
            .then(|| Arc::new(FurtherDevices { lead: lead.clone(), memory, count, opened: OnceLock::new() }))
    }

    pub(super) fn count(&self) -> u64 {
        self.count as u64
    }

    /// Returns the time that it would take to open the devices that are not open, or the reason why they cannot be used.
    pub(super) fn opening(&self) -> Result<Duration, &str> {
        match self.opened.get() {
            None => Ok(OPENING * (self.count - 1) as u32),
            Some(Ok(_)) => Ok(Duration::ZERO),
            Some(Err(reason)) => Err(reason),
        }
    }

    /// Opens all devices, unless they are open. Returns `None` if they cannot share runs.
    fn open(&self) -> Option<&cuda::Devices> {
        let open = || cuda::Devices::around(&self.lead, self.count).map_err(|error| error.to_string());
        self.opened.get_or_init(open).as_ref().ok()
    }
}

impl Engine {
    /// Returns this engine with all devices of the machine, which it opens if necessary, or `None` if it has no further ones
    /// or they cannot share runs.
    pub(super) fn on_all_devices(&self) -> Option<Engine> {
        let devices = self.further.as_ref()?.open()?;
        Some(Engine { place: Place::Cuda(devices.clone()), further: None, ..self.clone() })
    }
}

impl LoadedGraph {
    /// Returns the graph on all devices of the machine if the plan of a run asks for them. Returns `None` if the run stays on
    /// this engine.
    pub(super) fn on_all_for_run<P: EdgeProgram>(
        &self,
        sources: &Sources<P::Value>,
        options: &RunOptions,
    ) -> Option<LoadedGraph> {
        let plan = self.plan_for_all::<P>(sources, options)?;
        plan.asks_for_all.then(|| self.on_all_devices())?
    }

    /// Returns the plan of a run on one device, if the machine has further ones. A run that cannot be planned returns its
    /// error later.
    fn plan_for_all<P: EdgeProgram>(
        &self,
        sources: &Sources<P::Value>,
        options: &RunOptions,
    ) -> Option<Plan> {
        let memory = self.engine.further.as_ref()?.memory;
        let planner = Planner::within(&self.engine, &self.graph, options, memory);
        planner.plan::<P>(sources).ok().map(|(plan, _)| plan)
    }

    /// Returns the graph on all devices of the machine if many runs should be distributed over them. `sources` are those of
    /// one of the runs.
    pub(super) fn on_all_for_many<P: EdgeProgram>(
        &self,
        runs: usize,
        sources: &Sources<P::Value>,
        options: &RunOptions,
    ) -> Option<LoadedGraph> {
        let further = self.engine.further.as_ref()?;
        let opening = further.opening().ok()?;
        let plan = self.plan_for_all::<P>(sources, options)?;
        // Many runs need not be shared, so that other schedules count, too.
        let known = plan.estimates.iter().map(|estimate| estimate.time).min();
        let alone = plan.share_estimate.map(|estimate| estimate.alone).or(known)?;
        let alone = alone.mul_f64(runs as f64 / RUNS_AS_ONE);
        let saved = alone.mul_f64(1.0 - 1.0 / further.count() as f64);
        (runs > 1 && saved > opening || plan.asks_for_all).then(|| self.on_all_devices())?
    }

    fn on_all_devices(&self) -> Option<LoadedGraph> {
        let engine = self.engine.on_all_devices()?;
        // The leading device may have the graph already.
        let load = || LoadedGraph { resident: self.resident.clone(), ..engine.load(&self.graph) };
        let on_all = self.on_all.get_or_init(|| Box::new(load()));
        // A run may read other weights than the one before.
        Some(LoadedGraph { engine, graph: self.graph.clone(), ..LoadedGraph::clone(on_all) })
    }
}

impl Planner<'_> {
    /// Decides whether a run of an automatically chosen engine should take all devices of the machine, and says why.
    pub(super) fn ask_for_all(&self, plan: &mut Plan, shape: &Shape) {
        let Some(further) = &self.engine.further else { return };
        let lead = &further.lead;
        let alone = |reason: String| alone_because(lead, &reason);
        let opening = match further.opening() {
            Ok(opening) => opening,
            Err(reason) => {
                plan.devices_reason = alone(format!("the others cannot be used: {reason}"));
                return;
            }
        };
        if let Some(reason) = self.against_sharing(shape) {
            plan.devices_reason = alone(reason.to_owned());
            return;
        }
        let Some(estimate) = plan.share_estimate else { return };
        let saves = estimate.saved().is_some_and(|saved| saved > opening);
        // What counts common neighbours needs all rows on each device.
        let may_fit_on_all = shape.model.reads.common().is_none();
        plan.asks_for_all = saves || may_fit_on_all && !self.fits_as_requested(plan);
        if !plan.asks_for_all {
            let more = further.count - 1;
            let seconds = opening.as_secs_f64();
            let opens = match opening {
                Duration::ZERO => String::new(),
                _ => format!(", and it takes about {seconds:.1} s to open {more} more"),
            };
            plan.devices_reason = alone(format!("the run would take {estimate}{opens}"));
        }
    }
}

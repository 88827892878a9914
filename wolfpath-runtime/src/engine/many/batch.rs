//! One batch of runs: its plan, and its execution on each engine.

use std::sync::Arc;
use std::time::Instant;

use wolfpath_core::graph::Rows;
use wolfpath_core::program::{Aggregator, Combiner, Datum, Edge, EdgeProgram};

use super::outcomes::{OneOf, Shared};
use super::sharing::{Divider, LEAST_ABREAST, Part, Sharing};
use crate::cpu::{self, Ahead};
use crate::cuda;
use crate::engine::loaded::lacks_room;
use crate::engine::planner::{Moves, Planner, budget as budget_of};
use crate::engine::{LoadedGraph, Place};
use crate::error::{PlanError, RunError};
use crate::outcome::Outcome;
use crate::plan::{Budget, Plan, Schedule, ScheduleConstraints, Techniques};
use crate::pool::in_pool;
use crate::shape::Shape;
use crate::start::{Sources, zero};
use crate::stats::Stats;
use crate::trace::{Begun, Trace};

/// Width of the buckets of runs abreast, as a multiple of a single run's bucket width. With narrower buckets, the runs
/// would send in different steps and share less. `kernels/include/abreast.cuh` has measurements.
const BATCH_WIDTH: u32 = 4;

/// Result of trying a batch.
pub(super) enum Tried<P: EdgeProgram> {
    Ran(Batch<P>),
    /// The runs cannot be represented as bits, because a message improved on an earlier message or could not be
    /// computed.
    Unsteady,
    TooLarge(PlanError),
}

/// Ways in which several devices may execute runs that are not in a batch.
#[derive(Clone, Copy)]
pub(super) struct WaysAlone {
    devices: usize,
    /// `true` if such a run fits on one device.
    fits: bool,
    /// `true` if all devices would share such a run.
    is_shared: bool,
}

impl WaysAlone {
    /// Returns `true` if all devices work together at each run of a part, because it has fewer runs than there are devices, or
    /// because a run does not fit on one of them.
    pub(super) fn take_all(self, part: &Part) -> bool {
        self.is_shared && (part.members.len() < self.devices || !self.fits)
    }
}

/// Results of a batch that ran.
pub(super) struct Batch<P: EdgeProgram> {
    /// Runs of the batch, in the order of the part's members.
    pub(super) runs: Vec<OneOf<P>>,
    pub(super) stats: Stats,
    /// Number of edges that the runs would visit separately.
    pub(super) apart: u64,
}

/// Results of a batch that ran on a device.
struct RanOnDevice<T> {
    found: T,
    /// Requested number of steps.
    limit: u64,
    stats: Stats,
    trace: Option<Trace>,
}

/// Returns the message that a vertex with `value` sends. The program's messages must depend on the value only.
fn message_of<P: EdgeProgram>(program: &P, value: P::Value) -> Result<Option<P::Value>, ()> {
    let (weight, nobody, out_degree) = (zero(), 0, 0);
    let edge = Edge {
        value,
        weight,
        source: 0,
        target: 0,
        source_index: nobody,
        target_index: nobody,
        out_degree,
        step: 0,
        aggregate: P::Aggregate::identity(),
        forward: true,
        place: 0,
        common_neighbours: 0,
        common_edges: 0,
    };
    match program.checked_edge(edge) {
        Ok(message) => Ok(message.map(|message| P::Value::from_bits(message.to_bits()))),
        Err(_) => Err(()),
    }
}

/// Returns the values of the vertices reached in steps 0, 1, ... `steps`. The list ends early if a value sends no
/// message.
fn values_by_step<P: EdgeProgram>(program: &P, first: P::Value, steps: u64) -> Vec<P::Value> {
    // No message faults here: the run computed the same messages, and after a fault it reaches no further vertices.
    let next = |&value: &P::Value| message_of(program, value).ok().flatten();
    std::iter::successors(Some(first), next)
        .take(usize::try_from(steps).unwrap_or(usize::MAX).saturating_add(1))
        .collect()
}

/// Returns a function that describes the messages of the next step each time it is called.
fn look_ahead<P: EdgeProgram>(program: &P, first: P::Value) -> impl FnMut() -> Ahead {
    let kind = <P::Combine as Combiner<P::Message>>::KIND;
    let largest = cpu::largest_word(P::Value::KIND);
    let program = program.duplicate();
    let mut value = first;
    move || {
        let Ok(message) = message_of(&program, value) else { return Ahead::Unsteady };
        let Some(message) = message.filter(|&message| !cpu::is_dropped(kind, message)) else {
            return Ahead::Ends;
        };
        let (sent, held) = (cpu::to_word(kind, largest, message), cpu::to_word(kind, largest, value));
        value = message;
        if cpu::improves(kind, sent, held) { Ahead::Unsteady } else { Ahead::Sends }
    }
}

/// Returns the expected number of binary digits of the last step's number. A run from a source other than the root
/// takes at most about twice as many steps as there are layers. If a batch takes more, it gets more digits while it
/// runs.
fn digits(layers: u64) -> usize {
    cuda::digits_of(2 * layers + 2).clamp(2, wolfpath_kernels::MOST_DIGITS)
}

/// Returns the number of runs of the smallest kernel that has space for `runs` runs.
fn room_abreast(runs: usize) -> u32 {
    (runs as u32).next_power_of_two().max(LEAST_ABREAST)
}

/// Returns the kernel for runs that share in this way.
pub(super) fn kernel(sharing: Sharing, runs: usize) -> cuda::Kernel {
    match sharing {
        Sharing::Alone(_) => cuda::Kernel::Run,
        Sharing::Bits => cuda::Kernel::Bits,
        Sharing::Abreast => cuda::Kernel::Abreast { runs: room_abreast(runs) },
    }
}

impl LoadedGraph {
    /// Returns the bytes of host memory that the results of a part take: planes of bits, or values.
    pub(super) fn outcome_bytes<P: EdgeProgram>(&self, part: &Part) -> u64 {
        let (vertices, runs) = (u64::from(self.graph.num_vertices()), part.members.len() as u64);
        match part.sharing {
            Sharing::Bits => vertices * 8 * (1 + digits(self.graph.num_layers() as u64) as u64),
            _ => runs * (vertices * P::Value::KIND.size() as u64 + vertices.div_ceil(8)),
        }
    }

    /// Returns the plan of a part: the plan of its batch, or of the first of its runs.
    pub(super) fn plan_part<P: EdgeProgram>(
        &self,
        divider: &Divider<'_, P>,
        part: &Part,
    ) -> Result<Plan, RunError> {
        let is_alone = matches!(part.sharing, Sharing::Alone(_));
        if is_alone && self.ways_alone(divider, part).take_all(part) {
            return self.plan_part_here(divider, part);
        }
        let places = self.on_each_device();
        let mut plan = places[0].plan_part_here(divider, part)?;
        if places.len() > 1 {
            let (what, whose) = if is_alone { ("runs", "run") } else { ("batches", "batch") };
            plan.devices_reason = format!("each {whose} on one device; {} devices take {what}", places.len());
        }
        Ok(plan)
    }

    /// Decides how several devices execute runs that are not in a batch, of which `part` has some.
    pub(super) fn ways_alone<P: EdgeProgram>(&self, divider: &Divider<'_, P>, part: &Part) -> WaysAlone {
        let mut ways = WaysAlone { devices: self.engine.devices(), fits: true, is_shared: false };
        let Place::Cuda(devices) = &self.engine.place else { return ways };
        if devices.len() < 2 {
            return ways;
        }
        let memory = devices.lead().memory().ok().map(|(_, memory)| memory);
        let sources = &divider.sources[part.members[0]];
        let one = &self.on_each_device()[0];
        let planner = Planner::within(&one.engine, &self.graph, divider.options, memory);
        ways.fits = match planner.plan::<P>(sources) {
            Ok((plan, _)) => planner.fits_as_requested(&plan),
            Err(error) => !lacks_room(&error),
        };
        let mut planner = Planner::within(&self.engine, &self.graph, divider.options, memory);
        // If vertices cannot be dealt, the run returns the error.
        let Ok(shards) = self.shards_for::<P>(divider.options) else { return ways };
        if let Some(shards) = shards {
            planner.shards = shards.parts.clone();
        }
        ways.is_shared = planner.plan::<P>(sources).is_ok_and(|(plan, _)| plan.share.is_some());
        ways
    }

    /// Returns the plan of a part for this engine.
    fn plan_part_here<P: EdgeProgram>(
        &self,
        divider: &Divider<'_, P>,
        part: &Part,
    ) -> Result<Plan, RunError> {
        let planner = self.planner(divider, part)?;
        let plan = |sources: &Sources<P::Value>| match &self.engine.place {
            Place::Cpu => Ok(self.plan_batch::<P>(&planner, divider, part, sources)?.0),
            Place::Cuda(devices) => {
                devices.lead().guard(|| Ok(self.plan_batch::<P>(&planner, divider, part, sources)?.0))
            }
        };
        match part.sharing {
            Sharing::Bits => plan(&divider.sources_of_bits(&part.members).0),
            Sharing::Abreast => plan(&divider.sources_abreast(&part.members).0),
            Sharing::Alone(_) => plan(&divider.sources[part.members[0]]),
        }
    }

    /// Returns the planner of a part.
    fn planner<'a, P: EdgeProgram>(
        &'a self,
        divider: &'a Divider<'_, P>,
        part: &Part,
    ) -> Result<Planner<'a>, PlanError> {
        let mut planner = Planner::new(&self.engine, &self.graph, divider.options);
        if !matches!(part.sharing, Sharing::Alone(_)) {
            planner.against_union =
                Some("the runs of a batch share the edges that their messages travel along");
        } else if let Some(shards) = self.shards_for::<P>(divider.options)? {
            planner.shards = shards.parts.clone();
        }
        Ok(planner)
    }

    fn plan_batch<P: EdgeProgram>(
        &self,
        planner: &Planner<'_>,
        divider: &Divider<'_, P>,
        part: &Part,
        sources: &Sources<P::Value>,
    ) -> Result<(Plan, Shape), RunError> {
        let (mut plan, shape) = planner.plan::<P>(sources)?;
        let runs = part.members.len();
        plan.schedule_reason = match part.sharing {
            Sharing::Alone(_) => return Ok((plan, shape)),
            Sharing::Bits => format!("{runs} runs at once, one bit per run"),
            Sharing::Abreast => format!("{runs} runs at once, values stored together"),
        };
        plan.devices_reason.clear();
        plan.estimates.clear();
        plan.technique_reasons.clear();
        plan.uniform = part.sharing == Sharing::Bits;
        plan.techniques = Techniques::NONE;
        plan.schedule = Schedule::Relax;
        if part.sharing == Sharing::Bits {
            plan.techniques.direction = divider.options.techniques.direction;
        } else {
            let constraints = ScheduleConstraints {
                shape: &shape,
                steps: None,
                settles: false,
                on_cpu: false,
                walks_both_rows: plan.rows.send_in && plan.rows.send_out,
                against_union: None,
            };
            plan.schedule = constraints.ordinary().0;
            plan.bucket_factor *= BATCH_WIDTH;
            if plan.schedule == Schedule::Bucket && divider.options.max_steps.is_none() {
                // Each step of a bucket settles a vertex in at least one run, and each bucket takes one more step at
                // its start. The plan of a single run may have another schedule, with fewer steps.
                plan.max_steps = (2 * (plan.graph.vertices + 1)).saturating_mul(runs as u64);
            }
        }
        let own = |budget: &Budget<'_>| match part.sharing {
            Sharing::Bits if self.resident.is_none() => cpu::bits_arrays(budget, digits(budget.graph.layers)),
            Sharing::Bits => cuda::bits_arrays(budget, digits(budget.graph.layers)),
            _ => cuda::abreast_arrays(budget, room_abreast(runs)),
        };
        // A batch that does not fit is divided, instead of moving what stays where it is in a single run.
        let mut moves = Moves::of(&plan);
        if moves != Moves::Nothing {
            moves = Moves::of(&planner.plan::<P>(&divider.sources[part.members[0]])?.0);
        }
        planner.lay_out(&mut plan, &shape, sources, moves, own)?;
        if let Some(limit) = cuda::most_steps(&plan.arrays).filter(|_| self.resident.is_some()) {
            plan.max_steps = plan.max_steps.min(limit);
        }
        Ok((plan, shape))
    }

    /// Runs one batch, if possible.
    pub(super) fn try_batch<P: EdgeProgram>(
        &self,
        divider: &Divider<'_, P>,
        part: &Part,
    ) -> Result<Tried<P>, RunError> {
        let tried = match (&self.resident, part.sharing) {
            (Some(resident), Sharing::Bits) => {
                resident.device.clone().guard(|| self.bits_on_device(resident, divider, part))
            }
            (Some(resident), _) => {
                resident.device.clone().guard(|| self.abreast_on_device(resident, divider, part))
            }
            (None, _) => self.bits_on_cpu(divider, part),
        };
        match tried {
            Err(RunError::Plan(error @ (PlanError::DoesNotFit { .. } | PlanError::TooManyItems { .. }))) => {
                Ok(Tried::TooLarge(error))
            }
            tried => tried,
        }
    }

    fn bits_on_device<P: EdgeProgram>(
        &self,
        resident: &Arc<cuda::Resident>,
        divider: &Divider<'_, P>,
        part: &Part,
    ) -> Result<Tried<P>, RunError> {
        let began = Instant::now();
        let (sources, runs) = divider.sources_of_bits(&part.members);
        let run = |launch: cuda::Launch<'_, P>| {
            let digits = digits(launch.untyped.plan.graph.layers);
            cuda::Bits { launch, runs: &runs, digits }.run()
        };
        let RanOnDevice { found, limit, stats, trace } =
            self.on_device(resident, divider, part, &sources, began, run)?;
        let Some(found) = found else { return Ok(Tried::Unsteady) };
        let values = values_by_step(launch_program(divider, part), sources.values[0], stats.steps);
        let (graph, reached) =
            (self.graph.input_graph(), cuda::Reached::on_device(resident.clone(), found.planes));
        let shared = Shared { graph, reached, values, stats: stats.clone(), trace, limit };
        Ok(Tried::Ran(Batch { runs: bits_of(divider, part, shared), stats, apart: found.apart }))
    }

    fn abreast_on_device<P: EdgeProgram>(
        &self,
        resident: &Arc<cuda::Resident>,
        divider: &Divider<'_, P>,
        part: &Part,
    ) -> Result<Tried<P>, RunError> {
        let began = Instant::now();
        let (sources, source_runs) = divider.sources_abreast(&part.members);
        let members = part.members.len();
        let (runs, source_runs) = (room_abreast(members), &source_runs[..]);
        let run = |launch: cuda::Launch<'_, P>| cuda::Abreast { launch, source_runs, runs, members }.run();
        let RanOnDevice { found, stats, trace, .. } =
            self.on_device(resident, divider, part, &sources, began, run)?;
        let outcome = |(values, &member): (_, &usize)| {
            let program = &divider.programs[member];
            let graph = self.graph.input_graph();
            let outcome = Outcome::on_host(&graph, program, values, stats.clone(), trace.clone());
            OneOf::Whole(Box::new(outcome))
        };
        let runs = found.values.into_iter().zip(&part.members).map(outcome).collect();
        Ok(Tried::Ran(Batch { runs, stats, apart: found.apart }))
    }

    /// Plans a batch, launches it with `run`, and returns the results.
    fn on_device<P: EdgeProgram, T>(
        &self,
        resident: &Arc<cuda::Resident>,
        divider: &Divider<'_, P>,
        part: &Part,
        sources: &Sources<P::Value>,
        began: Instant,
        run: impl Fn(cuda::Launch<'_, P>) -> Result<(T, cuda::Figures), RunError>,
    ) -> Result<RanOnDevice<T>, RunError> {
        let mut planner = self.planner(divider, part)?;
        planner.is_shown = false;
        planner.run(
            |planner| self.plan_batch::<P>(planner, divider, part, sources),
            |plan, shape| {
                let budget = &budget_of(plan, shape, sources);
                let (graph, options) = (&self.graph, divider.options);
                let untyped =
                    cuda::UntypedLaunch { resident, graph, plan, budget, options, order: None, began };
                let (found, figures) =
                    run(cuda::Launch { program: launch_program(divider, part), sources, untyped })?;
                let (stats, trace) = figures.tell(plan);
                Ok(RanOnDevice { found, limit: plan.steps.unwrap_or(u64::MAX), stats, trace })
            },
        )
    }

    fn bits_on_cpu<P: EdgeProgram>(
        &self,
        divider: &Divider<'_, P>,
        part: &Part,
    ) -> Result<Tried<P>, RunError> {
        let began = Instant::now();
        let (sources, runs) = divider.sources_of_bits(&part.members);
        let planner = self.planner(divider, part)?;
        let (plan, shape) = self.plan_batch::<P>(&planner, divider, part, &sources)?;
        let loading = Instant::now();
        let uses_in_rows = budget_of(&plan, &shape, &sources).uses_in_rows();
        let program = launch_program(divider, part);
        let (ran, running) = in_pool(divider.options.threads, || {
            let out = self.graph.out_edges();
            let inward = match uses_in_rows {
                true => Some(self.graph.in_edges().map_err(PlanError::from)?),
                false => None,
            };
            let rows = |is_out: bool, is_in: bool| -> Vec<Rows<'_>> {
                is_out.then_some(out).into_iter().chain(inward.filter(|_| is_in)).collect()
            };
            let bits = cpu::Bits {
                plan: &plan,
                options: divider.options,
                sends: rows(plan.rows.send_out, plan.rows.send_in),
                gathers: rows(plan.rows.gather_out, plan.rows.gather_in),
                sources: &sources.vertices,
                runs: &runs,
            };
            let running = Instant::now();
            Ok((bits.run(look_ahead(program, sources.values[0]))?, running))
        })?;
        let end = Instant::now();
        let tally = ran.tally();
        let Some(planes) = ran.planes else { return Ok(Tried::Unsteady) };
        let begun = Begun::on_cpu(began, loading, running, end);
        let (stats, trace) = cpu::tell(&plan, &begun, tally, ran.recorded);
        let values = values_by_step(program, sources.values[0], ran.steps);
        let (graph, reached) = (self.graph.input_graph(), cuda::Reached::on_host(planes));
        let limit = plan.steps.unwrap_or(u64::MAX);
        let shared = Shared { graph, reached, values, stats: stats.clone(), trace, limit };
        Ok(Tried::Ran(Batch { runs: bits_of(divider, part, shared), stats, apart: ran.apart }))
    }
}

/// Returns one of a part's programs. The others differ only in their sources.
fn launch_program<'a, P: EdgeProgram>(divider: &'a Divider<'_, P>, part: &Part) -> &'a P {
    &divider.programs[part.members[0]]
}

/// Returns the runs of a bits batch.
fn bits_of<P: EdgeProgram>(divider: &Divider<'_, P>, part: &Part, shared: Shared<P>) -> Vec<OneOf<P>> {
    let batch = Arc::new(shared);
    let run = |(bit, &member): (u32, &usize)| OneOf::Shared {
        batch: batch.clone(),
        bit,
        program: divider.programs[member].duplicate(),
    };
    (0..).zip(&part.members).map(run).collect()
}

//! Makes plans for an engine: calls `plan::choose` with the properties of the engine, the graph and the program.

mod homes;
mod paths;
mod sharing;

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LayeredGraph, LengthBound, Rows};
use wolfpath_core::program::{Along, Datum, DatumKind, EdgeProgram, Starts};

pub(super) use self::homes::Moves;
use self::homes::{
    RESIDENT_SHARE, SHORT_QUEUE, bytes_of_edges, copies_of_widths, describe_rows, describe_stream,
    keep_beginnings, move_queue, move_to_file, move_to_host, tell_first_ends,
};
pub(crate) use self::paths::tolerance;
pub(in crate::engine) use self::sharing::alone_because;
use self::sharing::restrict;
use super::{Engine, Place};
use crate::cpu;
use crate::cuda::{self, Calibration};
use crate::error::{DeviceError, PlanError, RunError};
use crate::options::RunOptions;
use crate::plan::{
    ArrayName, Budget, CONTINUES, CpuCosts, FIRST_IS_NAN, GraphSize, Home, Machine, Plan, PlannedArray,
    PlannedEngine, Question, Ring, RowStorage, RowUse, Schedule, Techniques, choose,
};
use crate::shape::Shape;
use crate::start::{Carry, Sources, starts_alike};

/// Returns the budget of a plan.
pub(super) fn budget<'a, V: Datum>(plan: &Plan, shape: &'a Shape, sources: &Sources<V>) -> Budget<'a> {
    let carried = sources.carried.as_ref().map(Carry::kind);
    let sources = sources.vertices.len() as u64;
    Budget {
        shape,
        graph: plan.own_graph(),
        share: plan.share,
        rows: plan.rows,
        schedule: plan.schedule,
        uniform: plan.uniform,
        techniques: plan.techniques,
        threads: match plan.engine {
            PlannedEngine::Cpu { threads } => threads,
            _ => 0,
        },
        packed: plan.packed,
        slots: plan.slots,
        queue_room: plan.queue_room,
        sources,
        carried,
        warps: plan.warps,
        traced: plan.traced,
        settles: plan.settles.len() as u64,
        drops_beyond: plan.drops_beyond(),
    }
}

impl Engine {
    /// Returns the bytes of shared memory that a block can have; 0 for the CPU engine.
    fn shared_bytes(&self) -> u32 {
        match &self.place {
            Place::Cpu => 0,
            Place::Cuda(devices) => devices.lead().shared_bytes,
        }
    }
}

/// Minimum default step limit of a program whose number of steps is not bounded by the graph's size.
const LEAST_MAX_STEPS: u64 = 10_000;

/// Returns the default step limit of a run by frontier, or of one in which receivers gather. [`Planner::max_steps`] explains
/// it.
pub(crate) fn default_step_limit(shape: &Shape, vertices: u64) -> u64 {
    let of_graph = vertices + 1;
    if shape.may_be_seen_early() {
        of_graph
    } else if shape.model.has_priority {
        LEAST_MAX_STEPS.max(2 * of_graph)
    } else if shape.accumulates {
        LEAST_MAX_STEPS.max(3 * of_graph)
    } else {
        LEAST_MAX_STEPS.max(of_graph)
    }
}

/// Returns an error if the run is requested to end when vertices are settled, but it cannot know when they are. `has_numbers`
/// is `true` if the first values are known to contain no NaN.
pub(crate) fn check_settling(
    shape: &Shape,
    options: &RunOptions,
    has_numbers: bool,
) -> Result<(), PlanError> {
    if options.settle.is_empty() {
        return Ok(());
    }
    let reason = match options.steps {
        Some(_) => Some(
            "`steps_at_most` ends a run after a number of steps, and `until_settled` at settled values; request one of the two",
        ),
        None => shape.against_settling(has_numbers),
    };
    let refusal = |reason| Err(PlanError::CannotSettle { program: shape.model.name, reason });
    reason.map_or(Ok(()), refusal)
}

/// Planner for one engine, graph and set of options.
pub(super) struct Planner<'a> {
    pub(super) engine: &'a Engine,
    pub(super) graph: &'a LayeredGraph,
    pub(super) options: &'a RunOptions,
    /// Reason against union-find that the engine knows, if there is one.
    pub(super) against_union: Option<&'static str>,
    /// `true` if rows are streamed because memory of the host could not be page-locked in an earlier attempt.
    pub(super) unlockable: bool,
    /// Bytes of device memory that the run's arrays may take, as far as this is known from an earlier attempt.
    pub(super) room: Option<u64>,
    /// `true` if the plan is shown, so that it has the size of the device's free memory. Querying the size takes as long
    /// as a thin step.
    pub(super) is_shown: bool,
    /// The parts of the graph that several devices have, if they may share the run.
    pub(super) shards: Arc<[Arc<cuda::Shard>]>,
}

/// Returns techniques without those that find the next edges during a step: the edges of a step must be known when their
/// rows are requested.
fn without_guesses(techniques: Techniques) -> Techniques {
    Techniques { direction: false, local_rounds: false, ..techniques }
}

impl<'a> Planner<'a> {
    pub(super) fn new(engine: &'a Engine, graph: &'a LayeredGraph, options: &'a RunOptions) -> Planner<'a> {
        Planner {
            engine,
            graph,
            options,
            against_union: None,
            unlockable: false,
            room: None,
            is_shown: true,
            shards: Arc::new([]),
        }
    }

    /// Returns a planner for a device with so many bytes of memory. What occupies the memory now may be the graph itself, so the
    /// free memory does not count.
    pub(super) fn within(
        engine: &'a Engine,
        graph: &'a LayeredGraph,
        options: &'a RunOptions,
        memory: Option<u64>,
    ) -> Planner<'a> {
        Planner { room: memory, is_shown: false, ..Planner::new(engine, graph, options) }
    }

    pub(super) fn plan<P: EdgeProgram>(
        &self,
        sources: &Sources<P::Value>,
    ) -> Result<(Plan, Shape), RunError> {
        let shape = Shape::of::<P>();
        if self.options.steps == Some(0) {
            return Err(PlanError::NoSteps { program: shape.model.name }.into());
        }
        let tolerance = tolerance(&shape, self.options)?;
        let settles = self.settles::<P>(&shape, sources)?;
        let graph = GraphSize::of(self.graph, &shape);
        let on_cpu = !self.engine.is_cuda();
        let uniform = shape.uniform && starts_alike::<P>(sources);
        let calibration = self.engine.calibration();
        let has_nan = sources.values.iter().any(|&value| cpu::is_dropped(shape.combine, value));
        let carries = sources.carried.is_some().then_some(CONTINUES);
        let mut options = Cow::Borrowed(self.options);
        if self.streams(&shape) {
            let techniques = without_guesses(options.techniques);
            options.to_mut().techniques = techniques;
        }
        let question = Question {
            shape: &shape,
            options: &options,
            graph,
            layers: self.graph.layer_histogram(),
            uniform,
            // In layered order the root is the first vertex.
            at_root: sources.vertices == [0],
            gathers_at_hand: shape.along != Along::Out || self.graph.has_in_edges(),
            against_union: self.against_union.or(has_nan.then_some(FIRST_IS_NAN)).or(carries),
            stores_paths: self.graph.stores_paths(),
            largest_component: self.largest_component(&shape)?,
            streams: self.streams(&shape),
            storage: RowStorage::RESIDENT,
            machine: match calibration {
                Some(Calibration { costs, .. }) => Machine::Device { costs, warps: self.engine.warps() },
                None => Machine::Cpu { costs: CpuCosts::TYPICAL, threads: self.threads() },
            },
        };
        let mut decision = choose(&question)?;
        let share_estimate = self.estimate_shared(&shape, &decision, graph);
        let unrestricted = (decision.techniques, decision.technique_reasons.clone());
        let (share, devices_reason) = self.share(&shape, &mut decision, share_estimate);
        let mut notes = notes_of(&shape, self.graph.has_weights());
        notes.extend(calibration.and_then(|calibration| calibration.note()));
        let engine = self.engine(share.is_some())?;
        let rows = RowUse::new(shape.along, graph.symmetric);
        let mut plan = Plan {
            engine_reason: self.engine.reason.to_string(),
            devices_reason,
            share,
            share_estimate,
            uniform: uniform && decision.schedule.keeps_depths_apart(),
            bound: self.bound(&shape, sources),
            warps: self.engine.warps(),
            traced: self.options.trace,
            steps: self.options.steps,
            max_steps: self.max_steps(&shape, graph, decision.schedule),
            tolerance,
            settles,
            notes,
            ..Plan::new(&shape, engine, graph, rows, decision)
        };
        let own = if on_cpu { cpu::arrays } else { cuda::arrays };
        self.lay_out(&mut plan, &shape, sources, Moves::Queue, own)?;
        if plan.share.is_some() && self.cannot_count_together(&plan, &shape) {
            (plan.techniques, plan.technique_reasons) = unrestricted;
            self.keep_on_one(&mut plan)?;
            self.lay_out(&mut plan, &shape, sources, Moves::Queue, own)?;
        } else if plan.share.is_none() && !self.fits_as_requested(&plan) {
            self.share_instead(&mut plan, &shape, sources, own)?;
        }
        let storage = RowStorage::of(&plan);
        if storage != RowStorage::RESIDENT {
            // The cost of packing and of the link is known only after the layout.
            let mut decision = choose(&Question { storage, ..question })?;
            let mut other = plan.clone();
            if plan.share.is_some() {
                restrict(
                    &mut decision.techniques,
                    &mut decision.technique_reasons,
                    &shape,
                    decision.schedule,
                );
            }
            other.uniform = uniform && decision.schedule.keeps_depths_apart();
            other.max_steps = self.max_steps(&shape, graph, decision.schedule);
            other.adopt(decision);
            self.lay_out(&mut other, &shape, sources, Moves::Queue, own)?;
            let fits = self.known_room(&other).is_none_or(|room| other.bytes_in(Home::Device) <= room);
            if fits || other.bytes_in(Home::Device) <= plan.bytes_in(Home::Device) {
                plan = other;
            } else {
                plan.keep_despite(other);
            }
        }
        self.lend(&mut plan, &shape);
        self.ask_for_all(&mut plan, &shape);
        plan.arrays.extend(self.outcomes());
        plan.arrays.extend(self.paths(&plan));
        self.limit_marks(&mut plan)?;
        Ok((plan, shape))
    }

    /// Computes the arrays of a plan, of which `own` returns those that are not the graph's, and where they live. If
    /// they do not fit on the device, moves what `moves` allows.
    pub(super) fn lay_out<V: Datum>(
        &self,
        plan: &mut Plan,
        shape: &Shape,
        sources: &Sources<V>,
        moves: Moves,
        own: impl Fn(&Budget<'_>) -> Vec<PlannedArray>,
    ) -> Result<(), PlanError> {
        (plan.packed, plan.ring, plan.slots, plan.queue_room) = (false, None, None, self.engine.queue_room);
        let streams = self.streams(shape);
        if streams {
            plan.techniques = without_guesses(plan.techniques);
            plan.queue_room = plan.queue_room.or(Some(SHORT_QUEUE));
        }
        let of = |plan: &Plan| {
            let budget = budget(plan, shape, sources);
            let mut arrays: Vec<_> = budget.graph_arrays().into_iter().chain(own(&budget)).collect();
            if self.engine.is_cuda() {
                arrays.iter_mut().for_each(|array| array.home = Home::Device);
            }
            arrays
        };
        plan.arrays = of(plan);
        if !self.engine.is_cuda() {
            return Ok(());
        }
        let room = self.known_room(plan);
        if streams {
            move_to_file(plan);
            plan.rows_reason = self.stream(plan, shape, moves, room)?;
            return Ok(());
        }
        // What counts common neighbours reads rows in no order, so that they are not streamed.
        let asked = self.asked().map(|home| if home == Home::File { Home::Host } else { home });
        let packed = self.options.packed_rows.or(self.engine.packed_rows);
        let fits = |plan: &Plan| {
            moves == Moves::Nothing || room.is_none_or(|room| plan.bytes_in(Home::Device) <= room)
        };
        let plain_bytes = bytes_of_edges(plan);
        if packed == Some(true) {
            self.pack(plan, shape, sources)?;
        }
        if packed != Some(true) && asked != Some(Home::Host) {
            self.give_slots(plan, shape, sources, of);
            if !fits(plan) {
                plan.slots = None;
                plan.arrays = of(plan);
            }
        }
        let prefers = packed.unwrap_or(asked == Some(Home::Host) || !fits(plan));
        if prefers {
            self.measure_packed(plan, shape, sources)?;
        }
        if prefers && budget(plan, shape, sources).can_be_packed() {
            plan.packed = true;
            plan.arrays = of(plan);
        }
        let leaves = |plan: &Plan| asked == Some(Home::Host) || asked.is_none() && !fits(plan);
        if leaves(plan) {
            plan.queue_room = plan.queue_room.or(Some(SHORT_QUEUE));
            plan.arrays = of(plan);
        }
        if leaves(plan) {
            plan.arrays.extend(copies_of_widths(plan));
            move_to_host(&mut plan.arrays, room.filter(|_| asked.is_none()));
            if let Some(room) = room.filter(|_| moves == Moves::Queue) {
                move_queue(plan, room);
            }
            let share = asked.map(|_| plan.bytes_in(Home::Host) / RESIDENT_SHARE);
            keep_beginnings(plan, shape, room, share);
        } else {
            tell_first_ends(plan, shape, room);
        }
        plan.rows_reason = describe_rows(plan, plain_bytes, asked.is_some() || packed.is_some());
        Ok(())
    }

    /// Gives the messages slots, if that is worth it.
    fn give_slots<V: Datum>(
        &self,
        plan: &mut Plan,
        shape: &Shape,
        sources: &Sources<V>,
        arrays: impl Fn(&Plan) -> Vec<PlannedArray>,
    ) {
        let (shared, most) = (self.engine.shared_bytes(), self.engine.hot_messages);
        let shards = &self.shards;
        let carried = sources.carried.as_ref().map(Carry::kind);
        plan.slots = cuda::SlotPlan::of(plan, shape, self.graph, shards, carried, shared, most);
        if plan.slots.is_some() {
            plan.arrays = arrays(plan);
        }
    }

    /// Returns where rows must live, if that was requested.
    fn asked(&self) -> Option<Home> {
        self.options.rows.or(self.engine.rows)
    }

    /// Returns `true` if the rows of a run of this shape are streamed.
    fn streams(&self, shape: &Shape) -> bool {
        let is_wanted = self.asked() == Some(Home::File) || self.unlockable && self.asked().is_none();
        self.engine.is_cuda() && is_wanted && shape.model.reads.common().is_none()
    }

    /// Adds the ring of a plan whose arrays of edges live in the file. Returns the reason for the user.
    fn stream(
        &self,
        plan: &mut Plan,
        shape: &Shape,
        moves: Moves,
        room: Option<u64>,
    ) -> Result<String, PlanError> {
        let longest = match shape.combines_at_once() {
            true => Some(self.longest_rows(plan)?),
            false => None,
        };
        let (edges, gathers) = (plan.own_graph().edges, plan.schedule == Schedule::Pull);
        let ring = |plan: &Plan, room| Ring::of(&plan.arrays, edges, longest, room, gathers);
        if let Some(room) = room.filter(|_| moves == Moves::Queue) {
            let smallest =
                ring(plan, Some(0)).map_or(0, |ring| ring.arrays().map(|array| array.bytes).iter().sum());
            move_queue(plan, room.saturating_sub(smallest));
        }
        plan.ring = ring(plan, room.map(|room| room.saturating_sub(plan.bytes_in(Home::Device))));
        plan.arrays.extend(plan.ring.iter().flat_map(Ring::arrays));
        Ok(describe_stream(plan, self.unlockable))
    }

    /// Returns the largest number of edges over which one vertex gathers.
    fn longest_rows(&self, plan: &Plan) -> Result<u64, PlanError> {
        let longest = |rows: Rows<'_>| {
            rows.offsets.par_windows(2).with_min_len(1 << 12).map(|row| row[1] - row[0]).max().unwrap_or(0)
        };
        let out = if plan.rows.gather_out { longest(self.graph.out_edges()) } else { 0 };
        let inward = if plan.rows.gather_in { longest(self.graph.in_edges()?) } else { 0 };
        Ok(out + inward)
    }

    /// Packs the rows that a run reads, unless they are stored in packed form. Updates the plan's size of the graph.
    fn pack<V: Datum>(&self, plan: &mut Plan, shape: &Shape, sources: &Sources<V>) -> Result<(), PlanError> {
        let budget = budget(plan, shape, sources);
        if budget.uses_out_rows() {
            self.graph.pack(Direction::Out)?;
        }
        if budget.uses_in_rows() {
            self.graph.pack(Direction::In)?;
        }
        plan.graph = GraphSize::of(self.graph, shape);
        Ok(())
    }

    /// Notes the size of the packed rows that each of several devices has, if devices share the run and there are packed rows.
    fn measure_packed<V: Datum>(
        &self,
        plan: &mut Plan,
        shape: &Shape,
        sources: &Sources<V>,
    ) -> Result<(), PlanError> {
        let Some(mut share) = plan.share else { return Ok(()) };
        let budget = budget(plan, shape, sources);
        let used = [(Direction::Out, budget.uses_out_rows()), (Direction::In, budget.uses_in_rows())];
        let is_packed = |direction| self.graph.packed_words(direction).is_some();
        for (direction, _) in used.into_iter().filter(|&(direction, is_used)| is_used && is_packed(direction))
        {
            let words = self.shards[0].deal.most_packed_words(direction, self.graph.pack(direction)?);
            share.packed_words[direction as usize] = Some(words);
        }
        plan.share = Some(share);
        Ok(())
    }

    /// Returns the bytes of device memory that a run may take, as far as they are known.
    fn known_room(&self, plan: &Plan) -> Option<u64> {
        let free = match plan.engine {
            PlannedEngine::Cuda { free, .. } | PlannedEngine::CudaDevices { free, .. } if self.is_shown => {
                Some(free)
            }
            _ => None,
        };
        [self.room, self.options.device_memory, free].into_iter().flatten().min()
    }

    /// Plans a run on a device and executes it. If its arrays do not fit, plans it again for the memory that there is. If
    /// rows that may live elsewhere cannot stay in host memory, plans it again with rows that are streamed.
    pub(super) fn run<T>(
        &mut self,
        plan: impl Fn(&Planner<'a>) -> Result<(Plan, Shape), RunError>,
        run: impl Fn(&Plan, &Shape) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let (mut planned, shape) = plan(self)?;
        loop {
            let error = match run(&planned, &shape) {
                Err(RunError::Plan(error @ PlanError::DoesNotFit { .. })) => error,
                Err(RunError::Device(DeviceError::Unlockable { .. }))
                    if !self.unlockable && self.asked().is_none() =>
                {
                    self.unlockable = true;
                    planned = plan(self)?.0;
                    continue;
                }
                ran => return ran,
            };
            let PlanError::DoesNotFit { have, .. } = error else { return Err(error.into()) };
            if self.room.is_some_and(|room| room <= have) {
                return Err(error.into());
            }
            self.room = Some(have);
            let (smaller, _) = plan(self)?;
            if smaller.arrays == planned.arrays {
                return Err(error.into());
            }
            planned = smaller;
        }
    }

    /// Returns the bound on the values of a run, if the program finds shortest paths and does not start with the values
    /// of an earlier outcome.
    fn bound<V: Datum>(&self, shape: &Shape, sources: &Sources<V>) -> Option<LengthBound> {
        if !shape.finds_shortest_paths() || sources.carried.is_some() {
            return None;
        }
        let first = sources.values.iter().map(|value| value.to_bits()).max().unwrap_or(0);
        let most = if shape.value == DatumKind::U32 { u32::MAX.into() } else { u64::MAX };
        self.graph.length_bound(first, most)
    }

    /// Returns the vertices whose values end the run when they are settled, in ascending order.
    fn settles<P: EdgeProgram>(
        &self,
        shape: &Shape,
        sources: &Sources<P::Value>,
    ) -> Result<Vec<u32>, PlanError> {
        let named = &self.options.settle;
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let has_nan = sources.values.iter().any(|&value| cpu::is_dropped(shape.combine, value));
        let has_numbers = P::MODEL.starts == Starts::Sources && sources.carried.is_none() && !has_nan;
        check_settling(shape, self.options, has_numbers)?;
        let find = |&id| self.graph.vertex_of(id).ok_or(PlanError::UnknownTarget { id });
        let mut found = named.iter().map(find).collect::<Result<Vec<u32>, _>>()?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns the array for the values of earlier outcomes, if any are on the device.
    fn outcomes(&self) -> Option<PlannedArray> {
        let bytes = match &self.engine.place {
            Place::Cpu => 0,
            Place::Cuda(devices) => devices.lead().outcomes.bytes(),
        };
        let array = PlannedArray::new(ArrayName::Outcomes, bytes, 1);
        (bytes > 0).then_some(PlannedArray { home: Home::Device, ..array })
    }

    /// Limits the steps of a run on a device to the range of the marks' type. Returns an error if more steps were
    /// requested.
    fn limit_marks(&self, plan: &mut Plan) -> Result<(), PlanError> {
        let Some(limit) = cuda::most_steps(&plan.arrays).filter(|_| self.engine.is_cuda()) else {
            return Ok(());
        };
        let asked = self.options.max_steps.max(self.options.steps);
        if let Some(steps) = asked.filter(|&steps| steps > limit) {
            return Err(PlanError::TooManySteps { program: plan.program, steps, limit });
        }
        plan.max_steps = plan.max_steps.min(limit);
        Ok(())
    }

    /// Returns the number of threads of the CPU engine.
    fn threads(&self) -> usize {
        self.options.threads.filter(|&threads| threads > 0).unwrap_or_else(rayon::current_num_threads)
    }

    fn engine(&self, is_shared: bool) -> Result<PlannedEngine, DeviceError> {
        let devices = match &self.engine.place {
            Place::Cpu => return Ok(PlannedEngine::Cpu { threads: self.threads() }),
            Place::Cuda(devices) => devices,
        };
        let lead = devices.lead();
        let (ordinal, device) = (lead.ordinal, lead.name.clone());
        let free = if self.is_shown { lead.memory()?.0 } else { 0 };
        if is_shared {
            let ordinals = devices.iter().map(|device| device.ordinal).collect();
            return Ok(PlannedEngine::CudaDevices { ordinals, device, free });
        }
        Ok(PlannedEngine::Cuda { ordinal, device, free })
    }

    /// Returns the step limit: the requested limit if there is one, no limit if the number of steps is fixed, and
    /// otherwise a default.
    ///
    /// - The default is one more than the number of vertices, because no traversal takes more steps.
    /// - Programs with a function of their own at vertices (`apply`, `sends`, `halts`, ..) may take more steps (PageRank
    ///   on three vertices takes a hundred), so their default is at least [`LEAST_MAX_STEPS`].
    /// - On a device, each step of a bucket except the last settles a vertex, so all buckets together take at most two
    ///   steps per vertex. The CPU engine stops using buckets before it could exceed the default.
    /// - With a `priority`, in programs that find best values, each step of a level except the last settles a vertex, so
    ///   all levels together take at most two steps per vertex.
    /// - The number of passes of union-find is fixed, so they have no limit.
    /// - In the order of paths, the best of the vertices that are due is settled in each round, if no message is better than
    ///   its sender's value. Other programs finish in the second half of the rounds, in which all vertices that wait send.
    /// - A sweep takes at most the default number of passes. Each pass has at most as many steps as there are vertices
    ///   and groups.
    fn max_steps(&self, shape: &Shape, graph: GraphSize, schedule: Schedule) -> u64 {
        let of_graph = graph.vertices + 1;
        let groups = cuda::most_groups(graph.edges, self.engine.warps() * 32);
        self.options.step_limit(|| match schedule {
            Schedule::Union => u64::MAX,
            Schedule::Bucket if self.engine.is_cuda() => 2 * of_graph,
            Schedule::Sweep => of_graph.saturating_mul(graph.vertices + groups),
            Schedule::Paths if !shape.accumulates => 3 * of_graph,
            _ => default_step_limit(shape, graph.vertices),
        })
    }
}

/// Returns notes for the user about a run, over edges that have weights or not.
pub(crate) fn notes_of(shape: &Shape, has_weights: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if shape.model.reads.edge_weight && !has_weights && !shape.weight.is_struct() {
        notes.push("the graph has no weights: every edge weighs 1".to_owned());
    }
    if shape.model.checked {
        notes.push("arithmetic is checked for overflow, as in every debug build".to_owned());
    }
    notes
}

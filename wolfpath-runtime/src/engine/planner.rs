//! Makes plans for an engine: calls `plan::choose` with the properties of the engine, the graph and the program.

use wolfpath_core::graph::{LayeredGraph, LengthBound};
use wolfpath_core::program::{Along, Datum, DatumKind, EdgeProgram, Starts};

use super::{Engine, Place};
use crate::cpu;
use crate::cuda::{self, Calibration};
use crate::error::{DeviceError, PlanError, RunError};
use crate::options::RunOptions;
use crate::plan::{
    ArrayName, Budget, CONTINUES, CpuCosts, FIRST_IS_NAN, GraphSize, Machine, Plan, PlannedArray,
    PlannedEngine, Question, RowUse, Schedule, choose,
};
use crate::shape::Shape;
use crate::start::{Carry, Sources, starts_alike};

/// Returns the budget of a plan.
pub(super) fn budget<'a, V: Datum>(plan: &Plan, shape: &'a Shape, sources: &Sources<V>) -> Budget<'a> {
    let carried = sources.carried.as_ref().map(Carry::kind);
    let sources = sources.vertices.len() as u64;
    Budget {
        shape,
        graph: plan.graph,
        rows: plan.rows,
        schedule: plan.schedule,
        uniform: plan.uniform,
        techniques: plan.techniques,
        sources,
        carried,
        warps: plan.warps,
        traced: plan.traced,
        settles: plan.settles.len() as u64,
        drops_beyond: plan.drops_beyond(),
    }
}

/// Minimum default step limit of a program whose number of steps is not bounded by the graph's size.
const LEAST_MAX_STEPS: u64 = 10_000;

/// Planner for one engine, graph and set of options.
pub(super) struct Planner<'a> {
    pub(super) engine: &'a Engine,
    pub(super) graph: &'a LayeredGraph,
    pub(super) options: &'a RunOptions,
    /// Reason against union-find that the engine knows, if there is one.
    pub(super) against_union: Option<&'static str>,
    /// `true` if the plan is shown, so that it has the size of the device's free memory. Querying the size takes as long
    /// as a thin step.
    pub(super) is_shown: bool,
}

impl<'a> Planner<'a> {
    pub(super) fn new(engine: &'a Engine, graph: &'a LayeredGraph, options: &'a RunOptions) -> Planner<'a> {
        Planner { engine, graph, options, against_union: None, is_shown: true }
    }

    pub(super) fn plan<P: EdgeProgram>(
        &self,
        sources: &Sources<P::Value>,
    ) -> Result<(Plan, Shape), RunError> {
        let shape = Shape::of::<P>();
        if self.options.steps == Some(0) {
            return Err(PlanError::NoSteps { program: shape.model.name }.into());
        }
        let settles = self.settles::<P>(&shape, sources)?;
        let graph = GraphSize::of(self.graph, &shape);
        let on_cpu = !self.engine.is_cuda();
        let uniform = shape.uniform && starts_alike::<P>(sources);
        let calibration = self.engine.calibration();
        let has_nan = sources.values.iter().any(|&value| cpu::is_dropped(shape.combine, value));
        let carries = sources.carried.is_some().then_some(CONTINUES);
        let question = Question {
            shape: &shape,
            options: self.options,
            graph,
            layers: self.graph.layer_histogram(),
            uniform,
            // In layered order the root is the first vertex.
            at_root: sources.vertices == [0],
            gathers_at_hand: shape.along != Along::Out || self.graph.has_in_edges(),
            against_union: self.against_union.or(has_nan.then_some(FIRST_IS_NAN)).or(carries),
            machine: match calibration {
                Some(Calibration { costs, .. }) => Machine::Device { costs, warps: self.engine.warps() },
                None => Machine::Cpu { costs: CpuCosts::TYPICAL, threads: self.threads() },
            },
        };
        let decision = choose(&question)?;
        let mut notes = self.notes(&shape);
        notes.extend(calibration.and_then(|calibration| calibration.note()));
        let mut plan = Plan {
            program: P::MODEL.name,
            reads: P::MODEL.readings(),
            engine: self.engine()?,
            engine_reason: self.engine.reason.to_string(),
            schedule: decision.schedule,
            schedule_reason: decision.reason,
            estimates: decision.estimates,
            graph,
            rows: RowUse::new(shape.along, graph.symmetric),
            uniform: uniform && decision.schedule.keeps_depths_apart(),
            bound: self.bound(&shape, sources),
            warps: self.engine.warps(),
            traced: self.options.trace,
            techniques: decision.techniques,
            technique_reasons: decision.technique_reasons,
            bucket_factor: decision.bucket_factor,
            arrays: Vec::new(),
            steps: self.options.steps,
            max_steps: self.max_steps(&shape, graph, decision.schedule),
            settles,
            notes,
        };
        let budget = budget(&plan, &shape, sources);
        let own: Vec<PlannedArray> = if on_cpu { cpu::arrays(&budget) } else { cuda::arrays(&budget) };
        let outcomes = self.outcomes();
        plan.arrays = budget.graph_arrays().into_iter().chain(own).chain(outcomes).collect();
        self.limit_marks(&mut plan)?;
        Ok((plan, shape))
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
        let reason = match self.options.steps {
            Some(_) => Some(
                "`steps_at_most` makes values go step by step, and they are settled only in place; request one of the two",
            ),
            None => shape.against_settling(has_numbers),
        };
        if let Some(reason) = reason {
            return Err(PlanError::CannotSettle { program: shape.model.name, reason });
        }
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
            Place::Cuda(device) => device.outcomes.bytes(),
        };
        (bytes > 0).then(|| PlannedArray::new(ArrayName::Outcomes, bytes, 1))
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

    fn engine(&self) -> Result<PlannedEngine, DeviceError> {
        Ok(match &self.engine.place {
            Place::Cpu => PlannedEngine::Cpu { threads: self.threads() },
            Place::Cuda(device) => PlannedEngine::Cuda {
                ordinal: device.ordinal,
                device: device.name.clone(),
                free: if self.is_shown { device.memory()?.0 } else { 0 },
            },
        })
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
    /// - A sweep takes at most the default number of passes. Each pass has at most as many steps as there are vertices
    ///   and groups.
    fn max_steps(&self, shape: &Shape, graph: GraphSize, schedule: Schedule) -> u64 {
        let of_graph = graph.vertices + 1;
        let groups = cuda::most_groups(graph.edges, self.engine.warps() * 32);
        match (self.options.max_steps, self.options.steps) {
            (Some(asked), _) => asked,
            (None, Some(_)) => u64::MAX,
            (None, None) if schedule == Schedule::Union => u64::MAX,
            (None, None) if schedule == Schedule::Bucket && self.engine.is_cuda() => 2 * of_graph,
            (None, None) if schedule == Schedule::Sweep => of_graph.saturating_mul(graph.vertices + groups),
            (None, None) if shape.may_be_seen_early() => of_graph,
            (None, None) if shape.model.has_priority => LEAST_MAX_STEPS.max(2 * of_graph),
            (None, None) => of_graph.max(LEAST_MAX_STEPS),
        }
    }

    fn notes(&self, shape: &Shape) -> Vec<String> {
        let mut notes = Vec::new();
        if shape.model.reads.edge_weight && !self.graph.has_weights() && !shape.weight.is_struct() {
            notes.push("the graph has no weights: every edge weighs 1".to_owned());
        }
        if shape.model.checked {
            notes.push("arithmetic is checked for overflow, as in every debug build".to_owned());
        }
        notes
    }
}

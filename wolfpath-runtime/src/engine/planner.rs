//! Makes plans for an engine: asks `plan::choose` with what is known of the engine, the graph and the program.

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::EdgeProgram;

use super::{Engine, Place};
use crate::cpu;
use crate::cuda;
use crate::error::{DeviceError, PlanError, RunError};
use crate::options::RunOptions;
use crate::plan::{Budget, GraphSize, Plan, PlannedArray, PlannedEngine, Question, RowUse, Schedule, choose};
use crate::shape::Shape;
use crate::start::{Sources, starts_alike};

/// The budget of a plan.
pub(super) fn budget<'a, V>(plan: &Plan, shape: &'a Shape, sources: &Sources<V>) -> Budget<'a> {
    let sources = sources.vertices.len() as u64;
    Budget {
        shape,
        graph: plan.graph,
        rows: plan.rows,
        schedule: plan.schedule,
        uniform: plan.uniform,
        techniques: plan.techniques,
        sources,
        warps: plan.warps,
        traced: plan.traced,
    }
}

/// The least default for the most steps of a program that the size of the graph does not bound.
const LEAST_MAX_STEPS: u64 = 10_000;

/// Makes plans for one engine, graph and set of options.
pub(super) struct Planner<'a> {
    pub(super) engine: &'a Engine,
    pub(super) graph: &'a LayeredGraph,
    pub(super) options: &'a RunOptions,
}

impl Planner<'_> {
    pub(super) fn plan<P: EdgeProgram>(
        &self,
        sources: &Sources<P::Value>,
    ) -> Result<(Plan, Shape), RunError> {
        let shape = Shape::of::<P>();
        let graph = GraphSize::of(self.graph, &shape);
        let on_cpu = !self.engine.is_cuda();
        let uniform = shape.uniform && starts_alike::<P>(sources);
        let calibration = self.engine.calibration();
        let question = Question {
            shape: &shape,
            options: self.options,
            graph,
            uniform,
            // The root is the first vertex in layered order.
            at_root: sources.vertices == [0],
            device: calibration.map(|calibration| (&calibration.costs, self.engine.warps())),
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
            warps: self.engine.warps(),
            traced: self.options.trace,
            techniques: decision.techniques,
            technique_reasons: decision.technique_reasons,
            bucket_factor: decision.bucket_factor,
            arrays: Vec::new(),
            steps: self.options.steps,
            max_steps: self.max_steps(&shape, graph, decision.schedule),
            notes,
        };
        let budget = budget(&plan, &shape, sources);
        let own: Vec<PlannedArray> = if on_cpu { cpu::arrays(&budget) } else { cuda::arrays(&budget) };
        plan.arrays = budget.graph_arrays().into_iter().chain(own).collect();
        self.limit_marks(&mut plan)?;
        Ok((plan, shape))
    }

    /// Keeps the steps of a run on a device within what its marks can tell apart: refuses more where they were asked for.
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

    fn engine(&self) -> Result<PlannedEngine, DeviceError> {
        Ok(match &self.engine.place {
            Place::Cpu => PlannedEngine::Cpu {
                threads: self.options.threads.filter(|&t| t > 0).unwrap_or_else(rayon::current_num_threads),
            },
            Place::Cuda(device) => PlannedEngine::Cuda {
                ordinal: device.ordinal,
                device: device.name.clone(),
                free: device.memory()?.0,
            },
        })
    }

    /// The safety net: as asked for; none where the number of steps is given; else one more than there are vertices,
    /// which no traversal needs. Programs that apply or fold as they like are not bounded by the graph (PageRank on
    /// three vertices takes a hundred steps), so they get [`LEAST_MAX_STEPS`] at the least. On a device a bucket settles a
    /// vertex in each of its steps but the last, so all buckets together take at most two a vertex. (The CPU engine leaves
    /// its buckets in time.) A sweep takes so many passes at the most, and in each of them no more steps than there are
    /// vertices and groups.
    fn max_steps(&self, shape: &Shape, graph: GraphSize, schedule: Schedule) -> u64 {
        let of_graph = graph.vertices + 1;
        let groups = cuda::most_groups(graph.edges, self.engine.warps() * 32);
        match (self.options.max_steps, self.options.steps) {
            (Some(asked), _) => asked,
            (None, Some(_)) => u64::MAX,
            (None, None) if schedule == Schedule::Bucket && self.engine.is_cuda() => 2 * of_graph,
            (None, None) if schedule == Schedule::Sweep => of_graph.saturating_mul(graph.vertices + groups),
            (None, None) if shape.may_be_seen_early() => of_graph,
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

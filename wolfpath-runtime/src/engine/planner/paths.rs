//! Plans of accumulating programs, and of runs in the order of paths.

use wolfpath_core::program::Along;

use super::Planner;
use crate::error::PlanError;
use crate::options::RunOptions;
use crate::plan::{ArrayName, Plan, PlannedArray, Schedule};
use crate::shape::Shape;

/// Default tolerance of accumulating programs that add floats.
const USUAL_TOLERANCE: f64 = 1e-6;

/// Returns the tolerance of an accumulating program; `None` for other programs.
///
/// # Errors
///
/// Returns an error if the program cannot have the requested tolerance or number of steps.
pub(crate) fn tolerance(shape: &Shape, options: &RunOptions) -> Result<Option<f64>, PlanError> {
    let (program, asked) = (shape.model.name, options.tolerance);
    match asked {
        Some(share) if !shape.accumulates => {
            let reason = "it does not accumulate, so its run ends when nothing changes; set no tolerance";
            Err(PlanError::Tolerance { program, share, reason })
        }
        Some(share) if !(0.0..=1.0).contains(&share) => {
            let reason = "a tolerance is a share of all values, from 0 to 1";
            Err(PlanError::Tolerance { program, share, reason })
        }
        _ if shape.accumulates && options.steps.is_some() => Err(PlanError::NothingToCount { program }),
        _ => {
            let usual = if shape.accumulates_floats() { USUAL_TOLERANCE } else { 0.0 };
            Ok(shape.accumulates.then_some(asked.unwrap_or(usual)))
        }
    }
}

impl Planner<'_> {
    /// Returns the share of the graph's stored paths that belong to the largest component; 0 if the plan cannot depend on it.
    pub(super) fn largest_component(&self, shape: &Shape) -> Result<f64, PlanError> {
        let may_choose = shape.accumulates && self.options.schedule.is_none();
        // Otherwise, all paths that are connected are in one component.
        let has_order = !self.graph.is_symmetric() && shape.along != Along::Both;
        if !may_choose || !has_order || self.engine.is_cuda() || !self.graph.stores_paths() {
            return Ok(0.0);
        }
        let paths = self.graph.paths()?;
        Ok(f64::from(paths.largest_component()) / f64::from(paths.num_paths().max(1)))
    }

    /// Returns the arrays of the CPU engine for the order of paths, if the run visits vertices in it. If the graph does not
    /// store its paths, they are computed; each may have a single edge. (The arrays of a device include the order. What the
    /// host needs to find it is not listed, like all that prepares a run.)
    pub(super) fn paths(&self, plan: &Plan) -> Vec<PlannedArray> {
        if plan.schedule != Schedule::Paths || self.engine.is_cuda() {
            return Vec::new();
        }
        let (vertices, edges) = (plan.graph.vertices, plan.graph.edges);
        // The in-rows are needed to compute paths, and stay with the graph.
        let needs_in = !self.graph.has_in_edges() && !plan.rows.send_in;
        let in_rows = if needs_in { 8 * (vertices + 1) + 4 * edges } else { 0 };
        let paths = PlannedArray::of_bytes(ArrayName::Paths, edges, 9 * edges + in_rows);
        let paths = (!self.graph.stores_paths()).then_some(paths);
        // The order takes 8 bytes per vertex, and homes and parts of the order as much again while it is found.
        let order = PlannedArray::new(ArrayName::PathOrder, vertices, 20);
        paths.into_iter().chain([order]).collect()
    }
}

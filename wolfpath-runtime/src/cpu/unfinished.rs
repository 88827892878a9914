//! Values of runs that end without an answer (`RunOptions::keep_unfinished`).

use wolfpath_core::program::EdgeProgram;

use super::CpuRun;
use super::outcome::Values;
use crate::error::RunError;
use crate::held::Held;

impl<P: EdgeProgram> CpuRun<'_, '_, P> {
    /// Adds the number of vertices that have a value to the error of a run that stopped, unless the run is one over a part:
    /// its process knows only the values of its own vertices.
    pub(super) fn with_present(&self, error: RunError, count: impl FnOnce() -> u64) -> RunError {
        if self.view.whole().is_some() { error.with_present(count) } else { error }
    }

    /// Adds the values that the run has reached to its error, if they are wanted. A step-by-step run that stopped
    /// inside a step has only a part of its new values, so it keeps nothing. In place, every value is a bound at any time.
    pub(super) fn keep(&self, error: RunError, values: impl FnOnce() -> Values<P::Value>) -> RunError {
        let is_torn = self.was_halted.get() && !self.plan.schedule.is_in_place();
        match self.view.whole() {
            Some(graph) if self.keeps_unfinished && !is_torn && error.is_of_unfinished() => {
                error.with_values(P::MODEL.name, Held::on_host(graph.input_graph(), values(), false))
            }
            _ => error,
        }
    }
}

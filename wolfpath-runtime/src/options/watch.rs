//! Progress reports of a run, and the reasons to stop it: a time limit, or another thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wolfpath_core::progress::RunProgress;

use super::{CancelHandle, RunOptions};
use crate::error::RunError;
use crate::plan::Plan;
use crate::stop::Stop;

/// Counters of a run, as an engine maintains them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) steps: u64,
    pub(crate) edges: u64,
    pub(crate) active: u64,
    pub(crate) present: Option<u64>,
}

/// Minimum time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Watch over one run: its clock, its limits, and the observer of its progress.
pub(crate) struct Watch<'a> {
    program: &'static str,
    vertices: u64,
    options: &'a RunOptions,
    began: Instant,
    told: Instant,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(plan: &Plan, options: &'a RunOptions) -> Watch<'a> {
        let now = Instant::now();
        Watch { program: plan.program, vertices: plan.graph.vertices, options, began: now, told: now }
    }

    /// Returns `true` if the run's progress is reported, or if it can be stopped.
    pub(crate) fn is_wanted(&self) -> bool {
        self.options.is_watched()
    }

    /// Returns the conditions that must stop a program inside its loops.
    pub(crate) fn stop(&self) -> Arc<Stop> {
        let deadline = self.options.time_limit.and_then(|limit| self.began.checked_add(limit));
        Arc::new(Stop::new(self.options.cancel.clone(), deadline))
    }

    /// Returns the error of a run that was stopped.
    pub(crate) fn stopped(&self, counts: Counts) -> RunError {
        let (program, progress) = (self.program, self.progress(counts));
        let is_cancelled = self.options.cancel.as_ref().is_some_and(CancelHandle::is_cancelled);
        match self.options.time_limit.filter(|_| !is_cancelled) {
            Some(limit) => RunError::TimeLimit { program, limit, progress },
            None => RunError::Cancelled { program, progress },
        }
    }

    /// Reports progress, and returns an error if the run is cancelled or exceeds its time limit. Called between steps,
    /// and repeatedly while a device runs.
    pub(crate) fn look(&mut self, counts: Counts) -> Result<(), RunError> {
        if self.options.cancel.as_ref().is_some_and(CancelHandle::is_cancelled) {
            return Err(self.stopped(counts));
        }
        if self.options.time_limit.is_none() && !self.options.progress.is_watched() {
            return Ok(());
        }
        let now = Instant::now();
        if self.options.time_limit.is_some_and(|limit| now - self.began > limit) {
            return Err(self.stopped(counts));
        }
        if now - self.told > PROGRESS_INTERVAL {
            self.told = now;
            self.options.progress.run_advanced(&self.progress(counts));
        }
        Ok(())
    }

    fn progress(&self, counts: Counts) -> RunProgress {
        let mut progress = RunProgress::default();
        (progress.step, progress.edges) = (counts.steps, counts.edges);
        (progress.active, progress.present) = (counts.active, counts.present);
        (progress.vertices, progress.elapsed) = (self.vertices, self.began.elapsed());
        progress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_a_run_came_in_words() {
        let mut progress = RunProgress::default();
        (progress.step, progress.edges, progress.vertices) = (7, 90, 8);
        progress.elapsed = Duration::from_millis(1500);
        assert_eq!(progress.to_string(), "7 steps and 90 edges in 1.5s");
        let error = RunError::Cancelled { program: "bfs", progress }.with_present(|| 2).to_string();
        let expected =
            "bfs was cancelled after 7 steps and 90 edges in 1.5s, when 2 of 8 vertices (25.0%) had a value";
        assert_eq!(error, expected);
        // A known count is not computed again.
        progress.present = Some(8);
        let known = RunError::Cancelled { program: "bfs", progress };
        assert!(
            known.with_present(|| panic!("a known count is computed again")).to_string().contains("(100.0%)")
        );
        (progress.present, progress.vertices) = (Some(0), 0);
        assert!(progress.to_string().contains("0 of 0 vertices (0.0%)"));
    }
}

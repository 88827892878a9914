//! What a run may be told, and how it is watched and stopped.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::RunError;
use crate::plan::{Plan, ScheduleChoice, Techniques};
use crate::stop::Stop;

/// A handle that stops a run from another thread.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle(Arc<AtomicBool>);

impl CancelHandle {
    /// A handle that nobody has used.
    pub fn new() -> CancelHandle {
        CancelHandle::default()
    }

    /// Asks every run that was given this handle to stop. A CPU run stops after its step, a CUDA run after its
    /// time slice; a program with loops of its own stops in them.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Steps done.
    pub step: u64,
    /// Edges looked at.
    pub edges: u64,
    /// The frontier's size, as in [`StepTrace::active`](crate::StepTrace::active).
    pub active: u64,
    /// Vertices that have a value, where that is known.
    pub present: Option<u64>,
    /// All vertices.
    pub vertices: u64,
    /// Time since the run began.
    pub elapsed: Duration,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Progress { step, edges, present, vertices, elapsed, .. } = self;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        write!(f, "{step} step{} and {edges} edge{} in {elapsed:.1?}", plural(*step), plural(*edges))?;
        match present {
            Some(present) => {
                let share = 100.0 * *present as f64 / (*vertices).max(1) as f64;
                write!(f, ", when {present} of {vertices} vertices ({share:.1}%) had a value")
            }
            None => Ok(()),
        }
    }
}

/// What an engine has counted of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) steps: u64,
    pub(crate) edges: u64,
    pub(crate) active: u64,
    pub(crate) present: Option<u64>,
}

/// A function that is told how far a run has come.
pub type ProgressCallback = Arc<dyn Fn(&Progress) + Send + Sync>;

/// What a run may be told. The default runs until nothing changes.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// End normally after this many steps, step by step.
    pub steps: Option<u64>,
    /// Number of steps beyond which a run ends with an error. Defaults to a bound that every run which ends keeps:
    ///
    /// | program and schedule | steps |
    /// |---|---|
    /// | values may be seen before a step is over | the number of vertices plus one |
    /// | the same by buckets, on a device | twice that, times the runs that are abreast |
    /// | the same by buckets, on the CPU | four times that, and then as many by frontier |
    /// | the same by sweep | as many passes |
    /// | other programs, which the graph does not bound | at least 10,000 |
    /// | a number of `steps` was asked for | no limit |
    pub max_steps: Option<u64>,
    /// End with an error when the run takes longer.
    pub time_limit: Option<Duration>,
    /// Stops the run from elsewhere.
    pub cancel: Option<CancelHandle>,
    /// Called between steps (CPU) or while the device runs (CUDA), at most every 50 ms, and not always by the same
    /// thread.
    pub progress: Option<ProgressCallback>,
    /// Threads of the CPU engine; by default as many as the machine has.
    pub threads: Option<usize>,
    /// Accept weights that the program's type holds only approximately.
    pub lossy_weights: bool,
    /// The column that a program of plain numbers reads; by default the one called `weight`, or the only one.
    pub weight_column: Option<String>,
    /// The schedule to take; by default the plan chooses.
    pub schedule: Option<ScheduleChoice>,
    /// What a run may use of what makes it faster; answers never depend on it. The CPU engine knows
    /// [`direction`](Techniques::direction) alone, where runs share bits.
    pub techniques: Techniques,
    /// The most bytes of a device's memory that the graph and a run's arrays may take together; by default what is free.
    /// A run that needs more is refused, or given to the CPU engine, as on a device with so much memory.
    pub device_memory: Option<u64>,
    /// How long a launch on a device may last before it returns, to go on where it stopped: by default 100 ms, at the most
    /// 10 s. A Ctrl-C and a time limit wait for its end. A launch takes one step at the least.
    pub slice: Option<Duration>,
    /// Record when each stage and each step began and how long it took.
    pub trace: bool,
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("steps", &self.steps)
            .field("max_steps", &self.max_steps)
            .field("time_limit", &self.time_limit)
            .field("cancel", &self.cancel)
            .field("progress", &self.progress.is_some())
            .field("threads", &self.threads)
            .field("lossy_weights", &self.lossy_weights)
            .field("weight_column", &self.weight_column)
            .field("schedule", &self.schedule)
            .field("techniques", &self.techniques)
            .field("device_memory", &self.device_memory)
            .field("slice", &self.slice)
            .field("trace", &self.trace)
            .finish()
    }
}

impl RunOptions {
    /// The default options.
    pub fn new() -> RunOptions {
        RunOptions::default()
    }

    /// Ends the run normally after `steps` steps, and forces step-by-step execution.
    pub fn steps(mut self, steps: u64) -> RunOptions {
        self.steps = Some(steps);
        self
    }

    /// Makes more than `steps` steps an error.
    pub fn max_steps(mut self, steps: u64) -> RunOptions {
        self.max_steps = Some(steps);
        self
    }

    /// Ends the run with an error when it takes longer than `limit`.
    pub fn time_limit(mut self, limit: Duration) -> RunOptions {
        self.time_limit = Some(limit);
        self
    }

    /// Lets `handle` stop the run.
    pub fn cancel(mut self, handle: &CancelHandle) -> RunOptions {
        self.cancel = Some(handle.clone());
        self
    }

    /// Tells `callback` how far the run has come.
    pub fn progress(mut self, callback: impl Fn(&Progress) + Send + Sync + 'static) -> RunOptions {
        self.progress = Some(Arc::new(callback));
        self
    }

    /// Runs the CPU engine on `threads` threads.
    pub fn threads(mut self, threads: usize) -> RunOptions {
        self.threads = Some(threads);
        self
    }

    /// Accepts weights that the program's type holds only approximately.
    pub fn lossy_weights(mut self) -> RunOptions {
        self.lossy_weights = true;
        self
    }

    /// Has a program of plain numbers read the graph's column of this name. Programs whose weight is a struct read the
    /// columns of their fields' names.
    pub fn weight_column(mut self, name: impl Into<String>) -> RunOptions {
        self.weight_column = Some(name.into());
        self
    }

    /// Takes this schedule, or ends with [`PlanError::Schedule`](crate::PlanError::Schedule) where the program or the
    /// engine cannot be run so.
    pub fn schedule(mut self, schedule: ScheduleChoice) -> RunOptions {
        self.schedule = Some(schedule);
        self
    }

    /// Lets a launch on a device return after `slice`, to go on where it stopped.
    pub fn slice(mut self, slice: Duration) -> RunOptions {
        self.slice = Some(slice);
        self
    }

    /// Whether somebody may hear how far the run has come.
    pub(crate) fn is_watched(&self) -> bool {
        self.progress.is_some() || self.cancel.is_some() || self.time_limit.is_some()
    }

    /// Uses these techniques only.
    pub fn techniques(mut self, techniques: Techniques) -> RunOptions {
        self.techniques = techniques;
        self
    }

    /// Takes at most so many bytes of a device's memory.
    pub fn device_memory(mut self, bytes: u64) -> RunOptions {
        self.device_memory = Some(bytes);
        self
    }

    /// Records when each stage and each step began and how long it took: [`Outcome::trace`](crate::Outcome::trace).
    pub fn trace(mut self) -> RunOptions {
        self.trace = true;
        self
    }
}

/// The least time between two calls of a progress callback.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Watches one run: its clock, its limits, and who wants to hear of it.
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

    /// Whether anybody wants to hear of the run, or to end it, while it runs.
    pub(crate) fn is_wanted(&self) -> bool {
        let RunOptions { time_limit, cancel, progress, .. } = self.options;
        time_limit.is_some() || cancel.is_some() || progress.is_some()
    }

    /// What stops a program in a loop of its own when this run shall end.
    pub(crate) fn stop(&self) -> Arc<Stop> {
        let deadline = self.options.time_limit.and_then(|limit| self.began.checked_add(limit));
        Arc::new(Stop::new(self.options.cancel.clone(), deadline))
    }

    /// The error of a run that was told to stop.
    pub(crate) fn stopped(&self, counts: Counts) -> RunError {
        let (program, progress) = (self.program, self.progress(counts));
        let is_cancelled = self.options.cancel.as_ref().is_some_and(CancelHandle::is_cancelled);
        match self.options.time_limit.filter(|_| !is_cancelled) {
            Some(limit) => RunError::TimeLimit { program, limit, progress },
            None => RunError::Cancelled { program, progress },
        }
    }

    /// Called between steps, or now and then while a device runs: tells the callback, and ends a run that is cancelled
    /// or late.
    pub(crate) fn look(&mut self, counts: Counts) -> Result<(), RunError> {
        if self.options.cancel.as_ref().is_some_and(CancelHandle::is_cancelled) {
            return Err(self.stopped(counts));
        }
        if self.options.time_limit.is_none() && self.options.progress.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if self.options.time_limit.is_some_and(|limit| now - self.began > limit) {
            return Err(self.stopped(counts));
        }
        if let Some(tell) = self.options.progress.as_ref().filter(|_| now - self.told > PROGRESS_INTERVAL) {
            self.told = now;
            tell(&self.progress(counts));
        }
        Ok(())
    }

    fn progress(&self, counts: Counts) -> Progress {
        let Counts { steps, edges, active, present } = counts;
        let (vertices, elapsed) = (self.vertices, self.began.elapsed());
        Progress { step: steps, edges, active, present, vertices, elapsed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_a_run_came_in_words() {
        let elapsed = Duration::from_millis(1500);
        let progress = Progress { step: 7, edges: 90, active: 3, present: None, vertices: 8, elapsed };
        assert_eq!(progress.to_string(), "7 steps and 90 edges in 1.5s");
        let error = RunError::Cancelled { program: "bfs", progress }.with_present(|| 2).to_string();
        let expected =
            "bfs was cancelled after 7 steps and 90 edges in 1.5s, when 2 of 8 vertices (25.0%) had a value";
        assert_eq!(error, expected);
        // What is known is not counted again.
        let known =
            RunError::Cancelled { program: "bfs", progress: Progress { present: Some(8), ..progress } };
        assert!(known.with_present(|| panic!("it is known")).to_string().contains("(100.0%)"));
        let none = Progress { present: Some(0), vertices: 0, ..progress };
        assert!(none.to_string().contains("0 of 0 vertices (0.0%)"));
    }
}

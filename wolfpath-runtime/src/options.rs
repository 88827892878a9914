//! Options of a run, and the means to watch and stop it.

mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wolfpath_core::progress::Progress;

pub(crate) use self::watch::{Counts, Watch};
use crate::plan::{Home, ScheduleChoice, Techniques};

/// Handle that stops runs from another thread. Clones refer to the same handle.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let cancel = CancelHandle::new();
/// let options = RunOptions::new().cancel(&cancel);
/// std::thread::spawn(move || cancel.cancel()).join().unwrap();
/// let edge = LayeredGraph::from_edges([(1, 2)])?;
/// let error = Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options).unwrap_err();
/// assert!(matches!(error, RunError::Cancelled { .. }));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelHandle(Arc<AtomicBool>);

impl CancelHandle {
    /// Returns a new handle that is not cancelled.
    pub fn new() -> CancelHandle {
        CancelHandle::default()
    }

    /// Requests every run with this handle to stop. A CPU run stops at the end of its step, and a CUDA run at the end
    /// of its time slice. A program with loops is also stopped inside them.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Options of a run. By default, a run ends when nothing changes any more.
///
/// The setters of optional settings also accept `None`, which restores the default.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4)])?;
/// let options = RunOptions::new().steps_at_most(2).time_limit(Duration::from_secs(60)).threads(1);
/// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(1), &options)?;
/// assert_eq!((outcome.value(3)?, outcome.value(4)?), (Some(2), None));
///
/// let unlimited = options.steps_at_most(None);
/// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(1), &unlimited)?;
/// assert_eq!(outcome.value(4)?, Some(3));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunOptions {
    pub(crate) steps: Option<u64>,
    pub(crate) max_steps: Option<u64>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) cancel: Option<CancelHandle>,
    pub(crate) progress: Progress,
    pub(crate) threads: Option<usize>,
    pub(crate) lossy_weights: bool,
    pub(crate) weight_column: Option<String>,
    pub(crate) schedule: Option<ScheduleChoice>,
    pub(crate) techniques: Techniques,
    pub(crate) device_memory: Option<u64>,
    pub(crate) rows: Option<Home>,
    pub(crate) packed_rows: Option<bool>,
    pub(crate) slice: Option<Duration>,
    pub(crate) trace: bool,
    /// Ids of the vertices whose values end the run when they are settled.
    pub(crate) settle: Vec<u64>,
    pub(crate) tolerance: Option<f64>,
    pub(crate) keep_unfinished: bool,
}

impl RunOptions {
    /// Returns the default options.
    pub fn new() -> RunOptions {
        RunOptions::default()
    }

    /// Returns the step limit: the requested one, none if the number of steps is fixed, and otherwise a default.
    pub(crate) fn step_limit(&self, default: impl FnOnce() -> u64) -> u64 {
        match (self.max_steps, self.steps) {
            (Some(asked), _) => asked,
            (None, Some(_)) => u64::MAX,
            (None, None) => default(),
        }
    }

    /// Ends the run normally after `steps` steps if it has not ended before, and forces step-by-step execution (Pregel's
    /// `maxSupersteps`). [`Outcome::end`](crate::Outcome::end) tells which end it was. Defaults to `None`: the run ends
    /// when nothing changes. With 0, the run returns [`PlanError::NoSteps`](crate::PlanError::NoSteps).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let ring = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1)])?;
    /// let program = wolfpath::programs::bfs::starting_at(1);
    /// assert_eq!(Engine::cpu().run_with(&ring, &program, &RunOptions::new().steps_at_most(1))?.read()?.reached(), 2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn steps_at_most(mut self, steps: impl Into<Option<u64>>) -> RunOptions {
        self.steps = steps.into();
        self
    }

    /// Ends the run as soon as the values of all these vertices are final, and marks the outcome with
    /// [`End::Settled`](crate::End::Settled). Ids that are repeated count once. An empty list restores the default: the
    /// run ends when nothing changes.
    ///
    /// A value is *settled* if no value that is still to be sent is better: less under `min`, greater under `max`. No
    /// message can then improve it, because the program's messages are never better than their senders' values. The
    /// outcome's values are those of the full run where [`is_settled`](crate::Outcome::is_settled) holds. Elsewhere they
    /// are bounds: the final value is the same or better, and a vertex without a value may still get one. If a named
    /// vertex is never reached, the run ends only when nothing changes.
    ///
    /// Vertices with the best values send first ([`Schedule::Bucket`](crate::Schedule::Bucket)), or those with the
    /// fewest edges to a source in a `uniform` program on the CPU. On a cluster, values come step by step.
    ///
    /// This is for programs that combine numbers by `min` or `max`, without an `apply` or another function that runs at
    /// vertices. The macro must be able to tell from the text of `edge` that no message is better than the sender's
    /// value: `value + weight` with weights that cannot be negative (`non_negative`, or an unsigned type),
    /// `value.min(weight)` under `max`, and so on. Sums must not overflow. The run of any other program returns
    /// [`PlanError::CannotSettle`](crate::PlanError::CannotSettle). An id that is not in the graph is an error
    /// ([`PlanError::UnknownTarget`](crate::PlanError::UnknownTarget)).
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::End;
    /// use wolfpath::prelude::*;
    ///
    /// let roads = LayeredGraph::from_weighted_edges([(1, 2, 5u32), (2, 3, 1), (1, 3, 9), (3, 4, 100), (4, 5, 1)])?;
    /// let program = wolfpath::programs::sssp::starting_at(1);
    /// let outcome = Engine::cpu().run_with(&roads, &program, &RunOptions::new().until_settled([3]))?;
    /// assert_eq!((outcome.end(), outcome.value(3)?), (End::Settled, Some(6)));
    /// assert_eq!(outcome.path_to(3)?, Some(vec![1, 2, 3]));
    /// assert!(outcome.is_settled(2)? && !outcome.is_settled(5)?);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn until_settled(mut self, ids: impl IntoIterator<Item = u64>) -> RunOptions {
        self.settle = ids.into_iter().collect();
        self
    }

    /// Ends the run of an [accumulating](wolfpath_core::program::EdgeProgram::ACCUMULATES) program when what is still to be
    /// sent is at most this share of all values: the sum of the sizes of all amounts that vertices have not sent, divided by
    /// the sum of the sizes of all values. The size of an amount is the sum of the absolute values of its numbers. Each value
    /// then includes all that its vertex has received. The share is one of the sum over all vertices, so a single value may lack
    /// as much: set a smaller share if values matter that are smaller than this. Other programs return
    /// [`PlanError::Tolerance`](crate::PlanError::Tolerance).
    ///
    /// Defaults to `None`: 10^-6 for sums of floats, and 0 for integers, whose sums are exact. With 0, a run ends when
    /// nothing is left to send; amounts that shrink by a factor end only when they are too small for a float.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::End;
    /// use wolfpath::prelude::*;
    ///
    /// /// Each vertex passes on half of what it receives.
    /// #[edge_program(combine = sum, first = 1.0, accumulates)]
    /// fn halved(more: f64) -> f64 {
    ///     more / 2.0
    /// }
    ///
    /// let ring = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let options = RunOptions::new().tolerance(1e-3);
    /// let outcome = Engine::cpu().run_with(&ring, &halved::starting_at(1), &options)?;
    /// assert!((outcome.value(1)?.unwrap() - 4.0 / 3.0).abs() < 1e-2);
    /// assert!(outcome.end() == End::Tolerance && outcome.stats().pending.unwrap() <= 1e-3);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn tolerance(mut self, share: impl Into<Option<f64>>) -> RunOptions {
        self.tolerance = share.into();
        self
    }

    /// Ends the run with [`RunError::Overrun`](crate::RunError::Overrun) after this number of steps. The default depends
    /// on the program and the schedule. It is large enough for every program whose number of steps is bounded by the
    /// graph's size:
    ///
    /// | program and schedule | default |
    /// |---|---|
    /// | a fixed number of [`steps_at_most`](Self::steps_at_most) is set | no limit |
    /// | values may be seen early, frontier or pull | *n* + 1, for *n* vertices |
    /// | values may be seen early, buckets on a device | 2 (*n* + 1), times the number of runs abreast |
    /// | values may be seen early, buckets on the CPU | 4 (*n* + 1) in buckets, then *n* + 1 more by frontier; a step in a bucket may be several rounds |
    /// | values may be seen early, sweep | *n* + 1 passes |
    /// | values may be seen early, paths | 3 (*n* + 1) |
    /// | accumulating programs | 3 (*n* + 1), but at least 10,000 |
    /// | with `priority` | 2 (*n* + 1), but at least 10,000 |
    /// | other programs, whose number of steps the graph does not bound | *n* + 1, but at least 10,000 |
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let path = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4)])?;
    /// let program = wolfpath::programs::bfs::starting_at(1);
    /// let error = Engine::cpu().run_with(&path, &program, &RunOptions::new().max_steps(2)).unwrap_err();
    /// assert!(matches!(error, RunError::Overrun { max_steps: 2, .. }));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn max_steps(mut self, steps: impl Into<Option<u64>>) -> RunOptions {
        self.max_steps = steps.into();
        self
    }

    /// Ends the run with [`RunError::TimeLimit`](crate::RunError::TimeLimit) if it takes longer than `limit`. Defaults
    /// to no limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// # use wolfpath::prelude::*;
    ///
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().time_limit(Duration::ZERO);
    /// let error = Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options).unwrap_err();
    /// assert!(matches!(error, RunError::TimeLimit { .. }));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn time_limit(mut self, limit: impl Into<Option<Duration>>) -> RunOptions {
        self.time_limit = limit.into();
        self
    }

    /// Allows `handle` to stop the run with [`RunError::Cancelled`](crate::RunError::Cancelled). Defaults to `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let cancel = CancelHandle::new();
    /// cancel.cancel();
    /// let options = RunOptions::new().cancel(&cancel);
    /// let error = Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options).unwrap_err();
    /// assert!(matches!(error, RunError::Cancelled { .. }));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn cancel<'a>(mut self, handle: impl Into<Option<&'a CancelHandle>>) -> RunOptions {
        self.cancel = handle.into().cloned();
        self
    }

    /// Reports the progress of the run, at most once every 50 ms: between steps on the CPU, and during the kernel on a
    /// device. Calls may come from different threads. Defaults to [`Progress::NONE`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// use wolfpath::progress::Progress;
    ///
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().progress(Progress::on_run(|run| eprintln!("{run}")));
    /// assert_eq!(Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?.read()?.reached(), 2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> RunOptions {
        self.progress = progress;
        self
    }

    /// Keeps the values that a run had reached if it is cancelled, exceeds its time limit or its step limit. The run
    /// then returns [`RunError::Unfinished`](crate::RunError::Unfinished), which contains the plain error, and
    /// [`RunError::unfinished`](crate::RunError::unfinished) returns the [values](crate::Unfinished). Defaults to `false`.
    ///
    /// The plain error is returned if such values do not exist: the run was stopped before its kernel began, inside a
    /// loop of a program that goes step by step or runs on a device, or between the passes of union-find. Many runs
    /// ([`run_many_with`](crate::LoadedGraph::run_many_with)) keep nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let ring = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1)])?;
    /// let cancel = CancelHandle::new();
    /// cancel.cancel();
    /// let options = RunOptions::new().cancel(&cancel).keep_unfinished(true);
    /// let error = Engine::cpu().run_with(&ring, &wolfpath::programs::bfs::starting_at(1), &options).unwrap_err();
    /// let unfinished = error.unfinished::<u32>()?.expect("values were kept");
    /// assert_eq!((unfinished.value_so_far(1)?, unfinished.value_so_far(2)?), (Some(0), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn keep_unfinished(mut self, keep: bool) -> RunOptions {
        self.keep_unfinished = keep;
        self
    }

    /// Maximum number of [`threads`](Self::threads). An idle thread looks for work at every other thread. With
    /// thousands of threads, that takes longer than the work.
    pub const MOST_THREADS: usize = 1024;

    /// Runs the CPU engine on `threads` threads. Defaults to the number of cores, as does 0. The threads are kept for
    /// the next run that asks for the same number. With more than [`MOST_THREADS`](Self::MOST_THREADS), the run returns
    /// [`DeviceError::Threads`](crate::DeviceError::Threads).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().threads(1);
    /// let outcome = Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// assert_eq!(outcome.stats().engine, "cpu, 1 thread");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: impl Into<Option<usize>>) -> RunOptions {
        self.threads = threads.into();
        self
    }

    /// Accepts weights that the program's type represents only approximately. Defaults to `false`: such weights are an
    /// error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// #[edge_program(combine = min, first = 0.0)]
    /// fn length(sum: f32, weight: f32) -> f32 {
    ///     sum + weight
    /// }
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(1, 2, 0.1f64)])?;
    /// let (engine, program) = (Engine::cpu(), length::starting_at(1));
    /// assert!(engine.run(&graph, &program).is_err(), "0.1 as f64 is not an f32");
    /// let outcome = engine.run_with(&graph, &program, &RunOptions::new().lossy_weights(true))?;
    /// assert_eq!(outcome.value(2)?, Some(0.1));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn lossy_weights(mut self, accept: bool) -> RunOptions {
        self.lossy_weights = accept;
        self
    }

    /// Selects the graph's weight column for a program whose weight is a plain number. Defaults to the column `weight`,
    /// or to the only column. Programs whose weight is a struct read the columns named like its fields.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_weighted_edges([(1, 2, 5u32)])?;
    /// let options = RunOptions::new().weight_column("toll");
    /// let error = Engine::cpu().run_with(&graph, &wolfpath::programs::sssp::starting_at(1), &options).unwrap_err();
    /// assert!(error.to_string().contains("toll"), "there is no such column");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn weight_column<'a>(mut self, name: impl Into<Option<&'a str>>) -> RunOptions {
        self.weight_column = name.into().map(str::to_owned);
        self
    }

    /// Uses this schedule. The run fails with [`PlanError::Schedule`](crate::PlanError::Schedule) if the program or the
    /// engine does not support it. Defaults to the plan's choice.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// use wolfpath::ScheduleChoice;
    ///
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().schedule(ScheduleChoice::Pull);
    /// let outcome = Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// assert_eq!(outcome.stats().schedule, wolfpath::Schedule::Pull);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn schedule(mut self, schedule: impl Into<Option<ScheduleChoice>>) -> RunOptions {
        self.schedule = schedule.into();
        self
    }

    /// Restricts the optimizations that a run may use. They never change answers. Defaults to [`Techniques::ALL`]. The
    /// CPU engine only uses [`direction`](Techniques::direction), [`path_order`](Techniques::path_order) and, in accumulating
    /// programs, [`shared_window`](Techniques::shared_window).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// use wolfpath::Techniques;
    ///
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().techniques(Techniques::NONE);
    /// let plan = Engine::cpu().plan(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// assert_eq!(plan.techniques, Techniques::NONE);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn techniques(mut self, techniques: Techniques) -> RunOptions {
        self.techniques = techniques;
        self
    }

    /// Limits the bytes of device memory that the graph and the run's arrays may take together. Defaults to the free
    /// memory. If the rows of the graph do not fit, they are packed, or stay in host memory ([`rows`](Self::rows)). A run
    /// whose other arrays do not fit fails or falls back to the CPU engine, as on a device with this much memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().device_memory(1 << 30); // no effect on the CPU engine
    /// assert_eq!(Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?.read()?.reached(), 2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn device_memory(mut self, bytes: impl Into<Option<u64>>) -> RunOptions {
        self.device_memory = bytes.into();
        self
    }

    /// Sets the [`Home`] of the rows of the graph during runs on a device, with the weights and other data of edges. By
    /// default they are on the device as far as they fit, and otherwise in host memory; if that cannot be page-locked, they
    /// are streamed. Answers do not depend on it. It has no effect on the CPU engine.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::{Home, prelude::*};
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().rows(Home::Host); // no effect on the CPU engine
    /// assert_eq!(Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?.read()?.reached(), 2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn rows(mut self, home: impl Into<Option<Home>>) -> RunOptions {
        self.rows = home.into();
        self
    }

    /// Sets whether runs on a device read packed rows ([`PackedRows`](wolfpath_core::graph::PackedRows)). With `true`, rows
    /// that the graph does not store in this form are packed when the first run is planned. By default, runs read the
    /// packed rows of the graph if plain rows do not fit on the device, and if rows live in host memory. Answers do not
    /// depend on it. It has no effect on the CPU engine, on streamed rows, nor on programs that read common neighbours.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let options = RunOptions::new().packed_rows(true);
    /// let plan = Engine::auto().plan(&graph, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// assert_eq!(plan.packed, Engine::auto().is_cuda());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn packed_rows(mut self, packed: impl Into<Option<bool>>) -> RunOptions {
        self.packed_rows = packed.into();
        self
    }

    /// Makes each launch on a device return after `slice`, to be resumed where it stopped. Each launch completes at
    /// least one step. Cancellation and time limits take effect at the end of a slice. Defaults to 100 ms; values above
    /// 10 s are reduced to 10 s.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// # use wolfpath::prelude::*;
    ///
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().slice(Duration::from_millis(5)); // no effect on the CPU engine
    /// assert_eq!(Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?.read()?.reached(), 2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn slice(mut self, slice: impl Into<Option<Duration>>) -> RunOptions {
        self.slice = slice.into();
        self
    }

    /// Records the start and the duration of each stage and each step, for [`Outcome::trace`](crate::Outcome::trace).
    /// Defaults to `false`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let edge = LayeredGraph::from_edges([(1, 2)])?;
    /// let options = RunOptions::new().trace(true);
    /// let outcome = Engine::cpu().run_with(&edge, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// assert_eq!(outcome.trace().unwrap().steps[0].edges, 1);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn trace(mut self, record: bool) -> RunOptions {
        self.trace = record;
        self
    }

    /// Returns the requested number of steps. Benchmarks pass it to their oracles.
    #[doc(hidden)]
    pub fn asked_steps(&self) -> Option<u64> {
        self.steps
    }

    /// Returns the requested schedule. Benchmarks compare it with the schedule of the plan.
    #[doc(hidden)]
    pub fn asked_schedule(&self) -> Option<ScheduleChoice> {
        self.schedule
    }

    /// Returns `true` if the run's progress is reported, or if it can be stopped.
    pub(crate) fn is_watched(&self) -> bool {
        self.progress.is_watched() || self.cancel.is_some() || self.time_limit.is_some()
    }
}

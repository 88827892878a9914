//! Progress of long operations: the current stage of loading and layering, and the progress of a run.
//!
//! The same types serve both. An [`Observer`] receives the reports. A [`Progress`] is a handle to an observer, and is
//! passed in options (`Resources::progress` while a graph is built, `RunOptions::progress` during a run).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Stage of converting an input to a layered graph in a file. Each stage counts its work in a unit: bytes, edges or
/// vertices.
///
/// # Examples
///
/// ```
/// use wolfpath::progress::Stage;
///
/// let unit = |stage: Stage| match stage {
///     Stage::Read | Stage::Write | Stage::Verify | Stage::Hash | Stage::Load => "bytes",
///     Stage::Order => "vertices",
///     _ => "edges",
/// };
/// assert_eq!(unit(Stage::Group), "edges");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading the input, in bytes of the file (compressed bytes if it is compressed).
    Read,
    /// Generating edges, in edges.
    Generate,
    /// Converting ids to ranks, checking whether the edges are symmetric, and dropping edges as requested, in edges.
    Number,
    /// Grouping edges by their source, in edges.
    Group,
    /// Computing the breadth-first order, in vertices.
    Order,
    /// Building the rows in that order, in edges.
    Rows,
    /// Packing the rows, in edges. Each edge counts twice: it is first measured, then written.
    Pack,
    /// Finding edge-disjoint paths, in vertices and edges. Each edge counts twice: it is first joined to others, then cut off
    /// where a path ends.
    Paths,
    /// Writing a file, in bytes.
    Write,
    /// Verifying a file, in bytes.
    Verify,
    /// Hashing the content of an input, to recognize its kept graph, in bytes.
    Hash,
    /// Copying a graph to a device, in bytes.
    Load,
}

/// Progress of a run at one moment. Observers of the run receive it, and the error of a stopped run contains it.
///
/// Its `Display` text is a part of a sentence, for use in messages.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wolfpath::prelude::*;
///
/// let cycle = LayeredGraph::from_edges([(0, 1), (1, 2), (2, 0)])?;
/// let options = RunOptions::new().time_limit(Duration::ZERO);
/// let error = Engine::cpu().run_with(&cycle, &wolfpath::programs::bfs::starting_at(0), &options).unwrap_err();
/// let RunError::TimeLimit { progress, .. } = error else { panic!("no time was allowed") };
/// assert_eq!(progress.vertices, 3);
/// assert!(progress.to_string().contains("of 3 vertices"));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunProgress {
    /// Number of completed steps.
    pub step: u64,
    /// Number of edges examined.
    pub edges: u64,
    /// Size of the frontier, in the same units as `StepTrace::active`.
    pub active: u64,
    /// Number of vertices that have a value; `None` if they have not been counted.
    pub present: Option<u64>,
    /// Number of vertices of the graph.
    pub vertices: u64,
    /// Time since the run started.
    pub elapsed: Duration,
}

impl fmt::Display for RunProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunProgress { step, edges, present, vertices, elapsed, .. } = self;
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

/// Receiver of progress reports. Each method has a default that ignores the report, so implement those that you need.
///
/// Calls come from several threads. Methods should return quickly, because the operation waits for them.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
/// use wolfpath::generate::Recipe;
/// use wolfpath::progress::{Observer, Progress};
///
/// #[derive(Clone, Default)]
/// struct Done(Arc<AtomicU64>);
///
/// impl Observer for Done {
///     fn advance(&self, amount: u64) {
///         self.0.fetch_add(amount, Relaxed);
///     }
/// }
///
/// let done = Done::default();
/// Recipe::Random { vertices: 100, edge_factor: 4 }.make(1, &Progress::to(done.clone()))?;
/// assert_eq!(done.0.load(Relaxed), 100 * 4);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub trait Observer: Send + Sync {
    /// Reports that a stage starts, and that the previous one has ended. `total` is the amount of work in the stage's
    /// unit, if known.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::generate::Recipe;
    /// use wolfpath::progress::{Observer, Progress, Stage};
    ///
    /// struct Print;
    ///
    /// impl Observer for Print {
    ///     fn begin(&self, stage: Stage, total: Option<u64>) {
    ///         assert!(stage == Stage::Generate && total.is_some());
    ///         eprintln!("{stage:?}");
    ///     }
    /// }
    ///
    /// Recipe::Grid { width: 5, height: 5 }.make(1, &Progress::to(Print))?;
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let _ = (stage, total);
    }

    /// Reports that `amount` more units of the current stage are done. Called about once per ten thousand edges.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// use wolfpath::progress::Observer;
    ///
    /// #[derive(Default)]
    /// struct Done(AtomicU64);
    ///
    /// impl Observer for Done {
    ///     fn advance(&self, amount: u64) {
    ///         self.0.fetch_add(amount, Relaxed);
    ///     }
    /// }
    ///
    /// let done = Done::default();
    /// done.advance(10_000);
    /// done.advance(500);
    /// assert_eq!(done.0.load(Relaxed), 10_500);
    /// ```
    fn advance(&self, amount: u64) {
        let _ = amount;
    }

    /// Reports the progress of a run, at most once every 50 ms. On the CPU, the calls come between steps. On a device,
    /// they come while the kernel runs.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// use wolfpath::progress::{Observer, RunProgress};
    ///
    /// #[derive(Default)]
    /// struct Widest(AtomicU64);
    ///
    /// impl Observer for Widest {
    ///     fn run_advanced(&self, run: &RunProgress) {
    ///         self.0.fetch_max(run.active, Relaxed);
    ///     }
    /// }
    ///
    /// let widest = Widest::default();
    /// widest.run_advanced(&RunProgress::default());
    /// assert_eq!(widest.0.load(Relaxed), 0);
    /// ```
    fn run_advanced(&self, run: &RunProgress) {
        let _ = run;
    }
}

/// Handle to an optional [`Observer`]. Cheap to clone.
///
/// # Examples
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use wolfpath::generate::Recipe;
/// use wolfpath::progress::{Progress, Stage};
///
/// let stages = Arc::new(Mutex::new(Vec::new()));
/// let seen = stages.clone();
/// let progress = Progress::on_stage(move |stage, _| seen.lock().unwrap().push(stage));
/// Recipe::Grid { width: 5, height: 5 }.make(1, &progress)?;
/// assert_eq!(*stages.lock().unwrap(), [Stage::Generate]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Observer>>);

impl Progress {
    /// A handle without an observer. This is the default.
    pub const NONE: Progress = Progress(None);

    /// Returns a handle to `observer`.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::progress::{Observer, Progress, RunProgress};
    ///
    /// struct Print;
    ///
    /// impl Observer for Print {
    ///     fn run_advanced(&self, run: &RunProgress) {
    ///         eprintln!("{run}");
    ///     }
    /// }
    ///
    /// let options = wolfpath::RunOptions::new().progress(Progress::to(Print));
    /// assert!(format!("{options:?}").contains("Progress(watched)"));
    /// ```
    pub fn to(observer: impl Observer + 'static) -> Progress {
        Progress(Some(Arc::new(observer)))
    }

    /// Returns a handle to a function that is called when a stage starts, with the stage's amount of work if known.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::generate::Recipe;
    /// use wolfpath::progress::Progress;
    ///
    /// let progress = Progress::on_stage(|stage, total| eprintln!("{stage:?}: {total:?} edges"));
    /// assert!(Recipe::Grid { width: 5, height: 5 }.make(1, &progress)?.num_edges() > 0);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn on_stage(called: impl Fn(Stage, Option<u64>) + Send + Sync + 'static) -> Progress {
        Progress::to(OnStage(called))
    }

    /// Returns a handle to a function that is called with the progress of a run, at most once every 50 ms.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::progress::Progress;
    ///
    /// let graph = LayeredGraph::from_edges([(0, 1), (1, 2)])?;
    /// let options = RunOptions::new().progress(Progress::on_run(|run| eprintln!("step {}", run.step)));
    /// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(0), &options)?;
    /// assert_eq!(outcome.value(2)?, Some(2));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn on_run(called: impl Fn(&RunProgress) + Send + Sync + 'static) -> Progress {
        Progress::to(OnRun(called))
    }

    /// Returns `true` if there is an observer.
    #[doc(hidden)]
    pub fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    /// Reports that a stage starts.
    #[doc(hidden)]
    pub fn begin(&self, stage: Stage, total: Option<u64>) {
        if let Some(observer) = &self.0 {
            observer.begin(stage, total);
        }
    }

    /// Reports that `amount` more units of the current stage are done.
    #[doc(hidden)]
    pub fn advance(&self, amount: u64) {
        if let Some(observer) = &self.0 {
            observer.advance(amount);
        }
    }

    /// Reports the progress of a run.
    #[doc(hidden)]
    pub fn run_advanced(&self, run: &RunProgress) {
        if let Some(observer) = &self.0 {
            observer.run_advanced(run);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(watched)" } else { "Progress(unwatched)" })
    }
}

/// Function that is called when a stage starts.
struct OnStage<F>(F);

impl<F: Fn(Stage, Option<u64>) + Send + Sync> Observer for OnStage<F> {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        self.0(stage, total);
    }
}

/// Function that is called with the progress of a run.
struct OnRun<F>(F);

impl<F: Fn(&RunProgress) + Send + Sync> Observer for OnRun<F> {
    fn run_advanced(&self, run: &RunProgress) {
        self.0(run);
    }
}

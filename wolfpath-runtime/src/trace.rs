//! Trace of a run: the stages on the host and every step, on one clock that starts with the run. A trace is collected
//! only if [`RunOptions::trace`](crate::RunOptions::trace) requests it. `chrome` writes traces for viewers.

mod chrome;

use std::time::{Duration, Instant};

use crate::plan::Schedule;

/// Kind of a step.
///
/// # Examples
///
/// ```
/// use wolfpath::StepKind;
///
/// assert_eq!(StepKind::ALL.iter().map(|kind| kind.name()).last(), Some("next bucket"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepKind {
    /// Active vertices sent along their edges.
    Push,
    /// Several rounds without a device-wide barrier: each warp continued on its own with the vertices that it improved.
    /// `edges` counts the edges of all rounds.
    Local,
    /// Receivers looked for senders among their neighbours.
    Pull,
    /// The edges of one layer or combined edge list were swept.
    Sweep,
    /// Not a step, but the change to the next bucket: no vertex was left within the bound, so the bound was raised. On
    /// the CPU, `active` is the number of entries of waiting vertices (occurrences in their heap) that were examined. A
    /// device does not count them.
    Advance,
}

impl StepKind {
    /// All kinds.
    pub const ALL: &[StepKind] =
        &[StepKind::Push, StepKind::Local, StepKind::Pull, StepKind::Sweep, StepKind::Advance];

    /// Returns the name of the kind in traces and pictures.
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Push => "push",
            StepKind::Local => "local rounds",
            StepKind::Pull => "pull",
            StepKind::Sweep => "sweep",
            StepKind::Advance => "next bucket",
        }
    }
}

/// One step of a run.
///
/// # Examples
///
/// ```
/// use wolfpath::StepKind;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let options = RunOptions::new().trace(true);
/// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(1), &options)?;
/// let first = &outcome.trace().unwrap().steps[0];
/// assert_eq!((first.step, first.active, first.edges, first.kind), (1, 1, 1, StepKind::Push));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepTrace {
    /// Number of the step, from 1. It increases by 1 from step to step, with two exceptions: an advance to the next
    /// bucket has the number of the step that follows it, and steps that were not recorded ([`Trace::lost`]) leave
    /// gaps.
    pub step: u64,
    /// Start of the step, relative to the start of the run.
    pub began: Duration,
    /// Duration, including the wait for the slowest block or thread.
    pub took: Duration,
    /// Size of the frontier, as the number of active vertices. If a device pushes in this step, it is the number of
    /// queue items instead. An item is a part of an active vertex's row and has at most 32 edges. After local rounds,
    /// an item can also be a single edge.
    pub active: u64,
    /// Number of edges visited.
    pub edges: u64,
    /// Kind of the step.
    pub kind: StepKind,
    /// Number of the bucket, from 1, if the schedule has buckets. In a program with a `priority`, the level.
    pub bucket: Option<u64>,
    /// Number of bytes of rows, and of other data of edges, that were streamed to the device for this step. Chunks that
    /// were there already are not counted.
    pub streamed: u64,
}

/// One stage of a run on the host.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2)])?;
/// let options = RunOptions::new().trace(true);
/// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(1), &options)?;
/// assert!(outcome.trace().unwrap().stages.iter().any(|stage| stage.name == "run"));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageTrace {
    /// Name: "plan", "compile", "load", "run" or "read back".
    pub name: &'static str,
    /// Start of the stage, relative to the start of the run.
    pub began: Duration,
    /// Duration by the host's clock. The stage "run" includes launching and waiting for the device.
    pub took: Duration,
}

/// Trace of a run: when each stage and each step began, and what it did. Steps are in the order in which they were
/// taken.
///
/// Steps on a device are measured by the device's own clock, so their durations and the intervals between them are
/// exact. The device's clock is aligned with the host's clock at the first step. In comparison with the host's stages,
/// the steps appear slightly too early.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let options = RunOptions::new().trace(true);
/// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(1), &options)?;
/// let trace = outcome.trace().unwrap();
/// assert_eq!(trace.steps.iter().map(|step| step.edges).sum::<u64>(), 2);
/// assert!(trace.run_began() <= trace.took());
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The program's name.
    pub program: &'static str,
    /// The engine, for example "cpu, 8 threads" or "cuda:0 (NVIDIA H100 80GB HBM3)".
    pub engine: String,
    /// Schedule of the run.
    pub schedule: Schedule,
    /// The stages on the host.
    pub stages: Vec<StageTrace>,
    /// The steps.
    pub steps: Vec<StepTrace>,
    /// Number of steps that were not recorded because the device's buffer for records was full.
    pub lost: u64,
}

impl Trace {
    /// Returns the time from the start of the run to the end of the last stage or step.
    pub fn took(&self) -> Duration {
        let stages = self.stages.iter().map(|stage| stage.began + stage.took);
        let steps = self.steps.iter().map(|step| step.began + step.took);
        stages.chain(steps).max().unwrap_or_default()
    }

    /// Returns the trace with stages that came before the run, such as opening the graph. All times are then relative to
    /// the start of the first of them: the run begins `delay` later.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wolfpath::StageTrace;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let options = RunOptions::new().trace(true);
    /// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// let trace = outcome.trace().expect("a trace was requested").clone();
    /// let second = Duration::from_secs(1);
    /// let whole = trace.clone().after([StageTrace { name: "open", began: Duration::ZERO, took: second }], second);
    /// assert_eq!(whole.stages[0].name, "open");
    /// assert_eq!(whole.run_began(), trace.run_began() + second);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn after(mut self, earlier: impl IntoIterator<Item = StageTrace>, delay: Duration) -> Trace {
        self.stages.iter_mut().for_each(|stage| stage.began += delay);
        self.steps.iter_mut().for_each(|step| step.began += delay);
        self.stages.splice(0..0, earlier);
        self
    }

    /// Returns the start of the stage "run", relative to the start of the run.
    pub fn run_began(&self) -> Duration {
        self.stages.iter().find(|stage| stage.name == RUN).map_or(Duration::ZERO, |stage| stage.began)
    }
}

/// Name of the stage that contains the steps.
const RUN: &str = "run";

/// Steps of a run as its engine recorded them. Their `began` is relative to the start of the stage "run".
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) steps: Vec<StepTrace>,
    /// Number of steps that did not fit in the buffer.
    pub(crate) lost: u64,
}

/// Start times of the stages of a run, by the host's clock. Each stage ends when the next begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) plan: Instant,
    pub(crate) compile: Instant,
    /// End of compiling, which may be later than the beginning of loading.
    pub(crate) compiled: Instant,
    pub(crate) load: Instant,
    /// Time of loading that was spent waiting for the compiler.
    pub(crate) waited: Duration,
    pub(crate) run: Instant,
    pub(crate) read_back: Instant,
    pub(crate) end: Instant,
}

impl Begun {
    /// Returns the times of a run on the CPU, which compiles nothing and reads nothing back.
    pub(crate) fn on_cpu(plan: Instant, load: Instant, run: Instant, end: Instant) -> Begun {
        let waited = Duration::ZERO;
        Begun { plan, compile: load, compiled: load, load, waited, run, read_back: end, end }
    }

    /// Returns the stages that took any time.
    fn stages(&self) -> Vec<StageTrace> {
        let instants = [
            ("plan", self.plan, self.compile),
            ("compile", self.compile, self.compiled),
            ("load", self.load, self.run.checked_sub(self.waited).unwrap_or(self.run)),
            (RUN, self.run, self.read_back),
            ("read back", self.read_back, self.end),
        ];
        let since = |from, to: Instant| to.saturating_duration_since(from);
        let stages = instants.map(|(name, begin, end)| StageTrace {
            name,
            began: since(self.plan, begin),
            took: since(begin, end),
        });
        stages.into_iter().filter(|stage| stage.name == RUN || !stage.took.is_zero()).collect()
    }
}

/// Returns the trace of a run.
pub(crate) fn trace(
    program: &'static str,
    engine: String,
    schedule: Schedule,
    begun: &Begun,
    recorded: Recorded,
) -> Trace {
    let Recorded { mut steps, lost } = recorded;
    // Remove a final advance: it found no vertex, so no step follows it.
    while steps.last().is_some_and(|step| step.kind == StepKind::Advance) {
        steps.pop();
    }
    let run = begun.run.saturating_duration_since(begun.plan);
    steps.iter_mut().for_each(|step| step.began += run);
    Trace { program, engine, schedule, stages: begun.stages(), steps, lost }
}

/// Recorder of a run's steps on the host, if the trace was requested.
pub(crate) struct Recorder {
    began: Instant,
    recorded: Option<Recorded>,
}

impl Recorder {
    /// Starts the clock.
    pub(crate) fn new(is_wanted: bool) -> Recorder {
        Recorder { began: Instant::now(), recorded: is_wanted.then(Recorded::default) }
    }

    /// Returns the start time of a step that begins now, or `None` if steps are not recorded.
    pub(crate) fn begin(&self) -> Option<Duration> {
        self.recorded.as_ref().map(|_| self.began.elapsed())
    }

    /// Records a step that began at `began` and ends now.
    pub(crate) fn end(
        &mut self,
        began: Option<Duration>,
        step: impl FnOnce(Duration, Duration) -> StepTrace,
    ) {
        if let (Some(recorded), Some(began)) = (&mut self.recorded, began) {
            let took = self.began.elapsed().saturating_sub(began);
            recorded.steps.push(step(began, took));
        }
    }

    /// Returns the recorded steps.
    pub(crate) fn finish(self) -> Recorded {
        self.recorded.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_lie_end_to_end_and_steps_within_their_own() {
        let plan = Instant::now();
        let after = |ms| plan + Duration::from_millis(ms);
        let begun = Begun {
            plan,
            compile: after(1),
            compiled: after(1),
            load: after(1),
            waited: Duration::ZERO,
            run: after(5),
            read_back: after(9),
            end: after(10),
        };
        let step = StepTrace {
            step: 1,
            began: Duration::from_millis(2),
            took: Duration::from_millis(1),
            active: 3,
            edges: 4,
            kind: StepKind::Push,
            bucket: None,
            streamed: 0,
        };
        let found_nobody = StepTrace { step: 2, kind: StepKind::Advance, bucket: Some(1), ..step };
        let recorded = Recorded { steps: vec![step, found_nobody], lost: 2 };
        let trace = trace("p", "cpu".to_owned(), Schedule::Relax, &begun, recorded);
        let names: Vec<_> = trace.stages.iter().map(|stage| stage.name).collect();
        assert_eq!(names, ["plan", "load", "run", "read back"]);
        let times = trace.stages.iter().map(|stage| (stage.began.as_millis(), stage.took.as_millis()));
        assert_eq!(times.collect::<Vec<_>>(), [(0, 1), (1, 4), (5, 4), (9, 1)]);
        assert_eq!(trace.steps.iter().map(|step| step.step).collect::<Vec<_>>(), [1]);
        assert_eq!(trace.steps[0].began, Duration::from_millis(7));
        let (all, run) = (trace.took(), trace.run_began());
        assert_eq!((trace.lost, all.as_millis(), run.as_millis()), (2, 10, 5));
    }

    #[test]
    fn nothing_is_recorded_unless_asked_for() {
        let mut recorder = Recorder::new(false);
        let began = recorder.begin();
        recorder.end(began, |_, _| panic!("nothing is recorded"));
        assert!(recorder.finish().steps.is_empty());
    }
}

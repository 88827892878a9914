//! Errors: one enum per stage.

mod cycle;
mod device;
mod outcome;
mod pending;
mod unfinished;

use std::sync::Arc;
use std::time::Duration;

use wolfpath_core::graph::WeightError;
use wolfpath_core::progress::RunProgress;
use wolfpath_core::store::StoreError;

pub use self::cycle::EndlessCycle;
pub use self::device::DeviceError;
pub use self::outcome::OutcomeError;
pub use self::pending::PendingAmounts;
pub use self::unfinished::{KeptValues, Unfinished};

/// Reasons why a run cannot be planned.
///
/// # Examples
///
/// ```
/// use wolfpath::PlanError;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2)])?;
/// match Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(9)) {
///     Err(RunError::Plan(PlanError::UnknownSource { id })) => assert_eq!(id, 9),
///     other => panic!("9 is not a vertex, but {other:?}"),
/// }
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A source is not a vertex of the graph.
    #[error("vertex {id} is not in the graph: a source must be an id of the input")]
    UnknownSource {
        /// Requested id.
        id: u64,
    },
    /// A vertex that [`RunOptions::until_settled`](crate::RunOptions::until_settled) names is not in the graph.
    #[error("vertex {id} is not in the graph: `until_settled` must name ids of the input")]
    UnknownTarget {
        /// Requested id.
        id: u64,
    },
    /// The program cannot run until vertices are settled.
    #[error("{program} cannot run until vertices are settled: {reason}")]
    CannotSettle {
        /// The program's name.
        program: &'static str,
        /// Reason why it is unknown which values are settled, and what to do instead.
        reason: &'static str,
    },
    /// An input of the program contains a vertex that the graph does not have.
    #[error(
        "vertex {id} is not in the graph, but `{input}` of {program} has an entry for it: data per vertex may only contain \
         ids of the input"
    )]
    UnknownInput {
        /// The program's name.
        program: &'static str,
        /// Field of the program.
        input: &'static str,
        /// Unknown id.
        id: u64,
    },
    /// An input of the program takes its data from an outcome in which a vertex has no value.
    #[error(
        "`{input}` of {program} takes its data from an outcome in which vertex {id} has no value: say with `or` what it is \
         for such vertices"
    )]
    MissingInput {
        /// The program's name.
        program: &'static str,
        /// Field of the program.
        input: &'static str,
        /// The vertex.
        id: u64,
    },
    /// An input of the program takes its data from an outcome that cannot be read.
    #[error("`{input}` of {program} takes its data from an outcome that cannot be read: {message}")]
    UnreadableInput {
        /// The program's name.
        program: &'static str,
        /// Field of the program.
        input: &'static str,
        /// The outcome's message.
        message: String,
    },
    /// A run was to start with the values of an outcome of another graph.
    #[error(
        "{program} cannot start with this outcome, which is of another graph: run it over the outcome's own graph \
         (`outcome.graph()`), or pass the values as an input (`PerVertex::from_outcome`), which matches vertices by id"
    )]
    OtherGraph {
        /// The program's name.
        program: &'static str,
    },
    /// A run was to start with the values of an outcome in which a vertex has none, but the program's `start` gives a
    /// value to every vertex.
    #[error(
        "{program} cannot start with this outcome, in which vertex {id} has no value: its `start` gives a value to \
         every vertex. If vertices may lack one, let `start` return an `Option`"
    )]
    Unreached {
        /// The program's name.
        program: &'static str,
        /// The smallest id of a vertex without a value.
        id: u64,
    },
    /// A weight is negative, but the program requires weights of at least zero.
    #[error(
        "{program} needs weights of at least 0, but the edge {source_id} -> {target_id} has weight {weight}; \
         use a program that accepts negative weights, or other weights"
    )]
    NegativeWeight {
        /// The program's name.
        program: &'static str,
        /// The edge's source.
        source_id: u64,
        /// The edge's target.
        target_id: u64,
        /// Negative weight, as text.
        weight: String,
    },
    /// The graph's weights do not fit the program's type.
    #[error(transparent)]
    Weights(#[from] WeightError),
    /// A section of the graph's file is damaged.
    #[error(transparent)]
    Graph(#[from] StoreError),
    /// The graph is too large for the device.
    #[error(
        "{program} on this graph needs {need} bytes on {device}, but may use only {have}; \
         use the CPU engine"
    )]
    DoesNotFit {
        /// The program's name.
        program: &'static str,
        /// The device's name.
        device: String,
        /// Bytes needed.
        need: u64,
        /// Bytes free, or the limit [`RunOptions::device_memory`](crate::RunOptions::device_memory) if that is smaller.
        have: u64,
    },
    /// The outcomes of many runs are too large for the host.
    #[error(
        "the outcomes of {runs} runs of {program} take {need} bytes of memory, but only {have} are available; \
         run fewer at a time"
    )]
    Outcomes {
        /// The program's name.
        program: &'static str,
        /// Requested number of runs.
        runs: usize,
        /// Bytes needed.
        need: u64,
        /// Bytes available.
        have: u64,
    },
    /// The requested schedule cannot run this program.
    #[error(
        "{program} cannot be run by the schedule `{schedule}`: {reason}; let the plan choose, or use {instead}"
    )]
    Schedule {
        /// The program's name.
        program: &'static str,
        /// Requested schedule.
        schedule: &'static str,
        /// Reason why the schedule cannot run the program.
        reason: &'static str,
        /// Text that lists the schedules that can run the program.
        instead: String,
    },
    /// A queue needs more work items than the kernels can count.
    #[error("{program} needs a queue of {items} items on the device, more than {limit}; use the CPU engine")]
    TooManyItems {
        /// The program's name.
        program: &'static str,
        /// Items needed.
        items: u64,
        /// Maximum number of items in a queue.
        limit: u64,
    },
    /// More steps were requested than the device can count.
    #[error(
        "{program} cannot take {steps} steps on the device, which numbers steps in 32 bits: request at most {limit}, \
         or use the CPU engine"
    )]
    TooManySteps {
        /// The program's name.
        program: &'static str,
        /// Requested number or limit of steps.
        steps: u64,
        /// Maximum number of steps.
        limit: u64,
    },
    /// A tolerance was requested that the program cannot have.
    #[error("{program} cannot run within a tolerance of {share}: {reason}")]
    Tolerance {
        /// The program's name.
        program: &'static str,
        /// Requested tolerance.
        share: f64,
        /// Reason why this is not possible.
        reason: &'static str,
    },
    /// A number of steps was requested of an accumulating program, which takes no steps.
    #[error(
        "{program} accumulates: its vertices send at any time, so it takes no steps that could be counted; set a \
         tolerance instead of a number of steps"
    )]
    NothingToCount {
        /// The program's name.
        program: &'static str,
    },
    /// The run may take no steps.
    #[error("{program} cannot take at most 0 steps: allow at least 1 step, or set no limit")]
    NoSteps {
        /// The program's name.
        program: &'static str,
    },
}

/// Reasons why a program cannot be compiled for a device.
///
/// # Examples
///
/// ```
/// use wolfpath::CompileError;
///
/// let advice = |error: &CompileError| match error {
///     CompileError::NoNvrtc { .. } => "install NVRTC, or use the CPU engine",
///     _ => "report this program",
/// };
/// let error = CompileError::NoNvrtc { looked_for: "libnvrtc.so.12".to_owned() };
/// assert_eq!(advice(&error), "install NVRTC, or use the CPU engine");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// NVRTC is missing.
    #[error(
        "NVRTC, CUDA's run-time compiler, was not found ({looked_for}): install CUDA 12 or 13, or \
         `pip install nvidia-cuda-nvrtc` and name the library in WOLFPATH_NVRTC"
    )]
    NoNvrtc {
        /// Places that were searched.
        looked_for: String,
    },
    /// NVRTC could not be loaded, or one of its functions failed.
    #[error("NVRTC at {path} failed to {action}: {message}")]
    Nvrtc {
        /// Path of the library.
        path: String,
        /// Action that failed.
        action: &'static str,
        /// Error message of NVRTC.
        message: String,
    },
    /// NVRTC rejected the translation unit. This is a bug in wolfpath, or in a program that bypassed the macro.
    #[error("NVRTC rejected the CUDA code of {program} (options: {options}); its log:\n{log}")]
    Refused {
        /// The program's name.
        program: String,
        /// Options of the compiler.
        options: String,
        /// Log of the compiler.
        log: String,
    },
}

/// Edge, vertex or step at which a program faulted.
///
/// # Examples
///
/// ```
/// use wolfpath::FaultPlace;
///
/// assert_eq!(FaultPlace::Edge { source: 1, target: 2 }.to_string(), "on the edge 1 -> 2");
/// assert_eq!(FaultPlace::Vertex { id: 7 }.to_string(), "at the vertex 7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultPlace {
    /// On an edge, by the user's ids.
    Edge {
        /// The sender.
        source: u64,
        /// The receiver.
        target: u64,
    },
    /// At a vertex, by the user's id.
    Vertex {
        /// The vertex.
        id: u64,
    },
    /// After a step, in a function that looks at the whole run.
    Step {
        /// Number of the step, from 1.
        step: u64,
    },
}

impl std::fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FaultPlace::Edge { source, target } => write!(f, "on the edge {source} -> {target}"),
            FaultPlace::Vertex { id } => write!(f, "at the vertex {id}"),
            FaultPlace::Step { step } => write!(f, "after step {step}"),
        }
    }
}

/// Returns the part of an overrun's message after the number of steps.
fn reason(cycle: Option<&EndlessCycle>, pending: Option<PendingAmounts>) -> String {
    pending.map_or_else(|| cycle::advice(cycle), PendingAmounts::advice)
}

/// Returns a description of one run, or of a batch of runs.
fn shown_runs(runs: &[usize]) -> String {
    match runs {
        [run] => format!("run {run} (from 0)"),
        [first, .., last] => format!("a batch of {}, runs {first} to {last} (from 0),", runs.len()),
        [] => "one".to_owned(),
    }
}

/// Reasons why a run ends without an answer.
///
/// # Examples
///
/// ```
/// use wolfpath::FaultPlace;
/// use wolfpath::prelude::*;
///
/// /// Divides by zero where a weight is 7.
/// #[edge_program(combine = max, first = 0)]
/// fn sum(value: u32, weight: u32) -> u32 {
///     value + 1 / (weight - 7)
/// }
///
/// let graph = LayeredGraph::from_weighted_edges([(1, 2, 7u32)])?;
/// match Engine::cpu().run(&graph, &sum::starting_at(1)) {
///     Err(RunError::Fault { place: FaultPlace::Edge { source, target }, message, .. }) => {
///         assert_eq!((source, target, message), (1, 2, "attempt to divide by zero"));
///     }
///     other => panic!("1 / 0 is a fault, but {other:?}"),
/// }
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The run could not be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The program could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// An outcome could not be read.
    #[error(transparent)]
    Outcome(#[from] OutcomeError),
    /// The program did something that panics in Rust.
    #[error("{program} failed {place}: {message}, in `{function}` at {file}:{line}")]
    Fault {
        /// The program's name.
        program: &'static str,
        /// Edge or vertex at which the fault happened.
        place: FaultPlace,
        /// Message of Rust's panic.
        message: &'static str,
        /// Function of the program.
        function: &'static str,
        /// Source file.
        file: &'static str,
        /// Line number in the source file.
        line: u32,
    },
    /// The program was still changing values when it reached the step limit.
    #[error("{program} was still changing values after step {max_steps}{}", reason(.cycle.as_ref(), *.pending))]
    Overrun {
        /// The program's name.
        program: &'static str,
        /// The limit.
        max_steps: u64,
        /// A reason for it: a cycle along which values improve without end. Looked for in programs whose messages are the
        /// sum of the sender's value and the weight (`value + weight`).
        cycle: Option<EndlessCycle>,
        /// Sizes of the amounts that vertices had to send, in accumulating programs.
        pending: Option<PendingAmounts>,
    },
    /// The run exceeded its time limit.
    #[error("{program} was stopped by its time limit of {limit:?} after {progress}")]
    TimeLimit {
        /// The program's name.
        program: &'static str,
        /// The limit.
        limit: Duration,
        /// Progress of the run when it was stopped.
        progress: RunProgress,
    },
    /// Another process of the run failed, or cannot be reached.
    #[error(transparent)]
    Peer {
        /// The error of the exchange with it.
        error: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The run was cancelled.
    #[error("{program} was cancelled after {progress}")]
    Cancelled {
        /// The program's name.
        program: &'static str,
        /// Progress of the run when it was stopped.
        progress: RunProgress,
    },
    /// The run ended with another error of this enum, and the values that it had reached were kept, as
    /// [`RunOptions::keep_unfinished`](crate::RunOptions::keep_unfinished) requested.
    #[error("{error}")]
    Unfinished {
        /// The error.
        #[source]
        error: Box<RunError>,
        /// The values, which [`RunError::unfinished`] returns.
        kept: KeptValues,
    },
    /// One of many runs, or one batch of them, ended without an answer. The results of the other runs are lost.
    #[error("{done} of {all} runs were done when {} ended: {error}", shown_runs(.runs))]
    OfMany {
        /// Indices of the run, or of all runs of its batch, in the list.
        runs: Vec<usize>,
        /// Number of runs that had completed.
        done: usize,
        /// Number of runs.
        all: usize,
        /// Error that ended the run or batch.
        error: Box<RunError>,
    },
    /// There is no run with this number.
    #[error("there is no run {run}: there are {runs} runs, numbered from 0")]
    UnknownRun {
        /// Requested number.
        run: usize,
        /// Number of runs.
        runs: usize,
    },
    /// A program that is declared `uniform` sent unequal messages in one step.
    #[error("{program} is declared `uniform`, but sent unequal messages in one step; remove `uniform`")]
    NotUniform {
        /// The program's name.
        program: &'static str,
    },
}

impl RunError {
    /// Adds the number of vertices with a value to the error of a stopped run, unless it is already known.
    pub(crate) fn with_present(mut self, count: impl FnOnce() -> u64) -> RunError {
        if let RunError::TimeLimit { progress, .. } | RunError::Cancelled { progress, .. } = &mut self {
            progress.present.get_or_insert_with(count);
        }
        self
    }
}

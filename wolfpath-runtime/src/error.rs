//! Errors: one enum per stage.

use std::time::Duration;

use wolfpath_core::graph::WeightError;
use wolfpath_core::progress::RunProgress;
use wolfpath_core::store::StoreError;

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
        /// The id asked for.
        id: u64,
    },
    /// An input of the program speaks of a vertex that the graph does not have.
    #[error(
        "vertex {id} is not in the graph, but `{input}` of {program} says something of it: give what is per vertex for \
         ids of the input only"
    )]
    UnknownInput {
        /// The program's name.
        program: &'static str,
        /// The program's field.
        input: &'static str,
        /// The id that it names.
        id: u64,
    },
    /// The program needs weights of at least zero.
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
        /// The weight, as a number.
        weight: String,
    },
    /// The graph's weights do not fit the program's type.
    #[error(transparent)]
    Weights(#[from] WeightError),
    /// A section of the graph's file is broken.
    #[error(transparent)]
    Graph(#[from] StoreError),
    /// The graph is too large for the device.
    #[error(
        "{program} on this graph needs {need} bytes on {device}, where it may use {have}; \
         use the CPU engine"
    )]
    DoesNotFit {
        /// The program's name.
        program: &'static str,
        /// The device's name.
        device: String,
        /// Bytes needed.
        need: u64,
        /// Bytes free, or the fewer that [`RunOptions::device_memory`](crate::RunOptions::device_memory) allows.
        have: u64,
    },
    /// The outcomes of many runs are too large for the host.
    #[error(
        "the outcomes of {runs} runs of {program} take {need} bytes of memory, of which {have} are available; \
         run fewer at a time"
    )]
    Outcomes {
        /// The program's name.
        program: &'static str,
        /// Runs that were asked for.
        runs: usize,
        /// Bytes needed.
        need: u64,
        /// Bytes available.
        have: u64,
    },
    /// The schedule that was asked for cannot run this program.
    #[error(
        "{program} cannot be run by the schedule `{schedule}`: {reason}; leave the choice to the plan, or take {instead}"
    )]
    Schedule {
        /// The program's name.
        program: &'static str,
        /// What was asked for.
        schedule: &'static str,
        /// Why not.
        reason: &'static str,
        /// Schedules that can, as words.
        instead: String,
    },
    /// More work items than the kernels can count.
    #[error("{program} needs a queue of {items} items on the device, more than {limit}; use the CPU engine")]
    TooManyItems {
        /// The program's name.
        program: &'static str,
        /// Items needed.
        items: u64,
        /// Most that a queue can hold.
        limit: u64,
    },
    /// More steps were asked for than the device can tell apart.
    #[error(
        "{program} cannot take {steps} steps on the device, where marks number them in 32 bits: ask for at most {limit}, \
         or use the CPU engine"
    )]
    TooManySteps {
        /// The program's name.
        program: &'static str,
        /// Steps asked for, or the limit that was.
        steps: u64,
        /// Most steps.
        limit: u64,
    },
}

/// Reasons why a device cannot be used.
///
/// # Examples
///
/// ```
/// use wolfpath::{DeviceError, Engine};
///
/// match Engine::cuda(1000) {
///     Err(DeviceError::UnknownDevice { ordinal, found }) => assert!(found <= ordinal),
///     Err(error) => println!("no device can be used: {error}"),
///     Ok(_) => unreachable!("no machine has so many devices"),
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No NVIDIA driver.
    #[error("no NVIDIA driver was found ({library} cannot be loaded): install the driver")]
    NoDriver {
        /// The library that was looked for.
        library: &'static str,
    },
    /// The driver is too old for the calls that are made.
    #[error(
        "the NVIDIA driver supports CUDA {found}, but wolfpath needs {needed} or later: update the driver"
    )]
    OldDriver {
        /// What the driver supports, as "12.4".
        found: String,
        /// What is needed.
        needed: &'static str,
    },
    /// No such device.
    #[error("there is no CUDA device {ordinal}: {found} found (numbered from 0)")]
    UnknownDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many there are.
        found: usize,
    },
    /// The device is older than what the kernels need.
    #[error(
        "device {ordinal} ({name}) has compute capability {major}.{minor}, but wolfpath needs 7.5 or later: use another device"
    )]
    OldDevice {
        /// The device's number.
        ordinal: usize,
        /// The device's name.
        name: String,
        /// Its compute capability.
        major: i32,
        /// Its compute capability.
        minor: i32,
    },
    /// A multiprocessor cannot hold one block of the kernel.
    #[error(
        "a multiprocessor of {device} cannot hold a block of {threads} threads that asks for {shared_bytes} bytes of shared \
         memory: use another device, or the CPU engine"
    )]
    BlockTooLarge {
        /// The device.
        device: String,
        /// Threads of a block.
        threads: u32,
        /// Bytes of shared memory that a block asks for, beside what the kernel declares.
        shared_bytes: u32,
    },
    /// The process may use fewer multiprocessors than the device reports.
    #[error(
        "{device} reports {multiprocessors} multiprocessors but does not run a block on each at the same time: another \
         program or a limit (such as CUDA_MPS_ACTIVE_THREAD_PERCENTAGE) restricts it; lift the limit, use another device, \
         or the CPU engine"
    )]
    Restricted {
        /// The device.
        device: String,
        /// Multiprocessors that it reports.
        multiprocessors: u32,
    },
    /// The driver refused a call.
    #[error("the CUDA driver failed to {action}: {message}")]
    Driver {
        /// What was to be done.
        action: &'static str,
        /// What the driver says.
        message: String,
    },
    /// The device failed in a way that it does not come back from: the driver refuses everything from now on.
    #[error(
        "{device} was lost: the driver failed to {action}: {message}; its context stays in error, so nothing more can \
         run on it in this process: start the process again, or use the CPU engine"
    )]
    Lost {
        /// The device.
        device: String,
        /// What was to be done.
        action: &'static str,
        /// What the driver says.
        message: String,
    },
    /// The device was lost before.
    #[error(
        "{device} was lost in an earlier run, when the driver failed to {action}: {message}; this engine cannot be used \
         again: start the process again, or use the CPU engine"
    )]
    LostEarlier {
        /// The device.
        device: String,
        /// What was to be done in that run.
        action: &'static str,
        /// What the driver said then.
        message: String,
    },
    /// Threads of the CPU engine could not be started.
    #[error("the CPU engine could not start {threads} threads: {message}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        message: String,
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
        /// Where it was looked for.
        looked_for: String,
    },
    /// NVRTC could not be loaded or asked.
    #[error("NVRTC at {path} failed to {action}: {message}")]
    Nvrtc {
        /// The library.
        path: String,
        /// What was to be done.
        action: &'static str,
        /// What it says.
        message: String,
    },
    /// The translation unit was refused. This is a fault of wolfpath, or of a program that broke its macro.
    #[error("NVRTC refused the CUDA of {program} (options: {options}); its log:\n{log}")]
    Refused {
        /// The program's name.
        program: String,
        /// The options given.
        options: String,
        /// The compiler's log.
        log: String,
    },
}

/// Edge or vertex at which a program faulted.
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
    /// Along an edge, by the user's ids.
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
}

impl std::fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FaultPlace::Edge { source, target } => write!(f, "on the edge {source} -> {target}"),
            FaultPlace::Vertex { id } => write!(f, "at the vertex {id}"),
        }
    }
}

/// Returns one run, or a batch of them, in words.
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
    /// It could not be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The program could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The program did what panics in Rust.
    #[error("{program} failed {place}: {message}, in `{function}` at {file}:{line}")]
    Fault {
        /// The program's name.
        program: &'static str,
        /// The edge or vertex.
        place: FaultPlace,
        /// What Rust would have said.
        message: &'static str,
        /// The program's function.
        function: &'static str,
        /// The source file.
        file: &'static str,
        /// The line in it.
        line: u32,
    },
    /// The program did not come to rest.
    #[error(
        "{program} was still changing values after {max_steps} steps; raise the limit, or ask for a fixed number of steps"
    )]
    Overrun {
        /// The program's name.
        program: &'static str,
        /// The limit.
        max_steps: u64,
    },
    /// The time limit passed.
    #[error("{program} was stopped by its time limit of {limit:?} after {progress}")]
    TimeLimit {
        /// The program's name.
        program: &'static str,
        /// The limit.
        limit: Duration,
        /// How far it came.
        progress: RunProgress,
    },
    /// The run was cancelled.
    #[error("{program} was cancelled after {progress}")]
    Cancelled {
        /// The program's name.
        program: &'static str,
        /// How far it came.
        progress: RunProgress,
    },
    /// One of many runs ended without an answer, or a batch of them did; what others had found is lost.
    #[error("of {all} runs {done} were done when {} ended: {error}", shown_runs(.runs))]
    OfMany {
        /// The run, or all of its batch, by their places in the list from 0.
        runs: Vec<usize>,
        /// How many had an answer by then.
        done: usize,
        /// How many there were.
        all: usize,
        /// Why it ended.
        error: Box<RunError>,
    },
    /// There is no such run in a batch.
    #[error("there is no run {run}: {runs} were asked for, numbered from 0")]
    UnknownRun {
        /// The number asked for.
        run: usize,
        /// How many runs there are.
        runs: usize,
    },
    /// A program that calls itself `uniform` sent unequal messages in one step.
    #[error("{program} is declared `uniform`, but sent unequal messages in one step; remove `uniform`")]
    NotUniform {
        /// The program's name.
        program: &'static str,
    },
}

impl RunError {
    /// Adds the number of vertices with a value to the error of a run that was stopped, unless it is known.
    pub(crate) fn with_present(mut self, count: impl FnOnce() -> u64) -> RunError {
        if let RunError::TimeLimit { progress, .. } | RunError::Cancelled { progress, .. } = &mut self {
            progress.present.get_or_insert_with(count);
        }
        self
    }
}

/// Reasons why an outcome cannot answer a question.
///
/// # Examples
///
/// ```
/// use wolfpath::OutcomeError;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2)])?;
/// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
/// assert_eq!(outcome.value(9), Err(OutcomeError::UnknownVertex { id: 9 }));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutcomeError {
    /// The id is not in the graph.
    #[error("vertex {id} is not in the graph")]
    UnknownVertex {
        /// The id asked for.
        id: u64,
    },
    /// The program has no paths.
    #[error("{program} has no paths: a value of it does not come along one edge ({reason})")]
    NoPaths {
        /// The program's name.
        program: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// The graph's file broke since the run.
    #[error("the graph could not be read again: {message}")]
    Graph {
        /// What happened.
        message: String,
    },
}

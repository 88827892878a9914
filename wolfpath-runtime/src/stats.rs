//! Figures of a run.

use std::time::Duration;

use crate::plan::Schedule;

/// Figures of a run.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
/// let stats = outcome.stats();
/// assert_eq!((stats.edges, stats.launches), (2, 0));
/// println!("{} steps on {} in {:?}", stats.steps, stats.engine, stats.times.run);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// The engine, for example "cpu, 8 threads" or "cuda:0 (NVIDIA H100 80GB HBM3)".
    pub engine: String,
    /// How the run went through the graph.
    pub schedule: Schedule,
    /// Number of steps, the last and empty one included. Comparable within one schedule only.
    pub steps: u64,
    /// Edges examined, each counted as often as it was.
    pub edges: u64,
    /// Kernel launches: one per run, or one per time slice. 0 on the CPU.
    pub launches: u64,
    /// Copies from host to device during this run. Copies of the graph count in the first run that needs them.
    pub host_to_device_copies: u64,
    /// Copies from device to host during this run.
    pub device_to_host_copies: u64,
    /// Bytes on the device, of the graph's arrays and the run's. 0 on the CPU.
    pub device_bytes: u64,
    /// Times of the stages.
    pub times: StageTimes,
    /// Notes for the user, for example that another engine took over.
    pub notes: Vec<String>,
}

/// Times of the stages of a run.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let times = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?.stats().times;
/// assert!(times.compile.is_zero(), "nothing is compiled for the CPU");
/// println!("planned in {:?}, ran in {:?}", times.plan, times.run);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Planning: looking up sources, computing bytes.
    pub plan: Duration,
    /// Compiling the program, or finding it compiled, and loading it onto the device.
    pub compile: Duration,
    /// Converting weights, building in-edges, copying arrays to the device. Nothing if they are there already.
    pub load: Duration,
    /// From resetting the values to the final ones. On a device, by the device's own clock.
    pub run: Duration,
    /// Copying the values into the host's memory, in the program's types.
    pub read_back: Duration,
}

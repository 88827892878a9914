//! What a run did and what it took.

use std::time::Duration;

use crate::plan::Schedule;

/// What a run did and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// The engine, for example "cpu, 8 threads" or "cuda:0 (NVIDIA H100 80GB HBM3)".
    pub engine: String,
    /// How the run went through the graph.
    pub schedule: Schedule,
    /// Steps, the last and empty one included. They compare within one schedule only.
    pub steps: u64,
    /// Edges looked at, each as often as it was.
    pub edges: u64,
    /// Kernel launches: one a run, or one a time slice. 0 on the CPU.
    pub launches: u64,
    /// Copies from host to device during this run; those of the graph count in the first run that needs them.
    pub host_to_device_copies: u64,
    /// Copies from device to host during this run.
    pub device_to_host_copies: u64,
    /// Bytes on the device: the graph's arrays and the run's. 0 on the CPU.
    pub device_bytes: u64,
    /// Where the time went.
    pub times: StageTimes,
    /// What the user should know, for example that another engine was taken.
    pub notes: Vec<String>,
}

/// Where the time of a run went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Planning: sources looked up, bytes computed.
    pub plan: Duration,
    /// Compiling the program, or finding it compiled, and loading it onto the device.
    pub compile: Duration,
    /// Converting weights, building in-edges, copying arrays to the device: nothing when they are there already.
    pub load: Duration,
    /// Values reset to values ready. On a device this is the device's own clock.
    pub run: Duration,
    /// Values brought into the host's memory in the types of the program.
    pub read_back: Duration,
}

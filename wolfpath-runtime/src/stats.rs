//! Statistics of a run.

use std::fmt;
use std::time::Duration;

use crate::plan::Schedule;

/// Reason why a run ended.
///
/// # Examples
///
/// ```
/// use wolfpath::End;
/// use wolfpath::prelude::*;
///
/// let path = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let program = wolfpath::programs::bfs::starting_at(1);
/// let end = |options: &RunOptions| Engine::cpu().run_with(&path, &program, options).map(|outcome| outcome.end());
/// assert_eq!(end(&RunOptions::new())?, End::Fixpoint);
/// assert_eq!(end(&RunOptions::new().steps_at_most(1))?, End::Steps);
/// assert_eq!(end(&RunOptions::new().steps_at_most(9))?, End::Fixpoint);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// There was nothing left to do: no vertex would have sent or computed in another step, or, under
    /// [`Senders::All`](wolfpath_core::program::Senders::All), the last step changed nothing.
    Fixpoint,
    /// The run took as many steps as [`RunOptions::steps_at_most`](crate::RunOptions::steps_at_most) allows, and was
    /// not at the fixpoint.
    Steps,
    /// The values of all vertices that [`RunOptions::until_settled`](crate::RunOptions::until_settled) names are final,
    /// and the run was not at the fixpoint. [`Outcome::is_settled`](crate::Outcome::is_settled) tells which others are.
    Settled,
    /// The program's [`finished`](wolfpath_core::program::EdgeProgram::finished) returned `true` after the last step.
    Finished,
    /// The program [accumulates](wolfpath_core::program::EdgeProgram::ACCUMULATES), and what was still to be sent was within
    /// [`RunOptions::tolerance`](crate::RunOptions::tolerance). [`Stats::pending`] is the share.
    Tolerance,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            End::Fixpoint => "fixpoint",
            End::Steps => "steps",
            End::Finished => "finished",
            End::Settled => "settled",
            End::Tolerance => "tolerance",
        })
    }
}

/// Statistics of a run.
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
    /// Schedule of the run.
    pub schedule: Schedule,
    /// Number of steps, including the last, empty step. Comparable only between runs with the same schedule.
    pub steps: u64,
    /// Reason why the run ended.
    pub end: End,
    /// Number of edge visits. An edge that is visited several times counts several times.
    pub edges: u64,
    /// Number of updates: how often a vertex took an amount that it had to send or, in programs whose values are seen
    /// early, how often a message improved a value. `None` if the engine or the schedule does not count them.
    pub updates: Option<u64>,
    /// Number of the visits in `edges` that a device made in place of another one, which had more to send
    /// ([`Techniques::lending`](crate::Techniques::lending)); 0 on the CPU, and if no devices shared the run.
    pub borrowed_edges: u64,
    /// Sum of the sizes of all amounts that were still to be sent at the end, as a share of the sum of the sizes of all
    /// values, if the program [accumulates](wolfpath_core::program::EdgeProgram::ACCUMULATES). The size of an amount is
    /// the sum of the absolute values of its numbers.
    pub pending: Option<f64>,
    /// Number of kernel launches: one per run, or one per time slice; 0 on the CPU.
    pub launches: u64,
    /// Number of copies from host to device during this run. Copies of the graph count in the first run that needs
    /// them.
    pub host_to_device_copies: u64,
    /// Number of copies from device to host during this run.
    pub device_to_host_copies: u64,
    /// Bytes of device memory, for the graph's and the run's arrays; 0 on the CPU.
    pub device_bytes: u64,
    /// Bytes of the arrays that live in host memory and that kernels read in place
    /// ([`RunOptions::rows`](crate::RunOptions::rows)); 0 on the CPU.
    pub host_bytes: u64,
    /// Rows that were copied to the device during the run, if they are streamed; zeros otherwise.
    pub streamed: Streamed,
    /// Times of the stages.
    pub times: StageTimes,
    /// Notes for the user, for example that the run fell back to the CPU engine.
    pub notes: Vec<String>,
}

/// Rows that were copied to a device during a run, because they live in a file
/// ([`Home::File`](crate::Home::File)).
///
/// # Examples
///
/// ```
/// use wolfpath::Streamed;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
/// assert_eq!(outcome.stats().streamed, Streamed::default());
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Streamed {
    /// Bytes that were copied over the link.
    pub bytes: u64,
    /// Number of chunks (parts of the rows) that were copied.
    pub chunks: u64,
    /// Number of chunks that were not copied, because a step did not need them or found them on the device. Each step
    /// that visits edges could have copied all chunks.
    pub skipped: u64,
}

impl Streamed {
    /// Returns the rate in bytes per second of a run that took `time`; 0 if nothing was streamed.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// assert_eq!(wolfpath::Streamed::default().rate(Duration::from_secs(1)), 0.0);
    /// ```
    pub fn rate(&self, time: Duration) -> f64 {
        if self.bytes == 0 { 0.0 } else { self.bytes as f64 / time.as_secs_f64() }
    }

    /// Adds what another run copied.
    pub(crate) fn add(&mut self, more: Streamed) {
        self.bytes += more.bytes;
        self.chunks += more.chunks;
        self.skipped += more.skipped;
    }
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
    /// Planning: looking up sources and computing sizes.
    pub plan: Duration,
    /// Compiling the program, or finding it compiled, and loading it onto the device.
    pub compile: Duration,
    /// Converting weights, building in-edges, and copying arrays to the device. Almost zero if all of this was done
    /// before.
    pub load: Duration,
    /// From initializing the values to the final values. On a device, measured by the device's own clock.
    pub run: Duration,
    /// Copying results into the host's memory. Zero for the values of a single run, which are copied when they are first
    /// read ([`Outcome::read`](crate::Outcome::read)).
    pub read_back: Duration,
}

impl StageTimes {
    /// Adds the times of another run.
    pub(crate) fn add(&mut self, more: &StageTimes) {
        self.plan += more.plan;
        self.compile += more.compile;
        self.load += more.load;
        self.run += more.run;
        self.read_back += more.read_back;
    }

    /// Returns the longer time of each stage, of two devices that work at the same time.
    pub(crate) fn longest(self, other: StageTimes) -> StageTimes {
        StageTimes {
            plan: self.plan.max(other.plan),
            compile: self.compile.max(other.compile),
            load: self.load.max(other.load),
            run: self.run.max(other.run),
            read_back: self.read_back.max(other.read_back),
        }
    }
}

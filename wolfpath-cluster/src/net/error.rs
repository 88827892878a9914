//! Errors of connected processes.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wolfpath_runtime::part::Difference;

use crate::error::ShardError;

/// Error of connecting the processes of a cluster, or of an exchange between them.
///
/// ```
/// use wolfpath::cluster::{Cluster, ClusterConfig, ClusterError};
///
/// let error = Cluster::connect(&ClusterConfig::new(2, ["127.0.0.1:4101"])).unwrap_err();
/// assert!(matches!(error, ClusterError::NoSuchProcess { process: 2, processes: 1 }));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// A system call failed.
    #[error("cannot {action} {what}: {error}")]
    Io {
        /// The action that failed, such as "listen at".
        action: &'static str,
        /// The file or the address.
        what: String,
        /// The system's error.
        error: Arc<io::Error>,
    },
    /// Process 0 has not enough memory for the values of all vertices.
    #[error(
        "gathering the values of all vertices needs {needed} bytes of memory in process 0, where {available} are available; read \
         the values of each process there, or let each write its own"
    )]
    NoRoom {
        /// Number of bytes that are needed.
        needed: u64,
        /// Number of bytes that are available, or allowed.
        available: u64,
    },
    /// A line of a hostfile is not an address.
    #[error("{}, line {line}: \"{found}\", expected an address HOST:PORT", path.display())]
    Hostfile {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// The line.
        found: String,
    },
    /// A hostfile has fewer addresses than there are processes.
    #[error("{}: not enough addresses: {found}, expected {expected}, one per process", path.display())]
    TooFewHosts {
        /// The file.
        path: PathBuf,
        /// Number of addresses.
        found: usize,
        /// Number of processes.
        expected: usize,
    },
    /// A file cannot be used as a secret.
    #[error("{}: cannot be used as a secret: {reason}", path.display())]
    SecretFile {
        /// The file.
        path: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
    /// The secret has less than 16 bytes.
    #[error("the secret has less than 16 bytes; use random ones")]
    ShortSecret,
    /// An address is not on the loopback interface, but no secret was set.
    #[error(
        "{address} is not on this machine; processes on several machines need a secret that all of them know"
    )]
    NeedsSecret {
        /// The address.
        address: String,
    },
    /// The number of this process is not below the number of processes.
    #[error("process {process} does not exist: there are {processes}, numbered from 0")]
    NoSuchProcess {
        /// The number.
        process: usize,
        /// Number of processes.
        processes: usize,
    },
    /// The shards of a process cannot be used.
    #[error(transparent)]
    Shards(#[from] ShardError),
    /// There are more processes than shards.
    #[error(
        "{processes} processes cannot share {shards} shards; start at most {shards}, or write more shards"
    )]
    TooFewShards {
        /// Number of shards.
        shards: u16,
        /// Number of processes.
        processes: usize,
    },
    /// A process would have more vertices, with mirrors, than 32 bits can number.
    #[error(
        "process {process} of {processes} would have more than 2^32 vertices and mirrors of others; start more processes"
    )]
    TooManyVertices {
        /// The process.
        process: usize,
        /// Number of processes.
        processes: usize,
    },
    /// Connecting was [cancelled](crate::ClusterConfig::cancel).
    #[error("connecting to the other processes was cancelled")]
    Cancelled,
    /// Some processes did not connect in time.
    #[error("{missing} did not connect within {within:?}{}", but(.notes))]
    Missing {
        /// The processes and their addresses.
        missing: String,
        /// The time that was allowed.
        within: Duration,
        /// Attempts to connect that were refused.
        notes: Vec<String>,
    },
    /// Another process is of another version or cluster, or has a number that is taken.
    #[error("{peer} {found}, expected {expected}")]
    Mismatch {
        /// The process, or its address.
        peer: String,
        /// Description of its version, number or secret.
        found: String,
        /// Description of the expected one.
        expected: String,
    },
    /// The connection to another process broke: it has ended, or the network failed.
    #[error("the connection to process {process} ({address}) broke: {reason}")]
    Lost {
        /// The process.
        process: usize,
        /// Its address.
        address: String,
        /// Description of the failure.
        reason: String,
    },
    /// Another process gave up.
    #[error("process {process} gave up: {reason}")]
    Aborted {
        /// The process.
        process: usize,
        /// Its reason.
        reason: String,
    },
    /// Another process left the cluster, although this one exchanges data with it.
    #[error("process {process} has left; all processes must make the same exchanges")]
    Left {
        /// The process.
        process: usize,
    },
}

impl From<Difference> for ClusterError {
    fn from(Difference { process, what, theirs, own }: Difference) -> ClusterError {
        ClusterError::Mismatch {
            peer: format!("process {process}"),
            found: format!("has another {what}: {theirs}"),
            expected: own,
        }
    }
}

/// Returns the refused attempts as a part of a message.
fn but(notes: &[String]) -> String {
    match notes {
        [] => String::new(),
        notes => format!("; refused: {}", notes.join(", ")),
    }
}

/// Returns a function that wraps a system error.
pub(super) fn io_error(action: &'static str, what: impl Display) -> impl Fn(io::Error) -> ClusterError {
    let what = what.to_string();
    move |error| ClusterError::Io { action, what: what.clone(), error: Arc::new(error) }
}

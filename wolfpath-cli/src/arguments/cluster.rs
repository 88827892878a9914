//! The options of commands for several machines.

use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::Args;

use super::{GraphArguments, KeepingArguments};
use crate::values;

#[derive(Debug, Args)]
pub(crate) struct ShardArguments {
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    #[command(flatten)]
    pub(crate) keeping: KeepingArguments,
    /// Number of shards. As many machines, or fewer, can share them
    #[arg(long, value_name = "N", value_parser = values::machines)]
    pub(crate) shards: NonZeroU16,
    /// Folder to write. Shards that it contains are replaced
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PlanClusterArguments {
    #[command(flatten)]
    pub(crate) graph: GraphArguments,
    #[command(flatten)]
    pub(crate) keeping: KeepingArguments,
    /// Largest number of machines. 2, 4, 8 and so on below it are shown, too
    #[arg(long, value_name = "N", value_parser = values::machines)]
    pub(crate) machines: NonZeroU16,
    /// Number of shards that the machines share, each with whole ones [default: one per machine]
    #[arg(long, value_name = "N", value_parser = values::machines)]
    pub(crate) shards: Option<NonZeroU16>,
    /// Print one JSON object, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckClusterArguments {
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// Print one JSON object, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// The processes of a cluster, and which of them this is.
#[derive(Debug, Args)]
pub(crate) struct ClusterArguments {
    /// Number of processes
    #[arg(long, value_name = "N", value_parser = values::machines)]
    pub(crate) processes: NonZeroU16,
    /// Number of this process, from 0
    #[arg(long, value_name = "K", required_unless_present = "local", conflicts_with = "local")]
    pub(crate) process: Option<u16>,
    /// File with the address HOST:PORT of each process, one per line. By default, process K is at 127.0.0.1 and port 2101+K
    #[arg(long, value_name = "FILE", conflicts_with = "local")]
    pub(crate) hostfile: Option<PathBuf>,
    /// File with a secret that all processes know, of at least 16 bytes; only its owner may read it (mode 0600). Required for
    /// addresses of other machines
    #[arg(long, value_name = "FILE", conflicts_with = "local")]
    pub(crate) secret_file: Option<PathBuf>,
    /// Start all processes on this machine
    #[arg(long)]
    pub(crate) local: bool,
    /// Number of this process, which another one has started
    #[arg(long, value_name = "K", hide = true, requires = "local")]
    pub(crate) local_process: Option<u16>,
}

impl ClusterArguments {
    /// Returns an error if the options contradict each other.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.process {
            Some(process) if process >= self.processes.get() => {
                Err(format!("--process {process}: expected a number from 0 to {}", self.processes.get() - 1))
            }
            _ => Ok(()),
        }
    }
}

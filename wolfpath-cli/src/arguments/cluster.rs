//! The options of commands for several machines.

use std::num::{NonZeroU16, NonZeroU64};
use std::path::{Path, PathBuf};

use clap::Args;
use wolfpath::cluster::Checkpoints;

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
    // The last field, as in the arguments of `run`.
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
}

impl ShardArguments {
    /// Returns `true` if the processes of a cluster are to shard the graph together.
    pub(crate) fn is_shared(&self) -> bool {
        self.cluster.given().next().is_some()
    }

    /// Returns an error if options are missing or contradict each other.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.keeping.given().next() {
            _ if !self.is_shared() => Ok(()),
            Some(option) => Err(format!("several processes keep no layered graph: omit {option}")),
            None => self.cluster.check(),
        }
    }
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
    /// Print one JSON object, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    // The last field, as in the arguments of `run`.
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
}

/// The processes of a cluster, and which of them this is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Processes of a cluster")]
pub(crate) struct ClusterArguments {
    /// Number of processes
    #[arg(long, value_name = "N", value_parser = values::machines)]
    processes: Option<NonZeroU16>,
    /// Number of this process, from 0
    #[arg(long, value_name = "K", conflicts_with = "local")]
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

/// Folders in which a run on a cluster keeps its state, and from which it continues.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checkpoints of a run on a cluster")]
pub(crate) struct CheckpointArguments {
    /// Folder that all processes share, where the run keeps its state between two steps
    #[arg(long, value_name = "FOLDER", conflicts_with = "repeat")]
    checkpoint: Option<PathBuf>,
    /// Number of steps between checkpoints [default: 10]
    #[arg(long, value_name = "N", requires = "checkpoint", value_parser = values::steps)]
    every: Option<u64>,
    /// Continue from the checkpoint in this folder, or start from the beginning if it has none
    #[arg(long, value_name = "FOLDER", conflicts_with = "repeat")]
    resume: Option<PathBuf>,
}

impl CheckpointArguments {
    /// Number of steps between checkpoints, unless another one is named.
    const STEPS: NonZeroU64 = NonZeroU64::new(10).expect("10 is not 0");

    /// Returns what is asked for; `None` if nothing is.
    pub(crate) fn checkpoints(&self) -> Option<Checkpoints> {
        let every = self.every.and_then(NonZeroU64::new).unwrap_or(Self::STEPS);
        let kept = self.checkpoint.as_ref().map(|folder| Checkpoints::every(every, folder));
        match (kept, &self.resume) {
            (Some(kept), Some(folder)) => Some(kept.resuming(folder)),
            (kept, None) => kept,
            (None, Some(folder)) => Some(Checkpoints::resume(folder)),
        }
    }

    /// Returns the folder from which the run continues.
    pub(crate) fn resumed(&self) -> Option<&Path> {
        self.resume.as_deref()
    }

    /// Returns the folder where the run keeps its state.
    pub(crate) fn kept(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    /// Returns the options that are given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [("--checkpoint", self.checkpoint.is_some()), ("--resume", self.resume.is_some())];
        options.into_iter().filter_map(|(option, is_given)| is_given.then_some(option))
    }
}

impl ClusterArguments {
    /// Returns an error if the number of processes is missing.
    pub(crate) fn check_number(&self) -> Result<(), String> {
        let missing = || "the number of processes is missing: name it with --processes <N>".to_owned();
        self.processes.map(|_| ()).ok_or_else(missing)
    }

    /// Returns an error if options are missing or contradict each other.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.check_number()?;
        match self.process {
            None if !self.local => {
                Err("the number of this process is missing: name it with --process <K>, or start all processes on \
                     this machine with --local"
                    .to_owned())
            }
            Some(process) if process >= self.processes() => {
                Err(format!("--process {process}: expected a number from 0 to {}", self.processes() - 1))
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of processes.
    pub(crate) fn processes(&self) -> u16 {
        self.processes.map_or(1, NonZeroU16::get)
    }

    /// Returns `true` if this process is to start the others.
    pub(crate) fn starts_others(&self) -> bool {
        self.local && self.local_process.is_none()
    }

    /// Returns the options that are given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--processes", self.processes.is_some()),
            ("--process", self.process.is_some()),
            ("--hostfile", self.hostfile.is_some()),
            ("--secret-file", self.secret_file.is_some()),
            ("--local", self.local),
        ];
        options.into_iter().filter_map(|(option, is_given)| is_given.then_some(option))
    }
}

//! Checkpoints: the state of a run between two steps, in files, from which another run continues.

mod error;
mod format;
mod keeping;
mod read;

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

use wolfpath_core::program::EdgeProgram;
use wolfpath_runtime::part::{PartRun, PeerError, Peers};
use wolfpath_runtime::{RunError, RunOptions};

use self::format::Identity;
use self::keeping::Keeping;
use crate::graph::ClusterGraph;
use crate::outcome::ShardOutcome;

pub use self::error::CheckpointError;

/// Folders in which a run on a cluster keeps its state, and from which it continues.
///
/// A checkpoint is the state between two steps: a file per process, and a file `checkpoint`, which process 0 writes last.
/// All are written during the run, and synced to disk before they replace the previous checkpoint. The folder must
/// be one that all processes share. A run may continue with another number of processes, and has the values of a run
/// without interruption, bit for bit; those of an accumulating program are within its tolerance.
///
/// ```
/// use std::num::{NonZeroU16, NonZeroU64};
/// use wolfpath::cluster::{Checkpoints, Cluster, ClusterConfig, Deal, Shards};
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let folder = tempfile::tempdir()?;
/// let roads = LayeredGraph::from_edges([(17, 5), (5, 6), (6, 8)])?;
/// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, &folder.path().join("shards"))?;
/// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
/// let mut graph = cluster.load(shards)?;
///
/// // The first run stops after two steps.
/// let program = bfs::starting_at(17);
/// let kept = folder.path().join("kept");
/// let each_step = Checkpoints::every(NonZeroU64::MIN, &kept);
/// graph.run_with_checkpoints(&program, &RunOptions::new().steps_at_most(2), &each_step)?;
///
/// let depths = graph.run_with_checkpoints(&program, &RunOptions::new(), &Checkpoints::resume(&kept))?;
/// assert_eq!((depths.resumed_after(), depths.value(8)?), (Some(2), Some(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Checkpoints {
    kept: Option<(NonZeroU64, PathBuf)>,
    resumed: Option<PathBuf>,
}

impl Checkpoints {
    /// Keeps the state after every so many steps in this folder, which is created if it does not exist. The run starts over; an
    /// earlier checkpoint there stays until the run has one.
    ///
    /// ```
    /// use std::num::NonZeroU64;
    /// use wolfpath::cluster::Checkpoints;
    ///
    /// let each_step = Checkpoints::every(NonZeroU64::MIN, "/shared/ranks");
    /// ```
    pub fn every(steps: NonZeroU64, folder: impl Into<PathBuf>) -> Checkpoints {
        Checkpoints { kept: Some((steps, folder.into())), resumed: None }
    }

    /// Continues from the checkpoint in this folder, and keeps none. If the folder has no checkpoint, the run starts over;
    /// [`ShardOutcome::resumed_after`] tells.
    ///
    /// ```
    /// use wolfpath::cluster::Checkpoints;
    ///
    /// let again = Checkpoints::resume("/shared/ranks");
    /// ```
    pub fn resume(folder: impl Into<PathBuf>) -> Checkpoints {
        Checkpoints { kept: None, resumed: Some(folder.into()) }
    }

    /// Continues from the checkpoint in this folder, like [`resume`](Self::resume), and keeps others as before. Both folders
    /// may be the same.
    ///
    /// ```
    /// use std::num::NonZeroU64;
    /// use wolfpath::cluster::Checkpoints;
    ///
    /// let ten = NonZeroU64::new(10).expect("10 is not 0");
    /// let again = Checkpoints::every(ten, "/shared/ranks").resuming("/shared/ranks");
    /// ```
    #[must_use]
    pub fn resuming(self, folder: impl Into<PathBuf>) -> Checkpoints {
        Checkpoints { resumed: Some(folder.into()), ..self }
    }

    /// Returns what all processes must have in common.
    fn settings(&self) -> [(&'static str, String); 2] {
        let every = self.kept.as_ref().map_or("none".to_owned(), |(steps, _)| steps.to_string());
        [
            ("number of steps between checkpoints", every),
            ("choice to resume", self.resumed.is_some().to_string()),
        ]
    }
}

impl ClusterGraph {
    /// Runs a program with options, keeps checkpoints, and continues from one. All processes must choose the same number of
    /// steps between checkpoints, and name the same folders. Runs by union-find have no steps, and keep no checkpoints.
    ///
    /// The step limit, statistics and [`RunOptions::steps`] count the steps of the interrupted run, too; times and traces are
    /// those of this one.
    ///
    /// # Errors
    /// Returns the errors of [`run_with`](Self::run_with), and a [`CheckpointError`] in [`RunError::Peer`] if a file
    /// cannot be written or read, is damaged, or if the checkpoint is one of another graph, program or choice of options. All
    /// other processes then return [`RunError::Peer`], too. The last complete checkpoint stays.
    ///
    /// ```
    /// use std::num::{NonZeroU16, NonZeroU64};
    /// use wolfpath::cluster::{Checkpoints, Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, &folder.path().join("shards"))?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let kept = Checkpoints::every(NonZeroU64::MIN, folder.path().join("kept"));
    /// graph.run_with_checkpoints(&bfs::starting_at(17), &RunOptions::new(), &kept)?;
    /// // The checkpoint is one of another source.
    /// let resumed = Checkpoints::resume(folder.path().join("kept"));
    /// assert!(graph.run_with_checkpoints(&bfs::starting_at(5), &RunOptions::new(), &resumed).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_with_checkpoints<P: EdgeProgram>(
        &mut self,
        program: &P,
        options: &RunOptions,
        checkpoints: &Checkpoints,
    ) -> Result<ShardOutcome<P>, RunError> {
        let (part, weights) = self.prepare(program, options)?;
        let graph = self.shards().identity();
        self.cluster_mut().compare(&checkpoints.settings()).map_err(of_peer)?;
        let peers = self.cluster_mut().peers();
        let run = PartRun { part: &part, peers: &peers, program, options, weights };
        let identity = Identity { graph, settings: run.settings_to_continue()? };
        let blocks = &part.blocks[peers.process()];
        let resumed = match &checkpoints.resumed {
            Some(folder) => {
                read::read(folder, &identity, blocks, &peers).map_err(|error| RunError::Peer { error })?
            }
            None => None,
        };
        let keeping = Keeping::new(&peers, checkpoints, &identity, blocks, resumed);
        let keeping = keeping.map_err(|error| RunError::Peer { error })?;
        let ran = PartRun { peers: &keeping, ..run }.run();
        // All processes know of these ends at the same time.
        if matches!(ran, Ok(_) | Err(RunError::Overrun { .. })) {
            keeping.finish().map_err(|error| RunError::Peer { error })?;
        }
        let ran = ran?;
        let resumed_after = keeping.resumed_after();
        Ok(ShardOutcome::new(part, ran, resumed_after))
    }
}

/// Returns the error of a run that failed because of this one.
fn of_peer(error: impl std::error::Error + Send + Sync + 'static) -> RunError {
    RunError::Peer { error: Arc::new(error) as PeerError }
}

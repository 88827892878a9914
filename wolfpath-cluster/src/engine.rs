//! The entry to clusters beside the engines of one machine.

use wolfpath_runtime::Engine;

use crate::net::{Cluster, ClusterConfig, ClusterError};

/// Adds the processes of a cluster to the ways in which [`Engine`] runs programs: `Engine::cpu()`, `Engine::cuda(0)`,
/// `Engine::cluster(&config)`. Implemented for [`Engine`] only, and a part of `wolfpath::prelude` if the feature `cluster`
/// is on.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{ClusterConfig, Deal, Shards};
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let folder = tempfile::tempdir()?;
/// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
/// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
/// let cluster = Engine::cluster(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
/// assert_eq!(cluster.load(shards)?.run(&bfs::starting_at(17))?.value(6)?, Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ClusterEngine {
    /// Connects this process to the other processes of a cluster, like [`Cluster::connect`].
    ///
    /// # Errors
    /// Returns the errors of [`Cluster::connect`].
    ///
    /// ```
    /// use wolfpath::cluster::ClusterConfig;
    /// use wolfpath::prelude::*;
    ///
    /// let alone = Engine::cluster(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// assert_eq!((alone.process(), alone.processes()), (0, 1));
    /// # Ok::<(), wolfpath::cluster::ClusterError>(())
    /// ```
    fn cluster(config: &ClusterConfig) -> Result<Cluster, ClusterError>;
}

impl ClusterEngine for Engine {
    fn cluster(config: &ClusterConfig) -> Result<Cluster, ClusterError> {
        Cluster::connect(config)
    }
}

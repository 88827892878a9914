//! Predecessors after a run on a cluster: those of the vertices of one process.

use std::fmt;
use std::sync::Arc;

use wolfpath_runtime::OutcomeError;
use wolfpath_runtime::part::{GraphPart, PartPredecessors};

/// Predecessors after a run on a cluster, as one of its processes has them: those of its own vertices, by the user's ids. They
/// come from [`ClusterGraph::predecessors`](crate::ClusterGraph::predecessors).
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let folder = tempfile::tempdir()?;
/// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
/// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
/// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
/// let depths = graph.run(&bfs::starting_at(5))?;
/// let predecessors = graph.predecessors(&depths)?;
/// assert!(predecessors.iter().eq([(5, None), (6, Some(5)), (17, None)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ShardPredecessors {
    part: Arc<GraphPart>,
    found: PartPredecessors,
}

impl fmt::Debug for ShardPredecessors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardPredecessors").field("vertices", &self.part.own).finish_non_exhaustive()
    }
}

impl ShardPredecessors {
    pub(crate) fn new(part: Arc<GraphPart>, found: PartPredecessors) -> ShardPredecessors {
        ShardPredecessors { part, found }
    }

    /// Returns the predecessor of the vertex with this id, which may be a vertex of another process; `None` for sources and
    /// unreached vertices. It is the one that [`Outcome::predecessor`](wolfpath_runtime::Outcome::predecessor) returns after
    /// the same run on one machine.
    ///
    /// # Errors
    /// Returns [`OutcomeError::Elsewhere`] if this process has no such vertex.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 6, 90u32), (17, 5, 30), (5, 6, 10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let distances = graph.run(&sssp::starting_at(17))?;
    /// let predecessors = graph.predecessors(&distances)?;
    /// assert_eq!((predecessors.of(6)?, predecessors.of(17)?), (Some(5), None));
    /// assert!(predecessors.of(99).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(&self, id: u64) -> Result<Option<u64>, OutcomeError> {
        let vertex = self.part.own_vertex_of(id).ok_or(OutcomeError::Elsewhere { id })?;
        Ok(self.of_vertex(vertex))
    }

    /// Returns the ids of this process's own vertices with those of their predecessors, ascending by id. Sources and unreached
    /// vertices have none.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let depths = graph.run(&bfs::starting_at(17))?;
    /// assert!(graph.predecessors(&depths)?.iter().eq([(5, Some(17)), (17, None)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, Option<u64>)> + '_ {
        self.part.by_rank().iter().map(|&v| (self.part.ids[v as usize], self.of_vertex(v)))
    }

    fn of_vertex(&self, v: u32) -> Option<u64> {
        self.found.of(v).map(|before| self.part.ids[before as usize])
    }

    pub(crate) fn part(&self) -> &GraphPart {
        &self.part
    }

    pub(crate) fn found(&self) -> &PartPredecessors {
        &self.found
    }
}

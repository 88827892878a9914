//! Result of a run on a cluster: the values of the vertices of one process.

use std::fmt;
use std::sync::Arc;

use wolfpath_core::program::{AggregateOf, EdgeProgram};
use wolfpath_runtime::part::{GraphPart, PartRan, Peers};
use wolfpath_runtime::{End, OutcomeError, Stats, Trace};

use crate::predecessors::ShardPredecessors;

/// Result of a run on a cluster, as one of its processes has it: the values of its own vertices, by the user's ids.
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
/// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
/// let depths = cluster.load(shards)?.run(&bfs::starting_at(5))?;
/// assert!(depths.iter().eq([(5, Some(0)), (6, Some(1)), (17, None)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ShardOutcome<P: EdgeProgram> {
    part: Arc<GraphPart>,
    ran: PartRan<P>,
    resumed_after: Option<u64>,
}

impl<P: EdgeProgram> fmt::Debug for ShardOutcome<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardOutcome")
            .field("program", &P::MODEL.name)
            .field("vertices", &self.part.own)
            .field("stats", self.stats())
            .finish_non_exhaustive()
    }
}

impl<P: EdgeProgram> ShardOutcome<P> {
    pub(crate) fn new(part: Arc<GraphPart>, ran: PartRan<P>, resumed_after: Option<u64>) -> ShardOutcome<P> {
        ShardOutcome { part, ran, resumed_after }
    }

    /// Returns the part of the graph that this process has.
    #[doc(hidden)]
    pub fn part(&self) -> &GraphPart {
        &self.part
    }

    /// Returns the ids of this process's own vertices with their values, ascending by id. A vertex that was not reached has
    /// no value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, Option<P::Value>)> + '_ {
        self.part.by_rank().iter().map(|&v| (self.part.ids[v as usize], self.ran.value(v)))
    }

    /// Returns the value of the vertex with this id; `None` if it was not reached.
    ///
    /// # Errors
    /// Returns [`OutcomeError::Elsewhere`] if this process has no such vertex.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::reach;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let reached = graph.run(&reach::starting_at(5))?;
    /// assert_eq!((reached.value(6)?, reached.value(17)?), (Some(true), None));
    /// assert!(reached.value(99).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value(&self, id: u64) -> Result<Option<P::Value>, OutcomeError> {
        Ok(self.ran.value(self.vertex(id)?))
    }

    /// Returns `true` if the value of the vertex with this id is known to be final, as
    /// [`Outcome::is_settled`](wolfpath_runtime::Outcome::is_settled) does.
    ///
    /// # Errors
    /// Returns [`OutcomeError::Elsewhere`] if this process has no such vertex.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::End;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(1, 2, 3u32), (2, 3, 4), (3, 4, 5), (4, 5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let lengths = graph.run_with(&sssp::starting_at(1), &RunOptions::new().until_settled([3]))?;
    /// assert_eq!((lengths.end(), lengths.value(3)?), (End::Settled, Some(7)));
    /// assert!(lengths.is_settled(2)? && !lengths.is_settled(5)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_settled(&self, id: u64) -> Result<bool, OutcomeError> {
        Ok(self.ran.is_settled(self.vertex(id)?))
    }

    fn vertex(&self, id: u64) -> Result<u32, OutcomeError> {
        self.part.own_vertex_of(id).ok_or(OutcomeError::Elsewhere { id })
    }

    /// Returns the fold of the values of all vertices of the graph at the end of the run, as
    /// [`Outcome::aggregate`](wolfpath_runtime::Outcome::aggregate) does.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::PageRank;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let links = LayeredGraph::from_edges([(1, 2), (2, 1), (1, 3)])?;
    /// let shards = Shards::write(&links, &Deal::new(&links, NonZeroU16::MIN)?, folder.path())?;
    /// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let ranks = cluster.load(shards)?.run(&PageRank { damping: 0.85, tolerance: 1e-6 })?;
    /// assert_eq!(Some(ranks.aggregate() as f32), ranks.value(3)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn aggregate(&self) -> AggregateOf<P> {
        self.ran.aggregate()
    }

    /// Returns the number of this process's own vertices.
    pub fn num_vertices(&self) -> u32 {
        self.part.own
    }

    /// Returns the number of steps that the run took.
    pub fn steps(&self) -> u64 {
        self.stats().steps
    }

    /// Returns the number of steps after which the run continued from a [checkpoint](crate::Checkpoints); `None` if it
    /// started over. These steps are included in [`steps`](Self::steps).
    pub fn resumed_after(&self) -> Option<u64> {
        self.resumed_after
    }

    /// Returns the reason why the run ended.
    pub fn end(&self) -> End {
        self.stats().end
    }

    /// Returns the reason why the run had its [schedule](Stats::schedule).
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
    /// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let depths = cluster.load(shards)?.run(&bfs::starting_at(17))?;
    /// assert_eq!(depths.schedule_reason(), "processes of a cluster go step by step");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn schedule_reason(&self) -> &str {
        &self.ran.reason
    }

    /// Returns the statistics of the run. Edges and updates are those of this process.
    pub fn stats(&self) -> &Stats {
        &self.ran.stats
    }

    /// Returns the trace of the run; `None` unless [`RunOptions::trace`](wolfpath_runtime::RunOptions::trace) was set.
    pub fn trace(&self) -> Option<&Trace> {
        self.ran.trace.as_ref()
    }

    /// Returns the predecessors of own vertices. All processes must call this together.
    pub(crate) fn predecessors(&self, peers: &dyn Peers) -> Result<ShardPredecessors, OutcomeError> {
        let found = self.ran.predecessors(&self.part, peers)?;
        Ok(ShardPredecessors::new(self.part.clone(), found))
    }
}

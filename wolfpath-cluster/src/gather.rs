//! Brings values from all processes to process 0.

use std::sync::Arc;

use rayon::prelude::*;
use wolfpath_core::program::{Datum, EdgeProgram};
use wolfpath_core::resources::Resources;
use wolfpath_runtime::RunError;
use wolfpath_runtime::part::{Message, put, unreadable};

use crate::graph::ClusterGraph;
use crate::net::ClusterError;
use crate::outcome::ShardOutcome;
use crate::predecessors::ShardPredecessors;

/// Subject of the messages of this module, for errors.
const GATHERING: &str = "gathering values";

impl ClusterGraph {
    /// Brings the values of all processes to process 0, which gets the ids of all vertices with their values, ascending by id.
    /// The others get `None`. All processes must call this together, with outcomes of the same run.
    ///
    /// # Errors
    /// Returns [`RunError::Peer`] if a process has failed, and, with [`ClusterError::NoRoom`] in it, if process 0 has not enough
    /// memory. The connections then stay open.
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
    /// let mut graph = cluster.load(shards)?;
    /// let depths = graph.run(&bfs::starting_at(5))?;
    /// assert_eq!(graph.gather(&depths)?, Some(vec![(5, Some(0)), (6, Some(1)), (17, None)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "a list of pairs is what users iterate over")]
    pub fn gather<P: EdgeProgram>(
        &mut self,
        outcome: &ShardOutcome<P>,
    ) -> Result<Option<Vec<(u64, Option<P::Value>)>>, RunError> {
        self.gather_with(outcome, &Resources::new())
    }

    /// Like [`gather`](Self::gather), with a limit for the memory of process 0.
    ///
    /// # Errors
    /// Returns the errors of [`gather`](Self::gather).
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    /// use wolfpath::resources::Resources;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let mut graph = cluster.load(shards)?;
    /// let depths = graph.run(&bfs::starting_at(5))?;
    /// let refused = graph.gather_with(&depths, &Resources::new().memory(10)).unwrap_err();
    /// assert!(refused.to_string().contains("needs 126 bytes of memory in process 0, where 10 are available"));
    /// assert!(graph.gather(&depths).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "a list of pairs is what users iterate over")]
    pub fn gather_with<P: EdgeProgram>(
        &mut self,
        outcome: &ShardOutcome<P>,
        resources: &Resources,
    ) -> Result<Option<Vec<(u64, Option<P::Value>)>>, RunError> {
        self.gather_pairs(outcome.iter(), resources)
    }

    /// Brings the predecessors of all vertices to process 0, as [`gather`](Self::gather) brings values. All processes must call
    /// this together, with predecessors of the same run.
    ///
    /// # Errors
    /// Returns the errors of [`gather`](Self::gather).
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
    /// let mut graph = cluster.load(shards)?;
    /// let depths = graph.run(&bfs::starting_at(5))?;
    /// let predecessors = graph.predecessors(&depths)?;
    /// let all = graph.gather_predecessors(&predecessors)?;
    /// assert_eq!(all, Some(vec![(5, None), (6, Some(5)), (17, None)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "a list of pairs is what users iterate over")]
    pub fn gather_predecessors(
        &mut self,
        predecessors: &ShardPredecessors,
    ) -> Result<Option<Vec<(u64, Option<u64>)>>, RunError> {
        self.gather_pairs(predecessors.iter(), &Resources::new())
    }

    /// Checks that process 0 has room for so many bytes per vertex.
    fn check_room(&mut self, each: u64, resources: &Resources) -> Result<(), RunError> {
        let needed = each * u64::from(self.shards().num_vertices());
        let heard = self.tell_all(resources.budget().to_le_bytes().to_vec())?;
        // What counts is the memory of process 0.
        let available =
            Message(&heard[0]).u64().ok_or_else(|| RunError::Peer { error: unreadable(0, GATHERING) })?;
        match needed > available {
            true => Err(RunError::Peer { error: Arc::new(ClusterError::NoRoom { needed, available }) }),
            false => Ok(()),
        }
    }

    /// Brings ids with a datum for each to process 0, ascending by id. The others get `None`.
    #[allow(clippy::type_complexity, reason = "a list of pairs is what users iterate over")]
    fn gather_pairs<V: Datum>(
        &mut self,
        own: impl ExactSizeIterator<Item = (u64, Option<V>)>,
        resources: &Resources,
    ) -> Result<Option<Vec<(u64, Option<V>)>>, RunError> {
        // For each vertex its id, whether it has a value, and the value.
        let size = 9 + V::KIND.size();
        // A message that arrives early is copied when it is due.
        self.check_room((2 * size + size_of::<(u64, Option<V>)>()) as u64, resources)?;
        let mut bytes = Vec::with_capacity(own.len() * size);
        for (id, value) in own {
            put(&mut bytes, id);
            bytes.push(u8::from(value.is_some()));
            match value {
                Some(value) => put(&mut bytes, value),
                None => bytes.resize(bytes.len() + V::KIND.size(), 0),
            }
        }
        let mut messages = vec![Vec::new(); self.processes()];
        messages[0] = bytes;
        let peer = |error| RunError::Peer { error: Arc::new(error) };
        let heard = self.cluster_mut().exchange(messages).map_err(peer)?;
        if self.process() != 0 {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(self.shards().num_vertices() as usize);
        for (process, message) in heard.iter().enumerate() {
            for vertex in message.chunks(size) {
                let parts = vertex.split_first_chunk().filter(|_| vertex.len() == size);
                let Some((id, [is_present, value @ ..])) = parts else {
                    let error = unreadable(process, GATHERING);
                    self.cluster().abort(&error.to_string());
                    return Err(RunError::Peer { error });
                };
                let value = (*is_present != 0).then(|| V::read(value));
                values.push((u64::from_le_bytes(*id), value));
            }
        }
        values.par_sort_unstable_by_key(|&(id, _)| id);
        Ok(Some(values))
    }
}

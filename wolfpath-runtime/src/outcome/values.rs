//! The values of an outcome in host memory.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::memory;
use wolfpath_core::program::Datum;

use super::settled::Settled;
use crate::cpu::Values;
use crate::error::OutcomeError;

/// Values of an outcome in host memory, by the user's ids ([`Outcome::read`](crate::Outcome::read)). Reading them cannot
/// fail. Clones share their data, which the outcome also shares; none of them keeps the outcome's device.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
/// let depths = Engine::auto().run(&graph, &wolfpath::programs::bfs::starting_at(1))?.read()?;
/// assert_eq!((depths.value(3)?, depths.value(4)?, depths.reached()), (Some(2), None, 3));
/// for (id, depth) in depths.iter() {
///     println!("{id}: {depth:?}");
/// }
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub struct OutcomeValues<V: Datum> {
    graph: LayeredGraph,
    values: Arc<Values<V>>,
    settled: Settled,
}

impl<V: Datum> Clone for OutcomeValues<V> {
    fn clone(&self) -> OutcomeValues<V> {
        OutcomeValues { graph: self.graph.clone(), values: self.values.clone(), settled: self.settled }
    }
}

impl<V: Datum> std::fmt::Debug for OutcomeValues<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let vertices = self.graph.num_vertices();
        f.debug_struct("OutcomeValues")
            .field("vertices", &vertices)
            .field("reached", &self.reached())
            .finish_non_exhaustive()
    }
}

impl<V: Datum> OutcomeValues<V> {
    pub(super) fn new(graph: LayeredGraph, values: Arc<Values<V>>, settled: Settled) -> OutcomeValues<V> {
        OutcomeValues { graph, values, settled }
    }

    /// Returns the value of the vertex with this id, or `None` if the vertex was not reached.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_edges([(1, 2), (4, 1)])?;
    /// let depths = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?.read()?;
    /// assert_eq!((depths.value(2)?, depths.value(4)?), (Some(1), None));
    /// assert!(depths.value(5).is_err());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn value(&self, id: u64) -> Result<Option<V>, OutcomeError> {
        let vertex = self.graph.vertex_of(id).ok_or(OutcomeError::UnknownVertex { id })?;
        Ok(self.values.get(vertex))
    }

    /// Returns `true` if the value of the vertex with this id is known to be final, as
    /// [`Outcome::is_settled`](crate::Outcome::is_settled) does.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let path = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4), (4, 5)])?;
    /// let options = RunOptions::new().until_settled([3]);
    /// let outcome = Engine::cpu().run_with(&path, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// let depths = outcome.read()?;
    /// assert_eq!(depths.value(3)?, Some(2));
    /// assert!(depths.is_settled(3)? && !depths.is_settled(5)?);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn is_settled(&self, id: u64) -> Result<bool, OutcomeError> {
        Ok(self.settled.contains(self.value(id)?))
    }

    /// Returns every vertex with its value, ascending by id. The value is `None` if the vertex was not reached.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, Option<V>)> + '_ {
        self.ranks(0..self.graph.num_vertices())
    }

    /// Returns the vertices with these ranks, with their values. The rank of a vertex is its position in ascending order
    /// of ids, from 0. Several threads can each take a part of the result of [`iter`](Self::iter) this way.
    ///
    /// # Panics
    ///
    /// Panics if a rank is not below the number of vertices.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_edges([(10, 20), (40, 10)])?;
    /// let depths = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(10))?.read()?;
    /// assert!(depths.ranks(1..3).eq([(20, Some(1)), (40, None)]));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn ranks(&self, ranks: Range<u32>) -> impl ExactSizeIterator<Item = (u64, Option<V>)> + '_ {
        let vertices = &self.graph.by_rank()[ranks.start as usize..ranks.end as usize];
        let pairs = vertices.iter().enumerate();
        pairs.map(move |(at, &v)| (self.graph.id_of_rank(ranks.start + at as u32), self.values.get(v)))
    }

    /// Returns every vertex with its value, ascending by id, like [`iter`](Self::iter). All threads of the current thread
    /// pool look up ids and values.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_edges([(10, 20), (40, 10)])?;
    /// let depths = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(10))?.read()?;
    /// assert_eq!(depths.to_vec(), [(10, Some(0)), (20, Some(1)), (40, None)]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn to_vec(&self) -> Vec<(u64, Option<V>)> {
        // The system takes longer to allocate small pages for all pairs than the threads take to look them up.
        let mut pairs = memory::with_room(self.graph.num_vertices() as usize);
        let all = self.graph.by_rank().par_iter().enumerate();
        let all = all.map(|(rank, &v)| (self.graph.id_of_rank(rank as u32), self.values.get(v)));
        all.collect_into_vec(&mut pairs);
        pairs
    }

    /// Returns the number of vertices that have a value.
    pub fn reached(&self) -> u64 {
        self.values.present.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the graph of the run.
    pub fn graph(&self) -> &LayeredGraph {
        &self.graph
    }

    /// Returns the value of a vertex by its internal index.
    pub(crate) fn at(&self, v: u32) -> Option<V> {
        self.values.get(v)
    }
}

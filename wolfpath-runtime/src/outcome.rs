//! Result of a run: values, paths and statistics, by the user's ids.

use std::sync::OnceLock;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{AggregateOf, Datum, EdgeProgram};

use crate::cpu::Values;
use crate::error::OutcomeError;
use crate::predecessors::Predecessors;
use crate::shape::Shape;
use crate::stats::{End, Stats};
use crate::trace::Trace;

/// Result of a run, by the user's ids. It owns all data that it needs, so the graph and the program may be dropped.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
/// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
/// let values: Vec<(u64, Option<u32>)> = outcome.iter().collect();
/// assert_eq!(values, [(1, Some(0)), (2, Some(1)), (3, Some(2)), (4, None)]);
/// assert_eq!((outcome.reached(), outcome.stats().steps), (3, 3));
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub struct Outcome<P: EdgeProgram> {
    graph: LayeredGraph,
    program: P,
    values: Values<P::Value>,
    stats: Stats,
    /// Bits of the fold of all values, if the program has an aggregate.
    fold: u64,
    trace: Option<Trace>,
    predecessors: OnceLock<Result<Predecessors, OutcomeError>>,
}

impl<P: EdgeProgram> std::fmt::Debug for Outcome<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let vertices = self.graph.num_vertices();
        f.debug_struct("Outcome")
            .field("program", &P::MODEL.name)
            .field("vertices", &vertices)
            .field("reached", &self.reached())
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl<P: EdgeProgram> Outcome<P> {
    pub(crate) fn new(
        graph: LayeredGraph,
        program: &P,
        values: Values<P::Value>,
        stats: Stats,
        trace: Option<Trace>,
    ) -> Outcome<P> {
        Outcome {
            graph,
            program: program.duplicate(),
            values,
            stats,
            fold: 0,
            trace,
            predecessors: OnceLock::new(),
        }
    }

    /// Sets the bits of the fold of all values.
    pub(crate) fn with_fold(mut self, bits: u64) -> Outcome<P> {
        self.fold = bits;
        self
    }

    pub(crate) fn stats_mut(&mut self) -> &mut Stats {
        &mut self.stats
    }

    /// Returns a copy of the outcome.
    pub(crate) fn duplicate(&self) -> Outcome<P> {
        Outcome::new(
            self.graph.clone(),
            &self.program,
            self.values.clone(),
            self.stats.clone(),
            self.trace.clone(),
        )
        .with_fold(self.fold)
    }

    /// Returns the fold of the values at the end of the run, as the next step would have seen it; `()` if the program
    /// has no aggregate.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::PageRank;
    ///
    /// // The rank of all vertices without out-edges: the vertex 3.
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (1, 3)])?;
    /// let outcome = Engine::cpu().run(&graph, &PageRank { damping: 0.85, tolerance: 1e-6 })?;
    /// assert_eq!(Some(outcome.aggregate() as f32), outcome.value(3)?);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn aggregate(&self) -> AggregateOf<P> {
        AggregateOf::<P>::from_bits(self.fold)
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
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
    /// assert_eq!((outcome.value(3)?, outcome.value(4)?), (Some(2), None));
    /// assert!(outcome.value(5).is_err());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn value(&self, id: u64) -> Result<Option<P::Value>, OutcomeError> {
        Ok(self.values.get(self.vertex(id)?))
    }

    /// Returns the value of a vertex by its internal index.
    pub(crate) fn at(&self, v: u32) -> Option<P::Value> {
        self.values.get(v)
    }

    /// Returns every vertex with its value, ascending by id. The value is `None` if the vertex was not reached.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, Option<P::Value>)> + '_ {
        self.graph.by_rank().iter().map(|&v| (self.graph.id_of(v), self.values.get(v)))
    }

    /// Returns the number of vertices that have a value.
    pub fn reached(&self) -> u64 {
        self.values.present.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns a path from a source to the vertex with this id, including both, or `None` if the vertex was not
    /// reached. The path is the chain of [`predecessor`](Self::predecessor)s. The first call computes the predecessors
    /// of the whole graph in one pass.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex, and [`OutcomeError::NoPaths`] if the
    /// program's values do not travel along single edges.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
    /// assert_eq!(outcome.path_to(3)?, Some(vec![1, 2, 3]));
    /// assert_eq!(outcome.path_to(4)?, None);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn path_to(&self, id: u64) -> Result<Option<Vec<u64>>, OutcomeError> {
        let mut vertex = self.vertex(id)?;
        let predecessors = self.tight_edges()?;
        if !predecessors.is_on_a_path(vertex) {
            return Ok(None);
        }
        let mut path = vec![id];
        while let Some(before) = predecessors.of(vertex) {
            path.push(self.graph.id_of(before));
            vertex = before;
        }
        path.reverse();
        Ok(Some(path))
    }

    /// Returns the vertex that the value of the vertex with this id came from; `None` for sources and unreached
    /// vertices. Candidates are the in-neighbours whose message equals the vertex's value, and whose path along such
    /// edges to a source is one edge shorter. The candidate with the smallest id is returned, so the result is the same
    /// on every engine.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`path_to`](Self::path_to).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
    /// assert_eq!((outcome.predecessor(3)?, outcome.predecessor(1)?), (Some(2), None));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn predecessor(&self, id: u64) -> Result<Option<u64>, OutcomeError> {
        let vertex = self.vertex(id)?;
        Ok(self.tight_edges()?.of(vertex).map(|before| self.graph.id_of(before)))
    }

    /// Returns every vertex with its [`predecessor`](Self::predecessor), ascending by id.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::NoPaths`] if the program's values do not travel along single edges.
    pub fn predecessors(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = (u64, Option<u64>)> + '_, OutcomeError> {
        let predecessors = self.tight_edges()?;
        let pair =
            |&v: &u32| (self.graph.id_of(v), predecessors.of(v).map(|before| self.graph.id_of(before)));
        Ok(self.graph.by_rank().iter().map(pair))
    }

    /// Returns the number of steps that the run took.
    pub fn steps(&self) -> u64 {
        self.stats.steps
    }

    /// Returns the reason why the run ended.
    pub fn end(&self) -> End {
        self.stats.end
    }

    /// Returns the statistics of the run.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Returns the trace of the run; `None` unless [`RunOptions::trace`](crate::RunOptions::trace) was set.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Returns the graph of the run.
    pub fn graph(&self) -> &LayeredGraph {
        &self.graph
    }

    fn vertex(&self, id: u64) -> Result<u32, OutcomeError> {
        self.graph.vertex_of(id).ok_or(OutcomeError::UnknownVertex { id })
    }

    fn tight_edges(&self) -> Result<&Predecessors, OutcomeError> {
        let find = || {
            if !Shape::of::<P>().values_come_along_edges() {
                let reason = "it sums or merges messages, or has an `apply` or a `sends` of its own, or its values are structs";
                return Err(OutcomeError::NoPaths { program: P::MODEL.name, reason });
            }
            Predecessors::find(&self.graph, &self.program, &self.values)
        };
        self.predecessors.get_or_init(find).as_ref().map_err(Clone::clone)
    }
}

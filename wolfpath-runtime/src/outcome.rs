//! Result of a run: values, paths and statistics, by the user's ids.

mod settled;
mod values;

use std::sync::{Arc, OnceLock};

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{AggregateOf, Aggregator, Datum, EdgeProgram, HeldValues, RunValues};

pub(crate) use self::settled::Settled;
pub use self::values::OutcomeValues;
use crate::cpu::Values;
use crate::error::OutcomeError;
use crate::held::{Held, unreadable};
use crate::part::PartRan;
use crate::predecessors::{Predecessors, check_paths};
use crate::stats::{End, Stats};
use crate::trace::Trace;

/// Result of a run, by the user's ids. It owns all data that it needs, so the graph and the program may be dropped.
///
/// The values stay where the run left them, which for a CUDA engine is the device's memory. They are copied to the host
/// when they are first asked for, by [`read`](Self::read) or any method that needs a value. Until then they occupy
/// device memory, which plans and [`Stats::device_bytes`](crate::Stats::device_bytes) count. If a later run needs that
/// memory, they move to the host, oldest outcome first. The outcome also keeps the device's context and the loaded
/// graph's arrays.
///
/// Values can be passed on without ever reaching the host: as first values of the next run
/// ([`LoadedGraph::run_from`](crate::LoadedGraph::run_from)), or as an input of the next program
/// ([`PerVertex::from_outcome`](wolfpath_core::program::PerVertex::from_outcome)).
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
/// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
/// assert_eq!((outcome.value(3)?, outcome.stats().steps), (Some(2), 3));
/// let values: Vec<(u64, Option<u32>)> = outcome.read()?.iter().collect();
/// assert_eq!(values, [(1, Some(0)), (2, Some(1)), (3, Some(2)), (4, None)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub struct Outcome<P: EdgeProgram> {
    graph: LayeredGraph,
    program: P,
    held: Arc<Held<P::Value>>,
    /// `true` if the run started with the values of an earlier outcome.
    continues: bool,
    stats: Stats,
    /// Bytes of the fold of all values; empty if there was nothing to fold.
    fold: Vec<u8>,
    settled: Settled,
    trace: Option<Trace>,
    predecessors: OnceLock<Result<Predecessors, OutcomeError>>,
}

impl<P: EdgeProgram> std::fmt::Debug for Outcome<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let vertices = self.graph.num_vertices();
        f.debug_struct("Outcome")
            .field("program", &P::MODEL.name)
            .field("vertices", &vertices)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl<P: EdgeProgram> Outcome<P> {
    pub(crate) fn new(program: &P, held: Held<P::Value>, stats: Stats, trace: Option<Trace>) -> Outcome<P> {
        let (graph, program) = (held.graph().clone(), program.duplicate());
        let (held, predecessors) = (Arc::new(held), OnceLock::new());
        let (settled, fold) = (Settled::of::<P>(stats.end, None), Vec::new());
        Outcome { graph, program, held, continues: false, stats, fold, settled, trace, predecessors }
    }

    /// Returns the outcome of a run with values in host memory.
    pub(crate) fn on_host(
        graph: &LayeredGraph,
        program: &P,
        values: Values<P::Value>,
        stats: Stats,
        trace: Option<Trace>,
    ) -> Outcome<P> {
        Outcome::new(program, Held::on_host(graph.clone(), values, false), stats, trace)
    }

    /// Returns an outcome with the values of vertices by rank, which processes have gathered.
    #[doc(hidden)]
    pub fn gathered(
        graph: &LayeredGraph,
        program: &P,
        by_rank: &[Option<P::Value>],
        (stats, trace): (Stats, Option<Trace>),
        aggregate: AggregateOf<P>,
    ) -> Outcome<P> {
        let value = |v: u32| by_rank[graph.rank_of(v) as usize];
        let values = Values::collect(graph.num_vertices(), value);
        let mut fold = Vec::new();
        if P::Aggregate::KIND.is_some() {
            fold.resize(AggregateOf::<P>::KIND.size(), 0);
            aggregate.write(&mut fold);
        }
        Outcome::on_host(graph, program, values, stats, trace).with_fold(fold)
    }

    /// Returns the outcome of a run that started with the values of an earlier outcome.
    pub(crate) fn continuing(self) -> Outcome<P> {
        Outcome { continues: true, ..self }
    }

    /// Sets the bytes of the fold of all values.
    pub(crate) fn with_fold(self, fold: Vec<u8>) -> Outcome<P> {
        Outcome { fold, ..self }
    }

    /// Sets the word of the best value that was still to be sent when the run ended, if it ended for
    /// `until_settled`.
    pub(crate) fn with_settled(self, nearest: Option<u64>) -> Outcome<P> {
        Outcome { settled: Settled::of::<P>(self.stats.end, nearest), ..self }
    }

    /// Adds what a process of a cluster knows about the values that are final.
    #[doc(hidden)]
    pub fn settled_as(self, ran: &PartRan<P>) -> Outcome<P> {
        self.with_settled(ran.settled)
    }

    pub(crate) fn stats_mut(&mut self) -> &mut Stats {
        &mut self.stats
    }

    /// Returns a copy of the outcome, which shares its values.
    pub(crate) fn duplicate(&self) -> Outcome<P> {
        Outcome {
            graph: self.graph.clone(),
            program: self.program.duplicate(),
            held: self.held.clone(),
            continues: self.continues,
            stats: self.stats.clone(),
            fold: self.fold.clone(),
            settled: self.settled,
            trace: self.trace.clone(),
            predecessors: OnceLock::new(),
        }
    }

    /// Returns the values, for a run that starts with them.
    pub(crate) fn values(&self) -> &Arc<Held<P::Value>> {
        &self.held
    }

    /// Returns the values in host memory. The first call copies them there if they are on a device.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::Lost`] if the values are on a device that was lost, and [`OutcomeError::Device`] if the
    /// device cannot be read for another reason.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
    /// let outcome = Engine::auto().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
    /// let depths = outcome.read()?;
    /// assert_eq!((depths.reached(), depths.iter().filter_map(|(_, depth)| depth).max()), (3, Some(2)));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn read(&self) -> Result<OutcomeValues<P::Value>, OutcomeError> {
        Ok(OutcomeValues::new(self.graph.clone(), self.host()?.clone(), self.settled))
    }

    /// Returns the values in host memory, by internal index.
    fn host(&self) -> Result<&Arc<Values<P::Value>>, OutcomeError> {
        self.held.read().map_err(|error| unreadable(P::MODEL.name, error))
    }

    /// Returns the fold of the values at the end of the run, as the next step would have seen it; `()` if the program
    /// has no aggregate. If the program has several folds, this is their tuple or struct.
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
        match &self.fold[..] {
            [] => P::Aggregate::identity(),
            bytes => AggregateOf::<P>::read(bytes),
        }
    }

    /// Returns the value of the vertex with this id, or `None` if the vertex was not reached.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex, and the errors of [`read`](Self::read).
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
        let vertex = self.vertex(id)?;
        Ok(self.host()?.get(vertex))
    }

    /// Returns `true` if the value of the vertex with this id is known to be final: it is the one that the run would have
    /// at the fixpoint, including no value. That holds for all vertices at a fixpoint ([`End::Fixpoint`]), and for some
    /// after [`RunOptions::until_settled`](crate::RunOptions::until_settled) ended the run ([`End::Settled`]). After
    /// another end, nothing is known about any vertex.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex, and the errors of [`read`](Self::read).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let path = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4), (4, 5)])?;
    /// let options = RunOptions::new().until_settled([2]);
    /// let outcome = Engine::cpu().run_with(&path, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// assert!(outcome.is_settled(2)? && !outcome.is_settled(5)?);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn is_settled(&self, id: u64) -> Result<bool, OutcomeError> {
        let value = self.value(id)?;
        Ok(self.settled.contains(value))
    }

    /// Returns a path from a source to the vertex with this id, including both, or `None` if the vertex was not
    /// reached. The path is the chain of [`predecessor`](Self::predecessor)s. The first call computes the predecessors
    /// of the whole graph in one pass.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex, [`OutcomeError::NoPaths`] if the
    /// program's values do not travel along single edges or the run started with the values of an earlier outcome, and
    /// the errors of [`read`](Self::read).
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
    /// Returns the errors of [`path_to`](Self::path_to).
    pub fn predecessors(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = (u64, Option<u64>)> + '_, OutcomeError> {
        let predecessors = self.tight_edges()?;
        let pair = |(id, v)| (id, predecessors.of(v).map(|before| self.graph.id_of(before)));
        Ok(self.graph.by_id().map(pair))
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
            check_paths::<P>()?;
            if self.continues {
                let reason = "the run started with the values of an earlier outcome, whose paths are unknown";
                return Err(OutcomeError::NoPaths { program: P::MODEL.name, reason });
            }
            Predecessors::find(&self.graph, &self.program, self.host()?)
        };
        // Values that cannot be read now may be readable later.
        self.host()?;
        // The search shares its work among threads, and one that waits for others may start another search meanwhile. So it must
        // not lock what that one waits for. Both find the same.
        let found = match self.predecessors.get() {
            Some(found) => found,
            None => {
                let found = find();
                self.predecessors.get_or_init(|| found)
            }
        };
        found.as_ref().map_err(Clone::clone)
    }
}

impl<P: EdgeProgram> RunValues for Outcome<P> {
    type Value = P::Value;

    fn held(&self) -> Arc<dyn HeldValues<P::Value>> {
        self.held.clone()
    }
}

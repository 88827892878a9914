//! What a run comes back with: values, paths and figures, in the user's ids.

use std::sync::OnceLock;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::EdgeProgram;

use crate::cpu::Values;
use crate::error::OutcomeError;
use crate::predecessors::Predecessors;
use crate::shape::Shape;
use crate::stats::Stats;
use crate::trace::Trace;

/// The answer of a run, by the user's ids. It keeps what it needs of the graph and the program, so both may be dropped.
pub struct Outcome<P: EdgeProgram> {
    graph: LayeredGraph,
    program: P,
    values: Values<P::Value>,
    stats: Stats,
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
        Outcome { graph, program: program.duplicate(), values, stats, trace, predecessors: OnceLock::new() }
    }

    /// The same outcome once more.
    pub(crate) fn duplicate(&self) -> Outcome<P> {
        Outcome::new(
            self.graph.clone(),
            &self.program,
            self.values.clone(),
            self.stats.clone(),
            self.trace.clone(),
        )
    }

    /// The value of the vertex with this id; `None` when it was not reached.
    ///
    /// # Errors
    /// [`OutcomeError::UnknownVertex`] when the graph has no such vertex.
    pub fn value(&self, id: u64) -> Result<Option<P::Value>, OutcomeError> {
        Ok(self.values.get(self.vertex(id)?))
    }

    /// The value of a vertex by its internal index.
    pub(crate) fn at(&self, v: u32) -> Option<P::Value> {
        self.values.get(v)
    }

    /// Every vertex with its value, ascending by id; `None` for vertices that were not reached.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, Option<P::Value>)> + '_ {
        self.graph.by_rank().iter().map(|&v| (self.graph.id_of(v), self.values.get(v)))
    }

    /// How many vertices have a value.
    pub fn reached(&self) -> u64 {
        self.values.present.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// A path from a source to the vertex with this id, both included, by the user's ids: the chain of
    /// [`predecessor`](Self::predecessor)s. `None` when the vertex was not reached. For every program whose values
    /// come along edges; computed for the whole graph when first asked for, in one pass over it.
    ///
    /// # Errors
    /// [`OutcomeError::UnknownVertex`], or [`OutcomeError::NoPaths`] for programs that combine values otherwise.
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

    /// The vertex from which the value of the vertex with this id came: the smallest id among the in-neighbours whose
    /// message equals its value and which are one edge nearer to a source along such edges. The same on every engine.
    /// `None` for sources and for vertices that were not reached.
    ///
    /// # Errors
    /// As [`path_to`](Self::path_to).
    pub fn predecessor(&self, id: u64) -> Result<Option<u64>, OutcomeError> {
        let vertex = self.vertex(id)?;
        Ok(self.tight_edges()?.of(vertex).map(|before| self.graph.id_of(before)))
    }

    /// Every vertex with its [`predecessor`](Self::predecessor), ascending by id.
    ///
    /// # Errors
    /// [`OutcomeError::NoPaths`] for programs whose values do not come along edges.
    pub fn predecessors(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = (u64, Option<u64>)> + '_, OutcomeError> {
        let predecessors = self.tight_edges()?;
        let pair =
            |&v: &u32| (self.graph.id_of(v), predecessors.of(v).map(|before| self.graph.id_of(before)));
        Ok(self.graph.by_rank().iter().map(pair))
    }

    /// Steps that the run took.
    pub fn steps(&self) -> u64 {
        self.stats.steps
    }

    /// What the run did and what it took.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What the run did when; `None` unless [`RunOptions::trace`](crate::RunOptions::trace) asked for it.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The graph that was run over.
    pub fn graph(&self) -> &LayeredGraph {
        &self.graph
    }

    fn vertex(&self, id: u64) -> Result<u32, OutcomeError> {
        self.graph.vertex_of(id).ok_or(OutcomeError::UnknownVertex { id })
    }

    fn tight_edges(&self) -> Result<&Predecessors, OutcomeError> {
        let find = || {
            if !Shape::of::<P>().values_come_along_edges() {
                let reason = "its messages are added up, merged, or applied by a function of its own";
                return Err(OutcomeError::NoPaths { program: P::MODEL.name, reason });
            }
            Predecessors::find(&self.graph, &self.program, &self.values)
        };
        self.predecessors.get_or_init(find).as_ref().map_err(Clone::clone)
    }
}

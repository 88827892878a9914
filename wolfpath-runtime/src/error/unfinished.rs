//! Values of runs that ended without an answer.

use std::any::Any;
use std::sync::Arc;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::Datum;

use super::{EndlessCycle, OutcomeError, RunError};
use crate::cpu::Values;
use crate::held::{Held, unreadable};

/// The values that a run had reached when it ended without an answer, if
/// [`RunOptions::keep_unfinished`](crate::RunOptions::keep_unfinished) was set. [`RunError::unfinished`] returns the values, in the program's type.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let path = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let options = RunOptions::new().max_steps(1).keep_unfinished(true);
/// let error = Engine::cpu().run_with(&path, &wolfpath::programs::bfs::starting_at(1), &options).unwrap_err();
/// let RunError::Unfinished { error, kept } = error else { panic!("values were kept") };
/// assert!(matches!(*error, RunError::Overrun { max_steps: 1, .. }));
/// assert!(format!("{kept:?}").contains("bfs"));
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub struct KeptValues {
    program: &'static str,
    /// `Held<V>`, for the program's type of values.
    held: Box<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for KeptValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptValues").field("program", &self.program).finish_non_exhaustive()
    }
}

/// Values that a run had reached when it ended without an answer. They are not its result: every value may still
/// change.
///
/// - If the program's values may be seen early, as those of `min` and `max` programs without an `apply`, each value is a
///   bound. The final one is the same or better, and a vertex without a value may still get one.
/// - In accumulating programs, each value is the sum of what its vertex had received.
/// - In all other programs these are the values after the last step that was completed.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let path = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4)])?;
/// let program = wolfpath::programs::bfs::starting_at(1);
/// let options = RunOptions::new().max_steps(2).keep_unfinished(true);
/// let error = Engine::cpu().run_with(&path, &program, &options).unwrap_err();
/// let unfinished = error.unfinished::<u32>()?.expect("values were kept");
/// assert_eq!((unfinished.value_so_far(3)?, unfinished.value_so_far(4)?), (Some(2), None));
/// assert_eq!(unfinished.iter_so_far().count(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Unfinished<V: Datum> {
    graph: LayeredGraph,
    values: Arc<Values<V>>,
}

impl<V: Datum> Unfinished<V> {
    /// Returns the value that the vertex with this id had, or `None` if it had not been reached.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wolfpath::prelude::*;
    /// let path = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let options = RunOptions::new().max_steps(1).keep_unfinished(true);
    /// let error = Engine::cpu().run_with(&path, &wolfpath::programs::bfs::starting_at(1), &options).unwrap_err();
    /// let unfinished = error.unfinished::<u32>()?.expect("values were kept");
    /// assert_eq!((unfinished.value_so_far(2)?, unfinished.value_so_far(3)?), (Some(1), None));
    /// assert!(unfinished.value_so_far(9).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value_so_far(&self, id: u64) -> Result<Option<V>, OutcomeError> {
        let vertex = self.graph.vertex_of(id).ok_or(OutcomeError::UnknownVertex { id })?;
        Ok(self.values.get(vertex))
    }

    /// Returns every vertex with the value that it had, ascending by id.
    pub fn iter_so_far(&self) -> impl ExactSizeIterator<Item = (u64, Option<V>)> + '_ {
        self.graph.by_id().map(|(id, v)| (id, self.values.get(v)))
    }
}

impl RunError {
    /// Returns the values that the run had reached, of type `V`, which must be the program's `Value`. Returns `None` if
    /// none were kept: [`RunOptions::keep_unfinished`](crate::RunOptions::keep_unfinished) tells when they are.
    ///
    /// # Errors
    ///
    /// Returns [`OutcomeError::Lost`] or [`OutcomeError::Device`] if the values are on a device and cannot be read.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let path = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let options = RunOptions::new().max_steps(1).keep_unfinished(true);
    /// let error = Engine::cpu().run_with(&path, &wolfpath::programs::bfs::starting_at(1), &options).unwrap_err();
    /// assert_eq!(error.unfinished::<u32>()?.expect("values were kept").value_so_far(2)?, Some(1));
    /// assert!(error.unfinished::<f64>()?.is_none(), "the values are `u32`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unfinished<V: Datum>(&self) -> Result<Option<Unfinished<V>>, OutcomeError> {
        let RunError::Unfinished { kept, .. } = self else { return Ok(None) };
        let Some(held) = kept.held.downcast_ref::<Held<V>>() else { return Ok(None) };
        let values = held.read().map_err(|error| unreadable(kept.program, error))?.clone();
        Ok(Some(Unfinished { graph: held.run_graph().clone(), values }))
    }

    /// Returns the error of a run with the cycle that `find` finds, if the run overran. `find` gets the values that the
    /// run had reached. `keeps` is `false` if these were only kept for it.
    pub(crate) fn with_cycle<V: Datum>(
        self,
        keeps: bool,
        find: impl FnOnce(&Values<V>) -> Option<EndlessCycle>,
    ) -> RunError {
        let RunError::Unfinished { mut error, kept } = self else { return self };
        if let RunError::Overrun { cycle, .. } = &mut *error
            && let Some(values) = kept.held.downcast_ref::<Held<V>>().and_then(|held| held.read().ok())
        {
            *cycle = find(values);
        }
        if keeps { RunError::Unfinished { error, kept } } else { *error }
    }

    /// Returns `true` for the errors of runs that were stopped before they had an answer.
    pub(crate) fn is_of_unfinished(&self) -> bool {
        matches!(self, RunError::Overrun { .. } | RunError::TimeLimit { .. } | RunError::Cancelled { .. })
    }

    /// Adds the values that the run had reached.
    pub(crate) fn with_values<V: Datum>(self, program: &'static str, held: Held<V>) -> RunError {
        RunError::Unfinished { error: Box::new(self), kept: KeptValues { program, held: Box::new(held) } }
    }
}

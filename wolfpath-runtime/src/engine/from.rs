//! Runs that start with the values of an earlier outcome.

use std::time::Instant;

use wolfpath_core::program::{EdgeProgram, Starts};

use super::{LoadedGraph, with_column};
use crate::error::{PlanError, RunError};
use crate::options::RunOptions;
use crate::outcome::Outcome;
use crate::start::{Carry, Sources};

impl LoadedGraph {
    /// Runs a program that starts with the values of an earlier outcome instead of calling `start`. If the outcome's
    /// values are on this engine's device, they stay there. The outcome's program may be another one, but the types of
    /// the values must be equal. This continues a run that was limited to some steps, and lets programs take
    /// turns.
    ///
    /// Everything else is as if `start` had returned these values:
    ///
    /// - A vertex without a value in the outcome has none when the run begins. If the program's `start` returns a plain
    ///   value and not an `Option`, every vertex needs a value.
    /// - Under [`Senders::Active`](wolfpath_core::program::Senders::Active) every vertex with a value sends in the first
    ///   step, whether or not it had already sent it. If the program has a `sends`, those send for which it holds;
    ///   `sends` and `halts` are asked for every vertex with a value.
    /// - Sources (`starting_at` and similar functions) are ignored.
    /// - Steps are counted from 1 again.
    /// - An accumulating program sends all of these values, as its first amounts, even if the earlier run had sent them.
    /// - The new outcome has no [paths](Outcome::path_to), because it is unknown where its first values came from.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](Self::run), [`PlanError::OtherGraph`] if the outcome is not one of this graph,
    /// [`PlanError::Unreached`] if a vertex has no value but `start` gives one to every vertex, and an error if the
    /// outcome's values must be read but cannot be.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let loaded = Engine::auto().load(&LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4)])?);
    /// let (program, one_step) = (wolfpath::programs::bfs::starting_at(1), RunOptions::new().steps_at_most(1));
    /// let begun = loaded.run_with(&program, &one_step)?;
    /// assert_eq!(begun.value(4)?, None);
    /// let done = loaded.run_from(&program, &begun)?;
    /// assert_eq!(done.value(4)?, Some(3));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run_from<P, Q>(&self, program: &P, outcome: &Outcome<Q>) -> Result<Outcome<P>, RunError>
    where
        P: EdgeProgram,
        Q: EdgeProgram<Value = P::Value>,
    {
        self.run_from_with(program, outcome, &RunOptions::new())
    }

    /// Runs a program that starts with the values of an earlier outcome, like [`run_from`](Self::run_from), with options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_from`](Self::run_from), and an error if the run is cancelled or exceeds its time
    /// limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let loaded = Engine::auto().load(&LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4)])?);
    /// let (program, one_step) = (wolfpath::programs::bfs::starting_at(1), RunOptions::new().steps_at_most(1));
    /// let mut outcome = loaded.run_with(&program, &one_step)?;
    /// while outcome.value(4)?.is_none() {
    ///     outcome = loaded.run_from_with(&program, &outcome, &one_step)?;
    /// }
    /// assert_eq!(outcome.value(4)?, Some(3));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run_from_with<P, Q>(
        &self,
        program: &P,
        outcome: &Outcome<Q>,
        options: &RunOptions,
    ) -> Result<Outcome<P>, RunError>
    where
        P: EdgeProgram,
        Q: EdgeProgram<Value = P::Value>,
    {
        if options.weight_column.is_some() {
            let graph = with_column(&self.graph, options)?;
            let options = options.clone().weight_column(None);
            return LoadedGraph { graph, ..self.clone() }.run_from_with(program, outcome, &options);
        }
        let began = Instant::now();
        if !self.graph.has_order_of(outcome.graph()) {
            return Err(PlanError::OtherGraph { program: P::MODEL.name }.into());
        }
        if P::MODEL.starts == Starts::Every && !outcome.values().all() {
            all_have_values::<P, Q>(outcome)?;
        }
        let device = self.resident.as_ref().map(|resident| &resident.device);
        let sources = Sources::carried(Carry::new(outcome.values().clone(), device)?);
        let derived = self.derived::<P>()?;
        let rows = derived.as_ref().unwrap_or(self);
        Ok(rows.run_with_sources(program, &sources, options, began)?.continuing())
    }
}

/// Returns an error if a vertex has no value in the outcome.
fn all_have_values<P: EdgeProgram, Q: EdgeProgram>(outcome: &Outcome<Q>) -> Result<(), RunError> {
    let (values, graph) = (outcome.values().read()?, outcome.values().run_graph());
    let missing = (0..graph.num_vertices()).filter(|&v| values.get(v).is_none());
    match missing.map(|v| graph.id_of(v)).min() {
        Some(id) => Err(PlanError::Unreached { program: P::MODEL.name, id }.into()),
        None => Ok(()),
    }
}

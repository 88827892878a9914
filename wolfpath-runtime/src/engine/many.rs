//! Many runs of one program over one graph, which share reads of the graph where possible.
//!
//! - Up to 64 runs execute as one if a run is defined by the set of vertices that it first reaches in each step
//!   (`batch::bits`). This is true for `bfs` and `reach`.
//! - On a device, up to 16 runs execute abreast: each vertex stores the values of all runs contiguously
//!   (`batch::abreast`).
//! - Each other run executes by itself.
//!
//! `sharing` decides which runs can share, and `running` executes them, on all devices of an engine at a time.

mod batch;
mod outcomes;
mod running;
mod sharing;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::memory;
use wolfpath_core::program::EdgeProgram;

pub use self::outcomes::{Many, ManyStats};
pub use self::sharing::Sharing;
use self::sharing::{Divider, Part};
use super::{Engine, LoadedGraph, check_weights, with_column};
use crate::cuda;
use crate::error::{PlanError, RunError};
use crate::options::RunOptions;
use crate::plan::Plan;
use crate::start::Sources;

/// Size in bytes below which results are not compared with the available memory. Querying the available memory takes a
/// system call.
const FEW_BYTES: u64 = 64 << 20;

/// Plan for some of the runs of a list: for a batch, or for runs that are in no batch.
///
/// # Examples
///
/// ```
/// use wolfpath::Sharing;
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let programs = [bfs::starting_at(1), bfs::starting_at(2)];
/// let parts = Engine::cpu().plan_many(&graph, &programs, &RunOptions::new())?;
/// assert_eq!((parts[0].runs.len(), parts[0].sharing), (2, Sharing::Bits));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlannedRuns {
    /// Indices of the runs in the list.
    pub runs: Vec<usize>,
    /// Way in which the runs share reads of the graph, or the reason why they do not.
    pub sharing: Sharing,
    /// Bytes of host memory for the results. Requesting an outcome takes additional memory for its values.
    pub outcome_bytes: u64,
    /// Plan of the batch, or of the first of the runs.
    pub plan: Plan,
    /// Kernel that executes the runs on a device.
    #[doc(hidden)]
    pub kernel: cuda::Kernel,
}

/// Returns the sources of all runs, with their first values.
fn resolve<P: EdgeProgram>(
    graph: &LayeredGraph,
    programs: &[P],
) -> Result<Vec<Sources<P::Value>>, PlanError> {
    let sources = programs.iter().map(|program| Sources::resolve(graph, program));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    check_weights::<P>(graph)?;
    Ok(sources)
}

impl Engine {
    /// Plans many runs without allocating or running anything. Returns the batches that the runs form, and the runs
    /// that are in no batch, with the reasons.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`plan`](Self::plan) for each of the runs, and [`PlanError::Outcomes`] if the results do
    /// not fit in the host's memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let programs: Vec<bfs> = [1, 2, 3].map(bfs::starting_at).into();
    /// let parts = Engine::cpu().plan_many(&graph, &programs, &RunOptions::new())?;
    /// assert_eq!(parts.len(), 1, "all of them share");
    /// println!("{} runs {}", parts[0].runs.len(), parts[0].sharing);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn plan_many<P: EdgeProgram>(
        &self,
        graph: &LayeredGraph,
        programs: &[P],
        options: &RunOptions,
    ) -> Result<Vec<PlannedRuns>, RunError> {
        let loaded = self.load(&with_column(graph, options)?);
        let loaded = loaded.derived::<P>()?.unwrap_or(loaded);
        let sources = resolve(&loaded.graph, programs)?;
        let on_all =
            sources.first().and_then(|first| loaded.on_all_for_many::<P>(sources.len(), first, options));
        let loaded = on_all.unwrap_or(loaded);
        let divider = Divider { programs, sources: &sources, devices: loaded.engine.devices(), options };
        let parts = divider.divide();
        loaded.check_outcomes::<P>(&parts)?;
        let planned = |part: Part| {
            let plan = loaded.plan_part(&divider, &part)?;
            let (outcome_bytes, kernel) =
                (loaded.outcome_bytes::<P>(&part), batch::kernel(part.sharing, part.members.len()));
            Ok(PlannedRuns { runs: part.members, sharing: part.sharing, outcome_bytes, plan, kernel })
        };
        parts.into_iter().map(planned).collect()
    }

    /// Loads a graph and runs many programs over it with [`LoadedGraph::run_many`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LoadedGraph::run_many`].
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let many = Engine::auto().run_many(&graph, &[bfs::starting_at(1), bfs::starting_at(3)])?;
    /// assert_eq!(many.outcome(0)?.read()?.reached() + many.outcome(1)?.read()?.reached(), 4);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run_many<P: EdgeProgram>(
        &self,
        graph: &LayeredGraph,
        programs: &[P],
    ) -> Result<Many<P>, RunError> {
        self.load(graph).run_many(programs)
    }
}

impl LoadedGraph {
    /// Runs many programs, in batches if they can share reads of the graph. The outcome of each run is the one that
    /// [`run`](Self::run) gives, on every engine. [`ManyStats::gained`] reports how much work sharing saved.
    ///
    /// The programs should differ only in their sources. [`Engine::plan_many`] reports how they share:
    ///
    /// | programs | engine | runs per batch |
    /// |---|---|---|
    /// | messages depend on the sender's value only (`bfs`, `reach`) | all | 64 |
    /// | other programs whose values may be seen early (`sssp`, `widest`, your own `min` programs) | CUDA | 16, or 8 with values of 8 bytes |
    /// | all others | all | 1 |
    ///
    /// If the engine has several devices, each takes the next batch or run when it is free. Batches abreast are then
    /// smaller if a device would get none. All devices share a run that is not in a batch if there are fewer such runs than
    /// devices, or if it does not fit on one.
    ///
    /// The results stay in memory until the [`Many`] is dropped. For 64 runs as bits, the results take 8 bytes per
    /// vertex, plus 8 bytes per vertex for each binary digit of the number of steps. For other runs, the results are
    /// the values.
    ///
    /// # Errors
    ///
    /// Returns the error of [`run`](Self::run) for the first run or batch that fails, wrapped in [`RunError::OfMany`]
    /// if there are several runs. The results of the other runs are lost. Nothing runs if a source of any run is not in
    /// the graph, or if the results do not fit in the host's memory ([`PlanError::Outcomes`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let loaded = Engine::auto().load(&LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1)])?);
    /// let many = loaded.run_many(&[1, 2, 3].map(bfs::starting_at))?;
    /// assert_eq!(many.outcome(1)?.value(1)?, Some(2));
    /// assert_eq!(many.stats().shared, 3);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run_many<P: EdgeProgram>(&self, programs: &[P]) -> Result<Many<P>, RunError> {
        self.run_many_with(programs, &RunOptions::new())
    }

    /// Runs many programs with options. Limits apply to each batch, and to each run outside of a batch. Several devices
    /// report their progress from threads of their own. The trace of a run in a batch is the trace of the batch. Runs with a
    /// requested schedule do not share.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_many`](Self::run_many), and an error if a run is cancelled or exceeds its time
    /// limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let loaded = Engine::auto().load(&LayeredGraph::from_edges([(1, 2), (2, 3)])?);
    /// let many = loaded.run_many_with(&[1, 2].map(bfs::starting_at), &RunOptions::new().steps_at_most(1))?;
    /// assert_eq!(many.outcome(0)?.value(3)?, None);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run_many_with<P: EdgeProgram>(
        &self,
        programs: &[P],
        options: &RunOptions,
    ) -> Result<Many<P>, RunError> {
        if options.weight_column.is_some() {
            let graph = with_column(&self.graph, options)?;
            let options = options.clone().weight_column(None);
            return LoadedGraph { graph, ..self.clone() }.run_many_with(programs, &options);
        }
        let options = &options.clone().keep_unfinished(false);
        match self.derived::<P>()? {
            Some(derived) => derived.run_many_as_is(programs, options),
            None => self.run_many_as_is(programs, options),
        }
    }

    /// Runs many programs over the rows of this graph.
    fn run_many_as_is<P: EdgeProgram>(
        &self,
        programs: &[P],
        options: &RunOptions,
    ) -> Result<Many<P>, RunError> {
        let sources = resolve(&self.graph, programs)?;
        let on_all =
            sources.first().and_then(|first| self.on_all_for_many::<P>(sources.len(), first, options));
        if let Some(on_all) = on_all {
            return on_all.run_many_as_is(programs, options);
        }
        let divider = Divider { programs, sources: &sources, devices: self.engine.devices(), options };
        let parts = divider.divide();
        self.check_outcomes::<P>(&parts)?;
        running::run(self, &divider, parts)
    }

    /// Returns an error if the results need more than the host's available memory.
    fn check_outcomes<P: EdgeProgram>(&self, parts: &[Part]) -> Result<(), PlanError> {
        let need = parts.iter().map(|part| self.outcome_bytes::<P>(part)).sum();
        if need < FEW_BYTES {
            return Ok(());
        }
        match memory::available() {
            Some(have) if need > have => {
                let runs = parts.iter().map(|part| part.members.len()).sum();
                Err(PlanError::Outcomes { program: P::MODEL.name, runs, need, have })
            }
            _ => Ok(()),
        }
    }
}

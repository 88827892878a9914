//! One error for a whole program that uses wolfpath; each stage has an enum of its own.

use wolfpath_core::cache::CacheError;
use wolfpath_core::edge_list::EdgeListError;
use wolfpath_core::generate::GenerateError;
use wolfpath_core::graph::{GraphError, LayerError, WeightError};
use wolfpath_core::store::StoreError;
use wolfpath_io::OpenError;
use wolfpath_io::load::LoadError;
use wolfpath_io::save::WriteError;
use wolfpath_runtime::{CompileError, DeviceError, OutcomeError, PlanError, RunError};

/// Anything that can go wrong, by the stage in which it did. Each says what was expected and what to do.
///
/// ```
/// use wolfpath::prelude::*;
///
/// fn reached() -> wolfpath::Result<u64> {
///     let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
///     let outcome = Engine::cpu().run(&graph, &wolfpath::programs::reach::starting_at(17))?;
///     Ok(outcome.iter().count() as u64)
/// }
/// assert_eq!(reached()?, 3);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An edge list could not be made.
    #[error(transparent)]
    EdgeList(#[from] EdgeListError),
    /// A graph could not be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A file could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file could not be written.
    #[error(transparent)]
    Save(#[from] WriteError),
    /// A graph could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Edges in memory could not become a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A graph could not be layered.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// A `.wolf` file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cache folder cannot be listed, emptied or limited.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// Weights do not fit a program.
    #[error(transparent)]
    Weights(#[from] WeightError),
    /// A run could not be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A program could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A device cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A run ended without an answer.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An outcome cannot answer.
    #[error(transparent)]
    Outcome(#[from] OutcomeError),
}

/// The result of anything in wolfpath.
pub type Result<T, E = Error> = std::result::Result<T, E>;

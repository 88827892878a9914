//! One error for a whole program that uses wolfpath; each stage has an enum of its own.

use std::fmt;

use wolfpath_core::cache::CacheError;
use wolfpath_core::edge_list::EdgeListError;
use wolfpath_core::generate::GenerateError;
use wolfpath_core::graph::{GraphError, LayerError, WeightError};
use wolfpath_core::store::StoreError;
use wolfpath_io::OpenError;
use wolfpath_io::load::LoadError;
use wolfpath_io::save::WriteError;
use wolfpath_runtime::{CompileError, DeviceError, OutcomeError, PlanError, RunError};

/// Makes one error of those of the stages, each with its documentation, its name and its type.
macro_rules! stages {
    ($($(#[$documentation:meta])* $stage:ident($error:ty),)*) => {
        /// Anything that can go wrong, by the stage in which it did. Its text is that of the stage's error, which says what was
        /// expected and what to do, and then the part of the API that does it ([`advice`](Self::advice)).
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
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[$documentation])* $stage($error),)*
        }

        impl Error {
            /// Returns the error of the stage. Its text names no part of the API.
            pub fn stage(&self) -> &(dyn std::error::Error + 'static) {
                match self {
                    $(Error::$stage(error) => error,)*
                }
            }
        }

        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::$stage(error)
            }
        })*
    };
}

stages! {
    /// An edge list could not be made.
    EdgeList(EdgeListError),
    /// A graph could not be generated.
    Generate(GenerateError),
    /// A file could not be read.
    Load(LoadError),
    /// A file could not be written.
    Save(WriteError),
    /// A graph could not be opened.
    Open(OpenError),
    /// Edges in memory could not become a graph.
    Graph(GraphError),
    /// A graph could not be layered.
    Layer(LayerError),
    /// A `.wolf` file could not be read or written.
    Store(StoreError),
    /// The cache folder cannot be listed, emptied or limited.
    Cache(CacheError),
    /// Weights do not fit a program.
    Weights(WeightError),
    /// A run could not be planned.
    Plan(PlanError),
    /// A program could not be compiled.
    Compile(CompileError),
    /// A device cannot be used.
    Device(DeviceError),
    /// A run ended without an answer.
    Run(RunError),
    /// An outcome cannot answer.
    Outcome(OutcomeError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stage())?;
        match self.advice() {
            Some(advice) => write!(f, " ({advice})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.stage().source()
    }
}

/// The result of anything in wolfpath.
pub type Result<T, E = Error> = std::result::Result<T, E>;

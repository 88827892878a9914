//! One error type for programs that use wolfpath. Each stage also has its own enum of errors.

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

/// Defines the error type from the stages' errors: documentation, name and type of each variant.
macro_rules! stages {
    ($($(#[doc = $documentation:literal])* $(#[cfg($condition:meta)])? $stage:ident($error:ty),)*) => {
        /// Error of any stage. Its text is that of the stage's error, which says what was expected and what to do.
        /// The name of the setting or function to use follows ([`advice`](Self::advice)).
        ///
        /// ```
        /// use wolfpath::prelude::*;
        ///
        /// fn reached() -> wolfpath::Result<u64> {
        ///     let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
        ///     let outcome = Engine::cpu().run(&graph, &wolfpath::programs::reach::starting_at(17))?;
        ///     Ok(outcome.read()?.reached())
        /// }
        /// assert_eq!(reached()?, 3);
        /// # Ok::<(), wolfpath::Error>(())
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[doc = $documentation])* $(#[cfg($condition)])? $stage($error),)*
        }

        impl Error {
            /// Returns the error of the stage. Its text does not mention the API.
            pub fn stage(&self) -> &(dyn std::error::Error + 'static) {
                match self {
                    $($(#[cfg($condition)])? Error::$stage(error) => error,)*
                }
            }
        }

        $($(#[cfg($condition)])? impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::$stage(error)
            }
        })*
    };
}

stages! {
    /// Error of building an edge list.
    EdgeList(EdgeListError),
    /// Error of generating a graph.
    Generate(GenerateError),
    /// Error of reading a file.
    Load(LoadError),
    /// Error of writing a file.
    Save(WriteError),
    /// Error of opening a graph.
    Open(OpenError),
    /// Error of building a graph from edges in memory.
    Graph(GraphError),
    /// Error of layering a graph.
    Layer(LayerError),
    /// Error of reading or writing a `.wolf` file.
    Store(StoreError),
    /// Error of listing, clearing or limiting the cache folder.
    Cache(CacheError),
    /// Weights that do not fit a program.
    Weights(WeightError),
    /// Error of planning a run.
    Plan(PlanError),
    /// Error of compiling a program.
    Compile(CompileError),
    /// Error of a device.
    Device(DeviceError),
    /// Error of a run.
    Run(RunError),
    /// Error of querying an outcome.
    Outcome(OutcomeError),
    /// Error of writing or reading shards.
    #[cfg(feature = "cluster")]
    Shards(wolfpath_cluster::ShardError),
    /// Error of sharding a graph on a cluster.
    #[cfg(feature = "cluster")]
    Build(wolfpath_cluster::BuildError),
    /// Error of the processes of a cluster.
    #[cfg(feature = "cluster")]
    Cluster(wolfpath_cluster::ClusterError),
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

#[cfg(feature = "cluster")]
impl From<wolfpath_cluster::ClusterPlanError> for Error {
    fn from(error: wolfpath_cluster::ClusterPlanError) -> Error {
        match error {
            wolfpath_cluster::ClusterPlanError::Cluster(error) => error.into(),
            wolfpath_cluster::ClusterPlanError::Program(error) => error.into(),
        }
    }
}

/// Result type with wolfpath's [`Error`] as the default error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

//! The names that a typical program and its run need: `use wolfpath::prelude::*;`.
//!
//! `Any`, `Sum`, `Min` and `Max` are combiners here. A name that you import yourself, such as `std::any::Any`, takes
//! precedence over the prelude's. `random` returns random numbers, in programs and elsewhere.
//!
//! ```
//! use wolfpath::prelude::*;
//!
//! let cancel = CancelHandle::new();
//! let options = RunOptions::new().max_steps(100).cancel(&cancel);
//! let layering = LayerOptions::new().root(17);
//! let opening = OpenOptions::new().root(17).cache(false);
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("roads.el"), "17 5\n5 6\n")?;
//! let graph = LayeredGraph::open_with(folder.path().join("roads.el"), &opening)?;
//! let loaded: LoadedGraph = Engine::cpu().load(&graph);
//! let run = |id| -> Result<Outcome<_>, RunError> { loaded.run_with(&wolfpath::programs::bfs::starting_at(id), &options) };
//! assert_eq!(run(17)?.value(6)?, Some(2));
//! assert!(run(9).is_err(), "9 is not a vertex");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "cluster")]
pub use crate::cluster::ClusterEngine;
pub use crate::graph::{LayerOptions, LayeredGraph, OpenGraph, OpenOptions};
pub use crate::program::{
    Along, And, Any, Combiner, Edge, EdgeProgram, Fields, Max, Min, MostFrequent, NoAggregate, Or, PerVertex,
    Senders, Sum, Vertex, VertexSet, random,
};
pub use crate::{CancelHandle, Engine, LoadedGraph, Outcome, RunError, RunOptions};
pub use crate::{edge_program, edge_types};

//! wolfpath runs edge programs over graphs. Write what happens on **one edge** as an ordinary Rust function, and run it
//! over hundreds of millions of edges: on all CPU cores, or on an NVIDIA GPU as a single launch that never waits for
//! the host.
//!
//! ```
//! use wolfpath::prelude::*;
//!
//! /// Shortest paths over non-negative weights.
//! #[edge_program(combine = min, first = 0.0)]
//! fn shortest(distance: f32, weight: f32) -> f32 {
//!     distance + weight
//! }
//!
//! # fn main() -> wolfpath::Result<()> {
//! let graph = LayeredGraph::from_weighted_edges([(17, 5, 10.0f32), (17, 6, 1.0), (6, 5, 1.0)])?;
//! let engine = Engine::auto(); // a GPU if there is one, otherwise all CPU cores
//! let outcome = engine.run(&graph, &shortest::starting_at(17))?;
//! assert_eq!(outcome.value(5)?, Some(2.0));
//! assert_eq!(outcome.path_to(5)?, Some(vec![17, 6, 5]));
//! # Ok(())
//! # }
//! ```
//!
//! A run has these stages, which are also the best order for reading the modules:
//!
//! 1. [`load`] reads a file into an edge list.
//! 2. [`graph`] layers the edges.
//! 3. [`Plan`] decides how to run.
//! 4. [`Engine`] runs the program.
//! 5. [`Outcome`] returns the results by the user's ids.
//!
//! Programs are written with the attribute [`edge_program`] and the types in [`program`]. [`programs`] contains the
//! bundled programs, and [`oracle`] slow and obvious serial programs to compare them with.

// Lets the bundled programs refer to this crate by the same name as users' programs do.
extern crate self as wolfpath;

mod advice;
pub mod cache;
mod error;
pub mod graph;
pub mod prelude;
pub mod programs;
pub mod resources;
pub mod testing;
#[doc(hidden)]
pub mod twin;

pub use advice::Advice;
pub use error::{Error, Result};
#[cfg(feature = "cluster")]
pub use wolfpath_cluster as cluster;
pub use wolfpath_core::{edge_list, generate, oracle, program, progress, store, weights};
pub use wolfpath_io::{load, save};
#[doc(hidden)]
pub use wolfpath_macros::edge_program_with_types;
pub use wolfpath_macros::{edge_program, edge_types};
pub use wolfpath_runtime::{
    ArrayName, CancelHandle, CompileError, DeviceCosts, DeviceError, End, EndlessCycle, Engine, Estimate,
    FaultPlace, GraphSize, Home, KeptValues, LoadedGraph, Many, ManyStats, Outcome, OutcomeError,
    OutcomeValues, PendingAmounts, Plan, PlanError, PlannedArray, PlannedEngine, PlannedRuns, RowUse,
    RunError, RunOptions, Schedule, ScheduleChoice, Sharing, StageTimes, StageTrace, Stats, StepKind,
    StepParts, StepTrace, Streamed, Techniques, Trace, Unfinished, cuda,
};
#[doc(hidden)]
pub use wolfpath_runtime::{Computes, Shape};

/// The code examples of the documents, compiled and run as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/programming.md")]
    struct Programming;

    #[doc = include_str!("../docs/running.md")]
    struct Running;

    #[doc = include_str!("../docs/programs.md")]
    struct Programs;

    #[cfg(feature = "cluster")]
    #[doc = include_str!("../docs/scale.md")]
    struct Scale;
}

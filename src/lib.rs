//! wolfpath: write what happens on **one edge** of a graph as an ordinary Rust function, and run it over hundreds of
//! millions of edges, on every CPU core or on an NVIDIA GPU as a single launch that never waits for the host.
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
//! let engine = Engine::auto(); // a GPU when there is one, else every CPU core
//! let outcome = engine.run(&graph, &shortest::starting_at(17))?;
//! assert_eq!(outcome.value(5)?, Some(2.0));
//! assert_eq!(outcome.path_to(5)?, Some(vec![17, 6, 5]));
//! # Ok(())
//! # }
//! ```
//!
//! The road of a run, in the order in which the modules are best read: [`load`] makes an edge list of a file,
//! [`graph`] layers it, [`Plan`] decides how to run, [`Engine`] runs, [`Outcome`] answers in the user's ids. Programs
//! are written with [`edge_program`] in the words of [`program`]; [`programs`] holds the bundled ones, and [`oracle`]
//! a slow and obvious answer to compare each with.

// The programs of this crate name it as its users do.
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
pub use wolfpath_core::{edge_list, generate, oracle, program, progress, store, weights};
pub use wolfpath_io::{load, save};
pub use wolfpath_macros::edge_program;
#[doc(hidden)]
pub use wolfpath_runtime::Shape;
pub use wolfpath_runtime::{
    ArrayName, CancelHandle, CompileError, DeviceCosts, DeviceError, Engine, Estimate, FaultPlace, GraphSize,
    LoadedGraph, Many, ManyStats, Outcome, OutcomeError, Plan, PlanError, PlannedArray, PlannedEngine,
    PlannedRuns, RowUse, RunError, RunOptions, Schedule, ScheduleChoice, Sharing, StageTimes, StageTrace,
    Stats, StepKind, StepParts, StepTrace, Techniques, Trace, cuda,
};

/// The snippets of the documents, compiled and run as tests.
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
}

//! Plans and engines of wolfpath: they plan runs, and execute them on every CPU core or in one launch on a GPU. Users
//! depend on the crate `wolfpath`, which re-exports what they need.
//!
//! The main types, in the order of a run, are [`Plan`], [`Engine`] and [`Outcome`]. The modules `cpu` and `cuda`
//! contain the two engines.

mod cpu;
pub mod cuda;
mod deal;
mod engine;
mod error;
mod held;
mod numbers;
mod options;
mod outcome;
#[doc(hidden)]
pub mod part;
mod path_order;
mod plan;
mod pool;
mod predecessors;
mod shape;
mod start;
mod stats;
#[doc(hidden)]
pub mod stop;
mod trace;

#[doc(hidden)]
pub use cpu::{FOLDED_BLOCK, SUMMED_PIECE};
#[doc(hidden)]
pub use deal::deal_in_rounds;
pub use engine::{Engine, LoadedGraph, Many, ManyStats, PlannedRuns, Sharing};
pub use error::{
    CompileError, DeviceError, EndlessCycle, FaultPlace, KeptValues, OutcomeError, PendingAmounts, PlanError,
    RunError, Unfinished,
};
pub use options::{CancelHandle, RunOptions};
pub use outcome::{Outcome, OutcomeValues};
pub use plan::{
    ArrayName, DeviceCosts, Estimate, GraphSize, Home, Plan, PlannedArray, PlannedEngine, RowUse, Schedule,
    ScheduleChoice, StepParts, Techniques,
};
#[doc(hidden)]
pub use shape::{Computes, Shape};
pub use stats::{End, StageTimes, Stats, Streamed};
pub use trace::{StageTrace, StepKind, StepTrace, Trace};

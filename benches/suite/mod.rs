//! What both benchmark programs share, in the order in which it is best read: options, graphs, programs, how a program
//! is timed and its answer compared, what a timing is held against, how it is printed, and the session of all of it.

mod ablations;
mod answers;
mod arguments;
pub(crate) mod floor;
mod graphs;
mod guarded;
pub(crate) mod line;
mod many;
mod own;
mod program;
pub(crate) mod rates;
mod schedules;
mod session;
mod shapes;
mod steps;
mod table;
pub(crate) mod targets;
pub(crate) mod timer;
mod worst;

pub(crate) use answers::Judge;
pub(crate) use arguments::Arguments;
pub(crate) use graphs::{Graph, Prepared};
pub(crate) use line::Line;
pub(crate) use program::Program;
pub(crate) use session::run;
pub(crate) use table::Table;

/// Benchmarks end at the first thing that goes wrong, and say what it was.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

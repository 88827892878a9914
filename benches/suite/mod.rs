//! What both benchmark programs share: their options, the graphs, the programs run over each, and the lines printed.

mod arguments;
mod graphs;
mod guarded;
mod line;
mod programs;

pub(crate) use arguments::Arguments;
pub(crate) use graphs::{GRAPHS, Prepared};
pub(crate) use line::{Line, Table};
pub(crate) use programs::{Judge, run_all};

/// Benchmarks end at the first thing that goes wrong, and say what it was.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

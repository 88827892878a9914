//! Code that both benchmark programs share. The best order for reading it: options, graphs, programs, timing and
//! comparison of answers, targets and floors, printing, and the session that puts it all together.

mod ablations;
mod answers;
mod arguments;
pub(crate) mod beside;
mod chains;
mod end_to_end;
pub(crate) mod floor;
mod graphs;
mod guarded;
mod homes;
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

/// Result type of the benchmarks, which end at the first error and print it.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

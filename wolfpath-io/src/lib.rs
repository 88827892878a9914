//! Graphs from and to files of every format, plain and compressed: [`load`] makes an edge list of a file, [`save`] writes
//! one, and [`OpenGraph`] opens a layered graph by its path, from what an earlier run kept if that is still fresh.
//!
//! Edge lists, layered graphs and the `.wolf` file are those of `wolfpath-core`, which knows no other format. Users depend
//! on the crate `wolfpath`, which re-exports what they need.

mod compression;
pub mod load;
mod open;
pub mod save;

pub use open::{OpenError, OpenGraph, OpenOptions};

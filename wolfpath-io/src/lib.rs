//! Reading and writing graphs in every format, plain and compressed. [`load`] reads a file into an edge list, and
//! [`save`] writes an edge list to a file. [`OpenGraph`] opens a layered graph by its path. If an earlier run kept the
//! graph and it is still fresh, that copy is used.
//!
//! Edge lists, layered graphs and `.wolf` files are implemented in `wolfpath-core`, which supports no other format.
//! Users depend on the crate `wolfpath`, which re-exports the public items of both crates.

mod compression;
pub mod load;
mod open;
pub mod save;

pub use open::{OpenError, OpenGraph, OpenOptions};

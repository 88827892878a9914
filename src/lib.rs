//! wolfpath: write what happens on one edge as a Rust function, and run it over whole graphs.

// The programs of this crate name it as its users do.
extern crate self as wolfpath;

pub mod prelude;
pub mod programs;
#[doc(hidden)]
pub mod twin;

pub use wolfpath_core::program;
pub use wolfpath_macros::edge_program;

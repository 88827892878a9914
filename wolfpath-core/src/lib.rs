//! The parts of wolfpath that need no engine and no file format except `.wolf`: the programming model, edge lists,
//! generators, layering, the `.wolf` file, and the oracles (slow serial programs with which every engine is compared).
//! The crate `wolfpath-io` reads and writes the other formats. Users depend on the crate `wolfpath`, which re-exports
//! the public items.

#[doc(hidden)]
pub mod assemble;
pub mod cache;
pub mod edge_list;
pub mod generate;
pub mod graph;
#[doc(hidden)]
pub mod memory;
pub mod oracle;
mod packed;
mod parallel;
mod partition;
pub mod program;
pub mod progress;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod replace;
pub mod resources;
#[doc(hidden)]
pub mod space;
pub mod store;
#[doc(hidden)]
pub mod trees;
#[doc(hidden)]
pub mod trusted;
pub mod weights;

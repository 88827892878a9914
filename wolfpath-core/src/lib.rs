//! The parts of wolfpath that need no engine: the programming model, edge lists and their loaders, layering, the
//! `.wolf` file, and the serial oracles that every engine is compared with. Users depend on the crate `wolfpath`,
//! which re-exports what they need.

pub mod cache;
pub mod edge_list;
pub mod generate;
pub mod graph;
pub mod load;
pub mod memory;
pub mod oracle;
mod partition;
pub mod program;
pub mod progress;
pub mod random;
pub mod resources;
pub mod save;
pub mod space;
pub mod store;
pub mod trusted;
pub mod weights;

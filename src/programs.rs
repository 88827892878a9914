//! The bundled programs, written only with `#[edge_program]`. A name without a suffix is the program over `u32`. Names
//! such as `bfs_u64` and `sssp_f32` are the same program over another number type.

mod adsorption;
mod breadth_first;
mod components;
mod cores;
mod pagerank;
mod reachability;
mod shortest_paths;
mod widest_paths;

pub use adsorption::{AccumulatingAdsorption, Adsorption, LABELS};
pub use breadth_first::{bfs, bfs_f32, bfs_f64, bfs_u64};
pub use components::Components;
pub use cores::CoreNumbers;
pub use pagerank::{AccumulatingPageRank, AccumulatingPageRankF64, PageRank, PageRankF64};
pub use reachability::reach;
pub use shortest_paths::{sssp, sssp_f32, sssp_f64, sssp_u64};
pub use widest_paths::{widest, widest_f32, widest_f64, widest_u64};

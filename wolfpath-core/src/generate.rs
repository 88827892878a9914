//! Graphs made up: for examples, tests and timings where no file is at hand. Each is a function of its parameters and
//! seed alone, the same on every machine and with every number of threads.
//!
//! All of them are undirected, without duplicates and self-loops; both directions of an edge stand next to each other.

mod grid;
mod pairs;
mod random_edges;
mod rmat;

pub use grid::grid;
pub use random_edges::random;
pub use rmat::rmat;

pub use crate::save::{WriteError, write_edge_list};

use crate::edge_list::{EdgeList, EdgeListError};
use crate::random::edge_weight;

/// How many edges are drawn a vertex, by custom (Graph 500).
pub const EDGE_FACTOR: u32 = 16;

/// Why a graph cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// Too many vertices for their ids' type.
    #[error("{asked} vertices are too many: at most 2147483648 (scale 31) can be generated")]
    TooManyVertices {
        /// How many were asked for.
        asked: u64,
    },
    /// The edges do not fit the memory.
    #[error(
        "{edges} edges need more memory than can be had ({bytes} bytes in one piece); choose a smaller scale or edge factor"
    )]
    Memory {
        /// How many edges there are to be.
        edges: u64,
        /// The piece that was refused.
        bytes: u64,
    },
}

/// The most vertices that are generated.
const MOST_VERTICES: u64 = 1 << 31;

fn check_vertices(asked: u64) -> Result<u32, GenerateError> {
    if asked > MOST_VERTICES { Err(GenerateError::TooManyVertices { asked }) } else { Ok(asked as u32) }
}

impl EdgeList {
    /// The same edges with made-up weights from 1 to `max`, the same in both directions of an edge: what
    /// `--weights random:SEED:MAX` means.
    pub fn with_random_weights(self, seed: u64, max: u32) -> Result<EdgeList, EdgeListError> {
        self.with_weights_by(|source, target| edge_weight(seed, max, source, target))
    }
}

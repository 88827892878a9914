//! Graphs made up: for examples, tests and timings where no file is at hand. Each is a function of its parameters and
//! seed alone, the same on every machine and with every number of threads.
//!
//! All of them are undirected, without duplicates and self-loops: each edge is listed once, the smaller id first,
//! ascending, and counts in both directions. A [`Recipe`] says what to make; where nobody wants to watch, there is a
//! function for each.

mod buckets;
mod grid;
mod pairs;
mod random_edges;
mod recipe;
mod rmat;
mod road;
mod small_world;

pub use recipe::{Recipe, grid, random, rmat, road, small_world};

use crate::edge_list::EdgeList;
use crate::random::edge_weight;

/// How many edges are drawn a vertex, by custom (Graph 500).
pub const EDGE_FACTOR: u32 = 16;

/// Why a graph cannot be made.
///
/// ```
/// use wolfpath::generate::{self, GenerateError};
///
/// let error = generate::small_world(10, 3, 0.1, 1).unwrap_err();
/// assert!(matches!(error, GenerateError::Neighbours { asked: 3, vertices: 10 }), "an odd number");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// Too many vertices for their ids' type.
    #[error("{asked} vertices are too many: at most 2147483648 (scale 31) can be generated")]
    TooManyVertices {
        /// How many were asked for.
        asked: u64,
    },
    /// The edges do not fit the memory.
    #[error(
        "{items} edges need more memory than can be had ({bytes} bytes in one piece); choose a smaller scale, size or edge factor"
    )]
    Memory {
        /// How many edges, or vertices, there are to be.
        items: u64,
        /// The piece that was refused.
        bytes: u64,
    },
    /// Memory is short for it, told before anything is done.
    #[error(
        "about {bytes} bytes of memory are needed to make this graph, {available} are available; choose a smaller scale, \
         size or edge factor, or a larger machine"
    )]
    TooLarge {
        /// How many bytes, about.
        bytes: u64,
        /// How many there are.
        available: u64,
    },
    /// A ring cannot have these neighbours.
    #[error(
        "{asked} neighbours on a ring of {vertices} vertices are impossible: expected an even number below that of vertices"
    )]
    Neighbours {
        /// How many were asked for.
        asked: u32,
        /// How many vertices there are.
        vertices: u32,
    },
    /// A number is no probability.
    #[error("{found} is no probability: expected a number from 0 to 1")]
    Probability {
        /// The number.
        found: f64,
    },
}

/// The most vertices that are generated.
const MOST_VERTICES: u64 = 1 << 31;

fn check_vertices(asked: u64) -> Result<u32, GenerateError> {
    if asked > MOST_VERTICES { Err(GenerateError::TooManyVertices { asked }) } else { Ok(asked as u32) }
}

impl EdgeList {
    /// Returns the same edges with random weights from 1 to `max`, the same in both directions of an edge. They depend on
    /// `seed` and the ids of the ends alone.
    ///
    /// ```
    /// use wolfpath::generate;
    ///
    /// let edges = generate::grid(20, 10, 1)?.with_random_weights(7, 64);
    /// assert!(edges.weights().is_some());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn with_random_weights(self, seed: u64, max: u32) -> EdgeList {
        let weighted = self.with_weights_by(|source, target| edge_weight(seed, max, source, target));
        weighted.unwrap_or_else(|error| unreachable!("an integer is never NaN: {error}"))
    }
}

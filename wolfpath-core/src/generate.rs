//! Generated graphs, for examples, tests and benchmarks without input files. A graph depends only on its parameters and
//! seed: it is the same on every machine and for any number of threads.
//!
//! Generated graphs have no duplicates and no self-loops, and their edges are listed in ascending order. All are
//! undirected, except directed R-MAT graphs. An undirected edge is listed once, with the smaller id first, and counts
//! in both directions. A [`Recipe`] describes a graph. Each kind of graph also has a function, which reports no
//! progress.

mod buckets;
mod grid;
mod pairs;
mod random_edges;
mod recipe;
mod rmat;
mod road;
mod small_world;

pub use recipe::{Recipe, grid, random, rmat, rmat_directed, road, small_world};

use crate::edge_list::EdgeList;
use crate::random::edge_weight;

/// The usual number of random edges per vertex, as in Graph 500.
pub const EDGE_FACTOR: u32 = 16;

/// Error from generating a graph.
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
    /// There are too many vertices for the type of ids.
    #[error("{asked} vertices are too many: at most 2147483648 (scale 31) can be generated")]
    TooManyVertices {
        /// The requested number of vertices.
        asked: u64,
    },
    /// There is not enough memory for the edges.
    #[error(
        "not enough memory for {items} edges ({bytes} bytes in one allocation); choose a smaller scale, size or edge \
         factor"
    )]
    Memory {
        /// Number of edges or vertices to generate.
        items: u64,
        /// Size of the allocation that failed.
        bytes: u64,
    },
    /// There is not enough memory. This is detected before generation starts.
    #[error(
        "about {bytes} bytes of memory are needed to generate this graph, but only {available} are available; choose \
         a smaller scale, size or edge factor, or a larger machine"
    )]
    TooLarge {
        /// Approximate number of bytes needed.
        bytes: u64,
        /// Number of bytes available.
        available: u64,
    },
    /// A ring cannot have this number of neighbours.
    #[error(
        "{asked} neighbours on a ring of {vertices} vertices are impossible: expected an even number below {vertices}"
    )]
    Neighbours {
        /// The requested number of neighbours.
        asked: u32,
        /// Number of vertices.
        vertices: u32,
    },
    /// A number is not a probability.
    #[error("{found} is not a probability: expected a number from 0 to 1")]
    Probability {
        /// The number.
        found: f64,
    },
}

/// Maximum number of generated vertices.
const MOST_VERTICES: u64 = 1 << 31;

fn check_vertices(asked: u64) -> Result<u32, GenerateError> {
    if asked > MOST_VERTICES { Err(GenerateError::TooManyVertices { asked }) } else { Ok(asked as u32) }
}

impl EdgeList {
    /// Returns the same edges with random weights from 1 to `max`. Both directions of an edge have the same weight. The
    /// weights depend only on `seed` and the ids of the endpoints.
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

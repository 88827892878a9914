//! [`Recipe`]: the kind and size of a graph to generate.

use super::GenerateError;
use crate::edge_list::EdgeList;
use crate::memory;
use crate::progress::Progress;

/// The kind and size of a graph to generate.
///
/// ```
/// use wolfpath::generate::Recipe;
/// use wolfpath::progress::Progress;
///
/// let recipe = Recipe::Rmat { scale: 10, edge_factor: 16, directed: false };
/// assert!(recipe.peak_bytes() < 1 << 20, "a megabyte is enough");
/// assert!(recipe.make(1, &Progress::NONE)?.num_edges() < 2 * 16 << 10);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Recipe {
    /// R-MAT graph with the parameters of Graph 500. It has 2^`scale` vertices in random order, and `edge_factor` edges
    /// are drawn per vertex. Duplicates and self-loops are dropped. If the graph is directed, an edge and its opposite
    /// are not duplicates.
    Rmat {
        /// Base-2 logarithm of the number of vertices.
        scale: u32,
        /// Number of edges drawn per vertex.
        edge_factor: u32,
        /// `true` to keep edges in the direction in which they are drawn, `false` for an undirected graph.
        directed: bool,
    },
    /// Grid with gaps. Vertices are numbered row by row. Each vertex is joined to its left or its upper neighbour at
    /// random (on the border, to the one that exists), and about one vertex in four is joined to both. As a result, all
    /// vertices are connected, but more than a third of a full grid's edges are missing, so paths wind.
    Grid {
        /// Number of vertices per row.
        width: u32,
        /// Number of rows.
        height: u32,
    },
    /// Connected graph like a road network: crossings, roads between them that wind through vertices of degree 2, and
    /// dead ends. It has about 2.1 vertices per crossing, an average degree of 2.4 and a large diameter.
    Road {
        /// Number of crossings from left to right.
        width: u32,
        /// Number of crossings from top to bottom.
        height: u32,
        /// `true` to use the lengths of edges as weights. A road from one crossing to the next has a length of about
        /// 1000.
        lengths: bool,
    },
    /// Uniformly random graph. `edge_factor` edges are drawn per vertex, each between two random vertices. Duplicates
    /// and
    /// self-loops are dropped.
    Random {
        /// Number of vertices.
        vertices: u32,
        /// Number of edges drawn per vertex.
        edge_factor: u32,
    },
    /// Small world: a ring in which each vertex is joined to its nearest neighbours. Some edges are rewired to a random
    /// vertex other than their source. A rewired edge that already exists is dropped.
    SmallWorld {
        /// Number of vertices.
        vertices: u32,
        /// Number of neighbours of each vertex before rewiring. Must be even.
        neighbours: u32,
        /// Probability that an edge is rewired, from 0 to 1.
        rewired: f64,
    },
}

impl Recipe {
    /// Returns the approximate peak memory of generating the graph, in bytes.
    pub fn peak_bytes(self) -> u64 {
        let (vertices, draws) = self.size();
        // Each draw takes eight bytes in a bucket, and another eight bytes in the lists of sources and targets.
        draws.saturating_mul(16).saturating_add(vertices.saturating_mul(8))
    }

    /// Returns the approximate number of vertices, and the number of edges drawn.
    fn size(self) -> (u64, u64) {
        match self {
            Recipe::Rmat { scale, edge_factor, .. } => {
                let vertices = 1u64.checked_shl(scale).unwrap_or(u64::MAX);
                (vertices, vertices.saturating_mul(edge_factor.into()))
            }
            Recipe::Random { vertices, edge_factor } => {
                (vertices.into(), u64::from(vertices) * u64::from(edge_factor))
            }
            Recipe::SmallWorld { vertices, neighbours, .. } => {
                (vertices.into(), u64::from(vertices) * u64::from(neighbours / 2))
            }
            Recipe::Grid { width, height } => {
                let vertices = u64::from(width) * u64::from(height);
                (vertices, vertices)
            }
            Recipe::Road { width, height, .. } => {
                let crossings = u64::from(width) * u64::from(height);
                (crossings.saturating_mul(3), crossings.saturating_mul(3))
            }
        }
    }

    /// Generates the graph, on all threads of the current pool. A graph that needs more memory than is available is
    /// rejected before generation starts.
    ///
    /// ```
    /// use wolfpath::generate::Recipe;
    /// use wolfpath::progress::Progress;
    ///
    /// let roads = Recipe::Road { width: 30, height: 20, lengths: true }.make(3, &Progress::NONE)?;
    /// assert!(roads.weights().is_some());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn make(self, seed: u64, progress: &Progress) -> Result<EdgeList, GenerateError> {
        let (bytes, available) = (self.peak_bytes(), memory::available().unwrap_or(u64::MAX));
        // If there are too many vertices, the generator itself returns a more specific error.
        if bytes > available && self.size().0 <= 1 << 31 {
            return Err(GenerateError::TooLarge { bytes, available });
        }
        match self {
            Recipe::Rmat { scale, edge_factor, directed } => {
                super::rmat::make(scale, edge_factor, directed, seed, progress)
            }
            Recipe::Grid { width, height } => super::grid::make(width, height, seed, progress),
            Recipe::Road { width, height, lengths } => {
                super::road::make(width, height, lengths, seed, progress)
            }
            Recipe::Random { vertices, edge_factor } => {
                super::random_edges::make(vertices, edge_factor, seed, progress)
            }
            Recipe::SmallWorld { vertices, neighbours, rewired } => {
                super::small_world::make(vertices, neighbours, rewired, seed, progress)
            }
        }
    }
}

/// Generates an undirected [`Recipe::Rmat`], without reporting progress.
///
/// ```
/// use wolfpath::generate::{self, EDGE_FACTOR};
/// use wolfpath::prelude::*;
///
/// let edges = generate::rmat(10, EDGE_FACTOR, 1)?;
/// let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
/// assert!(graph.num_vertices() <= 1 << 10);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn rmat(scale: u32, edge_factor: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    Recipe::Rmat { scale, edge_factor, directed: false }.make(seed, &Progress::NONE)
}

/// Generates a directed [`Recipe::Rmat`], without reporting progress. Without the directions of its edges, it is the
/// graph that [`rmat`] generates.
///
/// ```
/// use wolfpath::generate::{self, EDGE_FACTOR};
///
/// let edges = generate::rmat_directed(10, EDGE_FACTOR, 1)?;
/// assert!(!edges.is_symmetric());
/// assert!(edges.num_edges() < generate::rmat(10, EDGE_FACTOR, 1)?.num_edges());
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn rmat_directed(scale: u32, edge_factor: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    Recipe::Rmat { scale, edge_factor, directed: true }.make(seed, &Progress::NONE)
}

/// Generates a [`Recipe::Grid`], without reporting progress.
///
/// ```
/// use wolfpath::generate;
///
/// // Every vertex except the first has one or two edges to earlier vertices.
/// assert!((599..1200).contains(&(generate::grid(30, 20, 1)?.num_edges() / 2)));
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn grid(width: u32, height: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    Recipe::Grid { width, height }.make(seed, &Progress::NONE)
}

/// Generates a [`Recipe::Road`], without reporting progress.
///
/// ```
/// use wolfpath::generate;
///
/// assert!(generate::road(30, 20, true, 1)?.weights().is_some());
/// assert!(!generate::road(30, 20, false, 1)?.weights().is_some());
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn road(width: u32, height: u32, lengths: bool, seed: u64) -> Result<EdgeList, GenerateError> {
    Recipe::Road { width, height, lengths }.make(seed, &Progress::NONE)
}

/// Generates a [`Recipe::Random`], without reporting progress.
///
/// ```
/// use wolfpath::generate;
///
/// let edges = generate::random(1_000, 8, 1)?;
/// assert!(edges.num_edges() <= 2 * 8_000, "each draw gives an edge in both directions");
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn random(vertices: u32, edge_factor: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    Recipe::Random { vertices, edge_factor }.make(seed, &Progress::NONE)
}

/// Generates a [`Recipe::SmallWorld`], without reporting progress.
///
/// ```
/// use wolfpath::generate;
///
/// let ring = generate::small_world(100, 4, 0.0, 1)?;
/// assert_eq!(ring.num_edges(), 400);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn small_world(
    vertices: u32,
    neighbours: u32,
    rewired: f64,
    seed: u64,
) -> Result<EdgeList, GenerateError> {
    Recipe::SmallWorld { vertices, neighbours, rewired }.make(seed, &Progress::NONE)
}

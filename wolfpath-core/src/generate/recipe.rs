//! [`Recipe`]: what kind of graph to make, and how large.

use super::GenerateError;
use crate::edge_list::EdgeList;
use crate::memory;
use crate::progress::Progress;

/// What to make.
///
/// ```
/// use wolfpath::generate::Recipe;
/// use wolfpath::progress::Progress;
///
/// let recipe = Recipe::Rmat { scale: 10, edge_factor: 16 };
/// assert!(recipe.peak_bytes() < 1 << 20, "a megabyte is enough");
/// assert!(recipe.make(1, &Progress::NONE)?.num_edges() < 2 * 16 << 10);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Recipe {
    /// R-MAT with the parameters of Graph 500. 2^`scale` vertices in random order, and `edge_factor` times as many
    /// draws of an edge; duplicates and self-loops among them are left out.
    Rmat {
        /// The logarithm of the number of vertices.
        scale: u32,
        /// How many edges are drawn a vertex.
        edge_factor: u32,
    },
    /// A grid with gaps, row by row. Each vertex is joined to its left or its upper neighbour by the toss of a coin (on
    /// the border to the one there is), about every fourth to both. So all are connected, nearly half of the grid's
    /// edges are missing, and ways wind.
    Grid {
        /// Vertices in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// Like a road network: crossings joined by ways that wind through vertices of degree 2, and dead ends; connected,
    /// with about 2.1 vertices a crossing, degrees of 2.4 on average, and a long way from end to end.
    Road {
        /// Crossings from left to right.
        width: u32,
        /// Crossings from top to bottom.
        height: u32,
        /// Whether edges get their lengths as weights, a thousand or so from crossing to crossing.
        lengths: bool,
    },
    /// Edges between any two vertices. `edge_factor` times as many draws as vertices; duplicates and self-loops among
    /// them are left out.
    Random {
        /// How many vertices.
        vertices: u32,
        /// How many edges are drawn a vertex.
        edge_factor: u32,
    },
    /// A small world: a ring on which each vertex is joined to its nearest neighbours, and some edges rewired, each to
    /// any vertex but the one it starts at. One that is there already is left out.
    SmallWorld {
        /// How many vertices.
        vertices: u32,
        /// To how many neighbours each is joined before anything is rewired: an even number.
        neighbours: u32,
        /// The probability that an edge is rewired: from 0 to 1.
        rewired: f64,
    },
}

impl Recipe {
    /// About how many bytes of memory making the graph takes at its peak.
    pub fn peak_bytes(self) -> u64 {
        let (vertices, draws) = self.size();
        // A draw is a number of eight bytes in a bucket, then in a list of both ends.
        draws.saturating_mul(16).saturating_add(vertices.saturating_mul(8))
    }

    /// About how many vertices there will be, and how many edges are drawn.
    fn size(self) -> (u64, u64) {
        match self {
            Recipe::Rmat { scale, edge_factor } => {
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

    /// Makes the graph, on all threads of the pool it is called in. One that needs more memory than is available is
    /// refused before anything is done.
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
        // Too many vertices are refused as such, by whoever makes them.
        if bytes > available && self.size().0 <= 1 << 31 {
            return Err(GenerateError::TooLarge { bytes, available });
        }
        match self {
            Recipe::Rmat { scale, edge_factor } => super::rmat::make(scale, edge_factor, seed, progress),
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

/// [`Recipe::Rmat`], with nobody told how it goes on.
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
    Recipe::Rmat { scale, edge_factor }.make(seed, &Progress::NONE)
}

/// [`Recipe::Grid`], with nobody told how it goes on.
///
/// ```
/// use wolfpath::generate;
///
/// // A vertex in the middle has one edge backwards or two, every other one.
/// assert!((599..1200).contains(&(generate::grid(30, 20, 1)?.num_edges() / 2)));
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn grid(width: u32, height: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    Recipe::Grid { width, height }.make(seed, &Progress::NONE)
}

/// [`Recipe::Road`], with nobody told how it goes on.
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

/// [`Recipe::Random`], with nobody told how it goes on.
///
/// ```
/// use wolfpath::generate;
///
/// let edges = generate::random(1_000, 8, 1)?;
/// assert!(edges.num_edges() <= 2 * 8_000, "each draw gives an edge both ways");
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn random(vertices: u32, edge_factor: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    Recipe::Random { vertices, edge_factor }.make(seed, &Progress::NONE)
}

/// [`Recipe::SmallWorld`], with nobody told how it goes on.
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

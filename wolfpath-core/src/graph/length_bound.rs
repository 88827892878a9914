//! Upper bounds on sums of weights along shortest paths, from which engines and the command conclude that a number type
//! is wide enough.
//!
//! **Simple paths.** With non-negative weights, a run never stores a sum along a path that visits a vertex twice: the
//! sum at the second visit is not smaller than at the first, so it does not replace it. Every value is therefore at
//! most the largest first value, plus the number of vertices less one times the largest weight, and plus the sum of all
//! weights.
//!
//! **Layers.** If every edge has its reverse, a graph has one round of trees after the root's tree (`forest.rs`): no
//! vertex has out-edges but no in-edges, so the second round is empty, and the next one starts from one vertex of each
//! remaining component and reaches all of it, since edges lead in both directions. These trees share layers. What
//! follows is the layer of isolated vertices. Hence no component's tree has more than *L* layers, where *L* is the
//! larger one of the root's layers and all others. Two vertices of a component are connected by at most *L*-1 edges to
//! the tree's root and *L*-1 edges from there, so a path with the fewest edges has at most 2(*L*-1). Let *B* be the
//! largest first value plus 2(*L*-1) times the largest weight. No final value exceeds *B*, although values along the
//! way may: a vertex can first be reached by a path with many more edges.
//!
//! Dropping every message beyond *B* changes no final value. On a path with the least sum, no part is beyond *B*, since
//! weights are not negative; none of its messages is dropped, and the messages that remain are still sums along paths.
//! The same holds for the least sums over paths of at most *k* edges, the values after *k* steps: a vertex that is
//! reached within *k* steps is reached by a path with the fewest edges from one of the sources. The sum along that path
//! is at most *B*, so the least sum is as well.

use std::fmt;

use super::layered_graph::LayeredGraph;
use super::weighting::WeightChoice;
use crate::program::DatumKind;

/// Upper bound on the values of a run that adds up non-negative integer weights along paths and keeps the least sums,
/// such as shortest paths. If the bound plus one more weight fits in the program's number type, no sum overflows.
///
/// ```
/// use wolfpath::graph::LengthBound;
/// use wolfpath::prelude::*;
///
/// // A star whose weights are so large that a sum over four edges would not fit in 32 bits.
/// let weight = 1u32 << 30;
/// let edges: Vec<_> = (1..5u64).flat_map(|leaf| [(0, leaf, weight), (leaf, 0, weight)]).collect();
/// let graph = LayeredGraph::from_weighted_edges(edges)?;
/// let bound = graph.length_bound(0, u32::MAX.into()).expect("paths have at most two edges");
/// assert_eq!(bound, LengthBound::Layers { longest: 1 << 31, layers: 2 });
/// assert!(bound.drops_messages());
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthBound {
    /// The simple bound, which holds for every graph and for every value of a run: no path that visits each vertex at
    /// most once has a larger sum. It holds without dropping messages.
    SimplePaths {
        /// The bound.
        longest: u64,
    },
    /// The bound for graphs in which every edge has its reverse. It holds for the final values. Values along the way
    /// may exceed it, so engines drop messages that do.
    Layers {
        /// The bound: the largest first value, plus 2(L-1) times the largest weight.
        longest: u64,
        /// L: no component's tree has more layers.
        layers: u32,
    },
}

impl LengthBound {
    /// Returns the bound.
    ///
    /// ```
    /// use wolfpath::graph::LengthBound;
    ///
    /// assert_eq!(LengthBound::SimplePaths { longest: 7 }.longest(), 7);
    /// ```
    pub fn longest(self) -> u64 {
        match self {
            LengthBound::SimplePaths { longest } | LengthBound::Layers { longest, .. } => longest,
        }
    }

    /// Returns `true` if a run drops messages beyond the bound before it stores them.
    ///
    /// ```
    /// use wolfpath::graph::LengthBound;
    ///
    /// assert!(LengthBound::Layers { longest: 7, layers: 2 }.drops_messages());
    /// assert!(!LengthBound::SimplePaths { longest: 7 }.drops_messages());
    /// ```
    pub fn drops_messages(self) -> bool {
        matches!(self, LengthBound::Layers { .. })
    }
}

/// Writes the bound and the reason for it.
///
/// ```
/// use wolfpath::graph::LengthBound;
///
/// let bound = LengthBound::SimplePaths { longest: 7 };
/// assert_eq!(bound.to_string(), "at most 7: no path without repeated vertices is longer");
/// ```
impl fmt::Display for LengthBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LengthBound::SimplePaths { longest } => {
                write!(f, "at most {longest}: no path without repeated vertices is longer")
            }
            LengthBound::Layers { longest, layers } => write!(
                f,
                "at most {longest}: every edge has its reverse, and no tree has more than {layers} layers; messages \
                 beyond it are dropped"
            ),
        }
    }
}

/// The largest weight and the sum of all weights, or upper bounds on them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct WeightLimits {
    pub largest: u64,
    pub sum: u128,
}

impl WeightLimits {
    /// Returns limits that are known from the type of a column; `None` if its numbers may be negative or fractions.
    pub fn of_type(kind: DatumKind) -> Option<WeightLimits> {
        let largest = match kind {
            DatumKind::U8 => u8::MAX.into(),
            DatumKind::U16 => u16::MAX.into(),
            DatumKind::U32 => u32::MAX.into(),
            DatumKind::U64 => u64::MAX,
            _ => return None,
        };
        Some(WeightLimits { largest, sum: u128::MAX })
    }

    /// Returns the bound on sums of such weights in a graph of this many vertices, as
    /// [`LayeredGraph::length_bound`] describes it. `most_layers` is an upper bound on the layers of any component's
    /// tree, if every edge has its reverse and the layers are those of breadth-first trees.
    pub fn bound(
        self,
        vertices: u32,
        most_layers: impl FnOnce() -> Option<u32>,
        first: u64,
        most: u64,
    ) -> Option<LengthBound> {
        let (first, largest) = (u128::from(first), u128::from(self.largest));
        // Numbers of edges are below 2^33, so nothing overflows.
        let simple = u128::from(vertices.saturating_sub(1)) * largest;
        let fits = |length: u128| {
            let longest = first + length;
            (longest + largest <= most.into()).then_some(longest as u64)
        };
        if let Some(longest) = fits(simple.min(self.sum)) {
            return Some(LengthBound::SimplePaths { longest });
        }
        let layers = most_layers()?;
        let longest = fits(u128::from(2 * u64::from(layers.saturating_sub(1))) * largest)?;
        Some(LengthBound::Layers { longest, layers })
    }
}

impl LayeredGraph {
    /// Returns a bound on the values of a run that adds up weights along paths and keeps the least sums, for which no
    /// sum exceeds `most`: the bound plus one more weight is at most `most`. `first` is the largest value of a source.
    /// Returns `None` if no bound shows this, or if a weight is negative or not an integer.
    ///
    /// The weights are only read if the limits of their type, or of the [choice](Self::weight_choice) of random
    /// weights, do not suffice. They are read at most once per graph.
    ///
    /// ```
    /// use wolfpath::graph::LengthBound;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(1, 2, 5u32), (2, 3, 6)])?;
    /// assert_eq!(graph.length_bound(100, 255), Some(LengthBound::SimplePaths { longest: 111 }));
    /// assert_eq!(graph.length_bound(0, 15), None, "a sum of 11, plus 6, exceeds 15");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn length_bound(&self, first: u64, most: u64) -> Option<LengthBound> {
        let possible = self.largest_possible_weight();
        let by_type =
            possible.and_then(|largest| self.bound(WeightLimits { largest, sum: u128::MAX }, first, most));
        by_type.or_else(|| self.bound(self.weight_limits()?, first, most))
    }

    fn bound(&self, weights: WeightLimits, first: u64, most: u64) -> Option<LengthBound> {
        weights.bound(self.num_vertices(), || self.most_tree_layers(), first, most)
    }

    /// Returns an upper bound on the weights that is known without reading them; `None` if weights may be negative or
    /// fractions.
    pub(super) fn largest_possible_weight(&self) -> Option<u64> {
        match self.weight_choice() {
            WeightChoice::Random { max, .. } => Some(max.max(1).into()),
            _ => match self.weights() {
                None => Some(1),
                Some(weights) => Some(WeightLimits::of_type(weights.kind())?.largest),
            },
        }
    }

    /// Returns the limits of the weights themselves; `None` if a weight is negative or not an integer.
    fn weight_limits(&self) -> Option<WeightLimits> {
        match self.weight_extent() {
            None => Some(WeightLimits { largest: 1, sum: self.num_edges().into() }),
            Some(extent) => Some(WeightLimits { largest: extent.largest?, sum: extent.sum? }),
        }
    }

    /// Returns an upper bound on the layers of any component's tree, if every edge has its reverse and the layers are
    /// those of breadth-first trees.
    fn most_tree_layers(&self) -> Option<u32> {
        // The rows of a derived graph are not those that were layered.
        let have_reverses = self.derived.is_none() && self.data.contents.symmetry.edges;
        if !have_reverses || self.is_shuffled() {
            return None;
        }
        let (root, all) = (self.root_layers(), self.num_layers());
        Some(root.max(all.saturating_sub(root)))
    }

    /// Returns `true` if the vertices may be in random order (`LayerOptions::shuffled`). All vertices except the root
    /// then form one layer, but usually not all of them are the root's neighbours.
    fn is_shuffled(&self) -> bool {
        if (self.root_layers(), self.num_layers()) != (2, 2) {
            return false;
        }
        let row = self.out_edges().row(0);
        // Rows are sorted, so parallel edges are adjacent.
        let neighbours = row.chunk_by(|a, b| a == b).filter(|parallel| parallel[0] != 0).count();
        neighbours as u64 + 1 != u64::from(self.num_vertices())
    }
}

#[cfg(test)]
#[path = "length_bound_tests.rs"]
mod tests;

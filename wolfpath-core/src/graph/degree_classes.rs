//! The vertices by the number of their edges, approximately sorted.

use rayon::prelude::*;

use super::apart::apart;
use super::layered_graph::LayeredGraph;
use super::rows::{Direction, Rows};
use crate::store::StoreError;

/// Number of vertices in each class of degrees, of their edges, and of blocks of 32 edges into which their rows are divided.
/// A degree below twice [`EACH`](Self::EACH) has a class
/// of its own; larger degrees share [`EACH`](Self::EACH) classes per octave.
#[derive(Debug)]
pub struct DegreeClasses {
    counts: Vec<[u64; 3]>,
}

impl DegreeClasses {
    /// Number of classes per octave.
    pub const EACH: u64 = 32;

    /// Edges per block.
    pub const BLOCK: u64 = 32;

    /// Number of classes of 64-bit degrees.
    pub const CLASSES: usize = 1920;

    fn of(rows: Rows<'_>) -> DegreeClasses {
        Self::of_degrees(rows.offsets.par_windows(2).with_min_len(1 << 14).map(|pair| pair[1] - pair[0]))
    }

    /// Counts vertices with these degrees.
    pub fn of_degrees(degrees: impl ParallelIterator<Item = u64>) -> DegreeClasses {
        let none = || vec![[0; 3]; Self::CLASSES];
        let add = |mut counts: Vec<[u64; 3]>, degree: u64| {
            let count = &mut counts[Self::class_of(degree)];
            *count = [count[0] + 1, count[1] + degree, count[2] + degree.div_ceil(Self::BLOCK)];
            counts
        };
        let sum = |mut all: Vec<[u64; 3]>, more: Vec<[u64; 3]>| {
            all.iter_mut().flatten().zip(more.into_iter().flatten()).for_each(|(to, from)| *to += from);
            all
        };
        let counts = degrees.fold(none, add).reduce(none, sum);
        DegreeClasses { counts }
    }

    /// Returns the class of a degree. Larger degrees have larger classes, or the same.
    pub(super) fn class_of(degree: u64) -> usize {
        let Some(octave) = degree.checked_ilog2().filter(|_| degree >= Self::EACH) else {
            return degree as usize;
        };
        let shift = octave - Self::EACH.ilog2();
        (Self::EACH + u64::from(shift) * Self::EACH + (degree >> shift) % Self::EACH) as usize
    }

    /// Returns the number of vertices of each class, from the least degrees up.
    pub fn vertices(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        self.counts.iter().map(|count| count[0])
    }

    /// Returns the number of blocks of the rows of each class, from the least degrees up.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        self.counts.iter().map(|count| count[2])
    }

    /// Returns the number of edges of the `most` vertices of largest degree. If only a part of a class belongs to them, its
    /// vertices count with their mean degree.
    pub fn edges_of_largest(&self, most: u64) -> u64 {
        let mut left = most;
        let of_class = |&[vertices, edges, _]: &[u64; 3]| {
            let taken = vertices.min(left);
            left -= taken;
            (u128::from(edges) * u128::from(taken)).checked_div(u128::from(vertices)).unwrap_or(0) as u64
        };
        self.counts.iter().rev().map(of_class).sum()
    }
}

impl LayeredGraph {
    /// Returns the vertices by the number of edges in their rows of one direction, which are counted on the first call.
    ///
    /// # Errors
    /// Returns the errors of [`in_edges`](Self::in_edges).
    #[doc(hidden)]
    pub fn degree_classes(&self, direction: Direction) -> Result<&DegreeClasses, StoreError> {
        let direction = if self.is_input_symmetric() { Direction::Out } else { direction };
        let (rows, kept) = match direction {
            Direction::Out => (self.input_rows(), &self.data.degree_classes[0]),
            Direction::In => (self.input_in_rows()?, &self.data.degree_classes[1]),
        };
        Ok(kept.get_or_init(|| apart(self.data.size(), || DegreeClasses::of(rows))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_in_the_order_of_degrees() {
        let degrees = (0..5000).chain([1 << 20, (1 << 20) + 1, u64::MAX / 2, u64::MAX]);
        let classes: Vec<usize> = degrees.map(DegreeClasses::class_of).collect();
        assert!(classes[..64].iter().copied().eq(0..64), "short rows have a class for each length");
        assert!(classes.is_sorted());
        assert_eq!(classes.last(), Some(&(DegreeClasses::CLASSES - 1)));
    }

    #[test]
    fn edges_of_the_largest_are_counted() {
        // Vertex 0 has four edges, vertex 1 two, and vertices 2 and 3 one.
        let edges = [(0, 1), (0, 2), (0, 3), (0, 0), (1, 2), (1, 3), (2, 0), (3, 0)];
        let graph = LayeredGraph::from_edges(edges).expect("it can be built");
        let out = graph.degree_classes(Direction::Out).expect("the out-rows are there");
        assert_eq!([0, 1, 2, 3, 4, 9].map(|most| out.edges_of_largest(most)), [0, 4, 6, 7, 8, 8]);
        assert!(out.vertices().take(5).eq([0, 2, 1, 0, 1]));
        assert!(out.blocks().take(5).eq([0, 2, 1, 0, 1]));
        // Vertices 0 and 3 have three edges in, vertices 1 and 2 one and two.
        let inward = graph.degree_classes(Direction::In).expect("the in-rows can be computed");
        assert_eq!(inward.vertices().sum::<u64>(), 4);
        assert_eq!(inward.edges_of_largest(4), 8);
    }
}

//! Counts of duplicates and self-loops in a list.

use super::{EdgeList, EdgeListError, Symmetry};
use crate::space::Space;

/// Counts of duplicates and self-loops, which may be mistakes in the input.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
///
/// let counts = EdgeList::from_edges([(1, 2), (1, 2), (3, 3)])?.counts()?;
/// assert_eq!((counts.duplicates, counts.self_loops), (1, 1));
/// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EdgeCounts {
    /// Number of edges beyond the first with the same source and target, regardless of their weights.
    pub duplicates: u64,
    /// Number of edges from a vertex to itself.
    pub self_loops: u64,
}

impl EdgeList {
    /// Counts duplicates and self-loops. The edges are partitioned for this, which visits every edge twice.
    pub fn counts(&self) -> Result<EdgeCounts, EdgeListError> {
        let doubled = self.symmetry == Symmetry::Doubled;
        let duplicates = self.in_groups(doubled, &Space::Memory, |group| {
            let repeated: u64 = group
                .chunk_by(|a, b| a.ends == b.ends)
                .map(|same| {
                    let loops = if doubled && same[0].is_loop() { 1 } else { 1 + u64::from(doubled) };
                    loops * (same.len() as u64 - 1)
                })
                .sum();
            repeated
        })?;
        Ok(EdgeCounts { duplicates: duplicates.into_iter().sum(), self_loops: self.slope.self_loops })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_those_beyond_the_first() {
        let list = EdgeList::from_edges([(1, 2), (1, 2), (2, 1), (1, 2), (3, 3), (3, 3)]).unwrap();
        assert_eq!(list.counts().unwrap(), EdgeCounts { duplicates: 3, self_loops: 2 });
        let list = list.undirected();
        assert_eq!(list.num_edges(), 10);
        assert_eq!(list.counts().unwrap(), EdgeCounts { duplicates: 7, self_loops: 2 });
        assert_eq!(EdgeList::from_edges([]).unwrap().counts().unwrap(), EdgeCounts::default());
    }
}

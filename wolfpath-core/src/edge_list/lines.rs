//! The edges of a list in the order that a format needs. Only this module depends on how a list stores undirected
//! edges: a doubled list stores each edge once and implies its opposite, whereas every other list stores both
//! directions.

use super::{EdgeList, Symmetry};
use rayon::prelude::*;
use std::ops::Range;

/// The edges that a format needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Every directed edge.
    Directions,
    /// Every edge of a symmetric list in one direction only, from the smaller rank to the larger. This holds even if
    /// the weights of the two directions differ, because a reader would interpret two lines as two undirected edges.
    /// Self-loops are visited as often as they are stored.
    Once,
}

/// An edge: the ranks of its endpoints, and the line that has its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedEdge {
    /// The rank of its source.
    pub source: u32,
    /// The rank of its target.
    pub target: u32,
    /// The line that has the edge's weight.
    pub line: usize,
}

/// The lines of a list.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    sources: &'a [u32],
    targets: &'a [u32],
    /// `true` if the list is doubled: each line, except a self-loop, also implies the opposite edge.
    implied: bool,
}

impl<'a> Lines<'a> {
    /// Returns the lines of a list.
    pub fn of(list: &'a EdgeList) -> Lines<'a> {
        let (sources, targets) = (list.sources(), list.targets());
        let implied = list.symmetry() == Symmetry::Doubled;
        Lines { sources, targets, implied }
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns `true` if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Visits the edges of the lines in `range`, in order.
    #[inline]
    pub fn visit(&self, range: Range<usize>, take: Take, mut visit: impl FnMut(RankedEdge)) {
        for line in range {
            let (source, target) = (self.sources[line], self.targets[line]);
            let forth = RankedEdge { source, target, line };
            let back = RankedEdge { source: target, target: source, line };
            match take {
                Take::Once if source <= target => visit(forth),
                Take::Once if self.implied => visit(back),
                Take::Once => {}
                Take::Directions => {
                    visit(forth);
                    if self.implied && source != target {
                        visit(back);
                    }
                }
            }
        }
    }

    /// Returns the number of edges.
    pub fn count(&self, take: Take) -> u64 {
        let ends = self.sources.par_iter().zip(self.targets);
        match (take, self.implied) {
            (Take::Directions, false) | (Take::Once, true) => self.len() as u64,
            (Take::Directions, true) => ends.map(|(source, target)| 1 + u64::from(source != target)).sum(),
            (Take::Once, false) => ends.filter(|(source, target)| source <= target).count() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(list: &EdgeList, take: Take) -> Vec<(u32, u32)> {
        let lines = Lines::of(list);
        let mut edges = Vec::new();
        lines.visit(0..lines.len(), take, |edge| edges.push((edge.source, edge.target)));
        assert_eq!(edges.len() as u64, lines.count(take));
        edges
    }

    #[test]
    fn an_undirected_edge_is_two_directions_or_one_edge() {
        let doubled = EdgeList::from_edges([(0, 1), (2, 2)]).unwrap().undirected();
        let found = EdgeList::from_edges([(0, 1), (2, 2), (1, 0)]).unwrap().undirected();
        assert_eq!(taken(&doubled, Take::Directions), [(0, 1), (1, 0), (2, 2)]);
        assert_eq!(taken(&found, Take::Directions), [(0, 1), (2, 2), (1, 0)]);
        for list in [doubled, found] {
            assert_eq!(taken(&list, Take::Once), [(0, 1), (2, 2)]);
        }
    }

    #[test]
    fn edges_that_differ_in_weight_alone_are_taken_in_one_direction() {
        let list = EdgeList::from_weighted_edges([(0, 1, 3u32), (1, 0, 5)]).unwrap().undirected();
        assert_eq!(taken(&list, Take::Once), [(0, 1), (0, 1)]);
        assert_eq!(taken(&list, Take::Directions), [(0, 1), (1, 0), (1, 0), (0, 1)]);
    }
}

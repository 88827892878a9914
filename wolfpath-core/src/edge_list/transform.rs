//! Transformations of edge lists: adding both directions, removing self-loops and other lines, and grouping parallel
//! edges. The lines that remain keep their order.

use super::{EdgeList, Slope, Symmetry, pack};
use crate::partition::{Partition, Records};
use crate::space::{Space, SpaceError};
use bytemuck::Zeroable;
use rayon::prelude::*;

/// A line with its endpoints as a sort key, for comparison with other lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Zeroable)]
#[repr(C)]
pub(super) struct Candidate {
    /// Both endpoints, packed. If the direction is ignored, the smaller endpoint is in the high half.
    pub(super) ends: u64,
    pub(super) line: u64,
}

impl Candidate {
    pub(super) fn is_loop(self) -> bool {
        self.ends >> 32 == self.ends & 0xffff_ffff
    }
}

impl EdgeList {
    /// Converts the list to an undirected graph. Each line then represents two edges, and a self-loop represents one. A
    /// list is unchanged if it already contains both directions of every edge, that is, each (source, target, weight)
    /// as often as (target, source, weight). [`symmetry`](Self::symmetry) distinguishes the two cases.
    pub fn undirected(mut self) -> EdgeList {
        if !self.is_symmetric() {
            self.symmetry = if self.holds_both_directions() { Symmetry::Found } else { Symmetry::Doubled };
        }
        self
    }

    /// Returns the list without edges from a vertex to itself.
    pub fn without_self_loops(self) -> EdgeList {
        let keep: Vec<bool> = self.sources.par_iter().zip(&self.targets[..]).map(|(u, v)| u != v).collect();
        self.retained(&keep)
    }

    pub(super) fn retained(mut self, keep: &[bool]) -> EdgeList {
        let kept = |column: &[u32]| -> Vec<u32> {
            column.par_iter().zip(keep).filter(|(_, keep)| **keep).map(|(&end, _)| end).collect()
        };
        self.sources = kept(&self.sources).into();
        self.targets = kept(&self.targets).into();
        self.weights = self.weights.map(|weights| weights.retained(|line| keep[line]));
        self.columns = self.columns.map(|column| column.retained(|line| keep[line]));
        self.slope = Slope::of_lists(&self.sources, &self.targets);
        self
    }

    /// Divides all lines into groups, calls `visit` with each group, and returns the results. A group is sorted by
    /// endpoints, then by line. Parallel edges are always in the same group. If `either_way` is `true`, an edge and its
    /// opposite count as parallel.
    pub(super) fn in_groups<T: Send>(
        &self,
        either_way: bool,
        space: &Space,
        visit: impl Fn(&[Candidate]) -> T + Sync,
    ) -> Result<Vec<T>, SpaceError> {
        let lines = LineKeys { list: self, either_way };
        let partition = Partition::of(&lines, self.num_vertices(), space)?;
        Ok(partition.par_map(|_, bucket| {
            let mut group = bucket.values.to_vec();
            group.sort_unstable();
            visit(&group)
        }))
    }
}

/// The lines of a list as records. The key is the source or, if `either_way` is `true`, the smaller endpoint.
struct LineKeys<'a> {
    list: &'a EdgeList,
    either_way: bool,
}

impl Records for LineKeys<'_> {
    type Value = Candidate;

    fn len(&self) -> usize {
        self.list.sources.len()
    }

    #[inline]
    fn visit(&self, lines: std::ops::Range<usize>, mut put: impl FnMut(u32, Candidate)) {
        for line in lines {
            let (source, target) = (self.list.sources[line], self.list.targets[line]);
            let (a, b) =
                if self.either_way { (source.min(target), source.max(target)) } else { (source, target) };
            put(a, Candidate { ends: pack(a, b), line: line as u64 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Weights;

    fn edges(list: &EdgeList) -> Vec<(u64, u64)> {
        list.edges().map(|(source, target, _)| (list.ids().id(source), list.ids().id(target))).collect()
    }

    fn triples(list: &EdgeList) -> Vec<(u64, u64, f64)> {
        let weights = list.weights().unwrap();
        let with_weight = list.edges().zip(edges(list));
        with_weight.map(|((_, _, line), (u, v))| (u, v, weights.get(line))).collect()
    }

    #[test]
    fn a_line_stands_for_two_edges_and_a_loop_for_one() {
        let list = EdgeList::from_weighted_edges([(1, 2, 5), (3, 3, 6), (2, 1, 7)]).unwrap().undirected();
        assert_eq!((list.symmetry(), list.num_lines(), list.num_edges()), (Symmetry::Doubled, 3, 5));
        assert_eq!(triples(&list), [(1, 2, 5.0), (2, 1, 5.0), (3, 3, 6.0), (2, 1, 7.0), (1, 2, 7.0)]);
        assert_eq!(list.clone().undirected(), list);
    }

    #[test]
    fn symmetric_input_is_not_doubled() {
        let list = EdgeList::from_edges([(1, 2), (2, 1), (3, 3), (1, 2), (2, 1)]).unwrap().undirected();
        assert_eq!((list.symmetry(), list.num_edges()), (Symmetry::Found, 5));
        let once_more = EdgeList::from_edges([(1, 2), (2, 1), (1, 2)]).unwrap().undirected();
        assert_eq!((once_more.symmetry(), once_more.num_edges()), (Symmetry::Doubled, 6));
    }

    #[test]
    fn symmetric_means_weights_too() {
        let list = EdgeList::from_weighted_edges([(1, 2, 5), (2, 1, 5)]).unwrap().undirected();
        assert_eq!(list.symmetry(), Symmetry::Found);
        let list = EdgeList::from_weighted_edges([(1, 2, 5), (2, 1, 6)]).unwrap().undirected();
        assert_eq!((list.symmetry(), list.num_edges()), (Symmetry::Doubled, 4));
        let cycle = EdgeList::from_edges([(1, 2), (2, 3), (3, 1), (2, 1)]).unwrap().undirected();
        assert_eq!(cycle.symmetry(), Symmetry::Doubled);
    }

    #[test]
    fn loops_go_with_their_weights_and_vertices_stay() {
        let list = EdgeList::from_weighted_edges([(1, 1, 5), (1, 2, 7)]).unwrap().without_self_loops();
        assert_eq!((list.num_vertices(), edges(&list)), (2, vec![(1, 2)]));
        assert_eq!(list.weights(), Some(&Weights::U32(vec![7])));
    }
}

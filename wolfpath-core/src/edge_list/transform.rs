//! Edge lists made from edge lists: both directions, no duplicates, no self-loops. Order is kept.

use super::counts::pack;
use super::{EdgeList, Symmetry};
use rayon::prelude::*;

impl EdgeList {
    /// The undirected graph of these lines: each gives two edges, one after the other, a self-loop one. A list that
    /// holds both directions of every edge already (the same (source, target, weight) turned round, as often) stays
    /// as it is. [`symmetry`](Self::symmetry) then says which happened.
    pub fn undirected(mut self) -> EdgeList {
        if self.is_symmetric() {
            return self;
        }
        if self.holds_both_directions() {
            self.symmetry = Symmetry::Found;
            return self;
        }
        let (sources, targets) = (std::mem::take(&mut self.sources), std::mem::take(&mut self.targets));
        self.weights = self.weights.map(|weights| weights.repeated(|line| sources[line] != targets[line]));
        let loops = sources.iter().zip(&targets).filter(|(source, target)| source == target).count();
        let edges = 2 * sources.len() - loops;
        self.sources = Vec::with_capacity(edges);
        self.targets = Vec::with_capacity(edges);
        for (source, target) in sources.into_iter().zip(targets) {
            self.sources.push(source);
            self.targets.push(target);
            if source != target {
                self.sources.push(target);
                self.targets.push(source);
            }
        }
        self.symmetry = Symmetry::Doubled;
        self
    }

    /// The list without the edges beyond the first with the same source and target. The first in input order stays,
    /// with its weight, whatever the weights of the others. Where edges are symmetric, the first of either direction
    /// decides the weight of both, so that they stay symmetric.
    pub fn without_duplicates(self) -> EdgeList {
        let keep = self.first_of_each();
        self.retained(&keep)
    }

    /// The list without edges from a vertex to itself.
    pub fn without_self_loops(self) -> EdgeList {
        let keep: Vec<bool> = self.sources.iter().zip(&self.targets).map(|(u, v)| u != v).collect();
        self.retained(&keep)
    }

    fn retained(mut self, keep: &[bool]) -> EdgeList {
        let kept = |column: Vec<u32>| -> Vec<u32> {
            column.into_iter().zip(keep).filter(|(_, keep)| **keep).map(|(end, _)| end).collect()
        };
        self.sources = kept(self.sources);
        self.targets = kept(self.targets);
        self.weights = self.weights.map(|weights| weights.retained(|position| keep[position]));
        self
    }

    /// For each edge whether [`without_duplicates`](Self::without_duplicates) keeps it.
    fn first_of_each(&self) -> Vec<bool> {
        let symmetric = self.is_symmetric();
        let key = |u: u32, v: u32| if symmetric { pack(u.min(v), u.max(v)) } else { pack(u, v) };
        let ends = self.sources.par_iter().zip(&self.targets).enumerate();
        let mut edges: Vec<(u64, usize)> = ends.map(|(place, (&u, &v))| (key(u, v), place)).collect();
        edges.par_sort_unstable();
        let mut keep = vec![false; edges.len()];
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            let first = same[0].1;
            keep[first] = true;
            if symmetric && let Some(&(_, place)) = same.iter().find(|edge| self.are_opposite(first, edge.1))
            {
                keep[place] = true;
            }
        }
        keep
    }

    /// Whether two edges between the same two vertices are one another's opposite, with the same weight.
    fn are_opposite(&self, a: usize, b: usize) -> bool {
        let same_weight = |weights: crate::weights::WeightSlice<'_>| weights.bits(a) == weights.bits(b);
        self.sources[a] == self.targets[b]
            && self.sources[a] != self.sources[b]
            && self.weights.as_ref().is_none_or(|weights| same_weight(weights.slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Weights;

    fn edges(list: &EdgeList) -> Vec<(u64, u64)> {
        (0..list.num_edges() as usize).map(|position| list.edge(position)).collect()
    }

    fn triples(list: &EdgeList) -> Vec<(u64, u64, f64)> {
        let weights = list.weights().unwrap();
        edges(list).into_iter().enumerate().map(|(at, (u, v))| (u, v, weights.get(at))).collect()
    }

    #[test]
    fn a_line_gives_two_edges_and_a_loop_one() {
        let list = EdgeList::from_weighted_edges([(1, 2, 5), (3, 3, 6), (2, 1, 7)]).unwrap().undirected();
        assert_eq!(list.symmetry(), Symmetry::Doubled);
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
        let cycle = EdgeList::from_edges([(1, 2), (2, 3), (3, 1)]).unwrap().undirected();
        assert_eq!(cycle.symmetry(), Symmetry::Doubled);
    }

    #[test]
    fn the_first_duplicate_stays() {
        let list =
            EdgeList::from_weighted_edges([(1, 2, 9), (2, 1, 3), (1, 2, 1), (2, 2, 4), (2, 2, 5)]).unwrap();
        let list = list.without_duplicates();
        assert_eq!(triples(&list), [(1, 2, 9.0), (2, 1, 3.0), (2, 2, 4.0)]);
        assert_eq!(list.counts().duplicates, 0);
    }

    #[test]
    fn symmetric_duplicates_stay_symmetric() {
        let list =
            EdgeList::from_weighted_edges([(1, 2, 5), (1, 2, 7), (2, 1, 7), (2, 1, 5), (4, 4, 1)]).unwrap();
        let list = list.undirected().without_duplicates();
        assert_eq!(triples(&list), [(1, 2, 5.0), (2, 1, 5.0), (4, 4, 1.0)]);
        assert!(list.holds_both_directions());
    }

    #[test]
    fn loops_go_with_their_weights_and_vertices_stay() {
        let list = EdgeList::from_weighted_edges([(1, 1, 5), (1, 2, 7)]).unwrap().without_self_loops();
        assert_eq!((list.num_vertices(), edges(&list)), (2, vec![(1, 2)]));
        assert_eq!(list.weights(), Some(&Weights::U32(vec![7])));
    }
}

//! Merges parallel edges into one. The remaining edge is, as requested, the first, the one with the smallest or the
//! largest weight, or the first with the sum of all weights as its weight.

use super::transform::Candidate;
use super::{EdgeList, EdgeListError, NumberError, Symmetry};
use crate::space::Space;
use crate::weights::{Number, WeightBuilder};
use std::cmp::Ordering;

/// The treatment of edges with the same source and target.
///
/// If edges are symmetric, both directions are treated the same, so that the result is symmetric.
///
/// ```
/// use wolfpath::edge_list::{Duplicates, EdgeList};
///
/// let list = EdgeList::from_weighted_edges([(1, 2, 9), (1, 2, 4)])?.merged(Duplicates::Min)?;
/// assert_eq!((list.num_edges(), list.weights().map(|weights| weights.get(0))), (1, Some(4.0)));
/// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Duplicates {
    /// All edges are kept.
    #[default]
    Keep,
    /// The first edge in input order is kept.
    Drop,
    /// The edge with the smallest weight is kept, with all its columns. If several edges tie, the first is kept. If
    /// there are no weights, every edge counts as 1, so this is the same as [`Drop`](Self::Drop).
    Min,
    /// The edge with the largest weight is kept. Ties and missing weights are treated as for [`Min`](Self::Min).
    Max,
    /// The first edge is kept, with the sum of all weights. If there are no weights, every edge counts as 1, so the sum
    /// is the number of edges. Integers are added exactly, in a wider type if necessary; fractions are added as 64-bit
    /// floats, in input order.
    Sum,
}

impl Duplicates {
    /// Returns the words that describe this treatment in the key of a kept graph; `None` for the default.
    #[doc(hidden)]
    pub fn words(self) -> Option<&'static str> {
        match self {
            Duplicates::Keep => None,
            Duplicates::Drop => Some("duplicates dropped"),
            Duplicates::Min => Some("duplicates merged to the minimum"),
            Duplicates::Max => Some("duplicates merged to the maximum"),
            Duplicates::Sum => Some("duplicates merged to the sum"),
        }
    }

    /// Returns the words that complete a note to the user: "kept", for example, in "3 duplicate edges kept".
    #[doc(hidden)]
    pub fn outcome(self) -> &'static str {
        match self {
            Duplicates::Keep => "kept",
            Duplicates::Drop => "dropped",
            Duplicates::Min => "merged: the edge with the smallest weight is kept",
            Duplicates::Max => "merged: the edge with the largest weight is kept",
            Duplicates::Sum => "merged: the first edge gets the sum of the weights",
        }
    }
}

/// The lines that remain after duplicates were merged.
#[doc(hidden)]
#[derive(Debug)]
pub struct MergedLines {
    /// These lines. Their weights are not those of the sums.
    pub list: EdgeList,
    /// The weights, if those of duplicates were added up.
    pub sums: Option<WeightBuilder>,
    /// For each line of the list before, `true` if it remains.
    pub keep: Vec<bool>,
}

/// The result of merging the duplicates in one group of lines (a group contains all lines that are parallel to any of
/// its lines).
#[derive(Default)]
struct Merged {
    dropped: Vec<u64>,
    /// Each kept line whose weight is replaced by a sum, and that sum.
    sums: Vec<(u64, Number)>,
}

impl EdgeList {
    /// Returns the list without duplicates. The first edge in input order is kept, with its weight and columns, even if
    /// later edges have other weights or columns. If edges are symmetric, the first line between two vertices, in
    /// either direction, determines the weight of both directions, so that the result is symmetric.
    pub fn without_duplicates(self) -> Result<EdgeList, EdgeListError> {
        self.merged(Duplicates::Drop)
    }

    /// Returns the list with at most one edge per pair of source and target. Parallel self-loops are merged in the same
    /// way. [`Duplicates::Keep`] changes nothing.
    ///
    /// # Errors
    /// Returns an error
    ///
    /// - for [`Duplicates::Min`] and [`Duplicates::Max`], if there are several columns and none of them is the
    ///   [weight](Self::weights);
    /// - for [`Duplicates::Sum`], if there are columns other than the weight, or if no number type represents the sums.
    ///
    /// ```
    /// use wolfpath_core::edge_list::{Duplicates, EdgeList};
    ///
    /// let list = EdgeList::from_weighted_edges([(1, 2, 9), (1, 2, 4), (2, 1, 7)])?;
    /// let smallest = list.merged(Duplicates::Min)?;
    /// assert_eq!(smallest.weights().map(|weights| weights.get(0)), Some(4.0));
    /// assert_eq!(smallest.num_edges(), 2);
    /// # Ok::<(), wolfpath_core::edge_list::EdgeListError>(())
    /// ```
    pub fn merged(self, duplicates: Duplicates) -> Result<EdgeList, EdgeListError> {
        match self.merged_in(duplicates, &Space::Memory) {
            Ok((list, None)) => Ok(list),
            Ok((list, Some(line))) => {
                let (source_id, target_id) = list.edge(line);
                Err(EdgeListError::SumOfDuplicates { source_id, target_id })
            }
            Err(NumberError::Edges(error)) => Err(error),
            Err(NumberError::Space(error)) => Err(error.into()),
        }
    }

    /// Merges duplicates like [`merged`](Self::merged), with its temporary arrays in `space`. Also returns the first
    /// line whose sum was rounded, if any.
    #[doc(hidden)]
    pub fn merged_in(
        self,
        duplicates: Duplicates,
        space: &Space,
    ) -> Result<(EdgeList, Option<usize>), NumberError> {
        if duplicates == Duplicates::Keep {
            return Ok((self, None));
        }
        let MergedLines { mut list, sums, .. } = self.merged_lines(duplicates, space)?;
        let mut rounded = None;
        if let Some(sums) = sums {
            let (weights, first_rounded) = sums.finish();
            (list.weights, rounded) = (Some(weights), first_rounded);
        }
        Ok((list, rounded))
    }

    /// Merges duplicates like [`merged_in`](Self::merged_in), without choosing the type of sums.
    #[doc(hidden)]
    pub fn merged_lines(self, duplicates: Duplicates, space: &Space) -> Result<MergedLines, NumberError> {
        self.check_columns_for(duplicates)?;
        let groups =
            self.in_groups(self.is_symmetric(), space, |group| self.merge_group(group, duplicates))?;
        let mut keep = vec![true; self.sources.len()];
        let mut sums = Vec::new();
        for group in groups {
            let merged = group?;
            merged.dropped.into_iter().for_each(|line| keep[line as usize] = false);
            sums.extend(merged.sums);
        }
        sums.sort_unstable_by_key(|(line, _)| *line);
        let sums = (duplicates == Duplicates::Sum).then(|| self.summed(&keep, sums));
        Ok(MergedLines { list: self.retained(&keep), sums, keep })
    }

    /// Returns an error if the rule is not defined for the list's columns.
    fn check_columns_for(&self, duplicates: Duplicates) -> Result<(), EdgeListError> {
        let others = !self.columns.others.is_empty();
        let compares = matches!(duplicates, Duplicates::Min | Duplicates::Max);
        if others && (duplicates == Duplicates::Sum || (compares && self.weights.is_none())) {
            let columns: Vec<&str> = self.columns().map(|(name, _)| name).collect();
            return Err(EdgeListError::ColumnsOfDuplicates { columns: columns.join(", ") });
        }
        Ok(())
    }

    fn merge_group(&self, group: &[Candidate], duplicates: Duplicates) -> Result<Merged, EdgeListError> {
        let mut merged = Merged::default();
        for same in group.chunk_by(|a, b| a.ends == b.ends).filter(|same| same.len() > 1) {
            let kept = self.one_of(same, duplicates);
            // In a list that stores both directions, the opposite of the kept edge must also be kept.
            let opposite = (self.symmetry == Symmetry::Found)
                .then(|| same.iter().find(|other| self.are_opposite(kept as usize, other.line as usize)))
                .flatten()
                .map(|opposite| opposite.line);
            let is_loop = self.sources[kept as usize] == self.targets[kept as usize];
            assert!(
                self.symmetry != Symmetry::Found || is_loop || opposite.is_some(),
                "the list has both directions of every edge, but lacks the opposite of edge {kept}"
            );
            let others = same.iter().map(|other| other.line);
            merged.dropped.extend(others.filter(|&line| line != kept && Some(line) != opposite));
            if duplicates == Duplicates::Sum {
                let sum = self.sum_of(same, kept as usize)?;
                merged.sums.push((kept, sum));
                merged.sums.extend(opposite.map(|opposite| (opposite, sum)));
            }
        }
        Ok(merged)
    }

    /// Returns the line to keep. The lines in `same` have the same endpoints and are in ascending order.
    fn one_of(&self, same: &[Candidate], duplicates: Duplicates) -> u64 {
        let compare = |a: &&Candidate, b: &&Candidate| match (&self.weights, duplicates) {
            (Some(weights), Duplicates::Min) => weights.slice().compare(a.line as usize, b.line as usize),
            (Some(weights), Duplicates::Max) => weights.slice().compare(b.line as usize, a.line as usize),
            _ => Ordering::Equal,
        };
        // If several lines tie, the first is kept.
        same.iter().min_by(compare).map_or(same[0].line, |kept| kept.line)
    }

    /// Returns the sum of the weights of lines with the same endpoints. A list that stores both directions contains
    /// each weight twice, so only lines in the direction of `kept` are added.
    fn sum_of(&self, same: &[Candidate], kept: usize) -> Result<Number, EdgeListError> {
        let found = self.symmetry == Symmetry::Found;
        let lines = same.iter().map(|candidate| candidate.line as usize);
        let lines = lines.filter(|&line| !found || self.sources[line] == self.sources[kept]);
        let mut numbers = lines.map(|line| self.number_of(line));
        let first = numbers.next().unwrap_or(Number::Integer(0));
        let sum = numbers.try_fold(first, |sum, number| match (sum, number) {
            (Number::Integer(a), Number::Integer(b)) => a.checked_add(b).map(Number::Integer),
            (a, b) => finite_sum(a.nearest_f64(), b.nearest_f64()).map(Number::Float),
        });
        sum.ok_or_else(|| {
            let (source_id, target_id) = self.edge(kept);
            EdgeListError::SumOfDuplicates { source_id, target_id }
        })
    }

    /// Returns the weights of the kept lines. The weights of merged lines are replaced with their sums.
    fn summed(&self, keep: &[bool], sums: Vec<(u64, Number)>) -> WeightBuilder {
        let mut column = WeightBuilder::default();
        let mut sums = sums.into_iter().peekable();
        for line in (0..keep.len()).filter(|&line| keep[line]) {
            let sum = sums.next_if(|(summed, _)| *summed == line as u64);
            column.push(sum.map_or_else(|| self.number_of(line), |(_, sum)| sum));
        }
        column
    }

    fn number_of(&self, line: usize) -> Number {
        self.weights.as_ref().map_or(Number::Integer(1), |weights| weights.slice().number(line))
    }

    /// Returns `true` if two lines between the same vertices are opposites with the same numbers in all columns.
    fn are_opposite(&self, a: usize, b: usize) -> bool {
        self.sources[a] == self.targets[b] && self.sources[a] != self.sources[b] && self.carry_the_same(a, b)
    }
}

/// Returns the sum of two numbers. Returns `None` if the sum is NaN, or if finite numbers overflow to infinity.
fn finite_sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let lost = sum.is_nan() || (sum.is_infinite() && a.is_finite() && b.is_finite());
    (!lost).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Weights;

    fn triples(list: &EdgeList) -> Vec<(u64, u64, f64)> {
        let weights = list.weights().unwrap();
        let id = |rank| list.ids().id(rank);
        list.edges().map(|(u, v, line)| (id(u), id(v), weights.get(line))).collect()
    }

    fn merged(edges: &[(u64, u64, i64)], duplicates: Duplicates) -> Vec<(u64, u64, f64)> {
        triples(&EdgeList::from_weighted_edges(edges.to_vec()).unwrap().merged(duplicates).unwrap())
    }

    const EDGES: [(u64, u64, i64); 6] = [(1, 2, 9), (2, 1, 3), (1, 2, 1), (2, 2, 4), (2, 2, -5), (1, 2, 9)];

    #[test]
    fn every_rule_keeps_one_edge() {
        assert_eq!(merged(&EDGES, Duplicates::Min), [(2, 1, 3.0), (1, 2, 1.0), (2, 2, -5.0)]);
        assert_eq!(merged(&EDGES, Duplicates::Max), [(1, 2, 9.0), (2, 1, 3.0), (2, 2, 4.0)]);
        assert_eq!(merged(&EDGES, Duplicates::Sum), [(1, 2, 19.0), (2, 1, 3.0), (2, 2, -1.0)]);
        assert_eq!(merged(&EDGES, Duplicates::Keep).len(), 6);
    }

    #[test]
    fn both_directions_of_undirected_edges_have_one_weight() {
        let lines = EdgeList::from_weighted_edges(EDGES).unwrap().undirected();
        let least = lines.clone().merged(Duplicates::Min).unwrap();
        assert_eq!(triples(&least), [(1, 2, 1.0), (2, 1, 1.0), (2, 2, -5.0)]);
        let sum = lines.merged(Duplicates::Sum).unwrap();
        assert_eq!(triples(&sum), [(1, 2, 22.0), (2, 1, 22.0), (2, 2, -1.0)]);
        let both =
            [(1, 2, 0.1), (2, 1, 0.3), (1, 2, 0.3), (2, 1, 0.2), (1, 2, 0.2), (2, 1, 0.1), (4, 4, 1.0)];
        let both = EdgeList::from_weighted_edges(both).unwrap().undirected();
        assert_eq!(both.symmetry(), Symmetry::Found);
        for (duplicates, weight) in
            [(Duplicates::Min, 0.1), (Duplicates::Max, 0.3), (Duplicates::Sum, 0.1 + 0.3 + 0.2)]
        {
            let mut edges = triples(&both.clone().merged(duplicates).unwrap());
            edges.sort_by_key(|edge| (edge.0, edge.1));
            assert_eq!(edges, [(1, 2, weight), (2, 1, weight), (4, 4, 1.0)], "{duplicates:?}");
        }
    }

    #[test]
    fn without_weights_a_sum_counts() {
        let list = EdgeList::from_edges([(1, 2), (1, 2), (3, 1), (1, 2)]).unwrap();
        let counted = list.clone().merged(Duplicates::Sum).unwrap();
        assert_eq!(counted.weights(), Some(&Weights::U32(vec![3, 1])));
        let least = list.merged(Duplicates::Min).unwrap();
        assert_eq!((least.weights(), least.num_edges()), (None, 2));
    }

    #[test]
    fn sums_widen_and_never_wrap() {
        let sum = |edges: Vec<(u64, u64, u64)>| {
            EdgeList::from_weighted_edges(edges).unwrap().merged(Duplicates::Sum)
        };
        let most = u64::from(u32::MAX);
        let wide = sum(vec![(1, 2, most), (1, 2, most)]).unwrap();
        assert_eq!(wide.weights(), Some(&Weights::U64(vec![2 * most])));
        let error = sum(vec![(1, 2, u64::MAX), (5, 6, 1), (1, 2, 2)]).unwrap_err();
        assert_eq!(error, EdgeListError::SumOfDuplicates { source_id: 1, target_id: 2 });
        // A 64-bit float represents -2^64 exactly.
        let negative =
            EdgeList::from_weighted_edges([(1, 2, i64::MIN), (1, 2, i64::MIN), (2, 1, 1)]).unwrap();
        assert!(negative.merged(Duplicates::Sum).is_ok_and(|list| list.weights().is_some()));
        let floats = EdgeList::from_weighted_edges([(1, 2, f64::MAX), (1, 2, f64::MAX)]).unwrap();
        assert!(matches!(floats.merged(Duplicates::Sum), Err(EdgeListError::SumOfDuplicates { .. })));
        let infinite = [(1, 2, f64::INFINITY), (1, 2, f64::NEG_INFINITY)];
        assert!(EdgeList::from_weighted_edges(infinite).unwrap().merged(Duplicates::Sum).is_err());
    }

    #[test]
    fn the_least_keeps_all_its_numbers_and_needs_a_weight() {
        let rows = [(1, 2, (9u32, 1u32)), (1, 2, (3, 2))];
        let list = EdgeList::from_rows(["weight", "toll"], rows).unwrap();
        let least = list.clone().merged(Duplicates::Min).unwrap();
        assert_eq!(least.column("toll"), Some(&Weights::U32(vec![2])));
        assert!(matches!(list.merged(Duplicates::Sum), Err(EdgeListError::ColumnsOfDuplicates { .. })));
        let unclear = EdgeList::from_rows(["length", "toll"], rows).unwrap();
        for duplicates in [Duplicates::Min, Duplicates::Max] {
            let error = unclear.clone().merged(duplicates).unwrap_err().to_string();
            assert!(error.contains("length, toll"), "{error}");
        }
        assert_eq!(unclear.merged(Duplicates::Drop).unwrap().num_edges(), 1);
    }

    #[test]
    fn the_first_duplicate_stays() {
        let list =
            EdgeList::from_weighted_edges([(1, 2, 9), (2, 1, 3), (1, 2, 1), (2, 2, 4), (2, 2, 5)]).unwrap();
        let list = list.without_duplicates().unwrap();
        assert_eq!(triples(&list), [(1, 2, 9.0), (2, 1, 3.0), (2, 2, 4.0)]);
        assert_eq!(list.counts().unwrap().duplicates, 0);
    }

    #[test]
    fn symmetric_duplicates_stay_symmetric() {
        let both = EdgeList::from_weighted_edges([(1, 2, 5), (1, 2, 7), (2, 1, 7), (2, 1, 5), (4, 4, 1)]);
        let list = both.unwrap().undirected().without_duplicates().unwrap();
        assert_eq!(triples(&list), [(1, 2, 5.0), (2, 1, 5.0), (4, 4, 1.0)]);
        assert!(list.holds_both_directions());
        let once = EdgeList::from_weighted_edges([(1, 2, 5), (2, 1, 7), (4, 4, 1), (4, 4, 2)]).unwrap();
        let list = once.undirected().without_duplicates().unwrap();
        assert_eq!(triples(&list), [(1, 2, 5.0), (2, 1, 5.0), (4, 4, 1.0)]);
        assert_eq!(list.num_edges(), 3);
    }
}

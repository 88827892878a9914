//! How many duplicates and self-loops a list holds.

use super::EdgeList;
use rayon::prelude::*;

/// Edges that some inputs hold by mistake and some on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// Edges beyond the first with the same source and target, whatever their weights.
    pub duplicates: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
}

impl EdgeList {
    /// Counts duplicates and self-loops, by sorting.
    pub fn counts(&self) -> EdgeCounts {
        let mut edges = self.packed();
        let self_loops = edges.par_iter().filter(|&&edge| edge >> 32 == edge & 0xffff_ffff).count() as u64;
        edges.par_sort_unstable();
        let duplicates = edges.par_windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        EdgeCounts { duplicates, self_loops }
    }

    /// Each edge as one number: the source's rank above the target's.
    pub(super) fn packed(&self) -> Vec<u64> {
        let ends = self.sources.par_iter().zip(&self.targets);
        ends.map(|(&source, &target)| pack(source, target)).collect()
    }
}

pub(super) fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_those_beyond_the_first() {
        let list = EdgeList::from_edges([(1, 2), (1, 2), (2, 1), (1, 2), (3, 3), (3, 3)]).unwrap();
        assert_eq!(list.counts(), EdgeCounts { duplicates: 3, self_loops: 2 });
        assert_eq!(EdgeList::from_edges([]).unwrap().counts(), EdgeCounts::default());
    }
}

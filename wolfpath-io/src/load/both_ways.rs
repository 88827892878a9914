//! Undirected edges of a format that lists each edge in the rows of both of its vertices. The two entries of an edge
//! become a single edge. An edge that is listed in only one of the rows is detected.

use super::whole::Whole;
use wolfpath_core::assemble::{Number, integer_value};
use wolfpath_core::random;

/// Entries of all rows, in the order of the file. An entry consists of the vertex of the row (the source) and a
/// neighbour (the target).
#[derive(Debug, Default)]
pub(super) struct BothWays {
    /// Entries whose target is not smaller than their source, packed with the source in the upper half. Each edge of a
    /// valid file is in this list exactly once.
    ahead: Vec<u64>,
    /// All other entries, packed with the target in the upper half, so that the two entries of an edge are equal
    /// numbers.
    back: Vec<u64>,
    /// Weights of `ahead`, as numbers that are equal if and only if the weights are equal; empty without weights.
    /// `back_weights` are those of `back`.
    ahead_weights: Vec<u64>,
    back_weights: Vec<u64>,
    /// Sum of the hashes of `ahead` (without self-loops) minus those of `back`; 0 if both contain the same edges.
    balance: u64,
    self_loops: u64,
}

/// Entry without a matching entry in the other end's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unmatched {
    pub(super) source: u32,
    pub(super) target: u32,
    /// `true` if the other end lists the edge with a different weight.
    pub(super) weight: bool,
}

impl BothWays {
    /// Adds an entry of the row of `source`. Returns `true` if this entry, and not the one in the row of `target`,
    /// represents the edge.
    #[inline]
    pub(super) fn push(&mut self, source: u32, target: u32, weight: Option<Number>) -> bool {
        let weight = weight.map(distinct);
        let key = u64::from(source.min(target)) << 32 | u64::from(source.max(target));
        let hash = random::hash(weight.unwrap_or(0), key);
        let ahead = source <= target;
        let (keys, weights) = if ahead {
            (&mut self.ahead, &mut self.ahead_weights)
        } else {
            (&mut self.back, &mut self.back_weights)
        };
        keys.push(key);
        weights.extend(weight);
        match source == target {
            true => self.self_loops += 1,
            false if ahead => self.balance = self.balance.wrapping_add(hash),
            false => self.balance = self.balance.wrapping_sub(hash),
        }
        ahead
    }

    /// Returns the number of edges, counting each once.
    pub(super) fn edges(&self) -> u64 {
        self.ahead.len() as u64
    }

    /// Returns an entry that the other end's row does not match, if there is one.
    pub(super) fn unmatched(&self) -> Option<Unmatched> {
        let lengths_agree = self.ahead.len() as u64 - self.self_loops == self.back.len() as u64;
        if self.balance == 0 && lengths_agree {
            return None;
        }
        let (ahead, back) =
            (sorted(&self.ahead, &self.ahead_weights), sorted(&self.back, &self.back_weights));
        let at = ahead.iter().zip(&back).position(|(a, b)| a != b).unwrap_or(ahead.len().min(back.len()));
        let ends = |key: u64| ((key >> 32) as u32, key as u32);
        match (ahead.get(at), back.get(at)) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                let (source, target) = ends(a.0);
                Some(Unmatched { source, target, weight: true })
            }
            (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                let (source, target) = ends(a.0);
                Some(Unmatched { source, target, weight: false })
            }
            (_, Some(b)) => {
                let (target, source) = ends(b.0);
                Some(Unmatched { source, target, weight: false })
            }
            _ => None,
        }
    }

    /// Adds each edge once to `parsed`, in the order of the entries. `first` is the id of vertex 0, and is added to
    /// every vertex number.
    pub(super) fn into_edges(self, first: u64, parsed: &mut Whole) {
        for key in self.ahead {
            parsed.edges.push(first + (key >> 32), first + (key & 0xffff_ffff));
        }
        parsed.undirected = true;
    }
}

/// Converts a weight to an integer: equal weights give equal integers, and different weights give different ones.
fn distinct(weight: Number) -> u64 {
    match weight {
        Number::Integer(integer) => random::hash((integer >> 64) as u64, integer as u64),
        // A float without a fraction is treated as the equal integer. The exception is -0.0, which differs from 0.
        Number::Float(float) => match integer_value(float) {
            Some(integer) if float != 0.0 || float.is_sign_positive() => distinct(Number::Integer(integer)),
            _ => random::hash(1, float.to_bits()),
        },
    }
}

/// Returns the entries that are not self-loops in sorted order, with the integers that represent their weights.
fn sorted(keys: &[u64], weights: &[u64]) -> Vec<(u64, u64)> {
    let weights = weights.iter().copied().chain(std::iter::repeat(0));
    let no_loop = |key: &u64| key >> 32 != key & 0xffff_ffff;
    let mut entries: Vec<(u64, u64)> =
        keys.iter().copied().zip(weights).filter(|(key, _)| no_loop(key)).collect();
    rayon::slice::ParallelSliceMut::par_sort_unstable(entries.as_mut_slice());
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmatched(entries: &[(u32, u32, i128)]) -> Option<Unmatched> {
        let mut both = BothWays::default();
        for &(source, target, weight) in entries {
            both.push(source, target, Some(Number::Integer(weight)));
        }
        both.unmatched()
    }

    #[test]
    fn mirrored_entries_match() {
        assert_eq!(unmatched(&[(0, 1, 5), (1, 0, 5), (1, 1, 9)]), None);
        assert_eq!(unmatched(&[(0, 1, 5), (0, 1, 6), (1, 0, 6), (1, 0, 5)]), None);
        assert_eq!(unmatched(&[]), None);
    }

    #[test]
    fn the_one_sided_entry_is_named() {
        let lonely = |source, target, weight| Some(Unmatched { source, target, weight });
        assert_eq!(unmatched(&[(0, 1, 5), (1, 0, 5), (1, 2, 5)]), lonely(1, 2, false));
        assert_eq!(unmatched(&[(0, 1, 5), (1, 0, 5), (2, 1, 5)]), lonely(2, 1, false));
        assert_eq!(unmatched(&[(0, 2, 5), (2, 1, 5)]), lonely(0, 2, false));
        assert_eq!(unmatched(&[(0, 2, 5), (2, 0, 4)]), lonely(0, 2, true));
        assert_eq!(unmatched(&[(0, 2, 5), (0, 2, 5), (2, 0, 5)]), lonely(0, 2, false));
    }
}

//! Checks whether a list contains both directions of every edge. This is true if the multiset of triples (source,
//! target, weight) does not change when all edges are reversed. Here, the weight of an edge means the numbers in all of
//! its columns.
//!
//! Two multisets are compared by the sums of their elements' hashes. The hash is keyed with a random number that this
//! process chooses. For any input, unequal multisets therefore have equal sums only with a probability of 2^-64.

use super::{EdgeList, pack};
use crate::random;
use rayon::prelude::*;
use std::hash::{BuildHasher, RandomState};

impl EdgeList {
    /// Returns `true` if every edge has an opposite edge of the same weight, with the same multiplicity.
    pub(super) fn holds_both_directions(&self) -> bool {
        // The rise (`slope.rise`), the number of edges to a higher rank minus the number to a lower rank, is already
        // known. It is nonzero for nearly every list that contains each edge in one direction only.
        self.slope.rise == 0 && self.equals_its_transpose()
    }

    fn equals_its_transpose(&self) -> bool {
        let key = RandomState::new().hash_one(0);
        let ends = self.sources.par_iter().zip(&self.targets[..]).enumerate().with_min_len(1 << 14);
        let difference = ends.map(|(line, (&u, &v))| {
            let weight = self.bits(line, key);
            let hash = |u, v| random::hash(key ^ weight, pack(u, v) ^ key);
            hash(u, v).wrapping_sub(hash(v, u))
        });
        difference.reduce(|| 0, u64::wrapping_add) == 0
    }
}

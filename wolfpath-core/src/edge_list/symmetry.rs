//! Whether a list holds both directions of every edge: as a multiset of (source, target, weight), with all columns, it
//! equals its transpose.
//!
//! Two multisets are compared by the sums of their elements' hashes. The hash is keyed by random numbers of this
//! process, so that unequal multisets have equal sums with a chance of 2^-64, whatever the input.

use super::{EdgeList, pack};
use crate::random;
use rayon::prelude::*;
use std::hash::{BuildHasher, RandomState};

impl EdgeList {
    /// Whether every edge has its opposite of the same weight, as often as itself.
    pub(super) fn holds_both_directions(&self) -> bool {
        // The first is known, and enough to say no to nearly every list that names each edge once.
        self.slope.rise == 0 && self.equals_itself_turned_round()
    }

    fn equals_itself_turned_round(&self) -> bool {
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

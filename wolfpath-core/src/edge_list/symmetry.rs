//! Whether a list holds both directions of every edge: as a multiset of (source, target, weight) it equals itself
//! turned round.

use super::EdgeList;
use super::counts::pack;
use crate::random;
use crate::weights::WeightSlice;
use rayon::prelude::*;

impl EdgeList {
    /// Whether every edge has its opposite of the same weight, as often as itself.
    pub(super) fn holds_both_directions(&self) -> bool {
        self.fingerprints_agree() && self.equals_itself_turned_round()
    }

    /// The cheap part of the answer, enough to say no to every list but one in 2^64: a hash of the multiset equals
    /// that of the multiset turned round.
    fn fingerprints_agree(&self) -> bool {
        let weights = self.weights.as_ref().map(|weights| weights.slice());
        let ends = self.sources.par_iter().zip(&self.targets).enumerate();
        let difference = ends.map(|(position, (&u, &v))| {
            let weight = weights.map_or(0, |weights| weights.bits(position));
            let hash = |u, v| random::hash(weight, pack(u, v));
            hash(u, v).wrapping_sub(hash(v, u))
        });
        difference.reduce(|| 0, u64::wrapping_add) == 0
    }

    fn equals_itself_turned_round(&self) -> bool {
        match &self.weights {
            None => {
                let turned = self.sources.par_iter().zip(&self.targets).map(|(&u, &v)| pack(v, u)).collect();
                sorted(self.packed()) == sorted(turned)
            }
            Some(weights) => {
                let weights = weights.slice();
                sorted(self.keys(weights, pack)) == sorted(self.keys(weights, |u, v| pack(v, u)))
            }
        }
    }

    fn keys(&self, weights: WeightSlice<'_>, key: impl Fn(u32, u32) -> u64 + Sync) -> Vec<(u64, u64)> {
        let ends = self.sources.par_iter().zip(&self.targets).enumerate();
        ends.map(|(position, (&u, &v))| (key(u, v), weights.bits(position))).collect()
    }
}

fn sorted<T: Ord + Send>(mut keys: Vec<T>) -> Vec<T> {
    keys.par_sort_unstable();
    keys
}

//! The comparison of a layered graph with its transpose.
//!
//! Two multisets of edges are compared by the sums of their elements' hashes: one pass in memory order. (Looking up
//! every edge's opposite by binary search took more than half of all layering on R-MAT 20: a cache miss an edge.) The
//! hash is keyed by random numbers of this process, so that unequal multisets have equal sums with a chance of
//! 2^-64, whatever the input, and nobody can make one up for which they have.

use std::hash::{BuildHasher, RandomState};

use rayon::prelude::*;

use super::rows::Rows;
use crate::store::{Contents, SymmetryFlags, WeightColumn};
use crate::weights::{Columns, WeightSlice};

/// How the sums of hashes one way differ from those the other way; all 0 when they do not.
#[derive(Clone, Copy, Default)]
struct Difference {
    /// Of (source, target).
    edges: u64,
    /// Of (source, target, weight), with all columns.
    weights: u64,
    /// Of (source, target, weight, how many parallel edges come before).
    order: u64,
}

/// The weights and columns of all edges.
pub(super) struct EdgeValues<'a> {
    weights: Option<WeightSlice<'a>>,
    others: Vec<WeightSlice<'a>>,
}

impl<'a> EdgeValues<'a> {
    /// By these columns.
    pub(super) fn of(
        weights: Option<&'a WeightColumn>,
        columns: &'a Columns<WeightColumn>,
    ) -> EdgeValues<'a> {
        let others = columns.others.iter().map(|column| column.numbers.slice()).collect();
        EdgeValues { weights: weights.map(WeightColumn::slice), others }
    }

    /// By those of contents.
    pub(super) fn by(contents: &'a Contents) -> EdgeValues<'a> {
        EdgeValues::of(contents.weights.as_ref(), &contents.columns)
    }

    /// Nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_none() && self.others.is_empty()
    }

    /// What the edge at a position carries: equal for equal numbers in all columns.
    #[inline]
    fn bits(&self, position: usize, key: u64) -> Option<u64> {
        let weight = self.weights.map(|weights| weights.bits(position));
        if self.others.is_empty() {
            return weight;
        }
        let others = self.others.iter();
        Some(others.fold(weight.unwrap_or(0), |bits, column| mix(mix(bits ^ key) ^ column.bits(position))))
    }
}

/// Compares a graph with its transpose.
pub(super) fn symmetry_of(rows: Rows<'_>, carried: &EdgeValues<'_>) -> SymmetryFlags {
    let random = RandomState::new();
    let keys = [random.hash_one(0), random.hash_one(1), random.hash_one(2)];
    let difference = (0..rows.num_vertices())
        .into_par_iter()
        .with_min_len(256)
        .map(|vertex| difference_of_row(rows, vertex, carried, keys))
        .reduce(Difference::default, Difference::plus);
    let edges = difference.edges == 0;
    let weights = edges && difference.weights == 0;
    SymmetryFlags { edges, weights, order: weights && difference.order == 0 }
}

fn difference_of_row(rows: Rows<'_>, vertex: u32, carried: &EdgeValues<'_>, keys: [u64; 3]) -> Difference {
    let mut difference = Difference::default();
    let mut parallel = 0;
    let mut before = None;
    for position in rows.range(vertex) {
        let end = rows.ends[position];
        parallel = if before == Some(end) { parallel + 1 } else { 0 };
        before = Some(end);
        let weight = carried.bits(position, keys[1]);
        difference.add(hashes(vertex, end, weight, parallel, keys), u64::wrapping_add);
        difference.add(hashes(end, vertex, weight, parallel, keys), u64::wrapping_sub);
    }
    difference
}

/// The hashes of one edge.
fn hashes(source: u32, target: u32, weight: Option<u64>, parallel: u64, keys: [u64; 3]) -> Difference {
    let edges = mix((u64::from(source) << 32 | u64::from(target)) ^ keys[0]);
    let Some(weight) = weight else {
        return Difference { edges, ..Difference::default() };
    };
    let weights = mix(edges ^ mix(weight ^ keys[1]));
    Difference { edges, weights, order: mix(weights ^ mix(parallel ^ keys[2])) }
}

impl Difference {
    fn add(&mut self, hashes: Difference, combine: fn(u64, u64) -> u64) {
        self.edges = combine(self.edges, hashes.edges);
        self.weights = combine(self.weights, hashes.weights);
        self.order = combine(self.order, hashes.order);
    }

    fn plus(mut self, other: Difference) -> Difference {
        self.add(other, u64::wrapping_add);
        self
    }
}

/// The finalizer of SplitMix64: every bit of the result depends on every bit.
#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

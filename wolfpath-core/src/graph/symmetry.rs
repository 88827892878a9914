//! The comparison of a layered graph with its transpose.
//!
//! Two multisets of edges are compared by the sums of their elements' hashes, in one pass in memory order. (Finding
//! every edge's opposite by binary search took more than half of all layering time on R-MAT 20, because it costs one
//! cache miss per edge.) The hash is keyed with random numbers of this process. For any input, unequal multisets
//! therefore have equal sums only with a probability of 2^-64, and nobody can construct an input that makes them
//! collide.

use std::hash::{BuildHasher, RandomState};

use rayon::prelude::*;

use super::rows::Rows;
use crate::store::{Contents, SymmetryFlags, WeightColumn};
use crate::weights::{Columns, WeightSlice};

/// The sum of the hashes of all edges, minus the sum of the hashes of all reversed edges, for three kinds of hashes. A
/// 0 means that the edges do not change when they are reversed.
#[derive(Clone, Copy, Default)]
struct Difference {
    /// For hashes of (source, target).
    edges: u64,
    /// For hashes of (source, target, weight), where the weight includes all columns.
    weights: u64,
    /// For hashes of (source, target, weight, number of preceding parallel edges).
    order: u64,
}

/// The weights and columns of all edges.
pub(super) struct EdgeValues<'a> {
    weights: Option<WeightSlice<'a>>,
    others: Vec<WeightSlice<'a>>,
}

impl<'a> EdgeValues<'a> {
    /// Returns the values of these columns.
    pub(super) fn of(
        weights: Option<&'a WeightColumn>,
        columns: &'a Columns<WeightColumn>,
    ) -> EdgeValues<'a> {
        let others = columns.others.iter().map(|column| column.numbers.slice()).collect();
        EdgeValues { weights: weights.map(WeightColumn::slice), others }
    }

    /// Returns the values of the columns in `contents`.
    pub(super) fn by(contents: &'a Contents) -> EdgeValues<'a> {
        EdgeValues::of(contents.weights.as_ref(), &contents.columns)
    }

    /// Returns `true` if edges have neither weights nor other columns.
    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_none() && self.others.is_empty()
    }

    /// Returns bits that represent all values of the edge at a position. Edges with equal values in all columns have
    /// equal bits.
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

/// Returns the hashes of one edge.
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

/// Returns the SplitMix64 finalizer of `bits`: every bit of the result depends on every bit of the argument.
#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

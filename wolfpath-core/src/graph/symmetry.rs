//! Whether a layered graph equals itself turned round.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::rows::Rows;
use crate::store::Symmetry;
use crate::weights::WeightSlice;

/// Compares the parallel edges of every pair of vertices with those the other way. Rows are sorted, so both are
/// found by binary search; a graph that is not symmetric is usually found out in its first rows.
pub(super) fn symmetry_of(rows: Rows<'_>, weights: Option<WeightSlice<'_>>) -> Symmetry {
    let weights_differ = AtomicBool::new(false);
    let order_differs = AtomicBool::new(false);
    let edges = (0..rows.num_vertices()).into_par_iter().with_min_len(256).all(|vertex| {
        for_each_run(rows, vertex, |end, run| {
            let Some(opposite) = opposite_run(rows, vertex, end, run.len()) else {
                return false;
            };
            if let Some(weights) = weights.filter(|_| vertex < end) {
                compare_weights(weights, run, opposite, &weights_differ, &order_differs);
            }
            true
        })
    });
    let weights = edges && !weights_differ.into_inner();
    Symmetry { edges, weights, order: weights && !order_differs.into_inner() }
}

/// Calls `visit` with every end of a row and the positions of the edges to it, until it says no.
fn for_each_run(rows: Rows<'_>, vertex: u32, mut visit: impl FnMut(u32, Range<usize>) -> bool) -> bool {
    let Range { start: mut begin, end: last } = rows.range(vertex);
    while begin < last {
        let end = rows.ends[begin];
        let mut after = begin + 1;
        while after < last && rows.ends[after] == end {
            after += 1;
        }
        if !visit(end, begin..after) {
            return false;
        }
        begin = after;
    }
    true
}

/// The positions of the edges `end -> vertex`, when there are as many as `count`.
fn opposite_run(rows: Rows<'_>, vertex: u32, end: u32, count: usize) -> Option<Range<usize>> {
    let begin = rows.twin(end, vertex, 0);
    let range = rows.range(end);
    let edge = |position: usize| range.contains(&position) && rows.ends[position] == vertex;
    (edge(begin + count - 1) && !edge(begin + count)).then_some(begin..begin + count)
}

fn compare_weights(
    weights: WeightSlice<'_>,
    run: Range<usize>,
    opposite: Range<usize>,
    weights_differ: &AtomicBool,
    order_differs: &AtomicBool,
) {
    if run.clone().zip(opposite.clone()).all(|(a, b)| weights.bits(a) == weights.bits(b)) {
        return;
    }
    order_differs.store(true, Ordering::Relaxed);
    let sorted = |positions: Range<usize>| {
        let mut bits: Vec<u64> = positions.map(|position| weights.bits(position)).collect();
        bits.sort_unstable();
        bits
    };
    if sorted(run) != sorted(opposite) {
        weights_differ.store(true, Ordering::Relaxed);
    }
}

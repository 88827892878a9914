//! Small graphs with self-loops and parallel edges, for the tests of the oracles.

use crate::graph::Rows;
use crate::random::{below, hash};

/// The rows of a small graph.
pub(super) struct Stored {
    offsets: Vec<u64>,
    ends: Vec<u32>,
}

impl Stored {
    /// Stores edges by source, in ascending rows.
    pub(super) fn new(vertices: u32, edges: &[(u32, u32)]) -> Stored {
        let mut edges = edges.to_vec();
        edges.sort_unstable();
        let start = |vertex| edges.partition_point(|&(source, _)| source < vertex) as u64;
        let offsets = (0..=vertices).map(start).collect();
        Stored { offsets, ends: edges.into_iter().map(|(_, target)| target).collect() }
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, ends: &self.ends }
    }
}

/// Returns random directed edges.
pub(super) fn random_edges(vertices: u32, count: usize, seed: u64) -> Vec<(u32, u32)> {
    let end = |number: usize| below(vertices, hash(seed, number as u64));
    (0..count).map(|edge| (end(2 * edge), end(2 * edge + 1))).collect()
}

/// Returns the opposite edges.
pub(super) fn reversed(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    edges.iter().map(|&(source, target)| (target, source)).collect()
}

/// Returns both directions of all edges. A self-loop has only one.
pub(super) fn both_ways(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let opposite = reversed(edges).into_iter().filter(|(source, target)| source != target);
    edges.iter().copied().chain(opposite).collect()
}

//! Rows of edges: the part of a graph that engines read most.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

/// Which way edges are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a source to its targets: the rows of [`out_edges`](super::LayeredGraph::out_edges).
    Out,
    /// From a target to its sources: the rows of [`in_edges`](super::LayeredGraph::in_edges).
    In,
}

/// The edges of every vertex, row after row. All vertices are internal indices; each row is ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows<'a> {
    /// Where each row begins in `ends`, and after the last row where it ends: one more entry than vertices.
    pub offsets: &'a [u64],
    /// The other end of each edge: targets in out-rows, sources in in-rows.
    pub ends: &'a [u32],
}

impl<'a> Rows<'a> {
    /// How many rows there are.
    pub fn num_vertices(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// The positions of a vertex's edges.
    #[inline]
    pub fn range(&self, vertex: u32) -> std::ops::Range<usize> {
        self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize
    }

    /// The other ends of a vertex's edges.
    #[inline]
    pub fn row(&self, vertex: u32) -> &'a [u32] {
        &self.ends[self.range(vertex)]
    }

    /// How many edges a vertex has.
    #[inline]
    pub fn degree(&self, vertex: u32) -> u64 {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }

    /// The rows of the transposed graph. Within a row the sources ascend; parallel edges keep their order,
    /// because nothing but their weight tells them apart, and weights are found by [`Rows::twin`].
    pub(super) fn transposed(&self) -> OwnedRows {
        let vertices = self.offsets.len() - 1;
        let degrees = zeros(vertices);
        self.ends.par_iter().for_each(|&end| {
            degrees[end as usize].fetch_add(1, Ordering::Relaxed);
        });
        let offsets = offsets_of(&degrees);
        let next: Vec<AtomicU64> =
            offsets[..vertices].par_iter().map(|&offset| AtomicU64::new(offset)).collect();
        let slots: Vec<AtomicU32> = self.ends.par_iter().map(|_| AtomicU32::new(0)).collect();
        (0..vertices as u32).into_par_iter().for_each(|source| {
            for &end in self.row(source) {
                let slot = next[end as usize].fetch_add(1, Ordering::Relaxed);
                slots[slot as usize].store(source, Ordering::Relaxed);
            }
        });
        let mut ends: Vec<u32> = slots.into_iter().map(AtomicU32::into_inner).collect();
        // Threads filled the rows in any order; sorted, they are the same on every run.
        for_each_row(&offsets, &mut ends, |_, row| row.sort_unstable());
        OwnedRows { offsets, ends }
    }

    /// The position, in these rows, of the edge `vertex -> end` that is the `nth` among its parallels.
    pub(super) fn twin(&self, vertex: u32, end: u32, nth: usize) -> usize {
        let range = self.range(vertex);
        range.start + self.ends[range].partition_point(|&other| other < end) + nth
    }
}

/// Rows that own their memory.
#[derive(Debug)]
pub(super) struct OwnedRows {
    pub(super) offsets: Vec<u64>,
    pub(super) ends: Vec<u32>,
}

impl OwnedRows {
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, ends: &self.ends }
    }
}

/// Counters for every vertex.
pub(super) fn zeros(vertices: usize) -> Vec<AtomicU64> {
    (0..vertices).into_par_iter().map(|_| AtomicU64::new(0)).collect()
}

/// The offsets of rows with these degrees.
pub(super) fn offsets_of(degrees: &[AtomicU64]) -> Vec<u64> {
    let mut offsets = Vec::with_capacity(degrees.len() + 1);
    let mut sum = 0;
    offsets.push(0);
    for degree in degrees {
        sum += degree.load(Ordering::Relaxed);
        offsets.push(sum);
    }
    offsets
}

/// Calls `visit` with every row, in parallel, each row as its own mutable slice.
pub(super) fn for_each_row<T: Send>(offsets: &[u64], items: &mut [T], visit: impl Fn(u32, &mut [T]) + Sync) {
    split_rows(0, offsets, items, &visit);
}

/// Halves the vertices until a piece is small enough for one thread.
fn split_rows<T: Send>(
    first: u32,
    offsets: &[u64],
    items: &mut [T],
    visit: &(impl Fn(u32, &mut [T]) + Sync),
) {
    const SMALL: u64 = 16 * 1024;
    let rows = offsets.len() - 1;
    if rows == 0 {
        return;
    }
    let begin = offsets[0];
    if rows == 1 || offsets[rows] - begin + rows as u64 <= SMALL {
        let mut rest = items;
        for (row, pair) in offsets.windows(2).enumerate() {
            let (items, after) = rest.split_at_mut((pair[1] - pair[0]) as usize);
            visit(first + row as u32, items);
            rest = after;
        }
        return;
    }
    let half = rows / 2;
    let (left, right) = items.split_at_mut((offsets[half] - begin) as usize);
    rayon::join(
        || split_rows(first, &offsets[..=half], left, visit),
        || split_rows(first + half as u32, &offsets[half..], right, visit),
    );
}

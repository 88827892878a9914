//! Distinct neighbours of the own vertices of a part.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::PartRows;

/// Distinct neighbours of own vertices: the vertices adjacent to each in either direction, except the vertex itself.
#[derive(Debug)]
pub struct PartNeighbours {
    /// Rows of own vertices, in the order of the whole graph.
    pub rows: PartRows,
    /// A bit per edge of these rows, set if the own vertex has an edge to the neighbour. Empty if all are set.
    pub targets: Vec<u64>,
    /// Sums of the numbers of neighbours, in the whole graph, of all vertices before each vertex of the part.
    pub degrees: Vec<u64>,
    earlier: OnceLock<PartRows>,
}

impl PartNeighbours {
    /// Returns the neighbours of own vertices, marks of their targets, and the sums of the numbers of neighbours of all vertices
    /// of the part.
    pub fn new(rows: PartRows, targets: Vec<u64>, degrees: Vec<u64>) -> PartNeighbours {
        PartNeighbours { rows, targets, degrees, earlier: OnceLock::new() }
    }

    /// Returns the rows over which own vertices gather: all neighbours or, if the program is `oriented`, those of an earlier
    /// place, given the ranks of the part's vertices.
    pub(super) fn gathered(&self, oriented: bool, ranks: &[u32]) -> &PartRows {
        if !oriented {
            return &self.rows;
        }
        self.earlier.get_or_init(|| {
            let is_earlier = |v: u32, end: u32, _| self.place(end, ranks) < self.place(v, ranks);
            let (offsets, ends) = self.kept(&is_earlier, &|_| {});
            PartRows::new(offsets, ends, Vec::new())
        })
    }

    /// Returns what orders the vertices of oriented rows: the number of neighbours, and then the rank.
    pub(super) fn place(&self, v: u32, ranks: &[u32]) -> (u64, u32) {
        (self.degree(v), ranks[v as usize])
    }

    /// Returns `true` if the own vertex has an edge to the neighbour at this position.
    pub(super) fn is_target(&self, position: usize) -> bool {
        self.targets.is_empty() || self.targets[position / 64] >> (position % 64) & 1 != 0
    }

    /// Returns the number of neighbours of a vertex of the part.
    pub(super) fn degree(&self, v: u32) -> u64 {
        self.degrees[v as usize + 1] - self.degrees[v as usize]
    }

    /// Returns the offsets and the ends of rows of those neighbours of own vertices for which
    /// `is_kept(vertex, neighbour, position)`, after `change` has changed each row.
    pub(super) fn kept(
        &self,
        is_kept: &(dyn Fn(u32, u32, usize) -> bool + Sync),
        change: &(dyn Fn(&mut [u32]) + Sync),
    ) -> (Vec<u64>, Vec<u32>) {
        let rows = self.rows.rows();
        let kept = |v: u32| {
            let ends = rows.row(v).iter().zip(rows.range(v));
            ends.filter(move |&(&end, position)| is_kept(v, end, position)).map(|(&end, _)| end)
        };
        let mut offsets = vec![0; rows.num_vertices() as usize + 1];
        offsets[1..]
            .par_iter_mut()
            .zip(0..rows.num_vertices())
            .for_each(|(length, v)| *length = kept(v).count() as u64);
        (1..offsets.len()).for_each(|v| offsets[v] += offsets[v - 1]);
        let mut ends = vec![0; offsets[offsets.len() - 1] as usize];
        let mut rest = ends.as_mut_slice();
        let parts = offsets.windows(2).map(|row| {
            let (part, others) = std::mem::take(&mut rest).split_at_mut((row[1] - row[0]) as usize);
            rest = others;
            part
        });
        let parts: Vec<&mut [u32]> = parts.collect();
        parts.into_par_iter().zip(0..rows.num_vertices()).for_each(|(part, v)| {
            part.iter_mut().zip(kept(v)).for_each(|(slot, end)| *slot = end);
            change(part);
        });
        (offsets, ends)
    }
}

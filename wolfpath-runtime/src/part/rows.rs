//! Rows of a part: those over which own vertices gather, and their transpose, along which all of its vertices send.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use wolfpath_core::graph::Rows;
use wolfpath_core::program::DatumKind;
use wolfpath_core::weights::Weights;

use super::common::Counts;

/// Rows over which own vertices gather: the ends of their edges as vertices of the part, in the order of the whole graph. Rows of
/// [pieces](super::PartPieces) follow.
#[derive(Debug)]
pub struct PartRows {
    /// Start of each row, then the number of edges.
    pub offsets: Vec<u64>,
    pub ends: Vec<u32>,
    /// Columns of the edges, in the same order.
    pub columns: Vec<Weights>,
    sends: OnceLock<Sends>,
    /// Place of each edge among the edges of its sender; set when a run first needs it.
    pub(super) places: OnceLock<Arc<Vec<u32>>>,
    pub(super) counts: Counts,
}

/// The transpose of rows over which own vertices gather.
#[derive(Debug)]
pub(super) struct Sends {
    offsets: Vec<u64>,
    ends: Vec<u32>,
    positions: OnceLock<Vec<u64>>,
}

impl PartRows {
    /// Returns rows of own vertices and pieces.
    pub fn new(offsets: Vec<u64>, ends: Vec<u32>, columns: Vec<Weights>) -> PartRows {
        PartRows {
            offsets,
            ends,
            columns,
            sends: OnceLock::new(),
            places: OnceLock::new(),
            counts: Counts::default(),
        }
    }

    /// Returns the bytes of rows of `own` vertices with this number of edges and these columns.
    pub(super) fn bytes(own: u64, edges: u64, columns: &[(DatumKind, String)]) -> u64 {
        let columns = columns.iter().map(|(kind, _)| kind.size() as u64).sum::<u64>();
        8 * (own + 1) + (4 + columns) * edges
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, ends: &self.ends }
    }

    /// Returns the edges by sender, of which there are `senders`. Computes them on the first call.
    pub(super) fn sends(&self, senders: u32) -> &Sends {
        self.sends.get_or_init(|| self.transposed(senders))
    }

    /// Returns the edges by sender, and does not keep them.
    pub(super) fn transposed(&self, senders: u32) -> Sends {
        let senders = senders as usize;
        let mut offsets = vec![0u64; senders + 1];
        self.ends.iter().for_each(|&end| offsets[end as usize + 1] += 1);
        (0..senders).for_each(|sender| offsets[sender + 1] += offsets[sender]);
        let mut next = offsets.clone();
        let mut ends = vec![0; self.ends.len()];
        for (receiver, row) in self.offsets.windows(2).enumerate() {
            for &end in &self.ends[row[0] as usize..row[1] as usize] {
                let slot = &mut next[end as usize];
                ends[*slot as usize] = receiver as u32;
                *slot += 1;
            }
        }
        Sends { offsets, ends, positions: OnceLock::new() }
    }

    /// Returns data of edges in the order of senders.
    pub(super) fn by_sender<T: Copy + Send + Sync>(&self, sends: &Sends, data: &[T]) -> Arc<Vec<T>> {
        Arc::new(self.positions(sends).par_iter().map(|&at| data[at as usize]).collect())
    }

    /// Returns, for each edge by sender, its position in the rows over which own vertices gather. Computed on the first call.
    pub(super) fn positions<'s>(&self, sends: &'s Sends) -> &'s [u64] {
        sends.positions.get_or_init(|| {
            let (mut next, mut positions) = (sends.offsets.clone(), vec![0; self.ends.len()]);
            for (position, &end) in (0..).zip(&self.ends) {
                let slot = &mut next[end as usize];
                positions[*slot as usize] = position;
                *slot += 1;
            }
            positions
        })
    }
}

impl Sends {
    /// Returns the bytes of this number of edges by sender, with their positions if runs read weights.
    pub(super) fn bytes(senders: u64, edges: u64, weighted: bool) -> u64 {
        8 * (senders + 1) + (4 + if weighted { 8 } else { 0 }) * edges
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, ends: &self.ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transpose_has_every_edge_once() {
        let rows = PartRows::new(vec![0, 2, 2, 5], vec![3, 0, 1, 3, 3], Vec::new());
        let sends = rows.sends(4);
        assert_eq!((&*sends.offsets, &*sends.ends), (&[0, 1, 2, 2, 5][..], &[0, 2, 0, 2, 2][..]));
        assert_eq!(rows.positions(sends), [1, 2, 0, 3, 4]);
    }
}

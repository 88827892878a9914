//! Pieces of rows that processes gather for each other.

use std::ops::Range;

use super::{GraphPart, PartRows};

/// Pieces of rows that processes gather for the owners of the rows' vertices, so that all processes gather over about as many
/// edges.
///
/// A vertex is *divided* if another process has a piece of one of its rows. In its owner's part, its rows are empty. Each process
/// that has pieces of them, its owner included, gathers over each piece and tells the owner the result. The owner combines the
/// results in the order of the whole rows.
#[derive(Debug, Default)]
pub struct PartPieces {
    /// Receiver of each piece that this process has, as a vertex of the part: first those that are vertices of process 0, then
    /// those of process 1, and so on, each in the order of vertices in the whole graph, and of edges. The rows of pieces follow
    /// those of own vertices, in the same order.
    pub receivers: Vec<u32>,
    /// For each process, the number of pieces here whose receivers are its own vertices.
    pub held_for: Vec<usize>,
    /// Own vertices that are divided, in ascending order, each with the range of its pieces in `places`.
    pub divided: Vec<(u32, Range<usize>)>,
    /// For each piece of these vertices, in the order of edges, the process that has it, and its position among those that this
    /// process has for them.
    pub places: Vec<(u32, u32)>,
}

impl PartPieces {
    /// Returns the bytes of the starts of so many pieces in both directions, of their receivers, and of what has been gathered over
    /// them, in each of which `gathered` bytes. What an owner has of the pieces that others gather for it is not counted, because
    /// few rows are divided.
    pub(super) fn bytes(pieces: usize, gathered: usize) -> u64 {
        (pieces * (2 * size_of::<u64>() + size_of::<u32>() + gathered)) as u64
    }
}

impl GraphPart {
    /// Returns the vertex that gathers over a row, which is that of an own vertex or a piece.
    pub(super) fn receiver_of(&self, row: usize) -> u32 {
        match (row.checked_sub(self.own as usize), &self.pieces) {
            (Some(piece), Some(pieces)) => pieces.receivers[piece],
            _ => row as u32,
        }
    }
}

impl PartRows {
    /// Returns the number of rows: those of own vertices and of pieces.
    pub(super) fn number(&self) -> usize {
        self.offsets.len() - 1
    }
}

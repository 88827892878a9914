//! Counts of what the ends of edges have in common, in a part of a graph.
//!
//! The count of an edge is the number of common vertices of a row of its sender and a row of its receiver. Processes send each
//! other the rows of vertices that have mirrors, in batches, and add up the counts of their own edges before the next batch. So a
//! process never has all remote rows, of which there may be as many as rows of the whole graph. Like those of the whole graph,
//! counts do not change during a run, and are kept.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, Rows};
use wolfpath_core::program::{Common, EdgeProgram};
use wolfpath_core::weights::WeightSlice;

use super::rows::Sends;
use super::{GraphPart, Message, PartNeighbours, PartRows, PeerError, Peers, put, unreadable};
use crate::shape::Shape;

/// Most bytes of rows that a process sends to another one at a time.
pub(super) const BATCH_BYTES: usize = 1 << 20;

/// Bytes before the ends of a piece of a row: the position of the vertex in the list of those that have mirrors, and the number
/// of ends.
const PIECE_HEAD: usize = 8;

/// Number of receivers of one sender whose rows a thread looks at.
const RECEIVERS: usize = 64;

/// Subject of the messages of this module, for errors.
const COUNTING: &str = "counting common neighbours";

/// Counts in the order of rows.
#[derive(Debug, Default)]
pub(super) struct Counts {
    neighbours: OnceLock<Vec<u32>>,
    edges: OnceLock<Vec<u32>>,
    /// `neighbours` in the lower 32 bits, `edges` in the upper ones.
    both: OnceLock<Vec<u64>>,
}

impl Counts {
    /// Returns counts that were counted before.
    pub(super) fn slice(&self, common: Common) -> Option<WeightSlice<'_>> {
        match common {
            Common::Neighbours => self.neighbours.get().map(|counts| WeightSlice::U32(counts)),
            Common::Edges => self.edges.get().map(|counts| WeightSlice::U32(counts)),
            Common::Both => self.both.get().map(|counts| WeightSlice::U64(counts)),
        }
    }

    /// Returns the bytes of counts of this number of edges, without those that a program reads as its weights.
    pub(super) fn hidden_bytes(common: Common, edges: u64) -> u64 {
        if common == Common::Both { 2 * 4 * edges } else { 0 }
    }
}

/// Rows of own vertices whose ends are ranks, ascending.
struct Named {
    offsets: Vec<u64>,
    names: Vec<u32>,
}

impl Named {
    fn rows(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, ends: &self.names }
    }
}

/// Returns the bytes that counting takes for a moment, apart from batches and the transpose of rows.
pub(super) fn counting_bytes(own: u64, neighbours: u64, common: Common, symmetric_edges: bool) -> u64 {
    let has_targets = common != Common::Neighbours && !symmetric_edges;
    (if has_targets { 2 } else { 1 }) * PartRows::bytes(own, neighbours, &[])
}

impl GraphPart {
    /// Counts what program `P` reads at edges, unless this was counted before. All processes must call this together.
    pub(super) fn count<P: EdgeProgram>(&self, common: Common, peers: &dyn Peers) -> Result<(), PeerError> {
        let rows = self.gather_rows::<P>(Direction::In);
        match rows.counts.slice(common) {
            Some(_) => Ok(()),
            None => self.count_over(rows, Shape::of::<P>().everyone_sends(), P::ORIENTED, common, peers),
        }
    }

    /// Implements [`count`](Self::count) over the rows of the receivers. It is compiled once, not once per program.
    fn count_over(
        &self,
        rows: &PartRows,
        everyone_sends: bool,
        oriented: bool,
        common: Common,
        peers: &dyn Peers,
    ) -> Result<(), PeerError> {
        let counts = &rows.counts;
        // What the run does not need is dropped before it begins.
        let transpose = everyone_sends.then(|| rows.transposed(self.num_senders()));
        let sends = transpose.as_ref().unwrap_or_else(|| rows.sends(self.num_senders()));
        let neighbours = self.all_neighbours();
        let counting = Counting { part: self, peers, rows, sends };
        if common != Common::Edges && counts.neighbours.get().is_none() {
            let is_kept = |v, end, _| !oriented || self.is_later(neighbours, end, v);
            let named = self.named(neighbours, &is_kept);
            let _ = counts.neighbours.set(counting.run(&named, &named)?);
        }
        if common != Common::Neighbours && counts.edges.get().is_none() {
            let all = self.named(neighbours, &|_, _, _| true);
            let targets = (!self.whole.symmetric_edges)
                .then(|| self.named(neighbours, &|_, _, position| neighbours.is_target(position)));
            let _ = counts.edges.set(counting.run(targets.as_ref().unwrap_or(&all), &all)?);
        }
        if let (Common::Both, Some(low), Some(high)) = (common, counts.neighbours.get(), counts.edges.get()) {
            let both = |(&low, &high): (&u32, &u32)| u64::from(high) << u32::BITS | u64::from(low);
            let _ = counts.both.set(low.par_iter().zip(high).map(both).collect());
        }
        Ok(())
    }

    /// Returns `true` if an oriented edge leads to a vertex from another one.
    fn is_later(&self, neighbours: &PartNeighbours, vertex: u32, other: u32) -> bool {
        neighbours.place(vertex, &self.ranks) > neighbours.place(other, &self.ranks)
    }

    /// Returns the rows of those neighbours for which `is_kept(vertex, neighbour, position)`, as ranks.
    fn named(
        &self,
        neighbours: &PartNeighbours,
        is_kept: &(dyn Fn(u32, u32, usize) -> bool + Sync),
    ) -> Named {
        let (offsets, names) = neighbours.kept(is_kept, &|row| {
            row.iter_mut().for_each(|end| *end = self.ranks[*end as usize]);
            row.sort_unstable();
        });
        Named { offsets, names }
    }
}

/// Counts common vertices for the edges of rows.
struct Counting<'a> {
    part: &'a GraphPart,
    peers: &'a dyn Peers,
    rows: &'a PartRows,
    sends: &'a Sends,
}

impl Counting<'_> {
    /// Returns, for each edge over which own vertices gather, the number of common ends of its sender's row of `sent` and its
    /// receiver's row of `received`. The processes send each other rows of `sent`.
    fn run(&self, sent: &Named, received: &Named) -> Result<Vec<u32>, PeerError> {
        let counts: Vec<AtomicU32> = vec![0; self.rows.ends.len()].into_iter().map(AtomicU32::new).collect();
        let (rows, sent, received) = (self.rows.rows(), sent.rows(), received.rows());
        (0..self.part.own).into_par_iter().for_each(|v| {
            for position in rows.range(v) {
                let sender = rows.ends[position];
                if sender < self.part.own {
                    counts[position].store(num_common(sent.row(sender), received.row(v)), Relaxed);
                }
            }
        });
        let mut cursors = vec![Cursor::default(); self.peers.processes()];
        loop {
            let mut batches = vec![vec![0]; self.peers.processes()];
            let mut has_more = false;
            for ((batch, cursor), mirrored) in batches.iter_mut().zip(&mut cursors).zip(&self.part.mirrored) {
                cursor.fill(batch, mirrored, sent);
                has_more |= cursor.vertex < mirrored.len();
            }
            // Each process tells all others the same, so that all stop at the same time.
            batches.iter_mut().for_each(|batch| batch[0] = u8::from(has_more));
            let heard = self.peers.exchange(batches)?;
            let mut is_last = true;
            for (process, batch) in heard.iter().enumerate() {
                is_last &= batch.first() == Some(&0);
                let added = self.add(batch, &self.part.mirrors[process], received, &counts);
                added.ok_or_else(|| unreadable(process, COUNTING))?;
            }
            if is_last {
                return Ok(counts.into_iter().map(AtomicU32::into_inner).collect());
            }
        }
    }

    /// Adds what the pieces of mirrors' rows in a batch have in common with the rows of their receivers.
    fn add(&self, batch: &[u8], mirrors: &[u32], received: Rows<'_>, counts: &[AtomicU32]) -> Option<()> {
        let (mut batch, mut pieces, mut ends) = (Message(batch), Vec::new(), Vec::new());
        batch.byte()?;
        while !batch.0.is_empty() {
            let (mirror, length) = (*mirrors.get(batch.u32()? as usize)?, batch.u32()? as usize);
            let first = ends.len();
            let bytes = batch.take(length.checked_mul(4)?)?;
            ends.extend(bytes.as_chunks().0.iter().map(|&end| u32::from_le_bytes(end)));
            pieces.push((mirror, first..ends.len()));
        }
        let positions = self.rows.positions(self.sends);
        pieces.into_par_iter().for_each(|(mirror, piece)| {
            let edges = self.sends.rows().range(mirror);
            let receivers = self.sends.rows().row(mirror).par_iter().with_min_len(RECEIVERS);
            receivers.zip(&positions[edges]).for_each(|(&v, &position)| {
                let found = num_common(&ends[piece.clone()], received.row(v));
                counts[position as usize].fetch_add(found, Relaxed);
            });
        });
        Some(())
    }
}

/// Position in the rows that another process gets, of what it gets next.
#[derive(Clone, Default)]
struct Cursor {
    /// Position in the list of vertices that it mirrors.
    vertex: usize,
    /// Position in the vertex's row.
    end: usize,
}

impl Cursor {
    /// Appends pieces of rows to a batch until it is full, or all rows were sent.
    fn fill(&mut self, batch: &mut Vec<u8>, mirrored: &[u32], rows: Rows<'_>) {
        while let Some(&v) = mirrored.get(self.vertex) {
            let row = &rows.row(v)[self.end..];
            let room = BATCH_BYTES.saturating_sub(batch.len() + PIECE_HEAD) / 4;
            let piece = &row[..row.len().min(room)];
            if !piece.is_empty() {
                put(batch, self.vertex as u32);
                put(batch, piece.len() as u32);
                batch.extend_from_slice(bytemuck::cast_slice(piece));
                self.end += piece.len();
            }
            if piece.len() < row.len() {
                return;
            }
            *self = Cursor { vertex: self.vertex + 1, end: 0 };
        }
    }
}

/// Returns the number of elements that two ascending lists without duplicates have in common.
fn num_common(one: &[u32], other: &[u32]) -> u32 {
    let (short, mut long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut found = 0;
    if short.len() < long.len() / 16 {
        for element in short {
            let at = long.partition_point(|other| other < element);
            long = &long[at..];
            found += u32::from(long.first() == Some(element));
        }
        return found;
    }
    let (mut a, mut b) = (0, 0);
    while let (Some(&x), Some(&y)) = (short.get(a), long.get(b)) {
        found += u32::from(x == y);
        a += usize::from(x <= y);
        b += usize::from(y <= x);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_elements_are_counted() {
        let every = |step: usize| (0..1000).step_by(step).collect::<Vec<u32>>();
        for (one, other, common) in [(2, 3, 167), (1, 50, 20), (33, 1, 31), (7, 7, 143)] {
            assert_eq!(num_common(&every(one), &every(other)), common, "{one} and {other}");
        }
        assert_eq!((num_common(&[], &every(1)), num_common(&[999, 5000], &every(3))), (0, 1));
    }

    #[test]
    fn batches_contain_all_rows_in_pieces() {
        let long = (BATCH_BYTES / 4) as u64;
        let offsets = [0, 3, 3, 3 + 2 * long, 5 + 2 * long];
        let ends: Vec<u32> = (0..offsets[4] as u32).collect();
        let (mut cursor, mut found, mut batches) = (Cursor::default(), Vec::new(), 0);
        let mirrored = [0, 1, 2, 3];
        while cursor.vertex < mirrored.len() {
            let mut batch = vec![0];
            cursor.fill(&mut batch, &mirrored, Rows { offsets: &offsets, ends: &ends });
            assert!(batch.len() <= BATCH_BYTES);
            let mut batch = Message(&batch[1..]);
            while !batch.0.is_empty() {
                let (_, length) = (batch.u32().expect("a vertex"), batch.u32().expect("a length"));
                found.extend((0..length).map(|_| batch.u32().expect("an end")));
            }
            batches += 1;
        }
        assert!(found == ends && batches == 3, "{batches} batches");
    }
}

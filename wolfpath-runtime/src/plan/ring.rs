//! The ring: device memory through which rows are streamed.

use wolfpath_core::graph::Direction;

use super::{ArrayName, Home, PlannedArray};

/// Largest number of edges of a chunk, a power of two. The ends of such a chunk take 64 KiB: the host copies adjacent
/// chunks together, and a thin frontier needs few bytes beside its own.
const CHUNK_EDGES: u64 = 1 << 14;

/// Number of chunks that small graphs are divided into, if chunks have at least [`LEAST_CHUNK_EDGES`] edges.
const CHUNKS: u64 = 512;

const LEAST_CHUNK_EDGES: u64 = 32;

/// Number of rounds that the ring has room for.
const ROUNDS: u64 = wolfpath_kernels::ROUNDS as u64;

/// Smallest number of chunks of a round. The kernels look at this many at a time.
const LEAST_ROUND: u64 = 32;

/// The ring takes this share of the bytes that are streamed: one in this number.
const SHARE: u64 = 8;

/// Largest number of bytes of a round. With longer rounds, a step waits longer for its first chunks, and the host reads to
/// more memory than its caches hold; with shorter ones, the barriers between them cost more. BFS over R-MAT 24 takes 72 ms
/// with 16 MB, 77 with 8 and 76 with 32 (H100).
const ROUND_BYTES: u64 = 16 << 20;

/// The same for runs that gather. In each round, the kernel searches the queue of all rows to gather.
const GATHERED_ROUND_BYTES: u64 = 24 << 20;

/// Bytes that a warp copies at a time; a slot consists of them.
const PIECE: u64 = 2048;

/// Alignment of the parts of a slot.
const ALIGNMENT: u64 = 256;

/// Division of streamed rows into chunks, and the slots of the ring. It follows from the arrays that are streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    /// Number of edges per chunk, a power of two.
    pub(crate) chunk_edges: u64,
    /// Number of chunks of the rows of each direction.
    pub(crate) chunks: [u64; 2],
    pub(crate) slots: u64,
    /// Largest number of chunks of a round.
    pub(crate) round_chunks: u64,
    /// Size of a slot in bytes.
    pub(crate) slot_bytes: u64,
    /// Positions of weights and places in a slot, in bytes; ends are first.
    pub(crate) weights_part: u64,
    pub(crate) places_part: u64,
}

/// Number of bytes of `wp::StreamState`.
pub(crate) const STATE_BYTES: u64 = 512;

impl Ring {
    /// Edges after a chunk that its slot contains, too: the most that an item can have.
    pub(crate) const SLACK: u64 = 256;

    /// Returns the ring for those of `arrays` that live in a file, of a graph with this number of edges; `None` if there are
    /// none. The rows of one vertex have at most `longest` edges, if they must be in the ring at the same time. The ring
    /// takes at most `room` bytes if it can. `gathers` says whether vertices gather along the rows.
    pub(crate) fn of(
        arrays: &[PlannedArray],
        edges: u64,
        longest: Option<u64>,
        room: Option<u64>,
        gathers: bool,
    ) -> Option<Ring> {
        let streamed: Vec<_> = arrays.iter().filter(|array| array.home == Home::File).collect();
        let bytes: u64 = streamed.iter().map(|array| array.bytes).sum();
        let each = |is: fn(ArrayName) -> bool| {
            let array = streamed.iter().find(|array| is(array.name));
            array.map_or(0, |array| array.bytes.checked_div(array.elements).unwrap_or(0))
        };
        let has = |direction| streamed.iter().any(|array| array.name == ArrayName::EdgeEnds(direction));
        let directions = [has(Direction::Out), has(Direction::In)];
        if directions == [false, false] {
            return None;
        }
        let even = (edges / CHUNKS).checked_ilog2().map_or(0, |log| 1 << log);
        let chunk_edges = even.clamp(LEAST_CHUNK_EDGES, CHUNK_EDGES);
        let part = |each: u64| ((chunk_edges + Ring::SLACK) * each).next_multiple_of(ALIGNMENT);
        let weights_part = part(4);
        let places_part = weights_part + part(each(|name| matches!(name, ArrayName::EdgeWeights(_))));
        let slot_bytes = places_part + part(each(|name| matches!(name, ArrayName::EdgePlaces(_))));
        let slot_bytes = slot_bytes.next_multiple_of(PIECE);
        let chunks = directions.map(|has| if has { edges.div_ceil(chunk_edges) } else { 0 });
        // Rows of one vertex begin and end within chunks.
        let rows = longest.map_or(0, |longest| longest / chunk_edges + 2 * 2);
        let least = ROUNDS * LEAST_ROUND.max(rows);
        let most = chunks.iter().sum::<u64>().max(least);
        let share = room.map_or(u64::MAX, |room| room / slot_bytes).min(bytes / SHARE / slot_bytes);
        let slots = share.clamp(least, most);
        let round_bytes = if gathers { GATHERED_ROUND_BYTES } else { ROUND_BYTES };
        let round_chunks = (slots / ROUNDS).min((round_bytes / slot_bytes).max(rows).max(LEAST_ROUND));
        Some(Ring { chunk_edges, chunks, slots, round_chunks, slot_bytes, weights_part, places_part })
    }

    /// Returns the number of all chunks.
    pub(crate) fn all_chunks(&self) -> u64 {
        self.chunks.iter().sum()
    }

    /// Returns the number of slots of the staging memory: all rounds but the one that is visited are there.
    pub(crate) fn staging_slots(&self) -> u64 {
        (ROUNDS - 1) * self.round_chunks
    }

    /// Returns the number of words of the bitmap of chunks.
    pub(crate) fn bitmap_words(&self) -> u64 {
        self.all_chunks().div_ceil(32)
    }

    /// Returns the arrays of the ring.
    pub(crate) fn arrays(&self) -> [PlannedArray; 2] {
        let table = STATE_BYTES + 4 * (self.all_chunks() + self.bitmap_words() + 3 * self.slots);
        let ring = PlannedArray::new(ArrayName::Ring, self.slots, self.slot_bytes);
        let table = PlannedArray::of_bytes(ArrayName::ChunkTable, self.all_chunks(), table);
        [ring, table].map(|array| PlannedArray { home: Home::Device, ..array })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the arrays of a weighted graph with `edges` edges, in a file.
    fn streamed(edges: u64) -> [PlannedArray; 2] {
        let ends = PlannedArray::new(ArrayName::EdgeEnds(Direction::Out), edges, 4);
        let weights = PlannedArray::new(ArrayName::EdgeWeights(Direction::Out), edges, 1);
        [ends, weights].map(|array| PlannedArray { home: Home::File, ..array })
    }

    #[test]
    fn the_ring_takes_an_eighth_of_the_bytes() {
        let edges = 1 << 29;
        let ring = Ring::of(&streamed(edges), edges, None, None, false).expect("rows are streamed");
        assert_eq!((ring.chunk_edges, ring.chunks), (CHUNK_EDGES, [edges / CHUNK_EDGES, 0]));
        assert_eq!((ring.weights_part, ring.slot_bytes % PIECE), (4 * (CHUNK_EDGES + Ring::SLACK), 0));
        let bytes = ring.slots * ring.slot_bytes;
        assert!(bytes <= 5 * edges / SHARE && bytes > 5 * edges / SHARE / 2, "{ring:?}");
        assert!(
            ring.round_chunks * ring.slot_bytes <= ROUND_BYTES && ring.slots >= ROUNDS * ring.round_chunks
        );
        let smaller =
            Ring::of(&streamed(edges), edges, None, Some(bytes / 3), false).expect("rows are streamed");
        assert!(
            smaller.slots * smaller.slot_bytes <= bytes / 3 && smaller.slots >= ROUNDS * smaller.round_chunks
        );
    }

    #[test]
    fn small_graphs_have_many_chunks_and_long_rows_fit() {
        let ring = Ring::of(&streamed(20_000), 20_000, None, None, false).expect("rows are streamed");
        assert_eq!((ring.chunk_edges, ring.chunks[0]), (LEAST_CHUNK_EDGES, 625));
        assert_eq!((ring.slots, ring.round_chunks), (ROUNDS * LEAST_ROUND, LEAST_ROUND));
        let whole =
            Ring::of(&streamed(20_000), 20_000, Some(20_000), None, false).expect("rows are streamed");
        assert!(whole.round_chunks >= 625 && whole.slots >= ROUNDS * whole.round_chunks, "{whole:?}");
        let one = Ring::of(&streamed(1), 1, None, Some(0), false).expect("rows are streamed");
        assert_eq!((one.chunks, one.all_chunks(), one.bitmap_words()), ([1, 0], 1, 1));
    }

    #[test]
    fn rows_elsewhere_need_no_ring() {
        let ends = PlannedArray::new(ArrayName::EdgeEnds(Direction::Out), 10, 4);
        assert_eq!(Ring::of(&[ends], 10, None, None, false), None);
    }
}

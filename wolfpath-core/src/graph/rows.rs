//! Rows of edges: the part of a graph that engines read most.

use bytemuck::Zeroable;
use rayon::prelude::*;

use crate::memory;
use crate::partition::{Bucket, Partition, Records};
use crate::progress::Progress;
use crate::space::{Array, Space, SpaceError};

/// Which way edges are looked at.
///
/// ```
/// use wolfpath::graph::Direction;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(1, 2, 5u32), (3, 2, 7)])?;
/// let first = graph.weights_as::<u32>(Direction::In, false)?[0];
/// assert!(first == 5 || first == 7, "the first row with edges is that of 2");
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a source to its targets: the rows of [`out_edges`](super::LayeredGraph::out_edges).
    Out,
    /// From a target to its sources: the rows of [`in_edges`](super::LayeredGraph::in_edges).
    In,
}

/// The edges of every vertex, row after row. All vertices are internal indices; each row is ascending.
///
/// ```
/// use wolfpath::graph::Rows;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(17, 5), (17, 6), (6, 17)])?;
/// let rows: Rows<'_> = graph.out_edges();
/// assert_eq!(rows.num_vertices(), 3);
/// assert_eq!(rows.row(0).len(), 2, "17 is the root, and has two edges");
/// # Ok::<(), wolfpath::Error>(())
/// ```
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
    ///
    /// ```
    /// use wolfpath::graph::Rows;
    ///
    /// let rows = Rows { offsets: &[0, 2, 3, 3], ends: &[1, 2, 0] };
    /// assert_eq!(rows.range(1), 2..3);
    /// ```
    #[inline]
    pub fn range(&self, vertex: u32) -> std::ops::Range<usize> {
        self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize
    }

    /// The other ends of a vertex's edges.
    ///
    /// ```
    /// use wolfpath::graph::Rows;
    ///
    /// let rows = Rows { offsets: &[0, 2, 3, 3], ends: &[1, 2, 0] };
    /// assert_eq!(rows.row(0), [1, 2]);
    /// ```
    #[inline]
    pub fn row(&self, vertex: u32) -> &'a [u32] {
        &self.ends[self.range(vertex)]
    }

    /// How many edges a vertex has.
    ///
    /// ```
    /// use wolfpath::graph::Rows;
    ///
    /// let rows = Rows { offsets: &[0, 2, 3, 3], ends: &[1, 2, 0] };
    /// assert_eq!(rows.degree(2), 0);
    /// ```
    #[inline]
    pub fn degree(&self, vertex: u32) -> u64 {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }

    /// The source of the edge at a position; where there is no such edge, some vertex after the last that has any.
    pub(super) fn source_of(&self, position: usize) -> u32 {
        self.offsets.partition_point(|&offset| offset <= position as u64).saturating_sub(1) as u32
    }

    /// The rows of the transposed graph. Within a row the sources ascend; parallel edges keep their order,
    /// because nothing but their weight tells them apart, and weights are found by [`Rows::twin`].
    pub(super) fn transposed(&self) -> Result<OwnedRows, SpaceError> {
        // Sources are met in ascending order and parting keeps it, so the rows come out sorted.
        let vertices = self.num_vertices();
        let parted = Partition::of(&Turned { rows: *self }, vertices, &Space::Memory)?;
        let room = Room { space: &Space::Memory, progress: &Progress::NONE };
        OwnedRows::from_partition(parted, vertices, room)
    }

    /// The position, in these rows, of the edge `vertex -> end` that is the `nth` among its parallels.
    pub(super) fn twin(&self, vertex: u32, end: u32, nth: usize) -> usize {
        let range = self.range(vertex);
        range.start + self.ends[range].partition_point(|&other| other < end) + nth
    }
}

/// Rows that own their memory, with a weight an edge (or `()`).
#[derive(Debug)]
pub(super) struct OwnedRows<W = ()> {
    pub(super) offsets: Vec<u64>,
    pub(super) ends: Array<u32>,
    pub(super) weights: Array<W>,
}

/// Where rows are made, and who is told about edges that are done.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    pub(super) space: &'a Space,
    pub(super) progress: &'a Progress,
}

/// One edge on its way into a row.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub(super) struct End<W> {
    pub(super) end: u32,
    pub(super) weight: W,
}

/// What an edge carries: the bits of a weight, or nothing.
pub(super) trait Load: Copy + Zeroable + Send + Sync + 'static {}

impl Load for () {}
impl Load for u32 {}
impl Load for u64 {}

impl<W: Load> OwnedRows<W> {
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, ends: &self.ends }
    }

    /// Makes the rows of `vertices` vertices, each in the order of the records: every bucket becomes the rows of its
    /// vertices.
    pub(super) fn from_partition(
        partition: Partition<End<W>>,
        vertices: u32,
        room: Room<'_>,
    ) -> Result<OwnedRows<W>, SpaceError> {
        let total = partition.starts().last().copied().unwrap_or(0);
        let mut offsets = offsets_of_zero(vertices)?;
        let mut ends: Array<u32> = room.space.zeroed(total)?;
        let mut weights: Array<W> = room.space.zeroed(total)?;
        let mut rest = (&mut offsets[1..], &mut ends[..], &mut weights[..]);
        let mut tasks = Vec::with_capacity(partition.len());
        for index in 0..partition.len() {
            let bucket = partition.bucket(index);
            let size = bucket.values.len();
            let (offsets, more_offsets) = rest.0.split_at_mut(bucket.keys as usize);
            let (ends, more_ends) = rest.1.split_at_mut(size);
            let (weights, more_weights) = rest.2.split_at_mut(size);
            rest = (more_offsets, more_ends, more_weights);
            tasks.push((bucket, partition.starts()[index] as u64, offsets, ends, weights));
        }
        tasks.into_par_iter().for_each(|(bucket, start, offsets, ends, weights)| {
            sort_bucket(bucket, start, offsets, ends, weights);
            room.progress.advance(bucket.values.len() as u64);
        });
        Ok(OwnedRows { offsets, ends, weights })
    }
}

/// Row offsets to be filled; they are always in memory.
pub(super) fn offsets_of_zero(vertices: u32) -> Result<Vec<u64>, SpaceError> {
    let len = vertices as usize + 1;
    memory::try_zeroed(len).ok_or(SpaceError::Refused { needed: 8 * len as u64 })
}

/// A counting sort of one bucket. `offsets` holds, for each of its vertices, where the row ends.
fn sort_bucket<W: Load>(
    bucket: Bucket<'_, End<W>>,
    start: u64,
    offsets: &mut [u64],
    ends: &mut [u32],
    weights: &mut [W],
) {
    for &low in bucket.lows {
        offsets[low as usize] += 1;
    }
    // From sizes to begins; placing an edge moves the begin of its row on, so that the begins end as the ends.
    let mut next = start;
    for offset in offsets.iter_mut() {
        next += std::mem::replace(offset, next);
    }
    for (&low, value) in bucket.lows.iter().zip(bucket.values) {
        let offset = &mut offsets[low as usize];
        let place = (*offset - start) as usize;
        *offset += 1;
        ends[place] = value.end;
        weights[place] = value.weight;
    }
}

/// The edges of rows as records by their target.
struct Turned<'a> {
    rows: Rows<'a>,
}

impl Records for Turned<'_> {
    type Value = End<()>;

    fn len(&self) -> usize {
        self.rows.ends.len()
    }

    fn visit(&self, edges: std::ops::Range<usize>, mut put: impl FnMut(u32, End<()>)) {
        let mut source = self.rows.source_of(edges.start);
        for edge in edges {
            while self.rows.offsets[source as usize + 1] <= edge as u64 {
                source += 1;
            }
            put(self.rows.ends[edge], End { end: source, weight: () });
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::store::many_edges_tests::{EDGES, MANY, write_holes};

    #[test]
    fn more_edges_than_32_bits_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.wolf");
        write_holes(&path);
        let contents = crate::store::map(&path).unwrap().contents;
        let rows = crate::graph::layered_graph::out_rows(&contents);
        let (last, places) = (EDGES as usize, 2 + MANY as usize);
        assert_eq!((rows.degree(0), rows.degree(1), rows.degree(2)), (2, MANY, 3));
        assert_eq!((rows.range(1), rows.range(2)), (2..places, places..last));
        assert_eq!((rows.row(0), rows.row(2)), (&[1, 2][..], &[0, 0, 0][..]));
        for (position, source) in [(0, 0), (1, 0), (2, 1), (1 << 32, 1), (places - 1, 1), (places, 2)] {
            assert_eq!(rows.source_of(position), source, "{position}");
        }
        assert_eq!((rows.twin(1, 0, 1 << 32), rows.twin(2, 0, 2)), (2 + (1 << 32), last - 1));
        let mut turned = Vec::new();
        Turned { rows }.visit(places - 2..last, |target, end| turned.push((end.end, target)));
        assert_eq!(turned, [(1, 0), (1, 0), (2, 0), (2, 0), (2, 0)]);
    }
}

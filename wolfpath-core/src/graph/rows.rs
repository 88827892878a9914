//! Rows of edges: the part of a graph that engines read most.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::prefetch::{BATCH, prefetch};
use crate::memory;
use crate::partition::{Bucket, Partition, Records};
use crate::progress::Progress;
use crate::space::{Array, Space, SpaceError};

/// The direction in which edges are traversed.
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
    /// Start of each row in `ends`, followed by the end of the last row. Has one more element than there are vertices.
    pub offsets: &'a [u64],
    /// The other endpoint of each edge: targets in out-rows, sources in in-rows.
    pub ends: &'a [u32],
}

impl<'a> Rows<'a> {
    /// Returns the number of vertices, and thus of rows.
    pub fn num_vertices(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// Returns the positions of a vertex's edges in [`ends`](Self::ends).
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

    /// Returns the other endpoints of a vertex's edges.
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

    /// Returns the number of edges of a vertex.
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

    /// Returns the source of the edge at a position. If the position is beyond the last edge, returns a meaningless
    /// vertex instead of panicking.
    pub(super) fn source_of(&self, position: usize) -> u32 {
        self.offsets.partition_point(|&offset| offset <= position as u64).saturating_sub(1) as u32
    }

    /// Returns the rows of the transposed graph. Within a row the sources ascend. Parallel edges keep their order. The
    /// result contains no weights: [`Rows::twin`] finds the position of an edge's weight.
    pub(super) fn transposed(&self) -> Result<OwnedRows, SpaceError> {
        self.transposed_with(|_| (), &Space::Memory)
    }

    /// Returns the rows of the transposed graph, like [`transposed`](Self::transposed). Each edge carries what `payload` returns
    /// for its position within its row of these rows.
    pub(super) fn transposed_with<W: Payload>(
        &self,
        payload: fn(u64) -> W,
        space: &Space,
    ) -> Result<OwnedRows<W>, SpaceError> {
        // Sources are visited in ascending order and the partition is stable, so the rows are sorted.
        let vertices = self.num_vertices();
        let parted = Partition::of(&Transposed { rows: *self, payload }, vertices, space)?;
        OwnedRows::from_partition(parted, vertices, Room { space, progress: &Progress::NONE })
    }

    /// Returns the position of an edge in these rows, given its row, its end, and its index `nth` among the edges that
    /// are parallel to it.
    pub(super) fn twin(&self, vertex: u32, end: u32, nth: usize) -> usize {
        let range = self.range(vertex);
        range.start + self.ends[range].partition_point(|&other| other < end) + nth
    }
}

/// Rows that own their memory, with one weight of type `W` per edge. `W` is `()` if there are no weights.
#[derive(Debug)]
pub(super) struct OwnedRows<W = ()> {
    pub(super) offsets: Vec<u64>,
    pub(super) ends: Array<u32>,
    pub(super) weights: Array<W>,
}

/// The memory or disk space in which rows are built, and the observer to which progress is reported, in edges.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    pub(super) space: &'a Space,
    pub(super) progress: &'a Progress,
}

/// An edge's record while edges are partitioned: its end and its payload. The key is the row.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub(super) struct End<W> {
    pub(super) end: u32,
    pub(super) weight: W,
}

/// The value that an edge carries: the bits of a weight, or nothing.
pub(super) trait Payload: Copy + Zeroable + Send + Sync + 'static {}

impl Payload for () {}
impl Payload for u8 {}
impl Payload for u16 {}
impl Payload for u32 {}
impl Payload for u64 {}

impl<W: Payload> OwnedRows<W> {
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, ends: &self.ends }
    }

    /// Builds the rows of `vertices` vertices from their partitioned edges. Each bucket contains the edges of
    /// consecutive vertices, and becomes their rows. Within a row, the edges are in the order of the records.
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

/// Returns zeroed row offsets. They are always in memory.
fn offsets_of_zero(vertices: u32) -> Result<Vec<u64>, SpaceError> {
    let len = vertices as usize + 1;
    memory::try_zeroed(len).ok_or(SpaceError::Refused { needed: 8 * len as u64 })
}

/// Sorts one bucket with a counting sort. On return, `offsets` contains, for each vertex of the bucket, the end of its
/// row.
fn sort_bucket<W: Payload>(
    bucket: Bucket<'_, End<W>>,
    start: u64,
    offsets: &mut [u64],
    ends: &mut [u32],
    weights: &mut [W],
) {
    for &low in bucket.lows {
        offsets[low as usize] += 1;
    }
    // Convert sizes to row starts. Storing an edge then increments the start of its row, so that after the last edge it
    // equals the row's end.
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

/// The edges of `rows` as records for a partition, keyed by target. Each carries what `payload` returns for its position within
/// its row.
struct Transposed<'a, W> {
    rows: Rows<'a>,
    payload: fn(u64) -> W,
}

impl<W: Payload> Records for Transposed<'_, W> {
    type Value = End<W>;

    fn len(&self) -> usize {
        self.rows.ends.len()
    }

    fn visit(&self, edges: std::ops::Range<usize>, mut put: impl FnMut(u32, End<W>)) {
        let mut source = self.rows.source_of(edges.start);
        for edge in edges {
            while self.rows.offsets[source as usize + 1] <= edge as u64 {
                source += 1;
            }
            let slot = edge as u64 - self.rows.offsets[source as usize];
            put(self.rows.ends[edge], End { end: source, weight: (self.payload)(slot) });
        }
    }
}

/// Number of edges plus vertices per task of one thread: few enough that the data that a task writes stays in the cache
/// until it is sorted.
const STRETCH: u64 = 16 * 1024;

/// Rows in layered order, and the number of duplicates that were counted when the rows were sorted.
pub(super) struct Ordered<W> {
    pub(super) rows: OwnedRows<W>,
    /// Number of edges beyond the first with the same source and target.
    pub(super) duplicates: u64,
}

/// Rearranges rows that are indexed by rank into the order of the vertices in `order`. In the result, ends are
/// positions in that order, and ascend in each row; parallel edges keep their order. `degrees`, if known, contains the
/// degrees of the rows in the new order, preceded by a 0.
pub(super) fn ordered<W: Payload>(
    rows: OwnedRows<W>,
    order: &[u32],
    places: &[u32],
    degrees: Option<Vec<u64>>,
    room: Room<'_>,
) -> Result<Ordered<W>, SpaceError> {
    if let Space::Disk(_) = room.space {
        return parted(rows, places, room);
    }
    let offsets = match degrees {
        Some(degrees) => summed(degrees),
        None => offsets(rows.rows(), order)?,
    };
    let mut ends: Array<u32> = room.space.zeroed(rows.ends.len())?;
    let mut weights: Array<W> = room.space.zeroed(rows.weights.len())?;
    let task = Task { rows: &rows, order, places };
    let whole = Stretch { first: 0, offsets: &offsets, ends: &mut ends, weights: &mut weights };
    let duplicates = whole.split(&|stretch: Stretch<'_, W>| {
        room.progress.advance(stretch.ends.len() as u64);
        task.fill(stretch)
    });
    Ok(Ordered { rows: OwnedRows { offsets, ends, weights }, duplicates })
}

/// Does the same as [`ordered`] for rows on disk, which it reads only sequentially.
fn parted<W: Payload>(rows: OwnedRows<W>, places: &[u32], room: Room<'_>) -> Result<Ordered<W>, SpaceError> {
    let vertices = rows.rows().num_vertices();
    let partition = Partition::of(&Renamed { rows: &rows, places }, vertices, room.space)?;
    drop(rows);
    let OwnedRows { offsets, mut ends, mut weights } = OwnedRows::from_partition(partition, vertices, room)?;
    let whole = Stretch { first: 0, offsets: &offsets, ends: &mut ends, weights: &mut weights };
    let duplicates = whole.split(&|stretch: Stretch<'_, W>| stretch.sort());
    Ok(Ordered { rows: OwnedRows { offsets, ends, weights }, duplicates })
}

/// The edges of `rows` as records for a partition, keyed by the position of the source in the new order.
struct Renamed<'a, W> {
    rows: &'a OwnedRows<W>,
    places: &'a [u32],
}

impl<W: Payload> Records for Renamed<'_, W> {
    type Value = End<W>;

    fn len(&self) -> usize {
        self.rows.ends.len()
    }

    fn visit(&self, edges: std::ops::Range<usize>, mut put: impl FnMut(u32, End<W>)) {
        let rows = self.rows.rows();
        let mut source = rows.source_of(edges.start);
        for edge in edges {
            while rows.offsets[source as usize + 1] <= edge as u64 {
                source += 1;
            }
            let end = self.places[rows.ends[edge] as usize];
            put(self.places[source as usize], End { end, weight: self.rows.weights[edge] });
        }
    }
}

/// Returns the offset of each row in the new order.
fn offsets(rows: Rows<'_>, order: &[u32]) -> Result<Vec<u64>, SpaceError> {
    let mut offsets = offsets_of_zero(rows.num_vertices())?;
    let degrees = offsets[1..].par_iter_mut().zip(order).with_min_len(1 << 12);
    degrees.for_each(|(degree, &rank)| *degree = rows.degree(rank));
    Ok(summed(offsets))
}

/// Converts degrees to offsets (prefix sum).
fn summed(mut degrees: Vec<u64>) -> Vec<u64> {
    let mut sum = 0;
    for degree in &mut degrees {
        sum += *degree;
        *degree = sum;
    }
    degrees
}

struct Task<'a, W> {
    rows: &'a OwnedRows<W>,
    order: &'a [u32],
    places: &'a [u32],
}

/// Consecutive rows to be filled.
struct Stretch<'a, W> {
    first: u32,
    offsets: &'a [u64],
    ends: &'a mut [u32],
    weights: &'a mut [W],
}

impl<W: Payload> Stretch<'_, W> {
    /// Halves the stretch recursively until each part is small enough for one task, and calls `visit` with the parts.
    /// Returns the sum of the results.
    fn split(self, visit: &(impl Fn(Stretch<'_, W>) -> u64 + Sync)) -> u64 {
        let Stretch { first, offsets, ends, weights } = self;
        let rows = offsets.len() - 1;
        if rows <= 1 || offsets[rows] - offsets[0] + rows as u64 <= STRETCH {
            return visit(Stretch { first, offsets, ends, weights });
        }
        let half = rows / 2;
        let edges = (offsets[half] - offsets[0]) as usize;
        let (left, right) = ends.split_at_mut(edges);
        let (left_weights, right_weights) = weights.split_at_mut(edges);
        let (before, after) = (&offsets[..=half], &offsets[half..]);
        let left = Stretch { first, offsets: before, ends: left, weights: left_weights };
        let first = first + half as u32;
        let right = Stretch { first, offsets: after, ends: right, weights: right_weights };
        let (left, right) = rayon::join(|| left.split(visit), || right.split(visit));
        left + right
    }

    /// Sorts all rows. Returns the number of duplicate edges.
    fn sort(self) -> u64 {
        let Stretch { offsets, ends, weights, .. } = self;
        let mut duplicates = 0;
        for pair in offsets.windows(2) {
            let range = (pair[0] - offsets[0]) as usize..(pair[1] - offsets[0]) as usize;
            sort_row(&mut ends[range.clone()], &mut weights[range.clone()]);
            duplicates += ends[range].windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        }
        duplicates
    }
}

impl<W: Payload> Task<'_, W> {
    /// Copies all rows, then maps their ends to positions, then sorts them. These are separate passes, so that random
    /// memory accesses within a pass do not depend on each other and can overlap.
    fn fill(&self, stretch: Stretch<'_, W>) -> u64 {
        let rows = stretch.offsets.len() - 1;
        self.copy(&self.order[stretch.first as usize..][..rows], stretch.ends, stretch.weights);
        for end in stretch.ends.iter_mut() {
            *end = self.places[*end as usize];
        }
        stretch.sort()
    }
}

impl<W: Payload> Task<'_, W> {
    /// Copies the rows of these vertices unchanged.
    fn copy(&self, vertices: &[u32], ends: &mut [u32], weights: &mut [W]) {
        let old = self.rows.rows();
        let mut ranges = [(0, 0); BATCH];
        let mut at = 0;
        for batch in vertices.chunks(BATCH) {
            for (range, &vertex) in ranges.iter_mut().zip(batch) {
                *range = (old.offsets[vertex as usize] as usize, old.offsets[vertex as usize + 1] as usize);
                prefetch(old.ends, range.0);
                prefetch(&self.rows.weights, range.0);
            }
            for &(begin, end) in &ranges[..batch.len()] {
                let to = at..at + end - begin;
                at = to.end;
                ends[to.clone()].copy_from_slice(&old.ends[begin..end]);
                weights[to].copy_from_slice(&self.rows.weights[begin..end]);
            }
        }
    }
}

/// Sorts up to four numbers by a fixed sequence of compare-and-swaps, without branches, which would be unpredictable.
/// Half of the rows of a road network are this short.
fn sort_tiny(row: &mut [u32]) {
    let order = |row: &mut [u32], a: usize, b: usize| {
        (row[a], row[b]) = (row[a].min(row[b]), row[a].max(row[b]));
    };
    match row.len() {
        2 => order(row, 0, 1),
        3 => [(0, 1), (1, 2), (0, 1)].into_iter().for_each(|(a, b)| order(row, a, b)),
        4 => [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)].into_iter().for_each(|(a, b)| order(row, a, b)),
        _ => {}
    }
}

/// Sorts a row by its ends, and its weights along with them. The sort is stable.
fn sort_row<W: Payload>(ends: &mut [u32], weights: &mut [W]) {
    /// Length up to which insertion sort is fastest.
    const SHORT: usize = 20;
    if size_of::<W>() == 0 && ends.len() <= 4 {
        sort_tiny(ends);
    } else if ends.len() <= SHORT {
        for index in 1..ends.len() {
            let (end, weight) = (ends[index], weights[index]);
            let mut slot = index;
            while slot > 0 && ends[slot - 1] > end {
                (ends[slot], weights[slot]) = (ends[slot - 1], weights[slot - 1]);
                slot -= 1;
            }
            (ends[slot], weights[slot]) = (end, weight);
        }
    } else if size_of::<W>() == 0 {
        ends.sort_unstable();
    } else if !ends.is_sorted() {
        let mut row: Vec<(u32, W)> = ends.iter().copied().zip(weights.iter().copied()).collect();
        row.sort_by_key(|&(end, _)| end);
        for ((slot, weight), sorted) in ends.iter_mut().zip(weights).zip(row) {
            (*slot, *weight) = sorted;
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
        let mut transposed = Vec::new();
        Transposed { rows, payload: |_| () }
            .visit(places - 2..last, |target, end| transposed.push((end.end, target)));
        assert_eq!(transposed, [(1, 0), (1, 0), (2, 0), (2, 0), (2, 0)]);
    }
}

#[cfg(test)]
mod sorting_tests {
    use super::*;

    #[test]
    fn rows_of_every_length_are_sorted_and_weights_follow() {
        for length in 0..50u32 {
            for seed in 0..40 {
                let ends: Vec<u32> =
                    (0..length).map(|n| crate::random::hash(seed, n.into()) as u32 % 30).collect();
                let weights: Vec<u32> = (0..length).collect();
                let mut expected: Vec<(u32, u32)> = ends.iter().copied().zip(weights.clone()).collect();
                expected.sort();
                let (mut sorted, mut moved) = (ends.clone(), weights);
                sort_row(&mut sorted, &mut moved);
                assert_eq!(sorted.into_iter().zip(moved).collect::<Vec<_>>(), expected);
                let (mut alone, mut nothing) = (ends, vec![(); length as usize]);
                sort_row(&mut alone, &mut nothing);
                assert!(alone.iter().eq(expected.iter().map(|(end, _)| end)));
            }
        }
    }
}

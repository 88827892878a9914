//! Rows rewritten into another order of vertices, each sorted.

use rayon::prelude::*;

use super::prefetch::{BATCH, prefetch};
use super::rows::{End, Load, OwnedRows, Room, Rows, offsets_of_zero};
use crate::partition::{Partition, Records};
use crate::space::{Array, Space, SpaceError};

/// Edges and vertices that one thread takes on at a time: what it writes stays in its cache until it is sorted.
const STRETCH: u64 = 16 * 1024;

/// Rows in layered order, and what sorting them showed.
pub(super) struct Ordered<W> {
    pub(super) rows: OwnedRows<W>,
    /// Edges beyond the first with the same source and target.
    pub(super) duplicates: u64,
}

/// The rows of the vertices in `order` (ranks), with ends as places in that order, ascending in each row. Parallel
/// edges stay in the order they come in. `degrees` are those of the rows in the new order, behind a 0, where they are
/// known.
pub(super) fn ordered<W: Load>(
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

/// The same for rows on the disk: nothing is looked up there in any other order than it lies in.
fn parted<W: Load>(rows: OwnedRows<W>, places: &[u32], room: Room<'_>) -> Result<Ordered<W>, SpaceError> {
    let vertices = rows.rows().num_vertices();
    let partition = Partition::of(&Renamed { rows: &rows, places }, vertices, room.space)?;
    drop(rows);
    let OwnedRows { offsets, mut ends, mut weights } = OwnedRows::from_partition(partition, vertices, room)?;
    let whole = Stretch { first: 0, offsets: &offsets, ends: &mut ends, weights: &mut weights };
    let duplicates = whole.split(&|stretch: Stretch<'_, W>| stretch.sort());
    Ok(Ordered { rows: OwnedRows { offsets, ends, weights }, duplicates })
}

/// The edges of rows as records by the place of their source.
struct Renamed<'a, W> {
    rows: &'a OwnedRows<W>,
    places: &'a [u32],
}

impl<W: Load> Records for Renamed<'_, W> {
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

/// Where each row begins in the new order.
fn offsets(rows: Rows<'_>, order: &[u32]) -> Result<Vec<u64>, SpaceError> {
    let mut offsets = offsets_of_zero(rows.num_vertices())?;
    let degrees = offsets[1..].par_iter_mut().zip(order).with_min_len(1 << 12);
    degrees.for_each(|(degree, &rank)| *degree = rows.degree(rank));
    Ok(summed(offsets))
}

/// From degrees to offsets.
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

/// Some consecutive rows, to be filled.
struct Stretch<'a, W> {
    first: u32,
    offsets: &'a [u64],
    ends: &'a mut [u32],
    weights: &'a mut [W],
}

impl<W: Load> Stretch<'_, W> {
    /// Halves the rows until a stretch is small enough for one thread. Returns the sum of what `visit` returned.
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

    /// Sorts all rows. Returns how many edges repeat another.
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

impl<W: Load> Task<'_, W> {
    /// Copies all rows, then renames their ends, then sorts them: each pass does one kind of look-up, and none of
    /// them waits for another.
    fn fill(&self, stretch: Stretch<'_, W>) -> u64 {
        let rows = stretch.offsets.len() - 1;
        self.copy(&self.order[stretch.first as usize..][..rows], stretch.ends, stretch.weights);
        for end in stretch.ends.iter_mut() {
            *end = self.places[*end as usize];
        }
        stretch.sort()
    }
}

impl<W: Load> Task<'_, W> {
    /// Copies the rows of these vertices as they are.
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

/// Sorts up to four numbers by comparing fixed pairs: no processor guesses how random numbers compare, and half the
/// rows of a road network are this short.
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

/// Sorts a row by its ends; weights follow, those of equal ends in their order.
fn sort_row<W: Load>(ends: &mut [u32], weights: &mut [W]) {
    /// Below this size moving one by one is quickest.
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

#[cfg(test)]
mod tests {
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

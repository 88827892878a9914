//! Counts of common neighbours: for each edge of a [derived graph](super::neighbours), the number of vertices that are
//! adjacent to both ends, and the number of the sender's targets that are neighbours of the receiver. These numbers do
//! not change during a run, so they are counted once per graph and then read like weights.
//!
//! Rows are intersected by marking: one row is entered in a bitmap, and then the rows of its vertex's neighbours are
//! looked up in the bitmap, one after the other. Of two neighbours, the one of later place marks its row, so each pair
//! costs the smaller of the two degrees. The bitmap is indexed by place, latest first: most ends are
//! vertices of large degree, whose bits share a few cache lines.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::apart::apart;
use super::layered_graph::LayeredGraph;
use super::neighbours::{Neighbours, split, tasks};
use super::prefetch::prefetch;
use super::rows::{Direction, Rows};
use crate::memory;
use crate::program::Common;
use crate::space::SpaceError;
use crate::store::StoreError;
use crate::weights::WeightSlice;

/// Counts in the order of out-rows and of in-rows, each computed when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Counts {
    neighbours: [Counted<u32>; 2],
    edges: [Counted<u32>; 2],
    /// `edges` of rows that are not oriented, which are counted together.
    both_edges: OnceLock<Result<[Vec<u32>; 2], StoreError>>,
    /// Both: `neighbours` in the lower 32 bits, `edges` in the upper ones.
    both: [Counted<u64>; 2],
}

type Counted<T> = OnceLock<Result<Vec<T>, StoreError>>;

impl LayeredGraph {
    /// Returns the counts for all edges of a derived graph, in the order of the rows of `direction`.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub(super) fn common(&self, common: Common, direction: Direction) -> Result<WeightSlice<'_>, StoreError> {
        Ok(match common {
            Common::Neighbours => WeightSlice::U32(self.common_neighbours(direction)?),
            Common::Edges => WeightSlice::U32(self.common_edges(direction)?),
            Common::Both => WeightSlice::U64(self.common_both(direction)?),
        })
    }

    fn common_both(&self, direction: Direction) -> Result<&[u64], StoreError> {
        let counts = &self.derived().counts.both[direction as usize];
        let (neighbours, edges) = (self.common_neighbours(direction)?, self.common_edges(direction)?);
        once(counts, || {
            let both = |(&low, &high): (&u32, &u32)| u64::from(high) << u32::BITS | u64::from(low);
            Ok(self.apart(|| neighbours.par_iter().zip(edges).map(both).collect()))
        })
    }

    fn common_neighbours(&self, direction: Direction) -> Result<&[u32], StoreError> {
        let derived = self.derived();
        let Some(oriented) = &derived.oriented else { return self.all_common_neighbours() };
        let [out, inward] = oriented;
        let rows = if direction == Direction::Out { out.rows() } else { inward.rows() };
        once(&derived.counts.neighbours[direction as usize], || {
            self.apart(|| {
                let names = self.names(&derived.neighbours, out.rows());
                count_later(rows, Rows { ends: &names, ..out.rows() })
            })
        })
    }

    /// Returns the number of vertices adjacent to both ends, for all edges that are not oriented.
    fn all_common_neighbours(&self) -> Result<&[u32], StoreError> {
        let neighbours = &self.derived().neighbours;
        let rows = neighbours.rows(self.input_rows());
        once(&neighbours.counts.neighbours[0], || {
            self.apart(|| {
                let names = self.names(neighbours, rows);
                let pairs = Pairs { rows, places: self.places(neighbours) };
                let names = Rows { ends: &names, ..rows };
                let [counts] = pairs.count([names], |[counts], pair, found| {
                    let both = found(names, 0, pair.lower);
                    counts[pair.here].store(both, Relaxed);
                    counts[pair.there].store(both, Relaxed);
                })?;
                Ok(counts)
            })
        })
    }

    fn common_edges(&self, direction: Direction) -> Result<&[u32], StoreError> {
        let derived = self.derived();
        let all = self.all_common_edges()?[direction as usize];
        let Some(oriented) = &derived.oriented else { return Ok(all) };
        let rows = oriented[direction as usize].rows();
        let neighbours = derived.neighbours.rows(self.input_rows());
        once(&derived.counts.edges[direction as usize], || {
            // Each oriented row is a part of the row of neighbours, in the same order.
            let of_row = |v: u32| {
                let mut wanted = rows.row(v).iter().peekable();
                let edges = neighbours.row(v).iter().zip(&all[neighbours.range(v)]);
                edges.filter(move |(end, _)| wanted.next_if_eq(end).is_some()).map(|(_, &count)| count)
            };
            Ok(self.apart(|| (0..rows.num_vertices()).into_par_iter().flat_map_iter(of_row).collect()))
        })
    }

    /// Returns the number of the sender's targets that are neighbours of the receiver, for all edges that are not
    /// oriented, by sender and by receiver.
    fn all_common_edges(&self) -> Result<[&[u32]; 2], StoreError> {
        if self.data.contents.symmetry.edges {
            // All neighbours of a vertex are its targets.
            return self.all_common_neighbours().map(|counts| [counts, counts]);
        }
        let neighbours = &self.derived().neighbours;
        let rows = neighbours.rows(self.input_rows());
        let counted = neighbours.counts.both_edges.get_or_init(|| {
            self.apart(|| {
                let targets = self.distinct_targets().map_err(refused)?;
                let names = [rows, targets.rows()].map(|rows| self.names(neighbours, rows));
                let adjacent = Rows { ends: &names[0], ..rows };
                let targets = Rows { ends: &names[1], ..targets.rows() };
                let pairs = Pairs { rows, places: self.places(neighbours) };
                pairs.count([adjacent, targets], |[by_sender, by_receiver], pair, found| {
                    let from_marked = found(adjacent, 1, pair.lower);
                    let to_marked = found(targets, 0, pair.lower);
                    by_sender[pair.here].store(from_marked, Relaxed);
                    by_receiver[pair.there].store(from_marked, Relaxed);
                    by_sender[pair.there].store(to_marked, Relaxed);
                    by_receiver[pair.here].store(to_marked, Relaxed);
                })
            })
        });
        counted.as_ref().map(|counts| counts.each_ref().map(Vec::as_slice)).map_err(StoreError::clone)
    }

    /// Returns the names of the ends in `rows`: their places, latest first.
    fn names(&self, neighbours: &Neighbours, rows: Rows<'_>) -> Vec<u32> {
        let places = self.places(neighbours);
        let last = (places.len() as u32).wrapping_sub(1);
        rows.ends.par_iter().map(|&end| last - places[end as usize]).collect()
    }

    fn apart<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        apart(self.num_edges(), work)
    }
}

/// Returns what `make` returned when it was first called.
fn once<T>(
    counted: &Counted<T>,
    make: impl FnOnce() -> Result<Vec<T>, StoreError>,
) -> Result<&[T], StoreError> {
    counted.get_or_init(make).as_ref().map(Vec::as_slice).map_err(StoreError::clone)
}

fn refused(error: SpaceError) -> StoreError {
    StoreError::Space { what: "counts of common neighbours", reason: error.to_string() }
}

/// Returns an array of zeros.
pub(super) fn zeros<T: bytemuck::Zeroable>(len: usize) -> Result<Vec<T>, StoreError> {
    memory::try_zeroed(len)
        .ok_or_else(|| refused(SpaceError::Refused { needed: (size_of::<T>() * len) as u64 }))
}

/// A set of vertices, by their names.
struct Marks(Vec<u64>);

impl Marks {
    fn new(vertices: u32) -> Marks {
        Marks(vec![0; (vertices as usize).div_ceil(64)])
    }

    fn mark(&mut self, names: &[u32]) {
        names.iter().for_each(|&name| self.0[name as usize / 64] |= 1 << (name % 64));
    }

    fn clear(&mut self, names: &[u32]) {
        names.iter().for_each(|&name| self.0[name as usize / 64] = 0);
    }

    /// Returns the number of vertices in `names` that are marked.
    #[inline]
    fn found(&self, names: &[u32]) -> u32 {
        names.iter().map(|&name| (self.0[name as usize / 64] >> (name % 64)) as u32 & 1).sum()
    }
}

/// Number of edges plus vertices per task of one thread. Intersecting rows takes long, and the rows of a few vertices
/// of large degree take most of the time.
const TASK: u64 = 1 << 13;

/// Number of edges between the one whose row is looked up and the one whose row is prefetched.
const AHEAD: usize = 8;

/// Returns, for each position of `rows`, the number of common ends in the two rows of `names` that belong to the ends of
/// the edge at that position.
fn count_later(rows: Rows<'_>, names: Rows<'_>) -> Result<Vec<u32>, StoreError> {
    let mut counts: Vec<u32> = zeros(rows.ends.len())?;
    let cuts = tasks(rows, TASK);
    let length = |pair: &[u32]| (rows.offsets[pair[1] as usize] - rows.offsets[pair[0] as usize]) as usize;
    let parts = split(&mut counts, cuts.windows(2).map(length));
    let parts = parts.into_par_iter().zip(cuts.par_windows(2)).with_max_len(1);
    parts.for_each_init(
        || Marks::new(rows.num_vertices()),
        |marks, (part, pair)| {
            let first = rows.offsets[pair[0] as usize] as usize;
            for v in (pair[0]..pair[1]).filter(|&v| names.degree(v) > 0) {
                marks.mark(names.row(v));
                let ends = rows.row(v);
                let slots = &mut part[rows.offsets[v as usize] as usize - first..];
                for (at, (&end, slot)) in ends.iter().zip(slots).enumerate() {
                    prefetch_row(names, ends, at);
                    *slot = marks.found(names.row(end));
                }
                marks.clear(names.row(v));
            }
        },
    );
    Ok(counts)
}

/// Prefetches the row of an end that follows the one at `at`. Rows that are looked up lie anywhere in memory.
#[inline(always)]
fn prefetch_row(rows: Rows<'_>, ends: &[u32], at: usize) {
    if let Some(&end) = ends.get(at + 2 * AHEAD) {
        prefetch(rows.offsets, end as usize);
    }
    if let Some(&end) = ends.get(at + AHEAD) {
        prefetch(rows.ends, rows.offsets[end as usize] as usize);
    }
}

/// All pairs of neighbours.
struct Pairs<'a> {
    rows: Rows<'a>,
    places: &'a [u32],
}

/// A vertex whose rows are marked, and a neighbour of an earlier place.
struct Pair {
    lower: u32,
    /// Position of the neighbour in the row of the marked vertex.
    here: usize,
    /// Position of the marked vertex in the row of the neighbour.
    there: usize,
}

impl Pairs<'_> {
    /// Calls `store(counts, pair, found)` for each pair, once the rows of its marked vertex in all `named` rows are
    /// marked. `found(rows, at, v)` counts the names in row `v` of `rows` that are marked in bitmap `at`.
    fn count<const N: usize>(
        &self,
        named: [Rows<'_>; N],
        store: impl Fn(&[Vec<AtomicU32>; N], Pair, &dyn Fn(Rows<'_>, usize, u32) -> u32) + Sync,
    ) -> Result<[Vec<u32>; N], StoreError> {
        let Pairs { rows, places } = *self;
        let mut counts = [const { Vec::new() }; N];
        for counts in &mut counts {
            *counts = zeros::<u32>(rows.ends.len())?.into_iter().map(AtomicU32::new).collect();
        }
        let tasks = tasks(rows, TASK);
        tasks.par_windows(2).with_max_len(1).for_each_init(
            || named.map(|_| Marks::new(rows.num_vertices())),
            |marks, pair| {
                for v in pair[0]..pair[1] {
                    marks.iter_mut().zip(named).for_each(|(marks, rows)| marks.mark(rows.row(v)));
                    let found = |rows: Rows<'_>, at: usize, v| marks[at].found(rows.row(v));
                    for here in rows.range(v) {
                        let lower = rows.ends[here];
                        if places[lower as usize] < places[v as usize] {
                            store(&counts, Pair { lower, here, there: rows.twin(lower, v, 0) }, &found);
                        }
                    }
                    marks.iter_mut().zip(named).for_each(|(marks, rows)| marks.clear(rows.row(v)));
                }
            },
        );
        Ok(counts.map(|counts| counts.into_iter().map(AtomicU32::into_inner).collect()))
    }
}

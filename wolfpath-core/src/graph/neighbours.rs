//! The rows of distinct neighbours, which are derived from a graph for programs along
//! [`Along::Neighbours`](crate::program::Along::Neighbours). Neighbours of a vertex are the vertices adjacent to it in
//! either direction, except the vertex itself.
//!
//! A derived graph is a [`LayeredGraph`] with the same vertices in the same order, but with other rows. All rows ascend.
//! *Oriented* rows contain each pair of neighbours once: an edge leads from the vertex with fewer neighbours to the
//! other one, and from the smaller rank if both have equally many. The order of vertices by these two numbers is their
//! *place*. No vertex has more than √(2m) neighbours of a later place, so oriented rows are short even at vertices of
//! large degree (Schank and Wagner 2005).

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::apart::apart;
use super::common::Counts;
use super::layer_histogram::LayerHistogram;
use super::layered_graph::LayeredGraph;
use super::packing::PackedNow;
use super::paths::PathsNow;
use super::places::Places;
use super::rows::{OwnedRows, Rows};
use crate::memory;
use crate::space::{Space, SpaceError};
use crate::store::StoreError;

/// The rows of a derived graph.
#[derive(Debug)]
pub(super) struct Derived {
    pub(super) neighbours: Arc<Neighbours>,
    /// The oriented rows and their transpose, if the graph is oriented.
    pub(super) oriented: Option<[OwnedRows; 2]>,
    pub(super) layer_histogram: OnceLock<LayerHistogram>,
    pub(super) counts: Counts,
    pub(super) edge_places: Places,
    pub(super) packed_now: PackedNow,
    pub(super) paths_now: PathsNow,
}

/// The distinct neighbours of every vertex.
#[derive(Debug)]
pub(super) struct Neighbours {
    /// `None` if the out-rows of the graph are these rows: it is symmetric, without self-loops and parallel edges.
    rows: Option<OwnedRows>,
    /// The place of each vertex, computed when it is first needed.
    places: OnceLock<Vec<u32>>,
    /// The counts of all edges that are not oriented.
    pub(super) counts: Counts,
}

impl Neighbours {
    /// Returns the rows, given the out-rows of the graph.
    pub(super) fn rows<'a>(&'a self, out_rows: Rows<'a>) -> Rows<'a> {
        self.rows.as_ref().map_or(out_rows, OwnedRows::rows)
    }
}

impl LayeredGraph {
    /// Returns the graph whose edges lead from each vertex to its distinct neighbours. If `oriented` is `true`, each
    /// pair of neighbours has only one edge, from the smaller place to the larger one. The rows are computed now, and
    /// belong to the result. A derived graph is derived from the graph that its original was made from.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    #[doc(hidden)]
    pub fn neighbour_graph(&self, oriented: bool) -> Result<LayeredGraph, StoreError> {
        let refused = |error: SpaceError| StoreError::Space {
            what: "rows of distinct neighbours",
            reason: error.to_string(),
        };
        let size = self.data.size();
        let neighbours = match &self.derived {
            Some(derived) => derived.neighbours.clone(),
            None => {
                let in_rows = self.in_edges()?;
                Arc::new(apart(size, || self.distinct_neighbours(in_rows)).map_err(refused)?)
            }
        };
        let oriented = match oriented {
            true => Some(apart(size, || self.oriented(&neighbours)).map_err(refused)?),
            false => None,
        };
        let derived = Derived {
            neighbours,
            oriented,
            layer_histogram: OnceLock::new(),
            counts: Counts::default(),
            edge_places: Places::default(),
            packed_now: PackedNow::default(),
            paths_now: PathsNow::default(),
        };
        let derived = Some(Arc::new(derived));
        Ok(LayeredGraph { derived, ..self.clone() })
    }

    /// Returns the graph that this one was derived from, or this graph if it is not derived.
    #[doc(hidden)]
    pub fn input_graph(&self) -> LayeredGraph {
        LayeredGraph { derived: None, ..self.clone() }
    }

    /// Returns the rows of distinct neighbours of a derived graph, oriented or not; the out-rows of any other graph.
    #[doc(hidden)]
    pub fn neighbour_rows(&self) -> Rows<'_> {
        match &self.derived {
            Some(derived) => derived.neighbours.rows(self.input_rows()),
            None => self.input_rows(),
        }
    }

    fn distinct_neighbours(&self, in_rows: Rows<'_>) -> Result<Neighbours, SpaceError> {
        let out_rows = self.input_rows();
        let symmetric = self.data.contents.symmetry.edges;
        let inward = if symmetric { Rows { offsets: &[], ends: &[] } } else { in_rows };
        let vertices = (0..out_rows.num_vertices()).into_par_iter();
        let is_simple = |v: u32| {
            let row = out_rows.row(v);
            row.windows(2).all(|pair| pair[0] < pair[1]) && row.binary_search(&v).is_err()
        };
        let rows = match symmetric && vertices.with_min_len(1 << 10).all(is_simple) {
            true => None,
            false => Some(rows_of(out_rows, &Merged { out: out_rows, inward })?),
        };
        Ok(Neighbours { rows, places: OnceLock::new(), counts: Counts::default() })
    }

    /// Calls `read` with the distinct targets of every vertex, except itself.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    #[doc(hidden)]
    pub fn with_distinct_targets<T>(&self, read: impl FnOnce(Rows<'_>) -> T) -> Result<T, StoreError> {
        let targets = apart(self.data.size(), || self.distinct_targets());
        let targets = targets.map_err(|error| StoreError::Space {
            what: "rows of distinct neighbours",
            reason: error.to_string(),
        })?;
        Ok(read(targets.rows()))
    }

    /// Returns the distinct targets of every vertex except itself.
    pub(super) fn distinct_targets(&self) -> Result<OwnedRows, SpaceError> {
        let out = self.input_rows();
        rows_of(out, &Merged { out, inward: Rows { offsets: &[], ends: &[] } })
    }

    fn oriented(&self, neighbours: &Neighbours) -> Result<[OwnedRows; 2], SpaceError> {
        let (rows, places) = (neighbours.rows(self.input_rows()), self.places(neighbours));
        let later = |later| rows_of(rows, &Placed { rows, places, later });
        Ok([later(true)?, later(false)?])
    }

    /// Returns the place of each vertex: its position when vertices are sorted by number of neighbours and then by rank.
    pub(super) fn places<'a>(&self, neighbours: &'a Neighbours) -> &'a [u32] {
        neighbours.places.get_or_init(|| {
            let (rows, ranks) = (neighbours.rows(self.input_rows()), self.ranks());
            let key = |v: u32| (rows.degree(v) << u32::BITS) | u64::from(ranks[v as usize]);
            let mut keys: Vec<u64> = (0..rows.num_vertices()).into_par_iter().map(key).collect();
            keys.par_sort_unstable();
            let mut places = vec![0; keys.len()];
            let by_rank = self.by_rank();
            for (place, key) in (0..).zip(&keys) {
                places[by_rank[*key as u32 as usize] as usize] = place;
            }
            places
        })
    }
}

/// A function from a vertex to the ends of its row.
trait Ends: Sync {
    /// Calls `put` for each end, in ascending order.
    fn visit(&self, v: u32, put: impl FnMut(u32));
}

/// The distinct ends in two rows of each vertex, except the vertex itself. There may be no second rows.
struct Merged<'a> {
    out: Rows<'a>,
    inward: Rows<'a>,
}

impl Ends for Merged<'_> {
    fn visit(&self, v: u32, mut put: impl FnMut(u32)) {
        let inward: &[u32] = if self.inward.offsets.is_empty() { &[] } else { self.inward.row(v) };
        visit_neighbours(v, self.out.row(v), inward, |end, _| put(end));
    }
}

/// Calls `put(end, is_target)` for each distinct end in the out-row and the in-row of `v`, except `v` itself, in ascending order.
/// `is_target` tells whether the end is in the out-row. Both rows must ascend.
#[doc(hidden)]
pub fn visit_neighbours(v: u32, out: &[u32], inward: &[u32], mut put: impl FnMut(u32, bool)) {
    let (mut a, mut b) = (out, inward);
    let mut last = v;
    loop {
        let next = match (a.first(), b.first()) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&only), None) | (None, Some(&only)) => only,
            (None, None) => return,
        };
        let is_target = a.first() == Some(&next);
        a = &a[usize::from(is_target)..];
        b = &b[usize::from(b.first() == Some(&next))..];
        // `last` is the vertex itself at first, which must not be listed either.
        if next != last && next != v {
            put(next, is_target);
            last = next;
        }
    }
}

/// The ends in the row of each vertex whose place is later than the vertex's, or earlier.
struct Placed<'a> {
    rows: Rows<'a>,
    places: &'a [u32],
    later: bool,
}

impl Ends for Placed<'_> {
    fn visit(&self, v: u32, mut put: impl FnMut(u32)) {
        let place = self.places[v as usize];
        for &end in self.rows.row(v) {
            if (self.places[end as usize] > place) == self.later {
                put(end);
            }
        }
    }
}

/// Number of edges plus vertices per task of one thread.
const TASK: u64 = 1 << 15;

/// Returns the first vertex of each task, and then the number of vertices. A task has about `size` edges and vertices,
/// and at least one vertex.
pub(super) fn tasks(rows: Rows<'_>, size: u64) -> Vec<u32> {
    let vertices = rows.num_vertices();
    let work = |v: u32| rows.offsets[v as usize] + u64::from(v);
    let mut cuts = vec![0];
    let mut first = 0;
    while first < vertices {
        let (mut low, mut high) = (first + 1, vertices);
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if work(middle) < work(first) + size { (middle + 1, high) } else { (low, middle) };
        }
        first = low;
        cuts.push(first);
    }
    cuts
}

/// Returns the rows whose ends are given. `like` are rows that are about as long.
fn rows_of(like: Rows<'_>, ends: &impl Ends) -> Result<OwnedRows, SpaceError> {
    let cuts = tasks(like, TASK);
    let vertices = like.num_vertices() as usize;
    let mut offsets: Vec<u64> =
        memory::try_zeroed(vertices + 1).ok_or(SpaceError::Refused { needed: 8 * vertices as u64 })?;
    let sizes = split(&mut offsets[1..], cuts.windows(2).map(|pair| (pair[1] - pair[0]) as usize));
    sizes.into_par_iter().zip(&cuts).for_each(|(sizes, &first)| {
        for (v, size) in (first..).zip(sizes) {
            ends.visit(v, |_| *size += 1);
        }
    });
    let mut sum = 0;
    for offset in &mut offsets {
        sum += *offset;
        *offset = sum;
    }
    let mut all = Space::Memory.zeroed::<u32>(sum as usize)?;
    let length = |pair: &[u32]| (offsets[pair[1] as usize] - offsets[pair[0] as usize]) as usize;
    let parts = split(&mut all, cuts.windows(2).map(length));
    parts.into_par_iter().zip(cuts.par_windows(2)).for_each(|(part, pair)| {
        let mut slots = part.iter_mut();
        for v in pair[0]..pair[1] {
            ends.visit(v, |end| *slots.next().expect("as many ends as were counted") = end);
        }
    });
    Ok(OwnedRows { offsets, ends: all, weights: Space::Memory.zeroed(0)? })
}

/// Splits a slice into parts of these lengths.
pub(super) fn split<T>(mut rest: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut parts = Vec::new();
    for length in lengths {
        let (part, more) = rest.split_at_mut(length);
        parts.push(part);
        rest = more;
    }
    parts
}

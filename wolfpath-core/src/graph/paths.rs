//! Edge-disjoint directed paths, which together have every edge of the graph once.
//!
//! DiGraph (Zhang, Liao, Jin et al.: "DiGraph: An Efficient Path-based Iterative Directed Graph Processing System on Multiple
//! GPUs", ASPLOS 2019) processes a graph path by path, so that a new value travels along a whole path at once, and processes
//! paths in the order of their dependencies. `decompose` finds the paths, and `order` their order.

mod check;
mod decompose;
mod order;
#[cfg(test)]
mod tests;

use std::iter::FusedIterator;
use std::num::NonZeroU8;
use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

pub(crate) use check::{Fault, fault_of};
use decompose::Chains;

use super::apart::apart;
use super::error::LayerError;
use super::layered_graph::LayeredGraph;
use super::neighbours::split;
use super::rows::{Room, Rows};
use crate::progress::Progress;
use crate::space::Space;
use crate::store::{Column, PathColumns, StoreError};

/// Edge-disjoint directed paths, which together have every edge of a graph once.
///
/// One path *precedes* another one if a vertex of it, other than its first, is a vertex of the other one, other than its last.
/// Paths that precede each other, directly or by way of others, form a *component*. The *layer* of a component is larger than
/// those of all other components that precede it, and as small as possible. Paths are in the order of their layers, those of a
/// component are consecutive, and within a component hotter ones come first: those whose vertices have more edges on average.
/// (Averages are compared in classes, in which they differ by at most about 3%. Paths of one class are in the order of their
/// first edges.)
///
/// Paths have at most [`USUAL_LIMIT`](Self::USUAL_LIMIT) edges, unless the graph was built with another
/// [limit](super::LayerOptions::paths).
///
/// ```
/// use wolfpath::prelude::*;
///
/// // A cycle of three, and a tail of two edges.
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])?;
/// let paths = graph.paths()?;
/// assert_eq!((paths.num_paths(), paths.num_components(), paths.num_layers()), (2, 2, 2));
/// let lengths: Vec<usize> = paths.iter().map(|path| path.len()).collect();
/// assert_eq!(lengths, [3, 2]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    pub(crate) rows: Rows<'a>,
    pub(crate) firsts: &'a [u32],
    pub(crate) lengths: &'a [u8],
    pub(crate) slots: &'a [u32],
    pub(crate) components: &'a [u32],
    pub(crate) layers: &'a [u32],
}

impl<'a> Paths<'a> {
    /// Largest number of edges of a path, unless another one is requested.
    pub const USUAL_LIMIT: NonZeroU8 = NonZeroU8::new(16).unwrap();

    /// Returns the number of paths.
    pub fn num_paths(&self) -> u32 {
        self.firsts.len() as u32
    }

    /// Returns the number of components.
    pub fn num_components(&self) -> u32 {
        self.components.len() as u32 - 1
    }

    /// Returns the number of layers.
    pub fn num_layers(&self) -> u32 {
        self.layers.len() as u32 - 1
    }

    /// Returns the average number of edges of a path, or 0 for a graph without edges.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (2, 4)])?;
    /// assert_eq!(graph.paths()?.average_length(), 1.5);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn average_length(&self) -> f64 {
        self.slots.len() as f64 / self.firsts.len().max(1) as f64
    }

    /// Returns the number of edges of the longest path, or 0 for a graph without edges.
    pub fn longest(&self) -> u8 {
        self.lengths.par_iter().copied().max().unwrap_or(0)
    }

    /// Returns the number of paths of the component that has the most.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (2, 3)])?;
    /// assert_eq!(graph.paths()?.largest_component(), 1);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn largest_component(&self) -> u32 {
        self.components.par_windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// Returns the numbers of a component's paths.
    ///
    /// # Panics
    /// Panics if `component` is not below [`num_components`](Self::num_components).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (2, 3)])?;
    /// let paths = graph.paths()?;
    /// assert_eq!([0, 1].map(|component| paths.of_component(component)), [0..1, 1..2]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn of_component(&self, component: u32) -> Range<u32> {
        self.components[component as usize]..self.components[component as usize + 1]
    }

    /// Returns the numbers of a layer's components.
    ///
    /// # Panics
    /// Panics if `layer` is not below [`num_layers`](Self::num_layers).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (2, 3)])?;
    /// assert_eq!(graph.paths()?.of_layer(1), 1..2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn of_layer(&self, layer: u32) -> Range<u32> {
        self.layers[layer as usize]..self.layers[layer as usize + 1]
    }

    /// Returns all paths in their order.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (2, 4)])?;
    /// let edges: usize = graph.paths()?.iter().map(|path| path.edges().count()).sum();
    /// assert_eq!(edges, 3);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn iter(&self) -> PathIter<'a> {
        PathIter { paths: *self, next: 0, end: self.firsts.len(), slot: 0 }
    }

    /// Returns all paths in parts of at most `size` paths, in their order, for loops on several threads.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (2, 4), (2, 5)])?;
    /// let parts = graph.paths()?.parts(2);
    /// assert!(parts.iter().map(|part| (part.number(), part.len())).eq([(0, 2), (2, 1)]));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn parts(&self, size: usize) -> Vec<PathIter<'a>> {
        let mut slot = 0;
        let edges =
            self.lengths.par_chunks(size).map(|part| part.iter().map(|&edges| usize::from(edges)).sum());
        let edges: Vec<usize> = edges.collect();
        let part = |(part, edges): (usize, usize)| {
            let (next, first) = (part * size, slot);
            slot += edges;
            PathIter { paths: *self, next, end: (next + size).min(self.firsts.len()), slot: first }
        };
        edges.into_iter().enumerate().map(part).collect()
    }
}

/// Iterator over [paths](Paths).
///
/// ```
/// use wolfpath::graph::PathIter;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (2, 4)])?;
/// let paths: PathIter<'_> = graph.paths()?.iter();
/// assert_eq!(paths.len(), 2);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PathIter<'a> {
    paths: Paths<'a>,
    next: usize,
    end: usize,
    slot: usize,
}

impl PathIter<'_> {
    /// Returns the number of the next path; after the last one, the number of the path after it.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (2, 4)])?;
    /// let mut paths = graph.paths()?.iter();
    /// paths.next();
    /// assert_eq!(paths.number(), 1);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn number(&self) -> u32 {
        self.next as u32
    }
}

impl<'a> Iterator for PathIter<'a> {
    type Item = EdgePath<'a>;

    fn next(&mut self) -> Option<EdgePath<'a>> {
        let Paths { rows, firsts, lengths, slots, .. } = self.paths;
        if self.next == self.end {
            return None;
        }
        let (first, length) = (firsts[self.next], lengths[self.next]);
        let slots = &slots[self.slot..self.slot + usize::from(length)];
        self.next += 1;
        self.slot += slots.len();
        Some(EdgePath { rows, first, slots })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for PathIter<'_> {}

impl FusedIterator for PathIter<'_> {}

/// A directed path: edges, each of which begins where the previous one ends. It may visit a vertex more than once.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(7, 8), (8, 9)])?;
/// let path = graph.paths()?.iter().next().expect("there are edges");
/// assert!(path.vertices().map(|v| graph.id_of(v)).eq([7, 8, 9]));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EdgePath<'a> {
    rows: Rows<'a>,
    first: u32,
    slots: &'a [u32],
}

impl<'a> EdgePath<'a> {
    /// Returns the number of edges, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "no path is empty")]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the positions of the edges in the graph's [out-edges](LayeredGraph::out_edges).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(7, 8), (8, 9)])?;
    /// let path = graph.paths()?.iter().next().expect("there are edges");
    /// assert!(path.edges().eq([0, 1]));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn edges(&self) -> impl Iterator<Item = usize> + use<'a> {
        let EdgePath { rows, mut first, slots } = *self;
        slots.iter().map(move |&slot| {
            let edge = rows.range(first).start + slot as usize;
            first = rows.ends[edge];
            edge
        })
    }

    /// Returns the vertices, one more than there are edges.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + use<'a> {
        let rows = self.rows;
        std::iter::once(self.first).chain(self.edges().map(move |edge| rows.ends[edge]))
    }
}

/// Paths that were computed on request; `None` if those that are stored are right.
pub(super) type PathsNow = OnceLock<Result<Option<PathColumns>, StoreError>>;

/// Decomposes a graph into paths of at most `limit` edges.
pub(super) fn decomposed(
    out: Rows<'_>,
    into: Rows<'_>,
    limit: NonZeroU8,
    room: Room<'_>,
) -> Result<PathColumns, LayerError> {
    let chains = Chains::new(out, into, limit.get(), room)?;
    let order::Ordered { paths, order, components, layers } = order::ordered(&chains)?;
    let mut slots = room.space.zeroed::<u32>(out.ends.len())?;
    let path = |&number: &u32| paths[number as usize];
    let tasks = order.par_chunks(1 << 12);
    let lengths = tasks.clone().map(|task| task.iter().map(|number| usize::from(path(number).edges)).sum());
    let lengths: Vec<usize> = lengths.collect();
    let parts = split(&mut slots, lengths.into_iter());
    parts.into_par_iter().zip(tasks).for_each(|(slots, task)| {
        let lengths = task.iter().map(|number| usize::from(path(number).edges));
        chains.write_slots(task.iter().map(path).zip(split(slots, lengths)));
    });
    Ok(PathColumns {
        firsts: Column::Owned(order.par_iter().map(|number| path(number).first).collect::<Vec<_>>().into()),
        lengths: Column::Owned(order.par_iter().map(|number| path(number).edges).collect::<Vec<_>>().into()),
        slots: Column::Owned(slots),
        components: Column::Owned(components.into()),
        layers: Column::Owned(layers.into()),
    })
}

impl LayeredGraph {
    /// Returns edge-disjoint directed paths that together have every edge once. If the graph does not store them
    /// ([`LayerOptions::paths`](super::LayerOptions::paths)), they are computed on the first call, on all cores, and stay in
    /// memory as long as the graph.
    ///
    /// Opening a file verifies the checksums of its paths. The first call also verifies that they are paths of the graph, in an
    /// order that their dependencies allow.
    ///
    /// # Errors
    /// Returns an error if the in-rows or the paths have to be computed and there is not enough memory; if there would be more
    /// than 2^32 - 1 paths and vertices; if a vertex has more than 2^32 - 2 edges in one direction; or if the file has in-rows
    /// that are not the transpose of its out-rows, or paths that are not those of the graph, which can only be the case in a
    /// forged file with valid checksums.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (2, 4)])?;
    /// assert_eq!(graph.paths()?.num_paths(), 2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn paths(&self) -> Result<Paths<'_>, StoreError> {
        let rows = self.out_edges();
        let stored = self.data.contents.paths.as_ref().filter(|_| self.derived.is_none());
        let found = self.paths_now().get_or_init(|| {
            let size = self.data.size();
            match stored {
                Some(stored) if stored.are_mapped() => apart(size, || stored.check(rows)).map(|()| None),
                Some(_) => Ok(None),
                None => {
                    let into = self.in_edges()?;
                    let room = Room { space: &Space::Memory, progress: &Progress::NONE };
                    let made = apart(size, || decomposed(rows, into, Paths::USUAL_LIMIT, room));
                    let error =
                        |error: LayerError| StoreError::Space { what: "paths", reason: error.to_string() };
                    made.map(Some).map_err(error)
                }
            }
        });
        let columns = found.as_ref().map_err(StoreError::clone)?.as_ref().or(stored);
        Ok(columns.expect("they were computed unless they are stored").paths(rows))
    }

    /// Returns `true` if the graph stores its [paths](Self::paths), so that they need not be computed.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// assert!(!LayeredGraph::from_edges([(1, 2)])?.stores_paths());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn stores_paths(&self) -> bool {
        self.data.contents.paths.is_some() && self.derived.is_none()
    }
}

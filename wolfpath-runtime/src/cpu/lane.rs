//! The rows of one direction as a run visits them: the edges of a vertex, and what a program may read of each edge apart
//! from its ends.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wolfpath_core::graph::Rows;
use wolfpath_core::program::{Datum, EdgeProgram, Executable};

use super::halt::Halt;
use super::shelf::Weights;
use super::tasks::for_each_task;
use crate::start::one;

/// One direction of the graph: its rows, and their weights in the same order. The weights are `None` if every weight is
/// 1 or the program reads no weights.
pub(crate) struct Lane<'a, P: EdgeProgram> {
    pub(super) rows: Rows<'a>,
    pub(super) weights: Option<Weights<'a, P::Load>>,
    /// The place of each edge among those of its sender, if the program reads it.
    pub(super) places: Option<Arc<Vec<u32>>>,
    /// `true` if messages along these rows travel in the direction of the edges.
    pub(super) forward: bool,
}

impl<P: EdgeProgram> Clone for Lane<'_, P> {
    fn clone(&self) -> Self {
        let Lane { rows, weights, places, forward } = self;
        Lane { rows: *rows, weights: weights.clone(), places: places.clone(), forward: *forward }
    }
}

/// The rows that vertices traverse in one role: as senders, or as receivers that gather.
pub(crate) struct Lanes<'a, P: EdgeProgram> {
    pub(super) out: Option<Lane<'a, P>>,
    pub(super) inward: Option<Lane<'a, P>>,
}

impl<'a, P: EdgeProgram> Lanes<'a, P> {
    /// Returns the lanes that are traversed, out-rows first.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Lane<'a, P>> {
        self.out.iter().chain(&self.inward)
    }

    /// Returns the only lane, unless there are two.
    #[inline(always)]
    pub(crate) fn only(&self) -> Option<&Lane<'a, P>> {
        match (&self.out, &self.inward) {
            (Some(lane), None) | (None, Some(lane)) => Some(lane),
            _ => None,
        }
    }

    /// Returns their rows.
    pub(crate) fn rows(&self) -> SendRows<'a> {
        SendRows {
            out: self.out.as_ref().map(|lane| lane.rows),
            inward: self.inward.as_ref().map(|lane| lane.rows),
        }
    }

    /// Visits row `v` of each lane, until `visit` returns `false`.
    #[inline]
    pub(crate) fn visit(&self, v: u32, visit: &mut impl FnMut(u32, LoadOf<P>) -> Step) -> Result<(), Halt> {
        for lane in self.iter() {
            if !lane.visit(v, visit)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Data of an edge apart from its ends. Only the fields that the program reads are loaded.
#[derive(Clone, Copy)]
pub(crate) struct Loaded<W> {
    pub(crate) weight: W,
    pub(super) place: u32,
    pub(super) forward: bool,
}

/// Data of an edge for program `P`.
pub(crate) type LoadOf<P> = Loaded<<P as Executable>::Load>;

impl<W: Datum> Loaded<W> {
    /// Returns what stands for any edge of a sender whose messages depend on itself alone.
    pub(crate) fn of_any() -> Loaded<W> {
        Loaded { weight: one(), place: 0, forward: true }
    }
}

/// Number of vertices of a list in a task that adds up their degrees.
const COUNTED: usize = 4096;

/// Rows along which vertices send.
#[derive(Clone, Copy)]
pub(crate) struct SendRows<'a> {
    pub(super) out: Option<Rows<'a>>,
    pub(super) inward: Option<Rows<'a>>,
}

impl<'a> SendRows<'a> {
    /// Returns the rows, out-rows first.
    pub(crate) fn iter(self) -> impl Iterator<Item = Rows<'a>> {
        self.out.into_iter().chain(self.inward)
    }

    /// Returns the number of vertices.
    pub(crate) fn num_vertices(&self) -> u32 {
        self.out.or(self.inward).map_or(0, |rows| rows.num_vertices())
    }

    /// Returns the number of edges along which a vertex sends.
    #[inline]
    pub(crate) fn degree(&self, v: u32) -> u64 {
        self.out.map_or(0, |rows| rows.degree(v)) + self.inward.map_or(0, |rows| rows.degree(v))
    }

    /// Returns the number of edges along which all vertices together send.
    pub(crate) fn edges(&self) -> u64 {
        self.iter().map(|rows| rows.ends.len() as u64).sum()
    }

    /// Returns the number of edges along which the vertices of these lists together send.
    pub(crate) fn edges_of<L: AsRef<[u32]>>(&self, lists: &[L]) -> u64 {
        let degrees = |vertices: &[u32]| vertices.iter().map(|&v| self.degree(v)).sum::<u64>();
        let lists = || lists.iter().map(AsRef::as_ref);
        if lists().map(<[u32]>::len).sum::<usize>() <= 2 * COUNTED {
            return lists().map(degrees).sum();
        }
        let parts: Vec<&[u32]> = lists().flat_map(|list| list.chunks(COUNTED)).collect();
        let edges = AtomicU64::new(0);
        for_each_task(parts.len(), &|part| {
            edges.fetch_add(degrees(parts[part]), Relaxed);
        });
        edges.into_inner()
    }
}

/// `true` to continue with the row, `false` to leave it, or the fault that ends the run.
pub(super) type Step = Result<bool, Halt>;

impl<'a, P: EdgeProgram> Lane<'a, P> {
    /// Returns a lane of a part of a graph.
    pub(crate) fn of_part(
        rows: Rows<'a>,
        weights: Option<Weights<'a, P::Load>>,
        places: Option<Arc<Vec<u32>>>,
        forward: bool,
    ) -> Lane<'a, P> {
        Lane { rows, weights, places, forward }
    }
}

impl<P: EdgeProgram> Lane<'_, P> {
    /// Returns the positions of a vertex's edges.
    #[inline]
    pub(crate) fn range(&self, v: u32) -> Range<usize> {
        self.rows.range(v)
    }

    /// Returns the rows of consecutive vertices, from `first` on.
    #[inline]
    pub(crate) fn rows_of(&self, first: u32, count: usize) -> impl Iterator<Item = &[u32]> {
        let offsets = &self.rows.offsets[first as usize..][..count + 1];
        offsets.windows(2).map(|ends| &self.rows.ends[ends[0] as usize..ends[1] as usize])
    }

    /// Returns the other endpoints of all edges, by position.
    #[inline]
    pub(crate) fn ends(&self) -> &[u32] {
        self.rows.ends
    }

    /// Visits row `v`. Returns `false` if `visit` ended the visit early.
    #[inline]
    pub(super) fn visit(&self, v: u32, visit: &mut impl FnMut(u32, LoadOf<P>) -> Step) -> Step {
        self.visit_range(self.rows.range(v), visit)
    }

    /// Visits a range of positions in the rows. Returns `false` if `visit` ended the visit early.
    #[inline]
    pub(crate) fn visit_range(
        &self,
        range: Range<usize>,
        visit: &mut impl FnMut(u32, LoadOf<P>) -> Step,
    ) -> Step {
        let ends = &self.rows.ends[range.clone()];
        // Cut to the length of the row, so that positions need no check.
        let weights = self.weights.as_ref().map(|weights| &weights[range.clone()]);
        let places = self.places.as_ref().map(|places| &places[range]);
        let one = one();
        for (at, &end) in ends.iter().enumerate() {
            let weight = weights.map_or(one, |weights| weights[at]);
            let place = match places {
                Some(places) if const { P::MODEL.reads.edge_place } => places[at],
                _ => 0,
            };
            if !visit(end, Loaded { weight, place, forward: self.forward })? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

//! Decomposes a graph into edge-disjoint directed paths.
//!
//! At each vertex, edges that come in are joined to edges that go out, as many as there are of both: those within the vertex's
//! strongly connected component first, then those to vertices of high degree. Joined edges form chains, which are cut where a
//! path would be too long, or would connect components that do not depend on each other (see [`Inner`]).
//!
//! So paths begin only where that is necessary, because a vertex has more edges out than in; where chains are cut; and once for
//! each chain that is closed.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::super::degree_classes::DegreeClasses;
use super::super::error::LayerError;
use super::super::neighbours::{split, tasks};
use super::super::prefetch::prefetch;
use super::super::rows::{OwnedRows, Room, Rows};
use super::super::strong::strong_components;
use crate::progress::Stage;
use crate::random;
use crate::space::Array;

/// Mark of an edge that no other follows on its path, and of a path in no knot.
pub(super) const NONE: u32 = u32::MAX;

/// One edge in so many always begins a path. Chains are thereby cut into pieces that threads can walk independently of each
/// other, even if a graph is a single cycle.
const EDGES_PER_STATION: u64 = 256;

/// Vertices per task of one thread.
pub(super) const VERTICES_A_TASK: usize = 1 << 8;

/// Edges and vertices per task of one thread.
const EDGES_A_TASK: u64 = 1 << 14;

/// Kind of a vertex: it is on a cycle.
const CYCLIC: u8 = 1;
/// Kind of a vertex: it has one edge out.
const ONE_OUT: u8 = 2;
/// Kind of a vertex: it has one edge in.
const ONE_IN: u8 = 4;

/// The paths of a graph, as chains of edges.
pub(super) struct Chains<'a> {
    pub(super) out: Rows<'a>,
    /// The smallest vertex of each vertex's strongly connected component.
    pub(super) heads: Vec<u32>,
    /// The kind of each vertex: bits of [`CYCLIC`], [`ONE_OUT`] and [`ONE_IN`].
    kinds: Vec<u8>,
    /// Number of edges of each vertex in both directions, at most [`MOST_DEGREE`].
    degrees: Vec<u32>,
    /// For each edge, the position within its target's row of the edge that is joined to it, or [`NONE`].
    next: Array<u32>,
    /// Edges with which paths begin.
    begins: Bits,
}

/// Number of walks that a thread takes by turns.
const ABREAST: usize = 32;

/// A walk along a chain of edges.
#[derive(Clone, Copy, Debug)]
struct Walk {
    edge: usize,
    /// The vertex at which the edge ends, and the position in its row of the edge that follows; `None` until both were read.
    ahead: Option<(u32, u32)>,
}

/// Result of [`Chains::advance`].
enum Advance {
    /// It is now known which edge follows.
    Looked,
    /// The walk has passed the vertex `end`, and is at `edge`, which is at position `slot` of the vertex's row.
    To { end: u32, slot: u32, edge: usize },
    /// The chain ends at this vertex.
    Over { end: u32 },
}

/// A path on which a walk is.
struct Trail<'p> {
    walk: Walk,
    path: &'p mut Path,
    /// Sum of the degrees of its vertices so far.
    degrees: u64,
    /// Its second vertex.
    second: Option<u32>,
    /// Its first inner vertex that makes the paths through it depend on each other.
    core: Option<u32>,
}

/// Takes several walks at the same time. Each call of `step` advances one of them, and returns `false` if the walk ends there. What
/// a step reads is seldom in the cache, so other walks are advanced while it is fetched.
fn abreast<W>(walks: impl Iterator<Item = W>, step: impl Fn(&mut W) -> bool) {
    let mut walks = walks.fuse();
    let mut current: Vec<W> = walks.by_ref().take(ABREAST).collect();
    while !current.is_empty() {
        let mut at = 0;
        while let Some(walk) = current.get_mut(at) {
            if step(walk) {
                at += 1;
            } else if let Some(next) = walks.next() {
                *walk = next;
                at += 1;
            } else {
                current.swap_remove(at);
            }
        }
    }
}

/// Role of an inner vertex of a path, that is, one that is neither the first nor the last.
///
/// If two paths have an inner vertex in common, each depends on the other, and so do all vertices on both. Cyclic dependencies
/// should be those of the graph, the strongly connected components, and no larger. So the vertices of a path must be inner
/// vertices of no other path, or all be in one component, apart from its ends. One edge in, or one out, suffices for the former,
/// unless the vertex is on a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inner {
    /// The vertex has one edge out. Such vertices may come before those of a component.
    Merging,
    /// The vertex is in this component.
    Core(u32),
    /// The vertex has one edge in. Such vertices may come behind those of a component.
    Branching,
}

/// The inner vertices of a path so far.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    edges: u8,
    latest: Option<Inner>,
}

impl Course {
    /// Extends a path by an edge beyond `inner`. Returns `false` if a path must end there instead.
    fn extend(&mut self, limit: u8, inner: impl FnOnce() -> [Option<Inner>; 2]) -> bool {
        if self.edges == limit {
            return false;
        }
        let follows = |inner: &Inner| match (self.latest, inner) {
            (None | Some(Inner::Merging), _) => true,
            (Some(Inner::Core(one)), Inner::Core(other)) => one == *other,
            (Some(Inner::Core(_) | Inner::Branching), Inner::Branching) => true,
            (Some(_), _) => false,
        };
        let Some(found) = inner().into_iter().flatten().find(follows) else { return false };
        self.latest = Some(found);
        self.edges += 1;
        true
    }
}

/// A path, and what its order depends on.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(super) struct Path {
    pub(super) first: u32,
    /// Position of the first edge within the row of the first vertex.
    pub(super) slot: u32,
    pub(super) edges: u8,
    /// `true` if there are inner vertices outside of the component that the other inner vertices are in.
    pub(super) passes: bool,
    /// The class of its vertices' average degree, in sixteenths. The larger it is, the hotter is the path.
    pub(super) heat: u16,
    /// The knot that contains the path (see `order`), or [`NONE`] if the path leads from one knot to another.
    pub(super) knot: u32,
}

impl<'a> Chains<'a> {
    /// Decomposes a graph into paths of at most `limit` edges, which is at least 1.
    pub(super) fn new(
        out: Rows<'a>,
        into: Rows<'a>,
        limit: u8,
        room: Room<'_>,
    ) -> Result<Chains<'a>, LayerError> {
        let longest = |rows: Rows<'_>| rows.offsets.par_windows(2).map(|pair| pair[1] - pair[0]).max();
        if let Some(edges) = longest(out).max(longest(into)).filter(|&edges| edges >= NONE.into()) {
            return Err(LayerError::LongRow { edges });
        }
        let (edges, vertices) = (out.ends.len(), out.num_vertices());
        room.progress.begin(Stage::Paths, Some(u64::from(vertices) + 2 * edges as u64));
        let heads = strong_components(out, into);
        room.progress.advance(vertices.into());
        // The smallest vertex of a component is marked by the others.
        let is_head = Bits::new(vertices as usize);
        let all = (0..vertices).into_par_iter().with_min_len(VERTICES_A_TASK);
        all.clone().filter(|&v| heads[v as usize] != v).for_each(|v| is_head.set(heads[v as usize] as usize));
        let kind = |v: u32| -> u8 {
            let is_cyclic =
                heads[v as usize] != v || is_head.get(v as usize) || out.row(v).binary_search(&v).is_ok();
            let flags = [(is_cyclic, CYCLIC), (out.degree(v) == 1, ONE_OUT), (into.degree(v) == 1, ONE_IN)];
            flags.into_iter().map(|(is_so, flag)| if is_so { flag } else { 0 }).sum()
        };
        let kinds = all.clone().map(kind).collect();
        let degree = |v| (out.degree(v) + into.degree(v)).min(MOST_DEGREE) as u32;
        let degrees = all.map(degree).collect();
        let next: Array<u32> = room.space.zeroed(edges)?;
        let mut chains = Chains { out, heads, kinds, degrees, next, begins: Bits::ones(edges) };
        let transposed = out.transposed_with(|slot| slot as u32, room.space)?;
        // Only in a forged file are the in-rows not the transpose.
        if transposed.rows() != into {
            return Err(LayerError::NotTransposed);
        }
        chains.join(&transposed);
        // The transpose takes as much memory as the rows. It is freed before more is allocated.
        drop(transposed);
        room.progress.advance(edges as u64);
        chains.cut(limit);
        room.progress.advance(edges as u64);
        Ok(chains)
    }

    /// Joins edges at every vertex. All edges that follow no other begin a path. `into` are the in-rows, and the position of each
    /// edge within the row of its source.
    fn join(&mut self, into: &OwnedRows<u32>) {
        let in_rows = into.rows();
        let mut next = std::mem::take(&mut self.next);
        next.par_iter_mut().with_min_len(1 << 14).for_each(|next| *next = NONE);
        let joined = atomic(&mut next);
        let vertices = (0..self.out.num_vertices()).into_par_iter();
        vertices.with_min_len(VERTICES_A_TASK).for_each_init(
            Default::default,
            |keys: &mut [Vec<u64>; 2], v| {
                let count = in_rows.degree(v).min(self.out.degree(v)) as usize;
                let [incoming, outgoing] = keys;
                self.best(in_rows, v, count, incoming);
                self.best(self.out, v, count, outgoing);
                let (begin, in_begin) = (self.out.range(v).start, in_rows.range(v).start);
                for (at, &key) in incoming.iter().enumerate() {
                    let in_edge = in_begin + key as u32 as usize;
                    let edge = self.out.range(in_rows.ends[in_edge]).start + into.weights[in_edge] as usize;
                    // An edge does not return to where it came from, if there is another one: in a symmetric graph, both lists
                    // begin with the same vertices.
                    let slot = outgoing[(at + 1) % count] as u32;
                    self.begins.clear(begin + slot as usize);
                    joined[edge].store(slot, Ordering::Relaxed);
                }
            },
        );
        self.next = next;
    }

    /// Stores in `keys` the `count` best edges of a row to be joined, best first. The lower half of a key is the edge's position
    /// within the row.
    fn best(&self, rows: Rows<'_>, v: u32, count: usize, keys: &mut Vec<u64>) {
        keys.clear();
        if count == 0 {
            return;
        }
        let head = self.heads[v as usize];
        keys.extend(rows.row(v).iter().zip(0u64..).map(|(&end, at)| {
            let is_outside = u64::from(self.heads[end as usize] != head);
            is_outside << 63 | (MOST_DEGREE - u64::from(self.degrees[end as usize])) << 32 | at
        }));
        if count < keys.len() {
            keys.select_nth_unstable(count);
            keys.truncate(count);
        }
        keys.sort_unstable();
    }

    /// Cuts chains into paths.
    fn cut(&mut self, limit: u8) {
        let edges = self.out.ends.len();
        let is_station = |edge: usize| random::hash(0, edge as u64).is_multiple_of(EDGES_PER_STATION);
        // The edges that others follow, and that therefore no walk begins with unless they are stations.
        let seen = Bits::new(edges);
        let begin = |first: usize| {
            self.begins.set(first);
            let course = Course { edges: 1, latest: None };
            (first, self.walk(first), course)
        };
        let extend = |(first, walk, course): &mut (usize, Walk, Course)| {
            let (end, following) = match self.advance(walk) {
                Advance::Looked => return true,
                Advance::To { end, edge, .. } => (end, edge),
                Advance::Over { .. } => return false,
            };
            if following == *first || is_station(following) {
                return false;
            }
            seen.set(following);
            if !course.extend(limit, || self.inner(end)) {
                self.begins.set(following);
                *course = Course { edges: 1, latest: None };
            }
            true
        };
        // Walks change the bits while others look for where to begin.
        let firsts = self.begins.copy();
        let is_first = |&edge: &usize| firsts.get(edge) || is_station(edge);
        let tasks = (0..edges.div_ceil(EDGES_A_TASK as usize)).into_par_iter();
        let of_task = |task: usize| {
            let first = task * EDGES_A_TASK as usize;
            first..edges.min(first + EDGES_A_TASK as usize)
        };
        tasks.clone().for_each(|task| abreast(of_task(task).filter(is_first).map(begin), extend));
        // Cycles that no station is on are short. Each begins with the edge that comes first in the rows. The other edges are
        // seldom looked at, because the thread that finds the first one marks them.
        let leads = |edge: usize| {
            let mut at = self.joined_to(edge);
            while let Some(other) = at.filter(|&other| other > edge) {
                at = self.joined_to(other);
            }
            at == Some(edge)
        };
        let is_left = |edge: &usize| !is_first(edge) && !seen.get(*edge);
        tasks.for_each(|task| {
            abreast(of_task(task).filter(|edge| is_left(edge) && leads(*edge)).map(begin), extend);
        });
    }

    /// Begins a walk at an edge.
    fn walk(&self, edge: usize) -> Walk {
        prefetch(&self.next, edge);
        prefetch(self.out.ends, edge);
        Walk { edge, ahead: None }
    }

    /// Takes half of a step along a chain: reads which edge follows, or goes there. Prefetches what the next call reads.
    fn advance(&self, walk: &mut Walk) -> Advance {
        let Some((end, slot)) = walk.ahead.take() else {
            let (end, slot) = (self.out.ends[walk.edge], self.next[walk.edge]);
            if slot == NONE {
                return Advance::Over { end };
            }
            prefetch(self.out.offsets, end as usize);
            prefetch(&self.kinds, end as usize);
            walk.ahead = Some((end, slot));
            return Advance::Looked;
        };
        *walk = self.walk(self.out.range(end).start + slot as usize);
        Advance::To { end, slot, edge: walk.edge }
    }

    /// Returns the position of the edge that follows another one, on its path or on the next one.
    pub(super) fn joined_to(&self, edge: usize) -> Option<usize> {
        let slot = self.next[edge];
        (slot != NONE).then(|| self.out.range(self.out.ends[edge]).start + slot as usize)
    }

    /// Returns the position of the next edge of a path.
    fn next_on_path(&self, edge: usize) -> Option<usize> {
        self.joined_to(edge).filter(|&following| !self.begins.get(following))
    }

    /// Returns what a vertex can be as an inner vertex.
    fn inner(&self, v: u32) -> [Option<Inner>; 2] {
        let kind = self.kinds[v as usize];
        if kind & CYCLIC != 0 {
            return [Some(Inner::Core(self.heads[v as usize])), None];
        }
        let last = if kind & ONE_IN != 0 { Inner::Branching } else { Inner::Core(v) };
        [(kind & ONE_OUT != 0).then_some(Inner::Merging), Some(last)]
    }

    /// Returns `true` if the paths through a vertex depend on each other if it is an inner vertex of several.
    fn is_core(&self, v: u32) -> bool {
        let kind = self.kinds[v as usize];
        kind & CYCLIC != 0 || kind & (ONE_OUT | ONE_IN) == 0
    }

    /// Returns all paths, in the order of their first edges in the rows.
    pub(super) fn paths(&self) -> Vec<Path> {
        let cuts = tasks(self.out, EDGES_A_TASK);
        let edges = |pair: &[u32]| self.out.range(pair[0]).start..self.out.offsets[pair[1] as usize] as usize;
        let counts: Vec<usize> = cuts.par_windows(2).map(|pair| self.begins.count(edges(pair))).collect();
        let mut paths = vec![Path::zeroed(); counts.iter().sum()];
        let parts = split(&mut paths, counts.into_iter());
        parts.into_par_iter().zip(cuts.par_windows(2)).for_each(|(part, pair)| {
            let firsts = (pair[0]..pair[1]).flat_map(|v| self.out.range(v).map(move |edge| (v, edge)));
            let begins = firsts.filter(|&(_, edge)| self.begins.get(edge));
            abreast(
                part.iter_mut().zip(begins).map(|(path, (v, edge))| self.trail(path, v, edge)),
                |trail| self.extend(trail),
            );
        });
        paths
    }

    /// Begins a path at an edge of its first vertex.
    fn trail<'p>(&self, path: &'p mut Path, first: u32, edge: usize) -> Trail<'p> {
        *path = Path { first, slot: (edge - self.out.range(first).start) as u32, edges: 1, ..Path::zeroed() };
        let degrees = self.degrees[first as usize].into();
        Trail { walk: self.walk(edge), path, degrees, second: None, core: None }
    }

    /// Takes half of a step along a path. If the path has no further edge, completes its description and returns `false`.
    fn extend(&self, trail: &mut Trail<'_>) -> bool {
        let (end, following) = match self.advance(&mut trail.walk) {
            Advance::Looked => return true,
            Advance::To { end, edge, .. } => (end, Some(edge).filter(|&edge| !self.begins.get(edge))),
            Advance::Over { end } => (end, None),
        };
        trail.degrees += u64::from(self.degrees[end as usize]);
        let second = *trail.second.get_or_insert(end);
        if following.is_some() {
            if self.is_core(end) {
                trail.core.get_or_insert(end);
            } else {
                trail.path.passes = true;
            }
            trail.path.edges += 1;
            return true;
        }
        let Path { first, edges, .. } = *trail.path;
        let head = self.heads[trail.core.unwrap_or(second) as usize];
        let is_inside = edges > 1 || self.heads[first as usize] == head;
        trail.path.heat = DegreeClasses::class_of(16 * trail.degrees / (u64::from(edges) + 1)) as u16;
        trail.path.knot = if is_inside { head } else { NONE };
        false
    }

    /// Writes, for each of these paths, the positions of its edges within the rows of their sources.
    pub(super) fn write_slots<'p>(&self, paths: impl Iterator<Item = (Path, &'p mut [u32])>) {
        let begin = |(path, slots): (Path, &'p mut [u32])| {
            let (first, rest) = slots.split_first_mut()?;
            *first = path.slot;
            (!rest.is_empty()).then(|| (self.walk(self.first_edge(path)), rest.iter_mut()))
        };
        abreast(paths.filter_map(begin), |(walk, slots)| match self.advance(walk) {
            Advance::Looked => true,
            Advance::To { slot, .. } => {
                if let Some(next) = slots.next() {
                    *next = slot;
                }
                slots.len() > 0
            }
            Advance::Over { .. } => false,
        });
    }

    /// Returns the position of a path's first edge.
    pub(super) fn first_edge(&self, path: Path) -> usize {
        self.out.range(path.first).start + path.slot as usize
    }

    /// Returns the positions of a path's edges.
    pub(super) fn edges_of(&self, path: Path) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(self.first_edge(path)), |&edge| self.next_on_path(edge))
    }
}

/// Degrees from here on count alike: keys have 31 bits for them.
const MOST_DEGREE: u64 = (1 << 31) - 1;

/// A bitmap that several threads fill.
pub(super) struct Bits {
    words: Vec<AtomicU64>,
}

impl Bits {
    pub(super) fn new(bits: usize) -> Bits {
        Bits::filled(bits, 0)
    }

    fn ones(bits: usize) -> Bits {
        Bits::filled(bits, u64::MAX)
    }

    fn filled(bits: usize, word: u64) -> Bits {
        Bits { words: (0..bits.div_ceil(64)).into_par_iter().map(|_| AtomicU64::new(word)).collect() }
    }

    fn copy(&self) -> Bits {
        let words = self.words.par_iter().map(|word| AtomicU64::new(word.load(Ordering::Relaxed)));
        Bits { words: words.collect() }
    }

    /// Returns how many bits of a range are set.
    fn count(&self, range: Range<usize>) -> usize {
        let words = range.start / 64..range.end.div_ceil(64);
        let of_word = |at: usize| {
            let behind = if (at + 1) * 64 > range.end { u64::MAX << (range.end % 64) } else { 0 };
            let before = if at * 64 < range.start { !(u64::MAX << (range.start % 64)) } else { 0 };
            (self.words[at].load(Ordering::Relaxed) & !behind & !before).count_ones() as usize
        };
        words.map(of_word).sum()
    }

    pub(super) fn get(&self, at: usize) -> bool {
        self.words[at / 64].load(Ordering::Relaxed) >> (at % 64) & 1 != 0
    }

    /// Sets a bit. Reads it first, because bits are often set already, and writing takes longer.
    pub(super) fn set(&self, at: usize) {
        if !self.get(at) {
            self.words[at / 64].fetch_or(1 << (at % 64), Ordering::Relaxed);
        }
    }

    fn clear(&self, at: usize) {
        self.words[at / 64].fetch_and(!(1 << (at % 64)), Ordering::Relaxed);
    }
}

/// Views numbers as atomics, which several threads write.
fn atomic(numbers: &mut [u32]) -> &[AtomicU32] {
    let count = numbers.len();
    // SAFETY: the two types have the same layout, and the numbers are borrowed mutably as long as the atomics.
    unsafe { std::slice::from_raw_parts(numbers.as_mut_ptr().cast(), count) }
}

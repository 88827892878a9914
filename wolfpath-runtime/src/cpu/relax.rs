//! The frontier in place: a message is combined directly into the receiver's value, and the task that improves a value
//! adds the receiver to the next frontier. For programs whose values may be seen early. There are no locks: values are
//! atomic words, and every task collects its own part of the next frontier.

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use wolfpath_core::program::{CombineKind, Combiner, EdgeProgram};

use super::outcome::Values;
use super::tasks::{joined, map_tasks};
use super::view::{Halt, SendRows, View};
use super::words::{Bits, Word, combine, fill, from_word, identity, improves, is_dropped, to_word};
use crate::start::Sources;

/// Number of edges below which a step runs on one thread, without locked instructions. Waking another thread costs
/// about as much as sending along this many edges (two-core x86-64, USA-road-NE).
pub(crate) const SERIAL_EDGES: u64 = 8192;

/// Number of edges above which a vertex is cut into pieces, and the size of these pieces.
const PIECE_EDGES: u64 = 8192;

/// Values of a run in place.
pub(crate) struct Relax<'a, P: EdgeProgram, W: Word> {
    pub(crate) view: &'a View<'a, P>,
    pub(crate) values: Vec<W>,
    /// Bitmap of the vertices that have a value although its word is the identity. Without this bit, the identity means
    /// that there is no value.
    present: Bits,
    /// Step in which each vertex was last added to a frontier; empty if no vertex can be added twice in a step.
    marks: Vec<AtomicU32>,
}

impl<'a, P: EdgeProgram, W: Word> Relax<'a, P, W> {
    pub(crate) const KIND: CombineKind = <P::Combine as Combiner<P::Message>>::KIND;
    pub(crate) const NOTHING: u64 = identity(Self::KIND, W::MAX);

    /// Returns the first values, and the vertices that have a value. `marked` must be `true` if a vertex may improve
    /// more
    /// than once per step.
    pub(crate) fn start(
        view: &'a View<'a, P>,
        sources: &Sources<P::Value>,
        marked: bool,
    ) -> Result<(Self, Vec<u32>), Halt> {
        let n = view.num_vertices();
        let values = fill(n, Self::NOTHING);
        let marks = if marked { fill(n, 0) } else { Vec::new() };
        let relax = Relax { view, values, present: Bits::new(n), marks };
        let frontier = view.first_values(sources, |v, value| relax.set(v, value))?;
        Ok((relax, frontier))
    }

    fn set(&self, v: u32, value: P::Value) {
        let word = to_word(Self::KIND, W::MAX, value);
        self.values[v as usize].store(word);
        if word == Self::NOTHING {
            self.present.set(v);
        }
    }

    #[inline]
    pub(crate) fn value(&self, v: u32) -> P::Value {
        from_word(Self::KIND, self.values[v as usize].load())
    }

    /// Combines a message into the receiver's value. Returns `true` if the value improved.
    #[inline]
    pub(crate) fn offer<const ALONE: bool>(&self, receiver: u32, message: P::Message) -> bool {
        if is_dropped(Self::KIND, message) {
            return false;
        }
        let word = to_word(Self::KIND, W::MAX, message);
        let held = &self.values[receiver as usize];
        if improves(Self::KIND, word, held.load()) {
            return improves(Self::KIND, word, combine(Self::KIND, held, word, ALONE));
        }
        // A message whose word is the identity improves no word, but it may be the receiver's first value. If the
        // receiver's word is still the identity, no better value has arrived.
        word == Self::NOTHING && held.load() == Self::NOTHING && self.present.set(receiver)
    }

    /// Claims the receiver for the frontier after `step`. Returns `true` only once per vertex and step.
    #[inline]
    fn claim<const ALONE: bool>(&self, receiver: u32, step: u32) -> bool {
        let Some(mark) = self.marks.get(receiver as usize) else {
            return true;
        };
        if Word::load(mark) == u64::from(step) {
            return false;
        }
        combine(CombineKind::Any, mark, u64::from(step), ALONE) != u64::from(step)
    }

    /// Sends along one edge.
    #[inline]
    fn send<const ALONE: bool>(
        &self,
        sender: u32,
        receiver: u32,
        weight: P::Weight,
        step: u32,
        next: &mut Vec<u32>,
    ) -> Result<bool, Halt> {
        let message = self.view.message(self.value(sender), weight, sender, receiver)?;
        if let Some(message) = message
            && self.offer::<ALONE>(receiver, message)
            && self.claim::<ALONE>(receiver, step)
        {
            next.push(receiver);
        }
        Ok(true)
    }

    /// Takes one step, in which every vertex of the frontier sends. Returns the next frontier and the number of edges
    /// visited.
    pub(crate) fn step(&self, frontier: &[u32], step: u32) -> Result<(Vec<u32>, u64), Halt> {
        let edges = self.view.sends.edges_of(frontier);
        if edges < SERIAL_EDGES || rayon::current_num_threads() == 1 {
            let mut next = Vec::new();
            for &v in frontier {
                self.view.visit_sends(v, |end, weight| self.send::<true>(v, end, weight, step, &mut next))?;
            }
            return Ok((next, edges));
        }
        let parts = par_pieces(self.view, frontier, |v, piece, next: &mut Vec<u32>| {
            let send = |end, weight| self.send::<false>(v, end, weight, step, next);
            match piece {
                Some(piece) => self.view.visit_piece(v, piece, send),
                None => self.view.visit_sends(v, send),
            }
        })?;
        Ok((parts, edges))
    }

    fn is_present(&self, v: u32) -> bool {
        self.values[v as usize].load() != Self::NOTHING || self.present.get(v)
    }

    /// Returns the number of vertices that have a value.
    pub(crate) fn present(&self) -> u64 {
        (0..self.view.num_vertices()).filter(|&v| self.is_present(v)).count() as u64
    }

    /// Returns the values of the run.
    pub(crate) fn finish(self) -> Values<P::Value> {
        Values::collect(self.view.num_vertices(), |v| self.is_present(v).then(|| self.value(v)))
    }
}

/// Task of a step: some vertices of the frontier, or a piece of one hub's edges.
pub(crate) enum Task {
    Vertices(Range<usize>),
    Piece(u32, Range<u64>),
}

/// Calls `visit(vertex, piece, collected)` for every vertex of a frontier on all threads. Hubs are visited in pieces.
/// Returns what the tasks collected, in order.
pub(crate) fn par_pieces<P: EdgeProgram, T: Send + Clone>(
    view: &View<'_, P>,
    frontier: &[u32],
    visit: impl Fn(u32, Option<Range<u64>>, &mut Vec<T>) -> Result<(), Halt> + Sync,
) -> Result<Vec<T>, Halt> {
    let sends = view.sends;
    let tasks = tasks_by_degree(frontier, sends);
    let parts = map_tasks(tasks.len(), |task| {
        let mut collected = Vec::new();
        match &tasks[task] {
            Task::Vertices(range) => {
                for &v in &frontier[range.clone()] {
                    if sends.degree(v) <= PIECE_EDGES {
                        visit(v, None, &mut collected)?;
                    }
                }
            }
            Task::Piece(hub, piece) => visit(*hub, Some(piece.clone()), &mut collected)?,
        }
        Ok(collected)
    });
    joined(parts)
}

/// Returns the tasks of a frontier that sends along these rows. This function has no type parameters, so it is compiled
/// only once.
fn tasks_by_degree(frontier: &[u32], sends: SendRows<'_>) -> Vec<Task> {
    tasks_of(frontier, |v| Some(sends.degree(v)).filter(|&edges| edges > PIECE_EDGES))
}

/// Returns the tasks of a frontier. `hub` returns the number of edges of a vertex that must be cut into pieces.
pub(crate) fn tasks_of(frontier: &[u32], hub: impl Fn(u32) -> Option<u64>) -> Vec<Task> {
    let size = (frontier.len() / (rayon::current_num_threads() * 8)).clamp(1, 4096);
    let ranges = (0..frontier.len()).step_by(size).map(|first| first..(first + size).min(frontier.len()));
    let mut tasks: Vec<Task> = ranges.map(Task::Vertices).collect();
    for (v, edges) in frontier.iter().filter_map(|&v| Some((v, hub(v)?))) {
        let pieces = (0..edges).step_by(PIECE_EDGES as usize);
        tasks.extend(pieces.map(|first| Task::Piece(v, first..(first + PIECE_EDGES).min(edges))));
    }
    tasks
}

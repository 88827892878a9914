//! Nearest values first: the frontier in place, limited by a bound that rises bucket by bucket (delta-stepping, after
//! Meyer and Sanders, 2003). Vertices that improve within the bound send soon. The others wait, so that few vertices
//! send values that are improved later. They wait in radix heaps, which examine each vertex only a few times, no matter
//! how many buckets there are. [`Pace`] sets the width of buckets from their cost so far, and lowers the bound of a
//! bucket that turns out too wide. The bound only affects speed: every order gives the same answer.
//!
//! Every worker has a list and a heap of its own. It continues with the vertices that it improved itself while they are
//! few, without waiting for the others ("bucket fusion", Zhang et al., "Optimizing Ordered Graph Algorithms with
//! GraphIt", 2020).

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use wolfpath_core::program::EdgeProgram;

use super::halt::Halt;
use super::pace::{Pace, StepSenders};
use super::relax::Relax;
use super::scale::Scale;
use super::sharing::Sharing;
use super::tasks::{Workers, threads};
use super::view::LoadOf;
use super::waiting::Waiting;
use super::words::{Flags, Lowered, Word};

/// Maximum number of entries in the lists of vertices, per vertex of the graph. An entry is one occurrence of a vertex
/// in a list. It counts if the vertex still has to send and its current value belongs in that list. If there are more
/// entries than the maximum, at least half of them do not count, and these are dropped. The total time for this is
/// proportional to the number of entries created.
pub(super) const MOST_ENTRIES: usize = 2;

/// Number of vertices to send that are worth the time to wake a worker.
const VERTICES_PER_WORKER: usize = 64;

/// A step with at least this many vertices per thread of the pool is always shared.
const THICK: usize = 4096;

/// Number of vertices in a task.
const TASK_VERTICES: usize = 64;

/// Number of vertices up to which a worker continues with those that it improved, instead of sharing them.
const FUSED: usize = 1024;

/// Number of vertices that a worker shares instead of continuing if half of the workers have ended their parts.
const SHARED: usize = 64;

/// Number of edges after which a step ends even if vertices of the bucket have to send, so that a run that must stop
/// does so soon and a bucket that is too wide is noticed.
const STEP_EDGES: u64 = 1 << 16;

/// Number of edges above which a vertex is cut into pieces, and the size of these pieces.
const PIECE_EDGES: u64 = 4096;

/// State of a run in buckets.
pub(crate) struct Bucket<'a, 'b, P: EdgeProgram, W: Word> {
    state: State<'a, 'b, P, W>,
    workers: Workers<Bin>,
    pace: Pace,
    sharing: Sharing,
    /// Number of this bucket, from 1; 0 before the first one.
    number: u64,
    /// Largest index that the next bucket needs, if it is known.
    limit: Option<u64>,
}

/// State that all workers share.
struct State<'a, 'b, P: EdgeProgram, W: Word> {
    relax: &'b Relax<'a, P, W>,
    /// Vertices that were improved since they last sent. A round begins when the bound is lowered.
    dirty: Flags,
    scale: Scale,
    /// Number of workers that have ended their part of this step. It is only a hint, so no order of accesses matters.
    ended: AtomicUsize,
    /// Number of such workers for which the others end their parts.
    most_ended: usize,
}

/// Vertices that a worker improved.
#[derive(Default)]
struct Bin {
    /// Vertices within the bound.
    near: Vec<u32>,
    waiting: Waiting,
    counts: StepSenders,
    /// Number of times that a message improved a value.
    updates: u64,
    /// Vertices with very many edges, to be cut into pieces.
    hubs: Vec<u32>,
    /// Empty list that reuses the memory of a list that was sent.
    spare: Vec<u32>,
}

impl<P: EdgeProgram, W: Word> State<'_, '_, P, W> {
    /// Adds an improved vertex to this bucket, or to the vertices that wait.
    #[inline]
    fn place(&self, v: u32, word: u64, bin: &mut Bin) {
        if self.scale.is_within::<P, W>(word) {
            bin.near.push(v);
        } else {
            self.place_by_index(v, word, bin);
        }
    }

    #[inline(never)]
    fn place_by_index(&self, v: u32, word: u64, bin: &mut Bin) {
        let index = self.scale.index_of::<P, W>(word);
        if index <= self.scale.bound() { bin.near.push(v) } else { bin.waiting.push(v, index) }
    }

    /// Places all of these vertices that still have to send.
    fn place_again(&self, vertices: impl IntoIterator<Item = u32>, bin: &mut Bin) {
        for v in vertices {
            if self.dirty.is_raised(v) {
                self.place(v, self.relax.values[v as usize].load(), bin);
            }
        }
    }

    /// Sends along the edges of a vertex, if it was improved since it last sent.
    #[inline]
    fn send<const ALONE: bool>(&self, v: u32, hub_edges: u64, bin: &mut Bin) -> Result<(), Halt> {
        // The flag is lowered before the value is read. If the value improves afterwards, the flag is raised again.
        let lowered = self.dirty.lower::<ALONE>(v);
        if matches!(lowered, Lowered::Not) {
            bin.counts.skip();
            return Ok(());
        }
        let edges = self.relax.view.sends.degree(v);
        bin.counts.add(matches!(lowered, Lowered::Again), edges);
        if edges > hub_edges {
            bin.hubs.push(v);
            return Ok(());
        }
        let value = self.relax.latest_value(v);
        self.relax.view.visit_sends(v, |end, weight| self.send_along::<ALONE>(v, value, end, weight, bin))
    }

    /// Sends along one edge.
    #[inline(always)]
    fn send_along<const ALONE: bool>(
        &self,
        v: u32,
        value: P::Value,
        end: u32,
        weight: LoadOf<P>,
        bin: &mut Bin,
    ) -> Result<bool, Halt> {
        if let Some(message) = self.relax.view.message(value, weight, v, end)?
            && let Some((before, word)) = self.relax.improve::<ALONE>(end, message)
        {
            bin.updates += 1;
            // A vertex that was improved within the bound and has not sent since is in a list of this bucket, or will be
            // found when all lists are empty (`advance`).
            let is_listed = !self.dirty.raise(end) && self.is_near(before);
            if !is_listed {
                self.place(end, word, bin);
            }
        }
        Ok(true)
    }

    /// Returns `true` if a value with this word belongs to this bucket.
    #[inline]
    fn is_near(&self, word: u64) -> bool {
        self.scale.is_within::<P, W>(word) || self.scale.index_of::<P, W>(word) <= self.scale.bound()
    }

    /// Sends from all of these vertices.
    fn send_all<const ALONE: bool>(
        &self,
        vertices: &[u32],
        hub_edges: u64,
        bin: &mut Bin,
    ) -> Result<(), Halt> {
        for (at, &v) in vertices.iter().enumerate() {
            self.relax.view.prefetch_sends(vertices, at);
            self.send::<ALONE>(v, hub_edges, bin)?;
        }
        Ok(())
    }

    /// Sends from the vertices of this bucket that the worker improved, as long as there are at most `most`, and few if
    /// half of the workers have ended their parts.
    fn fuse<const ALONE: bool>(&self, most: usize, hub_edges: u64, bin: &mut Bin) -> Result<(), Halt> {
        while !bin.near.is_empty() && bin.near.len() <= most && bin.counts.edges() < STEP_EDGES {
            if !ALONE && bin.near.len() >= SHARED && self.ended.load(Relaxed) >= self.most_ended {
                return Ok(());
            }
            let mut list = std::mem::replace(&mut bin.near, std::mem::take(&mut bin.spare));
            self.send_all::<ALONE>(&list, hub_edges, bin)?;
            list.clear();
            bin.spare = list;
        }
        if !ALONE {
            self.ended.fetch_add(1, Relaxed);
        }
        Ok(())
    }
}

impl<'a, 'b, P: EdgeProgram, W: Word> Bucket<'a, 'b, P, W> {
    /// Creates the state of a run that starts with these vertices. `stops_early` is `true` if the run may not need all
    /// buckets.
    pub(crate) fn new(relax: &'b Relax<'a, P, W>, frontier: &[u32], stops_early: bool) -> Result<Self, Halt> {
        let n = relax.view.num_vertices();
        let dirty = Flags::new(n);
        for &v in frontier {
            dirty.raise(v);
        }
        let scale = Scale::new(relax, frontier)?;
        let mut bucket = Bucket {
            state: State { relax, dirty, scale, ended: AtomicUsize::new(0), most_ended: 0 },
            workers: Workers::new(),
            pace: Pace::new(n, relax.view.sends.edges_of(&[frontier]), stops_early),
            sharing: Sharing::default(),
            number: 0,
            limit: None,
        };
        // Without a bound, nothing that the first step reaches has to be sorted.
        let bound = if bucket.pace.is_unbounded() { Scale::FARTHEST } else { 0 };
        bucket.measure_from_nearest(frontier, bound);
        bucket.number = u64::from(bucket.near() > 0);
        Ok(bucket)
    }

    /// Returns the number of entries in the lists of vertices that may send in the next step.
    pub(crate) fn near(&mut self) -> usize {
        self.workers.states().map(|bin| bin.near.len()).sum()
    }

    /// Returns the number of improvements since the last call.
    pub(crate) fn take_updates(&mut self) -> u64 {
        self.workers.states().map(|bin| std::mem::take(&mut bin.updates)).sum()
    }

    /// Returns the number of this bucket, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the values of the run.
    pub(crate) fn relax(&self) -> &'b Relax<'a, P, W> {
        self.state.relax
    }

    /// Returns the index of the value with this word.
    pub(crate) fn index_of(&self, word: u64) -> u64 {
        self.state.scale.index_of::<P, W>(word)
    }

    /// Limits the next bucket to values with at most this index.
    pub(crate) fn limit(&mut self, index: Option<u64>) {
        self.limit = index;
    }

    /// Returns all vertices that still have to send, within the bound or beyond it, in ascending order.
    pub(crate) fn pending(&mut self) -> Vec<u32> {
        self.state.dirty.raised()
    }

    /// Measures distances from the nearest of these vertices from now on, and sets the bound. These vertices are placed
    /// again; there must be no others.
    fn measure_from_nearest(&mut self, vertices: &[u32], bound: u64) {
        let State { scale, relax, .. } = &mut self.state;
        scale.measure_from_nearest(relax, vertices);
        scale.set_bound::<P, W>(bound);
        for bin in self.workers.states() {
            bin.near.clear();
            bin.waiting.restart(bound);
        }
        self.state.place_again(vertices.iter().copied(), self.workers.own());
    }

    /// Advances to the next bucket, which starts at the nearest waiting vertex. Returns the number of entries examined,
    /// or `None` if no vertex waits.
    pub(crate) fn advance(&mut self) -> Option<u64> {
        self.pace.next_bucket();
        let mut examined = self.raise();
        // All vertices this far from the base have the same index. Moving the base to the nearest vertex makes them
        // distinguishable.
        let is_far = self.state.scale.bound() == Scale::FARTHEST && !self.pace.is_unbounded();
        // A thread that is interrupted between improving a vertex and raising its flag raises it after another thread
        // may have sent a better value, and lists the vertex too far away. If it improves again, it is in no other
        // list.
        if is_far || self.near() == 0 {
            let pending = self.pending();
            if !pending.is_empty() {
                self.measure_from_nearest(&pending, 0);
                examined += self.raise();
            }
        }
        self.pace.count_examined(examined);
        self.number += 1;
        (self.near() > 0).then_some(examined)
    }

    /// Raises the bound until a vertex has to send or no vertex waits. Returns the number of entries examined.
    fn raise(&mut self) -> u64 {
        let mut examined = 0;
        while self.near() == 0
            && let Some(nearest) = self.nearest()
        {
            let bound = nearest.saturating_add(self.pace.span() - 1);
            let bound = self.limit.map_or(bound, |limit| bound.min(limit.max(nearest)));
            self.state.scale.set_bound::<P, W>(bound);
            let index = |v: u32| self.state.index(v);
            for bin in self.workers.states() {
                examined += bin.waiting.raise(bound, &mut bin.near, index);
            }
        }
        examined
    }

    /// Returns the smallest index of all waiting vertices, or a lower bound of it.
    pub(crate) fn nearest(&mut self) -> Option<u64> {
        let index = |v: u32| self.state.index(v);
        self.workers.states().filter_map(|bin| bin.waiting.nearest(index)).min()
    }

    /// Takes one step, in which the vertices within the bound send. Returns the number of edges visited.
    pub(crate) fn step(&mut self) -> Result<u64, Halt> {
        let Bucket { state, workers, sharing, .. } = self;
        let began = Instant::now();
        let mut lists: Vec<Vec<u32>> = workers.states().map(|bin| std::mem::take(&mut bin.near)).collect();
        let near: usize = lists.iter().map(Vec::len).sum();
        let mut wanted = (near / VERTICES_PER_WORKER).clamp(1, threads());
        let mut most = if threads() == 1 { usize::MAX } else { 2 * VERTICES_PER_WORKER };
        let is_thin = wanted > 1 && near < THICK * threads();
        if is_thin && !sharing.shares() {
            (wanted, most) = (1, usize::MAX);
        }
        state.ended = AtomicUsize::new(0);
        state.most_ended = wanted.div_ceil(2);
        let state = &*state;
        if wanted == 1 {
            let bin = workers.own();
            lists.iter().try_for_each(|list| state.send_all::<true>(list, u64::MAX, bin))?;
            state.fuse::<true>(most, u64::MAX, bin)?;
        } else {
            let chunks: Vec<&[u32]> = lists.iter().flat_map(|list| list.chunks(TASK_VERTICES)).collect();
            let send = |bin: &mut Bin, task: usize| state.send_all::<false>(chunks[task], PIECE_EDGES, bin);
            workers.share_then(wanted, chunks.len(), &send, &|bin| {
                state.fuse::<false>(FUSED, PIECE_EDGES, bin)
            })?;
            self.send_pieces()?;
        }
        for (bin, list) in self.workers.states().zip(&mut lists) {
            list.clear();
            bin.spare = std::mem::take(list);
        }
        let mut counts = StepSenders::default();
        self.workers.states().for_each(|bin| counts.append(&std::mem::take(&mut bin.counts)));
        self.pace.count(&counts, wanted == 1);
        if is_thin {
            self.sharing.note(wanted > 1, began.elapsed(), counts.first_edges());
        }
        self.drop_old_entries();
        self.lower_if_too_wide();
        Ok(counts.edges())
    }

    /// Sends from the hubs that were put aside, in pieces.
    fn send_pieces(&mut self) -> Result<(), Halt> {
        let Bucket { state, workers, .. } = self;
        let state = &*state;
        let sends = state.relax.view.sends;
        let hubs: Vec<u32> = workers.states().flat_map(|bin| std::mem::take(&mut bin.hubs)).collect();
        let pieces: Vec<(u32, u64)> = hubs
            .iter()
            .flat_map(|&hub| {
                (0..sends.degree(hub)).step_by(PIECE_EDGES as usize).map(move |first| (hub, first))
            })
            .collect();
        workers.share(threads(), pieces.len(), &|bin, task| {
            let (hub, first) = pieces[task];
            let piece = first..(first + PIECE_EDGES).min(sends.degree(hub));
            let value = state.relax.latest_value(hub);
            state.relax.view.visit_piece(hub, piece, |end, weight| {
                state.send_along::<false>(hub, value, end, weight, bin)
            })
        })
    }

    /// Drops entries that no longer count, if at least half of the entries are of this kind.
    fn drop_old_entries(&mut self) {
        let entries: usize = self.workers.states().map(|bin| bin.near.len() + bin.waiting.entries()).sum();
        if entries > MOST_ENTRIES * self.state.relax.view.num_vertices() as usize {
            let bound = self.state.scale.bound();
            for bin in self.workers.states() {
                bin.near.clear();
                bin.waiting.restart(bound);
            }
            let pending = self.pending();
            self.state.place_again(pending, self.workers.own());
        }
    }

    /// Lowers the bound if this bucket repeats too much work, so that the nearest vertices send first.
    fn lower_if_too_wide(&mut self) {
        let near = self.near();
        let held: usize = self.workers.states().map(|bin| bin.waiting.held()).sum();
        if near == 0 || !self.pace.is_too_wide(near + held) {
            return;
        }
        self.state.dirty.begin_round();
        if self.state.scale.bound() == Scale::FARTHEST {
            let pending = self.pending();
            self.measure_from_nearest(&pending, 0);
            self.raise();
            return;
        }
        let Bucket { state, workers, pace, .. } = self;
        let near = workers.states().flat_map(|bin| bin.near.iter().copied());
        let indices = near.filter(|&v| state.dirty.is_raised(v)).map(|v| state.index(v));
        let (nearest, farthest) =
            indices.fold((u64::MAX, 0), |(least, most), index| (least.min(index), most.max(index)));
        if nearest >= farthest {
            // Nothing still has to send, or all that has is at one index.
            return;
        }
        pace.divide(farthest - nearest);
        let bound = nearest.saturating_add(pace.span() - 1);
        if bound >= state.scale.bound() {
            return;
        }
        state.scale.set_bound::<P, W>(bound);
        for bin in workers.states() {
            let mut placed = std::mem::take(&mut bin.near);
            placed.append(&mut bin.waiting.lower(bound));
            state.place_again(placed, bin);
        }
    }
}

impl<P: EdgeProgram, W: Word> State<'_, '_, P, W> {
    /// Returns the index of a vertex's value.
    fn index(&self, v: u32) -> u64 {
        self.scale.index_of::<P, W>(self.relax.values[v as usize].load())
    }
}

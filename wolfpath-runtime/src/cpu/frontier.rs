//! The vertices that send in a step. They are lists, one per worker that found them, or a bitmap in which receivers
//! look up their senders.
//!
//! Work is cut by edges. A task is a few vertices of a list, fewer if they have many edges. A hub (a vertex with very
//! many edges) is put aside by the task that meets it; when the lists are done, its row is cut into pieces.

use std::ops::Range;

use super::halt::Halt;
use super::mirrors::{Mirrors, least, sum};
use super::order::{MOST_ENTRIES, Order};
use super::radix_heap::RadixHeap;
use super::tasks::{Blocks, Workers, for_each_task, threads};
use super::view::SendRows;
use super::words::{Bits, marked};

/// Number of edges per worker that take longer than waking the worker. A step with fewer than twice as many edges runs
/// on one thread, without locked instructions. A road network has thousands of such steps.
pub(crate) const EDGES_PER_WORKER: u64 = 512;

/// Number of vertices that take longer to update than waking a worker.
const UPDATED_ALONE: u64 = 4096;

/// Number of tasks per worker, so that workers finish at about the same time.
const TASKS_PER_WORKER: u64 = 16;

/// Minimum number of edges of a task, and of a piece of a hub.
const TASK_EDGES: u64 = 256;

/// Number of words of a bitmap in a task that gathers: 1,024 vertices.
const TASK_WORDS: usize = 16;

/// Number of vertices of a list in a task that marks them in a bitmap.
const LISTED: usize = 4096;

/// Part of a step's work: vertices that send along all their edges, or a range of one vertex's edges.
pub(crate) enum Part<'a> {
    Vertices(&'a [u32]),
    Piece(u32, Range<u64>),
}

/// Vertices that compute in a step besides those that received a message.
#[derive(Clone, Copy)]
pub(crate) enum Besides<'a> {
    Nobody,
    Marked(&'a Bits),
    Everyone,
}

impl Besides<'_> {
    /// Returns the bits of those among `vertices` vertices from `64 * word` on.
    fn word(self, word: usize, vertices: usize) -> u64 {
        match self {
            Besides::Nobody => 0,
            Besides::Marked(bits) => bits.word(word),
            Besides::Everyone => u64::MAX >> (64 - (vertices - 64 * word).min(64)),
        }
    }
}

/// Vertices that one worker found in a step.
#[derive(Default)]
pub(crate) struct Found {
    vertices: Vec<u32>,
    /// Vertices that were found in a gathering step, which marks them in a bitmap instead of the list, and their edges.
    marked: Size,
    /// Number of edges that a gathering step visited.
    pub(crate) visited: u64,
    /// Number of times that a message improved a value, in runs in place.
    pub(crate) updates: u64,
    /// Vertices that no message can change any more, and their edges.
    settled: Size,
    /// `true` if a vertex makes another step necessary, even if no vertex sends in it.
    pub(crate) goes_on: bool,
    hubs: Vec<u32>,
    /// Vertices that wait to send, in a program with a `priority`.
    pub(super) waiting: RadixHeap,
}

impl Found {
    /// Adds a vertex of the next frontier.
    #[inline]
    pub(crate) fn add(&mut self, v: u32) {
        self.vertices.push(v);
    }

    /// Notes that no message can change a vertex with this number of edges any more.
    #[inline]
    pub(crate) fn settle(&mut self, edges: u64) {
        self.settled.vertices += 1;
        self.settled.edges += edges;
    }

    /// Puts a vertex aside, to be cut into pieces.
    #[inline]
    pub(crate) fn put_aside(&mut self, hub: u32) {
        self.hubs.push(hub);
    }

    /// Returns the vertices that were found, and leaves an empty list that uses the memory of `spare`.
    fn take(&mut self, spare: Vec<u32>) -> Vec<u32> {
        std::mem::replace(&mut self.vertices, spare)
    }
}

/// A number of vertices, and of their edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) vertices: u64,
    pub(crate) edges: u64,
}

impl Size {
    /// Returns the number of vertices in the lists, and of the edges along which they send.
    fn of(lists: &[Vec<u32>], sends: SendRows<'_>) -> Size {
        Size { vertices: lists.iter().map(|list| list.len() as u64).sum(), edges: sends.edges_of(lists) }
    }

    pub(crate) fn add(&mut self, other: Size) {
        self.vertices += other.vertices;
        self.edges += other.edges;
    }
}

/// Vertices that send in a step, without duplicates.
pub(crate) struct Frontier {
    /// The vertices, unless they are marked in a bitmap.
    lists: Vec<Vec<u32>>,
    /// The vertices of the last two gathering steps. Empty until the first such step.
    bits: Bits,
    next_bits: Bits,
    is_bitmap: bool,
    size: Size,
    /// Sum of all [`Found::settle`].
    settled: Size,
    /// Those vertices that [`join`](Self::join) has added, which do not receive.
    joined: Size,
    workers: Workers<Found>,
}

impl Frontier {
    /// Returns the frontier of these vertices, which send along their edges in `sends`.
    pub(crate) fn new(vertices: Vec<u32>, sends: SendRows<'_>) -> Frontier {
        let lists = vec![vertices];
        Frontier {
            size: Size::of(&lists, sends),
            lists,
            bits: Bits::new(0),
            next_bits: Bits::new(0),
            is_bitmap: false,
            settled: Size::default(),
            joined: Size::default(),
            workers: Workers::new(),
        }
    }

    /// Returns the frontier of those of these vertices whose first priority is within the level. The others wait.
    pub(crate) fn of_first(vertices: &[u32], order: &Order, sends: SendRows<'_>) -> Frontier {
        let mut frontier = Frontier::new(Vec::new(), sends);
        let chunks: Vec<&[u32]> = vertices.chunks(LISTED).collect();
        let placed = frontier.workers.share(threads(), chunks.len(), &|found, task| {
            for &v in chunks[task] {
                match order.key(v) {
                    0 => found.add(v),
                    priority => found.waiting.push(v, priority),
                }
            }
            Ok(())
        });
        debug_assert!(placed.is_ok(), "placing cannot fail");
        frontier.advance(sends, false);
        frontier
    }

    /// Replaces the frontier, which must be empty, with the waiting vertices of least priority, which becomes the
    /// level. Returns the number of entries examined, or `None` if no vertex waits. All processes of a run over parts, which
    /// have `mirrors`, get the same level.
    pub(crate) fn raise_level(
        &mut self,
        order: &mut Order,
        sends: SendRows<'_>,
        mirrors: Option<&Mirrors<'_>>,
    ) -> Result<Option<u64>, Halt> {
        self.drop_old_entries(order);
        let (mut examined, mut sending_anywhere) = (0, 0);
        while sending_anywhere == 0 {
            let nearest = |found: &mut Found| found.waiting.nearest(|v| order.key(v));
            let nearest = self.workers.states().filter_map(nearest).min();
            let Some(least) = least(mirrors, nearest)? else { return Ok(None) };
            let mut sending = 0;
            for Found { waiting, vertices, .. } in self.workers.states() {
                examined += waiting.pass_to(least, vertices, |v| order.key(v));
                // A vertex may have two entries that count, if its priority changed back to an earlier one.
                vertices.retain(|&v| order.take(v));
                sending += vertices.len() as u64;
            }
            sending_anywhere = sum(mirrors, sending)?;
            if sending_anywhere > 0 {
                order.raise(least);
            }
        }
        self.advance(sends, false);
        Ok(Some(examined))
    }

    /// Drops entries of waiting vertices that no longer count, if there are many entries.
    fn drop_old_entries(&mut self, order: &Order) {
        let entries: usize = self.workers.states().map(|found| found.waiting.len()).sum();
        if entries > MOST_ENTRIES * order.vertices() {
            self.workers.states().for_each(|found| drop(found.waiting.restart(order.level())));
            let heap = &mut self.workers.own().waiting;
            order.waiting().for_each(|(v, priority)| heap.push(v, priority));
        }
    }

    /// Returns the number of vertices, and of edges along which they send.
    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.size.vertices == 0
    }

    /// Returns the number of improvements since the last call.
    pub(crate) fn take_updates(&mut self) -> u64 {
        self.workers.states().map(|found| std::mem::take(&mut found.updates)).sum()
    }

    /// Returns the vertices found so far that no message can change any more, and their edges.
    pub(crate) fn settled(&self) -> Size {
        self.settled
    }

    /// Notes that no message can change the vertices of the frontier any more.
    pub(crate) fn settle(&mut self) {
        self.settled.vertices += self.size.vertices - self.joined.vertices;
        self.settled.edges += self.size.edges - self.joined.edges;
    }

    /// Returns `true` if a step that pushes runs on one thread.
    pub(crate) fn is_thin(&self) -> bool {
        self.num_workers() == 1
    }

    fn num_workers(&self) -> usize {
        let work = self.size.edges + self.size.vertices;
        (threads() as u64).min(work / EDGES_PER_WORKER).max(1) as usize
    }

    /// Calls `send(part, hub_edges, found)` for all parts of the frontier. `send` must put vertices with more than
    /// `hub_edges` edges aside ([`Found::put_aside`]), and add the vertices of the next frontier to `found`. The
    /// frontier is unchanged until [`advance`](Self::advance).
    pub(crate) fn push(
        &mut self,
        sends: SendRows<'_>,
        send: &(dyn Fn(Part<'_>, u64, &mut Found) -> Result<(), Halt> + Sync),
    ) -> Result<(), Halt> {
        let workers = self.num_workers();
        if workers == 1 {
            return self.push_alone(&|part, found| send(part, u64::MAX, found));
        }
        self.unpack();
        let tasks = TASKS_PER_WORKER * workers as u64;
        let edges = (self.size.edges / tasks).max(TASK_EDGES);
        let length =
            (self.size.vertices * edges).checked_div(self.size.edges).unwrap_or(edges).max(1) as usize;
        let chunks: Vec<&[u32]> = self.lists.iter().flat_map(|list| list.chunks(length)).collect();
        self.workers
            .share(workers, chunks.len(), &|found, task| send(Part::Vertices(chunks[task]), edges, found))?;
        let hubs: Vec<u32> =
            self.workers.states().flat_map(|found| std::mem::take(&mut found.hubs)).collect();
        let pieces: Vec<(u32, u64)> = hubs
            .iter()
            .flat_map(|&hub| (0..sends.degree(hub)).step_by(edges as usize).map(move |first| (hub, first)))
            .collect();
        self.workers.share(workers, pieces.len(), &|found, task| {
            let (hub, first) = pieces[task];
            send(Part::Piece(hub, first..(first + edges).min(sends.degree(hub))), u64::MAX, found)
        })
    }

    /// Calls `send(part, found)` for all parts of the frontier, on this thread. Otherwise like [`push`](Self::push).
    pub(crate) fn push_alone(
        &mut self,
        send: &dyn Fn(Part<'_>, &mut Found) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        self.unpack();
        let Frontier { lists, workers, .. } = self;
        let found = workers.own();
        lists.iter().try_for_each(|list| send(Part::Vertices(list), found))
    }

    /// Calls `gather(v, frontier, found)` for every vertex below `vertices`. It returns `true` if the vertex belongs to
    /// the next frontier, along whose `sends` it will send. Returns the number of edges visited.
    pub(crate) fn gather(
        &mut self,
        vertices: u32,
        sends: SendRows<'_>,
        gather: impl Fn(u32, &Bits, &mut Found) -> Result<bool, Halt> + Sync,
    ) -> Result<u64, Halt> {
        self.pack(sends.num_vertices());
        let words = vertices.div_ceil(64) as usize;
        let Frontier { bits, next_bits, workers, .. } = self;
        workers.share(threads(), next_bits.words().div_ceil(TASK_WORDS), &|found, task| {
            for word in task * TASK_WORDS..((task + 1) * TASK_WORDS).min(next_bits.words()) {
                let mut marks = 0;
                if word < words {
                    let first = word as u32 * 64;
                    for v in first..(first + 64).min(vertices) {
                        if gather(v, bits, found)? {
                            marks |= 1 << (v - first);
                            found.marked.vertices += 1;
                            found.marked.edges += sends.degree(v);
                        }
                    }
                }
                next_bits.put_word(word, marks);
            }
            Ok(())
        })?;
        Ok(workers.states().map(|found| std::mem::take(&mut found.visited)).sum())
    }

    /// Calls `update(v, received, element, found)` for every vertex of the frontier (for which `received` is `true`)
    /// and for those `besides`, with the vertex's element of `values`. Replaces the frontier with the vertices that
    /// were added to `found`. Returns `true` if [`Found::goes_on`] was set.
    pub(crate) fn update<V: Send>(
        &mut self,
        sends: SendRows<'_>,
        values: &mut [V],
        besides: Besides<'_>,
        update: impl Fn(u32, bool, &mut V, &mut Found) -> Result<(), Halt> + Sync,
    ) -> Result<bool, Halt> {
        let is_short = self.size.vertices < UPDATED_ALONE || threads() == 1;
        if is_short && matches!(besides, Besides::Nobody) {
            self.unpack();
            let Frontier { lists, workers, .. } = self;
            let found = workers.own();
            for &v in lists.iter().flatten() {
                update(v, true, &mut values[v as usize], found)?;
            }
        } else {
            let vertices = values.len();
            self.pack(sends.num_vertices());
            let blocks = Blocks::new(values, 64 * TASK_WORDS);
            let Frontier { bits, workers, .. } = self;
            workers.share(threads(), blocks.len(), &|found, block| {
                let mut values = blocks.take(block);
                for (word, values) in (block * TASK_WORDS..).zip(values.chunks_mut(64)) {
                    let received = bits.word(word);
                    for v in marked(word, received | besides.word(word, vertices)) {
                        update(v, received >> (v % 64) & 1 != 0, &mut values[v as usize % 64], found)?;
                    }
                }
                Ok(())
            })?;
        }
        self.advance(sends, false);
        Ok(self.workers.states().fold(false, |goes_on, found| goes_on | std::mem::take(&mut found.goes_on)))
    }

    /// Replaces the frontier with the vertices found in this step, which send along their edges in `sends`. `gathered`
    /// is `true` after [`gather`](Self::gather).
    pub(crate) fn advance(&mut self, sends: SendRows<'_>, gathered: bool) {
        let mut marked = Size::default();
        let mut spare = std::mem::take(&mut self.lists);
        for found in self.workers.states() {
            marked.add(std::mem::take(&mut found.marked));
            self.settled.add(std::mem::take(&mut found.settled));
            if !found.vertices.is_empty() {
                let mut empty = spare.pop().unwrap_or_default();
                empty.clear();
                self.lists.push(found.take(empty));
            }
        }
        self.size = Size::of(&self.lists, sends);
        self.joined = Size::default();
        self.size.add(marked);
        self.is_bitmap = gathered;
        if gathered {
            std::mem::swap(&mut self.bits, &mut self.next_bits);
        }
    }

    /// Calls `work` for every vertex of the frontier.
    pub(crate) fn for_each(&mut self, work: impl Fn(u32) + Sync) {
        self.unpack();
        let chunks: Vec<&[u32]> = self.lists.iter().flat_map(|list| list.chunks(LISTED)).collect();
        for_each_task(chunks.len(), &|task| chunks[task].iter().for_each(|&v| work(v)));
    }

    /// Adds vertices that are not in the frontier.
    pub(crate) fn join(&mut self, vertices: Vec<u32>, sends: SendRows<'_>) {
        if vertices.is_empty() {
            return;
        }
        self.unpack();
        self.lists.push(vertices);
        self.joined = Size::of(&self.lists[self.lists.len() - 1..], sends);
        self.size.add(self.joined);
    }

    /// Returns a bitmap of the frontier, which has `vertices` bits.
    pub(super) fn marks(&mut self, vertices: u32) -> &Bits {
        self.pack(vertices);
        &self.bits
    }

    /// Returns the vertices of the frontier.
    pub(super) fn vertices(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.unpack();
        self.lists.iter().flatten().copied()
    }

    /// Marks the frontier in the bitmap.
    fn pack(&mut self, vertices: u32) {
        if self.next_bits.words() == 0 {
            (self.bits, self.next_bits) = (Bits::new(vertices), Bits::new(vertices));
        }
        if !self.is_bitmap {
            let Frontier { lists, bits, .. } = self;
            bits.clear();
            let chunks: Vec<&[u32]> = lists.iter().flat_map(|list| list.chunks(LISTED)).collect();
            for_each_task(chunks.len(), &|task| {
                chunks[task].iter().for_each(|&v| {
                    bits.set(v);
                });
            });
            self.is_bitmap = true;
        }
    }

    /// Lists the vertices that are marked in the bitmap.
    fn unpack(&mut self) {
        if !std::mem::take(&mut self.is_bitmap) {
            return;
        }
        let Frontier { bits, workers, .. } = self;
        let tasks = bits.words().div_ceil(TASK_WORDS);
        let list = |found: &mut Found, task: usize| {
            found.vertices.extend(bits.marked(task * TASK_WORDS..(task + 1) * TASK_WORDS));
            Ok(())
        };
        let listed = workers.share(threads(), tasks, &list);
        debug_assert!(listed.is_ok(), "listing cannot fail");
        self.lists = workers.states().map(|found| std::mem::take(&mut found.vertices)).collect();
    }
}

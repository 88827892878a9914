//! Asynchronous rounds: vertices that have something to send take it and send it at any time, and what they send may be
//! taken in the same round.
//!
//! A vertex that has something to send *waits*, and a bitmap has a bit for it. A round visits the waiting vertices in a
//! fixed order. In the order of paths ([`PathOrder`]), a new value travels along its paths in a single round, and groups
//! of layers are finished one after the other: later ones never send to earlier ones. A round of a frontier (of an
//! accumulating program) visits the vertices that waited when it began.
//!
//! In accumulating programs, each worker first adds up by itself what the busiest vertices receive ([`Proxies`]).
//!
//! In a run over a part of a graph, own vertices wait, take and send like others. Mirrors do not wait: they
//! send what their vertices have taken elsewhere as soon as the process hears of it.
//!
//! The order of paths is from DiGraph (Zhang et al., ASPLOS 2019), with two differences. A vertex sends along all its
//! edges when its turn comes, so no path has to keep what it has already sent. And a round leaves out vertices that are
//! less urgent than others, instead of choosing among paths.

use std::ops::Range;
use std::sync::Arc;

use wolfpath_core::program::EdgeProgram;

use super::frontier::EDGES_PER_WORKER;
use super::halt::Halt;
use super::proxies::{Busy, Proxies};
use super::tasks::{Workers, threads};
use super::view::{LoadOf, View};
use super::words::{Bits, marked};
use crate::part::KeptState;
use crate::path_order::PathOrder;
use crate::shape::Shape;

/// Number of words of the bitmap in a task: 1,024 places.
const TASK_WORDS: usize = 16;

/// Number of rounds between the exchanges of a run over a part of a graph. What a vertex takes in all of them is told at once.
/// With 1, 2 and 3, two processes take 57, 44 and 41 exchanges for PageRank over R-MAT 20 to 10^-6, and visit 1.79, 2.02 and 2.50
/// billion edges. Over the loopback interface, 1 and 2 take about as long.
const ROUNDS: usize = 2;

/// Number of vertices of a list in a task.
const TASK_SENDERS: usize = 256;

/// Minimum number of waiting vertices for a round to skip those that are not due. With fewer, skipping only adds rounds.
const CHOOSES_AMONG: u64 = 256;

/// Number of edges of a piece of a hub's row.
const PIECE_EDGES: u64 = 1 << 14;

/// Number of edges after which a round on one thread ends, so that others can take part in the next one. Only rounds in which
/// not all waiting vertices have to send end early.
const ALONE_EDGES: u64 = 1 << 15;

/// Number of waiting vertices that one thread counts before another one is worth waking. When the number of threads depended on the
/// words of the bitmap alone, adsorption over cnr-2000, where 63,000 vertices wait on average, took 2.4 times as long (16 threads).
const COUNTED: u64 = 1024;

/// Number of edges after which a worker passes on the sums of its proxies. With 16,384, 16 threads took 1.03 times as many updates
/// for PageRank over uk-2007-05@100000; with 1,024, as many as with 4,096.
const PROXY_EDGES: u64 = 4096;

/// Amounts or values that vertices have to send.
pub(crate) trait Amounts<P: EdgeProgram>: Sync {
    /// A vertex is due if its urgency is at least the mean of those that wait, minus this share of the mean's absolute value. `None`
    /// if all that wait are due.
    const SLACK: Option<f64>;

    /// `true` if taking is what counts as an update, and `false` if a message that changes something is.
    const TAKING_UPDATES: bool;

    /// Returns how urgent it is that a waiting vertex sends. All urgencies have the same sign.
    fn urgency(&self, v: u32) -> f64;

    /// Returns the size of what was taken, if sizes of amounts are added up.
    fn size(taken: P::Value) -> f64;

    /// Takes what a vertex has to send, if there is something.
    fn take<const ALONE: bool>(&self, v: u32) -> Option<P::Value>;

    /// Combines a message into what its receiver has. Returns `true` if the receiver now has something to send. If it
    /// returns `false` although this message has to be sent on, the receiver waits already, and takes the message later.
    fn offer<const ALONE: bool>(&self, receiver: u32, message: P::Message) -> bool;

    /// Returns the state after some steps, in a run over a part of a graph.
    fn keep(&self, steps: u64) -> KeptState {
        let _ = steps;
        KeptState::default()
    }

    /// Tells the processes that have mirrors of own vertices what these have taken since the last call. Replaces `heard` with the
    /// mirrors of other processes' vertices, and what those have taken. All processes must call this together. Does nothing
    /// if the graph is not a part.
    fn exchange(&mut self, heard: &mut Vec<(u32, P::Value)>) -> Result<(), Halt> {
        let _ = heard;
        Ok(())
    }
}

/// Vertices that wait.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) vertices: u64,
    /// Sum of their urgencies.
    pub(crate) urgency: f64,
    /// Sum of the sizes of all that was taken so far.
    pub(crate) taken: f64,
}

/// Counts and lists of one worker in a round.
struct Worker<V> {
    edges: u64,
    updates: u64,
    /// Sum of the sizes of what was taken.
    taken: f64,
    waiting: Waiting,
    /// Vertices with very many edges, and what they send.
    hubs: Vec<(u32, V)>,
    proxies: Proxies,
    /// Number of edges visited since the sums of the proxies were passed on.
    proxy_edges: u64,
}

/// Result of a round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) edges: u64,
    /// Number of times that a vertex took what it had to send or, if it has a value that messages improve, that this was
    /// improved.
    pub(crate) updates: u64,
}

impl Done {
    fn add(&mut self, more: Done) {
        self.edges += more.edges;
        self.updates += more.updates;
    }
}

impl<V> Default for Worker<V> {
    fn default() -> Self {
        Worker {
            edges: 0,
            updates: 0,
            taken: 0.0,
            waiting: Waiting::default(),
            hubs: Vec::new(),
            proxies: Proxies::default(),
            proxy_edges: 0,
        }
    }
}

/// Asynchronous rounds.
pub(crate) struct Rounds<'a, P: EdgeProgram, A: Amounts<P>> {
    walk: Walk<'a, P, A>,
    workers: Workers<Worker<P::Value>>,
    taken: f64,
    /// Number of vertices that waited when they were last counted.
    waited: u64,
    /// Amounts that vertices of other parts have taken, with their mirrors.
    heard: Vec<(u32, P::Value)>,
}

/// State that all workers of a round share.
struct Walk<'a, P: EdgeProgram, A: Amounts<P>> {
    view: &'a View<'a, P>,
    amounts: A,
    /// The order in which vertices are visited; `None` for the order of their indices.
    order: Option<&'a PathOrder>,
    /// One bit per place.
    waiting: Bits,
    /// Those that wait for this round, if others have to wait for the next one.
    current: Option<Bits>,
    /// Vertices that have proxies.
    busy: Arc<Busy>,
}

impl<'a, P: EdgeProgram, A: Amounts<P>> Rounds<'a, P, A> {
    /// Returns rounds in which these vertices wait. Without an `order`, rounds are those of a frontier.
    pub(crate) fn new(
        view: &'a View<'a, P>,
        amounts: A,
        order: Option<&'a PathOrder>,
        first: Vec<u32>,
    ) -> Rounds<'a, P, A> {
        let places = order.map_or(view.num_vertices(), PathOrder::num_places);
        let (waiting, current) = (Bits::new(places), order.is_none().then(|| Bits::new(places)));
        let walk = Walk { view, amounts, order, waiting, current, busy: Arc::default() };
        first.into_iter().for_each(|v| walk.wait(v));
        Rounds { walk, workers: Workers::new(), taken: 0.0, waited: 0, heard: Vec::new() }
    }

    /// Gives the busy vertices of an accumulating program proxies.
    pub(crate) fn use_proxies(&mut self) {
        let Rounds { walk, workers, .. } = self;
        walk.busy = walk.view.shelf.busy(walk.view.rows, walk.view.sends);
        workers.states().for_each(|worker| worker.proxies = Proxies::of::<P>(&walk.busy));
    }

    pub(crate) fn amounts(&self) -> &A {
        &self.walk.amounts
    }

    pub(crate) fn into_amounts(self) -> A {
        self.walk.amounts
    }

    /// Returns the number of places.
    pub(crate) fn num_places(&self) -> u32 {
        self.walk.order.map_or(self.walk.view.num_vertices(), PathOrder::num_places)
    }

    /// Returns the groups of places whose vertices are to be finished one after the other.
    pub(crate) fn groups(&self) -> Vec<Range<u32>> {
        let all = || std::iter::once(0..self.num_places()).collect();
        self.walk.order.map_or_else(all, |order| order.groups().collect())
    }

    /// Returns the vertices at these places that wait, in this process.
    pub(crate) fn waiting(&mut self, places: &Range<u32>) -> Waiting {
        let words = words_of(places);
        let tasks = words.len().div_ceil(TASK_WORDS);
        // Most words are empty, so one thread looks at many before another one is worth waking. But each vertex that waits
        // costs time, too, and about as many wait as last time.
        let sharing = threads().min(tasks.div_ceil(64) + (self.waited / COUNTED) as usize);
        let Rounds { walk, workers, .. } = self;
        let counted = workers.share(sharing, tasks, &|worker, task| {
            for word in task_of(&words, task) {
                walk.count(word, mask(places, word), &mut worker.waiting);
            }
            Ok(())
        });
        debug_assert!(counted.is_ok(), "counting cannot fail");
        let mut all = Waiting { taken: self.taken, ..Waiting::default() };
        for worker in workers.states() {
            let Waiting { vertices, urgency, .. } = std::mem::take(&mut worker.waiting);
            all.vertices += vertices;
            all.urgency += urgency;
        }
        self.waited = all.vertices;
        all
    }

    /// Takes a step: a round or, if the graph is a part, as many as processes do between exchanges, and an exchange. `waiting`
    /// and `chooses` are those of the first [round](Self::round).
    pub(crate) fn step(
        &mut self,
        places: &Range<u32>,
        waiting: Waiting,
        chooses: bool,
    ) -> Result<Done, Halt> {
        let mut done = self.round(places, waiting, chooses)?;
        if self.walk.view.mirrors.is_some() {
            for _ in 1..ROUNDS {
                let waiting = self.waiting(places);
                done.add(self.round(places, waiting, false)?);
            }
            self.walk.amounts.exchange(&mut self.heard)?;
            done.edges += self.send_heard()?;
        }
        Ok(done)
    }

    /// Sends from the waiting vertices at these places; if `chooses`, only from those that are due. `waiting` are all vertices
    /// at these places that wait.
    fn round(&mut self, places: &Range<u32>, waiting: Waiting, chooses: bool) -> Result<Done, Halt> {
        let is_choice = chooses && waiting.vertices >= CHOOSES_AMONG;
        let mean = waiting.urgency / waiting.vertices as f64;
        let due = A::SLACK.filter(|_| is_choice).map(|slack| mean - slack * mean.abs());
        let Walk { view, waiting: next, current, .. } = &mut self.walk;
        if let Some(current) = current {
            std::mem::swap(current, next);
            next.clear();
        }
        let edges = view.sends.edges() / u64::from(view.num_vertices()).max(1);
        let is_thin = waiting.vertices * (1 + edges) < 2 * EDGES_PER_WORKER;
        let most = if chooses && threads() > 1 { ALONE_EDGES } else { u64::MAX };
        if threads() == 1 || is_thin {
            self.walk_alone(places, due, most)?
        } else {
            self.walk(places, due)?
        }
        Ok(self.done())
    }

    /// Returns what the workers have done since the last call.
    fn done(&mut self) -> Done {
        let mut done = Done::default();
        for worker in self.workers.states() {
            done.edges += std::mem::take(&mut worker.edges);
            done.updates += std::mem::take(&mut worker.updates);
            self.taken += std::mem::take(&mut worker.taken);
        }
        done
    }

    /// Sends along the edges of mirrors what their vertices have taken. Returns the number of edges visited.
    fn send_heard(&mut self) -> Result<u64, Halt> {
        if self.heard.is_empty() {
            return Ok(0);
        }
        let walk = &self.walk;
        let tasks: Vec<&[(u32, P::Value)]> = self.heard.chunks(TASK_SENDERS).collect();
        walk.share(&self.workers, tasks.len(), &|worker, task| {
            tasks[task].iter().try_for_each(|&(v, value)| {
                if threads() == 1 {
                    walk.send::<true, false>(v, value, u64::MAX, worker)
                } else if P::ACCUMULATES && walk.has_proxies() {
                    walk.send::<false, true>(v, value, PIECE_EDGES, worker)
                } else {
                    walk.send::<false, false>(v, value, PIECE_EDGES, worker)
                }
            })
        })?;
        self.send_hubs()?;
        Ok(self.done().edges)
    }

    /// Visits the places on this thread, until it has visited `most` edges.
    fn walk_alone(&mut self, places: &Range<u32>, due: Option<f64>, most: u64) -> Result<(), Halt> {
        let (walk, worker) = (&self.walk, self.workers.own());
        let hub_edges = if threads() == 1 { u64::MAX } else { PIECE_EDGES };
        for word in words_of(places) {
            if worker.edges >= most {
                break;
            }
            walk.visit::<true, false>(word, mask(places, word), due, hub_edges, worker)?;
        }
        self.send_hubs()
    }

    /// Visits the places on all threads, each of which begins with a range of its own.
    fn walk(&mut self, places: &Range<u32>, due: Option<f64>) -> Result<(), Halt> {
        let walk = &self.walk;
        let words = words_of(places);
        walk.share(&self.workers, words.len().div_ceil(TASK_WORDS), &|worker, task| {
            let (mut words, mask) = (task_of(&words, task), |word| mask(places, word));
            if P::ACCUMULATES && walk.has_proxies() {
                words.try_for_each(|at| walk.visit::<false, true>(at, mask(at), due, PIECE_EDGES, worker))
            } else {
                words.try_for_each(|at| walk.visit::<false, false>(at, mask(at), due, PIECE_EDGES, worker))
            }
        })?;
        self.send_hubs()
    }

    /// Sends from the vertices with very many edges that were put aside, piece by piece.
    fn send_hubs(&mut self) -> Result<(), Halt> {
        let (walk, workers) = (&self.walk, &mut self.workers);
        let hubs: Vec<(u32, P::Value)> =
            workers.states().flat_map(|worker| std::mem::take(&mut worker.hubs)).collect();
        let pieces = hubs.iter().flat_map(|&(hub, value)| {
            let firsts = (0..walk.view.sends.degree(hub)).step_by(PIECE_EDGES as usize);
            firsts.map(move |first| (hub, value, first))
        });
        let pieces: Vec<(u32, P::Value, u64)> = pieces.collect();
        walk.share(workers, pieces.len(), &|worker, piece| match pieces[piece] {
            piece if P::ACCUMULATES && walk.has_proxies() => walk.send_piece::<true>(piece, worker),
            piece => walk.send_piece::<false>(piece, worker),
        })
    }
}

impl<P: EdgeProgram, A: Amounts<P>> Walk<'_, P, A> {
    /// Returns `true` if busy vertices have proxies. Otherwise, receivers are not looked up: over R-MAT 24, even an empty table
    /// took a tenth of the time (16 threads). Only programs that accumulate ask, so others have no code for proxies.
    fn has_proxies(&self) -> bool {
        !self.busy.is_empty()
    }

    /// Does tasks that send, on all threads. Returns the halt of the first one that fails.
    fn share(
        &self,
        workers: &Workers<Worker<P::Value>>,
        tasks: usize,
        work: &(impl Fn(&mut Worker<P::Value>, usize) -> Result<(), Halt> + Sync),
    ) -> Result<(), Halt> {
        workers.share_then(threads(), tasks, work, &|worker| {
            self.pass_on(worker);
            Ok(())
        })
    }

    /// Lets a vertex wait. One that has no edges does not.
    #[inline(always)]
    fn wait(&self, v: u32) {
        let place = match self.order {
            Some(order) => order.place_of(v),
            None if self.view.has_receivers(v) => Some(v),
            None => None,
        };
        if let Some(place) = place
            && !self.waiting.is_set(place)
        {
            self.waiting.set(place);
        }
    }

    #[inline(always)]
    fn vertex_at(&self, place: u32) -> u32 {
        self.order.map_or(place, |order| order.vertex_at(place))
    }

    /// Adds the waiting vertices of a word to `waiting`.
    fn count(&self, word: usize, mask: u64, waiting: &mut Waiting) {
        let bits = self.waiting.word(word) & mask;
        waiting.vertices += u64::from(bits.count_ones());
        if A::SLACK.is_some() {
            waiting.urgency +=
                marked(word, bits).map(|place| self.amounts.urgency(self.vertex_at(place))).sum::<f64>();
        }
    }

    /// Visits the waiting vertices of a word, in ascending order. Those that begin to wait meanwhile are visited, too, if
    /// their place comes later and the round is not that of a frontier. A thread that is `ALONE` uses no proxies.
    #[inline]
    fn visit<const ALONE: bool, const PROXIES: bool>(
        &self,
        word: usize,
        mask: u64,
        due: Option<f64>,
        hub_edges: u64,
        worker: &mut Worker<P::Value>,
    ) -> Result<(), Halt> {
        let source = self.current.as_ref().unwrap_or(&self.waiting);
        let mut left = mask;
        loop {
            let bits = source.word(word) & left;
            if bits == 0 {
                return Ok(());
            }
            let bit = bits.trailing_zeros();
            // All places up to this one have had their turn.
            left &= u64::MAX.checked_shl(bit + 1).unwrap_or(0);
            let v = self.vertex_at(64 * word as u32 + bit);
            if due.is_some_and(|due| self.amounts.urgency(v) < due) {
                continue;
            }
            source.unset::<ALONE>(word, 1 << bit);
            if const { P::ACCUMULATES && PROXIES }
                && let Some(number) = self.busy.number_of(v)
                && let Some(sum) = worker.proxies.take::<P>(number)
            {
                self.amounts.offer::<false>(v, sum);
            }
            let Some(value) = self.amounts.take::<ALONE>(v) else { continue };
            worker.updates += u64::from(A::TAKING_UPDATES);
            worker.taken += A::size(value);
            self.send::<ALONE, PROXIES>(v, value, hub_edges, worker)?;
        }
    }

    /// Sends a value along the edges of a vertex, or puts it aside if there are more than `hub_edges`.
    #[inline(always)]
    fn send<const ALONE: bool, const PROXIES: bool>(
        &self,
        v: u32,
        value: P::Value,
        hub_edges: u64,
        worker: &mut Worker<P::Value>,
    ) -> Result<(), Halt> {
        let degree = self.view.sends.degree(v);
        if degree > hub_edges {
            worker.hubs.push((v, value));
            return Ok(());
        }
        worker.edges += degree;
        let mut messages = Messages::of(self.view, v, value);
        self.view.visit_sends(v, |end, weight| {
            let message = messages.along(end, weight)?;
            worker.updates += u64::from(self.receive::<ALONE, PROXIES>(end, message, &mut worker.proxies));
            Ok(true)
        })?;
        if const { P::ACCUMULATES && PROXIES } {
            worker.proxy_edges += degree;
            if worker.proxy_edges >= PROXY_EDGES {
                self.pass_on(worker);
            }
        }
        Ok(())
    }

    /// Sends a value along some of the edges of a vertex with very many, from its edge `first` on.
    fn send_piece<const PROXIES: bool>(
        &self,
        (hub, value, first): (u32, P::Value, u64),
        worker: &mut Worker<P::Value>,
    ) -> Result<(), Halt> {
        let edges = first..(first + PIECE_EDGES).min(self.view.sends.degree(hub));
        worker.edges += edges.end - edges.start;
        let mut messages = Messages::of(self.view, hub, value);
        self.view.visit_piece(hub, edges, |end, weight| {
            let message = messages.along(end, weight)?;
            worker.updates += u64::from(self.receive::<false, PROXIES>(end, message, &mut worker.proxies));
            Ok(true)
        })
    }

    /// Adds the sums of a worker's proxies to what their vertices have.
    fn pass_on(&self, worker: &mut Worker<P::Value>) {
        worker.proxy_edges = 0;
        if const { P::ACCUMULATES } {
            worker.proxies.take_all::<P>(&self.busy, |v, sum| {
                if self.amounts.offer::<false>(v, sum) {
                    self.wait(v);
                }
            });
        }
    }

    /// Combines a message into what its receiver has, or adds it to the receiver's proxy. Returns `true` if this counts as an
    /// update.
    #[inline(always)]
    fn receive<const ALONE: bool, const PROXIES: bool>(
        &self,
        receiver: u32,
        message: Option<P::Message>,
        proxies: &mut Proxies,
    ) -> bool {
        const { assert!(!(ALONE && PROXIES)) };
        let Some(message) = message else { return false };
        if const { P::ACCUMULATES && PROXIES }
            && let Some(number) = self.busy.number_of(receiver)
        {
            // In the order of paths, the receiver waits at once, so that it may have its turn in this round. If this worker
            // visits it, it takes this sum as well. If another worker does, this sum stays here, and the receiver waits again
            // when it is passed on.
            if proxies.add::<P>(number, message) && self.order.is_some() {
                self.wait(receiver);
            }
            return false;
        }
        let waits = self.amounts.offer::<ALONE>(receiver, message);
        if waits {
            self.wait(receiver);
        }
        waits && !A::TAKING_UPDATES
    }
}

/// Messages of one sender. If they are all the same, only the first is computed.
struct Messages<'a, P: EdgeProgram> {
    view: &'a View<'a, P>,
    sender: u32,
    value: P::Value,
    out_degree: u64,
    first: Option<Option<P::Message>>,
}

impl<'a, P: EdgeProgram> Messages<'a, P> {
    #[inline(always)]
    fn of(view: &'a View<'a, P>, sender: u32, value: P::Value) -> Messages<'a, P> {
        Messages { view, sender, value, out_degree: view.sender_out_degree(sender), first: None }
    }

    /// Returns the message along an edge.
    #[inline(always)]
    fn along(&mut self, receiver: u32, weight: LoadOf<P>) -> Result<Option<P::Message>, Halt> {
        if let (true, Some(first)) = (const { Shape::of::<P>().sends_one_message() }, self.first) {
            return Ok(first);
        }
        let Messages { view, sender, value, out_degree, .. } = *self;
        let message = view.message_from(view.program, value, weight, sender, receiver, out_degree)?;
        self.first = Some(message);
        Ok(message)
    }
}

/// Returns the words of a task.
fn task_of(words: &Range<usize>, task: usize) -> Range<usize> {
    let first = words.start + task * TASK_WORDS;
    first..(first + TASK_WORDS).min(words.end)
}

/// Returns the words of the bitmap that contain these places.
fn words_of(places: &Range<u32>) -> Range<usize> {
    places.start as usize / 64..(places.end as usize).div_ceil(64)
}

/// Returns the bits of a word that are within these places.
fn mask(places: &Range<u32>, word: usize) -> u64 {
    let first = 64 * word as u64;
    let (start, end) = (u64::from(places.start).max(first) - first, u64::from(places.end) - first);
    (u64::MAX << start) & (u64::MAX >> (64 - end.min(64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_cover_each_place_once() {
        for places in [0..1, 0..64, 3..64, 63..65, 64..128, 5..200, 127..129] {
            let bits: u32 = words_of(&places).map(|word| mask(&places, word).count_ones()).sum();
            assert_eq!(bits, places.len() as u32, "{places:?}");
            let first = words_of(&places).start;
            assert_eq!(mask(&places, first).trailing_zeros(), places.start % 64);
        }
    }
}

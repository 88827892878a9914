//! The vector clocks of a launch's threads. A thread's clock tells how much of every other thread's work happened before
//! its next access. Barriers, releasing and acquiring accesses, and fences change clocks; relaxed accesses do not.
//!
//! Threads that left a barrier together share one vector, so a barrier costs one vector for all of its threads. A
//! thread's own time is stored separately and is at least that in the vector. The last element of a vector is the host's
//! moment (`order.rs`). What a thread knows of launches on other devices is in vectors of their own (`systems.rs`).

use std::collections::HashMap;
use std::sync::Arc;

use super::shadow::LATEST;
use super::systems::{self, Others};

/// A vector of the launch's own threads, and what was known of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vector {
    pub(crate) own: Arc<[u32]>,
    pub(crate) others: Others,
}

impl Vector {
    fn is(&self, other: &Vector) -> bool {
        Arc::ptr_eq(&self.own, &other.own) && self.others.is(&other.others)
    }
}

/// Threads that a release or an acquire orders: those of a block, those of the device, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Block,
    Device,
    System,
}

impl Scope {
    /// Returns the scope of `emulator::Scope`. A fence orders threads of one device only: the kernels synchronize devices
    /// by releasing and acquiring accesses alone.
    pub(crate) fn of(number: u32) -> Scope {
        if number == 0 { Scope::Block } else { Scope::Device }
    }
}

/// What a word or a thread holds for others to acquire: what releases of device scope made visible to all threads, and
/// what the threads of each block released, which is visible to that block.
#[derive(Default)]
struct Held {
    by_all: Option<Vector>,
    by_block: Vec<(u32, Vector)>,
}

impl Held {
    fn add_to_block(&mut self, block: u32, vector: &Vector) {
        match self.by_block.iter_mut().find(|(other, _)| *other == block) {
            Some((_, held)) if held.is(vector) => {}
            Some((_, held)) => *held = maximum(held, vector),
            None => self.by_block.push((block, vector.clone())),
        }
    }

    fn add_to_all(&mut self, vector: &Vector) {
        match &mut self.by_all {
            Some(held) if held.is(vector) => {}
            Some(held) => *held = maximum(held, vector),
            None => self.by_all = Some(vector.clone()),
        }
    }

    /// Returns what a thread of `block` acquires.
    fn for_block(&self, block: u32, scope: Scope) -> Vec<Vector> {
        let own = self.by_block.iter().filter(|(other, _)| *other == block);
        let all = self.by_all.iter().filter(|_| scope != Scope::Block);
        all.chain(own.map(|(_, vector)| vector)).cloned().collect()
    }
}

fn maximum(one: &Vector, other: &Vector) -> Vector {
    Vector { own: systems::maximum(&one.own, &other.own), others: one.others.joined(&other.others) }
}

struct Thread {
    /// The thread's own time.
    now: u32,
    known: Vector,
    /// Clock of the thread at its last fence, which its later strong writes release.
    fenced: Option<(Scope, Vector)>,
    /// Clock that the thread's strong reads have seen since its last fence. The next fence acquires it.
    seen: Option<Held>,
    /// The word that the thread last acquired, and its version.
    acquired: (u64, u64),
}

/// A word with a clock, which strong reads of the word may acquire.
#[derive(Default)]
struct Word {
    held: Held,
    /// Number of changes of `held`.
    version: u64,
}

/// The clocks of a launch.
pub(crate) struct Clocks {
    operation: u32,
    threads: Vec<Thread>,
    per_block: u32,
    words: HashMap<u64, Word>,
    versions: u64,
}

impl Clocks {
    /// Creates the clocks of a launch, which is this operation, and which the host queued at `moment`.
    pub(crate) fn new(operation: u32, blocks: u32, per_block: u32, moment: u32) -> Clocks {
        let count = (blocks * per_block) as usize;
        let mut first = vec![0; count + 1];
        first[count] = moment;
        let known = Vector { own: first.into(), others: Others::default() };
        let thread = |_| Thread { now: 1, known: known.clone(), fenced: None, seen: None, acquired: (0, 0) };
        let threads = (0..count).map(thread).collect();
        Clocks { operation, threads, per_block, words: HashMap::new(), versions: 0 }
    }

    /// Returns the thread's own time.
    pub(crate) fn now(&self, thread: u32) -> u32 {
        self.threads[thread as usize].now
    }

    /// Returns `true` if what `other` did until `time` of its clock happened before what `thread` does next.
    pub(crate) fn is_before(&self, thread: u32, other: u32, time: u32) -> bool {
        other == thread || self.threads[thread as usize].known.own[other as usize] >= time
    }

    /// Returns `true` if what thread `other` of another launch did until `time` of its clock happened before what `thread`
    /// does next.
    pub(crate) fn is_before_elsewhere(&self, thread: u32, operation: u32, other: u32, time: u32) -> bool {
        let known = self.threads[thread as usize].known.others.of(operation);
        known.and_then(|clock| clock.get(other as usize)).is_some_and(|&known| known >= time)
    }

    /// Returns the latest moment of the host that a thread knows.
    pub(crate) fn moment(&self, thread: u32) -> u32 {
        let known = &self.threads[thread as usize].known.own;
        known[known.len() - 1]
    }

    /// Returns `true` if a thread's time is the largest that can be stored.
    pub(crate) fn is_late(&self, thread: u32) -> bool {
        self.now(thread) >= LATEST
    }

    /// Orders threads that leave a barrier: everything that one of them did before it happens before everything that any
    /// of them does next.
    pub(crate) fn meet(&mut self, threads: impl Iterator<Item = u32> + Clone) {
        let Some(first) = threads.clone().next() else { return };
        let mut last = self.threads[first as usize].known.clone();
        let mut joined = last.own.to_vec();
        let mut others = last.others.clone();
        for at in threads.clone() {
            let thread = &mut self.threads[at as usize];
            if !thread.known.is(&last) {
                joined.iter_mut().zip(&*thread.known.own).for_each(|(to, &from)| *to = from.max(*to));
                others = others.joined(&thread.known.others);
                last = thread.known.clone();
            }
        }
        for at in threads.clone() {
            let thread = &mut self.threads[at as usize];
            joined[at as usize] = thread.now;
            thread.now = (thread.now + 1).min(LATEST);
        }
        let joined = Vector { own: joined.into(), others };
        threads.for_each(|at| self.threads[at as usize].known = joined.clone());
    }

    /// Returns everything that a thread knows, including what it did itself. What it does next is not included.
    fn snapshot(&mut self, thread: u32) -> Vector {
        let own = &mut self.threads[thread as usize];
        let mut vector = own.known.own.to_vec();
        vector[thread as usize] = own.now;
        own.now = (own.now + 1).min(LATEST);
        Vector { own: vector.into(), others: own.known.others.clone() }
    }

    fn block(&self, thread: u32) -> u32 {
        thread / self.per_block
    }

    /// Performs a fence. What strong reads have seen before is acquired; strong writes after it release.
    pub(crate) fn fence(&mut self, thread: u32, scope: Scope) {
        if let Some(seen) = self.threads[thread as usize].seen.take() {
            let vectors = seen.for_block(self.block(thread), scope);
            vectors.iter().for_each(|vector| self.learn(thread, vector));
        }
        let vector = self.snapshot(thread);
        self.threads[thread as usize].fenced = Some((scope, vector));
    }

    fn learn(&mut self, thread: u32, vector: &Vector) {
        let own = &mut self.threads[thread as usize];
        own.known = maximum(&own.known, vector);
    }

    /// Performs a strong write. Returns the clock that it releases to all threads, if it releases one. An atomic keeps what
    /// earlier writes of the word have released (`keeps`). `releases` is the scope of a releasing write.
    pub(crate) fn write(
        &mut self,
        thread: u32,
        address: u64,
        keeps: bool,
        releases: Option<Scope>,
    ) -> Option<Arc<[u32]>> {
        let released = match releases {
            Some(scope) => Some((scope, self.snapshot(thread))),
            None => self.threads[thread as usize].fenced.clone(),
        };
        if !keeps {
            systems::overwrite(address);
        }
        if let (Some(Scope::System), Some((_, vector))) = (releases, &released) {
            systems::release(address, self.operation, vector);
        }
        if released.is_none() && (self.words.is_empty() || keeps) {
            return None;
        }
        if !keeps {
            self.words.remove(&address);
        }
        let (scope, vector) = released?;
        let block = self.block(thread);
        self.versions += 1;
        let word = self.words.entry(address).or_default();
        word.held.add_to_block(block, &vector);
        if scope != Scope::Block {
            word.held.add_to_all(&vector);
        }
        word.version = self.versions;
        (scope != Scope::Block).then_some(vector.own)
    }

    /// Performs a plain write, which releases nothing: a thread that reads it acquires nothing.
    pub(crate) fn overwrite(&mut self, address: u64) {
        systems::overwrite(address);
        if !self.words.is_empty() {
            self.words.remove(&address);
        }
    }

    /// Performs a strong read.
    pub(crate) fn read(&mut self, thread: u32, address: u64, acquires: bool) {
        let block = self.block(thread);
        let Some(word) = self.words.get(&address) else { return };
        let own = &mut self.threads[thread as usize];
        if !acquires {
            let seen = own.seen.get_or_insert_default();
            word.held.by_all.iter().for_each(|vector| seen.add_to_all(vector));
            let of_block = word.held.for_block(block, Scope::Block);
            of_block.iter().for_each(|vector| seen.add_to_block(block, vector));
        } else if own.acquired != (address, word.version) {
            own.acquired = (address, word.version);
            let vectors = word.held.for_block(block, Scope::Device);
            vectors.iter().for_each(|vector| self.learn(thread, vector));
        }
    }

    /// Acquires what launches on all devices have released by this word, at system scope.
    pub(crate) fn acquire_from_system(&mut self, thread: u32, address: u64) {
        let others = systems::acquire(address, self.operation);
        let own = &mut self.threads[thread as usize].known.others;
        *own = own.joined(&others);
    }

    /// Acquires what the host knows.
    pub(crate) fn learn_moment(&mut self, thread: u32, moment: u32) {
        let own = &mut self.threads[thread as usize];
        let last = own.known.own.len() - 1;
        if own.known.own[last] < moment {
            let mut known = own.known.own.to_vec();
            known[last] = moment;
            own.known.own = known.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: u64 = 64;

    /// Two blocks of two threads.
    fn clocks() -> Clocks {
        Clocks::new(1, 2, 2, 5)
    }

    #[test]
    fn a_barrier_orders_its_threads_only() {
        let mut clocks = clocks();
        let before = clocks.now(0);
        assert!(clocks.is_before(0, 0, before) && !clocks.is_before(1, 0, before));
        clocks.meet([0, 1].into_iter());
        assert!(clocks.is_before(1, 0, before) && clocks.is_before(0, 1, before));
        assert!(!clocks.is_before(2, 0, before) && !clocks.is_before(1, 0, clocks.now(0)));
        clocks.meet([1, 2].into_iter());
        assert!(clocks.is_before(2, 0, before), "what a thread knows is passed on");
        assert_eq!(clocks.moment(3), 5);
    }

    #[test]
    fn releases_order_those_who_acquire() {
        let mut clocks = clocks();
        let before = clocks.now(0);
        assert!(clocks.write(0, WORD, true, Some(Scope::Device)).is_some());
        assert_eq!(clocks.write(3, WORD, true, None), None, "a relaxed atomic keeps what was released");
        clocks.read(1, WORD, false);
        assert!(!clocks.is_before(1, 0, before), "a relaxed read does not acquire");
        clocks.read(2, WORD, true);
        assert!(clocks.is_before(2, 0, before) && !clocks.is_before(2, 0, clocks.now(0)));
        clocks.write(3, WORD, false, None);
        clocks.read(3, WORD, true);
        assert!(!clocks.is_before(3, 0, before), "a relaxed store ends what was released");
    }

    #[test]
    fn fences_make_strong_accesses_release_and_acquire() {
        for (writer, reader, is_ordered) in [
            (Scope::Device, Scope::Device, [true, true]),
            (Scope::Block, Scope::Device, [true, false]),
            (Scope::Device, Scope::Block, [true, false]),
            (Scope::Block, Scope::Block, [true, false]),
        ] {
            for (thread, expected) in [1, 2].into_iter().zip(is_ordered) {
                let mut clocks = clocks();
                let before = clocks.now(0);
                clocks.fence(0, writer);
                clocks.write(0, WORD, true, None);
                clocks.read(thread, WORD, false);
                assert!(!clocks.is_before(thread, 0, before), "the reader needs a fence too");
                clocks.fence(thread, reader);
                assert_eq!(clocks.is_before(thread, 0, before), expected, "{writer:?} {reader:?} {thread}");
            }
        }
    }
}

//! The order of the host's and the streams' work. A launch, a copy and a fill are *operations*, numbered in the order in
//! which they begin. A stream's operations are ordered. An operation also follows what the host had waited for when it
//! queued the operation, and what its stream had waited for by an event.
//!
//! All threads of the host count as one, because the emulator does not see how they synchronize. The host's *moment*
//! counts how often it learned that work is done.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::shadow::When;

/// An operation, for messages.
#[derive(Debug)]
pub(crate) struct What {
    /// The kernel, or the kind of copy.
    pub(crate) name: String,
    /// Number of threads per block; 0 for a copy.
    pub(crate) threads: u32,
    /// The kernel's shared object.
    pub(crate) object: PathBuf,
}

/// Work that is known to be done: everything before a moment of the host, and the last operation of some streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) moment: u32,
    streams: BTreeMap<u32, u32>,
}

impl Known {
    /// Returns everything that the host knew at a moment.
    pub(crate) fn until(moment: u32) -> Known {
        Known { moment, ..Known::default() }
    }

    fn join(&mut self, other: &Known) {
        self.moment = self.moment.max(other.moment);
        for (&stream, &operation) in &other.streams {
            let last = self.streams.entry(stream).or_default();
            *last = operation.max(*last);
        }
    }
}

/// Clock that a running kernel published to the host.
struct Published {
    moment: u32,
    operation: u32,
    clock: Vec<u32>,
}

#[derive(Default)]
struct Stream {
    known: Known,
    /// Pairs of an operation and the moment since which the host knows that it is done, both increasing.
    done: Vec<(u32, u32)>,
}

#[derive(Default)]
struct Order {
    /// Each operation's stream.
    operations: Vec<(u32, Arc<What>)>,
    streams: Vec<Stream>,
    moment: u32,
    published: Vec<Published>,
}

static ORDER: Mutex<Option<Order>> = Mutex::new(None);

fn with<T>(work: impl FnOnce(&mut Order) -> T) -> T {
    let mut order: MutexGuard<'_, Option<Order>> = ORDER.lock().unwrap_or_else(PoisonError::into_inner);
    work(order.get_or_insert_default())
}

/// Returns the number of a new stream.
pub(crate) fn new_stream() -> u32 {
    with(|order| {
        order.streams.push(Stream::default());
        order.streams.len() as u32 - 1
    })
}

/// Returns the host's moment, when it queues an operation.
pub(crate) fn moment() -> u32 {
    with(|order| order.moment)
}

/// Begins an operation that the host queued at `moment`. Returns its number, which is not 0, and what it knows.
pub(crate) fn begin(stream: u32, moment: u32, what: Arc<What>) -> (u32, Known) {
    with(|order| {
        order.operations.push((stream, what));
        let number = order.operations.len() as u32;
        let known = &mut order.streams[stream as usize].known;
        known.moment = known.moment.max(moment);
        known.streams.insert(stream, number);
        (number, known.clone())
    })
}

/// Returns the number of the last operation that began.
pub(crate) fn last() -> u32 {
    with(|order| order.operations.len() as u32)
}

/// Returns the operation's description.
pub(crate) fn describe(operation: u32) -> Option<Arc<What>> {
    with(|order| Some(order.operations.get(operation as usize - 1)?.1.clone()))
}

/// Returns everything that is done when a stream reaches an event.
pub(crate) fn reached(stream: u32) -> Known {
    with(|order| order.streams[stream as usize].known.clone())
}

/// A stream waits for an event.
pub(crate) fn stream_waits(stream: u32, event: &Known) {
    with(|order| order.streams[stream as usize].known.join(event));
}

/// The host has waited for an event.
pub(crate) fn host_waits(event: &Known) {
    with(|order| order.host_learns(event));
}

/// The host has waited for a stream.
pub(crate) fn host_waits_for(stream: u32) {
    with(|order| {
        let known = order.streams[stream as usize].known.clone();
        order.host_learns(&known);
    });
}

/// A running kernel makes what it knows visible to the host: it wrote a word of host memory with release semantics. The
/// host is assumed to read the word at once. `clock` has an element per thread of the launch.
pub(crate) fn publish(operation: u32, clock: Vec<u32>) {
    with(|order| {
        order.moment += 1;
        let moment = order.moment;
        order.published.push(Published { moment, operation, clock });
    });
}

/// Returns `true` if an operation is before everything that happens after `known`.
pub(crate) fn is_before(operation: u32, known: &Known) -> bool {
    with(|order| order.is_before(operation, known))
}

/// Returns `true` if a running kernel published the work of one of its threads, until this time of the thread's clock,
/// before the host's `moment`.
pub(crate) fn is_published(when: When, moment: u32) -> bool {
    with(|order| order.is_published(when, moment))
}

/// Returns `true` if the host knows that an operation is done.
pub(crate) fn is_done(operation: u32) -> bool {
    with(|order| order.is_before(operation, &Known::until(order.moment)))
}

impl Order {
    fn host_learns(&mut self, known: &Known) {
        let mut is_new = false;
        for (&stream, &operation) in &known.streams {
            let done = &mut self.streams[stream as usize].done;
            if done.last().is_none_or(|&(last, _)| last < operation) {
                done.push((operation, self.moment + 1));
                is_new = true;
            }
        }
        self.moment += u32::from(is_new);
        if is_new && !self.published.is_empty() {
            let mut published = std::mem::take(&mut self.published);
            let now = Known::until(self.moment);
            published.retain(|one| !self.is_before(one.operation, &now));
            self.published = published;
        }
    }

    fn is_before(&self, operation: u32, known: &Known) -> bool {
        let Some(&(stream, _)) = self.operations.get(operation as usize - 1) else { return false };
        if known.streams.get(&stream).is_some_and(|&last| last >= operation) {
            return true;
        }
        let done = &self.streams[stream as usize].done;
        let first = done.partition_point(|&(last, _)| last < operation);
        done.get(first).is_some_and(|&(_, moment)| moment <= known.moment)
    }

    fn is_published(&self, when: When, moment: u32) -> bool {
        self.published.iter().any(|one| {
            let is_visible = one.operation == when.operation() && one.moment <= moment;
            is_visible && one.clock.get(when.thread() as usize).is_some_and(|&known| known >= when.time())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(stream: u32) -> (u32, Known) {
        let what = What { name: "a test".to_owned(), threads: 0, object: PathBuf::new() };
        begin(stream, moment(), Arc::new(what))
    }

    #[test]
    fn streams_are_ordered_by_waiting() {
        let (one, two) = (new_stream(), new_stream());
        let (first, _) = operation(one);
        let (_, second) = operation(one);
        assert!(is_before(first, &second), "a stream is in order");
        let (_, other) = operation(two);
        assert!(!is_before(first, &other), "streams are not ordered");
        stream_waits(two, &reached(one));
        let (_, later) = operation(two);
        assert!(is_before(first, &later) && !is_before(first, &other));
    }

    #[test]
    fn the_host_orders_what_it_waits_for() {
        let (one, two) = (new_stream(), new_stream());
        let (first, _) = operation(one);
        let early = moment();
        assert!(!is_done(first));
        host_waits_for(one);
        let (later, _) = operation(one);
        let (_, known) = operation(two);
        assert!(is_done(first) && is_before(first, &known), "it was waited for");
        assert!(!is_before(later, &known), "nobody has waited for it");
        let queued_early = Known::until(early);
        assert!(!is_before(first, &queued_early), "it was queued before the host waited");
    }

    #[test]
    fn a_running_kernel_publishes() {
        let (one, two) = (new_stream(), new_stream());
        let (kernel, _) = operation(one);
        publish(kernel, vec![3, 0]);
        let (_, copy) = operation(two);
        let is_published = |thread, time| is_published(When::new(kernel, thread, time), copy.moment);
        assert!(is_published(0, 3) && !is_published(0, 4) && !is_published(1, 1));
        assert!(!is_before(kernel, &copy));
    }
}

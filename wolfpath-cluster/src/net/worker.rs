//! The timely dataflow that carries parcels between processes: one worker per process, which sends each parcel to the process
//! that it is for.

use std::fmt;
use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use timely::bytes::arc::{Bytes, BytesMut};
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, Push, WorkerGuards};
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};
use timely::dataflow::operators::Input;
use timely::dataflow::operators::generic::Operator;
use timely::progress::Stamp;
use timely::{Accountable, WorkerConfig};

use super::links::Links;

/// Time for which the worker sleeps if nothing wakes it, before it looks for a failure.
const NAP: Duration = Duration::from_millis(50);

/// Bytes of a buffer of timely's connections, unless a parcel needs a larger one.
const BUFFER: usize = 1 << 20;

/// Number of payload bytes of a parcel. Longer messages are sent in parts, so that the first can be read while others are sent.
/// Several parts fit into a buffer: timely copies what it has of a part when a buffer is full, and would enlarge buffers for
/// a longer part.
pub(super) const PART: usize = BUFFER / 8 - 1024;

/// Bytes of the buffers of a connection that stay allocated: in each direction, one that is in use and the one before it.
pub(crate) const CONNECTION_BYTES: usize = 2 * 2 * BUFFER;

/// Bytes for another process. In timely's terms, a container of one record.
#[derive(Clone, Default)]
pub(super) struct Parcel {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Number of the exchange.
    pub(super) exchange: u64,
    /// Number of parts that follow this one.
    pub(super) parts_left: u64,
    /// Part of a message, or of a buffer of a connection, which is not reused before this is dropped. `None` if it is empty.
    bytes: Option<Bytes>,
}

impl Parcel {
    /// Cuts the bytes of an exchange for a process into parcels, at least one.
    pub(super) fn of(from: usize, to: usize, exchange: u64, bytes: Vec<u8>) -> impl Iterator<Item = Parcel> {
        let mut left = BytesMut::from(bytes).freeze();
        let parts = left.len().div_ceil(PART).max(1) as u64;
        (0..parts).rev().map(move |parts_left| {
            let bytes = Some(left.extract_to(PART.min(left.len())));
            Parcel { from: from as u32, to: to as u32, exchange, parts_left, bytes }
        })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }
}

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parcel { from, to, exchange, parts_left, .. } = self;
        write!(
            f,
            "{} bytes from {from} to {to} in exchange {exchange}, {parts_left} left",
            self.bytes().len()
        )
    }
}

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        1
    }
}

/// Bytes of a parcel's header.
const HEADER: usize = 3 * size_of::<u64>() + 2 * size_of::<u32>();

impl ContainerBytes for Parcel {
    fn from_bytes(mut bytes: Bytes) -> Parcel {
        // A process of the same version has written it, but nothing proves that it arrived unchanged.
        let word = |at: usize| {
            let bytes = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_le_bytes)
        };
        let (ends, length) = (word(0), usize::try_from(word(24)).unwrap_or(usize::MAX));
        let (exchange, parts_left) = (word(8), word(16));
        bytes.extract_to(HEADER.min(bytes.len()));
        let bytes = Some(bytes.extract_to(length.min(bytes.len())));
        Parcel { from: ends as u32, to: (ends >> 32) as u32, exchange, parts_left, bytes }
    }

    fn length_in_bytes(&self) -> usize {
        (HEADER + self.bytes().len()).next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let ends = u64::from(self.from) | u64::from(self.to) << 32;
        let bytes = self.bytes();
        let header = [ends, self.exchange, self.parts_left, bytes.len() as u64].map(u64::to_le_bytes);
        let padding = self.length_in_bytes() - HEADER - bytes.len();
        for part in [header.as_flattened(), bytes, &[0; 8][..padding]] {
            // Timely hands over a buffer of the length that was asked for.
            writer.write_all(part).expect("the buffer has room");
        }
    }
}

/// Sends each parcel to its process.
struct ByAddress;

impl Distributor<Parcel> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        stamp: &Stamp<T>,
        pushers: &mut [P],
    ) {
        let to = parcel.to as usize;
        Message::push_at(parcel, stamp.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _: &Stamp<T>, _: &mut [P]) {}
}

/// Timely's worker, which runs on a thread of its own.
pub(super) struct Worker {
    /// `None` once there is nothing more to send.
    outgoing: Option<Sender<Vec<Parcel>>>,
    incoming: Receiver<Parcel>,
    thread: Thread,
    guards: Option<WorkerGuards<()>>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Worker {
    /// Starts the worker of a process.
    pub(super) fn start(links: &Arc<Links>, process: usize) -> Result<Worker, String> {
        let streams = links.streams().map_err(|error| error.to_string())?;
        let mut hooks = Hooks::default();
        hooks.refill.limit = Some(1);
        let alone = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let (builders, comms) = initialize_networking_from_sockets(alone, streams, process, 1, hooks)
            .map_err(|error| error.to_string())?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let (outgoing, to_send) = channel();
        let (arrived, incoming) = channel();
        let ends = Mutex::new(Some((to_send, arrived)));
        let links = Arc::clone(links);
        let run = move |worker: &mut timely::worker::Worker| {
            let ends = ends.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((to_send, arrived)) = ends {
                carry(worker, &links, &to_send, arrived);
            }
        };
        let guards = timely::execute::execute_from(builders, Box::new(comms), WorkerConfig::default(), run)?;
        let thread = guards.guards().first().map(|guard| guard.thread().clone());
        let thread = thread.ok_or("timely has no worker")?;
        Ok(Worker { outgoing: Some(outgoing), incoming, thread, guards: Some(guards) })
    }

    /// Sends the parcels of one exchange.
    pub(super) fn send(&self, parcels: Vec<Parcel>) {
        if let Some(outgoing) = &self.outgoing {
            // If the worker has ended, a failure is known, and receiving returns it.
            let _ = outgoing.send(parcels);
        }
        self.thread.unpark();
    }

    /// Returns the next parcel, if one arrives within a time. The error says that the worker has ended.
    pub(super) fn receive(&self, within: Duration) -> Result<Option<Parcel>, RecvTimeoutError> {
        match self.incoming.recv_timeout(within) {
            Err(RecvTimeoutError::Timeout) => Ok(None),
            received => received.map(Some),
        }
    }
}

impl Drop for Worker {
    /// Lets the worker end, which it does when the others have ended too, or after a failure.
    fn drop(&mut self) {
        self.outgoing = None;
        self.thread.unpark();
        if let Some(guards) = self.guards.take() {
            // It returns `()`, or a panic whose cause is a failure that is already known.
            drop(guards.join());
        }
    }
}

/// Carries parcels until there is nothing more to send, or there is a failure.
fn carry(
    worker: &mut timely::worker::Worker,
    links: &Links,
    to_send: &Receiver<Vec<Parcel>>,
    arrived: Sender<Parcel>,
) {
    let mut input = worker.dataflow::<u64, _, _>(|scope| {
        let (input, stream) = scope.new_input_with_builder::<NoopBuilder<Parcel>>();
        stream.sink(DistributorPact(|_| ByAddress), "Parcels", move |(input, _)| {
            input.for_each(|_, parcel| {
                // A process that is leaving receives no more parcels.
                let _ = arrived.send(std::mem::take(parcel));
            });
        });
        input
    });
    loop {
        match to_send.try_recv() {
            Ok(parcels) => {
                let next = parcels.first().map(|parcel| parcel.exchange + 1);
                for mut parcel in parcels {
                    input.send_batch(&mut parcel);
                }
                if let Some(next) = next {
                    input.advance_to(next);
                }
                input.flush();
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => break,
        }
        if links.failure().is_some() {
            break;
        }
        worker.step_or_park(Some(NAP));
    }
    input.close();
    // After a failure, the dataflow would wait for parcels that never arrive.
    while worker.has_dataflows() {
        if links.failure().is_some() {
            worker.installed_dataflows().into_iter().for_each(|dataflow| worker.drop_dataflow(dataflow));
        } else {
            worker.step_or_park(Some(NAP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parcels_are_read_as_they_are_written() {
        for length in [0, 1, 7, 8, 1000, PART, PART + 1, 2 * PART, 3 * PART - 1] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut joined = Vec::new();
            for parcel in Parcel::of(3, 5, 1 << 40, bytes.clone()) {
                let mut written = Vec::new();
                parcel.into_bytes(&mut written);
                assert_eq!(written.len(), parcel.length_in_bytes());
                let read = Parcel::from_bytes(BytesMut::from(written).freeze());
                let fields = |parcel: &Parcel| (parcel.from, parcel.to, parcel.exchange, parcel.parts_left);
                assert_eq!((fields(&read), read.bytes()), (fields(&parcel), parcel.bytes()));
                joined.extend_from_slice(read.bytes());
                let left = (length - joined.len()).div_ceil(PART) as u64;
                assert_eq!((read.from, read.to, read.parts_left), (3, 5, left));
            }
            assert_eq!(joined, bytes);
        }
    }
}

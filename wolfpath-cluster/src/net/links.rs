//! The connections to the other processes while a cluster exists, and what is known about their health.
//!
//! A stopped process or a dead link does not close a connection. Therefore every process sends heartbeats over each control
//! connection, and a peer that is silent for too long is lost. A process that loses a peer, or fails, tells the others why, and
//! closes all connections. It also announces over control when it leaves, so that the end of its data does not count as a
//! failure. A heartbeat contains the number of data bytes that were sent, so that a dead data connection is detected, too.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use timely::communication::allocator::zero_copy::stream::Stream;

use super::config::ClusterConfig;
use super::connect::{Sockets, is_timeout};
use super::error::ClusterError;
use super::messages::Message;
use super::worker::PART;

/// Time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// A peer from which nothing arrives for this time is lost.
const SILENCE: Duration = Duration::from_secs(5);

/// Time for which the reason of a broken connection is awaited before it counts as lost.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// Time between two looks at something that another thread changes.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// The connections to the other processes.
#[derive(Debug)]
pub(super) struct Links {
    /// Number of this process.
    me: usize,
    addresses: Vec<String>,
    /// `None` for this process.
    peers: Vec<Option<Peer>>,
    failure: OnceLock<ClusterError>,
    /// `true` once zeros have taken the place of data that never arrived.
    has_lost_data: AtomicBool,
    /// `true` once this process no longer needs its control connections.
    has_hung_up: AtomicBool,
}

/// Another process.
#[derive(Debug)]
struct Peer {
    data: TcpStream,
    control: TcpStream,
    writer: Mutex<TcpStream>,
    /// Number of exchanges after which it leaves; [`STAYS`] until it has said so.
    exchanges: AtomicU64,
    /// Numbers of bytes of data sent to it, and received from it.
    sent: AtomicU64,
    received: AtomicU64,
    /// `true` once its data has ended in order.
    is_over: AtomicBool,
}

/// The number of exchanges of a process that has not said that it leaves.
const STAYS: u64 = u64::MAX;

impl Links {
    pub(super) fn new(config: &ClusterConfig, sockets: Vec<Option<Sockets>>) -> io::Result<Links> {
        let peer = |sockets: Sockets| -> io::Result<Peer> {
            let Sockets { data, control } = sockets;
            control.set_read_timeout(Some(SILENCE))?;
            control.set_write_timeout(Some(GRACE))?;
            let writer = Mutex::new(control.try_clone()?);
            Ok(Peer {
                data,
                control,
                writer,
                exchanges: AtomicU64::new(STAYS),
                sent: AtomicU64::new(0),
                received: AtomicU64::new(0),
                is_over: AtomicBool::new(false),
            })
        };
        let peers: io::Result<_> = sockets.into_iter().map(|sockets| sockets.map(peer).transpose()).collect();
        Ok(Links {
            me: config.process(),
            addresses: (0..config.processes()).map(|process| config.address(process).to_owned()).collect(),
            peers: peers?,
            failure: OnceLock::new(),
            has_lost_data: AtomicBool::new(false),
            has_hung_up: AtomicBool::new(false),
        })
    }

    /// Starts the threads that read control connections and send heartbeats.
    pub(super) fn watch(self: &Arc<Links>) -> io::Result<Vec<JoinHandle<()>>> {
        let mut threads = Vec::new();
        let spawn = |name: String, work: Box<dyn FnOnce(&Links) + Send>| {
            let links = Arc::clone(self);
            thread::Builder::new().name(name).spawn(move || work(&links))
        };
        for process in (0..self.peers.len()).filter(|&process| self.peers[process].is_some()) {
            let work = move |links: &Links| links.listen_to(process);
            threads.push(spawn(format!("wolfpath:control-{process}"), Box::new(work))?);
        }
        threads.push(spawn("wolfpath:heartbeat".to_owned(), Box::new(Links::beat))?);
        Ok(threads)
    }

    /// Returns the streams of data for timely.
    pub(super) fn streams(self: &Arc<Links>) -> io::Result<Vec<Option<DataStream>>> {
        let stream = |process: usize| self.peers[process].as_ref().map(|peer| (process, peer));
        let open = |(process, peer): (usize, &Peer)| -> io::Result<DataStream> {
            Ok(DataStream::new(self, process, peer.data.try_clone()?))
        };
        (0..self.peers.len()).map(|process| stream(process).map(open).transpose()).collect()
    }

    /// Returns the failure of this process or of another one, if any.
    pub(super) fn failure(&self) -> Option<&ClusterError> {
        self.failure.get()
    }

    /// Returns `true` if a peer leaves without making the exchange of this number.
    pub(super) fn leaves_before(&self, process: usize, exchange: u64) -> bool {
        self.peers[process].as_ref().is_some_and(|peer| peer.exchanges.load(SeqCst) <= exchange)
    }

    /// Notes a failure, unless there is one already; tells it to the other processes, and closes all connections.
    pub(super) fn fail(&self, error: ClusterError) {
        let mut is_first = false;
        self.failure.get_or_init(|| {
            is_first = true;
            // Others may see that this process closes its connections before they hear of the one that gave up first, so they
            // are told that too. They are told before this process can act on the failure, and close them.
            self.tell(|_| Message::of_failure(self.me, &error));
            error
        });
        if !is_first {
            return;
        }
        for peer in self.peers.iter().flatten() {
            // A connection that is closed already needs no closing. What was told must still arrive.
            let _ = peer.control.shutdown(Shutdown::Write);
            let _ = peer.data.shutdown(Shutdown::Both);
        }
    }

    /// Fails for a reason of this process.
    pub(super) fn abort(&self, reason: &str) {
        self.fail(ClusterError::Aborted { process: self.me, reason: reason.to_owned() });
    }

    /// Adds to a number of bytes of a peer.
    fn count(&self, process: usize, number: impl Fn(&Peer) -> &AtomicU64, bytes: usize) {
        if let Some(peer) = &self.peers[process] {
            number(peer).fetch_add(bytes as u64, SeqCst);
        }
    }

    /// Sends a message to each peer. Broken connections are found by their readers.
    fn tell(&self, message: impl Fn(&Peer) -> Message) {
        for peer in self.peers.iter().flatten() {
            let mut writer = peer.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = writer.write_all(&message(peer).bytes());
        }
    }

    /// Says that this process leaves after a number of exchanges, and waits until all others have said the same, or one of them
    /// has failed.
    pub(super) fn leave(&self, exchanges: u64) {
        self.tell(|_| Message::Bye(exchanges));
        let is_leaving = |peer: &Peer| peer.exchanges.load(SeqCst) != STAYS;
        while self.failure().is_none() && !self.peers.iter().flatten().all(is_leaving) {
            thread::sleep(LOOK);
        }
    }

    /// Closes the control connections, which ends their threads.
    pub(super) fn hang_up(&self) {
        self.has_hung_up.store(true, SeqCst);
        for peer in self.peers.iter().flatten() {
            let _ = peer.control.shutdown(Shutdown::Both);
        }
    }

    /// Reads a control connection until it ends.
    fn listen_to(&self, process: usize) {
        let Some(peer) = &self.peers[process] else { return };
        let lost = |reason: String| {
            let address = self.addresses[process].clone();
            self.fail(ClusterError::Lost { process, address, reason });
        };
        let (mut received, mut since) = (0, Instant::now());
        while self.failure().is_none() {
            match Message::read(&mut &peer.control) {
                // A data connection can be dead although this one is not.
                Ok(Message::Beat(sent)) => {
                    let now = peer.received.load(SeqCst);
                    if now != received || now >= sent {
                        (received, since) = (now, Instant::now());
                    } else if since.elapsed() > SILENCE {
                        return lost(format!("its data did not arrive for {} s", SILENCE.as_secs()));
                    }
                }
                Ok(Message::Ready) => {}
                Ok(Message::Bye(exchanges)) => peer.exchanges.store(exchanges, SeqCst),
                Ok(Message::Abort(process, reason)) => {
                    return self.fail(ClusterError::Aborted { process, reason });
                }
                Err(_) if self.has_hung_up.load(SeqCst) => return,
                // The peer hangs up once it has received everything. Its own data may arrive later.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    if peer.exchanges.load(SeqCst) == STAYS {
                        lost("it was closed; the process may have ended".to_owned());
                    }
                    return;
                }
                Err(error) if is_timeout(&error) && peer.is_over.load(SeqCst) => {}
                Err(error) if is_timeout(&error) => {
                    return lost(format!("nothing arrived for {} s", SILENCE.as_secs()));
                }
                Err(error) => return lost(error.to_string()),
            }
        }
    }

    /// Sends heartbeats until the process fails or hangs up.
    fn beat(&self) {
        while self.failure().is_none() && !self.has_hung_up.load(SeqCst) {
            self.tell(|peer| Message::Beat(peer.sent.load(SeqCst)));
            thread::park_timeout(HEARTBEAT);
        }
    }

    /// Returns `true` if zeros have taken the place of data that never arrived.
    pub(super) fn has_lost_data(&self) -> bool {
        self.has_lost_data.load(SeqCst)
    }

    /// Notes that the connection for data of a peer is broken, unless the reason arrives first.
    fn data_broke(&self, process: usize, reason: &str) {
        let until = Instant::now() + GRACE;
        while self.failure().is_none() && Instant::now() < until {
            thread::sleep(LOOK);
        }
        let reason = reason.to_owned();
        let address = self.addresses[process].clone();
        self.fail(ClusterError::Lost { process, address, reason });
    }
}

/// A connection for data, as timely's threads use it.
///
/// An error would make these threads panic with a message. Instead, a broken connection is noted as a failure of its peer, and
/// timely sees a connection that ends in order: data that it writes is discarded, and the last whole message is followed by
/// the one that marks the end. A long message, which only parcels are, is passed on while it arrives; if the rest never
/// does, zeros take its place, and the exchange returns the failure.
#[derive(Debug)]
pub(super) struct DataStream {
    links: Arc<Links>,
    process: usize,
    stream: TcpStream,
    /// Room for bytes that were read, of which there are `filled`. The first `ready` of them may be passed on, and the first
    /// `taken` were.
    read: Box<[u8]>,
    filled: usize,
    ready: usize,
    taken: usize,
    /// Bytes of a long message that have not been read.
    following: usize,
    /// Zeros to be passed on, instead of what never arrived and for the last message.
    zeros: usize,
    /// `true` once the last message was read.
    is_over: bool,
}

/// Length of the header of timely's messages. The length in it is 0 only in the last message.
const TIMELY_HEADER: usize = 6 * size_of::<u64>();

/// Largest length of a message. Parts of parcels are shorter, so a larger number is not the length of a message.
const LONGEST_MESSAGE: u64 = 4 * PART as u64;

/// Payload of a message from which on it is long. All that timely reads of a message itself is before this, and the rest is
/// payload of a parcel.
const LONG: usize = 1 << 15;

impl DataStream {
    fn new(links: &Arc<Links>, process: usize, stream: TcpStream) -> DataStream {
        let links = Arc::clone(links);
        // The start of a message that is not ready leaves room for as much again.
        let read = vec![0; 2 * (TIMELY_HEADER + LONG)].into();
        let (filled, ready, taken, following, zeros) = Default::default();
        DataStream { links, process, stream, read, filled, ready, taken, following, zeros, is_over: false }
    }

    /// Reads until something is ready, or nothing follows.
    fn fill(&mut self) {
        self.read.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        (self.ready, self.taken) = (0, 0);
        while self.ready == 0 && !self.is_over {
            let read = self.stream.read(&mut self.read[self.filled..]);
            self.filled += self.noted(read);
            self.find_ready();
        }
    }

    /// Returns the number of bytes that were read. Notes it if the connection is broken.
    fn noted(&mut self, read: io::Result<usize>) -> usize {
        match read {
            Ok(0) => self.end("its data ended"),
            Ok(read) => {
                self.links.count(self.process, |peer| &peer.received, read);
                return read;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.end(&error.to_string()),
        }
        0
    }

    /// Finds the whole messages, and the start of a long one.
    fn find_ready(&mut self) {
        while let Some(header) = self.read[self.ready..self.filled].first_chunk::<TIMELY_HEADER>() {
            let mut numbers = [0; 6];
            for (number, bytes) in numbers.iter_mut().zip(header.as_chunks::<8>().0) {
                *number = u64::from_be_bytes(*bytes);
            }
            // The channel, the source, the first target, the last target plus 1, the length and a sequence number.
            let [_, source, first, end, length, _] = numbers;
            let me = self.links.me as u64;
            // Each process has one worker, so that workers have the numbers of processes.
            let is_for_us = source == self.process as u64 && (first, end) == (me, me + 1);
            if length > LONGEST_MESSAGE || length > 0 && !is_for_us {
                return self.end(&format!("it sent an invalid message of {length} bytes"));
            }
            let length = length as usize;
            let end = self.ready + TIMELY_HEADER + length;
            if end > self.filled {
                if self.filled >= self.ready + TIMELY_HEADER + LONG {
                    (self.ready, self.following) = (self.filled, end - self.filled);
                }
                return;
            }
            if length == 0 {
                self.is_over = true;
                self.links.peers[self.process].iter().for_each(|peer| peer.is_over.store(true, SeqCst));
            }
            self.ready = end;
        }
    }

    /// Notes that the connection is broken, and adds the rest of a long message and the last one.
    fn end(&mut self, reason: &str) {
        self.links.data_broke(self.process, reason);
        self.filled = self.ready;
        if self.following > 0 {
            self.links.has_lost_data.store(true, SeqCst);
        }
        self.zeros = std::mem::take(&mut self.following) + TIMELY_HEADER;
        self.is_over = true;
    }
}

impl Read for DataStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready && self.following == 0 && !self.is_over {
            self.fill();
        }
        if self.taken < self.ready {
            let length = bytes.len().min(self.ready - self.taken);
            bytes[..length].copy_from_slice(&self.read[self.taken..self.taken + length]);
            self.taken += length;
            return Ok(length);
        }
        while self.following > 0 && !bytes.is_empty() {
            let most = bytes.len().min(self.following);
            let read = self.stream.read(&mut bytes[..most]);
            let length = self.noted(read);
            if length > 0 {
                self.following -= length;
                return Ok(length);
            }
        }
        let zeros = bytes.len().min(self.zeros);
        bytes[..zeros].fill(0);
        self.zeros -= zeros;
        Ok(zeros)
    }
}

impl Write for DataStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.links.data_broke(self.process, &error.to_string());
                Ok(bytes.len())
            }
            Ok(written) => {
                self.links.count(self.process, |peer| &peer.sent, written);
                Ok(written)
            }
            Err(error) => Err(error),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for DataStream {
    fn try_clone(&self) -> io::Result<DataStream> {
        // Timely clones a connection before it uses it, once for each direction.
        Ok(DataStream::new(&self.links, self.process, self.stream.try_clone()?))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The peer may have closed the connection already.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Returns the connections of process 0 to process 1, and the other ends of those for data and for control.
    fn pair() -> (Arc<Links>, TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens").to_string();
        let connect = || {
            let there = TcpStream::connect(&address).expect("it listens");
            (listener.accept().expect("a connection was made").0, there)
        };
        let ((data, other_data), (control, other_control)) = (connect(), connect());
        let config = ClusterConfig::new(0, [address.clone(), address.clone()]);
        let links = Links::new(&config, vec![None, Some(Sockets { data, control })]).expect("they are open");
        (Arc::new(links), other_data, other_control)
    }

    /// Returns a message of timely with this payload.
    fn message(payload: &[u8]) -> Vec<u8> {
        // Channel 7, from worker 1, to workers 0 and up to, but without 1.
        let header = [7, 1, 0, 1, payload.len() as u64, 9].map(u64::to_be_bytes);
        [header.as_flattened(), payload].concat()
    }

    /// Reads everything that timely would.
    fn read_all(links: &Arc<Links>) -> Vec<u8> {
        let mut stream = links.streams().expect("they can be cloned")[1].take().expect("process 1");
        let mut read = Vec::new();
        stream.read_to_end(&mut read).expect("no error is passed on");
        read
    }

    #[test]
    fn data_that_ends_in_order_is_passed_on() {
        let (links, mut data, _control) = pair();
        let long = |length| message(&vec![5; length]);
        let sent =
            [message(b"parcel"), long(LONG - 1), long(LONG + 1), long(300_000), vec![0; TIMELY_HEADER]];
        let sent = sent.concat();
        data.write_all(&sent).expect("the connection is open");
        drop(data);
        assert!(read_all(&links) == sent);
        assert!(links.failure().is_none());
    }

    #[test]
    fn only_whole_messages_are_passed_on_before_a_failure() {
        let (whole, cut) = (message(b"parcel"), &message(&[5; 1000])[..900]);
        let mut too_long = message(b"");
        too_long[8 * 4..8 * 5].copy_from_slice(&u64::MAX.to_be_bytes());
        let mut for_others = message(b"to worker 1");
        for_others[8 * 3 + 7] = 2;
        for (rest, reason) in [
            (cut, "its data ended"),
            (&too_long[..], "an invalid message of 18446744073709551615 bytes"),
            (&for_others, "an invalid message of 11 bytes"),
        ] {
            let (links, mut data, _control) = pair();
            data.write_all(&[&whole[..], rest].concat()).expect("the connection is open");
            drop(data);
            assert!(read_all(&links) == [&whole[..], &[0; TIMELY_HEADER]].concat());
            let failure = links.failure().expect("the connection is broken").to_string();
            assert!(failure.contains("process 1") && failure.contains(reason), "{failure}");
        }
    }

    #[test]
    fn zeros_take_the_place_of_the_rest_of_a_long_message() {
        let (links, mut data, _control) = pair();
        let long = message(&[5; 2 * LONG]);
        let arrived = TIMELY_HEADER + LONG + 7;
        data.write_all(&[message(b"parcel"), long[..arrived].to_vec()].concat()).expect("it is open");
        drop(data);
        let zeros = vec![0; long.len() - arrived + TIMELY_HEADER];
        assert!(read_all(&links) == [&message(b"parcel"), &long[..arrived], &zeros].concat());
        assert!(links.failure().is_some() && links.has_lost_data());
    }

    #[test]
    fn what_is_written_after_a_failure_is_lost() {
        let (links, data, mut control) = pair();
        let mut stream = links.streams().expect("they can be cloned")[1].take().expect("process 1");
        links.abort("the disk is full");
        stream.write_all(&[1; 100_000]).expect("no error is passed on");
        drop(data);
        let said = Message::read(&mut control).expect("the reason was told");
        assert!(matches!(said, Message::Abort(0, reason) if reason == "the disk is full"));
    }
}

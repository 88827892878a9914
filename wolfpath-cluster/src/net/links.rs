//! The connections to the other processes while a cluster exists, and what is known about their health.
//!
//! A process that is stopped, or a link that is dead, closes no connection. So every process sends a heartbeat over each control
//! connection, and a peer that is silent for too long is lost. A process that loses a peer, or fails, tells the others why, and
//! closes all connections. The control connection also tells when a process leaves, so that the end of its data is no
//! failure.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use timely::communication::allocator::zero_copy::stream::Stream;

use super::config::ClusterConfig;
use super::connect::Sockets;
use super::error::ClusterError;
use super::worker::PART;

/// Time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// A peer from which nothing arrives for this time is lost.
const SILENCE: Duration = Duration::from_secs(5);

/// Time for which the reason of a broken connection is awaited before it counts as lost.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// Time between two looks at something that another thread changes.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// Largest length of the reason of an abort, in bytes.
const LONGEST_REASON: usize = 1 << 14;

/// The first byte of each message of a control connection.
const BEAT: u8 = 0;
const ABORT: u8 = 1;
const BYE: u8 = 2;

/// The connections to the other processes.
#[derive(Debug)]
pub(super) struct Links {
    addresses: Vec<String>,
    /// `None` for this process.
    peers: Vec<Option<Peer>>,
    failure: OnceLock<ClusterError>,
    /// `true` once this process has left.
    has_left: AtomicBool,
}

/// Another process.
#[derive(Debug)]
struct Peer {
    data: TcpStream,
    control: TcpStream,
    writer: Mutex<TcpStream>,
    has_left: AtomicBool,
}

impl Links {
    pub(super) fn new(config: &ClusterConfig, sockets: Vec<Option<Sockets>>) -> io::Result<Links> {
        let peer = |sockets: Sockets| -> io::Result<Peer> {
            let Sockets { data, control } = sockets;
            control.set_read_timeout(Some(SILENCE))?;
            control.set_write_timeout(Some(GRACE))?;
            let writer = Mutex::new(control.try_clone()?);
            Ok(Peer { data, control, writer, has_left: AtomicBool::new(false) })
        };
        let peers: io::Result<_> = sockets.into_iter().map(|sockets| sockets.map(peer).transpose()).collect();
        Ok(Links {
            addresses: (0..config.processes()).map(|process| config.address(process).to_owned()).collect(),
            peers: peers?,
            failure: OnceLock::new(),
            has_left: AtomicBool::new(false),
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

    /// Returns `true` if a peer has left.
    pub(super) fn has_left(&self, process: usize) -> bool {
        self.peers[process].as_ref().is_some_and(|peer| peer.has_left.load(SeqCst))
    }

    /// Notes a failure, unless there is one already; tells it to the other processes, and closes all connections.
    pub(super) fn fail(&self, error: ClusterError) {
        // Others may see that this process closes its connections before they hear of the process that gave up first.
        let (process, reason) = match &error {
            ClusterError::Aborted { process, reason } => (*process, reason.clone()),
            error => (self.me(), error.to_string()),
        };
        if self.failure.set(error).is_err() {
            return;
        }
        let text = &reason.as_bytes()[..reason.len().min(LONGEST_REASON)];
        let numbers = [process as u32, text.len() as u32].map(u32::to_le_bytes);
        self.tell(&[&[ABORT][..], numbers.as_flattened(), text].concat());
        for peer in self.peers.iter().flatten() {
            // A connection that is closed already needs no closing. What was told must still arrive.
            let _ = peer.control.shutdown(Shutdown::Write);
            let _ = peer.data.shutdown(Shutdown::Both);
        }
    }

    /// Fails for a reason of this process.
    pub(super) fn abort(&self, reason: &str) {
        self.fail(ClusterError::Aborted { process: self.me(), reason: reason.to_owned() });
    }

    /// Returns the number of this process.
    fn me(&self) -> usize {
        self.peers.iter().position(Option::is_none).unwrap_or(0)
    }

    /// Sends a message over all control connections. Those that are broken are found by their readers.
    fn tell(&self, message: &[u8]) {
        for peer in self.peers.iter().flatten() {
            let mut writer = peer.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = writer.write_all(message);
        }
    }

    /// Says goodbye, and waits until all others have, at most for a time. Returns `true` if they have.
    pub(super) fn leave(&self, patience: Duration) -> bool {
        self.has_left.store(true, SeqCst);
        self.tell(&[BYE]);
        let until = Instant::now() + patience;
        let all = || (0..self.peers.len()).all(|at| self.peers[at].is_none() || self.has_left(at));
        while !all() {
            if self.failure().is_some() || Instant::now() >= until {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    /// Closes the control connections, which ends their threads. Everything was sent.
    pub(super) fn hang_up(&self) {
        self.has_left.store(true, SeqCst);
        for peer in self.peers.iter().flatten() {
            let _ = peer.control.shutdown(Shutdown::Both);
        }
    }

    /// Closes all connections because of others that do not leave.
    pub(super) fn desert(&self) {
        self.abort("it has left");
    }

    /// Reads a control connection until it ends.
    fn listen_to(&self, process: usize) {
        let Some(peer) = &self.peers[process] else { return };
        while self.failure().is_none() {
            let said = read_message(&mut &peer.control);
            let lost = |reason: String| {
                let address = self.addresses[process].clone();
                self.fail(ClusterError::Lost { process, address, reason });
            };
            match said {
                Ok(Message::Beat) => {}
                Ok(Message::Bye) => peer.has_left.store(true, SeqCst),
                Ok(Message::Abort(process, reason)) => {
                    return self.fail(ClusterError::Aborted { process, reason });
                }
                _ if self.failure().is_some() || self.has_left.load(SeqCst) || self.has_left(process) => {
                    return;
                }
                Err(error) if is_timeout(&error) => {
                    return lost(format!("nothing arrived for {} s", SILENCE.as_secs()));
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return lost("it was closed; the process may have ended".to_owned());
                }
                Err(error) => return lost(error.to_string()),
            }
        }
    }

    /// Sends heartbeats until the process has left or failed.
    fn beat(&self) {
        while self.failure().is_none() && !self.has_left.load(SeqCst) {
            self.tell(&[BEAT]);
            thread::park_timeout(HEARTBEAT);
        }
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

/// A message of a control connection.
enum Message {
    Beat,
    /// The process that gave up first, and its reason.
    Abort(usize, String),
    Bye,
}

fn read_message(from: &mut impl Read) -> io::Result<Message> {
    let mut kind = [0];
    from.read_exact(&mut kind)?;
    match kind[0] {
        BEAT => Ok(Message::Beat),
        BYE => Ok(Message::Bye),
        ABORT => {
            let mut numbers = [[0; 4]; 2];
            from.read_exact(numbers.as_flattened_mut())?;
            let [process, length] = numbers.map(|number| u32::from_le_bytes(number) as usize);
            let mut text = vec![0; length.min(LONGEST_REASON)];
            from.read_exact(&mut text)?;
            Ok(Message::Abort(process, String::from_utf8_lossy(&text).into_owned()))
        }
        other => Err(io::Error::new(io::ErrorKind::InvalidData, format!("an unknown message {other}"))),
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// A connection for data, as timely's threads use it.
///
/// An error would make these threads panic with a message. Instead, a broken connection is noted as a failure of its peer, and looks
/// to timely like one that ends in order: what is written is lost, and after the last whole message comes the one that
/// says that no other follows.
#[derive(Debug)]
pub(super) struct DataStream {
    links: Arc<Links>,
    process: usize,
    stream: TcpStream,
    /// Bytes that were read. The first `whole` of them are whole messages, and the first `taken` were passed on.
    read: Vec<u8>,
    whole: usize,
    taken: usize,
    /// `true` once the last message was read.
    is_over: bool,
}

/// Length of the header of timely's messages: numbers of 8 bytes, of which the one at [`LENGTH_AT`] is the length of what
/// follows. It is 0 only in the last message.
const TIMELY_HEADER: usize = 6 * size_of::<u64>();
const LENGTH_AT: usize = 4 * size_of::<u64>();

/// Largest length of a message. Parts of parcels are shorter, so a larger number is not the length of a message.
const LONGEST_MESSAGE: u64 = 4 * PART as u64;

/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 18;

impl DataStream {
    fn new(links: &Arc<Links>, process: usize, stream: TcpStream) -> DataStream {
        let links = Arc::clone(links);
        DataStream { links, process, stream, read: Vec::new(), whole: 0, taken: 0, is_over: false }
    }

    /// Reads until there is another whole message, or nothing follows.
    fn fill(&mut self) {
        self.read.drain(..self.taken);
        (self.whole, self.taken) = (0, 0);
        while self.whole == 0 && !self.is_over {
            let before = self.read.len();
            self.read.resize(before + CHUNK, 0);
            let read = self.stream.read(&mut self.read[before..]);
            self.read.truncate(before + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.end("its data ended"),
                Ok(_) => self.find_whole(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.end(&error.to_string()),
            }
        }
    }

    /// Finds the whole messages.
    fn find_whole(&mut self) {
        while let Some(header) = self.read[self.whole..].first_chunk::<TIMELY_HEADER>() {
            let mut length = [0; 8];
            length.copy_from_slice(&header[LENGTH_AT..LENGTH_AT + 8]);
            let length = u64::from_be_bytes(length);
            if length > LONGEST_MESSAGE {
                return self.end(&format!("it sent a message of {length} bytes"));
            }
            let length = length as usize;
            let end = self.whole + TIMELY_HEADER + length;
            if end > self.read.len() {
                self.read.reserve(end - self.read.len());
                return;
            }
            self.whole = end;
            self.is_over |= length == 0;
        }
    }

    /// Notes that the connection is broken, and adds the last message.
    fn end(&mut self, reason: &str) {
        self.links.data_broke(self.process, reason);
        self.read.truncate(self.whole);
        self.read.extend([0; TIMELY_HEADER]);
        self.whole = self.read.len();
        self.is_over = true;
    }
}

impl Read for DataStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.whole && !self.is_over {
            self.fill();
        }
        let length = bytes.len().min(self.whole - self.taken);
        bytes[..length].copy_from_slice(&self.read[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }
}

impl Write for DataStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.links.data_broke(self.process, &error.to_string());
                Ok(bytes.len())
            }
            written => written,
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
        let mut bytes = vec![7; TIMELY_HEADER];
        bytes[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&(payload.len() as u64).to_be_bytes());
        bytes.extend(payload);
        bytes
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
        let sent = [message(b"parcel"), message(&[5; 300_000]), vec![0; TIMELY_HEADER]].concat();
        data.write_all(&sent).expect("the connection is open");
        drop(data);
        assert!(read_all(&links) == sent);
        assert!(links.failure().is_none());
    }

    #[test]
    fn only_whole_messages_are_passed_on_before_a_failure() {
        let (whole, cut) = (message(b"parcel"), &message(&[5; 1000])[..900]);
        let mut too_long = message(b"");
        too_long[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&u64::MAX.to_be_bytes());
        for (rest, reason) in
            [(cut, "its data ended"), (&too_long[..], "a message of 18446744073709551615 bytes")]
        {
            let (links, mut data, _control) = pair();
            data.write_all(&[&whole[..], rest].concat()).expect("the connection is open");
            drop(data);
            assert!(read_all(&links) == [&whole[..], &[0; TIMELY_HEADER]].concat());
            let failure = links.failure().expect("the connection is broken").to_string();
            assert!(failure.contains("process 1") && failure.contains(reason), "{failure}");
        }
    }

    #[test]
    fn what_is_written_after_a_failure_is_lost() {
        let (links, data, mut control) = pair();
        let mut stream = links.streams().expect("they can be cloned")[1].take().expect("process 1");
        links.abort("the disk is full");
        stream.write_all(&[1; 100_000]).expect("no error is passed on");
        drop(data);
        let said = read_message(&mut control).expect("the reason was told");
        assert!(matches!(said, Message::Abort(0, reason) if reason == "the disk is full"));
    }

    #[test]
    fn messages_are_read_as_they_are_told() {
        let told = [&[BEAT, BYE, ABORT, 2, 0, 0, 0, 4, 0, 0, 0][..], b"full", &[9]].concat();
        let mut from = told.as_slice();
        assert!(matches!(read_message(&mut from), Ok(Message::Beat)));
        assert!(matches!(read_message(&mut from), Ok(Message::Bye)));
        assert!(matches!(read_message(&mut from), Ok(Message::Abort(2, reason)) if reason == "full"));
        assert!(read_message(&mut from).is_err_and(|error| error.kind() == io::ErrorKind::InvalidData));
        assert!(read_message(&mut from).is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof));
    }
}

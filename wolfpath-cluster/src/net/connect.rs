//! Connects every pair of processes by two connections, one for control and one for data. The process with the higher number
//! connects to the other one, again and again until that listens. If a host name resolves to several addresses, each attempt
//! tries all of them. Once a process has all of its connections, it says so over control, and waits until all others have said
//! the same. It gives up if connecting is cancelled meanwhile.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::config::ClusterConfig;
use super::error::{ClusterError, io_error};
use super::handshake::{Hello, Proof, Purpose, Role, is_right, proof, read_verdict, write_verdict};
use super::messages::Message;

/// Time between two attempts to connect or to accept.
const PAUSE: Duration = Duration::from_millis(20);

/// Time for one attempt to connect and shake hands. A process that is not ready in time is tried again, and strangers that do
/// not shake hands in time are disconnected.
const HANDSHAKE: Duration = Duration::from_secs(2);

/// Interval at which a waiting read checks whether connecting was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// Largest number of handshakes at a time as the side that listens. Any program can connect to an open port.
const MOST_HANDSHAKES: usize = 64;

/// Largest number of refused attempts that an error lists.
const MOST_NOTES: usize = 3;

/// The two connections to another process.
#[derive(Debug)]
pub(super) struct Sockets {
    pub(super) data: TcpStream,
    pub(super) control: TcpStream,
}

/// Some of the connections to another process.
#[derive(Debug, Default)]
struct Slot {
    data: Option<TcpStream>,
    control: Option<TcpStream>,
}

impl Slot {
    fn of(&mut self, purpose: Purpose) -> &mut Option<TcpStream> {
        match purpose {
            Purpose::Data => &mut self.data,
            Purpose::Control => &mut self.control,
        }
    }

    fn is_complete(&self) -> bool {
        self.data.is_some() && self.control.is_some()
    }
}

/// A connection that is read until a moment, however slowly bytes arrive, or until connecting is cancelled.
struct Timed<'a> {
    config: &'a ClusterConfig,
    stream: &'a TcpStream,
    until: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.config.go_on().map_err(io::Error::other)?;
            self.stream.set_read_timeout(Some(left.min(LOOK)))?;
            match self.stream.read(bytes) {
                Err(error) if is_timeout(&error) => {}
                read => return read,
            }
        }
    }
}

/// State that the two threads of a connecting process share.
#[derive(Debug, Default)]
struct Established {
    /// The control connections that exist so far.
    control: Mutex<Vec<(usize, TcpStream)>>,
    /// `true` once one of the two threads has failed.
    has_failed: AtomicBool,
}

impl Established {
    /// Notes a control connection to a process.
    fn add(&self, process: usize, stream: &TcpStream) {
        // A connection that cannot be cloned is not watched.
        if let Ok(stream) = stream.try_clone() {
            self.control.lock().unwrap_or_else(PoisonError::into_inner).push((process, stream));
        }
    }

    /// Returns an error if another process has given up.
    fn check(&self, config: &ClusterConfig) -> Result<(), ClusterError> {
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let mut closed = None;
        for (process, stream) in control.iter() {
            let mut first = [0; 2];
            let peeked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut first));
            if stream.set_nonblocking(false).is_err() {
                continue;
            }
            match peeked {
                // A reason says more than a closed connection: it names the process that gave up first.
                Ok(bytes) if Message::are_of_abort(&first[..bytes]) => {
                    let mut from = Timed { config, stream, until: Instant::now() + HANDSHAKE };
                    let told = match Message::read(&mut from) {
                        Ok(Message::Ready) => Message::read(&mut from),
                        told => told,
                    };
                    if let Ok(Message::Abort(process, reason)) = told {
                        return Err(ClusterError::Aborted { process, reason });
                    }
                    closed = Some(*process);
                }
                Ok(0) => closed = Some(*process),
                Err(error) if !is_pause(&error) => closed = Some(*process),
                _ => {}
            }
        }
        closed.map_or(Ok(()), |process| Err(gave_up(config, process)))
    }

    /// Tells the processes that are connected why this one gives up.
    fn tell(&self, config: &ClusterConfig, error: &ClusterError) {
        let message = Message::of_failure(config.process(), error).bytes();
        for (_, stream) in self.control.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // The message is short, and an empty connection has room for it.
            let _ = (&mut &*stream).write_all(&message);
        }
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn gave_up(config: &ClusterConfig, process: usize) -> ClusterError {
    let reason = "it gave up while others were connecting".to_owned();
    ClusterError::Lost { process, address: config.address(process).to_owned(), reason }
}

/// Listens at the first of this process's addresses at which it can.
pub(super) fn listen(
    config: &ClusterConfig,
    addresses: &[Vec<SocketAddr>],
) -> Result<TcpListener, ClusterError> {
    let address = config.address(config.process());
    TcpListener::bind(&addresses[config.process()][..]).map_err(io_error("listen at", address))
}

/// Returns the connections to each process, `None` for this one.
pub(super) fn connect(
    config: &ClusterConfig,
    addresses: &[Vec<SocketAddr>],
    listener: &TcpListener,
) -> Result<Vec<Option<Sockets>>, ClusterError> {
    let until = config.until();
    let established = &Established::default();
    let connected = connect_both(config, addresses, listener, until, established);
    let connected = connected.and_then(|sockets| await_all(config, &sockets, until).map(|()| sockets));
    if let Err(error) = &connected {
        established.tell(config, error);
    }
    connected
}

/// Connects to the processes with lower numbers, and meanwhile accepts the connections of those with higher numbers.
fn connect_both(
    config: &ClusterConfig,
    addresses: &[Vec<SocketAddr>],
    listener: &TcpListener,
    until: Instant,
    established: &Established,
) -> Result<Vec<Option<Sockets>>, ClusterError> {
    let (below, above) = thread::scope(|scope| {
        let noted = |slots: Result<Vec<Slot>, ClusterError>| {
            established.has_failed.fetch_or(slots.is_err(), SeqCst);
            slots
        };
        let accepting = scope.spawn(move || noted(accept_all(config, listener, until, established)));
        let below = noted(connect_all(config, addresses, until, established));
        (below, accepting.join())
    });
    let above = above.expect("accepting does not panic");
    // If both failed, a process that does not fit, or gave up, explains more than one that is missing.
    let (below, above) = match (below, above) {
        (Err(ClusterError::Missing { .. }), Err(error)) | (Err(error), _) | (_, Err(error)) => {
            return Err(error);
        }
        (Ok(below), Ok(above)) => (below, above),
    };
    let sockets = |slot: Slot| slot.data.zip(slot.control).map(|(data, control)| Sockets { data, control });
    Ok(below.into_iter().chain([Slot::default()]).chain(above).map(sockets).collect())
}

/// Tells all other processes that this one has all of its connections, and waits until they have told the same.
fn await_all(
    config: &ClusterConfig,
    sockets: &[Option<Sockets>],
    until: Instant,
) -> Result<(), ClusterError> {
    let each =
        || sockets.iter().enumerate().filter_map(|(process, sockets)| Some((process, sockets.as_ref()?)));
    for (process, sockets) in each() {
        let sent = (&mut &sockets.control).write_all(&Message::Ready.bytes());
        sent.map_err(|_| gave_up(config, process))?;
    }
    for (process, Sockets { control, .. }) in each() {
        match Message::read(&mut Timed { config, stream: control, until }) {
            Ok(Message::Ready) => {}
            Err(_) if config.go_on().is_err() => return Err(ClusterError::Cancelled),
            Ok(Message::Abort(process, reason)) => return Err(ClusterError::Aborted { process, reason }),
            Err(error) if is_timeout(&error) => return Err(missing(config, &[process], Vec::new())),
            _ => return Err(gave_up(config, process)),
        }
    }
    Ok(())
}

/// Returns `true` if nothing arrived in time.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Connects to all processes with lower numbers.
fn connect_all(
    config: &ClusterConfig,
    addresses: &[Vec<SocketAddr>],
    until: Instant,
    established: &Established,
) -> Result<Vec<Slot>, ClusterError> {
    let mut slots: Vec<Slot> = (0..config.process()).map(|_| Slot::default()).collect();
    for (process, slot) in slots.iter_mut().enumerate() {
        let mut addresses = addresses[process].clone();
        for purpose in [Purpose::Control, Purpose::Data] {
            let stream = connect_to(config, (process, &addresses), purpose, until, established)?;
            if purpose == Purpose::Control {
                established.add(process, &stream);
                // The address that has answered will do so again.
                addresses = stream.peer_addr().map_or(addresses, |address| vec![address]);
            }
            *slot.of(purpose) = Some(stream);
        }
    }
    Ok(slots)
}

fn connect_to(
    config: &ClusterConfig,
    (process, addresses): (usize, &[SocketAddr]),
    purpose: Purpose,
    until: Instant,
    established: &Established,
) -> Result<TcpStream, ClusterError> {
    let mut refused = None;
    loop {
        let mut may_answer = false;
        for (at, address) in addresses.iter().enumerate() {
            config.go_on()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || established.has_failed.load(SeqCst) {
                return Err(refused.unwrap_or_else(|| missing(config, &[process], Vec::new())));
            }
            // An address that does not answer leaves time for the others.
            let attempt = (left / (addresses.len() - at) as u32).min(HANDSHAKE);
            match connect_at(config, (process, address), purpose, attempt) {
                Ok(Ok(stream)) => return Ok(stream),
                // Another program can have the port at this address, and the process another address.
                Ok(Err(error)) => refused = Some(error),
                // A process that has not started refuses connections, and one that is ending closes them.
                Err(_) => {
                    may_answer = true;
                    established.check(config)?;
                }
            }
        }
        if !may_answer && let Some(error) = refused {
            return Err(error);
        }
        thread::sleep(PAUSE);
    }
}

/// Attempts to connect to a process at one of its addresses. The inner error is one that trying again does not remove.
fn connect_at(
    config: &ClusterConfig,
    (process, address): (usize, &SocketAddr),
    purpose: Purpose,
    within: Duration,
) -> io::Result<Result<TcpStream, ClusterError>> {
    let until = Instant::now() + within;
    let stream = TcpStream::connect_timeout(address, within)?;
    // A port at which no process listens can be given to the socket that connects to it.
    if stream.local_addr()? == stream.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    stream.set_nodelay(true)?;
    let introduced = introduce(config, &stream, process, purpose, until)?;
    stream.set_read_timeout(None)?;
    Ok(introduced.map(|()| stream))
}

/// Shakes hands as the side that connects. The inner error is one that trying again does not remove.
fn introduce(
    config: &ClusterConfig,
    stream: &TcpStream,
    process: usize,
    purpose: Purpose,
    until: Instant,
) -> io::Result<Result<(), ClusterError>> {
    let (mut from, mut to) = (Timed { config, stream, until }, stream);
    let secret = config.secret.as_deref();
    let mine = Hello::new(config.process(), config.processes(), purpose, config.has_secret())?;
    mine.write(&mut to)?;
    let other = Hello::read(&mut from)?;
    let mut proven = Proof::default();
    from.read_exact(&mut proven)?;
    let peer = format!("process {process} ({})", config.address(process));
    let mismatch = |found: String, expected: String| {
        Ok(Err(ClusterError::Mismatch { peer: peer.clone(), found, expected }))
    };
    if !other.is_ours() {
        return mismatch("is another program or version".to_owned(), "this one".to_owned());
    }
    if let Some((found, expected)) = mine.mismatch(&other) {
        return mismatch(found, expected);
    }
    if other.process as usize != process {
        return mismatch(format!("has the number {}", other.process), process.to_string());
    }
    if !is_right(secret, &proven, Role::Listens, &mine, &other) {
        return mismatch("has another secret".to_owned(), "the same one".to_owned());
    }
    to.write_all(&proof(secret, Role::Connects, &mine, &other))?;
    let verdict = read_verdict(&mut from)?;
    if !verdict.is_empty() {
        let verdict = verdict.escape_debug();
        return mismatch(format!("refuses this process: {verdict}"), "to be accepted".to_owned());
    }
    Ok(Ok(()))
}

/// A connection whose other side has said who it is.
struct Greeted {
    stream: TcpStream,
    mine: Hello,
    other: Hello,
    purpose: Purpose,
}

/// Accepts the connections of all processes with higher numbers. Each shakes hands on a thread of its own, so that a stranger
/// that sends nothing does not delay the others.
fn accept_all(
    config: &ClusterConfig,
    listener: &TcpListener,
    until: Instant,
    established: &Established,
) -> Result<Vec<Slot>, ClusterError> {
    let first = config.process() + 1;
    let mut slots: Vec<Slot> = (first..config.processes()).map(|_| Slot::default()).collect();
    let mut notes = Vec::new();
    let failed = io_error("listen at", config.address(config.process()));
    listener.set_nonblocking(true).map_err(&failed)?;
    let (greeted, arrived) = channel();
    let running = Arc::new(AtomicUsize::new(0));
    while !slots.iter().all(Slot::is_complete) {
        config.go_on()?;
        if Instant::now() >= until || established.has_failed.load(SeqCst) {
            let absent = (first..).zip(&slots).filter(|(_, slot)| !slot.is_complete());
            let absent: Vec<usize> = absent.map(|(process, _)| process).collect();
            return Err(missing(config, &absent, notes));
        }
        let accepted = listener.accept();
        let is_idle = accepted.is_err();
        if let Ok((stream, from)) = accepted
            && running.load(SeqCst) < MOST_HANDSHAKES
        {
            running.fetch_add(1, SeqCst);
            let (greeted, config, running) = (Sender::clone(&greeted), config.clone(), Arc::clone(&running));
            // The last ones, of strangers, may end after this function.
            thread::spawn(move || {
                let _ = greeted.send((from, greet(&config, stream)));
                running.fetch_sub(1, SeqCst);
            });
        }
        while let Ok((from, greeted)) = arrived.try_recv() {
            let refused = match greeted {
                Ok(Ok(greeted)) => admit(config, greeted, &mut slots, established)?,
                Ok(Err(reason)) => Some(reason),
                Err(error) => Some(io::Error::to_string(&error)),
            };
            if let Some(reason) = refused
                && notes.len() < MOST_NOTES
            {
                notes.push(format!("{from} ({reason})"));
            }
        }
        if is_idle {
            established.check(config)?;
            thread::sleep(PAUSE);
        }
    }
    Ok(slots)
}

/// Shakes hands as the side that listens. The inner error says why the other side cannot be of this cluster.
fn greet(config: &ClusterConfig, stream: TcpStream) -> io::Result<Result<Greeted, String>> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    let secret = config.secret.as_deref();
    let (mut from, mut to) = (Timed { config, stream: &stream, until: Instant::now() + HANDSHAKE }, &stream);
    let other = Hello::read(&mut from)?;
    let purpose = other.purpose().filter(|_| other.is_ours());
    let mine =
        Hello::new(config.process(), config.processes(), purpose.unwrap_or(Purpose::Data), secret.is_some())?;
    mine.write(&mut to)?;
    let Some(purpose) = purpose else {
        // A stranger gets no proof.
        to.write_all(&Proof::default())?;
        return Ok(Err("another program or version".to_owned()));
    };
    to.write_all(&proof(secret, Role::Listens, &other, &mine))?;
    if mine.mismatch(&other).is_none() {
        let mut proven = Proof::default();
        from.read_exact(&mut proven)?;
        if !is_right(secret, &proven, Role::Connects, &other, &mine) {
            return Ok(Err("another secret".to_owned()));
        }
    }
    stream.set_read_timeout(None)?;
    Ok(Ok(Greeted { stream, mine, other, purpose }))
}

/// Takes a connection, or returns why it was refused. The error says that a process of this cluster does not fit.
fn admit(
    config: &ClusterConfig,
    greeted: Greeted,
    slots: &mut [Slot],
    established: &Established,
) -> Result<Option<String>, ClusterError> {
    let Greeted { stream, mine, other, purpose } = greeted;
    let (first, number) = (config.process() + 1, other.process as usize);
    let refuse = |found: String, expected: String| {
        // The other side sees the mismatch by itself if this cannot be sent.
        let _ = write_verdict(&mut &stream, &format!("it {found}, expected {expected}"));
        Err(ClusterError::Mismatch { peer: format!("a process with the number {number}"), found, expected })
    };
    if let Some((found, expected)) = mine.mismatch(&other) {
        // Without a proof, a stranger may have sent this.
        return match config.has_secret() {
            true => Ok(Some(format!("a process that {found}"))),
            false => refuse(found, expected),
        };
    }
    let Some(slot) = number.checked_sub(first).and_then(|at| slots.get_mut(at)) else {
        return refuse("has a number that is taken".to_owned(), "each number once".to_owned());
    };
    if slot.of(purpose).is_some() {
        return refuse("is already connected".to_owned(), "each number once".to_owned());
    }
    if let Err(error) = write_verdict(&mut &stream, "") {
        return Ok(Some(error.to_string()));
    }
    if purpose == Purpose::Control {
        established.add(number, &stream);
    }
    *slot.of(purpose) = Some(stream);
    Ok(None)
}

fn missing(config: &ClusterConfig, processes: &[usize], notes: Vec<String>) -> ClusterError {
    let each = processes.iter().map(|&process| format!("process {process} ({})", config.address(process)));
    let missing = each.collect::<Vec<_>>().join(", ");
    ClusterError::Missing { missing, within: config.patience, notes }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a listener at a free port, and its address.
    fn listener() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        (listener, address)
    }

    #[test]
    fn a_process_listens_at_the_first_address_that_it_can() {
        let (_taken, first) = listener();
        let config = ClusterConfig::new(0, ["a name of two addresses"]);
        let listener = listen(&config, &[vec![first, "127.0.0.1:0".parse().expect("an address")]]);
        let second = listener.expect("one of them is free").local_addr().expect("it listens");
        assert_ne!(first, second);
        assert!(listen(&config, &[vec![first]]).is_err());
    }

    #[test]
    fn processes_connect_to_whichever_address_answers() {
        let ((first, at_first), (second, at_second)) = (listener(), listener());
        // Nothing listens at the first address; another program listens at the second, and never answers.
        let (closed, nowhere) = listener();
        drop(closed);
        let (_silent, silent) = listener();
        let addresses = [vec![nowhere, silent, at_first], vec![at_second]];
        let config = |process| ClusterConfig::new(process, ["a name of three addresses", "another"]);
        let connected = thread::scope(|scope| {
            let other = scope.spawn(|| connect(&config(1), &addresses, &second));
            [connect(&config(0), &addresses, &first), other.join().expect("no process panics")]
        });
        assert!(connected.iter().all(Result::is_ok), "{connected:?}");
    }
}

//! Connects every pair of processes by two connections, one for data and one for control. The process with the higher number
//! connects to the other one, again and again until that listens.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::config::ClusterConfig;
use super::error::{ClusterError, io_error};
use super::handshake::*;

/// Time between two attempts to connect or to accept.
const PAUSE: Duration = Duration::from_millis(20);

/// Time within which a process that connected must have sent its hello, so that others need not wait for a stranger.
const HELLO: Duration = Duration::from_secs(2);

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
}

/// The connections that exist so far, to notice that their other ends have given up.
#[derive(Debug, Default)]
struct Established {
    streams: Mutex<Vec<(usize, TcpStream)>>,
    /// `true` once this process has given up.
    has_failed: AtomicBool,
}

impl Established {
    /// Notes a connection to a process.
    fn add(&self, process: usize, stream: &TcpStream) {
        // A connection that cannot be cloned is not watched.
        if let Ok(stream) = stream.try_clone() {
            self.streams.lock().unwrap_or_else(PoisonError::into_inner).push((process, stream));
        }
    }

    /// Returns an error if another process has closed a connection.
    fn check(&self, config: &ClusterConfig) -> Result<(), ClusterError> {
        let is_closed = |stream: &TcpStream| {
            let peeked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
            stream.set_nonblocking(false).is_err() || matches!(peeked, Ok(0))
        };
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        match streams.iter().find(|(_, stream)| is_closed(stream)) {
            Some(&(process, _)) => {
                let address = config.address(process).to_owned();
                let reason = "it gave up while others were connecting".to_owned();
                Err(ClusterError::Lost { process, address, reason })
            }
            None => Ok(()),
        }
    }
}

/// Listens at this process's address.
pub(super) fn listen(config: &ClusterConfig, addresses: &[SocketAddr]) -> Result<TcpListener, ClusterError> {
    let address = config.address(config.process());
    TcpListener::bind(addresses[config.process()]).map_err(io_error("listen at", address))
}

/// Returns the connections to each process, `None` for this one.
pub(super) fn connect(
    config: &ClusterConfig,
    addresses: &[SocketAddr],
    listener: &TcpListener,
) -> Result<Vec<Option<Sockets>>, ClusterError> {
    let until = Instant::now() + config.the_patience();
    let established = &Established::default();
    let (below, above) = thread::scope(|scope| {
        let noted = |slots: Result<Vec<Slot>, ClusterError>| {
            established.has_failed.fetch_or(slots.is_err(), Relaxed);
            slots
        };
        let accepting = scope.spawn(move || noted(accept_all(config, listener, until, established)));
        let below = noted(connect_all(config, addresses, until, established));
        (below, accepting.join())
    });
    let above = above.expect("accepting does not panic");
    // If both failed, a process of another version or number explains more than one that is missing.
    let (below, above) = match (below, above) {
        (Err(ClusterError::Missing { .. }), Err(error)) | (Err(error), _) | (_, Err(error)) => {
            return Err(error);
        }
        (Ok(below), Ok(above)) => (below, above),
    };
    let sockets = |slot: Slot| slot.data.zip(slot.control).map(|(data, control)| Sockets { data, control });
    Ok(below.into_iter().chain([Slot::default()]).chain(above).map(sockets).collect())
}

/// Connects to all processes with lower numbers.
fn connect_all(
    config: &ClusterConfig,
    addresses: &[SocketAddr],
    until: Instant,
    established: &Established,
) -> Result<Vec<Slot>, ClusterError> {
    let mut slots: Vec<Slot> = (0..config.process()).map(|_| Slot::default()).collect();
    for process in 0..slots.len() {
        for purpose in [Purpose::Data, Purpose::Control] {
            let stream = connect_to(config, (process, addresses[process]), purpose, until, established)?;
            established.add(process, &stream);
            *slots[process].of(purpose) = Some(stream);
        }
    }
    Ok(slots)
}

fn connect_to(
    config: &ClusterConfig,
    (process, address): (usize, SocketAddr),
    purpose: Purpose,
    until: Instant,
    established: &Established,
) -> Result<TcpStream, ClusterError> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || established.has_failed.load(Relaxed) {
            return Err(missing(config, &[process], Vec::new()));
        }
        // A process that has not started refuses connections, and one that is ending closes them.
        let opened = TcpStream::connect_timeout(&address, left).and_then(|mut stream| {
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(left))?;
            let introduced = introduce(config, &mut stream, process, purpose)?;
            stream.set_read_timeout(None)?;
            Ok(introduced.map(|()| stream))
        });
        match opened {
            Ok(introduced) => return introduced,
            Err(_) => {
                established.check(config)?;
                thread::sleep(PAUSE.min(left));
            }
        }
    }
}

/// Shakes hands as the side that connects. The inner error is one that trying again does not remove.
fn introduce(
    config: &ClusterConfig,
    stream: &mut TcpStream,
    process: usize,
    purpose: Purpose,
) -> std::io::Result<Result<(), ClusterError>> {
    let secret = config.the_secret();
    let mine = Hello::new(config.process(), config.processes(), purpose, config.has_secret())?;
    mine.write(stream)?;
    let other = Hello::read(stream)?;
    let mut proven = Proof::default();
    std::io::Read::read_exact(stream, &mut proven)?;
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
    std::io::Write::write_all(stream, &proof(secret, Role::Connects, &mine, &other))?;
    let verdict = read_verdict(stream)?;
    if !verdict.is_empty() {
        return mismatch(format!("refuses this process: {verdict}"), "to be accepted".to_owned());
    }
    Ok(Ok(()))
}

/// Accepts the connections of all processes with higher numbers.
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
    while slots.iter().any(|slot| slot.data.is_none() || slot.control.is_none()) {
        match listener.accept() {
            Ok((stream, from)) => match admit(config, stream, &mut slots, established)? {
                Ok(()) => {}
                // Any program can connect to an open port, so this process does not give up.
                Err(reason) => notes.push(format!("{from} ({reason})")),
            },
            Err(_) if Instant::now() < until && !established.has_failed.load(Relaxed) => {
                established.check(config)?;
                thread::sleep(PAUSE);
            }
            Err(_) => {
                let is_missing = |slot: &Slot| slot.data.is_none() || slot.control.is_none();
                let absent: Vec<usize> =
                    (first..).zip(&slots).filter(|(_, slot)| is_missing(slot)).map(|(at, _)| at).collect();
                notes.truncate(3);
                return Err(missing(config, &absent, notes));
            }
        }
    }
    Ok(slots)
}

/// Shakes hands as the side that listens. The inner error says why the connection was refused, and the outer one that a process
/// of this cluster does not fit.
fn admit(
    config: &ClusterConfig,
    mut stream: TcpStream,
    slots: &mut [Slot],
    established: &Established,
) -> Result<Result<(), String>, ClusterError> {
    let first = config.process() + 1;
    let admitted = (|| -> std::io::Result<Result<(Hello, Hello), String>> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(HELLO))?;
        let other = Hello::read(&mut stream)?;
        let purpose = other.purpose().unwrap_or(Purpose::Data);
        let mine = Hello::new(config.process(), config.processes(), purpose, config.has_secret())?;
        mine.write(&mut stream)?;
        let secret = config.the_secret();
        std::io::Write::write_all(&mut stream, &proof(secret, Role::Listens, &other, &mine))?;
        if !other.is_ours() || other.purpose().is_none() {
            return Ok(Err("another program or version".to_owned()));
        }
        let mut proven = Proof::default();
        if mine.mismatch(&other).is_none() {
            std::io::Read::read_exact(&mut stream, &mut proven)?;
            if !is_right(secret, &proven, Role::Connects, &other, &mine) {
                return Ok(Err("another secret".to_owned()));
            }
        }
        Ok(Ok((mine, other)))
    })();
    let (mine, other) = match admitted {
        Ok(Ok(hellos)) => hellos,
        Ok(Err(reason)) => return Ok(Err(reason)),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let number = other.process as usize;
    let refuse = |stream: &mut TcpStream, found: String, expected: String| {
        // The other side sees the mismatch by itself if this cannot be sent.
        let _ = write_verdict(stream, &format!("it {found}, expected {expected}"));
        Err(ClusterError::Mismatch { peer: format!("a process with the number {number}"), found, expected })
    };
    if let Some((found, expected)) = mine.mismatch(&other) {
        // Without a proof, a stranger may have sent this.
        return match config.has_secret() {
            true => Ok(Err(format!("a process that {found}"))),
            false => refuse(&mut stream, found, expected),
        };
    }
    let Some(slot) = number.checked_sub(first).and_then(|at| slots.get_mut(at)) else {
        let expected = format!("numbers from {first} to {}, each once", config.processes() - 1);
        return refuse(&mut stream, "has a number that is taken".to_owned(), expected);
    };
    let slot = slot.of(other.purpose().unwrap_or(Purpose::Data));
    if slot.is_some() {
        return refuse(&mut stream, "is already connected".to_owned(), "each number once".to_owned());
    }
    match write_verdict(&mut stream, "").and_then(|()| stream.set_read_timeout(None)) {
        Ok(()) => {
            established.add(number, &stream);
            *slot = Some(stream);
        }
        Err(error) => return Ok(Err(error.to_string())),
    }
    Ok(Ok(()))
}

fn missing(config: &ClusterConfig, processes: &[usize], notes: Vec<String>) -> ClusterError {
    let each = processes.iter().map(|&process| format!("process {process} ({})", config.address(process)));
    let missing = each.collect::<Vec<_>>().join(", ");
    ClusterError::Missing { missing, within: config.the_patience(), notes }
}

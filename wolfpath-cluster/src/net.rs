//! The processes of a cluster, which exchange bytes.
//!
//! Timely dataflow carries the bytes (Murray, McSherry, Isaacs, Isard, Barham and Abadi, "Naiad: A Timely Dataflow System",
//! SOSP 2013). Connecting, and noticing that a process is gone, are ours: every pair of processes has a second connection
//! for heartbeats and reasons.

mod config;
mod connect;
mod error;
mod handshake;
mod links;
mod messages;
mod peers;
mod worker;

use std::collections::VecDeque;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;

use wolfpath_runtime::part::Settings;

pub use config::ClusterConfig;
pub use error::ClusterError;
use error::io_error;
use links::{LOOK, Links};
pub(crate) use worker::CONNECTION_BYTES;
use worker::{PART, Parcel, Worker};

/// This process's connections to the other processes of a cluster.
///
/// All processes must make the same exchanges, in the same order. If one of them ends, stops, or fails, each of the others gets
/// an error that names it, within ten seconds. After an error, no further exchange is possible.
///
/// Dropping it waits until the other processes drop theirs, or one of them fails. A process that ends because of an error of
/// its own should call [`abort`](Self::abort) before, since the others otherwise only learn that it has left.
///
/// ```
/// use std::net::TcpListener;
/// use std::thread;
/// use wolfpath::cluster::{Cluster, ClusterConfig, ClusterError};
///
/// // Two threads stand for two processes.
/// let listeners = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
/// let addresses = [listeners[0].local_addr()?.to_string(), listeners[1].local_addr()?.to_string()];
/// let process = |number: usize, listener: TcpListener| -> Result<Vec<Vec<u8>>, ClusterError> {
///     let mut cluster = Cluster::connect_at(listener, &ClusterConfig::new(number, addresses.clone()))?;
///     cluster.exchange(vec![vec![number as u8, 0], vec![number as u8, 1]])
/// };
/// let [first, second] = listeners;
/// let received = thread::scope(|scope| {
///     let other = scope.spawn(|| process(1, second));
///     (process(0, first), other.join().expect("the thread does not panic"))
/// });
/// assert_eq!(received.0?, [[0, 0], [1, 0]]);
/// assert_eq!(received.1?, [[0, 1], [1, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cluster {
    process: usize,
    processes: usize,
    exchanges: u64,
    bytes_sent: u64,
    /// Parts that arrived for exchanges that this process has not begun, by sender.
    early: Vec<VecDeque<Parcel>>,
    links: Arc<Links>,
    threads: Vec<JoinHandle<()>>,
    /// `None` in a cluster of one process.
    worker: Option<Worker>,
}

impl Cluster {
    /// Listens at this process's address, and connects to all other processes.
    ///
    /// # Errors
    /// Returns an error if the address is in use, if a process does not connect in time, or if one of them is of another
    /// version or cluster, has the same number, or does not know the secret.
    ///
    /// ```
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let alone = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// assert_eq!((alone.process(), alone.processes()), (0, 1));
    /// # Ok::<(), wolfpath::cluster::ClusterError>(())
    /// ```
    pub fn connect(config: &ClusterConfig) -> Result<Cluster, ClusterError> {
        let addresses = config.resolved()?;
        Cluster::connect_at(connect::listen(config, &addresses)?, config)
    }

    /// Connects like [`connect`](Self::connect), but with an existing listener, which must be bound to this process's address.
    ///
    /// # Errors
    /// Returns the errors of [`connect`](Self::connect), except for an address in use.
    ///
    /// ```
    /// use std::net::TcpListener;
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let listener = TcpListener::bind("127.0.0.1:0")?;
    /// let config = ClusterConfig::new(0, [listener.local_addr()?.to_string()]);
    /// assert_eq!(Cluster::connect_at(listener, &config)?.exchange(vec![vec![7]])?, [[7]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn connect_at(listener: TcpListener, config: &ClusterConfig) -> Result<Cluster, ClusterError> {
        let addresses = config.resolved()?;
        config.check_listener(&listener)?;
        let sockets = connect::connect(config, &addresses, &listener)?;
        drop(listener);
        let failed = io_error("start the connections of", config.address(config.process()));
        let links = Arc::new(Links::new(config, sockets).map_err(&failed)?);
        let (process, processes) = (config.process(), config.processes());
        let mut cluster = Cluster {
            process,
            processes,
            exchanges: 0,
            bytes_sent: 0,
            early: (0..processes).map(|_| VecDeque::new()).collect(),
            links: Arc::clone(&links),
            threads: Vec::new(),
            worker: None,
        };
        if processes > 1 {
            cluster.threads = links.watch().map_err(&failed)?;
            let started = Worker::start(&links, process);
            cluster.worker = Some(started.map_err(|error| failed(std::io::Error::other(error)))?);
        }
        Ok(cluster)
    }

    /// Returns the number of this process, from 0.
    pub fn process(&self) -> usize {
        self.process
    }

    /// Returns the number of processes.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// Returns the number of bytes that this process has given to [`exchange`](Self::exchange) for other processes, also in runs.
    /// Headers and heartbeats of connections are not included.
    ///
    /// ```
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let mut alone = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// alone.exchange(vec![b"to myself".to_vec()])?;
    /// assert_eq!(alone.bytes_sent(), 0);
    /// # Ok::<(), wolfpath::cluster::ClusterError>(())
    /// ```
    pub fn bytes_sent(&self) -> u64 {
        self.bytes_sent
    }

    /// Sends bytes to each process, and returns the bytes that each has sent to this one. Both are in the order of the
    /// processes' numbers. What a process sends to itself is returned, too.
    ///
    /// # Errors
    /// Returns an error if another process has failed, ended or left, or does not answer.
    ///
    /// # Panics
    /// Panics if there is not exactly one element per process.
    ///
    /// ```
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let mut alone = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// assert_eq!(alone.exchange(vec![b"to myself".to_vec()])?, [b"to myself"]);
    /// # Ok::<(), wolfpath::cluster::ClusterError>(())
    /// ```
    pub fn exchange(&mut self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, ClusterError> {
        assert_eq!(outgoing.len(), self.processes, "there must be bytes for each process");
        self.check()?;
        let (me, exchange) = (self.process, self.exchanges);
        self.exchanges += 1;
        let mut received: Vec<Vec<u8>> = vec![Vec::new(); self.processes];
        let mut parcels = Vec::new();
        for (to, bytes) in outgoing.into_iter().enumerate() {
            match to == me {
                true => received[me] = bytes,
                false => {
                    self.bytes_sent += bytes.len() as u64;
                    parcels.extend(Parcel::of(me, to, exchange, bytes));
                }
            }
        }
        if let Some(worker) = &self.worker {
            worker.send(parcels);
        }
        let mut awaited: Vec<usize> = (0..self.processes).filter(|&from| from != me).collect();
        while !awaited.is_empty() {
            let part = self.next_part(&awaited, exchange)?;
            let from = part.from as usize;
            let message = &mut received[from];
            if message.is_empty() {
                message.reserve_exact(most_bytes(&part));
            }
            message.extend_from_slice(part.bytes());
            if part.parts_left == 0 {
                awaited.retain(|&process| process != from);
            }
        }
        if self.links.has_lost_data() {
            self.check()?;
        }
        Ok(received)
    }

    /// Returns the next part of an exchange from one of these processes, whichever arrives first.
    fn next_part(&mut self, awaited: &[usize], exchange: u64) -> Result<Parcel, ClusterError> {
        loop {
            if let Some(part) = awaited.iter().find_map(|&from| self.early[from].pop_front()) {
                if part.exchange != exchange {
                    self.abort(&format!("process {} sent bytes of another exchange", part.from));
                    self.check()?;
                }
                return Ok(part);
            }
            match self.worker.as_ref().map_or(Ok(None), |worker| worker.receive(LOOK)) {
                Ok(Some(part)) => {
                    if let Some(early) = self.early.get_mut(part.from as usize) {
                        early.push_back(part);
                    }
                    continue;
                }
                Ok(None) => self.check()?,
                Err(_) => {
                    self.check()?;
                    self.abort("its thread for exchanges has ended");
                }
            }
            if let Some(&process) = awaited.iter().find(|&&from| self.links.leaves_before(from, exchange)) {
                self.links.fail(ClusterError::Left { process });
                self.check()?;
            }
        }
    }

    /// Compares settings that all processes must have, each a name and a value. All processes must call this
    /// together, with the same names in the same order.
    ///
    /// # Errors
    /// Returns [`ClusterError::Mismatch`] in every process if a value differs between two of them, and the errors of
    /// [`exchange`](Self::exchange).
    ///
    /// ```
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let mut alone = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// alone.compare(&[("number of rounds", "7".to_owned())])?;
    /// # Ok::<(), wolfpath::cluster::ClusterError>(())
    /// ```
    pub fn compare(&mut self, settings: &[(&str, String)]) -> Result<(), ClusterError> {
        let settings = Settings(settings);
        let heard = self.exchange(vec![settings.message(); self.processes])?;
        settings.difference(&heard).map_or(Ok(()), |difference| Err(difference.into()))
    }

    /// Returns an error if a process has failed. Long computations between two exchanges should call this now and then.
    ///
    /// # Errors
    /// Returns the failure.
    ///
    /// ```
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let alone = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// assert!(alone.check().is_ok());
    /// # Ok::<(), wolfpath::cluster::ClusterError>(())
    /// ```
    pub fn check(&self) -> Result<(), ClusterError> {
        self.links.failure().map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// Makes all other processes fail for this reason, and closes all connections.
    ///
    /// ```
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let alone = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// alone.abort("the disk is full");
    /// assert_eq!(alone.check().unwrap_err().to_string(), "process 0 gave up: the disk is full");
    /// # Ok::<(), wolfpath::cluster::ClusterError>(())
    /// ```
    pub fn abort(&self, reason: &str) {
        self.links.abort(reason);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.abort("it panicked");
        }
        if self.links.failure().is_none() && self.processes > 1 {
            self.links.leave(self.exchanges);
        }
        drop(self.worker.take());
        self.links.hang_up();
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // These threads do not panic; if one did, there would be nothing left to do.
            let _ = thread.join();
        }
    }
}

/// Returns the room for a message that begins with this part. Nothing proves that the number of parts arrived unchanged, so the
/// room is limited.
fn most_bytes(first: &Parcel) -> usize {
    const MOST: usize = 1 << 30;
    let rest = usize::try_from(first.parts_left).unwrap_or(MOST).saturating_mul(PART);
    first.bytes().len() + rest.min(MOST)
}

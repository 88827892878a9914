//! The processes of a cluster, and how they find each other.

use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::Path;
use std::time::{Duration, Instant};

use wolfpath_runtime::CancelHandle;

use super::error::{ClusterError, io_error};

/// Time within which all processes must have connected, unless another is set.
const PATIENCE: Duration = Duration::from_secs(60);

/// A time that is as good as unlimited.
const LONGEST_PATIENCE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Smallest length of a secret, in bytes.
const SHORTEST_SECRET: usize = 16;

/// The processes of a cluster: their addresses, and the number of this one.
///
/// ```
/// use wolfpath::cluster::ClusterConfig;
///
/// let config = ClusterConfig::new(1, ["127.0.0.1:4101", "127.0.0.1:4102"]);
/// assert_eq!((config.process(), config.processes()), (1, 2));
/// ```
#[derive(Clone)]
pub struct ClusterConfig {
    process: usize,
    addresses: Vec<String>,
    pub(super) secret: Option<Vec<u8>>,
    pub(super) patience: Duration,
    cancel: Option<CancelHandle>,
}

impl fmt::Debug for ClusterConfig {
    /// Writes everything but the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ClusterConfig { process, addresses, secret, patience, .. } = self;
        let secret = secret.as_ref().map(|_| "hidden");
        f.debug_struct("ClusterConfig")
            .field("process", process)
            .field("addresses", addresses)
            .field("secret", &secret)
            .field("patience", patience)
            .finish_non_exhaustive()
    }
}

impl ClusterConfig {
    /// Describes a cluster with a process at each of these addresses (`HOST:PORT`), which all processes must name in the same
    /// order. This one has the number `process`, from 0, and listens at its own address.
    ///
    /// A host name can stand for several addresses. A process listens at the first one that it can, and others connect to
    /// whichever answers.
    ///
    /// ```
    /// use wolfpath::cluster::ClusterConfig;
    ///
    /// let last = ClusterConfig::new(2, (0..3).map(|process| format!("127.0.0.1:{}", 4101 + process)));
    /// assert_eq!(last.processes(), 3);
    /// ```
    pub fn new(process: usize, addresses: impl IntoIterator<Item = impl Into<String>>) -> ClusterConfig {
        let addresses = addresses.into_iter().map(Into::into).collect();
        ClusterConfig { process, addresses, secret: None, patience: PATIENCE, cancel: None }
    }

    /// Reads the addresses of `processes` processes from a file with one `HOST:PORT` per line. Empty lines, and those that
    /// begin with `#`, are skipped. Further lines are not read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or has too few lines.
    ///
    /// ```
    /// use wolfpath::cluster::ClusterConfig;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let hosts = folder.path().join("hosts.txt");
    /// std::fs::write(&hosts, "# two machines\n10.0.0.1:4101\n10.0.0.2:4101\n")?;
    /// assert_eq!(ClusterConfig::from_hostfile(&hosts, 2, 0)?.processes(), 2);
    /// let error = ClusterConfig::from_hostfile(&hosts, 3, 0).unwrap_err().to_string();
    /// assert!(error.contains("2, expected 3"), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_hostfile(
        path: impl AsRef<Path>,
        processes: usize,
        process: usize,
    ) -> Result<ClusterConfig, ClusterError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(io_error("read", path.display()))?;
        let lines = (1u64..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
        let mut addresses = Vec::new();
        for (line, address) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            if addresses.len() == processes {
                break;
            }
            let port = address.rsplit_once(':').and_then(|(host, port)| {
                (!host.is_empty()).then(|| port.parse::<u16>().ok().filter(|&port| port > 0)).flatten()
            });
            if port.is_none() {
                let found = address.to_owned();
                return Err(ClusterError::Hostfile { path: path.to_owned(), line, found });
            }
            addresses.push(address.to_owned());
        }
        if addresses.len() < processes {
            let found = addresses.len();
            return Err(ClusterError::TooFewHosts { path: path.to_owned(), found, expected: processes });
        }
        Ok(ClusterConfig::new(process, addresses))
    }

    /// Sets a secret of at least 16 bytes, which all processes must know. They prove this to each other without sending the
    /// secret. Without one, all addresses must be on the loopback interface.
    ///
    /// ```
    /// use wolfpath::cluster::ClusterConfig;
    ///
    /// let config = ClusterConfig::new(0, ["127.0.0.1:4101"]).secret("a long and random text");
    /// assert!(config.has_secret());
    /// ```
    #[must_use]
    pub fn secret(mut self, secret: impl Into<Vec<u8>>) -> ClusterConfig {
        self.secret = Some(secret.into());
        self
    }

    /// Reads the secret from a file, which only its owner may access (mode 0600; not checked on Windows). White space at the
    /// end is not part of the secret.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, if others may access it, or if the secret is shorter than 16 bytes.
    ///
    /// ```
    /// use wolfpath::cluster::ClusterConfig;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("secret");
    /// std::fs::write(&path, "short")?;
    /// assert!(ClusterConfig::new(0, ["127.0.0.1:4101"]).secret_file(&path).is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn secret_file(self, path: impl AsRef<Path>) -> Result<ClusterConfig, ClusterError> {
        let path = path.as_ref();
        let refused =
            |reason: &str| ClusterError::SecretFile { path: path.to_owned(), reason: reason.to_owned() };
        let mut file = File::open(path).map_err(io_error("read", path.display()))?;
        let mut secret = Vec::new();
        file.read_to_end(&mut secret).map_err(io_error("read", path.display()))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let metadata = file.metadata().map_err(io_error("inspect", path.display()))?;
            if metadata.permissions().mode() & 0o077 != 0 {
                return Err(refused("other users may access it; set its mode to 0600"));
            }
        }
        secret.truncate(secret.trim_ascii_end().len());
        if secret.len() < SHORTEST_SECRET {
            return Err(refused("it has less than 16 bytes; use random ones"));
        }
        Ok(self.secret(secret))
    }

    /// Sets the time within which all processes must have connected. The default is a minute.
    ///
    /// ```
    /// use std::time::Duration;
    /// use wolfpath::cluster::{Cluster, ClusterConfig};
    ///
    /// let config = ClusterConfig::new(1, ["127.0.0.1:9", "127.0.0.1:0"]).patience(Duration::ZERO);
    /// assert!(Cluster::connect(&config).is_err(), "no process listens at port 9");
    /// ```
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> ClusterConfig {
        self.patience = patience;
        self
    }

    /// Sets a handle that stops connecting, within about two seconds, but not while host names are resolved. Processes that are already connected are told. Runs have
    /// a handle of their own ([`RunOptions::cancel`](wolfpath_runtime::RunOptions::cancel)), which can be the same. By default,
    /// connecting cannot be stopped.
    ///
    /// ```
    /// use wolfpath::CancelHandle;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, ClusterError};
    ///
    /// let cancel = CancelHandle::new();
    /// let config = ClusterConfig::new(1, ["127.0.0.1:9", "127.0.0.1:0"]).cancel(&cancel);
    /// std::thread::spawn(move || cancel.cancel());
    /// // No process listens at port 9, so that connecting would take a minute.
    /// assert!(matches!(Cluster::connect(&config), Err(ClusterError::Cancelled)));
    /// ```
    #[must_use]
    pub fn cancel<'a>(mut self, handle: impl Into<Option<&'a CancelHandle>>) -> ClusterConfig {
        self.cancel = handle.into().cloned();
        self
    }

    /// Returns the number of this process, from 0.
    pub fn process(&self) -> usize {
        self.process
    }

    /// Returns the number of processes.
    pub fn processes(&self) -> usize {
        self.addresses.len()
    }

    /// Returns `true` if a secret was set.
    pub fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    /// Returns an error if connecting was cancelled.
    pub(super) fn go_on(&self) -> Result<(), ClusterError> {
        match &self.cancel {
            Some(cancel) if cancel.is_cancelled() => Err(ClusterError::Cancelled),
            _ => Ok(()),
        }
    }

    /// Returns the moment until which all processes must have connected.
    pub(super) fn until(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.patience).unwrap_or(now + LONGEST_PATIENCE)
    }

    /// Returns an error if a listener accepts connections from other machines, but no secret was set.
    pub(super) fn check_listener(&self, listener: &TcpListener) -> Result<(), ClusterError> {
        let address = listener.local_addr().map_err(io_error("inspect", "the listener"))?;
        match address.ip().is_loopback() || self.secret.is_some() {
            true => Ok(()),
            false => Err(ClusterError::NeedsSecret { address: address.to_string() }),
        }
    }

    /// Returns the address of a process, as it was given.
    pub(super) fn address(&self, process: usize) -> &str {
        &self.addresses[process]
    }

    /// Returns the socket addresses of every process, at least one of each.
    pub(super) fn resolved(&self) -> Result<Vec<Vec<SocketAddr>>, ClusterError> {
        if self.process >= self.processes() {
            return Err(ClusterError::NoSuchProcess { process: self.process, processes: self.processes() });
        }
        if self.secret.as_ref().is_some_and(|secret| secret.len() < SHORTEST_SECRET) {
            return Err(ClusterError::ShortSecret);
        }
        let resolve = |address: &String| {
            let found: Vec<SocketAddr> =
                address.to_socket_addrs().map_err(io_error("resolve", address))?.collect();
            if found.is_empty() {
                return Err(io_error("resolve", address)(std::io::ErrorKind::NotFound.into()));
            }
            if self.secret.is_none() && found.iter().any(|found| !found.ip().is_loopback()) {
                return Err(ClusterError::NeedsSecret { address: address.clone() });
            }
            Ok(found)
        };
        self.addresses.iter().map(resolve).collect()
    }
}

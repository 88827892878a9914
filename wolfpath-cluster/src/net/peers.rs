//! The processes of a cluster, as runs over parts of a graph use them.

use std::sync::{Arc, Mutex, PoisonError};

use wolfpath_runtime::part::{PeerError, Peers};

use super::Cluster;

/// The processes of a cluster during a run, whose threads share them.
struct Connected<'a> {
    process: usize,
    processes: usize,
    cluster: Mutex<&'a mut Cluster>,
}

impl Cluster {
    /// Returns the processes, for a run.
    #[doc(hidden)]
    pub fn peers(&mut self) -> impl Peers + '_ {
        Connected { process: self.process, processes: self.processes, cluster: Mutex::new(self) }
    }
}

impl Peers for Connected<'_> {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, PeerError> {
        let mut cluster = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        cluster.exchange(outgoing).map_err(|error| Arc::new(error) as PeerError)
    }

    fn abort(&self, reason: &str) {
        self.cluster.lock().unwrap_or_else(PoisonError::into_inner).abort(reason);
    }
}

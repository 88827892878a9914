//! Processes that keep the state of a run in memory, and continue from it.

use std::sync::{Arc, Mutex, PoisonError};

use wolfpath_runtime::part::{KeptState, PeerError, Peers};

/// The processes of a run that continues from a state, or of one that keeps its last state after a power of two of steps.
pub(crate) struct Interrupted<'a> {
    peers: &'a dyn Peers,
    resumed: Option<Arc<KeptState>>,
    kept: Mutex<Option<KeptState>>,
}

impl<'a> Interrupted<'a> {
    pub(crate) fn keeping(peers: &'a dyn Peers) -> Interrupted<'a> {
        Interrupted { peers, resumed: None, kept: Mutex::default() }
    }

    pub(crate) fn resuming(peers: &'a dyn Peers, from: Arc<KeptState>) -> Interrupted<'a> {
        Interrupted { resumed: Some(from), ..Interrupted::keeping(peers) }
    }

    /// Returns the state that was kept; `None` if the run took no step that another could have followed.
    pub(crate) fn kept(self) -> Option<KeptState> {
        self.kept.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peers for Interrupted<'_> {
    fn process(&self) -> usize {
        self.peers.process()
    }

    fn processes(&self) -> usize {
        self.peers.processes()
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, PeerError> {
        self.peers.exchange(outgoing)
    }

    fn abort(&self, reason: &str) {
        self.peers.abort(reason);
    }

    fn resumed(&self) -> Option<Arc<KeptState>> {
        self.resumed.clone()
    }

    fn after_step(&self, steps: u64, state: &mut dyn FnMut() -> KeptState) -> Result<(), PeerError> {
        if steps.is_power_of_two() {
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(state());
        }
        Ok(())
    }
}

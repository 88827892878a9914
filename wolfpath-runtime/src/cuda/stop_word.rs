//! The word that stops a program in a loop of its own: host memory that the device reads while its kernel runs.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::device::Device;
use super::mapped::{Mapped, Shared};
use super::meanwhile::meanwhile;
use crate::error::{DeviceError, RunError};

/// Between two looks at whether a run shall end.
const INTERVAL: Duration = Duration::from_millis(1);

// SAFETY: an atomic, of which every bit pattern is a value and which needs no drop.
unsafe impl Shared for AtomicU32 {}

/// One word in page-locked host memory that the device sees.
pub(crate) struct StopWord(Mapped<AtomicU32>);

impl StopWord {
    pub(crate) fn new(device: &Device) -> Result<StopWord, DeviceError> {
        Mapped::new(device, "allocate the word that stops a program").map(StopWord)
    }

    /// Returns the address from which the device reads it.
    pub(crate) fn address(&self) -> u64 {
        self.0.address()
    }

    fn set(&self, value: u32) {
        self.0.store(value, Ordering::Release);
    }

    /// Does `work`, which runs a kernel and waits for it. Meanwhile another thread asks `look`, and sets the word when
    /// that says that the run shall end. Gives what both said.
    pub(crate) fn watched<T>(
        &self,
        mut look: impl FnMut() -> Result<(), RunError> + Send,
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        self.set(0);
        meanwhile(INTERVAL, || look().inspect_err(|_| self.set(1)), work)
    }
}

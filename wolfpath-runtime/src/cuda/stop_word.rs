//! The stop word: host memory that the device reads while its kernel runs, so that a program stuck in a loop can be
//! stopped.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::device::Device;
use super::mapped::{Mapped, Shared};
use super::meanwhile::meanwhile;
use crate::error::{DeviceError, RunError};

/// Interval between two checks of whether the run must end.
const INTERVAL: Duration = Duration::from_millis(1);

// SAFETY: the type is an atomic. Every bit pattern is valid for it, and it needs no drop.
unsafe impl Shared for AtomicU32 {}

/// One word in page-locked host memory that is mapped into the device's address space.
pub(crate) struct StopWord(Mapped<AtomicU32>);

impl StopWord {
    pub(crate) fn new(device: &Device) -> Result<StopWord, DeviceError> {
        Mapped::new(device, "allocate the word that stops a program").map(StopWord)
    }

    /// Returns the address from which the device reads the word.
    pub(crate) fn address(&self) -> u64 {
        self.0.address()
    }

    /// Sets the word, which ends what waits for it.
    pub(crate) fn raise(&self) {
        self.set(1);
    }

    /// Resets the word before a run.
    pub(crate) fn clear(&self) {
        self.set(0);
    }

    fn set(&self, value: u32) {
        self.0.store(value, Ordering::Release);
    }

    /// Calls `work`, which runs a kernel and waits for it. Meanwhile another thread calls `look` periodically. If
    /// `look` returns an error, the run must end, so the thread sets the word. Returns the results of `work` and
    /// `look`.
    pub(crate) fn watched<T>(
        &self,
        mut look: impl FnMut() -> Result<(), RunError> + Send,
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        self.set(0);
        meanwhile(INTERVAL, || look().inspect_err(|_| self.set(1)), work)
    }
}

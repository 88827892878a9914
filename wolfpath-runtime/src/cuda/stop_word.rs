//! The word that stops a program in a loop of its own: host memory that the device reads while its kernel runs.
//!
//! It is set by a plain store. A copy or any other call of the driver would not do: another thread may be in one that
//! waits for this very kernel, and hold the driver's lock until it has ended.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::{CudaContext, result, sys};

use super::device::{Device, driver_error};
use crate::error::{DeviceError, RunError};

/// Between two looks at whether a run shall end.
const INTERVAL: Duration = Duration::from_millis(1);

/// One word in page-locked host memory that the device sees.
pub(crate) struct StopWord {
    word: NonNull<AtomicU32>,
    address: u64,
    context: Arc<CudaContext>,
}

// SAFETY: the memory belongs to the struct, is not tied to a thread, and is only touched as an atomic.
unsafe impl Send for StopWord {}

// SAFETY: as for `Send`.
unsafe impl Sync for StopWord {}

impl StopWord {
    pub(crate) fn new(device: &Device) -> Result<StopWord, DeviceError> {
        let context = device.context.clone();
        let failed = driver_error("allocate the word that stops a program");
        context.bind_to_thread().map_err(&failed)?;
        // SAFETY: the context is bound. What comes back is not null and, being page-locked, aligned to a page.
        let memory = unsafe { result::malloc_host(size_of::<AtomicU32>(), sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        let memory = memory.map_err(&failed)?;
        let Some(word) = NonNull::new(memory.cast::<AtomicU32>()) else {
            let message = "no memory came back".to_owned();
            return Err(DeviceError::Driver { action: "allocate the word that stops a program", message });
        };
        let mut stop = StopWord { word, address: 0, context };
        stop.set(0);
        // SAFETY: `memory` was allocated above, mapped, and `address` is a place for one address.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&mut stop.address, memory, 0) }
            .result()
            .map_err(failed)?;
        Ok(stop)
    }

    /// Where the device reads it.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    fn set(&self, value: u32) {
        // SAFETY: the memory lives as long as `self`; the device reads and writes the word as one.
        unsafe { self.word.as_ref() }.store(value, Ordering::Release);
    }

    /// Does `work`, which runs a kernel and waits for it. Meanwhile another thread asks `look`, and sets the word when
    /// that says that the run shall end. Gives what both said.
    pub(crate) fn watched<T>(
        &self,
        mut look: impl FnMut() -> Result<(), RunError> + Send,
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        self.set(0);
        let finished = Finished::default();
        std::thread::scope(|scope| {
            let watcher = std::thread::Builder::new().spawn_scoped(scope, || {
                while !finished.within(INTERVAL) {
                    if let Err(ends) = look() {
                        self.set(1);
                        return Err(ends);
                    }
                }
                Ok(())
            });
            let watcher =
                watcher.map_err(|error| DeviceError::Threads { threads: 1, message: error.to_string() })?;
            let done = {
                // Also when `work` panics, or the watcher would be waited for in vain.
                let _tells = Tells(&finished);
                work()
            };
            Ok((done, watcher.join().unwrap_or(Ok(()))))
        })
    }
}

impl Drop for StopWord {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `malloc_host`, and no kernel runs: whoever launched one waited for it. Should the
            // driver refuse, there is nobody to tell.
            let _ = unsafe { result::free_host(self.word.as_ptr().cast()) };
        }
    }
}

/// Whether the work is done, for who waits for it.
#[derive(Default)]
struct Finished {
    is_so: Mutex<bool>,
    changed: Condvar,
}

impl Finished {
    /// Waits for at most so long.
    fn within(&self, time: Duration) -> bool {
        let is_so = self.is_so.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(is_so, time, |is_so| !*is_so);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Tells that the work is done when it goes.
struct Tells<'a>(&'a Finished);

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        *self.0.is_so.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}

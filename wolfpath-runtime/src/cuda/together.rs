//! Kernels on several devices that wait for each other.

use std::convert::Infallible;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError, RwLock};

use cudarc::driver::CudaFunction;

use super::device::{Device, driver_error};
use super::stop_word::StopWord;
use crate::cpu::lock;
use crate::error::{DeviceError, RunError};

/// Held while kernels that wait for each other are running. Two sets of them could otherwise wait for each other: on one
/// device the kernel of the first set occupies all multiprocessors, on another one that of the second set.
static RUNNING: Mutex<()> = Mutex::new(());

/// Calls `work`, which launches kernels that wait for each other, while no other such kernels run.
pub(super) fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _running = lock(&RUNNING);
    work()
}

/// Written while kernels that wait for each other are launched, and read while the driver does what can wait for kernels.
///
/// From the first of these launches to the last, kernels wait for devices that have none yet. If the driver waits for one of
/// these kernels in another thread, for example to load a module, and keeps the other launches waiting, nothing ever ends.
static LAUNCHING: RwLock<()> = RwLock::new(());

/// Calls `launch`, which launches kernels that wait for each other.
pub(super) fn launching<T>(launch: impl FnOnce() -> T) -> T {
    let _launching = LAUNCHING.write().unwrap_or_else(PoisonError::into_inner);
    launch()
}

/// Calls `work`, in which the driver may wait for kernels, while no kernels that wait for each other are launched. It must not
/// call this again.
pub(super) fn between_launches<T>(work: impl FnOnce() -> T) -> T {
    let _working = LAUNCHING.read().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// A resource of the driver, such as memory or a loaded kernel. Releasing it can wait for kernels, so it is dropped
/// [between launches](between_launches).
pub(crate) struct Guarded<T>(ManuallyDrop<T>);

impl<T> Guarded<T> {
    pub(crate) fn new(held: T) -> Guarded<T> {
        Guarded(ManuallyDrop::new(held))
    }
}

/// A copy of the handle. Cloning an array instead would allocate memory, which nothing does.
impl Clone for Guarded<CudaFunction> {
    fn clone(&self) -> Self {
        Guarded(self.0.clone())
    }
}

impl<T> Deref for Guarded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Guarded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        // SAFETY: it is dropped once, here, and not used afterwards.
        between_launches(|| unsafe { ManuallyDrop::drop(&mut self.0) });
    }
}

/// Waits for the kernels of all devices. If a launch has failed, or a kernel fails, raises `abort`, which ends the others.
///
/// # Errors
/// Returns the error of `launched`. Otherwise, if a kernel failed, returns the error of the first such device, which names the
/// device if it was lost.
pub(super) fn end_together(
    devices: &[&Device],
    abort: &StopWord,
    launched: Result<(), RunError>,
) -> Result<(), RunError> {
    if launched.is_err() {
        abort.raise();
    }
    let wait = |device: &Device| {
        device.stream.synchronize().map_err(|error| {
            abort.raise();
            named(device, driver_error("run the program")(error))
        })
    };
    // Any of them may fail first, so all are waited for at the same time.
    let ended: Vec<Result<(), RunError>> = std::thread::scope(|scope| {
        let Some((first, others)) = devices.split_first() else { return Vec::new() };
        let others: Vec<_> = others.iter().map(|&device| scope.spawn(move || wait(device))).collect();
        let first = wait(first);
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        std::iter::once(first).chain(others.into_iter().map(join)).collect()
    });
    launched?;
    ended.into_iter().collect()
}

/// Names a device in an error if the device was lost.
pub(super) fn named(device: &Device, error: DeviceError) -> RunError {
    match device.guard(|| Err::<Infallible, RunError>(error.into())) {
        Err(error) => error,
        Ok(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    struct Told<'a>(&'a AtomicBool);

    impl Drop for Told<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn nothing_is_released_among_launches() {
        let released = AtomicBool::new(false);
        let guarded = Guarded::new(Told(&released));
        thread::scope(|scope| {
            launching(|| {
                scope.spawn(move || drop(guarded));
                // Time enough for the other thread, if it did not wait.
                thread::sleep(Duration::from_millis(50));
                assert!(!released.load(Ordering::Relaxed), "released before all kernels were launched");
            });
        });
        assert!(released.load(Ordering::Relaxed), "never released");
    }
}

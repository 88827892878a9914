//! Periodic checks while a thread waits for a kernel.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::error::DeviceError;

/// Calls `work` on this thread. Meanwhile another thread calls `look` once per `interval`, until `look` fails or `work`
/// returns. Returns the results of `work` and `look`.
pub(crate) fn meanwhile<T, E: Send>(
    interval: Duration,
    mut look: impl FnMut() -> Result<(), E> + Send,
    work: impl FnOnce() -> T,
) -> Result<(T, Result<(), E>), DeviceError> {
    let finished = Finished::default();
    std::thread::scope(|scope| {
        let watcher = std::thread::Builder::new().spawn_scoped(scope, || {
            while !finished.within(interval) {
                look()?;
            }
            Ok(())
        });
        let watcher =
            watcher.map_err(|error| DeviceError::Threads { threads: 1, message: error.to_string() })?;
        let done = {
            // If `work` panics, this guard still stops the watching thread, which the scope would otherwise wait for
            // forever.
            let _tells = Tells(&finished);
            work()
        };
        Ok((done, watcher.join().unwrap_or(Ok(()))))
    })
}

/// Flag that is set when `work` has returned. The watching thread waits for it.
#[derive(Default)]
struct Finished {
    is_so: Mutex<bool>,
    changed: Condvar,
}

impl Finished {
    /// Waits at most `time`, and returns `true` if the work is done.
    fn within(&self, time: Duration) -> bool {
        let is_so = self.is_so.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(is_so, time, |is_so| !*is_so);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Guard that sets the flag when it is dropped.
struct Tells<'a>(&'a Finished);

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        *self.0.is_so.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const SOON: Duration = Duration::from_millis(1);

    #[test]
    fn it_looks_until_the_work_is_done() {
        let (send, seen) = mpsc::channel();
        let look = || send.send(()).map_err(drop);
        let (done, looked) =
            meanwhile(SOON, look, || seen.iter().take(3).count()).expect("a thread can be started");
        assert_eq!((done, looked), (3, Ok(())));
    }

    #[test]
    fn it_ends_when_looking_fails_and_the_work_goes_on() {
        let (send, stopped) = mpsc::channel();
        let look = || {
            send.send(()).expect("the work listens");
            Err("enough")
        };
        let (done, looked) =
            meanwhile(SOON, look, || stopped.recv().is_ok()).expect("a thread can be started");
        assert_eq!((done, looked), (true, Err("enough")));
    }

    #[test]
    fn short_work_is_not_kept_waiting() {
        let long = Duration::from_secs(3600);
        let (done, looked) = meanwhile(long, || Err(()), || 7).expect("a thread can be started");
        assert_eq!((done, looked), (7, Ok(())));
    }
}

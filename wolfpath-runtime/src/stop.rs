//! Stops programs that are stuck in a loop on the CPU: a cancellation or a time limit is checked every few thousand
//! iterations.
//!
//! A run of a program with loops sets its `Stop` in a thread-local of its thread, and every task that it spawns
//! inherits the `Stop` (`cpu/tasks.rs`). A program's twin, which has no access to the run, calls [`look`]. A thread
//! without a `Stop` is never stopped.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Instant;

use wolfpath_core::program::{Checked, Fault};

use crate::options::CancelHandle;

/// Number of calls to a program's functions between two checks.
const CALLS: u32 = 64;

/// Conditions that end a run.
#[derive(Debug)]
pub(crate) struct Stop {
    cancel: Option<CancelHandle>,
    deadline: Option<Instant>,
}

thread_local! {
    static STOP: RefCell<Option<Arc<Stop>>> = const { RefCell::new(None) };
    static CALLED: Cell<u32> = const { Cell::new(0) };
}

impl Stop {
    pub(crate) fn new(cancel: Option<CancelHandle>, deadline: Option<Instant>) -> Stop {
        Stop { cancel, deadline }
    }

    fn is_due(&self) -> bool {
        self.cancel.as_ref().is_some_and(CancelHandle::is_cancelled)
            || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }
}

/// Returns the `Stop` of this thread.
pub(crate) fn current() -> Option<Arc<Stop>> {
    STOP.with_borrow(Clone::clone)
}

/// Calls `work`. `stop` can end the loops in it.
pub(crate) fn within<T>(stop: Option<Arc<Stop>>, work: impl FnOnce() -> T) -> T {
    /// Restores the previous `Stop`, even if `work` panics.
    struct Before(Option<Arc<Stop>>);
    impl Drop for Before {
        fn drop(&mut self) {
            STOP.set(self.0.take());
        }
    }
    let _before = Before(STOP.replace(stop));
    work()
}

/// Checks whether the run must end. A program's loops call this periodically.
///
/// # Errors
/// [`Fault::STOPPED`] if the run must end.
#[cold]
pub fn look() -> Checked<()> {
    let is_due = STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop.is_due()));
    if is_due { Err(Fault { site: Fault::STOPPED }) } else { Ok(()) }
}

/// Counts a call of a program with loops, and checks whether the run must end every `CALLS` calls.
#[inline]
pub(crate) fn before_call() -> Checked<()> {
    let calls = CALLED.get().wrapping_add(1);
    CALLED.set(calls);
    if calls.is_multiple_of(CALLS) { look() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thread_is_stopped_by_what_it_was_given() {
        let handle = CancelHandle::new();
        let stop = Arc::new(Stop::new(Some(handle.clone()), None));
        let late = Arc::new(Stop::new(None, Some(Instant::now() - Duration::from_millis(1))));
        assert_eq!(look(), Ok(()));
        within(Some(stop.clone()), || {
            assert_eq!(look(), Ok(()));
            handle.cancel();
            assert_eq!(look(), Err(Fault { site: Fault::STOPPED }));
            within(None, || assert_eq!(look(), Ok(())));
            within(Some(late), || assert!(look().is_err()));
            let stopped = (0..2 * CALLS).filter(|_| before_call().is_err()).count();
            assert_eq!(stopped, 2);
        });
        assert_eq!(look(), Ok(()));
    }
}

//! The baton: the right to run threads. Launches on several devices run at the same time and may wait for each other, but
//! only one thread of all of them runs at a time. So a launch takes the baton, and passes it on after some turns, or when
//! its threads only wait. Launches get the baton in the order in which they asked for it.
//!
//! With one device, launches need no baton: each one runs on its own.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time that a launch sleeps before it asks for the baton again, if its threads only wait. The host may be about to begin the
/// launch for which they wait.
const PAUSE: Duration = Duration::from_micros(50);

/// Tickets, as at a counter: a launch takes the next number, and has the baton while that number is served.
struct Tickets {
    next: u64,
    served: u64,
    /// Number of times that a launch passed the baton on after its threads had done something.
    moves: u64,
}

static TICKETS: Mutex<Tickets> = Mutex::new(Tickets { next: 0, served: 0, moves: 0 });
static SERVED: Condvar = Condvar::new();

fn tickets() -> MutexGuard<'static, Tickets> {
    TICKETS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until the caller has the baton. Returns the number of moves so far.
fn take() -> u64 {
    let mut tickets = tickets();
    let own = tickets.next;
    tickets.next += 1;
    let served = SERVED.wait_while(tickets, |tickets| tickets.served != own);
    served.unwrap_or_else(PoisonError::into_inner).moves
}

fn leave(moved: bool) {
    let mut tickets = tickets();
    tickets.served += 1;
    tickets.moves += u64::from(moved);
    drop(tickets);
    SERVED.notify_all();
}

/// The baton, held by a launch.
pub(crate) struct Baton {
    /// Number of moves that this launch knows.
    moves: u64,
    /// Time of the last move.
    last: Instant,
}

impl Baton {
    /// Waits for the baton.
    pub(crate) fn take() -> Baton {
        Baton { moves: take(), last: Instant::now() }
    }

    /// Lets the other launches have the baton, then waits for it again. `moved` is `true` unless all threads of this launch
    /// have only waited since its last idle round. Returns the time since any launch last did something.
    pub(crate) fn pass(&mut self, moved: bool) -> Duration {
        leave(moved);
        if !moved {
            std::thread::sleep(PAUSE);
        }
        let moves = take();
        if moves != self.moves {
            (self.moves, self.last) = (moves, Instant::now());
        }
        self.last.elapsed()
    }
}

impl Drop for Baton {
    fn drop(&mut self) {
        leave(true);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    use super::*;

    #[test]
    fn one_has_the_baton_at_a_time() {
        let (busy, turns) = (AtomicBool::new(false), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut baton = Baton::take();
                    for _ in 0..100 {
                        assert!(!busy.swap(true, Ordering::SeqCst), "two have the baton");
                        std::thread::yield_now();
                        turns.fetch_add(1, Ordering::SeqCst);
                        busy.store(false, Ordering::SeqCst);
                        baton.pass(true);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 400);
    }
}

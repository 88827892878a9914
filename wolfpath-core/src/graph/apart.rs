//! Parallel work behind a lock that is taken once.
//!
//! A rayon thread that waits for parts of its own work takes up other work meanwhile. Were that other work to ask for
//! what is just being made, the thread would wait for itself; and were all threads of a pool to wait for the one that
//! makes it, nobody would do its parts. So what is made once is made by threads of its own.

use std::panic::resume_unwind;
use std::thread;

use rayon::ThreadPoolBuilder;

/// Below so many elements one thread is enough.
const SMALL: u64 = 100_000;

/// Does work over about `size` elements on threads that do nothing else.
pub(super) fn apart<T: Send>(size: u64, work: impl FnOnce() -> T + Send) -> T {
    let threads = if size < SMALL { 1 } else { rayon::current_num_threads() };
    let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() else {
        return work();
    };
    if rayon::current_thread_index().is_none() {
        return pool.install(work);
    }
    thread::scope(|scope| {
        scope.spawn(|| pool.install(work)).join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

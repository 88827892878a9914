//! Runs the computation of a value that is computed only once, behind a lock, on a separate thread pool.
//!
//! In the caller's own pool, such a computation could deadlock in two ways. A rayon thread that waits for parts of its
//! own work executes other tasks in the meantime: if such a task requested the value that is being computed, the thread
//! would wait for itself. And if all other threads of the pool waited for the value, no thread would be left to compute
//! its parts.

use std::panic::resume_unwind;
use std::thread;

use rayon::ThreadPoolBuilder;

/// Number of elements below which one thread is enough.
const SMALL: u64 = 100_000;

/// Runs `work`, which processes about `size` elements, on new threads that do nothing else.
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

//! The threads of runs on the CPU.

use std::sync::Mutex;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cpu::lock;
use crate::error::{DeviceError, RunError};
use crate::options::RunOptions;

/// The threads that are kept for the next run.
static KEPT: Kept = Kept(Mutex::new(None));

/// The pool of the last run that asked for a number of threads, if no run uses it. Starting threads takes as long as a
/// short run, and new ones begin with cold caches and empty allocator caches.
struct Kept(Mutex<Option<ThreadPool>>);

/// Runs `work` on the requested number of threads.
pub(crate) fn in_pool<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    let mut work = Some(work);
    let mut result = None;
    KEPT.enter(threads, &mut || result = work.take().map(|work| work()))?;
    result.expect("the pool has executed the closure")
}

impl Kept {
    /// Runs `work` inside a thread pool. The pool is entered once per run, because entering it in each step would cost
    /// one wake-up per step. This function has no type parameters, so that rayon's code is compiled once instead of
    /// once per program.
    fn enter(&self, threads: Option<usize>, work: &mut (dyn FnMut() + Send)) -> Result<(), DeviceError> {
        let Some(threads) = threads.filter(|&threads| threads > 0) else {
            rayon::scope(|_| work());
            return Ok(());
        };
        let refused = |message: String| DeviceError::Threads { threads, message };
        if threads > RunOptions::MOST_THREADS {
            return Err(refused(format!("at most {} are possible", RunOptions::MOST_THREADS)));
        }
        // Two runs at the same time get threads of their own.
        let last = lock(&self.0).take().filter(|pool| pool.current_num_threads() == threads);
        let pool = match last {
            Some(pool) => pool,
            None => ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|error| refused(error.to_string()))?,
        };
        pool.install(work);
        *lock(&self.0) = Some(pool);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread::{self, ThreadId};

    use super::*;

    /// Returns the number of threads of the pool that a run gets.
    fn threads_of(threads: Option<usize>) -> usize {
        in_pool(threads, || Ok(rayon::current_num_threads())).expect("the pool is small")
    }

    #[test]
    fn a_run_gets_as_many_threads_as_it_asks_for() {
        for threads in [1, 3, 3, 2, 3] {
            assert_eq!(threads_of(Some(threads)), threads);
        }
        assert_eq!(threads_of(Some(0)), threads_of(None));
    }

    #[test]
    fn too_many_threads_are_refused() {
        let error = in_pool(Some(10_000), || Ok(())).expect_err("10,000 threads are too many");
        let expected = "the CPU engine could not start 10000 threads: at most 1024 are possible";
        assert!(error.to_string().ends_with(expected), "{error}");
    }

    /// Both runs wait for each other, so they would not end if they shared one thread.
    #[test]
    fn runs_at_the_same_time_have_threads_of_their_own() {
        let both = Barrier::new(2);
        let wait = || {
            in_pool(Some(1), || {
                both.wait();
                Ok(())
            })
        };
        thread::scope(|scope| {
            let other = scope.spawn(wait);
            assert!(wait().is_ok() && other.join().expect("it does not panic").is_ok());
        });
    }

    /// Returns the threads of a run.
    fn threads_in(kept: &Kept, threads: usize) -> Vec<ThreadId> {
        let mut ids = Vec::new();
        kept.enter(Some(threads), &mut || ids = rayon::broadcast(|_| thread::current().id()))
            .expect("the pool is small");
        ids
    }

    #[test]
    fn threads_are_kept_for_the_same_number() {
        let kept = Kept(Mutex::new(None));
        let first = threads_in(&kept, 2);
        assert_eq!(threads_in(&kept, 2), first);
        assert_eq!(threads_in(&kept, 3).len(), 3);
        assert_ne!(threads_in(&kept, 2), first);
    }

    #[test]
    fn a_panic_leaves_no_pool_behind() {
        let kept = Kept(Mutex::new(None));
        let before = threads_in(&kept, 2);
        let run = || kept.enter(Some(2), &mut || panic!("as a test"));
        assert!(thread::scope(|scope| scope.spawn(run).join().is_err()));
        assert_ne!(threads_in(&kept, 2), before);
    }
}

//! The threads of runs on the CPU.

use std::sync::Mutex;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cpu::lock;
use crate::error::{DeviceError, RunError};
use crate::options::RunOptions;

/// The pool of the last run that asked for a number of threads, if no run uses it. Starting threads takes as long as a
/// short run, and new ones begin with cold caches and empty allocator caches.
static LAST: Mutex<Option<ThreadPool>> = Mutex::new(None);

/// Runs `work` on the requested number of threads.
pub(crate) fn in_pool<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    let mut work = Some(work);
    let mut result = None;
    enter(threads, &mut || result = work.take().map(|work| work()))?;
    result.expect("the pool has executed the closure")
}

/// Runs `work` inside a thread pool. The pool is entered once per run, because entering it in each step would cost one
/// wake-up per step. This function has no type parameters, so that rayon's code is compiled once instead of once per
/// program.
fn enter(threads: Option<usize>, work: &mut (dyn FnMut() + Send)) -> Result<(), DeviceError> {
    let Some(threads) = threads.filter(|&threads| threads > 0) else {
        rayon::scope(|_| work());
        return Ok(());
    };
    let refused = |message: String| DeviceError::Threads { threads, message };
    if threads > RunOptions::MOST_THREADS {
        return Err(refused(format!("at most {} are possible", RunOptions::MOST_THREADS)));
    }
    // Two runs at the same time get threads of their own.
    let last = lock(&LAST).take().filter(|pool| pool.current_num_threads() == threads);
    let pool = match last {
        Some(pool) => pool,
        None => ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| refused(error.to_string()))?,
    };
    pool.install(work);
    *lock(&LAST) = Some(pool);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

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

    #[test]
    fn a_run_after_a_panic_gets_threads() {
        let run = || in_pool::<()>(Some(2), || panic!("as a test"));
        assert!(thread::spawn(run).join().is_err());
        assert_eq!(threads_of(Some(2)), 2);
    }
}

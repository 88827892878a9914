//! Parallel work in numbered tasks, which the threads of the pool claim one by one.
//!
//! The code here that divides work has no type parameters, or only that of its results. A program is compiled for every
//! schedule, and instantiating rayon's machinery for each would dominate its compile time.
//!
//! A loop that is distributed takes about 1 us longer than its work if the pool's threads are awake, and about 10 us if
//! they sleep (two-core x86-64). Threads stay awake between steps that follow each other closely.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::halt::Halt;
use crate::stop;

/// Returns the number of threads that share the work of a run.
#[inline]
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// Calls `work` as many times, at the same time as far as threads are free. A thread that is busy elsewhere is not
/// waited for: the calling thread does its part.
///
/// The number is halved until one is left, so that waking many threads is itself shared among threads.
fn on_each(times: usize, work: &(dyn Fn() + Sync)) {
    match times {
        0 => {}
        1 => work(),
        several => {
            rayon::join(|| on_each(several / 2, work), || on_each(several.div_ceil(2), work));
        }
    }
}

/// Work in numbered tasks.
struct Job<'w> {
    tasks: usize,
    /// Does a task, given by the worker's number and its own.
    work: &'w (dyn Fn(usize, usize) -> Result<(), Halt> + Sync),
    /// Called by every worker when no task is left, or one has failed.
    then: &'w (dyn Fn(usize) -> Result<(), Halt> + Sync),
}

/// State of a job that is being done.
///
/// Every worker has a range of tasks of its own, and turns to those of others when it is done. In a similar job it thus
/// meets data that are still in its cache.
struct Progress {
    /// Next task of each worker's range.
    next: Vec<Padded<AtomicUsize>>,
    /// Tasks from here on are not done any more: an earlier one has failed.
    limit: AtomicUsize,
    /// The first task that failed so far. It does not depend on the number of threads, since all earlier tasks are
    /// done.
    failed: Mutex<Option<(usize, Halt)>>,
}

impl Job<'_> {
    /// Does all tasks, on at most `workers` threads. They inherit this thread's `Stop`. Returns the halt of the first
    /// task that fails.
    fn run(&self, workers: usize) -> Result<(), Halt> {
        let workers = workers.min(self.tasks).min(threads());
        if workers <= 1 {
            let worker = worker();
            let done = (0..self.tasks).try_for_each(|task| (self.work)(worker, task));
            let then = if self.tasks > 0 { (self.then)(worker) } else { Ok(()) };
            return done.and(then);
        }
        let next = (0..workers).map(|at| Padded(AtomicUsize::new(self.tasks * at / workers)));
        let progress =
            Progress { next: next.collect(), limit: AtomicUsize::new(self.tasks), failed: Mutex::new(None) };
        let stop = stop::current();
        on_each(workers, &|| stop::within(stop.clone(), || self.help(&progress)));
        let failed = *lock(&progress.failed);
        failed.map_or(Ok(()), |(_, halt)| Err(halt))
    }

    /// Does tasks until none is left.
    fn help(&self, progress: &Progress) {
        let (worker, ranges) = (worker(), progress.next.len());
        for range in (0..ranges).map(|further| (worker + further) % ranges) {
            let end = self.tasks * (range + 1) / ranges;
            loop {
                let task = progress.next[range].0.fetch_add(1, Relaxed);
                if task >= end || task >= progress.limit.load(Relaxed) {
                    break;
                }
                progress.note(task, (self.work)(worker, task));
            }
        }
        progress.note(self.tasks, (self.then)(worker));
    }
}

impl Progress {
    /// Notes how a task ended.
    fn note(&self, task: usize, ended: Result<(), Halt>) {
        let Err(halt) = ended else { return };
        self.limit.fetch_min(task, Relaxed);
        let mut failed = lock(&self.failed);
        if failed.is_none_or(|(earlier, _)| task < earlier) {
            *failed = Some((task, halt));
        }
    }
}

/// Returns the number of this thread in the pool.
fn worker() -> usize {
    rayon::current_thread_index().unwrap_or(0)
}

/// Calls `work` for every number below `tasks`, on all threads of the pool.
pub(crate) fn for_each_task(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    let work = |_, task| {
        work(task);
        Ok(())
    };
    let done = Job { tasks, work: &work, then: &|_| Ok(()) }.run(threads());
    debug_assert!(done.is_ok(), "these tasks cannot fail");
}

/// Calls `work` for every number below `tasks`, on all threads of the pool. Returns the halt of the first task that
/// fails.
pub(crate) fn try_each_task(
    tasks: usize,
    work: &(dyn Fn(usize) -> Result<(), Halt> + Sync),
) -> Result<(), Halt> {
    Job { tasks, work: &|_, task| work(task), then: &|_| Ok(()) }.run(threads())
}

/// Returns the results of `work` for every number below `tasks`, in order.
pub(crate) fn map_tasks<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    results_of(tasks, &work)
}

/// Implements [`map_tasks`]. It is compiled once per type of results and not once per closure.
fn results_of<T: Send>(tasks: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    if tasks == 1 {
        return vec![work(0)];
    }
    let results: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    for_each_task(tasks, &|task| {
        let result = work(task);
        *lock(&results[task]) = Some(result);
    });
    results
        .into_iter()
        .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .map(|result| result.expect("every task was run"))
        .collect()
}

/// Cuts `0..length` into ranges of about equal length, at least `least` each and a few per thread, and returns the
/// results of `work` for each range, in order.
pub(crate) fn map_ranges<T: Send>(
    length: usize,
    least: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    results_of_ranges(length, least, &work)
}

fn results_of_ranges<T: Send>(
    length: usize,
    least: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
) -> Vec<T> {
    let size = range_size(length, least);
    results_of(length.div_ceil(size), &|task| work(task * size..((task + 1) * size).min(length)))
}

/// Returns the concatenation of what all tasks collected, or the error of a task that failed.
pub(crate) fn joined<T: Clone, E>(parts: Vec<Result<Vec<T>, E>>) -> Result<Vec<T>, E> {
    Ok(parts.into_iter().collect::<Result<Vec<_>, E>>()?.concat())
}

fn range_size(length: usize, least: usize) -> usize {
    (length / (threads() * 8)).max(least).max(1)
}

/// Returns the contents of a mutex. A panic in another task propagates through the pool, so the contents are not used
/// after one.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A slice cut into blocks, each of which one task may write.
pub(crate) struct Blocks<'a, T>(Vec<Mutex<&'a mut [T]>>);

impl<'a, T> Blocks<'a, T> {
    /// Cuts a slice into blocks of `length` elements. The last block may be shorter.
    pub(crate) fn new(slice: &'a mut [T], length: usize) -> Blocks<'a, T> {
        Blocks(slice.chunks_mut(length).map(Mutex::new).collect())
    }

    /// Returns a block for the task that writes it.
    pub(crate) fn take(&self, block: usize) -> MutexGuard<'_, &'a mut [T]> {
        lock(&self.0[block])
    }

    /// Returns the number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Data on cache lines of their own: workers write theirs at the same time.
#[repr(align(128))]
struct Padded<T>(T);

/// State of each worker, for example the list in which it collects vertices.
pub(crate) struct Workers<T>(Vec<Padded<Mutex<T>>>);

impl<T: Default + Send> Workers<T> {
    /// Returns one default state per thread of the pool.
    pub(crate) fn new() -> Workers<T> {
        Workers((0..threads()).map(|_| Padded(Mutex::new(T::default()))).collect())
    }

    /// Calls `work(state, task)` for every task below `tasks`, on at most `workers` threads. Each worker passes its own
    /// state. Returns the halt of the first task that fails.
    pub(crate) fn share(
        &self,
        workers: usize,
        tasks: usize,
        work: &(dyn Fn(&mut T, usize) -> Result<(), Halt> + Sync),
    ) -> Result<(), Halt> {
        self.share_then(workers, tasks, work, &|_| Ok(()))
    }

    /// Like [`share`](Self::share), and calls `then(state)` for every worker that took part when no task is left, or one has
    /// failed.
    pub(crate) fn share_then(
        &self,
        workers: usize,
        tasks: usize,
        work: &(dyn Fn(&mut T, usize) -> Result<(), Halt> + Sync),
        then: &(dyn Fn(&mut T) -> Result<(), Halt> + Sync),
    ) -> Result<(), Halt> {
        // A thread outside of the pool has the number 0, like one of the pool.
        let state = |worker: usize| lock(&self.0[worker].0);
        let work = |worker: usize, task: usize| work(&mut state(worker), task);
        let then = |worker: usize| then(&mut state(worker));
        Job { tasks, work: &work, then: &then }.run(workers)
    }

    /// Returns the states of all workers.
    pub(crate) fn states(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|state| state.0.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the state of this thread, for work that is not shared.
    pub(crate) fn own(&mut self) -> &mut T {
        self.0[worker()].0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn results_come_in_order() {
        assert_eq!(map_tasks(100, |task| task * 2), (0..200).step_by(2).collect::<Vec<_>>());
        assert_eq!(map_ranges(10_001, 7, |range| range).concat_ranges(), 0..10_001);
        assert!(map_ranges(0, 1, |range| range).is_empty());
    }

    #[test]
    fn tasks_take_along_what_stops_them() {
        let passed = Some(Arc::new(stop::Stop::new(None, Some(Instant::now() - Duration::from_millis(1)))));
        let looks = stop::within(passed, || map_tasks(100, |_| stop::look()));
        assert!(looks.iter().all(Result::is_err));
        assert!(map_tasks(100, |_| stop::look()).iter().all(Result::is_ok));
    }

    #[test]
    fn the_first_task_that_fails_is_reported_for_any_number_of_threads() {
        for threads in [1, 2, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for _ in 0..20 {
                let fail = |task: usize| if task % 7 == 5 { Err(Halt::at_test(task as u32)) } else { Ok(()) };
                let halt = pool.install(|| try_each_task(1000, &fail)).unwrap_err();
                assert_eq!(halt.vertex(), Some(5));
            }
        }
    }

    #[test]
    fn every_task_meets_the_state_of_one_worker() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        pool.install(|| {
            let mut workers: Workers<Vec<usize>> = Workers::new();
            let collect = |list: &mut Vec<usize>, task: usize| {
                list.push(task);
                Ok(())
            };
            assert!(workers.share(3, 500, &collect).is_ok());
            let mut all: Vec<usize> = workers.states().flat_map(std::mem::take).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..500));
        });
    }

    #[test]
    fn blocks_cover_the_slice() {
        let mut numbers = vec![0; 1000];
        let blocks = Blocks::new(&mut numbers, 64);
        for_each_task(blocks.len(), &|block| blocks.take(block).fill(block));
        drop(blocks);
        assert!(numbers.iter().enumerate().all(|(at, &block)| block == at / 64));
    }

    /// Concatenation of consecutive ranges.
    trait ConcatRanges {
        fn concat_ranges(self) -> Range<usize>;
    }

    impl ConcatRanges for Vec<Range<usize>> {
        fn concat_ranges(self) -> Range<usize> {
            assert!(self.windows(2).all(|pair| pair[0].end == pair[1].start));
            self[0].start..self[self.len() - 1].end
        }
    }
}

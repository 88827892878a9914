//! Parallel work in numbered tasks.
//!
//! The code here that spawns tasks has no type parameters. A program is compiled for every schedule, and instantiating
//! rayon's machinery for each would dominate its compile time. Compared with a plain closure, a task costs one
//! additional uncontended lock, which it takes when it ends.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::stop;

/// Calls `work` for every number below `tasks`, on all threads of the pool. The tasks inherit this thread's `Stop`.
pub(crate) fn for_each_task(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    match tasks {
        0 => {}
        1 => work(0),
        _ => {
            let stop = stop::current();
            let work = |task| stop::within(stop.clone(), || work(task));
            (0..tasks).into_par_iter().with_max_len(1).for_each(work);
        }
    }
}

/// Returns the results of `work` for every number below `tasks`, in order.
pub(crate) fn map_tasks<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    results_of(tasks, &work)
}

/// Implements [`map_tasks`]. It is compiled once per type of results and not once per closure.
fn results_of<T: Send>(tasks: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    for_each_task(tasks, &|task| {
        let result = work(task);
        *results[task].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
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
    (length / (rayon::current_num_threads() * 8)).max(least).max(1)
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

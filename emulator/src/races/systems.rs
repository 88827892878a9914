//! Words by which launches on several devices order their work, with accesses of system scope, and what a thread knows of
//! the launches on other devices.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clocks::Vector;

/// Clocks of launches: for each, how much of the work of each of its threads is known.
type Clocks = Vec<(u32, Arc<[u32]>)>;

/// Clocks of launches on other devices. Clones share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Others(Option<Arc<Clocks>>);

/// Returns the larger of each pair of elements.
pub(super) fn maximum(one: &Arc<[u32]>, other: &Arc<[u32]>) -> Arc<[u32]> {
    if Arc::ptr_eq(one, other) {
        return one.clone();
    }
    one.iter().zip(&**other).map(|(&a, &b)| a.max(b)).collect()
}

impl Others {
    fn clocks(&self) -> &[(u32, Arc<[u32]>)] {
        self.0.as_ref().map_or(&[], |clocks| clocks)
    }

    /// Returns the known clock of a launch.
    pub(super) fn of(&self, operation: u32) -> Option<&Arc<[u32]>> {
        self.clocks().iter().find(|(known, _)| *known == operation).map(|(_, clock)| clock)
    }

    /// Returns `true` if both share their clocks.
    pub(super) fn is(&self, other: &Others) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Returns what both know.
    pub(super) fn joined(&self, other: &Others) -> Others {
        if other.0.is_none() || self.is(other) {
            return self.clone();
        }
        if self.0.is_none() {
            return other.clone();
        }
        let mut clocks = self.clocks().to_vec();
        for (operation, clock) in other.clocks() {
            join(&mut clocks, *operation, clock);
        }
        Others(Some(Arc::new(clocks)))
    }
}

fn join(clocks: &mut Clocks, operation: u32, clock: &Arc<[u32]>) {
    match clocks.iter_mut().find(|(known, _)| *known == operation) {
        Some((_, known)) => *known = maximum(known, clock),
        None => clocks.push((operation, clock.clone())),
    }
}

/// The clocks that each word released, until it is overwritten.
static WORDS: Mutex<Option<HashMap<u64, Clocks>>> = Mutex::new(None);
/// Number of these words.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn words() -> MutexGuard<'static, Option<HashMap<u64, Clocks>>> {
    WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records that a thread of a launch released a clock by a word.
pub(super) fn release(address: u64, operation: u32, released: &Vector) {
    let mut words = words();
    let words = words.get_or_insert_default();
    let clocks = words.entry(address).or_default();
    join(clocks, operation, &released.own);
    for (operation, clock) in released.others.clocks() {
        join(clocks, *operation, clock);
    }
    COUNT.store(words.len(), Relaxed);
}

/// Returns what other launches than `operation` have released by a word.
pub(super) fn acquire(address: u64, operation: u32) -> Others {
    let words = words();
    let Some(clocks) = words.as_ref().and_then(|words| words.get(&address)) else { return Others::default() };
    let others: Vec<_> = clocks.iter().filter(|(other, _)| *other != operation).cloned().collect();
    if others.is_empty() { Others::default() } else { Others(Some(Arc::new(others))) }
}

/// Forgets what was released by a word, because another value was stored in it.
pub(super) fn overwrite(address: u64) {
    if COUNT.load(Relaxed) > 0
        && let Some(words) = words().as_mut()
        && words.remove(&address).is_some()
    {
        COUNT.store(words.len(), Relaxed);
    }
}

/// Forgets what was released by the words of an array that was freed.
pub(super) fn forget(range: std::ops::Range<u64>) {
    if COUNT.load(Relaxed) > 0
        && let Some(words) = words().as_mut()
    {
        words.retain(|address, _| !range.contains(address));
        COUNT.store(words.len(), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(operation: u32, clock: &[u32]) -> Others {
        Others(Some(Arc::new(vec![(operation, clock.into())])))
    }

    #[test]
    fn what_is_released_is_acquired_by_others() {
        const WORD: u64 = 1 << 40;
        let released = Vector { own: [3, 0].into(), others: known(7, &[1]) };
        release(WORD, 5, &released);
        release(WORD, 6, &Vector { own: [2].into(), others: Others::default() });
        let acquired = acquire(WORD, 6);
        assert_eq!(acquired.of(5).map(|clock| clock.to_vec()), Some(vec![3, 0]));
        assert_eq!(acquired.of(7).map(|clock| clock.to_vec()), Some(vec![1]), "what it knew is passed on");
        assert_eq!(acquired.of(6), None, "it knows its own");
        overwrite(WORD);
        assert_eq!(acquire(WORD, 6), Others::default());
    }

    #[test]
    fn both_are_known() {
        let (one, other) = (known(1, &[4, 0]), known(1, &[2, 9]).joined(&known(2, &[5])));
        let joined = one.joined(&other);
        assert_eq!(joined.of(1).map(|clock| clock.to_vec()), Some(vec![4, 9]));
        assert_eq!(joined.of(2).map(|clock| clock.to_vec()), Some(vec![5]));
        assert!(joined.is(&joined.joined(&Others::default())) && one.is(&Others::default().joined(&one)));
    }
}

//! The vertices that wait beyond the bound of the present bucket. The bound is usually raised, and sometimes lowered
//! again: then the vertices between the new bound and the largest one so far are held in a heap of their own.

use super::radix_heap::RadixHeap;

/// Vertices that wait, by index.
pub(super) struct Waiting {
    /// Vertices beyond the bound that were within an earlier, larger one.
    held: RadixHeap,
    /// All others.
    beyond: RadixHeap,
    is_lowered: bool,
}

impl Waiting {
    pub(super) fn new() -> Waiting {
        Waiting { held: RadixHeap::new(0), beyond: RadixHeap::new(0), is_lowered: false }
    }

    /// Returns the largest index that does not wait.
    #[inline]
    pub(super) fn bound(&self) -> u64 {
        if self.is_lowered { self.held.passed() } else { self.beyond.passed() }
    }

    /// Adds a vertex, whose index is larger than the bound.
    #[inline]
    pub(super) fn push(&mut self, v: u32, index: u64) {
        if index > self.beyond.passed() { self.beyond.push(v, index) } else { self.held.push(v, index) }
    }

    /// Raises the bound to `span` indices from the nearest vertex, and moves to `near` the vertices that no longer wait.
    /// `index` gives the index that a vertex has now. Returns the number of entries examined.
    pub(super) fn raise(&mut self, span: u64, near: &mut Vec<u32>, index: impl Fn(u32) -> u64) -> u64 {
        let before = near.len();
        let examined = self.held.pass(span, self.beyond.passed(), near, &index);
        self.is_lowered = near.len() > before;
        if self.is_lowered { examined } else { examined + self.beyond.pass(span, u64::MAX, near, &index) }
    }

    /// Returns the number of entries. A vertex that was improved while it waited may have several.
    pub(super) fn entries(&self) -> usize {
        self.held.len() + self.beyond.len()
    }

    /// Returns the number of entries held back by a bound that was lowered.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// Lowers the bound to `bound`, and removes the entries that were held back by one that was lowered before. Returns
    /// their vertices; the caller pushes again those that still wait.
    #[must_use]
    pub(super) fn lower(&mut self, bound: u64) -> Vec<u32> {
        self.is_lowered = true;
        self.held.restart(bound)
    }

    /// Removes all entries and starts again at a bound of 0. Returns their vertices.
    #[must_use]
    pub(super) fn restart(&mut self) -> Vec<u32> {
        self.is_lowered = false;
        let mut all = self.held.restart(0);
        all.append(&mut self.beyond.restart(0));
        all
    }

    /// Removes all entries and leaves the bound where it is. Returns their vertices.
    #[must_use]
    pub(super) fn take(&mut self) -> Vec<u32> {
        let mut all = self.held.restart(self.held.passed());
        all.append(&mut self.beyond.restart(self.beyond.passed()));
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::cpu::radix_heap::tests::Draw;

    /// Vertices that wait, and what becomes of them in the order in which a run does things.
    struct Model {
        draw: Draw,
        waiting: Waiting,
        /// The index of every vertex that waits.
        indices: BTreeMap<u32, u64>,
        largest: u64,
    }

    impl Model {
        fn index(&self, v: u32) -> u64 {
            self.indices.get(&v).copied().unwrap_or(0)
        }

        /// Adds a vertex beyond the bound, or one that waits already with a smaller index.
        fn push(&mut self) {
            let room = self.largest.saturating_sub(self.waiting.bound());
            if room > 0 {
                let (v, index) =
                    (self.draw.below(60) as u32, self.waiting.bound() + 1 + self.draw.below(room));
                if self.indices.get(&v).is_none_or(|&before| index < before) {
                    self.indices.insert(v, index);
                    self.waiting.push(v, index);
                }
            }
        }

        /// Raises the bound, which lets out all vertices up to it except those beyond an earlier, larger one.
        fn raise(&mut self) {
            let (span, mut near) = (1 + self.draw.below(self.largest / 8 + 1), Vec::new());
            let Model { waiting, indices, .. } = self;
            waiting.raise(span, &mut near, |v| indices.get(&v).copied().unwrap_or(0));
            near.sort_unstable();
            near.dedup();
            assert_eq!(near.is_empty(), self.indices.is_empty(), "a vertex leaves if one waits");
            for v in near {
                assert!(self.index(v) <= self.waiting.bound());
                self.indices.remove(&v);
            }
            let bound = self.waiting.bound();
            assert!(self.indices.values().all(|&index| index > bound), "a vertex within {bound} still waits");
        }

        /// Lowers the bound below vertices that are near, of which some wait from now on.
        fn lower(&mut self) {
            let bound = self.draw.below(self.waiting.bound().max(1));
            for v in self.waiting.lower(bound) {
                if let Some(&index) = self.indices.get(&v) {
                    self.waiting.push(v, index);
                }
            }
            for v in 100..100 + self.draw.below(10) as u32 {
                if !self.indices.contains_key(&v) {
                    let index = bound + 1 + self.draw.below(self.largest - bound);
                    self.indices.insert(v, index);
                    self.waiting.push(v, index);
                }
            }
        }
    }

    /// The vertices leave by index and none is lost, in random sequences of pushes and of bounds raised and lowered, also
    /// so near the largest index that adding a span would exceed it.
    #[test]
    fn no_vertex_is_lost() {
        for seed in 0..500 {
            let mut draw = Draw(seed);
            let largest = [60, 5_000, 1 << 40, u64::MAX][draw.below(4) as usize];
            let mut model = Model { draw, waiting: Waiting::new(), indices: BTreeMap::new(), largest };
            for _ in 0..300 {
                match model.draw.below(8) {
                    0 => model.raise(),
                    1 => model.lower(),
                    _ => model.push(),
                }
            }
            let all = if seed % 2 == 0 { model.waiting.take() } else { model.waiting.restart() };
            for v in model.indices.keys() {
                assert!(all.contains(v), "seed {seed}: {v} was lost");
            }
            assert_eq!(model.waiting.entries(), 0);
        }
    }

    /// A bound that was lowered is never raised beyond the larger one at once, since vertices wait there in another heap.
    #[test]
    fn a_lowered_bound_stops_at_the_larger_one() {
        let mut waiting = Waiting::new();
        let index = |v: u32| u64::MAX - u64::from(v);
        let mut near = Vec::new();
        waiting.push(100, index(100));
        waiting.raise(1, &mut near, index);
        assert_eq!((near.as_slice(), waiting.bound()), ([100].as_slice(), index(100)));
        waiting.push(0, index(0));
        assert!(waiting.lower(5).is_empty());
        waiting.push(200, index(200));
        near.clear();
        waiting.raise(1_000, &mut near, index);
        assert_eq!((near.as_slice(), waiting.bound()), ([200].as_slice(), index(100)));
        near.clear();
        waiting.raise(1_000, &mut near, index);
        assert_eq!((near.as_slice(), waiting.bound()), ([0].as_slice(), u64::MAX));
    }
}

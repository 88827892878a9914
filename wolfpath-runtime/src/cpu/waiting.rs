//! Vertices that wait beyond the bound of the current bucket. The bound is usually raised, but sometimes lowered. A
//! second heap then holds the vertices between the new bound and the largest bound so far.

use super::radix_heap::RadixHeap;

/// Waiting vertices by index.
pub(super) struct Waiting {
    /// Largest index that does not wait.
    bound: u64,
    /// Vertices beyond the bound that were within an earlier, larger bound.
    held: RadixHeap,
    /// All other waiting vertices.
    beyond: RadixHeap,
}

impl Default for Waiting {
    fn default() -> Waiting {
        Waiting { bound: 0, held: RadixHeap::new(0), beyond: RadixHeap::new(0) }
    }
}

impl Waiting {
    /// Adds a vertex. Its index must be larger than the bound.
    #[inline]
    pub(super) fn push(&mut self, v: u32, index: u64) {
        debug_assert!(index > self.bound, "index {index} of vertex {v} is within {}", self.bound);
        if index > self.beyond.passed() { self.beyond.push(v, index) } else { self.held.push(v, index) }
    }

    /// Returns a lower bound of the indices of all waiting vertices, or `None` if none waits. It is the smallest index
    /// unless the nearest entry no longer counts. `index` returns the current index of a vertex.
    pub(super) fn nearest(&mut self, index: impl Fn(u32) -> u64) -> Option<u64> {
        self.held.nearest(&index).or_else(|| self.beyond.nearest(&index))
    }

    /// Raises the bound, and moves the vertices within it to `near`. Returns the number of entries examined.
    pub(super) fn raise(&mut self, bound: u64, near: &mut Vec<u32>, index: impl Fn(u32) -> u64) -> u64 {
        self.bound = bound;
        let examined = self.held.pass_to(bound.min(self.beyond.passed()), near, &index);
        examined + self.beyond.pass_to(bound, near, &index)
    }

    /// Returns the number of entries. A vertex that was improved while it waited may have several entries.
    pub(super) fn entries(&self) -> usize {
        self.held.len() + self.beyond.len()
    }

    /// Returns the number of entries that wait only because the bound was lowered.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// Lowers the bound to `bound`. Removes the entries that waited because of an earlier lowered bound, and returns
    /// their vertices. The caller must push those that still have to wait.
    #[must_use]
    pub(super) fn lower(&mut self, bound: u64) -> Vec<u32> {
        self.bound = bound;
        self.held.restart(bound)
    }

    /// Removes all entries. The bound becomes `bound`.
    pub(super) fn restart(&mut self, bound: u64) {
        self.bound = bound;
        self.held.restart(bound);
        self.beyond.restart(bound);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::cpu::radix_heap::tests::Draw;

    /// Model of the waiting vertices, with operations in the order in which a run performs them.
    struct Model {
        draw: Draw,
        waiting: Waiting,
        /// Index of every waiting vertex.
        indices: BTreeMap<u32, u64>,
        largest: u64,
    }

    impl Model {
        fn index(&self, v: u32) -> u64 {
            self.indices.get(&v).copied().unwrap_or(0)
        }

        /// Adds a vertex beyond the bound, or adds a waiting vertex again with a smaller index.
        fn push(&mut self) {
            let room = self.largest.saturating_sub(self.waiting.bound);
            if room > 0 {
                let (v, index) = (self.draw.below(60) as u32, self.waiting.bound + 1 + self.draw.below(room));
                if self.indices.get(&v).is_none_or(|&before| index < before) {
                    self.indices.insert(v, index);
                    self.waiting.push(v, index);
                }
            }
        }

        /// Raises the bound until a vertex leaves, which releases all vertices within it.
        fn raise(&mut self) {
            let (span, mut near) = (self.draw.below(self.largest / 8 + 1), Vec::new());
            let Model { waiting, indices, largest, .. } = self;
            let index = |v: u32| indices.get(&v).copied().unwrap_or(0);
            while near.is_empty()
                && let Some(nearest) = waiting.nearest(index)
            {
                waiting.raise(nearest.saturating_add(span).min(*largest), &mut near, index);
            }
            near.sort_unstable();
            near.dedup();
            assert_eq!(near.is_empty(), self.indices.is_empty(), "if any vertex waits, at least one leaves");
            for v in near {
                assert!(self.index(v) <= self.waiting.bound);
                self.indices.remove(&v);
            }
            let bound = self.waiting.bound;
            assert!(self.indices.values().all(|&index| index > bound), "a vertex within {bound} still waits");
        }

        /// Lowers the bound below vertices that are near, so that some of them wait.
        fn lower(&mut self) {
            let bound = self.draw.below(self.waiting.bound.max(1));
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

    /// Vertices leave by index and none is lost, for random sequences of pushes and of raised and lowered bounds. This
    /// includes indices so close to the largest index that adding a span would overflow.
    #[test]
    fn no_vertex_is_lost() {
        for seed in 0..500 {
            let mut draw = Draw(seed);
            let largest = [60, 5_000, 1 << 40, u64::MAX][draw.below(4) as usize];
            let mut model = Model { draw, waiting: Waiting::default(), indices: BTreeMap::new(), largest };
            for _ in 0..300 {
                match model.draw.below(8) {
                    0 => model.raise(),
                    1 => model.lower(),
                    _ => model.push(),
                }
            }
            while !model.indices.is_empty() {
                model.raise();
            }
            model.waiting.restart(0);
            assert_eq!(model.waiting.entries(), 0);
        }
    }
}

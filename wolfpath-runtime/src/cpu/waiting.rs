//! Vertices that wait beyond the bound of the current bucket. The bound is usually raised, but sometimes lowered. A
//! second heap then holds the vertices between the new bound and the largest bound so far.

use super::radix_heap::RadixHeap;

/// Waiting vertices by index.
pub(super) struct Waiting {
    /// Vertices beyond the bound that were within an earlier, larger bound.
    held: RadixHeap,
    /// All other waiting vertices.
    beyond: RadixHeap,
    is_lowered: bool,
}

impl Waiting {
    pub(super) fn new() -> Waiting {
        Waiting { held: RadixHeap::new(0), beyond: RadixHeap::new(0), is_lowered: false }
    }

    /// Returns the bound: the largest index that does not wait.
    #[inline]
    pub(super) fn bound(&self) -> u64 {
        if self.is_lowered { self.held.passed() } else { self.beyond.passed() }
    }

    /// Adds a vertex. Its index must be larger than the bound.
    #[inline]
    pub(super) fn push(&mut self, v: u32, index: u64) {
        if index > self.beyond.passed() { self.beyond.push(v, index) } else { self.held.push(v, index) }
    }

    /// Raises the bound to include the index of the nearest vertex and the `span - 1` indices after it, and moves the
    /// vertices within the bound to `near`. `index` returns the current index of a vertex. Returns the number of
    /// entries examined.
    pub(super) fn raise(&mut self, span: u64, near: &mut Vec<u32>, index: impl Fn(u32) -> u64) -> u64 {
        let before = near.len();
        let examined = self.held.pass(span, self.beyond.passed(), near, &index);
        self.is_lowered = near.len() > before;
        if self.is_lowered { examined } else { examined + self.beyond.pass(span, u64::MAX, near, &index) }
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
        self.is_lowered = true;
        self.held.restart(bound)
    }

    /// Removes all entries and returns their vertices. The bound becomes 0.
    #[must_use]
    pub(super) fn restart(&mut self) -> Vec<u32> {
        self.is_lowered = false;
        let mut all = self.held.restart(0);
        all.append(&mut self.beyond.restart(0));
        all
    }

    /// Removes all entries and returns their vertices. The bound stays as it is.
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

        /// Raises the bound, which releases all vertices within it. It is not raised beyond an earlier, larger bound.
        fn raise(&mut self) {
            let (span, mut near) = (1 + self.draw.below(self.largest / 8 + 1), Vec::new());
            let Model { waiting, indices, .. } = self;
            waiting.raise(span, &mut near, |v| indices.get(&v).copied().unwrap_or(0));
            near.sort_unstable();
            near.dedup();
            assert_eq!(near.is_empty(), self.indices.is_empty(), "if any vertex waits, at least one leaves");
            for v in near {
                assert!(self.index(v) <= self.waiting.bound());
                self.indices.remove(&v);
            }
            let bound = self.waiting.bound();
            assert!(self.indices.values().all(|&index| index > bound), "a vertex within {bound} still waits");
        }

        /// Lowers the bound below vertices that are near, so that some of them wait.
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

    /// Vertices leave by index and none is lost, for random sequences of pushes and of raised and lowered bounds. This
    /// includes indices so close to the largest index that adding a span would overflow.
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

    /// A lowered bound is never raised beyond the earlier, larger bound in one call, since the vertices there wait in
    /// another heap.
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

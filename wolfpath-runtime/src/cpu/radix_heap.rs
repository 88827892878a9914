//! A monotone priority queue of vertices: a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster Algorithms for the
//! Shortest Path Problem", 1990) with 64 slots per level. An index is *passed* when all vertices up to it have left the
//! heap. The level of a vertex is the position of the highest base-64 digit in which its index differs from the largest
//! passed index, and the value of that digit selects the slot. Gaps between indices may therefore have any size, and
//! empty ranges cost nothing. An entry is moved at most once per level, no matter how often the bound is raised, so the
//! work is linear in the number of entries.

/// Number of bits of a digit.
const DIGIT: u32 = 6;

/// Number of slots per level.
const SLOTS: usize = 1 << DIGIT;

/// Capacity, in entries, above which an emptied slot frees its memory.
const SMALL: usize = 1 << 10;

/// Number of digits of an index.
const LEVELS: usize = u64::BITS.div_ceil(DIGIT) as usize;

/// Vertices ordered by index. An entry contains only the vertex, and the caller that removes entries supplies the
/// vertex's current index. If the vertex was pushed again after the entry was created, its current index differs.
/// If it is in another slot, the entry no longer counts, and is dropped when its own slot is taken.
pub(super) struct RadixHeap {
    /// Largest index that was passed. Every vertex was pushed with a larger index.
    passed: u64,
    /// One bit per slot, set if the slot is not empty.
    occupied: [u64; LEVELS],
    /// Entries of each slot; empty until the first entry.
    slots: Vec<Vec<u32>>,
    len: usize,
    /// Vertices that were taken from slots to be distributed again; empty between calls.
    taken: Vec<u32>,
    /// Lower bound of the indices of all entries that count; `None` if it must be computed.
    nearest: Option<u64>,
}

impl Default for RadixHeap {
    fn default() -> RadixHeap {
        RadixHeap::new(0)
    }
}

impl RadixHeap {
    /// Creates an empty heap in which every index up to `passed` counts as passed.
    pub(super) fn new(passed: u64) -> RadixHeap {
        RadixHeap {
            passed,
            occupied: [0; LEVELS],
            slots: Vec::new(),
            len: 0,
            taken: Vec::new(),
            nearest: None,
        }
    }

    /// Returns the number of entries. A vertex has one for each time that it was pushed.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the largest index that was passed.
    #[inline]
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Adds a vertex. Its index must be larger than [`passed`](Self::passed).
    #[inline]
    pub(super) fn push(&mut self, v: u32, index: u64) {
        debug_assert!(index > self.passed, "index {index} of vertex {v} was passed: {}", self.passed);
        let slot = Slot::of(self.passed, index);
        self.occupied[slot.level] |= 1 << slot.digit;
        if self.slots.is_empty() {
            self.slots.resize(LEVELS * SLOTS, Vec::new());
        }
        self.slots[slot.number()].push(v);
        self.nearest =
            if self.len == 0 { Some(index) } else { self.nearest.map(|nearest| nearest.min(index)) };
        self.len += 1;
    }

    /// Returns a lower bound of the indices of all vertices in the heap, or `None` if no entry counts. It is the
    /// smallest index unless the nearest entry no longer counts.
    pub(super) fn nearest(&mut self, index: impl Fn(u32) -> u64) -> Option<u64> {
        while self.nearest.is_none()
            && let Some(first) = self.first()
        {
            self.take(first, &index);
            self.nearest = self.taken.iter().map(|&v| index(v)).min();
            self.put_back(first);
        }
        self.nearest
    }

    /// Puts the taken entries back into their slot.
    fn put_back(&mut self, slot: Slot) {
        self.len += self.taken.len();
        if !self.taken.is_empty() {
            self.occupied[slot.level] |= 1 << slot.digit;
            std::mem::swap(&mut self.taken, &mut self.slots[slot.number()]);
        }
    }

    /// Passes all indices up to `bound`, and moves their vertices to `near`. Returns the number of entries examined.
    pub(super) fn pass_to(&mut self, bound: u64, near: &mut Vec<u32>, index: impl Fn(u32) -> u64) -> u64 {
        if bound <= self.passed {
            return 0;
        }
        let len = self.len;
        self.take_through(bound, &index);
        let examined = len - self.len;
        self.passed = bound;
        self.nearest = self.nearest.filter(|&nearest| nearest > bound && self.len > 0);
        let mut taken = std::mem::take(&mut self.taken);
        for v in taken.drain(..) {
            let index = index(v);
            if index <= bound { near.push(v) } else { self.push(v, index) }
        }
        self.taken = taken;
        examined as u64
    }

    /// Removes all entries and returns their vertices. The heap starts again with every index up to `passed` passed.
    pub(super) fn restart(&mut self, passed: u64) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.len);
        while let Some(first) = self.first() {
            self.occupied[first.level] &= !(1 << first.digit);
            all.append(&mut std::mem::take(&mut self.slots[first.number()]));
        }
        self.len = 0;
        self.passed = passed;
        self.nearest = None;
        all
    }

    /// Returns the non-empty slot with the smallest indices.
    fn first(&self) -> Option<Slot> {
        let level = self.occupied.iter().position(|&bits| bits != 0)?;
        Some(Slot { level, digit: self.occupied[level].trailing_zeros() as usize })
    }

    /// Takes all slots with indices up to `bound`. The last of these slots may also contain larger indices.
    fn take_through(&mut self, bound: u64, index: &impl Fn(u32) -> u64) {
        let last = Slot::of(self.passed, bound);
        while let Some(first) = self.first().filter(|&first| first <= last) {
            self.take(first, index);
        }
    }

    /// Moves the entries of a slot that count to `taken`, and drops the others. If the current index of a vertex is
    /// outside the slot, the vertex was pushed again with a smaller index.
    fn take(&mut self, slot: Slot, index: &impl Fn(u32) -> u64) {
        self.occupied[slot.level] &= !(1 << slot.digit);
        let entries = &mut self.slots[slot.number()];
        self.len -= entries.len();
        let passed = self.passed;
        let counts = |v: u32| {
            let index = index(v);
            index > passed && Slot::of(passed, index) == slot
        };
        if self.taken.is_empty() {
            std::mem::swap(&mut self.taken, entries);
            self.taken.retain(|&v| counts(v));
        } else {
            self.taken.extend(entries.drain(..).filter(|&v| counts(v)));
            // Many slots with a large capacity would use far more memory than their entries.
            entries.shrink_to(SMALL);
        }
    }
}

/// Position of an index. The order of slots is the order of their indices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    level: usize,
    digit: usize,
}

impl Slot {
    /// Returns the slot of an index if `passed` is the largest index that was passed. `passed` must be smaller than
    /// `index`.
    #[inline]
    fn of(passed: u64, index: u64) -> Slot {
        let level = (passed ^ index).ilog2() / DIGIT;
        Slot { level: level as usize, digit: (index >> (level * DIGIT)) as usize % SLOTS }
    }

    #[inline]
    fn number(self) -> usize {
        self.level * SLOTS + self.digit
    }
}

#[cfg(test)]
pub(in crate::cpu) mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    impl RadixHeap {
        /// Passes the index of the nearest vertex and the next `span - 1` indices. Returns the number of entries
        /// examined.
        fn pass(&mut self, span: u64, near: &mut Vec<u32>, index: impl Fn(u32) -> u64) -> u64 {
            let before = near.len();
            let mut examined = 0;
            while near.len() == before
                && let Some(nearest) = self.nearest(&index)
            {
                examined += self.pass_to(nearest.saturating_add(span.saturating_sub(1)), near, &index);
            }
            examined
        }
    }

    /// Deterministic pseudo-random numbers from a seed.
    pub(in crate::cpu) struct Draw(pub(in crate::cpu) u64);

    impl Draw {
        pub(in crate::cpu) fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
        }
    }

    /// Vertices leave in the order of their indices and none is lost, even if vertices are pushed at random between two
    /// passes. A vertex that was pushed again with a smaller index leaves only at that index.
    #[test]
    fn vertices_leave_by_index() {
        for seed in 0..300 {
            let mut draw = Draw(seed);
            let largest = [50, 5_000, 1 << 40, u64::MAX - 1][draw.below(4) as usize];
            let (mut heap, mut indices) = (RadixHeap::new(0), BTreeMap::<u32, u64>::new());
            let mut has_left = BTreeSet::new();
            for _ in 0..400 {
                let room = largest.saturating_sub(heap.passed());
                if room > 0 {
                    let (v, index) = (draw.below(100) as u32, heap.passed() + 1 + draw.below(room));
                    if indices.get(&v).is_none_or(|&before| index < before || before <= heap.passed()) {
                        heap.push(v, index);
                        indices.insert(v, index);
                        has_left.remove(&v);
                    }
                }
                if draw.below(3) == 0 {
                    let mut near = Vec::new();
                    heap.pass(1 + draw.below(largest / 10 + 1), &mut near, |v| indices[&v]);
                    for &v in &near {
                        assert!(indices[&v] <= heap.passed(), "seed {seed}: {v} left too early");
                    }
                    has_left.extend(near);
                    let passed = indices.iter().filter(|&(_, &index)| index <= heap.passed());
                    assert!(passed.map(|(v, _)| v).eq(&has_left), "seed {seed}");
                }
            }
            let waiting: BTreeSet<u32> = indices.keys().filter(|v| !has_left.contains(v)).copied().collect();
            let held: BTreeSet<u32> = heap.restart(0).into_iter().collect();
            assert!(waiting.is_subset(&held), "seed {seed}");
            assert_eq!(heap.len(), 0);
        }
    }

    /// An entry is examined at most once per level, and usually far less often, no matter how many buckets there are.
    /// (A list that is searched for every bucket would examine 10^4 entries 10^4 times here.)
    #[test]
    fn the_work_is_linear() {
        const VERTICES: u32 = 10_000;
        for step in [1u64, 64, 1_000_003] {
            let index = |v| u64::from(v) * step;
            let mut heap = RadixHeap::new(0);
            (1..=VERTICES).for_each(|v| heap.push(v, index(v)));
            let (mut near, mut examined, mut buckets) = (Vec::new(), 0, 0);
            while heap.len() > 0 {
                examined += heap.pass(1, &mut near, index);
                buckets += 1;
            }
            assert!(near.into_iter().eq(1..=VERTICES));
            assert_eq!(buckets, VERTICES);
            assert!(examined <= 6 * u64::from(VERTICES), "{examined} entries examined, {step} apart");
        }
    }

    /// Outdated entries of vertices that already left with a smaller index are dropped when they are found, and hide no
    /// other entry.
    #[test]
    fn entries_that_no_longer_count_are_dropped() {
        let mut heap = RadixHeap::new(0);
        for v in 0..100 {
            heap.push(v, 1_000_000 + u64::from(v));
        }
        heap.push(100, 5_000_000);
        let index = |v| if v == 100 { 5_000_000 } else { 1 };
        (0..100).for_each(|v| heap.push(v, index(v)));
        let mut near = Vec::new();
        heap.pass(10, &mut near, index);
        assert_eq!(near.len(), 100);
        near.clear();
        heap.pass(10, &mut near, index);
        assert_eq!((near, heap.len()), (vec![100], 0));
    }
}

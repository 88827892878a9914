//! A monotone priority queue of vertices: a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster Algorithms for the
//! Shortest Path Problem", 1990) with 64 slots per level. A vertex is at the level of the highest digit, in base 64,
//! in which its index differs from the largest index that was passed, in the slot of that digit. Indices may therefore
//! be any distance apart, and empty ranges cost nothing. A vertex is moved at most once per level, however often the
//! bound is raised, so the work is linear in the number of vertices pushed.

/// Bits of a digit.
const DIGIT: u32 = 6;

/// Slots per level.
const SLOTS: usize = 1 << DIGIT;

/// Digits of an index.
const LEVELS: usize = u64::BITS.div_ceil(DIGIT) as usize;

/// A vertex and the index it was pushed with.
type Entry = (u64, u32);

/// Vertices by index. One that is pushed twice is held twice.
pub(super) struct RadixHeap {
    /// The largest index that was passed. Every vertex was pushed with a larger one.
    passed: u64,
    /// One bit per slot, set if the slot is not empty.
    occupied: [u64; LEVELS],
    slots: Vec<Vec<Entry>>,
    len: usize,
    /// The vertices being parted, empty between calls.
    taken: Vec<Entry>,
}

impl RadixHeap {
    /// Creates an empty heap in which every index up to `passed` was passed.
    pub(super) fn new(passed: u64) -> RadixHeap {
        let slots = (0..LEVELS * SLOTS).map(|_| Vec::new()).collect();
        RadixHeap { passed, occupied: [0; LEVELS], slots, len: 0, taken: Vec::new() }
    }

    /// Returns the number of vertices, each counted as often as it was pushed.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the largest index that was passed.
    #[inline]
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Adds a vertex, whose index is larger than [`passed`](Self::passed).
    #[inline]
    pub(super) fn push(&mut self, v: u32, index: u64) {
        debug_assert!(index > self.passed, "index {index} of vertex {v} was passed: {}", self.passed);
        let level = level_of(self.passed, index);
        let digit = digit_of(index, level);
        self.occupied[level] |= 1 << digit;
        self.slots[level * SLOTS + digit].push((index, v));
        self.len += 1;
    }

    /// Passes the nearest vertex and all indices less than `span` beyond it, and moves their vertices to `near`. Returns
    /// the number of vertices examined, which is 0 if the heap is empty.
    pub(super) fn pass(&mut self, span: u64, near: &mut Vec<u32>) -> u64 {
        let Some(level) = self.occupied.iter().position(|&bits| bits != 0) else { return 0 };
        self.take(level, self.occupied[level].trailing_zeros() as usize);
        let nearest = self.taken.iter().map(|&(index, _)| index).min().unwrap_or(self.passed);
        let bound = nearest.saturating_add(span.saturating_sub(1));
        self.take_through(bound);
        self.passed = bound;
        let mut taken = std::mem::take(&mut self.taken);
        let examined = taken.len() as u64;
        for (index, v) in taken.drain(..) {
            if index <= bound { near.push(v) } else { self.push(v, index) }
        }
        self.taken = taken;
        examined
    }

    /// Removes all vertices and starts again, with every index up to `passed` passed.
    pub(super) fn restart(&mut self, passed: u64) -> Vec<u32> {
        for level in 0..LEVELS {
            while self.occupied[level] != 0 {
                self.take(level, self.occupied[level].trailing_zeros() as usize);
            }
        }
        self.passed = passed;
        self.taken.drain(..).map(|(_, v)| v).collect()
    }

    /// Takes all slots that hold indices up to `bound`. The last of them may also hold larger ones.
    fn take_through(&mut self, bound: u64) {
        let top = level_of(self.passed, bound);
        for level in 0..=top {
            let last = if level == top { digit_of(bound, top) } else { SLOTS - 1 };
            while self.occupied[level].trailing_zeros() as usize <= last {
                self.take(level, self.occupied[level].trailing_zeros() as usize);
            }
        }
    }

    /// Empties a slot into `taken`.
    fn take(&mut self, level: usize, digit: usize) {
        self.occupied[level] &= !(1 << digit);
        let slot = &mut self.slots[level * SLOTS + digit];
        self.len -= slot.len();
        if self.taken.is_empty() { std::mem::swap(&mut self.taken, slot) } else { self.taken.append(slot) }
    }
}

/// Returns the level of the highest digit in which two different indices differ.
#[inline]
fn level_of(one: u64, other: u64) -> usize {
    ((one ^ other).ilog2() / DIGIT) as usize
}

#[inline]
fn digit_of(index: u64, level: usize) -> usize {
    (index >> (level as u32 * DIGIT)) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Numbers that depend on a seed alone.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
        }
    }

    /// Vertices leave in the order of their indices, each once, whatever is pushed between two passes.
    #[test]
    fn vertices_leave_by_index() {
        for seed in 0..300 {
            let mut draw = Draw(seed);
            let largest = [50, 5_000, 1 << 40, u64::MAX - 1][draw.below(4) as usize];
            let (mut heap, mut expected) = (RadixHeap::new(0), BTreeMap::<u64, Vec<u32>>::new());
            for v in 0..400 {
                let room = largest.saturating_sub(heap.passed());
                if room > 0 {
                    let index = heap.passed() + 1 + draw.below(room);
                    heap.push(v, index);
                    expected.entry(index).or_default().push(v);
                }
                if draw.below(3) == 0 {
                    let span = 1 + draw.below(largest / 10 + 1);
                    let (mut near, mut right) = (Vec::new(), Vec::new());
                    heap.pass(span, &mut near);
                    while expected.first_key_value().is_some_and(|(&index, _)| index <= heap.passed()) {
                        right.extend(expected.pop_first().into_iter().flat_map(|(_, vertices)| vertices));
                    }
                    near.sort_unstable();
                    right.sort_unstable();
                    assert_eq!(near, right, "seed {seed}");
                }
            }
            let waiting: usize = expected.values().map(Vec::len).sum();
            assert_eq!(heap.len(), waiting, "seed {seed}");
            assert_eq!(heap.restart(0).len(), waiting, "seed {seed}");
        }
    }

    /// However many buckets there are, a vertex is examined at most once per level, and usually far less often. (A pile that
    /// is looked through for every bucket would examine 10^4 vertices 10^4 times here.)
    #[test]
    fn the_work_is_linear() {
        const VERTICES: u32 = 10_000;
        for step in [1u64, 64, 1_000_003] {
            let mut heap = RadixHeap::new(0);
            (1..=VERTICES).for_each(|v| heap.push(v, u64::from(v) * step));
            let (mut near, mut examined, mut buckets) = (Vec::new(), 0, 0);
            while heap.len() > 0 {
                examined += heap.pass(1, &mut near);
                buckets += 1;
            }
            assert!(near.into_iter().eq(1..=VERTICES));
            assert_eq!(buckets, VERTICES);
            assert!(examined <= 6 * u64::from(VERTICES), "{examined} vertices examined, {step} apart");
        }
    }
}

//! Counting equal messages, for the combiner `MostFrequent`. A vertex with few messages sorts them. One with many counts
//! them in a hash table, whose size follows from the number of different messages, not from that of all.
//!
//! Every thread has counts of its own, which it uses for one vertex after the other.

use std::cell::RefCell;

use crate::plan::{ArrayName, PlannedArray};

/// Number of messages up to which they are sorted.
const FEW: usize = 64;

/// Number of slots of the first table, a power of two, of which at most half are used.
const FIRST_SLOTS: usize = 4 * FEW;

/// Number of slots up to which a thread keeps its table for the next vertex. A longer one would take a lot of memory
/// until the thread ends.
const KEPT_SLOTS: usize = 1 << 16;

/// Returns the array in which all threads count messages, for a graph with this number of edges. Tables that count more
/// different messages than a thread keeps are rare and short-lived, and not included.
pub(crate) fn array(edges: u64) -> PlannedArray {
    let slots = (4 * edges).clamp(FIRST_SLOTS as u64, KEPT_SLOTS as u64);
    let each = size_of::<Slot>() as u64;
    PlannedArray::new(ArrayName::MessageCounts, slots * rayon::current_num_threads() as u64, each)
}

thread_local! {
    static COUNTS: RefCell<Counts> = const { RefCell::new(Counts::new()) };
}

/// Calls `count` with the empty counts of this thread.
pub(crate) fn with_counts<R>(count: impl FnOnce(&mut Counts) -> R) -> R {
    COUNTS.with_borrow_mut(|counts| {
        counts.clear();
        count(counts)
    })
}

/// A message and how often it arrived; a count of 0 marks an empty slot.
#[derive(Clone, Copy, Default)]
struct Slot {
    message: u64,
    count: u64,
}

/// The messages to one vertex.
pub(crate) struct Counts {
    /// The messages, while they are few.
    few: Vec<u64>,
    /// The hash table, with open addressing, once they are many.
    slots: Vec<Slot>,
    /// Indices of the slots that are not empty.
    used: Vec<u32>,
}

impl Counts {
    const fn new() -> Counts {
        Counts { few: Vec::new(), slots: Vec::new(), used: Vec::new() }
    }

    fn clear(&mut self) {
        self.few.clear();
        if self.slots.len() > KEPT_SLOTS {
            (self.slots, self.used) = (Vec::new(), Vec::new());
        }
        self.used.drain(..).for_each(|at| self.slots[at as usize] = Slot::default());
    }

    /// Counts a message.
    #[inline]
    pub(crate) fn add(&mut self, message: u64) {
        if self.used.is_empty() {
            self.few.push(message);
            if self.few.len() > FEW {
                self.turn_to_table();
            }
        } else {
            self.count(Slot { message, count: 1 });
        }
    }

    /// Moves the messages to the table.
    #[cold]
    fn turn_to_table(&mut self) {
        if self.slots.is_empty() {
            self.slots.resize(FIRST_SLOTS, Slot::default());
        }
        for at in 0..self.few.len() {
            self.count(Slot { message: self.few[at], count: 1 });
        }
        self.few.clear();
    }

    /// Adds a count to the table.
    #[inline]
    fn count(&mut self, more: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = (mixed(more.message) >> 32) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.count == 0 {
                *slot = more;
                self.used.push(at as u32);
                if 2 * self.used.len() > mask {
                    self.grow();
                }
                return;
            }
            if slot.message == more.message {
                slot.count += more.count;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let slots = vec![Slot::default(); 2 * self.slots.len()];
        let before = std::mem::replace(&mut self.slots, slots);
        for at in std::mem::take(&mut self.used) {
            self.count(before[at as usize]);
        }
    }

    /// Returns the most frequent message; of equally frequent ones, the smallest.
    pub(crate) fn most_frequent(&mut self) -> Option<u64> {
        self.few.sort_unstable();
        let few = self.few.chunk_by(|a, b| a == b).map(|equal| (equal.len() as u64, equal[0]));
        let many = self.used.iter().map(|&at| self.slots[at as usize]).map(|slot| (slot.count, slot.message));
        few.chain(many).max_by_key(|&(count, message)| (count, !message)).map(|(_, message)| message)
    }
}

/// Returns a hash of a message, in which the upper half depends on all bits.
#[inline]
fn mixed(message: u64) -> u64 {
    let folded = message ^ (message >> 32);
    folded.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most_frequent(messages: impl IntoIterator<Item = u64>) -> Option<u64> {
        with_counts(|counts| {
            messages.into_iter().for_each(|message| counts.add(message));
            counts.most_frequent()
        })
    }

    #[test]
    fn few_messages_are_sorted() {
        assert_eq!(most_frequent([]), None);
        assert_eq!(most_frequent([0]), Some(0));
        assert_eq!(most_frequent([9, u64::MAX, 9, u64::MAX, 3]), Some(9));
    }

    #[test]
    fn many_messages_are_counted() {
        for messages in [60u64, 65, 66, 1_000, 200_000] {
            assert_eq!(most_frequent(0..messages), Some(0), "{messages} different ones");
            assert_eq!(
                most_frequent((0..messages).map(|at| at | 1 << 40)),
                Some(1 << 40),
                "{messages} large ones"
            );
            assert_eq!(most_frequent((0..messages).chain([messages - 1])), Some(messages - 1));
            assert_eq!(most_frequent((0..3 * messages).map(|at| 7 + at % 3)), Some(7));
            assert_eq!(most_frequent((0..3 * messages + 2).map(|at| at % 3)), Some(0));
        }
        assert_eq!(most_frequent([4, 4, 8]), Some(4), "nothing is left of the vertices before");
    }
}

//! The ordered worklist of programs with a `priority`: the vertices that wait to send. In a step, those of least
//! priority send (Dhulipala, Blelloch and Shun, "Julienne: A Framework for Parallel Graph Algorithms using Work-efficient
//! Bucketing", SPAA 2017). Each worker has a radix heap of the vertices that it found; a vertex whose priority changes
//! gets another entry, and its old one no longer counts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::frontier::Found;
use super::words::fill;

/// Number of entries of all heaps, as a multiple of the number of vertices, above which old entries are dropped.
pub(crate) const MOST_ENTRIES: usize = 4;

/// Priorities of the waiting vertices, and the level.
pub(crate) struct Order {
    /// Priority of every vertex that waits. It is greater than the level; 0 means that the vertex does not wait.
    keys: Vec<AtomicU64>,
    level: u64,
}

impl Order {
    /// Returns the worklist of `vertices` vertices, none of which waits.
    pub(crate) fn new(vertices: u32) -> Order {
        Order { keys: fill(vertices, 0), level: 0 }
    }

    /// Returns the number of vertices of the graph.
    pub(crate) fn vertices(&self) -> usize {
        self.keys.len()
    }

    /// Returns the priority of the vertices that send in this step.
    pub(crate) fn level(&self) -> u64 {
        self.level
    }

    pub(crate) fn raise(&mut self, level: u64) {
        self.level = level;
    }

    /// Returns the priority of a waiting vertex, or 0 if it does not wait.
    #[inline]
    pub(crate) fn key(&self, v: u32) -> u64 {
        self.keys[v as usize].load(Relaxed)
    }

    #[inline]
    pub(crate) fn waits(&self, v: u32) -> bool {
        self.key(v) != 0
    }

    /// Sets the first priority of a vertex. [`Frontier::of_first`](super::frontier::Frontier::of_first) then places it.
    pub(crate) fn set(&self, v: u32, priority: u64) {
        self.keys[v as usize].store(priority, Relaxed);
    }

    /// Adds a vertex to the senders of the next step if its priority is within the level; otherwise it waits, or
    /// continues to wait.
    #[inline]
    pub(crate) fn place(&self, v: u32, priority: u64, found: &mut Found) {
        let before = self.key(v);
        if priority <= self.level {
            if before != 0 {
                self.set(v, 0);
            }
            found.add(v);
        } else if before != priority {
            self.set(v, priority);
            found.waiting.push(v, priority);
        }
    }

    /// Ends the waiting of a vertex. Returns `true` if it waited.
    pub(crate) fn take(&self, v: u32) -> bool {
        let waited = self.waits(v);
        self.set(v, 0);
        waited
    }

    /// Returns the waiting vertices with their priorities.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..self.keys.len() as u32).map(|v| (v, self.key(v))).filter(|&(_, key)| key != 0)
    }
}

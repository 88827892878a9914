//! The vertices that wait beyond the bound of the present bucket. The bound is usually raised, and sometimes lowered
//! again: then the vertices between the new bound and the old one are held in a heap of their own.

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

    /// Raises the bound to `span` indices from the nearest vertex, and moves to `near` who no longer waits. Returns the
    /// number of vertices examined.
    pub(super) fn raise(&mut self, span: u64, near: &mut Vec<u32>) -> u64 {
        self.is_lowered = self.held.len() > 0;
        if self.is_lowered { self.held.pass(span, near) } else { self.beyond.pass(span, near) }
    }

    /// Returns the number of vertices held back by a bound that was lowered.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// Lowers the bound to `bound`, and returns the vertices that were held back by one that was lowered before. The
    /// caller pushes again who waits.
    pub(super) fn lower(&mut self, bound: u64) -> Vec<u32> {
        self.is_lowered = true;
        self.held.restart(bound)
    }

    /// Removes all vertices and starts again at a bound of 0.
    pub(super) fn restart(&mut self) -> Vec<u32> {
        self.is_lowered = false;
        let mut all = self.held.restart(0);
        all.append(&mut self.beyond.restart(0));
        all
    }
}

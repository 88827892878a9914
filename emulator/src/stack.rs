//! Stacks of fibers, and a pool of unused stacks.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use corosensei::stack::{DefaultStack, Stack, StackPointer};

/// Minimum size of a stack in bytes.
const BYTES: usize = 128 << 10;

/// Number of different start offsets of stacks within their pages. If all stacks started at the same offset, the few
/// cache lines that each fiber uses would evict each other from the host's caches.
const PLACES: usize = 31;
/// Distance between two start offsets in bytes.
const APART: usize = 17 * 64;

/// The stack of a fiber.
pub(crate) struct FiberStack {
    pages: DefaultStack,
    base: StackPointer,
}

// SAFETY: the pages form a stack that meets the trait's requirements. The stack's base is moved down by less than the
// stack's size, and by a multiple of the alignment.
unsafe impl Stack for FiberStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.pages.limit()
    }
}

impl FiberStack {
    fn new() -> io::Result<FiberStack> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let pages = DefaultStack::new(BYTES + PLACES * APART)?;
        let below = NUMBER.fetch_add(1, Ordering::Relaxed) % PLACES * APART;
        let base = StackPointer::new(pages.base().get() - below).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(FiberStack { pages, base })
    }
}

static FREE: Mutex<Vec<FiberStack>> = Mutex::new(Vec::new());

/// Returns `count` stacks. Unused stacks are taken from the pool first.
pub(crate) fn take(count: usize) -> io::Result<Vec<FiberStack>> {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let left = free.len().saturating_sub(count);
    let mut stacks = free.split_off(left);
    drop(free);
    while stacks.len() < count {
        stacks.push(FiberStack::new()?);
    }
    Ok(stacks)
}

/// Returns stacks to the pool.
pub(crate) fn give_back(stacks: impl Iterator<Item = FiberStack>) {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).extend(stacks);
}

//! Asking for memory before it is needed: rows of consecutive vertices in layered order lie anywhere, and a core that
//! waits for each of them in turn does nothing else.

/// Vertices whose rows are asked for together.
pub(super) const BATCH: usize = 64;

/// Asks for the element at `index`; nothing happens where there is none.
#[inline(always)]
pub(super) fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if index < slice.len() {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address lies in the slice, as the line above checked; a prefetch neither reads nor writes
        // anything that the program can see, and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

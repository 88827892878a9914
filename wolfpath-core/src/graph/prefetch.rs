//! Prefetching of memory. While a graph is being layered, rows are not yet in layered order: the rows of vertices that
//! are processed one after the other can be anywhere in memory. Without prefetching, a core would stall on every row.

/// Number of vertices whose rows are prefetched together.
pub(super) const BATCH: usize = 64;

/// Prefetches the element at `index`. An index out of bounds is a no-op.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if index < slice.len() {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is in the slice, as the line above checked. A prefetch neither reads nor writes anything
        // visible to the program, and every x86-64 processor supports it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

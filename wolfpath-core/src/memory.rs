//! Memory for the large arrays of a build, and how much of it there is.

use bytemuck::Zeroable;

/// Smaller arrays have nothing to gain from huge pages.
const LARGE: usize = 4 << 20;

/// A vector of zeros. Large ones ask the system for huge pages: on NE roads that takes a quarter off every stage that
/// looks things up in random order, and most of the time in which the system hands out pages.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Vec<T> {
    let vector: Vec<T> = bytemuck::zeroed_vec(len);
    advise_huge_pages(&vector);
    vector
}

/// An empty vector with room for `len` elements, in huge pages where it is large.
pub(crate) fn with_room<T>(len: usize) -> Vec<T> {
    let vector = Vec::with_capacity(len);
    advise_huge_pages(&vector);
    vector
}

#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(vector: &Vec<T>) {
    const HUGE: usize = 2 << 20;
    let bytes = vector.capacity().saturating_mul(size_of::<T>());
    if bytes < LARGE {
        return;
    }
    let begin = (vector.as_ptr() as usize).next_multiple_of(HUGE);
    let end = (vector.as_ptr() as usize + bytes) / HUGE * HUGE;
    if begin < end {
        let start = vector.as_ptr().cast::<u8>().wrapping_add(begin - vector.as_ptr() as usize);
        // SAFETY: the range lies inside memory that the vector owns, and the advice changes no byte of it. A system
        // that does not take it is no worse off than before, so that the result is of no interest.
        let _ = unsafe {
            rustix::mm::madvise(start.cast_mut().cast(), end - begin, rustix::mm::Advice::LinuxHugepage)
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages<T>(_: &Vec<T>) {
    // Other systems decide by themselves.
    let _ = LARGE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_are_zero() {
        for len in [0, 1, 1000, (LARGE / 8) + 12_345, 3 << 20] {
            let vector: Vec<u64> = zeroed(len);
            assert!(vector.len() == len && vector.iter().all(|&number| number == 0));
            assert!(with_room::<u64>(len).capacity() >= len);
        }
    }
}

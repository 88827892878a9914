//! Allocation of the large arrays of a build, and the amount of available memory.

use bytemuck::Zeroable;

/// Minimum size in bytes of arrays that use huge pages. Smaller arrays do not benefit.
const LARGE: usize = 4 << 20;

/// Returns a vector of zeros, or `None` if the allocation fails. Large vectors use huge pages. On the road network
/// USA-road-NE, huge pages save a quarter of the time of every stage that makes random accesses, and most of the time
/// that the system takes to allocate pages.
pub(crate) fn try_zeroed<T: Zeroable>(len: usize) -> Option<Vec<T>> {
    let vector: Vec<T> = bytemuck::try_zeroed_vec(len).ok()?;
    advise_huge_pages(&vector);
    Some(vector)
}

/// Returns an empty vector with capacity for `len` elements, in huge pages if it is large.
pub fn with_room<T>(len: usize) -> Vec<T> {
    let vector = Vec::with_capacity(len);
    advise_huge_pages(&vector);
    vector
}

/// Returns the amount of memory, in bytes, that this process can still allocate without forcing the system to reclaim
/// memory from other processes; `None` if unknown. Respects the limits of the process's control group.
pub fn available() -> Option<u64> {
    if !sysinfo::IS_SUPPORTED_SYSTEM {
        return None;
    }
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    // A control group without a limit reports a meaningless large number, so the result is at most the machine's
    // available memory.
    let machine = system.available_memory();
    Some(if group == 0 { machine } else { machine.min(group) })
}

/// Asks the system for huge pages for a vector whose memory has not been written yet, if it is large.
#[cfg(target_os = "linux")]
pub fn advise_huge_pages<T>(vector: &Vec<T>) {
    const HUGE: usize = 2 << 20;
    let bytes = vector.capacity().saturating_mul(size_of::<T>());
    if bytes < LARGE {
        return;
    }
    let begin = (vector.as_ptr() as usize).next_multiple_of(HUGE);
    let end = (vector.as_ptr() as usize + bytes) / HUGE * HUGE;
    if begin < end {
        let start = vector.as_ptr().cast::<u8>().wrapping_add(begin - vector.as_ptr() as usize);
        // SAFETY: the range is inside memory that the vector owns, and the advice does not change its contents. If the
        // system ignores the advice, nothing is lost, so the result can be ignored.
        let _ = unsafe {
            rustix::mm::madvise(start.cast_mut().cast(), end - begin, rustix::mm::Advice::LinuxHugepage)
        };
    }
}

/// Does nothing: this system decides on page sizes itself.
#[cfg(not(target_os = "linux"))]
pub fn advise_huge_pages<T>(_: &Vec<T>) {
    let _ = LARGE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_are_zero() {
        for len in [0, 1, 1000, (LARGE / 8) + 12_345, 3 << 20] {
            let vector: Vec<u64> = try_zeroed(len).unwrap();
            assert!(vector.len() == len && vector.iter().all(|&number| number == 0));
        }
        assert!(try_zeroed::<u64>(usize::MAX / 8).is_none(), "no machine has this much");
    }

    /// The available memory is less than the machine's total, and more than this test just allocated.
    #[cfg(target_os = "linux")]
    #[test]
    fn available_memory_is_that_of_the_machine() {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap();
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.strip_suffix("kB"));
        let total: u64 = 1024 * total.unwrap().trim().parse::<u64>().unwrap();
        let got = try_zeroed::<u64>(1 << 20).unwrap();
        let found = available().unwrap();
        assert!(found < total && found > size_of_val(&got[..]) as u64, "{found} of {total} bytes");
    }
}

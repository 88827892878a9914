//! Memory for the large arrays of a build, and how much of it there is.

use bytemuck::Zeroable;

/// Smaller arrays have nothing to gain from huge pages.
const LARGE: usize = 4 << 20;

/// A vector of zeros; `None` where the system refuses. Large ones ask for huge pages: on NE roads that takes a quarter
/// off every stage that looks things up in random order, and most of the time in which the system hands out pages.
pub(crate) fn try_zeroed<T: Zeroable>(len: usize) -> Option<Vec<T>> {
    let vector: Vec<T> = bytemuck::try_zeroed_vec(len).ok()?;
    advise_huge_pages(&vector);
    Some(vector)
}

/// An empty vector with room for `len` elements, in huge pages where it is large.
pub(crate) fn with_room<T>(len: usize) -> Vec<T> {
    let vector = Vec::with_capacity(len);
    advise_huge_pages(&vector);
    vector
}

/// Bytes of memory that could be used now without anybody else losing theirs; `None` where nobody can tell. Heeds the
/// limits of the control group that the process is in.
pub fn available() -> Option<u64> {
    if !sysinfo::IS_SUPPORTED_SYSTEM {
        return None;
    }
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    // A group without a limit says so with nonsense; what the machine has bounds it anyway.
    let machine = system.available_memory();
    Some(if group == 0 { machine } else { machine.min(group) })
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
            let vector: Vec<u64> = try_zeroed(len).unwrap();
            assert!(vector.len() == len && vector.iter().all(|&number| number == 0));
        }
        assert!(try_zeroed::<u64>(usize::MAX / 8).is_none(), "no machine has this much");
    }

    /// Less is available than the machine has, and at least as much as this test just got.
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

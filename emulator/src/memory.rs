//! The device's memory, which consists of pages of the host's memory. Each allocation is surrounded by inaccessible
//! guard pages, so that an access past an array's end causes a fault instead of a wrong result.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Size of the device's memory in bytes.
pub(crate) const TOTAL: usize = 2 << 30;

/// Number of bytes of a new allocation that are filled with a nonzero value, to expose code that relies on zeroes.
/// Further bytes are not filled, for speed.
const FILLED: usize = 16 << 20;
const FILL: u8 = 0xab;

/// One allocation.
struct Allocation {
    bytes: usize,
    /// `true` for memory of the device, `false` for page-locked memory of the host.
    counts: bool,
    pages: *mut libc::c_void,
    mapped: usize,
}

// SAFETY: the allocation owns its pages exclusively, and any thread may unmap them.
unsafe impl Send for Allocation {}

#[derive(Default)]
struct Memory {
    allocations: BTreeMap<usize, Allocation>,
    used: usize,
}

static MEMORY: Mutex<Option<Memory>> = Mutex::new(None);

fn with<T>(work: impl FnOnce(&mut Memory) -> T) -> T {
    work(MEMORY.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

fn page() -> usize {
    // SAFETY: the call only returns a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Returns the offset of an array in its pages, chosen so that the array ends at the end of its pages, or as close to
/// it as the alignment of its elements allows.
fn place(bytes: usize, room: usize) -> usize {
    let align = 1 << bytes.trailing_zeros().clamp(2, 8);
    (room - bytes) / align * align
}

/// Allocates `bytes` bytes. Returns `None` if the device does not have enough memory. `counts` is `true` for memory of
/// the device, and `false` for page-locked memory of the host.
pub(crate) fn allocate(bytes: usize, counts: bool) -> Option<usize> {
    let page = page();
    let room = bytes.checked_next_multiple_of(page)?;
    with(|memory| {
        if bytes == 0 || (counts && memory.used + bytes > TOTAL) {
            return None;
        }
        let mapped = room + 2 * page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: the call requests new pages at any address, so it affects no existing memory.
        let pages = unsafe { libc::mmap(std::ptr::null_mut(), mapped, libc::PROT_NONE, flags, -1, 0) };
        if pages == libc::MAP_FAILED {
            return None;
        }
        let first = pages as usize + page;
        // SAFETY: the pages between the two guards were mapped above.
        if unsafe { libc::mprotect(first as *mut _, room, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return None;
        }
        let address = first + place(bytes, room);
        // SAFETY: the bytes are in these pages, to which no other reference exists yet.
        unsafe { std::ptr::write_bytes(address as *mut u8, FILL, bytes.min(FILLED)) };
        memory.used += if counts { bytes } else { 0 };
        memory.allocations.insert(address, Allocation { bytes, counts, pages, mapped });
        Some(address)
    })
}

/// Frees an allocation. Returns `false` if there is no allocation at `address`.
pub(crate) fn free(address: usize) -> bool {
    with(|memory| {
        let Some(allocation) = memory.allocations.remove(&address) else { return false };
        memory.used -= if allocation.counts { allocation.bytes } else { 0 };
        // SAFETY: `allocate` mapped these pages, and the caller no longer uses the memory.
        unsafe { libc::munmap(allocation.pages, allocation.mapped) == 0 }
    })
}

/// Returns the number of free bytes.
pub(crate) fn available() -> usize {
    with(|memory| TOTAL - memory.used)
}

/// Describes the allocation at or near an address, for messages.
pub(crate) fn describe(address: usize) -> String {
    with(|memory| {
        let near = memory.allocations.iter().find(|(_, allocation)| {
            let first = allocation.pages as usize;
            (first..first + allocation.mapped).contains(&address)
        });
        match near {
            Some((&start, allocation)) if address >= start => {
                format!("byte {} of an allocation of {} bytes", address - start, allocation.bytes)
            }
            Some((&start, allocation)) => {
                format!("{} bytes before an allocation of {} bytes", start - address, allocation.bytes)
            }
            None => "outside every allocation".to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_end_where_their_pages_end() {
        assert_eq!(place(4096, 4096), 0);
        assert_eq!(place(12, 4096), 4084);
        assert_eq!(place(16, 4096), 4080);
        assert_eq!(place(5, 4096), 4088);
        assert_eq!(place(1024, 4096), 3072);
    }

    #[test]
    fn memory_is_counted_and_given_back() {
        let one = allocate(100, true).expect("the device has enough memory");
        assert!(allocate(TOTAL, true).is_none(), "more than the device's memory");
        assert!(describe(one + 100).contains("byte 100 of an allocation of 100 bytes"));
        assert!(describe(1).contains("outside"));
        assert!(free(one) && !free(one));
        assert_eq!(allocate(0, true), None);
    }
}

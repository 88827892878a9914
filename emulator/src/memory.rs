//! The device's memory: pages of the host, each allocation with pages around it that nobody may touch, so that what runs
//! past an array's end is a fault and not an answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Bytes that the device has.
pub(crate) const TOTAL: usize = 2 << 30;

/// Fresh memory holds no zeroes: whoever counts on them shall notice. Pages beyond are left alone, to be quick.
const FILLED: usize = 16 << 20;
const FILL: u8 = 0xab;

/// One allocation.
struct Allocation {
    bytes: usize,
    /// It is the device's, not page-locked memory of the host.
    counts: bool,
    pages: *mut libc::c_void,
    mapped: usize,
}

// SAFETY: the pages belong to the allocation alone, and unmapping them needs no particular thread.
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
    // SAFETY: asks for a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// An array ends where its pages end, as exactly as its elements can be aligned.
fn place(bytes: usize, room: usize) -> usize {
    let align = 1 << bytes.trailing_zeros().clamp(2, 8);
    (room - bytes) / align * align
}

/// The address of so many bytes, if the device has them. `counts` tells memory of the device from page-locked memory.
pub(crate) fn allocate(bytes: usize, counts: bool) -> Option<usize> {
    let page = page();
    let room = bytes.checked_next_multiple_of(page)?;
    with(|memory| {
        if bytes == 0 || (counts && memory.used + bytes > TOTAL) {
            return None;
        }
        let mapped = room + 2 * page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: asks for fresh pages anywhere.
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
        // SAFETY: the bytes lie in these pages, which nobody else knows of yet.
        unsafe { std::ptr::write_bytes(address as *mut u8, FILL, bytes.min(FILLED)) };
        memory.used += if counts { bytes } else { 0 };
        memory.allocations.insert(address, Allocation { bytes, counts, pages, mapped });
        Some(address)
    })
}

/// Gives an allocation back; false where there is none.
pub(crate) fn free(address: usize) -> bool {
    with(|memory| {
        let Some(allocation) = memory.allocations.remove(&address) else { return false };
        memory.used -= if allocation.counts { allocation.bytes } else { 0 };
        // SAFETY: mapped by `allocate`, and whoever frees it is done with it.
        unsafe { libc::munmap(allocation.pages, allocation.mapped) == 0 }
    })
}

/// Bytes that are free.
pub(crate) fn available() -> usize {
    with(|memory| TOTAL - memory.used)
}

/// What lies at or near an address, for messages.
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
        let one = allocate(100, true).expect("there is room");
        assert!(allocate(TOTAL, true).is_none(), "more than there is");
        assert!(describe(one + 100).contains("byte 100 of an allocation of 100 bytes"));
        assert!(describe(1).contains("outside"));
        assert!(free(one) && !free(one));
        assert_eq!(allocate(0, true), None);
    }
}

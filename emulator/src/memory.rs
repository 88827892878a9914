//! The devices' memory, which consists of pages of the host's memory. Each allocation is surrounded by inaccessible
//! guard pages, so that an access past an array's end causes a fault instead of a wrong result. All allocations are in
//! one range of addresses, the *arena*, so that the race detector finds its data about a word by the word's address.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::races;
use crate::settings::MOST_DEVICES;

/// Size of a device's memory in bytes.
pub(crate) const TOTAL: usize = 2 << 30;

/// Number of bytes of a new allocation that are filled with a nonzero value, to expose code that relies on zeroes.
/// Further bytes are not filled, for speed.
const FILLED: usize = 16 << 20;
/// Content of new memory, and of shared memory.
pub(crate) const FILL: u8 = 0xab;

/// Size of the arena in bytes. It exceeds the memory of the device, because page-locked memory of the host is in it too,
/// and because the addresses of freed arrays are reused late.
pub(crate) const ARENA: usize = 16 << 30;

/// Owner of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The device with this number.
    Device(u32),
    /// A stream's pool on the device with this number. Other devices may not access it.
    Pool(u32),
    /// The host, whose memory is page-locked.
    Host,
}

impl Owner {
    /// Returns the device whose memory this is.
    pub(crate) fn device(self) -> Option<u32> {
        match self {
            Owner::Device(device) | Owner::Pool(device) => Some(device),
            Owner::Host => None,
        }
    }
}

/// One allocation.
struct Allocation {
    bytes: usize,
    owner: Owner,
    /// Address of the first guard page.
    pages: usize,
    /// Size of the pages in bytes, including both guard pages.
    mapped: usize,
}

#[derive(Default)]
struct Memory {
    allocations: BTreeMap<usize, Allocation>,
    /// Number of bytes used of each device's memory.
    used: [usize; MOST_DEVICES],
    addresses: Addresses,
}

/// Unused addresses of the arena.
#[derive(Default)]
struct Addresses {
    /// Size of each unused range, by its start.
    unused: BTreeMap<usize, usize>,
    /// Start of the search: behind the last allocation, so that freed addresses stay inaccessible for a while.
    next: usize,
}

impl Addresses {
    /// Takes `bytes` bytes out of the first sufficient range at or after `next`, wrapping around.
    fn take(&mut self, bytes: usize) -> Option<usize> {
        let suffices = |&(_, &size): &(&usize, &usize)| size >= bytes;
        let later = self.unused.range(self.next..).find(suffices);
        let (&start, &size) = later.or_else(|| self.unused.iter().find(suffices))?;
        self.unused.remove(&start);
        self.next = start + bytes;
        if size > bytes {
            self.unused.insert(self.next, size - bytes);
        }
        Some(start)
    }

    /// Adds a range, and merges it with its neighbours.
    fn give_back(&mut self, mut start: usize, mut size: usize) {
        if let Some(behind) = self.unused.remove(&(start + size)) {
            size += behind;
        }
        if let Some((&before, &length)) = self.unused.range(..start).next_back()
            && before + length == start
        {
            (start, size) = (before, length + size);
        }
        self.unused.insert(start, size);
    }
}

/// Returns the address of the arena, which is reserved when it is first needed. Returns `None` if the process may not
/// use that many addresses.
pub(crate) fn arena() -> Option<usize> {
    static ARENA_START: OnceLock<Option<usize>> = OnceLock::new();
    *ARENA_START.get_or_init(|| reserve(ARENA, libc::PROT_NONE))
}

/// Reserves addresses for pages that are zero until they are written.
pub(crate) fn reserve(bytes: usize, access: i32) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the call requests new pages at any address, so it affects no existing memory.
    let pages = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    (pages != libc::MAP_FAILED).then_some(pages as usize)
}

static MEMORY: Mutex<Option<Memory>> = Mutex::new(None);

fn with<T>(work: impl FnOnce(&mut Memory) -> T) -> T {
    let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    work(memory.get_or_insert_with(|| {
        let mut memory = Memory::default();
        if let Some(start) = arena() {
            memory.addresses.give_back(start, ARENA);
        }
        memory
    }))
}

/// Returns the size of a page in bytes.
pub(crate) fn page() -> usize {
    // SAFETY: the call only returns a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Returns the offset of an array in its pages, chosen so that the array ends at the end of its pages, or as close to
/// it as the alignment of its elements allows.
fn place(bytes: usize, room: usize) -> usize {
    let align = 1 << bytes.trailing_zeros().clamp(2, 8);
    (room - bytes) / align * align
}

/// Allocates `bytes` bytes. Returns `None` if the owner is a device that does not have enough memory.
pub(crate) fn allocate(bytes: usize, owner: Owner) -> Option<usize> {
    let page = page();
    let room = bytes.checked_next_multiple_of(page)?;
    with(|memory| {
        if bytes == 0 {
            return None;
        }
        if let Some(device) = owner.device()
            && memory.used[device as usize] + bytes > TOTAL
        {
            return None;
        }
        let mapped = room + 2 * page;
        if races::is_on() {
            // The detector's data about reused addresses are in memory already.
            memory.addresses.next = 0;
        }
        let pages = memory.addresses.take(mapped)?;
        let first = pages + page;
        // SAFETY: the pages between the two guards are unused pages of the arena.
        if unsafe { libc::mprotect(first as *mut _, room, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            memory.addresses.give_back(pages, mapped);
            return None;
        }
        let address = first + place(bytes, room);
        // SAFETY: the bytes are in these pages, to which no other reference exists yet.
        unsafe { std::ptr::write_bytes(address as *mut u8, FILL, bytes.min(FILLED)) };
        races::renew(address, bytes, owner);
        if let Some(device) = owner.device() {
            memory.used[device as usize] += bytes;
        }
        memory.allocations.insert(address, Allocation { bytes, owner, pages, mapped });
        Some(address)
    })
}

/// Frees an allocation. Returns `false` if there is no allocation at `address`.
pub(crate) fn free(address: usize) -> bool {
    with(|memory| {
        let Some(allocation) = memory.allocations.remove(&address) else { return false };
        let Allocation { bytes, owner, pages, mapped } = allocation;
        if let Some(device) = owner.device() {
            memory.used[device as usize] -= bytes;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: these pages belong to the allocation, and the caller no longer uses the memory. The call replaces them
        // by inaccessible ones.
        let unmapped = unsafe { libc::mmap(pages as *mut _, mapped, libc::PROT_NONE, flags, -1, 0) };
        memory.addresses.give_back(pages, mapped);
        unmapped != libc::MAP_FAILED
    })
}

/// Returns `true` if the address is in page-locked memory of the host that the driver allocated.
pub(crate) fn is_of_host(address: usize) -> bool {
    with(|memory| {
        let before = memory.allocations.range(..=address).next_back();
        before.is_some_and(|(&start, allocation)| {
            address - start < allocation.bytes && allocation.owner == Owner::Host
        })
    })
}

/// Returns the number of free bytes of a device.
pub(crate) fn available(device: u32) -> usize {
    with(|memory| TOTAL - memory.used[device as usize])
}

/// Describes the allocation at or near an address, for messages.
pub(crate) fn describe(address: usize) -> String {
    with(|memory| {
        let near = memory.allocations.iter().find(|(_, allocation)| {
            (allocation.pages..allocation.pages + allocation.mapped).contains(&address)
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
    fn addresses_are_reused_late_and_merged() {
        let mut addresses = Addresses::default();
        addresses.give_back(100, 30);
        assert_eq!([addresses.take(10), addresses.take(10)], [Some(100), Some(110)]);
        addresses.give_back(100, 10);
        assert_eq!(
            [addresses.take(10), addresses.take(20), addresses.take(10)],
            [Some(120), None, Some(100)]
        );
        addresses.give_back(100, 10);
        addresses.give_back(120, 10);
        addresses.give_back(110, 10);
        assert_eq!([addresses.take(30), addresses.take(1)], [Some(100), None]);
    }

    #[test]
    fn memory_is_counted_and_given_back() {
        let last = Owner::Device(MOST_DEVICES as u32 - 1);
        let one = allocate(100, last).expect("the device has enough memory");
        assert!(allocate(TOTAL, last).is_none(), "more than the device's memory");
        assert_eq!(available(MOST_DEVICES as u32 - 1), TOTAL - 100);
        assert!(describe(one + 100).contains("byte 100 of an allocation of 100 bytes"));
        assert!(describe(1).contains("outside"));
        assert!(free(one) && !free(one));
        assert_eq!(available(MOST_DEVICES as u32 - 1), TOTAL);
        assert_eq!(allocate(0, last), None);
    }
}

//! What the race detector stores about every word of the arena: its last accesses, and the values that it had before its
//! last writes. The pages of both arrays exist only where the arena was accessed.
//!
//! Several launches may run at a time, on threads of their own, so all data are relaxed atomics. All that decides whether
//! two accesses are ordered is in one of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::memory::{self, ARENA, Owner};

/// Kind of an access (`emulator::Access` in `device/prelude.h`). *Strong* accesses are volatile, relaxed or stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Access {
    Read,
    Write,
    StrongRead,
    StrongWrite,
    Atomic,
    Release,
    Acquire,
    SystemAtomic,
    SystemRelease,
    SystemAcquire,
}

/// All kinds of accesses, by their numbers.
const KINDS: [Access; 10] = {
    use Access::*;
    [
        Read,
        Write,
        StrongRead,
        StrongWrite,
        Atomic,
        Release,
        Acquire,
        SystemAtomic,
        SystemRelease,
        SystemAcquire,
    ]
};

impl Access {
    pub(crate) fn of(number: u32) -> Access {
        KINDS[number as usize % KINDS.len()]
    }

    pub(crate) fn writes(self) -> bool {
        use Access::*;
        matches!(self, Write | StrongWrite | Atomic | Release | SystemAtomic | SystemRelease)
    }

    pub(crate) fn is_strong(self) -> bool {
        !matches!(self, Access::Read | Access::Write)
    }

    /// Returns `true` if the access is strong with respect to threads of other devices, too. This includes volatile
    /// accesses.
    fn is_system(self) -> bool {
        use Access::*;
        matches!(self, StrongRead | StrongWrite | SystemAtomic | SystemRelease | SystemAcquire)
    }

    /// Returns `true` if every access that conflicts with `old` also conflicts with this one. Then the word need not
    /// remember `old`, provided that it happened before.
    fn replaces(self, old: Access) -> bool {
        match (self, old) {
            (Access::Write, _) => true,
            (Access::Read, old) => !old.writes(),
            // An access of the device's scope conflicts with accesses of other devices.
            (new, old) if new.is_system() && !old.is_system() => false,
            (new, old) if new.writes() => old.is_strong(),
            (_, old) => old.is_strong() && !old.writes(),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Access::Read => "plain read",
            Access::Write => "plain write",
            Access::StrongRead => "volatile read",
            Access::StrongWrite => "volatile write",
            Access::Atomic => "relaxed atomic",
            Access::Release => "releasing atomic",
            Access::Acquire => "acquiring read",
            Access::SystemAtomic => "relaxed atomic of system scope",
            Access::SystemRelease => "releasing atomic of system scope",
            Access::SystemAcquire => "acquiring read of system scope",
        }
    }
}

/// When an access happened: by which operation (`order.rs`) and thread, and at which time of the thread's clock. Fits in
/// one word. No access has the value 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When(u64);

/// Largest clock of a thread.
pub(crate) const LATEST: u32 = (1 << 24) - 1;
/// Largest number of threads of a launch.
pub(crate) const MOST_THREADS: u32 = 1 << 16;

impl When {
    pub(crate) fn new(operation: u32, thread: u32, time: u32) -> When {
        When(u64::from(operation) << 40 | u64::from(time & LATEST) << 16 | u64::from(thread as u16))
    }

    pub(crate) fn operation(self) -> u32 {
        (self.0 >> 40) as u32
    }

    pub(crate) fn time(self) -> u32 {
        (self.0 >> 16) as u32 & LATEST
    }

    pub(crate) fn thread(self) -> u32 {
        u32::from(self.0 as u16)
    }
}

/// One access to (a part of) a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) when: When,
    pub(crate) access: Access,
    /// The bytes of the word, one bit each.
    pub(crate) mask: u8,
    /// Size of the access in bytes. Larger sizes than 255 are stored as 255.
    pub(crate) bytes: u8,
    /// The device whose thread made the access.
    pub(crate) device: u8,
    /// Position in the kernel's object.
    pub(crate) from: u32,
}

impl Entry {
    fn what(self) -> u64 {
        let parts = [self.access as u32 as u8, self.mask, self.bytes, self.device].map(u64::from);
        let [access, mask, bytes, device] = parts;
        u64::from(self.from) | access << 32 | mask << 40 | bytes << 48 | device << 56
    }

    fn of(when: u64, what: u64) -> Entry {
        let [_, _, _, _, access, mask, bytes, device] = what.to_le_bytes();
        Entry { when: When(when), access: Access::of(access.into()), mask, bytes, device, from: what as u32 }
    }

    /// Returns `true` if two accesses must be ordered. Strong accesses of the same words need not be, if their scopes
    /// include both threads.
    fn conflicts(self, other: Entry) -> bool {
        let is_in_scope = self.device == other.device || self.access.is_system() && other.access.is_system();
        let is_strong = self.access.is_strong() && other.access.is_strong() && self.bytes == other.bytes;
        let is_strong = is_strong && is_in_scope;
        self.mask & other.mask != 0 && (self.access.writes() || other.access.writes()) && !is_strong
    }
}

/// Number of accesses that a word remembers.
const REMEMBERED: usize = 4;

/// The last accesses to a word of four bytes, in no order.
#[repr(align(64))]
pub(crate) struct Cell([[AtomicU64; 2]; REMEMBERED]);

/// Size of a page of the arena in bytes. Copies and fills of whole pages are remembered once per page.
pub(crate) const PAGE: usize = 4096;

/// State of a page of the arena. An allocation has its pages for itself.
#[repr(align(64))]
pub(crate) struct Page {
    /// Number of the last operation that began before the page was allocated. What it and earlier operations did
    /// concerned another array. The upper 32 bits are the page's device, plus 1, or 0 for a page of the host.
    born: AtomicU64,
    /// Nonzero if the words of the page remember accesses.
    has_words: AtomicU64,
    /// The last copies and fills of the whole page.
    whole: [[AtomicU64; 2]; REMEMBERED - 1],
}

/// Added to a device's number for memory of its streams' pools.
const IN_POOL: u32 = 1 << 16;

impl Page {
    pub(crate) fn owner(&self) -> Owner {
        match ((self.born.load(Relaxed) >> 32) as u32).checked_sub(1) {
            None => Owner::Host,
            Some(device) if device >= IN_POOL => Owner::Pool(device - IN_POOL),
            Some(device) => Owner::Device(device),
        }
    }

    pub(crate) fn born(&self) -> u32 {
        self.born.load(Relaxed) as u32
    }

    /// Adds a copy or a fill of the whole page, as `Cell::add` does. Returns `None` if the words of the page must be
    /// checked one by one instead.
    pub(crate) fn add(&self, new: Entry, is_before: impl Fn(When) -> bool) -> Option<Result<(), Entry>> {
        if self.has_words.load(Relaxed) != 0 {
            return None;
        }
        let random = new.when.operation();
        Some(add(&self.whole, Entry { mask: 0xf, ..new }, is_before, || random).map_or(Ok(()), Err))
    }

    /// Prepares an access to a word of the page. Returns a copy or a fill of the whole page that conflicts with it.
    pub(crate) fn check(&self, new: Entry, is_before: impl Fn(When) -> bool) -> Option<Entry> {
        if self.has_words.load(Relaxed) == 0 {
            self.has_words.store(1, Relaxed);
        }
        self.whole.iter().find_map(|[when, what]| {
            let when = when.load(Relaxed);
            if when == 0 || is_before(When(when)) {
                return None;
            }
            let old = Entry::of(when, what.load(Relaxed));
            old.conflicts(new).then_some(old)
        })
    }
}

impl Cell {
    /// Adds an access. Returns an access that conflicts with it and did not happen before it, if the word remembers one.
    /// `chance` selects the access that is forgotten if there is no space.
    pub(crate) fn add(
        &self,
        new: Entry,
        is_before: impl Fn(When) -> bool,
        chance: impl FnOnce() -> u32,
    ) -> Option<Entry> {
        add(&self.0, new, is_before, chance)
    }
}

#[inline(always)]
fn add<const N: usize>(
    cells: &[[AtomicU64; 2]; N],
    new: Entry,
    is_before: impl Fn(When) -> bool,
    chance: impl FnOnce() -> u32,
) -> Option<Entry> {
    let (mut place, mut reads) = (None, 0u32);
    for (at, [when, what]) in cells.iter().enumerate() {
        let when_then = when.load(Relaxed);
        if when_then == 0 {
            place = Some(at);
            continue;
        }
        let old = Entry::of(when_then, what.load(Relaxed));
        if old.when == new.when && old.access == new.access && old.mask | new.mask == old.mask {
            return None;
        }
        if is_before(old.when) {
            if new.access.replaces(old.access) && old.mask & !new.mask == 0 {
                when.store(0, Relaxed);
                place = Some(at);
            }
        } else if old.conflicts(new) {
            return Some(old);
        }
        reads |= u32::from(!old.access.writes()) << at;
    }
    let at = place.unwrap_or_else(|| {
        let any = if reads == 0 { (1 << N) - 1 } else { reads };
        let skipped = chance() % any.count_ones();
        (0..skipped).fold(any, |left, _| left & (left - 1)).trailing_zeros() as usize
    });
    cells[at][1].store(new.what(), Relaxed);
    cells[at][0].store(new.when.0, Relaxed);
    None
}

/// Number of earlier values that are kept.
const KEPT: usize = 3;

/// The values that eight aligned bytes had before the last writes.
#[repr(align(64))]
pub(crate) struct History {
    /// Number of writes so far, then the bytes that each kept write changed, one bit each.
    writes: AtomicU64,
    kept: [[AtomicU64; 2]; KEPT],
}

impl History {
    /// Keeps the value before a write to the bytes in `mask`.
    pub(crate) fn keep(&self, when: When, mask: u8, before: u64) {
        let writes = self.writes.load(Relaxed);
        let at = (writes % 256) as usize % KEPT;
        self.kept[at][1].store(before, Relaxed);
        self.kept[at][0].store(when.0, Relaxed);
        let masks = writes & !(0xff << (8 + 8 * at)) | u64::from(mask) << (8 + 8 * at);
        // The count stays below 256 and keeps its remainder.
        let count = writes % 256 + 1;
        let count = if count == 255 { KEPT as u64 } else { count };
        self.writes.store(masks & !0xff | count, Relaxed);
    }

    /// Calls `each` with the values of the eight bytes that a thread may read instead of `now`, the latest first. The
    /// thread reads the bytes in `mask`. It may not read a value that was overwritten before, by `is_before`.
    pub(crate) fn permitted(
        &self,
        now: u64,
        mask: u8,
        is_before: impl Fn(When) -> bool,
        mut each: impl FnMut(u64),
    ) {
        let writes = self.writes.load(Relaxed);
        let count = (writes % 256) as usize;
        let mut value = now;
        for back in 1..=count.min(KEPT) {
            let at = (count - back) % KEPT;
            let changed = (writes >> (8 + 8 * at)) as u8;
            if changed & mask == 0 {
                continue;
            }
            if is_before(When(self.kept[at][0].load(Relaxed))) {
                return;
            }
            let bytes = spread(changed);
            value = value & !bytes | self.kept[at][1].load(Relaxed) & bytes;
            each(value);
        }
    }
}

/// Returns the mask of all bits of the bytes in `mask`.
fn spread(mask: u8) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| if mask >> byte & 1 != 0 { 0xff } else { 0 }))
}

/// The data about the arena.
pub(crate) struct Shadow {
    pub(crate) arena: usize,
    cells: usize,
    history: usize,
    pages: usize,
}

const CELLS: usize = ARENA / 4 * size_of::<Cell>();
const HISTORY: usize = ARENA / 8 * size_of::<History>();
const PAGES: usize = ARENA / PAGE * size_of::<Page>();

static SHADOW: OnceLock<Option<Shadow>> = OnceLock::new();

/// Returns the data about the arena, which is reserved when it is first needed. Returns `None` if the process may not use
/// that many addresses.
pub(crate) fn shadow() -> Option<&'static Shadow> {
    let reserve = || {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let arena = memory::arena()?;
        let [cells, history, pages] = [CELLS, HISTORY, PAGES].map(|bytes| memory::reserve(bytes, access));
        Some(Shadow { arena, cells: cells?, history: history?, pages: pages? })
    };
    SHADOW.get_or_init(reserve).as_ref()
}

/// Returns `true` if the arena is checked.
pub(crate) fn is_on() -> bool {
    matches!(SHADOW.get(), Some(Some(_)))
}

impl Shadow {
    /// Returns the data about the word of four bytes that contains an address.
    pub(crate) fn cell(&self, address: usize) -> &Cell {
        debug_assert!(address - self.arena < ARENA);
        // SAFETY: the array has an element for every word of the arena and is never unmapped. All elements are atomics,
        // which are valid when zero.
        unsafe { &*(self.cells as *const Cell).add((address - self.arena) / 4) }
    }

    /// Returns the data about the page that contains an address.
    pub(crate) fn page(&self, address: usize) -> &Page {
        debug_assert!(address - self.arena < ARENA);
        // SAFETY: the same as for `cell`.
        unsafe { &*(self.pages as *const Page).add((address - self.arena) / PAGE) }
    }

    /// Forgets everything about the pages of a new array, which belongs to `owner`. `born` is the number of the last
    /// operation that began before. The data about words need no change, because they belong to operations up to this
    /// number.
    pub(crate) fn renew(&self, address: usize, bytes: usize, owner: Owner, born: u32) {
        let owner = match owner {
            Owner::Host => 0,
            Owner::Device(device) => u64::from(device) + 1,
            Owner::Pool(device) => u64::from(device + IN_POOL) + 1,
        };
        for at in (address / PAGE * PAGE..address + bytes).step_by(PAGE) {
            let page = self.page(at);
            page.has_words.store(0, Relaxed);
            page.whole.iter().for_each(|[when, _]| when.store(0, Relaxed));
            page.born.store(owner << 32 | u64::from(born), Relaxed);
        }
    }

    /// Returns the earlier values of the eight aligned bytes that contain an address.
    pub(crate) fn history(&self, address: usize) -> &History {
        debug_assert!(address - self.arena < ARENA);
        // SAFETY: the same as for `cell`.
        unsafe { &*(self.history as *const History).add((address - self.arena) / 8) }
    }
}

/// Calls `each` with every aligned part of a range of addresses: its address, rounded down to a multiple of `size`, and
/// the mask of its bytes if `size` is at most 8. Stops at the first error.
pub(crate) fn parts<E>(
    address: usize,
    bytes: usize,
    size: usize,
    mut each: impl FnMut(usize, u8) -> Result<(), E>,
) -> Result<(), E> {
    let (mut at, end) = (address, address + bytes);
    while at < end {
        let base = at / size * size;
        let until = (base + size).min(end);
        // The mask is meaningful for sizes of up to eight bytes.
        let bits = |bytes: usize| (1u16 << bytes.min(8)) - 1;
        let mask = bits(until - base) & !bits(at - base);
        each(base, mask as u8)?;
        at = base + size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Cell {
        Cell(Default::default())
    }

    fn entry(thread: u32, time: u32, access: Access) -> Entry {
        Entry { when: When::new(1, thread, time), access, mask: 0xf, bytes: 4, device: 0, from: 7 }
    }

    const NEVER: fn(When) -> bool = |_| false;
    const ALWAYS: fn(When) -> bool = |_| true;

    #[test]
    fn entries_are_stored_whole() {
        let one = Entry { mask: 3, bytes: 2, device: 7, ..entry(65_535, LATEST, Access::Acquire) };
        assert_eq!(Entry::of(one.when.0, one.what()), one);
        let when = When::new((1 << 24) - 1, 5, 9);
        assert_eq!((when.operation(), when.thread(), when.time()), ((1 << 24) - 1, 5, 9));
    }

    #[test]
    fn unordered_accesses_conflict_unless_both_are_reads_or_strong() {
        use Access::*;
        let all = [Read, Write, StrongRead, StrongWrite, Atomic, Release, Acquire];
        for first in all {
            for second in all {
                let cell = cell();
                assert_eq!(cell.add(entry(0, 1, first), NEVER, || 0), None);
                let found = cell.add(entry(1, 1, second), NEVER, || 0);
                let is_race =
                    (first.writes() || second.writes()) && !(first.is_strong() && second.is_strong());
                assert_eq!(found.is_some(), is_race, "{first:?} {second:?}");
                assert_eq!(
                    cell.add(entry(2, 1, Write), ALWAYS, || 0),
                    None,
                    "ordered accesses never conflict"
                );
            }
        }
    }

    #[test]
    fn strong_accesses_of_two_devices_conflict_unless_both_are_of_system_scope() {
        use Access::*;
        for first in [StrongRead, StrongWrite, Atomic, Release, Acquire, SystemAtomic, SystemRelease] {
            for second in [StrongWrite, Atomic, Release, SystemAtomic, SystemRelease] {
                let cell = cell();
                assert_eq!(cell.add(entry(0, 1, first), NEVER, || 0), None);
                let found = cell.add(Entry { device: 1, ..entry(1, 1, second) }, NEVER, || 0);
                let is_race = !(first.is_system() && second.is_system());
                assert_eq!(found.is_some(), is_race, "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn parts_of_words_and_sizes_differ() {
        let cell = cell();
        let half = |mask, access| Entry { mask, bytes: 2, ..entry(0, 1, access) };
        assert_eq!(cell.add(half(3, Access::Write), NEVER, || 0), None);
        assert_eq!(cell.add(half(12, Access::Write), NEVER, || 0), None);
        assert!(cell.add(entry(1, 1, Access::Read), NEVER, || 0).is_some());
        let cell = self::cell();
        assert_eq!(cell.add(entry(0, 1, Access::Atomic), NEVER, || 0), None);
        let wide = Entry { bytes: 8, ..entry(1, 1, Access::Atomic) };
        assert!(cell.add(wide, NEVER, || 0).is_some(), "atomics of different sizes");
    }

    #[test]
    fn a_write_is_remembered_among_many_reads() {
        let cell = cell();
        assert_eq!(cell.add(entry(0, 1, Access::Write), ALWAYS, || 0), None);
        for thread in 1..20 {
            assert_eq!(cell.add(entry(thread, 1, Access::Read), ALWAYS, || thread), None);
        }
        assert_eq!(cell.add(entry(30, 1, Access::Read), NEVER, || 0), Some(entry(0, 1, Access::Write)));
    }

    #[test]
    fn old_values_end_at_the_first_write_that_is_known() {
        let history = History { writes: AtomicU64::new(0), kept: Default::default() };
        let values = |mask, known: u32| {
            let mut found = Vec::new();
            history.permitted(u64::MAX, mask, |when| when.time() <= known, |value| found.push(value));
            found
        };
        assert_eq!(values(0xff, 0), []);
        for time in 1..=400u32 {
            history.keep(When::new(1, 0, time), 0xff, u64::from(time));
        }
        assert_eq!(values(0xff, 0), [400, 399, 398]);
        assert_eq!(values(0xff, 398), [400, 399]);
        assert_eq!(values(0xff, 400), []);
        history.keep(When::new(1, 0, 401), 0x0f, 7);
        assert_eq!(values(0x0f, 400), [u64::MAX << 32 | 7]);
        assert_eq!(values(0xf0, 398), [400, 399], "a write of other bytes is skipped");
    }

    #[test]
    fn ranges_have_parts() {
        let parts_of = |address, bytes, size| {
            let mut found = Vec::new();
            let done = parts(address, bytes, size, |at, mask| {
                found.push((at, mask));
                Ok::<(), ()>(())
            });
            assert_eq!(done, Ok(()));
            found
        };
        assert_eq!(parts_of(8, 8, 4), [(8, 15), (12, 15)]);
        assert_eq!(parts_of(9, 2, 4), [(8, 6)]);
        assert_eq!(parts_of(14, 4, 8), [(8, 0xc0), (16, 3)]);
        assert_eq!(parts_of(8, 16, 8), [(8, 0xff), (16, 0xff)]);
    }
}

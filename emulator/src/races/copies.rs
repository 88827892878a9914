//! Copies and fills. Each is an operation of its stream, checked against the launches and copies of other streams.
//!
//! Of the host's memory, only the page-locked part is checked: the device accesses it while the host continues. The
//! host's own accesses are not seen. Copies from and to other host memory are complete, for the host, when their call
//! returns.

use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::order::{self, Known, What};
use super::shadow::{Access, Entry, PAGE, Shadow, When, parts, shadow};
use super::{Queued, name};
use crate::memory::{self, ARENA};

/// A copy or a fill.
#[derive(Debug)]
pub(crate) struct Copy {
    /// For messages, for example "copy to the device".
    pub(crate) name: &'static str,
    pub(crate) from: Option<usize>,
    pub(crate) to: usize,
    pub(crate) bytes: usize,
}

/// A part of page-locked host memory that a copy uses.
struct Use {
    range: Range<usize>,
    entry: Entry,
}

/// Uses of host memory that the driver did not allocate, by copies that the host has not waited for.
static USES: Mutex<Vec<Use>> = Mutex::new(Vec::new());

/// Checks a copy and remembers its accesses. `is_locked` tells whether memory that the driver did not allocate is
/// page-locked.
///
/// # Errors
/// Returns a description of the race if the copy conflicts with unordered work.
pub(crate) fn check_copy(
    copy: &Copy,
    queued: Queued,
    is_locked: impl Fn(usize) -> bool,
) -> Result<(), String> {
    let shadow =
        shadow().ok_or("the race detector cannot reserve addresses: is the address space limited?")?;
    let what = What { name: copy.name.to_owned(), threads: 0, object: PathBuf::new() };
    let (operation, known) = order::begin(queued.stream, queued.moment, Arc::new(what));
    let when = When::new(operation, 0, 1);
    let entry = |access| Entry { when, access, mask: 0, bytes: 0, device: 0, from: 0 };
    let sides = copy.from.map(|from| (from, Access::Read)).into_iter().chain([(copy.to, Access::Write)]);
    for (address, access) in sides {
        let old = if address.wrapping_sub(shadow.arena) < ARENA {
            in_arena(shadow, address, copy.bytes, entry(access), &known).err()
        } else if is_locked(address) {
            in_host(address..address + copy.bytes, entry(access), &known).map(|old| (address, old))
        } else {
            None
        };
        if let Some((at, old)) = old {
            let kind = if access.writes() { "write" } else { "read" };
            return Err(format!(
                "a data race: the {kind} of a {} is not ordered with {}, at {}",
                copy.name,
                name(old, None),
                memory::describe(at)
            ));
        }
    }
    // Copies to ordinary memory are complete when the call returns.
    let to_host = copy.to.wrapping_sub(shadow.arena) >= ARENA;
    if to_host && !is_locked(copy.to) {
        order::host_waits(&known);
    }
    Ok(())
}

fn in_arena(
    shadow: &Shadow,
    address: usize,
    bytes: usize,
    entry: Entry,
    known: &Known,
) -> Result<(), (usize, Entry)> {
    // Most words have been accessed by the same operation.
    let last = Cell::new(0);
    parts(address, bytes, PAGE, |first, _| {
        let page = shadow.page(first);
        let born = page.born();
        let is_before = |when: When| {
            let operation = when.operation();
            if operation <= born || operation == last.get() {
                return true;
            }
            let is_before = order::is_before(operation, known);
            if is_before {
                last.set(operation);
            }
            is_before || order::is_published(when, known.moment)
        };
        let (start, end) = (address.max(first), (address + bytes).min(first + PAGE));
        if end - start == PAGE
            && let Some(added) = page.add(entry, is_before)
        {
            return added.map_err(|old| (first, old));
        }
        parts(start, end - start, 4, |at, mask| {
            let entry = Entry { mask, ..entry };
            let found = page.check(entry, is_before);
            let found = found.or_else(|| shadow.cell(at).add(entry, is_before, || at as u32 >> 2));
            found.map_or(Ok(()), |old| Err((at, old)))
        })
    })
}

fn in_host(range: Range<usize>, entry: Entry, known: &Known) -> Option<Entry> {
    let mut uses = USES.lock().unwrap_or_else(PoisonError::into_inner);
    uses.retain(|old| !order::is_done(old.entry.when.operation()));
    let conflicts = |old: &&Use| {
        let overlaps = old.range.start < range.end && range.start < old.range.end;
        let writes = old.entry.access.writes() || entry.access.writes();
        overlaps && writes && !order::is_before(old.entry.when.operation(), known)
    };
    let found = uses.iter().find(conflicts).map(|old| old.entry);
    uses.push(Use { range, entry });
    found
}

/// Forgets the uses of host memory that is no longer page-locked.
pub(crate) fn unlock(range: Range<usize>) {
    let mut uses = USES.lock().unwrap_or_else(PoisonError::into_inner);
    uses.retain(|old| old.range.end <= range.start || old.range.start >= range.end);
}

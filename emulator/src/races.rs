//! The race detector. It finds pairs of accesses to the device's memory that no synchronization orders, whatever the
//! order in which the emulator happened to run them. At least one access of a pair is a write, and at least one is plain:
//! neither an atomic nor volatile.
//!
//! - The compiler reports every plain and volatile access of a kernel (`device/races.h`); atomics report themselves.
//! - `clocks.rs` keeps a vector clock per thread, which barriers, fences and releasing or acquiring accesses advance.
//! - `systems.rs` has what threads of launches on several devices release to each other.
//! - `order.rs` orders launches, copies and fills, by streams, events and the host's waiting.
//! - `shadow.rs` remembers the last accesses to every word, and its last values, from which a permitted stale read
//!   (`load_stale`) chooses.
//! - `copies.rs` checks copies and fills.

mod clocks;
mod copies;
mod order;
mod shadow;
mod systems;

use std::cell::Cell;
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use self::copies::{Copy, check_copy, unlock};
pub(crate) use self::order::{
    Known, What, host_waits, host_waits_for, moment, new_stream, reached, stream_waits,
};
pub(crate) use self::shadow::is_on;

use self::clocks::{Clocks, Scope};
use self::shadow::{Access, Entry, MOST_THREADS, Shadow, When, parts, shadow};
use crate::chance::Chance;
use crate::memory::{self, ARENA, Owner};
use crate::module;
use crate::peers;

/// Position of a launch in the order of all work: its stream, and the host's moment when the launch was queued.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Queued {
    pub(crate) stream: u32,
    pub(crate) moment: u32,
}

/// A kernel's object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) kernel: String,
    pub(crate) object: PathBuf,
    /// Address at which the object was loaded.
    pub(crate) base: usize,
}

/// Begins to remember whose memory arrays are, before the first of them.
pub(crate) fn begin() {
    shadow();
}

/// Forgets what happened to earlier arrays at the addresses of a new one.
pub(crate) fn renew(address: usize, bytes: usize, owner: Owner) {
    if is_on()
        && let Some(shadow) = shadow()
    {
        shadow.renew(address, bytes, owner, order::last());
        systems::forget(address as u64..(address + bytes) as u64);
    }
}

/// A conflict of an access to the word at an address.
enum Conflict {
    /// It is not ordered with this access.
    Race(usize, Entry),
    /// The word belongs to a device whose memory the launch may not access.
    NoAccess(usize),
}

/// The detector of one launch.
pub(crate) struct Races {
    shadow: &'static Shadow,
    clocks: Clocks,
    operation: u32,
    device: u32,
    known: Known,
    /// Operations that are known to have happened before the launch, at their numbers' remainders.
    before: [Cell<u32>; 64],
    code: Code,
    chance: Chance,
    per_block: u32,
}

impl Races {
    /// Begins a launch.
    ///
    /// # Errors
    /// Returns the reason if the launch cannot be checked.
    pub(crate) fn new(
        code: Code,
        device: u32,
        (blocks, per_block): (u32, u32),
        seed: u64,
        queued: Queued,
    ) -> Result<Races, String> {
        let shadow =
            shadow().ok_or("the race detector cannot reserve addresses: is the address space limited?")?;
        if blocks * per_block > MOST_THREADS {
            return Err(format!("the race detector supports launches of up to {MOST_THREADS} threads"));
        }
        let what = What { name: code.kernel.clone(), threads: per_block, object: code.object.clone() };
        let (operation, known) = order::begin(queued.stream, queued.moment, Arc::new(what));
        let clocks = Clocks::new(operation, blocks, per_block, known.moment);
        let before = std::array::from_fn(|_| Cell::new(0));
        let chance = Chance::of(seed ^ 0x5261_6365);
        Ok(Races { shadow, clocks, operation, device, known, before, code, chance, per_block })
    }

    /// Returns the start and the size of the memory whose accesses are checked.
    pub(crate) fn range(&self) -> (u64, u64) {
        (self.shadow.arena as u64, ARENA as u64)
    }

    /// Orders the threads of a block that leave a barrier. `lanes` has the lanes of each warp.
    pub(crate) fn meet(&mut self, block: u32, lanes: &[u32]) {
        let first = block * self.per_block;
        let of_warp = |(warp, &lanes): (usize, &u32)| {
            (0..32)
                .filter(move |lane| lanes >> lane & 1 != 0)
                .map(move |lane| first + warp as u32 * 32 + lane)
        };
        self.clocks.meet(lanes.iter().enumerate().flat_map(of_warp));
    }

    /// Orders lanes of a warp that leave `__syncwarp`.
    pub(crate) fn meet_in_warp(&mut self, block: u32, warp: u32, lanes: u32) {
        let first = block * self.per_block + warp * 32;
        self.clocks.meet((0..32).filter(|lane| lanes >> lane & 1 != 0).map(|lane| first + lane));
    }

    pub(crate) fn fence(&mut self, thread: u32, scope: u32) {
        self.clocks.fence(thread, Scope::of(scope));
    }

    /// Checks and remembers an access that a thread makes next.
    ///
    /// # Errors
    /// Returns a description of the race if the access conflicts with an unordered one.
    pub(crate) fn access(
        &mut self,
        thread: u32,
        access: u32,
        address: u64,
        bytes: u32,
        from: *const c_void,
    ) -> Result<(), String> {
        let access = Access::of(access);
        let when = When::new(self.operation, thread, self.clocks.now(thread));
        let from = (from as usize).wrapping_sub(self.code.base) as u32;
        let (bytes_of, device) = (bytes.min(255) as u8, self.device as u8);
        let entry = Entry { when, access, mask: 0, bytes: bytes_of, device, from };
        parts(address as usize, bytes as usize, 4, |at, mask| self.remember(at, Entry { mask, ..entry }))
            .map_err(|conflict| self.describe(entry, conflict))?;
        if access.writes() {
            let keep = |at, mask| {
                // SAFETY: the kernel accesses these bytes next. If they are not in an array, this read faults instead, in
                // the same way; an array's other bytes in the same eight are in the same page.
                let before = unsafe { std::ptr::read_volatile(at as *const u64) };
                self.shadow.history(at).keep(when, mask, before);
                Ok::<(), std::convert::Infallible>(())
            };
            let Ok(()) = parts(address as usize, bytes as usize, 8, keep);
        }
        self.synchronize(thread, access, address);
        if self.clocks.is_late(thread) {
            return Err("the race detector cannot count that many barriers and fences of a thread".to_owned());
        }
        Ok(())
    }

    fn remember(&mut self, at: usize, entry: Entry) -> Result<(), Conflict> {
        let random = self.chance.below(1 << 16);
        let (cell, page, thread) = (self.shadow.cell(at), self.shadow.page(at), entry.when.thread());
        if !peers::can_access(self.device, page.owner()) {
            return Err(Conflict::NoAccess(at));
        }
        let born = page.born();
        let is_before = |when: When| when.operation() <= born || self.is_before(thread, when);
        match page.check(entry, is_before).or_else(|| cell.add(entry, is_before, || random)) {
            Some(old) => Err(Conflict::Race(at, old)),
            None => Ok(()),
        }
    }

    /// Returns `true` if an access happened before what a thread does next.
    fn is_before(&self, thread: u32, when: When) -> bool {
        let operation = when.operation();
        if operation == self.operation {
            return self.clocks.is_before(thread, when.thread(), when.time());
        }
        if self.clocks.is_before_elsewhere(thread, operation, when.thread(), when.time()) {
            return true;
        }
        let cached = &self.before[operation as usize % self.before.len()];
        if cached.get() == operation {
            return true;
        }
        if order::is_before(operation, &self.known) {
            cached.set(operation);
            return true;
        }
        let moment = self.clocks.moment(thread);
        order::is_before(operation, &Known::until(moment)) || order::is_published(when, moment)
    }

    /// Applies what an access does to the clocks.
    fn synchronize(&mut self, thread: u32, access: Access, address: u64) {
        match access {
            Access::Read => {}
            Access::Write => self.clocks.overwrite(address),
            Access::StrongRead => self.clocks.read(thread, address, false),
            Access::Acquire | Access::SystemAcquire => {
                self.clocks.read(thread, address, true);
                if access == Access::SystemAcquire {
                    self.clocks.acquire_from_system(thread, address);
                }
                if memory::is_of_host(address as usize) {
                    // The host wrote the word, with release semantics.
                    self.clocks.learn_moment(thread, order::moment());
                }
            }
            Access::StrongWrite
            | Access::Atomic
            | Access::Release
            | Access::SystemAtomic
            | Access::SystemRelease => {
                let keeps = access != Access::StrongWrite;
                if keeps {
                    self.clocks.read(thread, address, false);
                }
                let releases = match access {
                    Access::Release => Some(Scope::Device),
                    Access::SystemRelease => Some(Scope::System),
                    _ => None,
                };
                let released = self.clocks.write(thread, address, keeps, releases);
                if let Some(clock) = released.filter(|_| memory::is_of_host(address as usize)) {
                    order::publish(self.operation, clock.to_vec());
                }
            }
        }
    }

    /// Returns a value that a permitted stale read may return: the current one, or one that a write replaced which did not
    /// happen before the read.
    pub(crate) fn stale(&mut self, thread: u32, address: u64, bytes: u32) -> u64 {
        let (base, shift) = (address as usize / 8 * 8, address as usize % 8 * 8);
        let bits = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        // SAFETY: the kernel reads these bytes. If they are not in an array, this read faults instead, in the same way; an
        // array's other bytes in the same eight are in the same page.
        let now = unsafe { std::ptr::read_volatile(base as *const u64) };
        let mask = ((1u16 << bytes) - 1) << (shift / 8);
        let mut values = [now; 4];
        let mut count = 1;
        let is_before = |when: When| self.is_before(thread, when);
        self.shadow.history(base).permitted(now, mask as u8, is_before, |value| {
            values[count] = value;
            count += 1;
        });
        let chosen = if count == 1 { now } else { values[self.chance.below(count as u32) as usize] };
        chosen >> shift & bits
    }

    /// Describes what is wrong with an access.
    fn describe(&self, new: Entry, conflict: Conflict) -> String {
        let here = place(&self.code.object, new.from);
        let (at, old) = match conflict {
            Conflict::Race(at, old) => (at, old),
            Conflict::NoAccess(at) => {
                return format!(
                    "this {}{here} is in the memory of another device than {}, which may not access it, at {}",
                    new.access.name(),
                    self.device,
                    memory::describe(at)
                );
            }
        };
        format!(
            "a data race: this {}{here} is not ordered with {}, at {}",
            new.access.name(),
            self.name(old),
            memory::describe(at)
        )
    }

    /// Describes an earlier access.
    fn name(&self, old: Entry) -> String {
        let thread = old.when.thread();
        let is_of_this = old.when.operation() == self.operation;
        name(old, is_of_this.then_some((thread / self.per_block, thread % self.per_block)))
    }
}

/// Describes an access. `thread` is its block and thread, if it belongs to the same launch as the access that found it.
fn name(old: Entry, thread: Option<(u32, u32)>) -> String {
    let Some(what) = order::describe(old.when.operation()) else { return "an unknown access".to_owned() };
    if what.threads == 0 {
        return format!(
            "a {}, which {} the memory",
            what.name,
            if old.access.writes() { "writes" } else { "reads" }
        );
    }
    let place = place(&what.object, old.from);
    let kind = old.access.name();
    match thread {
        Some((block, thread)) => format!("a {kind} by block {block} thread {thread}{place}"),
        None => {
            let (block, thread) = (old.when.thread() / what.threads, old.when.thread() % what.threads);
            format!("a {kind} by block {block} thread {thread} of another launch, of {}{place}", what.name)
        }
    }
}

/// Returns the position of a call in a kernel's text, or an empty text if binutils does not find it.
fn place(object: &std::path::Path, from: u32) -> String {
    // The address is that of the instruction after the call.
    module::lines(object, (from as usize).wrapping_sub(1)).unwrap_or_default()
}

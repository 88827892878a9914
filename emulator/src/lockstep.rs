//! Synchronization of threads: the lanes of a warp in a shuffle or a vote, and the threads of a block at a barrier.
//! This module tracks which threads wait, and whether all of them have arrived. It computes the results, and detects
//! groups of threads that can never be complete.

use std::ffi::{CStr, c_char};
use std::fmt;

/// A position in the kernels' text.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) line: u32,
    /// A string in the kernel's object, or null.
    pub(crate) file: *const c_char,
}

impl Site {
    fn name(&self) -> &str {
        if self.file.is_null() {
            return "?";
        }
        // SAFETY: the kernel passed its `__builtin_FILE()`, which lives as long as the running module.
        unsafe { CStr::from_ptr(self.file) }.to_str().unwrap_or("?")
    }

    fn is(&self, other: &Site) -> bool {
        self.line == other.line && (self.file == other.file || self.name() == other.name())
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name(), self.line)
    }
}

/// Names of the collective operations of a warp, by the numbers of `emulator::WarpKind`.
const KINDS: [&str; 12] = [
    "__syncwarp",
    "__shfl_sync",
    "__ballot_sync",
    "__match_any_sync",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__reduce_and_sync",
    "__reduce_or_sync",
    "__reduce_xor_sync",
];
pub(crate) const SYNC: u32 = 0;
const SHUFFLE: u32 = 1;

/// A set of lanes that wait for each other.
struct Group {
    kind: u32,
    mask: u32,
    site: Site,
    arrived: u32,
}

/// State of one warp: its ready lanes, its exited lanes, and the groups in which the remaining lanes wait.
pub(crate) struct Warp {
    /// Lanes that can continue.
    pub(crate) ready: u32,
    /// Lanes that have not exited.
    pub(crate) alive: u32,
    /// Lanes that read the same word repeatedly.
    pub(crate) spinning: u32,
    groups: Vec<Group>,
    values: [u64; 32],
    from: [u32; 32],
    pub(crate) results: [u64; 32],
}

impl Warp {
    pub(crate) fn new(lanes: u32) -> Warp {
        let all = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
        let (groups, values, from, results) = Default::default();
        Warp { ready: all, alive: all, spinning: 0, groups, values, from, results }
    }

    /// Adds a lane to the group of `mask`. Returns `true` if the group is complete. In that case the results are
    /// available, and the other lanes of the group can continue.
    ///
    /// # Errors
    /// Returns a description of the error if the lanes can never all arrive.
    pub(crate) fn arrive(
        &mut self,
        lane: u32,
        kind: u32,
        mask: u32,
        (value, from): (u64, u32),
        site: Site,
    ) -> Result<bool, String> {
        let bit = 1u32 << lane;
        let name = KINDS.get(kind as usize).copied().unwrap_or("?");
        if mask & bit == 0 {
            return Err(format!(
                "{name} at {site}: the mask {mask:08x} does not include the calling lane, {lane}"
            ));
        }
        if mask & !self.alive != 0 {
            let ended = (mask & !self.alive).trailing_zeros();
            return Err(format!(
                "{name} at {site}: lane {ended} has ended, but the mask {mask:08x} includes it"
            ));
        }
        if kind == SHUFFLE && (from > 31 || mask >> from & 1 == 0) {
            return Err(format!(
                "{name} at {site}: reads from lane {from}, which the mask {mask:08x} does not include"
            ));
        }
        self.values[lane as usize] = value;
        self.from[lane as usize] = from;
        let is_same = |group: &Group| group.mask == mask && group.kind == kind && group.site.is(&site);
        let at = match self.groups.iter().position(is_same) {
            Some(at) => at,
            None => {
                self.check_others(lane, mask, name, site)?;
                self.groups.push(Group { kind, mask, site, arrived: 0 });
                self.groups.len() - 1
            }
        };
        let group = &mut self.groups[at];
        group.arrived |= bit;
        if group.arrived != mask {
            return Ok(false);
        }
        let group = self.groups.swap_remove(at);
        self.complete(&group);
        self.ready |= mask & !bit;
        Ok(true)
    }

    /// Returns an error if this lane and another lane wait for each other at different positions.
    fn check_others(&self, lane: u32, mask: u32, name: &str, site: Site) -> Result<(), String> {
        let clashes = |group: &&Group| group.arrived & mask != 0 && group.mask >> lane & 1 != 0;
        let Some(group) = self.groups.iter().find(clashes) else { return Ok(()) };
        let other = (group.arrived & mask).trailing_zeros();
        let kind = KINDS.get(group.kind as usize).copied().unwrap_or("?");
        Err(format!(
            "lanes of a warp synchronize at different positions: lane {lane} in {name} at {site} (mask {mask:08x}), \
             lane {other} in {kind} at {} (mask {:08x})",
            group.site, group.mask
        ))
    }

    /// Computes the result of each lane of the group.
    fn complete(&mut self, group: &Group) {
        let lanes = || (0..32usize).filter(|lane| group.mask >> lane & 1 != 0);
        let values = &self.values;
        let fold = |fold: &dyn Fn(u32, u32) -> u32| {
            u64::from(lanes().map(|lane| values[lane] as u32).reduce(fold).unwrap_or(0))
        };
        let signed = |fold: fn(i32, i32) -> i32| move |a: u32, b: u32| fold(a as i32, b as i32) as u32;
        let all = match group.kind {
            2 => lanes().map(|lane| u64::from(values[lane] != 0) << lane).sum(),
            4 => fold(&u32::wrapping_add),
            5 => fold(&u32::min),
            6 => fold(&u32::max),
            7 => fold(&signed(i32::min)),
            8 => fold(&signed(i32::max)),
            9 => fold(&|a, b| a & b),
            10 => fold(&|a, b| a | b),
            11 => fold(&|a, b| a ^ b),
            _ => 0,
        };
        for lane in lanes() {
            self.results[lane] = match group.kind {
                SHUFFLE => values[self.from[lane] as usize],
                3 => lanes().map(|other| u64::from(values[other] == values[lane]) << other).sum(),
                _ => all,
            };
        }
    }

    /// Marks a lane as exited.
    ///
    /// # Errors
    /// Returns a description of the error if another lane waits for this lane.
    pub(crate) fn end(&mut self, lane: u32) -> Result<(), String> {
        self.alive &= !(1 << lane);
        match self.groups.iter().find(|group| group.mask >> lane & 1 != 0) {
            Some(group) => {
                let name = KINDS.get(group.kind as usize).copied().unwrap_or("?");
                Err(format!("lane {lane} has ended, but others wait for it in {name} at {}", group.site))
            }
            None => Ok(()),
        }
    }

    /// Returns each group of waiting lanes, with a description of what the lanes wait for.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (u32, String)> {
        self.groups.iter().map(|group| {
            let name = KINDS.get(group.kind as usize).copied().unwrap_or("?");
            let missing = group.mask & !group.arrived;
            (group.arrived, format!("{name} at {}, waiting for the lanes {missing:08x}", group.site))
        })
    }
}

/// A barrier of a block.
#[derive(Default)]
pub(crate) struct Barrier {
    /// Kind and position of the barrier at which threads wait, if any.
    what: Option<(u32, Site)>,
    pub(crate) arrived: u32,
    yes: u32,
    pub(crate) result: u32,
}

impl Barrier {
    /// Adds a thread.
    ///
    /// # Errors
    /// Returns a description of the error if other threads wait at another barrier.
    pub(crate) fn arrive(&mut self, kind: u32, predicate: u32, site: Site) -> Result<(), String> {
        match &self.what {
            Some((other, place)) if *other != kind || !place.is(&site) => {
                return Err(format!(
                    "threads of a block wait at different barriers, at {site} and at {place}"
                ));
            }
            _ => self.what = Some((kind, site)),
        }
        self.arrived += 1;
        self.yes += predicate;
        Ok(())
    }

    /// Completes the barrier after all alive threads have arrived: computes the result and resets the barrier.
    pub(crate) fn complete(&mut self) {
        self.result = match self.what {
            Some((1, _)) => u32::from(self.yes > 0),
            Some((2, _)) => u32::from(self.yes == self.arrived),
            _ => self.yes,
        };
        *self = Barrier { result: self.result, ..Barrier::default() };
    }

    /// Returns the position at which threads wait, if any.
    pub(crate) fn site(&self) -> Option<String> {
        self.what.as_ref().map(|(_, site)| site.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Site = Site { line: 7, file: c"a.cuh".as_ptr() };
    const THERE: Site = Site { line: 8, file: c"a.cuh".as_ptr() };

    fn two() -> Warp {
        Warp::new(2)
    }

    #[test]
    fn lanes_get_what_they_ask_for() {
        let mut warp = two();
        assert_eq!(warp.arrive(0, SHUFFLE, 3, (10, 1), HERE), Ok(false));
        assert_eq!(warp.arrive(1, SHUFFLE, 3, (20, 0), HERE), Ok(true));
        assert_eq!(warp.results[..2], [20, 10]);
        for (kind, expected) in [(2, 3), (4, 3), (5, 1), (6, 2), (9, 0), (10, 3), (11, 3)] {
            assert_eq!(warp.arrive(1, kind, 3, (2, 0), HERE), Ok(false));
            assert_eq!(warp.arrive(0, kind, 3, (1, 0), HERE), Ok(true));
            assert_eq!(warp.results[..2], [expected; 2], "{}", KINDS[kind as usize]);
        }
        assert_eq!(warp.arrive(1, 7, 3, (u64::from(u32::MAX), 0), HERE), Ok(false));
        assert_eq!(warp.arrive(0, 7, 3, (1, 0), HERE), Ok(true));
        assert_eq!(warp.results[0], u64::from(u32::MAX));
        assert_eq!(warp.arrive(1, 3, 3, (5, 0), HERE), Ok(false));
        assert_eq!(warp.arrive(0, 3, 3, (5, 0), HERE), Ok(true));
        assert_eq!(warp.results[..2], [3, 3]);
    }

    #[test]
    fn lanes_that_can_never_meet() {
        let refused = |other: (u32, u32, Site)| {
            let mut warp = two();
            assert_eq!(warp.arrive(0, 2, 3, (0, 0), HERE), Ok(false));
            warp.arrive(1, other.0, other.1, (0, 1), other.2).expect_err("they can never meet")
        };
        for other in [(2, 3, THERE), (0, 3, HERE)] {
            assert!(refused(other).contains("different positions"), "{}", refused(other));
        }
        assert!(refused((2, 1, HERE)).contains("the calling lane"));
        let mut warp = two();
        assert_eq!(warp.arrive(0, 0, 3, (0, 0), HERE), Ok(false));
        assert!(warp.end(1).expect_err("lane 0 waits").contains("a.cuh:7"));
        assert!(warp.arrive(0, 0, 3, (0, 0), HERE).expect_err("it has ended").contains("has ended"));
        assert!(two().arrive(0, SHUFFLE, 1, (0, 1), HERE).expect_err("not named").contains("lane 1"));
    }

    #[test]
    fn barriers() {
        for (kind, [none, some, all]) in [(1, [0, 1, 1]), (2, [0, 0, 1]), (3, [0, 1, 2])] {
            for (votes, expected) in [([0, 0], none), ([1, 0], some), ([1, 1], all)] {
                let mut barrier = Barrier::default();
                votes
                    .iter()
                    .for_each(|&vote| barrier.arrive(kind, vote, HERE).expect("the barrier is the same"));
                barrier.complete();
                assert_eq!((barrier.result, barrier.arrived), (expected, 0));
            }
        }
        let mut barrier = Barrier::default();
        barrier.arrive(0, 0, HERE).expect("the first");
        assert!(barrier.arrive(0, 0, THERE).expect_err("elsewhere").contains("a.cuh:8"));
    }
}

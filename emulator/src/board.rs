//! The state of a launch, which is shared by its fibers (one per CUDA thread) and their scheduler, and the functions
//! that kernels call. A thread that has not exited is in one of three states: it is ready to run, it waits for other
//! threads of its warp or its block, or it waits for a word to change.
//!
//! Only one host thread uses this state. Fibers and the scheduler alternate, and no borrow lasts across a switch.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};

use corosensei::Yielder;

use crate::chance::{Chance, first_from};
use crate::lockstep::{Barrier, SYNC, Site, Warp};
use crate::machine::Machine;
use crate::races::Races;

/// Nanoseconds by which the device's clock advances per turn of a thread. With this value, a time slice of 100 ms is
/// ten million turns, so nearly every run of the tests needs only one launch, although the host takes longer than 10 ns
/// for a turn. Progress is reported every 5 ms of this clock, which is often enough for tests that wait for a report.
const TURN: u64 = 10;

/// Number of consecutive idle rounds after which a launch counts as hanging. In an idle round, all threads only reread
/// the words for which they wait.
const IDLE_ROUNDS: u32 = 100;

/// Number of accesses that threads may make before their turns end, until the scheduler chooses among all blocks and
/// warps. Otherwise a launch that almost never leaves a warp would not end if the warp polls a word.
const FAIR: u64 = 1 << 20;

/// A block's threads.
pub(crate) struct Block {
    warps: Vec<Warp>,
    /// Bitmap of the warps with a lane that can continue.
    ready: u64,
    barrier: Barrier,
    /// Bitmap of the lanes of each warp that wait at the barrier.
    at_barrier: Vec<u32>,
    alive: u32,
    /// For each thread, the word that it last read with acquire semantics: the word's address and value.
    acquired: Vec<(usize, u64)>,
}

/// Position of the running thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At {
    pub(crate) block: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
}

impl At {
    pub(crate) fn thread(self) -> u32 {
        self.warp * 32 + self.lane
    }
}

/// A launch.
pub(crate) struct Board {
    pub(crate) threads: u32,
    blocks: RefCell<Vec<Block>>,
    chance: RefCell<Chance>,
    at: Cell<At>,
    /// The yielder of each fiber, with which the fiber suspends itself.
    pub(crate) yielders: Vec<Cell<*const Yielder<(), ()>>>,
    failure: RefCell<Option<String>>,
    clock: Cell<u64>,
    /// `true` if a thread did something since the last idle round.
    moved: Cell<bool>,
    idle: Cell<u32>,
    /// Turns left before this launch lets others have theirs, if some may run at the same time.
    turns_left: Cell<u32>,
    /// `true` if threads were woken since the others had their turns, because all of them waited.
    was_idle: Cell<bool>,
    /// `true` if this launch may be idle for any number of rounds, because others may change the words for which it waits.
    may_wait: Cell<bool>,
    /// `true` if the running thread has ended before the end of the kernel.
    has_left: Cell<bool>,
    /// Number of accesses that the running thread may make in its turn.
    given: Cell<i32>,
    /// Number of accesses in turns that ended because of their number.
    used: Cell<u64>,
    /// The race detector, if it is on.
    races: Option<RefCell<Races>>,
    /// Position of the access that the race detector is checking, or 0. If the address is invalid, the detector faults
    /// in place of the kernel.
    checking: Cell<usize>,
}

/// The scheduler's choice.
pub(crate) enum Turn {
    Of(At),
    Nobody,
    Stuck(String),
}

impl Board {
    pub(crate) fn new(blocks: u32, threads: u32, seed: u64, clock: u64, races: Option<Races>) -> Board {
        let warps = threads.div_ceil(32);
        let block = || Block {
            warps: (0..warps).map(|warp| Warp::new((threads - warp * 32).min(32))).collect(),
            ready: if warps == 64 { u64::MAX } else { (1 << warps) - 1 },
            barrier: Barrier::default(),
            at_barrier: vec![0; warps as usize],
            alive: threads,
            acquired: vec![(0, 0); threads as usize],
        };
        Board {
            threads,
            blocks: RefCell::new((0..blocks).map(|_| block()).collect()),
            chance: RefCell::new(Chance::of(seed)),
            at: Cell::default(),
            yielders: (0..blocks * threads).map(|_| Cell::new(std::ptr::null())).collect(),
            failure: RefCell::default(),
            clock: Cell::new(clock),
            moved: Cell::new(true),
            idle: Cell::new(0),
            turns_left: Cell::new(0),
            was_idle: Cell::new(false),
            may_wait: Cell::new(false),
            has_left: Cell::new(false),
            given: Cell::new(0),
            used: Cell::new(0),
            races: races.map(RefCell::new),
            checking: Cell::new(0),
        }
    }

    pub(crate) fn clock(&self) -> u64 {
        self.clock.get()
    }

    /// Returns the position in the kernel of a fault at an instruction.
    pub(crate) fn position(&self, instruction: usize) -> usize {
        match self.checking.get() {
            0 => instruction,
            // The address behind the call.
            after => after - 1,
        }
    }

    /// Takes the error of the launch, if any.
    pub(crate) fn take_failure(&self) -> Option<String> {
        self.failure.borrow_mut().take()
    }

    /// Returns the running thread's name, for messages.
    pub(crate) fn who(&self) -> String {
        let at = self.at.get();
        format!("block {} thread {}", at.block, at.thread())
    }

    /// Chooses the next thread, and the number of accesses that this thread may make before a switch.
    pub(crate) fn next(&self) -> (Turn, i32) {
        let chance = &mut *self.chance.borrow_mut();
        let blocks = &mut *self.blocks.borrow_mut();
        let mut at = self.at.get();
        let count = blocks.len() as u32;
        let must_leave = self.used.get() >= FAIR;
        if must_leave {
            self.used.set(0);
        }
        loop {
            let stays =
                !must_leave && blocks[at.block as usize].ready != 0 && (count == 1 || !chance.leaves_block());
            if !stays {
                let start = chance.below(count);
                let ready = |block: &u32| blocks[*block as usize].ready != 0;
                match (0..count).map(|i| (start + i) % count).find(ready) {
                    Some(block) => at.block = block,
                    None if self.wake_all(blocks) => continue,
                    None => return (self.stuck(blocks), 0),
                }
            }
            break;
        }
        let block = &mut blocks[at.block as usize];
        if must_leave || block.ready >> at.warp & 1 == 0 || chance.leaves_warp() {
            at.warp = chance.bit_of(block.ready);
            at.lane = chance.below(32);
        }
        let warp = &mut block.warps[at.warp as usize];
        at.lane = first_from(u64::from(warp.ready) << 32 | u64::from(warp.ready), at.lane) % 32;
        warp.ready &= !(1 << at.lane);
        if warp.ready == 0 {
            block.ready &= !(1 << at.warp);
        }
        self.at.set(at);
        self.clock.set(self.clock.get() + TURN);
        let touches = chance.touches();
        self.given.set(touches);
        (Turn::Of(at), touches)
    }

    /// Wakes all threads that read a word repeatedly. Returns `false` if there are no such threads, or if there were
    /// too many idle rounds.
    fn wake_all(&self, blocks: &mut [Block]) -> bool {
        self.idle.set(if self.moved.replace(false) { 0 } else { self.idle.get().saturating_add(1) });
        self.was_idle.set(true);
        (self.idle.get() < IDLE_ROUNDS || self.may_wait.get()) && wake(blocks)
    }

    /// Counts a turn of a launch that runs at the same time as others. Returns `None` if the launch keeps the baton.
    /// Otherwise returns whether its threads did anything but wait, and begins its next share of turns.
    pub(crate) fn end_share(&self) -> Option<bool> {
        self.turns_left.set(self.turns_left.get().saturating_sub(1));
        if self.turns_left.get() > 0 && !self.was_idle.replace(false) {
            return None;
        }
        // Some shares are short and some are long.
        let mut chance = self.chance.borrow_mut();
        self.turns_left.set(1 << chance.below(12));
        Some(self.moved.get() || self.idle.get() == 0)
    }

    /// Sets whether this launch may wait for others.
    pub(crate) fn wait_for_others(&self, waits: bool) {
        self.may_wait.set(waits);
    }

    /// Returns the outcome if no thread can continue: all have exited, or the launch hangs.
    fn stuck(&self, blocks: &[Block]) -> Turn {
        if blocks.iter().all(|block| block.alive == 0) {
            return Turn::Nobody;
        }
        Turn::Stuck(blocks.iter().enumerate().map(|(b, block)| block.waiting(b)).collect())
    }

    /// Marks the running thread as exited if it ended before the end of the kernel.
    pub(crate) fn end_if_left(&self) {
        if self.has_left.replace(false) {
            self.end();
        }
    }

    /// Marks the running thread as exited.
    pub(crate) fn end(&self) {
        let at = self.at.get();
        self.moved.set(true);
        let mut blocks = self.blocks.borrow_mut();
        let block = &mut blocks[at.block as usize];
        block.alive -= 1;
        if let Err(error) = block.warps[at.warp as usize].end(at.lane) {
            self.failure.replace(Some(error));
        }
        // A barrier does not wait for exited threads.
        if block.barrier.arrived > 0 && block.barrier.arrived == block.alive {
            self.order_block(at.block, &block.at_barrier);
            block.pass_barrier();
        }
    }

    /// Tells the race detector that threads of a block leave a barrier.
    fn order_block(&self, block: u32, lanes: &[u32]) {
        if let Some(races) = &self.races {
            races.borrow_mut().meet(block, lanes);
        }
    }

    /// Calls the race detector for the running thread.
    fn detect<T>(&self, work: impl FnOnce(&mut Races, u32) -> T) -> Option<T> {
        let at = self.at.get();
        let thread = at.block * self.threads + at.thread();
        self.races.as_ref().map(|races| work(&mut races.borrow_mut(), thread))
    }

    /// Yields until the scheduler continues this thread.
    fn give_way(&self) {
        let at = self.at.get();
        let yielder = self.yielders[(at.block * self.threads + at.thread()) as usize].get();
        // SAFETY: the running fiber stored a pointer to its own yielder when it began. The yielder lives as long as the
        // fiber.
        unsafe { &*yielder }.suspend(());
    }

    fn fail(&self, message: String) -> ! {
        self.failure.borrow_mut().get_or_insert(message);
        loop {
            // The scheduler sees the failure and never continues this fiber.
            self.give_way();
        }
    }
}

fn wake(blocks: &mut [Block]) -> bool {
    let mut found = false;
    for block in blocks {
        for (at, warp) in block.warps.iter_mut().enumerate() {
            let spinning = std::mem::take(&mut warp.spinning);
            warp.ready |= spinning;
            if spinning != 0 {
                block.ready |= 1 << at;
                found = true;
            }
        }
    }
    found
}

impl Block {
    /// Completes the barrier and makes its threads ready.
    fn pass_barrier(&mut self) {
        self.barrier.complete();
        for (at, waiting) in self.at_barrier.iter_mut().enumerate() {
            let waiting = std::mem::take(waiting);
            self.warps[at].ready |= waiting;
            self.ready |= u64::from(waiting != 0) << at;
        }
    }

    /// Describes what the block's threads wait for, one line per position.
    fn waiting(&self, block: usize) -> String {
        let mut text = String::new();
        for (w, warp) in self.warps.iter().enumerate() {
            for (lanes, what) in warp.waiting() {
                text += &format!("\n  block {block} warp {w} lanes {lanes:08x}: {what}");
            }
            if warp.spinning != 0 {
                let spinning = warp.spinning;
                text += &format!(
                    "\n  block {block} warp {w} lanes {spinning:08x}: waiting for a word that does not \
                              change"
                );
            }
        }
        if let Some(site) = self.barrier.site() {
            let missing: Vec<String> = self.missing().take(4).collect();
            text += &format!(
                "\n  block {block}: {} of {} threads wait at the barrier at {site}; missing for example {}",
                self.barrier.arrived,
                self.alive,
                missing.join(", ")
            );
        }
        text
    }

    /// Returns the threads that have not reached the barrier.
    fn missing(&self) -> impl Iterator<Item = String> {
        self.warps.iter().zip(&self.at_barrier).enumerate().filter_map(|(w, (warp, there))| {
            let missing = warp.alive & !there;
            (missing != 0).then(|| format!("warp {w} lanes {missing:08x}"))
        })
    }
}

/// Returns the board of the calling launch.
///
/// # Safety
/// `board` is the pointer that the scheduler stored in the machine, and the launch is running.
unsafe fn of<'a>(board: *const c_void) -> &'a Board {
    // SAFETY: the caller upholds this function's contract.
    let board = unsafe { &*board.cast::<Board>() };
    board.moved.set(true);
    board
}

/// Lets another thread run first.
extern "C" fn change(board: *const c_void) {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { of(board) };
    let at = board.at.get();
    board.used.set(board.used.get() + board.given.get() as u64);
    {
        let mut blocks = board.blocks.borrow_mut();
        let block = &mut blocks[at.block as usize];
        block.warps[at.warp as usize].ready |= 1 << at.lane;
        block.ready |= 1 << at.warp;
    }
    board.give_way();
}

/// Runs a collective operation of a warp.
extern "C" fn warp(
    board: *const c_void,
    kind: u32,
    mask: u32,
    value: u64,
    from: u32,
    line: u32,
    file: *const c_char,
) -> u64 {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { of(board) };
    let at = board.at.get();
    let At { block, warp, lane } = at;
    let arrived = {
        let mut blocks = board.blocks.borrow_mut();
        let block = &mut blocks[block as usize];
        let mask = if mask == u32::MAX { mask & whole(board.threads, warp) } else { mask };
        let arrived = block.warps[warp as usize].arrive(lane, kind, mask, (value, from), Site { line, file });
        // Only `__syncwarp` orders memory; shuffles and votes do not.
        if let (Some(races), SYNC, Ok(true)) = (&board.races, kind, &arrived) {
            races.borrow_mut().meet_in_warp(at.block, warp, mask);
        }
        block.ready |= u64::from(block.warps[warp as usize].ready != 0) << warp;
        arrived
    };
    match arrived {
        Ok(true) => {}
        Ok(false) => board.give_way(),
        Err(message) => board.fail(message),
    }
    board.blocks.borrow()[block as usize].warps[warp as usize].results[lane as usize]
}

/// Returns the mask of all lanes of a warp. The last warp of a block may have fewer than 32 lanes.
fn whole(threads: u32, warp: u32) -> u32 {
    let lanes = (threads - warp * 32).min(32);
    if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 }
}

/// Runs a barrier of a block.
extern "C" fn meet(board: *const c_void, kind: u32, predicate: u32, line: u32, file: *const c_char) -> u32 {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { of(board) };
    let at = board.at.get();
    let arrived = {
        let mut blocks = board.blocks.borrow_mut();
        let block = &mut blocks[at.block as usize];
        let arrived = block.barrier.arrive(kind, predicate, Site { line, file });
        let is_last = block.barrier.arrived == block.alive;
        block.at_barrier[at.warp as usize] |= 1 << at.lane;
        if is_last {
            board.order_block(at.block, &block.at_barrier);
            // This thread need not be woken.
            block.at_barrier[at.warp as usize] &= !(1 << at.lane);
            block.pass_barrier();
        }
        arrived.map(|()| is_last)
    };
    match arrived {
        Ok(true) => {}
        Ok(false) => board.give_way(),
        Err(message) => board.fail(message),
    }
    board.blocks.borrow()[at.block as usize].barrier.result
}

/// Called before a thread reads a word with acquire semantics. If the word has the same value as at the thread's last
/// such read, other threads run first.
extern "C" fn spin(board: *const c_void, address: *const u64) {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { &*board.cast::<Board>() };
    let at = board.at.get();
    // SAFETY: the kernel is about to read this address. If the address is invalid, this read faults instead, in the
    // same way.
    let seen = (address as usize, unsafe { address.read_volatile() });
    let is_same = {
        let mut blocks = board.blocks.borrow_mut();
        let block = &mut blocks[at.block as usize];
        let before = std::mem::replace(&mut block.acquired[at.thread() as usize], seen);
        if before == seen {
            block.warps[at.warp as usize].spinning |= 1 << at.lane;
        }
        before == seen
    };
    if is_same {
        board.give_way();
    } else {
        board.moved.set(true);
    }
}

/// Wakes spinning threads, because a word that they may wait for has changed.
extern "C" fn wake_spinning(board: *const c_void) {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    wake(&mut unsafe { of(board) }.blocks.borrow_mut());
}

extern "C" fn clock(board: *const c_void) -> u64 {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { of(board) };
    board.clock.set(board.clock.get() + 1);
    board.clock.get()
}

extern "C" fn fail(board: *const c_void, message: *const c_char, line: u32, file: *const c_char) {
    // SAFETY: kernels pass the pointer that the scheduler gave them. The messages are string literals of the kernels.
    let (board, message, file) = unsafe { (of(board), CStr::from_ptr(message), CStr::from_ptr(file)) };
    board.fail(format!("{} at {}:{line}", message.to_string_lossy(), file.to_string_lossy()));
}

/// Reports an access to the device's memory to the race detector.
extern "C" fn access(board: *const c_void, kind: u32, address: u64, bytes: u32, from: *const c_void) {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { &*board.cast::<Board>() };
    board.checking.set(from as usize);
    let found = board.detect(|races, thread| races.access(thread, kind, address, bytes, from));
    board.checking.set(0);
    if let Some(Err(message)) = found {
        board.fail(message);
    }
}

/// Reads a word that other threads may write, as `load_stale` does.
extern "C" fn stale(board: *const c_void, address: u64, bytes: u32) -> u64 {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { &*board.cast::<Board>() };
    board.detect(|races, thread| races.stale(thread, address, bytes)).unwrap_or_default()
}

extern "C" fn fence(board: *const c_void, scope: u32) {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    unsafe { &*board.cast::<Board>() }.detect(|races, thread| races.fence(thread, scope));
}

/// Ends the running thread.
extern "C" fn leave(board: *const c_void) {
    // SAFETY: kernels pass the pointer that the scheduler gave them.
    let board = unsafe { of(board) };
    board.has_left.set(true);
    loop {
        // The scheduler never continues this fiber.
        board.give_way();
    }
}

impl Machine {
    /// Returns the machine of a launch, before its first thread runs.
    pub(crate) fn of(board: &Board, blocks: u32, requested_bytes: u32) -> Machine {
        let (arena, arena_bytes) = board.races.as_ref().map_or((0, 0), |races| races.borrow().range());
        Machine {
            thread: u32::MAX,
            block: 0,
            threads: board.threads,
            blocks,
            until_switch: 0,
            requested_bytes,
            requested: std::ptr::null_mut(),
            board: std::ptr::from_ref(board).cast(),
            change,
            warp,
            meet,
            spin,
            wake: wake_spinning,
            clock,
            fail,
            arena,
            arena_bytes,
            access,
            stale,
            fence,
            leave,
        }
    }
}

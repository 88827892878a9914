//! A launch: one fiber per thread, and the loop that schedules them until all have exited or one has failed.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use corosensei::{Coroutine, CoroutineResult};

use crate::baton::Baton;
use crate::board::{At, Board, Turn};
use crate::fault::{self, Ended};
use crate::machine::{Entry, Machine};
use crate::memory::{self, FILL};
use crate::module::Module;
use crate::races::{Code, Queued, Races};
use crate::settings::settings;
use crate::shared_memory::SharedMemory;
use crate::stack::{self, FiberStack};
use crate::status::{Failure, ILLEGAL_ADDRESS, LAUNCH_FAILED};

/// Time in which no launch makes progress, after which a waiting launch counts as hanging. It must be longer than the host
/// takes to compile and begin the launch for which this one waits.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

type Fiber = Coroutine<(), (), Ended, FiberStack>;

/// Parameters of a launch.
pub(crate) struct Launch {
    pub(crate) entry: *const Entry,
    pub(crate) kernel: String,
    pub(crate) device: u32,
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    pub(crate) requested: u32,
    /// The arguments. Each argument has its own vector of words.
    pub(crate) arguments: Vec<Vec<u128>>,
    pub(crate) seed: u64,
    /// The launch's place in the order of all work, if races are detected.
    pub(crate) queued: Option<Queued>,
    /// If launches on other devices may run at the same time, the time that this one waits for them.
    pub(crate) patience: Option<Duration>,
}

// SAFETY: the entry is a constant of the module, which outlives the launch.
unsafe impl Send for Launch {}

/// Returns the time of the device's clock at the start of a launch. It never decreases from launch to launch.
fn clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
    let last = LAST_CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    now.max(*last)
}

static LAST_CLOCK: Mutex<u64> = Mutex::new(0);

impl Launch {
    /// Runs the kernel to its end. Until then, no other launch can use the module.
    pub(crate) fn run(mut self, module: &Module) -> Result<(), Failure> {
        let failed = |message: String| Failure { status: LAUNCH_FAILED, message };
        let _turn = module.turn();
        let _ready = fault::prepare_thread()
            .map_err(|error| failed(format!("cannot prepare signal handling: {error}")))?;
        let arguments: Vec<*mut c_void> =
            self.arguments.iter_mut().map(|argument| argument.as_mut_ptr().cast()).collect();
        let races = self.races(module).map_err(failed)?;
        let board = Board::new(self.blocks, self.threads, self.seed, clock(), races);
        let count = (self.blocks * self.threads) as usize;
        let stacks =
            stack::take(count).map_err(|error| failed(format!("cannot allocate {count} stacks: {error}")))?;
        let mut fibers: Vec<Fiber> = stacks
            .into_iter()
            .enumerate()
            .map(|(at, stack)| fiber(stack, &board, at, self.entry, &arguments))
            .collect();
        let machine = Machine::of(&board, self.blocks, self.requested);
        // SAFETY: the machine belongs to the module, which no other launch uses while this launch holds the lock.
        unsafe { module.machine.write(machine) };
        let done = self.take_turns(module, &board, &mut fibers);
        let mut last = LAST_CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
        *last = board.clock().max(*last);
        drop(last);
        let free = fibers.into_iter().map(|mut fiber| {
            // SAFETY: kernels have no values on their stacks that must be dropped.
            unsafe { fiber.force_reset() };
            fiber.into_stack()
        });
        stack::give_back(free);
        done
    }

    /// Returns the race detector, if it is on.
    fn races(&self, module: &Module) -> Result<Option<Races>, String> {
        let Some(queued) = self.queued else { return Ok(None) };
        let code = Code { kernel: self.kernel.clone(), object: module.object.clone(), base: module.base };
        Races::new(code, self.device, (self.blocks, self.threads), self.seed, queued).map(Some)
    }

    fn take_turns(&self, module: &Module, board: &Board, fibers: &mut [Fiber]) -> Result<(), Failure> {
        let no_memory =
            || self.failure(LAUNCH_FAILED, "", "cannot reserve addresses for the blocks' shared memory");
        let mut shared = Shared::new(module, self.blocks, self.requested).ok_or_else(no_memory)?;
        let running = Cell::new(None);
        let _watched = fault::watch(&running);
        let is_of = |lost: Option<u32>| lost.is_none_or(|lost| lost == self.device);
        let settings = settings().ok().filter(|settings| is_of(settings.lost_device));
        let mut left = settings.map_or(u64::MAX, |settings| settings.lost);
        let mut baton = self.patience.map(|patience| (Baton::take(), patience));
        loop {
            if let Some((baton, patience)) = &mut baton
                && let Some(moved) = board.end_share()
            {
                board.wait_for_others(baton.pass(moved) < *patience);
            }
            let Some(fewer) = left.checked_sub(1) else {
                return Err(self.failure(LAUNCH_FAILED, "", "the device was lost"));
            };
            left = fewer;
            let (turn, touches) = board.next();
            let at = match turn {
                Turn::Of(at) => at,
                Turn::Nobody => return Ok(()),
                Turn::Stuck(waiting) => {
                    return Err(self.failure(
                        LAUNCH_FAILED,
                        "",
                        &format!("no thread can continue:{waiting}"),
                    ));
                }
            };
            shared.change(module, at.block);
            // SAFETY: this launch holds the module's lock, as in `run`.
            unsafe { module.go(at, touches) };
            let fiber = &mut fibers[(at.block * self.threads + at.thread()) as usize];
            running.set(Some(fiber.trap_handler()));
            match fiber.resume(()) {
                CoroutineResult::Yield(()) => board.end_if_left(),
                CoroutineResult::Return(Ended::Done) => board.end(),
                CoroutineResult::Return(Ended::Fault { signal, address, instruction }) => {
                    let what = if shared.requested.contains(address) {
                        "an access outside the shared memory that the launch requested".to_owned()
                    } else {
                        what(signal, address)
                    };
                    let place = module.place(board.position(instruction));
                    return Err(self.failure(ILLEGAL_ADDRESS, &board.who(), &format!("{what}{place}")));
                }
            }
            if let Some(message) = board.take_failure() {
                return Err(self.failure(LAUNCH_FAILED, &board.who(), &message));
            }
        }
    }

    fn failure(&self, status: u32, who: &str, what: &str) -> Failure {
        let Launch { kernel, seed, blocks, threads, .. } = self;
        let who = if who.is_empty() { String::new() } else { format!(" {who},") };
        let message =
            format!("{kernel},{who} {what} ({blocks} blocks of {threads} threads, launch seed {seed:#x})");
        Failure { status, message }
    }
}

fn what(signal: i32, address: usize) -> String {
    match signal {
        libc::SIGFPE => "a division by zero".to_owned(),
        _ => format!("a read or write at {address:#x}, {}", memory::describe(address)),
    }
}

/// Creates the fiber of one thread, which calls the kernel.
fn fiber(
    stack: FiberStack,
    board: &Board,
    at: usize,
    entry: *const Entry,
    arguments: &[*mut c_void],
) -> Fiber {
    let (board, arguments) = (std::ptr::from_ref(board), arguments.as_ptr());
    Coroutine::with_stack(stack, move |yielder, ()| {
        // SAFETY: the board, the entry and the arguments outlive the launch's fibers, because `run` resets the fibers
        // before it drops these values.
        unsafe {
            (&(*board).yielders)[at].set(std::ptr::from_ref(yielder));
            ((*entry).call)(arguments);
        }
        Ended::Done
    })
}

/// The shared memory of all blocks. While a block runs, its declared shared memory is in the module's data.
struct Shared {
    block: u32,
    declared: Vec<Vec<u8>>,
    requested: SharedMemory,
}

impl Shared {
    fn new(module: &Module, blocks: u32, requested: u32) -> Option<Shared> {
        let declared = (0..blocks).map(|_| vec![FILL; module.shared_bytes()]).collect();
        Some(Shared { block: u32::MAX, declared, requested: SharedMemory::new(blocks, requested)? })
    }

    /// Swaps the shared memory of `block` into the module's data.
    fn change(&mut self, module: &Module, block: u32) {
        if self.block == block {
            return;
        }
        // SAFETY: this launch holds the module's lock, as in `Launch::run`, and there are no references to the module's
        // shared memory.
        unsafe {
            if let Some(before) = self.declared.get_mut(self.block as usize) {
                std::ptr::copy_nonoverlapping(module.shared, before.as_mut_ptr(), before.len());
            }
            let now = &self.declared[block as usize];
            std::ptr::copy_nonoverlapping(now.as_ptr(), module.shared, now.len());
            (*module.machine).requested = self.requested.of(block);
        }
        self.block = block;
    }
}

impl Module {
    /// Sets the kernel's running thread.
    ///
    /// # Safety
    /// The launch must hold the lock of the module.
    unsafe fn go(&self, at: At, touches: i32) {
        // SAFETY: the caller upholds this function's contract.
        let machine = unsafe { &mut *self.machine };
        machine.thread = at.thread();
        machine.block = at.block;
        machine.until_switch = touches;
    }
}

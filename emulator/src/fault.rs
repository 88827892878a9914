//! Faults of kernels: a signal on a fiber ends the fiber, not the process.

use std::cell::Cell;
use std::io;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use corosensei::trap::CoroutineTrapHandler;

/// Way in which a kernel's thread (a fiber) ended.
#[derive(Clone, Copy)]
pub(crate) enum Ended {
    Done,
    Fault { signal: i32, address: usize, instruction: usize },
}

/// The running fiber, if any.
type Running = Cell<Option<CoroutineTrapHandler<Ended>>>;

thread_local! {
    static RUNNING: Cell<*const Running> = const { Cell::new(std::ptr::null()) };
}

const SIGNALS: [i32; 3] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE];
static BEFORE: OnceLock<[libc::sigaction; 3]> = OnceLock::new();

/// Size of the stack on which signals are handled, in bytes. The fiber's own stack may be full.
const SIGNAL_STACK: usize = 64 << 10;

/// Guard. While it is alive, a fault on the fiber passed to [`watch`] ends that fiber instead of the process.
pub(crate) struct Watched;

impl Drop for Watched {
    fn drop(&mut self) {
        RUNNING.set(std::ptr::null());
    }
}

/// Watches the fiber in `running`, on this thread.
pub(crate) fn watch(running: &Running) -> Watched {
    RUNNING.set(running);
    Watched
}

/// A thread's stack for signal handlers.
pub(crate) struct SignalStack {
    before: libc::stack_t,
    _memory: Vec<u8>,
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: the previous stack is restored before this one is freed.
        unsafe { libc::sigaltstack(&self.before, std::ptr::null_mut()) };
    }
}

/// Installs the signal handlers, and gives this thread a stack for them.
pub(crate) fn prepare_thread() -> io::Result<SignalStack> {
    BEFORE.get_or_init(|| SIGNALS.map(install));
    let mut memory = vec![0u8; SIGNAL_STACK];
    let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: SIGNAL_STACK };
    let mut before = MaybeUninit::zeroed();
    // SAFETY: the stack's memory outlives its use, and `before` is valid for writes.
    match unsafe { libc::sigaltstack(&stack, before.as_mut_ptr()) } {
        // SAFETY: the call above has written `before`.
        0 => Ok(SignalStack { before: unsafe { before.assume_init() }, _memory: memory }),
        _ => Err(io::Error::last_os_error()),
    }
}

fn install(signal: i32) -> libc::sigaction {
    // SAFETY: both structs are plain data, for which all zeroes are a valid value. The handler has the signature that
    // SA_SIGINFO requires.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = handle;
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, &action, &mut before);
        before
    }
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes valid pointers, and the cell is alive while it is watched.
    let ended = unsafe { end_fiber(signal, (*info).si_addr() as usize, context) };
    if !ended {
        pass_on(signal);
    }
}

/// Ends the running fiber if it caused the fault. Returns `false` otherwise.
///
/// # Safety
/// Must be called from a signal handler, with the handler's context.
#[cfg(target_arch = "x86_64")]
unsafe fn end_fiber(signal: i32, address: usize, context: *mut libc::c_void) -> bool {
    // SAFETY: the caller upholds this function's contract.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let running = RUNNING.get();
    // SAFETY: the pointer is null unless a fiber is watched, and the cell is alive while it is watched.
    let Some(fiber) = (unsafe { running.as_ref() }).and_then(Cell::get) else { return false };
    if !fiber.stack_ptr_in_bounds(registers[libc::REG_RSP as usize] as usize) {
        return false;
    }
    let instruction = registers[libc::REG_RIP as usize] as usize;
    // SAFETY: the fiber is running, the fault happened on its stack, and all registers are set below.
    let new = unsafe { fiber.setup_trap_handler(move || Ended::Fault { signal, address, instruction }) };
    for (register, value) in [
        (libc::REG_RIP, new.rip),
        (libc::REG_RSP, new.rsp),
        (libc::REG_RBP, new.rbp),
        (libc::REG_RDI, new.rdi),
        (libc::REG_RSI, new.rsi),
    ] {
        registers[register as usize] = value as i64;
    }
    true
}

/// Returns `false`, because on other architectures a fault ends the process.
///
/// # Safety
/// None.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn end_fiber(_: i32, _: usize, _: *mut libc::c_void) -> bool {
    false
}

/// Restores the previous handler. The signal is raised again when this handler returns.
fn pass_on(signal: i32) {
    let before =
        BEFORE.get().and_then(|before| Some(&before[SIGNALS.iter().position(|&other| other == signal)?]));
    if let Some(before) = before {
        // SAFETY: the system returned this action earlier.
        unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
    }
}

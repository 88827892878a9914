//! Data that a kernel's shared object and the scheduler share. `device/prelude.h` declares the same structs.

use std::ffi::{c_char, c_void};

/// The running thread's position, and the scheduler's functions. `emulator::Machine` in `device/prelude.h` has the same
/// fields in the same order.
#[repr(C)]
pub(crate) struct Machine {
    pub(crate) thread: u32,
    pub(crate) block: u32,
    pub(crate) threads: u32,
    pub(crate) blocks: u32,
    /// Number of accesses that the thread may make before the next switch, counting only accesses to memory that other
    /// threads see.
    pub(crate) until_switch: i32,
    pub(crate) requested_bytes: u32,
    pub(crate) requested: *mut u8,
    pub(crate) board: *const c_void,
    pub(crate) change: extern "C" fn(*const c_void),
    pub(crate) warp: extern "C" fn(*const c_void, u32, u32, u64, u32, u32, *const c_char) -> u64,
    pub(crate) meet: extern "C" fn(*const c_void, u32, u32, u32, *const c_char) -> u32,
    pub(crate) spin: extern "C" fn(*const c_void, *const u64),
    pub(crate) wake: extern "C" fn(*const c_void),
    pub(crate) clock: extern "C" fn(*const c_void) -> u64,
    pub(crate) fail: extern "C" fn(*const c_void, *const c_char, u32, *const c_char),
    /// Start and size of the memory whose accesses the race detector checks. The size is 0 without the detector.
    pub(crate) arena: u64,
    pub(crate) arena_bytes: u64,
    pub(crate) access: extern "C" fn(*const c_void, u32, u64, u32, *const c_void),
    pub(crate) stale: extern "C" fn(*const c_void, u64, u32) -> u64,
    pub(crate) fence: extern "C" fn(*const c_void, u32),
    /// Ends the running thread.
    pub(crate) leave: extern "C" fn(*const c_void),
}

/// Description of a kernel for the host (`emulator::Entry` in `device/prelude.h`).
#[repr(C)]
pub(crate) struct Entry {
    pub(crate) parameters: u32,
    pub(crate) most_threads: u32,
    pub(crate) sizes: *const u32,
    pub(crate) call: extern "C" fn(*const *mut c_void),
}

//! What a kernel's shared object and the scheduler share: `emulator::Machine` of `device/prelude.h`.

use std::ffi::{c_char, c_void};

/// Where the running thread is, and what the scheduler does for it. Field for field as in `device/prelude.h`.
#[repr(C)]
pub(crate) struct Machine {
    pub(crate) thread: u32,
    pub(crate) block: u32,
    pub(crate) threads: u32,
    pub(crate) blocks: u32,
    /// Touches of what others see before the thread gives way.
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
}

/// What the host must know of a kernel: `emulator::Entry` of `device/prelude.h`.
#[repr(C)]
pub(crate) struct Entry {
    pub(crate) parameters: u32,
    pub(crate) most_threads: u32,
    pub(crate) sizes: *const u32,
    pub(crate) call: extern "C" fn(*const *mut c_void),
}

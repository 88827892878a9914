//! The devices, their contexts, and the texts of errors.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint};

use super::queues::wait;
use super::{MOST_SHARED, MOST_THREADS, SHARED, give, settled};
use crate::memory;
use crate::peers;
use crate::status::{
    self, INVALID_DEVICE, PEER_ACCESS_ALREADY_ENABLED, PEER_ACCESS_UNSUPPORTED, SUCCESS, Status,
};

const NAME: &CStr = c"wolfpath emulator";
const VERSION: c_int = 13000;

#[unsafe(no_mangle)]
extern "C" fn cuInit(_: c_uint) -> Status {
    settled().map_or_else(|status| status, |_| SUCCESS)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(version, VERSION) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    match settled() {
        // SAFETY: the caller upholds the driver's contract for this function.
        Ok(settings) => unsafe { give(count, settings.devices as c_int) },
        Err(status) => status,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    let devices = match settled() {
        Ok(settings) => settings.devices,
        Err(status) => return status,
    };
    if !u32::try_from(ordinal).is_ok_and(|ordinal| ordinal < devices) {
        return INVALID_DEVICE;
    }
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(device, ordinal) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(to: *mut c_char, room: c_int, _: c_int) -> Status {
    let name = NAME.to_bytes_with_nul();
    let length = name.len().min(usize::try_from(room).unwrap_or(0));
    // SAFETY: the caller upholds the driver's contract, and at most `room` bytes are copied.
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), to.cast(), length) };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _: c_int) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(bytes, memory::TOTAL) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, _: c_int) -> Status {
    let multiprocessors = match settled() {
        Ok(settings) => settings.multiprocessors as c_int,
        Err(status) => return status,
    };
    let answer = match attribute {
        1 | 2 | 39 => MOST_THREADS as c_int, // threads per block, in its first dimension, per multiprocessor
        8 | 97 => {
            if attribute == 8 {
                SHARED as c_int
            } else {
                MOST_SHARED as c_int
            }
        }
        10 => 32,
        16 => multiprocessors,
        19 | 31 | 41 | 95 | 115 => 1, // mapped memory, concurrent kernels, unified addressing, cooperative launch, pools
        75 => 9,
        76 => 0,
        _ => 0,
    };
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(value, answer) }
}

thread_local! {
    /// Device of the thread's current context. Each device has one context, which always exists.
    static CURRENT: Cell<u32> = const { Cell::new(0) };
}

/// Returns the device of the calling thread's current context.
pub(super) fn current() -> u32 {
    CURRENT.get()
}

/// Returns the handle of a device's context, which is never null.
fn context_of(device: u32) -> usize {
    device as usize + 1
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, device: c_int) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function. The device came from `cuDeviceGet`.
    unsafe { give(context, context_of(device as u32)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(_: c_int) -> Status {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: usize) -> Status {
    // A thread without a context uses that of the first device.
    CURRENT.set((context as u32).saturating_sub(1));
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(context: *mut usize) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(context, context_of(current())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> Status {
    let linked = peers::are_linked(device as u32, peer as u32);
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(can, c_int::from(linked)) }
}

/// Returns an attribute of the link between two devices: its rank, whether accesses and atomics are supported.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetP2PAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
    peer: c_int,
) -> Status {
    let linked = peers::are_linked(device as u32, peer as u32);
    let answer = if attribute == 1 { 0 } else { c_int::from(linked) };
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(value, answer) }
}

/// Allows the current device to access the memory of the device with this context.
#[unsafe(no_mangle)]
extern "C" fn cuCtxEnablePeerAccess(context: usize, _: c_uint) -> Status {
    let (device, peer) = (current(), (context as u32).saturating_sub(1));
    if !peers::are_linked(device, peer) {
        return PEER_ACCESS_UNSUPPORTED;
    }
    if peers::enable(device, peer) { SUCCESS } else { PEER_ACCESS_ALREADY_ENABLED }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSynchronize() -> Status {
    // SAFETY: null is the default stream.
    unsafe { wait(std::ptr::null()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(error: Status, name: *mut *const c_char) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(name, status::name(error).as_ptr()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(error: Status, text: *mut *const c_char) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(text, status::text(error).as_ptr()) }
}

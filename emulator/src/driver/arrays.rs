//! Arrays of the device, and page-locked arrays of the host. Copies are complete when the call returns.

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};
use std::sync::{Mutex, PoisonError};

use super::device::current;
use super::queues::{stream, wait};
use super::{give, refused, settled};
use crate::memory::{self, Owner};
use crate::races::{self, Copy};
use crate::settings::settings;
use crate::status::{INVALID_VALUE, LAUNCH_FAILED, OUT_OF_MEMORY, SUCCESS, Status};
use crate::stream::Stream;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe {
        give(free, memory::available(current()));
        give(total, memory::TOTAL)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { allocate(address, bytes, Owner::Device(current())) }
}

/// # Safety
/// `address` must be valid for a write.
unsafe fn allocate(address: *mut u64, bytes: usize, owner: Owner) -> Status {
    match memory::allocate(bytes, owner) {
        // SAFETY: the caller upholds the driver's contract for this function.
        Some(found) => unsafe { give(address, found as u64) },
        None if bytes == 0 => INVALID_VALUE,
        None => OUT_OF_MEMORY,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocAsync(address: *mut u64, bytes: usize, _: *const Stream) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { allocate(address, bytes, Owner::Pool(current())) }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> Status {
    if memory::free(address as usize) { SUCCESS } else { INVALID_VALUE }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFreeAsync(address: u64, stream: *const Stream) -> Status {
    // SAFETY: the caller upholds the driver's contract. The memory is freed even after a failure.
    unsafe { wait(stream) };
    cuMemFree_v2(address)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostAlloc(memory: *mut *mut c_void, bytes: usize, _: c_uint) -> Status {
    match memory::allocate(bytes, Owner::Host) {
        // SAFETY: the caller upholds the driver's contract for this function.
        Some(found) => unsafe { give(memory, found as *mut c_void) },
        None => OUT_OF_MEMORY,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(memory: *mut c_void) -> Status {
    cuMemFree_v2(memory as u64)
}

/// Sizes of the arrays that are page-locked, by address. They are only counted, since the emulated device reads host
/// memory like any other.
static LOCKED: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

#[unsafe(no_mangle)]
extern "C" fn cuMemHostRegister_v2(memory: *mut c_void, bytes: usize, _: c_uint) -> Status {
    let settings = match settled() {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    let mut locked = LOCKED.lock().unwrap_or_else(PoisonError::into_inner);
    if (locked.values().sum::<usize>() + bytes) as u64 > settings.lockable {
        return OUT_OF_MEMORY;
    }
    locked.insert(memory as usize, bytes);
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostUnregister(memory: *mut c_void) -> Status {
    let mut locked = LOCKED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(bytes) = locked.remove(&(memory as usize)) else { return INVALID_VALUE };
    drop(locked);
    races::unlock(memory as usize..memory as usize + bytes);
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostGetDevicePointer_v2(
    address: *mut u64,
    memory: *mut c_void,
    _: c_uint,
) -> Status {
    // SAFETY: the caller upholds the driver's contract. Host and device share their memory.
    unsafe { give(address, memory as u64) }
}

/// Returns `true` if the address is in page-locked memory.
fn is_locked(address: usize) -> bool {
    let locked = LOCKED.lock().unwrap_or_else(PoisonError::into_inner);
    locked.range(..=address).next_back().is_some_and(|(&start, &bytes)| address - start < bytes)
}

/// Waits for all work that was queued before, then copies or fills memory by `work`. For the race detector, the host has
/// not waited: CUDA's call may return earlier.
///
/// # Safety
/// The stream is null or alive.
unsafe fn after_all(handle: *const Stream, copy: &Copy, work: impl FnOnce()) -> Status {
    // SAFETY: the caller upholds this function's contract.
    let stream = match unsafe { stream(handle) } {
        Ok(stream) => stream,
        Err(status) => return status,
    };
    let queued = stream.queued();
    let before = stream.wait();
    if before != SUCCESS {
        return before;
    }
    if settings().is_ok_and(|settings| settings.races)
        && let Err(message) = races::check_copy(copy, queued, is_locked)
    {
        return refused(LAUNCH_FAILED, message);
    }
    work();
    SUCCESS
}

/// Waits for all work that was queued before, then copies memory. `name` is for messages.
///
/// # Safety
/// The same as for the driver's copies.
unsafe fn copy(
    name: &'static str,
    to: *mut u8,
    from: *const u8,
    bytes: usize,
    stream: *const Stream,
) -> Status {
    let described = Copy { name, from: Some(from as usize), to: to as usize, bytes };
    // SAFETY: the caller upholds this function's contract.
    unsafe { after_all(stream, &described, || std::ptr::copy(from, to, bytes)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const u8,
    bytes: usize,
    stream: *const Stream,
) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { copy("copy to the device", to as *mut u8, from, bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut u8,
    from: u64,
    bytes: usize,
    stream: *const Stream,
) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { copy("copy from the device", to, from as *const u8, bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: *const Stream) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { copy("copy within the device", to as *mut u8, from as *const u8, bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD8Async(to: u64, value: u8, bytes: usize, stream: *const Stream) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe {
        let filled = Copy { name: "fill", from: None, to: to as usize, bytes };
        after_all(stream, &filled, || std::ptr::write_bytes(to as *mut u8, value, bytes))
    }
}

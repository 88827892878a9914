//! Launches of kernels.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering;

use super::device::current;
use super::queues::stream;
use super::{MOST_THREADS, give, refused, settled};
use crate::launch::{Launch, PATIENCE};
use crate::module::Function;
use crate::status::{self, Failure, INVALID_VALUE, NOT_SUPPORTED, OUT_OF_RESOURCES, Status, TOO_LARGE};
use crate::stream::Stream;

/// Name of the kernel that measures a device. The emulator rejects the launch of this kernel, so the engine assumes the
/// costs of an H200. A measurement on the emulator would return the host's times, which must not influence plans.
const MEASURES: &str = "wolfpath_calibrate";

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    _: *const Function,
    _: c_int,
    _: usize,
    _: c_uint,
) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(blocks, 1) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    function: *const Function,
    blocks: c_uint,
    blocks_y: c_uint,
    blocks_z: c_uint,
    threads: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    requested: c_uint,
    stream: *const Stream,
    arguments: *const *const u8,
    _: *mut *mut c_void,
) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe {
        let (blocks, threads) = ([blocks, blocks_y, blocks_z], [threads, threads_y, threads_z]);
        launch(&*function, blocks, threads, requested, stream, arguments)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchCooperativeKernel(
    function: *const Function,
    blocks: c_uint,
    blocks_y: c_uint,
    blocks_z: c_uint,
    threads: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    requested: c_uint,
    stream: *const Stream,
    arguments: *const *const u8,
) -> Status {
    match settled() {
        Ok(settings) if blocks > settings.multiprocessors => return TOO_LARGE,
        Ok(_) => {}
        Err(status) => return status,
    }
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe {
        let (blocks, threads) = ([blocks, blocks_y, blocks_z], [threads, threads_y, threads_z]);
        launch(&*function, blocks, threads, requested, stream, arguments)
    }
}

/// Queues a launch.
///
/// # Safety
/// `arguments` must contain one value per parameter of the kernel, each with the parameter's size. The stream must be
/// alive.
unsafe fn launch(
    function: &Function,
    [blocks, blocks_y, blocks_z]: [u32; 3],
    [threads, threads_y, threads_z]: [u32; 3],
    requested: u32,
    handle: *const Stream,
    arguments: *const *const u8,
) -> Status {
    let settings = match settled() {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    if function.name == MEASURES {
        // Every engine expects this error when it measures the device, so the error is not printed.
        let message = "the emulator cannot measure a device's costs: its time is the host's".to_owned();
        return status::remember(&Failure { status: NOT_SUPPORTED, message });
    }
    if [blocks_y, blocks_z, threads_y, threads_z] != [1; 4] {
        return refused(NOT_SUPPORTED, "the emulator supports only one-dimensional grids and blocks");
    }
    // SAFETY: the entry is a constant of the module, which the function keeps loaded.
    let entry = unsafe { &*function.entry };
    // If the tuning settings reduce the block size of a kernel, the kernel runs with the smaller block size.
    let threads = if settings.tuning.is_empty() { threads } else { threads.min(entry.most_threads) };
    if blocks == 0 || threads == 0 || u64::from(requested) > function.most_requested.load(Ordering::Relaxed) {
        return INVALID_VALUE;
    }
    if threads > entry.most_threads.min(MOST_THREADS) {
        return OUT_OF_RESOURCES;
    }
    let argument = |at: usize| {
        // SAFETY: `sizes` has an element for every parameter, and every argument points to a value of that size.
        unsafe {
            let size = *entry.sizes.add(at) as usize;
            let mut words = vec![0u128; size.div_ceil(16).max(1)];
            std::ptr::copy_nonoverlapping(*arguments.add(at), words.as_mut_ptr().cast(), size);
            words
        }
    };
    let arguments = (0..entry.parameters as usize).map(argument).collect();
    let module = function.module.clone();
    let (kernel, seed) = (function.name.clone(), module.next_seed(settings.seed));
    // SAFETY: the caller upholds this function's contract.
    let stream = match unsafe { stream(handle) } {
        Ok(stream) => stream,
        Err(status) => return status,
    };
    let queued = settings.races.then(|| stream.queued());
    let (entry, patience) = (function.entry, (settings.devices > 1).then_some(PATIENCE));
    let device = current();
    let launch =
        Launch { entry, kernel, device, blocks, threads, requested, arguments, seed, queued, patience };
    stream.queue(move || launch.run(&module))
}

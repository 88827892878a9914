//! The driver: the calls that cudarc makes for wolfpath's engine, for one device.
//!
//! Every call that takes pointers has the driver's own conditions: places are valid for what is written, handles came from
//! here and were not destroyed. The `SAFETY` comments below say no more than that.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::launch::Launch;
use crate::memory;
use crate::module::{Function, MAGIC, Module};
use crate::settings::{Settings, settings};
use crate::status::{
    self, Failure, INVALID_DEVICE, INVALID_IMAGE, INVALID_VALUE, NOT_FOUND, NOT_READY, NOT_SUPPORTED,
    OUT_OF_MEMORY, OUT_OF_RESOURCES, SUCCESS, Status, TOO_LARGE,
};
use crate::stream::{Event, Stream};

const NAME: &CStr = c"wolfpath emulator";
const VERSION: c_int = 13000;
const MOST_THREADS: u32 = 1024;
/// Shared memory of a block: without asking, and when it was asked for (as of compute capability 9.0).
const SHARED: u64 = 48 << 10;
const MOST_SHARED: u64 = 227 << 10;

/// Writes what a call gives.
///
/// # Safety
/// `place` is the caller's.
unsafe fn give<T>(place: *mut T, value: T) -> Status {
    // SAFETY: the caller's.
    unsafe { place.write(value) };
    SUCCESS
}

fn refused(status: Status, message: impl Into<String>) -> Status {
    status::note(&Failure { status, message: message.into() })
}

fn settled() -> Result<&'static Settings, Status> {
    settings().map_err(|message| refused(INVALID_VALUE, message))
}

// ---- the device and its context ------------------------------------------------------------------------------------

#[unsafe(no_mangle)]
extern "C" fn cuInit(_: c_uint) -> Status {
    settled().map_or_else(|status| status, |_| SUCCESS)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Status {
    // SAFETY: see above.
    unsafe { give(version, VERSION) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    // SAFETY: see above.
    unsafe { give(count, 1) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    if ordinal != 0 {
        return INVALID_DEVICE;
    }
    // SAFETY: see above.
    unsafe { give(device, 0) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(to: *mut c_char, room: c_int, _: c_int) -> Status {
    let name = NAME.to_bytes_with_nul();
    let length = name.len().min(usize::try_from(room).unwrap_or(0));
    // SAFETY: see above; no more than there is room for.
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), to.cast(), length) };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _: c_int) -> Status {
    // SAFETY: see above.
    unsafe { give(bytes, memory::TOTAL) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, _: c_int) -> Status {
    let multiprocessors = match settled() {
        Ok(settings) => settings.multiprocessors as c_int,
        Err(status) => return status,
    };
    let answer = match attribute {
        1 | 2 | 39 => MOST_THREADS as c_int, // threads of a block, of its first dimension, of a multiprocessor
        8 | 97 => {
            if attribute == 8 {
                SHARED as c_int
            } else {
                MOST_SHARED as c_int
            }
        }
        10 => 32,
        16 => multiprocessors,
        19 | 31 | 41 | 95 | 115 => 1, // mapped memory, kernels side by side, one address space, cooperation, pools
        75 => 9,
        76 => 0,
        _ => 0,
    };
    // SAFETY: see above.
    unsafe { give(value, answer) }
}

/// There is one context, and it is always there.
const CONTEXT: usize = 1;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, _: c_int) -> Status {
    // SAFETY: see above.
    unsafe { give(context, CONTEXT) }
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(_: c_int) -> Status {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(_: usize) -> Status {
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(context: *mut usize) -> Status {
    // SAFETY: see above.
    unsafe { give(context, CONTEXT) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSynchronize() -> Status {
    // SAFETY: null is the default stream.
    unsafe { stream(std::ptr::null()) }.map_or_else(|status| status, Stream::wait)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(error: Status, name: *mut *const c_char) -> Status {
    // SAFETY: see above.
    unsafe { give(name, status::name(error).as_ptr()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(error: Status, text: *mut *const c_char) -> Status {
    // SAFETY: see above.
    unsafe { give(text, status::text(error).as_ptr()) }
}

// ---- memory ----------------------------------------------------------------------------------------------------------

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Status {
    // SAFETY: see above.
    unsafe {
        give(free, memory::available());
        give(total, memory::TOTAL)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Status {
    match memory::allocate(bytes, true) {
        // SAFETY: see above.
        Some(found) => unsafe { give(address, found as u64) },
        None if bytes == 0 => INVALID_VALUE,
        None => OUT_OF_MEMORY,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocAsync(address: *mut u64, bytes: usize, _: *const Stream) -> Status {
    // SAFETY: see above.
    unsafe { cuMemAlloc_v2(address, bytes) }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> Status {
    if memory::free(address as usize) { SUCCESS } else { INVALID_VALUE }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFreeAsync(address: u64, stream: *const Stream) -> Status {
    // SAFETY: see above. Memory goes even after a failure.
    unsafe { wait(stream) };
    cuMemFree_v2(address)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostAlloc(memory: *mut *mut c_void, bytes: usize, _: c_uint) -> Status {
    match memory::allocate(bytes, false) {
        // SAFETY: see above.
        Some(found) => unsafe { give(memory, found as *mut c_void) },
        None => OUT_OF_MEMORY,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(memory: *mut c_void) -> Status {
    cuMemFree_v2(memory as u64)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostGetDevicePointer_v2(
    address: *mut u64,
    memory: *mut c_void,
    _: c_uint,
) -> Status {
    // SAFETY: see above; host and device share their memory.
    unsafe { give(address, memory as u64) }
}

/// Copies, after what is queued before.
///
/// # Safety
/// As the driver's copies.
unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize, stream: *const Stream) -> Status {
    // SAFETY: the caller's.
    unsafe {
        let before = wait(stream);
        if before == SUCCESS {
            std::ptr::copy(from, to, bytes);
        }
        before
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const u8,
    bytes: usize,
    stream: *const Stream,
) -> Status {
    // SAFETY: see above.
    unsafe { copy(to as *mut u8, from, bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut u8,
    from: u64,
    bytes: usize,
    stream: *const Stream,
) -> Status {
    // SAFETY: see above.
    unsafe { copy(to, from as *const u8, bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: *const Stream) -> Status {
    // SAFETY: see above.
    unsafe { copy(to as *mut u8, from as *const u8, bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD8Async(to: u64, value: u8, bytes: usize, stream: *const Stream) -> Status {
    // SAFETY: see above.
    unsafe {
        let before = wait(stream);
        if before == SUCCESS {
            std::ptr::write_bytes(to as *mut u8, value, bytes);
        }
        before
    }
}

// ---- streams and events ------------------------------------------------------------------------------------------

/// The stream of a handle; null is the default one.
///
/// # Safety
/// The handle came from `cuStreamCreate` and lives.
unsafe fn stream<'a>(handle: *const Stream) -> Result<&'a Stream, Status> {
    static DEFAULT: OnceLock<Option<Stream>> = OnceLock::new();
    if handle.is_null() {
        let made = DEFAULT.get_or_init(|| Stream::new().ok());
        return made.as_ref().ok_or(status::OUT_OF_RESOURCES);
    }
    // SAFETY: the caller's.
    Ok(unsafe { &*handle })
}

/// Waits for all that is queued.
///
/// # Safety
/// As for `stream`.
unsafe fn wait(handle: *const Stream) -> Status {
    // SAFETY: the caller's.
    unsafe { stream(handle) }.map_or_else(|status| status, Stream::wait)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreate(handle: *mut *const Stream, _: c_uint) -> Status {
    match Stream::new() {
        // SAFETY: see above.
        Ok(stream) => unsafe { give(handle, Box::into_raw(Box::new(stream)).cast_const()) },
        Err(error) => refused(OUT_OF_RESOURCES, format!("no thread for a stream: {error}")),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamDestroy_v2(handle: *mut Stream) -> Status {
    // SAFETY: see above; made by `cuStreamCreate`, and destroyed once.
    drop(unsafe { Box::from_raw(handle) });
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamSynchronize(handle: *const Stream) -> Status {
    // SAFETY: see above.
    unsafe { wait(handle) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamWaitEvent(handle: *const Stream, event: *const Event, _: c_uint) -> Status {
    // SAFETY: see above.
    let (stream, event) = match unsafe { (stream(handle), shared(event)) } {
        (Ok(stream), event) => (stream, event),
        (Err(status), _) => return status,
    };
    stream.queue(move || {
        event.wait();
        Ok(())
    })
}

/// An event as its queue holds it.
///
/// # Safety
/// The handle came from `cuEventCreate` and lives.
unsafe fn shared(handle: *const Event) -> Arc<Event> {
    // SAFETY: the caller's; one more owner before one is made of it.
    unsafe {
        Arc::increment_strong_count(handle);
        Arc::from_raw(handle)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(handle: *mut *const Event, _: c_uint) -> Status {
    // SAFETY: see above.
    unsafe { give(handle, Arc::into_raw(Arc::new(Event::default()))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventDestroy_v2(handle: *const Event) -> Status {
    // SAFETY: see above; destroyed once.
    drop(unsafe { Arc::from_raw(handle) });
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventRecord(event: *const Event, handle: *const Stream) -> Status {
    // SAFETY: see above.
    let (stream, event) = match unsafe { (stream(handle), shared(event)) } {
        (Ok(stream), event) => (stream, event),
        (Err(status), _) => return status,
    };
    event.expect();
    let queued = event.clone();
    let status = stream.queue(move || {
        queued.come();
        Ok(())
    });
    if status != SUCCESS {
        event.come();
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventQuery(event: *const Event) -> Status {
    // SAFETY: see above.
    if unsafe { (*event).is_done() } { SUCCESS } else { NOT_READY }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventSynchronize(event: *const Event) -> Status {
    // SAFETY: see above.
    unsafe { (*event).wait() };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime_v2(
    milliseconds: *mut f32,
    from: *const Event,
    to: *const Event,
) -> Status {
    // SAFETY: see above.
    unsafe {
        match ((*from).wait(), (*to).wait()) {
            (Some(from), Some(to)) => give(milliseconds, to.duration_since(from).as_secs_f32() * 1e3),
            _ => INVALID_VALUE,
        }
    }
}

// ---- modules and launches ------------------------------------------------------------------------------------------

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(handle: *mut *const Module, image: *const c_char) -> Status {
    let settings = match settled() {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    // SAFETY: see above. An image of ours is a text that ends with a zero byte, and any other differs before its end.
    let image = unsafe {
        let magic = std::slice::from_raw_parts(image.cast::<u8>(), MAGIC.len().min(4));
        if magic != &MAGIC.as_bytes()[..4] {
            return refused(INVALID_IMAGE, "what is to be loaded was not made by the emulator's NVRTC");
        }
        CStr::from_ptr(image)
    };
    match Module::load(image.to_bytes(), settings) {
        // SAFETY: see above.
        Ok(module) => unsafe { give(handle, Arc::into_raw(Arc::new(module))) },
        Err(message) => refused(INVALID_IMAGE, message),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleUnload(handle: *const Module) -> Status {
    // SAFETY: see above; unloaded once. Functions of it have owners of their own.
    drop(unsafe { Arc::from_raw(handle) });
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(
    handle: *mut *const Function,
    module: *const Module,
    name: *const c_char,
) -> Status {
    // SAFETY: see above.
    let (module, name) = unsafe {
        Arc::increment_strong_count(module);
        (Arc::from_raw(module), CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    let Some(entry) = module.entry(&name) else { return NOT_FOUND };
    let function = Function { entry, name, module, most_requested: AtomicU64::new(SHARED) };
    // Functions have no end of their own: one is as long as the process.
    // SAFETY: see above.
    unsafe { give(handle, Box::into_raw(Box::new(function)).cast_const()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncSetAttribute(function: *const Function, attribute: c_int, value: c_int) -> Status {
    const MOST_REQUESTED: c_int = 8;
    // SAFETY: see above.
    let function = unsafe { &*function };
    let Ok(value) = u64::try_from(value) else { return INVALID_VALUE };
    if attribute == MOST_REQUESTED {
        let declared = function.module.shared_bytes() as u64;
        if declared + value > MOST_SHARED {
            let name = &function.name;
            return refused(
                INVALID_VALUE,
                format!(
                    "{name} declares {declared} bytes of shared memory: {value} more do not fit {MOST_SHARED}"
                ),
            );
        }
        function.most_requested.store(value, Ordering::Relaxed);
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    function: *const Function,
) -> Status {
    // SAFETY: see above.
    unsafe {
        let answer = match attribute {
            0 => (*(*function).entry).most_threads as c_int,
            1 => (*function).module.shared_bytes() as c_int,
            8 => (*function).most_requested.load(Ordering::Relaxed) as c_int,
            _ => 0,
        };
        give(value, answer)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    _: *const Function,
    _: c_int,
    _: usize,
    _: c_uint,
) -> Status {
    // SAFETY: see above.
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
    // SAFETY: see above.
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
    // SAFETY: see above.
    unsafe {
        let (blocks, threads) = ([blocks, blocks_y, blocks_z], [threads, threads_y, threads_z]);
        launch(&*function, blocks, threads, requested, stream, arguments)
    }
}

/// Queues a launch.
///
/// # Safety
/// `arguments` holds as many values as the kernel has parameters, each of its size; the stream lives.
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
    if [blocks_y, blocks_z, threads_y, threads_z] != [1; 4] {
        return refused(NOT_SUPPORTED, "the emulator has grids and blocks of one dimension only");
    }
    // SAFETY: the entry is a constant of the module, which the function keeps loaded.
    let entry = unsafe { &*function.entry };
    // Kernels that were tuned to smaller blocks run in those.
    let threads = if settings.tuning.is_empty() { threads } else { threads.min(entry.most_threads) };
    if blocks == 0 || threads == 0 || u64::from(requested) > function.most_requested.load(Ordering::Relaxed) {
        return INVALID_VALUE;
    }
    if threads > entry.most_threads.min(MOST_THREADS) {
        return OUT_OF_RESOURCES;
    }
    let argument = |at: usize| {
        // SAFETY: there is a size for every parameter, and a value of that size for every argument.
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
    let launch = Launch { entry: function.entry, kernel, blocks, threads, requested, arguments, seed };
    // SAFETY: the caller's.
    match unsafe { stream(handle) } {
        Ok(stream) => stream.queue(move || launch.run(&module)),
        Err(status) => status,
    }
}

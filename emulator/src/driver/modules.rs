//! Modules and their kernels.

use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MOST_SHARED, SHARED, give, refused, settled};
use crate::module::{Function, MAGIC, Module};
use crate::status::{INVALID_IMAGE, INVALID_VALUE, NOT_FOUND, SUCCESS, Status};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(handle: *mut *const Module, image: *const c_char) -> Status {
    let settings = match settled() {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    // SAFETY: the caller upholds the driver's contract. An image of the emulator is a text with a terminating zero
    // byte. Any other image differs from the expected prefix before the image's end.
    let image = unsafe {
        let magic = std::slice::from_raw_parts(image.cast::<u8>(), MAGIC.len().min(4));
        if magic != &MAGIC.as_bytes()[..4] {
            return refused(INVALID_IMAGE, "the image was not compiled by the emulator's NVRTC");
        }
        CStr::from_ptr(image)
    };
    match Module::load(image.to_bytes(), settings) {
        // SAFETY: the caller upholds the driver's contract for this function.
        Ok(module) => unsafe { give(handle, Arc::into_raw(Arc::new(module))) },
        Err(message) => refused(INVALID_IMAGE, message),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleUnload(handle: *const Module) -> Status {
    // SAFETY: the caller upholds the driver's contract, and unloads the module only once. Its functions also own it.
    drop(unsafe { Arc::from_raw(handle) });
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(
    handle: *mut *const Function,
    module: *const Module,
    name: *const c_char,
) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    let (module, name) = unsafe {
        Arc::increment_strong_count(module);
        (Arc::from_raw(module), CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    let Some(entry) = module.entry(&name) else { return NOT_FOUND };
    let function = Function { entry, name, module, most_requested: AtomicU64::new(SHARED) };
    // No driver call destroys functions, so a function lives as long as the process. SAFETY: the caller upholds the
    // driver's contract for this function.
    unsafe { give(handle, Box::into_raw(Box::new(function)).cast_const()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncSetAttribute(function: *const Function, attribute: c_int, value: c_int) -> Status {
    const MOST_REQUESTED: c_int = 8;
    // SAFETY: the caller upholds the driver's contract for this function.
    let function = unsafe { &*function };
    let Ok(value) = u64::try_from(value) else { return INVALID_VALUE };
    if attribute == MOST_REQUESTED {
        let declared = function.module.shared_bytes() as u64;
        if declared + value > MOST_SHARED {
            let name = &function.name;
            return refused(
                INVALID_VALUE,
                format!(
                    "{name} declares {declared} bytes of shared memory: {value} more exceed the limit of {MOST_SHARED}"
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
    // SAFETY: the caller upholds the driver's contract for this function.
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

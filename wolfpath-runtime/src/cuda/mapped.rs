//! Page-locked host memory that the device reads and writes while its kernel runs, without a copy or any other call of
//! the driver: another thread may be in one that waits for this very kernel, and hold the driver's lock until it has ended.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaContext, result, sys};

use super::device::{Device, driver_error};
use crate::error::DeviceError;

/// Memory that the host and a kernel may access at any time, in no particular order.
///
/// # Safety
/// Every bit pattern is a value, all of it is atomics, and nothing has to be dropped.
pub(crate) unsafe trait Shared: Default + Send + Sync {}

/// A `T` in page-locked host memory that the device sees.
pub(crate) struct Mapped<T: Shared> {
    memory: NonNull<T>,
    address: u64,
    context: Arc<CudaContext>,
}

// SAFETY: the memory belongs to the struct, is not tied to a thread, and is only touched as atomics.
unsafe impl<T: Shared> Send for Mapped<T> {}

// SAFETY: as for `Send`.
unsafe impl<T: Shared> Sync for Mapped<T> {}

impl<T: Shared> Mapped<T> {
    /// Allocates a default `T`. `action` names what fails if there is no room.
    pub(crate) fn new(device: &Device, action: &'static str) -> Result<Mapped<T>, DeviceError> {
        let context = device.context.clone();
        let failed = driver_error(action);
        context.bind_to_thread().map_err(&failed)?;
        // SAFETY: the context is bound. What comes back is, being page-locked, aligned to a page.
        let memory = unsafe { result::malloc_host(size_of::<T>(), sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        let Some(memory) = NonNull::new(memory.map_err(&failed)?.cast::<T>()) else {
            return Err(DeviceError::Driver { action, message: "no memory came back".to_owned() });
        };
        // SAFETY: there is room for a `T`, and nothing else refers to it yet.
        unsafe { memory.write(T::default()) };
        let mut mapped = Mapped { memory, address: 0, context };
        // SAFETY: the memory was allocated above, mapped, and `address` is a place for one address.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&mut mapped.address, memory.as_ptr().cast(), 0) }
            .result()
            .map_err(failed)?;
        Ok(mapped)
    }

    /// Returns its address on the device.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }
}

impl<T: Shared> Deref for Mapped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: written in `new`, and lives as long as `self`; the device touches it as the atomics that it consists of.
        unsafe { self.memory.as_ref() }
    }
}

impl<T: Shared> Drop for Mapped<T> {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `malloc_host`, and no kernel runs: every launch was waited for. Should the
            // driver refuse, there is nobody to tell.
            let _ = unsafe { result::free_host(self.memory.as_ptr().cast()) };
        }
    }
}

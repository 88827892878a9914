//! Page-locked host memory that the device reads and writes while its kernel runs. Access to this memory needs no copy
//! or other driver call. This matters because another thread may be inside a driver call that waits for this same
//! kernel, and may hold the driver's lock until the kernel has ended.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaContext, result, sys};

use super::device::{Device, driver_error};
use super::together::between_launches;
use crate::error::DeviceError;

/// Memory that the host and a kernel may access at any time, in any order.
///
/// # Safety
/// Every bit pattern must be a valid value, all fields must be atomics, and the type must not need dropping.
pub(crate) unsafe trait Shared: Default + Send + Sync {}

/// One or more `T`s in page-locked host memory that is mapped into the device's address space.
pub(crate) struct Mapped<T: Shared> {
    memory: NonNull<T>,
    count: usize,
    address: u64,
    context: Arc<CudaContext>,
}

// SAFETY: the struct owns the memory. The memory is not tied to a thread, and it is accessed only through atomics.
unsafe impl<T: Shared> Send for Mapped<T> {}

// SAFETY: shared access is sound for the reasons given for `Send`.
unsafe impl<T: Shared> Sync for Mapped<T> {}

impl<T: Shared> Mapped<T> {
    /// Allocates a default `T`. `action` describes the allocation in errors.
    pub(crate) fn new(device: &Device, action: &'static str) -> Result<Mapped<T>, DeviceError> {
        Mapped::many(device, 1, action)
    }

    /// Allocates `count` default `T`s, at least one.
    pub(crate) fn many(
        device: &Device,
        count: usize,
        action: &'static str,
    ) -> Result<Mapped<T>, DeviceError> {
        let context = device.context.clone();
        let failed = driver_error(action);
        context.bind_to_thread().map_err(&failed)?;
        // Several devices that share a run read the same words.
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the context is bound to this thread. The returned memory is page-aligned, which suffices for every
        // `T`.
        let memory = between_launches(|| unsafe { result::malloc_host(count * size_of::<T>(), flags) });
        let Some(memory) = NonNull::new(memory.map_err(&failed)?.cast::<T>()) else {
            return Err(DeviceError::Driver {
                action,
                message: "the driver returned a null pointer".to_owned(),
            });
        };
        for at in 0..count {
            // SAFETY: the memory has space for `count` `T`s, and no other reference to it exists yet.
            unsafe { memory.add(at).write(T::default()) };
        }
        let mut mapped = Mapped { memory, count, address: 0, context };
        // SAFETY: the memory was allocated above as mapped memory, and `address` is a valid location for one address.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&mut mapped.address, memory.as_ptr().cast(), 0) }
            .result()
            .map_err(failed)?;
        Ok(mapped)
    }

    /// Returns all `T`s. Dereferencing returns the first one.
    pub(crate) fn all(&self) -> &[T] {
        // SAFETY: `many` initialized the memory, and it lives as long as `self`. The device accesses only the atomics in
        // it.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.count) }
    }

    /// Returns the device address of the memory.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }
}

impl<T: Shared> Deref for Mapped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.all()[0]
    }
}

impl<T: Shared> Drop for Mapped<T> {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: the memory comes from `malloc_host`. No kernel is using it, since every launch has been waited
            // for. An error of the driver cannot be reported here.
            let _ = between_launches(|| unsafe { result::free_host(self.memory.as_ptr().cast()) });
        }
    }
}

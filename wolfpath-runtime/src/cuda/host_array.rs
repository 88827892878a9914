//! Arrays in page-locked host memory, which kernels read in place over the link.

use std::sync::Arc;

use cudarc::driver::{CudaContext, sys};
use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::memory;

use super::device::{Device, driver_error};
use super::together::between_launches;
use crate::error::DeviceError;

const LOCK: &str = "page-lock host memory for rows";

/// An array that kernels read over the link. It is unlocked when it is dropped.
pub(crate) struct HostArray {
    /// Address on the device.
    address: u64,
    memory: Memory,
    context: Arc<CudaContext>,
}

/// Size of a page, the unit in which memory is locked.
const PAGE: usize = 4096;

/// Bytes that kernels copy at a time.
const PIECE: usize = 16;

/// Memory that is page-locked.
enum Memory {
    /// Own memory, of which `length` bytes from a multiple of [`PAGE`] on are the array. No page of the array contains
    /// anything else, because a page that is locked already cannot be locked again.
    Own { memory: Vec<u8>, length: usize },
    /// A part of the graph, in memory or in its file. The graph keeps it alive.
    OfGraph { start: *const u8, length: usize, _graph: LayeredGraph },
}

// SAFETY: the memory is not tied to a thread. That of a graph is only read.
unsafe impl Send for HostArray {}

impl HostArray {
    /// Allocates an array of `length` bytes, which are 0.
    ///
    /// # Errors
    /// [`DeviceError::Unlockable`] if the memory cannot be page-locked.
    pub(crate) fn new(device: &Device, length: usize) -> Result<HostArray, DeviceError> {
        let memory = vec![0; length.next_multiple_of(PAGE) + PAGE];
        memory::advise_huge_pages(&memory);
        HostArray::lock(device, Memory::Own { memory, length }, 0).map_err(|error| match error {
            DeviceError::Driver { message, .. } => DeviceError::Unlockable { bytes: length as u64, message },
            lost => lost,
        })
    }

    /// Page-locks a part of `graph` where it is, without copying it.
    ///
    /// # Errors
    /// The driver's error. Some platforms cannot lock memory into which a file is mapped, nor memory that is locked
    /// already.
    pub(crate) fn of_graph(
        device: &Device,
        graph: &LayeredGraph,
        bytes: &[u8],
    ) -> Result<HostArray, DeviceError> {
        let memory = Memory::OfGraph { start: bytes.as_ptr(), length: bytes.len(), _graph: graph.clone() };
        HostArray::lock(device, memory, sys::CU_MEMHOSTREGISTER_READ_ONLY)
    }

    fn lock(device: &Device, memory: Memory, flags: u32) -> Result<HostArray, DeviceError> {
        let context = device.context.clone();
        context.bind_to_thread().map_err(driver_error(LOCK))?;
        let (start, length) = memory.part();
        // The driver locks whole pages. Kernels read up to this length (`copy.cuh`), which is in the last page of the memory.
        let length = length.next_multiple_of(PIECE);
        let flags = flags | sys::CU_MEMHOSTREGISTER_DEVICEMAP;
        // SAFETY: the context is bound to this thread. The memory has this size, and `memory` keeps it until it is
        // unlocked.
        between_launches(|| unsafe { sys::cuMemHostRegister_v2(start.cast_mut().cast(), length, flags) })
            .result()
            .map_err(driver_error(LOCK))?;
        let mut array = HostArray { address: 0, memory, context };
        // SAFETY: the memory has just been locked with a mapping, and `address` is a valid location for one address.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&mut array.address, start.cast_mut().cast(), 0) }
            .result()
            .map_err(driver_error(LOCK))?;
        Ok(array)
    }

    /// Returns the address on the device.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.memory.part().1
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        let (start, length) = self.memory.part();
        // SAFETY: the memory has this size, is initialized, and lives as long as `self`. Only `bytes_mut` lends it to be
        // written, and kernels write it only while `Buffers` is locked.
        unsafe { std::slice::from_raw_parts(start, length) }
    }

    /// Returns the bytes of an array that [`new`](Self::new) allocated, to fill them; none of another.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Own { memory, length } => {
                let before = to_page(memory);
                &mut memory[before..before + *length]
            }
            Memory::OfGraph { .. } => &mut [],
        }
    }
}

/// Returns the number of bytes before the first page that begins in `memory`.
fn to_page(memory: &[u8]) -> usize {
    memory.as_ptr().align_offset(PAGE).min(memory.len())
}

impl Memory {
    fn part(&self) -> (*const u8, usize) {
        match self {
            Memory::Own { memory, length } => (memory[to_page(memory)..].as_ptr(), *length),
            Memory::OfGraph { start, length, .. } => (*start, *length),
        }
    }
}

impl Drop for HostArray {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            let start = self.memory.part().0.cast_mut().cast();
            // SAFETY: the memory was locked by `lock`. No kernel is using it, since every launch has been waited for. An
            // error of the driver cannot be reported here.
            let _ = between_launches(|| unsafe { sys::cuMemHostUnregister(start) });
        }
    }
}

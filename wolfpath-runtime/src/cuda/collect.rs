//! Copies the values of the vertices of one of several devices to another one (`kernels/include/take.cuh`).

use cudarc::driver::{DeviceRepr, LaunchConfig, PushKernelArg};

use super::device::{Device, LoadedKernel, driver_error};
use super::state::DeviceRun;
use super::take::load;
use crate::error::RunError;

/// Argument of the kernel (`Collecting` in `take.cuh`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Collecting {
    values: u64,
    present: u64,
    to_values: u64,
    to_present: u64,
    units: u64,
    unit_count: u32,
    unit_vertices: u32,
    vertices: u32,
    each: u32,
}

// SAFETY: the struct consists of plain integers in `repr(C)`, without padding, and has the layout of `wp::Collecting`.
unsafe impl DeviceRepr for Collecting {}

/// Begins to copy the values, of `each` bytes, and the presence bits of a device's vertices to those of another device.
pub(super) fn launch(
    device: &Device,
    run: &DeviceRun,
    (to_values, to_present): (u64, u64),
    each: usize,
) -> Result<(), RunError> {
    let function: LoadedKernel = device.collecting(|| load(device, wolfpath_kernels::COLLECT_ENTRY))?;
    let collecting = Collecting {
        values: run.values,
        present: run.present,
        to_values,
        to_present,
        units: run.own_units,
        unit_count: run.own_count,
        unit_vertices: 1 << run.unit_shift,
        vertices: run.vertices,
        each: each as u32,
    };
    let config = LaunchConfig {
        grid_dim: (device.multiprocessors, 1, 1),
        block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: the argument matches `wolfpath_collect`. Its addresses point to arrays of the sizes that it states, which the
    // caller keeps until it has synchronized the stream.
    let launched =
        unsafe { device.stream.launch_builder(&function).arg(&collecting).launch_cooperative(config) };
    launched.map_err(driver_error("launch the kernel that collects the values of the devices"))?;
    Ok(())
}

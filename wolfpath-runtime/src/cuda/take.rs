//! Copies values of an earlier outcome to an input of the next program, on the device (`kernels/include/take.cuh`).

use cudarc::driver::{DeviceRepr, LaunchConfig, PushKernelArg};
use wolfpath_core::program::{CombineKind, DatumKind, TakenField};

use super::buffers::Buffers;
use super::cubin::take_cubin;
use super::device::{Device, LoadedKernel, driver_error};
use super::kept::{Kept, Layout};
use super::resident::Resident;
use crate::cpu::identity;
use crate::error::RunError;
use crate::plan::ArrayName;

/// Argument of the kernel (`Taking` in `take.cuh`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Taking {
    values: u64,
    present: u64,
    ranks: u64,
    otherwise: u64,
    to: u64,
    missing: u64,
    nothing: u64,
    vertices: u32,
    each: u32,
    offset: u32,
    size: u32,
    form: u32,
    reserved: u32,
}

// SAFETY: the struct consists of plain integers in `repr(C)`, without padding, and has the layout of `wp::Taking`.
unsafe impl DeviceRepr for Taking {}

/// Returns the number of the values' representation (`Form` in `take.cuh`), and the word of a vertex without a value.
fn form(layout: &Layout, kind: DatumKind) -> (u32, u64) {
    let Some(combine) = layout.words else { return (0, 0) };
    let max = if layout.each == 4 { u64::from(u32::MAX) } else { u64::MAX };
    let form = match (combine, kind) {
        (CombineKind::Min | CombineKind::Max, DatumKind::I32 | DatumKind::I64) => 2,
        (CombineKind::Min | CombineKind::Max, DatumKind::F32 | DatumKind::F64) => 3,
        _ => 1,
    };
    (form, identity(combine, max))
}

/// Copies the datum of every vertex to the array `name`, by rank if `by_rank`. Returns `None` if the values are not on
/// the resident's device, and otherwise the first vertex that has no datum, if any.
pub(super) fn take(
    resident: &Resident,
    buffers: &mut Buffers,
    name: ArrayName,
    (field, kind): (&TakenField, DatumKind),
    by_rank: bool,
) -> Result<Option<Option<u32>>, RunError> {
    let device = &resident.device;
    let Some(kept) = field.values.downcast_ref::<Kept>() else { return Ok(None) };
    let Some(arrays) = kept.arrays(device) else { return Ok(None) };
    let (layout, [values, present]) = (kept.layout, arrays.addresses());
    let (form, nothing) = form(&layout, kind);
    buffers.forget_input(name);
    let to = buffers.room(device, name, u64::from(layout.vertices) * field.size as u64)?;
    let may_miss = !layout.all && field.otherwise.is_none();
    let taking = Taking {
        values,
        present,
        ranks: if by_rank { buffers.address(device, ArrayName::Ranks) } else { 0 },
        otherwise: match &field.otherwise {
            Some(bytes) => buffers.upload(device, ArrayName::Otherwise, bytes)?,
            None => 0,
        },
        to,
        missing: if may_miss { buffers.upload(device, ArrayName::MissingVertex, &[u32::MAX])? } else { 0 },
        nothing,
        vertices: layout.vertices,
        each: layout.each as u32,
        offset: field.offset as u32,
        size: field.size as u32,
        form,
        reserved: 0,
    };
    launch(device, &taking)?;
    let mut missing = u32::MAX;
    if may_miss {
        buffers.download(device, ArrayName::MissingVertex, bytemuck::bytes_of_mut(&mut missing))?;
    }
    // The outcome may move to the host as soon as its arrays are released here, and the buffers may be reused.
    device.stream.synchronize().map_err(driver_error("copy an outcome's values"))?;
    drop(arrays);
    Ok(Some((missing != u32::MAX).then_some(missing)))
}

fn launch(device: &Device, taking: &Taking) -> Result<(), RunError> {
    let function = device.taking(|| load(device, wolfpath_kernels::TAKE_ENTRY))?;
    let config = LaunchConfig {
        grid_dim: (device.multiprocessors, 1, 1),
        block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: the argument matches `wolfpath_take`. Its addresses point to arrays of the sizes that it states. The
    // caller keeps them until it has synchronized the stream.
    let launched = unsafe { device.stream.launch_builder(&function).arg(taking).launch_cooperative(config) };
    launched.map_err(driver_error("launch the kernel that copies an outcome's values"))?;
    Ok(())
}

/// Loads one of the kernels that copy values.
pub(super) fn load(device: &Device, entry: &str) -> Result<LoadedKernel, RunError> {
    let (major, minor) = device.capability;
    let cubin = take_cubin(major, minor)?;
    Ok(device.load_kernel(cubin.bytes, entry, "load the kernel that copies an outcome's values")?)
}

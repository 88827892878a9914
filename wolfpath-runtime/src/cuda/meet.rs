//! Measures the barrier of several devices (`kernels/include/meet.cuh`).

use std::time::Duration;

use cudarc::driver::{LaunchConfig, PushKernelArg};

use super::cubin::meeting_cubin;
use super::device::{Device, LoadedKernel, driver_error};
use super::devices::Devices;
use super::launch::blocks;
use super::state::{Control, DeviceRun, Peer};
use super::stop_word::StopWord;
use super::together::{alone, end_together, launching, named};
use crate::error::{DeviceError, RunError};

/// Number of consecutive barriers.
const BARRIERS: u64 = 200;

/// Measures the barrier of several devices, at which all blocks of all of them wait for each other. A step of a run that they
/// share takes at least this time.
///
/// # Errors
///
/// Returns the errors of [`Engine::cuda_devices`](crate::Engine::cuda_devices), and an error if NVRTC is missing.
///
/// # Examples
///
/// ```
/// match wolfpath::cuda::barrier(&[0, 1]) {
///     Ok(time) => println!("two devices wait for each other in {time:?}"),
///     Err(error) => println!("{error}"),
/// }
/// ```
pub fn barrier(ordinals: &[usize]) -> Result<Duration, RunError> {
    let devices = Devices::open(ordinals)?;
    let lead = devices.lead();
    let (cubin, _) = meeting_cubin(lead.capability.0, lead.capability.1)?;
    let abort = StopWord::new(lead)?;
    let each = devices.iter().map(|device| load(device, cubin.clone()));
    let functions: Vec<LoadedKernel> = each.collect::<Result<_, _>>()?;
    let mut controls = Vec::new();
    let mut peers = Vec::new();
    for device in devices.iter() {
        let mut control = device.allocate(size_of::<Control>() as u64)?;
        let zeroes = vec![0u8; size_of::<Control>()];
        let copied = device.stream.memcpy_htod(&zeroes, &mut *control);
        copied.map_err(driver_error("copy to the device"))?;
        let (control_there, blocks) = (device.address_of(&control), blocks(device).into());
        peers.push(Peer { control: control_there, blocks, ..Peer::default() });
        controls.push(control);
    }
    let mut runs = Vec::new();
    let mut kept = Vec::new();
    for (at, device) in devices.iter().enumerate() {
        let mut peers_there = device.allocate(size_of_val(&*peers) as u64)?;
        let copied = device.stream.memcpy_htod(bytemuck::cast_slice::<Peer, u8>(&peers), &mut *peers_there);
        copied.map_err(driver_error("copy to the device"))?;
        runs.push(DeviceRun {
            control: peers[at].control,
            peers: device.address_of(&peers_there),
            abort: abort.address(),
            steps: BARRIERS,
            device: at as u32,
            devices: devices.len() as u32,
            ..DeviceRun::default()
        });
        kept.push(peers_there);
    }
    for device in devices.iter() {
        device.stream.synchronize().map_err(driver_error("copy to the device"))?;
    }
    alone(|| {
        let mut each = devices.iter().zip(&functions).zip(&runs);
        let begun = launching(|| {
            each.try_for_each(|((device, function), run)| {
                begin(device, function, run).map_err(|error| named(device, error))
            })
        });
        let devices: Vec<&Device> = devices.iter().map(AsRef::as_ref).collect();
        end_together(&devices, &abort, begun)
    })?;
    let mut bytes = vec![0u8; size_of::<Control>()];
    let stream = &lead.stream;
    stream.memcpy_dtoh(&*controls[0], &mut bytes).map_err(driver_error("copy from the device"))?;
    stream.synchronize().map_err(driver_error("copy from the device"))?;
    let control: Control = bytemuck::pod_read_unaligned(&bytes);
    Ok(Duration::from_nanos(control.ended) / BARRIERS as u32)
}

fn load(device: &Device, cubin: Vec<u8>) -> Result<LoadedKernel, DeviceError> {
    device.load_kernel(cubin, wolfpath_kernels::MEETING_ENTRY, "load the kernel that measures the barrier")
}

fn begin(device: &Device, function: &LoadedKernel, run: &DeviceRun) -> Result<(), DeviceError> {
    let config = LaunchConfig {
        grid_dim: (blocks(device), 1, 1),
        block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: the argument matches `wolfpath_meet`. The addresses in it that the kernel reads point to a `Control`, to one
    // `Peer` per device, and to a word of the host. The caller keeps all of them until the stream has been synchronized.
    let launched = unsafe { device.stream.launch_builder(function).arg(run).launch_cooperative(config) };
    launched.map(drop).map_err(driver_error("launch the kernel that measures the barrier"))
}

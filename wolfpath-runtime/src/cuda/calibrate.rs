//! Measurement of a device's costs. It consists of one launch of a dedicated kernel (`kernels/include/calibrate.cuh`)
//! and takes about ten milliseconds.

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg};

use super::cubin::calibration_cubin;
use super::device::{Device, DeviceArray, driver_error};
use super::together::Guarded;
use crate::error::RunError;
use crate::plan::{DeviceCosts, StepParts, TABLE_BYTES};

/// Number of consecutive barriers.
const BARRIERS: u32 = 400;

/// Number of random accesses per thread.
const ACCESSES: u32 = 256;

/// Number of passes over each measurement. The fastest pass counts, because caches and clocks are cold in the first.
const PASSES: u32 = 3;

/// Number of thin steps (steps with few edges).
const STEPS: u32 = 200;

/// Size of a cache line of the device in bytes.
const CACHE_LINE: u64 = 128;

/// Number of measured times that the kernel returns (`Measured` in `calibrate.cuh`).
const MEASURED: usize = 10;

/// Argument of the kernel (`Calibration` in `calibrate.cuh`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Task {
    table: u64,
    times: u64,
    ticket: u64,
    counter: u64,
    small_words: u32,
    large_words: u32,
    barriers: u32,
    accesses: u32,
    steps: u32,
    passes: u32,
}

// SAFETY: the struct consists of plain integers in `repr(C)`, without padding, and has the layout of `wp::Calibration`.
unsafe impl DeviceRepr for Task {}

/// Measures the device.
pub(super) fn measure(device: &Device) -> Result<DeviceCosts, RunError> {
    let (cubin, _) = calibration_cubin(device.capability.0, device.capability.1)?;
    let action = "load the kernel that measures the device";
    let function = device.load_kernel(cubin, wolfpath_kernels::CALIBRATION_ENTRY, action)?;
    let table: DeviceArray = device.zeroes(TABLE_BYTES[1] as usize)?;
    // The barrier's ticket and the counter are in separate cache lines.
    let ticket: DeviceArray = device.zeroes(2 * CACHE_LINE as usize)?;
    let ticket_address = ticket.device_ptr(&device.stream).0;
    // The array has one more word than the kernel returns. The compiler cannot know that the kernel never writes this
    // word, so it does not remove the reads whose result would be written there.
    let mut times: Guarded<CudaSlice<u64>> = device.zeroes(MEASURED + 1)?;
    let none = device.stream.memcpy_htod(&[u64::MAX; MEASURED + 1], &mut *times);
    none.map_err(driver_error("copy to the device"))?;
    let words = TABLE_BYTES.map(|bytes| (bytes / 4) as u32);
    let task = Task {
        table: table.device_ptr(&device.stream).0,
        times: times.device_ptr(&device.stream).0,
        ticket: ticket_address,
        counter: ticket_address + CACHE_LINE,
        small_words: words[0],
        large_words: words[1],
        barriers: BARRIERS,
        accesses: ACCESSES,
        steps: STEPS,
        passes: PASSES,
    };
    let config = LaunchConfig {
        grid_dim: (device.multiprocessors, 1, 1),
        block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: the argument matches `wolfpath_calibrate`. Its addresses point to arrays of the sizes that it states.
    // These arrays live until the stream is synchronized below.
    let launched = unsafe { device.stream.launch_builder(&function).arg(&task).launch_cooperative(config) };
    launched.map_err(driver_error("launch the kernel that measures the device"))?;
    let mut nanoseconds = [0u64; MEASURED + 1];
    device
        .stream
        .memcpy_dtoh(&times.slice_mut(..), &mut nanoseconds)
        .map_err(driver_error("copy from the device"))?;
    device.stream.synchronize().map_err(driver_error("run the kernel that measures the device"))?;
    drop((table, ticket, times));
    // Wait until the memory is freed, because the next plan queries how much memory is free.
    device.stream.synchronize().map_err(driver_error("free memory"))?;
    let threads = u64::from(device.multiprocessors) * u64::from(wolfpath_kernels::BLOCK_THREADS);
    Ok(costs(&nanoseconds[..MEASURED], threads))
}

/// Converts the times that the kernel measured, with `threads` threads, to costs. If a time is missing, the costs are
/// implausible, and the caller rejects them.
fn costs(nanoseconds: &[u64], threads: u64) -> DeviceCosts {
    let time = |at: usize| nanoseconds.get(at).map_or(f64::INFINITY, |&time| time.max(1) as f64);
    let accesses = threads as f64 * f64::from(ACCESSES);
    let barrier_ns = time(0) / f64::from(BARRIERS);
    let up_to = [6, 7, 8, 9].map(|at| time(at) / f64::from(STEPS));
    DeviceCosts {
        barrier_ns,
        step_parts: StepParts::from_sums(barrier_ns, up_to),
        sequential_gb_s: TABLE_BYTES[1] as f64 / time(1),
        random_read_g_s: [accesses / time(2), accesses / time(3)],
        atomic_g_s: [accesses / time(4), accesses / time(5)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_costs() {
        let threads = 132 * 1024;
        let times =
            [412_000, 72_160, 217_632, 768_960, 326_449, 1_821_221, 338_000, 374_000, 412_000, 498_000];
        let costs = costs(&times, threads);
        let expected = DeviceCosts::H200;
        let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.01;
        assert!(is_near(costs.barrier_ns, expected.barrier_ns), "{costs}");
        let (parts, known) = (costs.step_parts, expected.step_parts);
        assert!(is_near(parts.queue_ns, known.queue_ns) && is_near(parts.row_ns, known.row_ns), "{costs}");
        assert!(is_near(parts.end_ns, known.end_ns) && is_near(parts.value_ns, known.value_ns), "{costs}");
        assert!(is_near(costs.sequential_gb_s, expected.sequential_gb_s), "{costs}");
        for size in 0..2 {
            assert!(is_near(costs.random_read_g_s[size], expected.random_read_g_s[size]), "{costs}");
            assert!(is_near(costs.atomic_g_s[size], expected.atomic_g_s[size]), "{costs}");
        }
        assert!(!super::costs(&[u64::MAX; MEASURED], threads).are_plausible());
        assert!(!super::costs(&[], threads).are_plausible());
    }
}

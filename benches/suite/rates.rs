//! Measured rates of the hardware. All floors are computed from the rates in this file.

use serde_json::{Value, json};

/// Device on which the rates were measured. Floors are for this device, no matter which device the run used.
pub(crate) const DEVICE: &str = "NVIDIA H200, CUDA 13.0, driver 580";
/// Date of the measurement.
pub(crate) const DATE: &str = "2026-11-22";

/// Rate of reading device memory in order, in bytes per second.
pub(crate) const BYTES_A_SECOND: f64 = 3.79e12;

/// Rate at which kernels read host memory in place over a PCIe 5 link, in bytes per second.
pub(crate) const LINK_BYTES_A_SECOND: f64 = 50.8e9;

/// Time of a barrier over the whole grid, in seconds: a custom barrier, with one block per multiprocessor.
pub(crate) const BARRIER: f64 = 1.02e-6;

/// Bytes of shared memory that a block can have (compute capability 9.0).
pub(crate) const SHARED_BYTES: u64 = 227 << 10;

const MIB: f64 = (1 << 20) as f64;

/// Rates of random reads of 4 bytes in a table: size of the table in bytes, and reads per second. `wolfpath devices` measures
/// both. In between, the rate of an H100 falls faster than the interpolation says, so that floors are too low, not too high.
const RANDOM_READS: [(f64, f64); 2] = [(16.0 * MIB, 159e9), (256.0 * MIB, 45e9)];

/// Returns the random reads per second in a table of this size. Between measured sizes, the rate is interpolated
/// linearly over the logarithm of the size. Smaller and larger tables have the rate of the nearest measured size.
pub(crate) fn random_reads(table: f64) -> f64 {
    let Some(above) = RANDOM_READS.iter().position(|&(bytes, _)| table <= bytes) else {
        return RANDOM_READS[RANDOM_READS.len() - 1].1;
    };
    let (bytes, rate) = RANDOM_READS[above];
    let Some(&(smaller, quicker)) = above.checked_sub(1).and_then(|below| RANDOM_READS.get(below)) else {
        return rate;
    };
    let part = (table / smaller).ln() / (bytes / smaller).ln();
    quicker + part * (rate - quicker)
}

/// Returns the rates as JSON, for records that contain floors.
pub(crate) fn json() -> Value {
    let reads: Vec<Value> = RANDOM_READS
        .iter()
        .map(|&(bytes, rate)| json!({"table_mib": bytes / MIB, "reads_a_second": rate}))
        .collect();
    json!({
        "device": DEVICE,
        "date": DATE,
        "bytes_a_second": BYTES_A_SECOND,
        "barrier_us": BARRIER * 1e6,
        "random_reads": reads,
    })
}

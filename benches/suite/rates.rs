//! What the hardware allows, as measured: the one place of the rates that floors are made of.

use serde_json::{Value, json};

/// Where the rates were measured, and when. Floors are those of this device whatever the run was on.
pub(crate) const DEVICE: &str = "NVIDIA H100 80GB HBM3, CUDA 13.0, driver 580";
/// The day.
pub(crate) const DATE: &str = "2026-11-20";

/// Device memory read in order, bytes a second.
pub(crate) const BYTES_A_SECOND: f64 = 3.09e12;

/// A barrier over the whole grid, seconds: one of one's own, one block a multiprocessor.
pub(crate) const BARRIER: f64 = 1.02e-6;

const MIB: f64 = (1 << 20) as f64;

/// Reads of 4 bytes each at random places of a table: its bytes, and reads a second.
const RANDOM_READS: [(f64, f64); 5] =
    [(16.0 * MIB, 137e9), (32.0 * MIB, 100e9), (64.0 * MIB, 54e9), (256.0 * MIB, 36e9), (1024.0 * MIB, 33e9)];

/// Random reads a second of a table of so many bytes: a straight line between what was measured, over the logarithm of
/// the size. Smaller and larger tables were not measured and count as the nearest that was.
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

/// The rates, for whoever writes down floors.
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

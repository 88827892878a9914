//! Costs of a device's basic operations. They are measured on the device (`cuda/calibrate.rs`), and
//! `device_workload.rs` uses all of them. The constants here are properties of the kernels, each with the measurement
//! that it was fitted to.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Sizes in bytes of the tables whose random accesses are measured. The first table fits in the caches of large
/// devices. The second does not fit in any cache.
pub(crate) const TABLE_BYTES: [u64; 2] = [16 << 20, 256 << 20];

/// Times and rates of a device's basic operations, as measured on the device.
///
/// # Examples
///
/// ```
/// use wolfpath::DeviceCosts;
///
/// assert!(DeviceCosts::H200.are_plausible());
/// assert!(DeviceCosts::H200.step_ns() > DeviceCosts::H200.barrier_ns);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceCosts {
    /// Nanoseconds per grid barrier.
    pub barrier_ns: f64,
    /// Parts of a thin step, which has few active vertices, without its barrier.
    pub step_parts: StepParts,
    /// Gigabytes per second of sequential reads.
    pub sequential_gb_s: f64,
    /// Random reads of 4 bytes, in billions per second, from tables of 16 MB and 256 MB.
    pub random_read_g_s: [f64; 2],
    /// Random `atomicMin` operations of 4 bytes, in billions per second, on tables of 16 MB and 256 MB.
    pub atomic_g_s: [f64; 2],
}

/// Times of the parts of a step in which every warp processes one edge, without the barrier. Each part depends on the
/// previous part, and all accesses are to a table of 16 MB. The steps of a real kernel take longer because of their
/// other instructions.
///
/// # Examples
///
/// ```
/// use wolfpath::StepParts;
///
/// let parts = StepParts { queue_ns: 900.0, row_ns: 300.0, end_ns: 300.0, value_ns: 500.0 };
/// assert_eq!(parts.total_ns(), 2000.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepParts {
    /// Nanoseconds to read an item that another block has written, to reserve a slot in the next queue (one addition
    /// per block), and to write an item there.
    pub queue_ns: f64,
    /// Nanoseconds to read the bounds of the vertex's row.
    pub row_ns: f64,
    /// Nanoseconds to read the edge's destination.
    pub end_ns: f64,
    /// Nanoseconds to combine a message into the destination's value, by an atomic that returns the previous value.
    pub value_ns: f64,
}

impl StepParts {
    /// Returns the parts of a step. Each element of `sums` is the measured time from the start of the step to the end
    /// of one part.
    pub(crate) fn from_sums(barrier_ns: f64, sums: [f64; 4]) -> StepParts {
        let mut before = barrier_ns;
        // Clocks are imprecise, so a longer sequence can appear to take less time.
        let [queue_ns, row_ns, end_ns, value_ns] =
            sums.map(|sum| (sum - std::mem::replace(&mut before, sum)).max(0.0));
        StepParts { queue_ns, row_ns, end_ns, value_ns }
    }

    /// Returns the sum of all parts.
    pub fn total_ns(&self) -> f64 {
        self.queue_ns + self.row_ns + self.end_ns + self.value_ns
    }

    /// Returns the nanoseconds of one more edge in the same step: the sum of all parts except the queue.
    pub(crate) fn edge_ns(&self) -> f64 {
        self.row_ns + self.end_ns + self.value_ns
    }
}

/// Time of a thin step without its barrier, as a multiple of its parts. The rest of the time is instructions. On an
/// H200 (barrier 1.03 us, parts 1.46 us) a step of one edge takes 3.5 us (a path), and one of 3,600 edges 5.6 us (BFS
/// on USA-road-NE).
const STEP_WAITS: f64 = 2.5;

/// Time of a local round, as a multiple of the time of one edge. On an H200 (0.80 us per edge) the ten rounds between
/// two barriers, and the barrier's own step, take 16.8 us on USA-road-NE.
const LOCAL_WAITS: f64 = 1.6;

impl DeviceCosts {
    /// Costs of an H200, measured on 2026-11-23. They are assumed for devices that cannot be measured.
    pub const H200: DeviceCosts = DeviceCosts {
        barrier_ns: 1030.0,
        step_parts: StepParts { queue_ns: 660.0, row_ns: 180.0, end_ns: 190.0, value_ns: 430.0 },
        sequential_gb_s: 3720.0,
        random_read_g_s: [159.0, 45.0],
        atomic_g_s: [106.0, 19.0],
    };

    /// Returns the nanoseconds of a step with few active vertices, including its barrier.
    pub fn step_ns(&self) -> f64 {
        self.barrier_ns + STEP_WAITS * self.step_parts.total_ns()
    }

    /// Returns the nanoseconds of a local round, which warps run on their own between two barriers.
    pub fn local_round_ns(&self) -> f64 {
        LOCAL_WAITS * self.step_parts.edge_ns()
    }

    /// Returns `true` if these costs are plausible: each is a number in the range of real devices.
    pub fn are_plausible(&self) -> bool {
        let parts = self.step_parts;
        let times = [self.barrier_ns, parts.total_ns(), parts.edge_ns()];
        let rates = self.random_read_g_s.into_iter().chain(self.atomic_g_s);
        times.iter().all(|time| (1.0..1e7).contains(time))
            && (1.0..1e6).contains(&self.sequential_gb_s)
            && rates.into_iter().all(|rate| (1e-3..1e5).contains(&rate))
    }

    /// Returns the nanoseconds that a sequential read of `bytes` bytes takes.
    pub(crate) fn sequential_ns(&self, bytes: f64) -> f64 {
        bytes / self.sequential_gb_s
    }

    /// Returns the nanoseconds per random read of 4 bytes, if all threads read from a table of this size.
    pub(crate) fn random_read_ns(&self, table_bytes: u64) -> f64 {
        1.0 / interpolated(TABLE_BYTES, self.random_read_g_s, table_bytes)
    }

    /// Returns the nanoseconds per random `atomicMin`, if all threads access a table of this size.
    pub(crate) fn atomic_ns(&self, table_bytes: u64) -> f64 {
        1.0 / interpolated(TABLE_BYTES, self.atomic_g_s, table_bytes)
    }
}

/// Returns the rate, or the time, for a table of `bytes` bytes, given those for two sizes. Between the two sizes, its
/// logarithm is interpolated linearly over the logarithm of the size. Outside of them, that of the nearer size is used.
pub(super) fn interpolated(sizes: [u64; 2], found: [f64; 2], bytes: u64) -> f64 {
    let [small, large] = sizes.map(|size| (size as f64).log2());
    let share = ((bytes.max(1) as f64).log2() - small) / (large - small);
    let share = share.clamp(0.0, 1.0);
    (found[0].ln() * (1.0 - share) + found[1].ln() * share).exp()
}

impl fmt::Display for DeviceCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let microseconds = |ns: f64| ns / 1e3;
        let parts = self.step_parts;
        write!(
            f,
            "barrier {:.2} us, thin step {:.1} us, local round {:.1} us; \
             sequential reads {:.0} GB/s; random reads {:.0} / {:.0} G/s and atomics {:.0} / {:.0} G/s (16 / 256 MB); \
             a thin step waits {:.2} us for its queue, {:.2} for the row, {:.2} for the destination, {:.2} for the value",
            microseconds(self.barrier_ns),
            microseconds(self.step_ns()),
            microseconds(self.local_round_ns()),
            self.sequential_gb_s,
            self.random_read_g_s[0],
            self.random_read_g_s[1],
            self.atomic_g_s[0],
            self.atomic_g_s[1],
            microseconds(parts.queue_ns),
            microseconds(parts.row_ns),
            microseconds(parts.end_ns),
            microseconds(parts.value_ns),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_lie_between_what_was_measured() {
        let costs = DeviceCosts::H200;
        assert_eq!(costs.random_read_ns(0), costs.random_read_ns(16 << 20));
        assert!((costs.random_read_ns(16 << 20) - 1.0 / 159.0).abs() < 1e-9);
        assert!((costs.random_read_ns(1 << 40) - 1.0 / 45.0).abs() < 1e-9);
        let between = costs.atomic_ns(64 << 20);
        assert!(between > costs.atomic_ns(16 << 20) && between < costs.atomic_ns(256 << 20), "{between}");
    }

    #[test]
    fn steps_cost_what_was_measured() {
        let costs = DeviceCosts::H200;
        assert!((3500.0..5600.0).contains(&costs.step_ns()), "{costs}");
        let between_barriers = 10.0 * costs.local_round_ns() + costs.step_ns();
        assert!((between_barriers / 16_800.0 - 1.0).abs() < 0.1, "{costs}");
        assert_eq!(
            costs.to_string(),
            "barrier 1.03 us, thin step 4.7 us, local round 1.3 us; sequential reads 3720 GB/s; random reads 159 / 45 \
             G/s and atomics 106 / 19 G/s (16 / 256 MB); a thin step waits 0.66 us for its queue, 0.18 for the row, \
             0.19 for the destination, 0.43 for the value"
        );
    }

    #[test]
    fn parts_of_a_step_are_differences() {
        let parts = StepParts::from_sums(1000.0, [1800.0, 2100.0, 2090.0, 2600.0]);
        assert_eq!(parts, StepParts { queue_ns: 800.0, row_ns: 300.0, end_ns: 0.0, value_ns: 510.0 });
        assert!(DeviceCosts { step_parts: parts, ..DeviceCosts::H200 }.are_plausible());
        let endless = StepParts { value_ns: f64::INFINITY, ..parts };
        assert!(!DeviceCosts { step_parts: endless, ..DeviceCosts::H200 }.are_plausible());
        let instant = StepParts::from_sums(1000.0, [900.0; 4]);
        assert!(!DeviceCosts { step_parts: instant, ..DeviceCosts::H200 }.are_plausible());
    }

    #[test]
    fn implausible_costs_are_told() {
        assert!(DeviceCosts::H200.are_plausible());
        for wrong in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(!DeviceCosts { barrier_ns: wrong, ..DeviceCosts::H200 }.are_plausible(), "{wrong}");
            assert!(!DeviceCosts { sequential_gb_s: wrong, ..DeviceCosts::H200 }.are_plausible(), "{wrong}");
            assert!(!DeviceCosts { atomic_g_s: [90.0, wrong], ..DeviceCosts::H200 }.are_plausible());
        }
    }
}

//! Costs of a device's basic operations. They are measured on the device (`cuda/calibrate.rs`). The constants here are
//! properties of the kernels, each with the measurement that it was fitted to. Estimates serve to choose between
//! schedules: they show which of two schedules is faster if the difference is large, but do not predict absolute times.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Sizes in bytes of the tables whose random accesses are measured. The first table fits in the caches of large
/// devices. The second does not fit in any cache.
pub(crate) const TABLE_BYTES: [u64; 2] = [16 << 20, 256 << 20];

/// Times and rates of a device's basic operations.
///
/// # Examples
///
/// ```
/// use wolfpath::DeviceCosts;
///
/// assert!(DeviceCosts::H100.are_plausible());
/// assert!(DeviceCosts::H100.step_ns > DeviceCosts::H100.barrier_ns);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceCosts {
    /// Nanoseconds per grid barrier.
    pub barrier_ns: f64,
    /// Nanoseconds per read that depends on the previous read, in a table of 16 MB.
    pub dependent_read_ns: f64,
    /// Nanoseconds per local round, which warps run on their own between two barriers.
    pub local_round_ns: f64,
    /// Nanoseconds per step with few active vertices, including its barrier.
    pub step_ns: f64,
    /// Gigabytes per second of sequential reads.
    pub sequential_gb_s: f64,
    /// Random reads of 4 bytes, in billions per second, from tables of 16 MB and 256 MB.
    pub random_read_g_s: [f64; 2],
    /// Random `atomicMin` operations of 4 bytes, in billions per second, on tables of 16 MB and 256 MB.
    pub atomic_g_s: [f64; 2],
    /// Parts of a thin step, which has few active vertices; `None` if they were not measured.
    pub step_parts: Option<StepParts>,
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
}

/// Number of dependent reads that take as long as a thin step without its barrier. On an H100 (barrier 1.01 us, read
/// 0.15 us) a step takes 4.9 us on USA-road-NE and 4.4 us on osm-moscow.
const STEP_READS: f64 = 24.0;

/// Number of dependent reads that take as long as a local round. On an H100 a round takes 1.4 us on USA-road-NE and 1.1
/// us on osm-moscow. Instructions take two thirds of that time.
const LOCAL_READS: f64 = 8.3;

impl DeviceCosts {
    /// Costs of an H100 80 GB HBM3, measured on 2026-11-21. They are assumed for devices that cannot be measured.
    pub const H100: DeviceCosts =
        DeviceCosts::from_figures(1010.0, 150.0, 3090.0, [137.0, 36.0], [90.0, 15.0]);

    /// Returns the costs that follow from measurements without a graph.
    #[doc(hidden)]
    pub const fn from_figures(
        barrier_ns: f64,
        dependent_read_ns: f64,
        sequential_gb_s: f64,
        random_read_g_s: [f64; 2],
        atomic_g_s: [f64; 2],
    ) -> DeviceCosts {
        DeviceCosts {
            barrier_ns,
            dependent_read_ns,
            local_round_ns: LOCAL_READS * dependent_read_ns,
            step_ns: barrier_ns + STEP_READS * dependent_read_ns,
            sequential_gb_s,
            random_read_g_s,
            atomic_g_s,
            step_parts: None,
        }
    }

    /// Returns the costs with the parts of a thin step added.
    pub(crate) fn with_step_parts(self, parts: StepParts) -> DeviceCosts {
        DeviceCosts { step_parts: Some(parts), ..self }
    }

    /// Returns `true` if these costs are plausible: each is a number in the range of real devices.
    pub fn are_plausible(&self) -> bool {
        let times = [self.barrier_ns, self.dependent_read_ns, self.local_round_ns, self.step_ns];
        let rates = self.random_read_g_s.into_iter().chain(self.atomic_g_s);
        times.iter().all(|time| (1.0..1e7).contains(time))
            && (1.0..1e6).contains(&self.sequential_gb_s)
            && rates.into_iter().all(|rate| (1e-3..1e5).contains(&rate))
            && self.step_parts.is_none_or(|parts| (1.0..1e7).contains(&parts.total_ns()))
    }

    /// Returns the nanoseconds that a sequential read of `bytes` bytes takes.
    pub(crate) fn sequential_ns(&self, bytes: f64) -> f64 {
        bytes / self.sequential_gb_s
    }

    /// Returns the nanoseconds per random read of 4 bytes, if all threads read from a table of this size.
    pub(crate) fn random_read_ns(&self, table_bytes: u64) -> f64 {
        1.0 / rate_at(self.random_read_g_s, table_bytes)
    }

    /// Returns the nanoseconds per random `atomicMin`, if all threads access a table of this size.
    pub(crate) fn atomic_ns(&self, table_bytes: u64) -> f64 {
        1.0 / rate_at(self.atomic_g_s, table_bytes)
    }
}

/// Returns the rate for a table's size. Between the two measured sizes, the logarithm of the rate is interpolated
/// linearly over the logarithm of the size. Outside of them, the rate of the nearer size is used.
fn rate_at(rates: [f64; 2], table_bytes: u64) -> f64 {
    let [small, large] = TABLE_BYTES.map(|bytes| (bytes as f64).log2());
    let share = ((table_bytes.max(1) as f64).log2() - small) / (large - small);
    let share = share.clamp(0.0, 1.0);
    (rates[0].ln() * (1.0 - share) + rates[1].ln() * share).exp()
}

impl fmt::Display for DeviceCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let microseconds = |ns: f64| ns / 1e3;
        write!(
            f,
            "barrier {:.2} us, dependent read {:.2} us, thin step {:.1} us, local round {:.1} us; \
             sequential reads {:.0} GB/s; random reads {:.0} / {:.0} G/s and atomics {:.0} / {:.0} G/s (16 / 256 MB)",
            microseconds(self.barrier_ns),
            microseconds(self.dependent_read_ns),
            microseconds(self.step_ns),
            microseconds(self.local_round_ns),
            self.sequential_gb_s,
            self.random_read_g_s[0],
            self.random_read_g_s[1],
            self.atomic_g_s[0],
            self.atomic_g_s[1],
        )?;
        self.step_parts.map_or(Ok(()), |parts| {
            write!(
                f,
                "; a thin step waits {:.2} us for its queue, {:.2} for the row, {:.2} for the destination, {:.2} for the \
                 value",
                microseconds(parts.queue_ns),
                microseconds(parts.row_ns),
                microseconds(parts.end_ns),
                microseconds(parts.value_ns),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_lie_between_what_was_measured() {
        let costs = DeviceCosts::H100;
        assert_eq!(costs.random_read_ns(0), costs.random_read_ns(16 << 20));
        assert!((costs.random_read_ns(16 << 20) - 1.0 / 137.0).abs() < 1e-9);
        assert!((costs.random_read_ns(1 << 40) - 1.0 / 36.0).abs() < 1e-9);
        let between = costs.atomic_ns(64 << 20);
        assert!(between > costs.atomic_ns(16 << 20) && between < costs.atomic_ns(256 << 20), "{between}");
    }

    #[test]
    fn steps_cost_what_was_measured() {
        assert!((4400.0..4900.0).contains(&DeviceCosts::H100.step_ns), "{:?}", DeviceCosts::H100);
        assert!((1100.0..1400.0).contains(&DeviceCosts::H100.local_round_ns));
        assert_eq!(
            DeviceCosts::H100.to_string(),
            "barrier 1.01 us, dependent read 0.15 us, thin step 4.6 us, local round 1.2 us; \
             sequential reads 3090 GB/s; random reads 137 / 36 G/s and atomics 90 / 15 G/s (16 / 256 MB)"
        );
    }

    #[test]
    fn parts_of_a_step_are_differences() {
        let parts = StepParts::from_sums(1000.0, [1800.0, 2100.0, 2090.0, 2600.0]);
        assert_eq!(parts, StepParts { queue_ns: 800.0, row_ns: 300.0, end_ns: 0.0, value_ns: 510.0 });
        let costs = DeviceCosts::H100.with_step_parts(parts);
        assert!(costs.to_string().ends_with(
            "; a thin step waits 0.80 us for its queue, 0.30 for the row, 0.00 for the destination, 0.51 for the value"
        ));
        assert!(costs.are_plausible());
        let endless = StepParts { value_ns: f64::INFINITY, ..parts };
        assert!(!DeviceCosts::H100.with_step_parts(endless).are_plausible());
    }

    #[test]
    fn implausible_costs_are_told() {
        assert!(DeviceCosts::H100.are_plausible());
        for wrong in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(!DeviceCosts { barrier_ns: wrong, ..DeviceCosts::H100 }.are_plausible(), "{wrong}");
            assert!(!DeviceCosts { sequential_gb_s: wrong, ..DeviceCosts::H100 }.are_plausible(), "{wrong}");
            assert!(!DeviceCosts { atomic_g_s: [90.0, wrong], ..DeviceCosts::H100 }.are_plausible());
        }
    }
}

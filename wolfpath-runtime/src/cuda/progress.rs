//! Progress of a run on the device. At the end of each step the kernel writes counters to host memory, where a host
//! thread reads them during the run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::device::Device;
use super::mapped::{Mapped, Shared};
use super::meanwhile::meanwhile;
use crate::error::{DeviceError, RunError};
use crate::options::Counts;

/// Interval between two checks during a kernel. Progress is reported at most every 50 ms, and a Ctrl-C should take
/// effect within this interval.
const INTERVAL: Duration = Duration::from_millis(10);

/// Value of `present` if the vertices with a value are not counted.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// Counters in the layout in which the kernel writes them: 8 bytes each, at offsets 0, 8, 16 and 24. Each counter is
/// read and written atomically, but the four counters together are not, so a reader may see counters of two different
/// steps.
#[repr(C)]
pub(crate) struct Counters {
    /// Number of completed steps.
    step: AtomicU64,
    /// Number of edges visited.
    edges: AtomicU64,
    /// Number of vertices in the next frontier.
    active: AtomicU64,
    /// Number of vertices with a value; `UNKNOWN` if the kernel does not count them.
    present: AtomicU64,
}

// SAFETY: all fields are atomics. Every bit pattern is valid for them, and they need no drop.
unsafe impl Shared for Counters {}

impl Default for Counters {
    fn default() -> Counters {
        Counters {
            step: AtomicU64::new(0),
            edges: AtomicU64::new(0),
            active: AtomicU64::new(0),
            present: AtomicU64::new(UNKNOWN),
        }
    }
}

impl Counters {
    /// Returns the current counts.
    fn counts(&self) -> Counts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let present = Some(read(&self.present)).filter(|&present| present != UNKNOWN);
        Counts { steps: read(&self.step), edges: read(&self.edges), active: read(&self.active), present }
    }

    /// Resets the counters to their values before the first step.
    fn reset(&self) {
        [&self.step, &self.edges, &self.active].iter().for_each(|count| count.store(0, Ordering::Relaxed));
        self.present.store(UNKNOWN, Ordering::Relaxed);
    }
}

/// Progress counters of a run on the device.
pub(crate) struct DeviceProgress(Mapped<Counters>);

impl DeviceProgress {
    pub(crate) fn new(device: &Device) -> Result<DeviceProgress, DeviceError> {
        Mapped::new(device, "allocate the counts of a run's progress").map(DeviceProgress)
    }

    /// Returns the address to which the device writes the counters.
    pub(crate) fn address(&self) -> u64 {
        self.0.address()
    }

    /// Resets the counters before a run.
    pub(crate) fn reset(&self) {
        self.0.reset();
    }

    /// Returns the counts that the device wrote last.
    pub(crate) fn counts(&self) -> Counts {
        self.0.counts()
    }

    /// Calls `work`, which launches a kernel and waits for its end. While it waits, another thread periodically calls `look`
    /// to report progress and to check whether the run must end. An error of `look` does not interrupt the kernel, which
    /// returns at the end of its time slice, so the error is returned along with the result of `work`.
    pub(crate) fn watched<T>(
        look: impl FnMut() -> Result<(), RunError> + Send,
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        meanwhile(INTERVAL, look, work)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn the_layout_is_the_kernels() {
        let offsets = [
            offset_of!(Counters, step),
            offset_of!(Counters, edges),
            offset_of!(Counters, active),
            offset_of!(Counters, present),
        ];
        assert_eq!((offsets, size_of::<Counters>()), ([0, 8, 16, 24], 32));
    }

    #[test]
    fn what_is_not_counted_is_unknown() {
        let counters = Counters::default();
        assert_eq!(counters.counts(), Counts::default());
        counters.step.store(3, Ordering::Relaxed);
        counters.present.store(5, Ordering::Relaxed);
        assert_eq!(counters.counts(), Counts { steps: 3, present: Some(5), ..Counts::default() });
        counters.reset();
        assert_eq!(counters.counts(), Counts::default());
    }
}

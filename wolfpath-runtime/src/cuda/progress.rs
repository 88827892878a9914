//! Progress of a run on the device: counts in host memory that the kernel writes at the end of a step, and that a
//! thread of the host reads while it runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::device::Device;
use super::mapped::{Mapped, Shared};
use super::meanwhile::meanwhile;
use crate::error::{DeviceError, RunError};
use crate::options::{Counts, Watch};

/// Between two looks at a kernel: callers hear of a run at most every 50 ms, and a Ctrl-C need not wait longer than this.
const INTERVAL: Duration = Duration::from_millis(10);

/// The value of `present` if vertices are not counted.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// The counts as the kernel writes them, in this layout: 8 bytes each, at offsets 0, 8, 16 and 24. Each is written and
/// read as a whole, but not all together: a reader may see the counts of two steps.
#[repr(C)]
pub(crate) struct Counters {
    /// Steps done.
    step: AtomicU64,
    /// Edges looked at.
    edges: AtomicU64,
    /// Vertices of the next frontier.
    active: AtomicU64,
    /// Vertices with a value; `UNKNOWN` where the kernel does not count them.
    present: AtomicU64,
}

// SAFETY: it is made of atomics, of which every bit pattern is a value and which need no drop.
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
    /// Returns the present counts.
    fn counts(&self) -> Counts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let present = Some(read(&self.present)).filter(|&present| present != UNKNOWN);
        Counts { steps: read(&self.step), edges: read(&self.edges), active: read(&self.active), present }
    }

    /// Resets the counts to those before the first step.
    fn reset(&self) {
        [&self.step, &self.edges, &self.active].iter().for_each(|count| count.store(0, Ordering::Relaxed));
        self.present.store(UNKNOWN, Ordering::Relaxed);
    }
}

/// The counts of a run on the device.
pub(crate) struct DeviceProgress(Mapped<Counters>);

impl DeviceProgress {
    pub(crate) fn new(device: &Device) -> Result<DeviceProgress, DeviceError> {
        Mapped::new(device, "allocate the counts of a run's progress").map(DeviceProgress)
    }

    /// Returns the address to which the device writes them.
    pub(crate) fn address(&self) -> u64 {
        self.0.address()
    }

    /// Resets the counts before a run.
    pub(crate) fn reset(&self) {
        self.0.reset();
    }

    /// Returns what the device wrote last.
    pub(crate) fn counts(&self) -> Counts {
        self.0.counts()
    }

    /// Does `work`, which runs a kernel and waits for it, and meanwhile reports progress.
    /// Also returns the error of a run that must end; the kernel itself is not stopped by it, but returns after its slice.
    pub(crate) fn watched<T>(
        &self,
        watch: &mut Watch<'_>,
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        if !watch.is_wanted() {
            return Ok((work(), Ok(())));
        }
        meanwhile(INTERVAL, || watch.look(self.counts()), work)
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

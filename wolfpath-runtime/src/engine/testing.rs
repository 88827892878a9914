//! Settings of the CUDA engine for tests, which make small graphs and short runs reach rare code.

use std::sync::Arc;

use super::{Engine, Place};
use crate::cuda;
use crate::error::DeviceError;

impl Engine {
    /// Returns the CUDA engine for a device, with kernels whose threads wait for random times at barriers and atomics.
    /// This makes rare orders of memory accesses frequent.
    #[doc(hidden)]
    pub fn cuda_with_delays(ordinal: usize) -> Result<Engine, DeviceError> {
        let mut device = cuda::Device::open(ordinal)?;
        device.delays = true;
        Ok(Engine::of(Place::Cuda(Arc::new(device).into()), "requested"))
    }

    /// Limits the number of items that queues have room for, so that small graphs have frontiers with more.
    #[doc(hidden)]
    #[must_use]
    pub fn queue_room(mut self, items: impl Into<Option<u64>>) -> Engine {
        self.queue_room = items.into();
        self
    }

    /// Makes several devices share every run that they can share, whether this is worth it or not.
    #[doc(hidden)]
    #[must_use]
    pub fn spread(mut self, spreads: bool) -> Engine {
        self.spread = spreads;
        self
    }

    /// Sets the number of vertices that are dealt out to several devices together, a power of two and a multiple of 64.
    /// Programs with a fold need the usual number.
    #[doc(hidden)]
    #[must_use]
    pub fn units_of(mut self, vertices: usize) -> Engine {
        self.unit = vertices;
        self
    }

    /// Limits the number of vertices that the inbox of one of several devices has room for.
    #[doc(hidden)]
    #[must_use]
    pub fn inbox_room(mut self, vertices: impl Into<Option<u64>>) -> Engine {
        self.inbox_room = vertices.into();
        self
    }

    /// Sets the smallest number of items that a device lends others, and lets devices lend whether this is worth it or not.
    #[doc(hidden)]
    #[must_use]
    pub fn least_lent(mut self, items: impl Into<Option<u64>>) -> Engine {
        self.least_lent = items.into();
        self
    }

    /// Limits the number of messages that each block copies to shared memory, and gives messages slots whether this is worth
    /// it or not; no slots with 0.
    #[doc(hidden)]
    #[must_use]
    pub fn hot_messages(mut self, most: impl Into<Option<u64>>) -> Engine {
        self.hot_messages = most.into();
        self
    }
}

//! The requests of a kernel for chunks, in memory that host and device share (`Requests` in `rounds.cuh`).

use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};

use wolfpath_kernels::ROUNDS;

use crate::cuda::device::Device;
use crate::cuda::mapped::{Mapped, Shared};
use crate::error::DeviceError;

/// Words before the requests, in the layout of `Requests` in `rounds.cuh`. The device writes the first cache line, and the
/// host the second.
#[repr(C)]
#[derive(Default)]
struct Head {
    /// Number of requests so far.
    posted: AtomicU64,
    _line: [AtomicU64; 7],
    /// Number of requests that were served, of round r at r % `ROUNDS`.
    done: [AtomicU64; ROUNDS],
    /// Nonzero if no more requests are served.
    failed: AtomicU64,
    _rest: [AtomicU64; 3],
}

// SAFETY: all fields are atomics. Every bit pattern is valid for them, and they need no drop.
unsafe impl Shared for Head {}

/// State of the ring on the device (`StreamState` in `rounds.cuh`).
#[repr(C)]
struct StreamState {
    rounds: [[u64; 6]; ROUNDS],
    done: u64,
    posted: [u64; ROUNDS],
    passes: u64,
    hand: u32,
    failed: u32,
}

/// Position of a field that the host reads.
pub(super) const PASSES: usize = offset_of!(StreamState, passes);

const _: () = assert!(size_of::<StreamState>() <= crate::plan::STATE_BYTES as usize);

/// Returns the offsets that `rounds.cuh` compares with its own layout: those of `StreamState`, then those of `Requests`.
pub(crate) fn offsets() -> Vec<usize> {
    vec![
        offset_of!(StreamState, rounds),
        offset_of!(StreamState, done),
        offset_of!(StreamState, posted),
        PASSES,
        offset_of!(StreamState, hand),
        offset_of!(StreamState, failed),
        size_of::<StreamState>(),
        offset_of!(Head, posted),
        offset_of!(Head, done),
        offset_of!(Head, failed),
        size_of::<Head>(),
    ]
}

/// A request: the chunk that the device needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) chunk: u64,
    /// Number of the round that needs it, modulo `ROUNDS`.
    pub(super) round: usize,
}

impl Request {
    /// Decodes the two words of a request.
    fn of(words: u64) -> Request {
        Request { chunk: words & u64::from(u32::MAX), round: (words >> u32::BITS) as usize % ROUNDS }
    }
}

/// The requests of a kernel, and what was served of them.
pub(super) struct Requests {
    memory: Mapped<Head>,
    room: u64,
}

impl Requests {
    /// Allocates space for `room` requests.
    pub(super) fn new(device: &Device, room: u64) -> Result<Requests, DeviceError> {
        let heads = 1 + (8 * room).div_ceil(size_of::<Head>() as u64);
        let memory = Mapped::many(device, heads as usize, "allocate memory for requests")?;
        Ok(Requests { memory, room })
    }

    /// Returns the number of requests that there is space for.
    pub(super) fn room(&self) -> u64 {
        self.room
    }

    /// Returns the address on the device.
    pub(super) fn address(&self) -> u64 {
        self.memory.address()
    }

    /// Forgets all requests before a run.
    pub(super) fn reset(&self) {
        let Head { posted, done, failed, .. } = &*self.memory;
        done.iter().chain([posted, failed]).for_each(|word| word.store(0, Ordering::Release));
    }

    /// Returns the number of requests so far. Those before it can be read.
    pub(super) fn posted(&self) -> u64 {
        self.memory.posted.load(Ordering::Acquire)
    }

    /// Returns a request by its place.
    pub(super) fn get(&self, place: u64) -> Request {
        let words: &[Head] = &self.memory.all()[1..];
        // SAFETY: `Head` consists of `AtomicU64`s without padding.
        let words = unsafe {
            let count = size_of_val(words) / size_of::<AtomicU64>();
            std::slice::from_raw_parts(words.as_ptr().cast::<AtomicU64>(), count)
        };
        Request::of(words[place as usize].load(Ordering::Relaxed))
    }

    /// Tells the device that `count` chunks of a round are in the ring.
    pub(super) fn serve(&self, round: usize, count: u64) {
        self.memory.done[round].fetch_add(count, Ordering::Release);
    }

    /// Tells the device that no more requests are served.
    pub(super) fn fail(&self) {
        self.memory.failed.store(1, Ordering::Release);
    }

    /// Returns `true` if no more requests are served.
    pub(super) fn has_failed(&self) -> bool {
        self.memory.failed.load(Ordering::Relaxed) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_two_words() {
        assert_eq!(Request::of(0x0000_0003_0000_0005), Request { chunk: 5, round: 3 });
        assert_eq!(Request::of(0xffff_ffff), Request { chunk: 0xffff_ffff, round: 0 });
    }
}

//! Streams rows to the device while a kernel runs. The kernel asks for chunks of the rows through mapped host memory
//! (`rounds.cuh`). Host threads read them, from the graph's file or from memory, to page-locked staging memory, and tell the
//! kernel, which copies them to the ring on the device. The threads decide nothing, and do not call the driver, which may
//! make them wait for the kernel.

mod requests;
mod source;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use cudarc::driver::result;

pub(crate) use self::requests::offsets;
use self::requests::{Request, Requests};
pub(crate) use self::source::Sources;
use super::buffers::Buffers;
use super::device::{Device, driver_error};
use super::host_array::HostArray;
use super::launch::UntypedLaunch;
use super::state::DeviceRun;
use crate::cpu::lock;
use crate::error::{DeviceError, RunError};
use crate::plan::{ArrayName, Ring, STATE_BYTES};
use crate::stats::Streamed;

/// Maximum number of threads that read. On a host with 16 cores (H100), 14 threads streamed no faster than 10: they
/// competed for the cores.
const THREADS: usize = 12;

/// Number of bytes of rows per thread. Small graphs need one thread.
const BYTES_PER_THREAD: u64 = 1 << 20;

/// Maximum number of chunks that a thread takes at a time.
const MOST_TAKEN: u64 = 16;

/// Number of times that a thread looks for requests before it lets others run, and before it sleeps.
const LOOKS: u32 = 256;
const PATIENT_LOOKS: u32 = 4096;

/// Time that threads sleep while they have nothing to do.
const REST: Duration = Duration::from_micros(50);

/// Memory of the host for streaming, which later runs reuse.
pub(crate) struct StreamMemory {
    requests: Requests,
    staging: Mutex<HostArray>,
}

impl StreamMemory {
    /// Allocates memory for a ring.
    ///
    /// # Errors
    /// [`DeviceError::Unlockable`] if memory cannot be page-locked.
    pub(crate) fn new(device: &Device, ring: &Ring) -> Result<StreamMemory, DeviceError> {
        let staging = HostArray::new(device, (ring.staging_slots() * ring.slot_bytes) as usize)?;
        Ok(StreamMemory { requests: Requests::new(device, ring.slots)?, staging: Mutex::new(staging) })
    }

    /// Returns `true` if the memory suffices for a ring.
    pub(crate) fn serves(&self, ring: &Ring) -> bool {
        let bytes = ring.staging_slots() * ring.slot_bytes;
        self.requests.room() >= ring.slots && lock(&self.staging).len() as u64 >= bytes
    }
}

/// The streaming of one run.
pub(crate) struct Stream<'a> {
    device: &'a Device,
    ring: Ring,
    sources: Sources<'a>,
    memory: &'a StreamMemory,
    /// Largest number of threads that read.
    threads: usize,
    /// Number of requests that threads have taken.
    taken: AtomicU64,
    ended: AtomicBool,
    chunks: AtomicU64,
    failure: Mutex<Option<RunError>>,
}

/// Start of the staging memory, whose slots threads fill.
#[derive(Clone, Copy)]
struct Slots {
    start: *mut u8,
    count: u64,
    bytes: usize,
}

// SAFETY: threads write different slots: each request is taken by one thread, and the kernel makes a request only when the
// slot of the request that had it before is free.
unsafe impl Send for Slots {}

impl<'a> Stream<'a> {
    /// Prepares the ring, which is empty, and stores its addresses in `run`. `streams` is the number of devices to which rows
    /// are streamed at the same time.
    pub(crate) fn new(
        launch: &'a UntypedLaunch<'_>,
        buffers: &mut Buffers,
        memory: &'a StreamMemory,
        sources: Sources<'a>,
        (ring, streams): (Ring, usize),
        run: &mut DeviceRun,
    ) -> Result<Stream<'a>, RunError> {
        let device = &*launch.resident.device;
        run.ring = launch.room(buffers, ArrayName::Ring)?;
        let table = launch.room(buffers, ArrayName::ChunkTable)?;
        let chunks = ring.all_chunks();
        memory.requests.reset();
        run.staging = lock(&memory.staging).address();
        run.state = table;
        run.slots = table + STATE_BYTES;
        run.slot_chunks = run.slots + 4 * chunks;
        run.slot_rounds = run.slot_chunks + 4 * ring.slots;
        run.request_slots = run.slot_rounds + 4 * ring.slots;
        run.needed = run.request_slots + 4 * ring.slots;
        let end = run.needed + 4 * ring.bitmap_words();
        debug_assert_eq!(end - table, launch.plan.planned_bytes(ArrayName::ChunkTable));
        // No chunk has a slot, and no slot has a chunk.
        set_bytes(device, run.state..run.slots, 0)?;
        set_bytes(device, run.slots..run.slot_rounds, 0xff)?;
        set_bytes(device, run.slot_rounds..end, 0)?;
        run.requests = memory.requests.address();
        run.chunk_shift = ring.chunk_edges.ilog2();
        run.in_chunks = ring.chunks[0] as u32;
        run.chunk_count = chunks as u32;
        run.slot_count = ring.slots as u32;
        run.staging_count = ring.staging_slots() as u32;
        run.round_chunks = ring.round_chunks as u32;
        run.slot_bytes = ring.slot_bytes as u32;
        run.weights_part = ring.weights_part as u32;
        run.places_part = ring.places_part as u32;
        Ok(Stream {
            device,
            ring,
            sources,
            memory,
            threads: threads(&ring, streams),
            taken: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            chunks: AtomicU64::new(0),
            failure: Mutex::new(None),
        })
    }

    /// Calls `work`, which launches kernels and waits for them. Meanwhile threads serve their requests.
    ///
    /// # Errors
    /// An error if no thread can be started. Errors of the threads end the run: [`error`](Self::error) returns the first
    /// of them.
    fn serve<T>(&self, work: impl FnOnce() -> T) -> Result<T, DeviceError> {
        let mut staging = lock(&self.memory.staging);
        let slots = Slots {
            start: staging.bytes_mut().as_mut_ptr(),
            count: self.ring.staging_slots(),
            bytes: self.ring.slot_bytes as usize,
        };
        std::thread::scope(|scope| {
            // The threads end when this is dropped, also if `work` panics.
            let _ends = Ends(self);
            for number in 0..self.threads {
                match std::thread::Builder::new().spawn_scoped(scope, move || self.serve_slots(slots)) {
                    Ok(_) => {}
                    // The other threads do its work.
                    Err(_) if number > 0 => break,
                    Err(error) => {
                        return Err(DeviceError::Threads { threads: 1, message: error.to_string() });
                    }
                }
            }
            Ok(work())
        })
    }

    /// Ends the run: no request is served any more.
    pub(crate) fn stop(&self) {
        self.memory.requests.fail();
    }

    /// Takes the first error, if there was one.
    pub(crate) fn error(&self) -> Option<RunError> {
        lock(&self.failure).take()
    }

    /// Returns what was copied.
    pub(crate) fn streamed(&self, buffers: &mut Buffers) -> Result<Streamed, DeviceError> {
        let mut state = [0; STATE_BYTES as usize];
        buffers.download(self.device, ArrayName::ChunkTable, &mut state)?;
        let passes: u64 = bytemuck::pod_read_unaligned(&state[requests::PASSES..requests::PASSES + 8]);
        let chunks = self.chunks.load(Ordering::Relaxed);
        let skipped = (passes * self.ring.all_chunks()).saturating_sub(chunks);
        Ok(Streamed { bytes: chunks * self.ring.slot_bytes, chunks, skipped })
    }

    /// Serves requests until the run has ended.
    fn serve_slots(&self, slots: Slots) {
        while let Some(places) = self.next() {
            let mut round = 0;
            for place in places.clone() {
                let request = self.memory.requests.get(place % self.ring.slots);
                // SAFETY: the slot is in the staging memory, and no other thread has this request. The kernel reads the
                // slot only after it was told that it is complete, and does not request another chunk for it before.
                let slot = unsafe {
                    let start = slots.start.add((place % slots.count) as usize * slots.bytes);
                    std::slice::from_raw_parts_mut(start, slots.bytes)
                };
                round = request.round;
                if let Err(error) = self.read(request, slot) {
                    lock(&self.failure).get_or_insert(error);
                    return self.memory.requests.fail();
                }
            }
            let count = places.end - places.start;
            self.chunks.fetch_add(count, Ordering::Relaxed);
            self.memory.requests.serve(round, count);
        }
    }

    /// Reads a chunk to a slot.
    fn read(&self, request: Request, slot: &mut [u8]) -> Result<(), RunError> {
        let outs = self.ring.chunks[0];
        let (is_in, chunk) = match request.chunk.checked_sub(outs) {
            Some(chunk) => (true, chunk),
            None => (false, request.chunk),
        };
        self.sources.read(is_in, chunk * self.ring.chunk_edges, &self.ring, slot)
    }

    /// Waits for requests of one round and takes the places of some. Returns `None` at the end.
    fn next(&self) -> Option<Range<u64>> {
        for looks in 0u32.. {
            if self.ended.load(Ordering::Relaxed) || self.memory.requests.has_failed() {
                return None;
            }
            if let Some(places) = self.take() {
                return Some(places);
            }
            match looks {
                0..LOOKS => std::hint::spin_loop(),
                LOOKS..PATIENT_LOOKS => std::thread::yield_now(),
                _ => std::thread::sleep(REST),
            }
        }
        None
    }

    /// Takes the places of waiting requests. Returns `None` if no request is waiting. Lock-free, because idle threads poll it.
    fn take(&self) -> Option<Range<u64>> {
        let mut taken = self.taken.load(Ordering::Relaxed);
        loop {
            let waiting = self.memory.requests.posted().saturating_sub(taken);
            if waiting == 0 {
                return None;
            }
            let round = |at: u64| self.memory.requests.get((taken + at) % self.ring.slots).round;
            // Few requests are shared by all threads.
            let share = waiting.div_ceil(self.threads as u64).min(MOST_TAKEN);
            let count = 1 + (1..share).take_while(|&at| round(at) == round(0)).count() as u64;
            let end = taken + count;
            // If another thread was faster, what was read above may be out of date.
            match self.taken.compare_exchange(taken, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(taken..end),
                Err(now) => taken = now,
            }
        }
    }
}

/// Calls `work`, which launches kernels and waits for them. Meanwhile threads serve the requests of all streams.
///
/// # Errors
/// An error if no thread can be started.
pub(crate) fn serve_all<T>(streams: &[Stream<'_>], work: &mut dyn FnMut() -> T) -> Result<T, DeviceError> {
    match streams.split_first() {
        Some((first, others)) => first.serve(|| serve_all(others, work))?,
        None => Ok(work()),
    }
}

/// Returns the number of threads that read for one of several streams.
fn threads(ring: &Ring, streams: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = (cores / streams.max(1)).max(1);
    let worth = (ring.all_chunks() * ring.slot_bytes / BYTES_PER_THREAD).max(1);
    THREADS.min(cores).min(worth as usize)
}

/// Sets all bytes of an array on the device.
fn set_bytes(device: &Device, array: Range<u64>, byte: u8) -> Result<(), DeviceError> {
    let bytes = (array.end - array.start) as usize;
    // SAFETY: the array belongs to the buffers of the run, and no kernel is running.
    let set = unsafe { result::memset_d8_async(array.start, byte, bytes, device.stream.cu_stream()) };
    set.map_err(driver_error("clear memory"))
}

/// Ends the threads when it is dropped.
struct Ends<'a>(&'a Stream<'a>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
    }
}

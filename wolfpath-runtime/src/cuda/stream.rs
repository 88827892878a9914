//! Streams rows to the device while a kernel runs. The kernel asks for chunks of the rows through mapped host memory
//! (`rounds.cuh`). Host threads read them, from the graph's file or from memory, into page-locked staging memory, copy
//! them to the ring on the device, and tell the kernel. They decide nothing: the device chooses the chunks and the slots.

mod requests;
mod source;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use cudarc::driver::result;
use cudarc::driver::result::stream::StreamKind;
use cudarc::driver::sys::CUstream;
use wolfpath_core::memory;

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

pub(crate) use self::requests::offsets;

/// Maximum number of threads that read and copy. More of them read no faster than the link carries.
const THREADS: usize = 12;

/// Size of the staging memory of a thread in bytes, unless a chunk is larger. From this size on, a copy has the full rate
/// of the link.
const LANE: u64 = 2 << 20;

/// Number of times that a thread looks for requests before it lets others run, or sleeps.
const LOOKS: u32 = 256;

/// Time that the other threads sleep if there are no requests. The first one never sleeps.
const REST: Duration = Duration::from_micros(50);

/// Memory of the host for streaming, which later runs reuse.
pub(crate) struct StreamMemory {
    requests: Requests,
    /// Staging memory of all threads.
    staging: Mutex<Staging>,
}

/// Staging memory, page-locked if that is possible.
enum Staging {
    Locked(HostArray),
    Pageable(Vec<u8>),
}

impl Staging {
    fn new(device: &Device, bytes: usize) -> Staging {
        HostArray::new(device, bytes).map_or_else(
            |_| {
                let memory = vec![0; bytes];
                memory::advise_huge_pages(&memory);
                Staging::Pageable(memory)
            },
            Staging::Locked,
        )
    }

    fn bytes(&mut self) -> &mut [u8] {
        match self {
            Staging::Locked(array) => array.bytes_mut(),
            Staging::Pageable(memory) => memory,
        }
    }
}

impl StreamMemory {
    /// Returns `true` if the memory suffices for a ring.
    pub(crate) fn serves(&self, ring: &Ring) -> bool {
        self.requests.room() >= ring.slots && lock(&self.staging).bytes().len() as u64 >= lane_bytes(ring)
    }

    /// Allocates memory for a ring.
    pub(crate) fn new(device: &Device, ring: &Ring) -> Result<StreamMemory, DeviceError> {
        let threads = threads(ring) as u64;
        let staging = Staging::new(device, (threads * lane_bytes(ring)) as usize);
        Ok(StreamMemory { requests: Requests::new(device, ring.slots)?, staging: Mutex::new(staging) })
    }

    /// Returns the note for the user if staging memory could not be page-locked.
    pub(crate) fn note(&self) -> Option<String> {
        let is_locked = matches!(*lock(&self.staging), Staging::Locked(_));
        (!is_locked)
            .then(|| "rows are streamed slowly, because memory for it cannot be page-locked".to_owned())
    }
}

fn threads(ring: &Ring) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // More threads than rounds have copies would never have work.
    let copies = (ring.round_chunks * ring.slot_bytes).div_ceil(LANE) as usize;
    THREADS.min(cores).min(copies).max(1)
}

/// Returns the size of the staging memory of one thread in bytes.
fn lane_bytes(ring: &Ring) -> u64 {
    LANE.min(ring.round_chunks * ring.slot_bytes).max(ring.slot_bytes)
}

/// The streaming of one run.
pub(crate) struct Stream<'a> {
    device: &'a Device,
    ring: Ring,
    /// Address of the ring on the device.
    address: u64,
    sources: Sources<'a>,
    requests: &'a Requests,
    /// Number of requests that threads have taken.
    taken: Mutex<u64>,
    ended: AtomicBool,
    bytes: AtomicU64,
    chunks: AtomicU64,
    failure: Mutex<Option<RunError>>,
}

/// Adjacent chunks that one copy brings to adjacent slots.
struct Batch {
    chunks: Range<u64>,
    slot: u64,
    round: usize,
}

impl<'a> Stream<'a> {
    /// Prepares the ring, which is empty, and stores its addresses in `run`.
    pub(crate) fn new(
        launch: &'a UntypedLaunch<'_>,
        buffers: &mut Buffers,
        memory: &'a StreamMemory,
        sources: Sources<'a>,
        ring: Ring,
        run: &mut DeviceRun,
    ) -> Result<Stream<'a>, RunError> {
        let device = &*launch.resident.device;
        let address = launch.room(buffers, ArrayName::Ring)?;
        let table = launch.room(buffers, ArrayName::ChunkTable)?;
        let [chunks, words] = [ring.all_chunks(), ring.bitmap_words()];
        memory.requests.reset();
        run.ring = address;
        run.state = table;
        run.slots = table + STATE_BYTES;
        run.slot_chunks = run.slots + 4 * chunks;
        run.slot_rounds = run.slot_chunks + 4 * ring.slots;
        run.needed = run.slot_rounds + 4 * ring.slots;
        let end = run.needed + 4 * words;
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
        run.round_chunks = ring.round_chunks as u32;
        run.slot_bytes = ring.slot_bytes as u32;
        run.weights_part = ring.weights_part as u32;
        run.places_part = ring.places_part as u32;
        Ok(Stream {
            device,
            ring,
            address,
            sources,
            requests: &memory.requests,
            taken: Mutex::new(0),
            ended: AtomicBool::new(false),
            bytes: AtomicU64::new(0),
            chunks: AtomicU64::new(0),
            failure: Mutex::new(None),
        })
    }

    /// Calls `work`, which launches kernels and waits for them. Meanwhile threads serve their requests.
    ///
    /// # Errors
    /// An error if no thread can be started or has a stream of the driver. Errors of the threads end the run:
    /// [`error`](Self::error) returns the first of them.
    pub(crate) fn serve<T>(&self, memory: &StreamMemory, work: impl FnOnce() -> T) -> Result<T, DeviceError> {
        let mut staging = lock(&memory.staging);
        let lane = lane_bytes(&self.ring) as usize;
        let lanes = staging.bytes().chunks_exact_mut(lane).take(threads(&self.ring));
        std::thread::scope(|scope| {
            // The threads end when this is dropped, also if `work` panics.
            let _ends = Ends(self);
            for (number, lane) in lanes.enumerate() {
                let started = std::thread::Builder::new()
                    .spawn_scoped(scope, move || self.serve_with(lane, number == 0));
                match started {
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
        self.requests.fail();
    }

    /// Takes the first error, if there was one.
    pub(crate) fn error(&self) -> Option<RunError> {
        lock(&self.failure).take()
    }

    /// Returns what was copied, and reads from the device what was needed.
    pub(crate) fn streamed(&self, buffers: &mut Buffers) -> Result<Streamed, DeviceError> {
        let mut state = [0; STATE_BYTES as usize];
        buffers.download(self.device, ArrayName::ChunkTable, &mut state)?;
        self.device.stream.synchronize().map_err(driver_error("read what was streamed"))?;
        let word = |at: usize| bytemuck::pod_read_unaligned::<u64>(&state[at..at + 8]);
        let passes = word(requests::PASSES);
        let [bytes, chunks] = [&self.bytes, &self.chunks].map(|count| count.load(Ordering::Relaxed));
        let skipped = (passes * self.ring.all_chunks()).saturating_sub(chunks);
        Ok(Streamed { bytes, chunks, skipped })
    }

    /// Serves requests until the run has ended.
    fn serve_with(&self, lane: &mut [u8], is_first: bool) {
        if let Err(error) = self.try_to_serve(lane, is_first) {
            lock(&self.failure).get_or_insert(error);
            self.requests.fail();
        }
    }

    fn try_to_serve(&self, lane: &mut [u8], is_first: bool) -> Result<(), RunError> {
        let stream = OwnStream::new(self.device)?;
        while let Some(batch) = self.next(lane.len() as u64, is_first) {
            let bytes = self.fill(&batch, lane)?;
            let address = self.address + batch.slot * self.ring.slot_bytes;
            stream.copy(address, &lane[..bytes])?;
            let count = batch.chunks.end - batch.chunks.start;
            self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            self.chunks.fetch_add(count, Ordering::Relaxed);
            self.requests.serve(batch.round, count);
        }
        Ok(())
    }

    /// Waits for requests and takes adjacent ones, as many as a thread has staging memory for. Returns `None` at the end.
    fn next(&self, room: u64, is_first: bool) -> Option<Batch> {
        let most = (room / self.ring.slot_bytes).max(1);
        for looks in 0u32.. {
            if self.ended.load(Ordering::Relaxed) || self.requests.has_failed() {
                return None;
            }
            if let Some(batch) = self.take(most) {
                return Some(batch);
            }
            match looks {
                0..LOOKS => std::hint::spin_loop(),
                _ if is_first => std::thread::yield_now(),
                _ => std::thread::sleep(REST),
            }
        }
        None
    }

    fn take(&self, most: u64) -> Option<Batch> {
        let mut taken: MutexGuard<'_, u64> = lock(&self.taken);
        let waiting = self.requests.posted().saturating_sub(*taken);
        if waiting == 0 {
            return None;
        }
        let request = |at| self.requests.get(at % self.ring.slots);
        let Request { chunk, slot, round } = request(*taken);
        // Few requests are shared by all threads.
        let share = waiting.div_ceil(threads(&self.ring) as u64).min(most);
        let follows =
            |&at: &u64| request(*taken + at) == Request { chunk: chunk + at, slot: slot + at, round };
        let count = 1 + (1..share).take_while(follows).count() as u64;
        *taken += count;
        Some(Batch { chunks: chunk..chunk + count, slot, round })
    }

    /// Reads the chunks of a batch, in the layout of the ring's slots. Returns their size in bytes.
    fn fill(&self, batch: &Batch, lane: &mut [u8]) -> Result<usize, RunError> {
        let slot_bytes = self.ring.slot_bytes as usize;
        for (chunk, slot) in batch.chunks.clone().zip(lane.chunks_exact_mut(slot_bytes)) {
            let is_in = chunk >= self.ring.chunks[0];
            let first = (if is_in { chunk - self.ring.chunks[0] } else { chunk }) * self.ring.chunk_edges;
            self.sources.read(is_in, first, &self.ring, slot)?;
        }
        Ok((batch.chunks.end - batch.chunks.start) as usize * slot_bytes)
    }
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

/// A stream of the driver that belongs to one thread. It does not wait for the device's stream, in which the kernel runs.
struct OwnStream(CUstream);

impl OwnStream {
    fn new(device: &Device) -> Result<OwnStream, DeviceError> {
        let failed = driver_error("create a stream");
        device.context.bind_to_thread().map_err(&failed)?;
        result::stream::create(StreamKind::NonBlocking).map(OwnStream).map_err(failed)
    }

    /// Copies bytes to the device and waits for the copy.
    fn copy(&self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: the slots at this address belong to the ring, which lives as long as the run, and the kernel does not
        // read them until it is told that the copy is complete. The bytes are not changed before the wait ends.
        unsafe {
            result::memcpy_htod_async(address, bytes, self.0)
                .and_then(|()| result::stream::synchronize(self.0))
                .map_err(driver_error("copy rows to the device"))
        }
    }
}

impl Drop for OwnStream {
    fn drop(&mut self) {
        // SAFETY: the stream was created by `new`, and all its copies have been waited for. An error of the driver cannot
        // be reported here.
        let _ = unsafe { result::stream::destroy(self.0) };
    }
}

//! Copies of large arrays between the host and a device, at the speed of the link between them.
//!
//! The driver copies ordinary (pageable) memory on one thread, at about an eighth of the link's speed. A large array
//! therefore passes in pieces through *staging buffers* of page-locked memory, which the device copies by itself. One
//! thread cannot fill such buffers as fast as the link empties them, so several threads (*lanes*) do. Each lane has two
//! buffers: while the device copies one of them, the lane fills the other.
//!
//! A lane fills its buffer by a function, which may convert the elements. Converting them therefore costs neither an
//! array of its own nor much time.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use cudarc::driver::{CudaContext, CudaEvent, result};
use wolfpath_core::progress::Progress;

use super::device::{Device, driver_error};
use crate::cpu::lock;
use crate::error::DeviceError;

/// Size of a staging buffer in bytes. Copies of this size reach 53 GB/s of the 55 GB/s of a PCIe 5.0 link (H200).
pub(crate) const PIECE: usize = 2 << 20;

/// Maximum number of lanes. Eight threads fill buffers faster than the link empties them. All buffers together then
/// have 32 MiB, and locking them takes 2 ms.
const LANES: usize = 8;

/// Number of buffers per lane.
const BUFFERS: usize = 2;

/// Arrays of at most this size in bytes are copied by the driver. For them, starting threads takes longer than copying.
const DIRECT: usize = 256 << 10;

const UP: &str = "copy to the device";
const DOWN: &str = "copy from the device";

/// Function that writes the bytes in a range of an array.
pub(crate) type Fill<'a, E> = dyn Fn(Range<usize>, &mut [u8]) -> Result<(), E> + Sync + 'a;

/// Work of a lane, which takes pieces from a queue.
type Work<'a, E> = dyn Fn(&mut Lane, &Queue<E>) -> Result<(), Failed> + Sync + 'a;

/// Staging buffers of a device. They are allocated when they are first needed.
#[derive(Default)]
pub(crate) struct Staging {
    lanes: Mutex<Vec<Lane>>,
    /// Note for the user about memory that could not be page-locked.
    note: OnceLock<String>,
}

/// Buffers of one thread.
#[derive(Default)]
struct Lane([Option<Buffer>; BUFFERS]);

/// A staging buffer, and the event that marks the end of its last copy.
struct Buffer {
    memory: Memory,
    copied: CudaEvent,
}

/// Memory of a staging buffer: page-locked, or ordinary memory if none could be locked.
enum Memory {
    Locked(Locked),
    Pageable(Vec<u8>),
}

impl Memory {
    fn bytes(&mut self) -> &mut [u8] {
        match self {
            // SAFETY: the memory was allocated with this size and zeroed, and `&mut self` makes the access unique. The
            // device accesses it only during copies, whose end is waited for before this call.
            Memory::Locked(locked) => unsafe {
                std::slice::from_raw_parts_mut(locked.memory.as_ptr(), PIECE)
            },
            Memory::Pageable(bytes) => bytes,
        }
    }
}

/// [`PIECE`] bytes of page-locked memory.
struct Locked {
    memory: NonNull<u8>,
    context: Arc<CudaContext>,
}

// SAFETY: the struct owns the memory, which is not tied to a thread.
unsafe impl Send for Locked {}

impl Locked {
    fn new(context: &Arc<CudaContext>) -> Result<Locked, DeviceError> {
        let failed = driver_error("allocate page-locked memory");
        context.bind_to_thread().map_err(&failed)?;
        // SAFETY: the context is bound to this thread.
        let memory = unsafe { result::malloc_host(PIECE, 0) }.map_err(&failed)?;
        let memory = NonNull::new(memory.cast::<u8>()).ok_or_else(|| DeviceError::Driver {
            action: "allocate page-locked memory",
            message: "the driver returned a null pointer".to_owned(),
        })?;
        // SAFETY: the memory has this size, and nothing else refers to it yet.
        unsafe { memory.write_bytes(0, PIECE) };
        Ok(Locked { memory, context: context.clone() })
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: the memory comes from `malloc_host`, which makes freeing it wait for copies. An error of the driver
            // cannot be reported here.
            let _ = unsafe { result::free_host(self.memory.as_ptr().cast()) };
        }
    }
}

/// An array that is copied in pieces.
#[derive(Clone, Copy)]
pub(crate) struct Pieces {
    /// Address of the array on the device.
    address: u64,
    /// Size of the array in bytes.
    length: usize,
    /// Size of a piece in bytes; the last one may be shorter.
    step: usize,
}

impl Pieces {
    /// Divides an array of `length` bytes into pieces of whole groups of `group` bytes. Returns `None` if a group does
    /// not fit in a staging buffer.
    pub(crate) fn new(address: u64, length: usize, group: usize) -> Option<Pieces> {
        let step = PIECE / group.max(1) * group.max(1);
        (step > 0).then_some(Pieces { address, length, step })
    }

    /// Returns the number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.length.div_ceil(self.step)
    }

    /// Returns the size of every piece except the last, in bytes.
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    fn range(&self, piece: usize) -> Range<usize> {
        piece * self.step..((piece + 1) * self.step).min(self.length)
    }
}

impl Staging {
    /// Copies an array to the device. `fill(bytes, to)` writes these bytes of the array to `to`; several threads call
    /// it, each for other bytes. It must not wait for work of the thread pool, because the caller may be part of that.
    /// Later work on the device's stream finds the array complete. Reports the copied bytes to `progress`.
    ///
    /// # Errors
    /// The errors of `fill` (of its lowest failing piece) and of the driver.
    pub(crate) fn upload<E: From<DeviceError> + Send>(
        &self,
        device: &Device,
        array: Pieces,
        progress: &Progress,
        fill: &Fill<'_, E>,
    ) -> Result<(), E> {
        self.share(device, array, &|lane, pieces| {
            for (buffer, piece) in (0..BUFFERS).cycle().zip(pieces.by_ref()) {
                let buffer =
                    lane.buffer(self, device, buffer).map_err(|error| pieces.fail(piece, error.into()))?;
                let range = array.range(piece);
                let to = &mut buffer.memory.bytes()[..range.len()];
                fill(range.clone(), to).map_err(|error| pieces.fail(piece, error))?;
                let address = array.address + range.start as u64;
                // SAFETY: the array has this size and belongs to the device's context. The buffer is not written before
                // the event has been waited for.
                let copied = unsafe { result::memcpy_htod_async(address, to, device.stream.cu_stream()) };
                let recorded = copied.and_then(|()| buffer.copied.record(&device.stream));
                recorded.map_err(|error| pieces.fail(piece, driver_error(UP)(error).into()))?;
                progress.advance(range.len() as u64);
            }
            Ok(())
        })
    }

    /// Copies an array from the device, after all earlier work on the device's stream. `drain(piece, bytes)` takes the
    /// bytes of a piece; several threads call it, each for other pieces, under the conditions of [`Self::upload`].
    ///
    /// # Errors
    /// The errors of the driver.
    pub(crate) fn download(
        &self,
        device: &Device,
        array: Pieces,
        drain: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<(), DeviceError> {
        self.share(device, array, &|lane, pieces| {
            let mut under_way = [None; BUFFERS];
            for slot in (0..BUFFERS).cycle() {
                let failed = |piece, error| pieces.fail(piece, error);
                if let Some(piece) = under_way[slot].take() {
                    let buffer = lane.buffer(self, device, slot).map_err(|error| failed(piece, error))?;
                    drain(piece, &buffer.memory.bytes()[..array.range(piece).len()]);
                }
                if let Some(piece) = pieces.take() {
                    let buffer = lane.buffer(self, device, slot).map_err(|error| failed(piece, error))?;
                    let range = array.range(piece);
                    let address = array.address + range.start as u64;
                    let to = &mut buffer.memory.bytes()[..range.len()];
                    // SAFETY: the array has this size and belongs to the device's context. The buffer is not read before
                    // the event has been waited for.
                    let copied = unsafe { result::memcpy_dtoh_async(to, address, device.stream.cu_stream()) };
                    let recorded = copied.and_then(|()| buffer.copied.record(&device.stream));
                    recorded.map_err(|error| failed(piece, driver_error(DOWN)(error)))?;
                    under_way[slot] = Some(piece);
                } else if under_way.iter().all(Option::is_none) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Returns the note about memory that could not be page-locked, if there was any.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.get().map(String::as_str)
    }

    /// Calls `work` on as many lanes as there are cores, at most [`LANES`]. Each takes the next piece until none is left.
    fn share<E: From<DeviceError> + Send>(
        &self,
        device: &Device,
        array: Pieces,
        work: &Work<'_, E>,
    ) -> Result<(), E> {
        let queue = Queue::new(array.count());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = LANES.min(cores).min(array.count()).max(1);
        let mut lanes = lock(&self.lanes);
        if lanes.len() < count {
            lanes.resize_with(count, Lane::default);
        }
        device.context.bind_to_thread().map_err(driver_error("use a context"))?;
        let (first, others) = lanes[..count].split_first_mut().expect("there is at least one lane");
        std::thread::scope(|scope| {
            let queue = &queue;
            for lane in others {
                let started = std::thread::Builder::new().spawn_scoped(scope, move || {
                    // The queue keeps the error.
                    let _ = work(lane, queue);
                });
                // The remaining lanes can do the work of threads that cannot be started.
                if started.is_err() {
                    break;
                }
            }
            let _ = work(first, queue);
        });
        match queue.failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}

impl Lane {
    /// Returns a buffer whose last copy has ended. The first call allocates it.
    fn buffer(
        &mut self,
        staging: &Staging,
        device: &Device,
        number: usize,
    ) -> Result<&mut Buffer, DeviceError> {
        let slot = &mut self.0[number];
        if slot.is_none() {
            let copied = device.context.new_event(None).map_err(driver_error("create an event"))?;
            let memory = match Locked::new(&device.context) {
                Ok(locked) => Memory::Locked(locked),
                Err(error) => {
                    staging
                        .note
                        .get_or_init(|| format!("copies to and from the device are slow, because {error}"));
                    Memory::Pageable(vec![0; PIECE])
                }
            };
            *slot = Some(Buffer { memory, copied });
        }
        let buffer = slot.as_mut().expect("it was just allocated");
        buffer.copied.synchronize().map_err(driver_error("wait for a copy"))?;
        Ok(buffer)
    }
}

/// The pieces that no lane has taken yet, and the first failure.
struct Queue<E> {
    next: AtomicUsize,
    count: usize,
    failed: AtomicBool,
    /// The lowest piece that failed, and its error.
    failure: Mutex<Option<(usize, E)>>,
}

/// A failure that the queue has recorded.
struct Failed;

impl<E> Queue<E> {
    fn new(count: usize) -> Queue<E> {
        Queue { next: AtomicUsize::new(0), count, failed: AtomicBool::new(false), failure: Mutex::default() }
    }

    /// Returns a piece that no lane has taken, unless none is left or a lane has failed. Since pieces are taken in
    /// order, all pieces below a failing one have been taken, so that the lowest failure is always found.
    fn take(&self) -> Option<usize> {
        if self.failed.load(Relaxed) {
            return None;
        }
        let piece = self.next.fetch_add(1, Relaxed);
        (piece < self.count).then_some(piece)
    }

    fn by_ref(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::from_fn(|| self.take())
    }

    /// Records a failure.
    fn fail(&self, piece: usize, error: E) -> Failed {
        self.failed.store(true, Relaxed);
        let mut failure = lock(&self.failure);
        if failure.as_ref().is_none_or(|(lowest, _)| piece < *lowest) {
            *failure = Some((piece, error));
        }
        Failed
    }
}

/// Returns `true` if the driver copies an array of this size in bytes as fast as staging does.
pub(crate) fn is_small(length: usize) -> bool {
    length <= DIRECT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_groups_and_cover_the_array() {
        let pieces = Pieces::new(0, 2 * PIECE + 5, 3).expect("groups are small");
        assert_eq!((pieces.step() % 3, pieces.count()), (0, 3));
        let ranges: Vec<_> = (0..pieces.count()).map(|piece| pieces.range(piece)).collect();
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!((ranges[0].start, ranges[2].end), (0, 2 * PIECE + 5));
        assert_eq!(Pieces::new(0, 0, 8).expect("groups are small").count(), 0);
        assert!(Pieces::new(0, 1, PIECE + 1).is_none());
    }

    #[test]
    fn the_lowest_failure_counts_and_ends_the_work() {
        let queue = Queue::new(9);
        assert_eq!((queue.take(), queue.take(), queue.take()), (Some(0), Some(1), Some(2)));
        queue.fail(2, "later");
        queue.fail(1, "earlier");
        queue.fail(2, "later");
        assert_eq!(queue.take(), None);
        assert_eq!(queue.failure.into_inner().expect("no thread has panicked"), Some((1, "earlier")));
    }
}

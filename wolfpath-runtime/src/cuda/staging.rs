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

use cudarc::driver::{CudaContext, CudaEvent, result, sys};
use wolfpath_core::memory;
use wolfpath_core::progress::Progress;

use super::device::{Device, driver_error};
use super::together::between_launches;
use crate::cpu::{Blocks, lock};
use crate::error::DeviceError;

/// Size of a staging buffer in bytes. On an H200 with a link of 55 GB/s, buffers of 1 MiB pass 46 GB/s, and those of 2 MiB
/// 50 GB/s, but page-locking and releasing twice as much memory takes longer than that saves for graphs below 2 GB.
pub(crate) const PIECE: usize = 1 << 20;

/// Number of buffers per lane.
const BUFFERS: usize = 2;

/// Size of the memory of one lane: one huge page.
const LANE: usize = BUFFERS * PIECE;

/// Maximum number of lanes that copy. More threads fill buffers no faster than the link empties them.
const COPYING: usize = 8;

/// Maximum number of lanes if filling buffers takes computing.
const COMPUTING: usize = 16;

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

/// The buffers of one thread, and the events that mark the ends of their last copies.
struct Lane {
    /// [`LANE`] bytes of the block.
    start: NonNull<u8>,
    copied: [CudaEvent; BUFFERS],
    _block: Arc<Block>,
}

// SAFETY: no other lane accesses these bytes of the block, which is not tied to a thread.
unsafe impl Send for Lane {}

/// Memory of several lanes. One block is locked much faster than many small ones, and the driver locks memory that the
/// process has allocated faster than it allocates locked memory (H200: 16 MiB in 3 ms instead of 9 ms).
struct Block {
    memory: Vec<u8>,
    context: Arc<CudaContext>,
    /// `true` if the memory is page-locked.
    is_locked: bool,
}

impl Block {
    /// Allocates memory for `lanes` lanes and locks it. If it cannot be locked, `staging` keeps the reason.
    fn new(staging: &Staging, device: &Device, lanes: usize) -> Block {
        // Pages that are not touched before are zeroed when they are locked.
        let memory = vec![0; (lanes + 1) * LANE];
        memory::advise_huge_pages(&memory);
        let mut block = Block { memory, context: device.context.clone(), is_locked: false };
        let (start, context) = (block.start(), &block.context);
        let locked = context.bind_to_thread().and_then(|()| {
            // SAFETY: the context is bound to this thread. The memory has this size, and is unlocked before it is freed.
            between_launches(|| unsafe { sys::cuMemHostRegister_v2(start.as_ptr().cast(), lanes * LANE, 0) })
                .result()
        });
        block.is_locked = locked.is_ok();
        if let Err(error) = locked.map_err(driver_error("page-lock memory")) {
            staging.note.get_or_init(|| format!("copies to and from the device are slow, because {error}"));
        }
        block
    }

    /// Returns the first byte at a multiple of the size of a lane.
    fn start(&mut self) -> NonNull<u8> {
        let before = self.memory.as_ptr().align_offset(LANE).min(LANE);
        // SAFETY: the memory is longer than a lane, and no vector begins at address 0.
        unsafe { NonNull::new_unchecked(self.memory.as_mut_ptr().add(before)) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.is_locked && self.context.bind_to_thread().is_ok() {
            let start = self.start().as_ptr().cast();
            // SAFETY: the memory was locked by `new`, and its lanes have waited for their copies. An error of the driver
            // cannot be reported here.
            let _ = between_launches(|| unsafe { sys::cuMemHostUnregister(start) });
        }
    }
}

impl Lane {
    /// Returns the lanes of a new block.
    fn of_block(staging: &Staging, device: &Device, count: usize) -> Result<Vec<Lane>, DeviceError> {
        let event = || device.context.new_event(None).map_err(driver_error("create an event"));
        let mut block = Block::new(staging, device, count);
        let (start, block) = (block.start(), Arc::new(block));
        let lanes = (0..count).map(|lane| {
            // SAFETY: the block has room for `count` lanes behind its start.
            let start = unsafe { start.add(lane * LANE) };
            Ok(Lane { start, copied: [event()?, event()?], _block: block.clone() })
        });
        lanes.collect()
    }

    /// Returns a buffer after its last copy.
    fn bytes(&mut self, number: usize) -> Result<&mut [u8], DeviceError> {
        self.copied[number].synchronize().map_err(driver_error("wait for a copy"))?;
        // SAFETY: the memory is initialized and has this size, and `&mut self` makes the access unique. The device accesses
        // a buffer only during its copy, whose end was waited for.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(number * PIECE), PIECE) })
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // The device must not access memory that is freed. If waiting fails, the device does nothing any more.
        for copied in &self.copied {
            let _ = copied.synchronize();
        }
    }
}

/// Size of an array, and how its elements are made.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    /// Size of the array in bytes.
    pub(crate) length: usize,
    /// Size of an element in bytes.
    pub(crate) each: usize,
    /// `true` if making them takes computing, rather than only copying.
    pub(crate) computed: bool,
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
    /// Maximum number of lanes.
    lanes: usize,
}

impl Pieces {
    /// Divides an array of `length` bytes into pieces of whole groups of `group` bytes. Returns `None` if a group does
    /// not fit in a staging buffer.
    pub(crate) fn new(address: u64, length: usize, group: usize) -> Option<Pieces> {
        let step = PIECE / group.max(1) * group.max(1);
        (step > 0).then_some(Pieces { address, length, step, lanes: COPYING })
    }

    /// Divides an array into pieces of whole elements.
    pub(crate) fn of(address: u64, elements: Elements) -> Option<Pieces> {
        let lanes = if elements.computed { COMPUTING } else { COPYING };
        let pieces = Pieces::new(address, elements.length, elements.each)?;
        Some(Pieces { lanes, ..pieces })
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
            for (number, piece) in (0..BUFFERS).cycle().zip(std::iter::from_fn(|| pieces.take())) {
                let failed = |error: E| pieces.fail(piece, error);
                let range = array.range(piece);
                let buffer = lane.bytes(number).map_err(|error| failed(error.into()))?;
                let to = &mut buffer[..range.len()];
                fill(range.clone(), to).map_err(failed)?;
                let address = array.address + range.start as u64;
                // SAFETY: the array has this size and belongs to the device's context. The buffer is not written before
                // the event has been waited for.
                let copied = unsafe { result::memcpy_htod_async(address, to, device.stream.cu_stream()) };
                let recorded = copied.and_then(|()| lane.copied[number].record(&device.stream));
                recorded.map_err(|error| failed(driver_error(UP)(error).into()))?;
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
            for number in (0..BUFFERS).cycle() {
                if let Some(piece) = under_way[number].take() {
                    let buffer = lane.bytes(number).map_err(|error| pieces.fail(piece, error))?;
                    drain(piece, &buffer[..array.range(piece).len()]);
                }
                if let Some(piece) = pieces.take() {
                    let range = array.range(piece);
                    let buffer = lane.bytes(number).map_err(|error| pieces.fail(piece, error))?;
                    let (to, address) = (&mut buffer[..range.len()], array.address + range.start as u64);
                    // SAFETY: the array has this size and belongs to the device's context. The buffer is not read before
                    // the event has been waited for.
                    let copied = unsafe { result::memcpy_dtoh_async(to, address, device.stream.cu_stream()) };
                    let recorded = copied.and_then(|()| lane.copied[number].record(&device.stream));
                    recorded.map_err(|error| pieces.fail(piece, driver_error(DOWN)(error)))?;
                    under_way[number] = Some(piece);
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

    /// Calls `work` on as many lanes as there are cores, at most those of the array. Each takes the next piece until none
    /// is left.
    fn share<E: From<DeviceError> + Send>(
        &self,
        device: &Device,
        array: Pieces,
        work: &Work<'_, E>,
    ) -> Result<(), E> {
        let queue = Queue::new(array.count());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = array.lanes.min(cores).min(array.count()).max(1);
        let mut lanes = lock(&self.lanes);
        if lanes.len() < count {
            let more = Lane::of_block(self, device, count - lanes.len())?;
            lanes.extend(more);
        }
        device.context.bind_to_thread().map_err(driver_error("use a context"))?;
        // The queue keeps errors.
        let run = |lane: &mut Lane| drop(work(lane, &queue));
        let (first, others) = lanes[..count].split_first_mut().expect("there is at least one lane");
        std::thread::scope(|scope| {
            for lane in others {
                let started = std::thread::Builder::new().spawn_scoped(scope, || run(lane));
                // The remaining lanes can do the work of threads that cannot be started.
                if started.is_err() {
                    break;
                }
            }
            run(first);
        });
        queue.result()
    }
}

/// Fills an array in host memory like [`Staging::upload`] one on the device, under the same conditions.
///
/// # Errors
/// The error of the lowest piece for which `fill` fails.
pub(crate) fn fill<E: Send>(
    bytes: &mut [u8],
    elements: Elements,
    progress: &Progress,
    fill: &Fill<'_, E>,
) -> Result<(), E> {
    let step = PIECE.next_multiple_of(elements.each.max(1));
    let count = bytes.len().div_ceil(step);
    let (length, queue, parts) = (bytes.len(), Queue::new(count), Blocks::new(bytes, step));
    let run = || {
        while let Some(piece) = queue.take() {
            let range = piece * step..((piece + 1) * step).min(length);
            if let Err(error) = fill(range.clone(), &mut parts.take(piece)) {
                queue.fail(piece, error);
                return;
            }
            progress.advance(range.len() as u64);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..cores.min(COMPUTING).min(count) {
            // This thread does the work of threads that cannot be started.
            if std::thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
    queue.result()
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

    /// Returns the error of the lowest piece that failed, if any.
    fn result(self) -> Result<(), E> {
        match self.failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
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

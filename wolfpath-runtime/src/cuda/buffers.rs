//! Arrays on the device, identified by their names in plans. The graph's arrays are uploaded once; the arrays of a run
//! are reused by later runs. Arrays of edges can be in page-locked host memory instead, where kernels read them in place;
//! each array exists in one of the two places.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaEvent, DevicePtr, PinnedHostSlice};
use wolfpath_core::program::{DatumKind, WeightField};
use wolfpath_core::progress::Progress;

use super::device::{Device, DeviceArray, driver_error};
use super::host_array::HostArray;
use super::progress::DeviceProgress;
use super::staging::{self, Elements, Fill, Pieces};
use super::stop_word::StopWord;
use super::stream::StreamMemory;
use super::together::{Guarded, between_launches};
use crate::error::DeviceError;
use crate::plan::{ArrayName, Home, Ring, RowUse};

/// Name of a device array: its name in plans and, for weights, the type and column. Each type and column of weights has
/// its own array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BufferName {
    array: ArrayName,
    /// `Some` exactly for weights.
    weights: Option<WeightName>,
}

/// Identity of weights: their type, and the column or struct fields that they are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WeightName {
    pub(crate) kind: DatumKind,
    /// Position of the weights' column among the graph's columns; `None` if the weights are not a column of the input.
    pub(crate) column: Option<usize>,
    /// The fields of the struct, if the weight is a struct.
    pub(crate) fields: &'static [WeightField],
}

impl BufferName {
    /// Returns the name of the buffer for an array of a plan. `weights` is the name of the weights that the program
    /// reads.
    pub(crate) fn of(array: ArrayName, weights: WeightName) -> BufferName {
        let is_weights = matches!(array, ArrayName::EdgeWeights(_) | ArrayName::ResidentWeights(_));
        BufferName { array, weights: is_weights.then_some(weights) }
    }
}

/// Converts the name of any array except weights. Each such array has one buffer.
impl From<ArrayName> for BufferName {
    fn from(array: ArrayName) -> BufferName {
        debug_assert!(!matches!(array, ArrayName::EdgeWeights(_)), "weights are named with their type");
        BufferName { array, weights: None }
    }
}

/// Maximum number of released arrays that are kept for the next batch. A batch with runs of 2,047 steps uses this many.
const MOST_SPARE: usize = 12;

/// Rows that are laid out in [`ArrayName::RowsToGather`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaidOut {
    pub(crate) rows: RowUse,
    /// `true` if short rows are left out.
    pub(crate) only_long: bool,
}

/// Named arrays on one device.
#[derive(Default)]
pub(crate) struct Buffers {
    arrays: HashMap<BufferName, DeviceArray>,
    /// Arrays in host memory.
    host: HashMap<BufferName, HostArray>,
    /// The input that each array holds (the number that identifies it), and `true` if the array is ordered by rank.
    inputs: HashMap<BufferName, (u64, bool)>,
    /// Mean of each array of weights.
    means: HashMap<BufferName, f64>,
    /// Arrays that a kernel has computed from other arrays.
    derived: HashSet<BufferName>,
    /// The rows that a run has laid out in [`ArrayName::RowsToGather`], and the number of their items.
    laid_out: Option<(LaidOut, u32)>,
    stop: Option<Arc<StopWord>>,
    abort: Option<Arc<StopWord>>,
    progress: Option<Arc<DeviceProgress>>,
    /// Arrays that the outcomes of earlier batches have released and the next batch can reuse.
    spare: Vec<DeviceArray>,
    /// Page-locked host memory to which the beginnings of arrays are copied.
    landings: HashMap<BufferName, Guarded<PinnedHostSlice<u8>>>,
    /// Events that mark the beginning and the end of a launch.
    clock: Option<Arc<[CudaEvent; 2]>>,
    /// Memory of the host through which rows are streamed.
    stream: Option<Arc<StreamMemory>>,
    pub(crate) uploads: u64,
    pub(crate) downloads: u64,
}

impl Buffers {
    /// Returns the total size of all arrays in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.arrays.values().chain(&self.spare).map(|array| array.len() as u64).sum()
    }

    /// Returns the size in bytes of one array on the device; 0 if it is not there.
    pub(crate) fn bytes_of(&self, name: BufferName) -> u64 {
        self.arrays.get(&name).map_or(0, |array| array.len() as u64)
    }

    /// Frees every array on the device that is not in `names`.
    pub(crate) fn keep_only(&mut self, names: &[BufferName]) {
        self.arrays.retain(|name, _| names.contains(name));
        self.spare.clear();
    }

    /// Returns `true` if an array holds this input.
    pub(crate) fn holds_input(&self, name: impl Into<BufferName>, input: (u64, bool)) -> bool {
        let name = name.into();
        self.contains(name) && self.inputs.get(&name) == Some(&input)
    }

    /// Records that an array no longer holds an input.
    pub(crate) fn forget_input(&mut self, name: impl Into<BufferName>) {
        self.inputs.remove(&name.into());
    }

    /// Records which input an array holds now.
    pub(crate) fn note_input(&mut self, name: impl Into<BufferName>, input: (u64, bool)) {
        self.inputs.insert(name.into(), input);
    }

    /// Returns `true` if a kernel has computed this array.
    pub(crate) fn is_derived(&self, name: impl Into<BufferName>) -> bool {
        let name = name.into();
        self.contains(name) && self.derived.contains(&name)
    }

    /// Records that a kernel has computed this array.
    pub(crate) fn note_derived(&mut self, name: impl Into<BufferName>) {
        self.derived.insert(name.into());
    }

    /// Returns the number of items in [`ArrayName::RowsToGather`], if an earlier run has laid out all of these rows.
    /// Code that changes the array must call [`note_laid_out`](Self::note_laid_out).
    pub(crate) fn laid_out(&self, rows: LaidOut) -> Option<u32> {
        let (of, items) = self.laid_out?;
        (self.is_derived(ArrayName::RowsToGather) && of == rows).then_some(items)
    }

    /// Records which rows [`ArrayName::RowsToGather`] contains; `None` if it is unknown.
    pub(crate) fn note_laid_out(&mut self, laid_out: Option<(LaidOut, u32)>) {
        self.laid_out = laid_out;
        self.note_derived(ArrayName::RowsToGather);
    }

    /// Records the mean of an array of weights.
    pub(crate) fn note_mean(&mut self, name: BufferName, mean: f64) {
        self.means.insert(name, mean);
    }

    /// Returns the mean of an array of weights, if it is known.
    pub(crate) fn mean_of(&self, name: BufferName) -> Option<f64> {
        self.means.get(&name).copied()
    }

    /// Returns `true` if the array exists.
    pub(crate) fn contains(&self, name: impl Into<BufferName>) -> bool {
        let name = name.into();
        self.arrays.contains_key(&name) || self.host.contains_key(&name)
    }

    /// Returns `true` if the array exists in this place. Otherwise frees it, if it is in another. Arrays in a file are
    /// nowhere.
    pub(crate) fn is_at(&mut self, home: Home, name: BufferName) -> bool {
        if home != Home::Host {
            self.host.remove(&name);
        }
        if home != Home::Device {
            self.arrays.remove(&name);
        }
        let exists = self.contains(name);
        if !exists {
            self.inputs.remove(&name);
            self.derived.remove(&name);
        }
        exists
    }

    /// Returns the address of an array of at least `bytes` bytes in `home`, like [`room`](Self::room) or
    /// [`host_room`](Self::host_room); 0 for an array in a file, which is nowhere.
    pub(crate) fn room_in(
        &mut self,
        device: &Device,
        home: Home,
        name: impl Into<BufferName>,
        bytes: u64,
    ) -> Result<u64, DeviceError> {
        let name = name.into();
        match home {
            Home::Device => self.room(device, name, bytes),
            Home::Host => self.host_room(device, name, bytes),
            Home::File => {
                self.is_at(home, name);
                Ok(0)
            }
        }
    }

    /// Returns the memory of the host for streaming through `ring`. The first call allocates it.
    pub(crate) fn stream_memory(
        &mut self,
        device: &Device,
        ring: &Ring,
    ) -> Result<Arc<StreamMemory>, DeviceError> {
        if let Some(memory) = self.stream.as_ref().filter(|memory| memory.serves(ring)) {
            return Ok(memory.clone());
        }
        self.stream = None;
        let memory = Arc::new(StreamMemory::new(device, ring)?);
        self.stream = Some(memory.clone());
        Ok(memory)
    }

    /// Returns the address of an array of at least `bytes` bytes in host memory, which kernels access in place. The
    /// contents of a new array are 0.
    pub(crate) fn host_room(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        bytes: u64,
    ) -> Result<u64, DeviceError> {
        let name = name.into();
        if bytes == 0 {
            return Ok(0);
        }
        if !self.is_at(Home::Host, name) || (self.host[&name].len() as u64) < bytes {
            self.host.remove(&name);
            self.derived.remove(&name);
            self.host.insert(name, HostArray::new(device, bytes as usize)?);
        }
        Ok(self.address(device, name))
    }

    /// Returns the size in bytes of an array in host memory, or 0 if the array does not exist there.
    pub(crate) fn bytes_on_host(&self, name: BufferName) -> u64 {
        self.host.get(&name).map_or(0, |array| array.len() as u64)
    }

    /// Copies the first `bytes` bytes of an array in host memory to the device, as the array `head`, unless it has them.
    /// Returns the address; 0 for no bytes.
    pub(crate) fn keep_head(
        &mut self,
        device: &Device,
        head: BufferName,
        of: BufferName,
        bytes: u64,
    ) -> Result<u64, DeviceError> {
        let Some(array) = self.host.get(&of).filter(|array| bytes > 0 && array.len() as u64 >= bytes) else {
            return Ok(0);
        };
        if self.arrays.get(&head).is_none_or(|held| (held.len() as u64) < bytes) {
            let from = &array.bytes()[..bytes as usize];
            // Free the old array first, because both may not fit.
            self.arrays.remove(&head);
            let mut to = device.allocate(bytes)?;
            device.stream.memcpy_htod(from, &mut *to).map_err(driver_error("copy to the device"))?;
            self.arrays.insert(head, to);
            self.uploads += 1;
        }
        Ok(self.address(device, head))
    }

    /// Gives `name` to a part of the graph that is page-locked where it is.
    pub(crate) fn keep_on_host(&mut self, name: BufferName, array: HostArray) {
        self.is_at(Home::Host, name);
        self.host.insert(name, array);
        self.uploads += 1;
    }

    /// Returns the address of an array of at least `bytes` bytes. If the existing array is too small, frees it and
    /// allocates another, whose contents are undefined. If `bytes` is 0, returns 0.
    pub(crate) fn room(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        bytes: u64,
    ) -> Result<u64, DeviceError> {
        if bytes == 0 {
            return Ok(0);
        }
        let name = name.into();
        self.host.remove(&name);
        if self.arrays.get(&name).is_none_or(|array| (array.len() as u64) < bytes) {
            // Free the old array first, because both may not fit.
            self.arrays.remove(&name);
            self.inputs.remove(&name);
            self.derived.remove(&name);
            // It is uninitialized, but kernels and uploads write each byte before it is read.
            self.arrays.insert(name, device.allocate(bytes)?);
        }
        Ok(self.address(device, name))
    }

    /// Makes an array have exactly this size, if it exists: uses `spare`, which has that size, or frees an array of
    /// another size. An outcome keeps the array, so it must not be larger than necessary.
    pub(crate) fn fit(&mut self, name: ArrayName, bytes: u64, spare: Option<DeviceArray>) {
        let name = name.into();
        if self.arrays.get(&name).is_some_and(|array| array.len() as u64 != bytes) {
            self.arrays.remove(&name);
        }
        if let Some(spare) = spare {
            self.arrays.entry(name).or_insert(spare);
        }
    }

    /// Removes an array and returns it.
    pub(crate) fn take(&mut self, name: ArrayName) -> Option<DeviceArray> {
        self.arrays.remove(&name.into())
    }

    /// Returns an unnamed array that outlives the run. Its contents are undefined.
    pub(crate) fn take_plane(&mut self, device: &Device, bytes: u64) -> Result<DeviceArray, DeviceError> {
        if let Some(at) = self.spare.iter().position(|plane| plane.len() as u64 == bytes) {
            return Ok(self.spare.swap_remove(at));
        }
        device.allocate(bytes)
    }

    /// Returns `true` if a released array of this size is available.
    pub(crate) fn has_spare(&self, bytes: u64) -> bool {
        self.spare.iter().any(|plane| plane.len() as u64 == bytes)
    }

    /// Returns the total size in bytes of all arrays that were released.
    pub(crate) fn spare_bytes(&self) -> u64 {
        self.spare.iter().map(|array| array.len() as u64).sum()
    }

    /// Releases an array from [`take_plane`](Self::take_plane) for reuse. All released arrays that are kept have the
    /// same size. At most as many are kept as one batch uses.
    pub(crate) fn give_plane(&mut self, plane: DeviceArray) {
        self.spare.retain(|spare| spare.len() == plane.len());
        if self.spare.len() < MOST_SPARE {
            self.spare.push(plane);
        }
    }

    /// Returns the address of an array; 0 if it does not exist.
    pub(crate) fn address(&self, device: &Device, name: impl Into<BufferName>) -> u64 {
        let name = name.into();
        let on_device = self.arrays.get(&name).map(|array| array.device_ptr(&device.stream).0);
        on_device.or_else(|| self.host.get(&name).map(HostArray::address)).unwrap_or(0)
    }

    /// Copies `elements` to the array with this name and returns its address.
    pub(crate) fn upload<T: Pod>(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        elements: &[T],
    ) -> Result<u64, DeviceError> {
        let name = name.into();
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        if !staging::is_small(bytes.len()) {
            let elements = Elements { length: bytes.len(), each: 1, computed: false };
            return self.upload_pieces(device, name, elements, &Progress::NONE, &|range, to| {
                to.copy_from_slice(&bytes[range]);
                Ok(())
            });
        }
        let address = self.room(device, name, bytes.len() as u64)?;
        if let Some(array) = self.arrays.get_mut(&name).filter(|_| !bytes.is_empty()) {
            let mut part = array.slice_mut(..bytes.len());
            device.stream.memcpy_htod(bytes, &mut part).map_err(driver_error("copy to the device"))?;
            self.uploads += 1;
        }
        Ok(address)
    }

    /// Copies `elements`, which are always the same, to the array with this name, unless it exists. Returns its address.
    pub(crate) fn upload_once<T: Pod>(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        elements: &[T],
    ) -> Result<u64, DeviceError> {
        let name = name.into();
        if self.contains(name) { Ok(self.address(device, name)) } else { self.upload(device, name, elements) }
    }

    /// Fills the array with this name, and returns its address. `fill(bytes, to)` writes these bytes of the array, always
    /// whole elements, as in [`Staging::upload`](super::staging::Staging::upload).
    pub(crate) fn fill<E: From<DeviceError> + Send>(
        &mut self,
        device: &Device,
        (name, home): (BufferName, Home),
        elements: Elements,
        progress: &Progress,
        fill: &Fill<'_, E>,
    ) -> Result<u64, E> {
        if home == Home::Device {
            return self.upload_pieces(device, name, elements, progress, fill);
        }
        let address = self.host_room(device, name, elements.length as u64)?;
        if let Some(array) = self.host.get_mut(&name) {
            staging::fill(array.bytes_mut(), elements, progress, fill)?;
            self.uploads += 1;
        }
        Ok(address)
    }

    /// Like [`fill`](Self::fill), for an array on the device.
    fn upload_pieces<E: From<DeviceError> + Send>(
        &mut self,
        device: &Device,
        name: BufferName,
        elements: Elements,
        progress: &Progress,
        fill: &Fill<'_, E>,
    ) -> Result<u64, E> {
        let address = self.room(device, name, elements.length as u64)?;
        if let Some(pieces) = Pieces::of(address, elements).filter(|_| elements.length > 0) {
            device.staging.upload(device, pieces, progress, fill)?;
            self.uploads += 1;
        }
        Ok(address)
    }

    /// Returns the word that stops a program stuck in a loop. The first call allocates it.
    pub(crate) fn stop_word(&mut self, device: &Device) -> Result<Arc<StopWord>, DeviceError> {
        if let Some(word) = &self.stop {
            return Ok(word.clone());
        }
        let word = Arc::new(StopWord::new(device)?);
        self.stop = Some(word.clone());
        Ok(word)
    }

    /// Returns the word that ends a run if one of several devices has failed. The first call allocates it.
    pub(crate) fn abort_word(&mut self, device: &Device) -> Result<Arc<StopWord>, DeviceError> {
        if let Some(word) = &self.abort {
            return Ok(word.clone());
        }
        let word = Arc::new(StopWord::new(device)?);
        self.abort = Some(word.clone());
        Ok(word)
    }

    /// Returns the progress counters of a run. The first call allocates them.
    pub(crate) fn progress(&mut self, device: &Device) -> Result<Arc<DeviceProgress>, DeviceError> {
        if let Some(progress) = &self.progress {
            return Ok(progress.clone());
        }
        let progress = Arc::new(DeviceProgress::new(device)?);
        self.progress = Some(progress.clone());
        Ok(progress)
    }

    /// Returns two events for the beginning and the end of a launch. The first call creates them.
    pub(crate) fn clock(&mut self, device: &Device) -> Result<Arc<[CudaEvent; 2]>, DeviceError> {
        if let Some(clock) = &self.clock {
            return Ok(clock.clone());
        }
        let clock = Arc::new([device.record_event()?, device.record_event()?]);
        self.clock = Some(clock.clone());
        Ok(clock)
    }

    /// Begins to copy the first `bytes` bytes of an array to page-locked memory of the host, unlike
    /// [`download`](Self::download) without waiting for earlier work. Once the stream has been synchronized,
    /// [`landed`](Self::landed) returns them.
    pub(crate) fn land(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let name = name.into();
        if !self.arrays.contains_key(&name) {
            self.landings.remove(&name);
            return Ok(());
        }
        if self.landings.get(&name).is_none_or(|landing| landing.len() != bytes) {
            // SAFETY: the memory is uninitialized, but every byte is written by the copy before it is read.
            let landing = between_launches(|| unsafe { device.context.alloc_pinned_with_flags(bytes, 0) });
            let landing = landing.map_err(driver_error("allocate page-locked memory"))?;
            self.landings.insert(name, Guarded::new(landing));
        }
        let (Some(landing), Some(array)) = (self.landings.get_mut(&name), self.arrays.get(&name)) else {
            return Ok(());
        };
        self.downloads += 1;
        let part = array.slice(..bytes);
        device.stream.memcpy_dtoh(&part, &mut **landing).map_err(driver_error("copy from the device"))
    }

    /// Returns the bytes that [`land`](Self::land) has copied; none if it was not called. Does not wait for the copy:
    /// the stream must have been synchronized since.
    pub(crate) fn landed(&self, name: impl Into<BufferName>) -> Result<&[u8], DeviceError> {
        match self.landings.get(&name.into()) {
            Some(landing) => landing.as_slice().map_err(driver_error("copy from the device")),
            None => Ok(&[]),
        }
    }

    /// Copies the first `bytes.len()` bytes of an array to the host.
    pub(crate) fn download(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        match self.arrays.get(&name.into()) {
            Some(array) if !bytes.is_empty() => {
                self.downloads += 1;
                device.download(array, bytes)
            }
            _ => Ok(()),
        }
    }
}

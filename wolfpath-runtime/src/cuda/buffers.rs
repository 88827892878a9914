//! Arrays on the device, by their names in plans: the graph's, uploaded once, and a run's own, kept from run to run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaSlice, DevicePtr};
use wolfpath_core::program::{DatumKind, WeightField};

use super::device::{Device, driver_error};
use super::progress::DeviceProgress;
use super::stop_word::StopWord;
use crate::error::DeviceError;
use crate::plan::ArrayName;

/// Which array of a device: one of a plan's. Weights are kept once per type and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BufferName {
    array: ArrayName,
    /// `Some` exactly for weights.
    weights: Option<WeightName>,
}

/// Which weights: their type, and of which column they are, or of which columns as fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WeightName {
    pub(crate) kind: DatumKind,
    /// The column's position among the graph's; `None` if the weights are not a column of the input.
    pub(crate) column: Option<usize>,
    /// The fields of the struct, if the weight is one.
    pub(crate) fields: &'static [WeightField],
}

impl BufferName {
    /// Names the buffer of an array of a plan whose program reads these weights.
    pub(crate) fn of(array: ArrayName, weights: WeightName) -> BufferName {
        let is_weights = matches!(array, ArrayName::EdgeWeights(_));
        BufferName { array, weights: is_weights.then_some(weights) }
    }
}

/// Every array but weights has one buffer.
impl From<ArrayName> for BufferName {
    fn from(array: ArrayName) -> BufferName {
        debug_assert!(!matches!(array, ArrayName::EdgeWeights(_)), "weights are named with their type");
        BufferName { array, weights: None }
    }
}

/// Arrays that are kept for the next batch at the most: those of one whose runs take 2,047 steps.
const MOST_SPARE: usize = 12;

/// Named arrays on one device.
#[derive(Default)]
pub(crate) struct Buffers {
    arrays: HashMap<BufferName, CudaSlice<u8>>,
    /// Which input an array holds, and whether by rank.
    inputs: HashMap<BufferName, (u64, bool)>,
    /// The mean of an array of weights.
    means: HashMap<BufferName, f64>,
    /// Arrays that a kernel has made of others.
    derived: HashSet<BufferName>,
    stop: Option<Arc<StopWord>>,
    progress: Option<Arc<DeviceProgress>>,
    /// Arrays that outcomes of batches gave back, for the next batch.
    spare: Vec<CudaSlice<u8>>,
    pub(crate) uploads: u64,
    pub(crate) downloads: u64,
}

impl Buffers {
    /// Returns the bytes of all arrays.
    pub(crate) fn bytes(&self) -> u64 {
        self.arrays.values().chain(&self.spare).map(|array| array.len() as u64).sum()
    }

    /// Returns the bytes of one array; 0 if it does not exist.
    pub(crate) fn bytes_of(&self, name: BufferName) -> u64 {
        self.arrays.get(&name).map_or(0, |array| array.len() as u64)
    }

    /// Frees every array that is not named.
    pub(crate) fn keep_only(&mut self, names: &[BufferName]) {
        self.arrays.retain(|name, _| names.contains(name));
        self.spare.clear();
    }

    /// Returns whether an array holds this input.
    pub(crate) fn holds_input(&self, name: impl Into<BufferName>, input: (u64, bool)) -> bool {
        let name = name.into();
        self.contains(name) && self.inputs.get(&name) == Some(&input)
    }

    /// Notes which input an array holds now.
    pub(crate) fn note_input(&mut self, name: impl Into<BufferName>, input: (u64, bool)) {
        self.inputs.insert(name.into(), input);
    }

    /// Returns whether a kernel has made this array.
    pub(crate) fn is_derived(&self, name: impl Into<BufferName>) -> bool {
        let name = name.into();
        self.contains(name) && self.derived.contains(&name)
    }

    /// Notes that a kernel has made this array.
    pub(crate) fn note_derived(&mut self, name: impl Into<BufferName>) {
        self.derived.insert(name.into());
    }

    /// Notes the mean of an array of weights.
    pub(crate) fn note_mean(&mut self, name: BufferName, mean: f64) {
        self.means.insert(name, mean);
    }

    /// Returns the mean of an array of weights, if it is known.
    pub(crate) fn mean_of(&self, name: BufferName) -> Option<f64> {
        self.means.get(&name).copied()
    }

    /// Returns whether the array exists.
    pub(crate) fn contains(&self, name: impl Into<BufferName>) -> bool {
        self.arrays.contains_key(&name.into())
    }

    /// Returns the address of an array with room for `bytes`, whose contents may be lost. The address of 0 bytes is 0.
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
        if self.arrays.get(&name).is_none_or(|array| (array.len() as u64) < bytes) {
            // The old one goes first: both may not fit.
            self.arrays.remove(&name);
            self.inputs.remove(&name);
            self.derived.remove(&name);
            // SAFETY: the kernels and uploads write what they later read; nothing reads the array before.
            let array = unsafe { device.stream.alloc::<u8>(bytes as usize) };
            self.arrays.insert(name, array.map_err(driver_error("allocate memory"))?);
        }
        Ok(self.address(device, name))
    }

    /// Returns an array without a name, which outlives the run. Its content is undefined.
    pub(crate) fn take_plane(&mut self, device: &Device, bytes: u64) -> Result<CudaSlice<u8>, DeviceError> {
        if let Some(at) = self.spare.iter().position(|plane| plane.len() as u64 == bytes) {
            return Ok(self.spare.swap_remove(at));
        }
        // SAFETY: kernels and copies write what they later read; nothing reads the array before.
        unsafe { device.stream.alloc::<u8>(bytes as usize) }.map_err(driver_error("allocate memory"))
    }

    /// Returns `true` if an array of so many bytes was given back.
    pub(crate) fn has_spare(&self, bytes: u64) -> bool {
        self.spare.iter().any(|plane| plane.len() as u64 == bytes)
    }

    /// Bytes of all arrays that were given back.
    pub(crate) fn spare_bytes(&self) -> u64 {
        self.spare.iter().map(|array| array.len() as u64).sum()
    }

    /// Gives back what [`take_plane`](Self::take_plane) gave. As many are kept as a batch has, all of one size.
    pub(crate) fn give_plane(&mut self, plane: CudaSlice<u8>) {
        self.spare.retain(|spare| spare.len() == plane.len());
        if self.spare.len() < MOST_SPARE {
            self.spare.push(plane);
        }
    }

    /// Returns the address of an array; 0 if it does not exist.
    pub(crate) fn address(&self, device: &Device, name: impl Into<BufferName>) -> u64 {
        self.arrays.get(&name.into()).map_or(0, |array| array.device_ptr(&device.stream).0)
    }

    /// Copies `elements` to the array of this name, and returns its address.
    pub(crate) fn upload<T: Pod>(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        elements: &[T],
    ) -> Result<u64, DeviceError> {
        let name = name.into();
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let address = self.room(device, name, bytes.len() as u64)?;
        if let Some(array) = self.arrays.get_mut(&name).filter(|_| !bytes.is_empty()) {
            let mut part = array.slice_mut(..bytes.len());
            device.stream.memcpy_htod(bytes, &mut part).map_err(driver_error("copy to the device"))?;
            self.uploads += 1;
        }
        Ok(address)
    }

    /// The word that stops a program in a loop, made at the first call.
    pub(crate) fn stop_word(&mut self, device: &Device) -> Result<Arc<StopWord>, DeviceError> {
        if let Some(word) = &self.stop {
            return Ok(word.clone());
        }
        let word = Arc::new(StopWord::new(device)?);
        self.stop = Some(word.clone());
        Ok(word)
    }

    /// The counts of a run's progress, made at the first call.
    pub(crate) fn progress(&mut self, device: &Device) -> Result<Arc<DeviceProgress>, DeviceError> {
        if let Some(progress) = &self.progress {
            return Ok(progress.clone());
        }
        let progress = Arc::new(DeviceProgress::new(device)?);
        self.progress = Some(progress.clone());
        Ok(progress)
    }

    /// Copies the first bytes of an array to the host.
    pub(crate) fn download(
        &mut self,
        device: &Device,
        name: impl Into<BufferName>,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        match self.arrays.get(&name.into()) {
            Some(array) if !bytes.is_empty() => {
                self.downloads += 1;
                let part = array.slice(..bytes.len());
                device.stream.memcpy_dtoh(&part, bytes).map_err(driver_error("copy from the device"))
            }
            _ => Ok(()),
        }
    }
}

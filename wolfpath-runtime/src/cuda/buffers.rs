//! Arrays on the device, by name: the graph's, uploaded once, and a run's own, kept from run to run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaSlice, DevicePtr};
use wolfpath_core::program::{DatumKind, WeightField};

use super::device::{Device, driver_error};
use super::progress::DeviceProgress;
use super::stop_word::StopWord;
use crate::error::DeviceError;

/// What an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    array: &'static str,
    part: &'static str,
    weights: Option<WeightName>,
}

/// Which weights: of which column, or of which columns as fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WeightName {
    /// The place of the column among the graph's; `None` where it is none of the input's.
    pub(crate) column: Option<usize>,
    /// The fields of the struct, where the weight is one.
    pub(crate) fields: &'static [WeightField],
}

impl Name {
    pub(crate) fn of(array: &'static str, part: &'static str) -> Name {
        Name { array, part, weights: None }
    }

    /// The weights of one direction in the order of its rows.
    pub(crate) fn weights(array: &'static str, kind: DatumKind, weights: WeightName) -> Name {
        Name { array, part: kind.name(), weights: Some(weights) }
    }
}

/// Where an array of a run stands, by its name in the plan.
pub(crate) fn own(name: &'static str) -> Name {
    Name::of("run", name)
}

/// The buffer that holds an array of the plan.
pub(crate) fn buffer_of(planned: &'static str, kind: DatumKind, weights: WeightName) -> Name {
    match planned {
        "out-row offsets" => Name::of("out", "offsets"),
        "out-edge ends" => Name::of("out", "ends"),
        "out-edge weights" => Name::weights("out weights", kind, weights),
        "out-edge sources" => Name::of("out", "sources"),
        "out-edge groups" => Name::of("out", "groups"),
        "in-edge sources" => Name::of("in", "sources"),
        "in-edge groups" => Name::of("in", "groups"),
        "in-row offsets" => Name::of("in", "offsets"),
        "in-edge ends" => Name::of("in", "ends"),
        "in-edge weights" => Name::weights("in weights", kind, weights),
        "ids" => Name::of("vertex", "ids"),
        "indices" => Name::of("vertex", "indices"),
        of_the_run => own(of_the_run),
    }
}

/// Arrays that are kept for the next batch at the most: those of one whose runs take 2,047 steps.
const MOST_SPARE: usize = 12;

/// Named arrays on one device.
#[derive(Default)]
pub(crate) struct Buffers {
    arrays: HashMap<Name, CudaSlice<u8>>,
    /// Which input an array holds, and whether by rank.
    inputs: HashMap<Name, (u64, bool)>,
    /// The mean of an array of weights.
    means: HashMap<Name, f64>,
    /// Arrays that a kernel has made of others.
    derived: HashSet<Name>,
    stop: Option<Arc<StopWord>>,
    progress: Option<Arc<DeviceProgress>>,
    /// Arrays that outcomes of batches gave back, for the next batch.
    spare: Vec<CudaSlice<u8>>,
    pub(crate) uploads: u64,
    pub(crate) downloads: u64,
}

impl Buffers {
    /// Bytes of all arrays.
    pub(crate) fn bytes(&self) -> u64 {
        self.arrays.values().chain(&self.spare).map(|array| array.len() as u64).sum()
    }

    /// Bytes of one array, 0 when there is none.
    pub(crate) fn bytes_of(&self, name: Name) -> u64 {
        self.arrays.get(&name).map_or(0, |array| array.len() as u64)
    }

    /// Frees every array that is not named.
    pub(crate) fn keep_only(&mut self, names: &[Name]) {
        self.arrays.retain(|name, _| names.contains(name));
        self.spare.clear();
    }

    /// Whether an array holds this input.
    pub(crate) fn holds_input(&self, name: Name, input: (u64, bool)) -> bool {
        self.contains(name) && self.inputs.get(&name) == Some(&input)
    }

    /// Notes which input an array holds now.
    pub(crate) fn note_input(&mut self, name: Name, input: (u64, bool)) {
        self.inputs.insert(name, input);
    }

    /// Whether a kernel has made this array.
    pub(crate) fn is_derived(&self, name: Name) -> bool {
        self.contains(name) && self.derived.contains(&name)
    }

    /// Notes that a kernel has made this array.
    pub(crate) fn note_derived(&mut self, name: Name) {
        self.derived.insert(name);
    }

    /// Notes the mean of an array of weights.
    pub(crate) fn note_mean(&mut self, name: Name, mean: f64) {
        self.means.insert(name, mean);
    }

    /// The mean of an array of weights, if it is known.
    pub(crate) fn mean_of(&self, name: Name) -> Option<f64> {
        self.means.get(&name).copied()
    }

    pub(crate) fn contains(&self, name: Name) -> bool {
        self.arrays.contains_key(&name)
    }

    /// The address of an array with room for `bytes`; whatever it held may be gone. 0 bytes have the address 0.
    pub(crate) fn room(&mut self, device: &Device, name: Name, bytes: u64) -> Result<u64, DeviceError> {
        if bytes == 0 {
            return Ok(0);
        }
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

    /// An array without a name, for whoever keeps it beyond the run; whatever it held may be there still.
    pub(crate) fn take_plane(&mut self, device: &Device, bytes: u64) -> Result<CudaSlice<u8>, DeviceError> {
        if let Some(at) = self.spare.iter().position(|plane| plane.len() as u64 == bytes) {
            return Ok(self.spare.swap_remove(at));
        }
        // SAFETY: kernels and copies write what they later read; nothing reads the array before.
        unsafe { device.stream.alloc::<u8>(bytes as usize) }.map_err(driver_error("allocate memory"))
    }

    /// Whether an array of so many bytes was given back.
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

    /// The address of an array, 0 when there is none.
    pub(crate) fn address(&self, device: &Device, name: Name) -> u64 {
        self.arrays.get(&name).map_or(0, |array| array.device_ptr(&device.stream).0)
    }

    /// Copies `elements` to the array of this name.
    pub(crate) fn upload<T: Pod>(
        &mut self,
        device: &Device,
        name: Name,
        elements: &[T],
    ) -> Result<u64, DeviceError> {
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
        name: Name,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        match self.arrays.get(&name) {
            Some(array) if !bytes.is_empty() => {
                self.downloads += 1;
                let part = array.slice(..bytes.len());
                device.stream.memcpy_dtoh(&part, bytes).map_err(driver_error("copy from the device"))
            }
            _ => Ok(()),
        }
    }
}

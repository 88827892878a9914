//! Values that a run left on the device. They stay there until they are read, until a later run needs their memory, or
//! until nothing refers to them any more.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};

use wolfpath_core::program::{CombineKind, Datum};

use super::device::{Device, DeviceArray};
use super::launch::ValueBytes;
use super::resident::Resident;
use super::staging::Pieces;
use crate::cpu::{Blocks, Values, lock, zeros};
use crate::error::{DeviceError, RunError};

/// Maximum number of released arrays that a loaded graph keeps for the next run: the values and presence bits of two
/// outcomes. A chain of runs alternates between two.
const MOST_SPARE: usize = 4;

/// Layout of kept values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) vertices: u32,
    /// Size of one value in bytes.
    pub(crate) each: usize,
    /// Combiner of the run, if the values are words that atomics combined, rather than values of the program's type.
    pub(crate) words: Option<CombineKind>,
    /// `true` if every vertex has a value.
    pub(crate) all: bool,
}

/// Values of an outcome, on a device or moved from there to the host.
pub(crate) struct Kept {
    device: Arc<Device>,
    pub(crate) layout: Layout,
    place: Mutex<Place>,
    /// `true` if the outcome has the values in its own type in host memory.
    is_read: AtomicBool,
}

enum Place {
    Device(Arc<KeptArrays>),
    /// Bytes in the device's layout; `None` if the outcome has the values in its own type.
    Host(Option<Arc<ValueBytes>>),
}

/// Arrays on the device: the values and the presence bits. They return to their loaded graph's spare arrays.
pub(crate) struct KeptArrays {
    /// Keeps the context and the graph's arrays.
    pub(crate) resident: Arc<Resident>,
    /// The values and the presence bits. Empty only while it is dropped.
    arrays: Vec<DeviceArray>,
    /// Total size of the arrays in bytes.
    bytes: u64,
}

impl KeptArrays {
    /// Returns the addresses of the values and of the presence bits.
    pub(crate) fn addresses(&self) -> [u64; 2] {
        [0, 1].map(|at| self.resident.device.address_of(&self.arrays[at]))
    }
}

impl Drop for KeptArrays {
    fn drop(&mut self) {
        self.resident.device.outcomes.add(-(self.bytes as i64));
        let mut spare = lock(&self.resident.spare);
        self.arrays.drain(..).for_each(|array| spare.give(array));
    }
}

impl Kept {
    /// Keeps the arrays of a run that has ended: its values and its presence bits.
    pub(super) fn new(resident: &Arc<Resident>, arrays: [DeviceArray; 2], layout: Layout) -> Kept {
        let bytes = arrays.iter().map(|array| array.len() as u64).sum();
        let device = resident.device.clone();
        device.outcomes.add(bytes as i64);
        let arrays = KeptArrays { resident: resident.clone(), arrays: arrays.into(), bytes };
        let place = Mutex::new(Place::Device(Arc::new(arrays)));
        Kept { device, layout, place, is_read: AtomicBool::new(false) }
    }

    /// Adds the values to those that can move to the host.
    pub(crate) fn note(self: &Arc<Self>) {
        self.device.outcomes.note(self);
    }

    /// Returns the arrays if they are on this device. They stay there as long as the result lives.
    pub(crate) fn arrays(&self, device: &Arc<Device>) -> Option<Arc<KeptArrays>> {
        match &*lock(&self.place) {
            Place::Device(arrays) if Arc::ptr_eq(device, &self.device) => Some(arrays.clone()),
            _ => None,
        }
    }

    /// Returns the values in host memory, in the device's layout. Their copy on the device stays there.
    pub(crate) fn bytes(&self) -> Result<Arc<ValueBytes>, DeviceError> {
        let arrays = match &*lock(&self.place) {
            Place::Device(arrays) => arrays.clone(),
            Place::Host(Some(bytes)) => return Ok(bytes.clone()),
            Place::Host(None) => unreachable!("the outcome has the values in its own type"),
        };
        self.guard(|| self.copy(&arrays)).map(Arc::new)
    }

    /// Returns the values in their own type. The copy on the device stays there.
    pub(crate) fn read<V: Datum>(&self) -> Result<Values<V>, DeviceError> {
        let arrays = match &*lock(&self.place) {
            Place::Device(arrays) => arrays.clone(),
            Place::Host(Some(bytes)) => return Ok(bytes.decode()),
            Place::Host(None) => unreachable!("the outcome has the values in its own type"),
        };
        self.guard(|| self.decode(&arrays))
    }

    /// Copies the values from the device, and decodes each piece while the next ones are copied.
    fn decode<V: Datum>(&self, arrays: &KeptArrays) -> Result<Values<V>, DeviceError> {
        let (vertices, each) = (self.layout.vertices as usize, self.layout.each);
        let address = arrays.addresses()[0];
        // Words of the result's presence bits must not be shared by two pieces.
        let Some(pieces) = Pieces::new(address, vertices * each, 64 * each) else {
            return Ok(self.copy(arrays)?.decode());
        };
        let present = self.present(arrays)?;
        let in_piece = pieces.step() / each;
        let (mut values, mut marks) = (zeros(vertices), vec![0; vertices.div_ceil(64)]);
        let (parts, words) = (Blocks::new(&mut values, in_piece), Blocks::new(&mut marks, in_piece / 64));
        self.device.staging.download(&self.device, pieces, &|piece, bytes| {
            let (mut values, mut marks) = (parts.take(piece), words.take(piece));
            self.layout.decode(piece * in_piece, (bytes, &present), &mut values, &mut marks);
        })?;
        drop((parts, words));
        Ok(Values::new(values, marks, Weak::new()))
    }

    fn copy(&self, arrays: &KeptArrays) -> Result<ValueBytes, DeviceError> {
        let mut bytes = vec![0; self.layout.vertices as usize * self.layout.each];
        self.device.download(&arrays.arrays[0], &mut bytes)?;
        Ok(ValueBytes { layout: self.layout, bytes, present: self.present(arrays)? })
    }

    /// Copies the presence bits from the device.
    fn present(&self, arrays: &KeptArrays) -> Result<Vec<u8>, DeviceError> {
        let mut present = vec![0; self.layout.vertices.div_ceil(32) as usize * 4];
        self.device.download(&arrays.arrays[1], &mut present)?;
        Ok(present)
    }

    /// Calls `work` on the device unless the device was lost earlier.
    fn guard<T>(&self, work: impl FnOnce() -> Result<T, DeviceError>) -> Result<T, DeviceError> {
        self.device.guard(|| Ok(work()?)).map_err(|error| match error {
            RunError::Device(error) => error,
            error => DeviceError::Driver { action: "copy from the device", message: error.to_string() },
        })
    }

    /// Notes that the outcome has the values in its own type, so that their bytes need not be kept on the host.
    pub(crate) fn note_read(&self) {
        self.is_read.store(true, Relaxed);
        if let Place::Host(bytes) = &mut *lock(&self.place) {
            *bytes = None;
        }
    }

    /// Moves the values to the host. Returns the number of bytes that this frees on the device.
    fn move_home(&self) -> Result<u64, DeviceError> {
        if !matches!(&*lock(&self.place), Place::Device(arrays) if Arc::strong_count(arrays) == 1) {
            return Ok(0);
        }
        let bytes = if self.is_read.load(Relaxed) { None } else { Some(self.bytes()?) };
        let mut place = lock(&self.place);
        let (freed, resident) = match &*place {
            // A run that uses the arrays keeps them alive, so nothing would be freed.
            Place::Device(arrays) if Arc::strong_count(arrays) == 1 => {
                (arrays.bytes, arrays.resident.clone())
            }
            _ => return Ok(0),
        };
        *place = Place::Host(bytes.filter(|_| !self.is_read.load(Relaxed)));
        lock(&resident.spare).clear();
        Ok(freed)
    }
}

/// The outcomes whose values are on a device, oldest first.
#[derive(Default)]
pub(crate) struct Outcomes {
    kept: Mutex<Vec<Weak<Kept>>>,
    bytes: AtomicI64,
}

impl Outcomes {
    fn add(&self, bytes: i64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Returns the number of bytes that outcomes occupy on the device.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed).try_into().unwrap_or(0)
    }

    /// Adds an outcome.
    pub(crate) fn note(&self, kept: &Arc<Kept>) {
        let mut list = lock(&self.kept);
        list.retain(|kept| kept.strong_count() > 0);
        list.push(Arc::downgrade(kept));
    }

    /// Moves outcomes to the host, oldest first, until at least `needed` bytes are freed or no outcome is left. Returns
    /// the number of bytes that were freed.
    pub(crate) fn make_room(&self, needed: u64) -> Result<u64, DeviceError> {
        let list: Vec<Weak<Kept>> = lock(&self.kept).clone();
        let mut freed = 0;
        for kept in list.iter().filter_map(Weak::upgrade) {
            if freed >= needed {
                break;
            }
            freed += kept.move_home()?;
        }
        Ok(freed)
    }
}

/// Arrays that outcomes have released, for the next run.
#[derive(Default)]
pub(crate) struct Spare(Vec<DeviceArray>);

impl Spare {
    /// Returns a released array of this size, whose contents are undefined.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<DeviceArray> {
        let at = self.0.iter().position(|array| array.len() as u64 == bytes)?;
        Some(self.0.swap_remove(at))
    }

    /// Returns `true` if there is a released array of this size.
    pub(crate) fn has(&self, bytes: u64) -> bool {
        self.0.iter().any(|array| array.len() as u64 == bytes)
    }

    fn give(&mut self, array: DeviceArray) {
        if self.0.len() == MOST_SPARE {
            self.0.remove(0);
        }
        self.0.push(array);
    }

    /// Returns the total size of the arrays in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().map(|array| array.len() as u64).sum()
    }

    /// Frees the arrays.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

//! The values of a run: read back as bytes, then decoded into the program's type.

use wolfpath_core::program::{CombineKind, Datum};

use super::UntypedLaunch;
use crate::cpu::{Values, from_word, identity};
use crate::cuda::buffers::Buffers;
use crate::cuda::device::driver_error;
use crate::cuda::source::device_size;
use crate::error::RunError;
use crate::plan::{ArrayName, word_bytes};

/// Values of one run in the device's layout.
#[derive(Default)]
pub(super) struct ValueBytes {
    vertices: u32,
    bytes: Vec<u8>,
    /// Size of one value in bytes.
    each: usize,
    /// `true` if the values are words that atomics combined, rather than values of the program's type.
    in_place: bool,
    /// Bitmap of the vertices that have a value.
    present: Vec<u8>,
}

impl ValueBytes {
    /// Reads the values of a run from the device.
    pub(super) fn read(launch: &UntypedLaunch<'_>, buffers: &mut Buffers) -> Result<ValueBytes, RunError> {
        let device = &launch.resident.device;
        let (n, kind) = (launch.plan.graph.vertices as usize, launch.shape().value);
        let in_place = launch.plan.schedule.combines_words();
        let each = if in_place { word_bytes(kind) as usize } else { device_size(kind) };
        let mut bytes = vec![0u8; n * each];
        let mut present = vec![0u8; n.div_ceil(32) * 4];
        buffers.download(device, ArrayName::Values, &mut bytes)?;
        buffers.download(device, ArrayName::PresenceBits, &mut present)?;
        device.stream.synchronize().map_err(driver_error("read the values back"))?;
        Ok(ValueBytes { vertices: n as u32, bytes, each, in_place, present })
    }

    /// Returns the values in the program's type. `kind` is the combiner of its messages.
    pub(super) fn decode<V: Datum>(&self, kind: CombineKind) -> Values<V> {
        Values::collect(self.vertices, |v| {
            let v = v as usize;
            let element = &self.bytes[v * self.each..(v + 1) * self.each];
            let is_present = self.present[v / 8] >> (v % 8) & 1 != 0;
            if self.in_place {
                word_value(kind, element, is_present)
            } else {
                is_present.then(|| V::read(element))
            }
        })
    }
}

/// Returns the value of a word, or `None` if the word is the identity and `is_marked` is `false`.
pub(in crate::cuda) fn word_value<V: Datum>(kind: CombineKind, element: &[u8], is_marked: bool) -> Option<V> {
    let (word, max) = match *element {
        [a, b, c, d] => (u64::from(u32::from_le_bytes([a, b, c, d])), u64::from(u32::MAX)),
        [a, b, c, d, e, f, g, h] => (u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::MAX),
        _ => unreachable!("a word has 4 or 8 bytes, not {}", element.len()),
    };
    (word != identity(kind, max) || is_marked).then(|| from_word(kind, word))
}

//! The values of a run as bytes, and their decoding into the program's type.

use wolfpath_core::program::{CombineKind, Datum};

use crate::cpu::{Values, from_word, identity};
use crate::cuda::kept::Layout;

/// Values of one run in the device's layout, in host memory.
pub(crate) struct ValueBytes {
    pub(in crate::cuda) layout: Layout,
    pub(in crate::cuda) bytes: Vec<u8>,
    /// Bitmap of the vertices that have a value; in place, only of those whose word is the identity.
    pub(in crate::cuda) present: Vec<u8>,
}

impl ValueBytes {
    /// Returns the values in the program's type.
    pub(crate) fn decode<V: Datum>(&self) -> Values<V> {
        let Layout { vertices, each, words, .. } = self.layout;
        Values::collect(vertices, |v| {
            let v = v as usize;
            let element = &self.bytes[v * each..(v + 1) * each];
            let is_present = self.present[v / 8] >> (v % 8) & 1 != 0;
            match words {
                Some(kind) => word_value(kind, element, is_present),
                None => is_present.then(|| V::read(element)),
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

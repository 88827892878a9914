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
        let layout = self.layout;
        Values::collect(layout.vertices, |v| {
            let v = v as usize;
            let element = &self.bytes[v * layout.each..(v + 1) * layout.each];
            layout.value(element, &self.present, v)
        })
    }
}

impl Layout {
    /// Returns the value of vertex `v` from its bytes and the presence bits of all vertices.
    fn value<V: Datum>(self, element: &[u8], present: &[u8], v: usize) -> Option<V> {
        let is_present = present[v / 8] >> (v % 8) & 1 != 0;
        match self.words {
            Some(kind) => word_value(kind, element, is_present),
            None => is_present.then(|| V::read(element)),
        }
    }

    /// Decodes the values of consecutive vertices from `first` on, which is a multiple of 64: their bytes, and the
    /// presence bits of all vertices. Writes them to `values`, and bits for those that exist to `marks`.
    pub(in crate::cuda) fn decode<V: Datum>(
        self,
        first: usize,
        (bytes, present): (&[u8], &[u8]),
        values: &mut [V],
        marks: &mut [u64],
    ) {
        let elements = bytes.chunks_exact(self.each);
        for (offset, (element, held)) in elements.zip(values).enumerate() {
            if let Some(value) = self.value(element, present, first + offset) {
                *held = value;
                marks[offset / 64] |= 1 << (offset % 64);
            }
        }
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

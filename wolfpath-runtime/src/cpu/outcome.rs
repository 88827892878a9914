//! The values that a run came to, by internal index.

use rayon::prelude::*;
use wolfpath_core::program::Datum;

use crate::start::zero;

/// A value or none for every vertex: values side by side, and a bit each for whether there is one.
#[derive(Clone, Debug)]
pub(crate) struct Values<V> {
    pub(crate) values: Vec<V>,
    pub(crate) present: Vec<u64>,
}

impl<V: Datum> Values<V> {
    /// Asks `value` for every vertex.
    pub(crate) fn collect(vertices: u32, value: impl Fn(u32) -> Option<V> + Sync) -> Values<V> {
        let values = (0..vertices).into_par_iter().map(|v| value(v).unwrap_or_else(zero)).collect();
        let bits = |word: u32| {
            let vertices = word * 64..(word * 64).saturating_add(64).min(vertices);
            vertices.filter(|&v| value(v).is_some()).fold(0, |bits, v| bits | 1 << (v % 64))
        };
        let present = (0..vertices.div_ceil(64)).into_par_iter().map(bits).collect();
        Values { values, present }
    }

    pub(crate) fn get(&self, v: u32) -> Option<V> {
        let is_present = self.present[v as usize / 64] >> (v % 64) & 1 != 0;
        is_present.then(|| self.values[v as usize])
    }
}

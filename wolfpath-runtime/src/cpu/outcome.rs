//! Values of a run, by internal index.

use std::sync::{Mutex, PoisonError};

use wolfpath_core::program::Datum;

use super::tasks::for_each_task;
use crate::start::zero;

/// An optional value per vertex: the values, and a bitmap of the vertices that have one.
#[derive(Clone, Debug)]
pub(crate) struct Values<V> {
    pub(crate) values: Vec<V>,
    pub(crate) present: Vec<u64>,
}

impl<V: Datum> Values<V> {
    /// Collects the results of `value` for every vertex.
    pub(crate) fn collect(vertices: u32, value: impl Fn(u32) -> Option<V> + Sync) -> Values<V> {
        let mut values = vec![zero(); vertices as usize];
        let mut present = vec![0u64; vertices.div_ceil(64) as usize];
        // Each piece is written by one task, so pieces must end at word boundaries of the bitmap.
        let least = 64 * 256;
        let pieces: Vec<_> =
            values.chunks_mut(least).zip(present.chunks_mut(least / 64)).map(Mutex::new).collect();
        for_each_task(pieces.len(), &|task| {
            let mut piece = pieces[task].lock().unwrap_or_else(PoisonError::into_inner);
            let (values, present) = &mut *piece;
            for (v, held) in ((task * least) as u32..).zip(values.iter_mut()) {
                if let Some(found) = value(v) {
                    *held = found;
                    present[v as usize / 64 - task * least / 64] |= 1 << (v % 64);
                }
            }
        });
        drop(pieces);
        Values { values, present }
    }

    pub(crate) fn get(&self, v: u32) -> Option<V> {
        let is_present = self.present[v as usize / 64] >> (v % 64) & 1 != 0;
        is_present.then(|| self.values[v as usize])
    }
}

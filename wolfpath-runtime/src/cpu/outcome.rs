//! Values of a run, by internal index.

use std::sync::Weak;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wolfpath_core::memory;
use wolfpath_core::program::Datum;

use super::shelf::Shelf;
use super::tasks::{Blocks, for_each_task};
use crate::start::zero;

/// Number of words of the bitmap that a task writes, with the values of 64 times as many vertices.
const WORDS: usize = 256;

/// An optional value per vertex: the values, and a bitmap of the vertices that have one.
#[derive(Debug)]
pub(crate) struct Values<V: Datum> {
    pub(crate) values: Vec<V>,
    pub(crate) present: Vec<u64>,
    /// Number that no other values have.
    pub(crate) number: u64,
    /// The shelf to which the values return when they are dropped, if it still exists then.
    pub(crate) shelf: Weak<Shelf>,
}

impl<V: Datum> Drop for Values<V> {
    fn drop(&mut self) {
        if let Some(shelf) = self.shelf.upgrade() {
            shelf.give(std::mem::take(&mut self.values));
        }
    }
}

/// Returns a vector of zeros, in huge pages if it is large.
pub(crate) fn zeros<V: Datum>(length: usize) -> Vec<V> {
    let zeros = vec![zero(); length];
    memory::advise_huge_pages(&zeros);
    zeros
}

impl<V: Datum> Values<V> {
    pub(crate) fn new(values: Vec<V>, present: Vec<u64>, shelf: Weak<Shelf>) -> Values<V> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Values { values, present, number: NEXT.fetch_add(1, Relaxed), shelf }
    }

    /// Collects the results of `value` for every vertex.
    pub(crate) fn collect(vertices: u32, value: impl Fn(u32) -> Option<V> + Sync) -> Values<V> {
        let mut values = zeros(vertices as usize);
        let mut present = vec![0u64; vertices.div_ceil(64) as usize];
        let (pieces, marks) = (Blocks::new(&mut values, 64 * WORDS), Blocks::new(&mut present, WORDS));
        for_each_task(pieces.len(), &|task| {
            let (mut piece, mut marks) = (pieces.take(task), marks.take(task));
            for ((word, values), marks) in (task * WORDS..).zip(piece.chunks_mut(64)).zip(marks.iter_mut()) {
                for (bit, held) in values.iter_mut().enumerate() {
                    let found = value((64 * word + bit) as u32);
                    *marks |= u64::from(found.is_some()) << bit;
                    *held = found.unwrap_or(*held);
                }
            }
        });
        drop((pieces, marks));
        Values::new(values, present, Weak::new())
    }

    pub(crate) fn get(&self, v: u32) -> Option<V> {
        let is_present = self.present[v as usize / 64] >> (v % 64) & 1 != 0;
        // Reading the value of a vertex that has none costs less than a branch that cannot be predicted.
        is_present.then_some(self.values[v as usize])
    }
}

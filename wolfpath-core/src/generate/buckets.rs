//! Computes items and distributes them to buckets in parallel. Each item is computed from its number, twice: once to
//! count the items of each bucket, and once to store the item at its position. No unsorted list of items is stored,
//! which saves memory.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::GenerateError;
use crate::memory;
use crate::progress::Progress;

/// Number of items between two progress reports.
pub(super) const REPORTED: usize = 1 << 16;

/// Number of pieces per thread into which the items are divided. There are several, so that one slow thread does not
/// delay the others.
const PIECES_A_THREAD: usize = 4;

/// Items, sorted by bucket. Within a bucket, they are in the order of their numbers.
pub(super) struct Buckets<T> {
    items: Vec<T>,
    lens: Vec<usize>,
}

impl<T: Copy + Zeroable + Send + Sync> Buckets<T> {
    /// Computes the items for all numbers below `len`, and stores them in buckets. `item` returns an item and its
    /// bucket, or `None`.
    pub(super) fn fill(
        len: usize,
        buckets: usize,
        item: impl Fn(usize) -> Option<(usize, T)> + Sync,
        progress: &Progress,
    ) -> Result<Buckets<T>, GenerateError> {
        // Allocates the memory for all items once and frees it, so that too little memory is detected before the items
        // are counted, which may take a long time.
        drop(zeroed::<T>(len)?);
        let pieces = pieces(len);
        let counts: Vec<Vec<usize>> = pieces
            .par_iter()
            .map(|piece| {
                let mut counts = vec![0; buckets];
                by_blocks(piece.clone(), &item, |(bucket, _)| counts[bucket] += 1);
                counts
            })
            .collect();
        let lens: Vec<usize> =
            (0..buckets).map(|bucket| counts.iter().map(|counts| counts[bucket]).sum()).collect();
        let mut items = zeroed(lens.iter().sum())?;
        let places = places(&mut items, &counts);
        pieces.into_par_iter().zip(places).for_each(|(piece, mut places)| {
            for start in piece.clone().step_by(REPORTED) {
                let some = start..piece.end.min(start + REPORTED);
                by_blocks(some.clone(), &item, |(bucket, item)| {
                    // There is a slot for each item, because both passes compute the same items.
                    if let Some(place) = places[bucket].next() {
                        *place = item;
                    }
                });
                progress.advance(some.len() as u64);
            }
        });
        Ok(Buckets { items, lens })
    }

    /// Returns all items, bucket after bucket.
    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Returns the items of each bucket.
    pub(super) fn each_mut(&mut self) -> Vec<&mut [T]> {
        split(&mut self.items, self.lens.iter().copied())
    }
}

/// Visits the items of these numbers in blocks: computes all items of a block, then visits them. Alternative: computing
/// and storing random edges one at a time took five times as long.
fn by_blocks<T>(
    numbers: std::ops::Range<usize>,
    item: impl Fn(usize) -> Option<(usize, T)>,
    mut visit: impl FnMut((usize, T)),
) {
    const BLOCK: usize = 512;
    let mut block = Vec::with_capacity(BLOCK);
    for start in numbers.clone().step_by(BLOCK) {
        block.extend((start..numbers.end.min(start + BLOCK)).filter_map(&item));
        block.drain(..).for_each(&mut visit);
    }
}

/// Returns the numbers below `len` in consecutive pieces.
fn pieces(len: usize) -> Vec<std::ops::Range<usize>> {
    let each = len.div_ceil(PIECES_A_THREAD * rayon::current_num_threads()).max(1);
    (0..len).step_by(each).map(|start| start..len.min(start + each)).collect()
}

/// Returns, for each piece, iterators over the slots that it fills in every bucket. In each bucket, the slots of
/// earlier pieces come first.
fn places<'a, T>(items: &'a mut [T], counts: &[Vec<usize>]) -> Vec<Vec<std::slice::IterMut<'a, T>>> {
    let buckets = counts.first().map_or(0, Vec::len);
    let lens = (0..buckets).flat_map(|bucket| counts.iter().map(move |counts| counts[bucket]));
    let mut places: Vec<Vec<_>> = counts.iter().map(|_| Vec::with_capacity(buckets)).collect();
    for (number, slice) in split(items, lens).into_iter().enumerate() {
        places[number % counts.len()].push(slice.iter_mut());
    }
    places
}

/// Splits `items` into consecutive slices of these lengths.
pub(super) fn split<T>(mut items: &mut [T], lens: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lens.map(|len| {
        let (slice, rest) = std::mem::take(&mut items).split_at_mut(len);
        items = rest;
        slice
    })
    .collect()
}

/// Returns a vector of zeros, or an error if there is not enough memory. The system allocates pages on first access, so
/// the threads that fill the vector also share the cost of allocating it.
pub(super) fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, GenerateError> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    memory::try_zeroed(len).ok_or(GenerateError::Memory { items: len as u64, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_their_items_in_order() {
        let item = |number: usize| (number % 5 != 3).then_some((number % 7, number as u32));
        let mut buckets = Buckets::fill(10_000, 7, item, &Progress::NONE).unwrap();
        for (bucket, items) in buckets.each_mut().into_iter().enumerate() {
            let expected = (0..10_000).filter(|number| number % 5 != 3 && number % 7 == bucket as u32);
            assert!(expected.eq(items.iter().copied()));
        }
    }

    #[test]
    fn nothing_and_too_much() {
        let nothing = |_| -> Option<(usize, u32)> { None };
        assert_eq!(Buckets::fill(0, 3, nothing, &Progress::NONE).unwrap().each_mut().concat(), []);
        assert_eq!(Buckets::fill(9, 1, nothing, &Progress::NONE).unwrap().each_mut().concat(), []);
        let refused = zeroed::<u64>(1 << 58);
        assert_eq!(refused, Err(GenerateError::Memory { items: 1 << 58, bytes: 1 << 61 }));
    }
}

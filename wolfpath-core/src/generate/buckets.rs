//! Items into buckets, in parallel, in one pass over memory: an item is a function of its number, so it is made twice,
//! first to be counted and then to be put in its place, and no list of items in the wrong order ever exists.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::GenerateError;
use crate::memory;
use crate::progress::Progress;

/// How many items are handled between two reports of progress.
pub(super) const REPORTED: usize = 1 << 16;

/// Pieces a thread when items are shared out: enough for a slow one not to be waited for.
const PIECES_A_THREAD: usize = 4;

/// Items bucket after bucket; those of a bucket in the order of their numbers.
pub(super) struct Buckets<T> {
    items: Vec<T>,
    lens: Vec<usize>,
}

impl<T: Copy + Zeroable + Send + Sync> Buckets<T> {
    /// Puts the items of the numbers below `len` into buckets. `item` gives the bucket as well, or nothing.
    pub(super) fn fill(
        len: usize,
        buckets: usize,
        item: impl Fn(usize) -> Option<(usize, T)> + Sync,
        progress: &Progress,
    ) -> Result<Buckets<T>, GenerateError> {
        // Whether there is room for all of them is asked before they are counted, which may take long.
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
                    // There is a place for each, because both passes see the same items.
                    if let Some(place) = places[bucket].next() {
                        *place = item;
                    }
                });
                progress.advance(some.len() as u64);
            }
        });
        Ok(Buckets { items, lens })
    }

    /// All items, bucket after bucket.
    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }

    /// The items of every bucket.
    pub(super) fn each_mut(&mut self) -> Vec<&mut [T]> {
        split(&mut self.items, self.lens.iter().copied())
    }
}

/// Visits the items of these numbers: makes a block of them, then visits that. Made and put in its place one by one,
/// random edges took five times as long.
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

/// The numbers below `len` in consecutive pieces.
fn pieces(len: usize) -> Vec<std::ops::Range<usize>> {
    let each = len.div_ceil(PIECES_A_THREAD * rayon::current_num_threads()).max(1);
    (0..len).step_by(each).map(|start| start..len.min(start + each)).collect()
}

/// For each piece its places in every bucket; those of earlier pieces come first in each.
fn places<'a, T>(items: &'a mut [T], counts: &[Vec<usize>]) -> Vec<Vec<std::slice::IterMut<'a, T>>> {
    let buckets = counts.first().map_or(0, Vec::len);
    let lens = (0..buckets).flat_map(|bucket| counts.iter().map(move |counts| counts[bucket]));
    let mut places: Vec<Vec<_>> = counts.iter().map(|_| Vec::with_capacity(buckets)).collect();
    for (number, slice) in split(items, lens).into_iter().enumerate() {
        places[number % counts.len()].push(slice.iter_mut());
    }
    places
}

/// Consecutive slices of these lengths.
pub(super) fn split<T>(mut items: &mut [T], lens: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lens.map(|len| {
        let (slice, rest) = std::mem::take(&mut items).split_at_mut(len);
        items = rest;
        slice
    })
    .collect()
}

/// A vector of zeros, or an error where memory has no room for it. Untouched, it costs nothing: the threads that fill
/// it also share the work of getting its pages.
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

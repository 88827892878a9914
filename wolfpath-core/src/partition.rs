//! Partitioning of records into buckets by key, on all threads. The partition is stable: records in a bucket keep their
//! order. Partitioning is the first half of a counting sort. The second half sorts each bucket, which fits in a core's
//! cache.
//!
//! Each record is visited twice: once to be counted, once to be stored at its position. The input is divided into
//! pieces, and each piece has its own slots in every bucket. The order within a bucket is therefore that of the input,
//! for any number of threads.

use crate::space::{Array, Space, SpaceError};
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;

/// Approximate number of records per bucket: few enough to stay in a cache while they are sorted.
const BUCKET: usize = 1 << 16;
/// Maximum number of buckets, all of which are written to at the same time. It is limited because each bucket is in a
/// different memory page.
const MOST_BUCKETS: usize = 1 << 9;
/// Maximum number of keys per bucket: a key is stored in 16 bits, relative to the first key of its bucket.
const MOST_KEYS: u32 = 1 << 16;

/// A source of records. Visiting the same items twice must yield the same records.
pub(crate) trait Records: Sync {
    /// The data of a record, without its key.
    type Value: Copy + Zeroable + Send + Sync;

    /// Returns the number of items. An item may yield any number of records.
    fn len(&self) -> usize;

    /// Calls `put` with the records of some items, in order.
    fn visit(&self, items: Range<usize>, put: impl FnMut(u32, Self::Value));
}

/// Records in buckets. Each bucket covers a range of keys.
pub(crate) struct Partition<V> {
    /// Base-2 logarithm of the number of keys per bucket.
    shift: u32,
    keys: u32,
    /// Start of each bucket in `lows` and `values`, followed by the number of records.
    starts: Vec<usize>,
    /// Each record's key minus the first key of its bucket.
    lows: Array<u16>,
    values: Array<V>,
}

/// One bucket.
#[derive(Clone, Copy)]
pub(crate) struct Bucket<'a, V> {
    /// Number of keys in its range.
    pub(crate) keys: u32,
    /// Each record's key minus the bucket's first key.
    pub(crate) lows: &'a [u16],
    pub(crate) values: &'a [V],
}

/// Returns the memory that a partition takes per record, in bytes.
pub(crate) const fn bytes_a_record<V>() -> usize {
    size_of::<u16>() + size_of::<V>()
}

impl<V: Copy + Zeroable + Send + Sync> Partition<V> {
    /// Partitions records whose keys are below `keys`, into arrays in `space`.
    ///
    /// # Panics
    /// Panics if a key is `keys` or more, or if a second visit of `records` yields different records.
    pub(crate) fn of<R: Records<Value = V>>(
        records: &R,
        keys: u32,
        space: &Space,
    ) -> Result<Partition<V>, SpaceError> {
        let shift = shift_for(records.len(), keys);
        let buckets = keys.div_ceil(1 << shift) as usize;
        let pieces = pieces(records.len());
        let counts: Vec<Vec<usize>> = pieces
            .par_iter()
            .map(|items| {
                let mut counts = vec![0; buckets];
                records.visit(items.clone(), |key, _| counts[(key >> shift) as usize] += 1);
                counts
            })
            .collect();
        let mut starts = Vec::with_capacity(buckets + 1);
        starts.push(0);
        for bucket in 0..buckets {
            let size: usize = counts.iter().map(|counts| counts[bucket]).sum();
            starts.push(starts[bucket] + size);
        }
        let total = starts[buckets];
        let mut lows: Array<u16> = space.zeroed(total)?;
        let mut values: Array<V> = space.zeroed(total)?;
        let low_places = places(&counts, buckets, &mut lows);
        let value_places = places(&counts, buckets, &mut values);
        let places = low_places.into_par_iter().zip(value_places);
        pieces.into_par_iter().zip(places).for_each(|(items, (mut lows, mut values))| {
            records.visit(items, |key, value| {
                let bucket = (key >> shift) as usize;
                let (Some(low), Some(place)) = (lows[bucket].next(), values[bucket].next()) else {
                    panic!(
                        "the second visit yielded more records with keys of bucket {bucket} than the first"
                    );
                };
                *low = (key & ((1 << shift) - 1)) as u16;
                *place = value;
            });
            let left = lows.iter().position(|places| places.len() > 0);
            assert_eq!(
                left, None,
                "a bucket for which the second visit yielded fewer records than the first"
            );
        });
        Ok(Partition { shift, keys, starts, lows, values })
    }

    /// Returns the number of buckets.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the start of each bucket among the records, then the number of records.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Returns the first key of a bucket.
    pub(crate) fn first_key(&self, bucket: usize) -> u32 {
        (bucket as u32) << self.shift
    }

    pub(crate) fn bucket(&self, bucket: usize) -> Bucket<'_, V> {
        let range = self.starts[bucket]..self.starts[bucket + 1];
        let keys = (self.keys - self.first_key(bucket)).min(1 << self.shift);
        Bucket { keys, lows: &self.lows[range.clone()], values: &self.values[range] }
    }

    /// Calls `map` for every bucket, on all threads. The results are in order.
    pub(crate) fn par_map<T: Send>(&self, map: impl Fn(usize, Bucket<'_, V>) -> T + Sync) -> Vec<T> {
        (0..self.len()).into_par_iter().map(|bucket| map(bucket, self.bucket(bucket))).collect()
    }
}

/// Returns the base-2 logarithm of the number of keys per bucket.
fn shift_for(records: usize, keys: u32) -> u32 {
    let buckets = (records / BUCKET).clamp(1, MOST_BUCKETS) as u32;
    let keys_each = keys.div_ceil(buckets).clamp(1, MOST_KEYS);
    keys_each.next_power_of_two().trailing_zeros()
}

/// Divides the items into ranges that threads share.
fn pieces(items: usize) -> Vec<Range<usize>> {
    let pieces = (4 * rayon::current_num_threads()).min(items.div_ceil(1 << 12)).max(1);
    let begin = |piece: usize| (items as u128 * piece as u128 / pieces as u128) as usize;
    (0..pieces).map(|piece| begin(piece)..begin(piece + 1)).collect()
}

/// Returns the slots of each piece in every bucket.
fn places<'a, T>(
    counts: &[Vec<usize>],
    buckets: usize,
    mut items: &'a mut [T],
) -> Vec<Vec<std::slice::IterMut<'a, T>>> {
    let mut places: Vec<Vec<_>> = counts.iter().map(|_| Vec::with_capacity(buckets)).collect();
    for bucket in 0..buckets {
        for (places, counts) in places.iter_mut().zip(counts) {
            let (own, others) = items.split_at_mut(counts[bucket]);
            items = others;
            places.push(own.iter_mut());
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbers(Vec<u32>);

    impl Records for Numbers {
        type Value = u32;
        fn len(&self) -> usize {
            self.0.len()
        }
        fn visit(&self, items: Range<usize>, mut put: impl FnMut(u32, u32)) {
            for item in items {
                // Items with odd indices yield two records, the others one.
                (0..=item % 2).for_each(|_| put(self.0[item], item as u32));
            }
        }
    }

    fn sorted_by_parting(numbers: &Numbers, keys: u32) -> Vec<(u32, u32)> {
        let partition = Partition::of(numbers, keys, &Space::Memory).unwrap();
        let records = partition.par_map(|bucket, records| {
            let first = partition.first_key(bucket);
            let pairs = records.lows.iter().zip(records.values);
            let mut pairs: Vec<_> = pairs.map(|(&low, &value)| (first + u32::from(low), value)).collect();
            assert!(records.lows.iter().all(|&low| u32::from(low) < records.keys));
            pairs.sort_by_key(|pair| pair.0);
            pairs
        });
        records.concat()
    }

    #[test]
    fn more_records_than_32_bits_count() {
        for records in [1usize << 32, (1 << 33) + 12_345, 1 << 40] {
            let pieces = pieces(records);
            assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!((pieces[0].start, pieces[pieces.len() - 1].end), (0, records));
            for keys in [1, 1000, 1 << 24, u32::MAX] {
                let shift = shift_for(records, keys);
                assert!(1u32 << shift <= MOST_KEYS, "{records} {keys}");
                // The first key of the last bucket fits in 32 bits.
                assert!(u64::from(keys.div_ceil(1 << shift) - 1) << shift < u64::from(keys));
            }
        }
    }

    #[test]
    fn order_is_kept_and_nothing_is_lost() {
        for (len, keys) in [(0, 1), (1, 1), (1000, 7), (300_000, 5), (300_000, 1 << 20), (200_000, 70_000)] {
            let numbers = Numbers((0..len).map(|n: u32| n.wrapping_mul(2_654_435_761) % keys).collect());
            let mut expected = Vec::new();
            numbers.visit(0..numbers.len(), |key, value| expected.push((key, value)));
            expected.sort_by_key(|pair| pair.0);
            assert_eq!(sorted_by_parting(&numbers, keys), expected);
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            assert_eq!(alone.install(|| sorted_by_parting(&numbers, keys)), expected);
        }
    }
}

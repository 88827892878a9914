//! The first pass over a section, which verifies its checksum and its structure together.
//!
//! A section is read in pieces of 1 MiB on all threads. A piece is hashed and then, while its bytes are in cache, its
//! numbers are checked, so that memory is read only once. The checks have no branch per element, and therefore only
//! determine whether there is a fault, not where. If there is one, the caller searches for it with a slower check.

use std::ops::Range;

use bytemuck::Pod;
#[cfg(target_os = "linux")]
use memmap2::Advice;
use rayon::prelude::*;

use super::column::Column;
use super::container::{PIECE, Section, checksum_of, piece_checksum};
use super::error::StoreError;

impl Section {
    /// Verifies the checksum, and calls `is_right` with the positions of each piece's elements of `size` bytes. Returns
    /// `true` if all calls returned `true`. If the checksum is wrong, returns an error regardless of the results of the
    /// calls, because a wrong checksum explains wrong elements.
    pub(super) fn pass(
        &self,
        size: usize,
        is_right: impl Fn(Range<usize>) -> bool + Sync,
    ) -> Result<bool, StoreError> {
        let bytes = &self.mapping.bytes[self.offset as usize..self.end() as usize];
        let elements = self.length as usize / size;
        let pieces: Vec<(u64, bool)> = bytes
            .par_chunks(PIECE)
            .enumerate()
            .map(|(index, piece)| {
                self.populate(index * PIECE, piece.len());
                let begin = index * (PIECE / size);
                let end = (begin + piece.len() / size).min(elements);
                (piece_checksum(piece), begin >= end || is_right(begin..end))
            })
            .collect();
        let (hashes, right): (Vec<u64>, Vec<bool>) = pieces.into_iter().unzip();
        let found = checksum_of(&hashes);
        if found != self.checksum {
            return Err(self.wrong_checksum(found));
        }
        Ok(right.into_iter().all(|right| right))
    }

    /// Maps all pages of a piece in one system call, instead of page by page on first access.
    fn populate(&self, at: usize, length: usize) {
        // Linux kernels without this advice map pages on first access, which is slower but gives the same result.
        #[cfg(target_os = "linux")]
        let _ = self.mapping.bytes.advise_range(Advice::PopulateRead, self.offset as usize + at, length);
        // Other systems have no such advice.
        #[cfg(not(target_os = "linux"))]
        let _ = (at, length);
    }

    fn wrong_checksum(&self, found: u64) -> StoreError {
        let (name, end) = (self.name(), self.end());
        StoreError::broken(
            &self.mapping.path,
            self.offset,
            format!("section \"{name}\" (up to byte {end}) has checksum {found:016x}"),
            format!("{:016x}", self.checksum),
        )
    }
}

impl<T: Pod + Sync> Column<T> {
    /// Checks a column like [`Section::pass`]. A column in memory has no checksum.
    pub(super) fn pass(&self, is_right: impl Fn(Range<usize>) -> bool + Sync) -> Result<bool, StoreError> {
        match self {
            Column::Mapped(mapped) => mapped.section.pass(size_of::<T>(), is_right),
            Column::Owned(values) => {
                let (step, length) = (PIECE / size_of::<T>(), values.len());
                let pieces = (0..length.div_ceil(step)).into_par_iter();
                Ok(pieces.all(|piece| is_right(piece * step..((piece + 1) * step).min(length))))
            }
        }
    }
}

/// Returns the elements at these positions and the element before them, if any.
pub(super) fn with_one_before<T: Pod>(values: &[T], places: Range<usize>) -> &[T] {
    &values[places.start.saturating_sub(1)..places.end]
}

/// Returns `true` if the numbers ascend and all are below 2^63.
pub(super) fn ascends(values: &[u64]) -> bool {
    // If two numbers are below 2^63, the highest bit of their difference is set if and only if the difference is
    // negative. Any number of 2^63 or more has that bit set itself.
    let first = values.first().copied().unwrap_or(0);
    let wrong = values.windows(2).fold(first, |wrong, pair| wrong | pair[1].wrapping_sub(pair[0]) | pair[1]);
    wrong >> 63 == 0
}

/// Returns `true` if each number is larger than the one before.
pub(super) fn ascends_strictly(values: &[u64]) -> bool {
    let Some(later) = values.get(1..) else {
        return true;
    };
    // The highest bit of each term is the borrow of a - b, which is set if and only if a < b. It is computed without a
    // comparison of 64-bit numbers.
    let pairs = values.iter().zip(later);
    let right = pairs.fold(u64::MAX, |right, (&a, &b)| right & ((!a & b) | (!(a ^ b) & a.wrapping_sub(b))));
    right >> 63 == 1
}

/// Rows, and the groups of vertices (layers) that bound the rows' ends, which are the vertices that the edges lead to.
#[derive(Clone, Copy)]
pub(super) struct BoundedRows<'a> {
    pub(super) offsets: &'a [u64],
    pub(super) ends: &'a [u32],
    /// The first vertex of each group, then the number of vertices. An end in a row of group *i* must be smaller than
    /// the first vertex of group *i+2*.
    pub(super) groups: &'a [u32],
}

impl BoundedRows<'_> {
    /// Returns the exclusive upper bound of all ends in rows of a group.
    pub(super) fn limit(&self, group: usize) -> u32 {
        self.groups[(group + 2).min(self.groups.len() - 1)]
    }

    /// Returns `true` if the ends at these positions ascend in each row and are below the limits. The offsets must be
    /// valid.
    ///
    /// A descent is an end that is smaller than the end before it. One loop counts all descents, ignoring row
    /// boundaries. A second loop counts the descents at row boundaries, that is, between the last end of a row and the
    /// first end of the next. The ends ascend in each row if and only if the two numbers are equal.
    pub(super) fn are_right(&self, places: Range<usize>) -> bool {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the line above checked that the processor has AVX2.
            return unsafe { self.are_right_by_eights(places) };
        }
        self.look(places)
    }

    /// Checks the same as [`are_right`](Self::are_right), with 256-bit registers, which most processors since 2013
    /// have. This is twice as fast.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn are_right_by_eights(&self, places: Range<usize>) -> bool {
        self.look(places)
    }

    #[inline(always)]
    fn look(&self, places: Range<usize>) -> bool {
        let (begin, end) = (places.start as u64, places.end as u64);
        let row = self.offsets.partition_point(|&offset| offset <= begin) - 1;
        let mut group = self.groups.partition_point(|&first| first as usize <= row) - 1;
        let (mut at, mut descents) = (begin, 0);
        while at < end {
            let until = self.offsets[self.groups[group + 1] as usize].min(end);
            if at < until {
                let (more, max) = self.descents_and_max(at as usize, until as usize);
                if max >= self.limit(group) {
                    return false;
                }
                descents += more;
            }
            (at, group) = (until, group + 1);
        }
        descents == self.descents_between_rows(begin, end)
    }

    /// Returns the number of descents among the ends in this range, and the largest end. The range must not be empty.
    #[inline(always)]
    fn descents_and_max(&self, begin: usize, end: usize) -> (u64, u32) {
        // The very first end has no predecessor, so it is compared with itself.
        let mut max = self.ends[begin];
        let mut descents = u32::from(self.ends[begin.saturating_sub(1)] > max);
        // A 32-bit count is large enough for a piece, and more such counts fit in a vector register than 64-bit counts.
        for (&before, &value) in self.ends[begin..end - 1].iter().zip(&self.ends[begin + 1..end]) {
            descents += u32::from(before > value);
            max = max.max(value);
        }
        (descents.into(), max)
    }

    /// Returns the number of descents at the boundaries of the rows that start in this range.
    #[inline(always)]
    fn descents_between_rows(&self, begin: u64, end: u64) -> u64 {
        let first = self.offsets.partition_point(|&offset| offset < begin);
        let after = self.offsets.partition_point(|&offset| offset < end);
        let (mut descents, mut offset) = (0, self.offsets[first]);
        for &next in &self.offsets[first + 1..=after] {
            // The very first row has no predecessor, so its first end is compared with itself.
            let at = offset as usize;
            let descends = self.ends[at.saturating_sub(1)] > self.ends[at];
            // If several rows start at the same position, only the last has edges.
            descents += u64::from((offset != next) & descends);
            offset = next;
        }
        descents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    const EDGES: [u64; 8] = [0, 1, 2, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX];

    #[test]
    fn order_without_comparisons() {
        for a in EDGES {
            for b in EDGES {
                assert_eq!(ascends_strictly(&[a, b]), a < b, "{a} {b}");
                let small = a >> 63 == 0 && b >> 63 == 0;
                assert_eq!(ascends(&[a, b]), small && a <= b, "{a} {b}");
            }
        }
        assert!(ascends_strictly(&[]) && ascends_strictly(&[7]) && ascends(&[]) && ascends(&[7]));
        assert!(!ascends_strictly(&[1, 2, 2, 3]) && !ascends(&[1, 3, 2, 4]));
    }

    /// Checks rows of random small graphs, valid or invalid, in pieces of every size. The result must equal that of a
    /// simple loop.
    #[test]
    fn rows_looked_at_in_pieces() {
        for seed in 0..3000u64 {
            let draw = |counter, bound| random::below(bound, random::hash(seed, counter));
            let vertices = 1 + draw(0, 6);
            let mut groups: Vec<u32> = (1..vertices).filter(|&v| draw(v.into(), 2) == 0).collect();
            groups.insert(0, 0);
            groups.push(vertices);
            let mut offsets = vec![0];
            let mut ends = Vec::new();
            for v in 0..vertices {
                let mut row: Vec<u32> = (0..draw(100 + u64::from(v), 4))
                    .map(|e| draw(u64::from(200 + 10 * v + e), vertices))
                    .collect();
                if draw(300 + u64::from(v), 8) > 0 {
                    row.sort_unstable();
                }
                ends.extend(row);
                offsets.push(ends.len() as u64);
            }
            let rows = BoundedRows { offsets: &offsets, ends: &ends, groups: &groups };
            let row = |v: u32| &ends[offsets[v as usize] as usize..offsets[v as usize + 1] as usize];
            let expected = (0..groups.len() - 1).all(|group| {
                (groups[group]..groups[group + 1])
                    .all(|v| row(v).is_sorted() && row(v).iter().all(|&end| end < rows.limit(group)))
            });
            for size in 1..=ends.len() {
                let mut pieces = (0..ends.len()).step_by(size);
                let found = pieces.all(|begin| rows.look(begin..(begin + size).min(ends.len())));
                assert_eq!(found, expected, "seed {seed}, pieces of {size}");
            }
        }
    }
}

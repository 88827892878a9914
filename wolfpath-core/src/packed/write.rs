//! Writes one band, or compares it. Sizes are known before, so several threads process the parts of a long row.

use rayon::prelude::*;

use super::layout::{BLOCK, Layout, POSITION, SEGMENT, SHARED, width, words};
use super::target::Target;

impl Layout<'_> {
    /// Writes a band, which starts at byte `start`, to a target of the band's size. Calls `place` with the start of
    /// every row, relative to the band. Returns `true` if the target is right.
    pub(super) fn write_band<T: Target>(
        &self,
        band: usize,
        start: u64,
        mut target: T,
        place: impl FnMut(u32, u16),
    ) -> bool {
        let is_long = |vertex: &u32| self.rows.degree(*vertex) > SEGMENT as u64;
        let long: Vec<&[u32]> =
            self.vertices(band).filter(is_long).map(|vertex| self.rows.row(vertex)).collect();
        if long.is_empty() {
            self.write_places(band, [].into_iter(), &mut target, place);
            return target.is_right();
        }
        let sizes: Vec<Vec<u32>> = long.iter().map(|row| self.segment_sizes(row)).collect();
        let places = self.places(band);
        let (mut own, mut rest) = target.split(words(places));
        let mut at = start + places;
        let mut positions = Vec::with_capacity(long.len());
        let mut right = true;
        for (row, sizes) in long.into_iter().zip(&sizes) {
            let size = long_size(sizes);
            let (own, after) = rest.split(words(size));
            right &= self.write_long(row, sizes, at, own);
            positions.push(at);
            (at, rest) = (at + size, after);
        }
        self.write_places(band, positions.into_iter(), &mut own, place);
        right & own.is_right() & rest.is_right()
    }

    /// Writes the places of all rows in a band. `positions` has the positions of the long rows' indices.
    fn write_places<T: Target>(
        &self,
        band: usize,
        mut positions: impl Iterator<Item = u64>,
        target: &mut T,
        mut place: impl FnMut(u32, u16),
    ) {
        for vertex in self.vertices(band) {
            let row = self.rows.row(vertex);
            if row.len() > SEGMENT {
                target.align(u64::BITS);
            }
            place(vertex, (target.len() / 8) as u16);
            if row.len() > SEGMENT {
                target.put_position(positions.next().unwrap_or(0));
            } else {
                self.write_segment(row, target);
            }
        }
        target.align(u64::BITS);
    }

    /// Writes the index and the segments of a long row, starting at byte `at`. The sizes of the segments are given in
    /// words.
    fn write_long<T: Target>(&self, row: &[u32], sizes: &[u32], at: u64, target: T) -> bool {
        let index_bytes = sizes.len() as u64 * POSITION;
        let (mut index, rest) = target.split(words(index_bytes));
        let mut next = at + index_bytes;
        for &size in sizes {
            index.put_position(next);
            next += u64::from(size) * size_of::<u32>() as u64;
        }
        let (segments, mut padding) = rest.split(total(sizes));
        padding.put(0, u32::BITS * (total(sizes) % 2) as u32);
        index.is_right() & padding.is_right() & self.write_segments(row, sizes, segments)
    }

    /// Writes consecutive segments of a long row, whose sizes in words are given.
    fn write_segments<T: Target>(&self, row: &[u32], sizes: &[u32], mut target: T) -> bool {
        if row.len() > SHARED {
            let half = sizes.len() / 2;
            let (first, second) = row.split_at(half * SEGMENT);
            let (before, after) = target.split(total(&sizes[..half]));
            let (before, after) = rayon::join(
                || self.write_segments(first, &sizes[..half], before),
                || self.write_segments(second, &sizes[half..], after),
            );
            return before & after;
        }
        for segment in row.chunks(SEGMENT) {
            self.write_segment(segment, &mut target);
            target.align(u32::BITS);
        }
        target.is_right()
    }

    /// Writes the widths of a segment's blocks, and then the blocks.
    fn write_segment<T: Target>(&self, segment: &[u32], target: &mut T) {
        let mut widths = [0; SEGMENT / BLOCK];
        for (width, block) in widths.iter_mut().zip(segment.chunks(BLOCK)) {
            *width = self::width(block);
            target.put(*width, u8::BITS);
        }
        for (block, width) in segment.chunks(BLOCK).zip(widths) {
            target.put(block[0], self.first_bits);
            target.put_differences(block, width);
        }
        target.align(u8::BITS);
    }

    /// Returns the sizes of a long row's segments, in words.
    fn segment_sizes(&self, row: &[u32]) -> Vec<u32> {
        if row.len() < SHARED {
            return row.chunks(SEGMENT).map(|segment| self.segment_words(segment)).collect();
        }
        let segments = row.par_chunks(SEGMENT).with_min_len(SHARED / SEGMENT);
        segments.map(|segment| self.segment_words(segment)).collect()
    }
}

fn total(sizes: &[u32]) -> usize {
    sizes.iter().map(|&size| size as usize).sum()
}

/// Returns the size in bytes of a long row outside its place: its index and its segments.
fn long_size(sizes: &[u32]) -> u64 {
    let segments = (total(sizes) * size_of::<u32>()) as u64;
    sizes.len() as u64 * POSITION + segments.next_multiple_of(POSITION)
}

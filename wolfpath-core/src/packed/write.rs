//! Writes one band. The size of everything is known before, so that several threads write the parts of a long row.

use rayon::prelude::*;

use super::layout::{BLOCK, Layout, POSITION, SEGMENT, SHARED, width};
use super::target::{Bits, Target};

/// Returns the number of words in this number of bytes.
fn words(bytes: u64) -> usize {
    bytes as usize / size_of::<u32>()
}

impl Layout<'_> {
    /// Writes a band, which starts at byte `start`, to a target of the band's size. Returns `true` if the target is
    /// right.
    pub(super) fn write_band<T: Target>(&self, band: usize, start: u64, target: T) -> bool {
        let is_long = |vertex: &u32| self.rows.degree(*vertex) > SEGMENT as u64;
        let long: Vec<&[u32]> =
            self.vertices(band).filter(is_long).map(|vertex| self.rows.row(vertex)).collect();
        if long.is_empty() {
            return self.write_places(band, start, &[], target);
        }
        let sizes: Vec<u64> = long.iter().map(|row| self.long_row(row)).collect();
        let places = self.band(band, |_, _| ()).places;
        let (own, mut rest) = target.split(words(places));
        let mut at = start + places;
        let mut right = self.write_places(band, at, &sizes, own);
        for (row, size) in long.into_iter().zip(sizes) {
            let (own, after) = rest.split(words(size));
            right &= self.write_long(row, at, own);
            (at, rest) = (at + size, after);
        }
        right
    }

    /// Writes the places of all rows in a band. The index of the first long row is at byte `at`, and `sizes` has the
    /// sizes of the long rows.
    fn write_places<T: Target>(&self, band: usize, mut at: u64, sizes: &[u64], mut target: T) -> bool {
        let mut bits = Bits::to(&mut target);
        let mut sizes = sizes.iter();
        for vertex in self.vertices(band) {
            let row = self.rows.row(vertex);
            if row.len() > SEGMENT {
                bits.put_position(at);
                at += sizes.next().copied().unwrap_or(0);
            } else {
                self.write_segment(row, &mut bits);
            }
        }
        bits.align_position();
        target.is_right()
    }

    /// Writes the index and the segments of a long row, starting at byte `at`.
    fn write_long<T: Target>(&self, row: &[u32], at: u64, target: T) -> bool {
        let segments = row.par_chunks(SEGMENT).with_min_len(SHARED / SEGMENT);
        let sizes: Vec<u32> = segments.map(|segment| self.segment_words(segment)).collect();
        let all: usize = sizes.iter().map(|&size| size as usize).sum();
        let (mut index, segments) = target.split(words(sizes.len() as u64 * POSITION));
        let (segments, mut padding) = segments.split(all);
        let mut bits = Bits::to(&mut index);
        let mut next = at + sizes.len() as u64 * POSITION;
        for &size in &sizes {
            bits.put_position(next);
            next += u64::from(size) * size_of::<u32>() as u64;
        }
        if all % 2 == 1 {
            padding.put(0);
        }
        index.is_right() & padding.is_right() & self.write_segments(row, &sizes, segments)
    }

    /// Writes consecutive segments of a long row, whose sizes in words are given.
    fn write_segments<T: Target>(&self, row: &[u32], sizes: &[u32], mut target: T) -> bool {
        if row.len() > SHARED {
            let half = sizes.len() / 2;
            let (first, second) = row.split_at(half * SEGMENT);
            let words = sizes[..half].iter().map(|&size| size as usize).sum();
            let (before, after) = target.split(words);
            let (before, after) = rayon::join(
                || self.write_segments(first, &sizes[..half], before),
                || self.write_segments(second, &sizes[half..], after),
            );
            return before & after;
        }
        let mut bits = Bits::to(&mut target);
        for segment in row.chunks(SEGMENT) {
            self.write_segment(segment, &mut bits);
            bits.align(u32::BITS);
        }
        target.is_right()
    }

    /// Writes the widths of a segment's blocks, and then the blocks.
    fn write_segment<T: Target>(&self, segment: &[u32], bits: &mut Bits<'_, T>) {
        let mut widths = [0; SEGMENT / BLOCK];
        for (width, block) in widths.iter_mut().zip(segment.chunks(BLOCK)) {
            *width = self::width(block);
            bits.put(*width, u8::BITS);
        }
        for (block, width) in segment.chunks(BLOCK).zip(widths) {
            bits.put(block[0], self.first_bits);
            for (before, after) in block.iter().zip(&block[1..]) {
                bits.put(after - before, width);
            }
        }
        bits.align(u8::BITS);
    }
}

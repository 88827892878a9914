//! Positions in packed rows: the sizes of blocks, segments and bands.

use std::ops::Range;

use rayon::prelude::*;

use crate::graph::Rows;

/// Maximum number of ends per block: one per lane of a warp.
pub(crate) const BLOCK: usize = 32;
/// Maximum number of ends per segment: the work of one item when a device gathers.
pub(crate) const SEGMENT: usize = 8 * BLOCK;
/// Number of rows per band. The positions of 64 rows fit in 16 bits, because no row takes more than 1032 bytes of its
/// band.
pub(crate) const BAND: usize = 64;
/// Number of zero words after the last band: a warp may read 32 words from the start of any block.
pub(crate) const TAIL: usize = 32;
/// Size in bytes of a position: the entry of a long row in its band, and each entry of its index.
pub(super) const POSITION: u64 = size_of::<u64>() as u64;
/// Number of ends of a long row from which several threads process it.
pub(super) const SHARED: usize = 1 << 15;

/// Returns the number of bits of the first end of each block: as many as the largest vertex needs.
pub(super) fn first_bits(vertices: u32) -> u32 {
    bits_of(vertices.saturating_sub(1))
}

fn bits_of(number: u32) -> u32 {
    u32::BITS - number.leading_zeros()
}

/// Returns the number of bits of each difference in a block.
#[inline]
pub(super) fn width(block: &[u32]) -> u32 {
    // The loop over a full block has a constant length, so it is unrolled.
    match <&[u32; BLOCK]>::try_from(block) {
        Ok(full) => bits_of((1..BLOCK).fold(0, |all, at| all | (full[at] - full[at - 1]))),
        Err(_) => bits_of((1..block.len()).fold(0, |all, at| all | (block[at] - block[at - 1]))),
    }
}

/// Returns the number of words in this number of bytes.
pub(super) fn words(bytes: u64) -> usize {
    (bytes / size_of::<u32>() as u64) as usize
}

/// Rows that are packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) first_bits: u32,
}

impl<'a> Layout<'a> {
    pub(super) fn of(rows: Rows<'a>) -> Layout<'a> {
        Layout { rows, first_bits: first_bits(rows.num_vertices()) }
    }

    /// Returns the vertices of a band.
    pub(super) fn vertices(&self, band: usize) -> Range<u32> {
        let vertices = self.rows.num_vertices();
        let at = |band: usize| (band * BAND).min(vertices as usize) as u32;
        at(band)..at(band + 1)
    }

    /// Returns the size of a segment in bytes.
    pub(super) fn segment(&self, segment: &[u32]) -> u64 {
        let bits = segment.chunks(BLOCK).map(|block| {
            u64::from(u8::BITS + self.first_bits) + u64::from(width(block)) * (block.len() as u64 - 1)
        });
        bits.sum::<u64>().div_ceil(u8::BITS.into())
    }

    /// Returns the size of a segment of a long row, in words.
    pub(super) fn segment_words(&self, segment: &[u32]) -> u32 {
        self.segment(segment).div_ceil(size_of::<u32>() as u64) as u32
    }

    /// Returns the size in bytes of a long row outside its place: its index and its segments.
    pub(super) fn long_row(&self, row: &[u32]) -> u64 {
        let words =
            |row: &[u32]| row.chunks(SEGMENT).map(|segment| u64::from(self.segment_words(segment))).sum();
        let words: u64 =
            if row.len() < SHARED { words(row) } else { row.par_chunks(SHARED).map(words).sum() };
        POSITION * row.len().div_ceil(SEGMENT) as u64
            + (size_of::<u32>() as u64 * words).next_multiple_of(POSITION)
    }

    /// Calls `place` with the start of every row in a band, relative to the band, and returns the size of the band.
    pub(super) fn band(&self, band: usize, mut place: impl FnMut(u32, u16)) -> u64 {
        let (mut places, mut long) = (0u64, 0);
        for vertex in self.vertices(band) {
            let row = self.rows.row(vertex);
            if row.len() > SEGMENT {
                places = places.next_multiple_of(POSITION);
                long += self.long_row(row);
            }
            place(vertex, places as u16);
            places += self.place(row);
        }
        places.next_multiple_of(POSITION) + long
    }

    /// Returns the size of the places of a band's rows.
    pub(super) fn places(&self, band: usize) -> u64 {
        let rows = self.vertices(band).map(|vertex| self.rows.row(vertex));
        let places = rows.fold(0u64, |at, row| {
            let at = if row.len() > SEGMENT { at.next_multiple_of(POSITION) } else { at };
            at + self.place(row)
        });
        places.next_multiple_of(POSITION)
    }

    /// Returns the size of a row in the places of its band.
    fn place(&self, row: &[u32]) -> u64 {
        if row.len() > SEGMENT { POSITION } else { self.segment(row) }
    }
}

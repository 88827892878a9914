//! Packs rows on all threads, in two passes: the first one measures every band, the second one writes them. The result
//! does not depend on the number of threads.

use rayon::prelude::*;

use super::layout::{BAND, Layout, TAIL, words};
use super::rows::PackedRows;
use super::target::Store;
use crate::graph::Rows;
use crate::memory;
use crate::progress::Progress;
use crate::space::{Array, Space, SpaceError};

/// Number of bands per task of one thread.
const TASK: usize = 16;

/// Returns the number of bands of this number of rows.
pub(crate) fn bands_of(vertices: u32) -> usize {
    (vertices as usize).div_ceil(BAND)
}

/// Packed rows in memory or in working files.
///
/// ```
/// use wolfpath_core::graph::{Packed, Rows};
///
/// let rows = Rows { offsets: &[0, 2, 3, 3], ends: &[1, 2, 0] };
/// let packed = Packed::of(rows)?;
/// assert!(packed.rows(rows.offsets).row(0).eq([1, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Packed {
    pub(crate) bands: Array<u64>,
    pub(crate) starts: Array<u16>,
    pub(crate) words: Array<u32>,
}

impl Packed {
    /// Packs rows, in memory.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn of(rows: Rows<'_>) -> Result<Packed, SpaceError> {
        measure(rows, &Progress::NONE)?.write(&Space::Memory, &Progress::NONE)
    }

    /// Views the packed rows. `offsets` are those of the rows that were packed.
    ///
    /// # Panics
    /// Panics if `offsets` has another number of rows.
    pub fn rows<'a>(&'a self, offsets: &'a [u64]) -> PackedRows<'a> {
        PackedRows::new(offsets, &self.bands, &self.starts, &self.words)
    }
}

/// The positions of packed rows that are not written yet.
#[derive(Debug)]
pub(crate) struct Measured<'a> {
    layout: Layout<'a>,
    bands: Vec<u64>,
    starts: Vec<u16>,
}

/// Measures packed rows. Reports every end to `progress`.
pub(crate) fn measure<'a>(rows: Rows<'a>, progress: &Progress) -> Result<Measured<'a>, SpaceError> {
    measured(Layout::of(rows), progress)
}

pub(super) fn measured<'a>(layout: Layout<'a>, progress: &Progress) -> Result<Measured<'a>, SpaceError> {
    let rows = layout.rows;
    let vertices = rows.num_vertices();
    let mut bands: Vec<u64> = zeroed(bands_of(vertices) + 1)?;
    let mut starts: Vec<u16> = zeroed(vertices as usize)?;
    let tasks = bands[1..].par_chunks_mut(TASK).zip(starts.par_chunks_mut(TASK * BAND));
    tasks.enumerate().for_each(|(task, (sizes, starts))| {
        let first = task * TASK;
        for (band, (size, starts)) in (first..).zip(sizes.iter_mut().zip(starts.chunks_mut(BAND))) {
            let mut starts = starts.iter_mut();
            let place = |_, start| starts.next().into_iter().for_each(|place| *place = start);
            *size = layout.band(band, place);
        }
        progress.advance(ends_of(rows, first * BAND, starts.len()));
    });
    let mut sum = 0;
    for band in &mut bands {
        sum += *band;
        *band = sum;
    }
    Ok(Measured { layout, bands, starts })
}

impl Measured<'_> {
    /// Returns the sizes in bytes of the three sections: bands, starts and words.
    pub(crate) fn sections(&self) -> [u64; 3] {
        [
            size_of_val(&self.bands[..]) as u64,
            size_of_val(&self.starts[..]) as u64,
            self.words() * size_of::<u32>() as u64,
        ]
    }

    fn words(&self) -> u64 {
        let bytes = self.bands.last().copied().unwrap_or(0);
        bytes / size_of::<u32>() as u64 + TAIL as u64
    }

    /// Writes the packed rows into an array in `space`. Reports every end to `progress`.
    pub(crate) fn write(self, space: &Space, progress: &Progress) -> Result<Packed, SpaceError> {
        let mut packed: Array<u32> = space.zeroed(self.words() as usize)?;
        let layout = self.layout;
        let mut tasks = Vec::new();
        let mut rest = &mut packed[..];
        for (task, pair) in self.bands[..self.bands.len() - 1].chunks(TASK).enumerate() {
            let first = task * TASK;
            let end = self.bands[first + pair.len()];
            let (own, more) = rest.split_at_mut(words(end - pair[0]));
            rest = more;
            tasks.push((first, &self.bands[first..=first + pair.len()], own));
        }
        tasks.into_par_iter().for_each(|(first, bands, mut rest)| {
            for (band, pair) in (first..).zip(bands.windows(2)) {
                let (own, more) = rest.split_at_mut(words(pair[1] - pair[0]));
                layout.write_band(band, pair[0], Store::into(own), |_, _| ());
                rest = more;
            }
            progress.advance(ends_of(layout.rows, first * BAND, (bands.len() - 1) * BAND));
        });
        Ok(Packed { bands: self.bands.into(), starts: self.starts.into(), words: packed })
    }
}

/// Returns the number of ends in consecutive rows, of which the last ones may not exist.
fn ends_of(rows: Rows<'_>, first: usize, number: usize) -> u64 {
    let last = rows.offsets.len() - 1;
    rows.offsets[(first + number).min(last)] - rows.offsets[first.min(last)]
}

fn zeroed<T: bytemuck::Zeroable>(len: usize) -> Result<Vec<T>, SpaceError> {
    memory::try_zeroed(len).ok_or(SpaceError::Refused { needed: (len * size_of::<T>()) as u64 })
}

//! Compares packed rows with the rows that they were made from, by packing these again.

use std::ops::Range;

use super::layout::{Layout, POSITION, TAIL, words};
use super::target::{Compare, Store};
use crate::graph::Rows;

/// Packed rows that are compared with the rows that they should have been made from.
#[derive(Clone, Copy)]
pub(crate) struct Check<'a> {
    layout: Layout<'a>,
    /// The positions of the bands. They must ascend, be multiples of 8, and end 32 words before the end of `words`.
    bands: &'a [u64],
    starts: &'a [u16],
    words: &'a [u32],
}

/// A fault in packed rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The position of this band is wrong; the right one is given.
    Band(usize, u64),
    /// The start of this row is wrong; the right one is given.
    Start(usize, u16),
    /// This word is wrong; the right one is given.
    Word(usize, u32),
}

impl<'a> Check<'a> {
    pub(crate) fn new(rows: Rows<'a>, bands: &'a [u64], starts: &'a [u16], words: &'a [u32]) -> Check<'a> {
        Check { layout: Layout::of(rows), bands, starts, words }
    }

    /// Returns `true` if everything is right that begins at these positions in `words`: the bands, their rows' starts,
    /// and the words after the last band.
    pub(crate) fn are_right(&self, places: Range<usize>) -> bool {
        let byte = |word: usize| (word * size_of::<u32>()) as u64;
        let last = self.bands.len() - 1;
        let first_after = |byte| self.bands[..last].partition_point(|&band| band < byte);
        let bands = first_after(byte(places.start))..first_after(byte(places.end));
        bands.into_iter().all(|band| self.is_right(band))
            && self.tail(places).all(|word| self.words[word] == 0)
    }

    /// Returns the positions among `places` that are after the last band.
    fn tail(&self, places: Range<usize>) -> Range<usize> {
        places.start.max(self.words.len() - TAIL)..places.end
    }

    fn is_right(&self, band: usize) -> bool {
        let mut right = true;
        let place = |vertex, start| right &= self.starts[vertex as usize] == start;
        let compared = Compare::with(self.words_of(band));
        self.layout.write_band(band, self.bands[band], compared, place) && right
    }

    fn words_of(&self, band: usize) -> &'a [u32] {
        &self.words[words(self.bands[band])..words(self.bands[band + 1])]
    }

    /// Searches for the first fault. Returns `None` if there is none.
    pub(crate) fn first_fault(&self) -> Option<Fault> {
        let bands = self.bands.len() - 1;
        let tail = || self.tail(0..self.words.len()).find(|&word| self.words[word] != 0);
        let fault = (0..bands).filter(|&band| !self.is_right(band)).find_map(|band| self.fault(band));
        fault.or_else(|| tail().map(|word| Fault::Word(word, 0)))
    }

    /// Returns the first fault of a band.
    fn fault(&self, band: usize) -> Option<Fault> {
        let mut fault = None;
        let size = self.layout.band(band, |vertex, start| {
            if self.starts[vertex as usize] != start {
                fault.get_or_insert(Fault::Start(vertex as usize, start));
            }
        });
        let (begin, found) = (self.bands[band], self.words_of(band));
        if size != size_of_val(found) as u64 {
            return Some(Fault::Band(band + 1, begin + size));
        }
        let mut right = vec![0; found.len()];
        self.layout.write_band(band, begin, Store::into(&mut right), |_, _| ());
        let differs = (0..found.len()).find(|&word| found[word] != right[word]);
        fault.or_else(|| differs.map(|word| Fault::Word(words(begin) + word, right[word])))
    }
}

/// Returns the first band whose position would be wrong for any rows, and the positions that are possible. `words` is
/// the number of words.
pub(crate) fn wrong_band(bands: &[u64], words: usize) -> Option<(usize, String)> {
    let last = bands.len() - 1;
    let Some(end) = (words as u64).checked_sub(TAIL as u64).map(|words| words * size_of::<u32>() as u64)
    else {
        return Some((last, "words of at least 128 bytes".to_owned()));
    };
    if bands[0] != 0 {
        return Some((0, "0".to_owned()));
    }
    let is_wrong = |&band: &usize| {
        bands[band] < bands[band - 1] || bands[band] > end || !bands[band].is_multiple_of(POSITION)
    };
    match (1..=last).find(is_wrong) {
        Some(band) => Some((band, format!("a multiple of 8 from {} to {end}", bands[band - 1]))),
        None if bands[last] == end => None,
        None => Some((last, format!("{end}, because the words end 128 bytes after it"))),
    }
}

//! The sections of packed rows: positions of bands, starts of rows, and words.

use super::column::Column;
use super::container::{PAGE, TABLE_AT, padded};
use super::error::StoreError;
use super::format::SectionKind;
use super::table::Table;
use crate::graph::Rows;
use crate::packed::check::{Check, Fault, wrong_band};
use crate::packed::{BAND, Packed, PackedRows, bands_of};

/// Packed rows, in memory or in a file. Their offsets are those of the rows that were packed.
#[derive(Debug)]
pub(crate) struct PackedColumns {
    bands: Column<u64>,
    starts: Column<u16>,
    words: Column<u32>,
}

impl From<Packed> for PackedColumns {
    fn from(packed: Packed) -> PackedColumns {
        let Packed { bands, starts, words } = packed;
        PackedColumns {
            bands: Column::Owned(bands),
            starts: Column::Owned(starts),
            words: Column::Owned(words),
        }
    }
}

/// The kinds of the three sections of packed out-rows, in the order of the file.
const OUT: [SectionKind; 3] = [SectionKind::PackedBands, SectionKind::PackedStarts, SectionKind::PackedEnds];
/// The same of packed in-rows.
const IN: [SectionKind; 3] =
    [SectionKind::PackedInBands, SectionKind::PackedInStarts, SectionKind::PackedInEnds];

/// Returns `true` if packed rows whose sections have these lengths save at least a quarter of the bytes of the row ends
/// in a file. Padding counts, so the small graphs that fit on any device are not packed.
pub(crate) fn saves_a_quarter(sections: [u64; 3], edges: u64) -> bool {
    let packed: u64 = sections.into_iter().map(padded).sum();
    4 * packed <= 3 * padded(4 * edges)
}

/// Returns `true` if packed rows could [save a quarter](saves_a_quarter), judging by the numbers of rows and edges only.
pub(crate) fn may_save_a_quarter(vertices: u32, edges: u64) -> bool {
    let positions = 8 * (bands_of(vertices) as u64 + 1);
    saves_a_quarter([positions, 2 * u64::from(vertices), PAGE as u64], edges)
}

impl PackedColumns {
    /// Views the packed rows. `offsets` are those of the rows that were packed.
    pub(crate) fn rows<'a>(&'a self, offsets: &'a [u64]) -> PackedRows<'a> {
        PackedRows::new(offsets, self.bands.values(), self.starts.values(), self.words.values())
    }

    /// Returns the number of words of the packed ends.
    pub(crate) fn num_words(&self) -> u64 {
        self.words.values().len() as u64
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(self.bands.values())
            + size_of_val(self.starts.values())
            + size_of_val(self.words.values())) as u64
    }

    /// Returns the sections of packed rows, in the order of the file.
    pub(super) fn sections(&self, inward: bool) -> [(SectionKind, &[u8]); 3] {
        let [bands, starts, words] = if inward { IN } else { OUT };
        [
            (bands, bytemuck::cast_slice(self.bands.values())),
            (starts, bytemuck::cast_slice(self.starts.values())),
            (words, bytemuck::cast_slice(self.words.values())),
        ]
    }

    /// Verifies the checksums only.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        self.bands.verify()?;
        self.starts.verify()?;
        self.words.verify()
    }

    /// Verifies the checksums, and that these are the packed `rows`, which must be valid. `inward` says whether they are
    /// in-rows.
    pub(crate) fn check(&self, rows: Rows<'_>, inward: bool) -> Result<(), StoreError> {
        self.bands.verify()?;
        self.starts.verify()?;
        let (bands, starts, words) = (self.bands.values(), self.starts.values(), self.words.values());
        if let Some((band, expected)) = wrong_band(bands, words.len()) {
            self.words.verify()?;
            return Err(self.bands.broken(band, self.band_found(band, inward), expected));
        }
        let check = Check::new(rows, bands, starts, words);
        if self.words.pass(|places| check.are_right(places))? {
            return Ok(());
        }
        Err(check.first_fault().map_or_else(|| self.words.changed(), |fault| self.error(fault, inward)))
    }

    fn error(&self, fault: Fault, inward: bool) -> StoreError {
        let [_, starts, words] = names(inward);
        match fault {
            Fault::Band(band, right) => {
                self.bands.broken(band, self.band_found(band, inward), right.to_string())
            }
            Fault::Start(vertex, right) => {
                let found = format!("start {} of vertex {vertex} in {starts}", self.starts.values()[vertex]);
                self.starts.broken(vertex, found, right.to_string())
            }
            Fault::Word(word, right) => {
                let vertices = self.vertices_at(word);
                let found = format!("word {:08x}{vertices} in {words}", self.words.values()[word]);
                self.words.broken(word, found, format!("{right:08x}, as packed from the row ends"))
            }
        }
    }

    /// Describes the position of a band.
    fn band_found(&self, band: usize, inward: bool) -> String {
        let [bands, ..] = names(inward);
        format!("position {} of band {band} in {bands}", self.bands.values()[band])
    }

    /// Names the vertices whose rows are in the band that contains a word.
    fn vertices_at(&self, word: usize) -> String {
        let (bands, vertices) = (self.bands.values(), self.starts.values().len());
        let after = bands.partition_point(|&begin| begin <= (word * size_of::<u32>()) as u64);
        match after.checked_sub(1).filter(|_| after < bands.len()) {
            Some(band) => {
                format!(" of the vertices {} to {}", band * BAND, ((band + 1) * BAND).min(vertices) - 1)
            }
            None => String::new(),
        }
    }
}

/// Returns the names of the three sections in messages.
fn names(inward: bool) -> [String; 3] {
    if inward { IN } else { OUT }.map(|kind| format!("section \"{}\"", kind.name()))
}

impl Table {
    /// Returns the packed out-rows or in-rows, if any. Returns an error if only some of their sections exist.
    pub(super) fn packed(&self, inward: bool) -> Result<Option<PackedColumns>, StoreError> {
        let kinds = if inward { IN } else { OUT };
        let Some(sections) = self.all_or_none(kinds, "packed rows")? else { return Ok(None) };
        let [bands, starts, words] = &sections;
        let vertices = self.header.vertices;
        self.container.expect_elements(bands, 8, bands_of(vertices) as u64 + 1)?;
        self.container.expect_elements(starts, 2, vertices.into())?;
        if words.length % 4 != 0 {
            let found = format!("section \"{}\" of {} bytes", words.name(), words.length);
            return Err(self.broken(TABLE_AT as u64, found, "whole words of 4 bytes"));
        }
        let [bands, starts, words] = sections;
        Ok(Some(PackedColumns {
            bands: Column::mapped(bands),
            starts: Column::mapped(starts),
            words: Column::mapped(words),
        }))
    }
}

//! The section table of a file: reads it, compares it with the header and the file, and converts it to columns.

use std::sync::Arc;

use super::column::{Column, Mapping, Section, WeightColumn};
use super::contents::{Contents, InRows, SymmetryFlags};
use super::error::StoreError;
use super::format::*;

/// The sections of a file, which have been checked to be inside the file.
pub(super) struct Table<'a> {
    pub(super) header: &'a Header,
    mapping: Arc<Mapping>,
    sections: Vec<Section>,
}

impl<'a> Table<'a> {
    /// Reads the table. Sections must be contiguous, so that every byte is covered by a checksum.
    pub(super) fn read(
        header: &'a Header,
        page: &[u8],
        mapping: Arc<Mapping>,
    ) -> Result<Table<'a>, StoreError> {
        let mut table = Table { header, mapping, sections: Vec::new() };
        let unknown = header.flags & !FLAGS & !OPTIONAL_FLAGS;
        if unknown != 0 {
            return Err(table.unknown(52, format!("flag {unknown:#x}")));
        }
        if header.sections as usize > (PAGE - TABLE_AT) / size_of::<Entry>() {
            return Err(table.broken(60, format!("{} sections", header.sections), "at most 124"));
        }
        let mut begin = PAGE as u64;
        for index in 0..header.sections as usize {
            let at = TABLE_AT + index * size_of::<Entry>();
            let entry: Entry = bytemuck::pod_read_unaligned(&page[at..at + size_of::<Entry>()]);
            let section = table.section(&entry, at as u64, begin)?;
            begin = section.end();
            table.sections.push(section);
        }
        if begin != header.length {
            return Err(table.broken(
                64,
                format!("{} bytes before the key", header.length),
                begin.to_string(),
            ));
        }
        Ok(table)
    }

    /// Checks an entry of the table, and returns its section, which must start at `begin`.
    fn section(&self, entry: &Entry, at: u64, begin: u64) -> Result<Section, StoreError> {
        let known = known_flags(entry.kind);
        if known.is_none() && entry.flags & REQUIRED != 0 {
            return Err(self.unknown(at, format!("section of kind {}", entry.kind)));
        }
        if entry.flags & !REQUIRED != 0 || known.is_some_and(|flags| flags != entry.flags) {
            let found = format!("flags {:#x} of a section of kind {}", entry.flags, entry.kind);
            return Err(self.broken(at + 4, found, "flags of this version"));
        }
        if self.sections.iter().any(|other| other.kind == entry.kind) {
            return Err(self.broken(
                at,
                format!("another section of kind {}", entry.kind),
                "one of each kind",
            ));
        }
        let end =
            entry.length.checked_next_multiple_of(PAGE as u64).and_then(|bytes| bytes.checked_add(begin));
        if entry.offset != begin || end.is_none_or(|end| end > self.header.length) {
            let found = format!("a section at byte {} of {} bytes", entry.offset, entry.length);
            let expected = format!("one from byte {begin} inside {} bytes", self.header.length);
            return Err(self.broken(at, found, expected));
        }
        Ok(Section {
            mapping: Arc::clone(&self.mapping),
            kind: entry.kind,
            offset: entry.offset,
            length: entry.length,
            checksum: entry.checksum,
        })
    }

    /// Returns the optional sections that this version does not know.
    pub(super) fn passed_over(&self) -> Vec<Section> {
        self.sections.iter().filter(|section| known_flags(section.kind).is_none()).cloned().collect()
    }

    /// Returns the columns of the file.
    pub(super) fn contents(&self) -> Result<Contents, StoreError> {
        let header = self.header;
        let (vertices, edges) = (u64::from(header.vertices), header.edges);
        let ids = self.optional(SectionKind::Ids, 8, vertices)?;
        self.check_ids(ids.is_some())?;
        Ok(Contents {
            vertices: header.vertices,
            edges,
            root: (vertices > 0).then_some(header.root),
            root_layers: header.root_layers,
            reason: self.reason()?,
            symmetry: self.symmetry()?,
            layers: Column::mapped(self.sized(SectionKind::Layers, 4, u64::from(header.layers) + 1)?),
            ranks: Column::mapped(self.sized(SectionKind::Ranks, 4, vertices)?),
            ids: ids.map(Column::mapped),
            first_id: header.first_id,
            offsets: Column::mapped(self.sized(SectionKind::Offsets, 8, vertices + 1)?),
            ends: Column::mapped(self.sized(SectionKind::Ends, 4, edges)?),
            packed: self.packed(false)?,
            weights: self.weights()?,
            columns: self.columns()?,
            in_rows: self.in_rows()?,
            paths: self.paths()?,
        })
    }

    fn reason(&self) -> Result<String, StoreError> {
        self.text(&self.required(SectionKind::Reason)?)
    }

    /// Verifies a section, and returns its text.
    pub(super) fn text(&self, section: &Section) -> Result<String, StoreError> {
        section.verify()?;
        String::from_utf8(section.bytes().to_vec())
            .map_err(|_| self.broken(section.offset, "bytes that are not text", "UTF-8"))
    }

    /// Checks that, if ids are consecutive, they are all below 2^64, and that a graph without vertices has no root.
    fn check_ids(&self, has_section: bool) -> Result<(), StoreError> {
        let header = self.header;
        let last = header.first_id.checked_add(u64::from(header.vertices).saturating_sub(1));
        if last.is_none() || (has_section && header.first_id != 0) {
            let found = format!("a first id of {}", header.first_id);
            return Err(self.broken(
                40,
                found,
                "0 with a section \"ids\", else a first id for which all ids fit in 64 bits",
            ));
        }
        if header.vertices == 0 && header.root != 0 {
            return Err(self.broken(
                32,
                format!("the root {} in a graph without vertices", header.root),
                "0",
            ));
        }
        Ok(())
    }

    fn symmetry(&self) -> Result<SymmetryFlags, StoreError> {
        let is_set = |flag| self.header.flags & flag != 0;
        let symmetry = SymmetryFlags {
            edges: is_set(SYMMETRIC),
            weights: is_set(SYMMETRIC_WEIGHTS),
            order: is_set(SYMMETRIC_ORDER),
        };
        // Each flag implies the previous one.
        if (symmetry.weights && !symmetry.edges) || (symmetry.order && !symmetry.weights) {
            let found = format!("flags {:#x}", self.header.flags);
            return Err(self.broken(52, found, "flag 1 if 2 is set, and 2 if 4 is set"));
        }
        Ok(symmetry)
    }

    fn weights(&self) -> Result<Option<WeightColumn>, StoreError> {
        let number = self.header.weight_kind;
        let Some(index) = number.checked_sub(1) else {
            return match self.find(SectionKind::Weights) {
                Some(_) => Err(self.broken(56, "weights of kind 0", "a file without a section \"weights\"")),
                None => Ok(None),
            };
        };
        let Some(kind) = WEIGHT_KINDS.get(index as usize) else {
            return Err(self.broken(56, format!("weights of kind {number}"), "a kind from 0 to 6"));
        };
        let section = self.sized(SectionKind::Weights, kind.size() as u64, self.header.edges)?;
        Ok(Some(WeightColumn::mapped(section, *kind)))
    }

    /// Returns the in-rows, if any. Returns an error if only one of their two sections exists, or if the edges are
    /// symmetric, because the out-rows then serve as in-rows.
    fn in_rows(&self) -> Result<Option<InRows>, StoreError> {
        let offsets = self.optional(SectionKind::InOffsets, 8, u64::from(self.header.vertices) + 1)?;
        let ends = self.optional(SectionKind::InEnds, 4, self.header.edges)?;
        let packed = self.packed(true)?;
        let Some((offsets, ends)) = offsets.clone().zip(ends.clone()) else {
            return match offsets.or(ends) {
                Some(one) => {
                    let found = format!("section \"{}\" alone", one.name());
                    Err(self.broken(TABLE_AT as u64, found, "offsets and ends of in-rows, or neither"))
                }
                None if packed.is_some() => {
                    Err(self.broken(TABLE_AT as u64, "packed in-rows without in-rows", "both, or neither"))
                }
                None => Ok(None),
            };
        };
        if self.header.flags & SYMMETRIC != 0 {
            let found = "in-rows of a graph whose edges are symmetric";
            return Err(self.broken(TABLE_AT as u64, found, "none, because its out-rows serve as in-rows"));
        }
        Ok(Some(InRows { offsets: Column::mapped(offsets), ends: Column::mapped(ends), packed }))
    }

    /// Returns the section of this kind, and checks its number of elements.
    fn sized(&self, kind: SectionKind, size: u64, elements: u64) -> Result<Section, StoreError> {
        let section = self.required(kind)?;
        self.expect_elements(&section, size, elements)?;
        Ok(section)
    }

    fn optional(&self, kind: SectionKind, size: u64, elements: u64) -> Result<Option<Section>, StoreError> {
        match self.find(kind) {
            Some(_) => self.sized(kind, size, elements).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn expect_elements(
        &self,
        section: &Section,
        size: u64,
        elements: u64,
    ) -> Result<(), StoreError> {
        let expected = elements.checked_mul(size);
        if expected == Some(section.length) {
            return Ok(());
        }
        let found = format!("section \"{}\" of {} bytes", section.name(), section.length);
        let expected = expected.map_or_else(|| "fewer elements".to_owned(), |bytes| format!("{bytes} bytes"));
        Err(self.broken(TABLE_AT as u64, found, expected))
    }

    fn required(&self, kind: SectionKind) -> Result<Section, StoreError> {
        let missing = || self.broken(TABLE_AT as u64, format!("no section \"{}\"", kind.name()), "one");
        self.find(kind).ok_or_else(missing)
    }

    fn find(&self, kind: SectionKind) -> Option<Section> {
        self.find_kind(kind as u32)
    }

    /// Returns all sections of a part of the graph that need not be there, or `None`. `part` names it. Returns an error if only
    /// some of them exist.
    pub(super) fn all_or_none<const N: usize>(
        &self,
        kinds: [SectionKind; N],
        part: &str,
    ) -> Result<Option<[Section; N]>, StoreError> {
        let found: Vec<Section> = kinds.into_iter().filter_map(|kind| self.find(kind)).collect();
        match <[Section; N]>::try_from(found) {
            Ok(all) => Ok(Some(all)),
            Err(some) => match some.first() {
                Some(one) => {
                    let found = format!("section \"{}\" without the others of {part}", one.name());
                    Err(self.broken(TABLE_AT as u64, found, format!("all {N} sections of {part}, or none")))
                }
                None => Ok(None),
            },
        }
    }

    pub(super) fn find_kind(&self, kind: u32) -> Option<Section> {
        self.sections.iter().find(|section| section.kind == kind).cloned()
    }

    fn unknown(&self, byte: u64, what: String) -> StoreError {
        StoreError::Unknown { path: self.mapping.path.clone(), byte, what }
    }

    pub(super) fn broken(
        &self,
        byte: u64,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> StoreError {
        StoreError::broken(&self.mapping.path, byte, found, expected)
    }
}

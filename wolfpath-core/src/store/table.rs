//! The header and the sections of a `.wolf` file, as columns of numbers.

use super::column::{Column, WeightColumn};
use super::container::{Container, Section, TABLE_AT};
use super::contents::{Contents, InRows};
use super::error::StoreError;
use super::format::{FLAGS, OPTIONAL_FLAGS, SectionKind};
use super::graph_header::{COLUMN_KINDS, GraphHeader, SYMMETRIC};

/// The header of a `.wolf` file, and its sections, which have not been verified.
pub(super) struct Table {
    pub(super) header: GraphHeader,
    pub(super) container: Container,
}

impl Table {
    /// Reads the header. Returns an error if it has a flag that this version must know.
    pub(super) fn new(container: Container) -> Result<Table, StoreError> {
        let header: GraphHeader = container.fields();
        let unknown = header.flags & !FLAGS & !OPTIONAL_FLAGS;
        if unknown != 0 {
            return Err(container.unknown(GraphHeader::FLAGS_AT, format!("flag {unknown:#x}")));
        }
        Ok(Table { header, container })
    }

    /// Returns the columns of the file.
    pub(super) fn contents(&self) -> Result<Contents, StoreError> {
        let header = &self.header;
        let (vertices, edges) = (u64::from(header.vertices), header.edges);
        let ids = self.optional(SectionKind::Ids, 8, vertices)?;
        header.check(&self.container, ids.is_some())?;
        Ok(Contents {
            vertices: header.vertices,
            edges,
            root: (vertices > 0).then_some(header.root),
            root_layers: header.root_layers,
            reason: self.reason()?,
            symmetry: header.symmetry(),
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
        self.container.required(SectionKind::Reason as u32)?.text()
    }

    fn weights(&self) -> Result<Option<WeightColumn>, StoreError> {
        // The position of the type of the weights, counted from 1; 0 without weights.
        let number = self.header.own;
        let Some(index) = number.checked_sub(1) else {
            return match self.find(SectionKind::Weights) {
                Some(_) => Err(self.broken(
                    GraphHeader::OWN_AT,
                    "weights of kind 0",
                    "a file without a section \"weights\"",
                )),
                None => Ok(None),
            };
        };
        let Some(kind) = COLUMN_KINDS.get(index as usize) else {
            return Err(self.broken(
                GraphHeader::OWN_AT,
                format!("weights of kind {number}"),
                "a kind from 0 to 8",
            ));
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
        if self.header.has(SYMMETRIC) {
            let found = "in-rows of a graph whose edges are symmetric";
            return Err(self.broken(TABLE_AT as u64, found, "none, because its out-rows serve as in-rows"));
        }
        Ok(Some(InRows { offsets: Column::mapped(offsets), ends: Column::mapped(ends), packed }))
    }

    /// Returns the section of this kind, and checks its number of elements.
    fn sized(&self, kind: SectionKind, size: u64, elements: u64) -> Result<Section, StoreError> {
        self.container.sized(kind as u32, size, elements)
    }

    fn optional(&self, kind: SectionKind, size: u64, elements: u64) -> Result<Option<Section>, StoreError> {
        match self.find(kind) {
            Some(_) => self.sized(kind, size, elements).map(Some),
            None => Ok(None),
        }
    }

    fn find(&self, kind: SectionKind) -> Option<Section> {
        self.container.find(kind as u32)
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

    pub(super) fn broken(
        &self,
        byte: u64,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> StoreError {
        self.container.broken(byte, found, expected)
    }
}

//! The sections of paths: their first vertices, their lengths, their edges, and their order.

use super::column::Column;
use super::container::TABLE_AT;
use super::error::StoreError;
use super::format::SectionKind;
use super::table::Table;
use crate::graph::Rows;
use crate::graph::paths::{Fault, Paths, fault_of};

/// Paths, in memory or in a file. See [`Paths`] for what they mean.
#[derive(Debug)]
pub(crate) struct PathColumns {
    /// The first vertex of each path.
    pub(crate) firsts: Column<u32>,
    /// The number of edges of each path.
    pub(crate) lengths: Column<u8>,
    /// The position of each path's edges within the rows of their sources.
    pub(crate) slots: Column<u32>,
    /// The first path of each component, then the number of paths.
    pub(crate) components: Column<u32>,
    /// The first component of each layer, then the number of components.
    pub(crate) layers: Column<u32>,
}

/// The kinds of the five sections, in the order of the file.
const KINDS: [SectionKind; 5] = [
    SectionKind::PathFirsts,
    SectionKind::PathLengths,
    SectionKind::PathEdges,
    SectionKind::PathComponents,
    SectionKind::PathLayers,
];

impl PathColumns {
    /// Views the paths of a graph with these out-rows.
    pub(crate) fn paths<'a>(&'a self, rows: Rows<'a>) -> Paths<'a> {
        Paths {
            rows,
            firsts: self.firsts.values(),
            lengths: self.lengths.values(),
            slots: self.slots.values(),
            components: self.components.values(),
            layers: self.layers.values(),
        }
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.sections().into_iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }

    /// Returns the sections, in the order of the file.
    pub(super) fn sections(&self) -> [(SectionKind, &[u8]); 5] {
        let [firsts, lengths, edges, components, layers] = KINDS;
        [
            (firsts, bytemuck::cast_slice(self.firsts.values())),
            (lengths, self.lengths.values()),
            (edges, bytemuck::cast_slice(self.slots.values())),
            (components, bytemuck::cast_slice(self.components.values())),
            (layers, bytemuck::cast_slice(self.layers.values())),
        ]
    }

    /// Verifies the checksums only.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        self.firsts.verify()?;
        self.lengths.verify()?;
        self.slots.verify()?;
        self.components.verify()?;
        self.layers.verify()
    }

    /// Verifies that these are paths of a graph with these out-rows, which must be valid: each edge is on one path, and no path
    /// comes before one that precedes it.
    pub(crate) fn check(&self, rows: Rows<'_>) -> Result<(), StoreError> {
        self.verify()?;
        let Some(fault) = fault_of(self.paths(rows)) else { return Ok(()) };
        Err(match fault {
            Fault::Layer(at, found, expected) => self.layers.broken(at, found, expected),
            Fault::Component(at, found, expected) => self.components.broken(at, found, expected),
            Fault::First(at, found, expected) => self.firsts.broken(at, found, expected),
            Fault::Length(at, found, expected) => self.lengths.broken(at, found, expected),
            Fault::Edge(at, found, expected) => self.slots.broken(at, found, expected),
        })
    }

    /// Returns `true` if they are in a file.
    pub(crate) fn are_mapped(&self) -> bool {
        matches!(self.slots, Column::Mapped(_))
    }
}

impl Table {
    /// Returns the paths, if any. Returns an error if only some of their sections exist.
    pub(super) fn paths(&self) -> Result<Option<PathColumns>, StoreError> {
        let Some(sections) = self.all_or_none(KINDS, "paths")? else { return Ok(None) };
        let [firsts, lengths, edges, components, layers] = &sections;
        self.container.expect_elements(firsts, 4, lengths.length)?;
        self.container.expect_elements(edges, 4, self.header.edges)?;
        for section in [components, layers] {
            if section.length == 0 || section.length % 4 != 0 {
                let found = format!("section \"{}\" of {} bytes", section.name(), section.length);
                return Err(self.broken(TABLE_AT as u64, found, "numbers of 4 bytes, at least one"));
            }
        }
        let [firsts, lengths, slots, components, layers] = sections;
        Ok(Some(PathColumns {
            firsts: Column::mapped(firsts),
            lengths: Column::mapped(lengths),
            slots: Column::mapped(slots),
            components: Column::mapped(components),
            layers: Column::mapped(layers),
        }))
    }
}

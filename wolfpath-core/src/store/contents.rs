//! The contents of a `.wolf` file: the layered graph as columns of numbers, without data that is derived from them.

use super::column::{Column, WeightColumn};
use super::packed::PackedColumns;
use super::paths::PathColumns;
use super::stored_bytes::StoredBytes;
use crate::weights::Columns;

/// Flags for the symmetry of a graph. If a flag is set, those before it are also set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SymmetryFlags {
    /// `true` if every edge has an opposite edge, with the same multiplicity.
    pub(crate) edges: bool,
    /// `true` if every edge has an opposite edge of the same weight, with the same multiplicity. Equal to `edges` if
    /// there are no weights.
    pub(crate) weights: bool,
    /// `true` if the weights of parallel edges are in the same order in both directions, so that out-rows serve as
    /// in-rows.
    pub(crate) order: bool,
}

/// The edges of every target, row after row, with ascending sources: the transpose of the out-rows. Weights are stored
/// only once, in the order of the out-rows. The weight of an edge is found by the edge's position in the out-rows.
#[derive(Debug)]
pub(crate) struct InRows {
    pub(crate) offsets: Column<u64>,
    pub(crate) ends: Column<u32>,
    pub(crate) packed: Option<PackedColumns>,
}

/// A layered graph as it is stored. Vertices are identified by internal index, except where ranks are mentioned.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) vertices: u32,
    pub(crate) edges: u64,
    /// The root's id; `None` for an empty graph.
    pub(crate) root: Option<u64>,
    pub(crate) root_layers: u32,
    pub(crate) reason: String,
    pub(crate) symmetry: SymmetryFlags,
    /// The start of each layer, then the number of vertices.
    pub(crate) layers: Column<u32>,
    /// The rank of each vertex: its position by ascending id.
    pub(crate) ranks: Column<u32>,
    /// The id of each rank; `None` if ids are consecutive, starting with `first_id`.
    pub(crate) ids: Option<Column<u64>>,
    pub(crate) first_id: u64,
    pub(crate) offsets: Column<u64>,
    pub(crate) ends: Column<u32>,
    /// The out-rows again, packed.
    pub(crate) packed: Option<PackedColumns>,
    pub(crate) weights: Option<WeightColumn>,
    /// The columns other than the weight, and the name of the weight.
    pub(crate) columns: Columns<WeightColumn>,
    /// The in-rows. `None` if they are not stored, or if edges are symmetric, so that the in-rows equal the out-rows.
    pub(crate) in_rows: Option<InRows>,
    /// Edge-disjoint paths.
    pub(crate) paths: Option<PathColumns>,
}

impl Contents {
    /// Returns the size in bytes of the rows of one direction: offsets and ends.
    pub(crate) fn row_bytes(&self) -> u64 {
        8 * (u64::from(self.vertices) + 1) + 4 * self.edges
    }

    /// Returns the size in bytes of the packed rows of both directions.
    pub(crate) fn packed_bytes(&self) -> u64 {
        let inward = self.in_rows.as_ref().and_then(|rows| rows.packed.as_ref());
        self.packed.iter().chain(inward).map(PackedColumns::bytes).sum()
    }

    /// Returns the size in bytes of the paths.
    pub(crate) fn path_bytes(&self) -> u64 {
        self.paths.as_ref().map_or(0, PathColumns::bytes)
    }

    /// Returns the size in bytes of the layers, ranks and ids.
    pub(crate) fn vertex_bytes(&self) -> u64 {
        let ids = self.ids.as_ref().map_or(0, |ids| size_of_val(ids.values()));
        (size_of_val(self.layers.values()) + size_of_val(self.ranks.values()) + ids) as u64
    }

    /// Returns the size in bytes of the weights and all other columns.
    pub(crate) fn weight_bytes(&self) -> u64 {
        let others = self.columns.others.iter().map(|column| &column.numbers);
        self.weights.iter().chain(others).map(WeightColumn::bytes).sum()
    }

    /// Returns the names of all columns. The weight comes first, if any.
    pub(crate) fn column_names(&self) -> Vec<&str> {
        self.columns.names(self.weights.is_some())
    }

    /// Returns the index of the column with this name.
    pub(crate) fn find_column(&self, name: &str) -> Option<usize> {
        self.columns.find(self.weights.is_some(), name)
    }

    /// Returns the column at index `at`. The weight comes first, if any.
    pub(crate) fn column(&self, at: usize) -> Option<&WeightColumn> {
        let others = self.columns.others.iter().map(|column| &column.numbers);
        self.weights.iter().chain(others).nth(at)
    }

    /// Returns the length of the mapped `.wolf` file; `None` if the graph is not in a file but in memory.
    pub(crate) fn file_length(&self) -> Option<u64> {
        match &self.ends {
            Column::Mapped(mapped) => Some(mapped.file_length()),
            Column::Owned(_) => None,
        }
    }

    /// Returns bytes of the graph, to be read in parts: from its file if they are in its map.
    pub(crate) fn stored_bytes<'a>(&'a self, bytes: &'a [u8]) -> StoredBytes<'a> {
        let mapping = match &self.ends {
            Column::Mapped(mapped) => Some(&*mapped.section.mapping),
            Column::Owned(_) => None,
        };
        StoredBytes::new(bytes, mapping)
    }

    /// Returns the id of the vertex of this rank.
    #[inline]
    pub(crate) fn id_of_rank(&self, rank: u32) -> u64 {
        match &self.ids {
            Some(ids) => ids.values()[rank as usize],
            None => self.first_id + u64::from(rank),
        }
    }

    /// Returns the rank of the vertex with this id, if any.
    pub(crate) fn rank_of_id(&self, id: u64) -> Option<u32> {
        match &self.ids {
            Some(ids) => ids.values().binary_search(&id).ok().map(|rank| rank as u32),
            None => {
                let rank = id.checked_sub(self.first_id)?;
                (rank < u64::from(self.vertices)).then_some(rank as u32)
            }
        }
    }
}

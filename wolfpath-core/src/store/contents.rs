//! What a `.wolf` file holds, as columns: the layered graph without anything derived from it.

use super::column::{Column, WeightColumn};
use crate::weights::Columns;

/// How symmetric a graph is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SymmetryFlags {
    /// For every edge there is one the other way, as often.
    pub(crate) edges: bool,
    /// The same with equal weights; as `edges` where there are none.
    pub(crate) weights: bool,
    /// Parallel edges carry their weights in the same order both ways, so that out-rows serve as in-rows.
    pub(crate) order: bool,
}

/// The edges of every target, row after row, sources ascending: the transpose of the out-rows. Weights are not moved
/// along: they are found by their place in the out-rows.
#[derive(Debug)]
pub(crate) struct InRows {
    pub(crate) offsets: Column<u64>,
    pub(crate) ends: Column<u32>,
}

/// A layered graph as it is stored. Vertices are internal indices, except where ranks are said.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) vertices: u32,
    pub(crate) edges: u64,
    /// The root's id; `None` for an empty graph.
    pub(crate) root: Option<u64>,
    pub(crate) root_layers: u32,
    pub(crate) reason: String,
    pub(crate) symmetry: SymmetryFlags,
    /// Where each layer begins, and the number of vertices.
    pub(crate) layers: Column<u32>,
    /// The rank of each vertex: its place by ascending id.
    pub(crate) ranks: Column<u32>,
    /// The id of each rank; `None` when ids follow each other from `first_id`.
    pub(crate) ids: Option<Column<u64>>,
    pub(crate) first_id: u64,
    pub(crate) offsets: Column<u64>,
    pub(crate) ends: Column<u32>,
    pub(crate) weights: Option<WeightColumn>,
    /// Further columns, and the weight's name.
    pub(crate) columns: Columns<WeightColumn>,
    /// `None` where they are not kept, and for graphs with symmetric edges, whose out-rows they equal.
    pub(crate) in_rows: Option<InRows>,
}

impl Contents {
    /// Bytes of one direction's rows: offsets and ends.
    pub(crate) fn row_bytes(&self) -> u64 {
        8 * (u64::from(self.vertices) + 1) + 4 * self.edges
    }

    /// Bytes of layers, ranks and ids.
    pub(crate) fn vertex_bytes(&self) -> u64 {
        let ids = self.ids.as_ref().map_or(0, |ids| size_of_val(ids.values()));
        (size_of_val(self.layers.values()) + size_of_val(self.ranks.values()) + ids) as u64
    }

    /// Bytes of the weights and of all further columns.
    pub(crate) fn weight_bytes(&self) -> u64 {
        let others = self.columns.others.iter().map(|column| &column.numbers);
        self.weights.iter().chain(others).map(WeightColumn::bytes).sum()
    }

    /// The names of all columns: the weight's first, where there is one.
    pub(crate) fn column_names(&self) -> Vec<&str> {
        self.columns.names(self.weights.is_some())
    }

    /// The place among all columns of the one with this name.
    pub(crate) fn find_column(&self, name: &str) -> Option<usize> {
        self.columns.find(self.weights.is_some(), name)
    }

    /// A column by its place among all: the weight first, where there is one.
    pub(crate) fn column(&self, at: usize) -> Option<&WeightColumn> {
        let others = self.columns.others.iter().map(|column| &column.numbers);
        self.weights.iter().chain(others).nth(at)
    }

    /// How long the file is that the numbers lie in, if they do.
    pub(crate) fn file_length(&self) -> Option<u64> {
        match &self.ends {
            Column::Mapped(mapped) => Some(mapped.file_length()),
            Column::Owned(_) => None,
        }
    }

    /// The id of a rank.
    #[inline]
    pub(crate) fn id_of_rank(&self, rank: u32) -> u64 {
        match &self.ids {
            Some(ids) => ids.values()[rank as usize],
            None => self.first_id + u64::from(rank),
        }
    }

    /// The rank of an id.
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

//! The graph to be written, and the checks that several formats share.

use super::SaveOptions;
use super::error::WriteError;
use crate::compression::Fill;
use crate::load::Format;
use std::borrow::Cow;
use std::path::Path;
use wolfpath_core::assemble::Lines;
use wolfpath_core::edge_list::{EdgeList, VertexIds};
use wolfpath_core::weights::{ConvertError, WEIGHT, WeightNumber, WeightSlice, Weights};

/// Function that writes the bytes of a file. It is only created for a graph that has passed all checks of the format.
pub(super) type Writer<'a> = Fill<'a>;

/// Graph to be written to a file.
pub(super) struct Job<'a, 'p> {
    pub(super) list: &'a EdgeList,
    pub(super) lines: Lines<'a>,
    /// Weights that are written.
    pub(super) weights: Option<WeightSlice<'a>>,
    /// Names and numbers of all columns that are written, including the weight.
    pub(super) columns: Vec<(&'a str, WeightSlice<'a>)>,
    pub(super) path: &'p Path,
    pub(super) format: Format,
    pub(super) notes: Vec<String>,
    renumber: bool,
}

/// The ids that are written, which may be new numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids<'a> {
    ids: &'a VertexIds,
    /// First of the new ids; `None` if the vertices are not renumbered.
    first: Option<u64>,
}

impl Ids<'_> {
    /// Returns the id of the vertex with this rank.
    #[inline]
    pub(super) fn id(&self, rank: u32) -> u64 {
        self.first.map_or_else(|| self.ids.id(rank), |first| first + u64::from(rank))
    }
}

impl<'a, 'p> Job<'a, 'p> {
    pub(super) fn new(
        list: &'a EdgeList,
        path: &'p Path,
        format: Format,
        options: &SaveOptions,
    ) -> Job<'a, 'p> {
        let mut notes = Vec::new();
        let weights = list.weights().filter(|_| !options.drop_weights).map(Weights::slice);
        let columns = list.columns().filter(|_| !options.drop_weights);
        let columns = columns.map(|(name, numbers)| (name, numbers.slice())).collect();
        if list.columns().next().is_some() && options.drop_weights {
            notes.push("the weights were left out".to_owned());
        }
        Job {
            list,
            lines: Lines::of(list),
            weights,
            columns,
            path,
            format,
            notes,
            renumber: options.renumber,
        }
    }

    /// Checks that there are no columns besides the weight. If the weight has a name, adds a note that the name cannot
    /// be stored.
    pub(super) fn one_weight(&mut self) -> Result<(), WriteError> {
        if self.columns.len() > usize::from(self.weights.is_some()) {
            let columns: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
            let (path, format, columns) = (self.path.to_owned(), self.format, columns.join(", "));
            return Err(WriteError::Columns { path, format, columns });
        }
        if let Some((name, _)) = self.columns.first().filter(|(name, _)| *name != WEIGHT) {
            self.notes.push(format!("the column {name} is written as the weight: the format has no names"));
        }
        Ok(())
    }

    /// Returns `true` if the columns have names that a reader of the file needs to restore them.
    pub(super) fn has_names(&self) -> bool {
        self.columns.len() > 1 || self.columns.first().is_some_and(|(name, _)| *name != WEIGHT)
    }

    /// Returns the ids for a format that stores any id up to `most`. If there are vertices without edges, adds a note
    /// that they cannot be stored.
    pub(super) fn any_ids(&mut self, most: u64) -> Result<Ids<'a>, WriteError> {
        let ids = self.ids(0);
        let last = self.list.num_vertices().checked_sub(1).map(|rank| ids.id(rank));
        if let Some(id) = last.filter(|&id| id > most) {
            let (path, format) = (self.path.to_owned(), self.format);
            return Err(WriteError::IdTooLarge { path, format, id, most });
        }
        let (lost, vertices) = (isolated(self.list), self.list.num_vertices());
        if lost > 0 {
            self.notes.push(format!(
                "{lost} of the {vertices} vertices have no edge and cannot be stored in an edge list (a .wolf file stores them)"
            ));
        }
        Ok(ids)
    }

    /// Returns the ids for a format that requires consecutive ids from `first` on. It also stores vertices without
    /// edges.
    pub(super) fn ids_from(&mut self, first: u64) -> Result<Ids<'a>, WriteError> {
        let (ids, vertices) = (self.list.ids(), self.list.num_vertices());
        if !self.renumber && vertices > 0 && ids.contiguous_from() != Some(first) {
            return Err(WriteError::Ids {
                path: self.path.to_owned(),
                format: self.format,
                first,
                least: ids.id(0),
                greatest: ids.id(vertices - 1),
                vertices,
            });
        }
        Ok(self.ids(first))
    }

    fn ids(&mut self, first: u64) -> Ids<'a> {
        let ids = self.list.ids();
        if !self.renumber || ids.is_empty() || ids.contiguous_from() == Some(first) {
            return Ids { ids, first: None };
        }
        let (least, greatest, vertices) = (ids.id(0), ids.id(ids.len() - 1), u64::from(ids.len()));
        self.notes.push(format!(
            "the vertices were renumbered by ascending id: {least} is {first}, {greatest} is {}",
            first + vertices - 1
        ));
        Ids { ids, first: Some(first) }
    }

    /// Checks that there are no weights.
    pub(super) fn without_weights(&self, instead: &'static str) -> Result<(), WriteError> {
        match self.weights {
            None => Ok(()),
            Some(_) => Err(WriteError::Weights { path: self.path.to_owned(), instead }),
        }
    }

    /// Returns the weights, or an error if there are none.
    pub(super) fn with_weights(&self, instead: &'static str) -> Result<WeightSlice<'a>, WriteError> {
        self.weights.ok_or_else(|| WriteError::NoWeights { path: self.path.to_owned(), instead })
    }

    /// Returns the weights as numbers of type `W`, or an error if the conversion is not exact.
    pub(super) fn exact_weights<W: WeightNumber>(
        &self,
        weights: WeightSlice<'a>,
        expected: &'static str,
    ) -> Result<Cow<'a, [W]>, WriteError> {
        weights.convert::<W>(false).map_err(|error| {
            let line = if let ConvertError::Inexact { position, .. } = error { position } else { 0 };
            self.refused_weight(weights, line, expected)
        })
    }

    /// Returns the error for a weight that the format cannot store.
    pub(super) fn refused_weight(
        &self,
        weights: WeightSlice<'a>,
        line: usize,
        expected: &'static str,
    ) -> WriteError {
        let (source_id, target_id) =
            (self.list.ids().id(self.list.sources()[line]), self.list.ids().id(self.list.targets()[line]));
        let (path, format, weight) = (self.path.to_owned(), self.format, weights.text(line));
        WriteError::Weight { path, format, weight, source_id, target_id, expected }
    }

    /// Checks that the graph is symmetric.
    pub(super) fn symmetric(&self) -> Result<(), WriteError> {
        if self.list.is_symmetric() || self.lines.is_empty() {
            return Ok(());
        }
        Err(WriteError::OneWay { path: self.path.to_owned(), format: self.format })
    }
}

/// Returns the number of vertices without edges.
fn isolated(list: &EdgeList) -> usize {
    let mut seen = vec![false; list.num_vertices() as usize];
    let ends = list.sources().iter().chain(list.targets());
    ends.for_each(|&end| seen[end as usize] = true);
    seen.into_iter().filter(|&seen| !seen).count()
}

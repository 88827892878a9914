//! Columns by name on their way from pieces of a file to a list.

use super::error::LoadError;
use super::format::Format;
use super::reader::Parsed;
use super::{LoadOptions, rounding_note};
use crate::edge_list::EdgeList;
use crate::weights::{Named, WEIGHT, WeightColumn, Weights, check_names};
use std::fmt;
use std::path::Path;

/// As if derived, but for columns that nobody asked for: the text is part of the key of kept graphs, which stay fresh.
impl fmt::Debug for LoadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("LoadOptions");
        text.field("format", &self.format)
            .field("undirected", &self.undirected)
            .field("duplicates", &self.duplicates)
            .field("self_loops", &self.self_loops)
            .field("ignore_extra_columns", &self.ignore_extra_columns);
        if !self.columns.is_empty() {
            text.field("columns", &self.columns);
        }
        text.finish()
    }
}

/// Refuses names that cannot stand together.
pub(super) fn check(path: &Path, options: &LoadOptions) -> Result<(), LoadError> {
    check_names(&options.columns).map_err(|source| LoadError::Columns { path: path.to_owned(), source })
}

/// Refuses columns of a format that has none.
pub(super) fn check_format(path: &Path, format: Format, options: &LoadOptions) -> Result<(), LoadError> {
    if options.columns.is_empty() || matches!(format, Format::EdgeList | Format::Parquet) {
        return Ok(());
    }
    Err(LoadError::NoColumns { path: path.to_owned(), format })
}

/// The columns of all pieces, one after the other.
pub(super) struct Joined(Vec<(Named<Weights>, Option<usize>)>);

/// Takes the columns from the pieces.
pub(super) fn joined(parsed: &mut Parsed) -> Joined {
    let lines = parsed.pieces.iter().map(|piece| piece.len()).sum();
    let names = std::mem::take(&mut parsed.said.columns);
    let join = |(at, name): (usize, String)| {
        let pieces = parsed.pieces.iter_mut();
        let columns: Vec<WeightColumn> =
            pieces.filter_map(|piece| piece.columns.get_mut(at)).map(std::mem::take).collect();
        let (numbers, rounded) = WeightColumn::joined(columns, lines);
        let numbers = numbers.unwrap_or(Weights::U32(Vec::new()));
        (Named { name, numbers }, rounded)
    };
    Joined(names.into_iter().enumerate().map(join).collect())
}

impl Joined {
    /// Gives a list its columns, and its weight a name.
    pub(super) fn join(
        self,
        mut list: EdgeList,
        weight_name: Option<String>,
        notes: &mut Vec<String>,
    ) -> EdgeList {
        let Joined(columns) = self;
        let told = columns.iter().filter_map(|(column, rounded)| {
            rounded.map(|position| rounding_note(&format!("numbers of the column {}", column.name), position))
        });
        notes.extend(told);
        if !columns.is_empty() {
            return list.with_columns(columns.into_iter().map(|(column, _)| column).collect());
        }
        if let Some(name) = weight_name.filter(|name| name != WEIGHT) {
            list.name_weight(name);
        }
        list
    }
}

//! Columns by name on their way from pieces of a file to a list.

use super::LoadOptions;
use super::error::LoadError;
use super::format::Format;
use super::reader::Parsed;
use std::path::Path;
use wolfpath_core::assemble::{Named, WeightColumn, check_names};
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::weights::{WEIGHT, Weights};

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
        assert!(numbers.is_some() || lines == 0, "a column that was read has numbers");
        let numbers = numbers.unwrap_or(Weights::U32(Vec::new()));
        (Named { name, numbers }, rounded)
    };
    Joined(names.into_iter().enumerate().map(join).collect())
}

impl Joined {
    /// The names of the columns, each with the position of the first number that had to be rounded.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&str, Option<usize>)> {
        self.0.iter().map(|(column, rounded)| (column.name.as_str(), *rounded))
    }

    /// Gives a list its columns, and its weight a name.
    pub(super) fn join(self, mut list: EdgeList, weight_name: Option<String>) -> EdgeList {
        let Joined(columns) = self;
        if !columns.is_empty() {
            return list.with_columns(columns.into_iter().map(|(column, _)| column).collect());
        }
        if let Some(name) = weight_name.filter(|name| name != WEIGHT) {
            list.name_weight(name);
        }
        list
    }
}

//! The named columns of a file.

use super::column::WeightColumn;
use super::container::{Section, TABLE_AT};
use super::error::StoreError;
use super::format::{SectionKind, column_kind};
use super::graph_header::read_column_lines;
use super::table::Table;
use crate::program::DatumKind;
use crate::weights::{Columns, MOST_COLUMNS, Named, WEIGHT, check_names};

impl Table {
    /// Returns the name of the weight and the other columns.
    pub(super) fn columns(&self) -> Result<Columns<WeightColumn>, StoreError> {
        let weighted = self.header.own != 0;
        let weight_name = self.weight_name(weighted)?;
        let named = match self.container.find(SectionKind::Columns as u32) {
            Some(section) => self.named(&section, weighted)?,
            None => Vec::new(),
        };
        if let Some(extra) =
            (named.len()..MOST_COLUMNS).find(|&at| self.container.find(column_kind(at)).is_some())
        {
            let found = format!("a column {extra} without a name");
            return Err(self.broken(TABLE_AT as u64, found, format!("{} columns, as named", named.len())));
        }
        let mut others = Vec::with_capacity(named.len());
        for (at, (kind, name)) in named.into_iter().enumerate() {
            let missing = || self.broken(TABLE_AT as u64, format!("no section \"column {at}\""), "one");
            let section = self.container.find(column_kind(at)).ok_or_else(missing)?;
            self.container.expect_elements(&section, kind.size() as u64, self.header.edges)?;
            others.push(Named { name, numbers: WeightColumn::mapped(section, kind) });
        }
        if weight_name.is_some() && !others.is_empty() {
            let found = "a name for the weights, although there are other columns";
            return Err(self.broken(
                TABLE_AT as u64,
                found,
                "a name only if the weights are the only column",
            ));
        }
        Ok(Columns { weight_name, others })
    }

    /// Returns the name of the weights, if it is not `weight`.
    fn weight_name(&self, weighted: bool) -> Result<Option<String>, StoreError> {
        let Some(section) = self.container.find(SectionKind::WeightName as u32) else { return Ok(None) };
        let name = section.text()?;
        let wrong = check_names(&[&name]).err().map(|error| error.to_string());
        let wrong = wrong.or_else(|| (!weighted).then(|| "there are no weights".to_owned()));
        let wrong = wrong.or_else(|| name.eq_ignore_ascii_case(WEIGHT).then(|| format!("`{WEIGHT}`")));
        match wrong {
            Some(found) => {
                Err(self.broken(section.offset, found, "a valid name for the weights, other than `weight`"))
            }
            None => Ok(Some(name)),
        }
    }

    /// Returns the types and names of the other columns. The section has a line `TYPE NAME` for each column.
    fn named(&self, section: &Section, weighted: bool) -> Result<Vec<(DatumKind, String)>, StoreError> {
        let named = read_column_lines(section)?;
        if let Some((_, name)) = named.iter().find(|(_, name)| name.eq_ignore_ascii_case(WEIGHT)) {
            return Err(self.broken(
                section.offset,
                format!("the name `{name}`"),
                "names other than `weight`",
            ));
        }
        if named.len() < if weighted { 1 } else { 2 } {
            let found = format!("{} columns", named.len());
            return Err(self.broken(
                section.offset,
                found,
                "more, because a single column is stored as the weights",
            ));
        }
        Ok(named)
    }
}

//! Edge lists whose lines hold several numbers behind source and target, or have these two elsewhere than in front:
//! which fields are read, and how such lines are read.

use super::ends::Ends;
use super::error::{FieldCount, LineProblem, shown};
use super::fields::{cut_all, id, weight};
use super::plain;
use crate::edge_list::Piece;
use crate::weights::{Number, WeightColumn};

/// The most fields that are read in one go.
const PLAIN: usize = 18;

/// Which fields of a line are read, and as what.
#[derive(Debug)]
pub(super) struct EdgeColumns {
    /// The names of the columns that are read.
    pub(super) names: Vec<String>,
    ends: Ends,
    /// The column that each field belongs to; `None` for the ends and for fields that are not read.
    fields: Vec<Option<usize>>,
    /// A line may have more fields, which are not read.
    ignore_extra: bool,
}

impl EdgeColumns {
    /// Lines with `fields` fields, of which `read` are columns by place and name.
    pub(super) fn new(
        ends: Ends,
        fields: usize,
        read: Vec<(usize, String)>,
        ignore_extra: bool,
    ) -> EdgeColumns {
        let mut columns = vec![None; fields];
        for (column, (place, _)) in read.iter().enumerate() {
            columns[*place] = Some(column);
        }
        let names = read.into_iter().map(|(_, name)| name).collect();
        EdgeColumns { names, ends, fields: columns, ignore_extra }
    }

    /// Reads a line of plain numbers: see `LineReader::plain`.
    #[inline]
    pub(super) fn plain(&self, text: &[u8], mut at: usize, piece: &mut Piece) -> Option<usize> {
        let mut numbers = [0; PLAIN];
        let numbers = numbers.get_mut(..self.fields.len())?;
        for (place, number) in numbers.iter_mut().enumerate() {
            if place > 0 {
                at = plain::separator(text, at)?;
            }
            (*number, at) = plain::number(text, at)?;
        }
        let next = plain::line_end(text, at)?;
        piece.push(numbers[self.ends.source], numbers[self.ends.target]);
        let columns = self.columns_of(piece);
        for (&number, &column) in numbers.iter().zip(&self.fields) {
            if let Some(column) = column {
                columns[column].push_unsigned(number);
            }
        }
        Some(next)
    }

    /// Reads any line that is not a comment.
    pub(super) fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem> {
        let fields = cut_all(line)?;
        let Ends { source, target } = self.ends;
        let wanted = self.fields.len();
        if fields.len() < wanted || (fields.len() > wanted && !self.ignore_extra) {
            let ends = [source, target].map(|end| fields.get(end));
            if let Some(problem) = ends.into_iter().flatten().find_map(|field| id(field).err()) {
                return Err(problem);
            }
            return Err(LineProblem::ColumnCount {
                found: FieldCount(fields.len()),
                expected: self.expected(),
            });
        }
        let (source, target) = (id(fields[source])?, id(fields[target])?);
        let mut numbers = Vec::with_capacity(self.names.len());
        for (field, column) in fields.iter().zip(&self.fields) {
            if let Some(column) = *column {
                numbers.push((column, number(field, &self.names[column])?));
            }
        }
        piece.push(source, target);
        let columns = self.columns_of(piece);
        numbers.into_iter().for_each(|(column, number)| columns[column].push(number));
        Ok(())
    }

    fn columns_of<'p>(&self, piece: &'p mut Piece) -> &'p mut [WeightColumn] {
        if piece.columns.is_empty() {
            piece.columns.resize_with(self.names.len(), WeightColumn::default);
        }
        &mut piece.columns
    }

    /// Shows what a line should be.
    fn expected(&self) -> String {
        let Ends { source, target } = self.ends;
        let name = |(place, column): (usize, &Option<usize>)| match column {
            Some(column) => self.names[*column].as_str(),
            None if place == source => "source",
            None if place == target => "target",
            None => "...",
        };
        let names: Vec<&str> = self.fields.iter().enumerate().map(name).collect();
        format!("`{}`", names.join(" "))
    }
}

/// A number of a column; `true` and `false` are 1 and 0.
fn number(field: &[u8], column: &str) -> Result<Number, LineProblem> {
    match weight(field) {
        Err(LineProblem::NotAWeight { .. }) => match field.to_ascii_lowercase().as_slice() {
            b"true" => Ok(Number::Integer(1)),
            b"false" => Ok(Number::Integer(0)),
            _ => Err(LineProblem::NotANumber { field: shown(field), column: column.to_owned() }),
        },
        Err(LineProblem::NanWeight) => Err(LineProblem::NanNumber { column: column.to_owned() }),
        read => read,
    }
}

//! Edge lists whose lines contain several numbers besides source and target, or whose source and target are not the
//! first two fields. Determines the fields to read, and reads such lines.

use super::ends::Ends;
use super::error::{FieldCount, LineProblem, shown};
use super::fields::{cut_all, id, plain_line_end, plain_number, plain_pair, plain_separator, weight};
use wolfpath_core::assemble::{Number, Piece, WeightBuilder};

/// Maximum number of fields that the fast path reads.
const PLAIN: usize = 18;

/// The fields of a line that are read, and the meaning of each.
#[derive(Debug)]
pub(super) struct EdgeColumns {
    /// Names of the columns that are read.
    pub(super) names: Vec<String>,
    /// Index of the field in which each of the columns in `names` is found.
    places: Vec<usize>,
    ends: Ends,
    /// Number of fields of a line.
    fields: usize,
    /// `true` if a line may have more fields, which are ignored.
    ignore_extra: bool,
}

impl EdgeColumns {
    /// Creates a reader of lines with `fields` fields. `read` contains the index and name of each column to read.
    pub(super) fn new(
        ends: Ends,
        fields: usize,
        read: Vec<(usize, String)>,
        ignore_extra: bool,
    ) -> EdgeColumns {
        let (places, names) = read.into_iter().unzip();
        EdgeColumns { names, places, ends, fields, ignore_extra }
    }

    /// Reads a line of plain numbers; see `LineReader::plain`.
    #[inline]
    pub(super) fn plain(&self, text: &[u8], at: usize, piece: &mut Piece) -> Option<usize> {
        let mut numbers = [0; PLAIN];
        let numbers = numbers.get_mut(..self.fields)?;
        let [first, second, others @ ..] = &mut *numbers else { return None };
        let mut at = at;
        (*first, *second, at) = plain_pair(text, at)?;
        for number in others {
            (*number, at) = plain_number(text, plain_separator(text, at)?)?;
        }
        let next = plain_line_end(text, at)?;
        piece.push(numbers[self.ends.source], numbers[self.ends.target]);
        for (column, &place) in self.columns_of(piece).iter_mut().zip(&self.places) {
            column.push_unsigned(numbers[place]);
        }
        Some(next)
    }

    /// Reads any line that is not a comment.
    pub(super) fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem> {
        let fields = cut_all(line)?;
        let Ends { source, target } = self.ends;
        let wanted = self.fields;
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
        let columns = self.places.iter().zip(&self.names);
        let numbers = columns.map(|(&place, name)| number(fields[place], name));
        let numbers = numbers.collect::<Result<Vec<Number>, LineProblem>>()?;
        piece.push(source, target);
        for (column, number) in self.columns_of(piece).iter_mut().zip(numbers) {
            column.push(number);
        }
        Ok(())
    }

    fn columns_of<'p>(&self, piece: &'p mut Piece) -> &'p mut [WeightBuilder] {
        if piece.columns.is_empty() {
            piece.columns.resize_with(self.names.len(), WeightBuilder::default);
        }
        &mut piece.columns
    }

    /// Returns the expected form of a line.
    fn expected(&self) -> String {
        let name = |place: usize| match self.places.iter().position(|&read| read == place) {
            Some(column) => self.names[column].as_str(),
            None if place == self.ends.source => "source",
            None if place == self.ends.target => "target",
            None => "...",
        };
        let names: Vec<&str> = (0..self.fields).map(name).collect();
        format!("`{}`", names.join(" "))
    }
}

/// Parses a number of a column. The word `true` is read as 1, and `false` as 0.
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

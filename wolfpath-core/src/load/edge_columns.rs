//! Edge lists whose lines hold several numbers behind source and target: which columns they are, by a line of names
//! or by the options, and how such lines are read.

use super::error::{FieldCount, LineProblem, shown};
use super::fields::{cut_all, id, weight};
use super::plain;
use crate::edge_list::Piece;
use crate::weights::{Number, WeightColumn, check_names, find_name};

/// Names of the two ends that a comment must have to count as a line of names.
const SOURCES: [&str; 4] = ["source", "src", "from", "fromnodeid"];
const TARGETS: [&str; 5] = ["target", "dst", "to", "destination", "tonodeid"];

/// The most fields that are read in one go.
const PLAIN: usize = 16;

/// The words of a line, where it holds nothing else: what might name columns.
pub(super) fn words(line: &[u8]) -> Option<Vec<String>> {
    let fields = cut_all(line).ok()?;
    let word = |field: &&[u8]| {
        let field = field.strip_prefix(b"\"").unwrap_or(field);
        let field = field.strip_suffix(b"\"").unwrap_or(field);
        let begins = field.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        begins.then(|| String::from_utf8_lossy(field).into_owned())
    };
    fields.iter().map(word).collect()
}

/// The names in a comment that begins with those of source and target and goes on with at least one more.
pub(super) fn commented(line: &[u8]) -> Option<Vec<String>> {
    let text = line.trim_ascii_start();
    let text = text.strip_prefix(b"#").or_else(|| text.strip_prefix(b"%"))?;
    let names = words(text)?;
    let is = |name: &String, known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    match names.as_slice() {
        [source, target, rest @ ..] if !rest.is_empty() => {
            let fits = is(source, &SOURCES) && is(target, &TARGETS) && check_names(rest).is_ok();
            fits.then_some(names)
        }
        _ => None,
    }
}

/// Whether a line of names has those of source and target, but not in front.
pub(super) fn has_ends_elsewhere(names: &[String]) -> bool {
    let place = |known: &[&str]| find_any(names, known);
    match (place(&SOURCES), place(&TARGETS)) {
        (Some(source), Some(target)) => (source, target) != (0, 1) && source.max(target) >= 2,
        _ => false,
    }
}

fn find_any(names: &[String], known: &[&str]) -> Option<usize> {
    names.iter().position(|name| known.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// Which numbers of a line are read.
#[derive(Debug)]
pub(super) struct EdgeColumns {
    /// The names of what is read.
    pub(super) names: Vec<String>,
    /// What stands behind source and target: which column it belongs to, if it is read.
    take: Vec<Option<usize>>,
    /// What follows these fields is none of our business.
    ignore_extra: bool,
}

impl EdgeColumns {
    /// All of these columns.
    pub(super) fn all(names: Vec<String>, ignore_extra: bool) -> EdgeColumns {
        let take = (0..names.len()).map(Some).collect();
        EdgeColumns { names, take, ignore_extra }
    }

    /// The columns that were asked for among those that a file names.
    pub(super) fn chosen(asked: &[String], known: &[String]) -> Result<EdgeColumns, LineProblem> {
        let mut take = vec![None; known.len()];
        for (column, name) in asked.iter().enumerate() {
            let missing = || LineProblem::NoColumn { name: name.clone(), known: known.join(", ") };
            take[find_name(known, name).ok_or_else(missing)?] = Some(column);
        }
        Ok(EdgeColumns { names: asked.to_vec(), take, ignore_extra: false })
    }

    /// Reads a line of plain numbers: see `LineReader::plain`.
    #[inline]
    pub(super) fn plain(&self, text: &[u8], at: usize, piece: &mut Piece) -> Option<usize> {
        let (source, target, mut at) = plain::pair(text, at)?;
        let mut numbers = [0; PLAIN];
        let numbers = numbers.get_mut(..self.take.len())?;
        for number in numbers.iter_mut() {
            (*number, at) = plain::number(text, plain::separator(text, at)?)?;
        }
        let next = plain::line_end(text, at)?;
        piece.push(source, target);
        let columns = self.columns_of(piece);
        for (&number, &column) in numbers.iter().zip(&self.take) {
            if let Some(column) = column {
                columns[column].push_unsigned(number);
            }
        }
        Some(next)
    }

    /// Reads any line that is no comment.
    pub(super) fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem> {
        let fields = cut_all(line)?;
        let wanted = self.take.len() + 2;
        if fields.len() < wanted || (fields.len() > wanted && !self.ignore_extra) {
            if let Some(problem) = fields.iter().take(2).find_map(|field| id(field).err()) {
                return Err(problem);
            }
            return Err(LineProblem::ColumnCount {
                found: FieldCount(fields.len()),
                expected: self.expected(),
            });
        }
        let (source, target) = (id(fields[0])?, id(fields[1])?);
        let mut numbers = Vec::with_capacity(self.names.len());
        for (field, column) in fields[2..].iter().zip(&self.take) {
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

    /// A line, as it should be.
    fn expected(&self) -> String {
        let name = |column: &Option<usize>| column.map_or("...", |column| self.names[column].as_str());
        let names: Vec<&str> = self.take.iter().map(name).collect();
        format!("`source target {}`", names.join(" "))
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

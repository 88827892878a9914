//! Matrix Market in coordinate form: a banner, comments, a size line, and one entry per line. The entry `i j` is the
//! edge from `i` to `j`. All declared vertices are kept.
//!
//! - A symmetric matrix is an undirected graph. Its file may list only the entries of one triangle (either one), or
//!   those of both.
//! - Each entry of a skew-symmetric matrix represents two edges, the second with the negated weight. Its file lists
//!   only the entries below the diagonal.

use super::error::{LineProblem, shown};
use super::fields::{Fields, count, id, plain_line_end, plain_pair, plain_triple, weight};
use super::format::has_matrix_market_banner;
use super::reader::{Line, LineReader, Part, Said, check_declared, ids_from_one, push_weight};
use std::ops::Range;
use wolfpath_core::assemble::{Number, Piece};

const SIZE_LINE: &str = "rows columns entries";

/// Reader of Matrix Market files.
#[derive(Debug, Default)]
pub(super) struct MatrixMarket {
    /// Type of the entries' values, as declared by the banner.
    values: Option<Values>,
    symmetry: MatrixSymmetry,
    size: Option<Size>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    Pattern,
    Integer,
    Unsigned,
    Real,
}

/// Entries that the file omits, as declared by the banner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum MatrixSymmetry {
    /// No entries.
    #[default]
    General,
    /// The opposite entries, which have the same values.
    Symmetric,
    /// The opposite entries, which have the negated values. The diagonal is zero.
    Skew,
}

#[derive(Clone, Debug)]
struct Size {
    line: u64,
    ids: Range<u64>,
    entries: u64,
}

impl LineReader for MatrixMarket {
    fn head(&mut self, line: Line<'_>) -> Result<Part, LineProblem> {
        if self.values.is_none() {
            self.banner_line(line.bytes)?;
            return Ok(Part::Head);
        }
        if has_matrix_market_banner(line.bytes) {
            return Err(LineProblem::SecondBanner);
        }
        if is_comment(line.bytes) {
            return Ok(Part::Head);
        }
        if self.size.is_some() {
            return Ok(Part::Body);
        }
        self.size_line(line)?;
        Ok(Part::Head)
    }

    #[inline]
    fn plain(&self, text: &[u8], at: usize, piece: &mut Piece) -> Option<usize> {
        let size = self.size.as_ref().filter(|_| self.symmetry != MatrixSymmetry::Skew)?;
        let declared = |row, column| size.ids.contains(&row) && size.ids.contains(&column);
        if self.values == Some(Values::Pattern) {
            let (row, column, at) = plain_pair(text, at)?;
            let next = plain_line_end(text, at)?;
            declared(row, column).then(|| piece.push(row, column))?;
            return Some(next);
        }
        let (row, column, value, at) = plain_triple(text, at)?;
        let next = plain_line_end(text, at)?;
        declared(row, column).then(|| piece.push(row, column))?;
        piece.weights.push_unsigned(value.into());
        Some(next)
    }

    fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem> {
        if is_comment(line) {
            let second = has_matrix_market_banner(line);
            return if second { Err(LineProblem::SecondBanner) } else { Ok(()) };
        }
        let fields = Fields::cut(line)?;
        let (row, column, value) = match self.values {
            Some(values @ (Values::Integer | Values::Unsigned | Values::Real)) => {
                let [row, column, value] = fields.exactly("`row column value`")?;
                (row, column, Some(value_of(value, values)?))
            }
            Some(Values::Pattern) | None => {
                let [row, column] = fields.exactly("`row column`, as the first line says `pattern`")?;
                (row, column, None)
            }
        };
        let (row, column) = (id(row)?, id(column)?);
        if let Some(size) = &self.size {
            check_declared(&size.ids, row)?;
            check_declared(&size.ids, column)?;
        }
        let opposite = match self.symmetry {
            MatrixSymmetry::General | MatrixSymmetry::Symmetric => None,
            MatrixSymmetry::Skew if row == column => return Err(LineProblem::Diagonal { id: row }),
            MatrixSymmetry::Skew if row < column => return Err(LineProblem::AboveDiagonal { row, column }),
            MatrixSymmetry::Skew => value.map(negated),
        };
        piece.push(row, column);
        if let Some(value) = value {
            push_weight(piece, value);
        }
        if let Some(value) = opposite {
            piece.push(column, row);
            push_weight(piece, value);
        }
        Ok(())
    }

    fn finish(self, edges: u64) -> Result<Said, LineProblem> {
        let size = self.size.ok_or(LineProblem::NoSizeLine)?;
        let mirrored = self.symmetry == MatrixSymmetry::Skew;
        let found = if mirrored { edges / 2 } else { edges };
        if found != size.entries {
            let (declared_at, declared) = (size.line, size.entries);
            return Err(LineProblem::WrongCount { declared_at, declared, found });
        }
        let undirected = self.symmetry == MatrixSymmetry::Symmetric;
        Ok(Said { declared: Some(size.ids), undirected, mirrored, ..Said::default() })
    }
}

fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'%'))
}

impl MatrixMarket {
    fn banner_line(&mut self, line: &[u8]) -> Result<(), LineProblem> {
        if !has_matrix_market_banner(line) {
            return Err(LineProblem::NoBanner { found: shown(line.trim_ascii()) });
        }
        let words = String::from_utf8_lossy(line).to_ascii_lowercase();
        let words: Vec<&str> = words.split_ascii_whitespace().skip(1).collect();
        let word = |place: usize| words.get(place).copied().unwrap_or("(nothing)");
        let unsupported = |place: usize, expected| {
            Err(LineProblem::UnsupportedMatrix { found: shown(word(place).as_bytes()), expected })
        };
        if word(0) != "matrix" {
            return unsupported(0, "`matrix`");
        }
        if word(1) != "coordinate" {
            return unsupported(1, "`coordinate`, the form for sparse matrices");
        }
        self.values = Some(match word(2) {
            "pattern" => Values::Pattern,
            "integer" => Values::Integer,
            "unsigned-integer" => Values::Unsigned,
            "real" | "double" => Values::Real,
            _ => return unsupported(2, "`pattern`, `integer`, `unsigned-integer` or `real`"),
        });
        self.symmetry = match word(3) {
            "general" => MatrixSymmetry::General,
            "symmetric" => MatrixSymmetry::Symmetric,
            "skew-symmetric" if matches!(self.values, Some(Values::Integer | Values::Real)) => {
                MatrixSymmetry::Skew
            }
            "skew-symmetric" => return unsupported(3, "`integer` or `real` values, which can be negated"),
            _ => return unsupported(3, "`general`, `symmetric` or `skew-symmetric`"),
        };
        Ok(())
    }

    fn size_line(&mut self, line: Line<'_>) -> Result<(), LineProblem> {
        let fields = Fields::cut(line.bytes)?.exactly::<3>("the size line `rows columns entries`")?;
        let [rows, columns, entries] = fields.map(|field| count(field, SIZE_LINE));
        let (rows, columns, entries) = (rows?, columns?, entries?);
        if rows != columns {
            return Err(LineProblem::NotSquare { rows, columns });
        }
        self.size = Some(Size { line: line.number, ids: ids_from_one(rows)?, entries });
        Ok(())
    }
}

fn value_of(field: &[u8], values: Values) -> Result<Number, LineProblem> {
    match (weight(field)?, values) {
        (Number::Float(_), Values::Integer) => {
            Err(LineProblem::NotAnInteger { field: shown(field), says: "integer" })
        }
        (Number::Float(_), Values::Unsigned) => {
            Err(LineProblem::NotAnInteger { field: shown(field), says: "unsigned-integer" })
        }
        (Number::Integer(value), Values::Unsigned) if value < 0 => {
            Err(LineProblem::NotUnsigned { field: shown(field) })
        }
        (value, _) => Ok(value),
    }
}

/// Returns the negated number. Zero stays unchanged.
fn negated(value: Number) -> Number {
    match value {
        Number::Integer(integer) => {
            integer.checked_neg().map_or(Number::Float(-(integer as f64)), Number::Integer)
        }
        Number::Float(0.0) => value,
        Number::Float(float) => Number::Float(-float),
    }
}

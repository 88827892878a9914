//! Matrix Market, coordinate form: a banner, comments, a size line, one entry a line. The entry `i j` is the edge
//! from `i` to `j`; a symmetric matrix is an undirected graph. All declared vertices are kept.

use super::error::{LineProblem, shown};
use super::fields::{Fields, count, id, weight};
use super::format::Format;
use super::reader::{Line, LineReader, Parsed, check_declared, ids_from_one};
use crate::weights::{Number, WeightColumn};
use std::ops::Range;

const SIZE_LINE: &str = "rows columns entries";

/// The reader of Matrix Market files.
#[derive(Debug, Default)]
pub(super) struct MatrixMarket {
    /// What the banner says of the entries' values.
    values: Option<Values>,
    size: Option<Size>,
    parsed: Parsed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    Pattern,
    Integer,
    Real,
}

#[derive(Clone, Debug)]
struct Size {
    line: u64,
    ids: Range<u64>,
    entries: u64,
}

impl LineReader for MatrixMarket {
    #[inline]
    fn line(&mut self, line: Line<'_>) -> Result<(), LineProblem> {
        let Some(values) = self.values else {
            return self.banner_line(line.bytes);
        };
        if matches!(line.bytes.trim_ascii_start().first(), None | Some(b'%')) {
            return Ok(());
        }
        match self.size {
            None => self.size_line(line, values),
            Some(_) => self.entry(line.bytes, values),
        }
    }

    fn finish(mut self) -> Result<Parsed, LineProblem> {
        let size = self.size.ok_or(LineProblem::NoSizeLine)?;
        let found = self.parsed.edges.len() as u64;
        if found != size.entries {
            return Err(LineProblem::WrongCount { declared_at: size.line, declared: size.entries, found });
        }
        self.parsed.declared = Some(size.ids);
        Ok(self.parsed)
    }
}

impl MatrixMarket {
    fn banner_line(&mut self, line: &[u8]) -> Result<(), LineProblem> {
        if !Format::has_matrix_market_banner(line) {
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
            "real" | "double" => Values::Real,
            _ => return unsupported(2, "`pattern`, `integer` or `real`"),
        });
        self.parsed.undirected = match word(3) {
            "general" => false,
            "symmetric" => true,
            _ => return unsupported(3, "`general` or `symmetric`"),
        };
        Ok(())
    }

    fn size_line(&mut self, line: Line<'_>, values: Values) -> Result<(), LineProblem> {
        let fields = Fields::cut(line.bytes)?.exactly::<3>("the size line `rows columns entries`")?;
        let [rows, columns, entries] = fields.map(|field| count(field, SIZE_LINE));
        let (rows, columns, entries) = (rows?, columns?, entries?);
        if rows != columns {
            return Err(LineProblem::NotSquare { rows, columns });
        }
        self.size = Some(Size { line: line.number, ids: ids_from_one(rows)?, entries });
        if values != Values::Pattern {
            self.parsed.weights = Some(WeightColumn::default());
        }
        Ok(())
    }

    #[inline]
    fn entry(&mut self, line: &[u8], values: Values) -> Result<(), LineProblem> {
        let fields = Fields::cut(line)?;
        let (row, column) = if values == Values::Pattern {
            let [row, column] = fields.exactly("`row column`, as the first line says `pattern`")?;
            (row, column)
        } else {
            let [row, column, value] = fields.exactly("`row column value`")?;
            self.parsed.push_weight(value_of(value, values)?);
            (row, column)
        };
        let (row, column) = (id(row)?, id(column)?);
        if let Some(size) = &self.size {
            check_declared(&size.ids, row)?;
            check_declared(&size.ids, column)?;
        }
        self.parsed.edges.push(row, column);
        Ok(())
    }
}

fn value_of(field: &[u8], values: Values) -> Result<Number, LineProblem> {
    match weight(field)? {
        Number::Float(_) if values == Values::Integer => {
            Err(LineProblem::NotAnInteger { field: shown(field) })
        }
        value => Ok(value),
    }
}

//! Edge lists as SNAP, TSV, CSV and plain text publish them: lines `source target` or `source target weight`,
//! comments after `#` or `%`, and perhaps a first line of words.

use super::error::{FieldCount, LineProblem, shown};
use super::fields::{Fields, id, weight};
use super::format::Format;
use super::reader::{Line, LineReader, Parsed};
use crate::weights::{Number, WeightColumn};

const EXPECTED: &str = "`source target` or `source target weight`";

/// The reader of edge lists.
#[derive(Debug, Default)]
pub(super) struct EdgeText {
    parsed: Parsed,
    header_seen: bool,
}

impl LineReader for EdgeText {
    #[inline]
    fn line(&mut self, line: Line<'_>) -> Result<(), LineProblem> {
        if matches!(line.bytes.trim_ascii_start().first(), None | Some(b'#' | b'%')) {
            return comment(line);
        }
        let fields = Fields::cut(line.bytes)?;
        match *fields.as_slice() {
            [source, target] | [source, target, _] if !is_word(source) || !is_word(target) => {
                self.edge(source, target, fields.as_slice().get(2).copied())
            }
            _ => self.unusual(line, fields.as_slice()),
        }
    }

    fn finish(mut self) -> Result<Parsed, LineProblem> {
        if self.parsed.edges.len() == 0 {
            self.parsed.notes.push("there are no edges in the file".to_owned());
        }
        Ok(self.parsed)
    }
}

impl EdgeText {
    #[inline]
    fn edge(&mut self, source: &[u8], target: &[u8], third: Option<&[u8]>) -> Result<(), LineProblem> {
        let (source, target) = (id(source)?, id(target)?);
        let first = self.parsed.edges.len() == 0;
        match (&mut self.parsed.weights, third) {
            (None, None) => {}
            (Some(weights), Some(field)) => push(weights, weight(field)?),
            (Some(_), None) => return Err(LineProblem::WeightMissing),
            (None, Some(_)) if !first => return Err(LineProblem::WeightUnexpected),
            (None, Some(field)) => self.parsed.push_weight(weight(field)?),
        }
        self.parsed.edges.push(source, target);
        Ok(())
    }

    /// A first line of words is a header; everything else that is not two or three numbers is a mistake.
    fn unusual(&mut self, line: Line<'_>, fields: &[&[u8]]) -> Result<(), LineProblem> {
        let words = fields.len() >= 2 && fields.iter().all(|field| is_word(field));
        if words && !self.header_seen && self.parsed.edges.len() == 0 {
            self.header_seen = true;
            let header = shown(line.bytes.trim_ascii());
            self.parsed
                .notes
                .push(format!("line {} holds words and was skipped as a header: {header}", line.number));
            return Ok(());
        }
        let found = FieldCount(fields.len());
        for field in fields.iter().take(2) {
            id(field)?;
        }
        if fields.len() < 2 {
            return Err(LineProblem::TooFewFields { found, expected: EXPECTED });
        }
        Err(LineProblem::TooManyFields { found, expected: EXPECTED })
    }
}

#[inline]
fn push(weights: &mut WeightColumn, weight: Number) {
    match weight {
        Number::Integer(integer) if integer >= 0 && integer <= u32::MAX.into() => {
            weights.push_unsigned(integer as u64);
        }
        _ => weights.push(weight),
    }
}

/// A comment, unless it is the first line of another format.
fn comment(line: Line<'_>) -> Result<(), LineProblem> {
    if line.number == 1 && Format::has_matrix_market_banner(line.bytes) {
        return Err(LineProblem::UnexpectedBanner);
    }
    Ok(())
}

/// Whether a field is text that a table has at the top of a column.
#[inline]
fn is_word(field: &[u8]) -> bool {
    field.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'"'))
}

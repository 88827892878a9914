//! Edge lists as SNAP, TSV, CSV and plain text publish them: lines `source target` or `source target weight`,
//! comments after `#` or `%`, and perhaps a first line of words.

use super::error::{FieldCount, LineProblem, shown};
use super::fields::{Fields, id, weight};
use super::format::Format;
use super::plain;
use super::reader::{Line, LineReader, Part, Said, push_weight};
use crate::edge_list::Piece;

const EXPECTED: &str = "`source target` or `source target weight`";

/// The reader of edge lists.
#[derive(Debug, Default)]
pub(super) struct EdgeText {
    /// Fields beyond the third are none of our business.
    ignore_extra: bool,
    /// Whether edges have weights: the first one decides.
    weighted: bool,
    header_seen: bool,
    notes: Vec<String>,
}

impl EdgeText {
    pub(super) fn new(ignore_extra: bool) -> EdgeText {
        EdgeText { ignore_extra, ..EdgeText::default() }
    }
}

impl LineReader for EdgeText {
    fn head(&mut self, line: Line<'_>) -> Result<Part, LineProblem> {
        if is_comment(line.bytes) {
            // A comment, unless it is the first line of another format.
            if line.number == 1 && Format::has_matrix_market_banner(line.bytes) {
                return Err(LineProblem::UnexpectedBanner);
            }
            return Ok(Part::Head);
        }
        let fields = Fields::cut(line.bytes)?;
        let fields = fields.as_slice();
        let words = fields.len() >= 2 && fields.iter().all(|field| is_word(field));
        if words && !self.header_seen {
            self.header_seen = true;
            let header = shown(line.bytes.trim_ascii());
            let note = format!("line {} holds words and was skipped as a header: {header}", line.number);
            self.notes.push(note);
            return Ok(Part::Head);
        }
        self.weighted = fields.len() >= 3;
        Ok(Part::Body)
    }

    #[inline]
    fn plain(&self, text: &[u8], at: usize, piece: &mut Piece) -> Option<usize> {
        if self.weighted {
            let (source, target, weight, at) = plain::triple(text, at)?;
            let next = plain::line_end(text, at)?;
            piece.push(source, target);
            piece.weights.push_unsigned(weight.into());
            return Some(next);
        }
        let (source, target, at) = plain::pair(text, at)?;
        let next = plain::line_end(text, at)?;
        piece.push(source, target);
        Some(next)
    }

    fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem> {
        if is_comment(line) {
            return Ok(());
        }
        let fields = Fields::cut(line)?;
        match *fields.as_slice() {
            [source, target] if self.weighted => {
                id(source)?;
                id(target)?;
                Err(LineProblem::WeightMissing)
            }
            [source, target] => {
                piece.push(id(source)?, id(target)?);
                Ok(())
            }
            [source, target, third] => self.triple(source, target, third, piece),
            [source, target, third, ..] if self.ignore_extra => self.triple(source, target, third, piece),
            ref fields => Err(unusual(fields)),
        }
    }

    fn finish(mut self, edges: u64) -> Result<Said, LineProblem> {
        if edges == 0 {
            self.notes.push("there are no edges in the file".to_owned());
        }
        Ok(Said { notes: self.notes, ..Said::default() })
    }
}

impl EdgeText {
    fn triple(
        &self,
        source: &[u8],
        target: &[u8],
        third: &[u8],
        piece: &mut Piece,
    ) -> Result<(), LineProblem> {
        let (source, target) = (id(source)?, id(target)?);
        if !self.weighted {
            return Err(LineProblem::WeightUnexpected);
        }
        let weight = weight(third)?;
        piece.push(source, target);
        push_weight(piece, weight);
        Ok(())
    }
}

/// What is wrong with a line that has neither two nor three fields.
#[cold]
fn unusual(fields: &[&[u8]]) -> LineProblem {
    let found = FieldCount(fields.len());
    if let Some(problem) = fields.iter().take(2).find_map(|field| id(field).err()) {
        return problem;
    }
    if fields.len() < 2 {
        return LineProblem::TooFewFields { found, expected: EXPECTED };
    }
    LineProblem::ExtraFields { found, expected: EXPECTED }
}

fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#' | b'%'))
}

/// Whether a field is text that a table has at the top of a column.
fn is_word(field: &[u8]) -> bool {
    let unquoted = field.strip_prefix(b"\"").unwrap_or(field);
    unquoted.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}

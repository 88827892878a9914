//! Edge lists as SNAP, TSV, CSV and plain text publish them: lines `source target` or `source target weight`,
//! comments after `#` or `%`, and perhaps a first line of words. Lines of more numbers are columns by name.

use super::edge_columns::{self, EdgeColumns};
use super::error::{FieldCount, LineProblem, shown};
use super::fields::{Fields, cut_all, id, weight};
use super::format::Format;
use super::plain;
use super::reader::{Line, LineReader, Part, Said, push_weight};
use crate::edge_list::Piece;
use crate::weights::{check_names, is_name};

const EXPECTED: &str = "`source target` or `source target weight`";

/// The reader of edge lists.
#[derive(Debug, Default)]
pub(super) struct EdgeText {
    /// Fields beyond the third are none of our business.
    ignore_extra: bool,
    /// The names of the columns that were asked for; nothing was where there are none.
    asked: Vec<String>,
    /// What a line of words or a comment says of the columns, those of source and target included.
    named: Option<Vec<String>>,
    header_seen: bool,
    body: Body,
    /// What the only number of a line is called, where that is known and not `weight`.
    weight_name: Option<String>,
    notes: Vec<String>,
}

/// What lines hold: the head and the first edge decide.
#[derive(Debug, Default)]
enum Body {
    /// `source target`
    #[default]
    Pairs,
    /// `source target weight`
    Weighted,
    /// `source target` and columns by name.
    Columns(EdgeColumns),
}

impl EdgeText {
    pub(super) fn new(ignore_extra: bool, asked: &[String]) -> EdgeText {
        EdgeText { ignore_extra, asked: asked.to_vec(), ..EdgeText::default() }
    }
}

impl LineReader for EdgeText {
    fn head(&mut self, line: Line<'_>) -> Result<Part, LineProblem> {
        if is_comment(line.bytes) {
            // A comment, unless it is the first line of another format.
            if line.number == 1 && Format::has_matrix_market_banner(line.bytes) {
                return Err(LineProblem::UnexpectedBanner);
            }
            if !self.header_seen {
                self.named = edge_columns::commented(line.bytes).or(self.named.take());
            }
            return Ok(Part::Head);
        }
        let fields = Fields::cut(line.bytes)?;
        let fields = fields.as_slice();
        let words = fields.len() >= 2 && fields.iter().all(|field| is_word(field));
        if words && !self.header_seen {
            self.header_seen = true;
            self.named = edge_columns::words(line.bytes);
            let header = shown(line.bytes.trim_ascii());
            let note = format!("line {} holds words and was skipped as a header: {header}", line.number);
            self.notes.push(note);
            return Ok(Part::Head);
        }
        self.body = self.body(line.bytes)?;
        Ok(Part::Body)
    }

    #[inline]
    fn plain(&self, text: &[u8], at: usize, piece: &mut Piece) -> Option<usize> {
        match &self.body {
            Body::Weighted => {
                let (source, target, weight, at) = plain::triple(text, at)?;
                let next = plain::line_end(text, at)?;
                piece.push(source, target);
                piece.weights.push_unsigned(weight.into());
                Some(next)
            }
            Body::Pairs => {
                let (source, target, at) = plain::pair(text, at)?;
                let next = plain::line_end(text, at)?;
                piece.push(source, target);
                Some(next)
            }
            Body::Columns(columns) => columns.plain(text, at, piece),
        }
    }

    fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem> {
        if is_comment(line) {
            return Ok(());
        }
        if let Body::Columns(columns) = &self.body {
            return columns.line(line, piece);
        }
        let fields = Fields::cut(line)?;
        match *fields.as_slice() {
            [source, target] if self.is_weighted() => {
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
        let columns = match self.body {
            Body::Columns(columns) => columns.names,
            Body::Pairs | Body::Weighted => Vec::new(),
        };
        Ok(Said { notes: self.notes, columns, weight_name: self.weight_name, ..Said::default() })
    }
}

impl EdgeText {
    fn is_weighted(&self) -> bool {
        matches!(self.body, Body::Weighted)
    }

    /// What lines hold, by the first of them. A line of names that names more or fewer fields than there are is none.
    fn body(&mut self, first: &[u8]) -> Result<Body, LineProblem> {
        let fields = cut_all(first)?.len();
        let named = self.named.take().filter(|names| names.len() == fields && fields > 2);
        let elsewhere = named.as_ref().filter(|names| edge_columns::has_ends_elsewhere(names));
        if let Some(names) = elsewhere {
            return Err(LineProblem::EndsElsewhere { found: names.join(" ") });
        }
        // What source and target are called is of no use to anybody.
        let named = named.map(|names| names[2..].to_vec());
        if !self.asked.is_empty() {
            let columns = match named {
                Some(known) => EdgeColumns::chosen(&self.asked, &known)?,
                None => EdgeColumns::all(self.asked.clone(), self.ignore_extra),
            };
            return Ok(self.columns(columns, fields));
        }
        match named {
            Some(names) if fields == 3 => {
                self.weight_name = names.into_iter().next().filter(|name| is_name(name));
                Ok(Body::Weighted)
            }
            Some(names) if !self.ignore_extra => {
                check_names(&names).map_err(LineProblem::Columns)?;
                Ok(self.columns(EdgeColumns::all(names, false), fields))
            }
            _ if fields >= 3 => Ok(Body::Weighted),
            _ => Ok(Body::Pairs),
        }
    }

    /// Columns; one alone is read as every weight is.
    fn columns(&mut self, columns: EdgeColumns, fields: usize) -> Body {
        match columns.names.as_slice() {
            [only] if fields == 3 => {
                self.weight_name = Some(only.clone());
                Body::Weighted
            }
            names => {
                self.notes.push(format!("columns: {}", names.join(", ")));
                Body::Columns(columns)
            }
        }
    }

    fn triple(
        &self,
        source: &[u8],
        target: &[u8],
        third: &[u8],
        piece: &mut Piece,
    ) -> Result<(), LineProblem> {
        let (source, target) = (id(source)?, id(target)?);
        if !self.is_weighted() {
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

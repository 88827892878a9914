//! Edge lists as published by SNAP and as TSV, CSV and plain text. Lines are `source target` or `source target weight`,
//! comments start with `#` or `%`, and a line may name the columns. [`EdgeColumns`] reads lines with more numbers, or
//! with source and target in other positions.

use super::edge_columns::EdgeColumns;
use super::ends::{self, Ends};
use super::error::{FieldCount, HeadingProblem, LineProblem, shown};
use super::fields::{Fields, cut_all, id, plain_line_end, plain_pair, plain_triple, weight};
use super::format::has_matrix_market_banner;
use super::heading::Heading;
use super::reader::{Line, LineReader, Part, Said, push_weight};
use wolfpath_core::assemble::{Piece, check_names, find_name, is_name};
use wolfpath_core::weights::WEIGHT;

const EXPECTED: &str = "`source target` or `source target weight`";

/// Note about a file without edges.
pub(super) const NO_EDGES: &str = "there are no edges in the file";

/// Reader of edge lists.
#[derive(Debug, Default)]
pub(super) struct EdgeText {
    /// `true` if fields after the weight are ignored.
    ignore_extra: bool,
    /// Names of the requested columns.
    asked: Vec<String>,
    heading: Heading,
    body: Body,
    /// Name of the only number after source and target. `None` if there are several numbers, if the name is unknown, or
    /// if it is `weight`.
    weight_name: Option<String>,
    notes: Vec<String>,
}

/// Layout of lines, as determined by the head and the first edge.
#[derive(Debug, Default)]
enum Body {
    /// Lines `source target`.
    #[default]
    Pairs,
    /// Lines `source target weight`.
    Weighted,
    /// Any other layout.
    Columns(EdgeColumns),
}

impl EdgeText {
    pub(super) fn new(ignore_extra: bool, asked: &[String]) -> EdgeText {
        EdgeText { ignore_extra, asked: asked.to_vec(), ..EdgeText::default() }
    }

    /// Returns the names of the columns that are read, as text. Must be called after the head was read.
    pub(super) fn layout(&self) -> String {
        match &self.body {
            Body::Pairs => "none".to_owned(),
            Body::Weighted => self.weight_name.clone().unwrap_or_else(|| WEIGHT.to_owned()),
            Body::Columns(columns) => columns.names.join(", "),
        }
    }
}

impl LineReader for EdgeText {
    fn head(&mut self, line: Line<'_>) -> Result<Part, LineProblem> {
        if is_comment(line.bytes) {
            // The line is a comment, unless it is the Matrix Market banner, which starts with `%`.
            if line.number == 1 && has_matrix_market_banner(line.bytes) {
                return Err(LineProblem::UnexpectedBanner);
            }
            self.heading.comment(line.number, line.bytes);
            return Ok(Part::Head);
        }
        let fields = Fields::cut(line.bytes)?;
        let fields = fields.as_slice();
        let words = fields.len() >= 2 && fields.iter().all(|field| is_word(field));
        if words && !self.heading.is_words() {
            self.heading.words(line.number, line.bytes);
            let header = shown(line.bytes.trim_ascii());
            let note = format!("line {} contains words and was read as a header: {header}", line.number);
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
                let (source, target, weight, at) = plain_triple(text, at)?;
                let next = plain_line_end(text, at)?;
                piece.push(source, target);
                piece.weights.push_unsigned(weight.into());
                Some(next)
            }
            Body::Pairs => {
                let (source, target, at) = plain_pair(text, at)?;
                let next = plain_line_end(text, at)?;
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
            self.notes.push(NO_EDGES.to_owned());
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

    /// Determines the layout of lines from the names of the columns and the first line.
    fn body(&mut self, first: &[u8]) -> Result<Body, LineProblem> {
        let fields = cut_all(first)?.len();
        if fields < 2 {
            // The first line is invalid. The caller reads it next, and will reject it.
            return Ok(Body::Pairs);
        }
        match self.heading.names(fields)? {
            Some(names) => self.named_body(&names),
            None => Ok(self.unnamed_body(fields)),
        }
    }

    /// Returns the layout without names: source and target come first.
    fn unnamed_body(&mut self, fields: usize) -> Body {
        if !self.asked.is_empty() {
            let read: Vec<(usize, String)> = (2..).zip(self.asked.iter().cloned()).collect();
            let wanted = 2 + read.len();
            if fields == wanted || (fields > wanted && self.ignore_extra) {
                return self.columns(Ends::FIRST, wanted, read, self.ignore_extra);
            }
            // The number of fields is wrong. When the line is read, it will be rejected with an error that lists the
            // expected columns.
            return Body::Columns(EdgeColumns::new(Ends::FIRST, wanted, read, self.ignore_extra));
        }
        if fields >= 3 { Body::Weighted } else { Body::Pairs }
    }

    fn named_body(&mut self, names: &[String]) -> Result<Body, LineProblem> {
        let found = ends::find(names, &self.asked).map_err(|problem| self.unclear_ends(problem))?;
        let ends = found.unwrap_or(Ends::FIRST);
        self.notes.extend(ends.note(names, &self.heading.shown()));
        let others: Vec<usize> = (0..names.len()).filter(|&at| !ends.contains(at)).collect();
        if !self.asked.is_empty() {
            let read = self.chosen(names, ends, &others)?;
            return Ok(self.columns(ends, names.len(), read, false));
        }
        let others = match others.as_slice() {
            [first, ..] if self.ignore_extra => {
                let called = others.iter().find(|&&at| names[at].eq_ignore_ascii_case(WEIGHT));
                vec![*called.unwrap_or(first)]
            }
            _ => others,
        };
        let read: Vec<(usize, String)> = match others.as_slice() {
            // A single number is the weight, regardless of its name.
            [only] if !is_name(&names[*only]) => vec![(*only, WEIGHT.to_owned())],
            others => others.iter().map(|&at| (at, names[at].clone())).collect(),
        };
        if let &[only] = others.as_slice()
            && !["w", WEIGHT].iter().any(|usual| names[only].eq_ignore_ascii_case(usual))
        {
            self.notes.push(format!("the column `{}` is read as the weight", names[only]));
        }
        let read_names: Vec<&str> = read.iter().map(|(_, name)| name.as_str()).collect();
        check_names(&read_names).map_err(LineProblem::Columns)?;
        Ok(self.columns(ends, names.len(), read, self.ignore_extra))
    }

    /// Returns the requested columns. They must be among `others`, the columns other than source and target.
    fn chosen(
        &self,
        names: &[String],
        ends: Ends,
        others: &[usize],
    ) -> Result<Vec<(usize, String)>, HeadingProblem> {
        let known: Vec<&str> = others.iter().map(|&at| names[at].as_str()).collect();
        let choose = |name: &String| {
            let missing = || HeadingProblem::NoColumn {
                name: name.clone(),
                known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
                ends: format!("source (`{}`) and target (`{}`)", names[ends.source], names[ends.target]),
                heading: self.heading.shown(),
                asked: self.asked.join(","),
            };
            Ok((others[find_name(&known, name).ok_or_else(missing)?], name.clone()))
        };
        self.asked.iter().map(choose).collect()
    }

    /// Returns the layout for reading these columns. If the columns are arranged like those of an ordinary edge list,
    /// this is one of the two layouts with a fast path.
    fn columns(&mut self, ends: Ends, fields: usize, read: Vec<(usize, String)>, ignore_extra: bool) -> Body {
        match read.as_slice() {
            [] if ends == Ends::FIRST && fields == 2 => return Body::Pairs,
            [(2, name)] if ends == Ends::FIRST && (fields == 3 || ignore_extra) => {
                self.weight_name = Some(name.clone());
                return Body::Weighted;
            }
            [] | [_] => {}
            several => {
                let names: Vec<&str> = several.iter().map(|(_, name)| name.as_str()).collect();
                self.notes.push(format!("columns: {}", names.join(", ")));
            }
        }
        Body::Columns(EdgeColumns::new(ends, fields, read, ignore_extra))
    }

    fn unclear_ends(&self, problem: ends::EndsProblem) -> HeadingProblem {
        let asked = match self.asked.as_slice() {
            [] => String::new(),
            asked => format!(" (requested: `{}`)", asked.join(",")),
        };
        HeadingProblem::UnclearEnds { heading: self.heading.shown(), problem, asked }
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

/// Returns the problem of a line that has neither two nor three fields.
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

/// Returns `true` if the field looks like the name of a column.
fn is_word(field: &[u8]) -> bool {
    let unquoted = field.strip_prefix(b"\"").unwrap_or(field);
    unquoted.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}

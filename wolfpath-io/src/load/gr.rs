//! `.gr` in both dialects. DIMACS shortest paths: `c` comments, `p sp VERTICES EDGES`, `a SOURCE TARGET WEIGHT`,
//! directed. PACE: `c` comments, `p tw VERTICES EDGES`, `SOURCE TARGET`, undirected.
//!
//! A file must agree with its `p` line. All its vertices (1 to VERTICES) are kept, and other ids are rejected. A number
//! of edges other than EDGES is an error, because this is the only way to detect a truncated text. A DIMACS file
//! without a `p` line is read with a note, and its vertices are the ids that occur in an edge.

use super::error::{LineProblem, shown};
use super::fields::{Fields, count, id, plain_line_end, plain_pair, plain_triple, weight};
use super::reader::{Line, LineReader, Part, Said, check_declared, ids_from_one, push_weight};
use std::ops::Range;
use wolfpath_core::assemble::Piece;

const P_LINE: &str = "p sp VERTICES EDGES";
const ARC: &str = "`a SOURCE TARGET WEIGHT`";

/// Reader of `.gr` files.
#[derive(Debug, Default)]
pub(super) struct Gr {
    declaration: Option<Declaration>,
}

#[derive(Clone, Debug)]
struct Declaration {
    line: u64,
    pace: bool,
    ids: Range<u64>,
    edges: u64,
}

impl LineReader for Gr {
    fn head(&mut self, line: Line<'_>) -> Result<Part, LineProblem> {
        if is_comment(line.bytes) {
            return Ok(Part::Head);
        }
        let fields = Fields::cut(line.bytes)?;
        if fields.as_slice().first() != Some(&&b"p"[..]) {
            return Ok(Part::Body);
        }
        if self.declaration.is_some() {
            return Err(LineProblem::MisplacedP);
        }
        self.p_line(line.number, &fields)?;
        Ok(Part::Head)
    }

    #[inline]
    fn plain(&self, text: &[u8], at: usize, piece: &mut Piece) -> Option<usize> {
        if self.is_pace() {
            let (source, target, at) = plain_pair(text, at)?;
            let next = plain_line_end(text, at)?;
            self.declares(source, target).then(|| piece.push(source, target))?;
            return Some(next);
        }
        if !text.get(at..)?.starts_with(b"a ") {
            return None;
        }
        let (source, target, weight, at) = plain_triple(text, at + 2)?;
        let next = plain_line_end(text, at)?;
        self.declares(source, target).then(|| piece.push(source, target))?;
        piece.weights.push_unsigned(weight.into());
        Some(next)
    }

    fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem> {
        if is_comment(line) {
            return Ok(());
        }
        let fields = Fields::cut(line)?;
        match *fields.as_slice() {
            [b"a", ..] if !self.is_pace() => self.arc(&fields, piece),
            [b"p", ..] => Err(LineProblem::MisplacedP),
            [field, ..] if self.is_pace() && field[0].is_ascii_digit() => self.edge(&fields, piece),
            [field, ..] => Err(LineProblem::UnknownGrLine { field: shown(field), after: self.after() }),
            [] => Ok(()),
        }
    }

    fn finish(self, edges: u64) -> Result<Said, LineProblem> {
        let Some(declaration) = self.declaration else {
            let note = format!("the `p` line is missing (expected `{P_LINE}`): ids are read as they appear");
            return Ok(Said { notes: vec![note], ..Said::default() });
        };
        if edges != declaration.edges {
            let (declared_at, declared) = (declaration.line, declaration.edges);
            return Err(LineProblem::WrongCount { declared_at, declared, found: edges });
        }
        Ok(Said { declared: Some(declaration.ids), undirected: declaration.pace, ..Said::default() })
    }
}

fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [] | [b'c'] | [b'c', b' ' | b'\t' | b'\r', ..])
}

impl Gr {
    fn is_pace(&self) -> bool {
        self.declaration.as_ref().is_some_and(|declaration| declaration.pace)
    }

    #[inline]
    fn declares(&self, source: u64, target: u64) -> bool {
        let declares = |ids: &Range<u64>| ids.contains(&source) && ids.contains(&target);
        self.declaration.as_ref().is_none_or(|declaration| declares(&declaration.ids))
    }

    fn after(&self) -> &'static str {
        match &self.declaration {
            None => " without a `p` line",
            Some(Declaration { pace: true, .. }) => " after `p tw`",
            Some(Declaration { pace: false, .. }) => " after `p sp`",
        }
    }

    fn p_line(&mut self, line: u64, fields: &Fields<'_>) -> Result<(), LineProblem> {
        let pace = match *fields.as_slice() {
            [_, b"tw", ..] => true,
            [_, b"sp", ..] => false,
            [_, other, ..] => return Err(LineProblem::UnsupportedGr { found: shown(other) }),
            _ => return Err(LineProblem::UnsupportedGr { found: String::new() }),
        };
        let [_, _, vertices, edges] = fields.exactly("`p sp VERTICES EDGES` or `p tw VERTICES EDGES`")?;
        let ids = ids_from_one(count(vertices, P_LINE)?)?;
        self.declaration = Some(Declaration { line, pace, ids, edges: count(edges, P_LINE)? });
        Ok(())
    }

    fn arc(&self, fields: &Fields<'_>, piece: &mut Piece) -> Result<(), LineProblem> {
        let [_, source, target, length] = fields.exactly(ARC)?;
        let ends = self.ends(source, target)?;
        let length = weight(length)?;
        piece.push(ends.0, ends.1);
        push_weight(piece, length);
        Ok(())
    }

    fn edge(&self, fields: &Fields<'_>, piece: &mut Piece) -> Result<(), LineProblem> {
        let [source, target] = fields.exactly("`SOURCE TARGET`, because the `p` line says `tw`")?;
        let (source, target) = self.ends(source, target)?;
        piece.push(source, target);
        Ok(())
    }

    fn ends(&self, source: &[u8], target: &[u8]) -> Result<(u64, u64), LineProblem> {
        let (source, target) = (id(source)?, id(target)?);
        if let Some(declaration) = &self.declaration {
            check_declared(&declaration.ids, source)?;
            check_declared(&declaration.ids, target)?;
        }
        Ok((source, target))
    }
}

//! `.gr` in both dialects. DIMACS shortest paths: `c` comments, `p sp VERTICES EDGES`, `a SOURCE TARGET WEIGHT`,
//! directed. PACE: `c` comments, `p tw VERTICES EDGES`, `SOURCE TARGET`, undirected.
//!
//! Where there is a `p` line it is believed: all its vertices (1 to VERTICES) are kept, other ids are refused, and
//! another number of edges is an error, since nothing else tells that a text was cut short. A DIMACS file without
//! one is read with a note, with the ids that appear.

use super::error::{LineProblem, shown};
use super::fields::{Fields, count, id, weight};
use super::reader::{Line, LineReader, Parsed, check_declared, ids_from_one};
use std::ops::Range;

const P_LINE: &str = "p sp VERTICES EDGES";
const ARC: &str = "`a SOURCE TARGET WEIGHT`";

/// The reader of `.gr` files.
#[derive(Debug, Default)]
pub(super) struct Gr {
    declaration: Option<Declaration>,
    parsed: Parsed,
}

#[derive(Clone, Debug)]
struct Declaration {
    line: u64,
    pace: bool,
    ids: Range<u64>,
    edges: u64,
}

impl LineReader for Gr {
    #[inline]
    fn line(&mut self, line: Line<'_>) -> Result<(), LineProblem> {
        let fields = Fields::cut(line.bytes);
        let first = line.bytes.trim_ascii_start();
        match first {
            [] => return Ok(()),
            [b'c'] | [b'c', b' ' | b'\t' | b'\r', ..] => return Ok(()),
            _ => {}
        }
        let fields = fields?;
        match *fields.as_slice() {
            [b"a", ..] if !self.is_pace() => self.arc(&fields),
            [b"p", ..] => self.p_line(line.number, &fields),
            [field, ..] if self.is_pace() && field[0].is_ascii_digit() => self.edge(&fields),
            [field, ..] => Err(LineProblem::UnknownGrLine { field: shown(field), after: self.after() }),
            [] => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Parsed, LineProblem> {
        let Some(declaration) = self.declaration else {
            self.parsed
                .notes
                .push(format!("the `p` line is missing (expected `{P_LINE}`): ids are read as they appear"));
            return Ok(self.parsed);
        };
        let found = self.parsed.edges.len() as u64;
        if found != declaration.edges {
            let (declared_at, declared) = (declaration.line, declaration.edges);
            return Err(LineProblem::WrongCount { declared_at, declared, found });
        }
        self.parsed.declared = Some(declaration.ids);
        self.parsed.undirected = declaration.pace;
        Ok(self.parsed)
    }
}

impl Gr {
    fn is_pace(&self) -> bool {
        self.declaration.as_ref().is_some_and(|declaration| declaration.pace)
    }

    fn after(&self) -> &'static str {
        match &self.declaration {
            None => " without a `p` line",
            Some(Declaration { pace: true, .. }) => " after `p tw`",
            Some(Declaration { pace: false, .. }) => " after `p sp`",
        }
    }

    fn p_line(&mut self, line: u64, fields: &Fields<'_>) -> Result<(), LineProblem> {
        if self.declaration.is_some() || self.parsed.edges.len() > 0 {
            return Err(LineProblem::MisplacedP);
        }
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

    #[inline]
    fn arc(&mut self, fields: &Fields<'_>) -> Result<(), LineProblem> {
        let [_, source, target, length] = fields.exactly(ARC)?;
        self.push(source, target)?;
        self.parsed.push_weight(weight(length)?);
        Ok(())
    }

    #[inline]
    fn edge(&mut self, fields: &Fields<'_>) -> Result<(), LineProblem> {
        let [source, target] = fields.exactly("`SOURCE TARGET`, as the `p` line says `tw`")?;
        self.push(source, target)
    }

    #[inline]
    fn push(&mut self, source: &[u8], target: &[u8]) -> Result<(), LineProblem> {
        let (source, target) = (id(source)?, id(target)?);
        if let Some(declaration) = &self.declaration {
            check_declared(&declaration.ids, source)?;
            check_declared(&declaration.ids, target)?;
        }
        self.parsed.edges.push(source, target);
        Ok(())
    }
}

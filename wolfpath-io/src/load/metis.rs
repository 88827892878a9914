//! METIS graphs: a header `VERTICES EDGES [FORMAT [CONSTRAINTS]]`, then one line of neighbours per vertex. Vertices are
//! numbered from 1, and comments start with `%`. Each edge is listed in the lines of both of its ends and counts once.
//! A self-loop is listed once. FORMAT has up to three digits, each 0 or 1. The last digit states whether the file
//! contains weights of edges, the digit before it weights of vertices (CONSTRAINTS numbers per vertex), and the digit
//! before that sizes of vertices.
//!
//! Sizes and weights of vertices are ignored, with a note.

use super::both_ways::BothWays;
use super::bytes::Bytes;
use super::error::{LineProblem, LoadError, shown};
use super::fields::{count, id, weight};
use super::reader::{check_declared, ids_from_one};
use super::whole::Whole;
use super::words::{Token, Words};
use std::ops::Range;
use wolfpath_core::assemble::WeightBuilder;

const HEADER: &str = "VERTICES EDGES [FORMAT [CONSTRAINTS]]";

/// Reads a METIS graph. Also returns the number of lines.
pub(super) fn read_metis(bytes: &mut Bytes<'_>) -> Result<(Whole, u64), LoadError> {
    let mut words = Words::of(bytes);
    let header = Header::read(&mut words)?;
    let mut rows = Neighbours::new(&header);
    rows.read(&mut words, &header)?;
    let lines = words.line();
    Ok((rows.finish(&words, &header)?, lines))
}

#[derive(Debug)]
struct Header {
    line: u64,
    ids: Range<u64>,
    edges: u64,
    /// Number of values in a line before the neighbours: the size and the weights of the vertex.
    before: u64,
    weighted: bool,
}

impl Header {
    fn read(words: &mut Words<'_, '_>) -> Result<Header, LoadError> {
        let mut fields: Vec<Vec<u8>> = Vec::new();
        loop {
            match words.next()? {
                Token::Word(word) if fields.is_empty() && word[0] == b'%' => words.skip_line()?,
                Token::Word(word) if fields.len() < 5 => fields.push(word.to_vec()),
                Token::LineEnd if fields.is_empty() => {}
                Token::Word(_) => {}
                Token::LineEnd | Token::End => break,
            }
        }
        let line = words.line();
        let whole = fields.join(&b' ');
        Header::of(line, &fields).map_err(|problem| words.problem(&whole, problem))
    }

    fn of(line: u64, fields: &[Vec<u8>]) -> Result<Header, LineProblem> {
        let (vertices, edges, rest) = match fields {
            [vertices, edges, rest @ ..] if rest.len() <= 2 => (vertices, edges, rest),
            _ => return Err(LineProblem::MetisHeader { found: shown(&fields.join(&b' ')) }),
        };
        let digits = rest.first().map_or(&b"0"[..], Vec::as_slice);
        if digits.len() > 3 || !digits.iter().all(|digit| matches!(digit, b'0' | b'1')) {
            return Err(LineProblem::MetisFormat { found: shown(digits) });
        }
        let has = |from_right: usize| {
            digits.len().checked_sub(from_right).is_some_and(|place| digits[place] == b'1')
        };
        let constraints = rest.get(1).map_or(Ok(1), |field| count(field, HEADER))?;
        let weights = if has(2) { constraints } else { 0 };
        Ok(Header {
            line,
            ids: ids_from_one(count(vertices, HEADER)?)?,
            edges: count(edges, HEADER)?,
            before: u64::from(has(3)).saturating_add(weights),
            weighted: has(1),
        })
    }

    fn vertices(&self) -> u64 {
        self.ids.end - 1
    }
}

/// Rows that have been read so far.
struct Neighbours {
    both: BothWays,
    weights: Option<WeightBuilder>,
    /// Line number of each vertex.
    lines: LineNumbers,
}

/// Line number of each vertex, stored compactly: consecutive vertices are on consecutive lines, except where there are
/// comments.
#[derive(Debug, Default)]
struct LineNumbers {
    /// The first vertex of each run of consecutive lines, and its line number.
    runs: Vec<(u64, u64)>,
    rows: u64,
}

impl LineNumbers {
    fn push(&mut self, line: u64) {
        if self.rows == 0 || self.of(self.rows - 1) + 1 != line {
            self.runs.push((self.rows, line));
        }
        self.rows += 1;
    }

    /// Returns the line number of a vertex, where vertices count from 0.
    fn of(&self, vertex: u64) -> u64 {
        let run = self.runs.partition_point(|&(first, _)| first <= vertex);
        self.runs.get(run.wrapping_sub(1)).map_or(0, |&(first, line)| line + (vertex - first))
    }
}

impl Neighbours {
    fn new(header: &Header) -> Neighbours {
        Neighbours {
            both: BothWays::default(),
            weights: header.weighted.then(WeightBuilder::default),
            lines: LineNumbers::default(),
        }
    }

    fn read(&mut self, words: &mut Words<'_, '_>, header: &Header) -> Result<(), LoadError> {
        loop {
            let first = match words.next()? {
                Token::End => return Ok(()),
                Token::Word(word) if word[0] == b'%' => {
                    words.skip_line()?;
                    continue;
                }
                Token::LineEnd if self.lines.rows == header.vertices() => continue,
                Token::LineEnd => None,
                Token::Word(word) => Some(word.to_vec()),
            };
            if self.lines.rows == header.vertices() {
                let problem =
                    LineProblem::TooManyRows { declared_at: header.line, vertices: header.vertices() };
                return Err(words.problem(&first.unwrap_or_default(), problem));
            }
            self.lines.push(words.line());
            self.row(words, header, first)?;
        }
    }

    /// Reads one line: the size and weights of the vertex, then its neighbours.
    fn row(
        &mut self,
        words: &mut Words<'_, '_>,
        header: &Header,
        first: Option<Vec<u8>>,
    ) -> Result<(), LoadError> {
        let vertex = self.lines.rows as u32 - 1;
        let mut row = Row { rows: self, header, vertex, before: header.before, neighbour: None };
        let Some(first) = first else {
            return row.end().map_err(|problem| words.problem_at(words.line(), problem));
        };
        row.word(&first).map_err(|problem| words.problem(&first, problem))?;
        while let Token::Word(word) = words.next()? {
            if let Err(problem) = row.word(word) {
                let word = word.to_vec();
                return Err(words.problem(&word, problem));
            }
        }
        row.end().map_err(|problem| words.problem_at(words.line(), problem))
    }

    fn finish(self, words: &Words<'_, '_>, header: &Header) -> Result<Whole, LoadError> {
        if let Some(unmatched) = self.both.unmatched() {
            let (source, target) = (u64::from(unmatched.source), u64::from(unmatched.target));
            let line = self.lines.of(source);
            let problem = LineProblem::OneSided {
                source_id: source + 1,
                target: target + 1,
                other_line: if target < self.lines.rows { self.lines.of(target) } else { words.line() },
                lacks: if unmatched.weight { "another weight for" } else { "no" },
            };
            return Err(words.problem_at(line, problem));
        }
        if self.both.edges() != header.edges {
            let (declared_at, declared, found) = (header.line, header.edges, self.both.edges());
            return Err(
                words.problem_at(words.line(), LineProblem::WrongCount { declared_at, declared, found })
            );
        }
        let mut parsed =
            Whole { weights: self.weights, declared: Some(header.ids.clone()), ..Whole::default() };
        if header.before > 0 {
            parsed.notes.push("the sizes and weights of vertices were ignored".to_owned());
        }
        let missing = header.vertices() - self.lines.rows;
        if missing > 0 {
            let note = match missing {
                1 => "the last vertex has no line: it is read as a vertex without edges".to_owned(),
                _ => format!(
                    "the last {missing} vertices have no line: they are read as vertices without edges"
                ),
            };
            parsed.notes.push(note);
        }
        self.both.into_edges(1, &mut parsed);
        Ok(parsed)
    }
}

/// Line that is being read.
struct Row<'a> {
    rows: &'a mut Neighbours,
    header: &'a Header,
    vertex: u32,
    /// Number of remaining values that belong to the vertex itself.
    before: u64,
    /// Neighbour whose weight has not been read yet.
    neighbour: Option<u32>,
}

impl Row<'_> {
    #[inline]
    fn word(&mut self, word: &[u8]) -> Result<(), LineProblem> {
        if self.before > 0 {
            self.before -= 1;
            return weight(word).map(drop);
        }
        if let Some(neighbour) = self.neighbour.take() {
            let weight = weight(word)?;
            if self.rows.both.push(self.vertex, neighbour, Some(weight))
                && let Some(weights) = &mut self.rows.weights
            {
                weights.push(weight);
            }
            return Ok(());
        }
        let neighbour = id(word)?;
        check_declared(&self.header.ids, neighbour)?;
        let neighbour = (neighbour - 1) as u32;
        if self.header.weighted {
            self.neighbour = Some(neighbour);
        } else {
            self.rows.both.push(self.vertex, neighbour, None);
        }
        Ok(())
    }

    fn end(&self) -> Result<(), LineProblem> {
        if self.before > 0 {
            return Err(LineProblem::VertexCutShort { missing: self.before });
        }
        match self.neighbour {
            Some(neighbour) => Err(LineProblem::NeighbourWeight { id: u64::from(neighbour) + 1 }),
            None => Ok(()),
        }
    }
}

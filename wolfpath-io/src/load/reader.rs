//! Common code of all text formats: the head is read line by line, and the blocks of the body are read in parallel.

use super::blocks::{Block, Blocks, LONGEST_LINE};
use super::error::{LineProblem, LoadError};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use wolfpath_core::assemble::{Number, Piece, Spill};
use wolfpath_core::space::SpaceError;

/// One line of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Number of the line, from 1.
    pub(super) number: u64,
    pub(super) bytes: &'a [u8],
}

/// The two parts of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    /// The body, which starts with this line.
    Body,
}

/// Reader of a text format. A text consists of a head, which may be empty, and a body. The head determines how each
/// line of the body is read.
pub(super) trait LineReader: Sync {
    /// Reads a line of the head, or determines that the body starts with it.
    fn head(&mut self, line: Line<'_>) -> Result<Part, LineProblem>;

    /// Reads a plain edge whose line starts at `at`. The text must end with a line end. Returns the start of the next
    /// line, or `None` if the line needs the slow path, [`line`](Self::line). In that case nothing was added to
    /// `piece`.
    fn plain(&self, text: &[u8], at: usize, piece: &mut Piece) -> Option<usize>;

    /// Reads any line of the body.
    fn line(&self, line: &[u8], piece: &mut Piece) -> Result<(), LineProblem>;

    /// Finishes reading, after the last line. Returns the properties that the text states, or an error if the text is
    /// incomplete.
    fn finish(self, edges: u64) -> Result<Said, LineProblem>;
}

/// Properties that a text states in addition to its edges, before the options are applied.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Ids of all vertices, if the format declares them.
    pub(super) declared: Option<Range<u64>>,
    /// `true` if the format states that edges go both ways.
    pub(super) undirected: bool,
    /// `true` if the reader has already added both directions of each line's edge.
    pub(super) mirrored: bool,
    /// Name of the weight, if it is known.
    pub(super) weight_name: Option<String>,
    /// Names of the columns of the pieces.
    pub(super) columns: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Result of reading a text.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// Pieces in the order of the text. Each piece contains the edges of one block.
    pub(super) pieces: Vec<Piece>,
    pub(super) said: Said,
    pub(super) lines: u64,
    /// `true` if endpoints of edges were moved to a working file.
    pub(super) spilled: bool,
}

impl Parsed {
    /// Returns the number of edges that were read.
    pub(super) fn num_edges(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}

/// Result of reading a block: its edges, or the error for its first invalid line.
struct Done {
    index: usize,
    lines: u64,
    outcome: Result<Piece, Refused>,
}

/// Reasons for rejecting a line.
enum Refused {
    Problem(LineProblem),
    /// The line is not text.
    Binary {
        offset: u64,
        byte: u8,
    },
    /// There is no space for the edges.
    Space(SpaceError),
    /// Reading the text failed.
    Failed(LoadError),
}

/// A text whose first block has been read already.
pub(super) struct Text<'a, 'b> {
    pub(super) blocks: &'a Blocks<'b>,
    pub(super) first: Block,
    pub(super) path: &'a Path,
    pub(super) spill: Spill,
}

impl Text<'_, '_> {
    /// Reads the whole text: the head line by line, the body on all threads.
    pub(super) fn read<R: LineReader>(self, mut reader: R) -> Result<Parsed, LoadError> {
        let Text { blocks, first, path, spill } = self;
        let mut lines = 0;
        let body = head_of(blocks, first, path, &mut reader, &mut lines)?;
        let mut parsed = Parsed { lines, ..Parsed::default() };
        for Done { lines, outcome, .. } in read_body(blocks, body, &reader, &spill) {
            parsed.lines += lines;
            parsed.pieces.push(outcome.map_err(|refused| error_at(path, parsed.lines, refused))?);
        }
        let full = |source| LoadError::Space { path: path.to_owned(), source };
        parsed.spilled = spill.finish(&mut parsed.pieces).map_err(full)?;
        let said = reader.finish(parsed.num_edges());
        parsed.said =
            said.map_err(|problem| error_at(path, parsed.lines.max(1), Refused::Problem(problem)))?;
        Ok(parsed)
    }
}

/// Reads the head. Returns the block in which the body starts, and its position there. `lines` is the number of lines of the
/// head.
pub(super) fn head_of(
    blocks: &Blocks<'_>,
    first: Block,
    path: &Path,
    reader: &mut impl LineReader,
    lines: &mut u64,
) -> Result<Option<(Block, usize)>, LoadError> {
    let mut block = Some(first);
    // A head rarely fills a block. If it does, it continues in the next block.
    while let Some(current) = block {
        match read_head(reader, &current, lines) {
            Ok(Some(at)) => return Ok(Some((current, at))),
            Ok(None) => block = blocks.next(current.text)?,
            Err(refused) => return Err(error_at(path, *lines, refused)),
        }
    }
    Ok(None)
}

/// Reads blocks of the body on all threads. Returns their pieces, and the number of their lines.
pub(super) fn read_lines(
    blocks: &Blocks<'_>,
    reader: &impl LineReader,
    path: &Path,
    spill: Spill,
) -> Result<(Vec<Piece>, u64), LoadError> {
    let first = blocks.next(Vec::new())?.map(|block| (block, 0));
    let (mut pieces, mut lines) = (Vec::new(), 0);
    for done in read_body(blocks, first, reader, &spill) {
        lines += done.lines;
        pieces.push(done.outcome.map_err(|refused| error_at(path, lines, refused))?);
    }
    Ok((pieces, lines))
}

/// Reads the body, which starts inside a block, on all threads. The results are in the order of the blocks. If a block
/// could not be read, the result of the first such block is the last one returned.
fn read_body(
    blocks: &Blocks<'_>,
    begin: Option<(Block, usize)>,
    reader: &impl LineReader,
    spill: &Spill,
) -> Vec<Done> {
    if begin.is_none() {
        return Vec::new();
    }
    let (begin, done) = (Mutex::new(begin), Mutex::new(Vec::new()));
    (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).for_each(|_| {
        let mut memory = Vec::new();
        loop {
            let begun = begin.lock().unwrap_or_else(PoisonError::into_inner).take();
            let next = match begun {
                Some(begun) => Ok(Some(begun)),
                None => blocks.next(std::mem::take(&mut memory)).map(|block| block.map(|block| (block, 0))),
            };
            let read = match next {
                Ok(None) => return,
                Ok(Some((block, at))) => {
                    let mut read = read_block(reader, &block, at);
                    read.outcome = read.outcome.and_then(|piece| spill.keep(piece).map_err(Refused::Space));
                    memory = block.text;
                    read
                }
                // The error is at a later position in the text than all blocks that were returned, so it gets the
                // largest index.
                Err(error) => Done { index: usize::MAX, lines: 0, outcome: Err(Refused::Failed(error)) },
            };
            if read.outcome.is_err() {
                blocks.stop();
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push(read);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|done: &Done| done.index);
    done
}

/// Reads lines of the head. If the body starts in this block, returns its position. On an error, `lines` is the number
/// of the invalid line.
fn read_head(reader: &mut impl LineReader, block: &Block, lines: &mut u64) -> Result<Option<usize>, Refused> {
    let mut at = 0;
    while at < block.text.len() {
        let line = line_at(block, at);
        *lines += 1;
        let number = *lines;
        let part = match line {
            Some(bytes) => reader.head(Line { number, bytes }),
            None => Err(LineProblem::TooLong { limit: LONGEST_LINE }),
        };
        match part {
            Ok(Part::Head) => at += line.map_or(0, <[u8]>::len) + 1,
            Ok(Part::Body) => {
                *lines -= 1;
                return Ok(Some(at));
            }
            Err(problem) => return Err(refused(block, at, problem)),
        }
    }
    Ok(None)
}

/// Reads the lines of a block, starting at `at`.
fn read_block(reader: &impl LineReader, block: &Block, mut at: usize) -> Done {
    let text = &block.text[..];
    let mut piece = Piece::with_room_for_text(text.len() - at);
    let mut lines = 0;
    while at < text.len() {
        lines += 1;
        if let Some(next) = reader.plain(text, at, &mut piece) {
            at = next;
            continue;
        }
        let read = match line_at(block, at) {
            Some(line) => reader.line(line, &mut piece).map(|()| line.len() + 1),
            None => Err(LineProblem::TooLong { limit: LONGEST_LINE }),
        };
        match read {
            Ok(length) => at += length,
            Err(problem) => {
                return Done { index: block.index, lines, outcome: Err(refused(block, at, problem)) };
            }
        }
    }
    Done { index: block.index, lines, outcome: Ok(piece) }
}

/// Returns the line that starts at `at`, or `None` if it is too long.
#[inline]
fn line_at(block: &Block, at: usize) -> Option<&[u8]> {
    let rest = &block.text[at..];
    match memchr::memchr(b'\n', rest) {
        Some(length) if length <= LONGEST_LINE => Some(&rest[..length]),
        _ => None,
    }
}

/// Returns the error for a problem with the line at `at`. If the line is not text at all, returns that as the error
/// instead, because it explains any other problem.
#[cold]
fn refused(block: &Block, at: usize, problem: LineProblem) -> Refused {
    let line = line_at(block, at).unwrap_or(&block.text[at..]);
    match not_text(line) {
        Some(place) => Refused::Binary { offset: block.offset + (at + place) as u64, byte: line[place] },
        None => Refused::Problem(problem),
    }
}

fn error_at(path: &Path, line: u64, refused: Refused) -> LoadError {
    let path = path.to_owned();
    match refused {
        Refused::Problem(problem) => LoadError::Line { path, line, problem: problem.into() },
        Refused::Binary { offset, byte } => LoadError::Binary { path, offset, byte },
        Refused::Space(source) => LoadError::Space { path, source },
        Refused::Failed(error) => error,
    }
}

/// Returns the position at which a line stops being text: a control character other than white space, or invalid UTF-8.
fn not_text(line: &[u8]) -> Option<usize> {
    let control = line.iter().position(|&byte| byte < b' ' && !byte.is_ascii_whitespace() && byte != 0x0b);
    let broken = match std::str::from_utf8(line) {
        Ok(_) => None,
        // A line that is too long was cut, possibly inside a character. An incomplete last character therefore does not
        // prove that the line is not text.
        Err(error) if error.error_len().is_none() && line.len() > LONGEST_LINE => None,
        Err(error) => Some(error.valid_up_to()),
    };
    match (control, broken) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Returns the ids 1 to `count`, as declared by a format.
pub(super) fn ids_from_one(count: u64) -> Result<Range<u64>, LineProblem> {
    if count > wolfpath_core::edge_list::MAX_VERTICES {
        return Err(LineProblem::TooManyVertices { declared: count });
    }
    Ok(1..count + 1)
}

/// Checks that an id is among the declared ids.
#[inline]
pub(super) fn check_declared(declared: &Range<u64>, id: u64) -> Result<(), LineProblem> {
    if declared.contains(&id) {
        return Ok(());
    }
    Err(LineProblem::UndeclaredId { id, first: declared.start, last: declared.end.saturating_sub(1) })
}

/// Appends a weight that was read from text.
#[inline]
pub(super) fn push_weight(piece: &mut Piece, weight: Number) {
    match weight {
        Number::Integer(integer) if integer >= 0 && integer <= u32::MAX.into() => {
            piece.weights.push_unsigned(integer as u64);
        }
        _ => piece.weights.push(weight),
    }
}

//! Cutting text into lines: one large buffer, no copy a line, and errors that know file and line.

use super::decompress::decompress;
use super::error::{LineProblem, LoadError};
use super::reader::Line;
use super::report::Compression;
use std::io::{self, Read};
use std::path::Path;

/// How much is read at once.
const CHUNK: usize = 1 << 20;
/// The longest line. Real ones have a hundred bytes; binary files may have one of gigabytes.
const LONGEST_LINE: usize = 1 << 20;
/// What some editors put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of a file, decompressed, with where we are in it.
pub(super) struct Text<'a> {
    path: &'a Path,
    compression: Compression,
    input: Box<dyn Read + 'a>,
    /// Text that was read but not yet handed out: `buffer[start..]`.
    buffer: Vec<u8>,
    start: usize,
    /// Where in the text `buffer[0]` stands.
    offset: u64,
    lines: u64,
    ended: bool,
}

impl<'a> Text<'a> {
    /// Opens the text and reads its first chunk.
    pub(super) fn open(input: impl Read + 'a, path: &'a Path) -> Result<Text<'a>, LoadError> {
        let failed = |source| LoadError::Io { path: path.to_owned(), source };
        let (compression, input) = decompress(input).map_err(failed)?;
        let (buffer, start, offset, lines, ended) = (Vec::new(), 0, 0, 0, false);
        let mut text = Text { path, compression, input, buffer, start, offset, lines, ended };
        text.refill()?;
        if text.buffer.is_empty() {
            return Err(LoadError::Empty { path: path.to_owned() });
        }
        if text.buffer.starts_with(BYTE_ORDER_MARK) {
            text.start = BYTE_ORDER_MARK.len();
        }
        Ok(text)
    }

    /// The text as far as it was read: right after opening, its start.
    pub(super) fn start(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    pub(super) fn compression(&self) -> Compression {
        self.compression
    }

    /// How many lines were handed out.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Hands out all lines. The first problem ends it.
    pub(super) fn for_each_line(
        &mut self,
        mut visit: impl FnMut(Line<'_>) -> Result<(), LineProblem>,
    ) -> Result<(), LoadError> {
        loop {
            while let Some(end) = memchr::memchr(b'\n', &self.buffer[self.start..]) {
                self.visit_line(end, 1, &mut visit)?;
            }
            let rest = self.buffer.len() - self.start;
            if self.ended {
                return if rest > 0 { self.visit_line(rest, 0, &mut visit) } else { Ok(()) };
            }
            if rest > LONGEST_LINE {
                self.lines += 1;
                return Err(self.line_error(rest, LineProblem::TooLong { limit: LONGEST_LINE }));
            }
            self.refill()?;
        }
    }

    /// A problem that shows only at the end of the text.
    pub(super) fn at_last_line(&self, problem: LineProblem) -> LoadError {
        LoadError::Line { path: self.path.to_owned(), line: self.lines.max(1), problem: problem.into() }
    }

    #[inline]
    fn visit_line(
        &mut self,
        len: usize,
        end: usize,
        visit: &mut impl FnMut(Line<'_>) -> Result<(), LineProblem>,
    ) -> Result<(), LoadError> {
        self.lines += 1;
        let bytes = &self.buffer[self.start..self.start + len];
        if let Err(problem) = visit(Line { number: self.lines, bytes }) {
            return Err(self.line_error(len, problem));
        }
        self.start += len + end;
        Ok(())
    }

    /// A problem with the line of `len` bytes at `start`. That the line is no text at all explains every other
    /// problem, so it is told instead.
    #[cold]
    fn line_error(&self, len: usize, problem: LineProblem) -> LoadError {
        let line = &self.buffer[self.start..self.start + len];
        let path = self.path.to_owned();
        match not_text(line) {
            Some(at) => {
                LoadError::Binary { path, offset: self.offset + (self.start + at) as u64, byte: line[at] }
            }
            None => LoadError::Line { path, line: self.lines, problem: problem.into() },
        }
    }

    /// Moves the rest of the text to the front of the buffer and reads more behind it.
    fn refill(&mut self) -> Result<(), LoadError> {
        self.buffer.drain(..self.start);
        self.offset += self.start as u64;
        self.start = 0;
        let read = self.input.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer);
        let read = read.map_err(|source| self.read_error(source))?;
        self.ended = read < CHUNK;
        Ok(())
    }

    fn read_error(&self, source: io::Error) -> LoadError {
        let (path, compression) = (self.path.to_owned(), self.compression);
        match (compression, source.kind()) {
            (Compression::None, _) => LoadError::Io { path, source },
            // What the disk says rather than the decompressor carries the operating system's number.
            _ if source.raw_os_error().is_some() => LoadError::Io { path, source },
            (_, io::ErrorKind::UnexpectedEof) => LoadError::Truncated { path, compression },
            _ => LoadError::Damaged { path, compression, source },
        }
    }
}

/// Where a line stops being text: a control character that is no white space, or bytes that are not UTF-8.
fn not_text(line: &[u8]) -> Option<usize> {
    let control = line.iter().position(|&byte| byte < b' ' && !byte.is_ascii_whitespace() && byte != 0x0b);
    let broken = match std::str::from_utf8(line) {
        Ok(_) => None,
        // A chunk may end inside a character; that alone is no proof.
        Err(error) if error.error_len().is_none() && line.len() > LONGEST_LINE => None,
        Err(error) => Some(error.valid_up_to()),
    };
    match (control, broken) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

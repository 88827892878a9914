//! Splits text into words and line ends, for formats whose lines may be longer than any buffer.

use super::blocks::BYTE_ORDER_MARK;
use super::bytes::Bytes;
use super::error::{LineProblem, LoadError};

/// Number of bytes that are read at a time.
const PIECE: usize = 1 << 20;
/// Maximum length of a word. A number has at most a few dozen characters, but in a file that is not text, a word may be
/// of any length.
const LONGEST_WORD: usize = 1 << 16;

/// Next element of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(&'a [u8]),
    LineEnd,
    /// End of the text. The last line may have no line end.
    End,
}

/// Splitter of text into words between blanks.
pub(super) struct Words<'a, 'b> {
    bytes: &'a mut Bytes<'b>,
    /// Text that was read but not returned yet: `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset of `buffer[0]` in the text.
    offset: u64,
    /// Number of the current line, from 1.
    line: u64,
    /// `true` if the last token was the end of a line. The line number is incremented with the next token.
    line_ended: bool,
    ended: bool,
}

impl<'a, 'b> Words<'a, 'b> {
    pub(super) fn of(bytes: &'a mut Bytes<'b>) -> Words<'a, 'b> {
        let buffer = vec![0; PIECE + LONGEST_WORD];
        Words { bytes, buffer, start: 0, end: 0, offset: 0, line: 1, line_ended: false, ended: false }
    }

    /// Returns the line number of the last token, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the next word or line end.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Token<'_>, LoadError> {
        if std::mem::take(&mut self.line_ended) {
            self.line += 1;
        }
        loop {
            while self.start < self.end && is_blank(self.buffer[self.start]) {
                self.start += 1;
            }
            let text = &self.buffer[self.start..self.end];
            match text.iter().position(|&byte| byte == b'\n' || is_blank(byte)) {
                Some(0) => {
                    self.start += 1;
                    self.line_ended = true;
                    return Ok(Token::LineEnd);
                }
                Some(length) => return Ok(self.word(length)),
                None if self.ended && text.is_empty() => return Ok(Token::End),
                None if self.ended => {
                    let length = text.len();
                    return Ok(self.word(length));
                }
                None if text.len() > LONGEST_WORD => {
                    let text = text.to_vec();
                    return Err(self.problem(&text, LineProblem::WordTooLong { limit: LONGEST_WORD }));
                }
                None => self.refill()?,
            }
        }
    }

    /// Skips the rest of the line, including its end.
    pub(super) fn skip_line(&mut self) -> Result<(), LoadError> {
        loop {
            match memchr::memchr(b'\n', &self.buffer[self.start..self.end]) {
                Some(end) => {
                    self.start += end + 1;
                    self.line_ended = true;
                    return Ok(());
                }
                None => self.start = self.end,
            }
            if self.ended {
                return Ok(());
            }
            self.refill()?;
        }
    }

    fn word(&mut self, length: usize) -> Token<'_> {
        let word = self.start..self.start + length;
        self.start += length;
        Token::Word(&self.buffer[word])
    }

    /// Moves the remaining text to the front of the buffer and reads more after it.
    fn refill(&mut self) -> Result<(), LoadError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.offset += self.start as u64;
        self.end -= self.start;
        self.start = 0;
        let room = PIECE.min(self.buffer.len() - self.end);
        let read = self.bytes.fill(&mut self.buffer[self.end..self.end + room])?;
        self.end += read;
        self.ended = read < room;
        if self.offset == 0 && self.buffer[..self.end].starts_with(BYTE_ORDER_MARK) {
            self.start = BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    /// Returns the error for a problem with a word of the current line. If the word is not text at all, returns that as
    /// the error instead, because it explains any other problem.
    #[cold]
    pub(super) fn problem(&self, word: &[u8], problem: LineProblem) -> LoadError {
        let path = self.bytes.path().to_owned();
        let control = word.iter().position(|&byte| byte < b' ');
        let broken = std::str::from_utf8(word).err().map(|error| error.valid_up_to());
        match control.or(broken) {
            Some(at) => {
                let offset = self.offset + (self.start.saturating_sub(word.len()) + at) as u64;
                LoadError::Binary { path, offset, byte: word[at] }
            }
            None => LoadError::Line { path, line: self.line, problem: problem.into() },
        }
    }

    /// Returns the error for a problem with a line.
    #[cold]
    pub(super) fn problem_at(&self, line: u64, problem: LineProblem) -> LoadError {
        LoadError::Line { path: self.bytes.path().to_owned(), line, problem: problem.into() }
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

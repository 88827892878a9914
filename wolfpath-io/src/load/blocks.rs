//! Text in blocks of whole lines, read in turns: whoever needs a block reads it (and decompresses it) while the others
//! parse theirs. One reader at a time keeps the order; the copy out of the page cache is a tenth of the work.

use super::Compression;
use super::bytes::read_error;
use super::error::LoadError;
use crate::compression::{Decompressed, Telling, decompress};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use wolfpath_core::progress::Progress;

/// How much is read at once: a block and its edges stay in a core's own cache.
const BLOCK: usize = 1 << 19;
/// The longest line. Real ones have a hundred bytes; binary files may have one of gigabytes.
pub(super) const LONGEST_LINE: usize = 1 << 20;
/// What some editors put before UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Some lines of the text, whole ones.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its place among the blocks, from 0.
    pub(super) index: usize,
    /// Where in the text (after decompression) it begins.
    pub(super) offset: u64,
    /// Ends with a line end, which the last line of a file gets where it has none; a block whose last line is too long
    /// for a line, and was not read to its end, has none there.
    pub(super) text: Vec<u8>,
}

/// The blocks of a text.
pub(super) struct Blocks<'a> {
    path: &'a Path,
    compression: Compression,
    /// The compression whose magic number the input begins with.
    apparent: Compression,
    input: Mutex<Input<'a>>,
}

struct Input<'a> {
    text: Box<dyn Read + Send + 'a>,
    /// The begin of a line whose end was not read yet.
    rest: Vec<u8>,
    next: usize,
    offset: u64,
    ended: bool,
}

impl<'a> Blocks<'a> {
    /// Opens a text; `progress` is told how many bytes were read of the input, before decompression. `telling` is the
    /// rule by which its compression is told.
    pub(super) fn open(
        input: impl Read + Send + 'a,
        path: &'a Path,
        telling: Telling,
        progress: &'a Progress,
    ) -> Result<Blocks<'a>, LoadError> {
        let failed = |source| LoadError::Io { path: path.to_owned(), source };
        let opened = decompress(Counted { input, progress }, telling).map_err(failed)?;
        let Decompressed { compression, apparent, text } = opened;
        let text = text.ok_or_else(|| LoadError::Codec { path: path.to_owned(), compression })?;
        let input = Input { text, rest: Vec::new(), next: 0, offset: 0, ended: false };
        Ok(Blocks { path, compression, apparent, input: Mutex::new(input) })
    }

    pub(super) fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns a note to the user if the input begins like a compressed one, but is read as it is.
    pub(super) fn note(&self) -> Option<String> {
        (self.apparent != self.compression).then(|| {
            let (apparent, ending) = (self.apparent, self.apparent.ending());
            format!(
                "the file begins like one of {apparent}, but is read as it is, because its name does not end in .{ending}"
            )
        })
    }

    /// The next block, in memory that may have been used before; `None` at the end.
    pub(super) fn next(&self, memory: Vec<u8>) -> Result<Option<Block>, LoadError> {
        // A thread that panicked left a whole input behind: it holds no half-changed state across a panic.
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let block = input.next(memory).map_err(|source| read_error(self.path, self.compression, source));
        if block.is_err() {
            input.ended = true;
        }
        block
    }

    /// From now on there are no more blocks.
    pub(super) fn stop(&self) {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        input.ended = true;
        input.rest.clear();
    }

    /// The input as bytes, for formats that are not lines; no block may have been read.
    pub(super) fn into_bytes(self) -> impl Read + Send + 'a {
        self.input.into_inner().unwrap_or_else(PoisonError::into_inner).text
    }
}

impl Input<'_> {
    fn next(&mut self, memory: Vec<u8>) -> io::Result<Option<Block>> {
        let mut text = memory;
        text.clear();
        text.append(&mut self.rest);
        let mut searched = text.len();
        while !self.ended {
            let read = self.text.by_ref().take(BLOCK as u64).read_to_end(&mut text)?;
            self.ended = read == 0;
            if self.next == 0 && self.offset == 0 && text.starts_with(BYTE_ORDER_MARK) {
                text.drain(..BYTE_ORDER_MARK.len());
                self.offset = BYTE_ORDER_MARK.len() as u64;
                searched = 0;
            }
            if let Some(end) = memchr::memrchr(b'\n', &text[searched..]) {
                let end = searched + end + 1;
                self.rest.extend_from_slice(&text[end..]);
                text.truncate(end);
                return Ok(Some(self.block(text)));
            }
            searched = text.len();
            if searched > LONGEST_LINE {
                self.ended = true;
                return Ok(Some(self.block(text)));
            }
        }
        if text.is_empty() {
            return Ok(None);
        }
        let whole = text.last() == Some(&b'\n');
        if !whole {
            text.push(b'\n');
        }
        Ok(Some(self.block(text)))
    }

    fn block(&mut self, text: Vec<u8>) -> Block {
        let block = Block { index: self.next, offset: self.offset, text };
        self.next += 1;
        self.offset += block.text.len() as u64;
        block
    }
}

/// Tells how many bytes were read.
struct Counted<'a, R> {
    input: R,
    progress: &'a Progress,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &[u8]) -> Vec<Block> {
        let progress = Progress::NONE;
        let blocks = Blocks::open(text, Path::new("g"), Telling::Bytes, &progress).unwrap();
        std::iter::from_fn(|| blocks.next(Vec::new()).unwrap()).collect()
    }

    #[test]
    fn nothing_is_lost_between_blocks() {
        let text: String = (0..300_000).map(|number| format!("{number}\n")).collect();
        let blocks = blocks(text.as_bytes());
        assert!(blocks.len() > 3);
        assert!(blocks.iter().all(|block| block.text.ends_with(b"\n")));
        let offsets: Vec<u64> = blocks.iter().map(|block| block.offset).collect();
        let mut sum = 0;
        assert!(blocks.iter().zip(offsets).all(|(block, offset)| {
            let begins = offset == sum;
            sum += block.text.len() as u64;
            begins
        }));
        assert_eq!(blocks.into_iter().flat_map(|block| block.text).collect::<Vec<u8>>(), text.into_bytes());
    }

    #[test]
    fn ends_and_marks() {
        assert_eq!(blocks(b"").len(), 0);
        assert_eq!(blocks(b"\xef\xbb\xbf").len(), 0);
        let marked = blocks(b"\xef\xbb\xbf1 2");
        assert_eq!((marked[0].offset, &marked[0].text[..]), (3, &b"1 2\n"[..]));
        let long = blocks(&vec![b'7'; 3 << 20]);
        assert!(long.len() == 1 && !long[0].text.ends_with(b"\n"));
    }
}

//! Text in blocks of whole lines. A thread that needs a block reads (and decompresses) the next one itself, while the
//! other threads parse their blocks. Only one thread reads at a time, which keeps the blocks in order. This rarely
//! makes threads wait, because copying text out of the page cache is only a tenth of the work.

use super::Compression;
use super::bytes::read_error;
use super::error::LoadError;
use crate::compression::{Decompressed, Telling, decompress};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use wolfpath_core::progress::Progress;

/// Number of bytes that are read at a time. A block and its edges fit in a core's own cache.
const BLOCK: usize = 1 << 19;
/// Maximum length of a line. Real lines are about a hundred bytes long; in a binary file, a line may be gigabytes long.
pub(super) const LONGEST_LINE: usize = 1 << 20;
/// Byte order mark, which some editors write before UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Block of whole lines of the text.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Index among the blocks, from 0.
    pub(super) index: usize,
    /// Offset of the block in the text (after decompression).
    pub(super) offset: u64,
    /// Text of the block, which ends with a line end. If the last line of the file has no line end, one is added. Only
    /// one kind of block has no line end: a block whose last line is longer than [`LONGEST_LINE`], and was therefore
    /// not read completely.
    pub(super) text: Vec<u8>,
}

/// Blocks of a text.
pub(super) struct Blocks<'a> {
    path: &'a Path,
    compression: Compression,
    /// Compression whose magic number the input starts with.
    apparent: Compression,
    input: Mutex<Input<'a>>,
}

struct Input<'a> {
    text: Box<dyn Read + Send + 'a>,
    /// Start of a line whose end has not been read yet.
    rest: Vec<u8>,
    next: usize,
    offset: u64,
    ended: bool,
}

impl<'a> Blocks<'a> {
    /// Opens a text. `progress` receives the number of bytes read, counted in compressed form. `telling` is the rule
    /// that determines the compression.
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

    /// Returns the blocks of a text that begins at this offset of a file, and was decompressed from it.
    pub(super) fn of_text(
        text: impl Read + Send + 'a,
        path: &'a Path,
        compression: Compression,
        offset: u64,
    ) -> Blocks<'a> {
        let input = Input { text: Box::new(text), rest: Vec::new(), next: 0, offset, ended: false };
        Blocks { path, compression, apparent: compression, input: Mutex::new(input) }
    }

    pub(super) fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns a note for the user if the input looks compressed, but is read without decompression.
    pub(super) fn note(&self) -> Option<String> {
        (self.apparent != self.compression).then(|| {
            let (apparent, ending) = (self.apparent, self.apparent.ending());
            format!(
                "the file starts like a {apparent} file, but is not decompressed, because its name does not end in .{ending}"
            )
        })
    }

    /// Returns the next block, or `None` at the end. The block reuses `memory`.
    pub(super) fn next(&self, memory: Vec<u8>) -> Result<Option<Block>, LoadError> {
        // A thread that panicked left the input in a consistent state, so poisoning can be ignored.
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let block = input.next(memory).map_err(|source| read_error(self.path, self.compression, source));
        if block.is_err() {
            input.ended = true;
        }
        block
    }

    /// Makes all further calls to [`next`](Self::next) return `None`.
    pub(super) fn stop(&self) {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        input.ended = true;
        input.rest.clear();
    }

    /// Returns the input as bytes, for formats without lines. Must be called before any block is read.
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

/// Reader that reports the number of bytes read.
pub(super) struct Counted<'a, R> {
    pub(super) input: R,
    pub(super) progress: &'a Progress,
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

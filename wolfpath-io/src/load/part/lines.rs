//! The lines of a text that begin in a range of its bytes.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

/// Size of the buffer in bytes.
const BUFFER: usize = 1 << 17;

/// Reader of the lines that begin in a range. The last of them may end after the range.
pub(super) struct LinesIn<R> {
    text: BufReader<R>,
    /// Position in the text.
    at: u64,
    end: u64,
}

impl<R: Read> LinesIn<R> {
    /// Creates the reader of a text that is at a position before `range`, or at its start if that is the start of a line.
    pub(super) fn new(text: R, at: u64, range: Range<u64>, is_line_start: bool) -> io::Result<LinesIn<R>> {
        let mut lines = LinesIn { text: BufReader::with_capacity(BUFFER, text), at, end: range.end };
        let start = if is_line_start { range.start } else { range.start - 1 };
        while lines.at < start {
            let skipped = lines.text.fill_buf()?.len().min((start - lines.at) as usize);
            if skipped == 0 {
                break;
            }
            lines.text.consume(skipped);
            lines.at += skipped as u64;
        }
        if !is_line_start {
            lines.at += lines.text.skip_until(b'\n')? as u64;
        }
        Ok(lines)
    }

    /// Returns the position in the text.
    pub(super) fn position(&self) -> u64 {
        self.at
    }
}

impl<R: Read> Read for LinesIn<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.end {
            return Ok(0);
        }
        // The line of the byte before the end is the last one.
        let last = usize::try_from(self.end - 1 - self.at).unwrap_or(usize::MAX);
        let read = self.text.read(buffer)?;
        self.at += read as u64;
        let Some(ended) = buffer[..read].get(last..) else { return Ok(read) };
        match memchr::memchr(b'\n', ended) {
            Some(length) => {
                self.end = 0;
                Ok(last + length + 1)
            }
            None => {
                // This line continues beyond the buffer: the next reads return the rest of it.
                self.end = self.at + 1;
                Ok(read)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reader that returns at most so many bytes at a time.
    struct Short<'a>(&'a [u8], usize);

    impl Read for Short<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(buffer.len());
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn parts_have_each_line_once_in_order() {
        for text in ["1 2\n\n3 4\r\n55555 66666\n7 8", "\n\n\n", "1 2", "a\n", "no line end but long\n"] {
            for parts in 1..=text.len() as u64 + 3 {
                for short in [1, 2, 5, 100] {
                    let border = |part: u64| text.len() as u64 * part / parts;
                    let mut all = Vec::new();
                    for part in 0..parts {
                        let range = border(part)..border(part + 1);
                        let is_line_start = range.start == 0;
                        let mut lines =
                            LinesIn::new(Short(text.as_bytes(), short), 0, range.clone(), is_line_start)
                                .unwrap();
                        let start = lines.position();
                        let mut read = Vec::new();
                        lines.read_to_end(&mut read).unwrap();
                        assert!(read.is_empty() || range.contains(&start), "{text:?}: {start} in {range:?}");
                        assert!(read.is_empty() || start == all.len() as u64, "{text:?}");
                        all.extend(read);
                    }
                    assert_eq!(String::from_utf8(all).unwrap(), text, "{parts} parts");
                }
            }
        }
    }
}

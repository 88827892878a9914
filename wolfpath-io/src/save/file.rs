//! Output stream of a file: counts the bytes, and compresses them as the extension of the file indicates.

use super::job::Writer;
use crate::compression::Encode;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use wolfpath_core::progress::Progress;

/// Number of bytes that are written at a time.
const BUFFER: usize = 1 << 20;

/// File that reports the number of bytes written to it.
pub(super) struct Counted<'a> {
    pub(super) file: &'a mut File,
    pub(super) progress: &'a Progress,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.progress.advance(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Calls `writer` with a stream that compresses into the file.
pub(super) fn encoded(file: Counted<'_>, encode: Encode, writer: Writer<'_>) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, file);
    encode(&mut file, writer)?;
    file.flush()
}

//! The bytes of a file on their way to it: counted, and compressed as its ending says.

use super::job::Writer;
use crate::compression::Encode;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use wolfpath_core::progress::Progress;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// A file, and who is told how many bytes were written to it.
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

/// Lets `writer` write through the compressor.
pub(super) fn encoded(file: Counted<'_>, encode: Encode, writer: Writer<'_>) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, file);
    encode(&mut file, writer)?;
    file.flush()
}

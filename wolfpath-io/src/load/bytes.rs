//! Decompressed bytes of a file, for formats that are not read line by line. The bytes are returned in large pieces,
//! and errors state the file and the offset.

use super::Compression;
use super::error::LoadError;
use std::io::{self, Read};
use std::path::Path;

/// Number of bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// Bytes of a file, and the current position.
pub(super) struct Bytes<'a> {
    path: &'a Path,
    compression: Compression,
    input: &'a mut dyn Read,
    /// Number of bytes that were returned so far.
    offset: u64,
}

impl<'a> Bytes<'a> {
    /// Creates the bytes of a file. `input` returns decompressed bytes; `compression` is the compression of the file,
    /// for errors.
    pub(super) fn new(input: &'a mut dyn Read, path: &'a Path, compression: Compression) -> Bytes<'a> {
        Bytes { path, compression, input, offset: 0 }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns the number of bytes that were returned so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Fills the buffer, or only its start if the file ends first. Returns the number of bytes read.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, LoadError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.input.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(read_error(self.path, self.compression, source)),
            }
        }
        self.offset += filled as u64;
        Ok(filled)
    }

    /// Returns all remaining bytes.
    #[cfg(any(feature = "parquet", feature = "webgraph"))]
    pub(super) fn rest(&mut self) -> Result<Vec<u8>, LoadError> {
        let mut rest = Vec::new();
        let read = self.input.read_to_end(&mut rest);
        read.map_err(|source| read_error(self.path, self.compression, source))?;
        self.offset += rest.len() as u64;
        Ok(rest)
    }

    /// Returns the next `N` bytes. `expected` describes them in the error if the file ends too early.
    pub(super) fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], LoadError> {
        let mut array = [0; N];
        if self.fill(&mut array)? < N {
            return Err(self.ended(expected));
        }
        Ok(array)
    }

    /// Passes the next `count` records of `size` bytes to the caller, piece by piece, each with the offset of its first
    /// byte.
    pub(super) fn records(
        &mut self,
        count: u64,
        size: usize,
        expected: &str,
        mut visit: impl FnMut(&[u8], u64) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let mut piece = vec![0; PIECE / size * size];
        let mut left = count;
        while left > 0 {
            let records = left.min((piece.len() / size) as u64) as usize;
            let offset = self.offset;
            if self.fill(&mut piece[..records * size])? < records * size {
                return Err(self.ended(expected));
            }
            visit(&piece[..records * size], offset)?;
            left -= records as u64;
        }
        Ok(())
    }

    /// Checks that the file ends here.
    pub(super) fn expect_end(&mut self) -> Result<(), LoadError> {
        let offset = self.offset;
        if self.fill(&mut [0])? == 0 {
            return Ok(());
        }
        Err(self.wrong(offset, "more bytes", "the end of the file, according to the counts at its start"))
    }

    /// Returns the error for a file that ends where `expected` should be.
    fn ended(&self, expected: &str) -> LoadError {
        let expected = format!("{expected}: the file was cut short; fetch or make it again");
        self.wrong(self.offset, "the end of the file", expected)
    }

    /// Returns the error for invalid data at an offset.
    #[cold]
    pub(super) fn wrong(
        &self,
        offset: u64,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> LoadError {
        LoadError::Byte { path: self.path.to_owned(), offset, found: found.into(), expected: expected.into() }
    }
}

/// Converts the error of a failed read. Either the operating system failed to read, or the compressed data is invalid.
pub(super) fn read_error(path: &Path, compression: Compression, source: io::Error) -> LoadError {
    let path = path.to_owned();
    match (compression, source.kind()) {
        (Compression::None, _) => LoadError::Io { path, source },
        // Errors from the operating system have an error number; errors from the decompressor do not.
        _ if source.raw_os_error().is_some() => LoadError::Io { path, source },
        (_, io::ErrorKind::UnexpectedEof) => LoadError::Truncated { path, compression },
        _ => LoadError::Damaged { path, compression, source },
    }
}

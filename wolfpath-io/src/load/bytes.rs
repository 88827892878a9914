//! The decompressed bytes of a file, for formats that are not read line by line: handed out in large pieces, with
//! errors that know the file and the byte.

use super::Compression;
use super::error::LoadError;
use std::io::{self, Read};
use std::path::Path;

/// How much is read at once.
const PIECE: usize = 1 << 20;

/// Bytes, and where we are in them.
pub(super) struct Bytes<'a> {
    path: &'a Path,
    compression: Compression,
    input: &'a mut dyn Read,
    /// How many bytes were handed out.
    offset: u64,
}

impl<'a> Bytes<'a> {
    /// `input` is decompressed already; `compression` says how it was compressed.
    pub(super) fn new(input: &'a mut dyn Read, path: &'a Path, compression: Compression) -> Bytes<'a> {
        Bytes { path, compression, input, offset: 0 }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// How many bytes were handed out so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Fills the buffer, or as much of it as there are bytes left. Returns how many it were.
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

    /// All bytes that are left.
    #[cfg(any(feature = "parquet", feature = "webgraph"))]
    pub(super) fn rest(&mut self) -> Result<Vec<u8>, LoadError> {
        let mut rest = Vec::new();
        let read = self.input.read_to_end(&mut rest);
        read.map_err(|source| read_error(self.path, self.compression, source))?;
        self.offset += rest.len() as u64;
        Ok(rest)
    }

    /// The next bytes, exactly as many as the array has. `expected` says what they are, should the file end before.
    pub(super) fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], LoadError> {
        let mut array = [0; N];
        if self.fill(&mut array)? < N {
            return Err(self.ended(expected));
        }
        Ok(array)
    }

    /// Hands out the next `count` records of `size` bytes, piece by piece, each with the offset of its first byte.
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

    /// Refuses bytes that nothing before them announces.
    pub(super) fn expect_end(&mut self) -> Result<(), LoadError> {
        let offset = self.offset;
        if self.fill(&mut [0])? == 0 {
            return Ok(());
        }
        Err(self.wrong(offset, "more bytes", "the end of the file, by the counts at its start"))
    }

    /// The file ends where something should be.
    fn ended(&self, expected: &str) -> LoadError {
        let expected = format!("{expected}: the file was cut short; fetch or make it again");
        self.wrong(self.offset, "the end of the file", expected)
    }

    /// Something is wrong at an offset.
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

/// What a failed read means: the disk, or the compressed data.
pub(super) fn read_error(path: &Path, compression: Compression, source: io::Error) -> LoadError {
    let path = path.to_owned();
    match (compression, source.kind()) {
        (Compression::None, _) => LoadError::Io { path, source },
        // What the disk says rather than the decompressor carries the operating system's number.
        _ if source.raw_os_error().is_some() => LoadError::Io { path, source },
        (_, io::ErrorKind::UnexpectedEof) => LoadError::Truncated { path, compression },
        _ => LoadError::Damaged { path, compression, source },
    }
}

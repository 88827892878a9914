//! A section of a memory-mapped file.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use memmap2::Mmap;

use super::format::{FileType, padded};
use crate::store::error::StoreError;

/// A memory-mapped file and its path.
#[derive(Debug)]
pub(in crate::store) struct Mapping {
    pub(in crate::store) path: PathBuf,
    pub(in crate::store) file_type: &'static FileType,
    pub(in crate::store) bytes: Mmap,
    /// The file, and its length and modification time when it was mapped.
    pub(in crate::store) file: File,
    pub(in crate::store) stamp: Stamp,
}

impl Mapping {
    /// Returns an error if the file's length or modification time has changed since the file was mapped. A file that was
    /// replaced under its name is unchanged: the mapping keeps the old one.
    pub(in crate::store) fn check_unchanged(&self) -> Result<(), StoreError> {
        if Stamp::of(&self.file).map_err(|error| StoreError::io(&self.path, "inspect", error))? == self.stamp
        {
            return Ok(());
        }
        Err(StoreError::Changed { path: self.path.clone() })
    }
}

/// Length and modification time of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Stamp {
    length: u64,
    /// `None` if the file system keeps no modification times.
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(in crate::store) fn of(file: &File) -> io::Result<Stamp> {
        let metadata = file.metadata()?;
        Ok(Stamp { length: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// One section of a mapped file. Mapping the file has checked that the section is inside the file and starts at a multiple of
/// the page size.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Section {
    pub(in crate::store) mapping: Arc<Mapping>,
    /// Its kind number in the file, which this version may not know.
    pub(in crate::store) kind: u32,
    pub(in crate::store) offset: u64,
    pub(in crate::store) length: u64,
    pub(in crate::store) checksum: u64,
}

impl Section {
    /// Returns the section's bytes. They may have any value until the file is verified.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.mapping.bytes[self.offset as usize..(self.offset + self.length) as usize]
    }

    /// Returns the offset of the next section.
    pub(in crate::store) fn end(&self) -> u64 {
        self.offset + padded(self.length)
    }

    /// Returns the section's name for messages.
    pub(crate) fn name(&self) -> String {
        (self.mapping.file_type.name_of)(self.kind)
    }

    /// Verifies the section's checksum.
    pub fn verify(&self) -> Result<(), StoreError> {
        self.pass(1, |_| true).map(drop)
    }

    /// Verifies the section, and returns its text.
    pub fn text(&self) -> Result<String, StoreError> {
        self.verify()?;
        String::from_utf8(self.bytes().to_vec()).map_err(|_| {
            StoreError::broken(&self.mapping.path, self.offset, "bytes that are not text", "UTF-8")
        })
    }

    /// Returns the error for a fault in the section.
    pub fn broken(&self, found: impl Into<String>, expected: impl Into<String>) -> StoreError {
        StoreError::broken(&self.mapping.path, self.offset, found, expected)
    }

    /// Returns the error for numbers that changed between two reads: the first read found a fault, but the second did
    /// not.
    pub(in crate::store) fn changed(&self) -> StoreError {
        let found = format!("section \"{}\" changes while it is read", self.name());
        StoreError::broken(&self.mapping.path, self.offset, found, "a file that does not change")
    }
}

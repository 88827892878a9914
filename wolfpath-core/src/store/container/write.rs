//! Writes a file of sections under a temporary name in the same folder, then renames it. No process ever sees a partial
//! file, and an error leaves no file behind.
//!
//! The position of every section is known before the first byte is written, so all threads write in parallel. Each
//! thread takes one piece at a time, hashes it, and writes it to its position while the piece is still in the cache.
//! The header and the table, which contain the checksums, are written last.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use super::format::*;
use crate::progress::{Progress, Stage};
use crate::replace::{Readers, replace, replace_one_of_many, sync_folder};
use crate::store::error::StoreError;

/// A section to write: its kind, and its bytes.
#[doc(hidden)]
pub type NewSection<'a> = (u32, Cow<'a, [u8]>);

/// A file that was written.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Written {
    /// Checksum of the table.
    pub table: u64,
    /// Length of the file.
    pub bytes: u64,
}

/// The way in which a file is written.
#[derive(Clone, Copy)]
enum Manner {
    Plain(Readers),
    /// As one of many files in a folder.
    OneOfMany,
    /// So that it outlives a failure of power.
    Durable,
}

/// Writes a file, and replaces any existing one. `fields` has the size of [`TypeFields`], and `key` is the text at the end.
///
/// # Panics
/// Panics if the table has no room for all sections.
#[doc(hidden)]
pub fn write<F: Pod>(
    (path, readers): (&Path, Readers),
    file_type: &FileType,
    fields: &F,
    sections: Vec<NewSection<'_>>,
    key: &str,
    progress: &Progress,
) -> Result<Written, StoreError> {
    write_as(Manner::Plain(readers), path, file_type, fields, sections, key, progress)
}

/// Like [`write`], for one of many files in a folder, without a key. Files that killed programs have left in the folder stay
/// there: the last file should be written by [`write`], which removes them.
#[doc(hidden)]
pub fn write_one_of_many<F: Pod>(
    path: &Path,
    file_type: &FileType,
    fields: &F,
    sections: Vec<NewSection<'_>>,
) -> Result<Written, StoreError> {
    write_as(Manner::OneOfMany, path, file_type, fields, sections, "", &Progress::NONE)
}

/// Like [`write`], but returns only when the file and its name are on the disk, so that they outlive a failure of power.
#[doc(hidden)]
pub fn write_durably<F: Pod>(
    path: &Path,
    file_type: &FileType,
    fields: &F,
    sections: Vec<NewSection<'_>>,
) -> Result<Written, StoreError> {
    let written = write_as(Manner::Durable, path, file_type, fields, sections, "", &Progress::NONE)?;
    let failed =
        |error| StoreError::Write { path: path.to_owned(), bytes: written.bytes, error: Arc::new(error) };
    sync_folder(path).map_err(failed)?;
    Ok(written)
}

fn write_as<F: Pod>(
    manner: Manner,
    path: &Path,
    file_type: &FileType,
    fields: &F,
    sections: Vec<NewSection<'_>>,
    key: &str,
    progress: &Progress,
) -> Result<Written, StoreError> {
    const { assert!(size_of::<F>() == size_of::<TypeFields>()) };
    let (number, most) = (sections.len(), file_type.most_sections());
    assert!(number <= most, "{number} sections do not fit in the table, which has room for {most}");
    let sections = placed(file_type, sections);
    let length = end_of(file_type, &sections);
    let bytes = length + (size_of::<KeyHeader>() + key.len()) as u64;
    progress.begin(Stage::Write, Some(bytes));
    let mut table = 0;
    let fill = |file: &mut File| {
        reserve(file, bytes)?;
        let checksums = write_sections(file, &sections, progress)?;
        write_at(file, &key_bytes(key), length)?;
        let head = head_bytes(file_type, bytemuck::cast(*fields), &sections, &checksums);
        table = table_checksum(&head);
        write_at(file, &head, 0)?;
        progress.advance(bytes - length + head.len() as u64);
        // Before the file gets its name.
        if matches!(manner, Manner::Durable) { file.sync_all() } else { Ok(()) }
    };
    let replaced = match manner {
        Manner::Plain(readers) => replace(path, readers, fill),
        Manner::OneOfMany => replace_one_of_many(path, Readers::Usual, fill),
        Manner::Durable => replace(path, Readers::Usual, fill),
    };
    let failed = |error| StoreError::Write { path: path.to_owned(), bytes, error: Arc::new(error) };
    replaced.map_err(failed).map(|()| Written { table, bytes })
}

/// A section and its position in the file.
pub(in crate::store) struct Placed<'a> {
    kind: u32,
    pub(in crate::store) bytes: Cow<'a, [u8]>,
    pub(in crate::store) offset: u64,
}

/// Places sections one after the other, starting after the head.
pub(in crate::store) fn placed<'a>(file_type: &FileType, sections: Vec<NewSection<'a>>) -> Vec<Placed<'a>> {
    let mut offset = file_type.head as u64;
    let mut placed = Vec::with_capacity(sections.len());
    for (kind, bytes) in sections {
        let length = padded(bytes.len() as u64);
        placed.push(Placed { kind, bytes, offset });
        offset += length;
    }
    placed
}

/// Returns the position after the last section.
fn end_of(file_type: &FileType, sections: &[Placed<'_>]) -> u64 {
    sections.last().map_or(file_type.head as u64, |last| last.offset + padded(last.bytes.len() as u64))
}

/// Writes all sections, and returns their checksums. The padding is not written, because the new file already contains
/// zeros there.
fn write_sections(file: &File, sections: &[Placed<'_>], progress: &Progress) -> io::Result<Vec<u64>> {
    // Reports progress for several pieces at a time, so that there are at most a few thousand reports.
    let all: usize = sections.iter().map(|section| section.bytes.len()).sum();
    let several = (all >> 11).next_multiple_of(PIECE).max(PIECE);
    let write_several = |offset: u64, bytes: &[u8]| -> io::Result<Vec<u64>> {
        let mut hashes = Vec::with_capacity(bytes.len().div_ceil(PIECE));
        for (index, piece) in bytes.chunks(PIECE).enumerate() {
            hashes.push(piece_checksum(piece));
            write_at(file, piece, offset + (index * PIECE) as u64)?;
        }
        progress.advance(bytes.len() as u64);
        Ok(hashes)
    };
    let write_section = |section: &Placed<'_>| {
        let pieces = section.bytes.par_chunks(several).enumerate();
        let hashes: io::Result<Vec<Vec<u64>>> = pieces
            .map(|(index, bytes)| write_several(section.offset + (index * several) as u64, bytes))
            .collect();
        Ok(checksum_of(&hashes?.concat()))
    };
    sections.iter().map(write_section).collect()
}

pub(in crate::store) fn key_bytes(key: &str) -> Vec<u8> {
    let (length, checksum) = (key.len() as u64, hash(key.as_bytes()));
    let mut bytes = bytemuck::bytes_of(&KeyHeader { magic: KEY_MAGIC, length, checksum }).to_vec();
    bytes.extend_from_slice(key.as_bytes());
    bytes
}

/// Returns the header and the table.
pub(in crate::store) fn head_bytes(
    file_type: &FileType,
    fields: TypeFields,
    sections: &[Placed<'_>],
    checksums: &[u64],
) -> Vec<u8> {
    let mut head = vec![0; file_type.head];
    let entries = head[TABLE_AT..].chunks_exact_mut(size_of::<Entry>());
    for (place, (section, &checksum)) in entries.zip(sections.iter().zip(checksums)) {
        let Placed { kind, offset, .. } = *section;
        let length = section.bytes.len() as u64;
        let flags = (file_type.flag_of)(kind).expect("only sections of known kinds are written");
        let entry = Entry { kind, flags, offset, length, checksum };
        place.copy_from_slice(bytemuck::bytes_of(&entry));
    }
    let mut header = Header {
        magic: file_type.magic,
        version: file_type.version,
        byte_order: BYTE_ORDER,
        fields,
        sections: sections.len() as u32,
        length: end_of(file_type, sections),
        table_checksum: table_checksum(&head),
        checksum: 0,
    };
    header.checksum = header_checksum(&header);
    head[..size_of::<Header>()].copy_from_slice(bytemuck::bytes_of(&header));
    head
}

/// Sets the length of a new file, filled with zeros, and allocates the space if the platform supports it. A full disk
/// is then detected at once, not after minutes of writing.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            // Some file systems do not support this. On these, a full disk is detected only while the file is written.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    file.set_len(bytes)
}

/// Writes all bytes at `offset`. Several threads may do this at the same time.
#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Writes all bytes at `offset`. Several threads may do this at the same time.
#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

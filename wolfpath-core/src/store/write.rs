//! Writes a `.wolf` file under a temporary name in the same folder, then renames it. No process ever sees a partial
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

use rayon::prelude::*;

use super::column::WeightColumn;
use super::contents::{Contents, SymmetryFlags};
use super::error::StoreError;
use super::format::*;
use super::paths::PathColumns;
use crate::program::DatumKind;
use crate::progress::{Progress, Stage};
use crate::replace::{Readers, replace};
use crate::weights::{Columns, Named};

/// Writes a graph to `path`, and replaces any existing file. `key` (whole lines) describes the input that the graph was
/// built from. `notes` are notes to the user about how the input was read.
pub(crate) fn write(
    contents: &Contents,
    key: &str,
    notes: &[String],
    path: &Path,
    progress: &Progress,
) -> Result<(), StoreError> {
    write_for(Readers::Usual, contents, key, notes, path, progress)
}

/// Writes a graph like [`write()`], but to a file that only the user may read.
pub(crate) fn write_private(
    contents: &Contents,
    key: &str,
    notes: &[String],
    path: &Path,
    progress: &Progress,
) -> Result<(), StoreError> {
    write_for(Readers::User, contents, key, notes, path, progress)
}

fn write_for(
    readers: Readers,
    contents: &Contents,
    key: &str,
    notes: &[String],
    path: &Path,
    progress: &Progress,
) -> Result<(), StoreError> {
    let notes = notes.iter().map(|note| format!("{NOTE}{}\n", note.replace('\n', " ")));
    let key: String = [key.to_owned()].into_iter().chain(notes).collect();
    let sections = placed(contents);
    let length = sections.last().map_or(PAGE as u64, |last| last.offset + padded(last.bytes.len() as u64));
    let bytes = length + (size_of::<KeyHeader>() + key.len()) as u64;
    progress.begin(Stage::Write, Some(bytes));
    let replaced = replace(path, readers, |file| {
        reserve(file, bytes)?;
        let checksums = write_sections(file, &sections, progress)?;
        write_at(file, &key_bytes(&key), length)?;
        write_at(file, &first_page(contents, &sections, &checksums, length), 0)?;
        progress.advance(bytes - length + PAGE as u64);
        Ok(())
    });
    replaced.map_err(|error| StoreError::Write { path: path.to_owned(), bytes, error: Arc::new(error) })
}

/// A section and its position in the file.
pub(super) struct Placed<'a> {
    kind: u32,
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) offset: u64,
}

/// Returns the sections of a graph, one after the other, starting after the first page.
pub(super) fn placed(contents: &Contents) -> Vec<Placed<'_>> {
    let own = sections(contents).into_iter().map(|(kind, bytes)| (kind as u32, Cow::Borrowed(bytes)));
    let mut offset = PAGE as u64;
    let mut placed = Vec::new();
    for (kind, bytes) in own.chain(columns(contents)) {
        let length = padded(bytes.len() as u64);
        placed.push(Placed { kind, bytes, offset });
        offset += length;
    }
    placed
}

/// Returns the sections of the weight's name and of the other columns. Most graphs have none.
fn columns(contents: &Contents) -> Vec<(u32, Cow<'_, [u8]>)> {
    let Columns { weight_name, others } = &contents.columns;
    let mut sections = Vec::new();
    if let Some(name) = weight_name {
        sections.push((SectionKind::WeightName as u32, Cow::Borrowed(name.as_bytes())));
    }
    if !others.is_empty() {
        let line = |column: &Named<WeightColumn>| {
            format!("{} {}\n", column.numbers.slice().kind().name(), column.name)
        };
        let names: String = others.iter().map(line).collect();
        sections.push((SectionKind::Columns as u32, Cow::Owned(names.into_bytes())));
    }
    let numbers = others.iter().enumerate();
    sections.extend(
        numbers.map(|(index, column)| (column_kind(index), Cow::Borrowed(column.numbers.slice().bytes()))),
    );
    sections
}

/// Returns the sections of a graph, in the order of the file.
fn sections(contents: &Contents) -> Vec<(SectionKind, &[u8])> {
    let mut sections: Vec<(SectionKind, &[u8])> = vec![
        (SectionKind::Reason, contents.reason.as_bytes()),
        (SectionKind::Layers, bytemuck::cast_slice(contents.layers.values())),
        (SectionKind::Ranks, bytemuck::cast_slice(contents.ranks.values())),
    ];
    if let Some(ids) = &contents.ids {
        sections.push((SectionKind::Ids, bytemuck::cast_slice(ids.values())));
    }
    sections.push((SectionKind::Offsets, bytemuck::cast_slice(contents.offsets.values())));
    sections.push((SectionKind::Ends, bytemuck::cast_slice(contents.ends.values())));
    if let Some(weights) = &contents.weights {
        sections.push((SectionKind::Weights, weights.slice().bytes()));
    }
    if let Some(rows) = &contents.in_rows {
        sections.push((SectionKind::InOffsets, bytemuck::cast_slice(rows.offsets.values())));
        sections.push((SectionKind::InEnds, bytemuck::cast_slice(rows.ends.values())));
    }
    let inward = contents.in_rows.as_ref().and_then(|rows| rows.packed.as_ref());
    sections.extend(contents.packed.iter().flat_map(|packed| packed.sections(false)));
    sections.extend(inward.into_iter().flat_map(|packed| packed.sections(true)));
    sections.extend(contents.paths.iter().flat_map(PathColumns::sections));
    sections
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

pub(super) fn key_bytes(key: &str) -> Vec<u8> {
    let (length, checksum) = (key.len() as u64, hash(key.as_bytes()));
    let mut bytes = bytemuck::bytes_of(&KeyHeader { magic: KEY_MAGIC, length, checksum }).to_vec();
    bytes.extend_from_slice(key.as_bytes());
    bytes
}

/// Returns the header and the table.
pub(super) fn first_page(
    contents: &Contents,
    sections: &[Placed<'_>],
    checksums: &[u64],
    length: u64,
) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    let entries = page[TABLE_AT..].chunks_exact_mut(size_of::<Entry>());
    for (place, (section, &checksum)) in entries.zip(sections.iter().zip(checksums)) {
        let Placed { kind, offset, .. } = *section;
        let length = section.bytes.len() as u64;
        let flags = known_flags(kind).expect("only sections of known kinds are written");
        let entry = Entry { kind, flags, offset, length, checksum };
        place.copy_from_slice(bytemuck::bytes_of(&entry));
    }
    let mut header = Header {
        magic: MAGIC,
        version: VERSION,
        byte_order: BYTE_ORDER,
        vertices: contents.vertices,
        layers: contents.layers.values().len() as u32 - 1,
        edges: contents.edges,
        root: contents.root.unwrap_or(0),
        first_id: contents.first_id,
        root_layers: contents.root_layers,
        flags: flags(contents.symmetry),
        weight_kind: contents.weights.as_ref().map_or(0, |weights| kind_number(weights.slice().kind())),
        sections: sections.len() as u32,
        length,
        table_checksum: table_checksum(&page),
        checksum: 0,
    };
    header.checksum = header_checksum(&header);
    page[..size_of::<Header>()].copy_from_slice(bytemuck::bytes_of(&header));
    page
}

/// Returns the position of a type among [`WEIGHT_KINDS`], counted from 1.
fn kind_number(kind: DatumKind) -> u32 {
    let index = WEIGHT_KINDS.iter().position(|&other| other == kind);
    index.expect("stored weights have one of these types") as u32 + 1
}

fn flags(symmetry: SymmetryFlags) -> u32 {
    let flag = |set, bit| if set { bit } else { 0 };
    flag(symmetry.edges, SYMMETRIC)
        | flag(symmetry.weights, SYMMETRIC_WEIGHTS)
        | flag(symmetry.order, SYMMETRIC_ORDER)
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

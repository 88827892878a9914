//! Writing a `.wolf` file: under a temporary name in the same folder, then renamed, so that nobody ever sees half
//! a file and an error leaves nothing.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::contents::{Contents, Symmetry};
use super::error::StoreError;
use super::format::*;
use crate::program::DatumKind;

/// Writes a graph to `path`, replacing a file of that name. `key` (whole lines) says what it was made from, `notes`
/// what a user should know about that.
pub(crate) fn write(contents: &Contents, key: &str, notes: &[String], path: &Path) -> Result<(), StoreError> {
    let notes = notes.iter().map(|note| format!("{NOTE}{}\n", note.replace('\n', " ")));
    let key: String = [key.to_owned()].into_iter().chain(notes).collect();
    let sections = sections(contents);
    let (page, length) = first_page(contents, &sections);
    let bytes = length + (size_of::<KeyHeader>() + key.len()) as u64;
    write_all(path, &page, &sections, &key).map_err(|error| StoreError::Write {
        path: path.to_owned(),
        bytes,
        error: Arc::new(error),
    })
}

/// The sections of a graph, in the order of the file.
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
    sections
}

/// The first page, and the bytes of everything before the key.
fn first_page(contents: &Contents, sections: &[(SectionKind, &[u8])]) -> (Vec<u8>, u64) {
    let mut page = vec![0; PAGE];
    let mut offset = PAGE as u64;
    for (index, &(kind, bytes)) in sections.iter().enumerate() {
        let length = bytes.len() as u64;
        let entry = Entry { kind: kind as u32, reserved: 0, offset, length, checksum: checksum(bytes) };
        let at = TABLE_AT + index * size_of::<Entry>();
        page[at..at + size_of::<Entry>()].copy_from_slice(bytemuck::bytes_of(&entry));
        offset += padded(length);
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
        length: offset,
        table_checksum: table_checksum(&page),
        checksum: 0,
    };
    header.checksum = header_checksum(&header);
    page[..size_of::<Header>()].copy_from_slice(bytemuck::bytes_of(&header));
    (page, offset)
}

/// The place of a type among [`WEIGHT_KINDS`], from 1.
fn kind_number(kind: DatumKind) -> u32 {
    WEIGHT_KINDS.iter().position(|&other| other == kind).map_or(0, |index| index as u32 + 1)
}

fn flags(symmetry: Symmetry) -> u32 {
    let flag = |set, bit| if set { bit } else { 0 };
    flag(symmetry.edges, SYMMETRIC)
        | flag(symmetry.weights, SYMMETRIC_WEIGHTS)
        | flag(symmetry.order, SYMMETRIC_ORDER)
}

/// Writes all parts to a temporary file beside `path` and renames it. The temporary file deletes itself when
/// anything fails.
fn write_all(path: &Path, page: &[u8], sections: &[(SectionKind, &[u8])], key: &str) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_file(folder)?;
    let mut writer = BufWriter::new(file.as_file_mut());
    writer.write_all(page)?;
    for &(_, bytes) in sections {
        writer.write_all(bytes)?;
        let filling = padded(bytes.len() as u64) as usize - bytes.len();
        writer.write_all(&[0; PAGE][..filling])?;
    }
    let (length, checksum) = (key.len() as u64, xxh3_64(key.as_bytes()));
    writer.write_all(bytemuck::bytes_of(&KeyHeader { magic: KEY_MAGIC, length, checksum }))?;
    writer.write_all(key.as_bytes())?;
    writer.flush()?;
    drop(writer);
    file.persist(path).map_err(|failure| failure.error)?;
    Ok(())
}

/// A file that others may read as any other of the user's: temporary files are private by default.
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wolf-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

//! Opens a `.wolf` file in two steps. [`map`] reads and checks the first page and the key, and maps the rest, which
//! takes microseconds for a file of any size. [`Unverified::verify`] then reads every section once, on all threads.
//! Only the second step returns a graph, so code that reads a graph can rely on its numbers. Between the two steps, the
//! key of a kept graph is compared with its input.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use super::column::{Mapping, Section, Stamp};
use super::contents::Contents;
use super::error::StoreError;
use super::format::*;
use super::table::Table;
use crate::progress::Progress;

/// Returns `true` if a path names a `.wolf` file. Only the file extension is checked, ignoring case.
///
/// ```
/// use wolfpath_core::store::is_wolf;
///
/// assert!(is_wolf("roads.wolf") && is_wolf("ROADS.WOLF"));
/// assert!(!is_wolf("roads.wolf.gz") && !is_wolf("wolf"));
/// ```
pub fn is_wolf(path: impl AsRef<Path>) -> bool {
    path.as_ref().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wolf"))
}

/// A graph in a file whose sections have not been verified. Its numbers may be anything.
#[derive(Debug)]
pub(crate) struct Unverified {
    pub(crate) contents: Contents,
    /// The input and options that the graph was built from.
    pub(crate) key: String,
    /// Notes to the user about how the input was read.
    pub(crate) notes: Vec<String>,
    /// Optional sections of a later version, which this version does not read.
    pub(crate) passed_over: Vec<Section>,
}

/// A graph in a verified file.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) contents: Contents,
    /// The internal index of each rank.
    pub(crate) by_rank: Vec<u32>,
    /// Notes to the user about how the input was read.
    pub(crate) notes: Vec<String>,
    /// Optional sections of a later version, which this version does not read.
    pub(crate) passed_over: Vec<Section>,
}

impl Unverified {
    /// Verifies every section: its checksum, and that its numbers are in order and in range. Also verifies the
    /// checksums of sections that this version does not read. Only [`examine`](crate::graph::LayeredGraph::examine)
    /// verifies the breadth-first order, and that in-rows and symmetry flags agree with the out-rows.
    pub(crate) fn verify(self, progress: &Progress) -> Result<Stored, StoreError> {
        let Unverified { contents, notes, passed_over, .. } = self;
        let by_rank = contents.verify(progress)?;
        passed_over.iter().try_for_each(Section::verify)?;
        contents.ends.check_unchanged()?;
        Ok(Stored { contents, by_rank, notes, passed_over })
    }
}

/// Opens a file and verifies it.
pub(crate) fn open(path: &Path, progress: &Progress) -> Result<Stored, StoreError> {
    map(path)?.verify(progress)
}

/// Maps a file and checks its header, table and key. Its sections are not read.
pub(crate) fn map(path: &Path) -> Result<Unverified, StoreError> {
    map_file(path, File::open(path).map_err(|error| StoreError::io(path, "open", error))?)
}

/// Maps a file that is already open. `path` is used in errors.
pub(crate) fn map_file(path: &Path, mut file: File) -> Result<Unverified, StoreError> {
    let stamp = Stamp::of(&file).map_err(|error| StoreError::io(path, "inspect", error))?;
    let (header, page) = first_page(path, &mut file)?;
    let key = key(path, &mut file, &header)?;
    // SAFETY: a map is sound as long as the file is neither modified nor truncated while the map exists. wolfpath never
    // modifies a `.wolf` file: it writes a new file and renames it, and the map keeps the old file. The documentation
    // of `LayeredGraph::open_wolf` requires that no other program modifies the file either.
    let bytes = unsafe { Mmap::map(&file) }.map_err(|error| StoreError::io(path, "map", error))?;
    let mapping = Arc::new(Mapping { path: path.to_owned(), bytes, file, stamp });
    if mapping.bytes.len() as u64 != file_length(&header, &key) {
        return Err(StoreError::broken(
            path,
            0,
            "a file that changes while it is read",
            "a file that does not change",
        ));
    }
    let table = Table::read(&header, &page, mapping)?;
    let (key, notes) = split_key(&key);
    Ok(Unverified { contents: table.contents()?, key, notes, passed_over: table.passed_over() })
}

/// Reads and checks the header and the table.
fn first_page(path: &Path, file: &mut File) -> Result<(Header, Vec<u8>), StoreError> {
    let metadata = file.metadata().map_err(|error| StoreError::io(path, "read", error))?;
    if metadata.is_dir() {
        let error = std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a folder");
        return Err(StoreError::io(path, "read", error));
    }
    let mut page = Vec::with_capacity(PAGE);
    file.take(PAGE as u64).read_to_end(&mut page).map_err(|error| StoreError::io(path, "read", error))?;
    check_kind(path, &page)?;
    let header: Header = bytemuck::pod_read_unaligned(&page[..size_of::<Header>()]);
    let found = header_checksum(&header);
    if found != header.checksum {
        return Err(wrong_checksum(path, 0, "header", found, header.checksum));
    }
    let found = table_checksum(&page);
    if found != header.table_checksum {
        return Err(wrong_checksum(path, size_of::<Header>() as u64, "table", found, header.table_checksum));
    }
    Ok((header, page))
}

fn wrong_checksum(path: &Path, byte: u64, part: &str, found: u64, expected: u64) -> StoreError {
    StoreError::broken(
        path,
        byte,
        format!("the {part} has checksum {found:016x}"),
        format!("{expected:016x}"),
    )
}

/// Checks that the file is a `.wolf` file of this version and of this machine's byte order.
fn check_kind(path: &Path, page: &[u8]) -> Result<(), StoreError> {
    let begin = &page[..page.len().min(MAGIC.len())];
    if begin != &MAGIC[..begin.len()] || begin.is_empty() {
        let found = if begin.is_empty() { "nothing".to_owned() } else { format!("{begin:02x?}") };
        return Err(StoreError::Foreign { path: path.to_owned(), found, expected: format!("{MAGIC:02x?}") });
    }
    let word = |at: usize| page.get(at..at + 4).map(bytemuck::pod_read_unaligned::<u32>);
    if let (Some(version), Some(order)) = (word(8), word(12)) {
        if order == BYTE_ORDER.swap_bytes() {
            return Err(StoreError::ByteOrder { path: path.to_owned() });
        }
        if version != VERSION {
            return Err(StoreError::Version { path: path.to_owned(), found: version });
        }
    }
    if page.len() < PAGE {
        return Err(cut_short(path, page.len() as u64, "a header of 4096 bytes"));
    }
    Ok(())
}

fn cut_short(path: &Path, length: u64, expected: impl Into<String>) -> StoreError {
    StoreError::broken(path, length, "the file ends", expected)
}

/// Reads and checks the key, which must be the last part of the file.
fn key(path: &Path, file: &mut File, header: &Header) -> Result<String, StoreError> {
    let read_error = |error| StoreError::io(path, "read", error);
    let length = file.metadata().map_err(read_error)?.len();
    let at = header.length;
    if length < at.saturating_add(size_of::<KeyHeader>() as u64) {
        return Err(cut_short(path, length, format!("at least {} bytes", at.saturating_add(24))));
    }
    file.seek(SeekFrom::Start(at)).map_err(read_error)?;
    let mut start = [0; size_of::<KeyHeader>()];
    file.read_exact(&mut start).map_err(read_error)?;
    let start: KeyHeader = bytemuck::pod_read_unaligned(&start);
    if start.magic != KEY_MAGIC {
        let found = format!("{:02x?}", start.magic);
        return Err(StoreError::broken(path, at, found, format!("{KEY_MAGIC:02x?}")));
    }
    let text_at = at + size_of::<KeyHeader>() as u64;
    if length - text_at != start.length {
        let found = format!("{} bytes of key", length - text_at);
        return Err(StoreError::broken(path, text_at, found, format!("{} bytes", start.length)));
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(read_error)?;
    let found = hash(&text);
    if found != start.checksum {
        return Err(wrong_checksum(path, text_at, "key", found, start.checksum));
    }
    String::from_utf8(text).map_err(|_| StoreError::broken(path, text_at, "bytes that are not text", "UTF-8"))
}

/// Splits the text of the key into the key itself and the notes.
fn split_key(text: &str) -> (String, Vec<String>) {
    let (notes, key): (Vec<&str>, Vec<&str>) =
        text.split_inclusive('\n').partition(|line| line.starts_with(NOTE));
    let note = |line: &str| line[NOTE.len()..].trim_end().to_owned();
    (key.concat(), notes.into_iter().map(note).collect())
}

fn file_length(header: &Header, key: &str) -> u64 {
    header.length + (size_of::<KeyHeader>() + key.len()) as u64
}

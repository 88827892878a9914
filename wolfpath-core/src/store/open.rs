//! Opening a `.wolf` file: reads the first page and the key, checks what they say, and maps the rest.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use super::column::{Column, Mapping, Section, WeightColumn};
use super::contents::{Contents, Symmetry};
use super::error::StoreError;
use super::format::*;

/// A graph in a file, and what it was made from.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) contents: Contents,
    pub(crate) key: String,
    /// What a user should know about how the input was read.
    pub(crate) notes: Vec<String>,
}

/// Opens a file. Its sections are verified later, when they are used.
pub(crate) fn open(path: &Path) -> Result<Stored, StoreError> {
    let mut file = File::open(path).map_err(|error| StoreError::io(path, "open", error))?;
    let (header, page) = first_page(path, &mut file)?;
    let key = key(path, &mut file, &header)?;
    // SAFETY: a map is sound as long as nobody changes or cuts the file under it. wolfpath never writes into a
    // `.wolf` file: it makes a new one and renames it, and then the map keeps the old one. Others must not either;
    // the documentation says so.
    let bytes = unsafe { Mmap::map(&file) }.map_err(|error| StoreError::io(path, "map", error))?;
    let mapping = Arc::new(Mapping { path: path.to_owned(), bytes });
    if mapping.bytes.len() as u64 != file_length(&header, &key) {
        return Err(StoreError::broken(path, 0, "a file that changes while it is read", "a file at rest"));
    }
    let table = Table { header: &header, page: &page, mapping };
    let (key, notes) = split_key(&key);
    Ok(Stored { contents: table.contents()?, key, notes })
}

/// Reads and checks header and table.
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

/// Checks what tells a `.wolf` file of this version and machine from anything else.
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

/// Reads and checks the key, which must be the end of the file.
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
    let found = xxh3_64(&text);
    if found != start.checksum {
        return Err(wrong_checksum(path, text_at, "key", found, start.checksum));
    }
    String::from_utf8(text).map_err(|_| StoreError::broken(path, text_at, "bytes that are no text", "UTF-8"))
}

/// Parts the text of the key into the key itself and notes.
fn split_key(text: &str) -> (String, Vec<String>) {
    let (notes, key): (Vec<&str>, Vec<&str>) =
        text.split_inclusive('\n').partition(|line| line.starts_with(NOTE));
    let note = |line: &str| line[NOTE.len()..].trim_end().to_owned();
    (key.concat(), notes.into_iter().map(note).collect())
}

fn file_length(header: &Header, key: &str) -> u64 {
    header.length + (size_of::<KeyHeader>() + key.len()) as u64
}

/// The section table, being turned into columns.
struct Table<'a> {
    header: &'a Header,
    page: &'a [u8],
    mapping: Arc<Mapping>,
}

impl Table<'_> {
    fn contents(&self) -> Result<Contents, StoreError> {
        let header = self.header;
        let (vertices, edges) = (u64::from(header.vertices), header.edges);
        if header.flags & !FLAGS != 0 {
            return Err(self.broken(52, format!("flags {:#x}", header.flags), "flags of this version"));
        }
        let reason = self.required(SectionKind::Reason)?;
        reason.verify()?;
        let text = String::from_utf8(reason.bytes().to_vec())
            .map_err(|_| self.broken(reason.offset, "bytes that are no text", "UTF-8"))?;
        let ids = self.find(SectionKind::Ids)?;
        if let Some(ids) = &ids {
            self.expect_elements(ids, 8, Some(vertices))?;
        }
        Ok(Contents {
            vertices: header.vertices,
            edges,
            root: (vertices > 0).then_some(header.root),
            root_layers: header.root_layers,
            reason: text,
            symmetry: Symmetry {
                edges: header.flags & SYMMETRIC != 0,
                weights: header.flags & SYMMETRIC_WEIGHTS != 0,
                order: header.flags & SYMMETRIC_ORDER != 0,
            },
            layers: Column::mapped(self.sized(SectionKind::Layers, 4, Some(u64::from(header.layers) + 1))?),
            ranks: Column::mapped(self.sized(SectionKind::Ranks, 4, Some(vertices))?),
            ids: ids.map(Column::mapped),
            first_id: header.first_id,
            offsets: Column::mapped(self.sized(SectionKind::Offsets, 8, Some(vertices + 1))?),
            ends: Column::mapped(self.sized(SectionKind::Ends, 4, Some(edges))?),
            weights: self.weights()?,
        })
    }

    fn weights(&self) -> Result<Option<WeightColumn>, StoreError> {
        let number = self.header.weight_kind;
        let Some(index) = number.checked_sub(1) else {
            return Ok(None);
        };
        let Some(kind) = WEIGHT_KINDS.get(index as usize) else {
            return Err(self.broken(56, format!("weights of kind {number}"), "a kind from 0 to 6"));
        };
        let section = self.sized(SectionKind::Weights, kind.size() as u64, Some(self.header.edges))?;
        Ok(Some(WeightColumn::mapped(section, *kind)))
    }

    /// The section of this kind, with its element size and, where known, number of elements checked.
    fn sized(&self, kind: SectionKind, size: u64, elements: Option<u64>) -> Result<Section, StoreError> {
        let section = self.required(kind)?;
        self.expect_elements(&section, size, elements)?;
        Ok(section)
    }

    fn expect_elements(&self, section: &Section, size: u64, elements: Option<u64>) -> Result<(), StoreError> {
        let expected = elements.and_then(|elements| elements.checked_mul(size));
        if expected == Some(section.length) {
            return Ok(());
        }
        let found = format!("section \"{}\" of {} bytes", section.kind.name(), section.length);
        Err(self.broken(TABLE_AT as u64, found, format!("{expected:?} bytes")))
    }

    fn required(&self, kind: SectionKind) -> Result<Section, StoreError> {
        let missing = || self.broken(TABLE_AT as u64, format!("no section \"{}\"", kind.name()), "one");
        self.find(kind)?.ok_or_else(missing)
    }

    /// The section of this kind, checked to lie inside the file on a page border.
    fn find(&self, kind: SectionKind) -> Result<Option<Section>, StoreError> {
        debug_assert!(SectionKind::ALL.contains(&kind));
        for index in 0..self.header.sections as usize {
            let at = TABLE_AT + index * size_of::<Entry>();
            let Some(bytes) = self.page.get(at..at + size_of::<Entry>()) else {
                return Err(self.broken(60, format!("{} sections", self.header.sections), "at most 124"));
            };
            let entry: Entry = bytemuck::pod_read_unaligned(bytes);
            if entry.kind == kind as u32 {
                return self.section(kind, &entry, at as u64).map(Some);
            }
        }
        Ok(None)
    }

    fn section(&self, kind: SectionKind, entry: &Entry, at: u64) -> Result<Section, StoreError> {
        let end =
            entry.length.checked_next_multiple_of(PAGE as u64).and_then(|x| x.checked_add(entry.offset));
        let inside = end.is_some_and(|end| end <= self.header.length) && entry.offset >= PAGE as u64;
        if !inside || !entry.offset.is_multiple_of(PAGE as u64) {
            let found = format!("a section at byte {} of {} bytes", entry.offset, entry.length);
            let expected = format!("one inside {} bytes, on a page border", self.header.length);
            return Err(self.broken(at, found, expected));
        }
        Ok(Section {
            mapping: Arc::clone(&self.mapping),
            kind,
            offset: entry.offset,
            length: entry.length,
            checksum: entry.checksum,
        })
    }

    fn broken(&self, byte: u64, found: impl Into<String>, expected: impl Into<String>) -> StoreError {
        StoreError::broken(&self.mapping.path, byte, found, expected)
    }
}

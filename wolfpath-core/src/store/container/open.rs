//! Opens a file of sections: reads and checks its first page and its key, and maps the rest, which takes microseconds for a
//! file of any size.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

use super::format::*;
use super::section::{Mapping, Section, Stamp};
use crate::program::DatumKind;
use crate::store::column::{Column, WeightColumn};
use crate::store::error::StoreError;

/// A mapped file whose header, table and key have been checked. Its sections have not been verified.
#[derive(Debug)]
#[doc(hidden)]
pub struct Container {
    header: Header,
    mapping: Arc<Mapping>,
    sections: Vec<Section>,
    key: String,
}

impl Container {
    /// Opens and maps a file. Its sections are not read. The file must not be modified or truncated while it is mapped.
    pub fn open(path: &Path, file_type: &'static FileType) -> Result<Container, StoreError> {
        let file = File::open(path).map_err(|error| StoreError::io(path, "open", error))?;
        Container::of_file(path, file, file_type)
    }

    /// Maps a file that is already open. `path` is used in errors.
    pub(in crate::store) fn of_file(
        path: &Path,
        mut file: File,
        file_type: &'static FileType,
    ) -> Result<Container, StoreError> {
        let stamp = Stamp::of(&file).map_err(|error| StoreError::io(path, "inspect", error))?;
        let (header, head) = read_head(path, &mut file, file_type)?;
        let key = key(path, &mut file, &header)?;
        // SAFETY: a map is sound as long as the file is neither modified nor truncated while the map exists. wolfpath
        // never modifies such a file: it writes a new file and renames it, and the map keeps the old file. The
        // documentation of the functions that open files requires that no other program modifies the file either.
        let bytes = unsafe { Mmap::map(&file) }.map_err(|error| StoreError::io(path, "map", error))?;
        let mapping = Arc::new(Mapping { path: path.to_owned(), file_type, bytes, file, stamp });
        if mapping.bytes.len() as u64 != header.length + (size_of::<KeyHeader>() + key.len()) as u64 {
            return Err(StoreError::broken(
                path,
                0,
                "a file that changes while it is read",
                "a file that does not change",
            ));
        }
        let mut container = Container { header, mapping, sections: Vec::new(), key };
        container.read_table(&head)?;
        Ok(container)
    }

    /// Reads the table. Sections must be contiguous, so that every byte is covered by a checksum.
    fn read_table(&mut self, head: &[u8]) -> Result<(), StoreError> {
        let sections = self.header.sections as usize;
        let most = self.mapping.file_type.most_sections();
        if sections > most {
            return Err(self.broken(60, format!("{sections} sections"), format!("at most {most}")));
        }
        let mut begin = head.len() as u64;
        for index in 0..sections {
            let at = TABLE_AT + index * size_of::<Entry>();
            let entry: Entry = bytemuck::pod_read_unaligned(&head[at..at + size_of::<Entry>()]);
            let section = self.section(&entry, at as u64, begin)?;
            begin = section.end();
            self.sections.push(section);
        }
        let length = self.header.length;
        if begin != length {
            return Err(self.broken(64, format!("{length} bytes before the key"), begin.to_string()));
        }
        Ok(())
    }

    /// Checks an entry of the table, and returns its section, which must start at `begin`.
    fn section(&self, entry: &Entry, at: u64, begin: u64) -> Result<Section, StoreError> {
        let known = (self.mapping.file_type.flag_of)(entry.kind);
        if known.is_none() && entry.flags & REQUIRED != 0 {
            return Err(self.unknown(at, format!("section of kind {}", entry.kind)));
        }
        if entry.flags & !REQUIRED != 0 || known.is_some_and(|flags| flags != entry.flags) {
            let found = format!("flags {:#x} of a section of kind {}", entry.flags, entry.kind);
            return Err(self.broken(at + 4, found, "flags of this version"));
        }
        if self.sections.iter().any(|other| other.kind == entry.kind) {
            return Err(self.broken(
                at,
                format!("another section of kind {}", entry.kind),
                "one of each kind",
            ));
        }
        let end =
            entry.length.checked_next_multiple_of(PAGE as u64).and_then(|bytes| bytes.checked_add(begin));
        if entry.offset != begin || end.is_none_or(|end| end > self.header.length) {
            let found = format!("a section at byte {} of {} bytes", entry.offset, entry.length);
            let expected = format!("one from byte {begin} inside {} bytes", self.header.length);
            return Err(self.broken(at, found, expected));
        }
        Ok(Section {
            mapping: Arc::clone(&self.mapping),
            kind: entry.kind,
            offset: entry.offset,
            length: entry.length,
            checksum: entry.checksum,
        })
    }

    /// Returns the fields of the header that belong to the type of the file. `T` has the size of [`TypeFields`].
    pub fn fields<T: Pod>(&self) -> T {
        const { assert!(size_of::<T>() == size_of::<TypeFields>()) };
        bytemuck::pod_read_unaligned(bytemuck::bytes_of(&self.header.fields))
    }

    /// Returns the text of the key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the checksum of the table, which contains the checksums of all sections.
    pub fn table_checksum(&self) -> u64 {
        self.header.table_checksum
    }

    /// Returns the length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.mapping.bytes.len() as u64
    }

    /// Returns an error if there is a section of a known kind that is not `expected`.
    pub fn refuse_others(&self, expected: impl Fn(u32) -> bool) -> Result<(), StoreError> {
        let is_known = |kind| (self.mapping.file_type.flag_of)(kind).is_some();
        match self.sections.iter().find(|section| is_known(section.kind) && !expected(section.kind)) {
            Some(section) => {
                let found = format!("a section \"{}\"", section.name());
                Err(self.broken(TABLE_AT as u64, found, "none, according to the header"))
            }
            None => Ok(()),
        }
    }

    /// Returns the optional sections that this version does not know.
    pub fn passed_over(&self) -> Vec<Section> {
        let is_known = |section: &&Section| (self.mapping.file_type.flag_of)(section.kind).is_none();
        self.sections.iter().filter(is_known).cloned().collect()
    }

    /// Returns the section of this kind, if any.
    pub fn find(&self, kind: u32) -> Option<Section> {
        self.sections.iter().find(|section| section.kind == kind).cloned()
    }

    /// Returns the section of this kind.
    pub fn required(&self, kind: u32) -> Result<Section, StoreError> {
        let name = self.mapping.file_type.name_of;
        let missing = || self.broken(TABLE_AT as u64, format!("no section \"{}\"", name(kind)), "one");
        self.find(kind).ok_or_else(missing)
    }

    /// Returns the section of this kind, and checks its number of elements.
    pub fn sized(&self, kind: u32, size: u64, elements: u64) -> Result<Section, StoreError> {
        let section = self.required(kind)?;
        self.expect_elements(&section, size, elements)?;
        Ok(section)
    }

    /// Returns a required section of `elements` numbers.
    pub fn column<T: Pod>(&self, kind: u32, elements: u64) -> Result<Column<T>, StoreError> {
        Ok(Column::mapped(self.sized(kind, size_of::<T>() as u64, elements)?))
    }

    /// Returns a required section of any number of elements.
    pub fn any_column<T: Pod>(&self, kind: u32) -> Result<Column<T>, StoreError> {
        let length = self.required(kind)?.length;
        self.column(kind, length / size_of::<T>() as u64)
    }

    /// Returns a required section of `edges` weights.
    pub fn weight_column(&self, kind: u32, of: DatumKind, edges: u64) -> Result<WeightColumn, StoreError> {
        Ok(WeightColumn::mapped(self.sized(kind, of.size() as u64, edges)?, of))
    }

    pub(in crate::store) fn expect_elements(
        &self,
        section: &Section,
        size: u64,
        elements: u64,
    ) -> Result<(), StoreError> {
        let expected = elements.checked_mul(size);
        if expected == Some(section.length) {
            return Ok(());
        }
        let found = format!("section \"{}\" of {} bytes", section.name(), section.length);
        let expected = expected.map_or_else(|| "fewer elements".to_owned(), |bytes| format!("{bytes} bytes"));
        Err(self.broken(TABLE_AT as u64, found, expected))
    }

    /// Returns the error for a required feature that this version does not know.
    pub fn unknown(&self, byte: u64, what: String) -> StoreError {
        StoreError::Unknown { path: self.mapping.path.clone(), byte, what }
    }

    /// Returns the error for a fault at a byte of the file.
    pub fn broken(&self, byte: u64, found: impl Into<String>, expected: impl Into<String>) -> StoreError {
        StoreError::broken(&self.mapping.path, byte, found, expected)
    }

    /// Returns an error if the file has changed since it was mapped.
    pub fn check_unchanged(&self) -> Result<(), StoreError> {
        self.mapping.check_unchanged()
    }
}

/// Reads and checks the header and the table.
fn read_head(path: &Path, file: &mut File, file_type: &FileType) -> Result<(Header, Vec<u8>), StoreError> {
    let metadata = file.metadata().map_err(|error| StoreError::io(path, "read", error))?;
    if metadata.is_dir() {
        let error = std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a folder");
        return Err(StoreError::io(path, "read", error));
    }
    let mut head = Vec::with_capacity(file_type.head);
    let read = file.take(file_type.head as u64).read_to_end(&mut head);
    read.map_err(|error| StoreError::io(path, "read", error))?;
    check_type(path, &head, file_type)?;
    let header: Header = bytemuck::pod_read_unaligned(&head[..size_of::<Header>()]);
    let found = header_checksum(&header);
    if found != header.checksum {
        return Err(wrong_checksum(path, 0, "header", found, header.checksum));
    }
    let found = table_checksum(&head);
    if found != header.table_checksum {
        return Err(wrong_checksum(path, size_of::<Header>() as u64, "table", found, header.table_checksum));
    }
    Ok((header, head))
}

fn wrong_checksum(path: &Path, byte: u64, part: &str, found: u64, expected: u64) -> StoreError {
    StoreError::broken(
        path,
        byte,
        format!("the {part} has checksum {found:016x}"),
        format!("{expected:016x}"),
    )
}

/// Checks that the file is of this type and version, and of this machine's byte order.
fn check_type(path: &Path, start: &[u8], file_type: &FileType) -> Result<(), StoreError> {
    let FileType { name, magic, version, head, advice, .. } = *file_type;
    let begin = &start[..start.len().min(magic.len())];
    if begin != &magic[..begin.len()] || begin.is_empty() {
        let found = if begin.is_empty() { "nothing".to_owned() } else { format!("{begin:02x?}") };
        let expected = format!("{magic:02x?}");
        return Err(StoreError::Foreign { path: path.to_owned(), name, found, expected, advice });
    }
    let word = |at: usize| start.get(at..at + 4).map(bytemuck::pod_read_unaligned::<u32>);
    if let (Some(found), Some(order)) = (word(8), word(12)) {
        if order == BYTE_ORDER.swap_bytes() {
            return Err(StoreError::ByteOrder { path: path.to_owned() });
        }
        if found != version {
            return Err(StoreError::Version { path: path.to_owned(), name, found, expected: version });
        }
    }
    if start.len() < head {
        return Err(cut_short(path, start.len() as u64, format!("a header of {head} bytes")));
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

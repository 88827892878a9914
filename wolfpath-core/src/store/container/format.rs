//! The bytes that all types of files have in common: header, section table, key and checksums.

use std::hash::Hasher;

use bytemuck::{Pod, Zeroable};
use twox_hash::XxHash3_64;

/// A constant that reads as a different number if the file was written on a machine of the other byte order.
pub(super) const BYTE_ORDER: u32 = 0x0102_0304;

/// Alignment of sections. Sections are padded with zeros to a multiple of this size.
pub(in crate::store) const PAGE: usize = 4096;

/// Offset of the table.
pub(in crate::store) const TABLE_AT: usize = 128;

/// The first bytes of the key at the end.
pub(super) const KEY_MAGIC: [u8; 8] = *b"wolf-key";

/// A type of file: how it is recognized, and its sections.
#[derive(Debug)]
#[doc(hidden)]
pub struct FileType {
    /// Its name in messages, with an article: "a .wolf file".
    pub name: &'static str,
    /// The first bytes of the file.
    pub magic: [u8; 8],
    /// The version that this program reads and writes. Files of other versions are rejected.
    pub version: u32,
    /// Number of bytes of the header and the section table, a multiple of the page size. Sections follow.
    pub head: usize,
    /// Advice about a file of another type.
    pub advice: &'static str,
    /// Returns the flag of a kind of section, [`REQUIRED`] or [`OPTIONAL`]; `None` for a kind that this version does not
    /// know.
    pub flag_of: fn(u32) -> Option<u32>,
    /// Returns the name of a kind of section in messages.
    pub name_of: fn(u32) -> String,
}

/// The part of a header that each type of file uses in its own way, from byte 16 on.
#[doc(hidden)]
pub type TypeFields = [u32; 11];

/// The first part of a file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(in crate::store) struct Header {
    pub(in crate::store) magic: [u8; 8],
    pub(in crate::store) version: u32,
    pub(in crate::store) byte_order: u32,
    pub(in crate::store) fields: TypeFields,
    pub(in crate::store) sections: u32,
    /// Number of bytes before the key.
    pub(in crate::store) length: u64,
    /// Checksum of the head after this header.
    pub(in crate::store) table_checksum: u64,
    /// Checksum of the header before this field.
    pub(in crate::store) checksum: u64,
}

/// One section in the table.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) kind: u32,
    /// [`REQUIRED`] or [`OPTIONAL`].
    pub(super) flags: u32,
    pub(super) offset: u64,
    /// Length in bytes, without the padding.
    pub(super) length: u64,
    /// Checksum of the section, including its padding.
    pub(super) checksum: u64,
}

/// [`Entry::flags`]: the file cannot be understood without this section.
#[doc(hidden)]
pub const REQUIRED: u32 = 1;
/// [`Entry::flags`]: a reader that does not know this section may ignore it.
#[doc(hidden)]
pub const OPTIONAL: u32 = 0;

/// The start of the key at the end of the file. The key's text follows.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct KeyHeader {
    pub(super) magic: [u8; 8],
    pub(super) length: u64,
    /// Checksum of the text.
    pub(super) checksum: u64,
}

/// Returns the 64-bit XXH3 hash with seed 0. All checksums use it.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Returns a length rounded up to whole pages.
pub(in crate::store) fn padded(length: u64) -> u64 {
    length.next_multiple_of(PAGE as u64)
}

/// Number of bytes per piece. Sections are hashed in pieces, so that several threads can hash one section.
pub(in crate::store) const PIECE: usize = 1 << 20;

/// Returns the checksum of a piece. The checksum always covers the padding of the last page, even if `bytes` ends
/// before it.
pub(in crate::store) fn piece_checksum(bytes: &[u8]) -> u64 {
    let (whole, rest) = bytes.split_at(bytes.len() / PAGE * PAGE);
    if rest.is_empty() {
        return hash(whole);
    }
    let mut last = [0; PAGE];
    last[..rest.len()].copy_from_slice(rest);
    let mut hasher = XxHash3_64::new();
    hasher.write(whole);
    hasher.write(&last);
    hasher.finish()
}

/// Returns the checksum of a section: the XXH3 hash of the XXH3 hashes of its pieces.
pub(in crate::store) fn checksum_of(pieces: &[u64]) -> u64 {
    // The hashes are in the writer's byte order, like all other numbers in the file.
    hash(bytemuck::cast_slice(pieces))
}

/// Returns the checksum of the header, over all fields before it.
pub(in crate::store) fn header_checksum(header: &Header) -> u64 {
    let bytes = bytemuck::bytes_of(header);
    hash(&bytes[..bytes.len() - size_of::<u64>()])
}

/// Returns the checksum of the head after the header.
pub(super) fn table_checksum(head: &[u8]) -> u64 {
    hash(&head[size_of::<Header>()..])
}

impl FileType {
    /// Returns the largest number of sections.
    pub(super) fn most_sections(&self) -> usize {
        (self.head - TABLE_AT) / size_of::<Entry>()
    }
}

//! The bytes of a `.wolf` file, as `docs/file-format.md` describes them: one page of header and table, sections on
//! page borders, and the key of the input at the end.

use std::hash::Hasher;

use bytemuck::{Pod, Zeroable};
use twox_hash::XxHash3_64;

use crate::program::DatumKind;
use crate::weights::MOST_COLUMNS;

/// The first bytes. As in PNG, the first is no text and line ends are of both kinds, so that a copy in text mode
/// shows.
pub(super) const MAGIC: [u8; 8] = *b"\x89WOLF\r\n\x1a";

/// The version of the format that this program reads and writes. Another one is refused; what a later program may add
/// without a new version are optional sections and optional flags, which this one passes over.
pub(super) const VERSION: u32 = 2;

/// Reads as this number only on machines of the writer's byte order.
pub(super) const BYTE_ORDER: u32 = 0x0102_0304;

/// Sections begin at multiples of this, and are filled up with zeros.
pub(super) const PAGE: usize = 4096;

/// Where the table begins in the first page.
pub(super) const TABLE_AT: usize = 128;

/// The first bytes of the key at the end.
pub(super) const KEY_MAGIC: [u8; 8] = *b"wolf-key";

/// How lines of the key begin that hold notes.
pub(super) const NOTE: &str = "note ";

/// The first part of the first page.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    pub(super) magic: [u8; 8],
    pub(super) version: u32,
    pub(super) byte_order: u32,
    pub(super) vertices: u32,
    pub(super) layers: u32,
    pub(super) edges: u64,
    /// The root's id; 0 when the graph is empty.
    pub(super) root: u64,
    /// The id of rank 0 when ids follow each other and have no section; else 0.
    pub(super) first_id: u64,
    pub(super) root_layers: u32,
    pub(super) flags: u32,
    /// 0 for none, else one of [`WEIGHT_KINDS`], counted from 1.
    pub(super) weight_kind: u32,
    pub(super) sections: u32,
    /// Bytes before the key.
    pub(super) length: u64,
    /// Of the first page after this header.
    pub(super) table_checksum: u64,
    /// Of the header before this field.
    pub(super) checksum: u64,
}

/// [`Header::flags`]: edges are symmetric, whatever their weights.
pub(super) const SYMMETRIC: u32 = 1;
/// [`Header::flags`]: edges are symmetric with their weights.
pub(super) const SYMMETRIC_WEIGHTS: u32 = 2;
/// [`Header::flags`]: also the order of parallel edges is the same both ways.
pub(super) const SYMMETRIC_ORDER: u32 = 4;
/// All flags of this version.
pub(super) const FLAGS: u32 = SYMMETRIC | SYMMETRIC_WEIGHTS | SYMMETRIC_ORDER;
/// Flags among these that a reader does not know change nothing for it; all others it must know.
pub(super) const OPTIONAL_FLAGS: u32 = 0xffff_0000;

/// The types of weights, in the order of their numbers.
pub(super) const WEIGHT_KINDS: [DatumKind; 6] =
    [DatumKind::U32, DatumKind::I32, DatumKind::U64, DatumKind::I64, DatumKind::F32, DatumKind::F64];

/// One section in the table.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) kind: u32,
    /// [`REQUIRED`] or 0.
    pub(super) flags: u32,
    pub(super) offset: u64,
    /// In bytes, without the zeros that fill the last page.
    pub(super) length: u64,
    /// Of the section with the zeros.
    pub(super) checksum: u64,
}

/// [`Entry::flags`]: the graph cannot be understood without this section.
pub(super) const REQUIRED: u32 = 1;

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum SectionKind {
    Reason = 1,
    Layers = 2,
    Ranks = 3,
    Ids = 4,
    Offsets = 5,
    Ends = 6,
    Weights = 7,
    InOffsets = 8,
    InEnds = 9,
    Columns = 10,
    WeightName = 11,
}

impl SectionKind {
    const ALL: [SectionKind; 11] = [
        SectionKind::Reason,
        SectionKind::Layers,
        SectionKind::Ranks,
        SectionKind::Ids,
        SectionKind::Offsets,
        SectionKind::Ends,
        SectionKind::Weights,
        SectionKind::InOffsets,
        SectionKind::InEnds,
        SectionKind::Columns,
        SectionKind::WeightName,
    ];

    /// The kind with this number, if this program knows it.
    fn of(number: u32) -> Option<SectionKind> {
        SectionKind::ALL.into_iter().find(|&kind| kind as u32 == number)
    }

    /// [`Entry::flags`] of such a section. In-rows can be made of the out-rows, and weights are read without their
    /// name, so a reader may pass over them.
    fn flags(self) -> u32 {
        match self {
            SectionKind::InOffsets | SectionKind::InEnds | SectionKind::WeightName => 0,
            _ => REQUIRED,
        }
    }

    /// The section's name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            SectionKind::Reason => "reason of the root",
            SectionKind::Layers => "layers",
            SectionKind::Ranks => "ranks",
            SectionKind::Ids => "ids",
            SectionKind::Offsets => "row offsets",
            SectionKind::Ends => "row ends",
            SectionKind::Weights => "weights",
            SectionKind::InOffsets => "in-row offsets",
            SectionKind::InEnds => "in-row ends",
            SectionKind::Columns => "names of columns",
            SectionKind::WeightName => "name of the weights",
        }
    }
}

/// The kind of the first further column; the others follow it. A file without them has none of these kinds.
const FIRST_COLUMN: u32 = 1024;

/// The kind of the section of a further column.
pub(super) fn column_kind(column: usize) -> u32 {
    FIRST_COLUMN + column as u32
}

/// Which further column a kind is of.
fn column_of(kind: u32) -> Option<u32> {
    kind.checked_sub(FIRST_COLUMN).filter(|&column| column < MOST_COLUMNS as u32)
}

/// [`Entry::flags`] of the sections of a kind; `None` for a kind that this program does not know.
pub(super) fn known_flags(kind: u32) -> Option<u32> {
    SectionKind::of(kind).map(SectionKind::flags).or_else(|| column_of(kind).map(|_| REQUIRED))
}

/// What messages call a section of a kind.
pub(super) fn section_name(kind: u32) -> String {
    match (SectionKind::of(kind), column_of(kind)) {
        (Some(kind), _) => kind.name().to_owned(),
        (None, Some(column)) => format!("column {column}"),
        (None, None) => format!("of kind {kind}"),
    }
}

/// The start of the key at the end of the file; its text follows.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct KeyHeader {
    pub(super) magic: [u8; 8],
    pub(super) length: u64,
    /// Of the text.
    pub(super) checksum: u64,
}

/// XXH3, 64 bits, seed 0: the hash of all checksums.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// A length filled up to whole pages.
pub(super) fn padded(length: u64) -> u64 {
    length.next_multiple_of(PAGE as u64)
}

/// Sections are hashed in pieces of so many bytes, so that all threads can take part.
pub(super) const PIECE: usize = 1 << 20;

/// The checksum of a piece. Zeros that fill the last page belong to it, whether or not `bytes` includes them.
pub(super) fn piece_checksum(bytes: &[u8]) -> u64 {
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

/// The checksum of a section: XXH3 of the XXH3s of its pieces.
pub(super) fn checksum_of(pieces: &[u64]) -> u64 {
    // As bytes in the writer's order, as everything else in the file.
    hash(bytemuck::cast_slice(pieces))
}

/// The checksum of the header, over all fields before it.
pub(super) fn header_checksum(header: &Header) -> u64 {
    let bytes = bytemuck::bytes_of(header);
    hash(&bytes[..bytes.len() - size_of::<u64>()])
}

/// The checksum of the rest of the first page.
pub(super) fn table_checksum(page: &[u8]) -> u64 {
    hash(&page[size_of::<Header>()..PAGE])
}

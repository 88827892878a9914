//! The bytes of a `.wolf` file, as `docs/file-format.md` describes them: one page of header and table, page-aligned
//! sections, and the key of the input at the end.

use std::hash::Hasher;

use bytemuck::{Pod, Zeroable};
use twox_hash::XxHash3_64;

use crate::program::DatumKind;
use crate::weights::MOST_COLUMNS;

/// The first bytes of the file. As in PNG, the first byte is not text, and a CR LF and a Ctrl-Z follow the name, so
/// that a transfer in text mode is detected.
pub(super) const MAGIC: [u8; 8] = *b"\x89WOLF\r\n\x1a";

/// The version of the format that this program reads and writes. Files of other versions are rejected. Later programs
/// may add optional sections and optional flags without changing the version; this program ignores these.
pub(super) const VERSION: u32 = 2;

/// A constant that reads as a different number if the file was written on a machine of the other byte order.
pub(super) const BYTE_ORDER: u32 = 0x0102_0304;

/// Alignment of sections, and size of the first page. Sections are padded with zeros to a multiple of this size.
pub(super) const PAGE: usize = 4096;

/// Offset of the table in the first page.
pub(super) const TABLE_AT: usize = 128;

/// The first bytes of the key at the end.
pub(super) const KEY_MAGIC: [u8; 8] = *b"wolf-key";

/// Prefix of the lines of the key that contain notes.
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
    /// The root's id; 0 if the graph is empty.
    pub(super) root: u64,
    /// The id of rank 0 if ids are consecutive and have no section; else 0.
    pub(super) first_id: u64,
    pub(super) root_layers: u32,
    pub(super) flags: u32,
    /// 0 if there are no weights, else the position of their type in [`WEIGHT_KINDS`], counted from 1.
    pub(super) weight_kind: u32,
    pub(super) sections: u32,
    /// Number of bytes before the key.
    pub(super) length: u64,
    /// Checksum of the first page after this header.
    pub(super) table_checksum: u64,
    /// Checksum of the header before this field.
    pub(super) checksum: u64,
}

/// [`Header::flags`]: edges are symmetric, regardless of their weights.
pub(super) const SYMMETRIC: u32 = 1;
/// [`Header::flags`]: edges are symmetric, including their weights.
pub(super) const SYMMETRIC_WEIGHTS: u32 = 2;
/// [`Header::flags`]: parallel edges are in the same order in both directions.
pub(super) const SYMMETRIC_ORDER: u32 = 4;
/// All flags that this version knows.
pub(super) const FLAGS: u32 = SYMMETRIC | SYMMETRIC_WEIGHTS | SYMMETRIC_ORDER;
/// The flags that a reader may ignore if it does not know them. A reader must reject a file with any other unknown
/// flag.
pub(super) const OPTIONAL_FLAGS: u32 = 0xffff_0000;

/// The types of weights, in the order of their numbers.
pub(super) const WEIGHT_KINDS: [DatumKind; 8] = [
    DatumKind::U32,
    DatumKind::I32,
    DatumKind::U64,
    DatumKind::I64,
    DatumKind::F32,
    DatumKind::F64,
    DatumKind::U8,
    DatumKind::U16,
];

/// One section in the table.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) kind: u32,
    /// [`REQUIRED`], or 0 for an optional section.
    pub(super) flags: u32,
    pub(super) offset: u64,
    /// Length in bytes, without the padding.
    pub(super) length: u64,
    /// Checksum of the section, including its padding.
    pub(super) checksum: u64,
}

/// [`Entry::flags`]: the graph cannot be understood without this section.
pub(super) const REQUIRED: u32 = 1;

/// The contents of a section.
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
    PackedBands = 12,
    PackedStarts = 13,
    PackedEnds = 14,
    PackedInBands = 15,
    PackedInStarts = 16,
    PackedInEnds = 17,
    PathFirsts = 18,
    PathLengths = 19,
    PathEdges = 20,
    PathComponents = 21,
    PathLayers = 22,
}

impl SectionKind {
    const ALL: [SectionKind; 22] = [
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
        SectionKind::PackedBands,
        SectionKind::PackedStarts,
        SectionKind::PackedEnds,
        SectionKind::PackedInBands,
        SectionKind::PackedInStarts,
        SectionKind::PackedInEnds,
        SectionKind::PathFirsts,
        SectionKind::PathLengths,
        SectionKind::PathEdges,
        SectionKind::PathComponents,
        SectionKind::PathLayers,
    ];

    /// Returns the kind with this number, if this version knows it.
    fn of(number: u32) -> Option<SectionKind> {
        SectionKind::ALL.into_iter().find(|&kind| kind as u32 == number)
    }

    /// Returns [`Entry::flags`] of a section of this kind. A reader may ignore in-rows, packed rows and paths, because
    /// they can be computed from the out-rows, and the name of the weights, because weights can be read without it.
    fn flags(self) -> u32 {
        match self {
            SectionKind::InOffsets | SectionKind::InEnds | SectionKind::WeightName => 0,
            SectionKind::PackedBands | SectionKind::PackedStarts | SectionKind::PackedEnds => 0,
            SectionKind::PackedInBands | SectionKind::PackedInStarts | SectionKind::PackedInEnds => 0,
            SectionKind::PathFirsts | SectionKind::PathLengths | SectionKind::PathEdges => 0,
            SectionKind::PathComponents | SectionKind::PathLayers => 0,
            _ => REQUIRED,
        }
    }

    /// Returns the section's name in messages.
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
            SectionKind::PackedBands => "packed row bands",
            SectionKind::PackedStarts => "packed row starts",
            SectionKind::PackedEnds => "packed row ends",
            SectionKind::PackedInBands => "packed in-row bands",
            SectionKind::PackedInStarts => "packed in-row starts",
            SectionKind::PackedInEnds => "packed in-row ends",
            SectionKind::PathFirsts => "first vertices of paths",
            SectionKind::PathLengths => "lengths of paths",
            SectionKind::PathEdges => "edges of paths",
            SectionKind::PathComponents => "components of paths",
            SectionKind::PathLayers => "layers of paths",
        }
    }
}

/// The kind of the first column other than the weight. The kinds of further columns follow it. A file without such
/// columns has no section of these kinds.
const FIRST_COLUMN: u32 = 1024;

/// Returns the section kind of a column other than the weight.
pub(super) fn column_kind(column: usize) -> u32 {
    FIRST_COLUMN + column as u32
}

/// Returns the number of the column with this section kind, if any.
fn column_of(kind: u32) -> Option<u32> {
    kind.checked_sub(FIRST_COLUMN).filter(|&column| column < MOST_COLUMNS as u32)
}

/// Returns [`Entry::flags`] of sections of this kind; `None` for a kind that this version does not know.
pub(super) fn known_flags(kind: u32) -> Option<u32> {
    SectionKind::of(kind).map(SectionKind::flags).or_else(|| column_of(kind).map(|_| REQUIRED))
}

/// Returns the name of a section of this kind in messages.
pub(super) fn section_name(kind: u32) -> String {
    match (SectionKind::of(kind), column_of(kind)) {
        (Some(kind), _) => kind.name().to_owned(),
        (None, Some(column)) => format!("column {column}"),
        (None, None) => format!("of kind {kind}"),
    }
}

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
pub(super) fn padded(length: u64) -> u64 {
    length.next_multiple_of(PAGE as u64)
}

/// Number of bytes per piece. Sections are hashed in pieces, so that several threads can hash one section.
pub(super) const PIECE: usize = 1 << 20;

/// Returns the checksum of a piece. The checksum always covers the padding of the last page, even if `bytes` ends
/// before it.
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

/// Returns the checksum of a section: the XXH3 hash of the XXH3 hashes of its pieces.
pub(super) fn checksum_of(pieces: &[u64]) -> u64 {
    // The hashes are in the writer's byte order, like all other numbers in the file.
    hash(bytemuck::cast_slice(pieces))
}

/// Returns the checksum of the header, over all fields before it.
pub(super) fn header_checksum(header: &Header) -> u64 {
    let bytes = bytemuck::bytes_of(header);
    hash(&bytes[..bytes.len() - size_of::<u64>()])
}

/// Returns the checksum of the first page after the header.
pub(super) fn table_checksum(page: &[u8]) -> u64 {
    hash(&page[size_of::<Header>()..PAGE])
}

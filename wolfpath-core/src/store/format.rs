//! The type of `.wolf` files, as `docs/file-format.md` describes it, and their sections.

use super::container::{FileType, OPTIONAL, PAGE, REQUIRED};
use super::graph_header::{SYMMETRIC, SYMMETRIC_COLUMNS, SYMMETRIC_ORDER};
use crate::weights::MOST_COLUMNS;

/// The `.wolf` file. Later programs may add optional sections and optional flags without changing the version; this program
/// ignores these.
pub(super) static WOLF: FileType = FileType {
    name: "a .wolf file",
    // As in PNG, the first byte is not text, and a CR LF and a Ctrl-Z follow the name, so that a transfer in text mode is
    // detected.
    magic: *b"\x89WOLF\r\n\x1a",
    version: 2,
    head: PAGE,
    advice: "if it is a graph in another format, give it that format's file extension, or specify the format",
    flag_of,
    name_of: section_name,
};

/// All flags that this version knows.
pub(super) const FLAGS: u32 = SYMMETRIC | SYMMETRIC_COLUMNS | SYMMETRIC_ORDER;
/// The flags that a reader may ignore if it does not know them. A reader must reject a file with any other unknown
/// flag.
pub(super) const OPTIONAL_FLAGS: u32 = 0xffff_0000;

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

    /// Returns the flag of a section of this kind. A reader may ignore in-rows, packed rows and paths, because
    /// they can be computed from the out-rows, and the name of the weights, because weights can be read without it.
    fn flag(self) -> u32 {
        match self {
            SectionKind::InOffsets | SectionKind::InEnds | SectionKind::WeightName => OPTIONAL,
            SectionKind::PackedBands | SectionKind::PackedStarts | SectionKind::PackedEnds => OPTIONAL,
            SectionKind::PackedInBands | SectionKind::PackedInStarts | SectionKind::PackedInEnds => OPTIONAL,
            SectionKind::PathFirsts | SectionKind::PathLengths | SectionKind::PathEdges => OPTIONAL,
            SectionKind::PathComponents | SectionKind::PathLayers => OPTIONAL,
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

/// Returns the flag of sections of this kind; `None` for a kind that this version does not know.
fn flag_of(kind: u32) -> Option<u32> {
    SectionKind::of(kind).map(SectionKind::flag).or_else(|| column_of(kind).map(|_| REQUIRED))
}

/// Returns the name of a section of this kind in messages.
fn section_name(kind: u32) -> String {
    match (SectionKind::of(kind), column_of(kind)) {
        (Some(kind), _) => kind.name().to_owned(),
        (None, Some(column)) => format!("column {column}"),
        (None, None) => format!("of kind {kind}"),
    }
}

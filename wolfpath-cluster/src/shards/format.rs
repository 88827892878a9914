//! The fields of the headers, and the sections of manifests and shards.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use wolfpath_core::graph::Direction;
use wolfpath_core::store::StoreError;
use wolfpath_core::store::container::{Container, FileType, REQUIRED, TypeFields};
use wolfpath_core::store::graph_header::{GraphHeader, SYMMETRIC, SYMMETRIC_COLUMNS, SYMMETRIC_ORDER};

/// The type of a manifest.
pub(super) static MANIFEST: FileType = FileType {
    name: "a manifest of shards",
    magic: *b"\x89WMAN\r\n\x1a",
    version: 1,
    head: 4096,
    advice: "name a folder of shards",
    flag_of: |kind| match kind {
        1..=5 => Some(REQUIRED),
        _ => None,
    },
    name_of: |kind| match kind {
        1 => "reason of the root".to_owned(),
        2 => "layers".to_owned(),
        3 => "owners".to_owned(),
        4 => "names of columns".to_owned(),
        5 => "shards".to_owned(),
        _ => format!("of kind {kind}"),
    },
};

/// The sections of a manifest.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub(super) enum ManifestSection {
    Reason = 1,
    Layers = 2,
    Owners = 3,
    Columns = 4,
    Shards = 5,
}

/// Further flags of the header of a manifest: shards have in-rows.
pub(super) const IN_ROWS: u32 = 8;
/// The same: ids are not consecutive, so that shards have them.
pub(super) const IDS: u32 = 16;

/// Checks that the fields of a manifest are in range and do not contradict each other. Its own number is that of the shards.
pub(super) fn check_header(header: &GraphHeader, file: &Container) -> Result<(), StoreError> {
    let GraphHeader { flags, own: shards, .. } = *header;
    if shards == 0 || shards > u16::MAX.into() {
        return Err(file.broken(GraphHeader::OWN_AT, format!("{shards} shards"), "1 to 65535"));
    }
    let known = SYMMETRIC | SYMMETRIC_COLUMNS | SYMMETRIC_ORDER | IN_ROWS | IDS;
    if flags & !known != 0 || !header.has(SYMMETRIC | IN_ROWS) {
        let expected = "known flags, and 8 if 1 is not set";
        return Err(file.broken(GraphHeader::FLAGS_AT, format!("flags {flags:#x}"), expected));
    }
    header.check(file, header.has(IDS))
}

/// The entry of a shard in the manifest.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Listed {
    pub(super) vertices: u64,
    pub(super) out_edges: u64,
    pub(super) in_edges: u64,
    /// Length of the file.
    pub(super) bytes: u64,
    /// Checksum of the file's table, which contains the checksums of its sections.
    pub(super) table: u64,
}

impl Listed {
    pub(super) fn edges(&self, direction: Direction) -> u64 {
        match direction {
            Direction::Out => self.out_edges,
            Direction::In => self.in_edges,
        }
    }
}

/// The type of a shard.
pub(super) static SHARD: FileType = FileType {
    name: "a shard of a graph",
    magic: *b"\x89WSHD\r\n\x1a",
    version: 1,
    // There are up to 64 columns per direction.
    head: 8192,
    advice: "write the shards again",
    flag_of: |kind| ShardSection::name_of(kind).map(|_| REQUIRED),
    name_of: |kind| ShardSection::name_of(kind).unwrap_or_else(|| format!("of kind {kind}")),
};

/// The kinds of the sections of a shard.
pub(super) struct ShardSection;

impl ShardSection {
    pub(super) const RANKS: u32 = 1;
    pub(super) const IDS: u32 = 2;

    /// Returns the kinds of the offsets, ends, guests and lent pieces of a direction.
    pub(super) fn rows(direction: Direction) -> [u32; 4] {
        match direction {
            Direction::Out => [3, 4, 5, 6],
            Direction::In => [7, 8, 9, 10],
        }
    }

    /// Returns the kind of a column in the order of the rows of a direction.
    pub(super) fn column(direction: Direction, at: usize) -> u32 {
        let first = match direction {
            Direction::Out => FIRST_COLUMN,
            Direction::In => FIRST_IN_COLUMN,
        };
        first + at as u32
    }

    /// Returns the rows or the columns of which a kind of section is: the direction, and the number of the column, if any.
    pub(super) fn part_of(kind: u32) -> Option<(Direction, Option<usize>)> {
        let direction = |inward: bool| if inward { Direction::In } else { Direction::Out };
        match kind {
            3..=10 => Some((direction(kind > 6), None)),
            FIRST_COLUMN..END_OF_COLUMNS => {
                let column = (kind - FIRST_COLUMN) % (FIRST_IN_COLUMN - FIRST_COLUMN);
                Some((direction(kind >= FIRST_IN_COLUMN), Some(column as usize)))
            }
            _ => None,
        }
    }

    /// Returns the name of a kind that this version knows.
    fn name_of(kind: u32) -> Option<String> {
        Some(match kind {
            Self::RANKS => "ranks".to_owned(),
            Self::IDS => "ids".to_owned(),
            3..=10 => {
                let what = ["row offsets", "row ends", "guests", "lent pieces of rows"];
                let [out, inward] = [Direction::Out, Direction::In].map(ShardSection::rows);
                let at = |kinds: [u32; 4]| kinds.iter().position(|&known| known == kind);
                match (at(out), at(inward)) {
                    (Some(at), _) => format!("{} of out-edges", what[at]),
                    (None, at) => format!("{} of in-edges", what[at?]),
                }
            }
            FIRST_COLUMN..FIRST_IN_COLUMN => format!("column {} of out-edges", kind - FIRST_COLUMN),
            FIRST_IN_COLUMN..END_OF_COLUMNS => format!("column {} of in-edges", kind - FIRST_IN_COLUMN),
            _ => return None,
        })
    }
}

/// The kinds of columns.
const FIRST_COLUMN: u32 = 1024;
const FIRST_IN_COLUMN: u32 = 2048;
const END_OF_COLUMNS: u32 = 3072;

/// The fields of the header of a shard.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(super) struct ShardFields {
    pub(super) shard: u32,
    pub(super) shards: u32,
    /// Number of its own vertices.
    pub(super) vertices: u32,
    /// Number of the rows of other shards' vertices of which it has a piece, by direction.
    pub(super) guests: [u32; 2],
    /// Number of edges, guests included, by direction.
    pub(super) edges: [u64; 2],
    /// 0.
    pub(super) reserved: [u32; 2],
}

const _: () = assert!(size_of::<ShardFields>() == size_of::<TypeFields>());

/// A piece of a row on a shard other than the owner of its vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Piece {
    pub(crate) vertex: u32,
    /// For a guest, the shard that owns the vertex; for a lent piece, the shard that has it.
    pub(crate) shard: u32,
    /// Position of the first edge in the row.
    pub(crate) first: u64,
    /// Number of edges.
    pub(crate) length: u64,
}

/// Returns `true` if a path is a file that begins with these bytes.
pub(super) fn begins_with(path: &Path, magic: &[u8; 8]) -> bool {
    let mut begin = [0; 8];
    // Opening a pipe would wait for its writer.
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok_and(|()| begin == *magic)
}

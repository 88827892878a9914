//! What was found in a file, as data.

use super::Format;
use std::fmt;
use std::path::Path;
use wolfpath_core::edge_list::EdgeList;

/// How a file is compressed; told by its first bytes, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (`.gz`), of one or several members.
    Gzip,
    /// Zstandard (`.zst`), of one or several frames.
    Zstd,
    /// xz (`.xz`), of one or several streams.
    Xz,
}

impl Compression {
    /// What the first bytes of a file say.
    pub(super) fn of_bytes(start: &[u8]) -> Compression {
        match start {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::None,
        }
    }

    /// Returns the compression that a file's name promises.
    pub(super) fn of_name(path: &Path) -> Compression {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            Some("xz") => Compression::Xz,
            _ => Compression::None,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::None => "uncompressed",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
        })
    }
}

/// The edges of a file, and what was found in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The edges, with the options applied.
    pub edges: EdgeList,
    /// What was found in the file.
    pub report: LoadReport,
}

/// What was found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadReport {
    /// The format it was read as.
    pub format: Format,
    /// How it was compressed.
    pub compression: Compression,
    /// Lines of text, comments included.
    pub lines: u64,
    /// Edges in the text: before lines gave two, and before anything was dropped or merged.
    pub edges_in_file: u64,
    /// Edges from a vertex to itself, before any were dropped.
    pub self_loops: u64,
}

//! The properties of a file that was read, as data.

use super::{Compression, Format};
use wolfpath_core::edge_list::EdgeList;

/// The edges of a file, and its properties.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The edges, with the options applied.
    pub edges: EdgeList,
    /// The properties of the file.
    pub report: LoadReport,
}

/// The properties of a file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// The format that it was read as.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// Lines of text, comments included.
    pub lines: u64,
    /// Edges in the text: before lines gave two, and before anything was dropped or merged.
    pub edges_in_file: u64,
    /// Edges from a vertex to itself, before any were dropped.
    pub self_loops: u64,
}

//! Errors from writing a graph.

use crate::load::{Compression, Format};
use std::io;
use std::path::PathBuf;
use wolfpath_core::edge_list::EdgeListError;

/// Reasons why a graph was not written. No partial file is left behind.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::save::{SaveOptions, WriteError, write};
///
/// let one_way = EdgeList::from_edges([(1, 2)])?;
/// match write(&one_way, Vec::new(), "g.metis", &SaveOptions::new()) {
///     Err(WriteError::OneWay { .. }) => {} // METIS holds undirected graphs
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system returned an error.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error from the operating system.
        source: io::Error,
    },
    /// The edges cannot be arranged in the order that the format requires.
    #[error("{}: {source}", path.display())]
    Edges {
        /// Path of the file.
        path: PathBuf,
        /// Reason for the failure.
        source: EdgeListError,
    },
    /// Neither the name nor an option determines the format.
    #[error(
        "{}: the name does not determine the format; use an ending such as .el .wel .csv .mtx .gr .graph .sg .wsg \
         .bin32 (optionally followed by .gz, .zst or .xz), or name the format", path.display()
    )]
    UnknownFormat {
        /// Path of the file.
        path: PathBuf,
    },
    /// The format requires weights.
    #[error("{}: the edges have no weights; {instead}, or give them weights", path.display())]
    NoWeights {
        /// Path of the file.
        path: PathBuf,
        /// Another way to write the graph, as a phrase for the message.
        instead: &'static str,
    },
    /// The edges have weights, but the format cannot store any.
    #[error("{}: the edges have weights; {instead} to keep them, or drop them", path.display())]
    Weights {
        /// Path of the file.
        path: PathBuf,
        /// Another way to write the graph, as a phrase for the message.
        instead: &'static str,
    },
    /// The edges have several columns, but the format stores at most one number per edge.
    #[error(
        "{}: the edges have the columns {columns}, which the format {format} cannot store; name the file .csv, .txt, \
         .parquet or .wolf, choose one of them as the weight, or drop the weights", path.display()
    )]
    Columns {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// Names of the columns.
        columns: String,
    },
    /// The format stores weights, but not this one.
    #[error(
        "{}: the weight {weight} of the edge {source_id} -> {target_id} cannot be stored in the format {format}: \
         expected {expected}; choose a wider format, scale the weights, or drop them", path.display()
    )]
    Weight {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// Weight, as text.
        weight: String,
        /// Id of the edge's source.
        source_id: u64,
        /// Id of the edge's target.
        target_id: u64,
        /// Description of the weights that the format can store.
        expected: &'static str,
    },
    /// The format requires consecutive ids.
    #[error(
        "{}: the format {format} requires consecutive ids from {first} on; this graph has {vertices} vertices with \
         ids between {least} and {greatest}: renumber the vertices, or choose a format that stores any id \
         (el, bin64)", path.display()
    )]
    Ids {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// First id of the format.
        first: u64,
        /// Smallest id of the graph.
        least: u64,
        /// Largest id of the graph.
        greatest: u64,
        /// Number of vertices.
        vertices: u32,
    },
    /// An id is too large for the format.
    #[error("{}: the id {id} is too large for the format {format}, which stores ids up to {most}; choose a wider \
         format, or renumber the vertices", path.display())]
    IdTooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// Id that is too large.
        id: u64,
        /// Largest id that the format can store.
        most: u64,
    },
    /// The graph has one-way edges, but the format stores only undirected graphs.
    #[error(
        "{}: the format {format} stores only undirected graphs, but these edges are one-way: read the input as \
         undirected, or choose another format", path.display()
    )]
    OneWay {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
    },
    /// The graph has parallel edges, which the format cannot store.
    /// [`EdgeList::without_duplicates`](wolfpath_core::edge_list::EdgeList::without_duplicates) removes them.
    #[error(
        "{}: the edge {source_id} -> {target_id} occurs more than once, but the format {format} stores each edge \
         only once; choose another format, or drop duplicates when you read the edges", path.display()
    )]
    Parallel {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// Id of the edge's source.
        source_id: u64,
        /// Id of the edge's target.
        target_id: u64,
    },
    /// A graph in this format consists of several files, and the path is not that of the first, `NAME.graph`.
    #[error(
        "{}: a graph in the format {format} consists of the files NAME.graph, NAME.properties and NAME.offsets, \
         which must not be compressed; save it to a path that ends in .graph", path.display()
    )]
    Files {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
    },
    /// The graph has no edges, and the format has no header, so the file would be empty.
    #[error(
        "{}: there are no edges, and a {format} file without edges is empty, which no reader accepts as a graph; \
         choose another format", path.display()
    )]
    NoEdges {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
    },
    /// This build was compiled without the codec of the compression.
    #[error(
        "{}: this build does not compress with {compression}; build wolfpath with the cargo feature `{}`",
        path.display(), compression.feature()
    )]
    Codec {
        /// Path of the file.
        path: PathBuf,
        /// Compression that the name of the file indicates.
        compression: Compression,
    },
    /// This build was compiled without the format.
    #[error("{}: this build does not write {format} files; build wolfpath with the cargo feature `{feature}`", path.display())]
    Feature {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// Cargo feature that enables the format.
        feature: &'static str,
    },
}

//! Why a graph was not written.

use crate::load::{Compression, Format};
use std::io;
use std::path::PathBuf;
use wolfpath_core::edge_list::EdgeListError;

/// Why a graph was not written. Nothing is left behind.
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
    /// The operating system refused.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The edges cannot be brought into the order that the format needs.
    #[error("{}: {source}", path.display())]
    Edges {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: EdgeListError,
    },
    /// Neither the name nor an option tells the format.
    #[error(
        "{}: the name tells no format; expected an ending such as .el .wel .csv .mtx .gr .graph .sg .wsg .bin32 \
         (each also .gz .zst .xz), or name the format", path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The format promises weights.
    #[error("{}: the edges have no weights; {instead}, or give them weights", path.display())]
    NoWeights {
        /// The file.
        path: PathBuf,
        /// What to do instead.
        instead: &'static str,
    },
    /// The format holds none.
    #[error("{}: the edges have weights; {instead} to keep them, or ask for them to be dropped", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What to do instead.
        instead: &'static str,
    },
    /// The format holds one number an edge, or none.
    #[error(
        "{}: the edges have the columns {columns}, and the format {format} has no place for them; name the file .csv, \
         .txt, .parquet or .wolf, choose one of them as the weight, or ask for the weights to be dropped", path.display()
    )]
    Columns {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
        /// Their names.
        columns: String,
    },
    /// A weight that the format does not hold.
    #[error(
        "{}: the weight {weight} of the edge {source_id} -> {target_id} has no place in the format {format}: \
         expected {expected}; choose a wider format, scale the weights, or ask for them to be dropped", path.display()
    )]
    Weight {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
        /// The weight, as text.
        weight: String,
        /// The id of the edge's source.
        source_id: u64,
        /// The id of the edge's target.
        target_id: u64,
        /// Which weights the format holds.
        expected: &'static str,
    },
    /// The format numbers vertices itself.
    #[error(
        "{}: the format {format} has the ids from {first} on, without gaps; these lie between {least} and {greatest}, \
         {vertices} in all: ask for them to be renumbered, or choose a format that holds any id (el, bin64)", path.display()
    )]
    Ids {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
        /// Its first id.
        first: u64,
        /// The smallest id of the graph.
        least: u64,
        /// The largest.
        greatest: u64,
        /// How many there are.
        vertices: u32,
    },
    /// An id that is too large for the format.
    #[error("{}: the id {id} is too large for the format {format}, which holds ids up to {most}; choose a wider \
         format, or ask for the vertices to be renumbered", path.display())]
    IdTooLarge {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
        /// The id.
        id: u64,
        /// The largest that fits.
        most: u64,
    },
    /// The format holds undirected graphs only.
    #[error(
        "{}: the format {format} holds undirected graphs; these edges are one-way: read the input as undirected, or \
         choose another format", path.display()
    )]
    OneWay {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
    },
    /// Parallel edges in a format that holds none. [`EdgeList::without_duplicates`](wolfpath_core::edge_list::EdgeList::without_duplicates) drops them.
    #[error(
        "{}: the edge {source_id} -> {target_id} is there more than once, and the format {format} holds every edge \
         once; choose another format, or drop duplicates when you read the edges", path.display()
    )]
    Parallel {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
        /// The id of the edge's source.
        source_id: u64,
        /// The id of the edge's target.
        target_id: u64,
    },
    /// The format is several files, and the name is not that of the first.
    #[error(
        "{}: a graph in the format {format} is the files NAME.graph, NAME.properties and NAME.offsets, none of them \
         compressed further; save it to a path that ends in .graph", path.display()
    )]
    Files {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
    },
    /// The format has no header, so that nothing would be in the file.
    #[error(
        "{}: there are no edges, and a file of the format {format} without any is empty, which no reader takes for a \
         graph; choose another format", path.display()
    )]
    NoEdges {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
    },
    /// The compression is written only by builds that were asked for it.
    #[error(
        "{}: this build does not compress with {compression}; build wolfpath with the cargo feature `{}`",
        path.display(), compression.feature()
    )]
    Codec {
        /// The file.
        path: PathBuf,
        /// The compression that its name promises.
        compression: Compression,
    },
    /// The format is written only by builds that were asked for it.
    #[error("{}: this build does not write {format} files; build wolfpath with the cargo feature `{feature}`", path.display())]
    Feature {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
        /// The feature that writes it.
        feature: &'static str,
    },
}

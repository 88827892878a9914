//! Graphs from files: edge lists, Matrix Market, `.gr`, METIS, GAP's serialized graphs, binary edge lists, Parquet and
//! WebGraph, each plain or compressed, read once from front to back.
//!
//! A text goes through four hands, each of which knows nothing of the next: the decompressor (`compression`), the
//! cutter into blocks of whole lines (`blocks`), the reader of its format (`edge_text`, `matrix_market`, `gr`), which
//! reads blocks on all threads at once (`reader`), and [`read`], which turns ids into ranks and applies the options
//! (`finish`). Formats whose lines cannot be read independently of each other go from the decompressor straight to their
//! readers (`whole`). Text is read, never mapped: a file that changes while it is mapped kills the process.

mod binary;
mod blocks;
mod both_ways;
mod bytes;
pub(crate) mod decide;
mod edge_columns;
mod edge_text;
mod ends;
mod error;
mod fields;
mod finish;
mod format;
mod gr;
mod heading;
mod ids;
mod matrix_market;
mod metis;
mod named;
#[cfg(feature = "parquet")]
mod parquet;
mod plain;
mod reader;
mod record;
mod report;
mod sample;
pub(crate) mod serialized;
#[cfg(feature = "webgraph")]
mod webgraph;
mod whole;
mod words;

pub use crate::compression::Compression;
pub use error::{Advice, LoadError, Problem};
pub use format::{Format, UnknownFormat};
pub(crate) use format::{ending, webgraph_properties};
pub use ids::each_id;
pub use record::{IdWidth, Record, RecordWeight};
pub use report::{LoadReport, Loaded};
pub(crate) use sample::sample;
pub use wolfpath_core::edge_list::Duplicates;

use blocks::Blocks;
use bytes::Bytes;
use decide::{LineFormat, Lines, Reading, Told, WholeFormat};
use reader::{Parsed, Said, Text};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use wolfpath_core::assemble::Spill;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::progress::Stage;
use wolfpath_core::resources::Resources;

/// The treatment of edges of some kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// They stay.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// Options for reading a file.
///
/// ```
/// use wolfpath::load::{Duplicates, LoadOptions, Policy, read};
///
/// let options = LoadOptions::new().undirected(true).duplicates(Duplicates::Min).self_loops(Policy::Drop);
/// let list = read(&b"1 2 7\n1 2 5\n2 2 1\n"[..], "roads.wel", &options)?;
/// assert_eq!((list.num_lines(), list.num_edges()), (1, 2));
/// assert_eq!(list.weights().map(|weights| weights.get(0)), Some(5.0));
/// # Ok::<(), wolfpath::load::LoadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LoadOptions {
    pub(crate) format: Option<Format>,
    pub(crate) undirected: bool,
    pub(crate) duplicates: Duplicates,
    pub(crate) self_loops: Policy,
    pub(crate) ignore_extra_columns: bool,
    pub(crate) columns: Vec<String>,
    pub(crate) vertices: Arc<[u64]>,
    pub(crate) lossy_weights: bool,
}

impl LoadOptions {
    /// Returns the defaults: the format of the name and the content, and every edge as it is.
    pub fn new() -> LoadOptions {
        LoadOptions::default()
    }

    /// Sets the format. Defaults to what the name and the content say.
    #[must_use]
    pub fn format(mut self, format: impl Into<Option<Format>>) -> LoadOptions {
        self.format = format.into();
        self
    }

    /// Takes each line as two edges, unless the file holds both directions already. Defaults to `false`. Formats that
    /// say so themselves (symmetric Matrix Market, PACE) do not need it.
    #[must_use]
    pub fn undirected(mut self, undirected: bool) -> LoadOptions {
        self.undirected = undirected;
        self
    }

    /// Sets the treatment of several edges with the same source and target. Defaults to [`Duplicates::Keep`].
    #[must_use]
    pub fn duplicates(mut self, duplicates: Duplicates) -> LoadOptions {
        self.duplicates = duplicates;
        self
    }

    /// Sets the treatment of edges from a vertex to itself. Defaults to [`Policy::Keep`].
    #[must_use]
    pub fn self_loops(mut self, policy: Policy) -> LoadOptions {
        self.self_loops = policy;
        self
    }

    /// Skips columns of an edge list beyond source, target and weight. Defaults to `false`, which refuses them.
    #[must_use]
    pub fn ignore_extra_columns(mut self, ignore: bool) -> LoadOptions {
        self.ignore_extra_columns = ignore;
        self
    }

    /// Sets the names of the columns behind source and target, in the order of the file. If the file names its columns
    /// itself (a first line of names, Parquet), these are the ones that are read. Defaults to none: all that a text
    /// names; of a Parquet table the weight.
    #[must_use]
    pub fn columns(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> LoadOptions {
        self.columns = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the ids of further vertices, in any order: those that no edge has become vertices without edges. Defaults to
    /// none. [`each_id`] reads such ids from a file.
    #[must_use]
    pub fn vertices(mut self, ids: impl Into<Arc<[u64]>>) -> LoadOptions {
        self.vertices = ids.into();
        self
    }

    /// Accepts a column that no number type holds exactly (fractions among integers beyond 2^53), with each number as the
    /// nearest 64-bit float, and a note. Defaults to `false`, which refuses such a column.
    #[must_use]
    pub fn lossy_weights(mut self, accept: bool) -> LoadOptions {
        self.lossy_weights = accept;
        self
    }
}

/// Reads the graph in a file. That of a graph of WebGraph's is `NAME.graph`; its `NAME.properties` is read as well.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<EdgeList, LoadError> {
    load_with(path, options, &Resources::default())
}

/// Reads the graph in a file with what it may use.
pub fn load_with(
    path: impl AsRef<Path>,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<EdgeList, LoadError> {
    load_reported(path, options, resources).map(|loaded| loaded.edges)
}

/// Reads the graph in a file, and returns the properties of the file as well.
///
/// # Errors
/// [`LoadError`] if the file cannot be read, or is not a graph.
///
/// ```
/// use wolfpath_core::resources::Resources;
/// use wolfpath_io::load::{Format, LoadOptions, load_reported};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("three.el");
/// std::fs::write(&path, "1 2\n2 2\n")?;
/// let loaded = load_reported(&path, &LoadOptions::default(), &Resources::default())?;
/// assert_eq!(loaded.edges.num_edges(), 2);
/// assert_eq!((loaded.report.format, loaded.report.self_loops), (Format::EdgeList, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load_reported(
    path: impl AsRef<Path>,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    load_told(path, Told::of_file(options.format, path), options, resources)
}

/// Reads the graph in a file of whose format this is known.
pub(crate) fn load_told(
    path: &Path,
    told: Told,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<Loaded, LoadError> {
    let progress = resources.observer();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => LoadError::NotFound { path: path.to_owned() },
        _ => LoadError::Io { path: path.to_owned(), source },
    };
    if std::fs::metadata(path).map_err(failed)?.is_dir() {
        return Err(LoadError::Directory { path: path.to_owned() });
    }
    let file = File::open(path).map_err(failed)?;
    let before = file.metadata().map_err(failed)?;
    progress.begin(Stage::Read, before.is_file().then_some(before.len()));
    let loaded = read_told(&file, path, told, options, resources);
    let after = file.metadata().map_err(failed)?;
    let changed = before.len() != after.len() || before.modified().ok() != after.modified().ok();
    // A change explains whatever else went wrong, and what seems right may be half old and half new.
    if before.is_file() && changed {
        let (before, after) = (before.len(), after.len());
        return Err(LoadError::Changed { path: path.to_owned(), before, after });
    }
    loaded
}

/// Reads a graph from bytes of any origin, compressed or not. `path` names them in errors, and its ending tells the
/// format as that of a file does. A graph in the format [`Format::WebGraph`] takes its properties from the file beside
/// `path`.
pub fn read(
    input: impl Read + Send,
    path: impl AsRef<Path>,
    options: &LoadOptions,
) -> Result<EdgeList, LoadError> {
    read_reported(input, path, options, &Resources::default()).map(|loaded| loaded.edges)
}

/// [Reads](read()) a graph from bytes with what it may use, and returns their properties as well.
///
/// # Errors
/// [`LoadError`] if the bytes cannot be read, or are not a graph.
pub fn read_reported(
    input: impl Read + Send,
    path: impl AsRef<Path>,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    read_told(input, path, Told::of_name(options.format, path), options, resources)
}

fn read_told(
    input: impl Read + Send,
    path: &Path,
    told: Told,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<Loaded, LoadError> {
    let blocks = Blocks::open(input, path, resources.observer())?;
    let compression = blocks.compression();
    named::check(path, options)?;
    let (format, parsed) = match told.decide() {
        Reading::Whole(whole) => {
            let format = whole.into();
            named::check_format(path, format, options)?;
            (format, read_whole(blocks, format, whole, path, options)?)
        }
        Reading::Lines(lines) => read_lines(&blocks, lines, path, options, resources)?,
    };
    let report = LoadReport {
        format,
        compression,
        lines: parsed.lines,
        edges_in_file: parsed.num_edges() / if parsed.said.mirrored { 2 } else { 1 },
        self_loops: 0,
    };
    resources.observer().begin(Stage::Number, Some(parsed.num_edges()));
    finish::finish(parsed, report, path, options, resources)
}

/// Reads a format from front to back.
fn read_whole(
    blocks: Blocks<'_>,
    format: Format,
    whole: WholeFormat,
    path: &Path,
    options: &LoadOptions,
) -> Result<Parsed, LoadError> {
    let compression = blocks.compression();
    let mut input = blocks.into_bytes();
    let mut bytes = Bytes::new(&mut input, path, compression);
    let parsed = whole::read_whole(whole, &mut bytes, &options.columns);
    if bytes.offset() == 0 && !whole.may_be_empty() && !matches!(parsed, Err(LoadError::Feature { .. })) {
        return parsed.and(Err(LoadError::Empty { path: path.to_owned(), format }));
    }
    parsed
}

/// Reads a text line by line, on all threads.
fn read_lines(
    blocks: &Blocks<'_>,
    lines: Lines,
    path: &Path,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<(Format, Parsed), LoadError> {
    let first = blocks.next(Vec::new())?;
    let text = first.as_ref().map_or(&[][..], |block| &block.text);
    let format = lines.format(text);
    named::check_format(path, format.into(), options)?;
    let Some(first) = first else {
        return Ok((format.into(), read_nothing(blocks.compression(), format, path)?));
    };
    let text = Text { blocks, first, path, spill: Spill::new(resources) };
    let parsed = match format {
        LineFormat::EdgeList => {
            text.read(edge_text::EdgeText::new(options.ignore_extra_columns, &options.columns))?
        }
        LineFormat::MatrixMarket => text.read(matrix_market::MatrixMarket::default())?,
        LineFormat::Gr => text.read(gr::Gr::default())?,
    };
    Ok((format.into(), parsed))
}

/// A text of no bytes: a graph without vertices, if the format says so.
fn read_nothing(compression: Compression, format: LineFormat, path: &Path) -> Result<Parsed, LoadError> {
    let path = path.to_owned();
    // A compressed file is never empty, even if its text is.
    let promised = Compression::of_name(&path);
    if compression == Compression::None && promised != Compression::None {
        return Err(LoadError::Truncated { path, compression: promised });
    }
    if !format.may_be_empty() {
        return Err(LoadError::Empty { path, format: format.into() });
    }
    let said = Said { notes: vec![edge_text::NO_EDGES.to_owned()], ..Said::default() };
    Ok(Parsed { said, ..Parsed::default() })
}

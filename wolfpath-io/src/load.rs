//! Reading graphs from files: edge lists, Matrix Market, `.gr`, METIS, GAP's serialized graphs, binary edge lists,
//! Parquet and WebGraph. A file may be compressed. It is read once, from start to end.
//!
//! A text passes through four independent stages:
//!
//! 1. Decompression (`compression`).
//! 2. Splitting into blocks of whole lines (`blocks`).
//! 3. The format's reader (`edge_text`, `matrix_market`, `gr`), which parses blocks on all threads (`reader`).
//! 4. `finish` in this module, which turns ids into ranks and applies the options.
//!
//! Formats that cannot be split into independent lines skip the second stage (`whole`). Text is read rather than
//! memory-mapped, because modifying a mapped file would crash the process.

mod binary;
mod blocks;
mod both_ways;
mod bytes;
mod edge_columns;
mod edge_text;
mod ends;
mod error;
mod fields;
pub(crate) mod format;
mod gr;
mod heading;
mod ids;
mod matrix_market;
mod metis;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[doc(hidden)]
pub mod part;
mod reader;
mod record;
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
pub use options::{LoadOptions, LoadReport, Loaded, Policy};
pub use record::{IdWidth, Record, RecordWeight};
pub(crate) use sample::sample;
pub use wolfpath_core::edge_list::Duplicates;

use blocks::Blocks;
use bytes::Bytes;
use format::{LineFormat, LineRule, ReaderKind, Told, WholeFormat};
use reader::{Parsed, Said, Text};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use wolfpath_core::assemble::{Named, NumberError, Space, Spill, WeightBuilder, check_names, number};
use wolfpath_core::edge_list::{EdgeList, Symmetry};
use wolfpath_core::progress::Stage;
use wolfpath_core::resources::Resources;
use wolfpath_core::weights::{WEIGHT, Weights};

/// Reads the graph in a file. For WebGraph, the file is `NAME.graph`, and `NAME.properties` next to it is also read.
///
/// ```
/// use wolfpath::load::{LoadOptions, load};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.wel");
/// std::fs::write(&path, "17 5 10\n17 6 1\n")?;
/// let list = load(&path, &LoadOptions::new())?;
/// assert_eq!((list.num_edges(), list.edge(0)), (2, (17, 5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<EdgeList, LoadError> {
    load_with(path, options, &Resources::default())
}

/// Reads the graph in a file, with limits on resources.
///
/// ```
/// use wolfpath::load::{LoadOptions, load_with};
/// use wolfpath::resources::Resources;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.el");
/// std::fs::write(&path, "17 5\n")?;
/// // At most 64 MB of memory: what does not fit goes to working files.
/// let list = load_with(&path, &LoadOptions::new(), &Resources::new().memory(64 << 20))?;
/// assert_eq!(list.num_edges(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load_with(
    path: impl AsRef<Path>,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<EdgeList, LoadError> {
    load_reported(path, options, resources).map(|loaded| loaded.edges)
}

/// Reads the graph in a file, and also returns a report on the file.
///
/// # Errors
/// [`LoadError`] if the file cannot be read, or does not contain a graph.
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

/// Reads the graph in a file. `told` is what is known about its format.
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
    // If the file changed, report that instead of any other error: the change probably caused the error. Report it even
    // if there was no error, because the edges may be a mix of the old and the new contents.
    if before.is_file() && changed {
        let (before, after) = (before.len(), after.len());
        return Err(LoadError::Changed { path: path.to_owned(), before, after });
    }
    loaded
}

/// Reads a graph from any source of bytes, compressed or not. `path` need not exist: errors quote it, and its extension
/// determines the format, as for a file. The exception is [`Format::WebGraph`], whose properties are read from the file
/// next to `path`.
///
/// ```
/// use wolfpath::load::{LoadOptions, read};
///
/// let list = read(&b"source,target\n17,5\n"[..], "links.csv", &LoadOptions::new())?;
/// assert_eq!(list.edge(0), (17, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(
    input: impl Read + Send,
    path: impl AsRef<Path>,
    options: &LoadOptions,
) -> Result<EdgeList, LoadError> {
    read_reported(input, path, options, &Resources::default()).map(|loaded| loaded.edges)
}

/// [Reads](read()) a graph from bytes with limits on resources, and also returns a report on the input.
///
/// # Errors
/// [`LoadError`] if the bytes cannot be read, or do not contain a graph.
///
/// ```
/// use wolfpath::load::{LoadOptions, read_reported};
/// use wolfpath::resources::Resources;
///
/// let loaded = read_reported(&b"1 1\n1 2\n"[..], "links.el", &LoadOptions::new(), &Resources::new())?;
/// assert_eq!(loaded.report.self_loops, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    let reading = told.decide();
    let blocks = Blocks::open(input, path, reading.telling(path), resources.observer())?;
    let (compression, blocks_note) = (blocks.compression(), blocks.note());
    check_columns(path, options)?;
    let (format, mut parsed) = match reading {
        ReaderKind::Whole(whole) => {
            let format = whole.into();
            check_format(path, format, options)?;
            (format, read_whole(blocks, format, whole, path, options)?)
        }
        ReaderKind::Lines(lines) => read_lines(&blocks, lines, path, options, resources)?,
    };
    parsed.said.notes.extend(blocks_note);
    let report = LoadReport {
        format,
        compression,
        lines: parsed.lines,
        edges_in_file: parsed.num_edges() / if parsed.said.mirrored { 2 } else { 1 },
        self_loops: 0,
    };
    resources.observer().begin(Stage::Number, Some(parsed.num_edges()));
    finish(parsed, report, path, options, resources)
}

/// Reads a format that cannot be split into blocks (see `whole`).
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

/// Reads a text whose lines are independent, on all threads.
fn read_lines(
    blocks: &Blocks<'_>,
    lines: LineRule,
    path: &Path,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<(Format, Parsed), LoadError> {
    let first = blocks.next(Vec::new())?;
    let text = first.as_ref().map_or(&[][..], |block| &block.text);
    let format = lines.format(text);
    check_format(path, format.into(), options)?;
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

/// Returns the result for an empty text: a graph without vertices if the format allows it, or an error.
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

/// Turns ids into ranks, and applies the options.
fn finish(
    mut parsed: Parsed,
    mut report: LoadReport,
    path: &Path,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<Loaded, LoadError> {
    let columns = joined(&mut parsed);
    // If the sources and targets were moved to disk while the file was read, the arrays of the edge list stay on disk.
    let space = if parsed.spilled { resources.on_disk() } else { Space::Memory };
    let finish = Finish { path, options, space };
    let mut notes = parsed.said.notes;
    let numbered = number(parsed.pieces, parsed.said.declared, &finish.space);
    let (list, rounded) = numbered.map_err(|error| finish.failed(error))?;
    notes.extend(finish.rounding("weights", rounded, &list)?);
    for (column, rounded) in columns.columns() {
        notes.extend(finish.rounding(&format!("numbers of the column {column}"), rounded, &list)?);
    }
    let mut list = columns.join(list, parsed.said.weight_name);
    list = finish.add_vertices(list, &mut notes)?;
    if parsed.said.undirected || options.undirected {
        list = list.undirected();
        if list.symmetry() == Symmetry::Found && list.num_edges() > 0 {
            notes.push(part::BOTH_DIRECTIONS_NOTE.to_owned());
        }
    }
    report.self_loops = list.num_self_loops();
    list = finish.treat_loops(list, &mut notes);
    list = finish.merge_duplicates(list, &mut notes)?;
    Ok(Loaded { edges: list.read_with_notes(notes), report })
}

/// Path of the input, and the options to apply.
struct Finish<'a> {
    path: &'a Path,
    options: &'a LoadOptions,
    space: Space,
}

impl Finish<'_> {
    fn add_vertices(&self, list: EdgeList, notes: &mut Vec<String>) -> Result<EdgeList, LoadError> {
        let before = list.num_vertices();
        let list =
            list.with_more_vertices(&self.options.vertices).map_err(|error| self.failed(error.into()))?;
        let added = list.num_vertices() - before;
        notes.extend(part::added_note(added.into()));
        Ok(list)
    }

    fn treat_loops(&self, list: EdgeList, notes: &mut Vec<String>) -> EdgeList {
        let loops = list.num_self_loops();
        notes.extend(part::loops_note(self.options.self_loops, loops));
        match self.options.self_loops {
            Policy::Keep => list,
            Policy::Drop => list.without_self_loops(),
        }
    }

    fn merge_duplicates(&self, list: EdgeList, notes: &mut Vec<String>) -> Result<EdgeList, LoadError> {
        let duplicates = self.options.duplicates;
        if duplicates == Duplicates::Keep {
            return Ok(list);
        }
        let (before, was_weighted) = (list.num_edges(), list.weights().is_some());
        let merged = list.merged_in(duplicates, &self.space);
        let (list, rounded) = merged.map_err(|error| match error {
            NumberError::Edges(source) => LoadError::Duplicates { path: self.path.to_owned(), source },
            space @ NumberError::Space(_) => self.failed(space),
        })?;
        notes.extend(self.rounding("sums of weights", rounded, &list)?);
        if duplicates == Duplicates::Sum && !was_weighted {
            notes.push(part::UNWEIGHTED_NOTE.to_owned());
        }
        notes.extend(part::merged_note(duplicates, before - list.num_edges()));
        Ok(list)
    }

    /// Returns an error if numbers would be rounded, or a note if rounding is allowed.
    fn rounding(
        &self,
        what: &str,
        rounded: Option<usize>,
        list: &EdgeList,
    ) -> Result<Option<String>, LoadError> {
        let Some(position) = rounded else { return Ok(None) };
        rounding(self.path, self.options, what, position as u64, list.edge(position)).map(Some)
    }

    fn failed(&self, error: NumberError) -> LoadError {
        let path = self.path.to_owned();
        match error {
            NumberError::Edges(source) => LoadError::Vertices { path, source },
            NumberError::Space(source) => LoadError::Space { path, source },
        }
    }
}

/// Returns the note for numbers that are rounded, the first of which is at this position, or an error if that is not accepted.
#[doc(hidden)]
pub fn rounding(
    path: &Path,
    options: &LoadOptions,
    what: &str,
    position: u64,
    (source_id, target_id): (u64, u64),
) -> Result<String, LoadError> {
    if !options.lossy_weights {
        let (path, what) = (path.to_owned(), what.to_owned());
        return Err(LoadError::Inexact { path, what, position, source_id, target_id });
    }
    Ok(format!(
        "no number type holds all {what} exactly: some integers were rounded to the nearest 64-bit float; the first \
         rounded number belongs to the edge {source_id} -> {target_id} (number {position}, counted from 0)"
    ))
}

/// Returns a note such as "2 self-loops kept": the number of edges of one kind, and how they were treated.
fn fate(policy: Policy, many: u64, what: &str) -> String {
    let fate = match policy {
        Policy::Keep => "kept",
        Policy::Drop => "dropped",
    };
    format!("{} {fate}", counted(many, what, &format!("{what}s")))
}

fn counted(many: u64, one: &str, several: &str) -> String {
    format!("{many} {}", if many == 1 { one } else { several })
}

/// Checks that the requested names form a valid list of columns.
fn check_columns(path: &Path, options: &LoadOptions) -> Result<(), LoadError> {
    check_names(&options.columns).map_err(|source| LoadError::Columns { path: path.to_owned(), source })
}

/// Returns an error if columns are requested, but the format has no columns.
fn check_format(path: &Path, format: Format, options: &LoadOptions) -> Result<(), LoadError> {
    if options.columns.is_empty() || matches!(format, Format::EdgeList | Format::Parquet) {
        return Ok(());
    }
    Err(LoadError::NoColumns { path: path.to_owned(), format })
}

/// Columns of all pieces, concatenated. A piece contains the edges of one block of text.
struct Joined(Vec<(Named<Weights>, Option<usize>)>);

/// Removes the columns from the pieces, and concatenates each of them.
fn joined(parsed: &mut Parsed) -> Joined {
    let lines = parsed.pieces.iter().map(|piece| piece.len()).sum();
    let names = std::mem::take(&mut parsed.said.columns);
    let join = |(at, name): (usize, String)| {
        let pieces = parsed.pieces.iter_mut();
        let columns: Vec<WeightBuilder> =
            pieces.filter_map(|piece| piece.columns.get_mut(at)).map(std::mem::take).collect();
        let (numbers, rounded) = WeightBuilder::joined(columns, lines);
        assert!(numbers.is_some() || lines == 0, "a column that was read has numbers");
        let numbers = numbers.unwrap_or(Weights::U32(Vec::new()));
        (Named { name, numbers }, rounded)
    };
    Joined(names.into_iter().enumerate().map(join).collect())
}

impl Joined {
    /// Returns the names of the columns, each with the position of the first number that had to be rounded.
    fn columns(&self) -> impl Iterator<Item = (&str, Option<usize>)> {
        self.0.iter().map(|(column, rounded)| (column.name.as_str(), *rounded))
    }

    /// Adds the columns to a list, and sets the name of the list's weight.
    fn join(self, mut list: EdgeList, weight_name: Option<String>) -> EdgeList {
        let Joined(columns) = self;
        if !columns.is_empty() {
            return list.with_columns(columns.into_iter().map(|(column, _)| column).collect());
        }
        if let Some(name) = weight_name.filter(|name| name != WEIGHT) {
            list.name_weight(name);
        }
        list
    }
}

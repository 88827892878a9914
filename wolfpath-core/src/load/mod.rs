//! Graphs from files: edge lists, Matrix Market, `.gr`, METIS, GAP's serialized graphs, binary edge lists, Parquet and
//! WebGraph, each plain or compressed, read once from front to back.
//!
//! A text goes through four hands, each of which knows nothing of the next: the decompressor (`decompress`), the
//! cutter into blocks of whole lines (`blocks`), the reader of its format (`edge_text`, `matrix_market`, `gr`), which
//! reads blocks on all threads at once (`reader`), and [`read`], which turns ids into ranks and applies the options.
//! Formats that are not lines, each for itself, go from the decompressor straight to their readers (`whole`). Text is
//! read, never mapped: a file that changes while it is mapped kills the process.

mod binary;
mod blocks;
mod both_ways;
mod bytes;
mod decompress;
mod edge_columns;
mod edge_text;
mod error;
mod fields;
mod format;
mod gr;
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
mod spill;
#[cfg(feature = "webgraph")]
mod webgraph;
mod whole;
mod words;

pub use error::{LoadError, Problem};
pub use format::{Format, UnknownFormat};
pub(crate) use format::{ending, webgraph_properties};
pub use record::{IdWidth, Record, RecordWeight};
pub use report::{Compression, LoadReport};
pub(crate) use sample::sample;

use crate::edge_list::{self, EdgeList, NumberError, Symmetry};
use crate::progress::Stage;
use crate::resources::Resources;
use crate::space::{Space, SpaceError};
use blocks::{Block, Blocks};
use bytes::Bytes;
use reader::{Parsed, Text};
use spill::Spill;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What becomes of edges of some kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// They stay.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// How a file is read.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct LoadOptions {
    /// The format; `None` tells it from the name and the content.
    pub format: Option<Format>,
    /// Each line gives two edges, unless the file holds both directions already. Formats that say so themselves
    /// (symmetric Matrix Market, PACE) do not need it.
    pub undirected: bool,
    /// Edges beyond the first with the same source and target.
    pub duplicates: Policy,
    /// Edges from a vertex to itself.
    pub self_loops: Policy,
    /// Columns of an edge list beyond source, target and weight are skipped, instead of being an error.
    pub ignore_extra_columns: bool,
    /// The names of the columns behind source and target, in the order of the file; or, where the file names its columns
    /// itself (a first line of names, Parquet), those that are read. Empty: all that a text names; of a Parquet table the
    /// weight.
    pub columns: Vec<String>,
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
    let (path, progress) = (path.as_ref(), &resources.progress);
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
    let told = LoadOptions { format: options.format.or_else(|| Format::of_file(path)), ..options.clone() };
    let options = if told.format == Some(Format::WebGraph) { &told } else { options };
    let edges = read_with(&file, path, options, resources);
    let after = file.metadata().map_err(failed)?;
    let changed = before.len() != after.len() || before.modified().ok() != after.modified().ok();
    // A change explains whatever else went wrong, and what seems right may be half old and half new.
    if before.is_file() && changed {
        let (before, after) = (before.len(), after.len());
        return Err(LoadError::Changed { path: path.to_owned(), before, after });
    }
    edges
}

/// Reads a graph from bytes of any origin, compressed or not. `path` names them in errors, and its ending tells the
/// format as that of a file does. A graph in the format [`Format::WebGraph`] takes its properties from the file beside
/// `path`.
pub fn read(
    input: impl Read + Send,
    path: impl AsRef<Path>,
    options: &LoadOptions,
) -> Result<EdgeList, LoadError> {
    read_with(input, path.as_ref(), options, &Resources::default())
}

fn read_with(
    input: impl Read + Send,
    path: &Path,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<EdgeList, LoadError> {
    let blocks = Blocks::open(input, path, &resources.progress)?;
    let compression = blocks.compression();
    let told = options.format.or_else(|| Format::of_name(path));
    named::check(path, options)?;
    if let Some(format) = told.filter(|format| !format.is_lines()) {
        named::check_format(path, format, options)?;
        let mut input = blocks.into_bytes();
        let mut bytes = Bytes::new(&mut input, path, compression);
        let parsed = whole::read_whole(format, &mut bytes, &options.columns);
        if bytes.offset() == 0 && !format.may_be_empty() && !matches!(parsed, Err(LoadError::Feature { .. }))
        {
            return parsed.and(Err(LoadError::Empty { path: path.to_owned() }));
        }
        return number(parsed?, format, compression, path, options, resources);
    }
    let Some(first) = blocks.next(Vec::new())? else {
        return Err(LoadError::Empty { path: path.to_owned() });
    };
    let format = format_of(&first, path, options);
    named::check_format(path, format, options)?;
    let text = Text { blocks: &blocks, first, path, spill: Spill::new(resources) };
    let parsed = match format {
        Format::EdgeList => {
            text.read(edge_text::EdgeText::new(options.ignore_extra_columns, &options.columns))?
        }
        Format::MatrixMarket => text.read(matrix_market::MatrixMarket::default())?,
        _ => text.read(gr::Gr::default())?,
    };
    number(parsed, format, compression, path, options, resources)
}

/// What was read becomes a list, with a report.
fn number(
    parsed: Parsed,
    format: Format,
    compression: Compression,
    path: &Path,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<EdgeList, LoadError> {
    let report = LoadReport {
        format,
        compression,
        lines: parsed.lines,
        edges_in_file: parsed.pieces.iter().map(|piece| piece.len() as u64).sum(),
        self_loops: 0,
    };
    resources.progress.begin(Stage::Number, Some(report.edges_in_file));
    finish(parsed, report, path, options, resources)
}

fn format_of(first: &Block, path: &Path, options: &LoadOptions) -> Format {
    match options.format.or_else(|| Format::of_name(path)) {
        _ if options.format.is_none() && Format::has_matrix_market_banner(&first.text) => {
            Format::MatrixMarket
        }
        Some(format) => format,
        None => Format::of_text(&first.text),
    }
}

/// Ids become ranks, and the options are applied.
fn finish(
    mut parsed: Parsed,
    mut report: LoadReport,
    path: &Path,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<EdgeList, LoadError> {
    let named = named::joined(&mut parsed);
    let mut notes = parsed.said.notes;
    // Ends that went to the disk stay there.
    let space = if parsed.spilled { resources.on_disk() } else { Space::Memory };
    let numbered = edge_list::number(parsed.pieces, parsed.said.declared, &space);
    let (mut list, rounded) = numbered.map_err(|error| match error {
        NumberError::Edges(source) => LoadError::Vertices { path: path.to_owned(), source },
        NumberError::Space(source) => LoadError::Space { path: path.to_owned(), source },
    })?;
    notes.extend(rounded.map(|position| rounding_note("weights", position)));
    list = named.join(list, parsed.said.weight_name, &mut notes);
    if parsed.said.undirected || options.undirected {
        list = list.undirected();
        if list.symmetry() == Symmetry::Found && list.num_edges() > 0 {
            notes.push("the file holds both directions of every edge already: not doubled".to_owned());
        }
    }
    report.self_loops = list.num_self_loops();
    list = apply_policies(list, options, &space, &mut notes)
        .map_err(|source| LoadError::Space { path: path.to_owned(), source })?;
    notes.into_iter().for_each(|note| list.push_note(note));
    list.set_report(report);
    Ok(list)
}

fn rounding_note(what: &str, position: usize) -> String {
    format!(
        "no number type holds all {what} exactly: some integers were rounded to the nearest 64-bit float, \
         the first of them that of edge {position} (from 0)"
    )
}

fn apply_policies(
    mut list: EdgeList,
    options: &LoadOptions,
    space: &Space,
    notes: &mut Vec<String>,
) -> Result<EdgeList, SpaceError> {
    let loops = list.num_self_loops();
    if loops > 0 {
        notes.push(fate(options.self_loops, loops, "self-loop"));
    }
    if options.self_loops == Policy::Drop && loops > 0 {
        list = list.without_self_loops();
    }
    if options.duplicates == Policy::Drop {
        let before = list.num_edges();
        list = list.without_duplicates_in(space)?;
        let dropped = before - list.num_edges();
        if dropped > 0 {
            notes.push(fate(Policy::Drop, dropped, "duplicate edge"));
        }
    }
    Ok(list)
}

/// What became of edges of some kind, in words.
pub(crate) fn fate(policy: Policy, many: u64, what: &str) -> String {
    let fate = if policy == Policy::Keep { "kept" } else { "dropped" };
    let plural = if many == 1 { "" } else { "s" };
    format!("{many} {what}{plural} {fate}")
}

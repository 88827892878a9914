//! Graphs from files: edge lists, Matrix Market and `.gr`, each plain or compressed, read once from front to back.
//!
//! A file goes through four hands, each of which knows nothing of the next: the decompressor (`decompress`), the
//! cutter into lines (`text`), the reader of its format (`edge_text`, `matrix_market`, `gr`), and [`read`], which
//! turns ids into ranks and applies the options. Text is read, never mapped: a file that changes while it is mapped
//! kills the process.

mod decompress;
mod edge_text;
mod error;
mod fields;
mod format;
mod gr;
mod matrix_market;
mod reader;
mod report;
mod text;

pub use error::{LoadError, Problem};
pub use format::{Format, UnknownFormat};
pub use report::{Compression, LoadReport};

use crate::edge_list::{EdgeCounts, EdgeList, Symmetry};
use reader::{LineReader, Parsed};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use text::Text;

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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
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
}

/// Reads the graph in a file.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<EdgeList, LoadError> {
    let path = path.as_ref();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => LoadError::NotFound { path: path.to_owned() },
        _ => LoadError::Io { path: path.to_owned(), source },
    };
    if std::fs::metadata(path).map_err(failed)?.is_dir() {
        return Err(LoadError::Directory { path: path.to_owned() });
    }
    read(File::open(path).map_err(failed)?, path, options)
}

/// Reads a graph from bytes of any origin, compressed or not. `path` names them in errors, and its ending tells the
/// format as that of a file does.
pub fn read(input: impl Read, path: impl AsRef<Path>, options: &LoadOptions) -> Result<EdgeList, LoadError> {
    let path = path.as_ref();
    let mut text = Text::open(input, path)?;
    let format = match options.format.or_else(|| Format::of_name(path)) {
        _ if options.format.is_none() && Format::has_matrix_market_banner(text.start()) => {
            Format::MatrixMarket
        }
        Some(format) => format,
        None => Format::of_text(text.start()),
    };
    let parsed = match format {
        Format::EdgeList => read_lines(&mut text, edge_text::EdgeText::default())?,
        Format::MatrixMarket => read_lines(&mut text, matrix_market::MatrixMarket::default())?,
        Format::Gr => read_lines(&mut text, gr::Gr::default())?,
    };
    let report = LoadReport {
        format,
        compression: text.compression(),
        lines: text.lines(),
        edges_in_file: parsed.edges.len() as u64,
        duplicates: 0,
        self_loops: 0,
    };
    finish(parsed, report, path, options)
}

fn read_lines(text: &mut Text<'_>, mut reader: impl LineReader) -> Result<Parsed, LoadError> {
    text.for_each_line(|line| reader.line(line))?;
    reader.finish().map_err(|problem| text.at_last_line(problem))
}

/// Ids become ranks, and the options are applied.
fn finish(
    parsed: Parsed,
    mut report: LoadReport,
    path: &Path,
    options: &LoadOptions,
) -> Result<EdgeList, LoadError> {
    let mut notes = parsed.notes;
    let weights = parsed.weights.map(|column| {
        let (weights, rounded) = column.finish();
        notes.extend(rounded.map(rounding_note));
        weights
    });
    let list = parsed.edges.finish(weights, parsed.declared);
    let mut list = list.map_err(|source| LoadError::Vertices { path: path.to_owned(), source })?;
    if parsed.undirected || options.undirected {
        list = list.undirected();
        if list.symmetry() == Symmetry::Found && list.num_edges() > 0 {
            notes.push("the file holds both directions of every edge already: not doubled".to_owned());
        }
    }
    let counts = list.counts();
    (report.duplicates, report.self_loops) = (counts.duplicates, counts.self_loops);
    list = apply_policies(list, counts, options, &mut notes);
    notes.into_iter().for_each(|note| list.push_note(note));
    list.set_report(report);
    Ok(list)
}

fn rounding_note(position: usize) -> String {
    format!(
        "no number type holds all weights exactly: some integers were rounded to the nearest 64-bit float, \
         the first of them the weight of edge {position} (from 0)"
    )
}

fn apply_policies(
    mut list: EdgeList,
    counts: EdgeCounts,
    options: &LoadOptions,
    notes: &mut Vec<String>,
) -> EdgeList {
    let mut tell = |policy: Policy, many: u64, what: &str| {
        if many > 0 {
            let fate = if policy == Policy::Keep { "kept" } else { "dropped" };
            let plural = if many == 1 { "" } else { "s" };
            notes.push(format!("{many} {what}{plural} {fate}"));
        }
    };
    tell(options.self_loops, counts.self_loops, "self-loop");
    if options.self_loops == Policy::Drop && counts.self_loops > 0 {
        list = list.without_self_loops();
    }
    let before = list.num_edges();
    if options.duplicates == Policy::Drop && counts.duplicates > 0 {
        list = list.without_duplicates();
        tell(Policy::Drop, before - list.num_edges(), "duplicate edge");
    } else {
        tell(Policy::Keep, counts.duplicates, "duplicate edge");
    }
    list
}

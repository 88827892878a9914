//! Reading a text edge list in parts, each by another process.
//!
//! Every process reads the head of the file, which determines how lines are read. The rest is divided by bytes: a part has the
//! lines that begin in its range.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use wolfpath_core::assemble::{Piece, Spill, WeightBuilder};
use wolfpath_core::progress::{Progress, Stage};
use wolfpath_core::resources::Resources;
use wolfpath_core::store::is_wolf;
use wolfpath_core::weights::WEIGHT;

use super::blocks::Blocks;
use super::edge_text::EdgeText;
use super::error::LoadError;
use super::format::{LineFormat, ReaderKind, Told};
use super::reader::{LineReader, head_of, read_lines};
use super::{Compression, Duplicates, LoadOptions, Policy, check_columns, counted, fate};
use crate::compression::Telling;

/// The lines of a text edge list that one of several processes has read.
#[derive(Debug)]
pub struct EdgeListPart {
    reader: EdgeText,
    pieces: Vec<Piece>,
    /// Length of the whole file in bytes.
    bytes: u64,
    lines: u64,
}

/// Name of a column, and a column of each piece.
#[derive(Debug)]
pub struct PartColumn {
    /// The name.
    pub name: String,
    /// The name in notes about all numbers of the column.
    pub plural: String,
    /// The numbers.
    pub numbers: Vec<WeightBuilder>,
}

impl EdgeListPart {
    /// Reads part `part` of `parts`. In errors, the lines of earlier parts are not counted; see
    /// [`LoadError::after_lines`].
    ///
    /// # Errors
    /// Returns [`LoadError::NotInParts`] if the file is compressed or has another format, and the errors of [`load`](super::load).
    pub fn read(
        path: &Path,
        options: &LoadOptions,
        part: usize,
        parts: usize,
        progress: &Progress,
    ) -> Result<EdgeListPart, LoadError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => LoadError::NotFound { path: path.to_owned() },
            _ => LoadError::Io { path: path.to_owned(), source },
        };
        let refused = |what: &str| LoadError::NotInParts { path: path.to_owned(), what: what.to_owned() };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Err(LoadError::Directory { path: path.to_owned() });
        }
        if !metadata.is_file() {
            return Err(refused("not a file"));
        }
        if is_wolf(path) {
            return Err(refused("a layered graph"));
        }
        check_columns(path, options)?;
        let ReaderKind::Lines(rule) = Told::of_file(options.format, path).decide() else {
            return Err(refused("not an edge list"));
        };
        let file = File::open(path).map_err(failed)?;
        let mut reader = EdgeText::new(options.ignore_extra_columns, &options.columns);
        let blocks = Blocks::open(&file, path, Telling::Bytes, &Progress::NONE)?;
        if blocks.compression() != Compression::None || Compression::of_name(path) != Compression::None {
            return Err(refused("compressed"));
        }
        let first = blocks.next(Vec::new())?;
        if rule.format(first.as_ref().map_or(&[][..], |block| &block.text)) != LineFormat::EdgeList {
            return Err(refused("not an edge list"));
        }
        let mut head = 0;
        let body = match first {
            Some(first) => head_of(&blocks, first, path, &mut reader, &mut head)?,
            None => None,
        };
        let body = body.map(|(block, at)| block.offset + at as u64);
        let mut read = EdgeListPart { reader, pieces: Vec::new(), bytes: metadata.len(), lines: 0 };
        if let Some(body) = body {
            let range = lines_in(&file, body..metadata.len(), part, parts).map_err(failed)?;
            progress.begin(Stage::Read, Some(range.end - range.start));
            let done = read.read_body(&file, path, range, progress);
            done.map_err(|error| error.after_lines(head))?;
        }
        let after = file.metadata().map_err(failed)?;
        if metadata.len() != after.len() || metadata.modified().ok() != after.modified().ok() {
            let (before, after) = (metadata.len(), after.len());
            return Err(LoadError::Changed { path: path.to_owned(), before, after });
        }
        Ok(read)
    }

    fn read_body(
        &mut self,
        mut file: &File,
        path: &Path,
        range: Range<u64>,
        progress: &Progress,
    ) -> Result<(), LoadError> {
        let failed = |source| LoadError::Io { path: path.to_owned(), source };
        file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
        let text = file.take(range.end - range.start);
        let uncompressed = Telling::BytesAsPromised(Compression::None);
        let blocks = Blocks::open(text, path, uncompressed, progress)?.at_offset(range.start);
        // The edges of a part stay in memory.
        let spill = Spill::new(&Resources::new().memory(u64::MAX));
        (self.pieces, self.lines) = read_lines(&blocks, &self.reader, path, spill)?;
        Ok(())
    }

    /// Returns the length of the whole file in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of lines that this part has.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns the number of edges that this part has.
    pub fn num_edges(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// Returns `true` if an edge of this part has a weight without a named column.
    pub fn is_weighted(&self) -> bool {
        self.pieces.iter().any(|piece| !piece.weights.is_empty())
    }

    /// Returns the edges, their columns, and notes for the user. `edges` is the number of edges of all parts, of which some
    /// are weighted if `is_weighted` is `true`.
    pub fn finish(mut self, edges: u64, is_weighted: bool) -> Finished {
        // An edge list cannot end too early.
        let said = self.reader.finish(edges).unwrap_or_default();
        let mut columns: Vec<PartColumn> = Vec::new();
        for (at, name) in said.columns.into_iter().enumerate() {
            let pieces = self.pieces.iter_mut();
            let numbers = pieces.filter_map(|piece| piece.columns.get_mut(at)).map(std::mem::take).collect();
            columns.push(PartColumn { plural: format!("numbers of the column {name}"), name, numbers });
        }
        if columns.is_empty() && is_weighted {
            let numbers = self.pieces.iter_mut().map(|piece| std::mem::take(&mut piece.weights)).collect();
            let name = said.weight_name.unwrap_or_else(|| WEIGHT.to_owned());
            columns.push(PartColumn { name, plural: "weights".to_owned(), numbers });
        }
        Finished { pieces: self.pieces, columns, notes: said.notes }
    }
}

/// The edges of a part.
#[derive(Debug)]
pub struct Finished {
    /// The edges.
    pub pieces: Vec<Piece>,
    /// Their columns.
    pub columns: Vec<PartColumn>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl LoadOptions {
    /// Returns `true` if each line is read as two edges.
    #[doc(hidden)]
    pub fn is_undirected(&self) -> bool {
        self.undirected
    }

    /// Returns the ids of additional vertices.
    #[doc(hidden)]
    pub fn added_vertices(&self) -> &[u64] {
        &self.vertices
    }

    /// Returns the treatments of duplicates and of self-loops.
    #[doc(hidden)]
    pub fn treatments(&self) -> (Duplicates, Policy) {
        (self.duplicates, self.self_loops)
    }

    /// Returns text that differs for options that read edges differently, without additional vertices.
    #[doc(hidden)]
    pub fn shown(&self) -> String {
        format!("{:?}", self.clone().vertices([]))
    }
}

/// Returns the note for vertices that were added.
pub fn added_note(added: u64) -> Option<String> {
    let vertices = counted(added, "vertex without edges was", "vertices without edges were");
    (added > 0).then(|| format!("{vertices} added"))
}

/// Returns the note for self-loops.
pub fn loops_note(policy: Policy, loops: u64) -> Option<String> {
    (loops > 0).then(|| fate(policy, loops, "self-loop"))
}

/// Returns the note for duplicates that were merged.
pub fn merged_note(duplicates: Duplicates, gone: u64) -> Option<String> {
    let many = counted(gone, "duplicate edge", "duplicate edges");
    (gone > 0).then(|| format!("{many} {}", duplicates.outcome()))
}

/// Returns the bytes of the lines that begin in part `part` of `parts` of a range, whose own begin is one of a line.
fn lines_in(file: &File, range: Range<u64>, part: usize, parts: usize) -> io::Result<Range<u64>> {
    let border = |part: usize| {
        let length = u128::from(range.end - range.start);
        let at = range.start + (length * part as u128 / parts as u128) as u64;
        if at == range.start || at == range.end { Ok(at) } else { line_from(file, at, range.end) }
    };
    Ok(border(part)?..border(part + 1)?)
}

/// Returns the position of the first line that begins at `at` or later, but at most `end`.
fn line_from(mut file: &File, at: u64, end: u64) -> io::Result<u64> {
    let mut at = at - 1;
    file.seek(SeekFrom::Start(at))?;
    let mut buffer = vec![0; 1 << 12];
    loop {
        let read = file.read(&mut buffer)?;
        if let Some(length) = memchr::memchr(b'\n', &buffer[..read]) {
            return Ok((at + length as u64 + 1).min(end));
        }
        at += read as u64;
        if read == 0 || at >= end {
            return Ok(end);
        }
    }
}

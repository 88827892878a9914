//! Reading a text edge list in parts, each by another process.
//!
//! Every process reads the head of the file, which determines how lines are read. The rest is divided by bytes: a part has the
//! lines that begin in its range (`lines.rs`). A compressed file is divided by the bytes of its text: every process decompresses
//! it once to learn its length, and a second time up to the end of its part.

mod lines;

use std::fs::{File, Metadata};
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;
use wolfpath_core::assemble::{Piece, Spill, WeightBuilder};
use wolfpath_core::progress::{Progress, Stage};
use wolfpath_core::resources::Resources;
use wolfpath_core::store::is_wolf;
use wolfpath_core::weights::WEIGHT;

use super::blocks::{Blocks, Counted};
use super::bytes::read_error;
use super::edge_text::EdgeText;
use super::error::LoadError;
use super::format::{LineFormat, ReaderKind, Told};
use super::reader::{LineReader, head_of, read_lines};
use super::{Compression, Duplicates, LoadOptions, Policy, check_columns, counted, fate, read_nothing};
use crate::compression::{Telling, decompress};
use lines::LinesIn;

/// Number of bytes at the start and at the end of a file that processes compare.
const COMPARED: u64 = 1 << 16;

/// A text edge list whose head was read.
#[derive(Debug)]
pub struct EdgeListInput {
    path: PathBuf,
    file: File,
    before: Metadata,
    compression: Compression,
    reader: EdgeText,
    /// Number of lines of the head.
    head: u64,
    /// Position of the body in the text; `None` if the text ends after the head.
    body: Option<u64>,
    /// Length of the text in bytes. Unknown if one process reads all of a compressed file.
    length: u64,
}

/// The lines of a text edge list that one of several processes has read.
#[derive(Debug)]
pub struct EdgeListPart {
    reader: EdgeText,
    pieces: Vec<Piece>,
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

impl EdgeListInput {
    /// Opens a file that `parts` processes are to read, and reads its head. The text of a compressed file is measured if there
    /// are several.
    ///
    /// # Errors
    /// Returns [`LoadError::NotInParts`] if the file has another format, and the errors of [`load`](super::load).
    pub fn open(
        path: &Path,
        options: &LoadOptions,
        parts: usize,
        progress: &Progress,
    ) -> Result<EdgeListInput, LoadError> {
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
        let before = file.metadata().map_err(failed)?;
        let mut reader = EdgeText::new(options.ignore_extra_columns, &options.columns);
        let blocks = Blocks::open(&file, path, Telling::Bytes, &Progress::NONE)?;
        let compression = blocks.compression();
        let first = blocks.next(Vec::new())?;
        if rule.format(first.as_ref().map_or(&[][..], |block| &block.text)) != LineFormat::EdgeList {
            return Err(refused("not an edge list"));
        }
        let mut head = 0;
        let body = match first {
            Some(first) => head_of(&blocks, first, path, &mut reader, &mut head)?,
            None => {
                read_nothing(compression, LineFormat::EdgeList, path)?;
                None
            }
        };
        let body = body.map(|(block, at)| block.offset + at as u64);
        drop(blocks);
        let (path, mut length) = (path.to_owned(), before.len());
        if compression != Compression::None {
            length = u64::MAX;
        }
        let mut input = EdgeListInput { path, file, before, compression, reader, head, body, length };
        if compression != Compression::None && body.is_some() && parts > 1 {
            input.length = input.measured(progress)?;
        }
        Ok(input)
    }

    /// Returns the length of the decompressed text.
    fn measured(&self, progress: &Progress) -> Result<u64, LoadError> {
        let failed = |source| read_error(&self.path, self.compression, source);
        progress.begin(Stage::Read, Some(self.before.len()));
        let mut text = self.text(progress)?;
        let (mut buffer, mut length) = (vec![0; 1 << 17], 0);
        loop {
            match text.read(&mut buffer) {
                Ok(0) => return Ok(length),
                Ok(read) => length += read as u64,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Returns a reader of the decompressed text.
    fn text<'a>(&'a self, progress: &'a Progress) -> Result<Box<dyn Read + Send + 'a>, LoadError> {
        let failed = |source| LoadError::Io { path: self.path.clone(), source };
        (&self.file).seek(SeekFrom::Start(0)).map_err(failed)?;
        let input = Counted { input: &self.file, progress };
        let telling = Telling::BytesAsPromised(self.compression);
        let text = decompress(input, telling).map_err(failed)?.text;
        text.ok_or_else(|| LoadError::Codec { path: self.path.clone(), compression: self.compression })
    }

    /// Returns names and values that are equal in all processes, unless they have different files.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn identity(&self) -> Result<[(&'static str, String); 4], LoadError> {
        let failed = |source| LoadError::Io { path: self.path.clone(), source };
        let (mut hash, bytes) = (XxHash3_64::default(), self.before.len());
        for first in [0, bytes.saturating_sub(COMPARED)] {
            let mut read = Vec::new();
            (&self.file).seek(SeekFrom::Start(first)).map_err(failed)?;
            (&self.file).take(COMPARED).read_to_end(&mut read).map_err(failed)?;
            hash.write(&read);
        }
        Ok([
            ("length of the input in bytes", bytes.to_string()),
            ("list of columns in the input", self.reader.layout()),
            ("start or end of the input, by its hash", format!("{:016x}", hash.finish())),
            ("length of the decompressed input", self.length.to_string()),
        ])
    }

    /// Reads part `part` of `parts`. In errors, the lines of earlier parts are not counted; see
    /// [`LoadError::after_lines`].
    ///
    /// # Errors
    /// Returns the errors of [`load`](super::load).
    pub fn read(self, part: usize, parts: usize, progress: &Progress) -> Result<EdgeListPart, LoadError> {
        let failed = |source| LoadError::Io { path: self.path.clone(), source };
        let read = self.body.map_or(Ok((Vec::new(), 0)), |body| {
            // The text is only shorter if the file has changed.
            let length = self.length.saturating_sub(body);
            let border = |part: usize| body + (u128::from(length) * part as u128 / parts as u128) as u64;
            self.read_lines(border(part)..border(part + 1), progress)
        });
        let after = self.file.metadata().map_err(failed)?;
        let before = &self.before;
        let is_shorter = self.body.is_some_and(|body| self.length < body);
        if is_shorter || before.len() != after.len() || before.modified().ok() != after.modified().ok() {
            let (before, after) = (before.len(), after.len());
            return Err(LoadError::Changed { path: self.path, before, after });
        }
        let (pieces, lines) = read.map_err(|error| error.after_lines(self.head))?;
        Ok(EdgeListPart { reader: self.reader, pieces, lines })
    }

    /// Reads the lines that begin in a range of the text. Returns their edges and their number.
    fn read_lines(&self, range: Range<u64>, progress: &Progress) -> Result<(Vec<Piece>, u64), LoadError> {
        let failed = |source| read_error(&self.path, self.compression, source);
        let is_line_start = Some(range.start) == self.body;
        let lines = if self.compression == Compression::None {
            progress.begin(Stage::Read, Some(range.end - range.start));
            // A line begins at the start of the range if a line end is before it.
            let at = range.start - u64::from(!is_line_start);
            (&self.file).seek(SeekFrom::Start(at)).map_err(failed)?;
            let text: Box<dyn Read + Send> = Box::new(Counted { input: &self.file, progress });
            LinesIn::new(text, at, range, is_line_start)
        } else {
            progress.begin(Stage::Read, Some(self.before.len()));
            LinesIn::new(self.text(progress)?, 0, range, is_line_start)
        };
        let lines = lines.map_err(failed)?;
        let position = lines.position();
        let blocks = Blocks::of_text(lines, &self.path, self.compression, position);
        // The edges of a part stay in memory.
        let spill = Spill::new(&Resources::new().memory(u64::MAX));
        read_lines(&blocks, &self.reader, &self.path, spill)
    }
}

impl EdgeListPart {
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

/// The note for edges without weights whose duplicates were added up.
pub const UNWEIGHTED_NOTE: &str =
    "the edges had no weights; the weight of each is now the number of its lines";

/// The note for edges that were to be doubled, but of which the file contains both directions.
pub const BOTH_DIRECTIONS_NOTE: &str =
    "the file already contains both directions of every edge: they were not added again";

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

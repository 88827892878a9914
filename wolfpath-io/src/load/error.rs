//! Errors from reading files. Their messages tell the user where the problem is and what to do.

use super::ends::EndsProblem;
use super::{Compression, Format};
use std::fmt;
use std::io;
use std::path::PathBuf;
use wolfpath_core::edge_list::EdgeListError;
use wolfpath_core::space::SpaceError;
use wolfpath_core::weights::ColumnError;

/// Reasons why a file cannot be read as a graph.
///
/// ```
/// use wolfpath::load::{LoadError, LoadOptions, read};
///
/// match read(&b"1 2\n1 x\n"[..], "links.el", &LoadOptions::new()) {
///     Err(LoadError::Line { line, problem, .. }) => {
///         assert_eq!(line, 2);
///         assert!(problem.to_string().starts_with("`x` is not a vertex id"));
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file.
    #[error("{}: no such file; expected a graph (.el .wel .txt .tsv .csv .mtx .gr .graph .sg .wsg, each also .gz .zst .xz)", path.display())]
    NotFound {
        /// Path of the file.
        path: PathBuf,
    },
    /// The path is a directory.
    #[error("{}: is a directory; name a graph file in it", path.display())]
    Directory {
        /// Path of the directory.
        path: PathBuf,
    },
    /// The operating system returned an error.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error from the operating system.
        source: io::Error,
    },
    /// The file is empty.
    #[error("{}: empty; expected a graph in the format {format}: fetch or make the file again", path.display())]
    Empty {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file. No graph in this format is an empty file.
        format: Format,
    },
    /// The compressed stream ends early.
    #[error(
        "{}: the {compression} data ends too early: the file was cut short, or contains other data after them; fetch or \
         compress it again", path.display()
    )]
    Truncated {
        /// Path of the file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
    },
    /// The compressed stream is damaged.
    #[error("{}: the {compression} data is damaged ({source}); fetch or compress it again", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
        /// Error from the decompressor.
        source: io::Error,
    },
    /// The file is not text.
    #[error(
        "{}: not text: byte {offset} (from 0, after decompression) is 0x{byte:02x}; expected a text file of edges, \
         plain or compressed with gzip, zstd or xz", path.display()
    )]
    Binary {
        /// Path of the file.
        path: PathBuf,
        /// Offset of the byte in the text, from 0.
        offset: u64,
        /// Value of the byte.
        byte: u8,
    },
    /// A line is invalid.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// Problem with the line.
        problem: Problem,
    },
    /// The file was modified while it was read.
    #[error(
        "{}: changed while it was read (it had {before} bytes, now it has {after}); read the file again when it no longer \
         changes", path.display()
    )]
    Changed {
        /// Path of the file.
        path: PathBuf,
        /// Size in bytes when reading began.
        before: u64,
        /// Size in bytes when reading ended.
        after: u64,
    },
    /// Several processes can only share the reading of a text of edges.
    #[error(
        "{}: {what}; several processes can only read an edge list (.el .wel .txt .tsv .csv) together: convert it, or read it on \
         one machine", path.display()
    )]
    NotInParts {
        /// Path of the file.
        path: PathBuf,
        /// Description of the file.
        what: String,
    },
    /// There is not enough memory or disk space for the edges.
    #[error("{}: {source}", path.display())]
    Space {
        /// Path of the file.
        path: PathBuf,
        /// Error that states how much space is needed and how much is available.
        source: SpaceError,
    },
    /// The requested columns are invalid.
    #[error("{}: {source}", path.display())]
    Columns {
        /// Path of the file.
        path: PathBuf,
        /// Problem with the names.
        source: ColumnError,
    },
    /// Columns were requested of a format that has no columns.
    #[error(
        "{}: the format {format} has no named columns; expected an edge list as text or in Parquet: leave the columns \
         out", path.display()
    )]
    NoColumns {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
    },
    /// There are too many vertices.
    #[error("{}: {source}", path.display())]
    Vertices {
        /// Path of the file.
        path: PathBuf,
        /// Error that states the number of vertices and the maximum.
        source: EdgeListError,
    },
    /// Duplicate edges cannot be merged as requested.
    #[error("{}: {source}", path.display())]
    Duplicates {
        /// Path of the file.
        path: PathBuf,
        /// Reason for the failure.
        source: EdgeListError,
    },
    /// Some numbers of a column would have to be rounded.
    #[error(
        "{}: no number type holds all {what} exactly: fractions, integers of both signs and integers beyond 2^64 need \
         64-bit floats, which hold integers exactly only up to 2^53; the first number that would be rounded belongs \
         to the edge {source_id} -> {target_id} (number {position}, counted from 0): scale the numbers, write all of \
         them as integers from 0 to 2^64 - 1, or accept the nearest 64-bit floats", path.display()
    )]
    Inexact {
        /// Path of the file.
        path: PathBuf,
        /// Name of the numbers for the message, such as "weights".
        what: String,
        /// Position of the edge with the first number that would be rounded, from 0.
        position: u64,
        /// Id of the edge's source.
        source_id: u64,
        /// Id of the edge's target.
        target_id: u64,
    },
    /// A line of a list of ids does not contain an id.
    #[error("{}, line {line}: expected one id, a number from 0 to {}, found `{found}`", path.display(), u64::MAX)]
    NoId {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// Text of the line, shortened if necessary.
        found: String,
    },
    /// A line of a list of ids is too long to be an id.
    #[error("{}, line {line}: longer than {limit} bytes; expected a list of ids, one per line", path.display())]
    LongLine {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// Maximum length of a line in bytes, including comments.
        limit: u64,
    },
    /// A binary file is invalid.
    #[error("{}, byte {offset}: found {found}; expected {expected}", path.display())]
    Byte {
        /// Path of the file.
        path: PathBuf,
        /// Offset of the problem, from 0, after decompression.
        offset: u64,
        /// Data that was found there.
        found: String,
        /// Data that was expected.
        expected: String,
    },
    /// The last record of a binary edge list is incomplete.
    #[error(
        "{}, byte {offset}: found {left} bytes of a record and then the end of the file; expected {size} bytes per edge, \
         as the format {format} says; the file was cut short, or has another format", path.display()
    )]
    CutRecord {
        /// Path of the file.
        path: PathBuf,
        /// Offset of the record, from 0, after decompression.
        offset: u64,
        /// Number of bytes of the incomplete record.
        left: usize,
        /// Number of bytes of a complete record.
        size: usize,
        /// Format of the file.
        format: Format,
    },
    /// The properties of a WebGraph graph are missing.
    #[error(
        "{}, beside it: found no file {}; expected the properties of the graph, which are needed to decode it; \
         fetch that file too, or name the format that this one really has", path.display(), properties.display()
    )]
    NoProperties {
        /// Path of the graph's file.
        path: PathBuf,
        /// Path of the missing properties.
        properties: PathBuf,
    },
    /// The names of a table's columns do not identify the ends of edges.
    #[error(
        "{}, the schema: found the columns {columns}, where {problem}; expected names that identify source and target, \
         or no such names at all", path.display()
    )]
    UnclearColumns {
        /// Path of the file.
        path: PathBuf,
        /// Names of all columns, followed by the names of the requested columns.
        columns: String,
        /// Description of the problem.
        problem: String,
    },
    /// A table is invalid.
    #[error("{}, {place}: found {found}; expected {expected}", path.display())]
    Table {
        /// Path of the file.
        path: PathBuf,
        /// Description of the location; rows count from 0.
        place: String,
        /// Data that was found there.
        found: String,
        /// Data that was expected.
        expected: String,
    },
    /// This build was compiled without the codec of the compression.
    #[error(
        "{}: compressed with {compression}, which this build does not read; build wolfpath with the cargo feature `{}`",
        path.display(), compression.feature()
    )]
    Codec {
        /// Path of the file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
    },
    /// This build was compiled without the format.
    #[error(
        "{}: this build does not read {format} files; build wolfpath with the cargo feature `{feature}`", path.display()
    )]
    Feature {
        /// Path of the file.
        path: PathBuf,
        /// Format of the file.
        format: Format,
        /// Cargo feature that enables the format.
        feature: &'static str,
    },
}

/// Option that may make a rejected file readable. The message of a [`LoadError`] gives the same advice in words. A
/// program that has its own name for the option, such as a command-line flag, can use this value to mention that name.
///
/// ```
/// use wolfpath::load::{Advice, Format, LoadError, LoadOptions, read};
///
/// let (text, name) = (&b"p sp 2 1\na 1 2 7\n"[..], "roads.el");
/// let error: LoadError = read(text, name, &LoadOptions::new()).expect_err("not an edge list");
/// assert_eq!(error.advice(), Some(Advice::Format(Format::Gr)));
/// assert!(read(text, name, &LoadOptions::new().format(Format::Gr)).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// [`LoadOptions::format`](super::LoadOptions::format) with this format.
    Format(Format),
    /// [`LoadOptions::format`](super::LoadOptions::format) with the actual format of the file.
    OtherFormat,
    /// [`LoadOptions::columns`](super::LoadOptions::columns) with names that match the file.
    Columns,
    /// [`LoadOptions::columns`](super::LoadOptions::columns), or
    /// [`LoadOptions::ignore_extra_columns`](super::LoadOptions::ignore_extra_columns).
    ExtraColumns,
    /// [`LoadOptions::lossy_weights`](super::LoadOptions::lossy_weights).
    LossyWeights,
}

impl LoadError {
    /// Returns the same error, with `lines` more lines before the one that is invalid.
    #[doc(hidden)]
    #[must_use]
    pub fn after_lines(mut self, lines: u64) -> LoadError {
        if let LoadError::Line { line, .. } = &mut self {
            *line += lines;
        }
        self
    }

    /// Returns an option that may make the file readable, if there is one.
    pub fn advice(&self) -> Option<Advice> {
        match self {
            LoadError::Line { problem: Problem(problem), .. } => problem.advice(),
            LoadError::CutRecord { .. } | LoadError::NoProperties { .. } => Some(Advice::OtherFormat),
            LoadError::UnclearColumns { .. } => Some(Advice::Columns),
            LoadError::Inexact { .. } => Some(Advice::LossyWeights),
            _ => None,
        }
    }
}

/// Problem with one line. Its message says what was expected and what to do.
///
/// ```
/// use wolfpath::load::{LoadError, LoadOptions, Problem, read};
///
/// fn problem(text: &[u8]) -> Option<Problem> {
///     match read(text, "g.el", &LoadOptions::new()) {
///         Err(LoadError::Line { problem, .. }) => Some(problem),
///         _ => None,
///     }
/// }
/// assert!(problem(b"1 -2\n").is_some_and(|problem| problem.to_string().contains("negative")));
/// assert_eq!(problem(b"1 2\n"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem(LineProblem);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<LineProblem> for Problem {
    fn from(problem: LineProblem) -> Problem {
        Problem(problem)
    }
}

/// All problems that a line can have. The messages quote fields of the line, shortened if necessary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineProblem {
    #[error("`{field}` is not a vertex id; expected a whole number from 0 to 18446744073709551615")]
    NotAnId { field: String },
    #[error(
        "`{field}` is not a vertex id; expected a whole number from 0 to 18446744073709551615; lines of a .gr file start \
         with such letters: read it in the format gr"
    )]
    StartOfGr { field: String },
    #[error("the vertex id {field} is negative; ids are whole numbers from 0: renumber the vertices")]
    NegativeId { field: String },
    #[error("the vertex id {field} is too large; ids go up to 18446744073709551615: renumber the vertices")]
    IdTooLarge { field: String },
    #[error("`{field}` is not a weight; expected a number such as 7, -2.5 or 1e3")]
    NotAWeight { field: String },
    #[error(
        "the weight {field} is too large for a 64-bit float; scale the weights, or write `inf` for an infinite weight"
    )]
    WeightOverflow { field: String },
    #[error(
        "the weight {field} is too small for a 64-bit float; scale the weights, or write 0 for a weight of zero"
    )]
    WeightUnderflow { field: String },
    #[error("the weight is NaN; give the edge a number as its weight, or leave the edge out")]
    NanWeight,
    #[error("a field is empty; expected a number between any two separators")]
    EmptyField,
    #[error("only {found} on the line; expected {expected}")]
    TooFewFields { found: FieldCount, expected: &'static str },
    #[error("{found} on the line; expected {expected}: remove the extra fields")]
    TooManyFields { found: FieldCount, expected: &'static str },
    #[error(
        "{found} on the line; expected {expected}: remove the extra fields, write a first line that names the columns, \
         name them in the options, or ignore extra columns"
    )]
    ExtraFields { found: FieldCount, expected: &'static str },
    #[error(
        "{found} on the line; expected {expected}: name all columns of the file, or remove the extra fields"
    )]
    ColumnCount { found: FieldCount, expected: String },
    #[error("`{field}` in the column `{column}`; expected a number such as 7, -2.5 or 1e3, or true or false")]
    NotANumber { field: String, column: String },
    #[error("NaN in the column `{column}`; give the edge a number there, or leave the edge out")]
    NanNumber { column: String },
    #[error("{0}")]
    Columns(ColumnError),
    #[error(transparent)]
    Heading(Box<HeadingProblem>),
    #[error("no weight, but earlier edges have one; give all edges a weight or none")]
    WeightMissing,
    #[error("a weight, but earlier edges have none; give all edges a weight or none")]
    WeightUnexpected,
    #[error("longer than {limit} bytes; a line of text holds one edge: is this a graph?")]
    TooLong { limit: usize },
    #[error(
        "the id {id} is not one of the declared vertices {first} to {last}; correct the id or the declaration"
    )]
    UndeclaredId { id: u64, first: u64, last: u64 },
    #[error("{declared} vertices are declared; at most 4294967295 are supported")]
    TooManyVertices { declared: u64 },
    #[error(
        "line {declared_at} declares {}, but the file holds {found}; it was cut short, or that line \
         is wrong: fetch the file again or correct the line", super::counted(*declared, "edge", "edges")
    )]
    WrongCount { declared_at: u64, declared: u64, found: u64 },
    #[error(
        "a Matrix Market file starts with a line such as `%%MatrixMarket matrix coordinate pattern general`, but this \
         file starts with `{found}`; add that line and the size line after it, or read plain `source target` lines in \
         the format el"
    )]
    NoBanner { found: String },
    #[error("a second Matrix Market header; a file holds one matrix: split it into one file per header")]
    SecondBanner,
    #[error("this is a Matrix Market file, not an edge list; read it in the format mtx")]
    UnexpectedBanner,
    #[error("`{found}` matrices are not graphs that can be read; expected {expected}")]
    UnsupportedMatrix { found: String, expected: &'static str },
    #[error("the matrix has {rows} rows and {columns} columns; a graph needs as many rows as columns")]
    NotSquare { rows: u64, columns: u64 },
    #[error("the file ends before its size line; expected `rows columns entries` after the comments")]
    NoSizeLine,
    #[error("`{field}` is not a count; expected a whole number, as in `{expected}`")]
    NotACount { field: String, expected: &'static str },
    #[error("the weight {field} is not an integer, but the first line says `{says}`; write `real` there")]
    NotAnInteger { field: String, says: &'static str },
    #[error(
        "the weight {field} is negative, but the first line says `unsigned-integer`; write `integer` there, or correct \
         the weight"
    )]
    NotUnsigned { field: String },
    #[error(
        "an entry on the diagonal ({id}, {id}), but the first line says `skew-symmetric`: such a matrix has zeros there; \
         remove the entry or correct the first line"
    )]
    Diagonal { id: u64 },
    #[error(
        "an entry above the diagonal ({row}, {column}), but the first line says `skew-symmetric`: such a file lists only \
         the entries below it, and the others are their negatives; write ({column}, {row}) with the negated value, \
         or correct the first line"
    )]
    AboveDiagonal { row: u64, column: u64 },
    #[error(
        "`p {found}` is not a graph that can be read; expected `p sp VERTICES EDGES` or `p tw VERTICES EDGES`"
    )]
    UnsupportedGr { found: String },
    #[error("a `p` line after edges, or a second one; a .gr file has one, before its edges")]
    MisplacedP,
    #[error(
        "no line of a .gr file starts with `{field}`{after}; expected `a SOURCE TARGET WEIGHT` (after `p sp`), \
         `SOURCE TARGET` (after `p tw`) or a comment `c ...`; plain edges are read in the format el"
    )]
    UnknownGrLine { field: String, after: &'static str },
    #[error("a word of more than {limit} bytes; expected numbers between blanks: is this a graph?")]
    WordTooLong { limit: usize },
    #[error("`{found}` is not a header of a METIS file; expected `VERTICES EDGES [FORMAT [CONSTRAINTS]]`")]
    MetisHeader { found: String },
    #[error(
        "`{found}` is not a format of a METIS file; expected up to three digits 0 or 1: vertex sizes, vertex weights, \
         edge weights, as in 001"
    )]
    MetisFormat { found: String },
    #[error(
        "one line more than the {vertices} vertices that line {declared_at} declares; a METIS file has one line per vertex"
    )]
    TooManyRows { declared_at: u64, vertices: u64 },
    #[error(
        "{} missing: the size and the weights of the vertex come before its neighbours",
        super::counted(*missing, "number is", "numbers are")
    )]
    VertexCutShort { missing: u64 },
    #[error("no weight after the neighbour {id}; the header says that every edge has one")]
    NeighbourWeight { id: u64 },
    #[error(
        "vertex {source_id} has the neighbour {target}, but line {other_line}, that of vertex {target}, has {lacks} \
         neighbour {source_id}; METIS lists every edge at both of its ends, with the same weight: add the missing entry, \
         or write the edges as an edge list"
    )]
    OneSided { source_id: u64, target: u64, other_line: u64, lacks: &'static str },
}

impl LineProblem {
    fn advice(&self) -> Option<Advice> {
        match self {
            LineProblem::StartOfGr { .. } => Some(Advice::Format(Format::Gr)),
            LineProblem::UnexpectedBanner => Some(Advice::Format(Format::MatrixMarket)),
            LineProblem::NoBanner { .. } | LineProblem::UnknownGrLine { .. } => {
                Some(Advice::Format(Format::EdgeList))
            }
            LineProblem::ExtraFields { .. } => Some(Advice::ExtraColumns),
            LineProblem::Heading(problem) => match **problem {
                HeadingProblem::NoColumn { .. } | HeadingProblem::UnclearEnds { .. } => Some(Advice::Columns),
                HeadingProblem::Count { .. } => None,
            },
            _ => None,
        }
    }
}

/// Problems with the line that names the columns. They are detected when the first edge is read, because only then is
/// the number of columns known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeadingProblem {
    #[error(
        "no column `{name}`; besides {ends} the file names these: {known} (requested: `{asked}`; {heading} names the \
         columns): make the two agree"
    )]
    NoColumn { name: String, known: String, ends: String, heading: String, asked: String },
    #[error("{heading} names the columns: {problem}{asked}")]
    UnclearEnds { heading: String, problem: EndsProblem, asked: String },
    #[error(
        "{heading} names {named} columns, but there are {found} on this line: name every column, or remove that line if \
         source and target are the first two columns"
    )]
    Count { heading: String, named: usize, found: FieldCount },
}

impl From<HeadingProblem> for LineProblem {
    fn from(problem: HeadingProblem) -> LineProblem {
        LineProblem::Heading(Box::new(problem))
    }
}

/// Number of fields, displayed with the correct plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldCount(pub(super) usize);

impl fmt::Display for FieldCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} field{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// Returns a field for display in errors: printable, and shortened if necessary.
pub(super) fn shown(field: &[u8]) -> String {
    const LONGEST: usize = 48;
    let text = String::from_utf8_lossy(&field[..field.len().min(4 * LONGEST)]);
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST {
        shown.push_str("...");
    }
    shown
}

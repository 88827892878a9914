//! What can be wrong with a file, said so that its owner knows where to look and what to do.

use super::ends::EndsProblem;
use super::{Compression, Format};
use std::fmt;
use std::io;
use std::path::PathBuf;
use wolfpath_core::edge_list::EdgeListError;
use wolfpath_core::space::SpaceError;
use wolfpath_core::weights::ColumnError;

/// Why a file is not a graph that can be read.
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
        /// The file.
        path: PathBuf,
    },
    /// A directory was named.
    #[error("{}: a directory; name one graph file in it", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// There is nothing in the file.
    #[error("{}: empty; expected a graph in the format {format}: fetch or make the file again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// The format, in which no graph is an empty file.
        format: Format,
    },
    /// The compressed stream ends early.
    #[error("{}: the {compression} data ends too early: the file was cut short, or holds something else behind them; fetch or compress it again", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        compression: Compression,
    },
    /// The compressed stream is not one.
    #[error("{}: the {compression} data is damaged ({source}); fetch or compress it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        compression: Compression,
        /// What the decompressor said.
        source: io::Error,
    },
    /// The file is not text.
    #[error(
        "{}: not text: byte {offset} (from 0, after decompression) is 0x{byte:02x}; expected a text file of edges, \
         plain or compressed with gzip, zstd or xz", path.display()
    )]
    Binary {
        /// The file.
        path: PathBuf,
        /// Where the byte is in the text, from 0.
        offset: u64,
        /// The byte.
        byte: u8,
    },
    /// One line is wrong.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: Problem,
    },
    /// Somebody wrote into the file meanwhile.
    #[error("{}: changed while it was read (it had {before} bytes, now it has {after}); read it again when it is at rest", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// Its bytes when reading began.
        before: u64,
        /// Its bytes when reading ended.
        after: u64,
    },
    /// There is neither the memory nor the disk for it.
    #[error("{}: {source}", path.display())]
    Space {
        /// The file.
        path: PathBuf,
        /// How much is needed, and how much there is.
        source: SpaceError,
    },
    /// Columns were asked for that cannot be had.
    #[error("{}: {source}", path.display())]
    Columns {
        /// The file.
        path: PathBuf,
        /// What is wrong with their names.
        source: ColumnError,
    },
    /// Columns were asked for of a format that has none.
    #[error(
        "{}: the format {format} has no columns to be named; expected an edge list as text or in Parquet: leave the \
         columns out", path.display()
    )]
    NoColumns {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// The vertices are too many.
    #[error("{}: {source}", path.display())]
    Vertices {
        /// The file.
        path: PathBuf,
        /// How many, and how many may be.
        source: EdgeListError,
    },
    /// Duplicate edges cannot be merged as asked.
    #[error("{}: {source}", path.display())]
    Duplicates {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: EdgeListError,
    },
    /// Some numbers of a column would have to be rounded.
    #[error(
        "{}: no number type holds all {what} exactly: 64-bit floats, which they need because of fractions, integers of \
         both signs or integers beyond 2^64, hold integers exactly only up to 2^53; the first that would be rounded is \
         that of edge {position} (from 0), {source_id} -> {target_id}: scale them, write all of them as integers from 0 \
         to 2^64 - 1, or accept the nearest 64-bit floats", path.display()
    )]
    Inexact {
        /// The file.
        path: PathBuf,
        /// The meaning of the numbers.
        what: String,
        /// The edge with the first number that would be rounded, from 0.
        position: u64,
        /// The id of its source.
        source_id: u64,
        /// The id of its target.
        target_id: u64,
    },
    /// A line of a list of ids is not an id.
    #[error("{}, line {line}: expected one id, a number from 0 to {}, found `{found}`", path.display(), u64::MAX)]
    NoId {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: u64,
        /// The text of the line, cut to a readable length.
        found: String,
    },
    /// A line of a list of ids is longer than any id.
    #[error("{}, line {line}: longer than {limit} bytes; expected a list of ids, one per line", path.display())]
    LongLine {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: u64,
        /// The most bytes of a line, comments included.
        limit: u64,
    },
    /// Something in a binary file is wrong.
    #[error("{}, byte {offset}: found {found}; expected {expected}", path.display())]
    Byte {
        /// The file.
        path: PathBuf,
        /// Where in it, from 0, after decompression.
        offset: u64,
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// The last record of a binary edge list is not whole.
    #[error(
        "{}, byte {offset}: found {left} bytes of a record and then the end of the file; expected {size} bytes per edge, \
         as the format {format} says; the file was cut short, or has another format", path.display()
    )]
    CutRecord {
        /// The file.
        path: PathBuf,
        /// The offset of the record, from 0, after decompression.
        offset: u64,
        /// The bytes of it that are there.
        left: usize,
        /// The bytes of a whole record.
        size: usize,
        /// The format.
        format: Format,
    },
    /// The properties of a graph of WebGraph's are missing.
    #[error(
        "{}, beside it: found no file {}; expected the properties of the graph, without which its bits cannot be read; \
         fetch it too, or name the format that the file really has", path.display(), properties.display()
    )]
    NoProperties {
        /// The file of the graph.
        path: PathBuf,
        /// The file of its properties.
        properties: PathBuf,
    },
    /// The names of a table's columns do not tell which of them are the ends of edges.
    #[error(
        "{}, the schema: found the columns {columns}, where {problem}; expected names that tell source and target, or \
         none of them", path.display()
    )]
    UnclearColumns {
        /// The file.
        path: PathBuf,
        /// The names of all columns, and those that were asked for.
        columns: String,
        /// The problem, in words.
        problem: String,
    },
    /// Something in a table is wrong.
    #[error("{}, {place}: found {found}; expected {expected}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Where in it, in words; rows count from 0.
        place: String,
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// The compression is read only by builds that were asked for it.
    #[error(
        "{}: compressed with {compression}, which this build does not read; build wolfpath with the cargo feature `{}`",
        path.display(), compression.feature()
    )]
    Codec {
        /// The file.
        path: PathBuf,
        /// Its compression.
        compression: Compression,
    },
    /// The format is read only by builds that were asked for it.
    #[error(
        "{}: this build does not read {format} files; build wolfpath with the cargo feature `{feature}`", path.display()
    )]
    Feature {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
        /// The feature that reads it.
        feature: &'static str,
    },
}

/// A setting with which a file that was refused may be readable, as data: a program that has a setting of its own for it can
/// name that. The text of a [`LoadError`] says the same in words.
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
    /// [`LoadOptions::format`](super::LoadOptions::format) with the format that the file really has.
    OtherFormat,
    /// [`LoadOptions::columns`](super::LoadOptions::columns) with names that fit the file.
    Columns,
    /// [`LoadOptions::columns`](super::LoadOptions::columns), or
    /// [`LoadOptions::ignore_extra_columns`](super::LoadOptions::ignore_extra_columns).
    ExtraColumns,
    /// [`LoadOptions::lossy_weights`](super::LoadOptions::lossy_weights).
    LossyWeights,
}

impl LoadError {
    /// Returns a setting with which the file may be readable, if there is one.
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

/// What is wrong with one line; its text says what was expected and what to do.
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

/// All that can be wrong with a line. Fields of the line are quoted, cut to a readable length.
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
        "the weight {field} is too large for a 64-bit float; scale the weights, or write `inf` if infinite is meant"
    )]
    WeightOverflow { field: String },
    #[error(
        "the weight {field} is too small for a 64-bit float; scale the weights, or write 0 if nothing is meant"
    )]
    WeightUnderflow { field: String },
    #[error("the weight is NaN, which is no number; give the edge a weight or leave it out")]
    NanWeight,
    #[error("a field is empty; expected a number between any two separators")]
    EmptyField,
    #[error("only {found} on the line; expected {expected}")]
    TooFewFields { found: FieldCount, expected: &'static str },
    #[error("{found} on the line; expected {expected}: remove what follows")]
    TooManyFields { found: FieldCount, expected: &'static str },
    #[error(
        "{found} on the line; expected {expected}: remove what follows, write a first line that names the columns, name \
         them in the options, or ignore extra columns"
    )]
    ExtraFields { found: FieldCount, expected: &'static str },
    #[error(
        "{found} on the line; expected {expected}: name the columns that the file has, or remove what is not a column"
    )]
    ColumnCount { found: FieldCount, expected: String },
    #[error("`{field}` in the column `{column}`; expected a number such as 7, -2.5 or 1e3, or true or false")]
    NotANumber { field: String, column: String },
    #[error("NaN in the column `{column}`, which is no number; give the edge one or leave it out")]
    NanNumber { column: String },
    #[error("{0}")]
    Columns(ColumnError),
    #[error(transparent)]
    Heading(Box<HeadingProblem>),
    #[error("no weight, but the edges before have one; give all edges a weight or none")]
    WeightMissing,
    #[error("a weight, but the edges before have none; give all edges a weight or none")]
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
        "line {declared_at} declares {declared} edges, but the file holds {found}; it was cut short, or that line \
         is wrong: fetch the file again or correct the line"
    )]
    WrongCount { declared_at: u64, declared: u64, found: u64 },
    #[error(
        "a Matrix Market file starts with a line such as `%%MatrixMarket matrix coordinate pattern general`, this \
         one with `{found}`; add that line and the size line after it, or read plain `source target` lines in the \
         format el"
    )]
    NoBanner { found: String },
    #[error("a second Matrix Market header; a file holds one matrix: part it, one header a file")]
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
    #[error("the weight {field} is not an integer, but the first line says `{says}`; say `real` there")]
    NotAnInteger { field: String, says: &'static str },
    #[error(
        "the weight {field} is negative, but the first line says `unsigned-integer`; say `integer` there, or correct \
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
        "`{field}` starts no line of a .gr file{after}; expected `a SOURCE TARGET WEIGHT` (after `p sp`), \
         `SOURCE TARGET` (after `p tw`) or a comment `c ...`; plain edges are read in the format el"
    )]
    UnknownGrLine { field: String, after: &'static str },
    #[error("a word of more than {limit} bytes; expected numbers between blanks: is this a graph?")]
    WordTooLong { limit: usize },
    #[error("`{found}` is no header of a METIS file; expected `VERTICES EDGES [FORMAT [CONSTRAINTS]]`")]
    MetisHeader { found: String },
    #[error(
        "`{found}` is no format of a METIS file; expected up to three digits 0 or 1: vertex sizes, vertex weights, \
         edge weights, as in 001"
    )]
    MetisFormat { found: String },
    #[error(
        "one line more than the {vertices} vertices that line {declared_at} declares; a METIS file has a line a vertex"
    )]
    TooManyRows { declared_at: u64, vertices: u64 },
    #[error("{missing} numbers too few: the size and the weights of the vertex come before its neighbours")]
    VertexCutShort { missing: u64 },
    #[error("no weight after the neighbour {id}; the header says that every edge has one")]
    NeighbourWeight { id: u64 },
    #[error(
        "vertex {source_id} has the neighbour {target}, but line {other_line}, that of vertex {target}, has {lacks} \
         neighbour {source_id}; METIS lists every edge at both its ends, with one weight: add what is missing, or \
         write the edges as an edge list"
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

/// Problems with the line that names the columns; found when the first edge is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeadingProblem {
    #[error(
        "no column `{name}`; beside {ends} the file names these: {known} (asked for: `{asked}`; {heading} names the \
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

/// A number of fields, with the right plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldCount(pub(super) usize);

impl fmt::Display for FieldCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} field{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// A field as errors show it: printable, and not longer than is good to read.
pub(super) fn shown(field: &[u8]) -> String {
    const LONGEST: usize = 48;
    let text = String::from_utf8_lossy(&field[..field.len().min(4 * LONGEST)]);
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST {
        shown.push_str("...");
    }
    shown
}

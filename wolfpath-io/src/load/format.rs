//! Formats of graph files, and the rules that determine the format of an input. The user's choice takes precedence,
//! then the file's name together with the files next to it, then the text. There is one exception: the Matrix Market
//! banner at the start of a text overrides the name, since no other format starts with it.

use super::Compression;
use super::record::Record;
use crate::compression::Telling;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use wolfpath_core::store::is_wolf;

/// Format of graph files.
///
/// ```
/// use wolfpath::load::Format;
///
/// assert_eq!("mtx".parse(), Ok(Format::MatrixMarket));
/// assert_eq!(Format::MatrixMarket.to_string(), "mtx");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Lines `source target` or `source target weight`: SNAP, TSV, CSV, plain text.
    EdgeList,
    /// Matrix Market, coordinate form.
    MatrixMarket,
    /// `.gr` in both dialects: DIMACS shortest paths and PACE.
    Gr,
    /// METIS: one line of neighbours per vertex, undirected.
    Metis,
    /// GAP's serialized graph (`.sg`): rows of neighbours in binary.
    Serialized,
    /// GAP's serialized graph with weights (`.wsg`).
    SerializedWeighted,
    /// Binary edge list: one record per edge and nothing else.
    Binary(Record),
    /// Parquet table of edges. Requires the cargo feature `parquet`.
    Parquet,
    /// Graph of the WebGraph framework: `NAME.graph`, with `NAME.properties` next to it. Requires the cargo feature
    /// `webgraph`.
    WebGraph,
}

/// Error for a name that is not the name of a format.
///
/// ```
/// use wolfpath::load::Format;
///
/// let error = "xml".parse::<Format>().unwrap_err();
/// assert_eq!(error.name, "xml");
/// assert!(error.to_string().contains("choose el"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no format is called '{name}'; choose el (edge list: SNAP, TSV, CSV, text), mtx (Matrix Market), gr (DIMACS \
     shortest paths, PACE), metis, sg or wsg (GAP), parquet, webgraph, or a binary edge list: bin32 or bin64, with weights \
     bin32u32, bin32i32, bin32u64, bin32i64, bin32f32, bin32f64 or the same after bin64"
)]
#[non_exhaustive]
pub struct UnknownFormat {
    /// Requested name.
    pub name: String,
}

impl Format {
    /// All formats except the binary edge lists, which are listed in [`Record::ALL`].
    pub const ALL: [Format; 8] = [
        Format::EdgeList,
        Format::MatrixMarket,
        Format::Gr,
        Format::Metis,
        Format::Serialized,
        Format::SerializedWeighted,
        Format::Parquet,
        Format::WebGraph,
    ];

    /// Returns the short name, which [`str::parse`] accepts.
    pub const fn name(self) -> &'static str {
        match self {
            Format::EdgeList => "el",
            Format::MatrixMarket => "mtx",
            Format::Gr => "gr",
            Format::Metis => "metis",
            Format::Serialized => "sg",
            Format::SerializedWeighted => "wsg",
            Format::Binary(record) => record.name(),
            Format::Parquet => "parquet",
            Format::WebGraph => "webgraph",
        }
    }

    /// Returns the format that a file's name indicates, ignoring the extension of a compression. METIS and WebGraph
    /// share the extension `.graph`, for which this returns METIS; see [`Format::of_file`].
    ///
    /// ```
    /// use wolfpath::load::Format;
    ///
    /// assert_eq!(Format::of_name("USA-road.gr.gz"), Some(Format::Gr));
    /// assert_eq!(Format::of_name("README"), None);
    /// ```
    pub fn of_name(path: impl AsRef<Path>) -> Option<Format> {
        ending(path.as_ref())?.parse().ok()
    }

    /// Returns the format that a file's name and the files next to it indicate. A `NAME.graph` is WebGraph if there is
    /// a `NAME.properties`, otherwise METIS.
    ///
    /// ```
    /// use wolfpath::load::Format;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("web.graph");
    /// assert_eq!(Format::of_file(&path), Some(Format::Metis));
    /// std::fs::write(folder.path().join("web.properties"), "")?;
    /// assert_eq!(Format::of_file(&path), Some(Format::WebGraph));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn of_file(path: impl AsRef<Path>) -> Option<Format> {
        let path = path.as_ref();
        let ending = ending(path)?;
        if ending == "graph" && webgraph_properties(path).is_file() {
            return Some(Format::WebGraph);
        }
        ending.parse().ok()
    }
}

/// Returns the path of the properties of a WebGraph graph, which describe its encoding.
pub(crate) fn webgraph_properties(graph: &Path) -> PathBuf {
    Compression::without_ending(graph).with_extension("properties")
}

/// Returns the extension of a file's name in lower case, ignoring the extension of a compression.
pub(crate) fn ending(path: &Path) -> Option<String> {
    let path = Compression::without_ending(path);
    Some(path.file_name()?.to_str()?.rsplit_once('.')?.1.to_ascii_lowercase())
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Parses the name or the file extension of a format.
    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        match name.to_ascii_lowercase().as_str() {
            "el" | "wel" | "txt" | "tsv" | "csv" | "edges" | "edgelist" | "snap" => Ok(Format::EdgeList),
            "mtx" | "mm" => Ok(Format::MatrixMarket),
            "gr" | "dimacs" | "pace" => Ok(Format::Gr),
            "metis" | "graph" => Ok(Format::Metis),
            "sg" => Ok(Format::Serialized),
            "wsg" => Ok(Format::SerializedWeighted),
            "parquet" => Ok(Format::Parquet),
            "webgraph" => Ok(Format::WebGraph),
            other => match Record::of_name(other) {
                Some(record) => Ok(Format::Binary(record)),
                None => Err(UnknownFormat { name: name.to_owned() }),
            },
        }
    }
}

/// Kind of input that a graph is opened from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// `.wolf` file, which is opened directly.
    Layered,
    /// File of edges, which are read and layered.
    Edges(Told),
}

/// Facts that are known about an input's format before its text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// The user named this format.
    ByUser(Format),
    /// The file name indicates this format.
    ByName(Format),
    /// Nothing: the text decides.
    Nothing,
}

/// Kind of reader for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReaderKind {
    /// Line by line: each line can be read independently of the others.
    Lines(LineRule),
    /// From start to end.
    Whole(WholeFormat),
}

/// Rule that determines the format of a text's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineRule {
    /// The lines have this format.
    Certain(LineFormat),
    /// The lines have this format, unless the text starts with the Matrix Market banner.
    UnlessBanner(LineFormat),
    /// The text determines the format.
    OfText,
}

/// Format whose lines can be read independently of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineFormat {
    EdgeList,
    MatrixMarket,
    Gr,
}

/// Format that must be read from start to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WholeFormat {
    Metis,
    Serialized,
    SerializedWeighted,
    Binary(Record),
    Parquet,
    WebGraph,
}

impl Input {
    /// Returns the kind of input at a path. `asked` is the format that the user named for a file of edges.
    pub(crate) fn of(asked: Option<Format>, path: &Path) -> Input {
        if is_wolf(path) { Input::Layered } else { Input::Edges(Told::of_file(asked, path)) }
    }
}

impl Told {
    /// Returns what is known about the format of bytes that are given with a file name.
    pub(crate) fn of_name(asked: Option<Format>, name: &Path) -> Told {
        Told::or(asked, || Format::of_name(name))
    }

    /// Returns what is known about the format of a file, from its name and the files next to it.
    pub(crate) fn of_file(asked: Option<Format>, path: &Path) -> Told {
        Told::or(asked, || Format::of_file(path))
    }

    fn or(asked: Option<Format>, named: impl FnOnce() -> Option<Format>) -> Told {
        match asked {
            Some(format) => Told::ByUser(format),
            None => named().map_or(Told::Nothing, Told::ByName),
        }
    }

    /// Determines how the input is read. The match lists every format, so that adding a format causes a compile error
    /// here.
    pub(crate) fn decide(self) -> ReaderKind {
        let (format, lines): (Format, fn(LineFormat) -> LineRule) = match self {
            Told::ByUser(format) => (format, LineRule::Certain),
            Told::ByName(format) => (format, LineRule::UnlessBanner),
            Told::Nothing => return ReaderKind::Lines(LineRule::OfText),
        };
        match format {
            Format::EdgeList => ReaderKind::Lines(lines(LineFormat::EdgeList)),
            Format::MatrixMarket => ReaderKind::Lines(lines(LineFormat::MatrixMarket)),
            Format::Gr => ReaderKind::Lines(lines(LineFormat::Gr)),
            Format::Metis => ReaderKind::Whole(WholeFormat::Metis),
            Format::Serialized => ReaderKind::Whole(WholeFormat::Serialized),
            Format::SerializedWeighted => ReaderKind::Whole(WholeFormat::SerializedWeighted),
            Format::Binary(record) => ReaderKind::Whole(WholeFormat::Binary(record)),
            Format::Parquet => ReaderKind::Whole(WholeFormat::Parquet),
            Format::WebGraph => ReaderKind::Whole(WholeFormat::WebGraph),
        }
    }
}

impl ReaderKind {
    /// Returns the rule that determines the compression of a file. For binary formats, the name of the file must agree
    /// with the bytes, because an uncompressed file may start with any bytes.
    pub(crate) fn telling(self, path: &Path) -> Telling {
        match self {
            ReaderKind::Whole(WholeFormat::Binary(_) | WholeFormat::WebGraph) => {
                Telling::BytesAsPromised(Compression::of_name(path))
            }
            ReaderKind::Whole(
                WholeFormat::Metis
                | WholeFormat::Serialized
                | WholeFormat::SerializedWeighted
                | WholeFormat::Parquet,
            )
            | ReaderKind::Lines(_) => Telling::Bytes,
        }
    }
}

impl LineRule {
    /// Returns the format of the lines. `text` is the start of the text.
    pub(crate) fn format(self, text: &[u8]) -> LineFormat {
        match self {
            LineRule::Certain(format) => format,
            LineRule::UnlessBanner(_) if has_matrix_market_banner(text) => LineFormat::MatrixMarket,
            LineRule::UnlessBanner(format) => format,
            LineRule::OfText => of_text(text),
        }
    }
}

/// Returns the format that a text appears to have.
fn of_text(text: &[u8]) -> LineFormat {
    if has_matrix_market_banner(text) {
        return LineFormat::MatrixMarket;
    }
    let significant = |line: &&[u8]| !matches!(line.first(), None | Some(b'#' | b'%'));
    let first = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).find(significant);
    let is_gr = first.is_some_and(|line| {
        matches!(line, b"c" | b"a" | b"p") || matches!(line, [b'c' | b'a' | b'p', b' ' | b'\t', ..])
    });
    if is_gr { LineFormat::Gr } else { LineFormat::EdgeList }
}

/// Returns `true` if the text starts with the banner of Matrix Market files. No other format starts with it.
pub(super) fn has_matrix_market_banner(text: &[u8]) -> bool {
    const BANNER: &[u8] = b"%%MatrixMarket";
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

impl LineFormat {
    /// Returns `true` if an empty file is a graph without vertices.
    pub(super) fn may_be_empty(self) -> bool {
        match self {
            LineFormat::EdgeList => true,
            LineFormat::MatrixMarket | LineFormat::Gr => false,
        }
    }
}

impl WholeFormat {
    /// Returns `true` if an empty file is a graph without vertices.
    pub(super) fn may_be_empty(self) -> bool {
        self == WholeFormat::WebGraph
    }
}

impl From<LineFormat> for Format {
    fn from(format: LineFormat) -> Format {
        match format {
            LineFormat::EdgeList => Format::EdgeList,
            LineFormat::MatrixMarket => Format::MatrixMarket,
            LineFormat::Gr => Format::Gr,
        }
    }
}

impl From<WholeFormat> for Format {
    fn from(format: WholeFormat) -> Format {
        match format {
            WholeFormat::Metis => Format::Metis,
            WholeFormat::Serialized => Format::Serialized,
            WholeFormat::SerializedWeighted => Format::SerializedWeighted,
            WholeFormat::Binary(record) => Format::Binary(record),
            WholeFormat::Parquet => Format::Parquet,
            WholeFormat::WebGraph => Format::WebGraph,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_there_and_back() {
        for format in Format::ALL.into_iter().chain(Record::ALL.map(Format::Binary)) {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "xml".parse::<Format>().unwrap_err().to_string();
        assert!(Format::ALL.iter().all(|format| error.contains(format.name())), "{error}");
    }

    #[test]
    fn endings() {
        let of = |name: &str| Format::of_name(name);
        assert_eq!(of("a/USA.tw.gr.xz"), Some(Format::Gr));
        assert_eq!(of("soc.TXT.ZST"), Some(Format::EdgeList));
        assert_eq!(of("m.mtx"), Some(Format::MatrixMarket));
        assert_eq!((of("m.graph"), of("kron.wsg")), (Some(Format::Metis), Some(Format::SerializedWeighted)));
        assert_eq!(of("e.bin64f32.zst").map(Format::name), Some("bin64f32"));
        assert_eq!((of("graph"), of("graph.gz"), of(".gz"), of("a.b/c")), (None, None, None, None));
        assert_eq!((of("g.bin"), of("g.bin16")), (None, None));
    }

    #[test]
    fn properties_stand_beside() {
        for name in ["a.b/g.graph", "a.b/g.graph.zst", "a.b/g.graph.GZ"] {
            assert_eq!(webgraph_properties(Path::new(name)), Path::new("a.b/g.properties"));
        }
        assert_eq!(webgraph_properties(Path::new("g-hc.t.graph")), Path::new("g-hc.t.properties"));
    }

    /// Returns the format in which a text is read.
    fn read_as(told: Told, text: &[u8]) -> Format {
        match told.decide() {
            ReaderKind::Lines(lines) => lines.format(text).into(),
            ReaderKind::Whole(whole) => whole.into(),
        }
    }

    #[test]
    fn content() {
        let of = |text: &[u8]| read_as(Told::Nothing, text);
        assert_eq!(of(b"%%matrixmarket matrix"), Format::MatrixMarket);
        assert_eq!(of(b"\n# hello\n1 2\n"), Format::EdgeList);
        assert_eq!(of(b"c roads\np sp 3 2\n"), Format::Gr);
        assert_eq!(of(b"a 0 1 5\n"), Format::Gr);
        assert_eq!(of(b"\xff\x00"), Format::EdgeList);
    }

    #[test]
    fn every_format_goes_to_its_own_reader() {
        for format in Format::ALL.into_iter().chain(Record::ALL.map(Format::Binary)) {
            assert_eq!(read_as(Told::ByUser(format), b"1 2\n"), format);
            assert_eq!(read_as(Told::ByName(format), b"1 2\n"), format);
        }
    }

    #[test]
    fn the_banner_beats_the_name_but_not_the_user() {
        let banner = b"%%MatrixMarket matrix";
        assert_eq!(read_as(Told::ByName(Format::Gr), banner), Format::MatrixMarket);
        assert_eq!(read_as(Told::ByUser(Format::Gr), banner), Format::Gr);
        assert_eq!(read_as(Told::ByName(Format::Metis), banner), Format::Metis);
    }

    #[test]
    fn the_user_beats_the_name() {
        let path = Path::new("roads.gr");
        assert_eq!(Told::of_name(Some(Format::EdgeList), path), Told::ByUser(Format::EdgeList));
        assert_eq!(Told::of_name(None, path), Told::ByName(Format::Gr));
        assert_eq!(Told::of_file(None, Path::new("roads")), Told::Nothing);
    }
}

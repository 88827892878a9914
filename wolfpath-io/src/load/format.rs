//! The formats that are read and written, and the decision which of them an input is in: by the format that the user names,
//! else by the file's name and its neighbours, else by the text. The banner of Matrix Market beats the name, since no other
//! format begins with it.

use super::Compression;
use super::record::Record;
use crate::compression::Telling;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use wolfpath_core::store::is_wolf;

/// A format that graphs are published in.
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
    /// METIS: a line of neighbours for every vertex, undirected.
    Metis,
    /// GAP's serialized graph (`.sg`): rows of neighbours in binary.
    Serialized,
    /// GAP's serialized graph with weights (`.wsg`).
    SerializedWeighted,
    /// Edges in binary, one record each and nothing else.
    Binary(Record),
    /// A Parquet table of edges. Needs the cargo feature `parquet`.
    Parquet,
    /// A graph of the WebGraph framework: `NAME.graph`, with `NAME.properties` beside it. Needs the cargo feature
    /// `webgraph`.
    WebGraph,
}

/// A name that is no format.
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
    /// What was asked for.
    pub name: String,
}

impl Format {
    /// All formats but the binary edge lists, which are [`Record::ALL`].
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

    /// Returns the short name, which [`str::parse`] takes.
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

    /// Returns the format that a file's name says, without the ending of a compression. METIS and WebGraph share the ending
    /// `.graph`, which says METIS here; see [`Format::of_file`].
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

    /// Returns the format that a file's name says, and its neighbours: a `NAME.graph` with a `NAME.properties` is WebGraph's, one
    /// without is METIS.
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

/// Returns the file that says how the graph in a file of WebGraph's is written.
pub(crate) fn webgraph_properties(graph: &Path) -> PathBuf {
    Compression::without_ending(graph).with_extension("properties")
}

/// Returns the ending of a file's name in small letters, once that of a compression is taken off.
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

    /// The name of a format, or the ending of a file in it.
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

/// An input that a graph is opened from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A `.wolf` file, which is opened as it is.
    Layered,
    /// A file of edges, which are read and layered.
    Edges(Told),
}

/// The knowledge of an input's format before its text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// The user names it.
    ByUser(Format),
    /// The name says it.
    ByName(Format),
    /// Only the text can tell.
    Nothing,
}

/// The kind of reader for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReaderKind {
    /// As lines, each of which can be read independently of the others.
    Lines(LineRule),
    /// From front to back.
    Whole(WholeFormat),
}

/// The format of a text's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineRule {
    /// Those of this format.
    Certain(LineFormat),
    /// Those of this format, unless the text begins with the banner of Matrix Market.
    UnlessBanner(LineFormat),
    /// Those of the format that the text looks like.
    OfText,
}

/// A format of which each line can be read independently of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineFormat {
    EdgeList,
    MatrixMarket,
    Gr,
}

/// A format that is read from front to back.
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
    /// Returns what a path names; `asked` is the format that the user names for a file of edges.
    pub(crate) fn of(asked: Option<Format>, path: &Path) -> Input {
        if is_wolf(path) { Input::Layered } else { Input::Edges(Told::of_file(asked, path)) }
    }
}

impl Told {
    /// Returns what is known of bytes that have a name.
    pub(crate) fn of_name(asked: Option<Format>, name: &Path) -> Told {
        Told::or(asked, || Format::of_name(name))
    }

    /// Returns what is known of a file, by its name and its neighbours.
    pub(crate) fn of_file(asked: Option<Format>, path: &Path) -> Told {
        Told::or(asked, || Format::of_file(path))
    }

    fn or(asked: Option<Format>, named: impl FnOnce() -> Option<Format>) -> Told {
        match asked {
            Some(format) => Told::ByUser(format),
            None => named().map_or(Told::Nothing, Told::ByName),
        }
    }

    /// Decides how the input is read. Every format is named here, so that a new one cannot fall to the reader of another.
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
    /// Returns the rule by which the compression of a file is told: raw numbers and bits may begin with any bytes.
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
    /// Returns the format of lines, now that the first of them are there.
    pub(crate) fn format(self, text: &[u8]) -> LineFormat {
        match self {
            LineRule::Certain(format) => format,
            LineRule::UnlessBanner(_) if has_matrix_market_banner(text) => LineFormat::MatrixMarket,
            LineRule::UnlessBanner(format) => format,
            LineRule::OfText => of_text(text),
        }
    }
}

/// Returns the format that a text looks like.
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

/// Returns `true` if the text begins with the banner of every Matrix Market file, which no other format begins with.
pub(super) fn has_matrix_market_banner(text: &[u8]) -> bool {
    const BANNER: &[u8] = b"%%MatrixMarket";
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

impl LineFormat {
    /// Returns `true` if a file without bytes is a graph without vertices.
    pub(super) fn may_be_empty(self) -> bool {
        match self {
            LineFormat::EdgeList => true,
            LineFormat::MatrixMarket | LineFormat::Gr => false,
        }
    }
}

impl WholeFormat {
    /// Returns `true` if a file without bytes is a graph without vertices.
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

    /// The format in which a text is read.
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

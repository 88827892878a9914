//! The formats that are read and written, and how one is recognised.

use super::record::Record;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A format that graphs are published in.
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no format is called '{name}'; choose el (edge list: SNAP, TSV, CSV, text), mtx (Matrix Market), gr (DIMACS \
     shortest paths, PACE), metis, sg or wsg (GAP), parquet, webgraph, or a binary edge list: bin32 or bin64, with weights \
     bin32u32, bin32i32, bin32u64, bin32i64, bin32f32, bin32f64 or the same after bin64"
)]
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

    /// The name on the command line.
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

    /// What the file's name says, once the ending of a compression is taken off. METIS and WebGraph share the ending
    /// `.graph`, which says METIS here; see [`Format::of_file`].
    pub fn of_name(path: impl AsRef<Path>) -> Option<Format> {
        ending(path.as_ref())?.parse().ok()
    }

    /// What the file's name says, and what lies beside it: a `NAME.graph` with a `NAME.properties` is WebGraph's, one
    /// without is METIS.
    pub fn of_file(path: impl AsRef<Path>) -> Option<Format> {
        let path = path.as_ref();
        let ending = ending(path)?;
        if ending == "graph" && webgraph_properties(path).is_file() {
            return Some(Format::WebGraph);
        }
        ending.parse().ok()
    }

    /// What the first bytes of the text say: for files whose name says nothing.
    fn of_text(text: &[u8]) -> LineFormat {
        if Format::has_matrix_market_banner(text) {
            return LineFormat::MatrixMarket;
        }
        let significant = |line: &&[u8]| !matches!(line.first(), None | Some(b'#' | b'%'));
        let first = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).find(significant);
        let is_gr = first.is_some_and(|line| {
            matches!(line, b"c" | b"a" | b"p") || matches!(line, [b'c' | b'a' | b'p', b' ' | b'\t', ..])
        });
        if is_gr { LineFormat::Gr } else { LineFormat::EdgeList }
    }

    /// Whether the text opens as every Matrix Market file must: nothing else does, whatever the file is called.
    pub(super) fn has_matrix_market_banner(text: &[u8]) -> bool {
        const BANNER: &[u8] = b"%%MatrixMarket";
        text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
    }

    /// Returns the kind of reader for the format. Every format is named here, so that a new one cannot fall to the
    /// reader of another.
    pub(super) fn reading(self) -> Reading {
        match self {
            Format::EdgeList => Reading::Lines(LineFormat::EdgeList),
            Format::MatrixMarket => Reading::Lines(LineFormat::MatrixMarket),
            Format::Gr => Reading::Lines(LineFormat::Gr),
            Format::Metis => Reading::Whole(WholeFormat::Metis),
            Format::Serialized => Reading::Whole(WholeFormat::Serialized),
            Format::SerializedWeighted => Reading::Whole(WholeFormat::SerializedWeighted),
            Format::Binary(record) => Reading::Whole(WholeFormat::Binary(record)),
            Format::Parquet => Reading::Whole(WholeFormat::Parquet),
            Format::WebGraph => Reading::Whole(WholeFormat::WebGraph),
        }
    }
}

/// The kind of reader for a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Each line can be read independently of the others.
    Lines(LineFormat),
    /// From front to back.
    Whole(WholeFormat),
}

/// A format of which each line can be read independently of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineFormat {
    EdgeList,
    MatrixMarket,
    Gr,
}

/// A format that is read from front to back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholeFormat {
    Metis,
    Serialized,
    SerializedWeighted,
    Binary(Record),
    Parquet,
    WebGraph,
}

impl LineFormat {
    /// Returns the format of a text: what the user or the file's name says (`told`), else what the text says. The banner
    /// of Matrix Market beats the name, but not the user (`asked`).
    pub(super) fn of(text: &[u8], told: Option<LineFormat>, asked: bool) -> LineFormat {
        match told {
            Some(told) if asked || !Format::has_matrix_market_banner(text) => told,
            _ => Format::of_text(text),
        }
    }

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

/// The file that says how the graph in a file of WebGraph's is written.
pub(crate) fn webgraph_properties(graph: &Path) -> PathBuf {
    let compressed =
        |ending: &OsStr| ["gz", "zst", "xz"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    let compressed = graph.extension().is_some_and(compressed);
    let graph = if compressed { graph.with_extension("") } else { graph.to_owned() };
    graph.with_extension("properties")
}

/// The ending of a file's name in small letters, once that of a compression is taken off.
pub(crate) fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = [".gz", ".zst", ".xz"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    Some(name.rsplit_once('.')?.1.to_owned())
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

    #[test]
    fn content() {
        let of = |text: &[u8]| LineFormat::of(text, None, false);
        assert_eq!(of(b"%%matrixmarket matrix"), LineFormat::MatrixMarket);
        assert_eq!(of(b"\n# hello\n1 2\n"), LineFormat::EdgeList);
        assert_eq!(of(b"c roads\np sp 3 2\n"), LineFormat::Gr);
        assert_eq!(of(b"a 0 1 5\n"), LineFormat::Gr);
        assert_eq!(of(b"\xff\x00"), LineFormat::EdgeList);
    }

    #[test]
    fn lines_go_to_the_reader_of_their_format() {
        let lines = Format::ALL.into_iter().filter_map(|format| match format.reading() {
            Reading::Lines(lines) => Some((format, Format::from(lines))),
            Reading::Whole(_) => None,
        });
        let lines: Vec<_> = lines.collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|(format, read_as)| format == read_as), "{lines:?}");
    }
}

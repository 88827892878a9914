//! The formats that are read and written, and how one is recognised.

use super::Compression;
use super::record::Record;
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
}

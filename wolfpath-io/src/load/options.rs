//! Options for reading a file, and the results of reading.

use super::{Compression, Format};
use std::sync::Arc;
use wolfpath_core::edge_list::{Duplicates, EdgeList};

/// Treatment of one kind of edges, such as self-loops.
///
/// ```
/// use wolfpath::load::{LoadOptions, Policy, read};
///
/// let edges = |policy| read(&b"5 5\n5 6\n"[..], "g.el", &LoadOptions::new().self_loops(policy)).map(|list| list.num_edges());
/// assert_eq!((edges(Policy::Keep)?, edges(Policy::Drop)?), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// The edges are kept.
    #[default]
    Keep,
    /// The edges are removed.
    Drop,
}

/// Options for reading a file.
///
/// ```
/// use wolfpath::load::{Duplicates, LoadOptions, Policy, read};
///
/// let options = LoadOptions::new().undirected(true).duplicates(Duplicates::Min).self_loops(Policy::Drop);
/// let list = read(&b"1 2 7\n1 2 5\n2 2 1\n"[..], "roads.wel", &options)?;
/// assert_eq!((list.num_lines(), list.num_edges()), (1, 2));
/// assert_eq!(list.weights().map(|weights| weights.get(0)), Some(5.0));
/// # Ok::<(), wolfpath::load::LoadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LoadOptions {
    pub(crate) format: Option<Format>,
    pub(crate) undirected: bool,
    pub(crate) duplicates: Duplicates,
    pub(crate) self_loops: Policy,
    pub(crate) ignore_extra_columns: bool,
    pub(crate) columns: Vec<String>,
    pub(crate) vertices: Arc<[u64]>,
    pub(crate) lossy_weights: bool,
}

impl LoadOptions {
    /// Returns the defaults: the format is determined from the name and the contents, and every edge is kept unchanged.
    pub fn new() -> LoadOptions {
        LoadOptions::default()
    }

    /// Sets the format. Defaults to the format that the name and the contents indicate.
    ///
    /// ```
    /// use wolfpath::load::{Format, LoadOptions, read};
    ///
    /// let options = LoadOptions::new().format(Format::Gr);
    /// assert_eq!(read(&b"p sp 2 1\na 1 2 7\n"[..], "roads.txt", &options)?.num_edges(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn format(mut self, format: impl Into<Option<Format>>) -> LoadOptions {
        self.format = format.into();
        self
    }

    /// Reads each line as two edges, one per direction, unless the file already contains both directions. Defaults to
    /// `false`. The option is not needed for formats that themselves state that edges are undirected (symmetric Matrix
    /// Market, PACE).
    ///
    /// ```
    /// use wolfpath::load::{LoadOptions, read};
    ///
    /// let options = LoadOptions::new().undirected(true);
    /// assert_eq!(read(&b"1 2\n"[..], "roads.el", &options)?.num_edges(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn undirected(mut self, undirected: bool) -> LoadOptions {
        self.undirected = undirected;
        self
    }

    /// Sets the treatment of multiple edges with the same source and target. Defaults to [`Duplicates::Keep`].
    ///
    /// ```
    /// use wolfpath::load::{Duplicates, LoadOptions, read};
    ///
    /// let options = LoadOptions::new().duplicates(Duplicates::Sum);
    /// let list = read(&b"1 2 3\n1 2 4\n"[..], "calls.wel", &options)?;
    /// assert_eq!(list.weights().map(|weights| weights.get(0)), Some(7.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn duplicates(mut self, duplicates: Duplicates) -> LoadOptions {
        self.duplicates = duplicates;
        self
    }

    /// Sets the treatment of edges from a vertex to itself. Defaults to [`Policy::Keep`].
    ///
    /// ```
    /// use wolfpath::load::{LoadOptions, Policy, read};
    ///
    /// let options = LoadOptions::new().self_loops(Policy::Drop);
    /// assert_eq!(read(&b"1 1\n1 2\n"[..], "links.el", &options)?.num_edges(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn self_loops(mut self, policy: Policy) -> LoadOptions {
        self.self_loops = policy;
        self
    }

    /// Ignores columns of an edge list after source, target and weight. Defaults to `false`: such columns are an error.
    ///
    /// ```
    /// use wolfpath::load::{LoadOptions, read};
    ///
    /// let text = &b"1 2 7 2009\n"[..];
    /// assert!(read(text, "roads.txt", &LoadOptions::new()).is_err());
    /// let list = read(text, "roads.txt", &LoadOptions::new().ignore_extra_columns(true))?;
    /// assert_eq!(list.weights().map(|weights| weights.get(0)), Some(7.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ignore_extra_columns(mut self, ignore: bool) -> LoadOptions {
        self.ignore_extra_columns = ignore;
        self
    }

    /// Sets the names of the columns after source and target, in the order of the file. If the file itself names its
    /// columns (in a first line, or because it is Parquet), only the columns with these names are read. By default, all
    /// named columns of a text file are read, but only the column `weight` of a Parquet table.
    ///
    /// ```
    /// use wolfpath::load::{LoadOptions, read};
    ///
    /// let options = LoadOptions::new().columns(["length", "toll"]);
    /// let list = read(&b"1 2 4 50\n"[..], "roads.txt", &options)?;
    /// assert_eq!(list.column("toll").map(|tolls| tolls.get(0)), Some(50.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn columns(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> LoadOptions {
        self.columns = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets ids of additional vertices, in any order. Ids that occur in no edge become vertices without edges. Defaults
    /// to none. [`each_id`](super::each_id) reads such ids from a file.
    ///
    /// ```
    /// use wolfpath::load::{LoadOptions, read};
    ///
    /// let options = LoadOptions::new().vertices([7, 9]);
    /// assert_eq!(read(&b"1 2\n"[..], "roads.el", &options)?.num_vertices(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn vertices(mut self, ids: impl Into<Arc<[u64]>>) -> LoadOptions {
        self.vertices = ids.into();
        self
    }

    /// Accepts a column that no number type holds exactly (fractions together with integers beyond 2^53). Each number
    /// of such a column is rounded to the nearest 64-bit float, and a note says so. Defaults to `false`: such a column
    /// is an error.
    ///
    /// ```
    /// use wolfpath::load::{LoadOptions, read};
    ///
    /// // 2^53 + 1 is the first integer that a 64-bit float does not hold.
    /// let text = &b"1 2 0.5\n2 1 9007199254740993\n"[..];
    /// assert!(read(text, "g.wel", &LoadOptions::new()).is_err());
    /// assert!(read(text, "g.wel", &LoadOptions::new().lossy_weights(true)).is_ok());
    /// ```
    #[must_use]
    pub fn lossy_weights(mut self, accept: bool) -> LoadOptions {
        self.lossy_weights = accept;
        self
    }
}

/// Edges of a file, and a report on the file.
///
/// ```
/// use wolfpath::load::{LoadOptions, Loaded, read_reported};
/// use wolfpath::resources::Resources;
///
/// let Loaded { edges, report, .. } = read_reported(&b"# two\n1 2\n2 1\n"[..], "g.el", &LoadOptions::new(), &Resources::new())?;
/// assert_eq!((edges.num_edges(), report.lines), (2, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// Edges after applying the options.
    pub edges: EdgeList,
    /// Report on the file.
    pub report: LoadReport,
}

/// Report on a file that was read: its format and counts of its contents.
///
/// ```
/// use wolfpath::load::{Compression, Format, LoadOptions, read_reported};
/// use wolfpath::resources::Resources;
///
/// let loaded = read_reported(&b"p sp 2 1\na 1 2 7\n"[..], "roads.gr", &LoadOptions::new(), &Resources::new())?;
/// assert_eq!((loaded.report.format, loaded.report.compression), (Format::Gr, Compression::None));
/// assert_eq!(loaded.report.edges_in_file, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// Format in which the file was read.
    pub format: Format,
    /// Compression of the file.
    pub compression: Compression,
    /// Number of lines of text, including comments.
    pub lines: u64,
    /// Number of edges in the text, before adding opposite directions and before removing or merging edges.
    pub edges_in_file: u64,
    /// Number of edges from a vertex to itself, before any were removed.
    pub self_loops: u64,
}

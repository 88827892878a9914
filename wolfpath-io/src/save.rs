//! Writing graphs to files, in every format that [`load`](crate::load) reads. By default, the extension of the file
//! determines the format and the compression.
//!
//! Before anything is written, the graph is checked against the format. If the format cannot store the graph (because
//! of weights, one-way edges, or gaps between ids), writing fails. If the only loss is vertices without edges, the
//! graph is written, and [`SaveReport::notes`] says so. Files are written under a temporary name and then renamed.

mod binary;
mod chunks;
mod edge_text;
mod error;
mod file;
mod gr;
mod job;
mod matrix_market;
mod metis;
#[cfg(feature = "parquet")]
mod parquet;
mod serialized;
#[cfg(feature = "webgraph")]
mod webgraph;

pub use error::WriteError;

use crate::load::{Compression, Format};
use job::{Job, Writer};
use std::io::Write;
use std::path::Path;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::progress::{Progress, Stage};
use wolfpath_core::replace::replace_or_write;

/// Options for writing a graph.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::load::Format;
/// use wolfpath::save::{SaveOptions, write};
///
/// // METIS numbers its vertices from 1 and has no place for other ids.
/// let list = EdgeList::from_edges([(17, 42)])?.undirected();
/// let options = SaveOptions::new().format(Format::Metis).renumber(true);
/// let mut file = Vec::new();
/// write(&list, &mut file, "roads", &options)?;
/// assert_eq!(file, b"2 1\n2\n1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SaveOptions {
    format: Option<Format>,
    renumber: bool,
    drop_weights: bool,
}

impl SaveOptions {
    /// Returns the defaults: the name determines the format, and losing ids or weights is an error.
    pub fn new() -> SaveOptions {
        SaveOptions::default()
    }

    /// Sets the format. Defaults to the format that the name indicates.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::load::Format;
    /// use wolfpath::save::{SaveOptions, write};
    ///
    /// let list = EdgeList::from_weighted_edges([(1, 2, 7)])?;
    /// let mut bytes = Vec::new();
    /// write(&list, &mut bytes, "edges", &SaveOptions::new().format(Format::Gr))?;
    /// assert!(bytes.ends_with(b"a 1 2 7\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn format(mut self, format: impl Into<Option<Format>>) -> SaveOptions {
        self.format = format.into();
        self
    }

    /// Renumbers the vertices by ascending id, from 0 or from 1 depending on the format. Defaults to `false`: ids that
    /// the format cannot store are an error.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::save::{SaveOptions, write};
    ///
    /// let list = EdgeList::from_weighted_edges([(17, 42, 5)])?;
    /// assert!(write(&list, Vec::new(), "g.gr", &SaveOptions::new()).is_err());
    /// assert!(write(&list, Vec::new(), "g.gr", &SaveOptions::new().renumber(true)).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn renumber(mut self, renumber: bool) -> SaveOptions {
        self.renumber = renumber;
        self
    }

    /// Omits the weights and all other columns. Defaults to `false`: columns that the format cannot store are an error.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::save::{SaveOptions, write};
    ///
    /// let list = EdgeList::from_weighted_edges([(0, 1, 5)])?;
    /// assert!(write(&list, Vec::new(), "g.sg", &SaveOptions::new()).is_err());
    /// assert!(write(&list, Vec::new(), "g.sg", &SaveOptions::new().drop_weights(true)).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn drop_weights(mut self, drop: bool) -> SaveOptions {
        self.drop_weights = drop;
        self
    }
}

/// Properties of a file that was written.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::save::{SaveOptions, write};
///
/// let list = EdgeList::from_edges([(1, 2)])?.with_vertices(0..4)?;
/// let report = write(&list, Vec::new(), "g.el", &SaveOptions::new())?;
/// assert!(report.notes[0].contains("2 of the 4 vertices have no edge"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SaveReport {
    /// Format of the file.
    pub format: Format,
    /// Compression of the file.
    pub compression: Compression,
    /// Notes for the user, one line each, especially about data that was lost because the format cannot store it.
    pub notes: Vec<String>,
}

/// Writes a graph to a file, which appears only when it is complete. For WebGraph the file is `NAME.graph`, and
/// `NAME.properties` and `NAME.offsets` are written next to it.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::load::{LoadOptions, load};
/// use wolfpath::save::{SaveOptions, save};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.bin32");
/// save(&EdgeList::from_edges([(1, 2), (2, 3)])?, &path, &SaveOptions::new())?;
/// assert_eq!(load(&path, &LoadOptions::new())?.num_edges(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save(
    list: &EdgeList,
    path: impl AsRef<Path>,
    options: &SaveOptions,
) -> Result<SaveReport, WriteError> {
    save_with(list, path, options, &Progress::NONE)
}

/// Writes a graph to a file, and reports the progress in bytes as [`Stage::Write`]. The total is not known in advance.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::progress::Progress;
/// use wolfpath::save::{SaveOptions, save_with};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.el");
/// let report = save_with(&EdgeList::from_edges([(1, 2)])?, &path, &SaveOptions::new(), &Progress::NONE)?;
/// assert!(path.is_file() && report.notes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save_with(
    list: &EdgeList,
    path: impl AsRef<Path>,
    options: &SaveOptions,
    progress: &Progress,
) -> Result<SaveReport, WriteError> {
    let path = path.as_ref();
    progress.begin(Stage::Write, None);
    #[cfg(feature = "webgraph")]
    if options.format == Some(Format::WebGraph) {
        return webgraph::save(list, path, options, progress);
    }
    let compression = Compression::of_name(path);
    let missing = || WriteError::Codec { path: path.to_owned(), compression };
    let encode = compression.encoder().ok_or_else(missing)?;
    let (writer, mut report) = prepare(list, path, compression, options)?;
    if report.format == Format::Metis && Format::of_file(path) == Some(Format::WebGraph) {
        let note = "there is a .properties file next to this file, so readers will take the pair for WebGraph: use the \
                    ending .metis, or specify the format metis when reading";
        report.notes.push(note.to_owned());
    }
    let written =
        replace_or_write(path, |file| file::encoded(file::Counted { file, progress }, encode, writer));
    written.map_err(|source| WriteError::Io { path: path.to_owned(), source })?;
    Ok(report)
}

/// Writes a graph, uncompressed, to any writer. `name` is a file name, whose extension determines the format; errors
/// quote it.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::save::{SaveOptions, write};
///
/// let mut bytes = Vec::new();
/// write(&EdgeList::from_edges([(1, 2)])?, &mut bytes, "edges.bin32", &SaveOptions::new())?;
/// assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    list: &EdgeList,
    mut output: impl Write + Send,
    name: impl AsRef<Path>,
    options: &SaveOptions,
) -> Result<SaveReport, WriteError> {
    let name = name.as_ref();
    let (writer, report) = prepare(list, name, Compression::None, options)?;
    writer(&mut output).map_err(|source| WriteError::Io { path: name.to_owned(), source })?;
    Ok(report)
}

/// Writes one line per edge, in order: `source target` and the columns. A comment before the lines contains the numbers
/// of vertices and edges. A second comment names the columns, unless `weight` is the only column. If the file is named
/// `.el`, the edges must have no weights; if `.wel`, they must have weights. Any other name accepts both. Vertices
/// without edges cannot be stored in an edge list.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::save::write_edge_list;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.wel");
/// write_edge_list(&path, &EdgeList::from_weighted_edges([(1, 2, 7)])?)?;
/// assert!(std::fs::read_to_string(&path)?.ends_with("1 2 7\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_edge_list(path: impl AsRef<Path>, list: &EdgeList) -> Result<(), WriteError> {
    let options = SaveOptions::new().format(Format::EdgeList);
    save(list, path, &options).map(drop)
}

/// Checks that the format can store the graph, and returns the function that writes it.
fn prepare<'a>(
    list: &'a EdgeList,
    path: &Path,
    compression: Compression,
    options: &SaveOptions,
) -> Result<(Writer<'a>, SaveReport), WriteError> {
    let format = options.format.or_else(|| Format::of_name(path));
    let format = format.ok_or_else(|| WriteError::UnknownFormat { path: path.to_owned() })?;
    let mut job = Job::new(list, path, format, options);
    if !matches!(format, Format::EdgeList | Format::Parquet) {
        job.one_weight()?;
    }
    let writer = match format {
        Format::EdgeList => edge_text::prepare(&mut job)?,
        Format::MatrixMarket => matrix_market::prepare(&mut job)?,
        Format::Gr => gr::prepare(&mut job)?,
        Format::Metis => metis::prepare(&mut job)?,
        Format::Serialized => serialized::prepare(&mut job, false)?,
        Format::SerializedWeighted => serialized::prepare(&mut job, true)?,
        Format::Binary(record) => binary::prepare(&mut job, record)?,
        Format::Parquet => parquet(&mut job)?,
        Format::WebGraph => return Err(in_one_file(&job)),
    };
    Ok((writer, SaveReport { format, compression, notes: job.notes }))
}

/// Returns the error for a format that consists of several files, and therefore cannot be written to a single stream of
/// bytes.
fn in_one_file(job: &Job<'_, '_>) -> WriteError {
    let (path, format) = (job.path.to_owned(), job.format);
    if cfg!(feature = "webgraph") {
        WriteError::Files { path, format }
    } else {
        WriteError::Feature { path, format, feature: "webgraph" }
    }
}

#[cfg(feature = "parquet")]
fn parquet<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    parquet::prepare(job)
}

#[cfg(not(feature = "parquet"))]
fn parquet<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    Err(WriteError::Feature { path: job.path.to_owned(), format: job.format, feature: "parquet" })
}

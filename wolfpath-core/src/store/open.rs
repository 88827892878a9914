//! Opens a `.wolf` file in two steps. [`map`] reads and checks the first page and the key, and maps the rest, which
//! takes microseconds for a file of any size. [`Unverified::verify`] then reads every section once, on all threads.
//! Only the second step returns a graph, so code that reads a graph can rely on its numbers. Between the two steps, the
//! key of a kept graph is compared with its input.

use std::fs::File;
use std::path::Path;

use super::container::{Container, Section};
use super::contents::Contents;
use super::error::StoreError;
use super::format::WOLF;
use super::graph_header::split_key;
use super::table::Table;
use crate::progress::Progress;

/// Returns `true` if a path names a `.wolf` file. Only the file extension is checked, ignoring case.
///
/// ```
/// use wolfpath_core::store::is_wolf;
///
/// assert!(is_wolf("roads.wolf") && is_wolf("ROADS.WOLF"));
/// assert!(!is_wolf("roads.wolf.gz") && !is_wolf("wolf"));
/// ```
pub fn is_wolf(path: impl AsRef<Path>) -> bool {
    path.as_ref().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wolf"))
}

/// A graph in a file whose sections have not been verified. Its numbers may be anything.
#[derive(Debug)]
pub(crate) struct Unverified {
    pub(crate) contents: Contents,
    /// The input and options that the graph was built from.
    pub(crate) key: String,
    /// Notes to the user about how the input was read.
    pub(crate) notes: Vec<String>,
    /// Optional sections of a later version, which this version does not read.
    pub(crate) passed_over: Vec<Section>,
}

/// A graph in a verified file.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) contents: Contents,
    /// The internal index of each rank.
    pub(crate) by_rank: Vec<u32>,
    /// Notes to the user about how the input was read.
    pub(crate) notes: Vec<String>,
    /// Optional sections of a later version, which this version does not read.
    pub(crate) passed_over: Vec<Section>,
}

impl Unverified {
    /// Verifies every section: its checksum, and that its numbers are in order and in range. Also verifies the
    /// checksums of sections that this version does not read. Only [`examine`](crate::graph::LayeredGraph::examine)
    /// verifies the breadth-first order, and that in-rows and symmetry flags agree with the out-rows.
    pub(crate) fn verify(self, progress: &Progress) -> Result<Stored, StoreError> {
        let Unverified { contents, notes, passed_over, .. } = self;
        let by_rank = contents.verify(progress)?;
        passed_over.iter().try_for_each(Section::verify)?;
        contents.ends.check_unchanged()?;
        Ok(Stored { contents, by_rank, notes, passed_over })
    }
}

/// Opens a file and verifies it.
pub(crate) fn open(path: &Path, progress: &Progress) -> Result<Stored, StoreError> {
    map(path)?.verify(progress)
}

/// Maps a file and checks its header, table and key. Its sections are not read.
pub(crate) fn map(path: &Path) -> Result<Unverified, StoreError> {
    map_file(path, File::open(path).map_err(|error| StoreError::io(path, "open", error))?)
}

/// Maps a file that is already open. `path` is used in errors.
pub(crate) fn map_file(path: &Path, file: File) -> Result<Unverified, StoreError> {
    let table = Table::new(Container::of_file(path, file, &WOLF)?)?;
    let (key, notes) = split_key(table.container.key());
    Ok(Unverified { contents: table.contents()?, key, notes, passed_over: table.container.passed_over() })
}

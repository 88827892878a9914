//! Opens a `.wolf` file by its path.

use std::path::Path;

use super::layered_graph::{LayeredGraph, Origin};
use crate::progress::Progress;
use crate::store::{self, StoreError};

impl LayeredGraph {
    /// Opens a `.wolf` file. The file is memory-mapped, so it must not be modified in place while the graph is in use.
    /// (wolfpath itself replaces such files atomically, which is safe.)
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not a complete and valid `.wolf` file of this version.
    ///
    /// ```
    /// use wolfpath_core::graph::LayeredGraph;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("two.wolf");
    /// LayeredGraph::from_edges([(1, 2)])?.write(&path)?;
    /// assert_eq!(LayeredGraph::open_wolf(&path)?.num_edges(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_wolf(path: impl AsRef<Path>) -> Result<LayeredGraph, StoreError> {
        LayeredGraph::open_wolf_with(path, &Progress::NONE)
    }

    /// Opens a `.wolf` file like [`open_wolf`](Self::open_wolf), and reports progress: the verified bytes, as
    /// [`Stage::Verify`](crate::progress::Stage::Verify).
    ///
    /// # Errors
    /// Returns the errors from [`open_wolf`](Self::open_wolf).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::progress::Progress;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.wolf");
    /// LayeredGraph::from_edges([(17, 5)])?.write(&path)?;
    /// assert_eq!(LayeredGraph::open_wolf_with(&path, &Progress::NONE)?.num_edges(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_wolf_with(path: impl AsRef<Path>, progress: &Progress) -> Result<LayeredGraph, StoreError> {
        let path = path.as_ref();
        Ok(LayeredGraph::stored(store::open(path, progress)?, Origin::File(path.to_owned())))
    }
}

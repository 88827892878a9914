//! Errors from reading and writing files of sections.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Error from reading or writing a `.wolf` file, or a shard of a graph.
///
/// ```
/// use wolfpath::graph::LayeredGraph;
/// use wolfpath::store::StoreError;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.wolf");
/// std::fs::write(&path, "not a graph")?;
/// assert!(matches!(LayeredGraph::open_wolf(&path), Err(StoreError::Foreign { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A system call failed.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The action that failed: "open", "read" or "map".
        action: &'static str,
        /// The system's error.
        error: Arc<io::Error>,
    },
    /// There is not enough memory for data that is computed from the file's contents.
    #[error("{what} cannot be computed: {reason}")]
    Space {
        /// The data, such as "in-edges".
        what: &'static str,
        /// The required amount, and a remedy.
        reason: String,
    },
    /// The file could not be written. No partial file is left behind.
    #[error(
        "cannot write {} ({bytes} bytes): {error}; name a writable folder with enough space",
        path.display()
    )]
    Write {
        /// The file to write.
        path: PathBuf,
        /// Length of the complete file in bytes.
        bytes: u64,
        /// The system's error.
        error: Arc<io::Error>,
    },
    /// The file is of another type than expected.
    #[error("{}: not {name}: it starts with {found}, expected {expected}; {advice}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The expected type of file, such as "a .wolf file".
        name: &'static str,
        /// The first bytes of the file.
        found: String,
        /// The first bytes of every file of the expected type.
        expected: String,
        /// Advice to the user.
        advice: &'static str,
    },
    /// The file has another version of its format.
    #[error(
        "{}: byte 8: {name} of version {found}, but this program reads version {expected}; use the wolfpath that wrote it, or build the file again from its input",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The type of the file, such as "a .wolf file".
        name: &'static str,
        /// The version in the file's header.
        found: u32,
        /// The version that this program reads.
        expected: u32,
    },
    /// The file requires a feature that this version of wolfpath does not know.
    #[error(
        "{}: byte {byte}: {what}, which is required and unknown to this version; use the wolfpath that wrote the file, or a later one, or build it again from its input",
        path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Position of the unknown feature in the file.
        byte: u64,
        /// The unknown feature.
        what: String,
    },
    /// The file was written on a machine of the opposite byte order.
    #[error("{}: byte 12: written on a machine of the opposite byte order; build the file again here", path.display())]
    ByteOrder {
        /// The file.
        path: PathBuf,
    },
    /// The file has another length or modification time than when it was opened.
    #[error("{}: the file has changed since it was opened; open it again once nothing writes to it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file is truncated or modified.
    #[error("{}: byte {byte}: {found}, expected {expected}; the file is damaged: build it again from its input", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The position of the fault in the file.
        byte: u64,
        /// The contents found there.
        found: String,
        /// The expected contents.
        expected: String,
    },
}

impl StoreError {
    /// Wraps a system error.
    pub(super) fn io(path: &Path, action: &'static str, error: io::Error) -> StoreError {
        StoreError::Io { path: path.to_owned(), action, error: Arc::new(error) }
    }

    /// Returns the error for a damaged file.
    pub(super) fn broken(
        path: &Path,
        byte: u64,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> StoreError {
        StoreError::Broken { path: path.to_owned(), byte, found: found.into(), expected: expected.into() }
    }
}

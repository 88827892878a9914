//! What can go wrong with a `.wolf` file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::VERSION;

/// Why a `.wolf` file could not be read or written.
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
    /// The system refused.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: "open", "read", "map".
        action: &'static str,
        /// What the system said.
        error: Arc<io::Error>,
    },
    /// What is derived from the file does not fit the memory.
    #[error("in-edges cannot be made: {reason}")]
    Space {
        /// How much is needed, and what to do.
        reason: String,
    },
    /// The file could not be written; nothing of it was left behind.
    #[error(
        "cannot write {} ({bytes} bytes): {error}; name a folder that can be written and has the space",
        path.display()
    )]
    Write {
        /// The file that was to be written.
        path: PathBuf,
        /// How long it would have been.
        bytes: u64,
        /// What the system said.
        error: Arc<io::Error>,
    },
    /// The file is something else.
    #[error(
        "{}: not a .wolf file: it begins with {found}, expected {expected}; a graph in another format needs a name that says so, or its format named",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its first bytes.
        found: String,
        /// The first bytes of every `.wolf` file.
        expected: String,
    },
    /// The file is of another version of the format.
    #[error(
        "{}: byte 8: version {found} of the .wolf format, this program reads version {VERSION}; use the wolfpath that wrote it, or build the file again from its input",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that it states.
        found: u32,
    },
    /// The file needs a reader that knows more.
    #[error(
        "{}: byte {byte}: {what}, which this program does not know and must; use the wolfpath that wrote the file, or a later one, or build it again from its input",
        path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Where in the file it is asked for.
        byte: u64,
        /// What is not known.
        what: String,
    },
    /// The file was written on a machine of the other byte order.
    #[error("{}: byte 12: written on a machine of the other byte order; build the file again here", path.display())]
    ByteOrder {
        /// The file.
        path: PathBuf,
    },
    /// The file is cut short or altered.
    #[error("{}: byte {byte}: {found}, expected {expected}; the file is damaged: build it again from its input", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where in the file it shows.
        byte: u64,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
    },
}

impl StoreError {
    /// Wraps what the system said.
    pub(super) fn io(path: &Path, action: &'static str, error: io::Error) -> StoreError {
        StoreError::Io { path: path.to_owned(), action, error: Arc::new(error) }
    }

    /// A damaged file.
    pub(super) fn broken(
        path: &Path,
        byte: u64,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> StoreError {
        StoreError::Broken { path: path.to_owned(), byte, found: found.into(), expected: expected.into() }
    }
}

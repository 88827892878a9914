//! Errors of checkpoints.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use wolfpath_core::store::StoreError;

/// Error of keeping the state of a run, or of continuing from it.
///
/// ```
/// use std::path::PathBuf;
/// use wolfpath::cluster::CheckpointError;
///
/// let error = CheckpointError::Other {
///     path: PathBuf::from("kept/checkpoint"),
///     what: "program".into(),
///     found: "bfs".into(),
///     expected: "sssp".into(),
/// };
/// assert!(error.to_string().contains("another program: bfs, expected sssp"));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A file cannot be written, opened or read, or is of another type.
    #[error(transparent)]
    Store(StoreError),
    /// A file is damaged.
    #[error(
        "{}: byte {byte}: {found}, expected {expected}; the checkpoint is damaged: start over, or continue from a copy",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Position of the damage in the file.
        byte: u64,
        /// Contents found there.
        found: String,
        /// Expected contents.
        expected: String,
    },
    /// A file has another version of its format.
    #[error(
        "{}: byte 8: {name} of version {found}, but this program reads version {expected}; continue with the wolfpath \
         that wrote it, or start over",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Type of the file, such as "a checkpoint".
        name: &'static str,
        /// Version in the file's header.
        found: u32,
        /// Version that this program reads.
        expected: u32,
    },
    /// A system call for the folder failed.
    #[error("cannot {action} {}: {error}", path.display())]
    Folder {
        /// The folder, or a file in it.
        path: PathBuf,
        /// The action that failed, such as "create the folder".
        action: &'static str,
        /// The system's error.
        error: Arc<io::Error>,
    },
    /// The checkpoint is one of another run.
    #[error(
        "{}: a checkpoint of another {what}: {found}, expected {expected}; continue with the same graph, program and options, or \
         start over",
        path.display()
    )]
    Other {
        /// The file `checkpoint`.
        path: PathBuf,
        /// Name of the setting that differs, such as "program".
        what: String,
        /// Setting of the checkpoint; only the start if it is long.
        found: String,
        /// Setting of this run, likewise.
        expected: String,
    },
    /// Another process sees another checkpoint in the folder, or none.
    #[error(
        "{}: process {process} finds {found} there, and this one {expected}; name a folder that all processes share",
        folder.display()
    )]
    NotShared {
        /// The folder.
        folder: PathBuf,
        /// The other process.
        process: usize,
        /// Description of what it finds.
        found: String,
        /// Description of what this process finds.
        expected: String,
    },
    /// Another process cannot write its state, or read the checkpoint.
    #[error("process {process}: {error}")]
    Elsewhere {
        /// The other process.
        process: usize,
        /// Its error.
        error: String,
    },
}

impl From<StoreError> for CheckpointError {
    fn from(error: StoreError) -> CheckpointError {
        match error {
            StoreError::Broken { path, byte, found, expected } => {
                CheckpointError::Damaged { path, byte, found, expected }
            }
            StoreError::Version { path, name, found, expected } => {
                CheckpointError::Version { path, name, found, expected }
            }
            error => CheckpointError::Store(error),
        }
    }
}

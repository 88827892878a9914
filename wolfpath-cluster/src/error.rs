//! Errors of shards.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use wolfpath_core::edge_list::EdgeListError;
use wolfpath_core::store::StoreError;

/// Error of writing or reading the shards of a graph.
///
/// ```
/// use wolfpath::cluster::{ShardError, Shards};
///
/// let folder = tempfile::tempdir()?;
/// let error = Shards::open(folder.path()).expect_err("the folder is empty");
/// assert!(matches!(error, ShardError::NoManifest { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// A file of the folder cannot be read or written, or is damaged. Also reported if the rows of the graph cannot be
    /// computed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The edges of all shards cannot be listed, for lack of memory.
    #[error(transparent)]
    Edges(#[from] EdgeListError),
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
    /// Shards are written only to a new or empty folder, or over other shards.
    #[error(
        "{}: the folder contains {found}, which does not belong to shards; name a new folder, or one with shards only",
        path.display()
    )]
    NotEmpty {
        /// The folder.
        path: PathBuf,
        /// Name of a file in it.
        found: String,
    },
    /// The folder has no manifest.
    #[error(
        "{}: no file \"manifest\"; expected a folder of shards. If writing them was interrupted, write them again",
        path.display()
    )]
    NoManifest {
        /// The folder.
        path: PathBuf,
    },
    /// A shard that the manifest lists is missing.
    #[error(
        "{}: shard {shard} of {shards} is missing; copy all files of the folder, or write the shards again",
        path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// Number of the shard, from 0.
        shard: u16,
        /// Number of shards.
        shards: u16,
    },
    /// A shard does not belong to the manifest: it was written at another time, from another graph, or for another number
    /// of shards.
    #[error(
        "{}: not the shard {shard} that the manifest lists: {found}, expected {expected}; all files of the folder must be \
         written together",
        path.display()
    )]
    OtherBuild {
        /// The file.
        path: PathBuf,
        /// Number of the shard, from 0.
        shard: u16,
        /// Description of the file.
        found: String,
        /// The same of the shard that the manifest lists.
        expected: String,
    },
}

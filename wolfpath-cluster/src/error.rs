//! Errors of shards.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use wolfpath_core::edge_list::EdgeListError;
use wolfpath_core::store::StoreError;
use wolfpath_io::load::LoadError;
use wolfpath_runtime::part::PeerError;

use crate::net::ClusterError;

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
    /// A file of the folder cannot be read or written, or is of another type. Also reported if the rows of the graph cannot be
    /// read or computed.
    #[error(transparent)]
    Store(StoreError),
    /// A file of the folder is damaged.
    #[error(
        "{}: byte {byte}: {found}, expected {expected}; the file is damaged: copy it again, or write the shards again",
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
    /// A file of the folder has another version of its format.
    #[error(
        "{}: byte 8: {name} of version {found}, but this program reads version {expected}; use the wolfpath that wrote it, or \
         write the shards again",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Type of the file, such as "a shard of a graph".
        name: &'static str,
        /// Version in the file's header.
        found: u32,
        /// Version that this program reads.
        expected: u32,
    },
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

impl From<StoreError> for ShardError {
    fn from(error: StoreError) -> ShardError {
        match error {
            StoreError::Broken { path, byte, found, expected } => {
                ShardError::Damaged { path, byte, found, expected }
            }
            StoreError::Version { path, name, found, expected } => {
                ShardError::Version { path, name, found, expected }
            }
            error => ShardError::Store(error),
        }
    }
}

/// Error of sharding a graph on a cluster.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{BuildError, Cluster, ClusterConfig, Shards};
/// use wolfpath::load::{LoadError, LoadOptions};
///
/// let folder = tempfile::tempdir()?;
/// let mut cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
/// let input = folder.path().join("none.el");
/// let built = Shards::build_on(&mut cluster, &input, &LoadOptions::new(), NonZeroU16::MIN, folder.path());
/// assert!(matches!(built, Err(BuildError::Load(LoadError::NotFound { .. }))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The input cannot be read, or is not a graph.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A shard or the manifest cannot be written.
    #[error(transparent)]
    Shards(#[from] ShardError),
    /// The processes have different options or inputs.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Another process has failed, ended or left.
    #[error("{error}")]
    Peer {
        /// The error of the exchange.
        error: PeerError,
    },
    /// Another process has returned an error, after which the cluster can still be used.
    #[error("process {process}: {message}")]
    Elsewhere {
        /// The process.
        process: usize,
        /// Its error.
        message: String,
    },
    /// A process was cancelled.
    #[error("process {process}: sharding was cancelled")]
    Cancelled {
        /// The process.
        process: usize,
    },
}

impl From<PeerError> for BuildError {
    fn from(error: PeerError) -> BuildError {
        BuildError::Peer { error }
    }
}

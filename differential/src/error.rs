//! What keeps programs from being compared at all.

use std::path::PathBuf;

/// An error of the proof itself; disagreements between programs are none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A program such as rustc could not be started.
    #[error("cannot run {program}: {source}; is it installed?")]
    Start {
        /// What was to run.
        program: String,
        /// Why it did not.
        source: std::io::Error,
    },
    /// A program ended badly where no random program can be blamed.
    #[error("{program} failed ({status}):\n{said}")]
    Failed {
        /// What ran.
        program: String,
        /// How it ended.
        status: String,
        /// The end of what it said.
        said: String,
    },
    /// A file could not be read or written.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// `cargo build` did not name the library.
    #[error("cargo built wolfpath, but did not say where its library is")]
    NoLibrary,
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { path, source }
    }
}

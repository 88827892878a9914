//! Errors that prevent programs from being compared.

use std::path::PathBuf;

/// Error of the comparison itself. A disagreement between the forms of a program is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A program such as rustc could not be started.
    #[error("cannot run {program}: {source}; is it installed?")]
    Start {
        /// Path of the program.
        program: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A program failed, and no random program can be blamed.
    #[error("{program} failed ({status}):\n{said}")]
    Failed {
        /// Path of the program.
        program: String,
        /// Exit status, or the kind of failure.
        status: String,
        /// End of the program's output to standard error.
        said: String,
    },
    /// A file could not be read or written.
    #[error("cannot read or write {}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The output of `cargo build` does not name the library.
    #[error("cargo built wolfpath, but its output does not name the library")]
    NoLibrary,
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { path, source }
    }
}

//! Why a command failed: one line, with what was expected and what to do.

mod options;

use std::io;
use std::path::PathBuf;

use wolfpath::save::WriteError;
use wolfpath::{PlanError, RunError};

use options::options;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Something in wolfpath, and the options that it advises.
    #[error("{}{}", .0.stage(), options(.0.advice()))]
    Library(wolfpath::Error),
    /// One of many runs came to no answer, or a batch of them.
    #[error("{done} of {all} runs were done when {} ended: {error}", shown_sources(.sources))]
    OfMany { sources: Vec<u64>, done: usize, all: usize, error: Box<Error> },
    /// An answer could not be written.
    #[error("{}: cannot be written: {source}; name a file in a folder that can be written and has the space", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// An answer would replace the graph that it is about.
    #[error("{}: is {what}; name another file to write to", path.display())]
    OntoInput { path: PathBuf, what: &'static str },
    /// `check` is about layered graphs in files.
    #[error(
        "{}: expected a name that ends in .wolf; check verifies layered graphs, other inputs are checked when they are read (wolfpath info)",
        path.display()
    )]
    NotLayered { path: PathBuf },
    /// A layered graph is not what it should be.
    #[error(
        "{}: {problems} of the things that must hold do not; build the file again from its input (wolfpath build)",
        path.display()
    )]
    Faulty { path: PathBuf, problems: usize },
    /// Standard output is gone, but not because its reader had enough.
    #[error("standard output cannot be written: {0}")]
    Stdout(io::Error),
    /// An id that is not in the graph.
    #[error("{}: vertex {id} ({option}) is not in the graph; {known}", path.display())]
    UnknownVertex { path: PathBuf, option: &'static str, id: u64, known: String },
    /// A line of a file of sources names no vertex of the graph.
    #[error("{}, line {line}: vertex {id} is not in {}: {known}", path.display(), graph.display())]
    UnknownSource { path: PathBuf, line: u64, id: u64, graph: PathBuf, known: String },
    /// A file of sources without any.
    #[error("{}: holds no id; --sources-from names a file with one id a line", path.display())]
    NoSources { path: PathBuf },
    /// Threads could not be started.
    #[error("{threads} threads could not be started ({message}); ask for fewer (--threads)")]
    Threads { threads: usize, message: String },
    /// The answer is wrong.
    #[error(
        "{run} differs from {oracle} at {differences} of {compared} vertices; at the first of them, {id}, it has {found} where {expected} is right"
    )]
    Differs {
        run: String,
        oracle: &'static str,
        differences: u64,
        compared: u64,
        id: u64,
        expected: String,
        found: String,
    },
    /// A picture could not be drawn.
    #[error("the picture cannot be drawn: {message}; leave --plot out")]
    Picture { message: String },
    /// Ctrl-C.
    #[error("cancelled before it was done")]
    Cancelled,
}

/// The run from one source, or the batch of runs from several.
fn shown_sources(sources: &[u64]) -> String {
    match sources {
        [first, _, ..] => format!("a batch of {}, the first of them from {first},", sources.len()),
        [source] => format!("the one from {source}"),
        [] => "one".to_owned(),
    }
}

impl From<wolfpath::Error> for Error {
    fn from(error: wolfpath::Error) -> Error {
        match error {
            wolfpath::Error::Save(WriteError::Io { path, source }) => Error::Write { path, source },
            error => Error::Library(error),
        }
    }
}

/// Errors of the stages, as wolfpath's.
macro_rules! stages {
    ($($stage:ty),*) => {$(
        impl From<$stage> for Error {
            fn from(error: $stage) -> Error {
                wolfpath::Error::from(error).into()
            }
        }
    )*};
}

stages!(
    wolfpath::cache::CacheError,
    wolfpath::edge_list::EdgeListError,
    wolfpath::generate::GenerateError,
    wolfpath::graph::GraphError,
    wolfpath::graph::OpenError,
    wolfpath::load::LoadError,
    wolfpath::store::StoreError,
    wolfpath::graph::WeightError,
    PlanError,
    RunError,
    WriteError,
    wolfpath::DeviceError,
    wolfpath::OutcomeError
);

#[cfg(test)]
mod tests {
    use wolfpath::DeviceError;

    use super::*;

    #[test]
    fn advice_of_the_library_comes_with_the_options_for_it() {
        let lost = DeviceError::Lost {
            device: "cuda:0".to_owned(),
            action: "run the program",
            message: "illegal address".to_owned(),
        };
        let earlier = DeviceError::LostEarlier {
            device: "cuda:0".to_owned(),
            action: "run the program",
            message: "illegal address".to_owned(),
        };
        let unknown = DeviceError::UnknownDevice { ordinal: 9, found: 1 };
        let endings = [
            (Error::from(RunError::Device(lost)), "use the CPU engine (--engine cpu)"),
            (Error::from(RunError::Device(earlier)), "use the CPU engine (--engine cpu)"),
            (Error::from(unknown), "(numbered from 0); `wolfpath devices` lists them"),
            (
                Error::from(RunError::Overrun { program: "bfs", max_steps: 3 }),
                "ask for a fixed number of steps (--max-steps, --steps)",
            ),
        ];
        for (error, ending) in endings {
            assert!(error.to_string().ends_with(ending), "{error}");
        }
    }
}

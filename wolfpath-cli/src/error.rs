//! Errors of commands. Each prints as one line: what failed, what was expected and what to do.

mod options;

use std::io;
use std::path::PathBuf;

use wolfpath::save::WriteError;
use wolfpath::{PlanError, RunError};

use options::options;

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Error of the library, followed by the options that its advice refers to.
    #[error("{}{}", .0.stage(), options(.0.advice()))]
    Library(wolfpath::Error),
    /// Failure of one of many runs, or of a batch.
    #[error("{done} of {all} runs were done when {} failed: {error}", shown_sources(.sources))]
    OfMany { sources: Vec<u64>, done: usize, all: usize, error: Box<Error> },
    /// Result that could not be written.
    #[error("{}: cannot be written: {source}; name a file in a writable folder with enough space", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Result that would overwrite one of its inputs.
    #[error("{}: is {what}, which would be overwritten; name another file", path.display())]
    OntoInput { path: PathBuf, what: &'static str },
    /// Argument of `check` that is not a `.wolf` file.
    #[error(
        "{}: expected a name that ends in .wolf; check verifies only layered graphs, other inputs are checked when they are read (wolfpath info)",
        path.display()
    )]
    NotLayered { path: PathBuf },
    /// Folder of shards, given to a command that needs the graph itself.
    #[cfg(feature = "cluster")]
    #[error(
        "{}: is a folder of shards; name the graph that it was written from (wolfpath info, without --plot, describes shards, \
         and wolfpath run --engine cluster runs programs over them)",
        path.display()
    )]
    AreShards { path: PathBuf },
    /// File that is not a folder of shards.
    #[cfg(feature = "cluster")]
    #[error("{}: expected a folder of shards for --engine cluster, as `wolfpath shard` writes it", path.display())]
    NotShards { path: PathBuf },
    /// Options that control how an input is read, given together with shards.
    #[cfg(feature = "cluster")]
    #[error("{}: shards contain the graph as it was read before: omit {options}", path.display())]
    ReadBefore { path: PathBuf, options: String },
    /// Result that would be in a folder whose files belong together.
    #[cfg(feature = "cluster")]
    #[error("{}: is {what}, where nothing else may be; name another place", path.display())]
    InFolder { path: PathBuf, what: &'static str },
    /// Values that process 0 has found to be wrong.
    #[cfg(feature = "cluster")]
    #[error("{run} is wrong at {differences} vertices; process 0 names the first")]
    DiffersElsewhere { run: &'static str, differences: u64 },
    /// Folder for values that contains something else.
    #[cfg(feature = "cluster")]
    #[error(
        "{}: the folder contains {found}, which does not belong to the values of an earlier run; name a new folder",
        path.display()
    )]
    NotParts { path: PathBuf, found: String },
    /// Layered graph in which `check` found problems.
    #[error(
        "{}: verification failed (problems: {problems}); build the file again from its input (wolfpath build)",
        path.display()
    )]
    Faulty { path: PathBuf, problems: usize },
    /// Failure to write to standard output, other than a pipe closed by its reader.
    #[error("standard output cannot be written: {0}")]
    Stdout(io::Error),
    /// Id that is not in the graph.
    #[error("{}: vertex {id} ({option}) is not in the graph; {known}", path.display())]
    UnknownVertex { path: PathBuf, option: &'static str, id: u64, known: String },
    /// Line of a file of sources whose id is not in the graph.
    #[error("{}, line {line}: vertex {id} is not in {}: {known}", path.display(), graph.display())]
    UnknownSource { path: PathBuf, line: u64, id: u64, graph: PathBuf, known: String },
    /// File of sources without any ids.
    #[error("{}: contains no ids; --sources-from expects a file with one id per line", path.display())]
    NoSources { path: PathBuf },
    /// More sources than labels.
    #[error(
        "adsorption has {labels} sources, but at most {most} at a time: labels do not influence each other, so run it again for the others"
    )]
    TooManyLabels { labels: usize, most: usize },
    /// Failure to start threads.
    #[error("{threads} threads could not be started ({message}); use fewer (--threads)")]
    Threads { threads: usize, message: String },
    /// Result that differs from the oracle's.
    #[error(
        "{run} differs from {oracle} at {differences} of {compared} vertices; the first is vertex {id}: found {found}, expected {expected}"
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
    /// Failure to start the processes of a cluster on this machine.
    #[cfg(feature = "cluster")]
    #[error("the processes could not be started: {message}")]
    Start { message: String },
    /// Failure to draw a plot.
    #[error("the plot cannot be drawn: {message}; run without --plot")]
    Picture { message: String },
    /// Cancellation by Ctrl-C.
    #[error("cancelled before the command was finished")]
    Cancelled,
}

/// Names the run from one source, or the batch of runs from several.
fn shown_sources(sources: &[u64]) -> String {
    match sources {
        [first, _, ..] => format!("the batch of {} that begins with the run from {first}", sources.len()),
        [source] => format!("the run from {source}"),
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

/// Implements `From` for the errors of the library's stages, through the library's own error.
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
#[cfg(feature = "cluster")]
stages!(
    wolfpath::cluster::BuildError,
    wolfpath::cluster::ShardError,
    wolfpath::cluster::ClusterError,
    wolfpath::cluster::ClusterPlanError
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
                Error::from(RunError::Overrun { program: "bfs", max_steps: 3, cycle: None, pending: None }),
                "set a fixed number of steps (--max-steps, --steps)",
            ),
        ];
        for (error, ending) in endings {
            assert!(error.to_string().ends_with(ending), "{error}");
        }
    }
}

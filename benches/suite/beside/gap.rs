//! The programs of the GAP Benchmark Suite (Beamer, Asanović and Patterson, 2015): writes their graphs, runs them, and
//! reads the times that they print. GAP measures only the algorithm: its clock starts when the graph is in memory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::save::{SaveOptions, save};

use super::super::{Graph, Result};
use super::contest::TRIALS;
use super::lines::GapLine;

/// Folder with GAP's programs.
pub(crate) struct Gap {
    folder: PathBuf,
}

/// One call of a program.
pub(crate) struct Call {
    pub(crate) program: &'static str,
    /// File with the graph.
    pub(crate) file: PathBuf,
    pub(crate) options: Vec<String>,
    /// The same graph, to compare its size with what GAP read.
    pub(crate) graph: LayeredGraph,
}

impl Gap {
    /// Returns the folder.
    ///
    /// # Errors
    /// Returns an error that names the first program that is needed for one of the lines and missing.
    pub(crate) fn open(folder: &Path, lines: &[(Graph, Vec<&'static GapLine>)]) -> Result<Gap> {
        let gap = Gap { folder: folder.to_owned() };
        let mut programs = lines.iter().flat_map(|(_, lines)| lines).map(|line| gap.path(line.peer()));
        match programs.find(|program| !program.is_file()) {
            Some(missing) => Err(format!(
                "{}: no such program; build the GAP Benchmark Suite (sbeamer/gapbs) with `make bfs sssp pr_spmv cc`, and \
                 name the folder that contains these four programs",
                missing.display()
            )
            .into()),
            None => Ok(gap),
        }
    }

    fn path(&self, program: &str) -> PathBuf {
        self.folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Runs a program once. Returns the times of its [`TRIALS`] trials.
    ///
    /// # Errors
    /// Returns an error if the program fails, if it read another graph, or if it did not print the times.
    pub(crate) fn time(&self, call: &Call, threads: usize) -> Result<Vec<Duration>> {
        let path = self.path(call.program);
        let mut command = Command::new(&path);
        command.arg("-f").arg(&call.file).args(&call.options).args(["-n", &TRIALS.to_string()]);
        let output = command.env("OMP_NUM_THREADS", threads.to_string()).output();
        let output = output.map_err(|error| format!("{} cannot be run: {error}", path.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} failed: {}: {text}{errors}", path.display(), output.status).into());
        }
        same_size(&text, &call.graph).and_then(|()| trial_times(&text)).map_err(|error| {
            format!("the output of {} is not as expected: {error}: {text}", path.display()).into()
        })
    }
}

/// Compares the size of the graph that GAP read with ours.
///
/// # Errors
/// Returns an error if a size differs or is not printed.
pub(crate) fn same_size(text: &str, graph: &LayeredGraph) -> std::result::Result<(), String> {
    let rest = text.lines().find_map(|line| line.strip_prefix("Graph has "));
    let mut words = rest.ok_or("it does not state the size of the graph")?.split(' ');
    let (vertices, edges) = (words.next(), words.nth(2));
    // GAP counts the edges of a symmetric graph once.
    let directions = if words.next() == Some("undirected") { 2 } else { 1 };
    let expected = (u64::from(graph.num_vertices()), graph.num_edges() / directions);
    let found = (vertices.and_then(|word| word.parse().ok()), edges.and_then(|word| word.parse().ok()));
    if found == (Some(expected.0), Some(expected.1)) {
        return Ok(());
    }
    Err(format!("expected a graph with {} vertices and {} edges", expected.0, expected.1))
}

/// Returns the times that GAP printed, one per trial.
///
/// # Errors
/// Returns an error if there are not [`TRIALS`] times.
pub(crate) fn trial_times(text: &str) -> std::result::Result<Vec<Duration>, String> {
    let seconds = text.lines().filter_map(|line| line.strip_prefix("Trial Time:"));
    let times: Vec<Duration> = seconds
        .map(|word| {
            let seconds = word.trim().parse().map_err(|_| format!("\"{}\" is not a time", word.trim()))?;
            Duration::try_from_secs_f64(seconds).map_err(|error| format!("{seconds} seconds: {error}"))
        })
        .collect::<std::result::Result<_, String>>()?;
    if times.len() == TRIALS {
        return Ok(times);
    }
    Err(format!("expected {TRIALS} lines \"Trial Time: SECONDS\", found {}", times.len()))
}

/// A graph in GAP's own formats. The files are removed when the value is dropped.
pub(crate) struct Files {
    folder: TempDir,
}

impl Files {
    /// Creates a folder for the files in `scratch`.
    pub(crate) fn new(scratch: &Path) -> Result<Files> {
        std::fs::create_dir_all(scratch)?;
        Ok(Files { folder: tempfile::Builder::new().prefix("gap-").tempdir_in(scratch)? })
    }

    /// Returns the file of a graph, with or without its weights. Writes it if it does not exist. Vertices are numbered
    /// from 0 in ascending order of ids.
    pub(crate) fn of(&self, graph: &LayeredGraph, weighted: bool) -> Result<PathBuf> {
        let file = self.folder.path().join(if weighted { "graph.wsg" } else { "graph.sg" });
        if !file.is_file() {
            let list = graph.to_edge_list();
            let list = match graph.weight_choice() {
                WeightChoice::Random { seed, max } if weighted => list.with_random_weights(seed, max),
                _ => list,
            };
            save(&list, &file, &SaveOptions::new().renumber(true).drop_weights(!weighted))?;
        }
        Ok(file)
    }
}

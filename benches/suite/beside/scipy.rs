//! Times a step of PageRank in Python: `benches/scipy_step.py`, which this file contains.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use wolfpath::graph::LayeredGraph;
use wolfpath::save::{SaveOptions, save};

use super::super::Result;

const SCRIPT: &str = include_str!("../../scipy_step.py");

/// Python with scipy, and a folder for the script and its input, which is removed when the value is dropped.
pub(crate) struct Scipy {
    python: &'static str,
    folder: TempDir,
}

impl Scipy {
    /// Writes the script.
    ///
    /// # Errors
    /// Returns an error if this Python is missing or has no numpy or scipy.
    pub(crate) fn open(python: &'static str, scratch: &Path) -> Result<Scipy> {
        let needs = |why: &str| format!("{python} with numpy and scipy is needed, to compare with: {why}");
        let tried = Command::new(python).args(["-c", "import numpy, scipy.sparse"]).output();
        let tried = tried.map_err(|error| needs(&error.to_string()))?;
        if !tried.status.success() {
            let errors = String::from_utf8_lossy(&tried.stderr);
            return Err(needs(errors.trim().lines().next_back().unwrap_or_default()).into());
        }
        std::fs::create_dir_all(scratch)?;
        let folder = tempfile::Builder::new().prefix("scipy-").tempdir_in(scratch)?;
        std::fs::write(folder.path().join("scipy_step.py"), SCRIPT)?;
        Ok(Scipy { python, folder })
    }

    /// Writes a graph as the edge list that the script reads.
    pub(crate) fn file(&self, graph: &LayeredGraph) -> Result<PathBuf> {
        let file = self.folder.path().join("graph.el");
        save(&graph.to_edge_list(), &file, &SaveOptions::new().drop_weights(true))?;
        Ok(file)
    }

    /// Runs the script. Returns the median time of a step.
    pub(crate) fn step(&self, edges: &Path) -> Result<Duration> {
        let script = self.folder.path().join("scipy_step.py");
        let output = Command::new(self.python).arg(script).arg(edges).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        step_time(&text).ok_or_else(|| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("scipy_step.py failed: {}: {text}{errors}", output.status).into()
        })
    }
}

/// Returns the time that the script printed, in milliseconds per step.
pub(crate) fn step_time(text: &str) -> Option<Duration> {
    let milliseconds: f64 = text.lines().find_map(|line| line.strip_prefix("ms per step: "))?.parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1e3).ok()
}

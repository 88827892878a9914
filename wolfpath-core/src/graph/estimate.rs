//! What building a graph will take, said before it begins.

use std::path::Path;

use super::open::OpenOptions;
use super::size::BuildSize;
use crate::load::{LoadError, sample};

/// What building a graph from a file takes, guessed from the file's size and its first lines. The build itself counts
/// exactly, once it has read the edges, and decides then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildEstimate {
    /// Edges, both directions of undirected ones counted.
    pub edges: u64,
    /// Bytes of the finished rows, weights and order.
    pub finished: u64,
    /// Bytes of memory at the worst moment, when everything is in memory.
    pub peak: u64,
    /// Bytes of memory at the worst moment, when rows go to the disk.
    pub peak_on_disk: u64,
    /// Bytes of memory that may be used: what was asked for, or what is available.
    pub budget: u64,
}

impl OpenOptions {
    /// What building a graph from this file would take; `None` for what is not a file with anything in it.
    pub fn estimate(&self, path: impl AsRef<Path>) -> Result<Option<BuildEstimate>, LoadError> {
        let Some(sample) = sample(path.as_ref(), &self.load)? else { return Ok(None) };
        let edges = if sample.undirected { 2 * sample.lines } else { sample.lines };
        let size = BuildSize {
            lines: sample.lines,
            edges,
            // Road networks have a vertex for every two lines or less, social ones for every twenty.
            vertices: sample.lines / 2,
            weight_bytes: if sample.columns > 0 { 4 } else { 0 },
            column_bytes: if sample.columns > 1 { 4 * sample.columns } else { 0 },
            directed: !sample.undirected,
        };
        Ok(Some(BuildEstimate {
            edges,
            finished: size.finished(),
            peak: size.peak(),
            peak_on_disk: size.peak_on_disk(),
            budget: self.resources.budget(),
        }))
    }
}

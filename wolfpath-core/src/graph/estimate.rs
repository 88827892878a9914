//! What building a graph will take, said before it begins.

use super::size::BuildSize;
use crate::resources::Resources;

/// The size of an input, exact or guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSize {
    /// Number of lines, or records.
    pub lines: u64,
    /// Numbers of each line behind source and target.
    pub columns: u64,
    /// `true` if each line gives two edges.
    pub undirected: bool,
}

/// What building a graph from a file takes, guessed from the file's size and its first lines. The build itself counts
/// exactly, once it has read the edges, and decides then.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.el");
/// std::fs::write(&path, "17 5\n5 6\n")?;
/// let estimate = OpenOptions::new().estimate(&path)?.expect("the file is not empty");
/// assert!(estimate.peak_on_disk <= estimate.peak);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl BuildEstimate {
    /// Returns what layering an input of this size takes.
    ///
    /// ```
    /// use wolfpath_core::assemble::InputSize;
    /// use wolfpath_core::graph::BuildEstimate;
    /// use wolfpath_core::resources::Resources;
    ///
    /// let input = InputSize { lines: 1_000_000, columns: 1, undirected: true };
    /// let estimate = BuildEstimate::of(input, &Resources::default());
    /// assert_eq!(estimate.edges, 2_000_000);
    /// assert!(estimate.peak > estimate.finished);
    /// ```
    #[doc(hidden)]
    pub fn of(input: InputSize, resources: &Resources) -> BuildEstimate {
        let InputSize { lines, columns, undirected } = input;
        let edges = if undirected { 2 * lines } else { lines };
        let size = BuildSize {
            lines,
            edges,
            // Road networks have a vertex for every two lines or less, social ones for every twenty.
            vertices: lines / 2,
            weight_bytes: if columns > 0 { 4 } else { 0 },
            column_bytes: if columns > 1 { 4 * columns } else { 0 },
            directed: !undirected,
        };
        BuildEstimate {
            edges,
            finished: size.finished(),
            peak: size.peak(),
            peak_on_disk: size.peak_on_disk(),
            budget: resources.budget(),
        }
    }
}

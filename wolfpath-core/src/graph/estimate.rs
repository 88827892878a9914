//! An estimate of the memory that building a graph takes, available before the build starts.

use super::packing;
use super::size::BuildSize;
use crate::resources::Resources;

/// The size of an input, exact or estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSize {
    /// Number of lines or records.
    pub lines: u64,
    /// Number of columns after source and target.
    pub columns: u64,
    /// `true` if each line is an edge in both directions.
    pub undirected: bool,
}

/// Estimated memory use of building a graph from a file, based on the file's size and its first lines. The build itself
/// does not use this estimate: after reading the edges, it computes the exact size, and then decides whether to use the
/// disk.
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
    /// Number of edges; each direction of an undirected edge counts.
    pub edges: u64,
    /// Size in bytes of the finished rows, weights and vertex order, without packed rows.
    pub finished: u64,
    /// Peak memory in bytes if everything is in memory.
    pub peak: u64,
    /// Peak memory in bytes if the rows are on disk.
    pub peak_on_disk: u64,
    /// Memory that the build may use, in bytes: the requested limit or, if none was set, the available memory.
    pub budget: u64,
}

impl BuildEstimate {
    /// Estimates the memory that layering an input of this size takes, and finding its paths if that was requested.
    ///
    /// ```
    /// use wolfpath_core::assemble::InputSize;
    /// use wolfpath_core::graph::BuildEstimate;
    /// use wolfpath_core::resources::Resources;
    ///
    /// let input = InputSize { lines: 1_000_000, columns: 1, undirected: true };
    /// let estimate = BuildEstimate::of(input, false, &Resources::default());
    /// assert_eq!(estimate.edges, 2_000_000);
    /// assert!(estimate.peak > estimate.finished);
    /// ```
    #[doc(hidden)]
    pub fn of(input: InputSize, has_paths: bool, resources: &Resources) -> BuildEstimate {
        let InputSize { lines, columns, undirected } = input;
        let edges = if undirected { 2 * lines } else { lines };
        let size = BuildSize {
            lines,
            edges,
            // An upper bound for most graphs: road networks have at most one vertex per two lines, and social networks
            // about one per twenty.
            vertices: lines / 2,
            weight_bytes: if columns > 0 { 4 } else { 0 },
            column_bytes: if columns > 1 { 4 * columns } else { 0 },
            directed: !undirected,
            packed_bytes: packing::most_bytes(None),
            has_paths,
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

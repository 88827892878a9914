//! The size of each part of a `.wolf` file.

use std::fs;

use super::layered_graph::{LayeredGraph, Origin};

/// Sizes of the parts of a graph's `.wolf` file, in bytes.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.wolf");
/// LayeredGraph::from_edges([(17, 5), (5, 6)])?.write(&path)?;
/// let sections = LayeredGraph::open_wolf(&path)?.file_sections().expect("it was opened from a file");
/// assert_eq!(sections.total, std::fs::metadata(&path)?.len());
/// assert_eq!(sections.weights, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileSections {
    /// The whole file.
    pub total: u64,
    /// Row offsets, and the edges' targets, grouped by source.
    pub out_rows: u64,
    /// Row offsets, and the edges' sources, grouped by target; 0 if they are not stored.
    pub in_rows: u64,
    /// The rows of both directions in packed form; 0 if they are not stored.
    pub packed_rows: u64,
    /// Edge-disjoint paths; 0 if they are not stored.
    pub paths: u64,
    /// Weights and all other columns, each counted once.
    pub weights: u64,
    /// Layer offsets, and the rank of every vertex.
    pub order: u64,
    /// The users' ids; 0 if they are consecutive.
    pub ids: u64,
}

impl FileSections {
    /// Returns the size of everything else: the header, the reason for the root, the key, and padding to whole pages.
    pub fn rest(&self) -> u64 {
        let FileSections { total, out_rows, in_rows, packed_rows, paths, weights, order, ids } = *self;
        total.saturating_sub(out_rows + in_rows + packed_rows + paths + weights + order + ids)
    }
}

impl LayeredGraph {
    /// Returns the sizes of the parts of the graph's `.wolf` file; `None` if the graph is not stored in one.
    pub fn file_sections(&self) -> Option<FileSections> {
        let path = match self.opened_from() {
            Origin::File(path) | Origin::Cache(path) | Origin::Input { kept: Some(path), .. } => path,
            Origin::Memory | Origin::Input { kept: None, .. } => return None,
        };
        let contents = &self.data.contents;
        Some(FileSections {
            // If the graph is mapped, the map's length is used. Otherwise the file was written by this process, and its
            // metadata are read; the file may have been removed since.
            total: contents.file_length().or_else(|| Some(fs::metadata(path).ok()?.len()))?,
            out_rows: contents.row_bytes(),
            in_rows: contents.in_rows.as_ref().map_or(0, |_| contents.row_bytes()),
            packed_rows: contents.packed_bytes(),
            paths: contents.path_bytes(),
            weights: contents.weight_bytes(),
            order: 4 * u64::from(contents.vertices) + size_of_val(contents.layers.values()) as u64,
            ids: contents.ids.as_ref().map_or(0, |_| 8 * u64::from(contents.vertices)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::LayerOptions;

    #[test]
    fn sections_of_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.wolf");
        let graph = LayeredGraph::from_weighted_edges([(3, 9, 7), (9, 3, 8), (9, 5, 1)]).unwrap();
        assert_eq!(graph.file_sections(), None);
        graph.write(&path).unwrap();
        let found = LayeredGraph::open_wolf(&path).unwrap().file_sections().unwrap();
        let rows = 4 * 8 + 3 * 4;
        let layers = 4 * (u64::from(graph.num_layers()) + 1);
        assert_eq!((found.out_rows, found.in_rows, found.weights), (rows, rows, 3), "weights of 8 bits");
        assert_eq!((found.order, found.ids), (3 * 4 + layers, 3 * 8));
        assert_eq!(found.total, fs::metadata(&path).unwrap().len());
        assert_eq!(found.rest(), found.total - 2 * rows - 3 - 12 - layers - 24);
        assert_eq!(found.packed_rows, 0);
        let list = graph.to_edge_list();
        let packed = LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(true)).unwrap();
        packed.write(&path).unwrap();
        let sections = LayeredGraph::open_wolf(&path).unwrap().file_sections().unwrap();
        assert_eq!(sections.packed_rows, 2 * (2 * 8 + 3 * 2 + 8 + 128));
        assert_eq!(sections.rest() + sections.packed_rows - found.rest(), sections.total - found.total);
    }

    #[cfg(unix)]
    #[test]
    fn more_edges_than_32_bits_count() {
        use super::super::build::Layered;
        use crate::store::many_edges_tests::{EDGES, write_holes};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.wolf");
        write_holes(&path);
        let contents = crate::store::map(&path).unwrap().contents;
        // The graph is used without verification, like one that was just layered, because verifying a sparse file of 96
        // GiB would take minutes.
        let layered = Layered { contents, by_rank: vec![0, 1, 2], notes: Vec::new() };
        let graph = LayeredGraph::made(layered, Origin::File(path.clone()));
        let found = graph.file_sections().unwrap();
        assert_eq!((graph.num_edges(), found.out_rows, found.weights), (EDGES, 32 + 4 * EDGES, 8 * EDGES));
        assert_eq!((found.total, found.in_rows), (fs::metadata(&path).unwrap().len(), 0));
    }
}

//! Shared code of the fuzz targets: reading bytes as a graph in some format, and correcting the checksums of a `.wolf`
//! file.

pub mod packed;
#[path = "../wolfpath-core/tests/seal/mod.rs"]
pub mod seal;

use wolfpath_core::graph::{LayerOptions, LayeredGraph};
use wolfpath_io::load::{Duplicates, Format, LoadOptions, Policy, read};
use wolfpath_core::progress::Progress;

/// Maximum length of an input. Longer inputs only slow the fuzzer down.
const MOST: usize = 1 << 16;

/// Reads bytes in a format (`None`: detected from the content) with options selected by the first byte. If the input is
/// accepted, layering it must give a valid graph with the same number of edges.
pub fn read_as(format: Option<Format>, data: &[u8]) {
    let Some((&choice, text)) = data.split_first().filter(|(_, text)| text.len() <= MOST) else {
        return;
    };
    let duplicates = match (choice >> 4 & 3, choice & 2) {
        (0, 0) => Duplicates::Keep,
        (0, _) => Duplicates::Drop,
        (1, _) => Duplicates::Min,
        (2, _) => Duplicates::Max,
        (_, _) => Duplicates::Sum,
    };
    let options = LoadOptions::new().format(format).undirected(choice & 1 != 0).duplicates(duplicates).self_loops(if choice & 4 == 0 { Policy::Keep } else { Policy::Drop }).columns(if choice & 8 == 0 { Vec::new() } else { vec!["a", "b"] }).lossy_weights(choice & 0x40 != 0).vertices(if choice & 0x80 == 0 { vec![] } else { vec![0, 3, 1 << 40] });
    let Ok(edges) = read(text, "input", &options) else {
        return;
    };
    let number = edges.num_edges();
    // A header that declares very many vertices is valid, but layering such a graph takes too long.
    if edges.num_vertices() > 1 << 20 {
        return;
    }
    let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default()).expect("no root was requested");
    assert_eq!(graph.num_edges(), number);
    let examination = graph.examine(&Progress::NONE);
    assert!(examination.problems.is_empty(), "{:?}", examination.problems);
}

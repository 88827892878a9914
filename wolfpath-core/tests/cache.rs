//! Layered graphs kept for the next run. One test, because the cache directory is named by the environment.

use std::fs;
use std::path::{Path, PathBuf};

use wolfpath_core::graph::{LayeredGraph, OpenOptions, Origin};
use wolfpath_core::load::LoadOptions;

fn kept(graph: &LayeredGraph) -> Option<PathBuf> {
    match graph.opened_from() {
        Origin::Input { kept, .. } => kept.clone(),
        other => panic!("read from {other:?}"),
    }
}

fn is_cached(graph: &LayeredGraph) -> bool {
    matches!(graph.opened_from(), Origin::Cache(_))
}

fn undirected() -> OpenOptions {
    OpenOptions { load: LoadOptions { undirected: true, ..LoadOptions::default() }, ..OpenOptions::default() }
}

#[test]
fn kept_beside_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("graph.el");
    fs::write(&input, "1 2\n2 3\n2 3\n").unwrap();

    let first = LayeredGraph::open(&input).unwrap();
    let place = kept(&first).unwrap();
    assert_eq!(place.parent(), input.canonicalize().unwrap().parent());
    let second = LayeredGraph::open(&input).unwrap();
    assert!(is_cached(&second));
    assert_eq!(second.notes(), first.notes(), "what the loader said is said again");
    assert!(!second.notes().is_empty());

    other_options_are_kept_apart(&input);
    a_damaged_file_is_replaced(&input, &place);
    a_changed_input_is_read_again(&input);
}

fn other_options_are_kept_apart(input: &Path) {
    let both = LayeredGraph::open_with(input, &undirected()).unwrap();
    assert_eq!((both.num_edges(), kept(&both).is_some()), (6, true));
    let rooted = OpenOptions { root: Some(3), ..OpenOptions::default() };
    assert_eq!(LayeredGraph::open_with(input, &rooted).unwrap().root(), Some(3));
    assert!(is_cached(&LayeredGraph::open_with(input, &undirected()).unwrap()));
    assert!(is_cached(&LayeredGraph::open(input).unwrap()));
    let bare = OpenOptions { cache: false, ..OpenOptions::default() };
    assert_eq!(kept(&LayeredGraph::open_with(input, &bare).unwrap()), None);
    let rebuilt = OpenOptions { rebuild: true, ..OpenOptions::default() };
    assert!(kept(&LayeredGraph::open_with(input, &rebuilt).unwrap()).is_some());
}

fn a_damaged_file_is_replaced(input: &Path, place: &Path) {
    let whole = fs::read(place).unwrap();
    fs::write(place, &whole[..whole.len() / 2]).unwrap();
    let graph = LayeredGraph::open(input).unwrap();
    assert!(graph.notes()[0].contains("built again"), "{:?}", graph.notes());
    assert!(fs::read(place).unwrap() == whole);

    // Damage inside a section is found when the file is opened.
    let mut damaged = whole.clone();
    damaged[4096 * 4] ^= 1;
    fs::write(place, damaged).unwrap();
    let graph = LayeredGraph::open(input).unwrap();
    assert!(!is_cached(&graph) && graph.out_edges().ends.len() == 3);
    assert!(graph.notes()[0].contains("built again"), "{:?}", graph.notes());
    assert!(fs::read(place).unwrap() == whole);
}

fn a_changed_input_is_read_again(input: &Path) {
    fs::write(input, "1 2\n2 3\n3 4\n").unwrap();
    let graph = LayeredGraph::open(input).unwrap();
    assert_eq!((graph.num_vertices(), is_cached(&graph)), (4, false));
    assert!(is_cached(&LayeredGraph::open(input).unwrap()));
}

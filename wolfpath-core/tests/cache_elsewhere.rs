//! Where a layered graph is kept when the input's folder cannot be written. A test of its own process, because the
//! cache directory is named by the environment.

use std::fs;

use wolfpath_core::graph::{LayeredGraph, Origin};

#[test]
fn kept_in_the_cache_directory_or_noted() {
    // A read-only folder says nothing to a privileged user; a name too long for another ending stops everyone.
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join(format!("{}.el", "n".repeat(250)));
    fs::write(&input, "1 2\n").unwrap();
    let caches = tempfile::tempdir().unwrap();
    // SAFETY: this process runs one test, and no other thread reads the environment now.
    unsafe { std::env::set_var("WOLFPATH_CACHE_DIR", caches.path().join("made/when/needed")) };
    let graph = LayeredGraph::open(&input).unwrap();
    let Origin::Input { kept, .. } = graph.opened_from() else { panic!("{:?}", graph.opened_from()) };
    assert!(kept.as_ref().is_some_and(|place| place.starts_with(caches.path())), "{kept:?}");
    assert!(matches!(LayeredGraph::open(&input).unwrap().opened_from(), Origin::Cache(_)));

    // SAFETY: as above.
    unsafe { std::env::set_var("WOLFPATH_CACHE_DIR", input.join("below a file")) };
    let graph = LayeredGraph::open(&input).unwrap();
    assert!(graph.notes().iter().any(|note| note.contains("could not be kept")), "{:?}", graph.notes());
}

//! Test of the default cache folder. It is the only test in its process, because it changes environment variables,
//! which determine the folder.

use std::fs;

use wolfpath_core::cache;
use wolfpath_core::graph::{LayeredGraph, Origin};
use wolfpath_io::OpenGraph;

#[test]
fn kept_in_the_folder_that_the_environment_names_or_noted() {
    let folder = tempfile::tempdir().unwrap();
    // This name is nearly as long as the system allows, so no extension can be added to it.
    let input = folder.path().join(format!("{}.el", "n".repeat(250)));
    fs::write(&input, "1 2\n").unwrap();
    let caches = tempfile::tempdir().unwrap();
    let own = caches.path().join("made/when/needed");
    // SAFETY: this process runs a single test, and no other thread accesses the environment now.
    unsafe { std::env::set_var("WOLFPATH_CACHE_DIR", &own) };
    assert_eq!(cache::folder(), Some(own.clone()));
    let graph = LayeredGraph::open(&input).unwrap();
    let Origin::Input { kept, .. } = graph.opened_from() else { panic!("{:?}", graph.opened_from()) };
    assert!(kept.as_ref().is_some_and(|place| place.starts_with(&own)), "{kept:?}");
    assert!(matches!(LayeredGraph::open(&input).unwrap().opened_from(), Origin::Cache(_)));

    // SAFETY: as above.
    unsafe { std::env::set_var("WOLFPATH_CACHE_DIR", input.join("below a file")) };
    let graph = LayeredGraph::open(&input).unwrap();
    assert!(graph.notes().iter().any(|note| note.contains("could not be kept")), "{:?}", graph.notes());

    #[cfg(target_os = "linux")]
    {
        // SAFETY: as above.
        unsafe {
            std::env::remove_var("WOLFPATH_CACHE_DIR");
            std::env::set_var("XDG_CACHE_HOME", caches.path());
        }
        assert_eq!(cache::folder(), Some(caches.path().join("wolfpath")));
        let graph = LayeredGraph::open(&input).unwrap();
        let Origin::Input { kept, .. } = graph.opened_from() else { panic!("{:?}", graph.opened_from()) };
        assert!(kept.as_ref().is_some_and(|place| place.starts_with(caches.path().join("wolfpath"))));
        // SAFETY: as above.
        unsafe {
            std::env::remove_var("XDG_CACHE_HOME");
            std::env::remove_var("HOME");
        }
        assert_eq!(cache::folder(), None);
        let graph = LayeredGraph::open(&input).unwrap();
        assert!(
            graph.notes().iter().any(|note| note.contains("set WOLFPATH_CACHE_DIR")),
            "{:?}",
            graph.notes()
        );
    }
}

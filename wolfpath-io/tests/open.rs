//! Tests of opening by path: options that apply to a `.wolf` file, and graphs that are built and kept.

use std::fs;

use wolfpath_core::graph::{LayeredGraph, Origin};
use wolfpath_io::load::{Duplicates, Format, LoadOptions, Policy};
use wolfpath_io::{OpenError, OpenGraph, OpenOptions};

#[path = "../../wolfpath-core/tests/seal/mod.rs"]
mod seal;

#[test]
fn what_was_settled_when_building_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let undirected = LoadOptions::new().undirected(true);
    let options = OpenOptions::new().load(undirected).root(3);
    LayeredGraph::from_weighted_edges([(3u64, 900, 1.5f64), (900, 17, 0.1)]).unwrap().write(&path).unwrap();
    let error = LayeredGraph::open_with(&path, &options).unwrap_err();
    assert!(matches!(error, OpenError::OneWay { .. }) && error.to_string().contains("one-way"), "{error}");
    LayeredGraph::from_edges([(1, 2), (2, 1)]).unwrap().write(&path).unwrap();
    let graph = LayeredGraph::open_with(&path, &options).unwrap();
    assert_eq!(graph.opened_from(), &Origin::File(path));
    assert!(graph.notes().iter().any(|note| note.contains("a different root than 3")), "{:?}", graph.notes());
}

#[test]
fn options_about_reading_are_refused_for_a_graph_that_was_read_already() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    LayeredGraph::from_edges([(1, 2)]).unwrap().write(&path).unwrap();
    let default = LoadOptions::default;
    for (load, name) in [
        (default().format(Format::EdgeList), "format"),
        (default().duplicates(Duplicates::Min), "duplicates"),
        (default().self_loops(Policy::Drop), "self-loops"),
        (default().ignore_extra_columns(true), "extra columns"),
        (default().columns(["a"]), "columns"),
        (default().vertices([7]), "vertices"),
    ] {
        let error = LayeredGraph::open_with(&path, &OpenOptions::new().load(load)).unwrap_err();
        assert!(matches!(&error, OpenError::BuiltAlready { options, .. } if options == &[name]), "{error}");
        assert!(error.to_string().contains(&format!("found {name}:")), "{error}");
    }
    let rounded = default().lossy_weights(true);
    assert!(LayeredGraph::open_with(&path, &OpenOptions::new().load(rounded)).is_ok());
}

#[test]
fn a_kept_graph_is_the_same_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("graph.el");
    fs::write(&input, "1 2\n2 1\n2 3\n3 2\n").unwrap();
    let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    let open = || LayeredGraph::open_with(&input, &options).unwrap();
    let [made, opened] = [open(), open()].map(|graph| graph.file_sections());
    assert_eq!(made, opened);
    assert!(made.is_some_and(|made| made.in_rows == 0 && made.ids == 0));
}

#[test]
fn a_kept_graph_of_another_version_is_as_good_as_none() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("graph.el");
    fs::write(&input, "1 2\n2 3\n").unwrap();
    let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    let open = || LayeredGraph::open_with(&input, &options).unwrap();
    let Origin::Input { kept: Some(kept), .. } = open().opened_from().clone() else {
        panic!("the graph must have been kept")
    };
    let mut bytes = fs::read(&kept).unwrap();
    bytes[8] = 3;
    seal::seal(&mut bytes);
    fs::write(&kept, bytes).unwrap();
    let graph = open();
    assert!(matches!(graph.opened_from(), Origin::Input { kept: Some(_), .. }));
    assert!(graph.notes().is_empty(), "{:?}", graph.notes());
    assert!(matches!(open().opened_from(), Origin::Cache(_)));
}

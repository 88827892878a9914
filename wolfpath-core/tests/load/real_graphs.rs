//! Real graphs, against the figures of their publishers. They are in the folder that `WOLFPATH_DATA` names; where
//! there is none the tests pass over them, except where CI runs.

use std::path::{Path, PathBuf};
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::load::{LoadOptions, load};

/// The graph's file; `None` where there are no real graphs.
fn file(name: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("WOLFPATH_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    };
    if folder.is_dir() {
        return Some(folder.join(name));
    }
    assert!(std::env::var_os("CI").is_none(), "no real graphs in {}; set WOLFPATH_DATA", folder.display());
    eprintln!("passed over: there is no folder {}; set WOLFPATH_DATA", folder.display());
    None
}

fn graph(name: &str, undirected: bool) -> Option<EdgeList> {
    let options = LoadOptions { undirected, ..LoadOptions::default() };
    Some(load(file(name)?, &options).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn usa_road_ne() {
    let Some(list) = graph("USA-road-NE.tw.gr.xz", false) else { return };
    assert_eq!((list.num_vertices(), list.num_edges()), (1_524_453, 2 * 1_934_010));
    assert_eq!(list.report().unwrap().edges_in_file, 1_934_010);
    assert!(list.is_symmetric());
}

#[test]
fn osm_moscow() {
    let Some(list) = graph("osm-moscow.wel.zst", true) else { return };
    assert_eq!((list.num_vertices(), list.report().unwrap().edges_in_file), (411_992, 451_135));
    assert!(list.weights().unwrap().slice().max_integer().is_some());
}

#[test]
fn cnr_2000() {
    let Some(list) = graph("cnr-2000.el.zst", false) else { return };
    assert_eq!((list.num_vertices(), list.num_edges()), (325_557, 3_216_152));
}

#[test]
fn ego_twitter_has_14_self_loops() {
    let Some(list) = graph("ego-Twitter.el.zst", true) else { return };
    assert_eq!((list.num_vertices(), list.num_edges()), (81_306, 2 * 1_342_310 - 14));
    assert_eq!(list.report().unwrap().self_loops, 14);
}

#[test]
fn bremen_lacks_its_p_line() {
    let Some(list) = graph("bremen_dist.gr.zst", false) else { return };
    assert_eq!((list.num_vertices(), list.num_edges()), (40_461, 86_475));
    assert!(list.notes()[0].contains("`p` line is missing"));
}

#[test]
fn luxembourg_lacks_its_header() {
    let Some(path) = file("luxembourg_osm.mtx.zst") else { return };
    let error = load(path, &LoadOptions::default()).unwrap_err().to_string();
    assert!(
        error.contains("line 1: a Matrix Market file starts with") && error.contains("--format el"),
        "{error}"
    );
}

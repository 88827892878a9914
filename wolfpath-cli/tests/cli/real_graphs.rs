//! Real graphs, in the folder that `WOLFPATH_DATA` names; nothing is kept beside them.

use crate::support::{Done, Folder, real_graph};

#[track_caller]
fn run(graph: &str, before: &[&str], after: &[&str]) -> Option<Done> {
    let path = real_graph(graph)?;
    let path = path.to_str().expect("a path of text");
    Some(Folder::new().wolfpath_with(before.iter().chain(&[path, "--no-cache"]).chain(after)))
}

#[test]
fn shortest_paths_in_moscow() {
    let options = ["--undirected", "--source", "1000", "--verify", "--json"];
    let Some(done) = run("osm-moscow.wel.zst", &["run", "sssp"], &options) else { return };
    let json = done.succeeded().json();
    assert_eq!((&json["verification"]["passed"], &json["number"]), (&true.into(), &"u32".into()));
    assert_eq!(json["graph"]["vertices"], 411_992);
}

#[test]
fn bremen_lacks_its_p_line() {
    let Some(done) = run("bremen_dist.gr.zst", &["run", "bfs"], &["--verify"]) else { return };
    let done = done.succeeded();
    assert!(done.err.contains("note: the `p` line is missing"), "{done:?}");
}

#[test]
fn luxembourg_lacks_its_header() {
    let Some(done) = run("luxembourg_osm.mtx.zst", &["run", "bfs"], &[]) else { return };
    done.failed(&["luxembourg_osm.mtx.zst, line 1", "%%MatrixMarket", "--format el"]);
}

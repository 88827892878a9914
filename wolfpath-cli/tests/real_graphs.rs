//! The command over real graphs, without keeping anything.

#[path = "../../tests/support/on_real_graphs.rs"]
mod on_real_graphs;
#[allow(dead_code, reason = "these tests use only a part of it")]
#[path = "cli/support.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use on_real_graphs::tests;
use support::{Done, Folder, events};

fn main() -> ExitCode {
    on_real_graphs::run(
        &tests!(shortest_paths_in_moscow bremen_lacks_its_p_line luxembourg_lacks_its_header traced_and_drawn pictures_of_both_kinds),
    )
}

#[track_caller]
fn run(data: &Path, graph: &str, before: &[&str], after: &[&str]) -> Done {
    let path = data.join(graph);
    let path = path.to_str().expect("the path is UTF-8");
    Folder::new().wolfpath_with(before.iter().chain(&[path, "--no-cache"]).chain(after))
}

fn shortest_paths_in_moscow(data: &Path) {
    let options = ["--undirected", "--source", "1000", "--verify", "--json"];
    let done = run(data, "osm-moscow.wel.zst", &["run", "sssp"], &options);
    let json = done.succeeded().json();
    assert_eq!((&json["verification"]["passed"], &json["number"]), (&true.into(), &"u32".into()));
    assert_eq!(json["graph"]["vertices"], 411_992);
}

fn bremen_lacks_its_p_line(data: &Path) {
    let done = run(data, "bremen_dist.gr.zst", &["run", "bfs"], &["--verify"]);
    let done = done.succeeded();
    assert!(done.err.contains("note: the `p` line is missing"), "{done:?}");
}

fn luxembourg_lacks_its_header(data: &Path) {
    let done = run(data, "luxembourg_osm.mtx.zst", &["run", "bfs"], &[]);
    done.failed(&["luxembourg_osm.mtx.zst, line 1", "%%MatrixMarket", "--format el"]);
}

fn traced_and_drawn(data: &Path) {
    let path = data.join("USA-road-NY.tw.gr.xz");
    let folder = Folder::new();
    let path = path.to_str().expect("the path is UTF-8");
    let options =
        ["--undirected", "--no-cache", "--engine", "cpu", "--trace", "t.json", "--plot", "p.svg", "--json"];
    let report = folder.wolfpath_with(["run", "bfs", path].iter().chain(&options)).succeeded().json();
    assert_eq!(Some(events(&folder, "t.json", "step").len() as u64), report["steps"].as_u64());
    let svg = folder.text("p.svg");
    assert!(svg.contains("USA-road-NY") && svg.len() < 400_000, "{} bytes", svg.len());
}

fn pictures_of_both_kinds(data: &Path) {
    for (name, options, part) in [
        ("USA-road-NY.tw.gr.xz", &["--undirected"][..], "264,346 vertices, 730,100 edges"),
        ("ego-Twitter.el.zst", &[], "81,306 vertices"),
    ] {
        let path = data.join(name);
        let folder = Folder::new();
        let path = path.to_str().expect("the path is UTF-8");
        let arguments = ["info", path, "--no-cache", "--plot", "p.svg"];
        folder.wolfpath_with(arguments.iter().chain(options)).succeeded();
        let svg = folder.text("p.svg");
        assert!(svg.contains(part) && svg.contains(name) && svg.len() < 500_000, "{} bytes", svg.len());
    }
}

//! `wolfpath cuda`: the printed text and its options.

use crate::support::Folder;

#[test]
fn the_text_names_the_rust_it_came_from() {
    let folder = Folder::new();
    let text = folder.wolfpath("cuda sssp").succeeded().out;
    for part in [
        "wp::u32 sssp_fn(wp::u32 distance_, wp::u32 weight_",
        "// distance + weight",
        "#line",
        "shortest_paths.rs",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    assert!(folder.wolfpath("cuda sssp --number f64").succeeded().out.contains("wp::f64 distance_"));
    assert!(folder.wolfpath("cuda pagerank").succeeded().out.contains("wp::f32 damping_"));
}

#[test]
fn the_whole_unit_holds_the_kernel() {
    let text = Folder::new().wolfpath("cuda bfs --whole").succeeded().out;
    assert!(text.contains("wolfpath_run") && text.contains("#define WP_CHECKED"), "{text}");
}

#[test]
fn what_cannot_be_meant() {
    Folder::new().wolfpath("cuda").misused(&["Usage"]);
    Folder::new().wolfpath("cuda dijkstra").misused(&["sssp"]);
    Folder::new().wolfpath("cuda sssp --number u8").misused(&["u64"]);
}

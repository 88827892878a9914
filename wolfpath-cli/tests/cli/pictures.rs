//! `wolfpath info --plot`: the contents and the size of the plots.

use crate::support::Folder;

fn picture(folder: &Folder, graph: &str) -> String {
    let done = folder.wolfpath(&format!("info {graph} --no-cache --plot p.svg")).succeeded();
    assert!(done.out.contains("picture    p.svg"), "{done:?}");
    let svg = folder.text("p.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    svg
}

#[test]
fn a_picture_says_what_it_shows() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n3 1\n1 4\n4 4\n2 4\n");
    let svg = picture(&folder, "g.el");
    for part in [
        "g.el",
        "4 vertices, 6 edges (directed)",
        "root 1: ",
        "layer: hops from the root",
        "backward",
        "forward",
        "vertices with this degree",
        "out-degree: 1.50 on average, at most 2",
        "in-degree: 1.50 on average, at most 3",
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    assert_eq!(picture(&folder, "g.el"), svg);
    // In a symmetric graph, in-degrees equal out-degrees, so only one distribution is shown.
    let both = picture(&folder, "g.el --undirected");
    assert!(both.contains("each in both directions") && !both.contains("in-degree"), "{both}");
    assert_eq!(folder.names(), ["g.el", "p.svg"]);
}

#[test]
fn graphs_of_nothing_and_of_one_vertex() {
    let folder = Folder::new();
    folder.file("none.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
    assert!(picture(&folder, "none.mtx").contains("The graph has no vertices"));
    folder.file("one.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n");
    assert!(picture(&folder, "one.mtx").contains("No vertex has an edge"));
    folder.file("loop.el", "7 7\n");
    assert!(picture(&folder, "loop.el").contains("1 vertex, 1 edge"));
}

#[test]
fn many_layers_make_no_large_picture() {
    let folder = Folder::new();
    folder.file("path.el", (0..20_000).map(|id| format!("{id} {}\n", id + 1)).collect::<String>());
    let svg = picture(&folder, "path.el");
    assert!(svg.len() < 300_000 && svg.contains("consecutive layers"), "{}", svg.len());
}

#[test]
fn pictures_that_cannot_be_written() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n");
    folder.file("file", "in the way");
    folder.wolfpath("info g.el --no-cache --plot p.png").misused(&["--plot", ".svg"]);
    for place in ["file/p.svg", "no/such/p.svg"] {
        let done = folder.wolfpath(&format!("info g.el --no-cache --plot {place}"));
        // The error occurs before the graph is read.
        let done = done.failed(&[place, "cannot be written", "folder"]);
        assert_eq!(done.out, "");
    }
    std::fs::create_dir(folder.path("d.svg")).expect("a temporary folder");
    folder.wolfpath("info g.el --no-cache --plot d.svg").failed(&["d.svg: cannot be written"]);
    assert_eq!(folder.names(), ["d.svg", "file", "g.el"]);
}

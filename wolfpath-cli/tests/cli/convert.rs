//! `wolfpath convert`: conversions between formats, and errors.

use crate::support::Folder;

const GRAPH: &str = "1 2 5\n2 3 7\n3 1 1\n4 4 2\n1 2 5\n";

#[test]
fn the_ending_tells_the_format() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let done = folder.wolfpath("convert g.wel g.csv").succeeded();
    assert_eq!(done.out, "g.csv: 4 vertices, 5 edges\n");
    assert_eq!(folder.text("g.csv"), "source,target,weight\n1,2,5\n2,3,7\n3,1,1\n4,4,2\n1,2,5\n");
    folder.wolfpath("convert g.csv g.mtx").succeeded();
    assert!(folder.text("g.mtx").starts_with("%%MatrixMarket matrix coordinate integer general\n4 4 5\n"));
    folder.wolfpath("convert g.wel g.graph --undirected").succeeded();
    assert_eq!(folder.text("g.graph"), "4 5 001\n2 5 2 5 3 1\n1 5 1 5 3 7\n1 1 2 7\n4 2\n");
    folder.wolfpath("convert g.graph g.gr.zst").succeeded();
    folder.wolfpath("convert g.gr.zst again.wel").succeeded();
    assert_eq!(folder.text("again.wel").lines().count(), 10);
}

#[test]
fn endings_in_capital_letters_are_endings() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("convert g.wel G.WOLF").succeeded();
    folder.wolfpath("convert G.WOLF H.WEL").succeeded();
    assert_eq!(folder.text("H.WEL").lines().filter(|line| !line.starts_with('#')).count(), 5);
}

#[test]
fn a_chain_of_formats_ends_where_it_began() {
    let folder = Folder::new();
    folder.file("a.wel", GRAPH);
    let chain = ["a.wel", "b.bin64u32.gz", "c.tsv.xz", "d.gr", "e.mtx", "f.wolf", "g.bin32f64", "h.wel"];
    for pair in chain.windows(2) {
        folder.wolfpath(&format!("convert {} {}", pair[0], pair[1])).succeeded();
    }
    let sorted = |name: &str| {
        let text = folder.text(name);
        let mut lines: Vec<String> =
            text.lines().filter(|line| !line.starts_with('#')).map(String::from).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted("a.wel"), sorted("h.wel"));
}

#[test]
fn layered_graphs_become_edges_again() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("convert g.wel g.wolf --undirected").succeeded();
    let json = folder.wolfpath("run sssp g.wolf --source 1 --verify --json").succeeded().json();
    assert_eq!(json["graph"]["symmetric"], true);
    folder.wolfpath("convert g.wolf g.mtx").succeeded();
    assert!(folder.text("g.mtx").starts_with("%%MatrixMarket matrix coordinate integer symmetric\n4 4 5\n"));
    folder.wolfpath("convert g.wolf h.wolf").succeeded();
    let done = folder.wolfpath("convert h.wolf g.sg --renumber --drop-weights").succeeded();
    assert!(
        done.err.contains("note: the vertices were renumbered by ascending id: 1 is 0, 4 is 3"),
        "{done:?}"
    );
    assert!(done.err.contains("note: the weights were left out"), "{done:?}");
    // A directed graph remains directed.
    folder.file("one.el", "1 2\n");
    folder.wolfpath("convert one.el one.wolf").succeeded();
    folder.wolfpath("convert one.wolf one.mtx").succeeded();
    assert!(folder.text("one.mtx").contains("general\n2 2 1\n1 2\n"));
}

#[test]
fn the_format_can_be_named() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("convert g.wel edges.dat --to bin32u32").succeeded();
    assert_eq!(std::fs::read(folder.path("edges.dat")).expect("the file was written").len(), 5 * 12);
    folder.wolfpath("convert edges.dat g.txt --format bin32u32 --duplicates drop").succeeded();
    assert_eq!(folder.text("g.txt").lines().count(), 5);
    folder.wolfpath("convert g.wel edges.dat").failed(&[
        "edges.dat",
        "does not determine the format",
        "--to",
    ]);
}

#[test]
fn what_a_format_cannot_hold_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    for (arguments, parts) in [
        ("g.wel g.el", &["have weights", "--drop-weights"][..]),
        ("g.wel g.sg", &["have weights", ".wsg", "--drop-weights"]),
        ("g.wel g.wsg", &["ids from 0 on", "--renumber"]),
        ("g.wel g.graph", &["one-way", "--undirected"]),
        ("g.wel g.wel", &["the graph itself"]),
        ("g.wel no/such/g.csv", &["cannot be written"]),
        ("none.el g.csv", &["none.el", "no such file"]),
    ] {
        folder.wolfpath(&format!("convert {arguments}")).failed(parts);
    }
    assert_eq!(folder.names(), ["g.wel"]);
    folder.file("g.el", "0 1\n8 9\n");
    folder.file("alone.graph", "3 1\n2\n1\n\n");
    let done = folder.wolfpath("convert alone.graph alone.el").succeeded();
    assert!(done.err.contains("1 of the 3 vertices have no edge"), "{done:?}");
}

#[test]
fn damaged_binary_files_are_refused_with_the_byte() {
    let folder = Folder::new();
    folder.file("g.bin32", [1, 0, 0, 0, 2, 0, 0, 0, 3]);
    folder.wolfpath("convert g.bin32 g.el").failed(&["g.bin32, byte 8", "cut short"]);
    folder.file("g.sg", [1, 0, 0]);
    folder.wolfpath("run bfs g.sg").failed(&["g.sg, byte 3", "the number of edges", "cut short"]);
    folder.file("g.graph", "3 1\n2\n3\n\n");
    folder.wolfpath("info g.graph").failed(&["g.graph, line 2", "no neighbour 1"]);
}

#[test]
fn command_lines_that_cannot_be_meant() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    for (arguments, part) in [
        ("g.wel", "OUTPUT"),
        ("g.wel g.csv --to xml", "no format is called 'xml'"),
        ("g.wel g.csv --to wolf", "ends in .wolf"),
        ("g.wel g.wolf --renumber", "--renumber"),
    ] {
        folder.wolfpath(&format!("convert {arguments}")).misused(&[part]);
    }
    assert_eq!(folder.names(), ["g.wel"]);
}

//! The last line of a command, and the absence of progress bars without a terminal.

use crate::support::{Done, Folder};

const GRAPH: &str = "1 2 5\n2 3 7\n3 1 1\n";

#[track_caller]
fn summary<'a>(done: &'a Done, command: &str) -> &'a str {
    let begin = format!("{command}: ");
    let mut lines = done.err.lines().filter(|line| line.starts_with(&begin));
    let line = lines.next().unwrap_or_else(|| panic!("{done:?}"));
    assert_eq!(lines.next(), None, "{done:?}");
    line
}

#[test]
fn build_says_how_fast_it_was() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let done = folder.wolfpath("build g.wel --output g.wolf").succeeded();
    let line = summary(&done, "build");
    for part in [" s, ", "edges/s", "18.0 B read at ", "B written"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert_eq!(line.contains(" of memory"), cfg!(target_os = "linux"), "{line}");
    // A command that only opens a graph reports no rate.
    folder.wolfpath("build g.wel").succeeded();
    let done = folder.wolfpath("build g.wel").succeeded();
    assert!(!summary(&done, "build").contains("edges/s"), "{done:?}");
}

#[test]
fn generate_says_how_fast_it_was() {
    let folder = Folder::new();
    for output in ["g.el", "g.wolf"] {
        let done = folder.wolfpath(&format!("generate rmat --scale 8 --output {output}")).succeeded();
        let line = summary(&done, "generate");
        assert!(line.contains("edges/s") && line.contains("B written"), "{line}");
    }
}

#[test]
fn convert_says_how_fast_it_was() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    for output in ["g.mtx", "g.wolf", "g.csv.zst"] {
        let done = folder.wolfpath(&format!("convert g.wel {output}")).succeeded();
        let line = summary(&done, "convert");
        assert!(line.contains("edges/s, 18.0 B read at ") && line.contains("B written"), "{line}");
    }
}

#[test]
fn nothing_is_drawn_where_nobody_watches() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    for command in [
        "build g.wel --output g.wolf",
        "info g.wel --plot g.svg",
        "run sssp g.wel --source 1",
        "convert g.wel g.csv",
        "generate road --width 20 --height 20 --output r.el",
    ] {
        let done = folder.wolfpath(command).succeeded();
        assert!(!done.err.contains(['\r', '\x1b']), "{done:?}");
    }
}

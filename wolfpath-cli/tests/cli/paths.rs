//! Paths: how they are built, and what `info` and `check` print about them.

use std::fs;

use crate::support::Folder;

#[test]
fn paths_are_built_on_request() {
    let folder = Folder::new();
    // A cycle of three, a tail of 40 edges, and an edge to the end of the tail.
    let tail: String = (3..43).map(|v| format!("{v} {}\n", v + 1)).collect();
    folder.file("g.el", format!("1 2\n2 3\n3 1\n{tail}1 43\n"));
    folder.wolfpath("build g.el --paths --output g.wolf").succeeded();
    let text = folder.wolfpath("info g.wolf").succeeded();
    let line = text.out.lines().find(|line| line.starts_with("paths ")).unwrap_or_else(|| panic!("{text:?}"));
    assert!(line.ends_with("the largest with 20.0 % of the paths"), "{line}");
    for part in ["paths      5 of 8.80 edges on average, at most 16; ", "5 components in 4 layers"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let json = folder.wolfpath("info g.wolf --json").succeeded().json();
    assert_eq!((&json["paths"]["number"], &json["paths"]["longest"]), (&5.into(), &16.into()));
    assert!(json["file"]["paths"].as_u64() > Some(44 * 4));

    folder.wolfpath("build g.el --paths=4 --output short.wolf").succeeded();
    let json = folder.wolfpath("info short.wolf --json").succeeded().json();
    assert_eq!(json["paths"]["longest"], 4);
    folder.wolfpath("build g.el --output without.wolf").succeeded();
    assert!(folder.wolfpath("info without.wolf").succeeded().out.contains("\npaths      none\n"));
    assert!(folder.wolfpath("info without.wolf --json").succeeded().json()["paths"].is_null());
    let done = folder.wolfpath("build without.wolf --paths --output other.wolf").succeeded();
    assert!(
        done.err.contains("without.wolf: built without paths; build it again to change this"),
        "{done:?}"
    );
    let done = folder.wolfpath("build g.wolf --paths=4 --output other.wolf").succeeded();
    assert!(done.err.contains("g.wolf: built with longer paths; build it again to change this"), "{done:?}");
    folder.wolfpath("build g.el --paths=0").misused(&["--paths", "0"]);
    folder.wolfpath("build g.el --paths=300").misused(&["--paths", "300"]);
    folder.wolfpath("build g.el --paths four").misused(&["four"]);
}

#[test]
fn kept_graphs_with_and_without_paths_differ() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n");
    folder.wolfpath("build g.el --paths").succeeded();
    folder.wolfpath("build g.el").succeeded();
    let listed = folder.wolfpath("cache list --json").succeeded().json();
    let graphs = listed["graphs"].as_array().expect("a list");
    let options: Vec<&serde_json::Value> = graphs.iter().map(|graph| &graph["options"]).collect();
    assert!(options.contains(&&"paths of 16".into()) && options.len() == 2, "{options:?}");
}

#[test]
fn check_examines_paths() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n3 1\n3 4\n");
    folder.wolfpath("build g.el --paths --output g.wolf --no-packed").succeeded();
    let done = folder.wolfpath("check g.wolf").succeeded();
    assert!(done.out.contains("paths: each edge once, in the order of their dependencies; "), "{done:?}");
    let mut bytes = fs::read(folder.path("g.wolf")).expect("the file was written");
    // The layers of paths are the last section. The key after it has 24 bytes and no text.
    let last = bytes.len() - 24 - 4096;
    bytes[last] ^= 1;
    fs::write(folder.path("g.wolf"), bytes).expect("the file is writable");
    let done = folder.wolfpath("check g.wolf").failed(&["verification failed (problems: 1)"]);
    assert!(done.out.contains("\"layers of paths\""), "{done:?}");
    folder.wolfpath("info g.wolf").failed(&["\"layers of paths\"", "build it again"]);
}

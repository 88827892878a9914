//! Conventions of inputs: headers, duplicates, empty files, additional vertices, inexact numbers.

use crate::support::Folder;

/// Graph with two parallel edges of different weights.
const PARALLEL: &str = "1 2 9\n1 2 4\n2 3 1\n";

#[test]
fn a_header_that_names_the_target_first_turns_no_edge_round() {
    let folder = Folder::new();
    folder.file("a.csv", "target,source\n1,2\n");
    let done = folder.wolfpath("run reach a.csv --source 1 --output -").succeeded();
    assert_eq!(done.out, "1 true\n2 -\n");
    assert!(done.err.contains("edges lead from column 2 (`source`) to column 1 (`target`)"), "{done:?}");
    assert_eq!(folder.wolfpath("run reach a.csv --source 2 --output -").succeeded().out, "1 true\n2 true\n");
    folder.file("b.csv", "target,source,w\n1,2,3\n");
    folder.wolfpath("info b.csv --columns length").failed(&[
        "b.csv, line 2",
        "`target,source,w`",
        "requested: `length`",
        "(--columns)",
    ]);
}

#[test]
fn duplicates_have_five_fates() {
    let folder = Folder::new();
    folder.file("g.wel", PARALLEL);
    for (fate, distance) in [("keep", 5), ("drop", 10), ("min", 5), ("max", 10), ("sum", 14)] {
        let run = format!("run sssp g.wel --source 1 --output - --verify --duplicates {fate}");
        let done = folder.wolfpath(&run).succeeded();
        assert!(done.out.ends_with(&format!("3 {distance}\n")), "{fate}: {done:?}");
    }
    let done = folder.wolfpath("build g.wel --duplicates min").succeeded();
    assert!(
        done.err.contains("note: 1 duplicate edge merged: the edge with the smallest weight is kept"),
        "{done:?}"
    );
    folder.wolfpath("info g.wel --duplicates most").misused(&["most", "--duplicates"]);
    let help = folder.wolfpath("help convert").succeeded().out;
    assert!(help.contains("--duplicates <POLICY>") && help.contains("(min)"), "{help}");
}

#[test]
fn an_empty_edge_list_is_a_graph() {
    let folder = Folder::new();
    folder.file("empty.el", "");
    let done = folder.wolfpath("info empty.el").succeeded();
    assert!(done.out.contains("vertices   0,"), "{done:?}");
    assert!(done.err.contains("note: there are no edges in the file"), "{done:?}");
    folder.wolfpath("run components empty.el --output -").succeeded();
}

#[test]
fn vertices_come_from_a_file_and_renew_what_is_kept() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n");
    folder.file("more", "# islands\n7\n\n2\n");
    let run = "run components g.el --vertices more --output -";
    assert_eq!(folder.wolfpath(run).succeeded().out, "1 1\n2 1\n7 7\n");
    assert_eq!(folder.wolfpath(run).succeeded().out, "1 1\n2 1\n7 7\n");
    folder.file("more", "# islands\n8\n\n2\n");
    assert_eq!(folder.wolfpath(run).succeeded().out, "1 1\n2 1\n8 8\n");
    assert_eq!(folder.wolfpath("run components g.el --output -").succeeded().out, "1 1\n2 1\n");
    folder.wolfpath("convert g.el g.mtx --vertices more --renumber").succeeded();
    assert!(folder.text("g.mtx").contains("\n3 3 1\n"), "{}", folder.text("g.mtx"));
    folder.file("more", "7\nx\n");
    folder.wolfpath("info g.el --vertices more").failed(&["more, line 2", "expected one id", "`x`"]);
    folder.wolfpath("build g.el --vertices none").failed(&["none: cannot be read"]);
    let onto = folder.wolfpath("convert g.el ./more --to el --vertices more");
    onto.failed(&["more: is the list of vertices"]);
}

#[test]
fn columns_that_would_be_rounded_are_refused() {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 0.5\n2 3 9007199254740993\n");
    for command in ["run bfs g.wel --source 1", "build g.wel", "info g.wel", "convert g.wel g.csv"] {
        // A run with the option keeps a graph with rounded weights. A run without the option must not use it.
        for _ in 0..2 {
            folder.wolfpath(command).failed(&["g.wel: no number type", "2 -> 3", "(--lossy-weights)"]);
            let done = folder.wolfpath(&format!("{command} --lossy-weights")).succeeded();
            assert!(command.starts_with("convert") || !done.out.is_empty(), "{done:?}");
        }
    }
    let done = folder.wolfpath("build g.wel --lossy-weights --force").succeeded();
    assert!(done.err.contains("rounded to the nearest 64-bit float"), "{done:?}");
    // The option is accepted for a layered graph too, although its weights were read before.
    folder.wolfpath("build g.wel --lossy-weights --output g.wolf").succeeded();
    let done = folder.wolfpath("run sssp g.wolf --source 1 --lossy-weights").succeeded();
    assert!(!done.err.contains("does not apply"), "{done:?}");
}

#[test]
fn pagerank_says_that_it_ignores_weights() {
    let folder = Folder::new();
    folder.file("g.wel", PARALLEL);
    folder.file("g.el", "1 2\n2 3\n");
    const NOTE: &str = "pagerank ignores the weights";
    for command in ["run", "explain"] {
        let done = folder.wolfpath(&format!("{command} pagerank g.wel")).succeeded();
        assert!(done.err.contains(&format!("note: {NOTE}")), "{done:?}");
        let json = folder.wolfpath(&format!("{command} pagerank g.wel --json")).succeeded().json();
        let notes = json["notes"].as_array().expect("notes");
        assert!(
            notes.iter().any(|note| note.as_str().is_some_and(|note| note.starts_with(NOTE))),
            "{notes:?}"
        );
        for silent in ["pagerank g.el", "bfs g.wel", "pagerank g.wel --weights unit"] {
            let done = folder.wolfpath(&format!("{command} {silent}")).succeeded();
            assert!(!done.err.contains(NOTE), "{silent}: {done:?}");
        }
    }
}

#[test]
fn matrices_of_every_symmetry() {
    let folder = Folder::new();
    folder
        .file("skew.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 2 -4\n");
    folder.wolfpath("convert skew.mtx skew.wel").succeeded();
    assert_eq!(
        folder.text("skew.wel").lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>(),
        ["2 1 5", "1 2 -5", "3 2 -4", "2 3 4"]
    );
    folder.file("bad.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 5\n");
    folder.wolfpath("info bad.mtx").failed(&["bad.mtx, line 3", "diagonal (2, 2)"]);
}

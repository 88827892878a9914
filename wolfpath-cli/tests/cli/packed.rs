//! Packed rows: when they are built, what `info` prints about them, and that `check` verifies them.

use std::fs;

use serde_json::Value;

use crate::support::Folder;

fn info(folder: &Folder, arguments: &str) -> Value {
    folder.wolfpath(&format!("info {arguments} --json")).succeeded().json()
}

/// Returns a directed graph whose rows are long enough that packing saves more than half.
fn dense() -> String {
    (0..40_000u64).map(|edge| format!("{} {}\n", edge % 400, edge * edge % 997 % 400)).collect()
}

#[test]
fn rows_are_packed_where_it_saves_a_quarter() {
    let folder = Folder::new();
    folder.wolfpath("generate rmat --scale 11 --output r.wolf").succeeded();
    let json = info(&folder, "r.wolf");
    let bits = json["packed"]["out_rows"]["bits_per_edge"].as_f64().expect("R-MAT graphs are packed");
    assert!(bits > 5.0 && bits < 20.0, "{json}");
    assert_eq!(json["packed"]["out_rows"], json["packed"]["in_rows"], "the graph is symmetric");
    assert_eq!(json["packed"]["out_rows"]["bytes"], json["file"]["packed_rows"]);
    folder.wolfpath("generate road --width 300 --height 300 --output roads.wolf").succeeded();
    let json = info(&folder, "roads.wolf");
    assert!(json["packed"]["out_rows"].is_null() && json["file"]["packed_rows"] == 0, "{json}");
    // Small graphs would take more pages, not fewer.
    folder.wolfpath("generate rmat --scale 6 --output small.wolf").succeeded();
    assert!(info(&folder, "small.wolf")["packed"]["out_rows"].is_null());
}

#[test]
fn options_decide_and_kept_graphs_differ() {
    let folder = Folder::new();
    folder.file("g.el", dense());
    folder.wolfpath("build g.el --output usual.wolf").succeeded();
    folder.wolfpath("build g.el --output packed.wolf --packed").succeeded();
    folder.wolfpath("build g.el --output plain.wolf --no-packed").succeeded();
    let bytes = |name: &str| fs::read(folder.path(name)).expect("the file was written");
    assert!(bytes("usual.wolf") == bytes("packed.wolf"));
    assert!(bytes("plain.wolf").len() < bytes("packed.wolf").len());
    for name in ["packed.wolf", "plain.wolf"] {
        folder.wolfpath(&format!("check {name}")).succeeded();
    }
    let text = folder.wolfpath("info packed.wolf").succeeded();
    let line =
        text.out.lines().find(|line| line.starts_with("packed ")).unwrap_or_else(|| panic!("{text:?}"));
    for part in
        ["packed     out-rows ", " bits per edge; ", " bytes, ", " % less than 160000 bytes", "; in-rows "]
    {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(folder.wolfpath("info plain.wolf").succeeded().out.contains("\npacked     none\n"));
    folder.wolfpath("build g.el").succeeded();
    let kept = info(&folder, "g.el");
    assert_eq!(
        (&kept["graph"]["opened_from"], &kept["packed"]),
        (&"cache".into(), &info(&folder, "packed.wolf")["packed"])
    );
    folder.wolfpath("build g.el --no-packed").succeeded();
    let listed = folder.wolfpath("cache list --json").succeeded().json();
    let options: Vec<&Value> =
        listed["graphs"].as_array().expect("a list").iter().map(|graph| &graph["options"]).collect();
    assert!(options.contains(&&Value::Null) && options.contains(&&"not packed".into()), "{options:?}");
    folder.wolfpath("build g.el --packed --no-packed").misused(&["--packed", "--no-packed"]);
}

#[test]
fn a_file_that_was_built_otherwise_is_noted() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n");
    folder.wolfpath("build g.el --output g.wolf").succeeded();
    let done = folder.wolfpath("build g.wolf --packed --output h.wolf").succeeded();
    assert!(
        done.err.contains("g.wolf: built without packed rows; build it again to change this"),
        "{done:?}"
    );
}

#[test]
fn little_memory_gives_the_same_packed_rows() {
    let folder = Folder::new();
    folder.file("g.el", dense());
    folder.wolfpath("build g.el --output all.wolf").succeeded();
    let short = folder.wolfpath("build g.el --output short.wolf --memory 400k --scratch .").succeeded();
    assert!(short.err.contains("large arrays go to working files"), "{short:?}");
    let bytes = |name: &str| fs::read(folder.path(name)).expect("the file was written");
    assert!(bytes("all.wolf") == bytes("short.wolf"));
}

#[test]
fn check_examines_packed_rows() {
    let folder = Folder::new();
    folder.file("g.el", dense());
    folder.wolfpath("build g.el --output g.wolf --packed").succeeded();
    let done = folder.wolfpath("check g.wolf").succeeded();
    for part in ["packed out-rows: ", "packed in-rows: ", "sound"] {
        assert!(done.out.contains(part), "{part}: {done:?}");
    }
    let mut bytes = fs::read(folder.path("g.wolf")).expect("the file was written");
    // The packed in-rows are the last section. The key after it has 24 bytes and no text.
    let last = bytes.len() - 24 - 4096;
    bytes[last] ^= 1;
    fs::write(folder.path("g.wolf"), bytes).expect("the file is writable");
    let done = folder.wolfpath("check g.wolf").failed(&["verification failed (problems: 1)"]);
    assert!(done.out.contains("\"packed in-row ends\""), "{done:?}");
}

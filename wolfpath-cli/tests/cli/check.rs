//! `wolfpath check`: intact files, damaged files, and files that are not layered graphs.

use std::fs;

use crate::support::Folder;

#[test]
fn a_sound_file() {
    let folder = Folder::new();
    folder.wolfpath("generate rmat --scale 8 --max-weight 64 --output g.wolf").succeeded();
    let done = folder.wolfpath("check g.wolf --threads 2").succeeded();
    for part in [
        "header",
        "layers:",
        "ranks:",
        "out-rows:",
        "weights:",
        "order:",
        "symmetry:",
        "total",
        "GB/s",
        "sound",
    ] {
        assert!(done.out.contains(part), "{part}: {done:?}");
    }
    assert_eq!(folder.names(), ["g.wolf"]);
}

#[test]
fn every_damaged_section_is_named() {
    let folder = Folder::new();
    folder.wolfpath("generate rmat --scale 8 --max-weight 64 --output g.wolf").succeeded();
    let path = folder.path("g.wolf");
    let mut bytes = fs::read(&path).expect("the file was written");
    // Pages: header, reason, layers, ranks, offsets, ends.
    for page in [2, 3, 5] {
        bytes[4096 * page + 4] ^= 0x40;
    }
    fs::write(&path, bytes).expect("the file is writable");
    let done = folder
        .wolfpath("check g.wolf")
        .failed(&["g.wolf: verification failed (problems: 2)", "wolfpath build"]);
    for part in ["\"layers\"", "\"ranks\"", "skipped    the order of vertices"] {
        assert!(done.out.contains(part), "{part}: {done:?}");
    }
    assert!(!done.out.contains("sound"), "{done:?}");
}

#[test]
fn what_is_no_layered_graph() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n");
    folder.file("g.wolf", "1 2\n");
    folder.wolfpath("check g.el").failed(&["g.el: expected a name that ends in .wolf"]);
    folder.wolfpath("check g.wolf").failed(&["g.wolf: not a .wolf file"]);
    folder.wolfpath("check none.wolf").failed(&["none.wolf"]);
    folder.wolfpath("check").misused(&["FILE.wolf"]);
}

//! Invalid inputs: each gives one clear line and exit code 1, and leaves no files behind.

use std::fs;

use crate::support::Folder;

/// Checks that a file with this content is rejected with a line that contains its name and all of `parts`, and that
/// neither an output nor a cache appears.
#[track_caller]
fn refused(name: &str, content: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = Folder::new();
    folder.file(name, content);
    let done =
        folder.wolfpath_with(["run", "bfs", name, "--output", "out.txt"]).failed(parts).failed(&[name]);
    assert_eq!(done.out, "");
    assert_eq!(folder.names(), [name]);
}

#[test]
fn a_missing_file() {
    let folder = Folder::new();
    for command in ["run bfs", "explain bfs", "info", "build"] {
        folder.wolfpath(&format!("{command} none.el")).failed(&["none.el: no such file", "expected a graph"]);
        folder.wolfpath(&format!("{command} none.wolf")).failed(&["none.wolf"]);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_directory() {
    let folder = Folder::new();
    folder.wolfpath("run bfs .").failed(&[".: is a directory", "name a graph file"]);
}

#[test]
fn no_text_at_all() {
    refused("empty.mtx", "", &["empty.mtx: empty; expected a graph in the format mtx"]);
    refused("binary.el", [1, 2, 3, 0, 255], &["not text", "byte 0", "0x01"]);
    refused("program", b"\x7fELF\x02\x01\x01\0\0\0", &["not text", "byte"]);
}

#[test]
fn a_line_with_one_number() {
    refused("g.el", "1 2\n3\n", &["line 2", "only 1 field", "`source target`"]);
}

#[test]
fn ids_that_are_none() {
    refused("g.el", "1 2\n2 -3\n", &["line 2", "-3 is negative", "from 0"]);
    refused("g.el", "123456789012345678901234567890 1\n", &["line 1", "too large", "18446744073709551615"]);
    refused("g.el", "a b\n1 x\n", &["line 2", "`x` is not a vertex id"]);
}

#[test]
fn weights_that_are_none() {
    refused("g.wel", "1 2 1e999\n", &["line 1", "1e999", "too large"]);
    refused("g.wel", "1 2 1\n2 3 NaN\n", &["line 2", "NaN"]);
}

#[test]
fn headers_that_are_missing() {
    refused("g.mtx", "2 1\n3 1\n", &["line 1", "%%MatrixMarket", "`2 1`", "--format el"]);
    // A `.gr` file without a `p` line is accepted, with a note.
    let folder = Folder::new();
    folder.file("g.gr", "a 1 2 5\na 2 3 5\n");
    let done = folder.wolfpath("run sssp g.gr --source 1 --output -").succeeded();
    assert!(done.err.contains("note: the `p` line is missing"), "{done:?}");
    assert_eq!(done.out, "1 0\n2 5\n3 10\n");
}

#[test]
fn compressed_data_that_is_cut_short_or_damaged() {
    // `1 2\n2 3\n` a hundred times, compressed by zstd and cut in the middle. Then only the first bytes of a gzip file.
    let frame = [
        0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x20, 0x02, 0x85, 0x00, 0x00, 0x40, b'1', b' ', b'2', b'\n', b'2', b' ',
    ];
    refused("g.el.zst", frame, &["zstd", "cut short", "fetch or compress it again"]);
    refused("g.el.gz", [0x1f, 0x8b, 8, 0, 0, 0], &["gzip", "fetch or compress it again"]);
    refused(
        "g.el.gz",
        [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &[0xff; 40]].concat(),
        &["gzip", "damaged"],
    );
}

#[test]
fn a_source_that_is_not_in_the_graph() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 30\n");
    let done = folder.wolfpath("run bfs g.el --no-cache --source 2,7 --output out.txt --json");
    let done = done.failed(&["g.el", "vertex 7 (--source) is not in the graph", "3 ids", "between 1 and 30"]);
    assert_eq!(done.out, "");
    folder.wolfpath("explain sssp g.el --no-cache --source 7").failed(&["vertex 7"]);
    folder.wolfpath("run bfs g.el --no-cache --path-to 9").failed(&["vertex 9 (--path-to)"]);
    folder.wolfpath("build g.el --root 9").failed(&["root 9", "not a vertex of the graph"]);
    assert_eq!(folder.names(), ["g.el"]);
}

/// Creates `g.wolf`, with weights and non-consecutive ids.
fn with_wolf_file() -> (Folder, Vec<u8>) {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 5\n2 30 7\n30 1 9\n2 1 4\n");
    folder.wolfpath("build g.wel --output g.wolf").succeeded();
    let bytes = fs::read(folder.path("g.wolf")).expect("the file was written");
    (folder, bytes)
}

#[test]
fn a_wolf_file_cut_short() {
    let (folder, bytes) = with_wolf_file();
    for length in [0, 1, 40, 88, 4095, 4096, 5000, bytes.len() / 2, bytes.len() - 4096, bytes.len() - 1] {
        folder.file("g.wolf", &bytes[..length]);
        for command in ["run sssp", "info", "explain bfs", "build --output copy.wolf"] {
            folder.wolfpath(&format!("{command} g.wolf")).failed(&["g.wolf"]);
        }
    }
    assert_eq!(folder.names(), ["g.wel", "g.wolf"]);
}

#[test]
fn a_wolf_file_with_one_flipped_byte() {
    let (folder, bytes) = with_wolf_file();
    let answer = folder.wolfpath("run sssp g.wolf --source 30 --output -").succeeded().out;
    // The header, the table, the padding, and at least one byte in every section.
    let places = [0, 9, 13, 20, 41, 60, 75, 87, 90, 130, 170].into_iter();
    for at in places.chain((4096..bytes.len()).step_by(4096)).chain((4100..bytes.len()).step_by(4096)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        folder.file("g.wolf", damaged);
        // Vertex 30 exists, and looking up its id must not hide the damage. A run may succeed if it does not read the
        // damaged part.
        let done = folder.wolfpath("run sssp g.wolf --source 30 --output -");
        if done.code != Some(0) {
            let done = done.failed(&["g.wolf"]);
            assert!(
                done.err.contains("byte") || done.err.contains("not a .wolf file"),
                "byte {at}: {done:?}"
            );
        } else {
            assert_eq!(done.out, answer, "byte {at}");
        }
        folder.wolfpath("check g.wolf").failed(&["g.wolf"]);
        folder.wolfpath("build g.wolf").failed(&["g.wolf"]);
    }
    assert_eq!(folder.names(), ["g.wel", "g.wolf"]);
}

#[test]
fn a_kept_graph_that_is_damaged_is_built_again() {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 5\n2 3 7\n");
    folder.wolfpath("build g.wel").succeeded();
    let [kept] = &folder.kept_graphs()[..] else { panic!("one graph is kept") };
    let mut bytes = fs::read(kept).expect("the graph was kept");
    for at in [20, 4097, bytes.len() - 1] {
        bytes[at] ^= 1;
        fs::write(kept, &bytes).expect("the file is writable");
        let done = folder.wolfpath("run sssp g.wel --source 1 --output - --verify").succeeded();
        assert_eq!(done.out, "1 0\n2 5\n3 12\n");
        bytes = fs::read(kept).expect("the graph is kept again");
    }
}

#[test]
fn negative_weights() {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 5\n2 3 -4\n");
    let done = folder.wolfpath("run sssp g.wel --source 1 --output out.txt");
    done.failed(&["sssp needs weights of at least 0", "2 -> 3", "-4", "--weights unit"]);
    folder.wolfpath("explain sssp g.wel --source 1").failed(&["2 -> 3"]);
    let done = folder.wolfpath("run widest g.wel --source 1 --output - --verify").succeeded();
    assert_eq!(done.out, "1 inf\n2 5.0\n3 -4.0\n");
    assert!(done.err.contains("note: some weights are negative: widths are computed in f64"), "{done:?}");
    folder.file("h.wel", "1 2 0.5\n2 3 -0.25\n");
    folder.wolfpath("run sssp h.wel --source 1").failed(&["2 -> 3", "-0.25"]);
}

#[test]
fn what_the_library_advises_has_its_option() {
    let folder = Folder::new();
    folder.file("g.mtx", "2 1\n1113 1\n");
    folder.wolfpath("info g.mtx").failed(&["in the format el", "(--format el)"]);
    folder.file("b.el", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
    folder.wolfpath("info b.el --format el").failed(&["in the format mtx", "(--format mtx)"]);
    folder.file("g.gr", "1 2\n");
    folder.wolfpath("info g.gr").failed(&["in the format el", "(--format el)"]);
    folder.file("g.bin32", [0; 12]);
    folder.wolfpath("info g.bin32").failed(&["4 bytes of a record", "another format (--format)"]);
    folder.wolfpath("info g.bin32 --format webgraph").failed(&["no file g.properties", "(--format)"]);
    folder.file("two.csv", "from,to,u,v\n1,2,3,4\n");
    folder.wolfpath("info two.csv").failed(&["`from` and `u` name the source", "(--columns)"]);
    folder.file("parallel.el", "1 2\n1 2\n");
    let parallel = folder.wolfpath("convert parallel.el p.graph --to webgraph --renumber");
    parallel.failed(&["more than once", "(--duplicates drop)"]);
    let mut old = std::fs::read(layered(&folder)).expect("the file is readable");
    old[8] += 1;
    folder.file("old.wolf", old);
    folder.wolfpath("info old.wolf").failed(&["build the file again from its input (wolfpath build)"]);
}

/// Builds a layered graph, and returns its file.
fn layered(folder: &Folder) -> std::path::PathBuf {
    folder.file("some.el", "1 2\n");
    folder.wolfpath("build some.el --output some.wolf").succeeded();
    folder.path("some.wolf")
}

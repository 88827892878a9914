//! Tests that results do not depend on the number of threads, from text to the bytes of the file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use wolfpath_core::generate::{grid, rmat};
use wolfpath_core::graph::{LayerOptions, LayeredGraph};
use wolfpath_core::random::hash;
use wolfpath_core::resources::Resources;
use wolfpath_io::load::{Duplicates, LoadOptions, load, load_with};
use wolfpath_io::{OpenError, OpenGraph, OpenOptions};

/// Returns the bytes of the file that `make` builds with this number of threads.
fn bytes(threads: usize, folder: &Path, make: impl Fn() -> LayeredGraph + Sync) -> Vec<u8> {
    let path = folder.join(format!("{threads}.wolf"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| make().write(&path)).unwrap();
    std::fs::read(path).unwrap()
}

fn check(what: &str, make: impl Fn() -> LayeredGraph + Sync) {
    let folder = tempfile::tempdir().unwrap();
    let alone = bytes(1, folder.path(), &make);
    for threads in [2, 16] {
        assert!(bytes(threads, folder.path(), &make) == alone, "{what}: {threads} threads");
    }
}

/// Returns a text of several blocks: edges between `ids` ids, some of them far apart. Some lines need a wider type of
/// weights than the others.
fn text(lines: u64, ids: u64, spread: u64) -> String {
    let mut text = String::from("# made up\n");
    for line in 0..lines {
        let (source, target) = (hash(1, line) % ids * spread, hash(2, line) % ids * spread);
        let fraction = if line % 50_000 == 49_999 { ".5" } else { "" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{source}\t{target} {}{fraction}", hash(3, line) % 1000);
    }
    text
}

#[test]
fn text_becomes_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, ids, spread) in [("dense", 30_000, 1), ("gaps", 30_000, 3), ("spread", 20_000, 1 << 40)] {
        let path = folder.path().join(name);
        std::fs::write(&path, text(150_000, ids, spread)).unwrap();
        for undirected in [false, true] {
            let options = LoadOptions::new().undirected(undirected);
            check(name, || {
                let list = load(&path, &options).unwrap();
                LayeredGraph::from_edge_list(list, &LayerOptions::default()).unwrap()
            });
        }
    }
}

/// Reads and layers a file with this memory limit.
fn build(path: &Path, options: &LoadOptions, memory: u64) -> Result<LayeredGraph, OpenError> {
    let resources = Resources::new().memory(memory).scratch(path.parent().map(Path::to_owned));
    let load = options.clone();
    LayeredGraph::open_with(path, &OpenOptions::new().load(load).cache(false).resources(resources))
}

#[test]
fn short_memory_changes_nothing_but_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g");
    std::fs::write(&path, text(150_000, 30_000, 3)).unwrap();
    let written = |graph: LayeredGraph| {
        let to = folder.path().join("g.wolf");
        graph.write(&to).unwrap();
        std::fs::read(to).unwrap()
    };
    for (undirected, duplicates) in [(false, Duplicates::Keep), (true, Duplicates::Drop)] {
        let options = LoadOptions::new().undirected(undirected).duplicates(duplicates);
        let in_memory = written(build(&path, &options, 1 << 40).unwrap());
        assert!(written(build(&path, &options, 2_500_000).unwrap()) == in_memory);
    }
    // Working files have no names.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn too_little_memory_and_no_disk_are_errors_with_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g");
    std::fs::write(&path, text(150_000, 30_000, 3)).unwrap();
    let error = build(&path, &LoadOptions::default(), 100_000).unwrap_err().to_string();
    assert!(error.contains("100000 are available") && error.contains("allow more"), "{error}");
    let nowhere = Resources::new().memory(100_000).scratch(PathBuf::from("no/such/folder"));
    let error = load_with(&path, &LoadOptions::default(), &nowhere).unwrap_err().to_string();
    assert!(error.contains("no/such/folder") && error.contains("name a folder"), "{error}");
}

#[test]
fn generated_graphs_become_the_same_file() {
    let layered = |list| LayeredGraph::from_edge_list(list, &LayerOptions::default()).unwrap();
    check("rmat", || layered(rmat(14, 16, 5).unwrap().with_random_weights(1, 64)));
    check("grid", || layered(grid(300, 200, 5).unwrap()));
}

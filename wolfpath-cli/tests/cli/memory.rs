//! Memory of a build: the reported numbers, and builds with too little memory.

use crate::support::Folder;

/// Returns a directed graph with many edges and with weights.
fn edges() -> String {
    (0..60_000u64).map(|edge| format!("{} {} {}\n", edge * 7919 % 9973, edge * 31 % 9967, edge % 9)).collect()
}

#[test]
fn a_build_says_what_it_takes_and_what_it_took() {
    let folder = Folder::new();
    folder.file("g.wel", edges());
    let done = folder.wolfpath("build g.wel").succeeded();
    assert!(
        done.err.contains("of memory for a graph of about") && done.err.contains("are available"),
        "{done:?}"
    );
    assert!(done.err.contains("build: ") && done.err.contains("edges/s"), "{done:?}");
    // The second command builds nothing, so it prints no estimate.
    let again = folder.wolfpath("build g.wel").succeeded();
    assert!(!again.err.contains("of memory for"), "{again:?}");
}

#[test]
fn short_memory_gives_the_same_file() {
    let folder = Folder::new();
    folder.file("g.wel", edges());
    folder.wolfpath("build g.wel --output all.wolf").succeeded();
    let short = folder.wolfpath("build g.wel --output short.wolf --memory 1M --scratch .").succeeded();
    assert!(short.err.contains("the limit is 1.00 MB: large arrays go to working files"), "{short:?}");
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("all.wolf") == bytes("short.wolf"));
    folder.wolfpath("check short.wolf").succeeded();
    assert_eq!(folder.names(), ["all.wolf", "g.wel", "short.wolf"]);
}

#[test]
fn too_little_memory_is_refused_with_the_numbers() {
    let folder = Folder::new();
    folder.file("g.wel", edges());
    let needed = folder.wolfpath("build g.wel --output g.wolf --memory 100k --scratch .");
    needed
        .failed(&["bytes of memory are needed, but only 100000 are available", "(wolfpath build --memory)"]);
    let nowhere = folder.wolfpath("build g.wel --output g.wolf --memory 100k --scratch no/such");
    nowhere.failed(&["no/such", "(wolfpath build --scratch)"]);
    folder.wolfpath("build g.wel --memory 12q").misused(&["--memory", "512M"]);
    folder.wolfpath("build g.wel --memory 0").misused(&["--memory"]);
    assert_eq!(folder.names(), ["g.wel"]);
}

#[test]
fn in_edges_are_left_out_on_request() {
    let folder = Folder::new();
    folder.file("g.wel", edges());
    folder.wolfpath("build g.wel --output with.wolf").succeeded();
    folder.wolfpath("build g.wel --output without.wolf --no-in-edges").succeeded();
    let size = |name: &str| std::fs::metadata(folder.path(name)).unwrap().len();
    assert!(size("with.wolf") > size("without.wolf") + 4 * 60_000);
    for name in ["with.wolf", "without.wolf"] {
        folder.wolfpath(&format!("check {name}")).succeeded();
        let ranks = folder.wolfpath(&format!("run pagerank {name} --engine cpu --verify")).succeeded();
        assert!(ranks.out.contains("pagerank"), "{ranks:?}");
    }
}

//! `wolfpath generate`, kind by kind.

use crate::support::Folder;

/// One small graph of each kind.
const KINDS: [&str; 5] = [
    "rmat --scale 9 --edge-factor 8",
    "grid --width 30 --height 20",
    "road --width 20 --height 15",
    "random --scale 9 --edge-factor 4",
    "small-world --scale 9 --neighbours 6 --rewire 0.2",
];

#[test]
fn every_kind_says_what_it_made() {
    let folder = Folder::new();
    for (kind, words) in KINDS.into_iter().zip([
        "R-MAT of scale 9, 8 random edges per vertex, seed 7",
        "grid of 30 x 20, seed 7",
        "roads between 20 x 15 crossings, seed 7",
        "random, 4 random edges per vertex, seed 7",
        "small world, 6 neighbours, 0.2 of the edges rewired, seed 7",
    ]) {
        let done = folder.wolfpath(&format!("generate {kind} --seed 7 --output g.wolf")).succeeded();
        assert!(done.out.starts_with("g.wolf: ") && done.out.contains(words), "{done:?}");
        let json = folder.wolfpath("run bfs g.wolf --verify --json").succeeded().json();
        assert_eq!(json["graph"]["symmetric"], true);
        let edges = json["graph"]["edges"].as_u64().expect("the field is a number");
        assert!(done.out.contains(&format!(" {edges} edges ")), "{edges}: {done:?}");
    }
}

#[test]
fn the_same_bytes_with_any_number_of_threads() {
    let folder = Folder::new();
    for kind in KINDS {
        for (name, threads) in [("a.wolf", 1), ("b.wolf", 3)] {
            let made = format!("generate {kind} --max-weight 9 --threads {threads} --output {name}");
            folder.wolfpath(&made).succeeded();
        }
        let read = |name| std::fs::read(folder.path(name)).expect("the file was written");
        assert!(read("a.wolf") == read("b.wolf"), "{kind}");
    }
}

#[test]
fn directed_rmat_graphs_keep_the_directions_of_their_edges() {
    let folder = Folder::new();
    let make = |options: &str, name: &str| {
        folder.wolfpath(&format!("generate rmat --scale 9 --seed 7 {options} --output {name}")).succeeded()
    };
    let edges_of = |name: &str, symmetric: bool| {
        let json = folder.wolfpath(&format!("run bfs {name} --no-cache --verify --json")).succeeded().json();
        assert_eq!(json["graph"]["symmetric"], symmetric, "{name}");
        json["graph"]["edges"].as_u64().expect("the field is a number")
    };
    let done = make("--directed --threads 1", "a.wolf");
    assert!(done.out.contains("directed R-MAT of scale 9, 16 random edges per vertex, seed 7"), "{done:?}");
    make("--directed --threads 3", "b.wolf");
    let read = |name| std::fs::read(folder.path(name)).expect("the file was written");
    assert!(read("a.wolf") == read("b.wolf"));
    make("--directed", "g.el");
    make("", "undirected.wolf");
    let directed = edges_of("a.wolf", false);
    assert!(done.out.contains(&format!(" {directed} edges ")), "{directed}: {done:?}");
    assert_eq!(edges_of("g.el", false), directed);
    // Each draw gives an edge in both directions if the graph is undirected.
    assert!((directed + 1..2 * directed).contains(&edges_of("undirected.wolf", true)));
    make("--directed --max-weight 9", "g.wel");
    folder.wolfpath("run sssp g.wel --verify").succeeded();
}

#[test]
fn roads_are_connected_and_have_lengths() {
    let folder = Folder::new();
    folder.wolfpath("generate road --width 25 --height 25 --lengths --output r.wel").succeeded();
    let json = folder.wolfpath("run sssp r.wel --source 0 --verify --json").succeeded().json();
    assert_eq!(json["reached"], json["graph"]["vertices"]);
    assert!(json["graph"]["layers"].as_u64() > Some(50), "{json}");
    let lengths = folder.text("r.wel");
    let mut lengths = lengths.lines().skip(1).filter_map(|line| line.split(' ').nth(2)?.parse::<u32>().ok());
    assert!(lengths.all(|length| (1..5000).contains(&length)));
    folder
        .wolfpath("generate road --width 3 --height 3 --lengths --max-weight 5 --output r.wel")
        .misused(&["--lengths", "--max-weight"]);
    folder.wolfpath("generate road --width 3 --height 3 --lengths --output r.el").misused(&[".wel"]);
    folder.wolfpath("generate road --width 3 --height 3 --output r.wel").misused(&["--lengths"]);
}

#[test]
fn what_cannot_be_made_is_refused() {
    let folder = Folder::new();
    for (arguments, part) in [
        ("small-world --scale 4 --neighbours 3", "even number"),
        ("small-world --scale 4 --neighbours 16", "16 neighbours on a ring of 16 vertices"),
        ("grid --width 4294967295 --height 2", "too many"),
        ("road --width 65536 --height 65536", "too many"),
        ("random --scale 31 --edge-factor 4294967295", "memory"),
        ("rmat --scale 31 --edge-factor 4294967295", "memory"),
    ] {
        folder.wolfpath(&format!("generate {arguments} --output g.wolf")).failed(&[part]);
    }
    for (arguments, part) in [
        ("small-world --scale 4 --rewire 1.5", "from 0 to 1"),
        ("small-world --scale 4 --rewire NaN", "from 0 to 1"),
        ("small-world --scale 32", "--scale"),
        ("road --width 3", "--height"),
        ("hypercube --scale 3", "small-world"),
        ("grid --width 3 --height 3 --threads 0", "--threads"),
        ("random --scale 3 --directed", "--directed"),
        ("grid --width 3 --height 3 --directed", "--directed"),
    ] {
        folder.wolfpath(&format!("generate {arguments} --output g.wolf")).misused(&[part]);
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn graphs_of_nothing() {
    let folder = Folder::new();
    for kind in ["grid --width 0 --height 9", "road --width 9 --height 0"] {
        let done = folder.wolfpath(&format!("generate {kind} --output g.wolf")).succeeded();
        assert!(done.out.contains("0 vertices, 0 edges"), "{done:?}");
        folder.wolfpath("info g.wolf").succeeded();
    }
}

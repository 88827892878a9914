//! `shard`, and what other commands say about shards.

use crate::support::Folder;

/// A path of 4,000 edges, which is four blocks of vertices.
fn path(folder: &Folder) {
    let edges: String = (0..4000).map(|v| format!("{v} {} {}\n", v + 1, v % 7)).collect();
    folder.file("path.wel", edges);
}

#[test]
fn shards_are_written_and_described() {
    let folder = Folder::new();
    path(&folder);
    let text = folder.wolfpath("shard path.wel --shards 3 --output p.shards").succeeded().out;
    assert!(text.starts_with("path.wel: 4001 vertices, 4000 edges; 3 shards, "), "{text}");
    let text = folder.wolfpath("info p.shards").succeeded().out;
    for line in [
        "graph      p.shards; 3 shards, verified (",
        "vertices   4001; 1024 to 1953 per shard",
        "edges      4000, directed",
        "columns    weight u8",
        "layers     4001",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "no line {line:?}: {text}");
    }
    let info = folder.wolfpath("info p.shards --json").succeeded().json();
    assert_eq!((&info["shards"], &info["edges"]), (&3.into(), &4000.into()));
    let edges = |name: &str| -> u64 {
        let each = info["each"][name].as_array().expect("a number for each shard");
        each.iter().map(|edges| edges.as_u64().expect("a number")).sum()
    };
    assert_eq!((edges("vertices"), edges("out_edges"), edges("in_edges")), (4001, 4000, 4000));
    // Fewer shards replace them.
    folder.wolfpath("shard path.wel --shards 2 --output p.shards").succeeded();
    assert!(folder.path("p.shards/0001.shard").exists() && !folder.path("p.shards/0002.shard").exists());
    let info = folder.wolfpath("info p.shards --json").succeeded().json();
    assert_eq!(info["shards"], 2);
}

#[test]
fn processes_shard_a_graph_together() {
    let folder = Folder::new();
    path(&folder);
    let alone = folder.wolfpath("shard path.wel --shards 5 --output alone.shards").succeeded();
    let together =
        folder.wolfpath("shard path.wel --shards 5 --output p.shards --processes 3 --local").succeeded();
    let until_time = |text: &str| text.split(", written").next().expect("a line").to_owned();
    assert_eq!(until_time(&together.out), until_time(&alone.out));
    for name in ["0000.shard", "0001.shard", "0002.shard", "0003.shard", "0004.shard", "manifest"] {
        let read =
            |shards: &str| std::fs::read(folder.path(&format!("{shards}/{name}"))).expect("it is there");
        assert!(read("alone.shards") == read("p.shards"), "{name} differs");
    }
    folder.wolfpath("run sssp p.shards --engine cluster --processes 2 --local --verify").succeeded();
    let shard = |options: &str| folder.wolfpath(&format!("shard {options}"));
    shard("path.wel --shards 2 --output q --processes 2").misused(&["--process <K>"]);
    shard("path.wel --shards 2 --output q --local").misused(&["--processes <N>"]);
    shard("path.wel --shards 2 --output q --processes 2 --local --no-cache")
        .misused(&["several processes keep no layered graph: omit --no-cache"]);
    folder.file("bad.el", format!("{}x 1\n", "1 2\n".repeat(5000)));
    shard("bad.el --shards 2 --output q --processes 3 --local")
        .failed(&["bad.el, line 5001: `x` is not a vertex id"]);
    assert!(!folder.path("q").exists());
}

#[test]
fn errors_name_the_shard() {
    let folder = Folder::new();
    path(&folder);
    folder.wolfpath("shard path.wel --shards 4 --output p.shards").succeeded();
    folder.wolfpath("shard path.wel --shards 0 --output q").misused(&["expected a number from 1 to 65535"]);
    folder.wolfpath("shard path.wel --shards 4").misused(&["--output <FOLDER>"]);
    folder
        .wolfpath("shard path.wel --shards 4 --output .")
        .failed(&["the folder contains p", "name a new folder"]);
    folder
        .wolfpath("shard path.wel --shards 4 --output no/such")
        .failed(&["cannot create the folder no/such"]);
    for command in ["run bfs p.shards", "info p.shards --plot p.svg", "convert p.shards p.el"] {
        folder.wolfpath(command).failed(&["p.shards: is a folder of shards", "name the graph"]);
    }
    std::fs::copy(folder.path("p.shards/0001.shard"), folder.path("p.shards/0002.shard")).expect("a copy");
    folder
        .wolfpath("info p.shards")
        .failed(&["0002.shard: not the shard 2", "shard 1 of 4, expected shard 2 of 4"]);
    std::fs::remove_file(folder.path("p.shards/0002.shard")).expect("it is there");
    folder.wolfpath("info p.shards").failed(&["0002.shard: shard 2 of 4 is missing"]);
    std::fs::write(folder.path("p.shards/0002.shard"), "x").expect("the folder is writable");
    folder.wolfpath("info p.shards").failed(&["0002.shard: not a shard of a graph"]);
    std::fs::write(folder.path("p.shards/manifest"), "").expect("the folder is writable");
    folder.wolfpath("info p.shards").failed(&["manifest: not a manifest of shards: it starts with nothing"]);
}

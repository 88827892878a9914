//! `wolfpath build`, `info`, `explain` and `generate`.

use crate::support::Folder;

const GRAPH: &str = "1 2 5\n2 3 7\n3 1 1\n4 4 2\n1 2 5\n";

#[test]
fn build_keeps_the_graph_for_every_command() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let done = folder.wolfpath("build g.wel").succeeded();
    assert!(done.out.starts_with("g.wel: 4 vertices, 5 edges, "), "{done:?}");
    assert!(done.out.contains("kept in"), "{done:?}");
    assert_eq!(folder.names(), ["g.wel"]);
    let done = folder.wolfpath("build g.wel").succeeded();
    assert!(done.out.contains("still fresh (--force rebuilds it)"), "{done:?}");
    let done = folder.wolfpath("build g.wel --force").succeeded();
    assert!(done.out.contains("read and layered, and kept"), "{done:?}");
    // The run uses the kept graph.
    let json = folder.wolfpath("run bfs g.wel --source 1 --json").succeeded().json();
    assert_eq!(json["graph"]["opened_from"], "cache");
}

#[test]
fn build_writes_where_it_is_told() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("build g.wel --undirected --root 3 --output h.wolf").succeeded();
    assert_eq!(folder.names(), ["g.wel", "h.wolf"]);
    let json = folder.wolfpath("run sssp h.wolf --verify --json").succeeded().json();
    assert_eq!((&json["graph"]["root"], &json["sources"][0]), (&3.into(), &3.into()));
    assert_eq!(json["graph"]["symmetric"], true);
    let from_wolf = folder.wolfpath("run sssp h.wolf --undirected --output -").succeeded().out;
    let from_text = folder.wolfpath("run sssp g.wel --undirected --source 3 --output -").succeeded().out;
    assert_eq!(from_wolf, from_text);
    // The edges of a directed layered graph are fixed: `--undirected` is an error.
    folder.wolfpath("build g.wel --output one-way.wolf").succeeded();
    folder.wolfpath("run sssp one-way.wolf --undirected").failed(&["one-way.wolf", "one-way edges"]);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = Folder::new();
    folder.wolfpath("generate rmat --scale 8 --edge-factor 8 --max-weight 9 --output g.wel").succeeded();
    for (name, threads) in [("a.wolf", "1"), ("b.wolf", "2")] {
        folder.wolfpath(&format!("build g.wel --threads {threads} --output {name}")).succeeded();
    }
    let read = |name| std::fs::read(folder.path(name)).expect("the file was written");
    assert_eq!(read("a.wolf"), read("b.wolf"));
}

#[test]
fn info_shows_what_a_graph_consists_of() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let done = folder.wolfpath("info g.wel --no-cache").succeeded();
    for line in [
        "vertices   4, 0 of them without edges",
        "edges      5, directed",
        "weights    u8",
        "duplicates 1",
        "self-loops 1",
        "root       ",
        "layers     ",
        "out-degree 1.25 on average, at most 2 (vertex 1), 0 at 0 vertices",
        "in-degree  1.25 on average, at most 2 (vertex 2)",
        " of plain CSR\n",
        "backward      lateral      forward",
        "####",
    ] {
        assert!(done.out.contains(line), "{line:?}: {}", done.out);
    }
    assert_eq!(folder.names(), ["g.wel"]);
    let done = folder.wolfpath("info g.wel --undirected --duplicates drop --self-loops drop").succeeded();
    assert!(done.out.contains("edges      6, each in both directions"), "{done:?}");
}

#[test]
fn info_says_what_the_file_holds() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let line = |done: crate::support::Done| {
        let line = done.out.lines().find(|line| line.starts_with("file  ")).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{done:?}"))
    };
    // 4 vertices and 5 edges: out-rows and in-rows, each with 5 offsets and 5 ends.
    let kept = line(folder.wolfpath("info g.wel").succeeded());
    assert!(
        kept.contains(" bytes: out-rows 60, in-rows 60, packed rows 0, paths 0, weights 5, order "),
        "{kept}"
    );
    assert!(kept.contains(", ids 0, header and padding "), "{kept}");
    assert_eq!(line(folder.wolfpath("info g.wel").succeeded()), kept);
    folder.wolfpath("build g.wel --undirected --output h.wolf").succeeded();
    let both = line(folder.wolfpath("info h.wolf").succeeded());
    assert!(both.contains("in-rows 0, "), "{both}");
    let size = std::fs::metadata(folder.path("h.wolf")).expect("the file was written").len();
    assert!(both.contains(&format!("{size} bytes: ")), "{both}");
    let nowhere = folder.wolfpath("info g.wel --no-cache").succeeded();
    assert!(!nowhere.out.contains("file  "), "{nowhere:?}");
}

#[test]
fn info_of_long_and_of_empty_graphs() {
    let folder = Folder::new();
    folder.file("path.el", (0..1000).map(|id| format!("{id} {}\n", id + 1)).collect::<String>());
    let done = folder.wolfpath("info path.el --no-cache").succeeded();
    assert!(done.out.contains("layers     1001, 1001 of them"), "{done:?}");
    assert!(done.out.lines().count() < 40, "{done:?}");
    folder.file("none.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
    let done = folder.wolfpath("info none.mtx --no-cache").succeeded();
    assert!(done.out.contains("vertices   0"), "{done:?}");
}

#[test]
fn explain_prints_the_plan_and_runs_nothing() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let done = folder.wolfpath("explain sssp g.wel --engine cpu --source 1 --threads 2").succeeded();
    for line in [
        "program    sssp",
        "reads      edge.value (values), edge.weight (weights)",
        "engine     cpu, 2 threads: requested",
        "schedule ",
        "steps ",
        "bytes  ",
        "layers ",
        "compile    nothing",
    ] {
        assert!(done.out.contains(line), "{line:?}: {}", done.out);
    }
    let json = folder.wolfpath("explain pagerank g.wel --engine cpu --steps 4 --json").succeeded().json();
    assert_eq!((&json["program"], &json["steps"]), (&"pagerank".into(), &4.into()));
    let reads = json["reads"].as_array().expect("the field is a list");
    assert!(reads.iter().any(|read| read["what"] == "edge.out_degree" && read["from"] == "degrees"));
    let arrays = json["arrays"].as_array().expect("the field is a list");
    let sum: u64 = arrays.iter().filter_map(|array| array["bytes"].as_u64()).sum();
    assert_eq!(json["bytes"], sum);
    // `explain` accepts the options of `run`, but writes no files.
    folder.wolfpath("explain bfs g.wel --source 1 --output out.txt --verify --no-cache").succeeded();
    assert!(!folder.names().contains(&"out.txt".to_owned()));
}

#[test]
fn generate_writes_by_the_ending() {
    let folder = Folder::new();
    let done = folder.wolfpath("generate grid --width 20 --height 10 --seed 3 --output g.el").succeeded();
    assert!(done.out.starts_with("g.el: 200 vertices, "), "{done:?}");
    folder.wolfpath("generate grid --width 20 --height 10 --seed 3 --output g.wolf").succeeded();
    let of = |name: &str| {
        folder.wolfpath(&format!("run bfs {name} --no-cache --source 0 --output -")).succeeded().out
    };
    assert_eq!(of("g.el"), of("g.wolf"));
    assert_eq!(of("g.el").lines().count(), 200);
    folder.wolfpath("generate random --scale 7 --edge-factor 3 --max-weight 64 --output r.wel").succeeded();
    let most = folder
        .text("r.wel")
        .lines()
        .skip(1)
        .filter_map(|line| line.split(' ').nth(2)?.parse::<u32>().ok())
        .max();
    assert!(most.is_some_and(|most| (32..=64).contains(&most)), "{most:?}");
    folder.wolfpath("run sssp r.wel --verify").succeeded();
}

#[test]
fn generate_says_what_an_edge_list_cannot_hold() {
    let folder = Folder::new();
    let done = folder.wolfpath("generate rmat --scale 8 --output g.el").succeeded();
    assert!(done.err.contains("have no edge and cannot be stored in an edge list"), "{done:?}");
    folder.wolfpath("generate rmat --scale 8 --output g.wolf").succeeded();
    let vertices = |name: &str| {
        let json =
            folder.wolfpath(&format!("run components {name} --no-cache --verify --json")).succeeded().json();
        json["graph"]["vertices"].as_u64()
    };
    assert_eq!(vertices("g.wolf"), Some(256));
    assert!(vertices("g.el") < Some(256));
    // The same seed gives the same graph, and another seed another graph.
    for (name, seed) in [("a.el", 5), ("b.el", 5), ("c.el", 6)] {
        folder.wolfpath(&format!("generate rmat --scale 6 --seed {seed} --output {name}")).succeeded();
    }
    assert_eq!(folder.text("a.el"), folder.text("b.el"));
    assert_ne!(folder.text("a.el"), folder.text("c.el"));
}

//! `wolfpath run`: every program, its output, and its verification.

use crate::support::Folder;

/// Graph with a lateral edge (30 -> 20) and a backward edge (50 -> 20), because a single forward sweep is wrong for
/// such graphs. It also has a tie, a self-loop, a duplicate, and two vertices that the others do not reach.
const GRAPH: &str = "\
    # source target weight\n\
    10 20 10\n10 30 1\n30 20 1\n30 40 1\n40 50 1\n50 20 1\n20 20 3\n10 30 1\n10 60 2\n40 60 0\n70 80 5\n";

/// Runs a program over [`GRAPH`] with `--verify`, and returns its output.
#[track_caller]
fn values(arguments: &str) -> String {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let done = folder.wolfpath(&format!("run {arguments} --verify --output out.txt --json"));
    let json = done.succeeded().json();
    assert_eq!(json["verification"]["passed"], true);
    assert_eq!(json["verification"]["compared"], 8);
    folder.text("out.txt")
}

#[test]
fn bfs() {
    assert_eq!(values("bfs g.wel --source 10"), "10 0\n20 1\n30 1\n40 2\n50 3\n60 1\n70 -\n80 -\n");
    assert_eq!(values("bfs g.wel --source 40,70"), "10 -\n20 2\n30 -\n40 0\n50 1\n60 1\n70 0\n80 1\n");
    assert_eq!(
        values("bfs g.wel --source 60 --undirected"),
        "10 1\n20 2\n30 2\n40 1\n50 2\n60 0\n70 -\n80 -\n"
    );
}

#[test]
fn sssp() {
    assert_eq!(values("sssp g.wel --source 10"), "10 0\n20 2\n30 1\n40 2\n50 3\n60 2\n70 -\n80 -\n");
    assert_eq!(
        values("sssp g.wel --source 10 --weights unit"),
        "10 0\n20 1\n30 1\n40 2\n50 3\n60 1\n70 -\n80 -\n"
    );
    let floats = "10 0.0\n20 2.0\n30 1.0\n40 2.0\n50 3.0\n60 2.0\n70 -\n80 -\n";
    assert_eq!(values("sssp g.wel --source 10 --precision f32"), floats);
    assert_eq!(values("sssp g.wel --source 10 --precision f64"), floats);
    values("sssp g.wel --source 10 --undirected --weights random:7:100");
}

#[test]
fn widest() {
    let most = u32::MAX;
    assert_eq!(
        values("widest g.wel --source 10"),
        format!("10 {most}\n20 10\n30 1\n40 1\n50 1\n60 2\n70 -\n80 -\n")
    );
    values("widest g.wel --source 10 --precision f64 --undirected");
}

#[test]
fn reach() {
    assert_eq!(values("reach g.wel --source 70"), "10 -\n20 -\n30 -\n40 -\n50 -\n60 -\n70 true\n80 true\n");
}

#[test]
fn components() {
    assert_eq!(values("components g.wel"), "10 10\n20 10\n30 10\n40 10\n50 10\n60 10\n70 70\n80 70\n");
}

#[test]
fn core_numbers() {
    let folder = Folder::new();
    // A triangle whose edges are there several times, with a tail and a vertex with a loop only.
    folder.file("g.el", "1 2\n2 1\n2 3\n3 1\n3 1\n3 4\n4 4\n9 9\n");
    for options in ["", "--undirected", "--threads 1"] {
        let done = folder.wolfpath(&format!("run kcore g.el --verify --output - {options}")).succeeded();
        assert_eq!(done.out, "1 2\n2 2\n3 2\n4 1\n9 0\n", "{options}");
    }
    folder.wolfpath("run kcore g.el --source 1").misused(&["kcore starts from every vertex: omit --source"]);
    folder
        .wolfpath("run kcore g.el --path-to 1")
        .misused(&["a core number does not come from a single path"]);
    folder.wolfpath("run kcore g.el --damping 0.5").misused(&["kcore has no damping or tolerance"]);
    folder.wolfpath("run kcore g.el --schedule sweep --engine cpu").failed(&["sweep"]);
}

#[test]
fn pagerank() {
    for options in ["", "--precision f64", "--damping 0.5 --tolerance 1e-4", "--steps 7", "--undirected"] {
        let text = values(&format!("pagerank g.wel {options}"));
        let sum: f64 = text.lines().filter_map(|line| line.split_once(' ')?.1.parse::<f64>().ok()).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{options}: {sum}");
    }
}

#[test]
fn accumulated_pagerank() {
    let steps = values("pagerank g.wel --precision f64 --tolerance 1e-12");
    let ranks = |text: &str| -> Vec<f64> {
        text.lines().filter_map(|line| line.split_once(' ')?.1.parse().ok()).collect()
    };
    for options in
        ["", "--precision f64", "--schedule paths", "--schedule frontier --threads 1", "--tolerance 1e-3"]
    {
        let text = values(&format!("pagerank g.wel --accumulate {options}"));
        let (expected, found) = (ranks(&steps), ranks(&text));
        let sum: f64 = found.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "{options}: {sum}");
        let most = if options.contains("1e-3") { 1e-2 } else { 1e-5 };
        assert!(
            expected.iter().zip(&found).all(|(a, b)| (a - b).abs() < most),
            "{options}: {found:?}, {expected:?}"
        );
    }
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let json = folder.wolfpath("run pagerank g.wel --accumulate --json").succeeded().json();
    assert_eq!((&json["end"], &json["schedule"]), (&"tolerance".into(), &"frontier (accumulating)".into()));
    assert!(json["updates"].as_u64() > Some(8) && json["pending"].as_f64() <= Some(1e-6), "{json}");
    let text = folder.wolfpath("run pagerank g.wel --accumulate --schedule paths").succeeded();
    assert!(text.out.contains(" updates, ") && text.out.contains(" still to be sent, in "), "{text:?}");
    let refused = folder.wolfpath("run bfs g.wel --accumulate");
    refused.misused(&["bfs does not add up portions: --accumulate applies to pagerank and adsorption"]);
    folder
        .wolfpath("run pagerank g.wel --accumulate --steps 3")
        .misused(&["takes no steps that could be counted", "--tolerance"]);
    folder
        .wolfpath("run pagerank g.wel --accumulate --schedule pull")
        .failed(&["by the schedule `pull`: it accumulates", "use `frontier` or `paths`"]);
    let limited = folder.wolfpath("run pagerank g.wel --accumulate --max-steps 2");
    limited.failed(&[
        "after step 2: the amounts still to be sent fell only from 0.1125 to 0.0",
        "raise the limit",
    ]);
    for program in ["pagerank g.wel --accumulate", "adsorption g.wel --source 10"] {
        folder.wolfpath(&format!("run {program} --damping 1")).misused(&["set --damping below 1"]);
    }
}

#[test]
fn adsorption() {
    let folder = Folder::new();
    // Vertex 3 receives from 1 and, with three times the weight, from 2. Vertex 5 has only a loop of weight 0.
    folder.file("g.wel", "1 3 1\n2 3 3\n3 4 1\n5 5 0\n");
    let run = |options: &str| {
        let done =
            folder.wolfpath(&format!("run adsorption g.wel --verify --output - --damping 0.5 {options}"));
        done.succeeded().out
    };
    let shares = |first: f64, second: f64| format!("[{first:?}, {second:?}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]");
    let lines = [
        format!("1 {}", shares(0.5, 0.0)),
        format!("2 {}", shares(0.0, 0.5)),
        format!("3 {}", shares(0.0625, 0.1875)),
        format!("4 {}", shares(0.03125, 0.09375)),
        format!("5 {}", shares(0.0, 0.0)),
    ];
    assert!(run("--source 2,1").lines().eq(&lines), "labels are in the order of ids");
    for options in
        ["--accumulate", "--accumulate --schedule paths --threads 2", "--accumulate --schedule frontier"]
    {
        assert!(run(&format!("--source 1,2 {options}")).lines().eq(&lines), "{options}");
    }
    run("--source 3 --undirected --accumulate");
    run("--source 3 --undirected --tolerance 1e-9 --weights random:1:9");
    let nine = "run adsorption g.wel --source 1,2,3,4,5,6,7,8,9";
    folder.wolfpath(nine).failed(&["vertex 6"]);
    let all: String = (1..10).map(|v| format!("{v} {}\n", v + 1)).collect();
    folder.file("more.el", &all);
    folder.wolfpath("run adsorption more.el --source 1,2,3,4,5,6,7,8,9").failed(&["9 sources", "at most 8"]);
    folder
        .wolfpath("run adsorption g.wel --each-source --source 1")
        .misused(&["keeps its sources apart in one run"]);
    folder
        .wolfpath("run adsorption g.wel --source 1 --path-to 3")
        .misused(&["a share does not come from a single path"]);
    folder.file("negative.wel", "1 2 -1\n");
    folder.wolfpath("run adsorption negative.wel --source 1").failed(&["-1"]);
}

#[test]
fn the_order_of_paths() {
    for program in ["bfs", "sssp", "widest", "reach"] {
        let (paths, frontier) = (
            values(&format!("{program} g.wel --source 10 --schedule paths")),
            values(&format!("{program} g.wel --source 10 --schedule frontier")),
        );
        assert_eq!(paths, frontier, "{program}");
    }
    values("components g.wel --schedule paths");
    values("sssp g.wel --source 10 --schedule paths --undirected --weights random:1:100");
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("build g.wel --paths --output g.wolf").succeeded();
    let run = "run pagerank g.wolf --accumulate --verify --json";
    let json = folder.wolfpath(run).succeeded().json();
    assert_eq!(json["schedule"], "paths (in the order of their dependencies)", "{json}");
    let explained = folder.wolfpath("explain sssp g.wolf --schedule paths --engine cpu").succeeded().out;
    assert!(explained.contains("order of paths (") && !explained.contains("bytes  paths ("), "{explained}");
    let explained =
        folder.wolfpath("explain sssp g.wel --undirected --schedule paths --engine cpu").succeeded().out;
    assert!(explained.contains("the graph is symmetric, so paths"), "{explained}");
    assert!(explained.contains("bytes  paths ("), "{explained}");
    let explained = folder.wolfpath("explain components g.wel --schedule paths --engine cpu").succeeded().out;
    assert!(explained.contains("messages travel both ways"), "{explained}");
    folder
        .wolfpath("run pagerank g.wel --schedule paths --engine cpu")
        .failed(&["by the schedule `paths`: its values must not be seen before a step is over"]);
    folder
        .wolfpath("run bfs g.wel --source 10 --schedule paths --steps 2")
        .failed(&["a fixed number of steps"]);
}

#[test]
fn steps_end_a_run_early() {
    assert_eq!(values("bfs g.wel --source 10 --steps 1"), "10 0\n20 1\n30 1\n40 -\n50 -\n60 1\n70 -\n80 -\n");
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let end = |options: &str| {
        let run = format!("run reach g.wel --no-cache --source 30 --output out.txt --json {options}");
        folder.wolfpath(&run).succeeded().json()["end"].clone()
    };
    assert_eq!([end("--steps 1"), end("--steps 9"), end("")], ["steps", "fixpoint", "fixpoint"]);
    let none = folder.wolfpath("run reach g.wel --source 30 --steps 0");
    none.misused(&["expected a number of steps, at least 1"]);
}

#[test]
fn numbers_are_exact_for_the_weights() {
    let folder = Folder::new();
    for (weights, number, end) in [
        (["4294967294", "0"], "u64", "4294967294"),
        (["2000000000", "5"], "u32", "2000000005"),
        (["4000000000", "4000000000"], "u64", "8000000000"),
        (["0.1", "0.2"], "f64", "0.30000000000000004"),
        (["9223372036854775808", "9223372036854775808"], "f64", "1.8446744073709552e19"),
        (["1e300", "1e300"], "f64", "2e300"),
    ] {
        folder.file("g.wel", format!("1 2 {}\n2 3 {}\n", weights[0], weights[1]));
        let done = folder.wolfpath("run sssp g.wel --no-cache --source 1 --verify --output out.txt --json");
        let done = done.succeeded();
        assert_eq!(done.json()["number"], number, "{weights:?}");
        assert!(folder.text("out.txt").ends_with(&format!("3 {end}\n")), "{weights:?}");
        assert_eq!(
            done.err.contains("which exceeds 64 bits"),
            weights[0] == "9223372036854775808",
            "{done:?}"
        );
    }
}

#[test]
fn symmetric_graphs_need_fewer_bits() {
    let folder = Folder::new();
    let star: String = (1..6).map(|leaf| format!("0 {leaf} 1000000000\n")).collect();
    folder.file("star.wel", star);
    for (options, number, drops) in [("--undirected", "u32", true), ("", "u64", false)] {
        let command = format!("sssp star.wel {options} --no-cache --source 0 --engine cpu --json");
        let json = folder.wolfpath(&format!("run {command} --verify")).succeeded().json();
        assert_eq!((&json["number"], &json["bound"]["drops_messages"]), (&number.into(), &drops.into()));
        let plan = folder.wolfpath(&format!("explain {command}")).succeeded().json();
        assert_eq!(plan["bound"], json["bound"]);
    }
    let text =
        folder.wolfpath("explain sssp star.wel --undirected --no-cache --source 0 --engine cpu").succeeded();
    assert!(text.out.contains("values     at most 2000000000: every edge has its reverse"), "{text:?}");
}

#[test]
fn floats_read_back_exactly() {
    let folder = Folder::new();
    folder.file("g.wel", "0 1 0.1\n1 2 1e-320\n2 3 123456789.125\n0 4 1e22\n");
    folder.wolfpath("run sssp g.wel --source 0 --output out.txt --verify").succeeded();
    let text = folder.text("out.txt");
    let read: Vec<f64> = text.lines().filter_map(|line| line.split_once(' ')?.1.parse().ok()).collect();
    assert_eq!(read, [0.0, 0.1, 0.1 + 1e-320, 0.1 + 1e-320 + 123456789.125, 1e22]);
}

#[test]
fn weights_that_do_not_fit_are_refused_with_advice() {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 0.1\n");
    let run = "run sssp g.wel --no-cache --source 1 --precision f32 --output -";
    folder.wolfpath(run).failed(&["0.1", "1 -> 2", "f32", "--lossy-weights", "--precision f64"]);
    assert_eq!(folder.wolfpath(&format!("{run} --lossy-weights --verify")).succeeded().out, "1 0.0\n2 0.1\n");
    // No type is wider than f64, so a wider precision is not advised.
    folder.file("huge.wel", "1 2 18446744073709551615\n");
    let done = folder.wolfpath("run sssp huge.wel --no-cache --precision f64").failed(&["(--lossy-weights)"]);
    assert!(!done.err.contains("--precision"), "{done:?}");
    folder.file("tiny.wel", "1 2 1e-400\n");
    folder.wolfpath("run sssp tiny.wel --no-cache").failed(&["tiny.wel, line 1", "1e-400 is too small"]);
}

#[test]
fn without_a_source_it_starts_at_the_root_and_says_so() {
    let folder = Folder::new();
    folder.file("g.el", "5 6\n6 7\n");
    let done = folder.wolfpath("run bfs g.el --output -").succeeded();
    assert_eq!(done.out, "5 0\n6 1\n7 2\n");
    assert!(done.err.contains("note: no --source: starting at the root of the layers, 5"), "{done:?}");
}

#[test]
fn paths_and_predecessors() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let done =
        folder.wolfpath("run sssp g.wel --source 10 --path-to 60 --predecessors before.txt").succeeded();
    // Two paths of length 2 lead to 60. Its predecessor is the one with the smallest id.
    assert!(done.out.contains("path       10 -> 60 (1 edge)"), "{done:?}");
    assert_eq!(folder.text("before.txt"), "10 -\n20 30\n30 10\n40 30\n50 40\n60 10\n70 -\n80 -\n");
    let json = folder.wolfpath("run sssp g.wel --source 10 --path-to 20 --json").succeeded().json();
    assert_eq!(json["path"]["vertices"], serde_json::json!([10, 30, 20]));
    let json = folder.wolfpath("run bfs g.wel --source 10 --path-to 80 --json").succeeded().json();
    assert_eq!((&json["path"]["to"], &json["path"]["vertices"]), (&80.into(), &serde_json::Value::Null));
    let done = folder.wolfpath("run bfs g.wel --source 10 --path-to 80").succeeded();
    assert!(done.out.contains("none: 80 was not reached"), "{done:?}");
    let done = folder.wolfpath("run reach g.wel --source 70 --predecessors -").succeeded();
    assert_eq!(done.out, "10 -\n20 -\n30 -\n40 -\n50 -\n60 -\n70 -\n80 70\n");
}

#[test]
fn graphs_without_vertices() {
    let folder = Folder::new();
    folder.file("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
    for program in ["bfs", "sssp", "widest", "reach", "components", "pagerank", "kcore", "adsorption"] {
        let done = folder.wolfpath(&format!("run {program} g.mtx --output - --verify")).succeeded();
        assert_eq!(done.out, "", "{program}");
        folder.wolfpath(&format!("explain {program} g.mtx")).succeeded();
    }
    folder.wolfpath("run bfs g.mtx --source 1").failed(&["vertex 1", "no vertices"]);
}

#[test]
fn what_changes_nothing_is_said() {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 3\n");
    let run = "bfs g.wel --no-cache --engine cpu --source 1";
    let done = folder.wolfpath(&format!("run {run} --weights random:1:9 --device-memory 1G")).succeeded();
    for note in
        ["note: bfs reads no weights", "note: the run does not use a GPU: --device-memory has no effect"]
    {
        assert!(done.err.contains(note), "{note}: {done:?}");
    }
    let done = folder.wolfpath(&format!("explain {run} --output out.txt --verify")).succeeded();
    assert!(done.err.contains("explain does not run the program and ignores --output, --verify"), "{done:?}");
    let done = folder.wolfpath(&format!("run {run} --weights unit")).succeeded();
    assert!(done.err.contains("--weights") && !done.err.contains("GPU:"), "{done:?}");
    let done = folder.wolfpath(&format!("explain {run}")).succeeded();
    assert!(!done.err.contains("explain does not"), "{done:?}");
    let done = folder.wolfpath(&format!("run {run} --steps 9 --max-steps 5")).succeeded();
    assert!(done.err.contains("--max-steps 5 is smaller than --steps 9"), "{done:?}");
    assert_eq!(folder.names(), ["g.wel"]);
}

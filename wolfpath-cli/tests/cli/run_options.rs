//! The options of `wolfpath run`, and the contents of its reports.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 5\n2 3 7\n3 3 1\n1 2 5\n");
    folder
}

#[test]
fn json_holds_everything() {
    let done =
        folder().wolfpath("run sssp g.wel --engine cpu --source 1 --repeat 3 --verify --json").succeeded();
    let json = done.json();
    for field in ["engine_reason", "schedule", "schedule_reason", "graph", "seconds", "runs", "notes"] {
        assert!(!json[field].is_null(), "{field}: {json}");
    }
    assert_eq!((&json["program"], &json["number"]), (&"sssp".into(), &"u32".into()));
    assert_eq!(json["sources"], serde_json::json!([1]));
    // A path over three vertices has at most two edges. A weight that is stored in 8 bits is at most 255.
    assert_eq!((&json["bound"]["longest"], &json["bound"]["drops_messages"]), (&510.into(), &false.into()));
    assert_eq!(json["reached"], 3);
    for count in ["steps", "edges", "planned_bytes"] {
        assert!(json[count].as_u64().is_some_and(|count| count > 0), "{count}: {json}");
    }
    for count in ["launches", "host_to_device_copies", "device_to_host_copies", "device_bytes", "host_bytes"]
    {
        assert_eq!(json[count], 0, "{count}");
    }
    assert_eq!(json.get("streamed"), Some(&serde_json::Value::Null), "{json}");
    for stage in ["open", "plan", "compile", "load", "run", "read_back", "verify"] {
        assert!(json["seconds"][stage].is_number(), "{stage}: {json}");
    }
    assert_eq!(json["runs"]["count"], 3);
    let mut runs: Vec<f64> = json["runs"]["seconds"]
        .as_array()
        .expect("the field is a list")
        .iter()
        .filter_map(|run| run.as_f64())
        .collect();
    runs.sort_by(f64::total_cmp);
    assert_eq!(json["runs"]["median"], runs[1]);
    assert_eq!((&json["graph"]["vertices"], &json["graph"]["edges"]), (&3.into(), &4.into()));
    assert!(done.err.contains("note: 1 duplicate edge kept"), "{done:?}");
}

#[test]
fn the_report_for_people() {
    let done = folder().wolfpath("run sssp g.wel --engine cpu --source 1 --verify --threads 2").succeeded();
    for line in
        ["graph ", "program    sssp with u32 values from 1", "engine     cpu, 2 threads", "schedule ", "run "]
    {
        assert!(done.out.contains(line), "{line}: {done:?}");
    }
    assert!(done.out.contains("reached    3 of 3 vertices"), "{done:?}");
    assert!(done.out.contains("against Dijkstra's algorithm: 3 vertices, no difference"), "{done:?}");
    // If the values go to standard output, the report goes to standard error.
    let done = folder().wolfpath("run sssp g.wel --source 1 --output -").succeeded();
    assert_eq!(done.out, "1 0\n2 5\n3 12\n");
    assert!(done.err.contains("reached    3 of 3 vertices"), "{done:?}");
}

#[test]
fn duplicates_and_self_loops() {
    let folder = folder();
    let edges = |options: &str| {
        let done = folder.wolfpath(&format!("run bfs g.wel --source 1 --json {options}")).succeeded();
        done.json()["graph"]["edges"].as_u64()
    };
    assert_eq!(edges(""), Some(4));
    assert_eq!(edges("--duplicates drop"), Some(3));
    assert_eq!(edges("--duplicates drop --self-loops drop"), Some(2));
    assert_eq!(edges("--duplicates keep --self-loops keep"), Some(4));
}

#[test]
fn the_cache() {
    let folder = folder();
    let opened = |options: &str| {
        let done = folder.wolfpath(&format!("run bfs g.wel --source 1 --json {options}")).succeeded();
        done.json()["graph"]["opened_from"].clone()
    };
    assert_eq!(opened("--no-cache"), "input");
    assert_eq!(folder.kept_graphs().len(), 0);
    assert_eq!(opened(""), "input");
    assert_eq!(folder.names(), ["g.wel"]);
    assert_eq!(folder.kept_graphs().len(), 1);
    assert_eq!(opened(""), "cache");
    assert_eq!(opened("--no-cache"), "input");
    assert_eq!(opened("--undirected"), "input");
}

#[test]
fn the_format_by_option() {
    let folder = Folder::new();
    folder.file("graph.dat", "a 1 2 5\na 2 3 6\n");
    folder.file("roads.el", "a 1 2 5\na 2 3 6\n");
    let done = folder.wolfpath("run sssp graph.dat --source 1 --output -").succeeded();
    assert_eq!(done.out, "1 0\n2 5\n3 11\n");
    folder.wolfpath("run sssp roads.el --source 1").failed(&["roads.el, line 1", "--format gr"]);
    folder.wolfpath("run sssp roads.el --source 1 --format gr --verify").succeeded();
}

#[test]
fn limits() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n3 1\n1 3\n");
    folder.wolfpath("run pagerank g.el --max-steps 2").failed(&["after step 2", "--max-steps"]);
    // The default limit allows many more steps than the three vertices of this graph.
    let done =
        folder.wolfpath("run pagerank g.el --damping 0.99 --precision f64 --tolerance 1e-12 --verify --json");
    assert!(done.succeeded().json()["steps"].as_u64().is_some_and(|steps| steps > 10));
    folder.file("path.el", (0..1000).map(|id| format!("{id} {}\n", id + 1)).collect::<String>());
    let run = "run bfs path.el --engine cpu --source 0 --time-limit";
    folder.wolfpath(&format!("{run} 0.000001 --output out.txt")).failed(&["time limit of 1µs"]);
    folder.wolfpath(&format!("{run} 3600")).succeeded();
    assert!(!folder.names().contains(&"out.txt".to_owned()));
}

#[test]
fn a_reader_that_has_had_enough() {
    let folder = Folder::new();
    let path: String = (0..50_000).map(|id| format!("{id} {}\n", id + 1)).collect();
    folder.file("g.el", path);
    let mut command = folder.command();
    command.args(["run", "bfs", "g.el", "--no-cache", "--source", "0", "--output", "-"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("the output is piped"));
    out.read_line(&mut line).expect("the command prints a line");
    drop(out);
    assert_eq!(line, "0 0\n");
    crate::support::Done::of(child.wait_with_output().expect("the command ends")).succeeded();
}

#[cfg(unix)]
#[test]
fn a_graph_from_a_pipe() {
    let folder = folder();
    let mut command = folder.command();
    let input = std::fs::File::open(folder.path("g.wel")).expect("the file exists");
    command.args(["run", "sssp", "/dev/stdin", "--no-cache", "--source", "1", "--output", "-"]).stdin(input);
    let done = crate::support::Done::of(command.output().expect("the command starts")).succeeded();
    assert_eq!(done.out, "1 0\n2 5\n3 12\n");
}

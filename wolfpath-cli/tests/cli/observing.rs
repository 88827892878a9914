//! Observing runs: `--trace`, `--plot`, the progress that limits report, and schedules.

use serde_json::Value;

use crate::support::{Folder, events};

/// Creates a folder with a weighted graph: a path of a hundred edges with chords.
fn folder() -> Folder {
    let folder = Folder::new();
    let lines = (0..100).map(|id| format!("{id} {} {}\n{id} {} 9\n", id + 1, 1 + id % 4, (id + 7) % 101));
    folder.file("g.wel", lines.collect::<String>());
    folder
}

const RUN: &str = "run sssp g.wel --no-cache --source 0 --engine cpu";

#[test]
fn a_trace_has_every_stage_and_every_step() {
    let folder = folder();
    let done = folder.wolfpath(&format!("{RUN} --trace t.json --verify --json")).succeeded();
    let report = done.json();
    assert_eq!(report["trace"], "t.json");
    let stages = events(&folder, "t.json", "stage");
    let run = stages.iter().find(|stage| stage["name"] == "run").expect("the run has a stage");
    let end = |event: &Value| event["ts"].as_f64().zip(event["dur"].as_f64()).map(|(ts, dur)| ts + dur);
    let steps = events(&folder, "t.json", "step");
    for step in &steps {
        assert!(step["ts"].as_f64() >= run["ts"].as_f64(), "{step}");
        assert!(
            end(step).expect("the event has times") <= end(run).expect("the event has times") + 0.01,
            "{step} {run}"
        );
    }
    let (advances, steps): (Vec<_>, Vec<_>) =
        steps.into_iter().partition(|step| step["name"] == "next bucket");
    assert!(!advances.is_empty() && advances.iter().all(|step| step["args"]["edges"] == 0));
    assert_eq!(Some(steps.len() as u64), report["steps"].as_u64());
    let edges: u64 = steps.iter().filter_map(|step| step["args"]["edges"].as_u64()).sum();
    assert_eq!(Some(edges), report["edges"].as_u64());
    assert_eq!(steps[0]["args"]["active"], 1);
    assert!(steps.iter().all(|step| step["args"]["bucket"].is_u64()), "{steps:?}");
    // The same run with its report as text.
    let done = folder.wolfpath(&format!("{RUN} --trace t.json --plot p.svg")).succeeded();
    assert!(done.out.contains("written    trace to t.json\npicture    p.svg\n"), "{done:?}");
    assert_eq!(folder.names(), ["g.wel", "p.svg", "t.json"]);
}

#[test]
fn the_last_of_several_runs_is_traced() {
    let folder = folder();
    let run = format!("{RUN} --repeat 3 --json --trace t.json --plot p.svg");
    let report = folder.wolfpath(&run).succeeded().json();
    assert_eq!((&report["plot"], &report["runs"]["count"]), (&"p.svg".into(), &3.into()));
    let steps = events(&folder, "t.json", "step");
    let steps = steps.iter().filter(|step| step["name"] != "next bucket").count() as u64;
    assert_eq!(Some(steps), report["steps"].as_u64());
    // Without --trace there is no trace.
    assert_eq!(folder.wolfpath(&format!("{RUN} --json")).succeeded().json()["trace"], Value::Null);
}

#[test]
fn a_picture_of_every_kind_of_run() {
    let folder = folder();
    folder.file("none.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
    folder.file("path.el", (0..20_000).map(|id| format!("{id} {}\n", id + 1)).collect::<String>());
    for (run, part) in [
        ("sssp g.wel --source 0", "next bucket"),
        ("bfs g.wel --source 0", "bfs over g.wel"),
        ("pagerank g.wel --steps 3", "3 steps in"),
        ("components none.mtx", "nothing to draw"),
        ("bfs path.el --source 0", "20,001 steps in"),
        ("bfs path.el --source 20000", "1 step in"),
    ] {
        let run = format!("run {run} --no-cache --engine cpu --plot p.svg");
        folder.wolfpath(&run).succeeded();
        let svg = folder.text("p.svg");
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{run}");
        assert!(svg.contains(part) && svg.len() < 400_000, "{run}: {part}: {} bytes", svg.len());
    }
}

#[test]
fn traces_and_pictures_that_cannot_be_written() {
    let folder = folder();
    let graph = folder.text("g.wel");
    folder.file("old.json", "before");
    for option in ["--trace no/such/t.json", "--plot no/such/p.svg"] {
        folder.wolfpath(&format!("{RUN} {option}")).failed(&["cannot be written", "no/such"]);
    }
    folder.wolfpath(&format!("{RUN} --trace ./g.wel")).failed(&["is the graph itself"]);
    folder.wolfpath(&format!("{RUN} --plot p.png")).misused(&["--plot", ".svg"]);
    folder
        .wolfpath(&format!("{RUN} --trace a.svg --plot a.svg"))
        .misused(&["--trace and --plot", "same file"]);
    for other in ["./a.svg", "sub/../a.svg"] {
        std::fs::create_dir_all(folder.path("sub")).expect("a temporary folder");
        let run = format!("{RUN} --trace a.svg --plot {other}");
        folder.wolfpath(&run).misused(&["--trace and --plot", "same file"]);
    }
    std::fs::remove_dir(folder.path("sub")).expect("the folder is empty");
    folder.wolfpath(&format!("{RUN} --trace a --output a")).misused(&["--output and --trace", "same file"]);
    folder.wolfpath(&format!("{RUN} --trace - --json")).misused(&["--trace -", "standard output"]);
    // A failed run leaves existing files unchanged.
    folder.wolfpath(&format!("{RUN} --trace old.json --max-steps 2")).failed(&["after step 2"]);
    assert_eq!((folder.text("old.json").as_str(), folder.text("g.wel")), ("before", graph));
    assert_eq!(folder.names(), ["g.wel", "old.json"]);
    // With `--trace -`, standard output contains only the trace.
    let done = folder.wolfpath(&format!("{RUN} --trace -")).succeeded();
    assert!(done.json()["traceEvents"].is_array() && done.err.contains("reached"), "{done:?}");
}

#[test]
fn runs_that_are_stopped_say_how_far_they_came() {
    let folder = Folder::new();
    folder.file("path.el", (0..50_000).map(|id| format!("{id} {}\n", id + 1)).collect::<String>());
    let run = "run bfs path.el --no-cache --engine cpu --source 0";
    let done = folder.wolfpath(&format!("{run} --time-limit 0.000001 --trace t.json"));
    done.failed(&[
        "bfs was stopped by its time limit of 1µs after",
        "steps and",
        "edges in",
        "of 50001 vertices",
    ]);
    folder.wolfpath(&format!("{run} --max-steps 7")).failed(&["after step 7", "--max-steps"]);
    assert_eq!(folder.names(), ["path.el"]);
}

#[test]
fn schedules_and_techniques() {
    let folder = folder();
    let distances = folder.wolfpath(&format!("{RUN} --output -")).succeeded().out;
    for options in [
        "--schedule auto",
        "--schedule frontier",
        "--schedule bucket",
        "--schedule pull",
        "--without direction",
        "--without direction --without local-rounds",
        "--without direction,local-rounds,shared-window",
        "--schedule paths",
        "--schedule paths --without path-order",
    ] {
        let done = folder.wolfpath(&format!("{RUN} {options} --output -")).succeeded();
        assert_eq!(done.out, distances, "{options}");
    }
    let explain = |options: &str| {
        let done = folder.wolfpath(&format!("explain sssp g.wel --no-cache --engine cpu {options}"));
        done.succeeded().out
    };
    let explained = explain("--schedule pull");
    assert!(explained.contains("schedule   pull (receivers gather): requested"), "{explained}");
    let explained = explain("--schedule frontier");
    assert!(explained.contains("schedule   relax (frontier in place): requested"), "{explained}");
    let explained = explain("--schedule paths --without path-order");
    assert!(explained.contains("paths are visited in no particular order, as requested"), "{explained}");
    assert!(!explained.contains("no effect"), "{explained}");
    // The reason for a choice holds the estimates that it was based on.
    let explained = explain("");
    assert!(explained.contains("saves work"), "{explained}");
    assert!(explained.contains("; estimated: frontier ") && explained.contains(", bucket "), "{explained}");
    let sums = "run pagerank g.wel --no-cache --engine cpu --threads 2 --accumulate --without shared-window";
    for used in [&format!("{RUN} --without direction"), sums] {
        let done = folder.wolfpath(used).succeeded();
        assert!(!done.err.contains("no effect"), "{}", done.err);
    }
    let noted = folder.wolfpath(&format!("{RUN} --without direction,lending --rows host")).succeeded();
    for option in ["--without lending", "--rows"] {
        let note = format!("the run does not use a GPU: {option} has no effect");
        assert!(noted.err.contains(&note), "{}", noted.err);
    }
    let refused = folder.wolfpath(&format!("{RUN} --schedule relax"));
    refused.misused(&["--schedule", "frontier, bucket, pull, sweep"]);
    folder.wolfpath(&format!("{RUN} --without speed")).misused(&["--without", "local-rounds"]);
}

#[test]
fn schedules_that_cannot_run_a_program() {
    let folder = folder();
    for (run, why) in [
        ("sssp g.wel --source 1 --schedule sweep", "the CPU engine does not sweep"),
        ("sssp g.wel --source 1 --steps 2 --schedule bucket", "a fixed number of steps was requested"),
        ("reach g.wel --source 1 --schedule bucket", "no value is nearer than another"),
        ("pagerank g.wel --schedule frontier", "there is no frontier"),
        ("pagerank g.wel --schedule bucket", "must not be seen before a step is over"),
    ] {
        for command in ["run", "explain"] {
            let done = folder.wolfpath(&format!("{command} {run} --engine cpu --no-cache"));
            done.failed(&[why, "let the plan choose, or use ", "`pull`"]);
        }
    }
    let json =
        folder.wolfpath("explain bfs g.wel --no-cache --engine cpu --schedule bucket --json").succeeded();
    let json = json.json();
    assert_eq!(json["schedule_reason"], "requested");
    let estimates = json["estimates"].as_array().expect("a list of estimates");
    let schedules: Vec<_> = estimates.iter().map(|estimate| &estimate["schedule"]).collect();
    assert_eq!(schedules, ["frontier", "bucket"], "{estimates:?}");
    let json = folder.wolfpath("explain pagerank g.wel --no-cache --engine cpu --json").succeeded();
    assert_eq!(json.json()["estimates"], serde_json::json!([]));
}

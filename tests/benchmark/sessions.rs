//! Whole sessions on the CPU engine, over generated graphs.

use std::time::{Duration, Instant};

use serde_json::Value;
use wolfpath::Engine;

use crate::suite::{Arguments, Judge, Table, run};

/// Runs a session. Returns its output and the number of bad lines.
fn session(words: &[&str], json: bool, judge: Judge) -> (String, usize) {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let defaults = Arguments {
        rmat_scale: Some(6),
        path: Some(40),
        star: Some(50),
        scratch: scratch.path().to_owned(),
        ..Arguments::new(2, judge)
    };
    let made = ["--only", "R-MAT", "--only", "path", "--only", "star"];
    let words = made.iter().chain(words).map(|&word| word.to_owned());
    let arguments = defaults.read(words).expect("the options are valid").expect("help was not requested");
    let mut out = Vec::new();
    let mut table = Table::new(&mut out, json, true);
    table.head("cpu", "a test").expect("the head is printed");
    run(&Engine::cpu(), &arguments, Instant::now(), &mut table).expect("the session succeeds");
    let bad = table.bad;
    (String::from_utf8(out).expect("the output is UTF-8"), bad)
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect()
}

#[test]
fn every_part_of_a_session() {
    let extra = ["--schedules", "--ablations", "--only", "R-MAT/sssp that can fault"];
    let (text, bad) = session(&extra, true, Judge::CpuEngine);
    assert_eq!(bad, 0, "{text}");
    let objects = objects(&text);
    let count = |kind: &str| objects.iter().filter(|object| object["kind"] == kind).count();
    assert_eq!((count("head"), count("graph"), count("line")), (1, 3, 12));
    assert_eq!(count("schedule"), 10 * wolfpath::ScheduleChoice::ALL.len());
    // Over the R-MAT graph, the path and the star: layered order 5 + 1 + 1, direction 2 + 1 + 1, local rounds 3 + 1 +
    // 1, shared memory 2 + 1 + 1. Over the R-MAT graph only: buckets 3, sweeps 1.
    assert_eq!(count("ablation"), 24);
    for line in objects.iter().filter(|object| object["kind"] == "line") {
        assert_eq!(line["wrong"], 0, "{line}");
        assert!(line["floor_ms"].as_f64().is_some_and(|floor| floor > 0.0), "{line}");
    }
    let path = objects.iter().find(|object| object["kind"] == "line" && object["graph"] == "path 40");
    assert_eq!(path.map(|path| (&path["levels"], &path["reached"])), Some((&39.into(), &40.into())));
    // If a run did not use the requested schedule, its time must not be listed for that schedule.
    for object in objects.iter().filter(|object| object["kind"] == "schedule") {
        let taken = object["schedule"].as_str().unwrap_or_default();
        let asked = object["asked"].as_str().unwrap_or_default();
        let is_it = taken.starts_with(asked) || (asked == "frontier" && taken.starts_with("relax"));
        assert!(is_it || object["refused"].is_string(), "{object}");
    }
    let shuffled = |object: &&Value| object["technique"] == "layered order";
    assert!(objects.iter().filter(shuffled).all(|object| object["ratio"].as_f64().is_some()), "{text}");
}

#[test]
fn the_cpu_engine_agrees_with_the_oracles() {
    let extra = ["--only", "R-MAT/sssp that can fault", "--only", "R-MAT/sssp that cannot"];
    let (text, bad) = session(&extra, false, Judge::Oracle);
    assert_eq!((bad, text.matches("  right").count()), (0, 13), "{text}");
}

#[test]
fn an_end_of_time_is_said() {
    let (text, bad) = session(&["--schedules", "--limit", "0"], true, Judge::CpuEngine);
    let left: Vec<Value> = objects(&text).into_iter().filter(|object| object["kind"] == "left out").collect();
    assert_eq!((left.len(), bad, &left[0]["what"]), (1, 0, &Value::from("R-MAT 6")));
}

#[test]
fn missing_graphs_are_bad_lines() {
    let arguments = Arguments {
        data: "/nowhere".into(),
        limit: Some(Duration::from_secs(600)),
        ..Arguments::new(1, Judge::CpuEngine)
    };
    let mut out = Vec::new();
    let mut table = Table::new(&mut out, false, true);
    run(&Engine::cpu(), &arguments, Instant::now(), &mut table).expect("the session succeeds");
    assert_eq!(table.bad, 5);
    let text = String::from_utf8(out).expect("the output is UTF-8");
    assert!(text.contains("osm-moscow.wel.zst: no such file") && text.contains("not measured; must reach"));
}

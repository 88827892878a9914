//! `--each-source` and `--sources-from`: results, reports and errors.

use crate::support::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("g.wel", "1 2 5\n2 3 7\n3 1 1\n4 1 2\n");
    folder.file("ids", "# two of them\n3\n\n 1 \n");
    folder
}

#[test]
fn a_column_for_each_source() {
    let folder = folder();
    let run = "run bfs g.wel --engine cpu --source 4 --sources-from ids --each-source --verify --output hops";
    let done = folder.wolfpath(run).succeeded();
    assert_eq!(folder.text("hops"), "# id 4 3 1\n1 1 1 0\n2 2 2 1\n3 3 0 2\n4 0 - -\n");
    for line in [
        "program    bfs with u32 values from each of 3 sources",
        "runs       3 at once, one bit per run",
        "gained ",
        "reached    3 to 4 of 4 vertices",
        "verified   against a serial breadth-first search: 3 runs, no difference",
        "written    values to hops",
    ] {
        assert!(done.out.contains(line), "{line}: {done:?}");
    }
    let done =
        folder.wolfpath("run sssp g.wel --engine cpu --source 1,4,1 --each-source --output -").succeeded();
    assert_eq!(done.out, "# id 1 4 1\n1 0 2 0\n2 5 7 5\n3 12 14 12\n4 - 0 -\n");
    assert!(done.err.contains("3 each by itself: on the CPU, runs can share only"), "{done:?}");
}

#[test]
fn json_of_each_source() {
    let run = "run reach g.wel --engine cpu --sources-from ids --each-source --verify --repeat 2 --json";
    let json = folder().wolfpath(run).succeeded().json();
    assert_eq!((&json["shared"], &json["batches"]), (&2.into(), &1.into()), "{json}");
    assert_eq!(json["each_source"][0]["runs"], 2);
    assert_eq!(
        json["each"][0],
        serde_json::json!({ "source": 3, "reached": 3, "steps": 3, "verified": true })
    );
    assert!(json["gained"].as_f64().is_some_and(|gained| gained >= 1.0), "{json}");
    assert!(json["seconds"]["a_run"].is_number(), "{json}");
    assert_eq!((&json["sources"], &json["runs"]["count"]), (&[3, 1].as_slice().into(), &2.into()));
    assert!(json["engine"].as_str().is_some_and(|engine| engine.contains("cpu")), "{json}");
    assert!(json["planned_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{json}");
}

#[test]
fn many_batches_are_told_once() {
    let folder = folder();
    folder.file("many", "1\n2\n3\n4\n".repeat(40));
    let run = "bfs g.wel --engine cpu --sources-from many --each-source";
    for command in ["run", "explain"] {
        let done = folder.wolfpath(&format!("{command} {run}")).succeeded();
        let ways: Vec<&str> = done.out.lines().filter(|line| line.starts_with("runs ")).collect();
        let expected =
            ["runs       2 times 64 at once, one bit per run", "runs       32 at once, one bit per run"];
        assert_eq!(ways, expected, "{done:?}");
    }
    let explained = folder.wolfpath(&format!("explain {run}")).succeeded();
    // Each of the three batches has five planes: one for the reached vertices and four for the digits of steps. A plane
    // takes 8 bytes for each of the four vertices.
    assert!(explained.out.contains("results    480 bytes of host memory"), "{explained:?}");
}

#[test]
fn a_list_of_sources_is_not_written_over() {
    let folder = folder();
    for each in ["", " --each-source"] {
        let run = format!("run bfs g.wel --engine cpu --sources-from ids{each} --output ids");
        folder.wolfpath(&run).failed(&["ids"]);
        assert!(folder.text("ids").contains("two of them"));
    }
}

#[test]
fn sources_from_a_file_are_sources() {
    let done = folder().wolfpath("run bfs g.wel --engine cpu --sources-from ids --output -").succeeded();
    assert_eq!(done.out, "1 0\n2 1\n3 0\n4 -\n");
}

#[test]
fn explained_for_each_source() {
    let done = folder().wolfpath("explain bfs g.wel --engine cpu --source 1,2 --each-source").succeeded();
    assert!(done.out.contains("runs       2 at once, one bit per run"), "{done:?}");
    let done =
        folder().wolfpath("explain sssp g.wel --engine cpu --source 1,2 --each-source --json").succeeded();
    let sharing = done.json()["each_source"][0]["sharing"].to_string();
    assert!(sharing.contains("each by itself"), "{sharing}");
    assert_eq!(
        folder().wolfpath("explain bfs g.wel --engine cpu --json").succeeded().json()["each_source"],
        serde_json::json!([])
    );
}

#[test]
fn what_cannot_be_meant() {
    let folder = folder();
    for (arguments, says) in [
        ("run bfs g.wel --each-source", "--each-source needs sources"),
        ("run components g.wel --each-source", "omit --sources-from and --each-source"),
        ("run pagerank g.wel --sources-from ids", "omit --sources-from and --each-source"),
        ("run bfs g.wel --source 1 --each-source --path-to 2", "--path-to describes a single run"),
        ("run bfs g.wel --source 1 --each-source --predecessors p", "--predecessors describes a single run"),
        ("run bfs g.wel --source 1 --each-source --trace t.json", "--trace describes a single run"),
        ("run bfs g.wel --source 1 --each-source --plot t.svg", "--plot describes a single run"),
    ] {
        let done = folder.wolfpath(arguments);
        assert!(done.code == Some(2) && done.err.contains(says), "{arguments}: {done:?}");
    }
}

#[test]
fn bad_lists_of_sources() {
    let folder = folder();
    folder.file("words", "1\nfour\n");
    folder.file("none", "# no ids\n");
    folder.file("strangers", "1\n77\n");
    folder.file("bytes", b"1\n\xff\n");
    folder.file("screen", "1\n\x1b[2Jx\n");
    folder.file("long", format!("# {}\n1\n", "-".repeat(5000)));
    for (list, says) in [
        ("words", "words, line 2: expected one id, a number from 0 to 18446744073709551615, found `four`"),
        ("none", "none: contains no ids"),
        ("strangers", "strangers, line 2: vertex 77 is not in g.wel: name one of its 4 ids"),
        ("bytes", "bytes, line 2: expected one id"),
        ("absent", "absent: cannot be read"),
        (
            "screen",
            r"screen, line 2: expected one id, a number from 0 to 18446744073709551615, found `\u{1b}[2Jx`",
        ),
        ("long", "long, line 1: longer than 4096 bytes"),
    ] {
        let done = folder.wolfpath(&format!("run bfs g.wel --engine cpu --sources-from {list}"));
        assert!(done.code == Some(1) && done.err.contains(says), "{list}: {done:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_endless_list_of_sources() {
    folder()
        .wolfpath("run bfs g.wel --engine cpu --sources-from /dev/zero")
        .failed(&["/dev/zero, line 1: longer"]);
}

#[test]
fn the_run_that_fails_is_named() {
    let folder = folder();
    let run = "run sssp g.wel --engine cpu --schedule frontier --each-source --source 2,1 --max-steps 1";
    let done = folder.wolfpath(run).failed(&["of 2 runs were done when the run from", "after step 1"]);
    assert!(!done.err.contains("(from 0)"), "{done:?}");
    let done = folder.wolfpath("run bfs g.wel --engine cpu --each-source --source 2,1 --max-steps 1");
    done.failed(&[
        "0 of 2 runs were done when the batch of 2 that begins with the run from 2 failed",
        "after step 1",
    ]);
}

#[test]
fn the_list_of_sources_is_not_written_over() {
    let folder = folder();
    folder.file("ids", "1\n");
    let done = folder.wolfpath("run bfs g.wel --sources-from ids --output ./ids");
    done.failed(&["ids: is the list of sources", "name another file"]);
    assert_eq!(folder.text("ids"), "1\n");
}

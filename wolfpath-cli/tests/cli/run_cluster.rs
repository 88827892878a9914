//! `run --engine cluster`: processes share a run over shards, and write what one process would.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Folder, Started, hosts};

/// Writes a graph with weights, and its shards.
fn shards(folder: &Folder) {
    folder.wolfpath("generate rmat --scale 11 --max-weight 64 --output r.wolf").succeeded();
    folder.wolfpath("shard r.wolf --shards 3 --output r.shards").succeeded();
}

#[test]
fn processes_find_what_one_process_finds() {
    let folder = Folder::new();
    shards(&folder);
    for (program, processes) in [
        ("bfs --source 5", 2),
        ("sssp --sources-from more.txt", 2),
        ("widest", 3),
        ("reach --steps 2", 1),
        ("components", 2),
        ("kcore", 2),
        ("pagerank --steps 20", 3),
        ("sssp --weights random:7:1000", 2),
        ("sssp --weights unit --schedule pull", 3),
        ("pagerank --precision f64", 2),
        ("adsorption --source 9,5,17", 2),
    ] {
        folder.file("more.txt", "# two\n9\n17\n");
        let (name, options) = program.split_once(' ').unwrap_or((program, ""));
        let alone = format!("run {name} r.wolf {options} --engine cpu --output alone.txt");
        folder.wolfpath(&alone).succeeded();
        let shared = format!(
            "run {name} r.shards {options} --engine cluster --processes {processes} --local --verify --json \
             --output shared.txt"
        );
        let report = folder.wolfpath(&shared).succeeded().json();
        assert_eq!(folder.text("alone.txt"), folder.text("shared.txt"), "{program}");
        assert_eq!(report["verification"]["passed"], true, "{program}: {report}");
        assert_eq!(report["graph"]["processes"], processes, "{program}: {report}");
        let reached = folder.text("alone.txt").lines().filter(|line| !line.ends_with(" -")).count();
        assert_eq!(report["reached"], reached, "{program}: {report}");
    }
}

/// Sums in portions depend on their order, so the oracle checks them.
#[test]
fn processes_add_up_portions() {
    let folder = Folder::new();
    shards(&folder);
    for (program, processes) in [
        ("pagerank --output all.txt", 2),
        ("pagerank --precision f64 --tolerance 1e-9 --output parts/", 3),
        ("adsorption --source 9,5,17", 2),
    ] {
        let (name, options) = program.split_once(' ').expect("there are options");
        let run = format!(
            "run {name} r.shards --accumulate {options} --engine cluster --processes {processes} --local --verify \
             --json"
        );
        let report = folder.wolfpath(&run).succeeded().json();
        assert_eq!(report["verification"]["passed"], true, "{program}: {report}");
        assert_eq!(
            (&report["end"], &report["schedule"]),
            (&"tolerance".into(), &"frontier (accumulating)".into())
        );
        assert!(
            report["updates"].as_u64() > Some(2048) && report["pending"].as_f64() <= Some(1e-6),
            "{report}"
        );
    }
    let sum = |texts: &[String]| -> f64 {
        let lines = texts.iter().flat_map(|text| text.lines());
        lines.map(|line| line.split_once(' ').expect("a rank").1.parse::<f64>().expect("a number")).sum()
    };
    let parts: Vec<String> =
        (0..3).map(|process| folder.text(&format!("parts/{process:04}.values"))).collect();
    for sum in [sum(&[folder.text("all.txt")]), sum(&parts)] {
        assert!((sum - 1.0).abs() < 1e-5, "ranks are divided by their sum: {sum}");
    }
    let limited = "run pagerank r.shards --accumulate --max-steps 2 --engine cluster --processes 2 --local";
    folder.wolfpath(limited).failed(&["after step 2: the amounts still to be sent fell only from"]);
    let plan = "explain adsorption r.shards --source 5 --accumulate --engine cluster --processes 2";
    let plan = folder.wolfpath(plan).succeeded().out;
    assert!(plan.contains("schedule   frontier (accumulating)"), "{plan}");
}

#[test]
fn processes_read_a_column_of_several() {
    let folder = Folder::new();
    let roads: String =
        (0..4000u64).map(|v| format!("{v},{},{},{}\n", v * 7 % 4001, v % 90, v % 13)).collect();
    folder.file("roads.csv", format!("from,to,length,toll\n{roads}"));
    folder.wolfpath("shard roads.csv --shards 2 --output r.shards").succeeded();
    let shared = |column: &str| format!("r.shards {column} --source 1 --engine cluster --processes 2 --json");
    for column in ["length", "toll"] {
        let choice = format!("--weight-column {column}");
        folder.wolfpath(&format!("run sssp roads.csv {choice} --source 1 --output alone.txt")).succeeded();
        let run = format!("run sssp {} --local --verify --output shared.txt", shared(&choice));
        let report = folder.wolfpath(&run).succeeded().json();
        assert_eq!(folder.text("alone.txt"), folder.text("shared.txt"), "{column}");
        assert_eq!(report["graph"]["weight_column"], column);
        let plan = folder.wolfpath(&format!("explain sssp {}", shared(&choice))).succeeded().json();
        assert_eq!((&plan["graph"]["weight_column"], &plan["number"]), (&column.into(), &report["number"]));
    }
    for command in [format!("run sssp {} --local", shared("")), format!("explain sssp {}", shared(""))] {
        folder.wolfpath(&command).failed(&["no column was chosen as the weight", "length, toll"]);
    }
}

#[test]
fn the_report_has_the_lines_of_other_engines() {
    let folder = Folder::new();
    shards(&folder);
    let run = "run sssp r.shards --engine cluster --processes 2 --local --verify --repeat 3";
    let done = folder.wolfpath(&format!("{run} --trace t.json --plot p.svg")).succeeded();
    for begin in [
        "graph      r.shards: 2048 vertices, ",
        "program    sssp with u32 values from ",
        "engine     cluster, process 0 of 2, ",
        "schedule   frontier (step by step): ",
        "run        ",
        "stages     open ",
        "reached    ",
        "verified   against Dijkstra's algorithm: 2048 vertices, no difference",
        "written    trace to t.json",
        "picture    p.svg",
    ] {
        assert!(done.out.lines().any(|line| line.starts_with(begin)), "no line {begin:?}: {}", done.out);
    }
    assert!(done.out.contains("(median of 3 runs)"), "{}", done.out);
    assert!(done.err.starts_with("note: no --source: starting at the root of the layers, "), "{}", done.err);
    assert!(folder.text("p.svg").starts_with("<svg") && folder.text("t.json").contains("traceEvents"));
    let quiet = folder.wolfpath(&format!("{run} --output -")).succeeded();
    assert_eq!(quiet.out.lines().count(), 2048);
    assert!(quiet.err.contains("verified   against"), "{}", quiet.err);
}

#[test]
fn each_process_can_write_its_part() {
    let folder = Folder::new();
    shards(&folder);
    folder.wolfpath("run bfs r.wolf --source 5 --engine cpu --output alone.txt").succeeded();
    let run = |processes: u16, to: &str| {
        let options = format!("--source 5 --engine cluster --processes {processes} --local --output {to}");
        folder.wolfpath(&format!("run bfs r.shards {options}"))
    };
    // A process that was killed while it wrote has left this, which is removed.
    fs::create_dir(folder.path("values")).expect("a new folder");
    folder.file("values/.wolfpath-part-Xyz.tmp", "1 2");
    // Fewer parts replace more of them, and the manifest lists those that belong together.
    for processes in [3, 2] {
        run(processes, "values/").succeeded();
        let manifest = folder.text("values/manifest");
        let (first, parts) = manifest.split_once('\n').expect("a line and more");
        assert_eq!(first, format!("# values of bfs, in {processes} files"));
        assert_eq!(parts.lines().count(), usize::from(processes));
        let entries = fs::read_dir(folder.path("values")).expect("the folder exists").count();
        assert_eq!(entries, usize::from(processes) + 1);
        let text = |part: &str| folder.text(&format!("values/{part}"));
        let mut lines: Vec<String> = parts
            .lines()
            .flat_map(|part| text(part).lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        lines.sort_by_key(|line| line.split(' ').next().and_then(|id| id.parse::<u64>().ok()));
        assert_eq!(lines.join("\n") + "\n", folder.text("alone.txt"));
    }
    fs::create_dir(folder.path("mine")).expect("a new folder");
    folder.file("mine/notes.txt", "keep");
    run(2, "mine").failed(&["mine: the folder contains notes.txt", "name a new folder"]);
    assert_eq!(folder.text("mine/notes.txt"), "keep");
}

#[test]
fn paths_and_predecessors_are_those_of_one_process() {
    let folder = Folder::new();
    shards(&folder);
    for program in ["sssp", "bfs", "components"] {
        let options = "--path-to 9 --predecessors";
        let line = |text: &str| {
            let found = text.lines().find(|line| line.starts_with("path ")).map(str::to_owned);
            found.unwrap_or_else(|| panic!("{text}"))
        };
        let alone = format!("run {program} r.wolf --engine cpu {options} alone.txt");
        let alone = line(&folder.wolfpath(&alone).succeeded().out);
        let shared =
            format!("run {program} r.shards --engine cluster --processes 2 --local {options} shared.txt");
        assert_eq!(line(&folder.wolfpath(&shared).succeeded().out), alone, "{program}");
        assert_eq!(folder.text("alone.txt"), folder.text("shared.txt"), "{program}");
    }
}

#[test]
fn the_plan_says_what_each_process_needs() {
    let folder = Folder::new();
    shards(&folder);
    let explain = "explain sssp r.shards --engine cluster --processes 3";
    let text = folder.wolfpath(explain).succeeded().out;
    for begin in ["graph      r.shards: 2048 vertices", "schedule   frontier", "process  vertices "] {
        assert!(text.lines().any(|line| line.starts_with(begin)), "no line {begin:?}: {text}");
    }
    let plan = folder.wolfpath(&format!("{explain} --json")).succeeded().json();
    let processes = plan["processes"].as_array().expect("a list");
    let sum =
        |name: &str| processes.iter().map(|process| process[name].as_u64().expect("a number")).sum::<u64>();
    assert_eq!((processes.len(), sum("vertices")), (3, 2048));
    assert_eq!(sum("sent_bytes"), sum("received_bytes"));
    assert_eq!(
        sum("memory_bytes"),
        ["row", "name", "value", "message"].map(|of| sum(&format!("{of}_bytes"))).iter().sum::<u64>()
    );
    let union = folder.wolfpath("explain components r.shards --engine cluster --processes 2").succeeded().out;
    assert!(union.contains("schedule   union"), "{union}");
    folder.wolfpath("explain bfs r.shards --engine cluster").misused(&["--processes <N>"]);
    let unknown = "explain bfs r.shards --source 99999 --engine cluster --processes 2";
    folder.wolfpath(unknown).failed(&["99999"]);
}

/// Starts processes with a hostfile, each with options of its own.
fn start(folder: &Folder, run: &str, each: &[&str]) -> Vec<Started> {
    hosts(folder, each.len());
    let start = |(process, options): (usize, &&str)| {
        let mut command = folder.command();
        let processes = each.len();
        let options = format!(
            "run {run} --engine cluster --processes {processes} --process {process} --hostfile hosts.txt {options}"
        );
        command.args(options.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(command.spawn().expect("the command starts"))
    };
    each.iter().enumerate().map(start).collect()
}

#[test]
fn processes_of_a_hostfile_share_a_run() {
    let folder = Folder::new();
    shards(&folder);
    let started = start(&folder, "components r.shards --verify", &["", ""]);
    let [first, second] = <[Started; 2]>::try_from(started).ok().expect("two processes were started");
    let (first, second) = (first.ended().succeeded(), second.ended().succeeded());
    assert!(first.out.contains("verified   against union-find"), "{first:?}");
    assert_eq!((&*second.out, &*second.err), ("", ""), "process 0 reports");
}

#[test]
fn processes_that_differ_say_how() {
    let folder = Folder::new();
    shards(&folder);
    for (options, parts) in [
        (
            ["--repeat 2", "--repeat 3"],
            ["another --repeat: 3, expected 2", "another --repeat: 2, expected 3"],
        ),
        (["", "--weights unit"], ["another --weights: unit, expected input", "input, expected unit"]),
        (["--schedule bucket", ""], ["another --schedule: none, expected bucket", "bucket, expected none"]),
        (["", "--path-to 7"], ["another --path-to: 7, expected none", "none, expected 7"]),
    ] {
        let started = start(&folder, "sssp r.shards --source 5", &options);
        for (child, part) in started.into_iter().zip(parts) {
            child.ended().failed(&[part]);
        }
    }
    // A refusal is the same everywhere.
    for child in start(&folder, "sssp r.shards --schedule bucket", &["", ""]) {
        child.ended().failed(&["processes of a cluster go step by step"]);
    }
}

/// Time within which all processes end after one has died. The promise is ten seconds; the rest is for machines under load.
const TO_END: Duration = Duration::from_secs(20);

#[cfg(unix)]
#[test]
fn all_processes_end_if_one_is_killed_or_stopped() {
    let folder = Folder::new();
    shards(&folder);
    for (signal, victim, after) in [("-KILL", 1, 0), ("-STOP", 0, 100), ("-KILL", 0, 300), ("-STOP", 2, 30)] {
        let run =
            "pagerank r.shards --tolerance 0 --steps 4000000000 --max-steps 4000000000 --output out.txt";
        let mut started = start(&folder, run, &["", "", ""]);
        // Process 0 prints a note once all are connected.
        let mut notes = BufReader::new(started[0].0.stderr.take().expect("the output is piped"));
        let mut note = String::new();
        notes.read_line(&mut note).expect("the output is UTF-8");
        assert!(note.starts_with("note: pagerank ignores the weights"), "{note}");
        std::thread::sleep(Duration::from_millis(after));
        let dead = started.remove(victim);
        dead.signal(signal);
        let began = Instant::now();
        for child in started {
            let mut done = child.ended();
            if done.err.is_empty() {
                notes.read_to_string(&mut done.err).expect("the output is UTF-8");
            }
            done.failed(&[&format!("process {victim}")]);
        }
        assert!(began.elapsed() < TO_END, "{signal} of process {victim}: {:?}", began.elapsed());
        assert!(!folder.path("out.txt").exists());
    }
}

#[test]
fn nothing_that_is_needed_is_overwritten() {
    let folder = Folder::new();
    shards(&folder);
    folder.file("list.txt", "5\n");
    let run = |options: &str| {
        let options = format!("run {options} --engine cluster --processes 2 --local --sources-from list.txt");
        folder.wolfpath(&options)
    };
    run("bfs r.shards --output values/").succeeded();
    let before = folder.text("values/0001.values");
    for refused in ["--schedule bucket", "--source 99999", "--max-steps 1", "--path-to 99999"] {
        assert_eq!(run(&format!("bfs r.shards --output values {refused}")).code, Some(1), "{refused}");
        assert_eq!(folder.text("values/0001.values"), before, "{refused}");
        assert!(folder.path("values/manifest").exists(), "{refused}");
    }
    run("sssp r.shards --output values").succeeded();
    assert_ne!(folder.text("values/0001.values"), before);
    for (options, part) in [
        ("--output r.shards/0001.shard", "0001.shard: is in the folder of the shards"),
        ("--predecessors r.shards/new", "new: is in the folder of the shards"),
        ("--output values --predecessors values/0000.values", "0000.values: is in the folder of the values"),
        ("--output list.txt", "list.txt: is the list of sources"),
        ("--output list.txt/", "it is a file, expected a folder"),
        ("--output r.shards", "the folder contains 000"),
        ("--output o.txt --path-to 99999", "vertex 99999 (--path-to) is not in the graph"),
    ] {
        run(&format!("bfs r.shards {options}")).failed(&[part]);
    }
    assert!(!folder.path("o.txt").exists() && folder.text("list.txt") == "5\n");
    folder.wolfpath("info r.shards").succeeded();
}

#[test]
fn graphs_of_every_kind_are_shared() {
    let folder = Folder::new();
    folder.file("directed.wel", "7 900 1.5\n900 41 0.1\n41 7 2\n5 41 1e9\n5 5 3\n41 7 1\n");
    folder.file("empty.el", "");
    folder.file("wide.wel", "1 2 9223372036854775808\n2 3 9223372036854775808\n");
    let run = "--engine cluster --processes 1 --local --verify";
    for graph in ["directed.wel", "empty.el", "wide.wel"] {
        folder.wolfpath(&format!("shard {graph} --shards 2 --output s")).succeeded();
        for program in ["sssp", "widest", "pagerank", "components", "reach"] {
            let report = folder.wolfpath(&format!("run {program} s {run} --json --output s.txt")).succeeded();
            let alone = format!("run {program} {graph} --engine cpu --json --output alone.txt");
            let alone = folder.wolfpath(&alone).succeeded();
            assert_eq!(report.json()["number"], alone.json()["number"], "{program} over {graph}");
            assert_eq!(folder.text("s.txt"), folder.text("alone.txt"), "{program} over {graph}");
        }
    }
    folder.file("negative.wel", "1 2 5\n2 3 -4\n");
    folder.wolfpath("shard negative.wel --shards 2 --output n").succeeded();
    for command in
        ["run sssp n --engine cluster --processes 2 --local", "explain sssp n --engine cluster --processes 2"]
    {
        folder.wolfpath(command).failed(&["sssp", "-4", "2 -> 3"]);
    }
    folder.wolfpath("run bfs --engine cluster --processes 2 --local -- n").succeeded();
    let unverified = "run bfs n --engine cluster --processes 1 --local --verify --output late.txt";
    fs::remove_file(folder.path("n/0001.shard")).expect("the shard exists");
    folder.wolfpath(unverified).failed(&["0001.shard", "is missing"]);
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let folder = Folder::new();
    shards(&folder);
    let run =
        |options: &str| folder.wolfpath(&format!("run {options} --engine cluster --processes 2 --local"));
    run("bfs r.wolf").failed(&["r.wolf: expected a folder of shards", "wolfpath shard"]);
    run("bfs none").failed(&["cannot read the folder none"]);
    run("sssp r.shards --weight-column width").failed(&["no column `width`", "weight"]);
    run("adsorption r.shards --source 1,2,3,4,5,6,7,8,9").failed(&["9 sources", "at most 8"]);
    run("pagerank r.shards --accumulate --schedule paths")
        .failed(&["by the schedule `paths`", "use `frontier`"]);
    run("sssp r.shards --schedule bucket").failed(&["processes of a cluster go step by step"]);
    run("bfs r.shards --source 99999").failed(&["r.shards: vertex 99999 (--source) is not in the graph"]);
    folder.file("more.txt", "1\n\n99999\n");
    run("bfs r.shards --sources-from more.txt")
        .failed(&["more.txt, line 3: vertex 99999 is not in r.shards"]);
    run("bfs r.shards --undirected --no-cache")
        .failed(&["r.shards: shards contain the graph", "omit --undirected, --no-cache"]);
    run("pagerank r.shards --max-steps 3 --tolerance 0").failed(&["--max-steps"]);
    run("bfs r.shards --output no/such/file").failed(&["no/such/file: cannot be written"]);
    folder.wolfpath("info r.shards --undirected").failed(&["omit --undirected"]);
    let many = "run bfs r.shards --engine cluster --processes 4 --local";
    folder.wolfpath(many).failed(&["4 processes cannot share 3 shards"]);
    fs::remove_file(folder.path("r.shards/0001.shard")).expect("the shard exists");
    run("bfs r.shards").failed(&["0001.shard", "is missing"]);
    for (options, part) in [
        ("bfs r.shards --engine cluster", "--processes <N>"),
        ("bfs r.shards --engine cluster --processes 2", "--process <K>"),
        ("bfs r.shards --processes 2", "--processes needs --engine cluster"),
        ("bfs r.wolf --engine cpu --local", "--local needs --engine cluster"),
        ("bfs r.shards --engine cluster --processes 2 --local --each-source --source 5", "omit it"),
        ("bfs r.shards --engine cluster --processes 2 --process 2", "expected a number from 0 to 1"),
    ] {
        folder.wolfpath(&format!("run {options}")).misused(&[part]);
    }
}

//! `run --engine cluster` with checkpoints: interrupted runs continue.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Folder, Started, hosts};

/// Writes a graph and its shards.
fn shards(folder: &Folder) {
    folder.wolfpath("generate rmat --scale 11 --output r.wolf").succeeded();
    folder.wolfpath("shard r.wolf --shards 3 --output r.shards").succeeded();
}

#[test]
fn a_run_says_from_where_it_continues() {
    let folder = Folder::new();
    shards(&folder);
    folder.wolfpath("run pagerank r.wolf --engine cpu --output alone.txt").succeeded();
    let run = |processes: u16, options: &str| {
        let run = format!("run pagerank r.shards --engine cluster --processes {processes} --local {options}");
        folder.wolfpath(&run)
    };
    let first = run(2, "--steps 20 --checkpoint kept --every 8 --resume kept").succeeded();
    assert!(first.err.contains("note: kept has no checkpoint: the run started over"), "{}", first.err);
    let second = run(3, "--resume kept --output shared.txt --json").succeeded();
    assert!(second.err.contains("note: the run continued after 16 steps, from the checkpoint in kept"));
    assert!(second.json()["notes"].to_string().contains("continued after 16 steps"), "{}", second.out);
    assert_eq!(folder.text("shared.txt"), folder.text("alone.txt"));
    let union =
        folder.wolfpath("run components r.shards --engine cluster --processes 1 --local --checkpoint k");
    assert!(union.succeeded().err.contains("note: union-find has no steps: the run kept no checkpoints"));
    run(2, "--resume kept --damping 0.5").failed(&["kept/checkpoint: a checkpoint of another parameters"]);
    run(2, "--checkpoint r.shards").failed(&["r.shards: is the folder of the shards"]);
    run(2, "--checkpoint no/such").failed(&["cannot create the folder no/such"]);
    fs::write(folder.path("kept/checkpoint"), "text").expect("the file is writable");
    run(2, "--resume kept").failed(&["kept/checkpoint: not a checkpoint"]);
    for (options, part) in [
        ("--every 3", "--checkpoint <FOLDER>"),
        ("--checkpoint k --every 0", "at least 1"),
        ("--checkpoint k --repeat 2", "--repeat"),
    ] {
        run(2, options).misused(&[part]);
    }
    folder.wolfpath("run bfs r.wolf --resume kept").misused(&["--resume needs --engine cluster"]);
}

#[test]
fn the_plan_has_the_bytes_of_a_checkpoint() {
    let folder = Folder::new();
    shards(&folder);
    let explain = |options: &str| {
        folder.wolfpath(&format!("explain pagerank r.shards --engine cluster --processes 2 {options}"))
    };
    let without = explain("").succeeded();
    assert!(!without.out.contains("checkpoint"), "{without:?}");
    let with = explain("--checkpoint kept").succeeded();
    assert!(with.out.lines().any(|line| line.starts_with("checkpoint bytes of a copy")), "{with:?}");
    assert!(with.out.contains("received  checkpoint\n") && !with.err.contains("--checkpoint"), "{with:?}");
    let json = explain("--json").succeeded().json();
    // A value of 4 bytes and a bit for each vertex.
    let bytes = json["processes"][0]["checkpoint_bytes"].as_u64().expect("a number");
    let vertices = json["processes"][0]["vertices"].as_u64().expect("a number");
    assert!((4 * vertices..5 * vertices).contains(&bytes), "{json}");
}

/// Returns the largest number of a run whose states are in the folder of checkpoints.
#[cfg(unix)]
fn last_run(folder: &Folder) -> u32 {
    let entries = fs::read_dir(folder.path("kept")).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.split_once('-')?.0.parse().ok()).max().unwrap_or(0)
}

#[cfg(unix)]
#[test]
fn runs_whose_processes_are_killed_continue_until_they_end() {
    let folder = Folder::new();
    shards(&folder);
    let options = "--tolerance 0 --steps 2000";
    folder.wolfpath(&format!("run pagerank r.wolf --engine cpu {options} --output alone.txt")).succeeded();
    let kept = "--checkpoint kept --every 3 --resume kept";
    let start = || -> Vec<Started> {
        hosts(&folder, 3);
        let start = |process: u16| {
            let mut command = folder.command();
            let cluster = format!("--engine cluster --processes 3 --process {process} --hostfile hosts.txt");
            let run = format!("run pagerank r.shards {options} {kept} {cluster} --output shared.txt");
            command.args(run.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
            Started(command.spawn().expect("the command starts"))
        };
        (0..3).map(start).collect()
    };
    let (mut continued, mut interrupted) = (0, 0);
    for (victim, after) in [(1, 0), (0, 50), (2, 150), (1, 30)] {
        let (before, mut started) = (last_run(&folder), start());
        // The processes are connected when they keep a state.
        let begun = Instant::now();
        while last_run(&folder) == before && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(after));
        let dead = started.remove(victim);
        dead.signal("-KILL");
        for child in started {
            let done = child.ended();
            // The run may have ended before.
            interrupted += u32::from(done.code != Some(0));
            assert!(done.code == Some(0) || done.err.contains(&format!("process {victim}")), "{done:?}");
        }
    }
    for child in start() {
        let done = child.ended().succeeded();
        continued += u32::from(done.err.contains("the run continued after "));
    }
    assert_eq!(continued, 1, "process 0 says that it continued");
    assert!(interrupted > 0, "every run ended before a process was killed");
    assert_eq!(folder.text("shared.txt"), folder.text("alone.txt"));
}

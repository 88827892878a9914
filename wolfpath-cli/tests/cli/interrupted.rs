//! Ctrl-C: the run ends soon, reports that it was cancelled, and leaves no partial files.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::support::Folder;

/// Sends the signal of Ctrl-C to a process.
fn interrupt(process: u32) {
    let kill = Command::new("kill").args(["-INT", &process.to_string()]).status();
    assert!(kill.expect("the command `kill` exists").success());
}

#[test]
fn a_run_that_is_interrupted() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 1\n2 2\n");
    let mut command = folder.command();
    command.args(["run", "pagerank", "g.el", "--no-cache", "--engine", "cpu", "--repeat", "4294967295"]);
    command.args(["--output", "out.txt", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut err = BufReader::new(child.stderr.take().expect("the output is piped"));
    // Once the graph's note is printed, the command handles signals.
    let mut said = String::new();
    err.read_line(&mut said).expect("the command prints a note");
    assert_eq!(said, "note: 1 self-loop kept\n");
    interrupt(child.id());
    err.read_to_string(&mut said).expect("the output is UTF-8");
    let status = child.wait().expect("the command ends");
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(
        said.lines().last().is_some_and(|line| line.starts_with("error: ") && line.contains("cancelled")),
        "{said}"
    );
    // The error reports the run's progress, no matter when the run was interrupted.
    let says = |words: [&str; 2]| words.iter().any(|word| said.contains(word));
    assert!(says(["1 step and", "steps and"]) && says(["1 edge in", "edges in"]), "{said}");
    let mut out = String::new();
    child.stdout.take().expect("the output is piped").read_to_string(&mut out).expect("the output is UTF-8");
    assert_eq!(out, "");
    assert_eq!(folder.names(), ["g.el"]);
}

/// Returns the process that a process has started, once it has.
#[cfg(target_os = "linux")]
fn started_by(process: u32) -> u32 {
    let path = format!("/proc/{process}/task/{process}/children");
    let mut child = None;
    wait_until(|| {
        let children = std::fs::read_to_string(&path).expect("the process is there");
        child = children.split_whitespace().next().map(|child| child.parse().expect("a number"));
        child.is_some()
    });
    child.expect("it was waited for")
}

/// Waits until something is true, but not forever.
#[cfg(target_os = "linux")]
fn wait_until(mut is_true: impl FnMut() -> bool) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is_true() {
        assert!(std::time::Instant::now() < until, "a process does not get so far");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Returns `true` if a process has opened a file with this name.
#[cfg(target_os = "linux")]
fn has_opened(process: u32, name: &str) -> bool {
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let mut targets = files.filter_map(|file| std::fs::read_link(file.path()).ok());
    targets.any(|target| target.ends_with(name))
}

#[cfg(target_os = "linux")]
#[test]
fn processes_that_shard_a_graph_and_are_interrupted() {
    let folder = Folder::new();
    let edges: String = (0..400_000u64).map(|n| format!("{} {}\n", n * n % 70_001, n % 60_007)).collect();
    folder.file("g.el", edges);
    let cancelled = "error: cancelled before the command was finished";
    for (first, second, expected) in [
        (true, false, cancelled),
        (true, true, cancelled),
        (false, true, "error: process 1: sharding was cancelled"),
    ] {
        let mut command = folder.command();
        command.args([
            "shard",
            "g.el",
            "--shards",
            "4",
            "--output",
            "g.shards",
            "--processes",
            "2",
            "--local",
        ]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let started = started_by(child.id());
        // The started process handles signals, too, before it connects, but not before it executes the command.
        let read =
            |process: u32, name: &str| std::fs::read(format!("/proc/{process}/{name}")).expect("it is there");
        wait_until(|| String::from_utf8_lossy(&read(started, "cmdline")).contains("--local-process"));
        let is_watched = |process: u32| {
            let status = String::from_utf8_lossy(&read(process, "status")).into_owned();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask");
            u64::from_str_radix(caught.trim(), 16).expect("a mask") >> 1 & 1 != 0
        };
        wait_until(|| is_watched(child.id()) && is_watched(started));
        if !first {
            // Before the processes are connected, one cannot tell the other that it gives up.
            wait_until(|| has_opened(started, "g.el"));
        }
        if first {
            interrupt(child.id());
        }
        if second {
            interrupt(started);
        }
        let mut said = String::new();
        child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it is UTF-8");
        assert_eq!(child.wait().expect("it ends").code(), Some(1), "{said}");
        assert!(said.lines().any(|line| line.starts_with(expected)), "{said}");
        assert_eq!(folder.names(), ["g.el"], "{said}");
    }
}

//! Ctrl-C: the run ends soon, reports that it was cancelled, and leaves no partial files.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::support::Folder;

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
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("the command `kill` exists");
    assert!(killed.success());
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

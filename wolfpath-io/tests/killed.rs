//! Tests of killed writers, concurrent writers, full disks and inputs that change while they are read. In every case,
//! the file must afterwards be the complete old file, the complete new file, or absent.
//!
//! The tests start this test program again as a child process; environment variables select what the child does.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{LayeredGraph, Origin};
use wolfpath_core::progress::Progress;
use wolfpath_core::random;
use wolfpath_core::trusted::TrustedFolder;
use wolfpath_io::save::{SaveOptions, save};
use wolfpath_io::{OpenGraph, OpenOptions};

use support::names;

/// Environment variable with the folder in which a child writes.
const FOLDER: &str = "WOLFPATH_TEST_FOLDER";

/// Environment variable with the input that a child opens while the size of files is limited.
const INPUT: &str = "WOLFPATH_TEST_INPUT";

/// Not a test by itself: runs in a child process of the tests below until it is killed.
#[test]
fn child_that_writes_for_ever() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let graphs = ["a.wolf", "b.wolf"].map(|name| LayeredGraph::open(folder.join(name)).unwrap());
    println!("ready");
    for turn in 0.. {
        graphs[turn % 2].write(folder.join("target.wolf")).unwrap();
    }
}

fn child(folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_that_writes_for_ever", "--nocapture"]).env(FOLDER, folder);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        lines.map_while(Result::ok).any(|line| line.contains("ready")),
        "the child must report that it is ready"
    );
    child
}

/// Creates a folder with two graphs in files of about a megabyte.
fn folder_of_two() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, factor) in [("a.wolf", 7), ("b.wolf", 11)] {
        let edges = (0..100_000u64).map(|v| (v, v * factor % 50_000));
        LayeredGraph::from_edges(edges).unwrap().write(folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn killed_while_writing() {
    let folder = folder_of_two();
    let target = folder.path().join("target.wolf");
    let whole = ["a.wolf", "b.wolf"].map(|name| fs::read(folder.path().join(name)).unwrap());
    let mut left_behind = 0;
    for round in 0..40 {
        let mut child = child(folder.path());
        thread::sleep(Duration::from_micros(random::below(12_000, random::hash(1, round)).into()));
        child.kill().unwrap();
        child.wait().unwrap();
        left_behind += names(folder.path()).iter().filter(|name| name.ends_with(".tmp")).count();
        if target.exists() {
            let examination = LayeredGraph::open(&target).unwrap().examine(&Progress::NONE);
            assert_eq!(examination.problems, [] as [String; 0], "round {round}");
            assert!(whole.contains(&fs::read(&target).unwrap()), "round {round}");
        }
        if round % 4 == 0 {
            // Remove the file, so that the next child writes a new file instead of replacing one.
            let _ = fs::remove_file(&target);
        }
    }
    println!("{left_behind} temporary files were left behind");
    LayeredGraph::open(folder.path().join("a.wolf")).unwrap().write(&target).unwrap();
    assert_eq!(names(folder.path()), ["a.wolf", "b.wolf", "target.wolf"]);
}

#[test]
fn several_writers_in_one_folder() {
    let folder = folder_of_two();
    let mut children: Vec<Child> = (0..3).map(|_| child(folder.path())).collect();
    let own = LayeredGraph::open(folder.path().join("a.wolf")).unwrap();
    for _ in 0..100 {
        own.write(folder.path().join("target.wolf")).unwrap();
        LayeredGraph::open(folder.path().join("target.wolf")).unwrap();
    }
    for child in &mut children {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the child must not fail because another process removed its temporary file"
        );
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn what_is_no_abandoned_file_stays() {
    let folder = folder_of_two();
    fs::create_dir(folder.path().join(".wolfpath-part-folder.tmp")).unwrap();
    std::os::unix::fs::symlink("a.wolf", folder.path().join(".wolfpath-part-link.tmp")).unwrap();
    fs::write(folder.path().join("wolfpath-mine.tmp"), "mine").unwrap();
    fs::write(folder.path().join(".wolfpath-part-abandoned.tmp"), "half").unwrap();
    let graph = LayeredGraph::open(folder.path().join("a.wolf")).unwrap();
    graph.write(folder.path().join("c.wolf")).unwrap();
    let expected = [
        ".wolfpath-part-folder.tmp",
        ".wolfpath-part-link.tmp",
        "a.wolf",
        "b.wolf",
        "c.wolf",
        "wolfpath-mine.tmp",
    ];
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn the_next_writer_removes_what_another_left_whatever_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join(".wolfpath-part-abandoned.tmp");
    let list = EdgeList::from_edges([(1, 2)]).unwrap();
    fs::write(&left, "half").unwrap();
    save(&list, folder.path().join("g.el"), &SaveOptions::default()).unwrap();
    assert_eq!(names(folder.path()), ["g.el"]);
    fs::write(&left, "half").unwrap();
    TrustedFolder::open(folder.path()).unwrap().write("small", b"text").unwrap();
    assert_eq!(names(folder.path()), ["g.el", "small"]);
}

/// Not a test by itself: opens an input in a child process in which the size of files is limited.
#[test]
fn child_with_little_room() {
    let Some(input) = std::env::var_os(INPUT) else {
        return;
    };
    let graph = LayeredGraph::open(input).unwrap();
    assert!(matches!(graph.opened_from(), Origin::Input { kept: None, .. }), "{:?}", graph.opened_from());
    let notes = graph.notes();
    assert!(notes.iter().any(|note| note.contains("could not be kept for the next run: cannot write")));
    assert_eq!((graph.num_edges(), graph.out_edges().ends.len()), (50_000, 50_000));
}

#[test]
fn a_cache_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("graph.el");
    let lines: String = (0..50_000).map(|id| format!("{id} {}\n", id + 1)).collect();
    fs::write(&input, lines).unwrap();
    // No file may grow beyond 64 blocks of 512 bytes. A process that ignores the signal gets an error.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact child_with_little_room"]);
    command.arg(std::env::current_exe().unwrap()).env(INPUT, &input);
    command.env("WOLFPATH_CACHE_DIR", folder.path().join("cache"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(names(folder.path()), ["cache", "graph.el"]);
    assert_eq!(names(&folder.path().join("cache/graphs")), [] as [String; 0]);
}

#[test]
fn an_input_that_changes_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("graph.el");
    let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    let lines: String = (0..200_000).map(|id| format!("{id} {}\n", id + 1)).collect();
    for _ in 0..5 {
        fs::write(&input, &lines).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = fs::File::options().append(true).open(&input).unwrap();
                while !done.load(Ordering::Relaxed) {
                    std::io::Write::write_all(&mut file, b"7 8\n").unwrap();
                    thread::sleep(Duration::from_millis(1));
                }
            });
            if let Ok(graph) = LayeredGraph::open_with(&input, &options) {
                assert!(graph.num_edges() >= 200_000);
            }
            done.store(true, Ordering::Relaxed);
        });
        // A graph that was kept from the changing file must not be used for the final file.
        let at_rest = LayeredGraph::open_with(&input, &options).unwrap();
        let read = LayeredGraph::open_with(&input, &OpenOptions::new().cache(false));
        assert_eq!(at_rest.num_edges(), read.unwrap().num_edges());
    }
}

#[cfg(unix)]
#[test]
fn links_are_written_through_and_pipes_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.wolf"), folder.path().join("link.wolf"));
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink("real.wolf", &link).unwrap();
    let graph = LayeredGraph::from_edges([(1, 2)]).unwrap();
    graph.write(&link).unwrap();
    assert!(link.is_symlink() && LayeredGraph::open(&real).unwrap().num_edges() == 1);
    let error = graph.write("/dev/null").unwrap_err().to_string();
    assert!(error.contains("device or a pipe"), "{error}");
    // A temporary file with another prefix is the unfinished output of another command, and must not be removed.
    let others = folder.path().join(".wolfpath-others.tmp");
    fs::write(&others, "half").unwrap();
    graph.write(folder.path().join("more.wolf")).unwrap();
    assert!(others.exists());
}

//! The command on a CUDA device, real or emulated: what it keeps between processes. These tests run on request.

use std::os::unix::fs::DirEntryExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{Done, Folder};

/// Name of the environment variable that names the NVRTC library.
const NVRTC: &str = "WOLFPATH_NVRTC";

/// Returns the NVRTC library of the machine.
fn nvrtc() -> PathBuf {
    std::env::var_os(NVRTC).expect("WOLFPATH_NVRTC names the library").into()
}

/// Returns a run on the device, which compiles with this library.
fn run(folder: &Folder, nvrtc: &Path) -> Command {
    let mut command = folder.command();
    command.args(["run", "bfs", "g.el", "--source", "1", "--engine", "cuda", "--json"]).env(NVRTC, nvrtc);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn done(mut command: Command) -> Done {
    Done::of(command.output().expect("the command starts"))
}

/// Returns the names of the compiled programs in the cache, sorted, with their inodes: a program that is kept again gets
/// another inode.
fn programs(folder: &Folder) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(folder.cache().join("cubin")).expect("programs are kept");
    let mut kept: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("a folder entry");
            (entry.file_name().to_string_lossy().into_owned(), entry.ino())
        })
        .collect();
    kept.sort();
    kept
}

#[test]
#[ignore = "needs a CUDA device"]
fn processes_that_fill_one_cache_at_once() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n");
    let start = |_| run(&folder, &nvrtc()).spawn().expect("the command starts");
    let all: Vec<Child> = (0..4).map(start).collect();
    for child in all {
        let report = Done::of(child.wait_with_output().expect("the command ends")).succeeded();
        assert!(
            !report.err.contains("compiled program"),
            "no process found a program that it did not use: {report:?}"
        );
    }
    let kept = programs(&folder);
    assert!(!kept.is_empty() && kept.iter().all(|(name, _)| name.ends_with(".cubin")), "{kept:?}");
    // What they kept is complete: nothing is compiled and kept again.
    done(run(&folder, &nvrtc())).succeeded();
    assert_eq!(programs(&folder), kept);
}

#[test]
#[ignore = "needs a CUDA device"]
fn nvrtc_is_missing_or_replaced_between_two_runs() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n");
    let copy = folder.path("libnvrtc.so.13");
    for file in std::fs::read_dir(nvrtc().parent().expect("a folder")).expect("the folder exists") {
        let file = file.expect("a folder entry");
        let name = file.file_name().to_string_lossy().into_owned();
        if name.contains("nvrtc") {
            std::fs::copy(file.path(), folder.path(&name)).expect("the library can be copied");
        }
    }
    done(run(&folder, &copy)).succeeded();
    let kept = std::fs::read(&copy).expect("the library can be read");
    std::fs::remove_file(&copy).expect("the library can be removed");
    done(run(&folder, &copy)).failed(&["NVRTC", "was not found", "libnvrtc.so.13", "WOLFPATH_NVRTC"]);
    std::fs::write(&copy, "not a library").expect("the file can be written");
    done(run(&folder, &copy)).failed(&["NVRTC", "libnvrtc.so.13", "load"]);
    // The same library at another time compiles again: nothing tells that it is the same.
    std::fs::write(&copy, kept).expect("the file can be written");
    let before = programs(&folder).len();
    done(run(&folder, &copy)).succeeded();
    assert_eq!(programs(&folder).len(), 2 * before);
}

/// Lists two emulated devices, and runs on the second one. Real machines have other numbers of devices.
#[test]
#[ignore = "needs the emulated CUDA device"]
fn the_second_device() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n");
    let on = |arguments: &[&str]| {
        let mut command = folder.command();
        command.args(arguments).env(NVRTC, nvrtc()).env("WOLFPATH_EMULATOR_DEVICES", "2");
        done(command)
    };
    let listed = on(&["devices"]).succeeded().out;
    assert!(
        listed.contains("cuda:0 ") && listed.contains("cuda:1 ") && !listed.contains("cuda:2 "),
        "{listed}"
    );
    let run = ["run", "bfs", "g.el", "--source", "1", "--verify", "--json", "--engine"];
    let report = on(&[&run[..], &["cuda:1"]].concat()).succeeded().json();
    assert!(report["engine"].as_str().is_some_and(|engine| engine.starts_with("cuda:1 ")), "{report}");
    on(&[&run[..], &["cuda:2"]].concat()).failed(&["there is no CUDA device 2: 2 found"]);
}

/// Several emulated devices: how they are named, and what is refused. A small graph uses one of them.
#[test]
#[ignore = "needs the emulated CUDA device"]
fn several_devices() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n2 3\n");
    let on = |arguments: &[&str], linked: &str| {
        let mut command = folder.command();
        command.args(arguments).env(NVRTC, nvrtc()).env("WOLFPATH_EMULATOR_DEVICES", "3");
        command.env("WOLFPATH_EMULATOR_LINKED", linked);
        done(command)
    };
    let run = ["run", "bfs", "g.el", "--source", "1", "--verify", "--json", "--engine"];
    for named in ["cuda:all", "cuda:2,0"] {
        let report = on(&[&run[..], &[named]].concat(), "1").succeeded().json();
        let first = if named == "cuda:all" { "cuda:0 " } else { "cuda:2 " };
        assert!(report["engine"].as_str().is_some_and(|engine| engine.starts_with(first)), "{report}");
    }
    let explained =
        on(&["explain", "bfs", "g.el", "--source", "1", "--engine", "cuda:0,1"], "1").succeeded().out;
    assert!(explained.contains("devices    cuda:0 alone, because"), "{explained}");
    let refused = |named, texts: &[&str]| {
        on(&[&run[..], &[named]].concat(), "1").failed(texts);
    };
    refused("cuda:1,1", &["CUDA device 1 was named twice"]);
    refused("cuda:0,3", &["there is no CUDA device 3: 3 found"]);
    refused("cuda:0,1,2,3,4,5,6,7,8", &["9 devices were named, but at most 8 can share a run"]);
    on(&[&run[..], &["cuda:0,1"]].concat(), "0").failed(&["cuda:0 ", "cannot access the memory of cuda:1"]);
    // Opening the others would take longer than the run, which is said.
    let explained = on(&["explain", "pagerank", "g.el"], "1").succeeded().out;
    assert!(explained.contains("devices    cuda:0 alone, because the run would take about"), "{explained}");
    assert!(explained.contains("it takes about 0.3 s to open 2 more"), "{explained}");
    // Each device executes some of many runs.
    let many = ["run", "bfs", "g.el", "--source", "1,2", "--each-source", "--verify", "--engine", "cuda:all"];
    on(&many, "1").succeeded();
    let planned =
        on(&["explain", "bfs", "g.el", "--source", "1,2", "--each-source", "--engine", "cuda:all"], "1");
    assert!(planned.succeeded().out.contains("each batch on one device; 3 devices take batches"));
    let listed = on(&["devices"], "1").succeeded().out;
    for devices in ["cuda:0,1", "cuda:0,1,2"] {
        assert!(listed.contains(&format!("barrier    {devices} wait for each other in ")), "{listed}");
    }
    assert!(listed.contains("link ") && listed.contains("cuda:2 writes to cuda:1 at"), "{listed}");
    let apart = on(&["devices"], "0").succeeded().out;
    assert!(apart.contains("cuda:0 (wolfpath emulator) cannot access the memory of cuda:1"), "{apart}");
    assert!(apart.contains("barrier    cuda:0,1: cuda:0 (wolfpath emulator) cannot access"), "{apart}");
}

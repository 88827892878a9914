//! Outputs that cannot be written, and machines without the requested engine.

use std::process::{Command, Stdio};

use crate::support::{Done, Folder};

const PATH: &str = "1 2 5\n2 3 7\n";

#[test]
fn no_permission_to_write() {
    let folder = Folder::new();
    folder.file("g.wel", PATH);
    folder.file("file", "in the way");
    // Root can write to every folder, but not even root can create a file below a file.
    for option in ["--output", "--predecessors"] {
        let run = format!("run sssp g.wel --no-cache --source 1 {option}");
        folder
            .wolfpath(&format!("{run} file/out.txt"))
            .failed(&["file/out.txt: cannot be written", "folder"]);
        folder.wolfpath(&format!("{run} no/such/out.txt")).failed(&["no/such/out.txt: cannot be written"]);
        folder.wolfpath(&format!("{run} .")).failed(&[".: cannot be written"]);
    }
    folder.wolfpath("build g.wel --output file/g.wolf").failed(&["file/g.wolf"]);
    folder.wolfpath("generate grid --width 3 --height 3 --output file/g.el").failed(&["file/g.el"]);
    folder.wolfpath("generate grid --width 3 --height 3 --output file/g.wolf").failed(&["file/g.wolf"]);
    assert_eq!(folder.names(), ["file", "g.wel"]);
    assert_eq!(folder.text("file"), "in the way");
}

#[test]
fn the_graph_is_not_written_over() {
    let folder = Folder::new();
    folder.file("g.wel", PATH);
    for option in ["--output", "--predecessors"] {
        let run = format!("run sssp g.wel --no-cache --source 1 {option} ./g.wel");
        folder.wolfpath(&run).failed(&["g.wel: is the graph itself", "name another file"]);
    }
    assert_eq!(folder.text("g.wel"), PATH);
}

#[cfg(unix)]
#[test]
fn a_cache_that_cannot_be_written_is_a_note() {
    let folder = Folder::new();
    folder.file("file", "in the way");
    folder.file("g.wel", PATH);
    let mut command = folder.command();
    command.env("WOLFPATH_CACHE_DIR", folder.path("file/cache"));
    command.args(["run", "sssp", "g.wel", "--source", "1", "--output", "-"]);
    let done = Done::of(command.output().expect("the command starts")).succeeded();
    assert!(done.err.contains("note: the layered graph could not be kept"), "{done:?}");
    assert_eq!(done.out, "1 0\n2 5\n3 12\n");
    assert_eq!(folder.names(), ["file", "g.wel"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = Folder::new();
    folder.file("g.wel", PATH);
    // A device file is written in place: it must still exist afterwards.
    let done = folder.wolfpath("run sssp g.wel --no-cache --source 1 --output /dev/full");
    done.failed(&["/dev/full: cannot be written: No space left on device", "space"]);
    assert!(std::fs::metadata("/dev/full").is_ok_and(|metadata| !metadata.is_file()));
    folder.wolfpath("run sssp g.wel --no-cache --source 1 --output /dev/null").succeeded();
    assert!(std::fs::metadata("/dev/null").is_ok_and(|metadata| !metadata.is_file()));
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has /dev/full");
    let mut command = folder.command();
    command.args(["run", "bfs", "g.wel", "--no-cache", "--json"]).stdout(Stdio::from(full));
    let done = Done::of(command.output().expect("the command starts"));
    done.failed(&["standard output cannot be written", "No space left"]);
    // An existing folder in which no files can be created.
    let done = folder.wolfpath("run sssp g.wel --no-cache --source 1 --output /proc/out.txt");
    done.failed(&["/proc/out.txt: cannot be written", "no files can be created in the folder /proc"]);
    assert_eq!(folder.names(), ["g.wel"]);
}

/// Runs the command with a limit on the size of files, in blocks of 512 bytes. This simulates a disk that fills up
/// during a write.
#[cfg(target_os = "linux")]
fn with_little_room(folder: &Folder, blocks: u32, arguments: &str) -> Done {
    let mut command = Command::new("sh");
    let own = folder.command();
    command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {arguments}"));
    command.arg(own.get_program()).stdin(Stdio::null());
    command.current_dir(own.get_current_dir().expect("the test sets the folder"));
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Done::of(command.output().expect("a shell exists"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_half_way() {
    let folder = Folder::new();
    let line: String = (0..20_000).map(|id| format!("{id} {}\n", id + 1)).collect();
    folder.file("g.el", line);
    folder.file("out.txt", "before");
    let done = with_little_room(&folder, 64, "run bfs g.el --no-cache --source 0 --output out.txt");
    done.failed(&["out.txt: cannot be written", "space"]);
    with_little_room(&folder, 64, "build g.el --output g.wolf").failed(&["cannot write g.wolf", "space"]);
    let grid = "generate grid --width 100 --height 100 --output";
    with_little_room(&folder, 64, &format!("{grid} h.el")).failed(&["h.el: cannot be written", "space"]);
    with_little_room(&folder, 64, &format!("{grid} h.wolf")).failed(&["cannot write h.wolf", "space"]);
    // If there is no space for the cache, the command only prints a note.
    let done = with_little_room(&folder, 64, "run bfs g.el --source 0 --path-to 2").succeeded();
    assert!(done.err.contains("note: the layered graph could not be kept"), "{done:?}");
    assert_eq!(folder.names(), ["g.el", "out.txt"]);
    assert_eq!(folder.text("out.txt"), "before");
}

#[test]
fn no_driver_no_device_no_nvrtc() {
    let folder = Folder::new();
    folder.file("g.el", PATH);
    let done = folder
        .wolfpath("run bfs g.el --no-cache --engine cuda:99 --output out.txt")
        .failed(&["--engine cpu"]);
    assert!(
        done.err.contains("no NVIDIA driver was found") || done.err.contains("there is no CUDA device 99"),
        "{done:?}"
    );
    // A GPU cannot be used without NVRTC. On a machine without a GPU, the missing driver is reported first.
    let mut command = folder.command();
    command.env("WOLFPATH_NVRTC", folder.path("none.so"));
    command.args(["run", "bfs", "g.el", "--no-cache", "--engine", "cuda", "--output", "out.txt"]);
    let done = Done::of(command.output().expect("the command starts")).failed(&["--engine cpu"]);
    assert!(done.err.contains("NVIDIA driver") || done.err.contains("NVRTC"), "{done:?}");
    assert_eq!(folder.names(), ["g.el"]);
    // A file that is not a library is rejected.
    let mut command = folder.command();
    command.env("WOLFPATH_NVRTC", folder.path("g.el")).arg("devices");
    let done = Done::of(command.output().expect("the command starts")).succeeded();
    assert!(done.out.contains("g.el cannot be used: "), "{done:?}");
    // With `--engine auto`, the CPU is used, and the reason gives no advice.
    let mut command = folder.command();
    command.env("WOLFPATH_NVRTC", folder.path("none.so"));
    command.args(["run", "bfs", "g.el", "--no-cache", "--source", "1", "--output", "-"]);
    let done = Done::of(command.output().expect("the command starts")).succeeded();
    assert_eq!(done.out, "1 0\n2 1\n3 2\n");
    assert!(!done.err.contains("--engine cpu"), "{done:?}");
}

#[test]
fn devices_says_what_is_missing() {
    let folder = Folder::new();
    let mut command = folder.command();
    let command = command.env("WOLFPATH_NVRTC", folder.path("none.so")).arg("devices");
    let done = Done::of(command.output().expect("the command starts")).succeeded();
    for part in
        ["cpu ", "driver ", "nvrtc ", "missing: NVRTC", "none.so", "pip install nvidia-cuda-nvrtc", "auto "]
    {
        assert!(done.out.contains(part), "{part}: {done:?}");
    }
}

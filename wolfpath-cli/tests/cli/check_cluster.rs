//! `check-cluster`: processes that the command starts, or that users start, are connected.

use std::process::Stdio;

use crate::support::{Done, Folder, Started, hosts};

#[test]
fn processes_on_this_machine_are_started_and_measured() {
    let folder = Folder::new();
    let text = folder.wolfpath("check-cluster --processes 3 --local").succeeded().out;
    for begin in ["processes  3, connected in ", "exchange   ", "bytes      each process sends "] {
        assert!(text.lines().any(|line| line.starts_with(begin)), "{text}");
    }
    let result = folder.wolfpath("check-cluster --processes 2 --local --json").succeeded().json();
    assert_eq!(result["processes"], 2);
    let number = |name: &str| result[name].as_f64().unwrap_or_else(|| panic!("{name}: {result}"));
    assert!(number("empty_exchange_seconds") > 0.0 && number("bytes_per_second") > 0.0, "{result}");
    let alone = folder.wolfpath("check-cluster --processes 1 --local").succeeded().out;
    assert!(alone.contains("processes  1"), "{alone}");
}

#[test]
fn processes_of_a_hostfile_are_connected() {
    let folder = Folder::new();
    hosts(&folder, 2);
    folder.file("secret", "a secret of at least 16 bytes\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let only_mine = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(folder.path("secret"), only_mine).expect("it is mine");
    }
    let start = |process: &str| {
        let mut command = folder.command();
        command.args([
            "check-cluster",
            "--processes",
            "2",
            "--hostfile",
            "hosts.txt",
            "--secret-file",
            "secret",
        ]);
        command.args(["--process", process]).stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(command.spawn().expect("the command starts"))
    };
    let both = [start("1"), start("0")].map(Started::ended);
    let [other, first] = both.map(Done::succeeded);
    assert!(first.out.starts_with("processes  2, connected in "), "{first:?}");
    assert_eq!(other.out, "", "process 0 prints the results");
}

/// The other process never starts, so that connecting would take a minute.
#[cfg(unix)]
#[test]
fn connecting_is_interrupted() {
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    let folder = Folder::new();
    let hosts = std::fs::read_to_string(hosts(&folder, 2)).expect("the file was written");
    let address = hosts.lines().next().expect("an address per process");
    let mut command = folder.command();
    command.args(["check-cluster", "--processes", "2", "--process", "0", "--hostfile", "hosts.txt"]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Started(command.spawn().expect("the command starts"));
    // A process that listens handles signals.
    while TcpStream::connect(address).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let began = Instant::now();
    started.signal("-INT");
    let done = started.ended();
    assert_eq!(done.code, Some(1), "{done:?}");
    // Ctrl-C is acknowledged before.
    assert!(done.err.ends_with("error: cancelled before the command was finished\n"), "{done:?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{done:?}");
}

#[test]
fn what_is_wrong_with_processes_is_said() {
    let folder = Folder::new();
    let check = |options: &str| folder.wolfpath(&format!("check-cluster --processes 2 {options}"));
    check("").misused(&["--process <K>"]);
    check("--process 2").misused(&["--process 2: expected a number from 0 to 1"]);
    check("--process 0 --local").misused(&["--local"]);
    check("--process 0 --hostfile none.txt").failed(&["cannot read none.txt"]);
    folder.file("hosts.txt", "10.0.0.1:4101\n");
    check("--process 0 --hostfile hosts.txt").failed(&["hosts.txt: not enough addresses: 1, expected 2"]);
    folder.file("hosts.txt", "10.0.0.1:4101\n10.0.0.2\n");
    check("--process 0 --hostfile hosts.txt")
        .failed(&["hosts.txt, line 2: \"10.0.0.2\", expected an address"]);
    folder.file("hosts.txt", "10.0.0.1:4101\n10.0.0.2:4101\n");
    check("--process 0 --hostfile hosts.txt").failed(&["10.0.0.1:4101 is not on this machine", "secret"]);
    folder.file("secret", "short");
    #[cfg(unix)]
    check("--process 0 --hostfile hosts.txt --secret-file secret")
        .failed(&["secret: cannot be used as a secret"]);
}

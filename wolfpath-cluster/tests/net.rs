//! Processes that exchange bytes: what each receives, and what the others are told if one of them fails. Threads stand for
//! processes unless some are killed.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use wolfpath::CancelHandle;
use wolfpath::cluster::{Cluster, ClusterConfig, ClusterError};

mod processes;

use processes::{listeners, run};

/// Returns what one process sends to another in an exchange: from no byte to several parts.
fn payload(from: usize, to: usize, round: usize) -> Vec<u8> {
    let length = match (from + 2 * to + round) % 5 {
        0 => 0,
        1 => 1 + round,
        2 => 1000 * (from + 1),
        3 => 300_001,
        _ if round.is_multiple_of(7) => 9_000_000 + from,
        _ => 64,
    };
    (0..length).map(|at| (at * 31 + from * 7 + to * 3 + round) as u8).collect()
}

#[test]
fn bytes_arrive_as_they_were_sent() {
    for number in [1, 2, 3, 5] {
        let received = run(
            number,
            |config| config,
            |connected| {
                let mut cluster = connected.expect("all processes are there");
                let me = cluster.process();
                assert_eq!(cluster.processes(), number);
                for round in 0..20 {
                    let outgoing = (0..number).map(|to| payload(me, to, round)).collect();
                    let received = cluster.exchange(outgoing).expect("all processes are alive");
                    for (from, bytes) in received.into_iter().enumerate() {
                        assert!(bytes == payload(from, me, round), "{number}: {from} to {me}, {round}");
                    }
                }
                cluster.check()
            },
        );
        assert!(received.iter().all(Result::is_ok));
    }
}

#[test]
fn processes_may_be_an_exchange_apart() {
    let (done, late) = (2000, Duration::from_millis(20));
    run(
        3,
        |config| config,
        |connected| {
            let mut cluster = connected.expect("all processes are there");
            for round in 0..done {
                if round % 400 == 0 && cluster.process() == 1 {
                    thread::sleep(late);
                }
                let received = cluster.exchange(vec![vec![round as u8]; 3]).expect("all processes are alive");
                assert_eq!(received, vec![vec![round as u8]; 3]);
            }
        },
    );
}

#[test]
fn a_reason_to_give_up_reaches_all() {
    let errors = run(
        3,
        |config| config,
        |connected| {
            let mut cluster = connected.expect("all processes are there");
            // The end of the connections may overtake the bytes of this exchange.
            let first = cluster.exchange(vec![Vec::new(); 3]);
            if cluster.process() == 2 {
                cluster.abort("the disk is full");
            }
            let second = first.and_then(|_| cluster.exchange(vec![Vec::new(); 3]));
            let error = second.expect_err("one process gave up");
            assert!(cluster.check().is_err());
            error.to_string()
        },
    );
    assert!(errors.iter().all(|error| error == "process 2 gave up: the disk is full"), "{errors:?}");
}

#[test]
fn a_process_that_leaves_is_named() {
    let began = Instant::now();
    let results = run(
        3,
        |config| config,
        |connected| {
            let mut cluster = connected.expect("all processes are there");
            let me = cluster.process();
            cluster.exchange(vec![Vec::new(); 3]).expect("all processes take part");
            if me == 0 { Ok(Vec::new()) } else { cluster.exchange(vec![Vec::new(); 3]) }
        },
    );
    assert!(results[0].is_ok());
    for result in &results[1..] {
        let error = result.as_ref().expect_err("process 0 has left").to_string();
        assert!(error.contains("process 0 has left"), "{error}");
    }
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn both_sides_need_the_same_secret() {
    let secret = |config: ClusterConfig| config.secret("what all of them know");
    let results = run(3, secret, |connected| connected.map(drop));
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    // A process with another secret sees that the others do not have it. To them, it is a stranger.
    let two = |config: ClusterConfig| {
        let text = if config.process() == 1 {
            "another secret than that of process 0"
        } else {
            "the secret of process 0 alone"
        };
        config.secret(text).patience(Duration::from_secs(1))
    };
    let errors: Vec<String> =
        run(2, two, |connected| connected.map(drop).expect_err("the secrets differ").to_string());
    assert!(errors[0].starts_with("process 1 (127.0.0.1:"), "{}", errors[0]);
    assert!(errors[0].contains("did not connect within 1s; refused: 127.0.0.1:"), "{}", errors[0]);
    assert!(errors[1].starts_with("process 0 (") && errors[1].contains("another secret"), "{}", errors[1]);
    let one = |config: ClusterConfig| match config.process() {
        0 => config.secret("only one has a secret").patience(Duration::from_secs(1)),
        _ => config,
    };
    let errors = run(2, one, |connected| connected.map(drop).expect_err("one has none").to_string());
    assert!(errors[1].contains("has a secret, expected one that has no secret"), "{errors:?}");
}

#[test]
fn processes_that_do_not_fit_are_named() {
    let (mut at, addresses) = listeners(2);
    let connect = |process, addresses: &[String], listener| {
        let config = ClusterConfig::new(process, addresses.to_vec()).patience(Duration::from_secs(20));
        Cluster::connect_at(listener, &config).map(drop)
    };
    // One of them is told that there are three.
    let three = [addresses.clone(), vec!["127.0.0.1:9".to_owned()]].concat();
    let (second, first) = (at.pop().expect("two"), at.pop().expect("two"));
    let errors = thread::scope(|scope| {
        let other = scope.spawn(|| connect(1, &three, second));
        [connect(0, &addresses, first), other.join().expect("no panic")]
            .map(|result| result.expect_err("they are not of one cluster").to_string())
    });
    assert!(errors[0].contains("is one of 3 processes, expected 2"), "{errors:?}");
    assert!(errors[1].contains("is one of 2 processes, expected 3"), "{errors:?}");
    // Two have the same number.
    let (mut at, addresses) = listeners(3);
    let (twice, second, first) =
        (at.pop().expect("three"), at.pop().expect("three"), at.pop().expect("three"));
    let began = Instant::now();
    let errors = thread::scope(|scope| {
        let others = [second, twice].map(|listener| scope.spawn(|| connect(1, &addresses, listener)));
        let first = connect(0, &addresses, first);
        [first].into_iter().chain(others.map(|other| other.join().expect("no panic"))).collect::<Vec<_>>()
    });
    let texts: Vec<String> =
        errors.into_iter().map(|result| result.expect_err("process 2 does not exist").to_string()).collect();
    assert!(texts[0].contains("a process with the number 1 is already connected"), "{texts:?}");
    assert!(texts[1..].iter().any(|text| text.contains("it is already connected")), "{texts:?}");
    assert!(began.elapsed() < Duration::from_secs(15), "those that are left notice that process 0 gave up");
}

/// The part of a process that [`killed_and_stopped_processes_are_named`] starts: exchanges until something fails, and prints
/// the error.
#[cfg(unix)]
#[test]
#[ignore = "a part of another test"]
fn a_process() {
    let variable = |name: &str| std::env::var(name).expect("the other test sets it");
    let process = variable("WOLFPATH_TEST_PROCESS").parse().expect("a number");
    let addresses: Vec<String> = variable("WOLFPATH_TEST_ADDRESSES").split(',').map(str::to_owned).collect();
    let mut cluster = Cluster::connect(&ClusterConfig::new(process, addresses)).expect("all start");
    let mut round = 0u64;
    let error = loop {
        match cluster.exchange(vec![vec![1; 1000]; cluster.processes()]) {
            Ok(_) => round += 1,
            Err(error) => break error,
        }
        if round == 100 {
            println!("exchanging");
        }
    };
    println!("error: {error}");
}

/// Of three processes, one is killed or stopped. The others must end soon, with an error that names it, and without a panic.
#[cfg(unix)]
#[test]
fn killed_and_stopped_processes_are_named() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    use std::sync::mpsc::channel;

    for (signal, number) in [("-KILL", 0), ("-KILL", 2), ("-STOP", 1)] {
        let (listeners, addresses) = listeners(3);
        drop(listeners);
        let start = |process: usize| {
            Command::new(std::env::current_exe().expect("this test has a file"))
                .args(["a_process", "--exact", "--ignored", "--nocapture"])
                .env("WOLFPATH_TEST_PROCESS", process.to_string())
                .env("WOLFPATH_TEST_ADDRESSES", addresses.join(","))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("processes can be started")
        };
        let mut children = Children((0..3).map(start).collect());
        let mut outputs: Vec<_> = children
            .0
            .iter_mut()
            .map(|child| BufReader::new(child.stdout.take().expect("it is piped")))
            .collect();
        for output in &mut outputs {
            let mut line = String::new();
            while !line.ends_with("exchanging\n") {
                line.clear();
                assert!(output.read_line(&mut line).expect("it is text") > 0, "it ended early");
            }
        }
        let send = |signal: &str| {
            let id = children.0[number].id().to_string();
            assert!(Command::new("kill").args([signal, &id]).status().expect("kill exists").success());
        };
        send(signal);
        for (process, mut output) in outputs.into_iter().enumerate().filter(|&(process, _)| process != number)
        {
            let (sender, receiver) = channel();
            thread::spawn(move || {
                let mut rest = String::new();
                let _ = output.read_to_string(&mut rest);
                let _ = sender.send(rest);
            });
            let rest = receiver.recv_timeout(Duration::from_secs(10));
            let rest = rest.unwrap_or_else(|_| panic!("{signal} {number}: {process} took too long"));
            let error = rest.lines().find(|line| line.contains("error: ")).unwrap_or_default();
            assert!(error.contains(&format!("process {number} (127.0.0.1:")), "{signal} {number}: {rest}");
        }
        if signal == "-STOP" {
            send("-KILL");
        }
        for (process, child) in children.0.iter_mut().enumerate() {
            let mut said = String::new();
            child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it is text");
            assert!(!said.contains("panicked"), "{signal} {number}: {process}: {said}");
        }
    }
}

/// Processes, which are killed when the test ends.
#[cfg(unix)]
struct Children(Vec<std::process::Child>);

#[cfg(unix)]
impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // Most have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn a_panic_is_a_reason_to_give_up() {
    let results = run(
        2,
        |config| config,
        |connected| {
            let cluster = connected.expect("all processes are there");
            if cluster.process() == 1 {
                let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
                    let _cluster = cluster;
                    std::panic::resume_unwind(Box::new("a fault of this process"));
                }));
                return panicked.map_err(|_| "panicked".to_owned());
            }
            let mut cluster = cluster;
            cluster.exchange(vec![Vec::new(); 2]).map(drop).map_err(|error| error.to_string())
        },
    );
    assert_eq!(results[0], Err("process 1 gave up: it panicked".to_owned()));
}

#[test]
fn a_process_may_leave_long_before_the_others() {
    let results = run(
        2,
        |config| config,
        |connected| {
            let mut cluster = connected.expect("all processes are there");
            cluster.exchange(vec![vec![7; 5_000_000]; 2]).expect("all processes are alive");
            if cluster.process() == 0 {
                // Longer than the time after which a silent process is lost.
                thread::sleep(Duration::from_secs(7));
            }
            cluster.check()
        },
    );
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

#[test]
fn a_process_that_never_starts_is_named() {
    // Process 2 never starts. Process 0 gives up and tells process 1, and both name process 2.
    let (listeners, mut addresses) = listeners(2);
    addresses.push("127.0.0.1:9".to_owned());
    let began = Instant::now();
    let process = |(process, listener)| {
        let patience = if process == 0 { Duration::from_millis(500) } else { Duration::from_secs(60) };
        let config = ClusterConfig::new(process, addresses.clone()).patience(patience);
        Cluster::connect_at(listener, &config).map(drop).expect_err("process 2 is missing").to_string()
    };
    let errors: Vec<String> = thread::scope(|scope| {
        let process = &process;
        let threads: Vec<_> =
            listeners.into_iter().enumerate().map(|each| scope.spawn(move || process(each))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(
        errors.iter().all(|error| error.contains("process 2 (127.0.0.1:9) did not connect")),
        "{errors:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(10), "process 1 is told");
}

/// Lets processes connect that cannot, and cancels process 0. `addresses` are those that a process names. Returns all errors.
fn cancelled(
    listeners: Vec<TcpListener>,
    addresses: impl Fn(usize) -> Vec<String> + Sync,
) -> Vec<ClusterError> {
    let (cancel, began) = (CancelHandle::new(), Instant::now());
    let process = |(process, listener)| {
        let config = ClusterConfig::new(process, addresses(process));
        let config = if process == 0 { config.cancel(&cancel) } else { config };
        Cluster::connect_at(listener, &config).map(drop).expect_err("a connection is missing")
    };
    let errors = thread::scope(|scope| {
        let process = &process;
        let threads: Vec<_> =
            listeners.into_iter().enumerate().map(|each| scope.spawn(move || process(each))).collect();
        thread::sleep(Duration::from_millis(500));
        cancel.cancel();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(began.elapsed() < Duration::from_secs(20), "processes take as long as they may");
    errors
}

#[test]
fn connecting_is_cancelled() {
    // Process 2 never starts.
    let (listeners, mut addresses) = listeners(2);
    addresses.push("127.0.0.1:9".to_owned());
    let errors = cancelled(listeners, |_| addresses.clone());
    assert!(matches!(errors[0], ClusterError::Cancelled), "{errors:?}");
    assert!(errors[1].to_string().contains("process 0 gave up: connecting"), "{errors:?}");
}

#[test]
fn waiting_for_the_connections_of_others_is_cancelled() {
    let (listeners, addresses) = listeners(3);
    let errors = cancelled(listeners, |process| {
        let mut addresses = addresses.clone();
        if process == 2 {
            // No process listens there. Process 0 has all of its connections nevertheless.
            addresses[1] = "127.0.0.1:9".to_owned();
        }
        addresses
    });
    assert!(matches!(errors[0], ClusterError::Cancelled), "{errors:?}");
    // Process 0 has already told the others that it has all of its connections.
    assert!(
        errors.iter().any(|error| error.to_string().contains("process 0 gave up: connecting")),
        "{errors:?}"
    );
}

#[test]
fn strangers_do_not_disturb() {
    let (mut at, addresses) = listeners(2);
    let first = addresses[0].clone();
    let mut stranger = TcpStream::connect(&first).expect("process 0 listens");
    stranger.write_all(&[b'x'; 200]).expect("the connection is open");
    let silent: Vec<_> = (0..10).map(|_| TcpStream::connect(&first).expect("process 0 listens")).collect();
    let began = Instant::now();
    let results = thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .rev()
            .map(|process| {
                let listener = at.pop().expect("a listener per process");
                let config = ClusterConfig::new(process, addresses.clone());
                scope.spawn(move || Cluster::connect_at(listener, &config).map(drop))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert!(began.elapsed() < Duration::from_secs(2), "silent strangers do not delay the others");
    drop(silent);
}

#[test]
fn what_cannot_be_connected_is_named() {
    let (listeners, addresses) = listeners(1);
    let config = ClusterConfig::new(0, [addresses[0].clone(), "127.0.0.1:9".to_owned()]);
    let error = Cluster::connect(&config).expect_err("the address is in use").to_string();
    assert!(error.contains(&format!("cannot listen at {}", addresses[0])), "{error}");
    drop(listeners);
    let config = config.patience(Duration::from_millis(300));
    let error = Cluster::connect(&config).expect_err("process 1 does not exist").to_string();
    assert!(error.contains("process 1 (127.0.0.1:9) did not connect within 300ms"), "{error}");
    let config = ClusterConfig::new(0, ["192.0.2.1:4101", "192.0.2.2:4101"]);
    let error = Cluster::connect(&config).expect_err("a secret is needed");
    assert!(matches!(error, ClusterError::NeedsSecret { .. }), "{error}");
    let config = ClusterConfig::new(0, ["no port"]);
    let error = Cluster::connect(&config).expect_err("a port is missing").to_string();
    assert!(error.starts_with("cannot resolve no port"), "{error}");
}

#[test]
fn hostfiles_and_secrets_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hosts.txt");
    let read = |text: &str, processes| {
        std::fs::write(&path, text).expect("the folder is writable");
        ClusterConfig::from_hostfile(&path, processes, 0).map(|config| config.processes())
    };
    assert_eq!(read("# hosts\n\n a:1 \nb:2\nc:3\n", 2).expect("two are enough"), 2);
    for (text, line) in [("a:1\nb\n", 2), ("a:1\n\nb:x\n", 3), ("a:0\n", 1), (":80\n", 1), ("a:65536\n", 1)] {
        let error = read(text, 2).expect_err("a line is wrong").to_string();
        assert!(error.contains(&format!("hosts.txt, line {line}: ")), "{error}");
    }
    assert!(matches!(read("a:1\n", 2), Err(ClusterError::TooFewHosts { found: 1, expected: 2, .. })));
    let error = ClusterConfig::from_hostfile(folder.path().join("none"), 1, 0).expect_err("no file");
    assert!(error.to_string().starts_with("cannot read"), "{error}");
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "a secret of more than 16 bytes\n").expect("the folder is writable");
    let config = || ClusterConfig::new(0, ["127.0.0.1:0"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let set = |mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&secret, permissions).expect("it is mine");
        };
        set(0o640);
        let error = config().secret_file(&secret).expect_err("a group may read it").to_string();
        assert!(error.contains("0600"), "{error}");
        set(0o600);
    }
    assert!(config().secret_file(&secret).expect("it is long enough").has_secret());
}

//! Processes that send damaged messages, that are cancelled, or that have any number of threads.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use wolfpath_core::edge_list::Duplicates;
use wolfpath_runtime::part::{PeerError, Peers, peer_error};

use super::*;

/// Number of processes.
const PROCESSES: usize = 3;
/// The process whose messages are damaged, and the one that gets them.
const DAMAGED: usize = 1;
const HEARING: usize = 2;
/// Number of bytes that `Team::exchange` adds to a message.
const END: usize = 9;

/// Time for which a process waits for a message, and the error after it: the sender should have told that it gave up.
const PATIENCE: Duration = Duration::from_secs(20);
const SILENCE: &str = "no message arrived";

/// Bytes, or the reason of a process that gave up.
type Parcel = Result<Vec<u8>, String>;

/// A process, played by a thread. `change` changes what it sends in an exchange, of which the number is given.
struct Process<'a> {
    process: usize,
    to: Vec<Sender<Parcel>>,
    from: Mutex<Vec<Receiver<Parcel>>>,
    exchanges: Mutex<usize>,
    change: &'a (dyn Fn(usize, &mut [Vec<u8>]) + Sync),
}

impl Peers for Process<'_> {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        PROCESSES
    }

    fn exchange(&self, mut outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, PeerError> {
        let mut exchanges = self.exchanges.lock().unwrap();
        if self.process == DAMAGED {
            (self.change)(*exchanges, &mut outgoing);
        }
        *exchanges += 1;
        // A process that has given up does not listen.
        self.to.iter().zip(outgoing).for_each(|(to, bytes)| drop(to.send(Ok(bytes))));
        let from = self.from.lock().unwrap();
        let receive =
            |from: &Receiver<Parcel>| from.recv_timeout(PATIENCE).unwrap_or_else(|_| Err(SILENCE.to_owned()));
        from.iter().map(|from| receive(from).map_err(peer_error)).collect()
    }

    fn abort(&self, reason: &str) {
        self.to.iter().for_each(|to| drop(to.send(Err(reason.to_owned()))));
    }
}

/// Lets three processes build shards. Returns the error of each, as text, and the number of exchanges of the first.
fn build(
    files: (&Path, &Path),
    options: &LoadOptions,
    change: &(dyn Fn(usize, &mut [Vec<u8>]) + Sync),
    cancel: &CancelHandle,
) -> (Vec<Result<u64, String>>, usize) {
    build_with(2, files, options, change, cancel)
}

/// Like [`build`], with this number of threads for each process.
fn build_with(
    threads: usize,
    (input, output): (&Path, &Path),
    options: &LoadOptions,
    change: &(dyn Fn(usize, &mut [Vec<u8>]) + Sync),
    cancel: &CancelHandle,
) -> (Vec<Result<u64, String>>, usize) {
    let mut to: Vec<Vec<Sender<Parcel>>> = vec![Vec::new(); PROCESSES];
    let mut from: Vec<Vec<Receiver<Parcel>>> = Vec::new();
    for _ in 0..PROCESSES {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..PROCESSES).map(|_| channel()).unzip();
        to.iter_mut().zip(senders).for_each(|(to, sender)| to.push(sender));
        from.push(receivers);
    }
    let processes = to.into_iter().zip(from).enumerate().map(|(process, (to, from))| Process {
        process,
        to,
        from: Mutex::new(from),
        exchanges: Mutex::new(0),
        change,
    });
    let run = |peers: &Process<'_>| {
        let other = CancelHandle::new();
        let cancel = if peers.process == DAMAGED { cancel } else { &other };
        let team = Team::new(peers, cancel);
        let shards = NonZeroU16::new(4).unwrap();
        let build = Build { team, input, options, shards, folder: output, progress: &Progress::NONE };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let built =
            pool.install(|| build.run()).map(|shards| shards.num_edges()).map_err(|error| error.to_string());
        (built, *peers.exchanges.lock().unwrap())
    };
    // As connections do, channels stay open after a build.
    let processes: Vec<Process<'_>> = processes.collect();
    thread::scope(|scope| {
        let threads: Vec<_> = processes.iter().map(|process| scope.spawn(|| run(process))).collect();
        let done: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
        let exchanges = done[0].1;
        let built: Vec<Result<u64, String>> = done.into_iter().map(|(built, _)| built).collect();
        let is_silence = |error: &String| error.contains(SILENCE);
        assert!(!built.iter().any(|built| built.as_ref().is_err_and(is_silence)), "{built:?}");
        (built, exchanges)
    })
}

/// Calls `visit` with an input for each kind of message.
fn inputs(visit: impl Fn((&Path, &Path), &LoadOptions)) {
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["graph.el", "shards"].map(|name| folder.path().join(name));
    let edges = |column: &dyn Fn(u64) -> String| -> String {
        (0..40u64).map(|n| format!("{} {}{}\n", n % 9, n * n % 10 + 20 * (n % 3), column(n))).collect()
    };
    // Two rings, which no vertex without in-edges reaches, a column, and an unknown number of layers.
    let rings = "101 102 1 2\n102 101 5 6\n201 202 7 8\n202 201 1 1\n";
    fs::write(&input, edges(&|n| format!(" {n} {}", n as f64 / 2.0)) + rings).unwrap();
    visit((&input, &output), &LoadOptions::new().columns(["toll", "length"]));
    // Sums that are rounded.
    fs::write(&input, edges(&|n| format!(" {}", if n % 4 == 0 { "9007199254740993" } else { "0.5" })))
        .unwrap();
    let options = LoadOptions::new().undirected(true).duplicates(Duplicates::Sum).lossy_weights(true);
    visit((&input, &output), &options);
}

/// Changes a message.
type Damage = dyn Fn(&mut Vec<u8>) + Sync;

#[test]
fn damaged_messages_are_errors_that_name_the_process() {
    let cut = |message: &mut Vec<u8>| message.truncate(message.len() - 1);
    let empty = |message: &mut Vec<u8>| message.clear();
    let longer = |message: &mut Vec<u8>| message.push(0);
    // Of the right length, by what the message itself says.
    let shorter = |message: &mut Vec<u8>| {
        let Some(length @ 1..) = message.len().checked_sub(END) else { return message.clear() };
        message.truncate(length - 1);
        put_end(message);
    };
    let damages: [&Damage; 4] = [&cut, &empty, &longer, &shorter];
    inputs(|(input, output), options| {
        let none = |_: usize, _: &mut [Vec<u8>]| {};
        let (built, exchanges) = build((input, output), options, &none, &CancelHandle::new());
        assert!(built.iter().all(|built| built.is_ok()), "{built:?}");
        fs::remove_dir_all(output).unwrap();
        for at in 0..exchanges {
            for damage in damages {
                let change = |exchange: usize, sent: &mut [Vec<u8>]| {
                    if exchange == at {
                        damage(&mut sent[HEARING]);
                    }
                };
                let (built, _) = build((input, output), options, &change, &CancelHandle::new());
                let error = built[HEARING].as_ref().expect_err("the message is damaged");
                assert!(error.contains("process 1"), "exchange {at}: {error}");
                // After the last exchange, the others are done.
                assert!(
                    at + 1 == exchanges || built.iter().all(|built| built.is_err()),
                    "exchange {at}: {built:?}"
                );
                let _ = fs::remove_dir_all(output);
            }
            // Other numbers than those of the process need not be noticed, but nothing panics or waits forever.
            let change = |exchange: usize, sent: &mut [Vec<u8>]| {
                let payload = sent[HEARING].len() - END;
                if exchange == at {
                    sent[HEARING][..payload].fill(0xff);
                }
            };
            build((input, output), options, &change, &CancelHandle::new());
            let _ = fs::remove_dir_all(output);
        }
    });
}

/// Appends what `Team::exchange` adds to a message.
fn put_end(message: &mut Vec<u8>) {
    message.extend((message.len() as u64).to_le_bytes());
    message.push(0);
}

#[test]
fn all_processes_stop_if_one_is_cancelled_and_leave_nothing() {
    inputs(|(input, output), options| {
        let none = |_: usize, _: &mut [Vec<u8>]| {};
        let (_, exchanges) = build((input, output), options, &none, &CancelHandle::new());
        fs::remove_dir_all(output).unwrap();
        // The others hear of it in the next exchange, so that the last one is too late.
        for at in 0..exchanges - 1 {
            let cancel = CancelHandle::new();
            let cancels = |exchange: usize, _: &mut [Vec<u8>]| {
                if exchange == at {
                    cancel.cancel();
                }
            };
            let (built, _) = build((input, output), options, &cancels, &cancel);
            let expected: Result<u64, String> = Err("process 1: sharding was cancelled".to_owned());
            assert!(built.iter().all(|built| *built == expected), "exchange {at}: {built:?}");
            assert!(!output.exists(), "exchange {at}");
        }
    });
}

#[test]
fn shards_are_the_same_for_any_number_of_threads() {
    inputs(|(input, output), options| {
        let built = [1, 3, 16].map(|threads| {
            let none = |_: usize, _: &mut [Vec<u8>]| {};
            let (built, _) = build_with(threads, (input, output), options, &none, &CancelHandle::new());
            assert!(built.iter().all(|built| built.is_ok()), "{built:?}");
            let mut files: Vec<_> = fs::read_dir(output).unwrap().map(|file| file.unwrap().path()).collect();
            files.sort();
            let files: Vec<_> = files.iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
            fs::remove_dir_all(output).unwrap();
            files
        });
        assert_eq!(built[0].len(), 5);
        assert!(built.iter().all(|files| *files == built[0]));
    });
}

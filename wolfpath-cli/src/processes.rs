//! The processes of a cluster: connects this one, and starts the others if all of them are on this machine.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use wolfpath::cluster::{Cluster, ClusterConfig, ClusterError};

use crate::arguments::ClusterArguments;
use crate::console;
use crate::error::Error;

/// Port of process 0 without a hostfile. Those of the others follow it.
const FIRST_PORT: u16 = 2101;

/// Time for which a started process may take to say where it listens.
const TO_START: Duration = Duration::from_secs(30);

/// Interval at which waiting checks whether the command was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// Time for which a started process may take to end.
const TO_END: Duration = Duration::from_secs(2);

/// This process's connections, and the processes that it has started.
pub(crate) struct Processes {
    // Dropped first: the others leave only when this process does.
    pub(crate) cluster: Cluster,
    pub(crate) started: Vec<Started>,
}

/// A process that this one has started. When it is dropped, the process ends.
pub(crate) struct Started {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Drop for Started {
    fn drop(&mut self) {
        // A process that has not ended by itself ends when its standard input does, unless it is stopped.
        drop(self.stdin.take());
        let until = Instant::now() + TO_END;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        // If it cannot be killed or waited for, it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the number of threads of this process, of which `given` was named by the user: processes on one machine share its
/// cores. `None` means the number of any other command.
pub(crate) fn threads(arguments: &ClusterArguments, given: Option<usize>) -> Option<usize> {
    let share = || {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let processes = usize::from(arguments.processes());
        (arguments.local && processes > 1).then(|| (cores / processes).max(1))
    };
    given.or_else(share)
}

/// Connects this process to the others.
pub(crate) fn connect(arguments: &ClusterArguments) -> Result<Processes, Error> {
    let processes = arguments.processes();
    if let Some(process) = arguments.local_process {
        let cluster = connect_started(process)?;
        return Ok(Processes { cluster, started: Vec::new() });
    }
    if arguments.local {
        return start(processes);
    }
    let process = usize::from(arguments.process.unwrap_or(0));
    let mut config = match &arguments.hostfile {
        Some(path) => ClusterConfig::from_hostfile(path, processes.into(), process)?,
        None => {
            let port = |process: u16| u32::from(FIRST_PORT) + u32::from(process);
            ClusterConfig::new(process, (0..processes).map(|process| format!("127.0.0.1:{}", port(process))))
        }
    };
    if let Some(path) = &arguments.secret_file {
        config = config.secret_file(path)?;
    }
    Ok(Processes { cluster: connected(config, Cluster::connect)?, started: Vec::new() })
}

/// Connects as `connect` does, but so that Ctrl-C stops it.
fn connected(
    config: ClusterConfig,
    connect: impl FnOnce(&ClusterConfig) -> Result<Cluster, ClusterError>,
) -> Result<Cluster, Error> {
    connect(&config.cancel(console::cancel_handle())).map_err(|error| match error {
        ClusterError::Cancelled => Error::Cancelled,
        error => error.into(),
    })
}

/// Starts all other processes on this machine, and connects to them. This one has the number 0.
///
/// Each started process listens at a free port, writes its number to standard output, and reads the addresses of all of them
/// from standard input.
fn start(processes: u16) -> Result<Processes, Error> {
    let failed = |error: std::io::Error| Error::Start { message: error.to_string() };
    let (listener, own) = listen().map_err(failed)?;
    let program = env::current_exe().map_err(failed)?;
    let mut started = Vec::new();
    for process in 1..processes {
        // After the name of the command, because what follows `--` would not be an option.
        let mut arguments = env::args_os().skip(1);
        let mut child = Command::new(&program)
            .args(arguments.next())
            .args(["--local-process", &process.to_string()])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let stdin = child.stdin.take();
        started.push(Started { child, stdin });
    }
    let mut addresses = vec![own];
    for process in &mut started {
        let stdout = process.child.stdout.take();
        let line = stdout.map_or(Ok(None), |stdout| first_line(stdout, TO_START))?;
        match line {
            Some(line) if !line.is_empty() => addresses.push(line),
            _ => {
                return Err(Error::Start { message: "one of them ended at once, or was stopped".to_owned() });
            }
        }
    }
    let line = addresses.join(" ") + "\n";
    for process in &mut started {
        if let Some(stdin) = &mut process.stdin {
            stdin.write_all(line.as_bytes()).map_err(failed)?;
        }
    }
    let cluster =
        connected(ClusterConfig::new(0, addresses), |config| Cluster::connect_at(listener, config))?;
    Ok(Processes { cluster, started })
}

/// Returns the first line that a process prints, without its end; `None` if it prints nothing in time.
fn first_line(stdout: ChildStdout, within: Duration) -> Result<Option<String>, Error> {
    let (sender, line) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        // The receiver may have given up.
        let _ = sender.send(read.ok().map(|_| line.trim().to_owned()));
    });
    let until = Instant::now() + within;
    loop {
        console::go_on()?;
        match line.recv_timeout(LOOK) {
            Ok(line) => return Ok(line),
            Err(RecvTimeoutError::Timeout) if Instant::now() < until => {}
            Err(_) => return Ok(None),
        }
    }
}

/// Connects a process that another one has started.
fn connect_started(process: u16) -> Result<Cluster, Error> {
    // The process that has started this one says what went wrong.
    console::be_silent();
    let failed = |error: std::io::Error| Error::Start { message: error.to_string() };
    let (listener, own) = listen().map_err(failed)?;
    console::print(&format!("{own}\n"))?;
    let mut line = String::new();
    let mut stdin = BufReader::new(std::io::stdin());
    stdin.read_line(&mut line).map_err(failed)?;
    // A process ends with the one that has started it.
    thread::spawn(move || {
        let _ = stdin.read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    let config = ClusterConfig::new(process.into(), line.split_whitespace());
    connected(config, |config| Cluster::connect_at(listener, config))
}

/// Listens at a free port of the loopback interface. Also returns the address.
fn listen() -> std::io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    Ok((listener, address))
}

//! `wolfpath check-cluster`: connects the processes of a cluster, and measures how fast they exchange bytes.

use std::time::{Duration, Instant};

use serde_json::json;
use wolfpath::cluster::{Cluster, ClusterError};

use crate::arguments::CheckClusterArguments;
use crate::bars::scaled;
use crate::console;
use crate::error::Error;
use crate::json::object;
use crate::processes::connect;

/// Number of exchanges without bytes.
const EMPTY: usize = 300;

/// Number of exchanges with bytes, and their size for each pair of processes.
const FULL: usize = 7;
const BYTES: usize = 8 << 20;

pub(crate) fn check_cluster(arguments: &CheckClusterArguments) -> Result<(), Error> {
    let began = Instant::now();
    let mut connected = connect(&arguments.cluster)?;
    let connecting = began.elapsed();
    let cluster = &mut connected.cluster;
    let empty = measure(cluster, EMPTY, 0)?;
    let full = measure(cluster, FULL, BYTES)?;
    let (process, processes) = (cluster.process(), cluster.processes());
    if process > 0 {
        return Ok(());
    }
    // The others end before the results are printed.
    drop(connected);
    let rate = ((processes - 1) * BYTES) as f64 / full.as_secs_f64();
    if arguments.json {
        let result = object([
            ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
            ("processes", json!(processes)),
            ("connect_seconds", json!(connecting.as_secs_f64())),
            ("empty_exchange_seconds", json!(empty.as_secs_f64())),
            ("bytes_per_second", json!(rate)),
        ]);
        return console::print(&format!("{result:#}\n"));
    }
    let (number, prefix) = scaled(rate);
    console::print(&format!(
        "processes  {processes}, connected in {connecting:.1?}\n\
         exchange   {empty:.1?} without bytes (median of {EMPTY})\n\
         bytes      each process sends {number} {prefix}B/s and receives as much (median of {FULL} exchanges of {BYTES} bytes per pair)\n",
    ))
}

/// Returns the median time of exchanges of this size.
fn measure(cluster: &mut Cluster, exchanges: usize, bytes: usize) -> Result<Duration, Error> {
    let mut times = Vec::with_capacity(exchanges);
    for round in 0..exchanges {
        if let Err(cancelled) = console::go_on() {
            cluster.abort("it was cancelled");
            return Err(cancelled);
        }
        let outgoing = vec![vec![round as u8; bytes]; cluster.processes()];
        let began = Instant::now();
        let received = cluster.exchange(outgoing)?;
        times.push(began.elapsed());
        check(cluster, &received, round as u8, bytes)?;
    }
    times.sort();
    Ok(times[times.len() / 2])
}

/// Returns an error if other bytes arrived than were sent.
fn check(cluster: &Cluster, received: &[Vec<u8>], byte: u8, length: usize) -> Result<(), ClusterError> {
    let is_right = |bytes: &Vec<u8>| bytes.len() == length && bytes.iter().all(|&found| found == byte);
    match received.iter().position(|bytes| !is_right(bytes)) {
        Some(process) => {
            cluster.abort(&format!("other bytes arrived than process {process} has sent"));
            cluster.check()
        }
        None => Ok(()),
    }
}

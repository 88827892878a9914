//! Connected processes, for which threads stand.

use std::net::TcpListener;
use std::thread;

use wolfpath::cluster::{Cluster, ClusterConfig, ClusterError};

/// Returns listeners at free ports, and their addresses.
pub(crate) fn listeners(number: usize) -> (Vec<TcpListener>, Vec<String>) {
    let listen = |_| TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let listeners: Vec<TcpListener> = (0..number).map(listen).collect();
    let address = |listener: &TcpListener| listener.local_addr().expect("it listens").to_string();
    let addresses = listeners.iter().map(address).collect();
    (listeners, addresses)
}

/// Connects this number of processes, and lets each do its part. Returns the results in the order of their numbers.
pub(crate) fn run<T: Send>(
    number: usize,
    configure: impl Fn(ClusterConfig) -> ClusterConfig + Sync,
    part: impl Fn(Result<Cluster, ClusterError>) -> T + Sync,
) -> Vec<T> {
    let (listeners, addresses) = listeners(number);
    let process = |(process, listener)| {
        let config = configure(ClusterConfig::new(process, addresses.clone()));
        part(Cluster::connect_at(listener, &config))
    };
    thread::scope(|scope| {
        let process = &process;
        let threads: Vec<_> =
            listeners.into_iter().enumerate().map(|each| scope.spawn(move || process(each))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no process panics")).collect()
    })
}

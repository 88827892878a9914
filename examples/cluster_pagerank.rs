//! PageRank on a cluster: two processes share the ranks of the vertices of a generated graph, and get the same numbers as one
//! machine, bit for bit. Each process would be on a machine of its own; here, threads of this one stand for them.
//!
//!     cargo run --release --features cluster --example cluster_pagerank             R-MAT 18, of 4 million edges
//!     cargo run --release --features cluster --example cluster_pagerank -- SCALE    R-MAT of another scale

use std::net::TcpListener;
use std::num::NonZeroU16;
use std::path::Path;
use std::thread;
use std::time::Duration;

use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
use wolfpath::generate;
use wolfpath::prelude::*;
use wolfpath::programs::PageRank;

const STEPS: u64 = 20;
const SHARDS: NonZeroU16 = NonZeroU16::new(8).unwrap();

/// Id of each vertex of a process, and its rank.
type Ranks = Vec<(u64, Option<f32>)>;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Result<()> {
    let program = PageRank { damping: 0.85, tolerance: 0.0 };
    let scale = std::env::args().nth(1).map_or(Ok(18), |scale| scale.parse())?;
    let edges = generate::rmat(scale, 16, 1)?;
    let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
    let folder = tempfile::tempdir()?;
    Shards::write(&graph, &Deal::new(&graph, SHARDS)?, folder.path())?;

    let options = RunOptions::new().steps_at_most(STEPS).threads(2);
    let alone = Engine::cpu().run_with(&graph, &program, &options)?;
    let time = alone.stats().times.run / STEPS as u32;
    println!("one process with two threads:  {time:.2?} per step");

    let listeners = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
    let addresses = [listeners[0].local_addr()?.to_string(), listeners[1].local_addr()?.to_string()];
    let shares: Vec<Result<(Ranks, Duration)>> = thread::scope(|scope| {
        let start = |(process, listener)| {
            let config = ClusterConfig::new(process, &addresses);
            let folder = folder.path();
            scope.spawn(move || share(listener, &config, folder, &program))
        };
        let started: Vec<_> = listeners.into_iter().enumerate().map(start).collect();
        started.into_iter().map(|process| process.join().expect("no process panics")).collect()
    });

    let expected = alone.read()?;
    for share in shares {
        let (ranks, time) = share?;
        println!(
            "process of one thread:         {:.2?} per step, {} vertices",
            time / STEPS as u32,
            ranks.len()
        );
        for (id, rank) in ranks {
            assert_eq!(rank, expected.value(id)?, "vertex {id}");
        }
    }
    println!("all ranks are those of one machine");
    Ok(())
}

/// Runs one of the processes. Returns the ranks of its own vertices.
fn share(
    listener: TcpListener,
    config: &ClusterConfig,
    folder: &Path,
    program: &PageRank,
) -> Result<(Ranks, Duration)> {
    let mut graph = Cluster::connect_at(listener, config)?.load(Shards::open(folder)?)?;
    let options = RunOptions::new().steps_at_most(STEPS).threads(1);
    // Before the first run, the processes also exchange which vertices they need of each other.
    graph.run_with(program, &options)?;
    let outcome = graph.run_with(program, &options)?;
    Ok((outcome.iter().collect(), outcome.stats().times.run))
}

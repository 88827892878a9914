//! A program of the reader's own that sends in order of priority: the core numbers of a graph's vertices. A vertex
//! belongs to the k-core if it has at least k neighbours that belong to it; its core number is the largest such k. The
//! bundled `programs::CoreNumbers` does the same for any graph, over distinct neighbours.
//!
//!     cargo run --release --example kcore               a generated social network of a quarter of a million vertices
//!     cargo run --release --example kcore -- GRAPH      your own graph, without directions, loops and parallel edges

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use wolfpath::graph::LayerOptions;
use wolfpath::load::{LoadOptions, load};
use wolfpath::prelude::*;
use wolfpath::{generate, oracle};

use kcore::Core;

#[edge_program]
mod kcore {
    use wolfpath::prelude::*;

    /// Removes vertices with the fewest remaining neighbours first. The number of a vertex's remaining neighbours when
    /// it is removed, or of an earlier vertex's if that is larger, is its core number.
    pub(crate) struct Core;

    impl EdgeProgram for Core {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> u32 {
            v.out_degree as u32
        }
        /// A vertex that sends is removed: each of its neighbours has one fewer.
        fn edge(&self, _: Edge<u32>) -> u32 {
            1
        }
        fn apply(&self, v: Vertex<u32>, removed: u32) -> u32 {
            // A vertex within the level is removed in this step, or was removed before.
            if v.value as u64 <= v.level { v.value } else { (v.value - removed).max(v.level as u32) }
        }
        fn priority(&self, v: Vertex<u32>) -> u64 {
            v.value as u64
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kcore: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let edges = match std::env::args().nth(1) {
        Some(path) => {
            load(path, &LoadOptions::default())?.without_self_loops().undirected().without_duplicates()?
        }
        None => generate::rmat(18, 16, 42)?,
    };
    let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default())?;
    println!("graph     {} vertices, {} edges", graph.num_vertices(), graph.num_edges());

    let engine = Engine::auto();
    let outcome = engine.run(&graph, &Core)?;
    let stats = outcome.stats();
    println!(
        "run       {} steps, {} edges visited, {:.1?} on {}",
        stats.steps,
        stats.edges,
        stats.times.run,
        engine.name()
    );
    let found = outcome.read()?;
    let largest = found.iter().filter_map(|(_, core)| core).max().unwrap_or(0);
    let size = found.iter().filter(|&(_, core)| core == Some(largest)).count();
    println!("largest   the {largest}-core, of {size} vertices");

    let began = Instant::now();
    let cores = oracle::core_numbers(graph.out_edges());
    println!("serial    {:.1?}", began.elapsed());
    let expected = oracle::by_id(&graph, &cores).into_iter().map(|(id, core)| (id, Some(core as u32)));
    if !found.iter().eq(expected) {
        return Err("the core numbers differ from those of serial peeling".into());
    }
    println!("verified  every core number equals that of serial peeling");
    Ok(())
}

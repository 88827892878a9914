//! Breadth-first search over a grid or your own graph: layers the graph, runs on the best available engine, verifies
//! the result against a serial search, and prints a summary.
//!
//!     cargo run --release --example bfs                  a generated grid of a million vertices
//!     cargo run --release --example bfs -- GRAPH [ID]    your own graph, from the vertex with this id

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use wolfpath::graph::LayerOptions;
use wolfpath::prelude::*;
use wolfpath::programs::bfs;
use wolfpath::{OutcomeValues, generate, oracle};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match run(arguments.next(), arguments.next()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bfs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: Option<String>, source: Option<String>) -> Result<(), Box<dyn Error>> {
    let graph = layered(path)?;
    let source = match source {
        Some(id) => {
            id.parse().map_err(|_| format!("the source '{id}' is not a vertex id, which is an integer"))?
        }
        None => graph.root().ok_or("the graph has no vertices")?,
    };

    let engine = Engine::auto();
    println!("engine    {}: {}", engine.name(), engine.reason());
    let outcome = engine.run(&graph, &bfs::starting_at(source))?;
    let stats = outcome.stats();
    println!("run       {} steps, {} edges visited, {:.1?}", stats.steps, stats.edges, stats.times.run);

    describe(&outcome.read()?, source);
    verify(&outcome, source)
}

/// Opens the graph at `path`, or generates one.
fn layered(path: Option<String>) -> wolfpath::Result<LayeredGraph> {
    let began = Instant::now();
    let graph = match path {
        Some(path) => LayeredGraph::open(path)?,
        None => LayeredGraph::from_edge_list(generate::grid(1000, 1000, 42)?, &LayerOptions::default())?,
    };
    println!(
        "graph     {} vertices, {} edges, {} layers, built in {:.1?}",
        graph.num_vertices(),
        graph.num_edges(),
        graph.num_layers(),
        began.elapsed()
    );
    Ok(graph)
}

/// Prints the number of reached vertices, the largest depth, and the depth with the most vertices.
fn describe(depths: &OutcomeValues<u32>, source: u64) {
    let mut at_depth: Vec<u64> = Vec::new();
    for (_, depth) in depths.iter() {
        if let Some(depth) = depth.map(|depth| depth as usize) {
            at_depth.resize(at_depth.len().max(depth + 1), 0);
            at_depth[depth] += 1;
        }
    }
    let fullest = (0..at_depth.len()).max_by_key(|&depth| at_depth[depth]).unwrap_or(0);
    println!(
        "reached   {} vertices from {source}, the farthest {} hops away",
        depths.reached(),
        at_depth.len() - 1
    );
    println!("fullest   {} vertices are {fullest} hops away", at_depth[fullest]);
}

/// Compares every depth with that of a serial search with a queue.
fn verify(outcome: &Outcome<bfs>, source: u64) -> Result<(), Box<dyn Error>> {
    let graph = outcome.graph();
    let start: Vec<u32> = graph.vertex_of(source).into_iter().collect();
    let expected = oracle::by_id(graph, &oracle::hops(graph.out_edges(), &start));
    let depths = outcome.read()?;
    let found = depths.iter().map(|(id, depth)| (id, depth.map(u64::from)));
    let wrong = found.zip(expected).filter(|(found, expected)| found != expected).count();
    if wrong > 0 {
        return Err(format!("{wrong} vertices differ from a serial search").into());
    }
    println!("verified  every depth equals that of a serial search");
    Ok(())
}

//! Shortest paths over a grid or your own graph: layers the graph, runs on the best available engine, verifies the
//! distances against Dijkstra's algorithm, and prints a summary.
//!
//!     cargo run --release --example sssp                  a generated grid of a million vertices
//!     cargo run --release --example sssp -- GRAPH [ID]    your own graph, from the vertex with this id

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use wolfpath::graph::{Direction, LayerOptions, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::programs::sssp_f64;
use wolfpath::{generate, oracle};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match run(arguments.next(), arguments.next()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sssp: {error}");
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
    let outcome = engine.run(&graph, &sssp_f64::starting_at(source))?;
    let stats = outcome.stats();
    println!("run       {} steps, {} edges visited, {:.1?}", stats.steps, stats.edges, stats.times.run);

    describe(&outcome, source)?;
    verify(&outcome, source)
}

/// Opens the graph at `path`, or generates one. If it has no weights, edges get random ones, so that paths differ in
/// length.
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
    if graph.has_weights() {
        return Ok(graph);
    }
    println!("weights   random, from 1 to 100");
    Ok(graph.with_weights(WeightChoice::Random { seed: 1, max: 100 }))
}

/// Prints the farthest vertex and the length of the path to it.
fn describe(outcome: &Outcome<sssp_f64>, source: u64) -> wolfpath::Result<()> {
    let distances = outcome.read()?;
    println!("reached   {} vertices from {source}", distances.reached());
    let reached = distances.iter().filter_map(|(id, distance)| Some((id, distance?)));
    if let Some((id, distance)) = reached.max_by(|a, b| a.1.total_cmp(&b.1)) {
        let edges = outcome.path_to(id)?.map_or(0, |path| path.len() - 1);
        println!("farthest  {id}, {distance} away over {edges} edges");
    }
    Ok(())
}

/// Compares every distance with that of a serial Dijkstra's algorithm, bit for bit.
fn verify(outcome: &Outcome<sssp_f64>, source: u64) -> Result<(), Box<dyn Error>> {
    let graph = outcome.graph();
    let weights = graph.weights_as::<f64>(Direction::Out, false)?;
    let start: Vec<(u32, f64)> = graph.vertex_of(source).map(|vertex| (vertex, 0.0)).into_iter().collect();
    let expected = oracle::by_id(graph, &oracle::shortest(graph.out_edges(), &weights, &start));
    let wrong = outcome.read()?.iter().zip(expected).filter(|(found, expected)| found != expected).count();
    if wrong > 0 {
        return Err(format!("{wrong} vertices differ from Dijkstra's algorithm").into());
    }
    println!("verified  every distance equals that of Dijkstra's algorithm");
    Ok(())
}

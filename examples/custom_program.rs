//! A custom program: the smallest number of toll roads on a path from the source to every vertex.
//!
//!     cargo run --release --example custom_program               a generated grid of a million vertices
//!     cargo run --release --example custom_program -- GRAPH      your own graph, from its root

use std::error::Error;
use std::process::ExitCode;

use wolfpath::graph::{Direction, LayerOptions, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::{generate, oracle};

/// Smallest number of toll roads on a path from the source. Long roads have a toll.
#[edge_program(combine = min)]
fn tolls(paid: u32, length: f64) -> u32 {
    if length > 90.0 { paid + 1 } else { paid }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("custom_program: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let graph = match std::env::args().nth(1) {
        Some(path) => LayeredGraph::open(path)?,
        None => LayeredGraph::from_edge_list(generate::grid(1000, 1000, 42)?, &LayerOptions::default())?
            .with_weights(WeightChoice::Random { seed: 1, max: 100 }),
    };
    let source = graph.root().ok_or("the graph has no vertices")?;
    println!("graph     {} vertices, {} edges", graph.num_vertices(), graph.num_edges());

    let engine = Engine::auto();
    let outcome = engine.run(&graph, &tolls::from_source(source, 0))?;
    println!("run       {} steps in {:.1?} on {}", outcome.steps(), outcome.stats().times.run, engine.name());
    let values = outcome.read()?;
    if let Some((paid, id)) = values.iter().filter_map(|(id, paid)| Some((paid?, id))).max() {
        let roads = outcome.path_to(id)?.map_or(0, |path| path.len() - 1);
        println!("dearest   {id} costs {paid} tolls from {source}, over {roads} roads");
    }

    // Serial comparison: Dijkstra's algorithm with weight 1 for toll roads and 0 for other roads. The attribute leaves
    // `tolls` an ordinary function, so it can compute these weights.
    let lengths = graph.weights_as::<f64>(Direction::Out, false)?;
    let weights: Vec<u32> = lengths.iter().map(|&length| tolls(0, length)).collect();
    let start: Vec<(u32, u32)> = graph.vertex_of(source).map(|vertex| (vertex, 0)).into_iter().collect();
    let expected = oracle::by_id(&graph, &oracle::shortest(graph.out_edges(), &weights, &start));
    if !values.iter().eq(expected) {
        return Err("the result differs from that of Dijkstra's algorithm".into());
    }
    println!("verified  every number of tolls equals that of Dijkstra's algorithm");
    Ok(())
}

//! A program of one's own: how few toll roads lie on the way from the source to everywhere else?
//!
//!     cargo run --release --example custom_program               a generated grid of a million vertices
//!     cargo run --release --example custom_program -- GRAPH      a graph of your own, from its root

use std::error::Error;
use std::process::ExitCode;

use wolfpath::graph::{Direction, LayerOptions, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::{generate, oracle};

/// The fewest toll roads on a way from the source. Long roads take a toll; of all ways to a vertex the cheapest counts.
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
    if let Some((paid, id)) = outcome.iter().filter_map(|(id, paid)| Some((paid?, id))).max() {
        let roads = outcome.path_to(id)?.map_or(0, |path| path.len() - 1);
        println!("dearest   {id} costs {paid} tolls from {source}, over {roads} roads");
    }

    // The slow and obvious answer: Dijkstra's algorithm, where a toll road weighs 1 and any other 0. The function is
    // still a function, so it can say which is which.
    let lengths = graph.weights_as::<f64>(Direction::Out, false)?;
    let weights: Vec<u32> = lengths.iter().map(|&length| tolls(0, length)).collect();
    let start: Vec<(u32, u32)> = graph.vertex_of(source).map(|vertex| (vertex, 0)).into_iter().collect();
    let expected = oracle::by_id(&graph, &oracle::shortest(graph.out_edges(), &weights, &start));
    if !outcome.iter().eq(expected) {
        return Err("the answer differs from Dijkstra's algorithm".into());
    }
    println!("verified  every number of tolls is that of Dijkstra's algorithm");
    Ok(())
}

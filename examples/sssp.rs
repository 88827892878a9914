//! Shortest paths on a road network: layers a graph, runs on the best engine present, verifies, prints what happened.
//!
//!     cargo run --release --example sssp                  a generated road network of a million vertices
//!     cargo run --release --example sssp -- GRAPH [ID]    a graph of your own, from vertex ID

use std::time::Instant;

use wolfpath::graph::{Direction, LayerOptions, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::{generate, oracle, programs};

fn main() -> wolfpath::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let began = Instant::now();
    let graph = match arguments.next() {
        Some(path) => LayeredGraph::open(path)?,
        None => LayeredGraph::from_edge_list(generate::grid(1000, 1000, 42)?, &LayerOptions::default())?,
    };
    let graph = if graph.has_weights() { graph } else { graph.with_weights(WeightChoice::Random { seed: 1, max: 100 }) };
    println!("graph    {} vertices, {} edges, {} layers, made in {:.0?}", graph.num_vertices(), graph.num_edges(),
        graph.num_layers(), began.elapsed());
    let asked = arguments.next().and_then(|id| id.parse().ok());
    let Some(source) = asked.or(graph.root()) else {
        println!("the graph has no vertices");
        return Ok(());
    };

    let engine = Engine::auto()?;
    println!("engine   {}: {}", engine.name(), engine.reason());
    let outcome = engine.run(&graph, &programs::sssp_u64::from_source(source, 0))?;
    let stats = outcome.stats();
    println!("run      {} steps, {} edges, in {:.1?}", stats.steps, stats.edges, stats.times.run);

    let farthest = outcome.iter().filter_map(|(id, distance)| Some((distance?, id))).max();
    if let Some((distance, id)) = farthest {
        let edges = outcome.path_to(id)?.map_or(0, |path| path.len() - 1);
        println!("farthest {id} from {source}: {distance}, over {edges} edges");
    }

    let weights = graph.weights_as::<u64>(Direction::Out, false)?;
    let root = graph.vertex_of(source).map(|v| (v, 0)).into_iter().collect::<Vec<_>>();
    let expected = oracle::shortest(graph.out_edges()?, &weights, &root);
    let wrong = oracle::by_id(&graph, &expected).into_iter().zip(outcome.iter()).filter(|(right, ours)| right != ours).count();
    println!("verified against Dijkstra: {wrong} of {} vertices differ", graph.num_vertices());
    std::process::exit(i32::from(wrong > 0));
}

//! `wolfpath generate`: graphs made up.

use wolfpath::edge_list::EdgeList;
use wolfpath::generate::{self, EDGE_FACTOR, write_edge_list};
use wolfpath::graph::{LayerOptions, LayeredGraph};

use crate::arguments::{GenerateArguments, Kind, ending};
use crate::console::{self, Stage};
use crate::destination::Destination;
use crate::error::Error;

pub(crate) fn generate(arguments: &GenerateArguments) -> Result<(), Error> {
    let path = &arguments.output;
    Destination::File(path.clone()).check()?;
    let stage = Stage::begin(format_args!("making {}", path.display()));
    let edges = make(arguments)?;
    console::go_on()?;
    let (vertices, count) = (edges.num_vertices(), edges.num_edges());
    let lost = if ending(path) == "wolf" { 0 } else { isolated(&edges) };
    if ending(path) == "wolf" {
        LayeredGraph::from_edge_list(edges, &LayerOptions::default())?.write(path)?;
    } else {
        write_edge_list(path, &edges)?;
    }
    drop(stage);
    if lost > 0 {
        console::note(format_args!(
            "{lost} of the {vertices} vertices have no edge, and so no place in an edge list (a .wolf file has them)"
        ));
    }
    console::print(&format!("{}: {vertices} vertices, {count} edges\n", path.display()))
}

fn make(arguments: &GenerateArguments) -> Result<EdgeList, Error> {
    // clap has seen to it that what a kind needs is there.
    let scale = arguments.scale.unwrap_or(0);
    let edge_factor = arguments.edge_factor.unwrap_or(EDGE_FACTOR);
    let seed = arguments.seed;
    let edges = match arguments.kind {
        Kind::Rmat => generate::rmat(scale, edge_factor, seed)?,
        Kind::Random => generate::random(1u32.checked_shl(scale).unwrap_or(u32::MAX), edge_factor, seed)?,
        Kind::Grid => generate::grid(arguments.width.unwrap_or(0), arguments.height.unwrap_or(0), seed)?,
    };
    Ok(match arguments.max_weight {
        Some(max) => edges.with_random_weights(seed, max)?,
        None => edges,
    })
}

/// How many vertices have no edge.
fn isolated(edges: &EdgeList) -> usize {
    let mut seen = vec![false; edges.num_vertices() as usize];
    let ends = edges.sources().iter().chain(edges.targets());
    ends.for_each(|&end| seen[end as usize] = true);
    seen.into_iter().filter(|&seen| !seen).count()
}

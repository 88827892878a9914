//! The arguments of `wolfpath generate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use wolfpath::generate::{EDGE_FACTOR, Recipe};

use super::ending;
use crate::values;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
#[command(override_usage = "wolfpath generate <rmat|grid|road|random|small-world> [OPTIONS] --output <FILE>")]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    pub(crate) kind: Kind,
}

/// Kind of graph.
#[derive(Debug, Subcommand)]
pub(crate) enum Kind {
    /// R-MAT: a few vertices have very many edges, as in social networks
    Rmat(Rmat),
    /// Grid with gaps, so that shortest paths are long and winding
    Grid(Lattice),
    /// Road network: crossings, roads through vertices of degree 2, dead ends, and long shortest paths
    Road(Road),
    /// Edges between random endpoints
    Random(Random),
    /// Ring of neighbours with some edges rewired at random (Watts and Strogatz)
    SmallWorld(Ring),
}

#[derive(Debug, Args)]
pub(crate) struct Rmat {
    #[command(flatten)]
    draws: Draws,
    /// Keep edges in the direction in which they are drawn, instead of making the graph undirected
    #[arg(long)]
    directed: bool,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Args)]
pub(crate) struct Random {
    #[command(flatten)]
    draws: Draws,
    #[command(flatten)]
    made: Made,
}

/// Options of R-MAT and random graphs.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Draws {
    /// Generate 2^N vertices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=31))]
    scale: u32,
    /// Random edges per vertex
    #[arg(long, value_name = "F", default_value_t = EDGE_FACTOR)]
    edge_factor: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Lattice {
    /// Vertices per row
    #[arg(long, value_name = "W")]
    width: u32,
    /// Number of rows
    #[arg(long, value_name = "H")]
    height: u32,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Args)]
pub(crate) struct Road {
    /// Crossings from left to right. There are about 2.1 vertices per crossing
    #[arg(long, value_name = "W")]
    width: u32,
    /// Crossings from top to bottom
    #[arg(long, value_name = "H")]
    height: u32,
    /// Make the lengths of edges their weights
    #[arg(long, conflicts_with = "max_weight")]
    lengths: bool,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Args)]
pub(crate) struct Ring {
    /// Generate 2^N vertices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=31))]
    scale: u32,
    /// Number of nearest neighbours on the ring that each vertex is connected to (even)
    #[arg(long, value_name = "K", default_value_t = 16)]
    neighbours: u32,
    /// Probability that an edge is rewired to a random endpoint
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.1, value_parser = values::probability)]
    rewire: f64,
    #[command(flatten)]
    made: Made,
}

/// Options of every kind.
#[derive(Debug, Args)]
pub(crate) struct Made {
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Give every edge a random weight from 1 to W
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_weight: Option<u32>,
    /// Number of CPU threads. Defaults to one per core
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<usize>,
    /// File to write: an edge list (.el), an edge list with weights (.wel) or a layered graph (.wolf)
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

impl GenerateArguments {
    pub(crate) fn made(&self) -> &Made {
        match &self.kind {
            Kind::Rmat(Rmat { made, .. })
            | Kind::Random(Random { made, .. })
            | Kind::Grid(Lattice { made, .. })
            | Kind::Road(Road { made, .. })
            | Kind::SmallWorld(Ring { made, .. }) => made,
        }
    }

    pub(crate) fn recipe(&self) -> Recipe {
        match self.kind {
            Kind::Rmat(Rmat { draws: Draws { scale, edge_factor }, directed, .. }) => {
                Recipe::Rmat { scale, edge_factor, directed }
            }
            Kind::Grid(Lattice { width, height, .. }) => Recipe::Grid { width, height },
            Kind::Road(Road { width, height, lengths, .. }) => Recipe::Road { width, height, lengths },
            Kind::Random(Random { draws: Draws { scale, edge_factor }, .. }) => {
                Recipe::Random { vertices: 1 << scale, edge_factor }
            }
            Kind::SmallWorld(Ring { scale, neighbours, rewire, .. }) => {
                Recipe::SmallWorld { vertices: 1 << scale, neighbours, rewired: rewire }
            }
        }
    }

    /// Returns a description of the requested graph.
    pub(crate) fn description(&self) -> String {
        let seed = self.made().seed;
        match &self.kind {
            Kind::Rmat(Rmat { draws: Draws { scale, edge_factor }, directed, .. }) => {
                let kind = if *directed { "directed R-MAT" } else { "R-MAT" };
                format!("{kind} of scale {scale}, {edge_factor} random edges per vertex, seed {seed}")
            }
            Kind::Grid(Lattice { width, height, .. }) => format!("grid of {width} x {height}, seed {seed}"),
            Kind::Road(Road { width, height, .. }) => {
                format!("roads between {width} x {height} crossings, seed {seed}")
            }
            Kind::Random(Random { draws: Draws { edge_factor, .. }, .. }) => {
                format!("random, {edge_factor} random edges per vertex, seed {seed}")
            }
            Kind::SmallWorld(Ring { neighbours, rewire, .. }) => {
                format!("small world, {neighbours} neighbours, {rewire} of the edges rewired, seed {seed}")
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let (output, max_weight) = (&self.made().output, self.made().max_weight);
        let weighted = max_weight.is_some() || matches!(self.kind, Kind::Road(Road { lengths: true, .. }));
        match (ending(output), weighted) {
            ("el", true) => {
                Err("an .el file cannot contain weights: name it .wel, or omit --max-weight and --lengths"
                    .into())
            }
            ("wel", false) => {
                Err("a .wel file contains weights: add --max-weight (or --lengths for roads), or name it .el"
                    .into())
            }
            ("el" | "wel" | "wolf", _) => Ok(()),
            _ => Err(format!("{}: expected a name that ends in .el, .wel or .wolf", output.display())),
        }
    }
}

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

/// What kind of graph.
#[derive(Debug, Subcommand)]
pub(crate) enum Kind {
    /// Few vertices with very many edges, as in social networks
    Rmat(Draws),
    /// A grid with gaps: ways wind, and are long
    Grid(Lattice),
    /// Like roads: crossings, ways through vertices of degree 2, dead ends, and a long way from end to end
    Road(Road),
    /// Edges between any two vertices
    Random(Draws),
    /// A ring of neighbours with some edges rewired to anywhere
    SmallWorld(Ring),
}

/// R-MAT and random graphs.
#[derive(Debug, Args)]
pub(crate) struct Draws {
    /// 2^N vertices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=31))]
    scale: u32,
    /// Edges drawn a vertex
    #[arg(long, value_name = "F", default_value_t = EDGE_FACTOR)]
    edge_factor: u32,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Args)]
pub(crate) struct Lattice {
    /// Vertices in a row
    #[arg(long, value_name = "W")]
    width: u32,
    /// Rows
    #[arg(long, value_name = "H")]
    height: u32,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Args)]
pub(crate) struct Road {
    /// Crossings from left to right; about 2.1 vertices come of each
    #[arg(long, value_name = "W")]
    width: u32,
    /// Crossings from top to bottom
    #[arg(long, value_name = "H")]
    height: u32,
    /// Give every edge its length as its weight
    #[arg(long, conflicts_with = "max_weight")]
    lengths: bool,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Args)]
pub(crate) struct Ring {
    /// 2^N vertices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=31))]
    scale: u32,
    /// To how many neighbours on the ring each vertex is joined: an even number
    #[arg(long, value_name = "K", default_value_t = 16)]
    neighbours: u32,
    /// The probability that an edge leads anywhere instead
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.1, value_parser = values::probability)]
    rewire: f64,
    #[command(flatten)]
    made: Made,
}

/// What holds for every kind.
#[derive(Debug, Args)]
pub(crate) struct Made {
    /// Another seed, another graph
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Give every edge a weight from 1 to W, made up
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_weight: Option<u32>,
    /// Threads of the CPU; by default one a core
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<usize>,
    /// Where to write it: an edge list (.el), one with weights (.wel) or a layered graph (.wolf)
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

impl GenerateArguments {
    pub(crate) fn made(&self) -> &Made {
        match &self.kind {
            Kind::Rmat(Draws { made, .. })
            | Kind::Random(Draws { made, .. })
            | Kind::Grid(Lattice { made, .. })
            | Kind::Road(Road { made, .. })
            | Kind::SmallWorld(Ring { made, .. }) => made,
        }
    }

    pub(crate) fn recipe(&self) -> Recipe {
        match self.kind {
            Kind::Rmat(Draws { scale, edge_factor, .. }) => Recipe::Rmat { scale, edge_factor },
            Kind::Grid(Lattice { width, height, .. }) => Recipe::Grid { width, height },
            Kind::Road(Road { width, height, lengths, .. }) => Recipe::Road { width, height, lengths },
            Kind::Random(Draws { scale, edge_factor, .. }) => {
                Recipe::Random { vertices: 1 << scale, edge_factor }
            }
            Kind::SmallWorld(Ring { scale, neighbours, rewire, .. }) => {
                Recipe::SmallWorld { vertices: 1 << scale, neighbours, rewired: rewire }
            }
        }
    }

    /// What was asked for, in words.
    pub(crate) fn description(&self) -> String {
        let seed = self.made().seed;
        match &self.kind {
            Kind::Rmat(Draws { scale, edge_factor, .. }) => {
                format!("R-MAT of scale {scale}, {edge_factor} edges drawn a vertex, seed {seed}")
            }
            Kind::Grid(Lattice { width, height, .. }) => format!("grid of {width} x {height}, seed {seed}"),
            Kind::Road(Road { width, height, .. }) => {
                format!("roads between {width} x {height} crossings, seed {seed}")
            }
            Kind::Random(Draws { edge_factor, .. }) => {
                format!("random, {edge_factor} edges drawn a vertex, seed {seed}")
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
                Err("an .el file holds no weights: name it .wel, or leave --max-weight and --lengths out"
                    .into())
            }
            ("wel", false) => {
                Err("a .wel file holds weights: give --max-weight (for roads also --lengths), or name it .el"
                    .into())
            }
            ("el" | "wel" | "wolf", _) => Ok(()),
            _ => Err(format!("{}: expected a name that ends in .el, .wel or .wolf", output.display())),
        }
    }
}

//! The graphs that are timed: real ones, and an R-MAT graph that is generated once and kept.

use std::time::{Duration, Instant};

use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph, OpenOptions, WeightChoice};

use super::{Arguments, Result};

/// One real graph and what is run over it.
pub(crate) struct RealGraph {
    /// Its name in tables.
    pub(crate) name: &'static str,
    file: &'static str,
    undirected: bool,
    source: u64,
    programs: &'static [&'static str],
}

/// The real graphs. Those without weights of their own get random ones from 1 to 100.
pub(crate) const GRAPHS: [RealGraph; 4] = [
    RealGraph {
        name: "USA-road-NE",
        file: "USA-road-NE.tw.gr.xz",
        undirected: true,
        source: 1000,
        programs: &["bfs", "bfs from the root", "sssp", "sssp that can fault", "sssp that cannot"],
    },
    RealGraph {
        name: "osm-moscow",
        file: "osm-moscow.wel.zst",
        undirected: true,
        source: 1000,
        programs: &["bfs", "sssp"],
    },
    RealGraph {
        name: "dblp-2010",
        file: "dblp-2010.el.zst",
        undirected: false,
        source: 0,
        programs: &["bfs", "sssp"],
    },
    RealGraph { name: "cnr-2000", file: "cnr-2000.el.zst", undirected: false, source: 0, programs: &["bfs"] },
];

/// The seed of every graph and weight made here.
const SEED: u64 = 1;

/// A graph ready to be run over.
pub(crate) struct Prepared {
    /// Its name in tables.
    pub(crate) name: String,
    /// The graph, with weights.
    pub(crate) graph: LayeredGraph,
    /// Where traversals start.
    pub(crate) source: u64,
    /// The programs to run over it.
    pub(crate) programs: &'static [&'static str],
    /// Reading or generating, layering or opening.
    pub(crate) took: Duration,
}

impl RealGraph {
    /// Opens the graph.
    pub(crate) fn prepare(&self, arguments: &Arguments) -> Result<Prepared> {
        let began = Instant::now();
        let path = arguments.data.join(self.file);
        if !path.is_file() {
            return Err(format!(
                "{}: no such file; WOLFPATH_DATA names the folder of real graphs, --only chooses among them",
                path.display()
            )
            .into());
        }
        let mut options = OpenOptions { cache: false, ..OpenOptions::default() };
        options.load.undirected = self.undirected;
        let graph = LayeredGraph::open_with(path, &options)?;
        let graph = if graph.has_weights() {
            graph
        } else {
            graph.with_weights(WeightChoice::Random { seed: SEED, max: 100 })
        };
        Ok(Prepared {
            name: self.name.to_owned(),
            graph,
            source: self.source,
            programs: self.programs,
            took: began.elapsed(),
        })
    }
}

impl Prepared {
    /// The R-MAT graph of a scale, from the scratch folder where it was kept. Traversals start at the hub.
    pub(crate) fn rmat(scale: u32, arguments: &Arguments) -> Result<Prepared> {
        let began = Instant::now();
        let kept = arguments.scratch.join(format!("rmat-{scale}-{}-{SEED}.wolf", generate::EDGE_FACTOR));
        let graph = if kept.is_file() {
            LayeredGraph::open(&kept)?
        } else {
            let edges = generate::rmat(scale, generate::EDGE_FACTOR, SEED)?;
            let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default())?;
            // Kept for the next run only: without room for it this one goes on.
            if let Err(error) = std::fs::create_dir_all(&arguments.scratch)
                .map_err(Box::<dyn std::error::Error>::from)
                .and_then(|()| Ok(graph.write(&kept)?))
            {
                eprintln!("the R-MAT graph could not be kept: {error}");
            }
            graph
        };
        let source = hub(&graph)?;
        Ok(Prepared {
            name: format!("R-MAT {scale}"),
            graph: graph.with_weights(WeightChoice::Random { seed: SEED, max: 64 }),
            source,
            programs: &[
                "bfs",
                "sssp",
                "sssp that can fault",
                "sssp that cannot",
                "components",
                "pagerank, 20 steps",
            ],
            took: began.elapsed(),
        })
    }
}

/// The vertex of largest out-degree; of several, the one of smallest id.
fn hub(graph: &LayeredGraph) -> Result<u64> {
    let rows = graph.out_edges()?;
    let best = (0..graph.num_vertices()).max_by_key(|&v| (rows.degree(v), std::cmp::Reverse(graph.id_of(v))));
    Ok(graph.id_of(best.ok_or("the graph has no vertices")?))
}

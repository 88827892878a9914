//! Graphs that are timed: real graphs, an R-MAT graph that is generated once and kept, and two extreme cases, a path
//! and a star.

use std::time::{Duration, Instant};

use wolfpath::edge_list::EdgeList;
use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph, OpenGraph, OpenOptions, WeightChoice};
use wolfpath::load::LoadOptions;
use wolfpath::{Engine, programs};

use super::{Arguments, Program, Result};

/// Source of traversals.
#[derive(Clone, Copy, Debug)]
enum Source {
    Id(u64),
    /// Vertex that reaches the most vertices, among the root and these vertices. If several tie, the first of them.
    ReachesMost(&'static [u64]),
}

/// A real graph, and the programs to run over it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealGraph {
    name: &'static str,
    file: &'static str,
    undirected: bool,
    /// Root of its layers. Defaults to the root that layering selects.
    root: Option<u64>,
    source: Source,
    programs: &'static [Program],
}

/// The real graphs. Graphs without weights get random ones from 1 to 100.
const REAL: [RealGraph; 5] = [
    RealGraph {
        name: "USA-road-NE",
        file: "USA-road-NE.tw.gr.xz",
        undirected: true,
        root: None,
        source: Source::Id(1000),
        programs: &[
            Program::Bfs,
            Program::BfsFromRoot,
            Program::Sssp,
            Program::Widest,
            Program::Reach,
            Program::Own,
            Program::CanFault,
            Program::CannotFault,
        ],
    },
    // The default root, a vertex of largest degree, is at the border of this graph and gives 1,849 layers. The targets
    // were set for the 1,087 layers from vertex 1000.
    RealGraph {
        name: "USA-road-NE from 1000",
        file: "USA-road-NE.tw.gr.xz",
        undirected: true,
        root: Some(1000),
        source: Source::Id(1000),
        programs: &[Program::BfsFromRoot],
    },
    RealGraph {
        name: "osm-moscow",
        file: "osm-moscow.wel.zst",
        undirected: true,
        root: None,
        source: Source::Id(1000),
        programs: &[Program::Bfs, Program::Sssp],
    },
    RealGraph {
        name: "dblp-2010",
        file: "dblp-2010.el.zst",
        undirected: false,
        root: None,
        source: Source::Id(0),
        programs: &[Program::Bfs, Program::Sssp],
    },
    RealGraph {
        name: "cnr-2000",
        file: "cnr-2000.el.zst",
        undirected: false,
        root: None,
        source: Source::ReachesMost(&[0, 1, 1_000, 10_000, 100_000]),
        programs: &[Program::Bfs, Program::Sssp],
    },
];

/// Programs to run over the R-MAT graph.
const OVER_RMAT: [Program; 11] = [
    Program::Bfs,
    Program::BfsPush,
    Program::BfsMany,
    Program::Sssp,
    Program::Components,
    Program::PageRank,
    Program::Widest,
    Program::Reach,
    Program::Own,
    Program::CanFault,
    Program::CannotFault,
];

/// Seed of all generated graphs and weights.
const SEED: u64 = 1;

/// Graph that can be timed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Graph {
    Real(RealGraph),
    /// R-MAT graph of this scale. Traversals start from its hub.
    Rmat(u32),
    /// Path with this many vertices and both directions of each edge. Traversals start from its first vertex.
    Path(u64),
    /// Star with this many leaves and edges from the hub to the leaves. Traversals start from the hub.
    Star(u64),
    /// Grid with gaps, of this many vertices in each row and column, and with weights from 1 to a million. Traversals
    /// start from a corner. It is only compared with other programs.
    Grid(u32),
}

impl Graph {
    /// Returns the requested graphs, in the order of the table.
    pub(crate) fn wanted(arguments: &Arguments) -> Vec<Graph> {
        let rmat = arguments.rmat_scale.map(Graph::Rmat);
        let made = [arguments.path.map(Graph::Path), arguments.star.map(Graph::Star)];
        let all = rmat.into_iter().chain(REAL.map(Graph::Real)).chain(made.into_iter().flatten());
        all.filter(|graph| graph.programs().iter().any(|&program| arguments.wants(graph, program))).collect()
    }

    /// Returns the graph with this name for `--only`, if it is a real graph.
    pub(crate) fn real(kind: &str) -> Option<Graph> {
        REAL.into_iter().find(|real| real.name == kind).map(Graph::Real)
    }

    /// Returns its name for `--only`, which does not depend on its size.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Graph::Real(real) => real.name,
            Graph::Rmat(_) => "R-MAT",
            Graph::Path(_) => "path",
            Graph::Star(_) => "star",
            Graph::Grid(_) => "grid",
        }
    }

    /// Returns all names for `--only`.
    pub(crate) fn kinds() -> Vec<&'static str> {
        REAL.iter().map(|real| real.name).chain(["R-MAT", "path", "star", "grid"]).collect()
    }

    /// Returns its name in tables.
    pub(crate) fn name(&self) -> String {
        match self {
            Graph::Real(real) => real.name.to_owned(),
            Graph::Rmat(scale) => format!("R-MAT {scale}"),
            Graph::Path(size) | Graph::Star(size) if size % 1_000_000 == 0 => {
                format!("{} {}M", self.kind(), size / 1_000_000)
            }
            Graph::Path(size) | Graph::Star(size) => format!("{} {size}", self.kind()),
            Graph::Grid(side) => format!("grid {side} x {side}"),
        }
    }

    /// Returns the programs to run over it.
    pub(crate) fn programs(&self) -> &'static [Program] {
        match self {
            Graph::Real(real) => real.programs,
            Graph::Rmat(_) => &OVER_RMAT,
            Graph::Path(_) | Graph::Star(_) => &[Program::Bfs],
            Graph::Grid(_) => &[Program::Widest, Program::PageRank],
        }
    }

    /// Opens or generates the graph.
    pub(crate) fn prepare(&self, arguments: &Arguments) -> Result<Prepared> {
        let began = Instant::now();
        let (graph, source, note) = match self {
            Graph::Real(real) => real.open(arguments)?,
            Graph::Rmat(scale) => rmat(*scale, arguments)?,
            Graph::Path(vertices) => {
                let edges = EdgeList::from_edges((1..*vertices).map(|v| (v - 1, v)))?.undirected();
                (rooted_at_0(edges)?, 0, None)
            }
            Graph::Star(leaves) => {
                (rooted_at_0(EdgeList::from_edges((1..=*leaves).map(|v| (0, v)))?)?, 0, None)
            }
            Graph::Grid(side) => {
                let edges = generate::grid(*side, *side, SEED)?;
                let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default())?;
                (graph.with_weights(WeightChoice::Random { seed: SEED, max: 1_000_000 }), 0, None)
            }
        };
        Ok(Prepared { of: *self, graph, source, note, took: began.elapsed() })
    }
}

/// Graph that is ready for runs.
pub(crate) struct Prepared {
    pub(crate) of: Graph,
    /// The layered graph, with weights.
    pub(crate) graph: LayeredGraph,
    /// Source of traversals.
    pub(crate) source: u64,
    /// Reason for the choice of source, if the source was not given.
    pub(crate) note: Option<String>,
    /// Time of reading or generating, and of layering or opening.
    pub(crate) took: Duration,
}

impl Prepared {
    /// Returns the same graph with its vertices in random order. Only the root of the layers remains the same.
    pub(crate) fn shuffled(&self) -> Result<Prepared> {
        let began = Instant::now();
        let options = LayerOptions::new().root(self.graph.root()).shuffled(SEED);
        // Generating is faster than extracting the edges of a large layered graph.
        let edges = match self.of {
            Graph::Rmat(scale) => generate::rmat(scale, generate::EDGE_FACTOR, SEED)?,
            _ => self.graph.to_edge_list(),
        };
        let graph = LayeredGraph::from_edge_list(edges, &options)?;
        let graph = graph.with_weights(self.graph.weight_choice());
        Ok(Prepared { of: self.of, graph, source: self.source, note: None, took: began.elapsed() })
    }
}

impl RealGraph {
    fn open(&self, arguments: &Arguments) -> Result<(LayeredGraph, u64, Option<String>)> {
        let path = arguments.data.join(self.file);
        if !path.is_file() {
            return Err(format!(
                "{}: no such file; WOLFPATH_DATA names the folder of real graphs, --only chooses among them",
                path.display()
            )
            .into());
        }
        let load = LoadOptions::new().undirected(self.undirected);
        let options = OpenOptions::new().load(load).root(self.root).cache(false);
        let graph = LayeredGraph::open_with(path, &options)?;
        let graph = if graph.has_weights() {
            graph
        } else {
            graph.with_weights(WeightChoice::Random { seed: SEED, max: 100 })
        };
        match self.source {
            Source::Id(id) => Ok((graph, id, None)),
            Source::ReachesMost(candidates) => {
                let (source, note) = reaches_most(&graph, candidates)?;
                Ok((graph, source, Some(note)))
            }
        }
    }
}

/// Returns the vertex that reaches the most vertices, among the root and those candidates that are in the graph.
fn reaches_most(graph: &LayeredGraph, candidates: &[u64]) -> Result<(u64, String)> {
    let loaded = Engine::cpu().load(graph);
    let known = graph.root().into_iter().chain(candidates.iter().copied());
    let mut tried = Vec::new();
    for id in known.filter(|&id| graph.vertex_of(id).is_some()) {
        tried.push((id, loaded.run(&programs::reach::from_source(id, true))?.read()?.reached()));
    }
    let (source, reached) =
        tried.iter().copied().rev().max_by_key(|&(_, reached)| reached).ok_or("the graph has no vertices")?;
    let words: Vec<String> = tried.iter().map(|(id, reached)| format!("{id}: {reached}")).collect();
    let vertices = graph.num_vertices();
    Ok((
        source,
        format!("from {source}, which reaches {reached} of {vertices} vertices (tried {})", words.join(", ")),
    ))
}

/// Opens the R-MAT graph of a scale from the scratch folder, or generates it. Also returns its hub.
fn rmat(scale: u32, arguments: &Arguments) -> Result<(LayeredGraph, u64, Option<String>)> {
    let kept = arguments.scratch.join(format!("rmat-{scale}-{}-{SEED}.wolf", generate::EDGE_FACTOR));
    let graph = if kept.is_file() {
        LayeredGraph::open(&kept)?
    } else {
        let edges = generate::rmat(scale, generate::EDGE_FACTOR, SEED)?;
        let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default())?;
        // The file only serves the next run, so a failure to write it is not an error.
        if let Err(error) = std::fs::create_dir_all(&arguments.scratch)
            .map_err(Box::<dyn std::error::Error>::from)
            .and_then(|()| Ok(graph.write(&kept)?))
        {
            eprintln!("the R-MAT graph could not be kept: {error}");
        }
        graph
    };
    let source = hub(&graph)?;
    Ok((graph.with_weights(WeightChoice::Random { seed: SEED, max: 64 }), source, None))
}

fn rooted_at_0(edges: EdgeList) -> Result<LayeredGraph> {
    Ok(LayeredGraph::from_edge_list(edges, &LayerOptions::new().root(0))?)
}

/// Returns the vertex of largest out-degree. If several have it, returns the one with the smallest id.
pub(super) fn hub(graph: &LayeredGraph) -> Result<u64> {
    let rows = graph.out_edges();
    let best = (0..graph.num_vertices()).max_by_key(|&v| (rows.degree(v), std::cmp::Reverse(graph.id_of(v))));
    Ok(graph.id_of(best.ok_or("the graph has no vertices")?))
}

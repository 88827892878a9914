//! Graphs that programs are checked on: small ones with special structures, and random ones.

use proptest::prelude::*;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::{edge_list::EdgeList, generate};

/// Graph with a name for messages and the source of traversals.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) graph: LayeredGraph,
    pub(crate) source: u64,
}

fn sample(name: &'static str, edges: &[(u64, u64, u32)], source: u64) -> Sample {
    let graph = LayeredGraph::from_weighted_edges(edges.iter().copied()).expect("the graph is valid");
    Sample { name, graph, source }
}

fn undirected(list: EdgeList) -> LayeredGraph {
    LayeredGraph::from_edge_list(list.undirected(), &LayerOptions::default()).expect("layering succeeds")
}

/// Returns small graphs. Each contains a structure that a wrong engine would handle wrongly.
pub(crate) fn small() -> Vec<Sample> {
    let big = u64::MAX;
    vec![
        sample("lateral edge is better", &[(0, 1, 10), (0, 2, 1), (2, 1, 1)], 0),
        sample("backward edge is better", &[(0, 1, 10), (0, 2, 1), (2, 3, 1), (3, 1, 1)], 0),
        sample("one self-loop", &[(7, 7, 3)], 7),
        sample(
            "self-loops and duplicates",
            &[(1, 1, 1), (1, 2, 9), (1, 2, 4), (1, 2, 4), (2, 2, 1), (2, 3, 2)],
            1,
        ),
        sample("one edge", &[(5, 3, 2)], 5),
        sample("against the edge", &[(5, 3, 2)], 3),
        sample("cycle", &[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)], 2),
        sample("zero weights", &[(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 1, 0), (0, 2, 0)], 0),
        sample("disconnected", &[(0, 1, 5), (2, 3, 5), (4, 5, 5), (5, 4, 5), (9, 9, 1)], 2),
        sample(
            "ids up to the largest",
            &[(big, 0, 3), (0, 1 << 40, 4), (1 << 40, big - 1, 5), (3, big, 1)],
            big,
        ),
        Sample {
            name: "isolated vertices",
            graph: LayeredGraph::from_edge_list(
                EdgeList::from_weighted_edges([(3, 5, 2u32), (5, 8, 2)])
                    .and_then(|list| list.with_vertices(0..20))
                    .expect("the edge list is valid"),
                &LayerOptions::default(),
            )
            .expect("layering succeeds"),
            source: 3,
        },
        Sample {
            name: "one vertex",
            graph: LayeredGraph::from_edge_list(
                EdgeList::from_edges([])
                    .and_then(|list| list.with_vertices(4..5))
                    .expect("the edge list is valid"),
                &LayerOptions::default(),
            )
            .expect("layering succeeds"),
            source: 4,
        },
        Sample {
            name: "grid",
            graph: undirected(generate::grid(12, 9, 1).expect("the grid is valid").with_random_weights(2, 9)),
            source: 0,
        },
    ]
}

/// Returns a graph without vertices.
pub(crate) fn empty() -> LayeredGraph {
    LayeredGraph::from_edges([]).expect("the graph is valid")
}

/// Returns the number of random cases: `most`, or `PROPTEST_CASES` if that is smaller. The variable is set where each
/// case is slow (under a sanitizer or on an emulated device).
pub(crate) fn cases(most: u32) -> u32 {
    most.min(cases_asked()).min(crate::MOST_CASES)
}

fn cases_asked() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    asked.unwrap_or(u32::MAX)
}

/// Returns the number of edges of the larger samples: a tenth of the usual number if few cases are requested.
fn many_edges() -> u64 {
    if cases_asked() < 10 { crate::MOST_EDGES / 10 } else { crate::MOST_EDGES }
}

/// Returns large graphs of demanding shapes: outward and inward stars, a long path, a hub, many small components,
/// R-MAT.
pub(crate) fn large() -> Vec<Sample> {
    let hub = many_edges();
    let star = (1..=hub).map(|leaf| (0, leaf, (leaf % 97) as u32));
    let inward = (1..=hub).map(|leaf| (leaf, 0, (leaf % 89) as u32));
    let path = (0..hub).map(|v| (v, v + 1, 1 + (v % 5) as u32));
    let wheel = (1..=hub).flat_map(|v| [(0, v, 1000), (v, v % hub + 1, 1)]);
    let pairs = (0..hub / 5).map(|v| (2 * v + 1, 2 * v, 1));
    let graph = |edges: Vec<(u64, u64, u32)>| {
        LayeredGraph::from_weighted_edges(edges).expect("the edge list is valid")
    };
    let rmat = generate::rmat(13, 16, 5).expect("the R-MAT graph is valid").with_random_weights(6, 64);
    let rmat_source = rmat.edge(0).0;
    vec![
        Sample { name: "star", graph: graph(star.collect()), source: 0 },
        Sample { name: "star inward", graph: graph(inward.collect()), source: 17 },
        Sample { name: "path", graph: graph(path.collect()), source: 0 },
        Sample { name: "wheel", graph: graph(wheel.collect()), source: 0 },
        Sample { name: "pairs", graph: graph(pairs.collect()), source: 5 },
        Sample { name: "R-MAT 13", graph: undirected(rmat), source: rmat_source },
    ]
}

/// Returns random graphs of up to 60 vertices: sparse or dense, with self-loops, duplicates and unreachable parts.
pub(crate) fn random() -> impl Strategy<Value = Vec<(u64, u64, u32)>> {
    (1u64..60).prop_flat_map(|n| proptest::collection::vec((0..n, 0..n, 0u32..20), 1..200))
}

/// Layers a graph of random edges, directed or undirected.
pub(crate) fn layered(edges: &[(u64, u64, u32)], both_ways: bool) -> LayeredGraph {
    let list = EdgeList::from_weighted_edges(edges.iter().copied()).expect("the edges are valid");
    if both_ways {
        undirected(list)
    } else {
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    }
}

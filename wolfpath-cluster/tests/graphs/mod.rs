//! Graphs of several kinds.

use std::num::NonZeroU16;

use wolfpath::edge_list::EdgeList;
use wolfpath::generate;
use wolfpath::graph::{Direction, LayerOptions, LayeredGraph, Rows};

pub(crate) const DIRECTIONS: [Direction; 2] = [Direction::Out, Direction::In];

pub(crate) fn number(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("the number is positive")
}

pub(crate) fn layered(edges: EdgeList) -> LayeredGraph {
    LayeredGraph::from_edge_list(edges, &LayerOptions::default()).expect("the edges form a graph")
}

pub(crate) fn rows(graph: &LayeredGraph, direction: Direction) -> Rows<'_> {
    match direction {
        Direction::Out => graph.out_edges(),
        Direction::In => graph.in_edges().expect("there is memory for the in-rows"),
    }
}

pub(crate) fn graphs() -> Vec<(&'static str, LayeredGraph)> {
    let star = (1..70_000).map(|leaf| (0u64, leaf));
    let empty = LayeredGraph::from_edges([]).expect("no edges form a graph");
    vec![
        ("none", empty),
        ("one vertex", LayeredGraph::from_edges([(7, 7)]).expect("a loop is a graph")),
        ("star", LayeredGraph::from_edges(star).expect("a star is a graph")),
        ("R-MAT", layered(generate::rmat(13, 12, 1).expect("a valid recipe"))),
        ("directed R-MAT", layered(generate::rmat_directed(13, 12, 2).expect("a valid recipe"))),
        ("grid", layered(generate::grid(90, 111, 3).expect("a valid recipe"))),
    ]
}

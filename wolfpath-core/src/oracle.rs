//! Slow, simple, serial programs that compute the answers with which every engine is compared. They share no code with
//! the engines.
//!
//! All functions take rows like those of [`LayeredGraph::out_edges`](crate::graph::LayeredGraph::out_edges), and return
//! answers indexed by internal index. [`by_id`] converts an answer to pairs (id, value), sorted by the user's ids. An
//! undirected graph contains both directions of an edge, so the functions need not distinguish directed and undirected
//! graphs. To compare with a program that sends messages along in-edges, pass in-rows. Functions that need edges in
//! both directions also take the rows of [`LayeredGraph::in_edges`](crate::graph::LayeredGraph::in_edges).

mod adsorption;
mod clustering;
mod components;
mod cores;
mod greedy;
mod labels;
mod pagerank;
mod paths;
mod search;
#[cfg(test)]
mod small_graphs;

pub use adsorption::adsorption;
pub use clustering::{clustering, triangles};
pub use components::{components, smallest_ids};
pub use cores::{core_numbers, core_numbers_of_neighbours};
pub use greedy::{greedy_colours, independent_set};
pub use labels::labels_by_majority;
pub use pagerank::{PageRankAnswer, PageRankOptions, pagerank};
pub use paths::{PathNumber, ShortestTo, shortest, shortest_to, widest};
pub use search::{hops, reach};

use crate::graph::LayeredGraph;

/// Returns an answer as pairs (id, value), ascending by id.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
/// let source = graph.vertex_of(17).expect("17 is a vertex");
/// let hops = oracle::hops(graph.out_edges(), &[source]);
/// assert_eq!(oracle::by_id(&graph, &hops), [(5, Some(1)), (6, Some(2)), (17, Some(0))]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn by_id<T: Clone>(graph: &LayeredGraph, answer: &[T]) -> Vec<(u64, T)> {
    let vertices = graph.by_rank().iter();
    vertices.map(|&vertex| (graph.id_of(vertex), answer[vertex as usize].clone())).collect()
}

//! Conversions from and to graphs of the crate petgraph.

use super::lines::{Lines, Take};
use super::{EdgeBuilder, EdgeList, EdgeListError};
use crate::weights::{WeightNumber, Weights};
use petgraph::graph::{EdgeIndex, Graph, IndexType, NodeIndex};
use petgraph::{Directed, EdgeType, Undirected};

impl EdgeList {
    /// Builds a list of the edges of a petgraph graph, without their weights. Ids are node indices, and isolated nodes
    /// are included. Edges of an undirected graph lead in both directions.
    ///
    /// ```
    /// use petgraph::graph::UnGraph;
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let graph = UnGraph::<(), ()>::from_edges([(0, 1), (1, 2)]);
    /// assert_eq!(EdgeList::from_petgraph(&graph)?.num_edges(), 4);
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn from_petgraph<N, E, Ty: EdgeType, Ix: IndexType>(
        graph: &Graph<N, E, Ty, Ix>,
    ) -> Result<EdgeList, EdgeListError> {
        listed(graph, None)
    }

    /// Builds a list of the edges of a petgraph graph. `weight` converts the weight that an edge has in petgraph to a
    /// number. NaN is rejected.
    ///
    /// ```
    /// use petgraph::graph::DiGraph;
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let graph = DiGraph::<(), f32>::from_edges([(0, 1, 0.5)]);
    /// let list = EdgeList::from_weighted_petgraph(&graph, |&length| length)?;
    /// assert_eq!(list.weights().map(|weights| weights.get(0)), Some(0.5));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn from_weighted_petgraph<N, E, Ty: EdgeType, Ix: IndexType, W: WeightNumber>(
        graph: &Graph<N, E, Ty, Ix>,
        weight: impl Fn(&E) -> W,
    ) -> Result<EdgeList, EdgeListError> {
        let weights: Vec<W> = graph.raw_edges().iter().map(|edge| weight(&edge.weight)).collect();
        if let Some(position) = weights.iter().position(|weight| weight.is_nan()) {
            let edge = &graph.raw_edges()[position];
            let (source_id, target_id) = (edge.source().index() as u64, edge.target().index() as u64);
            return Err(EdgeListError::NanWeight { position: position as u64, source_id, target_id });
        }
        listed(graph, Some(W::into_weights(weights).narrowed()))
    }

    /// Converts the list to a directed graph. Each direction of an undirected edge becomes an edge. The node at index
    /// `i` is the vertex of rank `i`, and the node's weight is the vertex's id. The weight of an edge is rounded to the
    /// nearest f64; it is 1 if the list has no weights.
    pub fn to_petgraph(&self) -> Result<Graph<u64, f64, Directed>, EdgeListError> {
        self.graph_of(Take::Directions)
    }

    /// Converts the list to an undirected graph like [`to_petgraph`](Self::to_petgraph). In a symmetric list, the two
    /// directions of an edge become one undirected edge. In other lists, every edge becomes an undirected edge.
    pub fn to_undirected_petgraph(&self) -> Result<Graph<u64, f64, Undirected>, EdgeListError> {
        self.graph_of(if self.is_symmetric() { Take::Once } else { Take::Directions })
    }

    fn graph_of<Ty: EdgeType>(&self, take: Take) -> Result<Graph<u64, f64, Ty>, EdgeListError> {
        let lines = Lines::of(self);
        let found = lines.count(take);
        // petgraph reserves the largest index of its type for "no edge".
        let most = EdgeIndex::<u32>::end().index();
        let edges = usize::try_from(found).ok().filter(|&edges| edges <= most);
        let edges = edges.ok_or(EdgeListError::TooManyEdges { found, most: most as u64 })?;
        let mut graph = Graph::with_capacity(self.num_vertices() as usize, edges);
        for id in self.ids().iter() {
            graph.add_node(id);
        }
        lines.visit(0..lines.len(), take, |edge| {
            let weight = self.weights().map_or(1.0, |weights| weights.get(edge.line));
            graph.add_edge(NodeIndex::from(edge.source), NodeIndex::from(edge.target), weight);
        });
        Ok(graph)
    }
}

fn listed<N, E, Ty: EdgeType, Ix: IndexType>(
    graph: &Graph<N, E, Ty, Ix>,
    weights: Option<Weights>,
) -> Result<EdgeList, EdgeListError> {
    let mut builder = EdgeBuilder::default();
    for edge in graph.raw_edges() {
        builder.push(edge.source().index() as u64, edge.target().index() as u64);
    }
    let list = builder.finish(weights, Some(0..graph.node_count() as u64))?;
    Ok(if graph.is_directed() { list } else { list.undirected() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use petgraph::graph::{DiGraph, UnGraph};

    #[test]
    fn there_and_back() {
        let list = EdgeList::from_weighted_edges([(0, 1, 0.5), (1, 1, 2.0), (0, 1, 0.5)]).unwrap();
        let list = list.with_vertices(0..4).unwrap();
        let graph: DiGraph<u64, f64> = list.to_petgraph().unwrap();
        assert_eq!((graph.node_count(), graph.edge_count()), (4, 3));
        assert_eq!(EdgeList::from_weighted_petgraph(&graph, |&weight| weight).unwrap(), list);
        assert_eq!(EdgeList::from_petgraph(&graph).unwrap().weights(), None);
        assert!(EdgeList::from_weighted_petgraph(&graph, |_| f32::NAN).is_err());
    }

    #[test]
    fn undirected_edges_once() {
        let list = EdgeList::from_edges([(5, 9), (9, 9)]).unwrap().undirected();
        let graph: UnGraph<u64, f64> = list.to_undirected_petgraph().unwrap();
        assert_eq!((graph.edge_count(), graph[NodeIndex::new(1)]), (2, 9));
        assert_eq!(list.to_petgraph().unwrap().edge_count(), 3);
        let again = EdgeList::from_petgraph(&graph).unwrap();
        assert_eq!((again.num_edges(), again.is_symmetric()), (3, true));
        let one_way = EdgeList::from_edges([(1, 0)]).unwrap();
        assert_eq!(one_way.to_undirected_petgraph().unwrap().edge_count(), 1);
    }
}

//! Converts a layered graph back to an edge list, to write it in another format.

use super::layered_graph::LayeredGraph;
use crate::edge_list::{EdgeList, Symmetry, VertexIds};
use crate::weights::{Columns, Named, WeightSlice};

impl LayeredGraph {
    /// Returns all edges as an edge list with the user's ids and the columns of the input. They are sorted by source,
    /// then target; parallel edges are in input order. A symmetric graph lists each edge in both directions. Vertices
    /// without edges are kept.
    pub fn to_edge_list(&self) -> EdgeList {
        let rows = self.out_edges();
        let names = self.data.contents.column_names();
        let columns: Vec<WeightSlice<'_>> = (0..names.len()).map(|at| self.data.column(at)).collect();
        let carry = !columns.is_empty();
        let ranks = self.ranks();
        let edges = rows.ends.len();
        let (mut sources, mut targets) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        let mut positions: Vec<u64> = Vec::with_capacity(if carry { edges } else { 0 });
        let mut row: Vec<(u32, u64)> = Vec::new();
        for (rank, &vertex) in self.by_rank().iter().enumerate() {
            row.clear();
            row.extend(rows.range(vertex).map(|place| (ranks[rows.ends[place] as usize], place as u64)));
            // Parallel edges are in input order within a row, so sorting by (target, position) keeps that order.
            row.sort_unstable();
            sources.resize(sources.len() + row.len(), rank as u32);
            targets.extend(row.iter().map(|&(target, _)| target));
            if carry {
                positions.extend(row.iter().map(|&(_, position)| position));
            }
        }
        let gathered = names.into_iter().zip(columns);
        let gathered = gathered.map(|(name, column)| Named {
            name: name.to_owned(),
            numbers: column.gather(&positions).for_list(),
        });
        let columns = Columns::assembled(gathered.collect());
        let symmetric = self.data.contents.symmetry.weights;
        let symmetry = if symmetric { Symmetry::Found } else { Symmetry::Directed };
        EdgeList::from_ranks_and_columns(self.vertex_ids(), sources, targets, columns, symmetry)
    }

    /// Returns the ids in rank order.
    fn vertex_ids(&self) -> VertexIds {
        let ids: Vec<u64> = self.by_rank().iter().map(|&vertex| self.id_of(vertex)).collect();
        VertexIds::from_sorted(ids).expect("layering and verification guarantee that ids ascend with ranks")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::LayerOptions;

    fn again(list: &EdgeList) -> EdgeList {
        LayeredGraph::from_edge_list(list.clone(), &LayerOptions::default()).unwrap().to_edge_list()
    }

    #[test]
    fn edges_come_by_source_and_target() {
        let list = EdgeList::from_weighted_edges([(9, 5, 1), (2, 9, 4), (2, 5, 3), (2, 9, 2)]).unwrap();
        let list = again(&list);
        let edges: Vec<(u64, u64)> = (0..4).map(|at| list.edge(at)).collect();
        assert_eq!(edges, [(2, 5), (2, 9), (2, 9), (9, 5)]);
        let weights: Vec<f64> = (0..4).map(|at| list.weights().unwrap().get(at)).collect();
        assert_eq!(weights, [3.0, 4.0, 2.0, 1.0]);
        assert_eq!(list.symmetry(), Symmetry::Directed);
    }

    #[test]
    fn vertices_without_edges_stay() {
        let list = EdgeList::from_edges([(3, 4)]).unwrap().with_vertices(1..9).unwrap().undirected();
        let list = again(&list);
        assert_eq!((list.num_vertices(), list.num_edges(), list.symmetry()), (8, 2, Symmetry::Found));
        assert_eq!(list.ids().contiguous_from(), Some(1));
        assert_eq!(again(&EdgeList::from_edges([]).unwrap()).num_vertices(), 0);
    }
}

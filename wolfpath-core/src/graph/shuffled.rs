//! Random vertex order, the baseline for measuring layered order.

use rayon::prelude::*;

use super::forest::Forest;
use super::rows::Rows;
use crate::random::hash;

/// Returns the root as layer 0 and all other vertices as layer 1, in a pseudo-random order. With two layers, every edge
/// satisfies the rule that it ends in at most the next layer.
pub(super) fn shuffled(out: Rows<'_>, root: Option<u32>, seed: u64) -> Forest {
    let vertices = out.num_vertices();
    let mut order: Vec<u32> = (0..vertices).collect();
    order.par_sort_unstable_by_key(|&rank| (Some(rank) != root, hash(seed, rank.into()), rank));
    let mut places = vec![0; order.len()];
    for (place, &rank) in (0..).zip(&order) {
        places[rank as usize] = place;
    }
    let degrees = std::iter::once(0).chain(order.iter().map(|&rank| out.degree(rank))).collect();
    let layer_offsets = match vertices {
        0 => vec![0],
        1 => vec![0, 1],
        _ => vec![0, 1, vertices],
    };
    let root_layers = layer_offsets.len() as u32 - 1;
    Forest { order, places, degrees, layer_offsets, root_layers }
}

#[cfg(test)]
mod tests {
    use crate::edge_list::EdgeList;
    use crate::graph::{LayerOptions, LayeredGraph};

    #[test]
    fn the_same_graph_in_no_order() {
        let list = EdgeList::from_weighted_edges((0..500u64).map(|v| (v, (v * 7 + 1) % 500, v))).unwrap();
        let layered = LayeredGraph::from_edge_list(list.clone(), &LayerOptions::default()).unwrap();
        let options = LayerOptions::new().root(layered.root()).shuffled(1);
        let shuffled = LayeredGraph::from_edge_list(list, &options).unwrap();
        assert_eq!(shuffled.layer_offsets(), [0, 1, 500]);
        assert_eq!((shuffled.root(), shuffled.id_of(0)), (layered.root(), layered.id_of(0)));
        assert_ne!(shuffled.ids(), layered.ids());
        let (ours, theirs) = (shuffled.to_edge_list(), layered.to_edge_list());
        assert!((0..500).all(|at| ours.edge(at) == theirs.edge(at)));
        assert!((0..500).all(|at| ours.weights().unwrap().get(at) == theirs.weights().unwrap().get(at)));
    }

    #[test]
    fn small_graphs_too() {
        let options = LayerOptions::new().shuffled(1);
        for edges in [vec![], vec![(3, 3)], vec![(3, 4)]] {
            let list = EdgeList::from_edges(edges).unwrap();
            let vertices = list.num_vertices();
            assert_eq!(LayeredGraph::from_edge_list(list, &options).unwrap().num_vertices(), vertices);
        }
    }
}

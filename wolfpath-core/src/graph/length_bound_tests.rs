//! Tests of the bounds on sums of weights: their values, and that no shortest path exceeds them.

use super::*;
use crate::edge_list::EdgeList;
use crate::graph::{Direction, LayerOptions};
use crate::{oracle, random};

const MOST: u64 = u32::MAX as u64;

/// Returns a graph with both directions of each edge.
fn symmetric(edges: &[(u64, u64, u32)]) -> LayeredGraph {
    let reverse = |&(a, b, weight): &(u64, u64, u32)| (b, a, weight);
    let both = edges.iter().copied().chain(edges.iter().filter(|edge| edge.0 != edge.1).map(reverse));
    LayeredGraph::from_weighted_edges(both).unwrap()
}

/// Returns a path of `edges` edges whose vertices have the ids from `first` on.
fn path(first: u64, edges: u64, weight: u32) -> Vec<(u64, u64, u32)> {
    (first..first + edges).map(|v| (v, v + 1, weight)).collect()
}

fn layers(graph: &LayeredGraph) -> u32 {
    graph.most_tree_layers().expect("every edge has its reverse")
}

/// Checks that no two vertices of a component are more than 2(L-1) edges apart.
fn check(graph: &LayeredGraph) {
    let most = 2 * (u64::from(layers(graph)).max(1) - 1);
    let ones = vec![1; graph.num_edges() as usize];
    for source in 0..graph.num_vertices() {
        let hops: Vec<Option<u64>> = oracle::shortest(graph.out_edges(), &ones, &[(source, 0)]);
        assert!(hops.into_iter().flatten().all(|hops| hops <= most), "{source} of {graph:?}: {most}");
    }
}

#[test]
fn trees_have_layers() {
    let star: Vec<_> = (1..6).map(|leaf| (0, leaf, 1)).collect();
    assert_eq!(layers(&symmetric(&star)), 2);
    assert_eq!(layers(&symmetric(&[(3, 3, 9)])), 1, "a vertex with an edge to itself");
    let rooted = |list: &[(u64, u64, u32)], root: u64| {
        let both = list.iter().flat_map(|&(a, b, weight)| [(a, b, weight), (b, a, weight)]);
        let list = EdgeList::from_weighted_edges(both).unwrap();
        LayeredGraph::from_edge_list(list, &LayerOptions::new().root(root)).unwrap()
    };
    assert_eq!(layers(&rooted(&path(0, 8, 1), 0)), 9);
    assert_eq!(layers(&rooted(&path(0, 8, 1), 4)), 5);
    // The other components share a round, whose layers are as many as those of the deepest, and one is of vertices
    // without edges.
    let several = [path(0, 2, 1), path(10, 6, 1), path(20, 3, 1)].concat();
    let graph = rooted(&several, 1);
    assert_eq!((graph.root_layers(), graph.num_layers(), layers(&graph)), (2, 9, 7));
    check(&graph);
}

#[test]
fn no_two_vertices_are_farther_apart() {
    let draw = |seed: u64, n: u32, counter: u64| u64::from(random::below(n, random::hash(seed, counter)));
    for seed in 0..60 {
        let (n, edges) = (1 + draw(seed, 60, 1) as u32, draw(seed, 90, 2));
        let edge = |at: u64| (draw(seed, n, 10 + 2 * at), draw(seed, n, 11 + 2 * at), 1);
        check(&symmetric(&(0..=edges).map(edge).collect::<Vec<_>>()));
    }
    let mut list = EdgeList::from_edges([(5, 6), (6, 5), (8, 9), (9, 8), (9, 10), (10, 9), (1, 1)]).unwrap();
    check(&LayeredGraph::from_edge_list(list.clone(), &LayerOptions::new()).unwrap());
    list = EdgeList::from_edges([(2, 2)]).unwrap();
    check(&LayeredGraph::from_edge_list(list, &LayerOptions::new()).unwrap());
}

#[test]
fn random_order_has_no_trees() {
    let both = path(0, 8, 1 << 29).into_iter().flat_map(|(a, b, weight)| [(a, b, weight), (b, a, weight)]);
    let list = EdgeList::from_weighted_edges(both).unwrap();
    let shuffled = LayeredGraph::from_edge_list(list, &LayerOptions::new().shuffled(1)).unwrap();
    assert_eq!((shuffled.num_layers(), shuffled.most_tree_layers()), (2, None));
    assert_eq!(shuffled.length_bound(0, MOST), None);
}

#[test]
fn the_simple_bound_comes_first() {
    let simple = |longest| Some(LengthBound::SimplePaths { longest });
    let graph = symmetric(&path(0, 2, 7));
    assert_eq!(graph.length_bound(0, MOST), simple(2 * 255), "the weights are stored in 8 bits");
    assert_eq!(graph.length_bound(MOST - 21, MOST), simple(MOST - 7));
    assert_eq!(graph.length_bound(MOST - 20, MOST), None);
    let zeros = symmetric(&path(0, 50, 0));
    assert_eq!(zeros.length_bound(MOST, MOST), simple(MOST));
    // The sum of all weights is less than the number of vertices times the largest.
    let uneven =
        LayeredGraph::from_weighted_edges([(0, 1, 1 << 30), (1, 2, 1u32), (2, 3, 1), (3, 4, 0)]).unwrap();
    assert_eq!(uneven.length_bound(0, MOST), simple((1 << 30) + 2));
    let empty = LayeredGraph::from_edges([]).unwrap();
    assert_eq!(empty.length_bound(5, MOST), simple(5));
}

#[test]
fn layers_bound_what_the_number_of_vertices_does_not() {
    let star: Vec<_> = (1..6).map(|leaf| (0, leaf, 1 << 30)).collect();
    let bound = |longest| Some(LengthBound::Layers { longest, layers: 2 });
    assert_eq!(symmetric(&star).length_bound(0, MOST), bound(1 << 31));
    let most_start = MOST - 3 * (1 << 30);
    assert_eq!(symmetric(&star).length_bound(most_start, MOST), bound((1 << 31) + most_start));
    assert_eq!(symmetric(&star).length_bound(most_start + 1, MOST), None);
    assert_eq!(LayeredGraph::from_weighted_edges(star).unwrap().length_bound(0, MOST), None, "directed");
    let loops: Vec<_> = (0..5).map(|v| (v, v, u32::MAX)).collect();
    assert_eq!(symmetric(&loops).length_bound(0, MOST), Some(LengthBound::Layers { longest: 0, layers: 1 }));
}

#[test]
fn weights_are_read_only_if_necessary() {
    let star: Vec<_> = (1..6).map(|leaf| (0, leaf, 70_000)).collect();
    let graph = symmetric(&star);
    let random = graph.with_weights(WeightChoice::Random { seed: 1, max: 64 });
    assert_eq!(random.length_bound(0, MOST), Some(LengthBound::SimplePaths { longest: 5 * 64 }));
    assert!(random.weighting.random.get().is_none() && random.weighting.extent.get().is_none());
    let ones = graph.with_weights(WeightChoice::Unit);
    assert_eq!(ones.length_bound(0, MOST), Some(LengthBound::SimplePaths { longest: 5 }));
    assert_eq!(graph.first_negative_weight(), None);
    assert!(graph.weighting.extent.get().is_none(), "numbers without a sign are not negative");
    assert!(graph.length_bound(0, MOST).is_some() && graph.weighting.extent.get().is_some());
}

#[test]
fn weights_that_are_no_sums() {
    let with = |weights: [f64; 2]| {
        let [a, b] = weights;
        LayeredGraph::from_weighted_edges([(0, 1, a), (1, 2, b)]).unwrap()
    };
    assert_eq!(with([0.5, 1.0]).length_bound(0, MOST), None);
    assert_eq!(with([-1.0, 1.0]).length_bound(0, MOST), None);
    assert_eq!(with([-1.0, 1.0]).first_negative_weight(), Some((0, 1, "-1".to_owned())));
    assert_eq!(with([1.0, 2.0]).weights_as::<u32>(Direction::Out, false).unwrap()[..], [1, 2]);
}

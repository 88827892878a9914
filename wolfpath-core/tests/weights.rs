//! Weights in the types that programs read.

use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{Direction, LayerOptions, LayeredGraph, WeightChoice, WeightError};

#[test]
fn converted_exactly_or_refused_with_the_edge() {
    let graph =
        LayeredGraph::from_weighted_edges([(1u64, 2u64, 0.5f64), (2, 30, 4.0), (30, 2, 0.1)]).unwrap();
    assert_eq!(*graph.weights_as::<f64>(Direction::Out, false).unwrap(), [0.5, 4.0, 0.1]);
    for direction in [Direction::Out, Direction::In] {
        let error = graph.weights_as::<f32>(direction, false).unwrap_err();
        assert!(matches!(error, WeightError::Inexact { source_id: 30, target_id: 2, .. }), "{error}");
        assert_eq!(graph.weights_as::<u32>(direction, true).unwrap().len(), 3);
        assert!(graph.weights_as::<()>(direction, false).unwrap().is_empty());
        assert!(matches!(graph.weights_as::<bool>(direction, false), Err(WeightError::NotANumber { .. })));
    }
    assert_eq!(*graph.weights_as::<f64>(Direction::In, false).unwrap(), [0.5, 0.1, 4.0]);
}

#[test]
fn absent_weights_are_one() {
    let graph = LayeredGraph::from_edges([(1, 2), (2, 3)]).unwrap();
    assert!(!graph.has_weights());
    assert_eq!(graph.weights(), None);
    assert_eq!(*graph.weights_as::<f32>(Direction::In, false).unwrap(), [1.0, 1.0]);
    assert!(matches!(graph.weights_as::<bool>(Direction::In, false), Err(WeightError::NotANumber { .. })));
}

#[test]
fn negative_weights_are_named() {
    let graph = LayeredGraph::from_weighted_edges([(1u64, 2u64, 5i64), (2, 9, -7)]).unwrap();
    assert_eq!(graph.first_negative_weight(), Some((2, 9, "-7".to_owned())));
    assert_eq!(graph.with_weights(WeightChoice::Unit).first_negative_weight(), None);
}

#[test]
fn made_up_weights_share_the_graph() {
    let list =
        EdgeList::from_weighted_edges([(1u64, 2u64, 5), (2, 1, 6), (2, 9, 7), (9, 2, 7), (9, 9, 1)]).unwrap();
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(1)).unwrap();
    assert!(!graph.is_symmetric());
    let random = graph.with_weights(WeightChoice::Random { seed: 3, max: 1000 });
    assert!(random.is_symmetric() && random.has_weights());
    assert_eq!(random.out_edges().ends.as_ptr(), graph.out_edges().ends.as_ptr());
    let weights = random.weights_as::<u64>(Direction::Out, false).unwrap();
    assert_eq!(weights, random.weights_as::<u64>(Direction::In, false).unwrap());
    assert_eq!((weights[0], weights[2]), (weights[1], weights[3]), "the same in both directions");
    assert!(weights.iter().all(|weight| (1..=1000).contains(weight)));
    assert_eq!(
        *graph.with_weights(WeightChoice::Unit).weights_as::<u32>(Direction::Out, false).unwrap(),
        [1; 5]
    );
    let back = random.with_weights(WeightChoice::Input);
    assert_eq!(*back.weights_as::<u32>(Direction::Out, false).unwrap(), [5, 6, 7, 7, 1]);
}

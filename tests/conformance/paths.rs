//! Predecessors and paths: they use existing edges, have no cycles through ties, and are the same on every engine.

use wolfpath::graph::LayeredGraph;
use wolfpath::{Engine, OutcomeError, programs as bundled};

use crate::graphs;

pub(crate) fn paths_are_paths(engine: &Engine) {
    for sample in graphs::small() {
        let outcome = engine
            .run(&sample.graph, &bundled::sssp::from_source(sample.source, 0))
            .expect("the run succeeds");
        let rows = sample.graph.out_edges();
        let weights =
            sample.graph.weights_as::<u32>(wolfpath::graph::Direction::Out, false).expect("weights");
        for (id, distance) in outcome.read().expect("the values are readable").iter() {
            let path = outcome.path_to(id).expect("the program has paths");
            assert_eq!(path.is_some(), distance.is_some(), "{}: {id}", sample.name);
            let Some(path) = path else { continue };
            assert_eq!((path[0], path[path.len() - 1]), (sample.source, id), "{}", sample.name);
            let mut length = 0;
            for pair in path.windows(2) {
                let [from, to] =
                    [pair[0], pair[1]].map(|id| sample.graph.vertex_of(id).expect("the vertex exists"));
                let edges = rows.range(from).filter(|&position| rows.ends[position] == to);
                length += edges.map(|position| weights[position]).min().expect("the edge is in the graph");
            }
            assert_eq!(Some(length), distance, "{}: {path:?}", sample.name);
        }
    }
}

pub(crate) fn ties_make_no_cycles(engine: &Engine) {
    let edges = [(0, 1, 0u32), (1, 2, 0), (2, 1, 0), (0, 2, 0), (2, 3, 0), (1, 3, 0), (3, 0, 0)];
    let graph = LayeredGraph::from_weighted_edges(edges).expect("the graph is valid");
    let outcome = engine.run(&graph, &bundled::sssp::from_source(0, 0)).expect("the run succeeds");
    let expected = vec![(0, None), (1, Some(0)), (2, Some(0)), (3, Some(1))];
    assert_eq!(outcome.predecessors().expect("the program has paths").collect::<Vec<_>>(), expected);
    assert_eq!(outcome.path_to(3).expect("the program has paths"), Some(vec![0, 1, 3]));
    let components = engine.run(&graph, &bundled::Components).expect("the run succeeds");
    assert_eq!(components.predecessor(3).expect("the program has paths"), Some(0));
}

pub(crate) fn unknown_ids_are_errors(engine: &Engine) {
    let graph = LayeredGraph::from_edges([(1, 2), (4, 5)]).expect("the graph is valid");
    let outcome = engine.run(&graph, &bundled::bfs::from_source(1, 0)).expect("the run succeeds");
    assert_eq!(outcome.value(3), Err(OutcomeError::UnknownVertex { id: 3 }));
    assert_eq!(outcome.path_to(3), Err(OutcomeError::UnknownVertex { id: 3 }));
    assert_eq!((outcome.value(5), outcome.path_to(5)), (Ok(None), Ok(None)));
    assert_eq!((outcome.value(1), outcome.path_to(1)), (Ok(Some(0)), Ok(Some(vec![1]))));
}

pub(crate) fn programs_without_paths_say_so(engine: &Engine) {
    let graph = LayeredGraph::from_edges([(1, 2)]).expect("the graph is valid");
    let outcome =
        engine.run(&graph, &bundled::PageRank { damping: 0.85, tolerance: 1e-6 }).expect("the run succeeds");
    assert!(matches!(outcome.path_to(2), Err(OutcomeError::NoPaths { program: "PageRank", .. })));
}

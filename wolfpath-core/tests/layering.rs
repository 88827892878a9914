//! Invariants of every layered graph, checked with hand-made and random graphs.

use proptest::prelude::*;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{Direction, LayerOptions, LayeredGraph, Rows};
use wolfpath_core::oracle;

type Edge = (u64, u64, u32);

fn layered(edges: &[Edge], root: Option<u64>) -> LayeredGraph {
    let list = EdgeList::from_weighted_edges(edges.iter().copied()).unwrap();
    LayeredGraph::from_edge_list(list, &LayerOptions::new().root(root)).unwrap()
}

/// Returns the ids in each layer.
fn layers(graph: &LayeredGraph) -> Vec<Vec<u64>> {
    let ids = graph.ids();
    graph.layer_offsets().windows(2).map(|pair| ids[pair[0] as usize..pair[1] as usize].to_vec()).collect()
}

/// Returns the edges in `rows`, row by row, as (source id, target id, weight). `direction` states whether these are
/// out-rows or in-rows.
fn edges_of(graph: &LayeredGraph, rows: Rows<'_>, direction: Direction) -> Vec<Edge> {
    let weights = graph.weights_as::<u32>(direction, false).unwrap();
    let mut edges = Vec::new();
    for vertex in 0..graph.num_vertices() {
        for position in rows.range(vertex) {
            let (a, b) = (graph.id_of(vertex), graph.id_of(rows.ends[position]));
            let (source, target) = if direction == Direction::Out { (a, b) } else { (b, a) };
            edges.push((source, target, weights[position]));
        }
    }
    edges
}

/// Checks all structural invariants of the design.
fn check(edges: &[Edge], graph: &LayeredGraph) {
    let rows = graph.out_edges();
    check_ids(edges, graph);
    check_layers(graph, rows);
    let out = edges_of(graph, rows, Direction::Out);
    let transposed = edges_of(graph, graph.in_edges().unwrap(), Direction::In);
    check_rows(edges, &out, |&(u, v, _)| (u, v));
    check_rows(edges, &transposed, |&(u, v, _)| (v, u));
    let mut backward: Vec<Edge> = edges.iter().map(|&(u, v, w)| (v, u, w)).collect();
    let mut forward = edges.to_vec();
    backward.sort_unstable();
    forward.sort_unstable();
    assert_eq!(graph.is_symmetric(), forward == backward);
}

fn check_ids(edges: &[Edge], graph: &LayeredGraph) {
    let mut ids: Vec<u64> = edges.iter().flat_map(|&(u, v, _)| [u, v]).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(u64::from(graph.num_vertices()), ids.len() as u64);
    for (rank, &id) in ids.iter().enumerate() {
        let vertex = graph.vertex_of(id).unwrap();
        assert_eq!((graph.id_of(vertex), graph.rank_of(vertex)), (id, rank as u32));
        assert_eq!((graph.by_rank()[rank], graph.ids()[vertex as usize]), (vertex, id));
    }
}

/// Checks that no edge skips a layer, and that each layer is sorted by smallest parent, then by id.
fn check_layers(graph: &LayeredGraph, rows: Rows<'_>) {
    let offsets = graph.layer_offsets();
    let mut layer_of = vec![0; graph.num_vertices() as usize];
    for (layer, pair) in offsets.windows(2).enumerate() {
        assert!(pair[0] < pair[1], "every layer must contain a vertex");
        layer_of[pair[0] as usize..pair[1] as usize].fill(layer);
    }
    let mut parents = vec![None; graph.num_vertices() as usize];
    for vertex in 0..graph.num_vertices() {
        let row = rows.row(vertex);
        assert!(row.is_sorted());
        for &end in row {
            assert!(layer_of[end as usize] <= layer_of[vertex as usize] + 1);
            if layer_of[end as usize] == layer_of[vertex as usize] + 1 {
                parents[end as usize].get_or_insert(vertex);
            }
        }
    }
    for pair in offsets.windows(2) {
        let key = |v: u32| (parents[v as usize], graph.id_of(v));
        let keys: Vec<_> = (pair[0]..pair[1]).map(key).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        assert!(keys.iter().all(|key| key.0.is_some()) || keys.iter().all(|key| key.0.is_none()));
    }
}

/// Checks that all edges are present, and that parallel edges are in input order.
fn check_rows(input: &[Edge], found: &[Edge], ends: impl Fn(&Edge) -> (u64, u64)) {
    let mut input = input.to_vec();
    let mut found = found.to_vec();
    // Both lists are sorted by endpoints. The sorts are stable, so parallel edges keep their order.
    input.sort_by_key(&ends);
    found.sort_by_key(&ends);
    assert_eq!(input, found);
}

#[test]
fn a_lateral_edge_is_kept() {
    let edges = [(0, 1, 10), (0, 2, 1), (2, 1, 1)];
    let graph = layered(&edges, Some(0));
    check(&edges, &graph);
    assert_eq!(layers(&graph), [vec![0], vec![1, 2]]);
    let weights = graph.weights_as::<u64>(Direction::Out, false).unwrap();
    let distances = oracle::shortest(graph.out_edges(), &weights, &[(graph.vertex_of(0).unwrap(), 0)]);
    assert_eq!(oracle::by_id(&graph, &distances), [(0, Some(0)), (1, Some(2)), (2, Some(1))]);
}

#[test]
fn a_backward_edge_is_kept() {
    let edges = [(0, 1, 10), (0, 2, 1), (2, 3, 1), (3, 1, 1)];
    let graph = layered(&edges, Some(0));
    check(&edges, &graph);
    assert_eq!(layers(&graph), [vec![0], vec![1, 2], vec![3]]);
    let weights = graph.weights_as::<f32>(Direction::Out, false).unwrap();
    let source = graph.vertex_of(0).unwrap();
    let distances = oracle::shortest(graph.out_edges(), &weights, &[(source, 0.0)]);
    assert_eq!(distances[graph.vertex_of(1).unwrap() as usize], Some(3.0));
}

#[test]
fn the_forest_grows_in_few_rounds() {
    let mut list = vec![(0, 1), (1, 2)]; // the root's tree
    list.extend([(10, 2), (10, 11), (12, 11), (12, 13)]); // roots 10 and 12 have no in-edges: one round
    list.extend([(21, 20), (20, 21), (31, 30), (30, 31), (31, 32)]); // two components with cycles: one round
    let list = EdgeList::from_edges(list).unwrap().with_vertices(0..34).unwrap();
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0)).unwrap();
    assert_eq!(graph.root_layers(), 3);
    let layers = layers(&graph);
    assert_eq!(
        layers[..7],
        [vec![0], vec![1], vec![2], vec![10, 12], vec![11, 13], vec![20, 30], vec![21, 31]]
    );
    assert_eq!(layers[7], [32]);
    let isolated: Vec<u64> = (3..10).chain(14..20).chain(22..30).chain([33]).collect();
    assert_eq!(layers[8..], [isolated]);
    assert!(graph.root_reason().contains("requested"));
}

#[test]
fn a_chain_of_cycles_against_the_ids_ends_soon() {
    // A chain of cycles {2k, 2k+1}, each with an edge to the cycle of the next smaller ids. The vertex with the
    // smallest id therefore reaches only its own cycle.
    let cycles = 40_000u64;
    let inner = (0..cycles).flat_map(|k| [(2 * k, 2 * k + 1), (2 * k + 1, 2 * k)]);
    let between = (1..cycles).map(|k| (2 * k, 2 * k - 1));
    let edges: Vec<Edge> = inner.chain(between).map(|(u, v)| (u, v, 1)).collect();
    let graph = layered(&edges, Some(0));
    check(&edges, &graph);
}

#[test]
fn the_root_is_chosen_by_reach() {
    let edges = [(1, 2, 1), (2, 3, 1), (3, 4, 1), (8, 9, 1), (2, 9, 1)];
    let graph = layered(&edges, None);
    assert_eq!(graph.root(), Some(1), "{}", graph.root_reason());
    let undirected = [(1, 2, 1), (2, 1, 1), (2, 3, 1), (3, 2, 1)];
    let graph = layered(&undirected, None);
    assert_eq!(graph.root(), Some(2), "{}", graph.root_reason());
    assert!(graph.is_symmetric());
    let missing = EdgeList::from_edges([(1, 2)]).unwrap();
    let error = LayeredGraph::from_edge_list(missing, &LayerOptions::new().root(7)).unwrap_err();
    assert!(error.to_string().contains("root 7"), "{error}");
}

#[test]
fn small_and_odd_graphs() {
    let empty = layered(&[], None);
    check(&[], &empty);
    assert_eq!((empty.num_layers(), empty.root(), empty.layer_offsets()), (0, None, &[0][..]));
    for edges in [
        vec![(5, 5, 1)],
        vec![(5, 5, 1), (5, 5, 2)],
        vec![(u64::MAX, 0, 1), (0, u64::MAX, 1), (u64::MAX - 1, 7, 3)],
        vec![(1, 2, 5), (1, 2, 3), (1, 2, 5), (2, 1, 9)],
        vec![(1, 2, 5), (1, 2, 3), (2, 1, 3), (2, 1, 5)],
        vec![(1, 2, 5), (1, 2, 3), (2, 1, 3), (2, 1, 3)],
    ] {
        check(&edges, &layered(&edges, None));
    }
    let one = EdgeList::from_edges([]).unwrap().with_vertices(9..10).unwrap();
    let one = LayeredGraph::from_edge_list(one, &LayerOptions::default()).unwrap();
    assert_eq!((one.num_vertices(), one.num_layers(), one.root(), one.root_layers()), (1, 1, Some(9), 1));
}

#[test]
fn symmetric_parallel_edges_keep_their_order() {
    let edges = [(1, 2, 5), (1, 2, 3), (2, 1, 3), (2, 1, 5)];
    let graph = layered(&edges, Some(1));
    assert!(graph.is_symmetric());
    assert_eq!(*graph.weights_as::<u32>(Direction::Out, false).unwrap(), [5, 3, 3, 5]);
    assert_eq!(*graph.weights_as::<u32>(Direction::In, false).unwrap(), [3, 5, 5, 3]);
}

#[test]
fn a_star_and_a_long_path() {
    let star: Vec<Edge> = (1..=100_000).map(|leaf| (0, leaf, 1)).collect();
    let graph = layered(&star, None);
    assert_eq!((graph.root(), graph.num_layers()), (Some(0), 2));
    check(&star, &graph);
    let path: Vec<Edge> = (0..100_000).map(|v| (v, v + 1, 1)).collect();
    let graph = layered(&path, None);
    assert_eq!((graph.root(), graph.root_layers(), graph.num_layers()), (Some(0), 100_001, 100_001));
    check(&path, &graph);
}

#[test]
fn figures_of_a_graph() {
    let edges = [(0, 1, 1), (0, 1, 2), (0, 2, 1), (1, 1, 1), (1, 2, 1), (2, 0, 1)];
    let list = EdgeList::from_weighted_edges(edges).unwrap().with_vertices(0..5).unwrap();
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0)).unwrap();
    let profile = graph.profile();
    assert_eq!((profile.vertices, profile.edges, profile.isolated), (5, 6, 2));
    assert_eq!((profile.self_loops, profile.duplicates), (1, 1));
    let layer = |index: usize| {
        let layer = profile.layers[index];
        (layer.vertices, layer.backward, layer.lateral, layer.forward)
    };
    assert_eq!((layer(0), layer(1), layer(2)), ((1, 0, 0, 3), (2, 1, 2, 0), (2, 0, 0, 0)));
    assert_eq!(
        (profile.out_degrees.max, profile.out_degrees.max_id, profile.out_degrees.zero),
        (3, Some(0), 2)
    );
    assert_eq!((profile.in_degrees.max, profile.in_degrees.max_id), (3, Some(1)));
    assert_eq!(
        (profile.csr_bytes, profile.layered_bytes),
        (6 * 8 + 6 * 5, 6 * 8 + 6 * 5 + 4 * 4),
        "weights of 8 bits"
    );
}

/// Generates edges over few vertices, so that parallel edges, self-loops and opposites occur, with scattered ids.
fn any_edges() -> impl Strategy<Value = Vec<Edge>> {
    let sizes = (1u64..30, 0usize..80);
    sizes.prop_flat_map(|(vertices, edges)| {
        let id = (0..vertices).prop_map(|v| v * v * 1_000_003);
        prop::collection::vec((id.clone(), id, 1u32..4), edges)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_graph_is_layered_right(edges in any_edges(), symmetric: bool) {
        let mut edges = edges;
        if symmetric {
            edges = edges.iter().flat_map(|&(u, v, w)| [(u, v, w), (v, u, w)]).collect();
        }
        check(&edges, &layered(&edges, None));
        if let Some(&(root, ..)) = edges.first() {
            check(&edges, &layered(&edges, Some(root)));
        }
    }
}

#[test]
fn threads_do_not_matter() {
    // The layers are too large for the expansion by one thread, and each vertex has many parents.
    let edges: Vec<Edge> = (0..120_000u64)
        .map(|i| {
            let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            (mixed % 20_000, (mixed >> 20) % 20_000, (i % 7) as u32)
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<Vec<u8>> = [1, 2, 5]
        .into_iter()
        .map(|threads| {
            let path = folder.path().join(format!("{threads}.wolf"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| layered(&edges, None).write(&path)).unwrap();
            std::fs::read(path).unwrap()
        })
        .collect();
    assert!(files[0] == files[1] && files[0] == files[2]);
    let graph = layered(&edges, None);
    assert!(graph.layer_offsets().windows(2).any(|pair| pair[1] - pair[0] > 4096));
    check(&edges, &graph);
}

#[test]
fn a_graph_is_shown_by_its_size() {
    let graph = LayeredGraph::from_edges((0..1_000).map(|id| (id, id + 1))).unwrap();
    let shown = format!("{graph:?}");
    assert!(shown.contains("edges: 1000") && shown.len() < 300, "{shown}");
}

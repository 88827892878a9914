//! Real graphs, from the folder that `WOLFPATH_DATA` names. Where it is absent there is nothing to do, which is an error
//! where CI runs.

use std::path::PathBuf;

use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{LayerOptions, LayeredGraph};
use wolfpath_core::load::{LoadOptions, load};
use wolfpath_core::oracle;

fn graphs() -> Vec<(String, EdgeList)> {
    let Some(folder) = std::env::var_os("WOLFPATH_DATA").map(PathBuf::from) else {
        return Vec::new();
    };
    if !folder.is_dir() {
        assert!(
            std::env::var_os("CI").is_none(),
            "no real graphs in {}; set WOLFPATH_DATA",
            folder.display()
        );
        return Vec::new();
    }
    let names = [
        ("cit-HepPh.el.zst", false),
        ("ego-Twitter.el.zst", false),
        ("osm-rome.wel.zst", true),
        ("dblp-2010.el.zst", false),
    ];
    let read = |(name, undirected): (&str, bool)| {
        let options = LoadOptions { undirected, ..LoadOptions::default() };
        (name.to_owned(), load(folder.join(name), &options).unwrap())
    };
    names.into_iter().map(read).collect()
}

/// All edges with their weights' bits, sorted.
fn sorted(edges: impl Iterator<Item = (u64, u64, u64)>) -> Vec<(u64, u64, u64)> {
    let mut edges: Vec<_> = edges.collect();
    edges.sort_unstable();
    edges
}

#[test]
fn nothing_is_lost_and_layers_are_distances() {
    let folder = tempfile::tempdir().unwrap();
    for (name, list) in graphs() {
        let weight = |edge: usize| list.weights().map_or(0, |weights| weights.get(edge).to_bits());
        let id = |rank| list.ids().id(rank);
        let input = sorted(list.edges().map(|(u, v, line)| (id(u), id(v), weight(line))));
        let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default()).unwrap();
        let path = folder.path().join("graph.wolf");
        graph.write(&path).unwrap();
        let graph = LayeredGraph::open(&path).unwrap();
        let rows = graph.out_edges();

        let weights = graph.weights();
        let weight = |edge: usize| weights.map_or(0, |weights| weights.get(edge).to_bits());
        let edges = (0..graph.num_vertices()).flat_map(|v| rows.range(v).map(move |edge| (v, edge)));
        let found = edges.map(|(v, edge)| (graph.id_of(v), graph.id_of(rows.ends[edge]), weight(edge)));
        assert!(sorted(found) == input, "{name}: edges were lost");

        let hops = oracle::hops(rows, &[0]);
        for (layer, pair) in graph.layer_offsets().windows(2).enumerate() {
            let expected = (layer < graph.root_layers() as usize).then_some(layer as u64);
            assert!((pair[0]..pair[1]).all(|v| hops[v as usize] == expected), "{name}: layer {layer}");
        }
    }
}

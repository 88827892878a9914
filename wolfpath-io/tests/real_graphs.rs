//! Tests of real graphs: compares their sizes with the statistics that their publishers state, and checks that they
//! survive writing and reading.

#[path = "../../tests/support/on_real_graphs.rs"]
mod on_real_graphs;

use std::path::Path;
use std::process::ExitCode;

use on_real_graphs::tests;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{LayerOptions, LayeredGraph};
use wolfpath_core::oracle;
use wolfpath_core::resources::Resources;
use wolfpath_io::load::{LoadOptions, LoadReport, load, load_reported};

fn main() -> ExitCode {
    on_real_graphs::run(
        &tests!(nothing_is_lost_and_layers_are_distances usa_road_ne osm_moscow cnr_2000 ego_twitter_has_14_self_loops bremen_lacks_its_p_line luxembourg_lacks_its_header),
    )
}

fn graph(data: &Path, name: &str, undirected: bool) -> EdgeList {
    let options = LoadOptions::new().undirected(undirected);
    load(data.join(name), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the report of reading a real graph's file.
fn report(data: &Path, name: &str) -> LoadReport {
    let loaded = load_reported(data.join(name), &LoadOptions::default(), &Resources::default());
    loaded.unwrap_or_else(|error| panic!("{error}")).report
}

fn graphs(data: &Path) -> Vec<(&'static str, EdgeList)> {
    let names = [
        ("cit-HepPh.el.zst", false),
        ("ego-Twitter.el.zst", false),
        ("osm-rome.wel.zst", true),
        ("dblp-2010.el.zst", false),
    ];
    names.into_iter().map(|(name, undirected)| (name, graph(data, name, undirected))).collect()
}

/// Returns all edges with the bits of their weights, sorted.
fn sorted(edges: impl Iterator<Item = (u64, u64, u64)>) -> Vec<(u64, u64, u64)> {
    let mut edges: Vec<_> = edges.collect();
    edges.sort_unstable();
    edges
}

fn nothing_is_lost_and_layers_are_distances(data: &Path) {
    let folder = tempfile::tempdir().unwrap();
    for (name, list) in graphs(data) {
        let weight = |edge: usize| list.weights().map_or(0, |weights| weights.get(edge).to_bits());
        let id = |rank| list.ids().id(rank);
        let input = sorted(list.edges().map(|(u, v, line)| (id(u), id(v), weight(line))));
        let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default()).unwrap();
        let path = folder.path().join("graph.wolf");
        graph.write(&path).unwrap();
        let graph = LayeredGraph::open_wolf(&path).unwrap();
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

fn usa_road_ne(data: &Path) {
    let list = graph(data, "USA-road-NE.tw.gr.xz", false);
    assert_eq!((list.num_vertices(), list.num_edges()), (1_524_453, 2 * 1_934_010));
    assert_eq!(report(data, "USA-road-NE.tw.gr.xz").edges_in_file, 1_934_010);
    assert!(list.is_symmetric());
}

fn osm_moscow(data: &Path) {
    let list = graph(data, "osm-moscow.wel.zst", true);
    assert_eq!((list.num_vertices(), report(data, "osm-moscow.wel.zst").edges_in_file), (411_992, 451_135));
    assert!(list.weights().unwrap().slice().max_integer().is_some());
}

fn cnr_2000(data: &Path) {
    let list = graph(data, "cnr-2000.el.zst", false);
    assert_eq!((list.num_vertices(), list.num_edges()), (325_557, 3_216_152));
}

fn ego_twitter_has_14_self_loops(data: &Path) {
    let list = graph(data, "ego-Twitter.el.zst", true);
    assert_eq!((list.num_vertices(), list.num_edges()), (81_306, 2 * 1_342_310 - 14));
    assert_eq!(report(data, "ego-Twitter.el.zst").self_loops, 14);
}

fn bremen_lacks_its_p_line(data: &Path) {
    let list = graph(data, "bremen_dist.gr.zst", false);
    assert_eq!((list.num_vertices(), list.num_edges()), (40_461, 86_475));
    assert!(list.notes()[0].contains("`p` line is missing"));
}

fn luxembourg_lacks_its_header(data: &Path) {
    let error = load(data.join("luxembourg_osm.mtx.zst"), &LoadOptions::default()).unwrap_err().to_string();
    assert!(
        error.contains("line 1: a Matrix Market file starts with") && error.contains("the format el"),
        "{error}"
    );
}

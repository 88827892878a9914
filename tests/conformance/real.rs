//! The bundled programs over real graphs. `tests/real_graphs.rs` runs this on the CPU engine, and the CUDA suite runs
//! it on a GPU.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

use wolfpath::graph::{Direction, LayeredGraph, OpenGraph, OpenOptions, WeightChoice};
use wolfpath::load::{Format, LoadOptions};
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{Engine, RunOptions, ScheduleChoice, oracle, programs as bundled};

/// Graphs: file name, `true` if lines are undirected, and a source that reaches many vertices.
const GRAPHS: [(&str, bool, u64); 17] = [
    ("USA-road-NY.tw.gr.xz", true, 1000),
    ("USA-road-FLA.tw.gr.xz", true, 1000),
    ("USA-road-NW.tw.gr.xz", true, 1000),
    ("USA-road-NE.tw.gr.xz", true, 1000),
    ("osm-moscow.wel.zst", true, 1000),
    ("osm-rome.wel.zst", true, 1000),
    ("osm-delhi.wel.zst", true, 1000),
    ("bremen_dist.gr.zst", false, 1000),
    ("bremen_time.gr.zst", false, 1000),
    ("cnr-2000.el.zst", false, 0),
    ("uk-2007-05@100000.el.zst", false, 0),
    ("dblp-2010.el.zst", false, 0),
    ("soc-Slashdot0902.txt.zst", false, 0),
    ("ego-Twitter.el.zst", true, 0),
    ("email-Enron.txt.zst", false, 0),
    ("cit-HepPh.el.zst", false, 0),
    ("luxembourg_osm.mtx.zst", true, 1),
];

fn open(path: PathBuf, undirected: bool) -> LayeredGraph {
    let mut load = LoadOptions::new().undirected(undirected);
    if path.to_string_lossy().contains("luxembourg") {
        // The header of this file is missing, but its lines are edges.
        load = load.format(Format::EdgeList);
    }
    let options = OpenOptions::new().load(load).cache(false);
    LayeredGraph::open_with(&path, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn is<P: EdgeProgram>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    expected: &[Option<P::Value>],
    name: &str,
) {
    let outcome = engine.run(graph, program).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(
        outcome.read().expect("the values are readable").iter().count(),
        expected.len(),
        "values of {} on {name}",
        P::MODEL.name
    );
    for (&v, (id, value)) in
        graph.by_rank().iter().zip(outcome.read().expect("the values are readable").iter())
    {
        let right = match (expected[v as usize], value) {
            (Some(expected), Some(value)) => expected.same(value),
            (expected, value) => expected.is_none() && value.is_none(),
        };
        assert!(
            right,
            "{} on {name}, vertex {id}: {value:?}, expected {:?}",
            P::MODEL.name,
            expected[v as usize]
        );
    }
}

fn check(engine: &Engine, graph: &LayeredGraph, source: u64, name: &str) {
    let graph = if graph.has_weights() {
        graph.clone()
    } else {
        graph.with_weights(WeightChoice::Random { seed: 1, max: 100 })
    };
    let rows = graph.out_edges();
    let first = graph.vertex_of(source).expect("the source is in the graph");
    let hops: Vec<_> = oracle::hops(rows, &[first]).into_iter().map(|hops| hops.map(|h| h as u32)).collect();
    is(engine, &graph, &bundled::bfs::from_source(source, 0), &hops, name);
    let reached: Vec<_> = hops.iter().map(|hops| hops.map(|_| true)).collect();
    is(engine, &graph, &bundled::reach::from_source(source, true), &reached, name);
    let weights = graph.weights_as::<u32>(Direction::Out, false).expect("integer weights");
    let shortest = oracle::shortest(rows, &weights, &[(first, 0)]);
    is(engine, &graph, &bundled::sssp::from_source(source, 0), &shortest, name);
    let singles = graph.weights_as::<f32>(Direction::Out, true).expect("numbers");
    let shortest = oracle::shortest(rows, &singles, &[(first, 0.0)]);
    is(engine, &graph, &bundled::sssp_f32::from_source(source, 0.0), &shortest, name);
    let widest = oracle::widest(rows, &weights, &[(first, u32::MAX)]);
    is(engine, &graph, &bundled::widest::from_source(source, u32::MAX), &widest, name);
    let components: Vec<_> = oracle::smallest_ids(&graph).into_iter().map(Some).collect();
    is(engine, &graph, &bundled::Components, &components, name);
    let options = oracle::PageRankOptions::new().steps(20);
    let ranks = oracle::pagerank(rows, &options).ranks;
    let program = bundled::PageRank { damping: 0.85, tolerance: 1e-6 };
    let outcome =
        engine.run_with(&graph, &program, &RunOptions::new().steps_at_most(20)).expect("the run succeeds");
    for (&v, (id, rank)) in
        graph.by_rank().iter().zip(outcome.read().expect("the values are readable").iter())
    {
        let (rank, expected) = (f64::from(rank.expect("the vertex has a rank")), ranks[v as usize]);
        assert!(
            (rank - expected).abs() <= 1e-5 * expected,
            "PageRank on {name}, vertex {id}: {rank}, expected {expected}"
        );
    }
}

/// Returns the length of a shortest path, and the number of edges that Dijkstra's algorithm looks at until it is known.
fn dijkstra(graph: &LayeredGraph, weights: &[u32], source: u32, target: u32) -> (Option<u32>, u64) {
    let rows = graph.out_edges();
    let mut lengths = vec![u32::MAX; graph.num_vertices() as usize];
    let (mut waiting, mut edges) = (BinaryHeap::from([Reverse((0, source))]), 0);
    lengths[source as usize] = 0;
    while let Some(Reverse((length, v))) = waiting.pop() {
        if v == target {
            return (Some(length), edges);
        }
        if length > lengths[v as usize] {
            continue;
        }
        for position in rows.range(v) {
            let (end, next) = (rows.ends[position], length + weights[position]);
            edges += 1;
            if next < lengths[end as usize] {
                lengths[end as usize] = next;
                waiting.push(Reverse((next, end)));
            }
        }
    }
    (None, edges)
}

/// A run until one vertex is settled looks at no more than twice as many edges as Dijkstra's algorithm does until it
/// knows the path, over all pairs of vertices together, on any number of threads.
#[allow(dead_code, reason = "only the target `real_graphs` runs this, on the CPU engine")]
pub(crate) fn settled_on_real_graphs(folder: &Path) {
    let mut tested = 0;
    for file in ["osm-moscow.wel.zst", "osm-rome.wel.zst", "osm-delhi.wel.zst"] {
        let path = folder.join(file);
        if !path.exists() {
            continue;
        }
        tested += 1;
        let graph = open(path, true);
        let weights = graph.weights_as::<u32>(Direction::Out, false).expect("integer weights");
        let loaded = Engine::cpu().load(&graph);
        for threads in [1, 2] {
            let (mut all, mut of_dijkstra) = (0, 0);
            for pair in 0..20 {
                let at = |number: u32| (number.wrapping_mul(2_654_435_761) >> 4) % graph.num_vertices();
                let (source, target) = (at(2 * pair), at(2 * pair + 1));
                let (length, edges) = dijkstra(&graph, &weights, source, target);
                let [source, target] = [source, target].map(|v| graph.id_of(v));
                let options = RunOptions::new().until_settled([target]).threads(threads);
                let outcome = loaded.run_with(&bundled::sssp::starting_at(source), &options);
                let outcome = outcome.unwrap_or_else(|error| panic!("{file}: {error}"));
                assert_eq!(outcome.value(target), Ok(length), "{file}, {source} to {target}");
                if length.is_some() {
                    (all, of_dijkstra) = (all + outcome.stats().edges, of_dijkstra + edges);
                }
            }
            println!("{file}, {threads} threads: {all} edges, Dijkstra {of_dijkstra}");
            assert!(all <= 2 * of_dijkstra, "{file}, {threads} threads: {all} edges, Dijkstra {of_dijkstra}");
        }
    }
    assert!(tested > 0, "{} contains no road network with weights", folder.display());
}

/// On one thread, runs in the order of paths take at most this share of the updates of runs by frontier: 0.7 for shortest
/// paths, as in DiGraph, and 0.45 for accumulated ranks. (The number of updates of several threads depends on their timing.)
#[allow(dead_code, reason = "only the target `real_graphs` runs this, on the CPU engine")]
pub(crate) fn paths_save_updates(folder: &Path) {
    fn share<P: EdgeProgram>(graph: &LayeredGraph, program: &P, name: &str) -> f64 {
        let [by_paths, by_frontier] = [ScheduleChoice::Paths, ScheduleChoice::Frontier].map(|schedule| {
            let options = RunOptions::new().schedule(schedule).threads(1);
            let outcome = Engine::cpu().run_with(graph, program, &options);
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
            outcome.stats().updates.expect("updates are counted") as f64
        });
        println!("{}, {name}: {by_paths} and {by_frontier} updates", P::MODEL.name);
        by_paths / by_frontier
    }
    let mut tested = 0;
    for (file, source) in [("cnr-2000.el.zst", 217_849), ("uk-2007-05@100000.el.zst", 0)] {
        let path = folder.join(file);
        if !path.exists() {
            continue;
        }
        tested += 1;
        let graph = open(path, false).with_weights(WeightChoice::Random { seed: 1, max: 100 });
        assert!(share(&graph, &bundled::sssp::starting_at(source), file) <= 0.7);
        // Over cnr-2000, ranks take twenty seconds in an unoptimized build.
        if !file.starts_with("cnr") {
            assert!(share(&graph, &bundled::AccumulatingPageRank { damping: 0.85 }, file) <= 0.45);
        }
    }
    assert!(tested > 0, "{} contains neither cnr-2000 nor uk-2007-05@100000", folder.display());
}

/// Checks every bundled program over the known graphs in a folder, and over a generated one.
pub(crate) fn bundled_on_real_graphs(engine: &Engine, folder: &Path) {
    let present = GRAPHS.iter().filter(|(file, ..)| folder.join(file).exists());
    let mut tested = 0;
    for &(file, undirected, source) in present {
        check(engine, &open(folder.join(file), undirected), source, file);
        tested += 1;
    }
    assert!(tested > 0, "{} contains none of the known graphs", folder.display());
    let rmat = wolfpath::generate::rmat(18, 16, 1).expect("the R-MAT graph is valid");
    let source = rmat.edge(0).0;
    let rmat = LayeredGraph::from_edge_list(rmat.undirected(), &wolfpath::graph::LayerOptions::default());
    let rmat = rmat.expect("layering succeeds").with_weights(WeightChoice::Random { seed: 2, max: 64 });
    check(engine, &rmat, source, "R-MAT 18");
}

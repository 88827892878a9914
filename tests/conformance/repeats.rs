//! Many graphs, and the same graph many times, to find errors that occur once in a thousand runs. `PROPTEST_CASES`
//! reduces the number of cases, for example on an emulated device, where a run takes 10 ms or more.

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{Direction, LayerOptions, LayeredGraph};
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{
    Engine, LoadedGraph, PlanError, RunError, RunOptions, ScheduleChoice, generate, oracle,
    programs as bundled,
};

use crate::graphs::cases;
use crate::programs as own;
use crate::reference;

/// Edges of a graph, or the arguments of a generator.
#[derive(Clone, Debug)]
enum Shape {
    Listed(Vec<(u64, u64, u32)>),
    Rmat { scale: u32, factor: u32, seed: u64 },
    Grid { width: u32, height: u32, seed: u64 },
}

/// A graph and the source of traversals.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    shape: Shape,
    both_ways: bool,
    /// Number of isolated vertices, with the largest ids.
    isolated: u64,
    pub(crate) source: Index,
}

/// Returns random weights with many ties.
fn weights(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(0u32..20, count)
}

/// Returns random edges. Self-loops, parallel edges and several components occur, most often if there are few vertices.
fn scattered() -> impl Strategy<Value = Shape> {
    (1u64..120)
        .prop_flat_map(|n| proptest::collection::vec((0..n, 0..n, 0u32..20), 1..250))
        .prop_map(Shape::Listed)
}

/// Returns edges between so few vertices that most edges are parallel.
fn parallel() -> impl Strategy<Value = Shape> {
    (1u64..5)
        .prop_flat_map(|n| proptest::collection::vec((0..n, 0..n, 0u32..1000), 1..400))
        .prop_map(Shape::Listed)
}

/// Returns a path or a cycle, forwards or backwards.
fn path() -> impl Strategy<Value = Shape> {
    (weights(1..400), any::<[bool; 2]>()).prop_map(|(weights, [is_circle, is_backwards])| {
        let n = weights.len() as u64 + u64::from(!is_circle);
        let ends = |(v, weight)| {
            let next = (v + 1) % n;
            if is_backwards { (next, v, weight) } else { (v, next, weight) }
        };
        Shape::Listed((0..).zip(weights).map(ends).collect())
    })
}

/// Returns a row of hubs, each with its own leaves, with edges to or from them. A single hub is a star.
fn hubs() -> impl Strategy<Value = Shape> {
    (1u64..6, weights(1..600), any::<u64>()).prop_map(|(hubs, weights, ways)| {
        let row = (1..hubs).map(|hub| (hub - 1, hub, 1));
        let leaf = |(at, weight): (u64, u32)| {
            let (hub, leaf) = (at % hubs, hubs + at);
            if ways >> (at % 61) & 1 == 0 { (hub, leaf, weight) } else { (leaf, hub, weight) }
        };
        Shape::Listed(row.chain((0..).zip(weights).map(leaf)).collect())
    })
}

/// Returns several unconnected copies of one graph.
fn components() -> impl Strategy<Value = Shape> {
    let one =
        (2u64..12).prop_flat_map(|n| (Just(n), proptest::collection::vec((0..n, 0..n, 0u32..9), 1..20)));
    (one, 2u64..30).prop_map(|((n, edges), copies)| {
        let copy =
            |at: u64| edges.iter().map(move |&(from, to, weight)| (from + at * n, to + at * n, weight));
        Shape::Listed((0..copies).flat_map(copy).collect())
    })
}

/// Returns graphs of all shapes. A few have thousands of edges.
pub(crate) fn any_case() -> impl Strategy<Value = Case> {
    let rmat = (4u32..10, 1u32..9, any::<u64>());
    let rmat = rmat.prop_map(|(scale, factor, seed)| Shape::Rmat { scale, factor, seed });
    let grid = (1u32..45, 1u32..45, any::<u64>());
    let grid = grid.prop_map(|(width, height, seed)| Shape::Grid { width, height, seed });
    let shape = prop_oneof![
        6 => scattered(),
        2 => parallel(),
        3 => path(),
        3 => hubs(),
        2 => components(),
        2 => rmat,
        1 => grid,
    ];
    let isolated = prop_oneof![3 => Just(0), 1 => 1u64..70];
    (shape, any::<bool>(), isolated, any::<Index>()).prop_map(|(shape, both_ways, isolated, source)| Case {
        shape,
        both_ways,
        isolated,
        source,
    })
}

impl Case {
    pub(crate) fn graph(&self) -> LayeredGraph {
        let weighted = |list: EdgeList, seed| list.with_random_weights(seed, 30);
        let list = match &self.shape {
            Shape::Listed(edges) => {
                let last = edges.iter().map(|edge| edge.0.max(edge.1)).max().unwrap_or(0);
                EdgeList::from_weighted_edges(edges.iter().copied())
                    .and_then(|list| list.with_vertices(0..last + 1 + self.isolated))
                    .expect("the ids are in range")
            }
            &Shape::Rmat { scale, factor, seed } => {
                weighted(generate::rmat(scale, factor, seed).expect("the R-MAT graph is valid"), seed)
            }
            &Shape::Grid { width, height, seed } => {
                weighted(generate::grid(width, height, seed).expect("the grid is valid"), seed)
            }
        };
        let list = if self.both_ways { list.undirected() } else { list };
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    }
}

/// A graph, loaded on the engine under test, and optionally another engine to compare with.
struct Tried<'a> {
    graph: &'a LayeredGraph,
    loaded: LoadedGraph,
    other: Option<&'a Engine>,
}

impl Tried<'_> {
    /// Compares the values with those of the other engine. If there is none, compares them with the result of
    /// `plainly`, which is ordered by internal index.
    fn agrees<P: EdgeProgram>(&self, program: &P, plainly: impl FnOnce() -> Vec<Option<P::Value>>) {
        let name = P::MODEL.name;
        let outcome = self.loaded.run(program).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected: Vec<Option<P::Value>> = match self.other {
            Some(other) => {
                let right = other.run(self.graph, program).expect("the run on the other engine succeeds");
                right.read().expect("the values are readable").iter().map(|(_, value)| value).collect()
            }
            None => {
                let right = plainly();
                self.graph.by_rank().iter().map(|&v| right[v as usize]).collect()
            }
        };
        assert_same::<P>(
            outcome.read().expect("the values are readable").iter(),
            expected.iter().copied(),
            name,
        );
    }
}

pub(crate) fn assert_same<P: EdgeProgram>(
    found: impl Iterator<Item = (u64, Option<P::Value>)>,
    expected: impl Iterator<Item = Option<P::Value>>,
    what: &str,
) {
    let (found, expected): (Vec<_>, Vec<_>) = (found.collect(), expected.collect());
    assert_eq!(found.len(), expected.len(), "{what}: values");
    for ((id, found), expected) in found.into_iter().zip(expected) {
        let is_same = match (expected, found) {
            (Some(expected), Some(found)) => expected.same(found),
            (None, None) => true,
            _ => false,
        };
        assert!(is_same, "{what}, vertex {id}: {found:?}, expected {expected:?}");
    }
}

/// Runs six programs over a thousand graphs of all shapes, with the schedule that the plan chooses. A device's values
/// are compared with those of the CPU engine, and the CPU engine's with those of the serial oracles.
pub(crate) fn a_thousand_random_graphs(engine: &Engine) {
    let cpu = Engine::cpu();
    let other = engine.is_cuda().then_some(&cpu);
    let config = Config { cases: cases(1000), failure_persistence: None, ..Config::default() };
    let tested = TestRunner::new(config).run(&any_case(), |case| {
        let graph = case.graph();
        let loaded = engine.load(&graph);
        let tried = Tried { graph: &graph, loaded, other };
        traversals_agree(&tried, graph.id_of(case.source.index(graph.num_vertices() as usize) as u32));
        Ok(())
    });
    tested.unwrap_or_else(|error| panic!("{error}"));
}

fn traversals_agree(tried: &Tried<'_>, source: u64) {
    let graph = tried.graph;
    let rows = graph.out_edges();
    let weights = graph.weights_as::<u32>(Direction::Out, true).expect("weights");
    let start = graph.vertex_of(source).expect("the source is in the graph");
    tried.agrees(&bundled::bfs::from_source(source, 0), || {
        oracle::hops(rows, &[start]).into_iter().map(|hops| hops.map(|hops| hops as u32)).collect()
    });
    tried.agrees(&bundled::sssp::from_source(source, 0), || oracle::shortest(rows, &weights, &[(start, 0)]));
    tried
        .agrees(&bundled::widest::from_source(source, 50), || oracle::widest(rows, &weights, &[(start, 50)]));
    tried.agrees(&bundled::reach::from_source(source, true), || {
        oracle::reach(rows, &[start]).into_iter().map(|is_reached| is_reached.then_some(true)).collect()
    });
    tried.agrees(&bundled::Components, || oracle::smallest_ids(graph).into_iter().map(Some).collect());
    let over_wide_edges = own::over_wide_edges::from_source(source, 0);
    tried.agrees(&over_wide_edges, || {
        reference::run(graph, &over_wide_edges, u64::MAX).expect("the reference does not fault").0
    });
}

/// Runs the same program fifty times with every schedule that supports it, over a graph with hubs and many equally good
/// paths. The values must be the same, no matter which message arrives first.
pub(crate) fn the_same_graph_fifty_times(engine: &Engine) {
    let times = cases(50);
    // A larger graph for devices, so that many of their thousands of threads access the same vertices at once.
    let scale = if engine.is_cuda() && times == 50 { 12 } else { 8 };
    let list = generate::rmat(scale, 8, 3).expect("the R-MAT graph is valid").with_random_weights(4, 3);
    let source = list.edge(0).0;
    let graph = LayeredGraph::from_edge_list(list.undirected(), &LayerOptions::default());
    let loaded = engine.load(&graph.expect("layering succeeds"));
    again_and_again(&loaded, &bundled::bfs::from_source(source, 0), times);
    again_and_again(&loaded, &bundled::reach::from_source(source, true), times);
    again_and_again(&loaded, &bundled::sssp::from_source(source, 0), times);
    again_and_again(&loaded, &bundled::sssp_f64::from_source(source, 0.0), times);
    again_and_again(&loaded, &bundled::widest::from_source(source, 50), times);
    again_and_again(&loaded, &bundled::Components, times);
}

/// Runs with the plan's schedule and with each that can be requested. All must give the same values as the first run.
fn again_and_again<P: EdgeProgram>(loaded: &LoadedGraph, program: &P, times: u32) {
    let first = loaded.run(program).expect("the run succeeds");
    let forced = ScheduleChoice::ALL.map(|choice| RunOptions::new().schedule(choice));
    for options in std::iter::once(RunOptions::new()).chain(forced) {
        for time in 1..=times {
            let outcome = match loaded.run_with(program, &options) {
                Ok(outcome) => outcome,
                Err(RunError::Plan(PlanError::Schedule { .. })) => break,
                Err(error) => panic!("{}, run {time}: {error}", P::MODEL.name),
            };
            let what = format!("{} by {:?}, run {time}", P::MODEL.name, outcome.stats().schedule);
            assert_same::<P>(
                outcome.read().expect("the values are readable").iter(),
                first.read().expect("the values are readable").iter().map(|(_, value)| value),
                &what,
            );
        }
    }
}

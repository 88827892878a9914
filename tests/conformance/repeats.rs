//! Many graphs, and the same one many times: what goes wrong once in a thousand runs. Both checks ask for fewer cases
//! where `PROPTEST_CASES` does, as under the emulated device, where a run takes 10 ms and more.

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

/// Edges in some shape. What a generator makes is told by its arguments.
#[derive(Clone, Debug)]
enum Shape {
    Listed(Vec<(u64, u64, u32)>),
    Rmat { scale: u32, factor: u32, seed: u64 },
    Grid { width: u32, height: u32, seed: u64 },
}

/// One graph, and where traversals start.
#[derive(Clone, Debug)]
struct Case {
    shape: Shape,
    both_ways: bool,
    /// Vertices without edges, after all others.
    isolated: u64,
    source: Index,
}

/// So many weights, with many ties.
fn weights(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(0u32..20, count)
}

/// Edges anywhere: loops, parallels and several components come by themselves, most of all where vertices are few.
fn scattered() -> impl Strategy<Value = Shape> {
    (1u64..120)
        .prop_flat_map(|n| proptest::collection::vec((0..n, 0..n, 0u32..20), 1..250))
        .prop_map(Shape::Listed)
}

/// A few vertices, and so many edges that most are parallel.
fn parallel() -> impl Strategy<Value = Shape> {
    (1u64..5)
        .prop_flat_map(|n| proptest::collection::vec((0..n, 0..n, 0u32..1000), 1..400))
        .prop_map(Shape::Listed)
}

/// A path, or a circle; forwards or backwards.
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

/// Hubs in a row, each with leaves of its own that point to it or away; one hub is a star.
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

/// Copies of one graph beside each other.
fn components() -> impl Strategy<Value = Shape> {
    let one =
        (2u64..12).prop_flat_map(|n| (Just(n), proptest::collection::vec((0..n, 0..n, 0u32..9), 1..20)));
    (one, 2u64..30).prop_map(|((n, edges), copies)| {
        let copy =
            |at: u64| edges.iter().map(move |&(from, to, weight)| (from + at * n, to + at * n, weight));
        Shape::Listed((0..copies).flat_map(copy).collect())
    })
}

/// Graphs of all shapes; a few of some thousand edges.
fn any_case() -> impl Strategy<Value = Case> {
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
    fn graph(&self) -> LayeredGraph {
        let weighted = |list: EdgeList, seed| list.with_random_weights(seed, 30);
        let list = match &self.shape {
            Shape::Listed(edges) => {
                let last = edges.iter().map(|edge| edge.0.max(edge.1)).max().unwrap_or(0);
                EdgeList::from_weighted_edges(edges.iter().copied())
                    .and_then(|list| list.with_vertices(0..last + 1 + self.isolated))
                    .expect("ids are in range")
            }
            &Shape::Rmat { scale, factor, seed } => {
                weighted(generate::rmat(scale, factor, seed).expect("an R-MAT graph"), seed)
            }
            &Shape::Grid { width, height, seed } => {
                weighted(generate::grid(width, height, seed).expect("a grid"), seed)
            }
        };
        let list = if self.both_ways { list.undirected() } else { list };
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("it can be layered")
    }
}

/// A graph that is run over, the engine it is loaded to, and the one that says what is right, if it is another.
struct Tried<'a> {
    graph: &'a LayeredGraph,
    loaded: LoadedGraph,
    other: Option<&'a Engine>,
}

impl Tried<'_> {
    /// The answer is the other engine's, or where there is none, that of `plainly`, by internal index.
    fn agrees<P: EdgeProgram>(&self, program: &P, plainly: impl FnOnce() -> Vec<Option<P::Value>>) {
        let name = P::MODEL.name;
        let outcome = self.loaded.run(program).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected: Vec<Option<P::Value>> = match self.other {
            Some(other) => {
                let right = other.run(self.graph, program).expect("the other engine runs");
                right.iter().map(|(_, value)| value).collect()
            }
            None => {
                let right = plainly();
                self.graph.by_rank().iter().map(|&v| right[v as usize]).collect()
            }
        };
        assert_same::<P>(outcome.iter(), expected.iter().copied(), name);
    }
}

fn assert_same<P: EdgeProgram>(
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

/// Six programs over a thousand graphs of all shapes, each by the schedule that the plan takes: a device's answers are
/// the CPU engine's, and the CPU engine's are the serial oracles'.
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
    let start = graph.vertex_of(source).expect("the source is a vertex");
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
        reference::run(graph, &over_wide_edges, u64::MAX).expect("it does not fault").0
    });
}

/// The same run fifty times, by every schedule that takes the program, over a graph with hubs where many ways are as
/// good as each other: whoever comes first, the values are the same.
pub(crate) fn the_same_graph_fifty_times(engine: &Engine) {
    let times = cases(50);
    // Where thousands of threads run at once, many of them shall meet at the same vertices.
    let scale = if engine.is_cuda() && times == 50 { 12 } else { 8 };
    let list = generate::rmat(scale, 8, 3).expect("an R-MAT graph").with_random_weights(4, 3);
    let source = list.edge(0).0;
    let graph = LayeredGraph::from_edge_list(list.undirected(), &LayerOptions::default());
    let loaded = engine.load(&graph.expect("it can be layered"));
    again_and_again(&loaded, &bundled::bfs::from_source(source, 0), times);
    again_and_again(&loaded, &bundled::reach::from_source(source, true), times);
    again_and_again(&loaded, &bundled::sssp::from_source(source, 0), times);
    again_and_again(&loaded, &bundled::sssp_f64::from_source(source, 0.0), times);
    again_and_again(&loaded, &bundled::widest::from_source(source, 50), times);
    again_and_again(&loaded, &bundled::Components, times);
}

/// Runs by the plan's schedule and by each that can be asked for; all give what the first run gave.
fn again_and_again<P: EdgeProgram>(loaded: &LoadedGraph, program: &P, times: u32) {
    let first = loaded.run(program).expect("it runs");
    let forced = ScheduleChoice::ALL.map(|choice| RunOptions::new().schedule(choice));
    for options in std::iter::once(RunOptions::new()).chain(forced) {
        for time in 1..=times {
            let outcome = match loaded.run_with(program, &options) {
                Ok(outcome) => outcome,
                Err(RunError::Plan(PlanError::Schedule { .. })) => break,
                Err(error) => panic!("{}, run {time}: {error}", P::MODEL.name),
            };
            let what = format!("{} by {:?}, run {time}", P::MODEL.name, outcome.stats().schedule);
            assert_same::<P>(outcome.iter(), first.iter().map(|(_, value)| value), &what);
        }
    }
}

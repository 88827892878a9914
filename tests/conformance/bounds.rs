//! Shortest paths in the narrowest type: symmetric graphs whose weights are so large that sums along the way overflow
//! 32 bits, unless messages beyond the bound of the plan are dropped. The reference computes in 64 bits.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{Direction, LayerOptions, LayeredGraph, LengthBound};
use wolfpath::prelude::*;
use wolfpath::{PlanError, RunError, ScheduleChoice, Sharing, programs as bundled};

/// Largest first value of a source.
const LATEST: u32 = 1000;

/// The same shape as the bundled program.
#[edge_program(combine = min, first = 0)]
fn travel_time(time: u32, weight: u32) -> u32 {
    weight + time
}

/// The same, against the direction of the edges.
#[edge_program(combine = min, first = 0, along = in)]
fn time_left(time: u32, weight: u32) -> u32 {
    time + weight
}

/// Does not use every edge, so a path may need more edges than the layers promise.
#[edge_program(combine = min, first = 0)]
fn without_heavy_edges(time: u32, weight: u32) -> Option<u32> {
    if weight < 1_000_000 { Some(time + weight) } else { None }
}

/// Adds something else than the weight.
#[edge_program(combine = min, first = 0)]
fn with_a_stop(time: u32, weight: u32) -> u32 {
    time + weight + 1
}

/// Keeps the longest sum.
#[edge_program(combine = max, first = 0)]
fn longest_time(time: u32, weight: u32) -> u32 {
    if time < 100 { time + weight } else { time }
}

/// Returns `value` scrambled.
fn hash(value: u64) -> u64 {
    let mixed = (value ^ value >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 32
}

/// Returns a graph with both directions of each edge, and with weights of which the largest is as large as the bound
/// allows. A third of the weights is the largest one if `mixed` is set, and all of them otherwise.
fn heavy(edges: &[(u64, u64)], root: u64, mixed: bool) -> LayeredGraph {
    let weighted = |weight: &dyn Fn(u64, u64) -> u32| {
        let both = edges.iter().filter(|edge| edge.0 != edge.1).flat_map(|&(a, b)| [(a, b), (b, a)]);
        let edges = both.map(|(a, b)| (a, b, weight(a.min(b), a.max(b))));
        let list = EdgeList::from_weighted_edges(edges).expect("the edges are valid");
        LayeredGraph::from_edge_list(list, &LayerOptions::new().root(root)).expect("the graph is valid")
    };
    let plain = weighted(&|_, _| 1);
    let layers = plain.root_layers().max(plain.num_layers() - plain.root_layers());
    let largest = (u32::MAX - LATEST) / (2 * (layers - 1) + 1);
    weighted(&|a, b| match hash(a << 32 | b) {
        draw if mixed && draw % 3 > 0 => draw as u32 % largest,
        _ => largest,
    })
}

/// A root, `spokes` vertices at a distance of `depth` from it, each on a path of its own, and a path through all of
/// them, on which sums grow beyond the bound.
fn wheel(spokes: u64, depth: u64) -> Vec<(u64, u64)> {
    let at = |spoke: u64, depth: u64| if depth == 0 { 0 } else { depth * spokes + spoke };
    let spoke = |spoke| (0..depth).map(move |depth| (at(spoke, depth), at(spoke, depth + 1)));
    let rim = (1..spokes).map(|spoke| (at(spoke - 1, depth), at(spoke, depth)));
    (0..spokes).flat_map(spoke).chain(rim).collect()
}

/// Returns the graphs, each with a source whose sums exceed the bound along the way.
fn graphs() -> Vec<(String, LayeredGraph, u64)> {
    let mut graphs = Vec::new();
    for (spokes, depth) in [(12, 1), (300, 1), (40, 2), (500, 2), (60, 4)] {
        for mixed in [false, true] {
            let graph = heavy(&wheel(spokes, depth), 0, mixed);
            graphs.push((format!("{spokes} spokes of {depth}, mixed {mixed}"), graph, depth * spokes));
        }
    }
    for seed in 0..6 {
        let edges: Vec<_> =
            (0..400).map(|at| (hash(seed << 20 | at) % 150, hash(seed << 20 | at << 10) % 150)).collect();
        graphs.push((format!("random edges {seed}"), heavy(&edges, edges[0].0, true), edges[0].0));
    }
    graphs
}

/// Returns the least sums over paths of at most `steps` edges, in ascending order of ids.
fn reference(graph: &LayeredGraph, sources: &[(u64, u32)], steps: u64) -> Vec<(u64, Option<u64>)> {
    let weights = graph.weights_as::<u64>(Direction::Out, false).expect("the weights fit");
    let rows = graph.out_edges();
    let mut sums = vec![None; graph.num_vertices() as usize];
    let improve = |held: &mut Option<u64>, sum: u64| {
        let improves = held.is_none_or(|held| sum < held);
        *held = if improves { Some(sum) } else { *held };
        improves
    };
    for &(id, first) in sources {
        improve(&mut sums[graph.vertex_of(id).expect("it is in the graph") as usize], first.into());
    }
    for _ in 0..steps {
        let before = sums.clone();
        let mut changed = false;
        for v in 0..graph.num_vertices() {
            let Some(sum) = before[v as usize] else { continue };
            for (&end, weight) in rows.row(v).iter().zip(&weights[rows.range(v)]) {
                changed |= improve(&mut sums[end as usize], sum + weight);
            }
        }
        if !changed {
            break;
        }
    }
    let mut by_id: Vec<_> = (0..).zip(sums).map(|(v, sum)| (graph.id_of(v), sum)).collect();
    by_id.sort_unstable();
    by_id
}

/// Returns the values of a run in 64 bits, in ascending order of ids.
fn widened<P: EdgeProgram<Value = u32>>(outcome: &Outcome<P>) -> Vec<(u64, Option<u64>)> {
    let values = outcome.read().expect("the values are readable");
    values.iter().map(|(id, value)| (id, value.map(u64::from))).collect()
}

/// Runs a program by every schedule, and compares the values with the reference.
fn check<P: EdgeProgram<Value = u32>>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    sources: &[(u64, u32)],
    name: &str,
) {
    let bound = engine.plan(graph, program, &RunOptions::new()).expect("the run can be planned").bound;
    assert!(bound.is_some_and(LengthBound::drops_messages), "{name}: {bound:?}");
    let loaded = engine.load(graph);
    for steps in [None, Some(1), Some(3), Some(7)] {
        let expected = reference(graph, sources, steps.unwrap_or(u64::MAX));
        let options = RunOptions::new().steps_at_most(steps);
        let mut ways = vec![options.clone(), options.clone().threads(1)];
        ways.extend(ScheduleChoice::ALL.map(|choice| options.clone().schedule(choice)));
        for options in ways {
            match loaded.run_with(program, &options) {
                Ok(outcome) => {
                    let schedule = outcome.stats().schedule;
                    assert!(widened(&outcome) == expected, "{name}: {steps:?} steps by {schedule:?}");
                }
                Err(RunError::Plan(PlanError::Schedule { .. })) => {}
                Err(error) => panic!("{name}, {options:?}: {error}"),
            }
        }
    }
}

pub(crate) fn sums_stay_within_the_bound(engine: &Engine) {
    for (name, graph, source) in graphs() {
        let last = graph.id_of(graph.num_vertices() - 1);
        check(engine, &graph, &bundled::sssp::starting_at(source), &[(source, 0)], &name);
        let sources = [(source, 5), (last, LATEST)];
        check(engine, &graph, &travel_time::from_sources(sources), &sources, &name);
        check(engine, &graph, &time_left::starting_at(last), &[(last, 0)], &name);
    }
}

pub(crate) fn bounded_runs_share_their_work(engine: &Engine) {
    for (name, graph, source) in graphs() {
        let firsts: Vec<[(u64, u32); 1]> =
            (0..5).map(|at| [(graph.id_of(at * 7919 % graph.num_vertices()), at * LATEST / 4)]).collect();
        let programs: Vec<_> = firsts
            .iter()
            .map(|&first| travel_time::from_sources(first))
            .chain([travel_time::starting_at(source)])
            .collect();
        let planned =
            engine.plan_many(&graph, &programs, &RunOptions::new()).expect("the runs can be planned");
        for part in planned {
            let bound = part.plan.bound.filter(|bound| bound.drops_messages()).expect("messages are dropped");
            let alone =
                engine.plan(&graph, &programs[5], &RunOptions::new()).expect("the run can be planned").bound;
            let first = bound.longest() - alone.expect("it starts with 0").longest();
            assert!(part.sharing != Sharing::Abreast || first == u64::from(LATEST), "{name}: {bound}");
        }
        let many = engine.load(&graph).run_many(&programs).expect("the runs succeed");
        for (run, first) in firsts.iter().enumerate() {
            let outcome = many.outcome(run).expect("the run is there");
            assert!(widened(&outcome) == reference(&graph, first, u64::MAX), "{name}: run {run}");
        }
    }
}

pub(crate) fn bounded_runs_find_paths(engine: &Engine) {
    for (name, graph, source) in graphs() {
        let expected = reference(&graph, &[(source, 0)], u64::MAX);
        let loaded = engine.load(&graph);
        let full = loaded.run(&bundled::sssp::starting_at(source)).expect("the run succeeds");
        for &(id, sum) in expected.iter().step_by(11) {
            let options = RunOptions::new().until_settled([id]);
            let settled =
                loaded.run_with(&bundled::sssp::starting_at(source), &options).expect("the run succeeds");
            assert_eq!(settled.value(id).expect("readable").map(u64::from), sum, "{name}: {id}");
            assert_eq!(settled.path_to(id), full.path_to(id), "{name}: {id}");
            let path = full.path_to(id).expect("paths can be found");
            assert_eq!(path.is_some(), sum.is_some(), "{name}: {id}");
        }
    }
}

pub(crate) fn bounds_are_planned(engine: &Engine) {
    fn bound<P: EdgeProgram>(engine: &Engine, graph: &LayeredGraph, program: &P) -> Option<LengthBound> {
        engine.plan(graph, program, &RunOptions::new()).expect("the run can be planned").bound
    }
    let graph = heavy(&wheel(12, 1), 0, false);
    let largest = (u32::MAX - LATEST) / 3;
    let expected = LengthBound::Layers { longest: u64::from(2 * largest), layers: 2 };
    assert_eq!(bound(engine, &graph, &travel_time::starting_at(12)), Some(expected));
    let late = LengthBound::Layers { longest: u64::from(2 * largest + 70), layers: 2 };
    assert_eq!(bound(engine, &graph, &travel_time::from_sources([(12, 70), (13, 2)])), Some(late));
    assert_eq!(bound(engine, &graph, &travel_time::from_sources([(12, u32::MAX / 2)])), None);
    let wide = bound(engine, &graph, &bundled::sssp_u64::starting_at(12));
    assert!(wide.is_none_or(|bound| !bound.drops_messages()), "64 bits need no dropping: {wide:?}");
    assert_eq!(bound(engine, &graph, &without_heavy_edges::starting_at(12)), None);
    assert_eq!(bound(engine, &graph, &with_a_stop::starting_at(12)), None);
    assert_eq!(bound(engine, &graph, &longest_time::starting_at(12)), None);
    assert_eq!(bound(engine, &graph, &bundled::bfs::starting_at(12)), None);
    let directed = [(0, 1, 1 << 31), (1, 2, 1 << 31), (2, 0, 5u32)];
    let directed = LayeredGraph::from_weighted_edges(directed).expect("the graph is valid");
    assert_eq!(bound(engine, &directed, &bundled::sssp::starting_at(0)), None);
    // The limits of 8 bits suffice, so the weights are not read.
    let simple = LengthBound::SimplePaths { longest: 2 * 255 };
    let light = LayeredGraph::from_weighted_edges([(0, 1, 4), (1, 2, 2u32)]).expect("the graph is valid");
    assert_eq!(bound(engine, &light, &bundled::sssp::starting_at(0)), Some(simple));
    let plan =
        engine.plan(&graph, &travel_time::starting_at(12), &RunOptions::new()).expect("it can be planned");
    assert!(plan.to_string().contains(&format!("values     {expected}\n")), "{plan}");
}

//! Graphs whose arrays are copied in many pieces, results that come back in pieces, and files that change.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::programs::backwards;
use wolfpath::graph::{LayerOptions, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::programs::{sssp, sssp_f64, sssp_u64};
use wolfpath::progress::{Observer, Progress, Stage};

/// Number of leaves of a star whose arrays are larger than the buffers that they pass through.
const LEAVES: u64 = 700_001;

/// Ids are not consecutive, so that they are not found by counting.
fn id(leaf: u64) -> u64 {
    3 * leaf + 7
}

/// Returns a star with these weights and edges from its hub, which has the largest id.
fn star<W: wolfpath::weights::WeightNumber>(weight: impl Fn(u64) -> W) -> LayeredGraph {
    let hub = id(LEAVES);
    LayeredGraph::from_weighted_edges((0..LEAVES).map(|leaf| (hub, id(leaf), weight(leaf))))
        .expect("the graph is valid")
}

/// Returns `false` if the engine's device is emulated without memory that can be page-locked. All copies must then pass
/// through ordinary memory, and runs must say so.
fn can_lock(engine: &Engine) -> bool {
    !engine.is_cuda() || std::env::var_os("WOLFPATH_EMULATOR_LOCKABLE").is_none_or(|bytes| bytes != "0")
}

/// Runs a program from the hub, and compares all values in every way of reading them.
fn agrees<P: EdgeProgram<Value: PartialEq + Default>>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    expected: impl Fn(u64) -> P::Value,
) {
    let outcome = engine.run(graph, program).expect("the run succeeds");
    let notes = &outcome.stats().notes;
    let is_noted = notes.iter().any(|note| note.contains("page-lock memory"));
    assert_eq!(is_noted, !can_lock(engine), "{notes:?}");
    let values = outcome.read().expect("the values can be read");
    assert_eq!(values.reached(), LEAVES + 1);
    let leaves = (0..LEAVES).map(|leaf| (id(leaf), Some(expected(leaf))));
    let all: Vec<_> = leaves.chain([(id(LEAVES), Some(P::Value::default()))]).collect();
    assert!(values.iter().eq(all.iter().copied()), "the values differ");
    assert!(values.to_vec() == all, "the values differ in parallel");
    let some = 123_456..123_466;
    assert!(values.ranks(some.clone()).eq(all[some.start as usize..some.end as usize].iter().copied()));
}

/// Weights of every width are converted while they are copied.
pub(crate) fn arrays_in_many_pieces(engine: &Engine) {
    let narrow = star(|leaf| (leaf % 1000) as u32);
    let hub = id(LEAVES);
    agrees(engine, &narrow, &sssp::starting_at(hub), |leaf| (leaf % 1000) as u32);
    agrees(engine, &narrow, &sssp_u64::starting_at(hub), |leaf| leaf % 1000);
    let wide = star(|leaf| leaf << 20);
    agrees(engine, &wide, &sssp_u64::starting_at(hub), |leaf| leaf << 20);
    agrees(engine, &wide, &sssp_f64::starting_at(hub), |leaf| (leaf << 20) as f64);
}

/// Random weights are computed while they are copied, or all before.
pub(crate) fn random_weights_in_many_pieces(engine: &Engine) {
    let graph = star(|_| 1u32).with_weights(WeightChoice::Random { seed: 5, max: 1 << 30 });
    let weights = graph.with_weights(WeightChoice::Random { seed: 5, max: 1 << 30 });
    let weights = weights.weights_as::<u32>(wolfpath::graph::Direction::Out, false).expect("they are u32");
    let rows = graph.out_edges();
    let first = graph.vertex_of(id(0)).expect("it is a leaf");
    let of_leaf = |leaf: u64| {
        let end = graph.vertex_of(id(leaf)).expect("it is a leaf");
        weights[rows.ends.binary_search(&end).expect("the hub leads to it")]
    };
    assert!(rows.ends.contains(&first));
    agrees(engine, &graph, &sssp::starting_at(id(LEAVES)), of_leaf);
}

/// Weights that fit in 8 or 16 bits are stored and copied so, in the order of out-rows or of in-rows, and are read as
/// numbers of any type.
pub(crate) fn weights_of_every_width(engine: &Engine) {
    for largest in [255, 256, 65_535, 65_536] {
        let graph = cycle(200, |at| (largest - at % 7) as u32);
        read_as_any_number(engine, &graph, |at| largest - at % 7);
        let graph = cycle(200, |_| 1).with_weights(WeightChoice::Random { seed: 3, max: largest as u32 });
        let row = |at: u64| graph.out_edges().range(graph.vertex_of(at).expect("it is on the cycle")).start;
        let weights = graph.weights().expect("the weights are random");
        read_as_any_number(engine, &graph, |at| weights.get(row(at)) as u64);
    }
}

/// Returns the directed cycle of these vertices, numbered from 0, with a weight for the edge out of each. Its in-rows have
/// the weights in another order than its out-rows.
fn cycle(vertices: u64, weight: impl Fn(u64) -> u32) -> LayeredGraph {
    let edges = (0..vertices).map(|at| (at, (at + 1) % vertices, weight(at)));
    LayeredGraph::from_weighted_edges(edges).expect("the graph is valid")
}

/// Compares the lengths of paths along the edges and against them, in every type of numbers that a program may read.
fn read_as_any_number(engine: &Engine, graph: &LayeredGraph, weight: impl Fn(u64) -> u64) {
    let last = u64::from(graph.num_vertices()) - 1;
    let longer = |length: &mut u64, at| Some(std::mem::replace(length, *length + weight(at)));
    let lengths: Vec<u64> = (0..=last).scan(0, longer).collect();
    let onward = |at: u64| lengths[at as usize];
    let back =
        |at: u64| if at == 0 { 0 } else { weight(last) + lengths[last as usize] - lengths[at as usize] };
    has_lengths(engine, graph, &sssp::starting_at(0), |at| onward(at) as u32);
    has_lengths(engine, graph, &sssp_u64::starting_at(0), onward);
    has_lengths(engine, graph, &sssp_f64::starting_at(0), |at| onward(at) as f64);
    has_lengths(engine, graph, &f32_lengths::starting_at(0), |at| onward(at) as f32);
    has_lengths(engine, graph, &i64_lengths::starting_at(0), |at| onward(at) as i64);
    has_lengths(engine, graph, &backwards::from_source(0, 0), back);
}

/// Shortest paths in signed numbers.
#[edge_program(combine = min, first = 0)]
fn i64_lengths(length: i64, weight: i64) -> i64 {
    length + weight
}

/// Shortest paths in single precision, which represents all lengths here exactly.
#[edge_program(combine = min, first = 0.0)]
fn f32_lengths(length: f32, weight: f32) -> f32 {
    length + weight
}

fn has_lengths<P: EdgeProgram<Value: PartialEq>>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    expected: impl Fn(u64) -> P::Value,
) {
    let values =
        engine.run(graph, program).and_then(|outcome| Ok(outcome.read()?)).expect("the run succeeds");
    assert!(values.iter().eq((0..values.reached()).map(|at| (at, Some(expected(at))))), "{}", P::MODEL.name);
    assert_eq!(values.reached(), u64::from(graph.num_vertices()));
}

/// The error names the first edge whose weight does not fit, whichever thread finds it.
pub(crate) fn weights_that_do_not_fit_are_named(engine: &Engine) {
    let graph = star(|leaf| if leaf % 100_000 == 99_999 { 1u64 << 40 } else { 1 });
    let error = engine.run(&graph, &sssp::starting_at(id(LEAVES))).expect_err("some weights do not fit");
    let first = (0..LEAVES).filter(|leaf| leaf % 100_000 == 99_999).map(|leaf| id(leaf).to_string());
    let message = error.to_string();
    assert!(message.contains("1099511627776") && first.take(1).all(|id| message.contains(&id)), "{message}");
}

/// A stage and the amount of work in it.
type Announced = (Stage, Option<u64>);

/// Counts what is announced and what is reported.
#[derive(Clone, Default)]
struct Counts {
    begun: Arc<Mutex<Vec<Announced>>>,
    advanced: Arc<AtomicU64>,
}

impl Observer for Counts {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        self.begun.lock().expect("no test panics").push((stage, total));
    }
    fn advance(&self, amount: u64) {
        self.advanced.fetch_add(amount, Relaxed);
    }
}

pub(crate) fn loading_is_told(engine: &Engine) {
    let counts = Counts::default();
    let options = RunOptions::new().progress(Progress::to(counts.clone()));
    let loaded = engine.load(&star(|leaf| leaf as u32));
    for _ in 0..2 {
        loaded.run_with(&sssp::starting_at(id(0)), &options).expect("the run succeeds");
    }
    let begun = counts.begun.lock().expect("no observer panics").clone();
    if !engine.is_cuda() {
        assert!(begun.is_empty(), "nothing is copied: {begun:?}");
        return;
    }
    let [(Stage::Load, Some(total))] = begun[..] else { panic!("a graph is loaded once: {begun:?}") };
    assert_eq!(counts.advanced.load(Relaxed), total);
}

pub(crate) fn changed_files_are_refused(engine: &Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("roads.wolf");
    LayeredGraph::from_edges([(17, 5), (5, 6)])
        .expect("the graph is valid")
        .write(&path)
        .expect("it is written");
    let graph = LayeredGraph::open_wolf(&path).expect("the file is valid");
    let loaded = engine.load(&graph);
    let program = wolfpath::programs::bfs::starting_at(17);
    loaded.run(&program).expect("the file is unchanged");
    let longer = [std::fs::read(&path).expect("it can be read"), vec![0; 10]].concat();
    std::fs::write(&path, longer).expect("it can be written");
    let error = engine.load(&graph).run(&program).expect_err("the file has changed");
    assert!(error.to_string().contains("roads.wolf: the file has changed since it was opened"), "{error}");
    // A file that replaces another does not change it.
    let again = LayeredGraph::from_edge_list(graph.to_edge_list(), &LayerOptions::default());
    again.expect("the graph is valid").write(&path).expect("it is written");
    let graph = LayeredGraph::open_wolf(&path).expect("the file is valid");
    LayeredGraph::from_edges([(1, 2)]).expect("the graph is valid").write(&path).expect("it is written");
    assert_eq!(engine.run(&graph, &program).expect("it is the old file").value(6), Ok(Some(2)));
}

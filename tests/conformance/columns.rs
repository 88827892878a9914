//! Weights that are structs, and named columns as plain weights, on every engine.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph, WeightChoice, WeightError};
use wolfpath::program::DatumKind;
use wolfpath::{PlanError, RunError, RunOptions, programs as bundled};
use wolfpath_core::random;

use crate::Tested;
use crate::checks::{agrees, compare};
use crate::column_programs::{earliest, tolls, wide};
use crate::reference;

/// Returns a pseudo-random number, the same in every run.
fn draw(line: u64, column: u64, bound: u32) -> u32 {
    random::below(bound, random::hash(line, column))
}

/// Returns pseudo-random edges, in which every vertex has at least one edge.
fn ends(vertices: u64, lines: u64) -> Vec<(u64, u64)> {
    let chain = (1..vertices).map(|v| (v - 1, v));
    let more = (0..lines)
        .map(|line| (u64::from(draw(line, 0, vertices as u32)), u64::from(draw(line, 1, vertices as u32))));
    chain.chain(more).collect()
}

fn layered(list: EdgeList) -> LayeredGraph {
    LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
}

/// Returns a directed timetable: edge, departure, duration.
fn timetable(vertices: u64, lines: u64) -> Vec<(u64, u64, (u32, u32))> {
    let ride = |line: u64| (200 + draw(line, 2, 1200), 1 + draw(line, 3, 90));
    ends(vertices, lines).into_iter().zip(0..).map(|((u, v), line)| (u, v, ride(line))).collect()
}

/// Computes arrivals by scanning all rides until nothing changes.
fn arrivals(rides: &[(u64, u64, (u32, u32))], vertices: u64) -> Vec<Option<u32>> {
    let mut arrivals: Vec<Option<u32>> = vec![None; vertices as usize];
    arrivals[0] = Some(300);
    loop {
        let before = arrivals.clone();
        for &(from, to, (departure, duration)) in rides {
            if arrivals[from as usize].is_some_and(|at| at <= departure) {
                let arrival = departure + duration;
                let held = &mut arrivals[to as usize];
                *held = Some(held.map_or(arrival, |held| held.min(arrival)));
            }
        }
        if arrivals == before {
            return arrivals;
        }
    }
}

pub(crate) fn earliest_arrival(engine: &Tested) {
    for (vertices, lines) in [(2, 0), (12, 40), (300, 3000), (2000, 40_000)] {
        let rides = timetable(vertices, lines);
        let edges = rides
            .iter()
            .map(|&(from, to, (departure, duration))| (from, to, earliest::Ride { departure, duration }));
        let list = EdgeList::from_rows(["departure", "duration"], edges).expect("the rides are valid");
        let outcome = engine.run(&layered(list), &earliest::Earliest {}).expect("the run succeeds");
        let expected = arrivals(&rides, vertices);
        for (id, arrival) in outcome.read().expect("the values are readable").iter() {
            assert_eq!(arrival, expected[id as usize], "vertex {id} of {vertices}");
        }
        // There is a path to the vertex exactly if it is reached.
        let last = vertices - 1;
        let path = outcome.path_to(last).expect("the program has paths");
        assert_eq!(path.is_some(), expected[last as usize].is_some());
    }
}

/// Adds pseudo-random columns of every type, those that the programs read.
fn with_columns(list: EdgeList) -> EdgeList {
    let many = list.num_lines();
    let column =
        |column: u64, bound: u32| -> Vec<u32> { (0..many).map(|line| draw(line, column, bound)).collect() };
    let signed = |at: u64| -> Vec<i64> { column(at, 41).into_iter().map(|n| i64::from(n) - 20).collect() };
    let flags = |at: u64| -> Vec<bool> { column(at, 5).into_iter().map(|n| n > 0).collect() };
    let halves = |at: u64| -> Vec<f32> { column(at, 64).into_iter().map(|n| n as f32 / 2.0).collect() };
    let tenths = |at: u64| -> Vec<f64> { column(at, 64).into_iter().map(|n| f64::from(n) / 10.0).collect() };
    list.with_column("lanes", &column(10, 4))
        .and_then(|list| list.with_column("length", &halves(11)))
        .and_then(|list| list.with_column("toll", &column(12, 2)))
        .and_then(|list| list.with_column("mass", &tenths(13)))
        .and_then(|list| list.with_column("delta", &signed(14)))
        .and_then(|list| list.with_column("open", &flags(15)))
        .and_then(|list| list.with_column("slow", &flags(16)))
        .and_then(|list| list.with_column("steep", &flags(17)))
        .and_then(|list| list.with_column("width", &halves(18)))
        .expect("the columns are valid")
}

pub(crate) fn structs_of_every_size(engine: &Tested) {
    for (vertices, lines) in [(9, 20), (200, 2500)] {
        for both_ways in [false, true] {
            let list = EdgeList::from_edges(ends(vertices, lines)).expect("the edges are valid");
            let list = with_columns(list);
            let graph = layered(if both_ways { list.undirected() } else { list });
            agrees(engine, &graph, &wide::Widest {}, "structs of 24 bytes");
            agrees(engine, &graph, &tolls::Tolls {}, "structs of 12 bytes");
        }
    }
}

/// Every edge has its reverse, but with other columns. Then other weights must not make the rows of both directions equal.
pub(crate) fn columns_by_direction_beside_other_weights(engine: &Tested) {
    let edges: Vec<_> = ends(200, 1500).into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect();
    let graph = layered(with_columns(EdgeList::from_edges(edges).expect("the edges are valid")));
    assert!(graph.is_input_symmetric() && !graph.is_symmetric());
    let (summed, _) = reference::run(&graph, &tolls::Tolls {}, 1000).expect("the reference does not fault");
    let (widest, _) = reference::run(&graph, &wide::Widest {}, 1000).expect("the reference does not fault");
    for choice in [WeightChoice::Unit, WeightChoice::Random { seed: 3, max: 50 }] {
        let other = graph.with_weights(choice);
        let loaded = engine.load(&other);
        let what = format!("columns beside weights {choice}");
        compare(&engine.run(&other, &tolls::Tolls {}).expect("the run succeeds"), &summed, &what);
        compare(&loaded.run(&wide::Widest {}).expect("the run succeeds"), &widest, &what);
        // The loaded graph still has the chosen weights for programs that read them.
        let distances = reference::run(&other, &bundled::sssp::from_source(0, 0), 1000);
        let (distances, _) = distances.expect("the reference does not fault");
        let outcome = loaded.run(&bundled::sssp::from_source(0, 0)).expect("the run succeeds");
        compare(&outcome, &distances, &what);
        compare(&loaded.run(&tolls::Tolls {}).expect("the run succeeds"), &summed, &what);
    }
}

pub(crate) fn columns_that_are_not_there(engine: &Tested) {
    let rows = [(0, 1, (400u32, 5u32)), (1, 2, (500, 6))];
    let graph = layered(EdgeList::from_rows(["departure", "length"], rows).expect("the edges are valid"));
    match engine.run(&graph, &earliest::Earliest {}) {
        Err(RunError::Plan(PlanError::Weights(WeightError::NoColumn { name, known }))) => {
            assert_eq!((name.as_str(), known.as_str()), ("duration", "the columns departure, length"));
        }
        other => panic!("expected a missing column, got {other:?}"),
    }
    let plain = LayeredGraph::from_edges([(0, 1)]).expect("the graph is valid");
    let error = engine.run(&plain, &earliest::Earliest {}).expect_err("the graph has no columns");
    assert!(error.to_string().contains("no columns"), "{error}");
    let rows = [(0, 1, (400.5, 5u32)), (1, 2, (500.0, 6))];
    let graph = layered(EdgeList::from_rows(["departure", "duration"], rows).expect("the edges are valid"));
    match engine.run(&graph, &earliest::Earliest {}) {
        Err(RunError::Plan(PlanError::Weights(WeightError::InexactColumn {
            column,
            source_id,
            value,
            to,
            ..
        }))) => {
            let expected = ("departure", 0, "400.5", DatumKind::U32);
            assert_eq!((column.as_str(), source_id, value.as_str(), to), expected);
        }
        other => panic!("expected a number that does not fit, got {other:?}"),
    }
    let options = RunOptions::new().lossy_weights(true);
    let outcome = engine.run_with(&graph, &earliest::Earliest {}, &options).expect("rounding is allowed");
    assert_eq!(outcome.value(2).expect("the vertex exists"), Some(506));
}

pub(crate) fn a_column_as_the_weight(engine: &Tested) {
    let rows = [(0, 1, (4u32, 50u32)), (1, 2, (5, 6)), (0, 2, (20, 7))];
    let graph = layered(EdgeList::from_rows(["length", "toll"], rows).expect("the edges are valid"));
    let program = bundled::sssp::from_source(0, 0);
    match engine.run(&graph, &program) {
        Err(RunError::Plan(PlanError::Weights(WeightError::WhichColumn { .. }))) => {}
        other => panic!("expected the error that no weight column was chosen, got {other:?}"),
    }
    let loaded = engine.load(&graph);
    let distance = |column: &str| {
        let options = RunOptions::new().weight_column(column);
        loaded.run_with(&program, &options).map(|outcome| outcome.value(2).expect("the vertex exists"))
    };
    // Several columns on the same loaded graph, to check that they are not mixed up.
    for _ in 0..2 {
        assert_eq!(distance("length").expect("the run succeeds"), Some(9));
        assert_eq!(distance("toll").expect("the run succeeds"), Some(7));
    }
    let both = [program.clone(), bundled::sssp::from_source(1, 0)];
    for (column, farthest) in [("length", 9), ("toll", 7)] {
        let options = RunOptions::new().weight_column(column);
        let many = loaded.run_many_with(&both, &options).expect("the runs succeed");
        assert_eq!(
            many.outcome(0).expect("the run has an outcome").value(2).expect("the vertex exists"),
            Some(farthest)
        );
    }
    assert!(distance("width").is_err_and(|error| error.to_string().contains("length, toll")));
    // Programs without weights do not need a column name.
    assert!(engine.run(&graph, &bundled::bfs::from_source(0, 0)).is_ok());
}

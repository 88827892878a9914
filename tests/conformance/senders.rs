//! Programs that decide who sends and who computes, over graphs of one vertex to several words of vertices.

use wolfpath::edge_list::EdgeList;
use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{End, RunError, RunOptions};

use crate::Tested;
use crate::checks::compare;
use crate::reference;
use crate::sender_programs::{
    all_gathered, all_pushed, awake_gathered, awake_pushed, eager, failing, gathered, late_senders,
    odd_senders, pushed, talkative,
};

/// Returns graphs of one vertex, of a few, and of several words of vertices, with names.
pub(crate) fn graphs() -> Vec<(&'static str, LayeredGraph)> {
    let layered = |list: EdgeList| {
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    };
    let edges = |edges: Vec<(u64, u64)>| EdgeList::from_edges(edges).expect("the edges are valid");
    let sparse = generate::random(3_000, 2, 3).expect("the random graph is valid");
    let rmat = generate::rmat(8, 4, 5).expect("the R-MAT graph is valid");
    vec![
        ("no vertices", layered(edges(Vec::new()))),
        ("one loop", layered(edges(vec![(0, 0)]))),
        ("few", layered(edges(vec![(0, 1), (1, 2), (2, 0), (3, 1), (4, 4)]))),
        ("star", layered(edges((1..400).map(|leaf| (0, leaf)).collect()))),
        ("isolated vertices", layered(edges(vec![(0, 70), (70, 0)]).with_vertices(0..200).expect("few"))),
        ("sparse", layered(sparse)),
        ("R-MAT 8", layered(rmat)),
    ]
}

pub(crate) fn agrees<P: EdgeProgram + std::fmt::Debug>(
    engine: &Tested,
    graph: &LayeredGraph,
    program: &P,
    name: &str,
) {
    for (steps, threads) in [(1, 1), (2, 2), (9, 1), (9, 3)] {
        let expected = reference::ran(graph, program, steps).expect("the reference does not fault");
        let options = RunOptions::new().steps_at_most(steps).threads(threads);
        let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
        let name = format!("{} on {name}, {program:?}", P::MODEL.name);
        compare(&outcome, &expected.values, &name);
        assert_eq!((outcome.steps(), outcome.end()), (expected.steps, expected.end), "{name}");
        assert!(outcome.aggregate().same(expected.aggregate), "fold of {name}: {:?}", outcome.aggregate());
    }
}

/// Runs a program without a limit of its steps.
fn ends<P: EdgeProgram + std::fmt::Debug>(engine: &Tested, graph: &LayeredGraph, program: &P, name: &str) {
    let name = format!("{name}, {program:?}");
    let (expected, taken) = reference::run(graph, program, 100).expect("the reference does not fault");
    for options in crate::with_pauses(RunOptions::new()) {
        let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
        compare(&outcome, &expected, &name);
        assert_eq!((outcome.steps(), outcome.end()), (taken, End::Fixpoint), "{name}");
        assert!(outcome.path_to(0).is_err(), "{name}");
    }
}

pub(crate) fn senders_settle(engine: &Tested) {
    for (name, graph) in graphs() {
        ends(engine, &graph, &odd_senders::OddSenders, name);
        ends(engine, &graph, &talkative::Talkative, name);
        ends(engine, &graph, &late_senders::LateSenders, name);
    }
}

/// A program that never halts exceeds its limit. Faults in `sends` and `halts` name their vertices.
pub(crate) fn senders_fail(engine: &Tested) {
    let path = LayeredGraph::from_edges([(10, 11), (11, 12)]).expect("the graph is valid");
    let options = RunOptions::new().max_steps(30);
    let run = |sends, halts| engine.run_with(&path, &failing::Failing { sends, halts }, &options);
    let message = |sends, halts| run(sends, halts).expect_err("the run fails").to_string();
    assert!(matches!(run(u64::MAX, u64::MAX), Err(RunError::Overrun { max_steps: 30, .. })));
    let sends = message(11, u64::MAX);
    assert!(sends.contains("vertex 11") && sends.contains("the sender is known"), "{sends}");
    let halts = message(u64::MAX, 12);
    assert!(halts.contains("vertex 12") && halts.contains("it may halt"), "{halts}");
}

pub(crate) fn senders_agree(engine: &Tested) {
    for (name, graph) in graphs() {
        agrees(engine, &graph, &eager::Eager, name);
        for (sends, halts, starts) in [(1, 2, 1), (2, 3, 1), (3, 1, 5), (0, 2, 3), (7, 0, 1)] {
            agrees(engine, &graph, &pushed::Mixing { sends, halts, starts }, name);
            agrees(engine, &graph, &gathered::Mixing { sends, halts, starts }, name);
            agrees(engine, &graph, &awake_pushed::Mixing { sends, halts, starts }, name);
            agrees(engine, &graph, &awake_gathered::Mixing { sends, halts, starts }, name);
            agrees(engine, &graph, &all_pushed::Mixing { sends, halts, starts }, name);
            agrees(engine, &graph, &all_gathered::Mixing { sends, halts, starts }, name);
        }
    }
}

//! Edges' steps, folds, directions and places, over graphs with self-loops, parallel edges, both directions of edges,
//! and ids in another order than the rows.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::{EdgeProgram, Model};
use wolfpath::testing::check_program;
use wolfpath::{RunOptions, ScheduleChoice, generate};

use crate::Tested;
use crate::checks::compare;
use crate::edge_programs::{
    against, both_all, both_pushed, direction_gathered, fold_all, fold_pushed, place_all, place_frequent,
    place_gathered, place_in, place_neighbours, place_oriented, place_pushed, reached, step_gathered,
    step_pushed, turns,
};
use crate::reference;

/// Returns directed and symmetric graphs, with names.
fn graphs() -> Vec<(&'static str, LayeredGraph)> {
    let layered = |list: EdgeList| {
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    };
    let edges = |edges: Vec<(u64, u64)>| layered(EdgeList::from_edges(edges).expect("the edges are valid"));
    let wheel = (1..300).flat_map(|rim| [(rim, 400), (rim, rim % 299 + 1), (400, rim), (rim, rim)]);
    let both = |edges: &[(u64, u64)]| edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    let parallel =
        [(4u64, 1u64, 7u32), (1, 4, 2), (4, 1, 3), (1, 2, 5), (2, 4, 1), (2, 2, 9), (9, 2, 4), (4, 1, 1)];
    // Each pair has the same weights in both directions, but not in the same order.
    let crossed = [(1u64, 2u64, 5u32), (1, 2, 7), (2, 1, 7), (2, 1, 5), (2, 4, 1), (4, 2, 1), (4, 4, 3)];
    vec![
        (
            "parallel edges in another order",
            LayeredGraph::from_weighted_edges(crossed).expect("they are valid"),
        ),
        ("no vertices", edges(Vec::new())),
        ("a square with a diagonal", edges(both(&[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]))),
        (
            "loops and parallel edges",
            LayeredGraph::from_weighted_edges(parallel).expect("the edges are valid"),
        ),
        ("wheel", edges(wheel.collect())),
        ("R-MAT 8", layered(generate::rmat(8, 8, 5).expect("the R-MAT graph is valid"))),
        ("directed R-MAT 8", layered(generate::rmat_directed(8, 6, 9).expect("the R-MAT graph is valid"))),
    ]
}

/// Compares a program with the reference, by every schedule that can run it, for these numbers of steps.
fn agrees<P: EdgeProgram>(engine: &Tested, program: &P, limits: &[u64]) {
    for (name, graph) in graphs() {
        let loaded = engine.load(&graph);
        let choices = ScheduleChoice::ALL.map(Some).into_iter().chain([None]);
        for (choice, &steps) in choices.flat_map(|choice| limits.iter().map(move |steps| (choice, steps))) {
            let (expected, _) = reference::run(&graph, program, steps.min(1000)).expect("nothing faults");
            let mut options = RunOptions::new().threads(1 + (steps % 2) as usize);
            options = if steps == u64::MAX { options } else { options.steps_at_most(steps) };
            options = choice.map_or(options.clone(), |choice| options.schedule(choice));
            let name = format!("{}, {name}, {choice:?}, {steps} steps", Model::of::<P>().name);
            match loaded.run_with(program, &options) {
                Ok(outcome) => compare(&outcome, &expected, &name),
                Err(error) => {
                    assert!(error.to_string().contains("schedule") && choice.is_some(), "{name}: {error}");
                }
            }
        }
    }
}

/// Programs never reach a fixpoint, so all runs end after some steps.
const FEW: [u64; 2] = [1, 4];

/// The step and the fold are those of the step in which a message is sent.
pub(crate) fn moments_agree(engine: &Tested) {
    agrees(engine, &step_pushed::Mixing { seed: 1 }, &FEW);
    agrees(engine, &step_gathered::Mixing { seed: 2 }, &FEW);
    agrees(engine, &fold_pushed::Mixing { seed: 3 }, &FEW);
    agrees(engine, &fold_all::Mixing { seed: 4 }, &FEW);
    agrees(engine, &reached::Reached { from: 4 }, &[2, u64::MAX]);
    check_program(&step_pushed::Mixing { seed: 5 }).expect("the program keeps all laws");
}

/// Places ascend with the ids of receivers, whichever rows a run visits.
pub(crate) fn places_agree(engine: &Tested) {
    agrees(engine, &place_pushed::Mixing { seed: 1 }, &FEW);
    agrees(engine, &place_in::Mixing { seed: 2 }, &FEW);
    agrees(engine, &place_gathered::Mixing { seed: 3 }, &FEW);
    agrees(engine, &place_all::Mixing { seed: 4 }, &FEW);
    agrees(engine, &place_frequent::Mixing { seed: 5 }, &FEW);
    agrees(engine, &place_neighbours::Mixing { seed: 6 }, &FEW);
    agrees(engine, &place_oriented::Mixing { seed: 7 }, &FEW);
    check_program(&place_pushed::Mixing { seed: 8 }).expect("the program keeps all laws");
}

/// Values that depend on places may be seen early, also together with weights.
pub(crate) fn places_in_place(engine: &Tested) {
    agrees(engine, &turns::Turns { from: 4 }, &[2, u64::MAX]);
    let (_, graph) = &graphs()[3];
    let outcome = engine.run(graph, &turns::Turns { from: 4 }).expect("the run succeeds");
    // 4 has three edges to 1, in the order of the input: 0 + 7, 1 + 3 and 2 + 1.
    assert_eq!(outcome.value(1).expect("1 is a vertex"), Some(3));
}

/// Messages against the direction of an edge are told apart from those along it.
pub(crate) fn directions_of_messages(engine: &Tested) {
    agrees(engine, &both_pushed::Mixing { seed: 1 }, &FEW);
    agrees(engine, &both_all::Mixing { seed: 2 }, &FEW);
    agrees(engine, &direction_gathered::Mixing { seed: 3 }, &FEW);
    agrees(engine, &against::Against { from: 4 }, &[2, u64::MAX]);
    let graph = LayeredGraph::from_edges([(1, 2), (3, 2), (3, 4), (5, 4)]).expect("the edges are valid");
    let outcome = engine.run(&graph, &against::Against { from: 1 }).expect("the run succeeds");
    assert_eq!(outcome.value(5).expect("5 is a vertex"), Some(2));
}

/// A path follows the edges whose places gave the value.
pub(crate) fn places_on_paths(engine: &Tested) {
    let graph = LayeredGraph::from_weighted_edges([(1, 9, 5u32), (1, 2, 5), (2, 3, 1), (9, 3, 1)])
        .expect("the edges are valid");
    let outcome = engine.run(&graph, &turns::Turns { from: 1 }).expect("the run succeeds");
    assert_eq!(outcome.path_to(3).expect("3 is reached"), Some(vec![1, 2, 3]));
    let outcome = engine.run(&graph, &reached::Reached { from: 1 }).expect("the run succeeds");
    assert!(outcome.path_to(3).is_err(), "messages depended on the step");
}

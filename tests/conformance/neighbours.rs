//! Programs whose messages travel between distinct neighbours, over graphs with self-loops, parallel edges, both
//! directions of edges, and vertices of large degree.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::EdgeProgram;
use wolfpath::testing::check_program;
use wolfpath::{RunOptions, Schedule, ScheduleChoice, generate, oracle};

use crate::Tested;
use crate::checks::compare;
use crate::neighbour_programs::{
    all, all_plain, clustering, gathered, hops, least_edges, least_later, least_neighbours, oriented,
    oriented_all, parts, pushed, pushed_edges, triangles,
};
use crate::reference;

/// Returns directed and symmetric graphs, with names.
fn graphs() -> Vec<(&'static str, LayeredGraph)> {
    let layered = |list: EdgeList| {
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    };
    let edges = |edges: Vec<(u64, u64)>| EdgeList::from_edges(edges).expect("the edges are valid");
    let wheel = (1..300).flat_map(|rim| [(rim, 0), (rim, rim % 299 + 1), (0, rim), (rim, rim)]);
    let both = |edges: &[(u64, u64)]| edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    vec![
        ("no vertices", layered(edges(Vec::new()))),
        ("one loop", layered(edges(vec![(0, 0)]))),
        ("a square with a diagonal", layered(edges(both(&[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])))),
        (
            "loops and parallel edges",
            layered(edges(vec![(4, 1), (1, 4), (4, 1), (1, 2), (2, 4), (2, 2), (9, 2)])),
        ),
        ("wheel", layered(edges(wheel.collect()))),
        ("sparse", layered(generate::random(700, 6, 3).expect("the random graph is valid"))),
        ("R-MAT 8", layered(generate::rmat(8, 8, 5).expect("the R-MAT graph is valid"))),
        ("directed R-MAT 8", layered(generate::rmat_directed(8, 6, 9).expect("the R-MAT graph is valid"))),
    ]
}

/// Compares a program with the reference, by every schedule that can run it, for a few steps and without a limit.
fn agrees<P: EdgeProgram>(engine: &Tested, program: &P, limited: bool) {
    for (name, graph) in graphs() {
        let loaded = engine.load(&graph);
        let choices = ScheduleChoice::ALL.map(Some).into_iter().chain([None]);
        for (choice, steps) in choices.flat_map(|choice| [1, 3, u64::MAX].map(|steps| (choice, steps))) {
            if limited && steps == u64::MAX {
                continue;
            }
            let (expected, _) = reference::run(&graph, program, steps.min(1000)).expect("nothing faults");
            let mut options = RunOptions::new().threads(1 + (steps % 2) as usize);
            options = if steps == u64::MAX { options } else { options.steps_at_most(steps) };
            options = choice.map_or(options.clone(), |choice| options.schedule(choice));
            match loaded.run_with(program, &options) {
                Ok(outcome) => compare(&outcome, &expected, &format!("{name}, {choice:?}, {steps} steps")),
                Err(error) => assert!(error.to_string().contains("schedule") && choice.is_some(), "{error}"),
            }
        }
    }
}

pub(crate) fn neighbours_pushed_and_gathered(engine: &Tested) {
    agrees(engine, &pushed::Mixing { seed: 1 }, true);
    agrees(engine, &pushed_edges::Mixing { seed: 2 }, true);
    agrees(engine, &gathered::Mixing { seed: 3 }, true);
    agrees(engine, &all::Mixing { seed: 4 }, true);
    agrees(engine, &all_plain::Mixing { seed: 5 }, true);
}

pub(crate) fn neighbours_in_place(engine: &Tested) {
    agrees(engine, &least_neighbours::Least { every: 50 }, false);
    agrees(engine, &least_edges::Least { every: 20 }, false);
    agrees(engine, &least_later::Least { every: 5 }, false);
    agrees(engine, &parts::Parts, false);
}

pub(crate) fn neighbours_oriented(engine: &Tested) {
    agrees(engine, &oriented::Mixing { seed: 6 }, true);
    agrees(engine, &oriented_all::Mixing { seed: 7 }, true);
}

/// Clustering coefficients and triangles, compared with the oracles. All programs pass `check_program`.
pub(crate) fn clustering_and_triangles(engine: &Tested) {
    for (name, graph) in graphs() {
        let loaded = engine.load(&graph);
        let (out, inward) = (graph.out_edges(), graph.in_edges().expect("memory suffices"));
        let outcome = loaded.run(&clustering::Clustering).expect("the run succeeds");
        let expected: Vec<_> = oracle::clustering(out, inward).into_iter().map(Some).collect();
        compare(&outcome, &expected, name);
        let outcome = loaded.run(&triangles::Triangles).expect("the run succeeds");
        let total: u64 =
            outcome.read().expect("the values are there").iter().filter_map(|(_, triangles)| triangles).sum();
        assert_eq!(total, oracle::triangles(out, inward), "{name}");
        assert_eq!(outcome.stats().schedule, Schedule::Pull);
        assert_eq!(outcome.graph().num_edges(), graph.num_edges(), "the graph is the one that was run");
    }
    check_program(&clustering::Clustering).expect("clustering");
    check_program(&triangles::Triangles).expect("triangles");
    check_program(&least_edges::Least { every: 2 }).expect("least edges");
    check_program(&gathered::Mixing { seed: 1 }).expect("gathered");
}

/// Paths lead along neighbours, in either direction of an edge; many runs share them.
pub(crate) fn paths_between_neighbours(engine: &Tested) {
    let graph = LayeredGraph::from_edges([(1, 2), (3, 2), (3, 4), (5, 5)]).expect("the graph is valid");
    let loaded = engine.load(&graph);
    let outcome = loaded.run(&hops::starting_at(1)).expect("the run succeeds");
    assert_eq!(outcome.path_to(4).expect("paths exist"), Some(vec![1, 2, 3, 4]));
    assert_eq!(outcome.value(5).expect("the vertex exists"), None);
    let many = loaded.run_many(&[1, 4, 5].map(hops::starting_at)).expect("the runs succeed");
    assert_eq!(many.stats().shared, 3);
    for (at, (vertex, distance)) in [(4, 3), (1, 3), (5, 0)].into_iter().enumerate() {
        let outcome = many.outcome(at).expect("the outcome exists");
        assert_eq!(outcome.value(vertex).expect("the vertex exists"), Some(distance));
    }
    let plan = engine.plan(&graph, &clustering::Clustering, &RunOptions::new()).expect("a plan exists");
    assert_eq!(plan.graph.edges, 6, "each pair of neighbours counts twice, and the loop does not count");
    assert_eq!(plan.reads.to_string(), "edge.common_edges (counts), vertex.neighbours (degrees)");
}

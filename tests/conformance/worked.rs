//! The example programs of the guide, on every engine, and the laws that they must keep.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::{EdgeProgram, PerVertex, VertexSet};
use wolfpath::testing::check_program;
use wolfpath::{RunError, RunOptions};
use wolfpath_core::random;

use crate::Tested;
use crate::checks::agrees;
use crate::reference;
use crate::worked_programs as worked;

/// Returns the edges of a pseudo-random graph. If `ascending`, they lead to larger ids, so that the graph is acyclic.
fn edges(seed: u64, vertices: u32, count: u64, ascending: bool) -> Vec<(u64, u64, u32)> {
    let draw = |line, part, bound| u64::from(random::below(bound, random::hash(seed + part, line)));
    let edge = |line| (draw(line, 1, vertices), draw(line, 2, vertices), draw(line, 3, 20) as u32);
    (0..count)
        .map(edge)
        .filter(|(u, v, _)| !ascending || u != v)
        .map(|(u, v, w)| if ascending { (u.min(v), u.max(v), w) } else { (u, v, w) })
        .collect()
}

fn graphs(ascending: bool) -> impl Iterator<Item = LayeredGraph> {
    [(2u32, 3u64), (10, 25), (60, 200), (900, 5000)].into_iter().zip(1..).map(
        move |((vertices, count), seed)| {
            LayeredGraph::from_weighted_edges(edges(seed * 100, vertices, count, ascending))
                .expect("the graph is valid")
        },
    )
}

/// Checks a program against the reference over several graphs, and checks its laws.
fn sound<P: EdgeProgram>(engine: &Tested, program: &P) {
    check_program(program).unwrap_or_else(|found| panic!("{found}"));
    for graph in graphs(false) {
        agrees(engine, &graph, program, P::MODEL.name);
    }
}

/// Returns the smallest id of a graph.
fn first(graph: &LayeredGraph) -> u64 {
    (0..).find(|&id| graph.vertex_of(id).is_some()).expect("the vertex exists")
}

pub(crate) fn worked_paths(engine: &Tested) {
    for graph in graphs(false) {
        let source = first(&graph);
        agrees(engine, &graph, &worked::widest_path::from_source(source, f32::INFINITY), "widest path");
        agrees(engine, &graph, &worked::reliability::from_source(source, 1.0), "reliability");
        agrees(engine, &graph, &worked::hops_left::from_source(source, 3), "hops left");
        agrees(engine, &graph, &worked::fewest::FewestHops { from: source }, "fewest hops");
    }
    check_program(&worked::widest_path::from_source(0, f32::INFINITY)).expect("widest path");
    check_program(&worked::reliability::from_source(0, 1.0)).expect("reliability");
    check_program(&worked::hops_left::from_source(0, 3)).expect("hops left");
    check_program(&worked::fewest::FewestHops { from: 0 }).expect("fewest hops");
}

pub(crate) fn worked_nearest_sources(engine: &Tested) {
    for graph in graphs(false) {
        let ids: Vec<u64> =
            (0..graph.num_vertices()).map(|v| graph.id_of(v)).filter(|id| id % 3 == 0).collect();
        let program = worked::nearest::NearestSources { sources: VertexSet::from_ids(ids) };
        agrees(engine, &graph, &program, "nearest sources");
    }
    let program = worked::nearest::NearestSources { sources: VertexSet::from_ids([0, 1]) };
    check_program(&program).expect("nearest sources");
}

pub(crate) fn worked_labels(engine: &Tested) {
    for graph in graphs(false) {
        let program = worked::labels::Propagation {
            seeds: PerVertex::from_fn(|id| if id % 5 == 0 { (id % 8) as u32 } else { u32::MAX }),
        };
        let (wanted, _) = reference::run(&graph, &program, 9).expect("no operation faults");
        let outcome =
            engine.run_with(&graph, &program, &RunOptions::new().steps_at_most(9)).expect("the run succeeds");
        for (vertex, wanted) in (0u32..).zip(wanted) {
            assert_eq!(
                outcome.value(graph.id_of(vertex)).expect("the vertex exists"),
                wanted,
                "vertex {vertex}"
            );
        }
    }
}

pub(crate) fn worked_colours(engine: &Tested) {
    sound(engine, &worked::bipartite::TwoColours);
    let odd = LayeredGraph::from_edges([(0, 1), (1, 2), (2, 0), (5, 6), (6, 7)]).expect("the graph is valid");
    let outcome = engine.run(&odd, &worked::bipartite::TwoColours).expect("the run succeeds");
    let sides = |id| outcome.value(id).expect("the vertex exists").expect("every vertex has a value").sides;
    assert_eq!([0, 1, 2, 5, 6, 7].map(sides), [3, 3, 3, 1, 2, 1]);
}

pub(crate) fn worked_longest_paths(engine: &Tested) {
    for graph in graphs(true) {
        agrees(engine, &graph, &worked::longest::LongestPath, "longest path");
    }
    let cycle =
        LayeredGraph::from_weighted_edges([(0, 1, 1u32), (1, 2, 1), (2, 1, 1)]).expect("the graph is valid");
    match engine.run(&cycle, &worked::longest::LongestPath) {
        Err(RunError::Overrun { .. }) => {}
        other => panic!("expected an overrun, got {other:?}"),
    }
}

pub(crate) fn worked_arrivals(engine: &Tested) {
    let rides = edges(7, 50, 400, false).into_iter().map(|(from, to, weight)| {
        (
            from,
            to,
            worked::arrival::Ride { departure: weight * 7 + (from as u32 % 5), duration: 1 + weight % 4 },
        )
    });
    let list = EdgeList::from_rows(["departure", "duration"], rides).expect("the rides are valid");
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds");
    let program = worked::arrival::EarliestArrival { from: first(&graph), at: 5 };
    agrees(engine, &graph, &program, "earliest arrival");
    check_program(&program).expect("earliest arrival");
}

pub(crate) fn worked_personal_ranks(engine: &Tested) {
    for graph in graphs(false) {
        let home: Vec<u64> = (0..graph.num_vertices()).map(|v| graph.id_of(v)).take(2).collect();
        let program = worked::personalised::Personalised {
            damping: 0.85,
            tolerance: 1e-9,
            homes: home.len() as u32,
            home: VertexSet::from_ids(home),
        };
        let (wanted, _) = reference::run(&graph, &program, 10_000).expect("no operation faults");
        let outcome = engine.run(&graph, &program).expect("the run succeeds");
        let mut sum = 0.0;
        for (vertex, wanted) in (0u32..).zip(wanted) {
            let (rank, wanted) = (
                outcome.value(graph.id_of(vertex)).expect("the vertex exists"),
                wanted.expect("the vertex has a rank"),
            );
            let rank = rank.expect("every vertex has a rank");
            assert!((rank - wanted).abs() <= 1e-7, "vertex {vertex}: {rank}, not {wanted}");
            sum += rank;
        }
        assert!((sum - 1.0).abs() < 1e-6, "the sum of the ranks is {sum}");
    }
}

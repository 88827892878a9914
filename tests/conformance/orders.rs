//! Programs with a `priority`, over graphs of one vertex to several words of vertices.

use wolfpath::graph::LayeredGraph;
use wolfpath::program::EdgeProgram;
use wolfpath::{End, RunError, RunOptions, ScheduleChoice, StepKind, generate, oracle};

use crate::Tested;
use crate::checks::compare;
use crate::order_programs::{both_ways, cores, failing, gathered, pushed, stepping};
use crate::reference;
use crate::senders::{agrees, graphs};

/// Programs that mix values agree with the reference after any number of steps. In the complete graph, every step
/// changes the priorities of all vertices, so most entries of the worklist are out of date.
pub(crate) fn orders_agree(engine: &Tested) {
    let pairs = (0..40).flat_map(|one| (0..40).map(move |other| (one, other)));
    let complete = LayeredGraph::from_edges(pairs).expect("the graph is valid");
    for (name, graph) in graphs().into_iter().chain([("complete graph", complete)]) {
        for (levels, starts) in [(1, 1), (2, 3), (7, 1), (40, 2), (1_000, 1), (0, 5)] {
            agrees(engine, &graph, &pushed::Ordered { levels, starts }, name);
            agrees(engine, &graph, &gathered::Ordered { levels, starts }, name);
            agrees(engine, &graph, &both_ways::Ordered { levels, starts }, name);
        }
    }
}

/// Runs a program until no vertex waits, with every schedule that it allows. Returns the values by internal index.
fn settles<P: EdgeProgram + std::fmt::Debug>(
    engine: &Tested,
    graph: &LayeredGraph,
    program: &P,
    name: &str,
) -> reference::Values<P> {
    let name = format!("{name}, {program:?}");
    let (expected, taken) = reference::run(graph, program, 10_000).expect("the reference does not fault");
    let threads = RunOptions::new().threads(3);
    let pulled = RunOptions::new().schedule(ScheduleChoice::Pull);
    for options in crate::with_pauses(RunOptions::new()).into_iter().chain([threads, pulled]) {
        let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
        compare(&outcome, &expected, &name);
        assert_eq!((outcome.steps(), outcome.end()), (taken, End::Fixpoint), "{name}");
    }
    // A run that is cut off exactly at its end has reached the fixpoint; one that is cut off before has not.
    for (steps, end) in [(taken, End::Fixpoint), (taken.saturating_sub(1), End::Steps)] {
        if steps > 0 {
            let options = RunOptions::new().steps_at_most(steps);
            let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
            assert_eq!((outcome.steps(), outcome.end()), (steps, end), "{name}");
        }
    }
    expected
}

pub(crate) fn orders_settle(engine: &Tested) {
    let mut graphs = graphs();
    let list = generate::rmat(9, 12, 3).expect("the R-MAT graph is valid");
    let denser = LayeredGraph::from_edge_list(list, &Default::default()).expect("layering succeeds");
    graphs.push(("R-MAT 9", denser));
    for (name, graph) in graphs {
        let values = settles(engine, &graph, &cores::Core, name);
        let is_simple = |v: u32| !graph.out_edges().row(v).contains(&v);
        if graph.is_symmetric() && (0..graph.num_vertices()).all(is_simple) {
            let cores = oracle::core_numbers(graph.out_edges());
            assert!(values.into_iter().flatten().eq(cores), "core numbers of {name}");
        }
        for width in [0, 1, 3] {
            settles(engine, &graph, &stepping::Stepping { from: 0, width }, name);
        }
    }
}

/// Faults in `priority` name their vertices. A run that needs more steps than its limit is an error, and a trace shows
/// the levels.
pub(crate) fn orders_fail(engine: &Tested) {
    let path = LayeredGraph::from_edges([(10, 11), (11, 12)]).expect("the graph is valid");
    let error = engine.run(&path, &failing::Failing { at: 12 }).expect_err("the run fails").to_string();
    assert!(error.contains("vertex 12") && error.contains("the place in the order is known"), "{error}");
    let program = stepping::Stepping { from: 10, width: 1 };
    let error = engine.run_with(&path, &program, &RunOptions::new().max_steps(2));
    assert!(matches!(error, Err(RunError::Overrun { max_steps: 2, .. })));
    let outcome =
        engine.run_with(&path, &program, &RunOptions::new().max_steps(3).trace(true)).expect("it ends");
    let trace = outcome.trace().expect("a trace was requested");
    let levels: Vec<_> = trace.steps.iter().filter(|step| step.kind != StepKind::Advance).collect();
    assert_eq!(levels.iter().map(|step| step.bucket).collect::<Vec<_>>(), [Some(0), Some(1), Some(2)]);
    assert!(outcome.path_to(12).is_ok(), "values came along edges");
}

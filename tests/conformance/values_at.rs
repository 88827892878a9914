//! Programs whose `apply` reads the values of other vertices before the step.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::{EdgeProgram, Model, PerVertex};
use wolfpath::testing::check_program;
use wolfpath::{FaultPlace, RunError, RunOptions, ScheduleChoice, generate};

use crate::Tested;
use crate::checks::compare;
use crate::reference;
use crate::value_at_programs::{all, awake, gathered, ordered, pushed, roots};

/// Compares a program with the reference, by every schedule that can run it.
fn agrees<P: EdgeProgram>(engine: &Tested, program: &P) {
    let layered = |list: EdgeList| {
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    };
    let graphs = [
        LayeredGraph::from_edges([(5, 3), (3, 9), (9, 5), (3, 1), (1, 5)]).expect("the edges are valid"),
        layered(generate::random(1500, 4, 3).expect("the random graph is valid")),
        layered(generate::rmat(8, 8, 5).expect("the R-MAT graph is valid")),
    ];
    for graph in graphs {
        let loaded = engine.load(&graph);
        let choices = ScheduleChoice::ALL.map(Some).into_iter().chain([None]);
        for (choice, steps) in choices.flat_map(|choice| [1, 4].map(|steps| (choice, steps))) {
            let (expected, _) = reference::run(&graph, program, steps).expect("nothing faults");
            let options = RunOptions::new().threads(1 + steps as usize % 2).steps_at_most(steps);
            let options = choice.map_or(options.clone(), |choice| options.schedule(choice));
            let name = format!("{} {}, {choice:?}", Model::of::<P>().name, graph.num_vertices());
            match loaded.run_with(program, &options) {
                Ok(outcome) => compare(&outcome, &expected, &name),
                Err(error) => {
                    assert!(error.to_string().contains("schedule") && choice.is_some(), "{name}: {error}");
                }
            }
        }
    }
}

/// All vertices see the values before the step.
pub(crate) fn values_before_the_step(engine: &Tested) {
    agrees(engine, &pushed::Jumping { seed: 1 });
    agrees(engine, &gathered::Jumping { seed: 2 });
    agrees(engine, &all::Jumping { seed: 3 });
    agrees(engine, &awake::Jumping { seed: 4 });
    agrees(engine, &ordered::Jumping { seed: 5 });
    check_program(&pushed::Jumping { seed: 6 }).expect("the program keeps all laws");
}

/// Pointer jumping finds roots in logarithmically many steps, also in a run from an earlier outcome.
pub(crate) fn pointers_jump(engine: &Tested) {
    let graph = LayeredGraph::from_edges((0..1000).map(|v| (v, v + 1))).expect("the edges are valid");
    let program = roots::Roots { parent: PerVertex::from_fn(|id| id.saturating_sub(1) as u32) };
    let loaded = engine.load(&graph);
    let outcome = loaded.run(&program).expect("the run succeeds");
    let of = |id| outcome.value(id).expect("the id is known");
    assert_eq!(of(1000), Some(roots::Above { root: 0, distance: 1000 }));
    assert_eq!(of(1), Some(roots::Above { root: 0, distance: 1 }));
    assert!(outcome.steps() <= 11, "{} steps", outcome.steps());
    let options = RunOptions::new().steps_at_most(3);
    let first = loaded.run_with(&program, &options).expect("the run succeeds");
    let rest = loaded.run_from(&program, &first).expect("the run succeeds");
    assert_eq!(rest.value(1000).expect("the id is known"), of(1000));
}

/// An index out of range is a fault at the vertex.
pub(crate) fn values_of_no_vertex(engine: &Tested) {
    let graph = LayeredGraph::from_edges([(1, 2), (2, 3)]).expect("the edges are valid");
    let program = roots::Roots { parent: PerVertex::from_pairs([(3, 17)], 0) };
    match engine.run(&graph, &program) {
        Err(RunError::Fault { place: FaultPlace::Vertex { id: 3 }, function: "apply", message, .. }) => {
            assert_eq!(message, "no vertex has this index");
        }
        other => panic!("expected a fault at vertex 3, got {other:?}"),
    }
}

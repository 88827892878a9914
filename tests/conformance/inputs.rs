//! Programs with inputs, compared with the reference, which looks up everything by id.

use wolfpath::graph::Direction;
use wolfpath::program::{PerVertex, VertexSet};
use wolfpath::{ArrayName, PlanError, RunError, RunOptions, programs as bundled};

use crate::Tested;
use crate::checks::agrees;
use crate::graphs::{self, Sample};
use crate::input_programs::all_types::{AllTypes, Toll};
use crate::input_programs::climb::Climb;
use crate::input_programs::personal::Personal;

fn ids(sample: &Sample) -> impl Iterator<Item = u64> + '_ {
    sample.graph.by_rank().iter().map(|&v| sample.graph.id_of(v))
}

/// Returns a pseudo-random number for an id.
fn mixed(id: u64) -> u64 {
    (id ^ 0x9e37_79b9).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 40
}

fn climb(sample: &Sample) -> Climb {
    Climb {
        from: sample.source,
        altitude: PerVertex::from_fn(|id| (mixed(id) % 100) as i32),
        closed: ids(sample).filter(|&id| id != sample.source && mixed(id).is_multiple_of(5)).collect(),
    }
}

pub(crate) fn inputs_at_both_ends(engine: &Tested) {
    // Only small graphs, because the reference is slow. The run in place and the run step by step use different
    // schedules.
    for sample in graphs::small() {
        agrees(engine, &sample.graph, &climb(&sample), sample.name);
        let pairs = ids(&sample).filter(|id| id % 2 == 0).map(|id| (id, (mixed(id) % 9) as i32));
        let program = Climb { altitude: PerVertex::from_pairs(pairs, 4), ..climb(&sample) };
        agrees(engine, &sample.graph, &program, sample.name);
        let outcome = engine.run(&sample.graph, &program).expect("all ids are in the graph");
        let stepped = engine.run_with(&sample.graph, &program, &RunOptions::new().steps_at_most(10_000));
        assert!(
            outcome.read().expect("the values are readable").iter().eq(stepped
                .expect("the run with a number of steps succeeds")
                .read()
                .expect("the values are readable")
                .iter()),
            "{}",
            sample.name
        );
    }
}

pub(crate) fn inputs_of_every_type(engine: &Tested) {
    for sample in graphs::small() {
        let toll = |id| Toll {
            price: (mixed(id) % 10) as f32 / 4.0,
            closed: mixed(id).is_multiple_of(3),
            since: (id % 5) as i64,
        };
        let program = AllTypes {
            bias: true,
            toll: PerVertex::from_fn(toll),
            open: PerVertex::from_fn(|id| id % 2 == 0),
            width: PerVertex::constant(0.75),
            population: PerVertex::from_pairs([(sample.source, 9)], 2),
            marked: VertexSet::from_ids([sample.source]),
        };
        agrees(engine, &sample.graph, &program, sample.name);
    }
}

pub(crate) fn inputs_of_every_vertex_that_sends(engine: &Tested) {
    for sample in graphs::small() {
        let program = Personal {
            losses: 2,
            home: VertexSet::from_ids([sample.source]),
            weight: PerVertex::constant(1000),
            // An unknown id, which is not an error because the program does not read this input.
            unread: PerVertex::from_pairs([(123_456_789, 1)], 0),
        };
        agrees(engine, &sample.graph, &program, sample.name);
        let planned = engine.plan(&sample.graph, &program, &RunOptions::new()).expect("planning succeeds");
        assert!(planned.arrays.iter().all(|array| array.name != ArrayName::Input("input unread")));
    }
}

/// Runs many programs and sources over one loaded graph: inputs are bound again if they differ from those of the last
/// run.
pub(crate) fn inputs_change_from_run_to_run(engine: &Tested) {
    let sample = graphs::large().pop().expect("the last sample is an R-MAT graph");
    let loaded = engine.load(&sample.graph);
    let first = climb(&sample);
    let flat = Climb { altitude: PerVertex::constant(7), ..first.clone() };
    let open = Climb { closed: VertexSet::from_ids([]), ..first.clone() };
    let values = |program: &Climb| {
        let outcome = loaded.run(program).expect("all ids are in the graph");
        outcome.read().expect("the values are readable").iter().collect::<Vec<_>>()
    };
    let (climbed, again) = (values(&first), values(&first.clone()));
    assert_eq!(climbed, again);
    assert!(values(&flat).iter().all(|(_, climb)| climb.is_none_or(|climb| climb == 0)));
    assert!(values(&open).iter().zip(&climbed).all(|(open, climbed)| match (open.1, climbed.1) {
        (Some(open), Some(climbed)) => open <= climbed,
        (_, climbed) => climbed.is_none(),
    }));
    assert_eq!(values(&first), climbed);
    let outcome = loaded.run(&first).expect("all ids are in the graph");
    let (far, _) = climbed.iter().rev().find(|(_, climb)| climb.is_some()).expect("a vertex is reached");
    let path = outcome.path_to(*far).expect("all ids are in the graph").expect("the vertex was reached");
    assert_eq!((path.first(), path.last()), (Some(&sample.source), Some(far)));
    assert!(path[1..].iter().all(|&id| !first.closed.has(id)));
}

pub(crate) fn unknown_ids_in_inputs(engine: &Tested) {
    let sample = &graphs::small()[0];
    let pairs = Climb { altitude: PerVertex::from_pairs([(0, 1), (77, 1)], 0), ..climb(sample) };
    match engine.run(&sample.graph, &pairs) {
        Err(RunError::Plan(PlanError::UnknownInput { program: "Climb", input: "altitude", id: 77 })) => {}
        other => panic!("expected an unknown id, got {other:?}"),
    }
    let set = Climb { closed: VertexSet::from_ids([1, 78]), ..climb(sample) };
    match engine.run(&sample.graph, &set) {
        Err(error @ RunError::Plan(PlanError::UnknownInput { input: "closed", id: 78, .. })) => {
            assert!(error.to_string().contains("vertex 78 is not in the graph"), "{error}");
        }
        other => panic!("expected an unknown id, got {other:?}"),
    }
}

/// Checks that arrays which no function of a program reads are neither planned nor uploaded to a device.
pub(crate) fn nothing_unread_is_loaded(engine: &Tested) {
    let sample = graphs::small().pop().expect("the grid is valid");
    let names = |arrays: &[wolfpath::PlannedArray]| arrays.iter().map(|array| array.name).collect::<Vec<_>>();
    let options = RunOptions::new();
    let bfs = bundled::bfs::from_source(sample.source, 0);
    let planned = names(&engine.plan(&sample.graph, &bfs, &options).expect("planning succeeds").arrays);
    let unread = [
        ArrayName::EdgeWeights(Direction::Out),
        ArrayName::EdgeEnds(Direction::In),
        ArrayName::EdgeWeights(Direction::In),
        ArrayName::Ids,
        ArrayName::Ranks,
    ];
    for unread in unread {
        assert!(!planned.contains(&unread), "{planned:?}");
    }
    let sssp = bundled::sssp::from_source(sample.source, 0);
    let planned = names(&engine.plan(&sample.graph, &sssp, &options).expect("planning succeeds").arrays);
    assert!(
        planned.contains(&ArrayName::EdgeWeights(Direction::Out)) && !planned.contains(&ArrayName::Ids),
        "{planned:?}"
    );
    let program = climb(&sample);
    let plan = engine.plan(&sample.graph, &program, &options).expect("planning succeeds");
    let of = |name| plan.arrays.iter().find(|array| array.name == name).map(|array| array.bytes);
    let input = |name| of(ArrayName::Input(name));
    let n = u64::from(sample.graph.num_vertices());
    assert_eq!((input("input altitude"), input("input closed")), (Some(4 * n), Some(n.div_ceil(32) * 4)));
    assert_eq!(of(ArrayName::Ranks), None, "inputs are in the engine's own order");
    if engine.is_cuda() {
        let outcome = engine.run(&sample.graph, &program).expect("all ids are in the graph");
        let planned = plan.bytes_in(wolfpath::Home::Device);
        assert_eq!(outcome.stats().device_bytes, planned, "the planned bytes are uploaded");
    }
}

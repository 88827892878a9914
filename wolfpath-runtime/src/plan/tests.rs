//! Tests every kind of program with every schedule that can be requested, and the choices for graphs whose runs were
//! measured on an H100.

use wolfpath_core::program::{Along, CombineKind, DatumKind, Model, Reads, Senders, Starts};

use super::ScheduleChoice::{Bucket, Frontier, Pull, Sweep, Union};
use super::choose::Decision;
use super::estimate::Workload;
use super::*;
use crate::error::PlanError;
use crate::options::RunOptions;

/// Returns a program that combines values of type `kind` by `combine`, and reads weights if `weighted`.
fn shape(combine: CombineKind, kind: DatumKind, weighted: bool) -> Shape {
    let reads = Reads { edge_value: true, edge_weight: weighted, ..Reads::default() };
    let model = Model {
        name: "it",
        starts: Starts::Sources,
        always_sends: true,
        edge_can_fault: false,
        forwards: false,
        has_apply: false,
        has_changed: false,
        reads,
        weight_columns: &[],
        parameters: 0,
        inputs: &[],
        has_loops: false,
        checked: false,
        cuda: "",
        faults: &[],
    };
    Shape {
        model: Box::leak(Box::new(model)),
        value: kind,
        message: kind,
        weight: if weighted { DatumKind::U32 } else { DatumKind::Unit },
        aggregate: DatumKind::Unit,
        fold: None,
        combine,
        senders: Senders::Active,
        along: Along::Out,
        uniform: false,
        non_negative: false,
    }
}

/// Returns a program that spreads labels: every vertex starts with a value, and sends it unchanged.
fn labels(combine: CombineKind, kind: DatumKind) -> Shape {
    let shape = shape(combine, kind, false);
    let model = Model { forwards: true, starts: Starts::Every, ..*shape.model };
    Shape { model: Box::leak(Box::new(model)), ..shape }
}

fn sssp() -> Shape {
    shape(CombineKind::Min, DatumKind::U32, true)
}

fn bfs() -> Shape {
    Shape { uniform: true, ..shape(CombineKind::Min, DatumKind::U32, false) }
}

fn pagerank() -> Shape {
    Shape { senders: Senders::All, ..shape(CombineKind::Sum, DatumKind::F32, false) }
}

/// USA-road-NE, made symmetric, in breadth-first order.
const USA_ROAD_NE: GraphSize =
    GraphSize { vertices: 1_524_453, edges: 3_868_020, symmetric: true, weighted: true, layers: 1_850 };
const CNR_2000: GraphSize =
    GraphSize { vertices: 325_557, edges: 3_216_152, symmetric: false, weighted: true, layers: 36 };
const DBLP_2010: GraphSize =
    GraphSize { vertices: 326_186, edges: 1_615_400, symmetric: true, weighted: true, layers: 16 };
const RMAT_22: GraphSize =
    GraphSize { vertices: 4_194_304, edges: 128_311_436, symmetric: true, weighted: true, layers: 8 };
const PATH: GraphSize =
    GraphSize { vertices: 1_000_001, edges: 1_000_000, symmetric: false, weighted: true, layers: 1_000_001 };

/// Number of warps of an H100 with a block of 1,024 threads on each multiprocessor.
const WARPS: u64 = 132 * 32;

fn decide(
    shape: &Shape,
    graph: GraphSize,
    options: &RunOptions,
    on_device: bool,
) -> Result<Decision, PlanError> {
    choose(&Question {
        shape,
        options,
        graph,
        uniform: shape.uniform,
        at_root: false,
        against_union: None,
        device: on_device.then_some((&DeviceCosts::H100, WARPS)),
    })
}

fn on_device(shape: &Shape, graph: GraphSize) -> Decision {
    decide(shape, graph, &RunOptions::new(), true).expect("it can be planned")
}

/// A program, and the result of each choice in the order of `ScheduleChoice::ALL`: the schedule or part of the error.
type Row = (&'static str, Shape, [Result<Schedule, &'static str>; 5]);

#[test]
fn every_program_with_every_choice() {
    const EARLY: &str = "must not be seen before a step is over";
    const UNCHANGED: Result<Schedule, &str> = Err("returns the sender's value unchanged");
    let rows: Vec<Row> = vec![
        (
            "sssp",
            sssp(),
            [Ok(Schedule::Relax), Ok(Schedule::Bucket), Ok(Schedule::Pull), Ok(Schedule::Sweep), UNCHANGED],
        ),
        (
            "bfs",
            bfs(),
            [Ok(Schedule::Relax), Ok(Schedule::Bucket), Ok(Schedule::Pull), Ok(Schedule::Sweep), UNCHANGED],
        ),
        (
            "reach",
            Shape { uniform: true, ..shape(CombineKind::Or, DatumKind::Bool, false) },
            [
                Ok(Schedule::Relax),
                Err("no value is nearer"),
                Ok(Schedule::Pull),
                Ok(Schedule::Sweep),
                UNCHANGED,
            ],
        ),
        (
            "the least of true and false",
            shape(CombineKind::Min, DatumKind::Bool, false),
            [
                Ok(Schedule::Relax),
                Err("no value is nearer"),
                Ok(Schedule::Pull),
                Ok(Schedule::Sweep),
                UNCHANGED,
            ],
        ),
        (
            "any",
            shape(CombineKind::Any, DatumKind::U32, false),
            [Ok(Schedule::Frontier), Err(EARLY), Ok(Schedule::Pull), Err(EARLY), UNCHANGED],
        ),
        (
            "sums of integers",
            shape(CombineKind::Sum, DatumKind::U64, false),
            [Ok(Schedule::Frontier), Err(EARLY), Ok(Schedule::Pull), Err(EARLY), UNCHANGED],
        ),
        (
            "sums of floats",
            shape(CombineKind::Sum, DatumKind::F32, false),
            [Err("cannot be combined by atomic"), Err(EARLY), Ok(Schedule::Pull), Err(EARLY), UNCHANGED],
        ),
        (
            "labels",
            Shape { along: Along::In, ..labels(CombineKind::Min, DatumKind::U64) },
            [
                Ok(Schedule::Relax),
                Ok(Schedule::Bucket),
                Ok(Schedule::Pull),
                Ok(Schedule::Sweep),
                Ok(Schedule::Union),
            ],
        ),
        (
            "pagerank",
            pagerank(),
            [Err("there is no frontier"), Err(EARLY), Ok(Schedule::Pull), Err(EARLY), UNCHANGED],
        ),
    ];
    for (name, shape, expected) in rows {
        for (choice, expected) in ScheduleChoice::ALL.into_iter().zip(expected) {
            let options = RunOptions::new().schedule(choice);
            let on_device = decide(&shape, RMAT_22, &options, true);
            is_as_expected(name, choice, on_device, expected);
            let on_cpu = decide(&shape, RMAT_22, &options, false);
            let expected = match expected {
                Ok(Schedule::Sweep) => Err("the CPU engine does not sweep"),
                Err(_) if choice == Sweep => Err("the CPU engine does not sweep"),
                expected => expected,
            };
            is_as_expected(name, choice, on_cpu, expected);
        }
    }
}

fn is_as_expected(
    name: &str,
    choice: ScheduleChoice,
    decided: Result<Decision, PlanError>,
    expected: Result<Schedule, &str>,
) {
    match (decided, expected) {
        (Ok(decision), Ok(schedule)) => {
            assert_eq!(decision.schedule, schedule, "{name} by {choice:?}");
            assert!(decision.reason.starts_with("requested"), "{name} by {choice:?}: {}", decision.reason);
        }
        (Err(PlanError::Schedule { reason, instead, schedule, .. }), Err(expected)) => {
            assert!(reason.contains(expected), "{name} by {choice:?}: {reason}");
            assert_eq!(schedule, choice.name());
            assert!(instead.contains("`pull`") && !instead.contains(schedule), "{name}: {instead}");
        }
        (decided, expected) => panic!("{name} by {choice:?}: {decided:?}, expected {expected:?}"),
    }
}

#[test]
fn a_number_of_steps_is_counted_step_by_step() {
    let forced = |choice| decide(&sssp(), RMAT_22, &RunOptions::new().steps(3).schedule(choice), true);
    assert_eq!(forced(Frontier).expect("a plan").schedule, Schedule::Frontier);
    assert_eq!(forced(Pull).expect("a plan").schedule, Schedule::Pull);
    for choice in [Bucket, Sweep] {
        let error = forced(choice).expect_err("an in-place schedule").to_string();
        let expected = format!(
            "it cannot be run by the schedule `{}`: a fixed number of steps was requested, and only schedules that go step \
             by step can count them; let the plan choose, or use `frontier` or `pull`",
            choice.name()
        );
        assert_eq!(error, expected);
    }
    let unforced = decide(&sssp(), RMAT_22, &RunOptions::new().steps(3), true).expect("it can be planned");
    assert_eq!(unforced.schedule, Schedule::Frontier);
    assert!(unforced.reason.starts_with("a fixed number of steps"), "{}", unforced.reason);
}

#[test]
fn the_cpu_knows_no_costs_of_devices() {
    for shape in [sssp(), bfs(), pagerank()] {
        let decision = decide(&shape, RMAT_22, &RunOptions::new(), false).expect("it can be planned");
        assert_eq!(decision.techniques, Techniques::NONE);
        assert!(decision.estimates.is_empty() && decision.technique_reasons.is_empty(), "{decision:?}");
    }
}

#[test]
fn roads_go_alone_and_fat_graphs_turn_round() {
    for shape in [bfs(), sssp()] {
        assert!(on_device(&shape, USA_ROAD_NE).techniques.local_rounds);
        assert!(on_device(&shape, PATH).techniques.local_rounds);
        for graph in [DBLP_2010, RMAT_22] {
            let Techniques { local_rounds, direction, .. } = on_device(&shape, graph).techniques;
            // On a graph as small as dblp-2010, pulling costs more than it saves.
            let turns = shape.uniform && graph == RMAT_22;
            assert!(!local_rounds && direction == turns, "{shape:?} on {graph:?}");
        }
    }
    assert!(!on_device(&pagerank(), USA_ROAD_NE).techniques.local_rounds);
}

#[test]
fn steps_listen_where_the_rows_are_at_hand() {
    let counted = shape(CombineKind::Sum, DatumKind::U64, false);
    let decision = on_device(&counted, RMAT_22);
    assert_eq!(decision.schedule, Schedule::Frontier);
    assert_eq!(decision.techniques, Techniques { direction: true, ..Techniques::NONE });
    assert!(decision.technique_reasons.join(" ").contains("more than half of the edges"));
    let directed = on_device(&counted, GraphSize { symmetric: false, ..RMAT_22 });
    assert_eq!(directed.techniques, Techniques::NONE);
    assert!(directed.technique_reasons.join(" ").contains("pulling needs the other direction's rows"));
    let without = RunOptions::new().techniques(Techniques::NONE);
    let decision = decide(&counted, RMAT_22, &without, true).expect("it can be planned");
    assert_eq!(decision.techniques, Techniques::NONE);
}

#[test]
fn labels_are_found_by_union_find() {
    let decided =
        |shape: &Shape, graph, options: &RunOptions| decide(shape, graph, options, false).expect("a plan");
    let kinds =
        [DatumKind::U32, DatumKind::I32, DatumKind::U64, DatumKind::I64, DatumKind::F32, DatumKind::F64];
    for (combine, kind) in
        [CombineKind::Min, CombineKind::Max].into_iter().flat_map(|it| kinds.map(|kind| (it, kind)))
    {
        let decision = decided(&labels(combine, kind), RMAT_22, &RunOptions::new());
        assert_eq!(decision.schedule, Schedule::Union, "{combine:?} {kind:?}");
        assert!(decision.reason.starts_with("messages are the senders' values"), "{}", decision.reason);
    }
    let both = Shape { along: Along::Both, ..labels(CombineKind::Min, DatumKind::U64) };
    assert_eq!(on_device(&both, CNR_2000).schedule, Schedule::Union);
    assert!(on_device(&both, RMAT_22).estimates.is_empty());
    assert_eq!(decided(&both, CNR_2000, &RunOptions::new()).schedule, Schedule::Union);
    assert_eq!(decided(&both, RMAT_22, &RunOptions::new()).schedule, Schedule::Union);
}

/// On a device, only the kernel sees the first values that `start` returns.
#[test]
fn floats_that_start_returns_travel_along_edges_on_a_device() {
    let by_start = labels(CombineKind::Max, DatumKind::F64);
    let model = Model { starts: Starts::Sources, ..*by_start.model };
    let from_sources = Shape { model: Box::leak(Box::new(model)), ..by_start };
    assert_eq!(on_device(&from_sources, RMAT_22).schedule, Schedule::Union);
    assert_ne!(on_device(&by_start, RMAT_22).schedule, Schedule::Union);
    let forced = decide(&by_start, RMAT_22, &RunOptions::new().schedule(Union), true);
    assert!(forced.expect_err("it is refused").to_string().contains("floats"));
}

/// Programs and runs that are almost those of union-find. The plan chooses another schedule, and a request for
/// union-find is an error with the reason.
#[test]
fn other_labels_travel_along_edges() {
    let labels = labels(CombineKind::Min, DatumKind::F32);
    let with = |change: fn(&mut Model)| {
        let mut model = *labels.model;
        change(&mut model);
        Shape { model: Box::leak(Box::new(model)), ..labels }
    };
    let plain = RunOptions::new;
    let unchanged = "returns the sender's value unchanged";
    let rows = [
        (with(|model| model.forwards = false), RMAT_22, plain(), None, unchanged),
        (with(|model| model.has_apply = true), RMAT_22, plain(), None, unchanged),
        (with(|model| model.has_changed = true), RMAT_22, plain(), None, unchanged),
        (Shape { fold: Some(CombineKind::Sum), ..labels }, RMAT_22, plain(), None, unchanged),
        (Shape { senders: Senders::All, ..labels }, RMAT_22, plain(), None, unchanged),
        (Shape { combine: CombineKind::Or, ..labels }, RMAT_22, plain(), None, unchanged),
        (labels, RMAT_22, plain().steps(3), None, "a fixed number of steps was requested"),
        (labels, RMAT_22, plain().max_steps(3), None, "a step limit was requested"),
        (labels, RMAT_22, plain().trace(true), None, "a trace was requested"),
        (labels, RMAT_22, plain(), Some(FIRST_IS_NAN), "a first value is NaN"),
        (labels, CNR_2000, plain(), None, "messages travel in one direction"),
        (Shape { along: Along::In, ..labels }, CNR_2000, plain(), None, "messages travel in one direction"),
    ];
    for (shape, graph, options, against_union, expected) in rows {
        let decide = |options: &RunOptions| {
            let (uniform, at_root, device) = (shape.uniform, false, None);
            choose(&Question { shape: &shape, options, graph, uniform, at_root, against_union, device })
        };
        assert_ne!(decide(&options).expect("a plan").schedule, Schedule::Union, "{expected}");
        match decide(&options.clone().schedule(Union)) {
            Err(PlanError::Schedule { reason, .. }) => assert!(reason.contains(expected), "{reason}"),
            other => panic!("{other:?}, expected {expected}"),
        }
    }
}

/// On R-MAT 22, components took 5.1 ms with every vertex listening and 2.2 ms without (H100).
#[test]
fn nobody_listens_in_place() {
    let mut labels = shape(CombineKind::Min, DatumKind::U64, false);
    let mut model = *labels.model;
    model.starts = Starts::Every;
    labels.model = Box::leak(Box::new(model));
    for graph in [RMAT_22, USA_ROAD_NE] {
        let decision = on_device(&labels, graph);
        assert!(decision.schedule.is_in_place() && !decision.techniques.direction, "{decision:?}");
    }
}

/// On an H100, `widest` took 2.65 ms by frontier and 3.06 ms by buckets on R-MAT 22, and 5.56 ms and 6.03 ms on
/// USA-road-NE.
#[test]
fn the_largest_is_taken_by_frontier() {
    let widest = shape(CombineKind::Max, DatumKind::U32, true);
    for graph in [RMAT_22, USA_ROAD_NE] {
        let decision = on_device(&widest, graph);
        assert_eq!(decision.schedule, Schedule::Relax, "{}", decision.reason);
    }
}

#[test]
fn windows_are_for_equal_messages_over_wide_layers() {
    let has_window = |shape: &Shape, graph| on_device(shape, graph).techniques.shared_window;
    assert!(has_window(&bfs(), RMAT_22) && has_window(&bfs(), CNR_2000));
    assert!(!has_window(&bfs(), USA_ROAD_NE) && !has_window(&sssp(), RMAT_22));
    let wide_words = Shape { uniform: true, ..shape(CombineKind::Min, DatumKind::U64, false) };
    assert!(!has_window(&wide_words, RMAT_22) && !has_window(&pagerank(), RMAT_22));
}

#[test]
fn techniques_that_are_left_out_stay_out() {
    let none = RunOptions::new().techniques(Techniques::NONE);
    for graph in [USA_ROAD_NE, RMAT_22] {
        let decision = decide(&bfs(), graph, &none, true).expect("it can be planned");
        assert_eq!(decision.techniques, Techniques::NONE);
    }
}

#[test]
fn buckets_are_for_weights_that_differ() {
    assert_eq!(on_device(&sssp(), RMAT_22).schedule, Schedule::Bucket);
    assert_eq!(on_device(&sssp(), USA_ROAD_NE).schedule, Schedule::Bucket);
    assert_eq!(on_device(&sssp(), DBLP_2010).schedule, Schedule::Bucket);
    let moscow =
        GraphSize { vertices: 411_992, edges: 902_270, symmetric: true, weighted: true, layers: 864 };
    assert_eq!(on_device(&sssp(), moscow).schedule, Schedule::Relax);
    // If every edge weighs 1, the first value that a frontier finds is final.
    let alike = on_device(&sssp(), GraphSize { weighted: false, ..RMAT_22 });
    assert_eq!(alike.schedule, Schedule::Relax);
    assert!(alike.reason.contains("estimated: frontier "), "{}", alike.reason);
    // The values of a program without weights can also differ, for example the labels of components.
    let labels = shape(CombineKind::Min, DatumKind::U64, false);
    assert_eq!(on_device(&labels, RMAT_22).schedule, Schedule::Bucket);
}

#[test]
fn estimates_are_near_what_was_measured() {
    let near = |shape: Shape, graph, choice, ms: f64, factor: f64| {
        let decision = decide(&shape, graph, &RunOptions::new().schedule(choice), true).expect("a plan");
        let found = decision.estimates.iter().find(|estimate| estimate.schedule == choice);
        let found = found.expect("it is estimated").time.as_secs_f64() * 1e3;
        assert!(found < ms * factor && found > ms / factor, "{found} ms, measured {ms} ms");
    };
    near(bfs(), RMAT_22, Frontier, 0.25, 1.5);
    near(sssp(), RMAT_22, Bucket, 2.95, 1.5);
    near(bfs(), USA_ROAD_NE, Frontier, 3.6, 2.0);
    near(bfs(), DBLP_2010, Frontier, 0.18, 2.0);
    let without = RunOptions::new().techniques(Techniques::NONE);
    let pushing = decide(&bfs(), RMAT_22, &without, true).expect("a plan");
    let ms = pushing.estimates[0].time.as_secs_f64() * 1e3;
    assert!((1.4..2.0).contains(&ms), "{ms} ms, measured 1.6 ms");
}

#[test]
fn the_first_bucket_is_as_wide_as_measured_best() {
    let factor = |graph| on_device(&sssp(), graph).bucket_factor;
    assert!((3..=8).contains(&factor(RMAT_22)), "{}", factor(RMAT_22));
    assert!((12..=32).contains(&factor(DBLP_2010)), "{}", factor(DBLP_2010));
    let nothing = GraphSize { vertices: 0, edges: 0, symmetric: true, weighted: true, layers: 0 };
    assert_eq!(factor(nothing), 32);
}

#[test]
fn graphs_of_every_size_have_estimates() {
    let costs = DeviceCosts::H100;
    for (vertices, layers) in [(0, 0), (1, 1), (u64::from(u32::MAX), 1), (u64::from(u32::MAX), 1 << 32)] {
        for edges in [0, 1 << 40] {
            let graph = GraphSize { vertices, edges, symmetric: false, weighted: true, layers };
            let workload = Workload::new(&costs, 0, graph, &sssp());
            for choice in [Frontier, Bucket, Sweep] {
                for techniques in [Techniques::NONE, Techniques::ALL] {
                    assert!(workload.estimate(choice, techniques).time.as_secs() < u64::MAX / 2);
                }
            }
            assert!((1..=32).contains(&workload.bucket_factor()));
        }
    }
}

#[test]
fn reasons_hold_the_numbers() {
    let decision = on_device(&sssp(), USA_ROAD_NE);
    assert!(decision.reason.starts_with("min or max over numbers"), "{}", decision.reason);
    assert!(decision.reason.contains("; estimated: frontier ") && decision.reason.contains(" ms"));
    let reasons = decision.technique_reasons.join("\n");
    assert!(reasons.contains("warps run several rounds on their own: layers have 824 vertices"), "{reasons}");
    assert!(reasons.contains("x mean weight / mean degree wide"), "{reasons}");
    let reasons = on_device(&bfs(), RMAT_22).technique_reasons.join("\n");
    assert!(reasons.contains("every round ends with a device-wide barrier"), "{reasons}");
    assert!(reasons.contains("steps pull if that visits fewer edges: estimated 0."), "{reasons}");
}

#[test]
fn sweeps_are_for_runs_from_the_root() {
    let from = |shape: &Shape, graph, at_root| {
        let options = RunOptions::new();
        let device = Some((&DeviceCosts::H100, WARPS));
        let uniform = shape.uniform;
        let question =
            Question { shape, options: &options, graph, uniform, at_root, against_union: None, device };
        choose(&question).expect("a plan")
    };
    let decision = from(&bfs(), CNR_2000, true);
    assert_eq!(decision.schedule, Schedule::Sweep, "{}", decision.reason);
    assert!(decision.reason.starts_with("a run from the root takes the layers in order"));
    assert_eq!(from(&bfs(), CNR_2000, false).schedule, Schedule::Relax);
    // In thin layers, warps revisit edges, so that improvements travel through several layers at a time. In wide layers
    // with equal messages, blocks remember what they have sent.
    assert_eq!(decision.techniques, Techniques { shared_window: true, ..Techniques::NONE });
    let thin = from(&bfs(), USA_ROAD_NE, true);
    assert_eq!(thin.schedule, Schedule::Sweep, "{}", thin.reason);
    assert_eq!(thin.techniques, Techniques { local_rounds: true, ..Techniques::NONE });
    for (shape, graph) in [(bfs(), RMAT_22), (sssp(), USA_ROAD_NE), (sssp(), CNR_2000)] {
        let decision = from(&shape, graph, true);
        assert!(decision.estimates.iter().any(|estimate| estimate.schedule == Sweep));
        assert_ne!(decision.schedule, Schedule::Sweep, "{graph:?}: {}", decision.reason);
    }
    // The layers do not describe a run against the direction of the edges, unless the graph is symmetric.
    let against = Shape { along: Along::In, ..bfs() };
    let decision = from(&against, CNR_2000, true);
    assert!(decision.estimates.iter().all(|estimate| estimate.schedule != Sweep), "{}", decision.reason);
    let symmetric = GraphSize { symmetric: true, ..CNR_2000 };
    assert_eq!(from(&against, symmetric, true).schedule, Schedule::Sweep);
}

#[test]
fn who_starts_everywhere_is_swept_again_and_again() {
    let sweep = |shape: Shape, from_root| {
        let graph = GraphSize { weighted: false, ..USA_ROAD_NE };
        let workload = Workload { from_root, ..Workload::new(&DeviceCosts::H100, WARPS, graph, &shape) };
        workload.estimate(Sweep, Techniques::NONE).time
    };
    // Every edge weighs 1, so one pass is enough for a run from the root, but not for a run in which every vertex
    // starts with a value.
    assert!(sweep(sssp(), false) > 4 * sweep(sssp(), true));
}

#[test]
fn sweeps_take_what_was_measured() {
    let near = |shape: Shape, graph, ms: f64| {
        let workload =
            Workload { from_root: true, ..Workload::new(&DeviceCosts::H100, WARPS, graph, &shape) };
        let found = workload.estimate(Sweep, Techniques::NONE).time.as_secs_f64() * 1e3;
        assert!(found < ms * 1.5 && found > ms / 1.5, "{found} ms, measured {ms} ms");
    };
    near(bfs(), USA_ROAD_NE, 2.6);
    near(bfs(), CNR_2000, 0.17);
    near(sssp(), RMAT_22, 7.9);
}

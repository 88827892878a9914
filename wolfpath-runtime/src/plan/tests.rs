//! Tests every kind of program with every schedule that can be requested. `tests/recorded.rs` tests the choices for
//! graphs whose runs were measured on an H200.

mod estimates;
mod on_cpu;
mod recorded;

use wolfpath_core::graph::{LayerClass, LayerHistogram};
use wolfpath_core::program::{Along, CombineKind, DatumKind, Messages, Model, Reads, Senders, Starts};

use super::ScheduleChoice::{Bucket, Frontier, Paths, Pull, Sweep, Union};
use super::choose::Decision;
use super::device_workload::DeviceWorkload;
use super::estimate::Traversal;
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
        messages: Messages::default(),
        messages_if_non_negative: Messages { at_least: true, ..Messages::default() },
        has_apply: false,
        has_changed: false,
        has_sends: false,
        has_halts: false,
        has_priority: false,
        has_finished: false,
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
        accumulator: std::alloc::Layout::new::<u64>(),
        senders: Senders::Active,
        oriented: false,
        accumulates: false,
        portion_words: 0,
        any_order: true,
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

fn reach() -> Shape {
    Shape { uniform: true, ..shape(CombineKind::Or, DatumKind::Bool, false) }
}

fn widest() -> Shape {
    shape(CombineKind::Max, DatumKind::U32, true)
}

/// Returns a program that gives every vertex the smallest label of its component. Every vertex starts with a value.
fn components() -> Shape {
    let mut labels = shape(CombineKind::Min, DatumKind::U64, false);
    labels.model = Box::leak(Box::new(Model { starts: Starts::Every, ..*labels.model }));
    labels
}

/// Graph as a plan sees it.
#[derive(Clone, Debug)]
struct Known {
    size: GraphSize,
    layers: LayerHistogram,
}

impl Known {
    /// Returns a symmetric graph with weights that has these groups of layers: the number of layers, and the sums of
    /// their vertices and of their edges.
    fn of(groups: &[(u64, u64, u64)]) -> Known {
        let groups = groups.iter().map(|&(layers, vertices, edges)| LayerClass { layers, vertices, edges });
        let layers: LayerHistogram = groups.collect();
        let sum = |of: fn(&LayerClass) -> u64| layers.classes().iter().map(of).sum();
        let size = GraphSize {
            vertices: sum(|class| class.vertices),
            edges: sum(|class| class.edges),
            symmetric: true,
            weighted: true,
            narrow_weights: None,
            layers: sum(|class| class.layers),
            packed_out_words: None,
            packed_in_words: None,
        };
        Known { size, layers }
    }

    fn directed(mut self) -> Known {
        self.size.symmetric = false;
        self
    }

    fn unweighted(mut self) -> Known {
        self.size.weighted = false;
        self
    }
}

/// Number of warps of an H100 or H200 with a block of 1,024 threads on each multiprocessor.
const WARPS: u64 = 132 * 32;

const TWO_THREADS: Machine<'static> = Machine::Cpu { costs: CpuCosts::TYPICAL, threads: 2 };

const H200: Machine<'static> = Machine::Device { costs: &DeviceCosts::H200, warps: WARPS };

fn decide(
    shape: &Shape,
    graph: &Known,
    options: &RunOptions,
    at_root: bool,
    machine: Machine<'_>,
) -> Result<Decision, PlanError> {
    let Known { size, layers } = graph;
    let uniform = shape.uniform;
    choose(&Question {
        shape,
        options,
        graph: *size,
        layers,
        uniform,
        at_root,
        gathers_at_hand: true,
        against_union: None,
        stores_paths: false,
        largest_component: 0.0,
        streams: false,
        storage: RowStorage::RESIDENT,
        machine,
    })
}

fn on_device(shape: &Shape, graph: &Known) -> Decision {
    decide(shape, graph, &RunOptions::new(), false, H200).expect("it can be planned")
}

fn from_root(shape: &Shape, graph: &Known) -> Decision {
    decide(shape, graph, &RunOptions::new(), true, H200).expect("it can be planned")
}

/// A program, and the result of each choice but the last in the order of `ScheduleChoice::ALL`: the schedule or part of the
/// error.
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
            reach(),
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
            "bits of structs",
            shape(CombineKind::Or, DatumKind::Struct { size: 8, align: 4 }, false),
            [Err("cannot be combined by atomic"), Err(EARLY), Ok(Schedule::Pull), Err(EARLY), UNCHANGED],
        ),
        (
            "the most frequent",
            shape(CombineKind::MostFrequent, DatumKind::U64, false),
            [Err("all messages to a vertex at once"), Err(EARLY), Ok(Schedule::Pull), Err(EARLY), UNCHANGED],
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
    let graph = recorded::rmat_22();
    for (name, shape, expected) in rows {
        let paths = if expected[0] == Ok(Schedule::Relax) { Ok(Schedule::Paths) } else { Err(EARLY) };
        let by_paths = RunOptions::new().schedule(Paths);
        is_as_expected(name, Paths, decide(&shape, &graph, &by_paths, false, H200), paths);
        is_as_expected(name, Paths, decide(&shape, &graph, &by_paths, false, TWO_THREADS), paths);
        for (choice, expected) in ScheduleChoice::ALL.into_iter().zip(expected) {
            let options = RunOptions::new().schedule(choice);
            let on_device = decide(&shape, &graph, &options, false, H200);
            is_as_expected(name, choice, on_device, expected);
            let on_cpu = decide(&shape, &graph, &options, false, TWO_THREADS);
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
    let graph = recorded::rmat_22();
    let forced =
        |choice| decide(&sssp(), &graph, &RunOptions::new().steps_at_most(3).schedule(choice), false, H200);
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
    let unforced =
        decide(&sssp(), &graph, &RunOptions::new().steps_at_most(3), false, H200).expect("it can be planned");
    assert_eq!(unforced.schedule, Schedule::Frontier);
    assert!(unforced.reason.starts_with("a fixed number of steps"), "{}", unforced.reason);
}

#[test]
fn steps_listen_where_the_rows_are_at_hand() {
    let counted = shape(CombineKind::Sum, DatumKind::U64, false);
    let decision = on_device(&counted, &recorded::rmat_22());
    assert_eq!(decision.schedule, Schedule::Frontier);
    assert_eq!(decision.techniques, Techniques { direction: true, ..Techniques::NONE });
    assert!(decision.technique_reasons.join(" ").contains("more than half of the edges"));
    let directed = on_device(&counted, &recorded::rmat_22().directed());
    assert_eq!(directed.techniques, Techniques::NONE);
    assert!(directed.technique_reasons.join(" ").contains("pulling needs the other direction's rows"));
    let without = RunOptions::new().techniques(Techniques::NONE);
    let decision = decide(&counted, &recorded::rmat_22(), &without, false, H200).expect("it can be planned");
    assert_eq!(decision.techniques, Techniques::NONE);
}

#[test]
fn labels_are_found_by_union_find() {
    let machine = Machine::Cpu { costs: CpuCosts::TYPICAL, threads: 2 };
    let decided = |shape: &Shape, graph: &Known, options: &RunOptions| {
        decide(shape, graph, options, false, machine).expect("a plan")
    };
    let kinds =
        [DatumKind::U32, DatumKind::I32, DatumKind::U64, DatumKind::I64, DatumKind::F32, DatumKind::F64];
    for (combine, kind) in
        [CombineKind::Min, CombineKind::Max].into_iter().flat_map(|it| kinds.map(|kind| (it, kind)))
    {
        let decision = decided(&labels(combine, kind), &recorded::rmat_22(), &RunOptions::new());
        assert_eq!(decision.schedule, Schedule::Union, "{combine:?} {kind:?}");
        assert!(decision.reason.starts_with("messages are the senders' values"), "{}", decision.reason);
    }
    let both = Shape { along: Along::Both, ..labels(CombineKind::Min, DatumKind::U64) };
    assert_eq!(on_device(&both, &recorded::cnr_2000()).schedule, Schedule::Union);
    assert!(on_device(&both, &recorded::rmat_22()).estimates.is_empty());
    assert_eq!(decided(&both, &recorded::cnr_2000(), &RunOptions::new()).schedule, Schedule::Union);
    assert_eq!(decided(&both, &recorded::rmat_22(), &RunOptions::new()).schedule, Schedule::Union);
}

/// On a device, only the kernel sees the first values that `start` returns.
#[test]
fn floats_that_start_returns_travel_along_edges_on_a_device() {
    let by_start = labels(CombineKind::Max, DatumKind::F64);
    let model = Model { starts: Starts::Sources, ..*by_start.model };
    let from_sources = Shape { model: Box::leak(Box::new(model)), ..by_start };
    assert_eq!(on_device(&from_sources, &recorded::rmat_22()).schedule, Schedule::Union);
    assert_ne!(on_device(&by_start, &recorded::rmat_22()).schedule, Schedule::Union);
    let forced = decide(&by_start, &recorded::rmat_22(), &RunOptions::new().schedule(Union), true, H200);
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
    let (rmat, cnr) = (recorded::rmat_22(), recorded::cnr_2000());
    let rows = [
        (with(|model| model.forwards = false), &rmat, plain(), None, unchanged),
        (with(|model| model.has_apply = true), &rmat, plain(), None, unchanged),
        (with(|model| model.has_changed = true), &rmat, plain(), None, unchanged),
        (Shape { fold: Some(CombineKind::Sum), ..labels }, &rmat, plain(), None, unchanged),
        (Shape { senders: Senders::All, ..labels }, &rmat, plain(), None, unchanged),
        (Shape { combine: CombineKind::Or, ..labels }, &rmat, plain(), None, unchanged),
        (labels, &rmat, plain().steps_at_most(3), None, "a fixed number of steps was requested"),
        (labels, &rmat, plain().max_steps(3), None, "a step limit was requested"),
        (labels, &rmat, plain().trace(true), None, "a trace was requested"),
        (labels, &rmat, plain(), Some(FIRST_IS_NAN), "a first value is NaN"),
        (labels, &cnr, plain(), None, "messages travel in one direction"),
        (Shape { along: Along::In, ..labels }, &cnr, plain(), None, "messages travel in one direction"),
    ];
    for (shape, graph, options, against_union, expected) in rows {
        let decide = |options: &RunOptions| {
            choose(&Question {
                shape: &shape,
                options,
                graph: graph.size,
                layers: &graph.layers,
                uniform: shape.uniform,
                at_root: false,
                gathers_at_hand: true,
                against_union,
                stores_paths: false,
                largest_component: 0.0,
                streams: false,
                storage: RowStorage::RESIDENT,
                machine: Machine::Cpu { costs: CpuCosts::TYPICAL, threads: 2 },
            })
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
    for graph in [recorded::rmat_22(), recorded::usa_road_ne()] {
        let decision = on_device(&components(), &graph);
        assert!(decision.schedule.is_in_place() && !decision.techniques.direction, "{decision:?}");
    }
}

#[test]
fn techniques_that_are_left_out_stay_out() {
    let none = RunOptions::new().techniques(Techniques::NONE);
    for graph in [recorded::usa_road_ne(), recorded::rmat_22()] {
        let decision = decide(&bfs(), &graph, &none, false, H200).expect("it can be planned");
        assert_eq!(decision.techniques, Techniques::NONE);
    }
}

/// On an H100, BFS with a window took 0.91 of the time without on cnr-2000; SSSP with one took 1.02 on R-MAT 22.
#[test]
fn windows_are_for_equal_messages_over_wide_layers() {
    let has_window = |shape: &Shape, graph| on_device(shape, &graph).techniques.shared_window;
    assert!(has_window(&bfs(), recorded::rmat_22()) && has_window(&bfs(), recorded::cnr_2000()));
    assert!(!has_window(&bfs(), recorded::usa_road_ne()) && !has_window(&sssp(), recorded::rmat_22()));
    assert!(!has_window(&bfs(), recorded::star_10m()), "a leaf receives one message");
    let wide_words = Shape { uniform: true, ..shape(CombineKind::Min, DatumKind::U64, false) };
    assert!(!has_window(&wide_words, recorded::rmat_22()));
    assert!(!has_window(&pagerank(), recorded::rmat_22()));
}

#[test]
fn reasons_hold_the_numbers() {
    let decision = on_device(&sssp(), &recorded::usa_road_ne());
    assert!(decision.reason.starts_with("min or max over numbers"), "{}", decision.reason);
    assert!(decision.reason.contains("; estimated: frontier ") && decision.reason.contains(" ms"));
    // The frontier is estimated to be faster, so the reason says why it is not used.
    let why = "(`frontier` replaces `bucket` only if it is estimated to save 25 % of the time)";
    assert!(decision.reason.contains(why), "{}", decision.reason);
    let reasons = decision.technique_reasons.join("\n");
    let local = "warps run several rounds on their own: 1849 of 1849 layers have fewer work items than the device has warps (4224)";
    assert!(reasons.contains(local), "{reasons}");
    assert!(reasons.contains("x mean weight / mean degree wide"), "{reasons}");
    let decision = on_device(&bfs(), &recorded::rmat_22());
    assert!(!decision.reason.contains("estimated"), "there is one schedule: {}", decision.reason);
    let reasons = decision.technique_reasons.join("\n");
    let barrier = "every round ends with a device-wide barrier: 5 of 9 layers have fewer work items";
    assert!(reasons.contains(barrier), "{reasons}");
    assert!(reasons.contains("steps pull if that visits fewer edges: estimated 0."), "{reasons}");
}

#[test]
fn sweeps_are_for_runs_from_the_root() {
    let cnr = recorded::cnr_2000();
    let decision = from_root(&bfs(), &cnr);
    assert_eq!(decision.schedule, Schedule::Sweep, "{}", decision.reason);
    assert!(decision.reason.starts_with("a run from the root takes the layers in order"));
    assert_eq!(on_device(&bfs(), &cnr).schedule, Schedule::Relax);
    // In thin layers, warps revisit edges, so that improvements travel through several layers at a time. In wide layers
    // with equal messages, blocks remember what they have sent.
    assert_eq!(decision.techniques, Techniques { shared_window: true, ..Techniques::NONE });
    let thin = from_root(&bfs(), &recorded::usa_road_ne());
    assert_eq!(thin.schedule, Schedule::Sweep, "{}", thin.reason);
    assert_eq!(thin.techniques, Techniques { local_rounds: true, ..Techniques::NONE });
    let others =
        [(bfs(), recorded::rmat_22()), (sssp(), recorded::usa_road_ne()), (sssp(), recorded::cnr_2000())];
    for (shape, graph) in others {
        let decision = from_root(&shape, &graph);
        assert!(decision.estimates.iter().any(|estimate| estimate.schedule == Sweep));
        assert_ne!(decision.schedule, Schedule::Sweep, "{graph:?}: {}", decision.reason);
    }
    // The layers do not describe a run against the direction of the edges, unless the graph is symmetric.
    let against = Shape { along: Along::In, ..bfs() };
    let decision = from_root(&against, &cnr);
    assert!(decision.estimates.iter().all(|estimate| estimate.schedule != Sweep), "{}", decision.reason);
    let symmetric = Known { size: GraphSize { symmetric: true, ..cnr.size }, ..cnr };
    assert_eq!(from_root(&against, &symmetric).schedule, Schedule::Sweep);
}

/// On a device, blocks add up what busy vertices receive in the order of paths; on the CPU, several threads do so in any order.
#[test]
fn proxies_are_for_sums() {
    let sums = |portion_words: usize| Shape {
        accumulates: true,
        portion_words,
        ..shape(CombineKind::Sum, DatumKind::F64, false)
    };
    let (paths, plain) = (RunOptions::new().schedule(ScheduleChoice::Paths), RunOptions::new());
    let on = |machine, shape: &Shape, options: &RunOptions| {
        let decision =
            decide(shape, &recorded::cnr_2000(), options, false, machine).expect("it can be planned");
        let says_so = decision
            .technique_reasons
            .iter()
            .any(|reason| reason.contains("add up in shared memory") || reason.contains("adds up by itself"));
        assert_eq!(decision.techniques.shared_window, says_so, "{decision:?}");
        says_so
    };
    let has_proxies = |shape: &Shape, options: &RunOptions| on(H200, shape, options);
    assert!(has_proxies(&sums(1), &paths) && has_proxies(&sums(8), &paths));
    assert!(!has_proxies(&sums(1), &plain) && !has_proxies(&sums(100), &paths));
    assert!(!has_proxies(&sums(1), &paths.clone().techniques(Techniques::NONE)));
    assert!(!has_proxies(&sssp(), &paths), "values in place have a window instead");
    for options in [&paths, &plain] {
        let threads = |threads| Machine::Cpu { costs: CpuCosts::TYPICAL, threads };
        assert!(on(threads(2), &sums(100), options) && !on(threads(1), &sums(100), options));
        assert!(!on(threads(2), &sums(1), &options.clone().techniques(Techniques::NONE)));
        assert!(!on(threads(2), &sssp(), options));
    }
}

#[test]
fn paths_are_taken_if_no_component_has_most_of_them() {
    let sums = Shape { accumulates: true, ..shape(CombineKind::Sum, DatumKind::F64, false) };
    let decide_on = |machine, symmetric: bool, along: Along, largest: Option<f64>, options: &RunOptions| {
        let graph = recorded::cnr_2000();
        let question = Question {
            shape: &Shape { along, ..sums },
            options,
            graph: GraphSize { symmetric, ..graph.size },
            layers: &graph.layers,
            uniform: false,
            at_root: false,
            gathers_at_hand: true,
            against_union: None,
            stores_paths: largest.is_some(),
            largest_component: largest.unwrap_or_default(),
            streams: false,
            storage: RowStorage::RESIDENT,
            machine,
        };
        choose(&question).expect("a plan")
    };
    let decide = |symmetric, along, largest, options: &RunOptions| {
        decide_on(TWO_THREADS, symmetric, along, largest, options)
    };
    let plain = RunOptions::new();
    let taken = decide(false, Along::Out, Some(0.55), &plain);
    assert_eq!(taken.schedule, Schedule::Paths);
    assert!(taken.reason.contains("the largest component has only 55 %"), "{}", taken.reason);
    let left = decide(false, Along::In, Some(0.8), &plain);
    assert_eq!(left.schedule, Schedule::Accumulate);
    assert!(left.reason.contains("has 80 % of them, so their order saves little"), "{}", left.reason);
    for (symmetric, along, largest, reason) in [
        (true, Along::Out, Some(0.1), "the graph stores its paths, but the graph is symmetric, so"),
        (false, Along::Both, Some(0.1), "the graph stores its paths, but messages travel both ways, so"),
        (false, Along::Out, None, ""),
    ] {
        let left = decide(symmetric, along, largest, &plain);
        assert_eq!(left.schedule, Schedule::Accumulate);
        assert!(left.reason.contains(reason), "{}", left.reason);
        assert_eq!(left.reason.contains("paths"), largest.is_some(), "{}", left.reason);
    }
    let on_device = decide_on(H200, false, Along::Out, Some(0.1), &plain);
    assert_eq!(on_device.schedule, Schedule::Accumulate);
    assert!(on_device.reason.contains("would take longer than a run on a device"), "{}", on_device.reason);
    let requested = RunOptions::new().schedule(ScheduleChoice::Paths);
    let taken = decide(true, Along::Out, None, &requested);
    assert!(taken.reason.contains("requested; the graph is symmetric"), "{}", taken.reason);
    let requested = RunOptions::new().schedule(ScheduleChoice::Frontier);
    assert_eq!(decide(false, Along::Out, Some(0.1), &requested).schedule, Schedule::Accumulate);
}

//! Estimates follow the layers, not their average, and cost little on any graph.

use std::time::{Duration, Instant};

use super::*;

fn workload<'a>(graph: &'a Known, shape: &Shape, from_root: bool) -> DeviceWorkload<'a> {
    let traversal = Traversal::new(graph.size, &graph.layers, shape);
    let storage = RowStorage::RESIDENT;
    DeviceWorkload { costs: &DeviceCosts::H200, warps: WARPS, traversal, from_root, storage }
}

/// Both graphs have 100 layers, 50 million vertices and 500 million edges.
#[test]
fn the_average_layer_does_not_decide() {
    let equal = Known::of(&[(100, 50_000_000, 500_000_000)]);
    let huge = Known::of(&[(99, 990, 990), (1, 49_999_010, 499_999_010)]);
    assert_eq!(equal.size, huge.size);
    // No layer of the first graph has enough edges to pull; the large layer of the second graph has nearly all.
    assert!(!on_device(&bfs(), &equal).techniques.direction);
    assert!(on_device(&bfs(), &huge).techniques.direction);
    assert_eq!(workload(&equal, &bfs(), false).thin_layers(), (0, 100));
    assert_eq!(workload(&huge, &bfs(), false).thin_layers(), (99, 100));
}

#[test]
fn a_huge_layer_among_many_thin_ones_counts_once() {
    let thin = Known::of(&[(100_000, 10_000_000, 15_000_000)]);
    let both = Known::of(&[(100_000, 10_000_000, 15_000_000), (1, 4_000_000, 100_000_000)]);
    let time = |graph: &Known| {
        let estimate = workload(graph, &bfs(), false).estimate(Frontier, Techniques::NONE);
        estimate.time.as_secs_f64() * 1e3
    };
    // The large layer alone takes about 1.5 ms, as on R-MAT 22, and the thin ones half a second.
    let added = time(&both) - time(&thin);
    assert!((0.5..4.0).contains(&added), "{added} ms");
    // Warps take the thin layers on their own, and windows help where most edges are.
    let (only_thin, with_huge) = (on_device(&bfs(), &thin).techniques, on_device(&bfs(), &both).techniques);
    assert!(only_thin.local_rounds && !only_thin.shared_window, "{only_thin:?}");
    assert!(with_huge.local_rounds && with_huge.shared_window, "{with_huge:?}");
}

#[test]
fn layers_without_edges_cost_nothing() {
    let groups = [(3, 300, 900)];
    let isolated = [(3, 300, 900), (1, 1000, 0), (1_000_000, 1_000_000, 0)];
    let time = |groups: &[(u64, u64, u64)]| {
        let graph = Known { size: Known::of(&[(3, 300, 900)]).size, ..Known::of(groups) };
        workload(&graph, &sssp(), false).estimate(Bucket, Techniques::NONE).time
    };
    assert_eq!(time(&groups), time(&isolated));
}

#[test]
fn ten_million_layers_are_estimated_in_microseconds() {
    let path = Known::of(&[(2, 2, 2), (9_999_998, 9_999_998, 19_999_996)]);
    let began = Instant::now();
    const PLANS: u32 = 1000;
    for _ in 0..PLANS {
        for machine in [H200, TWO_THREADS] {
            decide(&sssp(), &path, &RunOptions::new(), true, machine).expect("it can be planned");
        }
    }
    // A pass over ten million layers would take milliseconds. The limit leaves room for a busy machine.
    let each = began.elapsed() / (2 * PLANS);
    assert!(each < Duration::from_millis(1), "{each:?} per plan");
}

#[test]
fn graphs_of_every_size_have_estimates() {
    let most = u64::from(u32::MAX);
    for groups in [
        vec![],
        vec![(1, 1, 0)],
        vec![(1, most, 0)],
        vec![(1, most, 1 << 40)],
        vec![(most, most, 1 << 40)],
        vec![(most, most, most)],
    ] {
        let graph = Known::of(&groups);
        for warps in [0, 1, WARPS] {
            let workload = DeviceWorkload { warps, ..workload(&graph, &sssp(), false) };
            for choice in [Frontier, Bucket, Sweep] {
                for techniques in [Techniques::NONE, Techniques::ALL] {
                    let time = workload.estimate(choice, techniques).time;
                    assert!(time.as_secs() < u64::MAX / 2, "{groups:?}: {time:?}");
                }
            }
            assert!((1..=32).contains(&workload.bucket_factor()));
        }
    }
}

#[test]
fn who_starts_everywhere_is_swept_again_and_again() {
    let graph = recorded::usa_road_ne().unweighted();
    let sweep = |from_root| workload(&graph, &sssp(), from_root).estimate(Sweep, Techniques::NONE).time;
    // Every edge weighs 1, so one pass is enough for a run from the root, but not for a run in which every vertex
    // starts with a value.
    assert!(sweep(false) > 4 * sweep(true));
}

#[test]
fn every_measured_cost_is_used() {
    let costs = DeviceCosts::H200;
    let parts = costs.step_parts;
    let of_parts = |step_parts| DeviceCosts { step_parts, ..costs };
    let dearer = [
        DeviceCosts { barrier_ns: 2e3, ..costs },
        of_parts(StepParts { queue_ns: 2e3, ..parts }),
        of_parts(StepParts { row_ns: 2e3, ..parts }),
        of_parts(StepParts { end_ns: 2e3, ..parts }),
        of_parts(StepParts { value_ns: 2e3, ..parts }),
        DeviceCosts { sequential_gb_s: 100.0, ..costs },
        DeviceCosts { random_read_g_s: [10.0, 45.0], ..costs },
        DeviceCosts { atomic_g_s: [10.0, 19.0], ..costs },
    ];
    let graph = Known::of(&[(1000, 1_000_000, 3_000_000), (2, 1_000_000, 30_000_000)]);
    let time = |costs: &DeviceCosts| {
        let machine = Machine::Device { costs, warps: WARPS };
        let decision = decide(&sssp(), &graph, &RunOptions::new(), false, machine).expect("a plan");
        decision.estimates[0].time
    };
    for costs in dearer {
        assert!(time(&costs) > time(&DeviceCosts::H200), "{costs}");
    }
    // The second rate of a pair is for graphs whose values do not fit in the caches.
    let large = Known::of(&[(2, 1 << 30, 1 << 34)]);
    let time = |costs: DeviceCosts| {
        let workload = DeviceWorkload { costs: &costs, ..workload(&large, &sssp(), false) };
        workload.estimate(Frontier, Techniques::NONE).time
    };
    for costs in [
        DeviceCosts { random_read_g_s: [159.0, 10.0], ..costs },
        DeviceCosts { atomic_g_s: [106.0, 5.0], ..costs },
    ] {
        assert!(time(costs) > time(DeviceCosts::H200), "{costs}");
    }
}

#[test]
fn times_have_two_digits() {
    let text = |us| super::super::estimate::rounded(Duration::from_micros(us));
    assert_eq!([0, 12, 99, 100, 994].map(text), ["0 us", "12 us", "99 us", "0.10 ms", "0.99 ms"]);
    assert_eq!([1_250, 9_940, 12_345].map(text), ["1.2 ms", "9.9 ms", "12 ms"]);
}

/// Packed rows of a symmetric graph in host memory.
fn on_host(edges: u64, bytes: u64) -> RowStorage {
    let source_bytes = 4 * edges;
    RowStorage { row_bytes: bytes, region_bytes: bytes, arrays: 1, source_bytes, packed: true }
}

fn bfs_over_the_link(graph: &Known, bytes: u64) -> Schedule {
    let options = RunOptions::new().techniques(Techniques { direction: false, ..Techniques::ALL });
    let Known { size, layers } = graph;
    let shape = bfs();
    let question = Question {
        shape: &shape,
        options: &options,
        graph: *size,
        layers,
        uniform: true,
        at_root: true,
        gathers_at_hand: true,
        against_union: None,
        stores_paths: false,
        largest_component: 0.0,
        streams: false,
        storage: RowStorage::RESIDENT,
        machine: H200,
    };
    let resident = choose(&question).expect("it can be planned").schedule;
    assert_eq!(resident, Schedule::Sweep, "with rows on the device");
    choose(&Question { storage: on_host(size.edges, bytes), ..question }).expect("it can be planned").schedule
}

/// A sweep reads the sources of all edges over the link, too. A frontier reads the rows alone, but each by a request of its
/// own, which costs more where rows are short.
#[test]
fn rows_behind_a_link_are_swept_if_they_are_short() {
    assert_eq!(bfs_over_the_link(&recorded::rmat_22(), 216_531_776), Schedule::Relax);
    assert_eq!(bfs_over_the_link(&recorded::usa_road_ne(), 9_575_344), Schedule::Sweep);
}

#[test]
fn larger_regions_answer_fewer_requests() {
    let ns = |bytes| on_host(0, bytes).random_ns(1.0, 0.0) / bytes as f64;
    assert!((ns(1 << 20) * 50.8 - 1.0).abs() < 1e-9 && ns(1 << 20) == ns(512 << 20));
    assert!(
        (6.0..10.0).contains(&(ns(4 << 30) / ns(1 << 20))),
        "50 instead of 397 million requests per second"
    );
    assert_eq!(RowStorage::RESIDENT.random_ns(1.0, 1e6), 0.0);
    assert_eq!(RowStorage::RESIDENT.sweep_ns(1 << 30), 0.0);
}

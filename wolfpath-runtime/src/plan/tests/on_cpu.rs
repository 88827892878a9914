//! Choices for the CPU engine.

use super::*;

fn on_cpu(shape: &Shape, graph: &Known, threads: usize) -> Decision {
    with_costs(CpuCosts::TYPICAL, shape, graph, threads)
}

fn with_costs(costs: CpuCosts, shape: &Shape, graph: &Known, threads: usize) -> Decision {
    let machine = Machine::Cpu { costs, threads };
    decide(shape, graph, &RunOptions::new(), true, machine).expect("it can be planned")
}

/// With two threads, SSSP took 24 ms by buckets on osm-moscow and 331 ms by frontier.
#[test]
fn buckets_are_for_weights_that_differ() {
    for graph in [recorded::osm_moscow(), recorded::usa_road_ne(), recorded::rmat_22()] {
        let decision = on_cpu(&sssp(), &graph, 2);
        assert_eq!(decision.schedule, Schedule::Bucket, "{}", decision.reason);
        assert!(decision.reason.starts_with("min or max over numbers"), "{}", decision.reason);
        assert!(decision.reason.contains("; estimated: frontier "), "{}", decision.reason);
    }
}

/// With two threads, SSSP over dblp-2010 without weights took 6.6 ms by frontier and 9.7 ms by buckets, and over a path
/// of 20,000 edges 1.7 ms and 0.6 ms.
#[test]
fn small_differences_keep_the_natural_schedule() {
    let decision = on_cpu(&sssp(), &recorded::dblp_2010().unweighted(), 2);
    assert_eq!(decision.schedule, Schedule::Bucket, "{}", decision.reason);
    let why = "(`frontier` replaces `bucket` only if it is estimated to save 33 % of the time)";
    assert!(decision.reason.contains(why), "{}", decision.reason);
    let path = Known::of(&[(20_000, 20_000, 20_000)]).directed();
    for graph in [path.clone(), path.unweighted()] {
        let decision = on_cpu(&sssp(), &graph, 2);
        assert_eq!(decision.schedule, Schedule::Bucket, "{}", decision.reason);
    }
}

#[test]
fn a_frontier_replaces_buckets_that_cost_much_more() {
    let dear = CpuCosts { bucket_edge: 2.0, ..CpuCosts::TYPICAL };
    let decision = with_costs(dear, &sssp(), &recorded::rmat_22().unweighted(), 2);
    assert_eq!(decision.schedule, Schedule::Relax, "{}", decision.reason);
    assert!(decision.reason.starts_with("few values are improved more than once"), "{}", decision.reason);
    // If weights differ, a frontier visits edges again and again.
    let decision = with_costs(dear, &sssp(), &recorded::usa_road_ne(), 2);
    assert_eq!(decision.schedule, Schedule::Bucket, "{}", decision.reason);
}

#[test]
fn only_schedules_in_place_are_estimated() {
    let graph = recorded::rmat_22();
    let estimated = |shape: &Shape| -> Vec<ScheduleChoice> {
        let decision = on_cpu(shape, &graph, 2);
        decision.estimates.iter().map(|estimate| estimate.schedule).collect()
    };
    assert_eq!(estimated(&sssp()), [Frontier, Bucket]);
    assert_eq!(estimated(&bfs()), [Frontier]);
    assert_eq!(estimated(&pagerank()), []);
}

/// Receivers gather only if they can stop early, and if the rows that they gather over are built.
#[test]
fn receivers_may_gather_where_they_can_stop_early() {
    let graph = recorded::rmat_22();
    let direction = Techniques::NONE.direction(true);
    for (shape, expected) in [
        (bfs(), direction),
        (reach(), direction),
        (Shape { uniform: false, ..reach() }, direction),
        (shape(CombineKind::Any, DatumKind::U32, false), direction),
        (sssp(), Techniques::NONE),
        (pagerank(), Techniques::NONE),
    ] {
        let decision = on_cpu(&shape, &graph, 2);
        assert_eq!(decision.techniques, expected, "{shape:?}");
        assert_eq!(decision.technique_reasons.len(), usize::from(expected == direction), "{decision:?}");
    }
    let without = RunOptions::new().techniques(Techniques::NONE);
    let machine = Machine::Cpu { costs: CpuCosts::TYPICAL, threads: 2 };
    let decision = decide(&bfs(), &graph, &without, true, machine).expect("a plan");
    assert_eq!((decision.techniques, decision.technique_reasons.len()), (Techniques::NONE, 0));
}

#[test]
fn threads_share_the_edges_of_wide_layers_only() {
    let time = |graph: &Known, threads| on_cpu(&bfs(), graph, threads).estimates[0].time.as_secs_f64();
    let wide = recorded::rmat_22();
    let ratio = time(&wide, 1) / time(&wide, 16);
    assert!((14.0..16.1).contains(&ratio), "{ratio}");
    let path = recorded::path_1m();
    assert_eq!(time(&path, 1), time(&path, 16));
    assert!((0.08..0.12).contains(&time(&path, 1)), "a step of one edge takes about 0.1 us");
}

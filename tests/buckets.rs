//! Buckets on the CPU: the values are right with weights of any size, and waiting vertices are examined only a bounded
//! number of times.

use wolfpath::graph::{Direction, LayerOptions, LayeredGraph};
use wolfpath::{Engine, Outcome, RunOptions, ScheduleChoice, StepKind, generate, oracle, programs};

type Edges = Vec<(u64, u64, u64)>;

/// Returns the edges of a complete acyclic graph in which every vertex improves all later ones. Many vertices send
/// again, so buckets become narrower. Also returns the last vertex, which is at distance `vertices - 1` from vertex 0.
fn improved_again_and_again(vertices: u64) -> (Edges, u64) {
    // Among the vertices improved in a step, the nearest gets the largest id, so that it sends last.
    let id = |place: u64| if place == 0 { 0 } else { vertices - place };
    let pairs = (0..vertices).flat_map(|source| (source + 1..vertices).map(move |end| (source, end)));
    let edges = pairs.map(|(source, end)| (id(source), id(end), (end - source) * (end - source)));
    (edges.collect(), id(vertices - 1))
}

/// Returns a path of `length` new vertices from vertex `first`, and a worse edge from `first` to each of them.
fn fan(first: u64, new: u64, length: u64) -> Edges {
    let vertex = |place: u64| if place == 0 { first } else { new + place };
    let path = (0..length).map(|place| (vertex(place), vertex(place + 1), 1));
    path.chain((2..=length).map(|place| (first, vertex(place), 2 * length - place))).collect()
}

/// Returns the number of entries of waiting vertices that a run examined.
fn examined(outcome: &Outcome<programs::sssp_f64>) -> u64 {
    let steps = &outcome.trace().expect("a trace was requested").steps;
    steps.iter().filter(|step| step.kind == StepKind::Advance).map(|step| step.active).sum()
}

/// If weights are so small that quotients overflow to infinity, a naive bucket would examine all waiting vertices.
#[test]
fn tiny_weights_cost_no_more_than_others() {
    const VERTICES: u64 = 100;
    const LENGTH: u64 = 3_000;
    let (mut edges, last) = improved_again_and_again(VERTICES);
    edges.extend(fan(last, VERTICES, LENGTH));
    // Powers of two keep the sums exact.
    let smallest = f64::from_bits(1);
    for scale in
        [1.0, f64::MIN_POSITIVE * 2f64.powi(30), f64::MIN_POSITIVE, smallest * 2f64.powi(37), smallest]
    {
        let scaled = edges.iter().map(|&(source, target, weight)| (source, target, weight as f64 * scale));
        let graph = LayeredGraph::from_weighted_edges(scaled).expect("the graph is valid");
        let program = programs::sssp_f64::from_source(0, 0.0);
        let options = RunOptions::new().schedule(ScheduleChoice::Bucket).threads(1).trace(true);
        let outcome = Engine::cpu().run_with(&graph, &program, &options).expect("the run succeeds");
        let farthest = (VERTICES - 1 + LENGTH) as f64 * scale;
        assert_eq!(outcome.value(VERTICES + LENGTH), Ok(Some(farthest)), "weights times {scale:e}");
        let examined = examined(&outcome);
        assert!(examined <= 50 * LENGTH, "weights times {scale:e}: {examined} entries were examined");
    }
}

/// If a hub has several entries in a list, before and after vertices that improve it, it must not send for each entry.
#[test]
fn a_hub_does_not_send_for_every_improvement() {
    const IMPROVERS: u64 = 500;
    const LEAVES: u64 = 5_000;
    let (hub, near, later, leaf) = (1, 2, 2 + IMPROVERS, 2 + 2 * IMPROVERS);
    // In the second step, every vertex of the first ring improves the hub and adds a vertex of the second ring to the
    // list. That vertex improves the hub again in the third step.
    let rings = (0..IMPROVERS).flat_map(|place| {
        [
            (0, near + place, 1),
            (near + place, hub, 10 * IMPROVERS - 2 * place),
            (near + place, later + place, 1),
            (later + place, hub, 5 * IMPROVERS - 2 * place),
        ]
    });
    let leaves = (0..LEAVES).map(|place| (hub, leaf + place, 1));
    let graph = LayeredGraph::from_weighted_edges(rings.chain(leaves)).expect("the graph is valid");
    let options = RunOptions::new().schedule(ScheduleChoice::Bucket).threads(1);
    let outcome = Engine::cpu().run_with(&graph, &programs::sssp_u64::starting_at(0), &options);
    let outcome = outcome.expect("the run succeeds");
    let nearest = 2 + 5 * IMPROVERS - 2 * (IMPROVERS - 1);
    assert_eq!((outcome.value(hub), outcome.value(leaf)), (Ok(Some(nearest)), Ok(Some(nearest + 1))));
    let looked_at = outcome.stats().edges;
    assert!(looked_at <= 10 * graph.num_edges(), "{looked_at} edges of {} were visited", graph.num_edges());
}

/// A distance divided by the bucket width can exceed the largest float. Such distances must still be distinguished, or
/// each bucket would examine all waiting vertices.
#[test]
fn distances_of_more_widths_than_floats_count_are_told_apart() {
    const LEAVES: u64 = 3_000;
    const TINY: f64 = 1e-160;
    let (begin, hub, first_leaf) = (1_000, 1_001, 1_001);
    let (gadget, _) = improved_again_and_again(300);
    let tiny = gadget.iter().map(|&(source, target, weight)| (source, target, weight as f64 * TINY));
    // The first step must have few edges, because a large first step would have no bound.
    let path = [(begin, 0, TINY), (0, hub, TINY)];
    // Self-loops make edges short on average.
    let leaves = (1..=LEAVES).flat_map(|leaf| {
        let id = first_leaf + leaf;
        [(id, id, TINY), (hub, id, leaf as f64 * 1e160)]
    });
    let tiny = tiny.chain(path);
    let graph = LayeredGraph::from_weighted_edges(tiny.chain(leaves)).expect("the graph is valid");
    let options = RunOptions::new().schedule(ScheduleChoice::Bucket).threads(1).trace(true);
    let program = programs::sssp_f64::starting_at(begin);
    let outcome = Engine::cpu().run_with(&graph, &program, &options).expect("the run succeeds");
    assert_eq!(outcome.value(first_leaf + LEAVES), Ok(Some(LEAVES as f64 * 1e160)));
    assert!(examined(&outcome) <= 50 * LEAVES, "{} entries were examined", examined(&outcome));
}

/// Pseudo-random numbers that depend only on a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}

/// Returns a chain of parts. Each part makes buckets narrower, or makes many vertices wait. The edges between parts are
/// as long as the sums allow.
fn parts_far_apart(draw: &mut Draw) -> Edges {
    let (mut edges, mut last) = improved_again_and_again(40 + draw.below(60));
    for _ in 0..1 + draw.below(12) {
        let next = edges.iter().map(|&(source, target, _)| source.max(target)).max().unwrap_or(0) + 1;
        let far = 1 << draw.below(58);
        if draw.below(2) == 0 {
            edges.push((last, next, 1 + draw.below(far)));
            let (part, end) = improved_again_and_again(10 + draw.below(40));
            let unit = 1 + draw.below(far) / 4_000;
            edges.extend(part.iter().map(|&(source, target, w)| (next + source, next + target, w * unit)));
            last = next + end;
        } else {
            let length = 2 + draw.below(60);
            let unit = 1 + draw.below(far) / 200;
            edges.extend(
                fan(last, next, length).iter().map(|&(source, target, w)| (source, target, w * unit)),
            );
            last = next + 1 + draw.below(length);
        }
    }
    edges
}

#[test]
fn buckets_are_right_whatever_the_distances() {
    for seed in 0..150 {
        let edges = parts_far_apart(&mut Draw(seed));
        let graph = LayeredGraph::from_weighted_edges(edges).expect("the graph is valid");
        let weights = graph.weights_as::<u64>(Direction::Out, true).expect("the weights are integers");
        let source = graph.vertex_of(0).expect("vertex 0 is in the graph");
        let expected = oracle::by_id(&graph, &oracle::shortest(graph.out_edges(), &weights, &[(source, 0)]));
        let options = RunOptions::new().schedule(ScheduleChoice::Bucket);
        for threads in [1, 2] {
            let options = options.clone().threads(threads);
            let outcome = Engine::cpu()
                .run_with(&graph, &programs::sssp_u64::from_source(0, 0), &options)
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(
                outcome.read().expect("the values are readable").iter().eq(expected.iter().copied()),
                "seed {seed}, {threads} threads"
            );
        }
    }
}

/// Steps with many vertices are shared. With more threads than cores, some are interrupted anywhere.
#[test]
fn buckets_are_right_with_more_threads_than_cores() {
    let graphs = [generate::rmat(12, 8, 3), generate::grid(90, 90, 5)];
    for (which, edges) in graphs.into_iter().enumerate() {
        let edges = edges.expect("the graph is valid").with_random_weights(7, 1_000);
        let graph = LayeredGraph::from_edge_list(edges.undirected(), &LayerOptions::default())
            .expect("layering succeeds");
        let weights = graph.weights_as::<u32>(Direction::Out, true).expect("the weights are integers");
        let id = graph.ids()[0];
        let source = graph.vertex_of(id).expect("the vertex is in the graph");
        let expected = oracle::by_id(&graph, &oracle::shortest(graph.out_edges(), &weights, &[(source, 0)]));
        let options = RunOptions::new().schedule(ScheduleChoice::Bucket).threads(8);
        let loaded = Engine::cpu().load(&graph);
        for run in 0..40 {
            let outcome =
                loaded.run_with(&programs::sssp::from_source(id, 0), &options).expect("it succeeds");
            assert!(
                outcome.read().expect("the values are readable").iter().eq(expected.iter().copied()),
                "graph {which}, run {run}"
            );
        }
    }
}

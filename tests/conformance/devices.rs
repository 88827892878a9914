//! Runs that several devices share. The whole suite can run so, too (`WOLFPATH_CUDA_DEVICE=0,1`). On one device, and on the
//! CPU, these checks compare an engine with itself.

use std::time::Duration;

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph, WeightChoice};
use wolfpath::program::EdgeProgram;
use wolfpath::programs::{Components, PageRank, bfs, sssp};
use wolfpath::{
    DeviceError, Engine, Home, LoadedGraph, ManyStats, Outcome, RunError, RunOptions, Schedule,
    ScheduleChoice, Techniques, generate,
};

use crate::accumulating::acyclic;
use crate::accumulating_programs::{against, along_both, influence::Influence, ways};
use crate::homes::free;
use crate::neighbour_programs::{
    all, hops, least_edges, least_later, least_neighbours, oriented_all, pushed, triangles,
};
use crate::programs::backwards;

/// Returns an R-MAT graph with more than 8,000 vertices, so that each device has some of the units of vertices that are
/// folded together.
fn graph(symmetric: bool) -> LayeredGraph {
    rmat(13, symmetric)
}

fn rmat(scale: u32, symmetric: bool) -> LayeredGraph {
    let list = generate::rmat(scale, 8, 7).expect("the R-MAT graph is valid");
    let list = if symmetric { list.undirected() } else { list };
    let graph = LayeredGraph::from_edge_list(list, &Default::default()).expect("layering succeeds");
    graph.with_weights(WeightChoice::Random { seed: 3, max: 50 })
}

/// Returns the engine's first device alone, with units of the usual size. An engine of one device is returned as it is.
pub(crate) fn alone(engine: &Engine) -> Engine {
    if devices(engine) > 1 {
        Engine::cuda(crate::ordinals()[0]).expect("the device is there")
    } else {
        engine.clone()
    }
}

/// Returns the number of devices of a CUDA engine.
fn devices(engine: &Engine) -> u64 {
    if engine.is_cuda() { crate::ordinals().len() as u64 } else { 0 }
}

fn values<P: EdgeProgram>(outcome: &Outcome<P>) -> Vec<String> {
    let values = outcome.read().expect("the values can be read");
    values.iter().map(|(id, value)| format!("{id} {value:?}")).collect()
}

/// Checks that all devices together leave the same values as one of them, bit for bit, and that all were launched, each
/// equally often. Returns the number of edges that devices visited for each other.
fn is_shared<P: EdgeProgram>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    options: &RunOptions,
) -> u64 {
    let shared = engine.run_with(graph, program, options).expect("the run succeeds");
    let single = alone(engine).run_with(graph, program, options).expect("the run succeeds");
    assert_eq!(values(&shared), values(&single), "{}", P::MODEL.name);
    if devices(engine) > 1 {
        let (stats, devices) = (shared.stats(), devices(engine));
        let all_were = stats.launches > 0 && stats.launches.is_multiple_of(devices);
        assert!(all_were, "{}: {stats:?}", P::MODEL.name);
        let plan = engine.plan(graph, program, options).expect("it can be planned");
        assert!(plan.to_string().contains("devices share the run"), "{plan}");
    }
    assert_eq!(single.stats().borrowed_edges, 0);
    shared.stats().borrowed_edges
}

/// Sums of floats are those of one device, bit for bit: a vertex's messages are added on one device, and folds are computed
/// for units of vertices.
pub(crate) fn devices_agree_bit_for_bit(engine: &Engine) {
    // Folds need units of the usual size.
    let engine = &engine.clone().units_of(256);
    let ranks = PageRank { damping: 0.85, tolerance: 1e-6 };
    for symmetric in [true, false] {
        let graph = graph(symmetric);
        let plain = RunOptions::new();
        is_shared(engine, &graph, &ranks, &plain);
        is_shared(engine, &graph, &ranks, &plain.clone().steps_at_most(3));
        is_shared(engine, &graph, &sssp::starting_at(0), &plain);
        is_shared(engine, &graph, &bfs::starting_at(1), &plain);
        is_shared(engine, &graph, &Components {}, &plain);
    }
}

/// Rows of distinct neighbours are shared, and in-rows that are not stored.
pub(crate) fn devices_share_derived_rows(engine: &Engine) {
    // On one device, steps of this run pull, for which the lengths of all rows must be known. (In smaller graphs, none does.)
    let pulls =
        RunOptions::new().schedule(ScheduleChoice::Frontier).techniques(Techniques::NONE.direction(true));
    let complete = (0..2000).flat_map(|a| (0..a).map(move |b| (a, b)));
    let complete = LayeredGraph::from_edges(complete).expect("the edges form a graph");
    is_shared(engine, &complete, &hops::starting_at(0), &pulls);
    // One vertex, and so one device, has all in-edges.
    let list = EdgeList::from_edges((1..3000).map(|v| (v, 0))).expect("the edges are valid");
    let options = LayerOptions::new().in_edges(false);
    for rows in [Home::Device, Home::File] {
        let graph = LayeredGraph::from_edge_list(list.clone(), &options).expect("layering succeeds");
        // The CPU engine does not sweep.
        let schedule = engine.is_cuda().then_some(ScheduleChoice::Sweep);
        let options = RunOptions::new().schedule(schedule).rows(rows);
        is_shared(engine, &graph, &backwards::from_source(0, 0), &options);
    }
}

/// Vertices take turns on all devices, in the order of paths and by frontier, and what is combined for vertices of another
/// device is passed on to it, also from blocks' sums in shared memory.
pub(crate) fn devices_take_turns(engine: &Engine) {
    const LAYER: u64 = 1700;
    // Six layers, without cycles, so that the numbers of ways are finite. They form several groups.
    let next = |v: u64, edge: u64| (v / LAYER + 1) * LAYER + wolfpath::program::random(5, edge, v) % LAYER;
    let edges = (0..5 * LAYER).flat_map(|v| (0..4).map(move |edge| (v, next(v, edge))));
    let to_hub = (0..2 * LAYER).map(|v| (v, 2 * LAYER));
    let list = EdgeList::from_edges(edges.chain(to_hub).collect::<Vec<_>>()).expect("the edges are valid");
    let ordered = RunOptions::new().schedule(ScheduleChoice::Paths);
    let unordered = ordered.clone().techniques(Techniques::ALL.path_order(false));
    let by_frontier = RunOptions::new().schedule(ScheduleChoice::Frontier);
    for rows in [Home::Device, Home::File] {
        let graph =
            LayeredGraph::from_edge_list(list.clone(), &Default::default()).expect("layering succeeds");
        let graph = graph.with_weights(WeightChoice::Random { seed: 3, max: 50 });
        let ways_to_take = [(&ordered, true), (&unordered, false), (&by_frontier, false)];
        let few = if rows == Home::Device { 3 } else { 1 };
        for (options, keeps_components) in ways_to_take.into_iter().take(few) {
            let options = options.clone().rows(rows);
            if devices(engine) > 1 {
                let plan =
                    engine.plan(&graph, &ways::from_source(0, 1), &options).expect("it can be planned");
                let says_so = plan.to_string().contains("components of paths stay together");
                assert_eq!(says_so, keeps_components, "{plan}");
                assert_eq!(plan.techniques.uses_shared_window(), plan.schedule == Schedule::Paths, "{plan}");
            }
            let (source, target) = (ways::from_source(0, 1), against::from_source(5 * LAYER, 1));
            is_shared(engine, &graph, &source, &options);
            is_shared(engine, &graph, &target, &options);
            is_shared(engine, &graph, &sssp::starting_at(0), &options);
            is_shared(engine, &graph, &Components {}, &options);
            let plain = Techniques::ALL.shared_window(false);
            is_shared(engine, &graph, &source, &options.clone().techniques(plain));
            is_shared(engine, &graph, &source, &options.slice(Duration::ZERO));
        }
    }
}

/// If some devices have nearly all vertices whose turn it is, the others take some of them.
pub(crate) fn devices_take_work_from_each_other(engine: &Engine) {
    // Vertices are dealt in units. Since the root comes first, a layer is one unit or two except for one vertex.
    const UNIT: u64 = 1024;
    let layers = [1, 1 + UNIT, 1 + 3 * UNIT, 1 + 4 * UNIT, 1 + 6 * UNIT, 1 + 7 * UNIT];
    let mut edges: Vec<(u64, u64)> = (1..=UNIT).map(|v| (0, v)).collect();
    for layer in layers.windows(3) {
        let (size, further) = (layer[1] - layer[0], layer[2] - layer[1]);
        // The first two edges of all vertices reach every vertex of the next layer.
        let at = |number: u64, edge: u64| match edge {
            0 | 1 => number + edge * size,
            _ => wolfpath::program::random(5, edge, number),
        };
        let of = |number| (0..3).map(move |edge| (layer[0] + number, layer[1] + at(number, edge) % further));
        edges.extend((0..size).flat_map(of));
    }
    let list = EdgeList::from_edges(edges).expect("the edges are valid");
    let graph = LayeredGraph::from_edge_list(list, &Default::default()).expect("layering succeeds");
    let graph = graph.with_weights(WeightChoice::Random { seed: 3, max: 50 });
    let default = &free(engine).units_of(UNIT as usize).least_lent(None);
    let engine = &default.clone().least_lent(4);
    let ends: Vec<(u64, u64)> = (layers[4]..layers[5]).map(|v| (v, 1)).collect();
    let plain = RunOptions::new().rows(Home::Device);
    let by_paths = plain.clone().schedule(ScheduleChoice::Paths);
    let unordered = by_paths.clone().techniques(Techniques::ALL.path_order(false));
    let by_frontier = plain.schedule(ScheduleChoice::Frontier);
    let has_several = devices(engine) > 1;
    let source = ways::from_source(0, 1);
    for packed in [false, true] {
        for options in [&by_paths, &unordered, &by_frontier] {
            let options = options.clone().packed_rows(packed);
            if has_several {
                let plan = engine.plan(&graph, &source, &options).expect("it can be planned");
                assert!(plan.packed == packed && plan.techniques.uses_lending(), "{plan}");
                assert!(plan.to_string().contains("lend"), "{plan}");
            }
            let borrowed = is_shared(engine, &graph, &source, &options);
            assert_eq!(borrowed > 0, has_several, "{options:?}");
            let target = against::from_sources(ends.clone());
            assert_eq!(is_shared(engine, &graph, &target, &options) > 0, has_several, "{options:?}");
        }
        // What describes loans is left out if it does not fit.
        if has_several {
            let options = by_paths.clone().packed_rows(packed);
            let plan = engine.plan(&graph, &source, &options).expect("it can be planned");
            let limited = options.device_memory(plan.bytes_in(Home::Device) - 1);
            let plan = engine.plan(&graph, &source, &limited).expect("it can be planned");
            assert!(
                !plan.techniques.uses_lending() && plan.to_string().contains("loans do not fit"),
                "{plan}"
            );
            let outcome = engine.run_with(&graph, &source, &limited).expect("it fits without them");
            assert_eq!(outcome.stats().borrowed_edges, 0);
        }
        // A launch may end between two rounds.
        let sliced = unordered.clone().packed_rows(packed).slice(Duration::ZERO);
        assert_eq!(is_shared(engine, &graph, &source, &sliced) > 0, has_several);
    }
    for options in [&by_paths, &unordered] {
        // Several numbers, with weights, from every vertex; the order of additions is another one on several devices.
        let (program, options) = (Influence { factor: 0.02 }, options.clone().tolerance(1e-9));
        let outcome = engine.run_with(&graph, &program, &options).expect("the run succeeds");
        let single = alone(engine).run_with(&graph, &program, &options).expect("the run succeeds");
        assert_eq!(outcome.stats().borrowed_edges > 0, has_several);
        let (shared, single) = (outcome.read().expect("values"), single.read().expect("values"));
        for ((id, a), (_, b)) in shared.iter().zip(single.iter()) {
            let (a, b) = (a.expect("all have one"), b.expect("all have one"));
            let pairs = [(a.good, b.good), (a.bad, b.bad), (a.both[0], b.both[0])];
            let are_close = pairs.iter().all(|(a, b)| (a - b).abs() <= 1e-4 * (1.0 + b.abs()));
            assert!(are_close, "{id}: {a:?}, {b:?}");
        }
    }
    let both = along_both::from_source(0, 1.0);
    let exactly = unordered.clone().tolerance(1e-14);
    let outcome = engine.run_with(&graph, &both, &exactly).expect("the run succeeds");
    assert_eq!(outcome.stats().borrowed_edges > 0, has_several);
    let single = alone(engine).run_with(&graph, &both, &exactly).expect("the run succeeds");
    let (shared, single) = (outcome.read().expect("values"), single.read().expect("values"));
    for ((id, a), (_, b)) in shared.iter().zip(single.iter()) {
        assert_eq!(a.is_some(), b.is_some(), "{id}");
        let (a, b) = (a.unwrap_or(0.0), b.unwrap_or(0.0));
        assert!((a - b).abs() <= 1e-13, "{id}: {a}, {b}");
    }

    let keeps = unordered.clone().techniques(Techniques::ALL.path_order(false).lending(false));
    assert_eq!(is_shared(engine, &graph, &source, &keeps), 0);
    // Devices can lend single items, too, and other devices take all of them. (If the average were rounded down, three devices could
    // lend more than others lack.)
    let mut borrowed = 0;
    let lends_all = engine.clone().units_of(64).least_lent(0);
    for seed in 0..6 {
        let edges = acyclic(seed, 600);
        let source = ways::from_source(edges[0].0, 1);
        let graph = LayeredGraph::from_edges(edges).expect("a valid graph");
        for options in [&unordered, &by_frontier] {
            borrowed += is_shared(&lends_all, &graph, &source, options);
        }
    }
    assert_eq!(borrowed > 0, has_several);
    // What improves values in place travels on sooner on the device that has them.
    assert_eq!(is_shared(engine, &graph, &sssp::starting_at(0), &unordered), 0);
    // A queue that overflows is not complete, so that only short ones lend.
    let [some, all] = [engine.clone().queue_room(40), engine.clone()]
        .map(|engine| is_shared(&engine, &graph, &source, &unordered));
    assert!(some < all || !has_several, "{some} {all}");
    // Rows in host memory are read over a device's own link.
    for rows in [Home::Host, Home::File] {
        let away = by_paths.clone().rows(rows);
        assert_eq!(is_shared(engine, &graph, &source, &away), 0);
        let plan = engine.plan(&graph, &source, &away).expect("it can be planned");
        assert!(!plan.techniques.uses_lending(), "{plan}");
    }
    if has_several {
        let plan = default.plan(&graph, &source, &by_paths).expect("it can be planned");
        assert!(!plan.techniques.uses_lending(), "{plan}");
        assert!(plan.to_string().contains("the graph has fewer than 16 edges per vertex"), "{plan}");
        let dense = generate::rmat(8, 32, 7).expect("the R-MAT graph is valid");
        let dense = LayeredGraph::from_edge_list(dense, &Default::default()).expect("layering succeeds");
        let plan = default.plan(&dense, &source, &by_paths).expect("it can be planned");
        assert!(plan.techniques.uses_lending(), "{plan}");
    }
}

/// Each device counts what the ends of its own edges have in common.
pub(crate) fn devices_count_common_neighbours(engine: &Engine) {
    let (engine, plain) = (&engine.clone().units_of(64), RunOptions::new());
    let graph = rmat(8, true);
    is_shared(engine, &graph, &least_edges::Least { every: 7 }, &plain);
    let graph = rmat(8, false);
    is_shared(engine, &graph, &triangles::Triangles, &plain);
    is_shared(engine, &graph, &pushed::Mixing { seed: 3 }, &plain.clone().steps_at_most(4));
    is_shared(engine, &graph, &all::Mixing { seed: 4 }, &plain.clone().steps_at_most(4));
    is_shared(engine, &graph, &oriented_all::Mixing { seed: 5 }, &plain.clone().steps_at_most(4));
    for rows in [Home::Device, Home::Host] {
        is_shared(engine, &graph, &least_edges::Least { every: 7 }, &plain.clone().rows(rows));
        is_shared(engine, &graph, &least_later::Least { every: 5 }, &plain.clone().rows(rows));
    }
    // Without room for all rows on each device, one of them executes the run.
    let program = least_neighbours::Least { every: 7 };
    let plan = alone(engine).plan(&graph, &program, &plain).expect("it can be planned");
    let plan = engine.plan(&graph, &program, &plain.device_memory(plan.bytes())).expect("it can be planned");
    if devices(engine) > 1 {
        assert!(plan.to_string().contains("would need the rows of all vertices"), "{plan}");
    }
}

/// A graph can have fewer units, and fewer vertices, than there are devices.
pub(crate) fn more_devices_than_vertices(engine: &Engine) {
    let graph = LayeredGraph::from_edges([(5, 6), (6, 7)]).expect("the edges form a graph");
    let options = RunOptions::new().schedule(ScheduleChoice::Frontier);
    is_shared(engine, &graph, &bfs::starting_at(5), &options);
    is_shared(engine, &graph, &Components {}, &options);
    let empty = LayeredGraph::from_edges([]).expect("there may be no edges");
    let none = engine.run(&empty, &Components {}).expect("the run succeeds");
    assert_eq!(none.read().expect("the values can be read").iter().count(), 0);
}

/// Of many runs, each device executes some, by itself. Runs for which there are not enough batches are divided among the
/// devices.
pub(crate) fn many_runs_on_all_devices(engine: &Engine) {
    let graph = graph(true);
    let ids: Vec<u64> = graph.ids().iter().copied().step_by(50).collect();
    let expected = Engine::cpu().load(&graph);
    let loaded = engine.load(&graph);
    let searches: Vec<_> = ids[..130].iter().map(|&id| bfs::starting_at(id)).collect();
    let paths: Vec<_> = ids[..16].iter().map(|&id| sssp::starting_at(id)).collect();
    let ranks = [0.5, 0.6, 0.7, 0.8, 0.9].map(|damping| PageRank { damping, tolerance: 1e-3 });
    let searches = agree(&loaded, &expected, &searches);
    assert_eq!((searches.shared, searches.batches), (130, 3), "{searches:?}");
    let paths = agree(&loaded, &expected, &paths);
    if engine.is_cuda() {
        assert_eq!((paths.shared, paths.batches), (16, devices(engine).min(4) as usize), "{paths:?}");
    }
    let ranks = agree(&loaded, &expected, &ranks);
    assert_eq!(ranks.shared, 0, "{ranks:?}");
    if devices(engine) > 1 {
        // Where one run has no room on a device, all of them share each run.
        let paths: Vec<_> = ids[..3].iter().map(|&id| sssp::starting_at(id)).collect();
        let options = RunOptions::new().schedule(ScheduleChoice::Frontier);
        let plan = alone(engine).plan(&graph, &paths[0], &options).expect("it can be planned");
        let many = loaded.run_many_with(&paths, &options.device_memory(plan.bytes() - 1));
        let many = many.expect("the runs succeed");
        assert!(many.stats().engines.iter().all(|name| name.contains(',')), "{:?}", many.stats());
    }
    for stats in [searches, paths, ranks] {
        // There are more runs than devices, so no run is shared.
        let is_one = |name: &String| !engine.is_cuda() || !name.contains(',');
        assert!(stats.engines.iter().all(is_one), "{stats:?}");
    }
}

/// Checks that many runs leave the values that each of them leaves on the CPU engine.
fn agree<P: EdgeProgram>(loaded: &LoadedGraph, expected: &LoadedGraph, programs: &[P]) -> ManyStats {
    let many = loaded.run_many(programs).expect("the runs succeed");
    for (run, program) in programs.iter().enumerate() {
        let outcome = many.outcome(run).expect("each run has an outcome");
        let expected = expected.run(program).expect("the CPU engine runs it");
        assert_eq!(values(&outcome), values(&expected), "run {run} of {}", P::MODEL.name);
    }
    many.stats().clone()
}

/// Rows that do not fit on one device are shared by all of them.
pub(crate) fn rows_that_fit_all_devices_together(engine: &Engine) {
    if devices(engine) < 2 {
        return;
    }
    // Whether devices share the run is left to the plan.
    let engine = &engine.clone().spread(false).units_of(256);
    let (graph, program) = (graph(true), sssp::starting_at(0));
    let plan = engine.plan(&graph, &program, &RunOptions::new()).expect("it can be planned");
    assert!(plan.devices_reason.contains("alone, because"), "{plan}");
    let limited = RunOptions::new().device_memory(plan.bytes() - 1);
    let shared = engine.run_with(&graph, &program, &limited).expect("the run succeeds");
    let expected = Engine::cpu().run(&graph, &program).expect("the CPU engine runs it");
    assert_eq!(values(&shared), values(&expected));
    assert_eq!(shared.stats().launches, devices(engine), "{:?}", shared.stats());
}

/// An automatically chosen engine opens further devices only for what does not fit on one, or if they save enough time.
pub(crate) fn auto_opens_devices_if_needed(engine: &Engine) {
    if devices(engine) < 2 {
        return;
    }
    let (graph, program) = (graph(true), sssp::starting_at(0));
    let expected = values(&Engine::cpu().run(&graph, &program).expect("the CPU engine runs it"));
    let auto = Engine::auto();
    let plan = auto.plan(&graph, &program, &RunOptions::new()).expect("it can be planned");
    assert!(plan.devices_reason.contains("to open"), "{plan}");
    let loaded = auto.load(&graph);
    let engine_of = |options: &RunOptions| {
        let outcome = loaded.run_with(&program, options).expect("the run succeeds");
        assert_eq!(values(&outcome), expected);
        outcome.stats().engine.clone()
    };
    assert!(engine_of(&RunOptions::new()).starts_with("cuda:0 ("));
    let limited = RunOptions::new().device_memory(plan.bytes() - 1);
    assert!(engine_of(&limited).starts_with("cuda:0,1"));
    let planned = auto.plan(&graph, &program, &limited).expect("it can be planned");
    assert!(planned.devices_reason.contains("does not fit on one"), "{planned}");
    // Opening them takes no more time now, but so small a run is still faster on one. The graph occupies memory there.
    assert!(engine_of(&RunOptions::new()).starts_with("cuda:0 ("));
    let enough = RunOptions::new().device_memory(plan.bytes());
    assert!(engine_of(&enough).starts_with("cuda:0 ("));
    let plan = auto.plan(&graph, &program, &RunOptions::new()).expect("it can be planned");
    assert!(plan.devices_reason.contains("alone, because the run would take about"), "{plan}");
    assert!(!plan.devices_reason.contains("to open"), "{plan}");
}

/// If one of several devices is lost, the kernels of the others end, and the error names the one. The emulated devices can be
/// told which of them is lost in a long launch.
pub(crate) fn a_lost_device_is_named(engine: &Engine) {
    let lost = std::env::var("WOLFPATH_EMULATOR_LOST_DEVICE").ok().filter(|_| devices(engine) > 1);
    let Some(lost) = lost else { return };
    let engine = &engine.clone().units_of(256);
    let endless = PageRank { damping: 0.85, tolerance: 0.0 };
    let ran = engine.run_with(&graph(true), &endless, &RunOptions::new().steps_at_most(1 << 40));
    let Err(RunError::Device(error @ DeviceError::Lost { .. })) = ran else { panic!("{ran:?}") };
    assert!(error.to_string().starts_with(&format!("cuda:{lost} ")), "{error}");
    // The other devices can be used.
    let other = crate::ordinals().into_iter().find(|ordinal| ordinal.to_string() != lost).expect("another");
    let small = LayeredGraph::from_edges([(1, 2)]).expect("the edge forms a graph");
    let outcome = Engine::cuda(other).expect("it is there").run(&small, &bfs::starting_at(1));
    assert_eq!(outcome.expect("the run succeeds").value(2).expect("it is reached"), Some(1));
}

//! Rows that are packed, that live in host memory, or both, and rows that are streamed. The whole suite can run so, too
//! (`WOLFPATH_TEST_ROWS`).

use std::iter;
use std::time::Duration;

use wolfpath::graph::{LayerOptions, LayeredGraph, WeightChoice};
use wolfpath::program::EdgeProgram;
use wolfpath::programs::{Components, PageRank, bfs, sssp};
use wolfpath::{
    ArrayName, DeviceError, Engine, Home, Outcome, Plan, PlanError, RunError, RunOptions, Schedule,
    ScheduleChoice, Streamed, Techniques, generate,
};

/// Returns an engine whose plans decide where rows live.
pub(crate) fn free(engine: &Engine) -> Engine {
    engine.clone().rows(None).packed_rows(None).queue_room(None)
}

/// Returns a graph with rows of all lengths up to several segments of packed rows, packed or not, and with weights.
fn sample(symmetric: bool, packed: bool) -> LayeredGraph {
    let list = generate::rmat(9, 16, 7).expect("the R-MAT graph is valid");
    // Vertex 0 has 700 edges, and 100 times the same one.
    let hub = (0..600).map(|leaf| (0, 1000 + leaf)).chain((0..100).map(|_| (0, 3)));
    let edges = list.edges().map(|(a, b, _)| (a.into(), b.into())).chain(hub);
    let list = wolfpath::edge_list::EdgeList::from_edges(edges).expect("the edges are valid");
    let list = if symmetric { list.undirected() } else { list };
    LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(packed))
        .expect("layering succeeds")
        .with_weights(WeightChoice::Random { seed: 5, max: 64 })
}

fn values<P: EdgeProgram>(outcome: &Outcome<P>) -> Vec<Option<P::Value>> {
    let values = outcome.read().expect("the values can be read");
    values.iter().map(|(_, value)| value).collect()
}

/// Over the link a frontier is faster than a sweep, but its queues need memory of the device.
pub(crate) fn sweeps_that_fit_are_kept(engine: &Engine) {
    let engine = &free(engine);
    if !engine.is_cuda() {
        return;
    }
    let list = generate::rmat(16, 16, 1).expect("the R-MAT graph is valid").undirected();
    let graph =
        LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(true)).expect("layering succeeds");
    let program = bfs::starting_at(graph.root().expect("the graph has vertices"));
    let plain = RunOptions::new().techniques(Techniques::NONE);
    let plan = |options: RunOptions| engine.plan(&graph, &program, &options).expect("it can be planned");
    let resident = plan(plain.clone());
    assert_eq!(resident.schedule, Schedule::Sweep, "{resident}");
    let frontier = plan(plain.clone().rows(Home::Host));
    assert_eq!(frontier.schedule, Schedule::Relax, "{frontier}");
    let sweep = plan(plain.clone().rows(Home::Host).schedule(ScheduleChoice::Sweep));
    let least = on_device(&sweep) - resident_bytes(&sweep);
    assert!(least < on_device(&frontier) - resident_bytes(&frontier), "{sweep}\n{frontier}");
    let limited = plan(plain.device_memory(least));
    assert_eq!((limited.schedule, on_device(&limited) <= least), (Schedule::Sweep, true), "{limited}");
    assert!(limited.schedule_reason.contains("needs more memory of the device"), "{limited}");
}

/// Returns the size of the beginnings of arrays that are on the device although the arrays are in host memory.
fn resident_bytes(plan: &Plan) -> u64 {
    let is_resident = |name| {
        use ArrayName::{FirstEnds, ResidentEnds, ResidentPackedEnds, ResidentWeights};
        matches!(name, ResidentEnds(_) | ResidentPackedEnds(_) | ResidentWeights(_) | FirstEnds(_))
    };
    plan.arrays.iter().filter(|array| is_resident(array.name)).map(|array| array.bytes).sum()
}

/// Runs a program with its rows in every home, and compares the values with those of plain rows on the device, and of the
/// CPU engine.
fn agree<P: EdgeProgram>(engine: &Engine, graph: &LayeredGraph, program: &P, options: &RunOptions)
where
    P::Value: PartialEq + std::fmt::Debug,
{
    // The CPU engine does not sweep.
    let serial = options.clone().schedule(None);
    let expected = values(&Engine::cpu().run_with(graph, program, &serial).expect("the CPU engine runs it"));
    let loaded = engine.load(graph);
    for (home, packed) in [
        (Home::Device, false),
        (Home::Device, true),
        (Home::Host, true),
        (Home::Host, false),
        (Home::File, false),
    ] {
        let options = options.clone().rows(home).packed_rows(packed);
        let plan = engine.plan(graph, program, &options).expect("it can be planned");
        assert_eq!(plan.packed, packed, "{plan}");
        let has = |home| plan.arrays.iter().any(|array| array.home == home);
        // The sources of edges, which sweeps read, are in no file.
        let on_host = home == Home::Host || home == Home::File && plan.schedule == Schedule::Sweep;
        assert_eq!((has(Home::Host), has(Home::File)), (on_host, home == Home::File), "{plan}");
        assert_eq!(plan.rows_reason.contains("a pass over all rows"), home != Home::Device, "{plan}");
        let outcome = loaded.run_with(program, &options.trace(true)).expect("the run succeeds");
        assert_eq!(values(&outcome), expected, "{home:?}, packed {packed}\n{plan}");
        let stats = outcome.stats();
        let steps = &outcome.trace().expect("a trace was requested").steps;
        assert_eq!(steps.iter().map(|step| step.streamed).sum::<u64>(), stats.streamed.bytes, "{steps:?}");
        assert_eq!(stats.host_bytes, plan.bytes_in(Home::Host), "{plan}");
        let streamed = stats.streamed;
        assert_eq!(
            (streamed.bytes > 0, streamed.chunks > 0),
            (has(Home::File), has(Home::File)),
            "{stats:?}"
        );
    }
}

/// Rows are streamed from the file of a graph, through a ring that is smaller than the rows. A file that was truncated or
/// changed in the meantime is an error.
pub(crate) fn rows_come_from_the_file(engine: &Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("sample.wolf");
    large(engine.is_cuda()).write(&path).expect("it can be written");
    let graph = LayeredGraph::open_wolf(&path).expect("it can be opened");
    let (program, options) = (bfs::starting_at(0), RunOptions::new().rows(Home::File));
    let expected = values(&Engine::cpu().run(&graph, &program).expect("the CPU engine runs it"));
    let loaded = engine.load(&graph);
    let plan = engine.plan(&graph, &program, &options).expect("it can be planned");
    let outcome = loaded.run_with(&program, &options).expect("the run succeeds");
    assert_eq!(values(&outcome), expected, "{plan}");
    if !engine.is_cuda() {
        return assert_eq!((plan.bytes_in(Home::File), outcome.stats().streamed), (0, Streamed::default()));
    }
    let bytes = |name| plan.arrays.iter().find(|array| array.name == name).map_or(0, |array| array.bytes);
    // The ring of each of several devices is as large as that of one, although each has only a part of the rows.
    let most = if crate::ordinals().len() == 1 { plan.bytes_in(Home::File) / 2 } else { u64::MAX };
    assert!((1..most).contains(&bytes(ArrayName::Ring)), "{plan}");
    let streamed = outcome.stats().streamed;
    assert!(streamed.bytes >= plan.bytes_in(Home::File) && streamed.skipped > 0, "{streamed:?}");
    // The run lasts until the file is truncated.
    let endless = PageRank { damping: 0.85, tolerance: 0.0 };
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            let length = std::fs::metadata(&path).expect("it exists").len();
            let file = std::fs::OpenOptions::new().write(true).open(&path).expect("it can be written");
            file.set_len(length * 3 / 5).expect("it can be truncated");
        });
        loaded.run_with(&endless, &options.clone().steps_at_most(1 << 40)).expect_err("it is truncated")
    });
    let error = error.to_string();
    assert!(error.contains("sample.wolf: byte ") && error.contains("the file ends, expected"), "{error}");
    let error = loaded.run_with(&program, &options).expect_err("the file has changed").to_string();
    assert!(error.contains("sample.wolf: the file has changed since it was opened"), "{error}");
    engine.run(&sample(true, false), &program).expect("the engine can be used again");
}

/// Rows in every home give the same values, in every schedule.
pub(crate) fn rows_live_anywhere(engine: &Engine) {
    for symmetric in [true, false] {
        let graph = sample(symmetric, symmetric);
        if !engine.is_cuda() {
            let options = RunOptions::new().rows(Home::Host).packed_rows(true);
            let plan = engine.plan(&graph, &bfs::starting_at(0), &options).expect("it can be planned");
            return assert!(!plan.packed && plan.rows_reason.is_empty(), "{plan}");
        }
        let plain = RunOptions::new();
        agree(engine, &graph, &bfs::starting_at(0), &plain);
        agree(engine, &graph, &sssp::starting_at(3), &plain);
        agree(engine, &graph, &PageRank { damping: 0.85, tolerance: 1e-6 }, &plain.clone().steps_at_most(4));
        agree(engine, &graph, &Components, &plain);
        let choices =
            [ScheduleChoice::Frontier, ScheduleChoice::Bucket, ScheduleChoice::Sweep, ScheduleChoice::Paths];
        for choice in choices {
            agree(engine, &graph, &sssp::starting_at(0), &plain.clone().schedule(choice));
        }
    }
}

/// Returns the bytes that a plan needs on the device.
fn on_device(plan: &Plan) -> u64 {
    plan.arrays
        .iter()
        .filter(|array| array.home == Home::Device && array.name != ArrayName::Outcomes)
        .map(|array| array.bytes)
        .sum()
}

/// With less and less memory, rows are packed, then weights or rows stay in host memory, then rows to gather, then the run is
/// refused.
pub(crate) fn rows_that_do_not_fit_move(engine: &Engine) {
    let engine = &free(engine);
    let (graph, program) = (sample(true, true), sssp::starting_at(0));
    let plan = |options: &RunOptions| engine.plan(&graph, &program, options).expect("it can be planned");
    // The best schedule depends on where rows live, and schedules need different arrays.
    let plain = RunOptions::new().schedule(ScheduleChoice::Bucket);
    if !engine.is_cuda() {
        return assert_eq!(plan(&plain.device_memory(1)).bytes_in(Home::Device), 0);
    }
    let full = on_device(&plan(&plain));
    let packed = on_device(&plan(&plain.clone().packed_rows(true)));
    let all_moved = plan(&plain.clone().rows(Home::Host));
    let bytes = |plan: &Plan, wanted: fn(ArrayName) -> bool| -> u64 {
        plan.arrays.iter().filter(|array| wanted(array.name)).map(|array| array.bytes).sum()
    };
    let of_heads = |name| matches!(name, ArrayName::ResidentPackedEnds(_) | ArrayName::ResidentWeights(_));
    let least = on_device(&all_moved) - bytes(&all_moved, of_heads);
    // Kernels then read a copy of the widths of blocks.
    let widths = bytes(&all_moved, |name| matches!(name, ArrayName::PackedWidths(_)));
    let ends = bytes(&all_moved, |name| matches!(name, ArrayName::PackedEnds(_)));
    let weights = bytes(&all_moved, |name| matches!(name, ArrayName::EdgeWeights(_)));
    assert!(least < packed && packed < full && ends > 0 && weights > 0, "{all_moved}");
    let (smaller, larger) = (ends.min(weights), ends.max(weights));
    let loaded = engine.load(&graph);
    let expected = values(&Engine::cpu().run(&graph, &program).expect("the CPU engine runs it"));
    let steps = [
        (full, false, 0),
        (full - 1, true, 0),
        (packed, true, 0),
        (packed - 1, true, smaller),
        (packed + widths - smaller, true, smaller),
        (packed + widths - smaller - 1, true, larger),
        (least, true, ends + weights),
        (full, false, 0),
    ];
    for (limit, is_packed, host_bytes) in steps {
        let options = plain.clone().device_memory(limit);
        let planned = plan(&options);
        assert_eq!(
            (planned.packed, planned.bytes_in(Home::Host)),
            (is_packed, host_bytes),
            "{limit}\n{planned}"
        );
        assert_eq!(planned.rows_reason.contains("do not fit"), is_packed, "{planned}");
        let outcome = loaded.run_with(&program, &options).expect("it fits");
        assert_eq!(values(&outcome), expected, "{planned}");
        assert_eq!(outcome.stats().host_bytes, host_bytes, "{planned}");
        assert!(on_device(&planned) <= limit, "{planned}");
    }
    let refused = loaded.run_with(&program, &plain.clone().device_memory(least - 1));
    let Err(RunError::Plan(PlanError::DoesNotFit { need, have, .. })) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!((need, have), (least, least - 1));
    // Rows to gather move last, also if the ring of streamed rows needs their place.
    let ranks = PageRank { damping: 0.85, tolerance: 0.0 };
    let three_steps = RunOptions::new().steps_at_most(3);
    let expected = values(&loaded.run_with(&ranks, &three_steps).expect("it fits"));
    for home in [Home::Host, Home::File] {
        let options = three_steps.clone().rows(home);
        let plan = |options: &RunOptions| engine.plan(&graph, &ranks, options).expect("it can be planned");
        let full = plan(&options);
        let heads = bytes(&full, |name| matches!(name, ArrayName::ResidentPackedEnds(_)));
        let limited = options.clone().device_memory(on_device(&full) - heads - 1);
        let on_host = |plan: &Plan| {
            plan.arrays.iter().any(|array| array.name == ArrayName::RowsToGather && array.home == Home::Host)
        };
        assert!(!on_host(&full) && on_host(&plan(&limited)), "{full}\n{}", plan(&limited));
        let outcome = loaded.run_with(&ranks, &limited).expect("it fits");
        assert_eq!(values(&outcome), expected, "{home:?}");
    }
    let stays = plain.rows(Home::Device).device_memory(packed - 1);
    let refused = loaded.run_with(&program, &stays);
    let Err(RunError::Plan(PlanError::DoesNotFit { need, .. })) = refused else { panic!("{refused:?}") };
    assert_eq!(need, packed, "rows that must stay on the device are packed");
}

/// Returns a graph whose rows take about a megabyte.
fn large(symmetric: bool) -> LayeredGraph {
    let list = generate::rmat(13, 16, 7).expect("the R-MAT graph is valid");
    let list = if symmetric { list.undirected() } else { list };
    LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(false)).expect("layering succeeds")
}

/// Rows that do not fit on the device are streamed if they cannot be page-locked. Staging memory and the program's own
/// arrays can be.
fn streamed_instead(engine: &Engine) {
    let engine = &free(engine);
    let (graph, program, plain) = (large(true), bfs::starting_at(0), RunOptions::new());
    let plan = engine.plan(&graph, &program, &plain).expect("it can be planned");
    let options = plain.device_memory(on_device(&plan) - 1);
    let outcome = engine.run_with(&graph, &program, &options).expect("the run succeeds");
    let expected = values(&Engine::cpu().run(&graph, &program).expect("the CPU engine runs it"));
    assert_eq!(values(&outcome), expected);
    let stats = outcome.stats();
    assert!(stats.streamed.bytes > 0 && stats.host_bytes == 0, "{stats:?}");
}

/// Queues that have room for a part of a frontier change neither values nor the edges that a batch of runs visits. Vertices
/// with very many items find room or do not.
pub(crate) fn short_queues_change_nothing(engine: &Engine) {
    let star = LayeredGraph::from_edges((1..=70_000).map(|leaf| (0, leaf))).expect("the edges are valid");
    for (graph, room) in [(&large(true), 40), (&star, 3000), (&star, 1000)] {
        let ran = |engine: &Engine| {
            let sources = (0..20).map(|v| bfs::starting_at(graph.id_of(v))).collect::<Vec<_>>();
            let many = engine.run_many(graph, &sources).expect("the runs succeed");
            let last = many.outcome(19).expect("it is one of them");
            let one = engine.run(graph, &sssp::starting_at(graph.id_of(1))).expect("the run succeeds");
            (values(&last), many.stats().edges, values(&one))
        };
        assert_eq!(ran(&engine.clone().queue_room(room)), ran(&engine.clone().queue_room(None)), "{room}");
    }
}

/// Slots change no bit of a sum, since messages are added in the same order, however many of them each block copies. What the
/// first run derives serves the second one.
pub(crate) fn slots_change_nothing(engine: &Engine) {
    let engine = &free(engine);
    let ranks = PageRank { damping: 0.85, tolerance: 0.0 };
    let options = RunOptions::new().steps_at_most(5);
    for graph in [sample(true, true), sample(false, false), hubs()] {
        let ran = |most: Option<u64>, has_slots: bool| {
            let engine = engine.clone().hot_messages(most);
            let plan = engine.plan(&graph, &ranks, &options).expect("it can be planned");
            let slots = plan.arrays.iter().find(|array| array.name == ArrayName::Slots);
            assert_eq!(
                slots.map(|array| array.elements),
                has_slots.then(|| u64::from(graph.num_vertices())),
                "{most:?}"
            );
            let loaded = engine.load(&graph);
            let first = values(&loaded.run_with(&ranks, &options).expect("the run succeeds"));
            let again = values(&loaded.run_with(&ranks, &options).expect("the run succeeds"));
            assert_eq!(first, again, "{most:?}");
            first
        };
        let expected = ran(Some(0), false);
        for most in [1, 30, 1 << 20] {
            assert_eq!(ran(Some(most), engine.is_cuda()), expected, "{most}");
        }
    }
}

/// Returns a directed graph with rows of every length up to 70, and of 600 and 1500 edges, in both directions.
fn hubs() -> LayeredGraph {
    let lengths = (0..70_u64).chain([600, 1500]).flat_map(|length| iter::repeat_n(length, 3));
    let edges = lengths.zip(0_u64..).flat_map(|(length, v)| {
        (0..length).map(move |i| {
            let other = 1000 + (i * 7 + v * 13) % 1900;
            if v % 2 == 0 { (v, other) } else { (other, v) }
        })
    });
    LayeredGraph::from_edges(edges.chain([(0, 1)])).expect("it can be built")
}

/// A device that is lost while rows are streamed ends the run, and its threads; later runs fail at once. The emulated device
/// can be told to be lost in a long launch.
pub(crate) fn lost_while_streaming(engine: &Engine) {
    let is_lost = engine.is_cuda() && std::env::var_os("WOLFPATH_EMULATOR_LOST").is_some();
    let (graph, options) = (large(true), RunOptions::new().rows(Home::File));
    let steps = if is_lost { 1 << 40 } else { 2 };
    let endless = PageRank { damping: 0.85, tolerance: 0.0 };
    let ran = engine.run_with(&graph, &endless, &options.steps_at_most(steps));
    if !is_lost {
        return assert!(ran.is_ok(), "{ran:?}");
    }
    let Err(RunError::Device(error @ DeviceError::Lost { .. })) = ran else { panic!("{ran:?}") };
    assert!(error.to_string().contains("the device was lost"), "{error}");
    let later = engine.run(&graph, &bfs::starting_at(0));
    assert!(matches!(later, Err(RunError::Device(DeviceError::LostEarlier { .. }))), "{later:?}");
}

/// Memory that cannot be page-locked is an error, which names the bytes. The emulated device can be told to lock none, or
/// too little for the rows of a graph.
pub(crate) fn rows_that_cannot_be_locked(engine: &Engine) {
    let lockable = std::env::var("WOLFPATH_EMULATOR_LOCKABLE").ok().filter(|bytes| bytes != "0");
    if engine.is_cuda() && lockable.is_some() {
        return streamed_instead(engine);
    }
    let (graph, program) = (sample(true, true), bfs::starting_at(0));
    let options = RunOptions::new().rows(Home::Host);
    let ran = engine.run_with(&graph, &program, &options);
    if !engine.is_cuda() || std::env::var("WOLFPATH_EMULATOR_LOCKABLE").as_deref() != Ok("0") {
        return assert!(ran.is_ok(), "{ran:?}");
    }
    let Err(RunError::Device(error @ DeviceError::Unlockable { bytes, .. })) = ran else { panic!("{ran:?}") };
    let plan = engine.plan(&graph, &program, &options).expect("it can be planned");
    let is_of = |bytes| plan.arrays.iter().any(|array| array.home == Home::Host && array.bytes == bytes);
    assert!(is_of(bytes), "{bytes} bytes\n{plan}");
    assert!(error.to_string().contains("use the CPU engine"), "{error}");
    engine.run_with(&graph, &program, &options.rows(Home::Device)).expect("the engine can be used again");
}

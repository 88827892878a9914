//! Options of a run, and its statistics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wolfpath::graph::LayeredGraph;
use wolfpath::program::EdgeProgram;
use wolfpath::progress::{Progress, RunProgress};
use wolfpath::{
    CancelHandle, Engine, PlanError, RunError, RunOptions, ScheduleChoice, Techniques, programs as bundled,
};

use crate::{graphs, programs as own};

fn weighted(weight: f64) -> LayeredGraph {
    LayeredGraph::from_weighted_edges([(1, 2, 0.5), (2, 3, weight)]).expect("the graph is valid")
}

pub(crate) fn unknown_source(engine: &Engine) {
    match engine.run(&weighted(1.0), &bundled::bfs::from_source(77, 0)) {
        Err(RunError::Plan(PlanError::UnknownSource { id: 77 })) => {}
        other => panic!("expected an unknown source, got {other:?}"),
    }
}

pub(crate) fn negative_weights(engine: &Engine) {
    match engine.run(&weighted(-2.0), &bundled::sssp_f64::from_source(1, 0.0)) {
        Err(RunError::Plan(PlanError::NegativeWeight { source_id: 2, target_id: 3, .. })) => {}
        other => panic!("expected a rejected weight, got {other:?}"),
    }
    assert!(engine.run(&weighted(-2.0), &bundled::bfs::from_source(1, 0)).is_ok(), "bfs reads no weights");
}

pub(crate) fn lossy_weights(engine: &Engine) {
    let program = bundled::sssp_f32::from_source(1, 0.0);
    match engine.run(&weighted(0.1), &program) {
        Err(RunError::Plan(PlanError::Weights(_))) => {}
        other => panic!("expected rejected weights, got {other:?}"),
    }
    let outcome = engine
        .run_with(&weighted(0.1), &program, &RunOptions::new().lossy_weights(true))
        .expect("a trace was requested");
    assert_eq!(outcome.value(3).expect("the vertex exists"), Some(0.5 + 0.1f32));
}

/// Returns a graph over which an endless program can take many steps.
fn long_run() -> LayeredGraph {
    graphs::layered(&[(0, 1, 1), (1, 2, 1), (2, 0, 1)], true)
}

pub(crate) fn cancelled(engine: &Engine) {
    let handle = CancelHandle::new();
    let options = RunOptions::new().max_steps(u64::MAX).cancel(&handle);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        handle.cancel();
    });
    match engine.run_with(&long_run(), &own::endless::Endless, &options) {
        Err(RunError::Cancelled { .. }) => {}
        other => panic!("expected a cancelled run, got {other:?}"),
    }
    canceller.join().expect("the thread does not panic");
}

/// Returns a time limit within which an endless run takes some steps and reports them. An emulated device needs seconds
/// for that on a busy machine.
pub(crate) fn time_for_steps(engine: &Engine, milliseconds: u64) -> Duration {
    Duration::from_millis(if engine.name().contains("emulator") { 2000 } else { milliseconds })
}

/// Returns how far an endless run comes within a time limit. The limit grows until the run takes a step: on a busy
/// machine, a run may have to wait for the device.
pub(crate) fn progress_within_limit(engine: &Engine, graph: &LayeredGraph) -> RunProgress {
    let mut progress = None;
    for milliseconds in [20, 100, 500, 2500, 12_500] {
        let limit = time_for_steps(engine, milliseconds);
        let options = RunOptions::new().max_steps(u64::MAX).time_limit(limit);
        match engine.run_with(graph, &own::endless::Endless, &options) {
            Err(RunError::TimeLimit { progress, .. }) if progress.step > 0 => return progress,
            Err(RunError::TimeLimit { progress: none, .. }) => progress = Some(none),
            other => panic!("expected a time limit, got {other:?}"),
        }
    }
    panic!("the run takes no step: {progress:?}");
}

pub(crate) fn time_limited(engine: &Engine) {
    assert!(progress_within_limit(engine, &long_run()).edges > 0);
}

pub(crate) fn progress_is_told(engine: &Engine) {
    let told = Arc::new(AtomicU64::new(0));
    let callback = {
        let told = told.clone();
        move |progress: &RunProgress| told.store(progress.step, Ordering::Relaxed)
    };
    let limit = time_for_steps(engine, 400);
    let options =
        RunOptions::new().max_steps(u64::MAX).time_limit(limit).progress(Progress::on_run(callback));
    assert!(engine.run_with(&long_run(), &own::endless::Endless, &options).is_err());
    assert!(told.load(Ordering::Relaxed) > 0, "no progress was reported");
}

pub(crate) fn a_loaded_graph_runs_many_programs(engine: &Engine) {
    let sample = graphs::large().pop().expect("there is a sample");
    let loaded = engine.load(&sample.graph);
    let first = loaded.run(&bundled::sssp::from_source(sample.source, 0)).expect("the run succeeds");
    let hops = loaded.run(&bundled::bfs::from_source(sample.source, 0)).expect("the run succeeds");
    let ranks = loaded
        .run_with(&bundled::PageRank { damping: 0.85, tolerance: 1e-3 }, &RunOptions::new().steps_at_most(3));
    let again = loaded.run(&bundled::sssp::from_source(sample.source, 0)).expect("the run succeeds");
    assert!(
        first
            .read()
            .expect("the values are readable")
            .iter()
            .eq(again.read().expect("the values are readable").iter()),
        "a second run gives the same values"
    );
    assert_eq!(
        first.read().expect("the values are readable").reached(),
        hops.read().expect("the values are readable").reached()
    );
    assert_eq!(ranks.expect("the run succeeds").steps(), 3);
    if engine.is_cuda() {
        assert!(
            again.stats().host_to_device_copies <= 3,
            "the graph is already resident: {:?}",
            again.stats()
        );
        assert_eq!(again.stats().launches, 1);
    }
}

pub(crate) fn one_launch(engine: &Engine) {
    let sample = &graphs::large()[2];
    let outcome =
        engine.run(&sample.graph, &bundled::sssp::from_source(sample.source, 0)).expect("the run succeeds");
    if engine.is_cuda() {
        // A run over a path takes as many steps as the path has edges. A launch is a time slice of 100 ms.
        let slices = outcome.stats().times.run.as_millis() as u64 / 100 + 1;
        assert!(outcome.stats().launches <= slices, "{:?}", outcome.stats());
        // Local rounds and sweeps combine several steps into one, and buckets may add steps.
        let options = RunOptions::new().schedule(ScheduleChoice::Frontier).techniques(Techniques::NONE);
        let outcome = engine
            .run_with(&sample.graph, &bundled::bfs::from_source(sample.source, 0), &options)
            .expect("the run succeeds");
        assert!(outcome.stats().steps >= sample.graph.num_edges());
        let slices = outcome.stats().times.run.as_millis() as u64 / 100 + 1;
        assert!(outcome.stats().launches <= slices, "{:?}", outcome.stats());
    } else {
        assert_eq!(outcome.stats().launches, 0);
    }
}

/// Checks that launches which return after every step give the same values.
pub(crate) fn paused_after_every_step(engine: &Engine) {
    let plain = RunOptions::new();
    let frontier = RunOptions::new().schedule(ScheduleChoice::Frontier);
    for sample in &graphs::small() {
        let (graph, source) = (&sample.graph, sample.source);
        is_counted_alike(&paused(engine, graph, &bundled::bfs::from_source(source, 0), &frontier));
        is_counted_alike(&paused(engine, graph, &bundled::reach::from_source(source, true), &frontier));
        is_counted_alike(&paused(
            engine,
            graph,
            &own::ways::Ways { start: source },
            &frontier.clone().steps_at_most(9),
        ));
        paused(engine, graph, &bundled::sssp::from_source(source, 0), &plain);
        paused(engine, graph, &bundled::widest::from_source(source, u32::MAX), &plain);
        paused(engine, graph, &bundled::Components, &plain);
        paused(engine, graph, &bundled::PageRank { damping: 0.85, tolerance: 1e-3 }, &plain);
    }
    // The graph has enough layers for buckets and is wide enough for pulling. In the last step, vertices without edges
    // send.
    let sample = &graphs::large()[0];
    is_counted_alike(&paused(engine, &sample.graph, &bundled::bfs::from_source(sample.source, 0), &frontier));
    paused(engine, &sample.graph, &bundled::sssp::from_source(sample.source, 0), &plain);
}

/// Runs a program as a whole and in slices, with all techniques and with none. Returns the program's name, and the
/// numbers of steps without techniques: as a whole, and in slices.
fn paused<P: EdgeProgram>(
    engine: &Engine,
    graph: &LayeredGraph,
    program: &P,
    options: &RunOptions,
) -> (&'static str, [u64; 2]) {
    let name = P::MODEL.name;
    let mut counts = [0; 2];
    for techniques in [Techniques::ALL, Techniques::NONE] {
        let options = options.clone().techniques(techniques);
        let whole = engine.run_with(graph, program, &options).expect("the run succeeds");
        let options = options.slice(Duration::ZERO);
        let pieces = engine.run_with(graph, program, &options).expect("the run in slices succeeds");
        for ((id, whole), (_, piece)) in whole
            .read()
            .expect("the values are readable")
            .iter()
            .zip(pieces.read().expect("the values are readable").iter())
        {
            assert!(format!("{whole:?}") == format!("{piece:?}"), "{name} at {id}: {whole:?}, {piece:?}");
        }
        // A final step in which only vertices without edges send needs no launch.
        if engine.is_cuda() && pieces.steps() > 2 {
            assert!(pieces.stats().launches > 1, "{name}: {:?}", pieces.stats());
        }
        counts = [whole.steps(), pieces.steps()];
    }
    (name, counts)
}

/// Checks that a run took the same number of steps as a whole and in slices. Requires a program whose number of steps
/// does not depend on which values are seen early.
fn is_counted_alike((name, [whole, pieces]): &(&str, [u64; 2])) {
    assert_eq!(whole, pieces, "{name}: steps of the run as a whole, and in slices");
}

pub(crate) fn stats_count(engine: &Engine) {
    let sample = &graphs::large()[0];
    // A sweep visits edges again, and may take another step to detect that nothing changes.
    let options = RunOptions::new().schedule(ScheduleChoice::Frontier);
    let outcome =
        engine.run_with(&sample.graph, &bundled::bfs::from_source(0, 0), &options).expect("the run succeeds");
    assert_eq!(outcome.stats().edges, sample.graph.num_edges(), "every edge once");
    assert_eq!(outcome.steps(), 2, "the last, empty step counts");
    let plan =
        engine.plan(&sample.graph, &bundled::bfs::from_source(0, 0), &options).expect("planning succeeds");
    assert!(plan.bytes() > 0 && plan.to_string().contains("bytes"), "{plan}");
    if engine.is_cuda() {
        assert!(outcome.stats().device_bytes <= plan.bytes(), "{:?}\n{plan}", outcome.stats());
    }
}

//! Observing runs: the trace, the progress, and the progress of a run that was stopped. Also checks that the engine and
//! the loaded graph remain usable, no matter how a run ends.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use wolfpath::graph::LayeredGraph;
use wolfpath::program::EdgeProgram;
use wolfpath::progress::{Progress, RunProgress};
use wolfpath::{CancelHandle, Engine, RunError, RunOptions, StepKind, StepTrace, Trace, programs as bundled};

use crate::options::{progress_within_limit, time_for_steps};
use crate::{graphs, programs as own};

pub(crate) fn every_schedule_is_traced(engine: &Engine) {
    for sample in graphs::large().iter().chain(&graphs::small()) {
        let (graph, source) = (&sample.graph, sample.source);
        traced(engine, graph, &bundled::bfs::from_source(source, 0));
        traced(engine, graph, &bundled::sssp::from_source(source, 0));
        traced(engine, graph, &bundled::widest::from_source(source, u32::MAX));
        traced(engine, graph, &bundled::PageRank { damping: 0.85, tolerance: 1e-3 });
        let options = RunOptions::new().trace(true).steps_at_most(2);
        let outcome = engine.run_with(graph, &bundled::bfs::from_source(source, 0), &options);
        check(engine, &outcome.expect("two steps succeed"));
    }
}

/// Runs with and without a trace, and checks the trace.
fn traced<P: EdgeProgram>(engine: &Engine, graph: &LayeredGraph, program: &P) {
    let plain = engine.run(graph, program).expect("the run succeeds");
    assert!(plain.trace().is_none(), "no trace was requested");
    let outcome = engine.run_with(graph, program, &RunOptions::new().trace(true)).expect("the run succeeds");
    assert!(
        plain
            .read()
            .expect("the values are readable")
            .iter()
            .zip(outcome.read().expect("the values are readable").iter())
            .all(|(a, b)| a.0 == b.0 && a.1.is_some() == b.1.is_some())
    );
    check(engine, &outcome);
}

/// Checks the invariants of a trace.
fn check<P: EdgeProgram>(engine: &Engine, outcome: &wolfpath::Outcome<P>) {
    let (trace, stats) = (outcome.trace().expect("a trace was requested"), outcome.stats());
    let said = (trace.program, trace.engine.as_str(), trace.schedule);
    assert_eq!(said, (P::MODEL.name, stats.engine.as_str(), stats.schedule));
    let run = trace.stages.iter().find(|stage| stage.name == "run").expect("the run has a stage");
    assert_eq!(run.began, trace.run_began());
    assert!(trace.stages.is_sorted_by_key(|stage| stage.began), "{trace:?}");
    assert!(trace.steps.is_sorted_by_key(|step| step.began + step.took), "{trace:?}");
    assert!(trace.steps.iter().all(|step| step.began >= run.began && step.step >= 1), "{trace:?}");
    assert!(trace.steps.iter().all(|step| step.kind != StepKind::Advance || step.bucket > Some(0)));
    if trace.lost == 0 && outcome.graph().num_vertices() > 0 {
        let edges: u64 = trace.steps.iter().map(|step| step.edges).sum();
        assert_eq!(edges, stats.edges, "{trace:?}");
        assert_eq!(trace.steps.iter().map(|step| step.step).max().unwrap_or(0), stats.steps, "{trace:?}");
    }
    if !engine.is_cuda() {
        let numbers: Vec<u64> = steps(trace).map(|step| step.step).collect();
        assert!(numbers.iter().copied().eq(1..=stats.steps), "{numbers:?}");
        let all = run.began + run.took;
        assert!(trace.steps.iter().all(|step| step.began + step.took <= all), "{trace:?}");
    }
    let mut json = Vec::new();
    trace.write_chrome(&mut json).expect("writing to memory succeeds");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("the file is valid JSON");
    let events = json["traceEvents"].as_array().expect("the field is a list");
    let of_steps = events.iter().filter(|event| event["cat"] == "step").count();
    assert_eq!(of_steps, trace.steps.len());
}

/// Returns the records of steps, without those of bucket changes.
fn steps(trace: &Trace) -> impl Iterator<Item = &StepTrace> {
    trace.steps.iter().filter(|step| step.kind != StepKind::Advance)
}

/// Returns a cycle, over which an endless program runs.
fn circle() -> LayeredGraph {
    graphs::layered(&[(0, 1, 1), (1, 2, 1), (2, 0, 1)], true)
}

/// Checks the progress of an endless run over the cycle.
fn came_far(engine: &Engine, progress: &RunProgress) {
    assert!(progress.step > 0 && progress.edges >= progress.step, "{progress:?}");
    assert!(progress.vertices == 3 && progress.elapsed >= Duration::from_millis(20), "{progress:?}");
    if !engine.is_cuda() {
        assert_eq!((progress.present, progress.active), (Some(3), 3));
    }
    let text = progress.to_string();
    assert!(text.contains("steps and") && text.contains("edges in"), "{text}");
}

pub(crate) fn stopped_runs_say_how_far_they_came(engine: &Engine) {
    came_far(engine, &progress_within_limit(engine, &circle()));
    let options = RunOptions::new().max_steps(u64::MAX);
    // The run is cancelled once it reports progress, no matter how long it takes to start.
    let (tell, told) = mpsc::channel();
    let on_its_way = move |progress: &RunProgress| {
        if progress.step > 0 && progress.elapsed >= Duration::from_millis(20) {
            // The receiver is gone after the cancellation, so errors are ignored.
            let _ = tell.send(());
        }
    };
    let handle = CancelHandle::new();
    let cancelled = options.cancel(&handle).progress(Progress::on_run(on_its_way));
    let canceller = std::thread::spawn(move || {
        told.recv().expect("the run reports progress");
        handle.cancel();
    });
    match engine.run_with(&circle(), &own::endless::Endless, &cancelled) {
        Err(error @ RunError::Cancelled { .. }) => {
            assert!(error.to_string().contains("was cancelled after"), "{error}");
            let RunError::Cancelled { progress, .. } = error else { unreachable!("matched above") };
            came_far(engine, &progress);
        }
        other => panic!("expected a cancelled run, got {other:?}"),
    }
    canceller.join().expect("the thread does not panic");
}

pub(crate) fn progress_grows(engine: &Engine) {
    let told: Arc<Mutex<Vec<RunProgress>>> = Arc::default();
    let callback = {
        let told = told.clone();
        move |progress: &RunProgress| told.lock().expect("the lock is not poisoned").push(*progress)
    };
    let limit = time_for_steps(engine, 600);
    let options =
        RunOptions::new().max_steps(u64::MAX).time_limit(limit).progress(Progress::on_run(callback));
    assert!(engine.run_with(&circle(), &own::endless::Endless, &options).is_err());
    let told = told.lock().expect("the lock is not poisoned");
    assert!(!told.is_empty(), "no progress was reported");
    assert!(told.is_sorted_by_key(|progress| (progress.step, progress.edges, progress.elapsed)), "{told:?}");
    assert!(told.iter().all(|progress| progress.vertices == 3 && progress.active <= 3), "{told:?}");
}

/// Checks that the engine and the loaded graph still give the right values.
fn still_answers(engine: &Engine, loaded: &wolfpath::LoadedGraph) {
    let fresh = engine.run(loaded.graph(), &bundled::sssp::from_source(0, 0)).expect("the run succeeds");
    let again = loaded.run(&bundled::sssp::from_source(0, 0)).expect("the second run succeeds");
    assert!(again.read().expect("the values are readable").iter().eq([
        (0, Some(0)),
        (10, Some(5)),
        (20, Some(5)),
        (30, Some(6))
    ]));
    assert!(
        again
            .read()
            .expect("the values are readable")
            .iter()
            .eq(fresh.read().expect("the values are readable").iter())
    );
}

pub(crate) fn every_end_leaves_the_engine_usable(engine: &Engine) {
    let edges = [(0, 10, 5u32), (10, 20, 0), (20, 30, 1)];
    let graph = LayeredGraph::from_weighted_edges(edges).expect("the graph is valid");
    let loaded = engine.load(&graph);
    let endless = |options: RunOptions| {
        loaded.run_with(&own::endless::Endless, &options).expect_err("the run exceeds its limit")
    };
    let handle = CancelHandle::new();
    handle.cancel();
    for _ in 0..2 {
        let error = endless(RunOptions::new().max_steps(100).trace(true));
        assert!(matches!(error, RunError::Overrun { max_steps: 100, .. }), "{error}");
        still_answers(engine, &loaded);
        let error = loaded.run(&own::division::Division).expect_err("the program divides by zero");
        assert!(matches!(error, RunError::Fault { .. }), "{error}");
        still_answers(engine, &loaded);
        let error = endless(RunOptions::new().max_steps(u64::MAX).cancel(&handle));
        assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
        still_answers(engine, &loaded);
        let error = endless(RunOptions::new().max_steps(u64::MAX).time_limit(Duration::from_millis(5)));
        assert!(matches!(error, RunError::TimeLimit { .. }), "{error}");
        still_answers(engine, &loaded);
        let error = loaded.run(&bundled::bfs::from_source(77, 0)).expect_err("the source is unknown");
        assert!(matches!(error, RunError::Plan(_)), "{error}");
        still_answers(engine, &loaded);
    }
}

//! Programs that get stuck in a loop are stopped.

use std::time::{Duration, Instant};

use wolfpath::progress::RunProgress;
use wolfpath::{CancelHandle, Engine, RunError, RunOptions, programs as bundled};

use crate::graphs;
use crate::input_programs::turning::Turning;

pub(crate) fn programs_with_loops_end(engine: &Engine) {
    for sample in graphs::small() {
        let turning = engine.run(&sample.graph, &Turning { from: sample.source, turns: 5000 });
        let bfs = engine.run(&sample.graph, &bundled::bfs::from_source(sample.source, 0));
        let (turning, bfs) = (turning.expect("the loops end"), bfs.expect("the program has no loops"));
        assert!(
            turning
                .read()
                .expect("the values are readable")
                .iter()
                .eq(bfs.read().expect("the values are readable").iter()),
            "{}",
            sample.name
        );
    }
}

pub(crate) fn cancelled_in_a_loop(engine: &Engine) {
    let sample = &graphs::small()[0];
    let handle = CancelHandle::new();
    let options = RunOptions::new().cancel(&handle);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        handle.cancel();
    });
    match engine.run_with(&sample.graph, &Turning { from: 0, turns: u64::MAX }, &options) {
        Err(RunError::Cancelled { program: "Turning", progress: RunProgress { step: 0, .. } }) => {}
        other => panic!("expected a cancelled run, got {other:?}"),
    }
    canceller.join().expect("the thread does not panic");
}

pub(crate) fn time_limited_in_a_loop(engine: &Engine) {
    let sample = &graphs::small()[0];
    let limit = Duration::from_millis(50);
    let options = RunOptions::new().time_limit(limit);
    match engine.run_with(&sample.graph, &Turning { from: 0, turns: u64::MAX }, &options) {
        Err(RunError::TimeLimit {
            program: "Turning",
            limit: told,
            progress: RunProgress { step: 0, .. },
        }) => {
            assert_eq!(told, limit)
        }
        other => panic!("expected a time limit, got {other:?}"),
    }
    // The loaded graph remains usable.
    let loaded = engine.load(&sample.graph);
    assert!(loaded.run_with(&Turning { from: 0, turns: u64::MAX }, &options).is_err());
    let outcome = loaded.run(&Turning { from: 0, turns: 1 }).expect("the loops end");
    assert_eq!(outcome.value(2).expect("the vertex exists"), Some(1));
}

/// Stops many short loops, none of which is long enough to check the time limit.
pub(crate) fn time_limited_in_short_loops(engine: &Engine) {
    let sample = graphs::large().pop().expect("the last sample is an R-MAT graph");
    let turns = if engine.is_cuda() { 4_000_000 } else { 4000 };
    let options = RunOptions::new().time_limit(Duration::from_millis(50));
    let began = Instant::now();
    match engine.run_with(&sample.graph, &Turning { from: sample.source, turns }, &options) {
        Err(RunError::TimeLimit { .. }) => {}
        other => panic!("expected a time limit, got {:?} after {:?}", other.map(|_| ()), began.elapsed()),
    }
}

//! Programs that do not come out of a loop of their own are stopped.

use std::time::{Duration, Instant};

use wolfpath::progress::RunProgress;
use wolfpath::{CancelHandle, Engine, RunError, RunOptions, programs as bundled};

use crate::graphs;
use crate::input_programs::turning::Turning;

pub(crate) fn programs_with_loops_end(engine: &Engine) {
    for sample in graphs::small() {
        let turning = engine.run(&sample.graph, &Turning { from: sample.source, turns: 5000 });
        let bfs = engine.run(&sample.graph, &bundled::bfs::from_source(sample.source, 0));
        let (turning, bfs) = (turning.expect("its loops end"), bfs.expect("it has none"));
        assert!(turning.iter().eq(bfs.iter()), "{}", sample.name);
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
    canceller.join().expect("the canceller ends");
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
    // The loaded graph can be used again.
    let loaded = engine.load(&sample.graph);
    assert!(loaded.run_with(&Turning { from: 0, turns: u64::MAX }, &options).is_err());
    let outcome = loaded.run(&Turning { from: 0, turns: 1 }).expect("its loops end");
    assert_eq!(outcome.value(2).expect("a vertex"), Some(1));
}

/// Many short loops, none of which would look at the clock by itself.
pub(crate) fn time_limited_in_short_loops(engine: &Engine) {
    let sample = graphs::large().pop().expect("R-MAT");
    let turns = if engine.is_cuda() { 4_000_000 } else { 4000 };
    let options = RunOptions::new().time_limit(Duration::from_millis(50));
    let began = Instant::now();
    match engine.run_with(&sample.graph, &Turning { from: sample.source, turns }, &options) {
        Err(RunError::TimeLimit { .. }) => {}
        other => panic!("expected a time limit, got {:?} after {:?}", other.map(|_| ()), began.elapsed()),
    }
}

//! Statistics of a launch: steps, edges, copies and times.

use std::time::{Duration, Instant};

use crate::plan::{Home, Plan};
use crate::stats::{End, StageTimes, Stats, Streamed};
use crate::trace::{Begun, Recorded, Trace, trace};

/// Work and times of one launch of any kernel.
pub(crate) struct Figures {
    pub(crate) steps: u64,
    pub(super) end: End,
    /// Bytes of the fold of the values; empty if the program has no aggregate.
    pub(crate) fold: Vec<u8>,
    /// Word of the best value that was still to be sent, if the run ended with [`End::Settled`].
    pub(crate) settled: Option<u64>,
    pub(crate) edges: u64,
    pub(super) updates: Option<u64>,
    pub(super) borrowed_edges: u64,
    /// Share of the sizes of all values that was not sent, if the program accumulates.
    pub(super) pending: Option<f64>,
    pub(super) launches: u64,
    pub(super) uploads: u64,
    pub(super) downloads: u64,
    pub(super) device_bytes: u64,
    pub(super) streamed: Streamed,
    /// Run time by the device's clock.
    pub(super) run: Duration,
    pub(super) notes: Vec<String>,
    pub(super) begun: Begun,
    pub(super) recorded: Recorded,
}

impl Figures {
    /// Records the end of reading back, which includes decoding the values.
    pub(in crate::cuda) fn end_read_back(&mut self) {
        self.begun.end = Instant::now();
    }

    /// Returns the statistics for the user, and the trace if it was requested.
    pub(crate) fn tell(self, plan: &Plan) -> (Stats, Option<Trace>) {
        let begun = &self.begun;
        let stats = Stats {
            engine: plan.engine.to_string(),
            schedule: plan.schedule,
            steps: self.steps,
            end: self.end,
            edges: self.edges,
            updates: self.updates,
            borrowed_edges: self.borrowed_edges,
            pending: self.pending,
            launches: self.launches,
            host_to_device_copies: self.uploads,
            device_to_host_copies: self.downloads,
            device_bytes: self.device_bytes,
            host_bytes: plan.bytes_in(Home::Host),
            streamed: self.streamed,
            times: StageTimes {
                plan: begun.compile - begun.plan,
                compile: begun.compiled - begun.compile,
                load: (begun.run - begun.load).saturating_sub(begun.waited),
                run: self.run,
                read_back: begun.end - begun.read_back,
            },
            notes: plan.notes.iter().cloned().chain(self.notes).chain(plan.schedule.note()).collect(),
        };
        let trace = plan
            .traced
            .then(|| trace(plan.program, stats.engine.clone(), plan.schedule, begun, self.recorded));
        (stats, trace)
    }
}

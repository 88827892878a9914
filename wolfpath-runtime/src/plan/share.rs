//! Estimates whether several devices take less time for a run than one of them.

use std::fmt;
use std::time::Duration;

use super::choose::Decision;
use super::cost::DeviceCosts;
use super::estimate::rounded;
use super::{GraphSize, Schedule, ScheduleChoice};

/// Additional time of a step on several devices: a barrier over their links, and the reading of what the others have sent.
/// On two and four H200s, steps with few edges took 8 to 17 us longer than on one, and beginning a bucket 20 us.
const MORE_PER_STEP: Duration = Duration::from_micros(20);

/// Time of a run on `n` devices without `MORE_PER_STEP`, as a multiple of 1/`n` of the time on one. On R-MAT 26, this was 1.05 to 1.45 on two H200s, and 1.1 to 2 on four; on R-MAT 24, 2.2 for SSSP on four.
const EXCHANGE: f64 = 1.7;

/// Number of steps of a program in which every vertex sends in every step, if the run does not limit it.
const SENDING_STEPS: u64 = 20;

/// Number of steps of a run with buckets, in addition to one per layer.
const BUCKET_STEPS: u64 = 30;

/// Passes of union-find over the vertices, each with a random read per vertex, and its barriers.
const UNION_PASSES: (u64, u64) = (2, 12);

/// Rounds of a run in which vertices take turns, and number of times that it visits every edge.
const TURNS: (u64, u64) = (50, 10);

/// The same as `EXCHANGE` for such runs, and the further time for each further number of a message. On two H200s, PageRank over
/// directed R-MAT 24 took 0.73 of the time on one, and adsorption, of 8 numbers, 1.25.
const EXCHANGE_OF_TURNS: (f64, f64) = (1.46, 0.15);

/// Time that opening a further device takes. It was 0.13 to 0.17 s on a machine with four H200s.
pub(crate) const OPENING: Duration = Duration::from_millis(150);

/// Estimated times of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShareEstimate {
    pub(crate) devices: u64,
    /// Time on one device.
    pub(crate) alone: Duration,
    /// Time if all devices share the run.
    pub(crate) shared: Duration,
}

impl ShareEstimate {
    /// Estimates the times of a run with a schedule. `limit` is the number of steps after which it ends, if that was
    /// requested. `portion_words` is the number of numbers of an accumulating program's messages.
    pub(crate) fn of(
        decision: &Decision,
        graph: GraphSize,
        (limit, portion_words): (Option<u64>, usize),
        costs: &DeviceCosts,
        devices: u64,
    ) -> ShareEstimate {
        let [nearby_reads, reads] = costs.random_read_g_s;
        let [_, atomics] = costs.atomic_g_s;
        let (vertices, edges) = (graph.vertices as f64, graph.edges as f64);
        let up_to = |steps: u64| limit.map_or(steps, |limit| limit.min(steps));
        // Billions per second are numbers per nanosecond.
        let (steps, nanoseconds) = match decision.schedule {
            Schedule::Union => (UNION_PASSES.1, UNION_PASSES.0 as f64 * vertices / reads),
            Schedule::Pull => {
                let steps = limit.unwrap_or(SENDING_STEPS);
                (steps, steps as f64 * edges / nearby_reads)
            }
            Schedule::Paths | Schedule::Accumulate => (up_to(TURNS.0), TURNS.1 as f64 * edges / atomics),
            Schedule::Bucket => (up_to(graph.layers + BUCKET_STEPS), edges / atomics),
            _ => (up_to(graph.layers), edges / atomics),
        };
        let choice = match decision.schedule {
            Schedule::Bucket => Some(ScheduleChoice::Bucket),
            Schedule::Relax => Some(ScheduleChoice::Frontier),
            _ => None,
        };
        let known = decision.estimates.iter().find(|known| Some(known.schedule) == choice);
        let alone = known.map_or(nanoseconds / 1e9, |known| known.time.as_secs_f64());
        let exchange = match decision.schedule {
            Schedule::Paths | Schedule::Accumulate => {
                EXCHANGE_OF_TURNS.0 + EXCHANGE_OF_TURNS.1 * portion_words.saturating_sub(1) as f64
            }
            _ => EXCHANGE,
        };
        let shared = alone * exchange / devices as f64 + MORE_PER_STEP.as_secs_f64() * steps as f64;
        let of = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        ShareEstimate { devices, alone: of(alone), shared: of(shared) }
    }

    /// Returns the time that sharing saves, if it saves any.
    pub(crate) fn saved(&self) -> Option<Duration> {
        self.alone.checked_sub(self.shared).filter(|saved| !saved.is_zero())
    }
}

impl fmt::Display for ShareEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (alone, shared) = (rounded(self.alone), rounded(self.shared));
        write!(f, "about {alone} on one device, and {shared} on {} together", self.devices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Techniques;

    fn graph(scale: u32, layers: u64) -> GraphSize {
        let vertices = 1u64 << scale;
        GraphSize {
            vertices,
            edges: 32 * vertices,
            symmetric: true,
            weighted: true,
            narrow_weights: None,
            layers,
            packed_out_words: None,
            packed_in_words: None,
        }
    }

    fn estimate(schedule: Schedule, graph: GraphSize, limit: Option<u64>, devices: u64) -> ShareEstimate {
        let decision = Decision {
            schedule,
            reason: String::new(),
            techniques: Techniques::NONE,
            technique_reasons: Vec::new(),
            estimates: Vec::new(),
            bucket_factor: 1,
        };
        ShareEstimate::of(&decision, graph, (limit, 1), &DeviceCosts::H200, devices)
    }

    #[test]
    fn large_graphs_with_few_layers_are_shared() {
        for schedule in
            [Schedule::Relax, Schedule::Bucket, Schedule::Pull, Schedule::Union, Schedule::Accumulate]
        {
            for devices in [2, 4] {
                let large = estimate(schedule, graph(26, 9), None, devices);
                assert!(large.saved() > Some(Duration::from_micros(100)), "{schedule:?}: {large}");
                let deep = estimate(schedule, graph(16, 3000), None, devices);
                assert_eq!(deep.saved(), None, "{schedule:?}: {deep}");
            }
        }
    }

    #[test]
    fn more_steps_save_more() {
        let of = |steps| estimate(Schedule::Pull, graph(24, 9), Some(steps), 4).saved();
        assert!(of(1) < of(10) && of(10) < of(100));
        // The extra time of each step exceeds what a small graph saves.
        for steps in [1000, 1 << 40] {
            assert_eq!(estimate(Schedule::Pull, graph(12, 9), Some(steps), 4).saved(), None);
        }
    }
}

//! Chooses the schedule and the optional optimizations of a run. If the user requests a schedule, that schedule is
//! used. Otherwise, the choice depends on the program's properties and, on a device, on the estimated time of each
//! schedule.

use std::time::Duration;

use wolfpath_core::program::{Along, Starts};

use super::estimate::{BUCKET_FACTOR, Estimate, Workload, milliseconds};
use super::schedule::ScheduleConstraints;
use super::{GraphSize, RowUse, Schedule, ScheduleChoice, Techniques};
use crate::error::PlanError;
use crate::options::RunOptions;
use crate::plan::DeviceCosts;
use crate::shape::Shape;

/// If weights differ, a frontier replaces buckets only if its estimated time is at most this share of the estimated
/// time by buckets. On an H100, the measured share for SSSP was 0.76 on osm-moscow (estimated 0.69), 1.02 on
/// USA-road-NE (0.79) and 0.99 on dblp-2010 (0.88). Buckets are the safe choice, since they save the most when weights
/// differ much.
const FRONTIER_MUST_TAKE: f64 = 0.75;

/// A run uses pulling only if its estimated time with pulling is at most this share of the estimated time without. The
/// share is below 1, since a run that may pull has to count the edges of its frontiers. On an H100, the measured share
/// for BFS was 1.10 on dblp-2010 (estimated 0.86), 1.17 on cnr-2000 (0.84) and 0.22 on R-MAT 22 (0.18).
const TURNING_MUST_TAKE: f64 = 0.75;

/// Reason against union-find if a first value is NaN. `min` and `max` drop NaN messages, so NaN does not spread, but the
/// vertex keeps it until it receives a number.
pub(crate) const FIRST_IS_NAN: &str = "a first value is NaN, which does not spread like a label";

/// Input of a plan's decision.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) options: &'a RunOptions,
    pub(crate) graph: GraphSize,
    /// `true` if all messages of a step are equal, since the program is declared uniform and all first values are
    /// equal.
    pub(crate) uniform: bool,
    /// `true` if the root of the layers is the only source.
    pub(crate) at_root: bool,
    /// Reason against union-find that does not follow from the other fields, if there is one.
    pub(crate) against_union: Option<&'static str>,
    /// Costs of the device and the number of its warps; `None` for the CPU engine.
    pub(crate) device: Option<(&'a DeviceCosts, u64)>,
}

/// Schedule and optimizations of a plan, with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) schedule: Schedule,
    pub(crate) reason: String,
    pub(crate) techniques: Techniques,
    pub(crate) technique_reasons: Vec<String>,
    pub(crate) estimates: Vec<Estimate>,
    pub(crate) bucket_factor: u32,
}

/// Decides the schedule and the optimizations of a run.
///
/// # Errors
/// Returns [`PlanError::Schedule`] if the requested schedule cannot run the program.
pub(crate) fn choose(question: &Question<'_>) -> Result<Decision, PlanError> {
    let Question { shape, options, graph, .. } = *question;
    let rows = RowUse::new(shape.along, question.graph.symmetric);
    let constraints = ScheduleConstraints {
        shape,
        steps: options.steps,
        on_cpu: question.device.is_none(),
        walks_both_rows: rows.send_out && rows.send_in,
        against_union: question.against_union(),
    };
    let (natural, natural_reason) = constraints.natural();
    let asked = options.schedule.map(|choice| constraints.asked(choice)).transpose()?;
    let mut decision = Decision {
        schedule: asked.unwrap_or(natural),
        reason: if asked.is_some() { "requested".to_owned() } else { natural_reason.to_owned() },
        techniques: Techniques::NONE,
        technique_reasons: Vec::new(),
        estimates: Vec::new(),
        bucket_factor: BUCKET_FACTOR,
    };
    let Some((costs, warps)) = question.device.filter(|_| decision.schedule != Schedule::Union) else {
        return Ok(decision);
    };
    let workload =
        Workload { from_root: question.is_from_root(), ..Workload::new(costs, warps, graph, shape) };
    decision.bucket_factor = workload.bucket_factor();
    question.estimate(&workload, &constraints, &mut decision.estimates);
    if asked.is_none() {
        question.take_cheapest(&workload, &mut decision);
    }
    match decision.schedule {
        Schedule::Frontier => question.listen(&mut decision),
        schedule if schedule.is_in_place() => {
            question.use_techniques(&workload, &mut decision);
            question.use_window(&workload, &mut decision);
        }
        _ => {}
    }
    Ok(decision)
}

impl Question<'_> {
    /// Returns `true` if the run traverses the layers in their order: it starts at the root of the layers, and its
    /// messages travel in the direction in which the layers were found.
    fn is_from_root(&self) -> bool {
        self.at_root && (self.shape.along == Along::Out || self.graph.symmetric)
    }

    /// Returns the reason why the graph, the options or the engine rule out union-find, if there is one.
    fn against_union(&self) -> Option<&'static str> {
        let from_sources = self.shape.model.starts == Starts::Sources;
        if !self.graph.symmetric && self.shape.along != Along::Both {
            Some("messages travel in one direction of the edges, but components ignore directions")
        } else if self.options.trace {
            Some("a trace was requested, and union-find takes no steps that a trace could record")
        } else if self.options.max_steps.is_some() {
            Some("a step limit was requested, and union-find takes no steps that a limit could apply to")
        } else if self.against_union.is_some() {
            self.against_union
        } else if self.device.is_some() && self.shape.value.is_float() && !from_sources {
            Some(
                "the program computes first values that are floats, and a device does not check them for NaN",
            )
        } else {
            None
        }
    }

    /// Returns the sets of techniques with which this run can use a schedule.
    fn ways(&self, schedule: ScheduleChoice) -> impl Iterator<Item = Techniques> {
        let asked = self.options.techniques;
        let pushes = schedule != ScheduleChoice::Sweep;
        let turns = asked.direction && self.uniform && schedule == ScheduleChoice::Frontier;
        let local = Techniques { local_rounds: true, ..Techniques::NONE };
        let direction = Techniques { direction: true, ..Techniques::NONE };
        let local = (asked.local_rounds && pushes).then_some(local);
        [Some(Techniques::NONE), turns.then_some(direction), local].into_iter().flatten()
    }

    /// Estimates the time of each possible schedule with its best techniques.
    fn estimate(
        &self,
        workload: &Workload<'_>,
        constraints: &ScheduleConstraints<'_>,
        estimates: &mut Vec<Estimate>,
    ) {
        use ScheduleChoice::{Bucket, Frontier, Sweep};
        for choice in [Frontier, Bucket, Sweep] {
            let is_in_place = constraints.asked(choice).is_ok_and(Schedule::is_in_place);
            let is_asked_for = self.options.schedule == Some(choice);
            let is_worth_it = match choice {
                Bucket => !self.shape.uniform,
                Sweep => self.is_from_root() || starts_everywhere(self.shape),
                _ => true,
            };
            if is_in_place && (is_worth_it || is_asked_for) {
                let ways = self.ways(choice).map(|way| workload.estimate(choice, way));
                estimates.extend(best_way(ways));
            }
        }
    }

    /// Replaces the program's natural schedule if another one is faster on this graph.
    fn take_cheapest(&self, workload: &Workload<'_>, decision: &mut Decision) {
        let time_of = |choice| {
            let mut estimates = decision.estimates.iter();
            estimates.find(|estimate| estimate.schedule == choice).map(|estimate| estimate.time)
        };
        let (frontier, bucket) = (time_of(ScheduleChoice::Frontier), time_of(ScheduleChoice::Bucket));
        let share = if workload.values_add_up() { FRONTIER_MUST_TAKE } else { 1.0 };
        let sweep = time_of(ScheduleChoice::Sweep);
        if let (Schedule::Bucket, Some(frontier), Some(bucket)) = (decision.schedule, frontier, bucket)
            && frontier < bucket.mul_f64(share)
        {
            decision.schedule = Schedule::Relax;
            decision.reason = "few values are improved more than once, so buckets save no work".to_owned();
        }
        let best = [frontier, bucket].into_iter().flatten().min();
        if sweep.zip(best).is_some_and(|(sweep, best)| sweep < best) {
            decision.schedule = Schedule::Sweep;
            let reason = if self.is_from_root() {
                "a run from the root takes the layers in order and needs no queue"
            } else {
                "every vertex starts with a value, so a run can take the layers in order and needs no queue"
            };
            decision.reason = reason.to_owned();
        }
        let all: Vec<_> = decision.estimates.iter().map(Estimate::to_string).collect();
        if all.len() > 1 {
            decision.reason += &format!("; estimated: {}", all.join(", "));
        }
    }

    /// Decides whether the steps of a step-by-step frontier may pull. A step that pulls searches all edges for senders.
    /// It reads the edges sequentially and writes one word per receiver, whereas pushing takes one atomic per message.
    /// Pulling is therefore faster if most edges are in the frontier. The device decides this in each step, because
    /// only the device knows the number of edges in the frontier.
    fn listen(&self, decision: &mut Decision) {
        if !self.options.techniques.direction {
            return;
        }
        let is_at_hand = self.graph.symmetric || self.shape.model.starts != Starts::Sources;
        decision.techniques.direction = is_at_hand;
        let reason = if is_at_hand {
            "steps pull if more than half of the edges are in the frontier"
        } else {
            "every step pushes: pulling needs the other direction's rows, and a run from sources may never have half of the \
             edges in its frontier"
        };
        decision.technique_reasons.push(reason.to_owned());
    }

    /// Decides whether blocks use a window in shared memory. An entry of the window contains a receiver and the word
    /// that was sent to it. One access of 8 bytes reads both, so the word has at most 4 bytes.
    ///
    /// A window pays off if many senders send the same word to a vertex. On an H100, BFS with a window took 0.91 of the
    /// time without it on cnr-2000, and 0.99 on R-MAT 22. If messages differ, a window slows runs down: `widest` took
    /// 1.08 of the time, and SSSP 1.02. In thin layers, few vertices receive many messages at a time, so no window is
    /// used.
    fn use_window(&self, workload: &Workload<'_>, decision: &mut Decision) {
        decision.techniques.shared_window = self.options.techniques.shared_window
            && workload.value_bytes == 4
            && self.uniform
            && workload.is_fat();
        if decision.techniques.shared_window {
            let reason = "blocks remember in shared memory which message they have sent to which vertex";
            decision.technique_reasons.push(reason.to_owned());
        }
    }

    /// Decides between pulling and local rounds, in which warps continue on their own between two device-wide barriers.
    /// A run uses at most one of the two techniques. With local rounds, a vertex may first be reached by a detour and
    /// be improved later, whereas pulling requires that a vertex's first value is final.
    ///
    /// In a sweep, local rounds let warps revisit the edges that they keep. In thin layers, improvements thus travel
    /// through several layers at a time. In fat layers, local rounds are useless: on an H100, BFS on cnr-2000 took 0.88
    /// of the time when they were disabled.
    fn use_techniques(&self, workload: &Workload<'_>, decision: &mut Decision) {
        let choice = match decision.schedule {
            Schedule::Bucket => ScheduleChoice::Bucket,
            Schedule::Sweep => {
                decision.techniques.local_rounds = self.options.techniques.local_rounds && !workload.is_fat();
                return;
            }
            _ => ScheduleChoice::Frontier,
        };
        let ways: Vec<_> = self.ways(choice).map(|way| workload.estimate(choice, way)).collect();
        let Some(best) = best_way(ways.iter().copied()) else { return };
        decision.techniques = best.techniques;
        let time = |way: fn(&Techniques) -> bool| {
            ways.iter().find(|estimate| way(&estimate.techniques)).map(|estimate| estimate.time)
        };
        let plain = ways[0].time;
        let reasons = &mut decision.technique_reasons;
        if let Some(local) = time(|way| way.local_rounds) {
            reasons.push(local_reason(workload, best.techniques.local_rounds, local, plain));
        }
        if let Some(turning) = time(|way| way.direction) {
            let (yes, no) = ("steps pull if that visits fewer edges", "every step pushes");
            let what = if best.techniques.direction { yes } else { no };
            let (turning, plain) = (milliseconds(turning), milliseconds(plain));
            reasons.push(format!("{what}: estimated {turning} with pulling, {plain} with pushing only"));
        }
        if decision.schedule == Schedule::Bucket {
            let factor = decision.bucket_factor;
            reasons.push(format!("the first bucket is {factor} x mean weight / mean degree wide"));
        }
    }
}

fn starts_everywhere(shape: &Shape) -> bool {
    shape.model.starts == Starts::Every
}

/// Returns the estimate with the least time. Times with pulling are first divided by [`TURNING_MUST_TAKE`].
fn best_way(ways: impl Iterator<Item = Estimate>) -> Option<Estimate> {
    ways.min_by_key(
        |way| {
            if way.techniques.direction { way.time.div_f64(TURNING_MUST_TAKE) } else { way.time }
        },
    )
}

fn local_reason(workload: &Workload<'_>, is_used: bool, local: Duration, plain: Duration) -> String {
    let what = if is_used {
        "warps run several rounds on their own"
    } else {
        "every round ends with a device-wide barrier"
    };
    let (local, plain) = (milliseconds(local), milliseconds(plain));
    let width = workload.width();
    format!(
        "{what}: layers have {width} vertices on average; estimated {local} with local rounds, {plain} without"
    )
}

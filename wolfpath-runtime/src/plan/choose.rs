//! Which schedule a run takes, and what it uses: as asked for, else by what the program allows and, on a device, by what
//! each would take there.

use std::time::Duration;

use super::estimate::{BUCKET_FACTOR, Estimate, Workload, milliseconds};
use super::schedule::Terms;
use super::{GraphSize, RowUse, Schedule, ScheduleChoice, Techniques};
use crate::error::PlanError;
use crate::options::RunOptions;
use crate::plan::DeviceCosts;
use crate::shape::Shape;

/// Whether a sweep may be chosen rather than asked for. Not before its estimate is right about which is faster: beside the
/// frontier, docs/performance.md has it twice as quick on cnr-2000 and 1.6 times as slow from the root of USA-road-NE.
const SWEEP_IS_CHOSEN: bool = false;

/// Where weights differ, a frontier replaces buckets when it takes less than this share of their time by estimate. Both
/// were measured on few graphs, and buckets are the safe choice: where weights differ much they save the most.
const FRONTIER_MUST_TAKE: f64 = 0.5;

/// What is to be decided about.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) options: &'a RunOptions,
    pub(crate) graph: GraphSize,
    /// All messages of a step are equal: the program says so, and all first values are equal.
    pub(crate) uniform: bool,
    /// First values stand at the root of the layers only, or everywhere.
    pub(crate) from_root: bool,
    /// The device's costs and warps; `None` for the CPU engine.
    pub(crate) device: Option<(&'a DeviceCosts, u64)>,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) schedule: Schedule,
    pub(crate) reason: String,
    pub(crate) techniques: Techniques,
    pub(crate) technique_reasons: Vec<String>,
    pub(crate) estimates: Vec<Estimate>,
    pub(crate) bucket_factor: u32,
}

/// Decides about a run.
///
/// # Errors
/// [`PlanError::Schedule`] when the schedule that was asked for cannot run the program.
pub(crate) fn choose(question: &Question<'_>) -> Result<Decision, PlanError> {
    let Question { shape, options, graph, .. } = *question;
    let rows = RowUse::new(shape.along, question.graph.symmetric);
    let terms = Terms {
        shape,
        steps: options.steps,
        on_cpu: question.device.is_none(),
        walks_both_rows: rows.send_out && rows.send_in,
    };
    let (natural, natural_reason) = terms.natural();
    let asked = options.schedule.map(|choice| terms.asked(choice)).transpose()?;
    let mut decision = Decision {
        schedule: asked.unwrap_or(natural),
        reason: if asked.is_some() { "asked for".to_owned() } else { natural_reason.to_owned() },
        techniques: Techniques::NONE,
        technique_reasons: Vec::new(),
        estimates: Vec::new(),
        bucket_factor: BUCKET_FACTOR,
    };
    let Some((costs, warps)) = question.device else {
        return Ok(decision);
    };
    let workload = Workload::new(costs, warps, graph, shape);
    decision.bucket_factor = workload.bucket_factor();
    question.estimate(&workload, &terms, &mut decision.estimates);
    if asked.is_none() {
        question.take_cheapest(&workload, &mut decision);
    }
    if decision.schedule.is_in_place() {
        question.use_techniques(&workload, &mut decision);
    }
    Ok(decision)
}

impl Question<'_> {
    /// The ways in which a schedule can run here.
    fn ways(&self, schedule: ScheduleChoice) -> impl Iterator<Item = Techniques> {
        let asked = self.options.techniques;
        let pushes = schedule != ScheduleChoice::Sweep;
        let turns = asked.direction && self.uniform && schedule == ScheduleChoice::Frontier;
        let local = Techniques { local_rounds: true, ..Techniques::NONE };
        let direction = Techniques { direction: true, ..Techniques::NONE };
        let local = (asked.local_rounds && pushes).then_some(local);
        [Some(Techniques::NONE), turns.then_some(direction), local].into_iter().flatten()
    }

    /// What the schedules that come into question would take, each in its best way.
    fn estimate(&self, workload: &Workload<'_>, terms: &Terms<'_>, estimates: &mut Vec<Estimate>) {
        use ScheduleChoice::{Bucket, Frontier, Sweep};
        for choice in [Frontier, Bucket, Sweep] {
            let is_in_place = terms.asked(choice).is_ok_and(Schedule::is_in_place);
            let is_asked_for = self.options.schedule == Some(choice);
            let is_worth_it = match choice {
                Bucket => !self.shape.uniform,
                Sweep => self.from_root,
                _ => true,
            };
            if is_in_place && (is_worth_it || is_asked_for) {
                let ways = self.ways(choice).map(|way| workload.estimate(choice, way));
                estimates.extend(ways.min_by_key(|estimate| estimate.time));
            }
        }
    }

    /// Replaces the schedule that suits the program by one that this graph runs faster by.
    fn take_cheapest(&self, workload: &Workload<'_>, decision: &mut Decision) {
        let time_of = |choice| {
            let mut estimates = decision.estimates.iter();
            estimates.find(|estimate| estimate.schedule == choice).map(|estimate| estimate.time)
        };
        let (frontier, bucket) = (time_of(ScheduleChoice::Frontier), time_of(ScheduleChoice::Bucket));
        let share = if workload.spread > 0.0 { FRONTIER_MUST_TAKE } else { 1.0 };
        let sweep = time_of(ScheduleChoice::Sweep).filter(|_| SWEEP_IS_CHOSEN);
        if let (Schedule::Bucket, Some(frontier), Some(bucket)) = (decision.schedule, frontier, bucket)
            && frontier < bucket.mul_f64(share)
        {
            decision.schedule = Schedule::Relax;
            decision.reason = "few values are improved more than once, so buckets save no work".to_owned();
        }
        let best = [frontier, bucket].into_iter().flatten().min();
        if let Some(sweep) = sweep.filter(|&sweep| best.is_some_and(|best| sweep < best)) {
            decision.schedule = Schedule::Sweep;
            decision.reason = format!("layers in order need no queue ({} by estimate)", milliseconds(sweep));
        }
        let all: Vec<_> = decision.estimates.iter().map(Estimate::to_string).collect();
        if all.len() > 1 {
            decision.reason += &format!("; by estimate {}", all.join(", "));
        }
    }

    /// Blocks that go on alone reach vertices on detours, and are then improved again; pulling relies on a first value
    /// being the last. So a run does one of them, or neither.
    fn use_techniques(&self, workload: &Workload<'_>, decision: &mut Decision) {
        let choice = match decision.schedule {
            Schedule::Bucket => ScheduleChoice::Bucket,
            Schedule::Sweep => return,
            _ => ScheduleChoice::Frontier,
        };
        let ways: Vec<_> = self.ways(choice).map(|way| workload.estimate(choice, way)).collect();
        let Some(best) = ways.iter().min_by_key(|estimate| estimate.time) else { return };
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
            let (yes, no) = ("steps pull where that looks at fewer edges", "every step pushes");
            let what = if best.techniques.direction { yes } else { no };
            let (turning, plain) = (milliseconds(turning), milliseconds(plain));
            reasons.push(format!("{what}: by estimate {turning} with pulling, {plain} by pushing alone"));
        }
        if decision.schedule == Schedule::Bucket {
            let factor = decision.bucket_factor;
            reasons.push(format!("the first bucket is {factor} x mean weight / mean degree wide"));
        }
    }
}

fn local_reason(workload: &Workload<'_>, is_used: bool, local: Duration, plain: Duration) -> String {
    let what =
        if is_used { "blocks go on alone for some rounds" } else { "every round waits for the device" };
    let (local, plain) = (milliseconds(local), milliseconds(plain));
    let width = workload.width();
    format!("{what}: layers of {width} vertices; by estimate {local} with rounds alone, {plain} without")
}

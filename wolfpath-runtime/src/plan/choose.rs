//! Chooses the schedule and the optional optimizations of a run. If the user requests a schedule, that schedule is
//! used. Otherwise, the choice depends on the program's properties and on the estimated time of each schedule.

use std::time::Duration;

use wolfpath_core::graph::LayerHistogram;
use wolfpath_core::program::{Along, Starts};

use super::cpu_workload::CpuWorkload;
use super::device_workload::{BUCKET_FACTOR, DeviceWorkload};
use super::estimate::{Estimate, Improvements, Traversal, rounded};
use super::schedule::ScheduleConstraints;
use super::storage::RowStorage;
use super::{GraphSize, RowUse, Schedule, ScheduleChoice, Techniques};
use crate::cpu::can_have_proxies;
use crate::error::PlanError;
use crate::options::RunOptions;
use crate::plan::{CpuCosts, DeviceCosts};
use crate::shape::Shape;

/// On a device, the alternative to a safe choice is used only if its estimated time is at most this share of the safe
/// choice's. The safe choices are those that lose little where they are wrong:
///
/// - buckets, if values add up, since they save the most when weights differ much. The measured share of a frontier for
///   SSSP on an H200 was 0.70 on osm-moscow (estimated 0.68), 1.06 on USA-road-NE (0.80), 1.03 on dblp-2010 (0.79),
///   1.12 on cnr-2000 (0.89) and 1.24 on R-MAT 22 (1.6);
/// - a frontier, if a vertex's first value is final;
/// - a frontier, for `max` programs. The measured share of buckets for `widest` was 1.06 on R-MAT 22 (estimated 0.80)
///   and 1.03 on USA-road-NE (1.4);
/// - steps that only push, because a run that may pull has to count the edges of its frontiers;
/// - a barrier after every step, because the detours of local rounds are hard to estimate.
const MUST_TAKE: f64 = 0.75;

/// The same on the CPU, where the costs are assumed, not measured, and buckets are always the safe choice.
const MUST_TAKE_ON_CPU: f64 = 1.0 / 1.5;

/// Largest share of all paths that one component may have if the order of paths is used without being requested. On two
/// cores, PageRank in the order of paths took 0.31 of the time of a frontier on cit-HepPh (0.34 of the paths in one component),
/// 0.60 on uk-2007-05@100000 (0.54), 0.5 to 1.1 on cnr-2000 (0.55), 1.0 on soc-Slashdot0902 (0.81), and 3.3 on the symmetric
/// dblp-2010 (the bundled accumulating PageRank, by both schedules). docs/how-it-works.md has the figures of 16 cores.
const MOST_OF_ONE_COMPONENT: f64 = 0.6;

/// Factor by which buckets are wider if rows are streamed. A step copies whole chunks, even if it needs few of their edges, so that
/// fewer steps are worth more visits.
const STREAM_WIDTH: u32 = 16;

/// Largest number of numbers of a message of which blocks keep sums in shared memory. With more, there is room for few
/// vertices.
const MOST_PROXY_WORDS: usize = 16;

/// Engine that a plan is made for, with what determines its costs.
#[derive(Clone, Copy)]
pub(crate) enum Machine<'a> {
    /// The CPU engine, with its costs and its number of threads.
    Cpu { costs: CpuCosts, threads: usize },
    /// A device, with its costs and the number of warps that are resident at a time.
    Device { costs: &'a DeviceCosts, warps: u64 },
}

/// Reason against union-find if a first value is NaN. `min` and `max` drop NaN messages, so NaN does not spread, but
/// the vertex keeps it until it receives a number.
pub(crate) const FIRST_IS_NAN: &str = "a first value is NaN, which does not spread like a label";

/// Reason against union-find for a run that continues from an earlier outcome.
pub(crate) const CONTINUES: &str = "the first values are those of an earlier outcome";

/// Returns the reason why the rows or the options rule out union-find on every engine, if there is one.
pub(crate) fn against_union(shape: &Shape, symmetric: bool, options: &RunOptions) -> Option<&'static str> {
    if !symmetric && shape.along != Along::Both {
        Some("messages travel in one direction of the edges, but components ignore directions")
    } else if options.trace {
        Some("a trace was requested, and union-find takes no steps that a trace could record")
    } else if options.max_steps.is_some() {
        Some("a step limit was requested, and union-find takes no steps that a limit could apply to")
    } else {
        None
    }
}

/// Input of a plan's decision.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) options: &'a RunOptions,
    pub(crate) graph: GraphSize,
    /// Layers of the graph, by their size.
    pub(crate) layers: &'a LayerHistogram,
    /// `true` if all messages of a step are equal, since the program is declared uniform and all first values are
    /// equal.
    pub(crate) uniform: bool,
    /// `true` if the root of the layers is the only source.
    pub(crate) at_root: bool,
    /// `true` if the rows over which receivers gather are built: those of the other direction, unless the graph is
    /// symmetric.
    pub(crate) gathers_at_hand: bool,
    /// Reason against union-find that does not follow from the other fields, if there is one.
    pub(crate) against_union: Option<&'static str>,
    /// `true` if the graph stores its paths.
    pub(crate) stores_paths: bool,
    /// Share of the stored paths that belong to the largest component. On a device it is not used, and 0.
    pub(crate) largest_component: f64,
    /// `true` if rows are streamed to the device.
    pub(crate) streams: bool,
    pub(crate) storage: RowStorage,
    pub(crate) machine: Machine<'a>,
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
    let Question { shape, options, graph, layers, machine, .. } = *question;
    let rows = RowUse::new(shape.along, graph.symmetric);
    let constraints = ScheduleConstraints {
        shape,
        steps: options.steps,
        settles: !options.settle.is_empty(),
        on_cpu: matches!(machine, Machine::Cpu { .. }),
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
    if matches!(decision.schedule, Schedule::Union | Schedule::Accumulate | Schedule::Paths) {
        question.take_paths(&mut decision);
        question.use_proxies(&mut decision);
        return Ok(decision);
    }
    let traversal = Traversal::new(graph, layers, shape);
    match machine {
        Machine::Cpu { costs, threads } => {
            let workload = CpuWorkload { costs, threads, traversal };
            question.choose_on_cpu(&workload, &constraints, &mut decision);
        }
        Machine::Device { costs, warps } => {
            let from_root = question.is_from_root();
            let storage = question.storage;
            let workload = DeviceWorkload { costs, warps, traversal, from_root, storage };
            question.choose_on_device(&workload, &constraints, &mut decision);
        }
    }
    Ok(decision)
}

impl Question<'_> {
    fn choose_on_cpu(
        &self,
        workload: &CpuWorkload<'_>,
        constraints: &ScheduleConstraints<'_>,
        decision: &mut Decision,
    ) {
        let choices = self.choices(constraints);
        decision.estimates = choices.map(|choice| workload.estimate(choice)).collect();
        if self.options.schedule.is_none() && !constraints.settles {
            take_cheaper(ScheduleChoice::Bucket, MUST_TAKE_ON_CPU, decision);
            list_estimates(decision);
        }
        self.turn_on_cpu(decision);
    }

    fn choose_on_device(
        &self,
        workload: &DeviceWorkload<'_>,
        constraints: &ScheduleConstraints<'_>,
        decision: &mut Decision,
    ) {
        decision.bucket_factor = workload.bucket_factor() * if self.streams { STREAM_WIDTH } else { 1 };
        let best = |choice| best_way(self.ways(choice).map(|way| workload.estimate(choice, way)));
        decision.estimates = self.choices(constraints).filter_map(best).collect();
        if self.options.schedule.is_none() && !constraints.settles {
            let safe = match workload.traversal.improvements {
                Improvements::AddUp => ScheduleChoice::Bucket,
                Improvements::Once | Improvements::Largest => ScheduleChoice::Frontier,
            };
            take_cheaper(safe, MUST_TAKE, decision);
            self.sweep_if_cheapest(decision);
            list_estimates(decision);
        }
        match decision.schedule {
            Schedule::Frontier => self.listen(decision),
            schedule if schedule.is_in_place() => {
                self.use_techniques(workload, decision);
                self.use_window(workload, decision);
            }
            _ => {}
        }
    }

    /// Decides whether threads, or blocks in shared memory, add up what the vertices receive to which most edges lead.
    fn use_proxies(&self, decision: &mut Decision) {
        let (has_use, reason) = match self.machine {
            Machine::Cpu { threads, .. } => {
                let reason = "each thread adds up by itself what vertices with very many in-edges receive, if these receive along \
                     at least an eighth of all edges";
                (can_have_proxies(self.graph.edges, threads), reason)
            }
            Machine::Device { .. } => {
                let has_room = self.shape.portion_words <= MOST_PROXY_WORDS;
                let is_dense = self.graph.edges >= 2 * self.graph.vertices;
                let in_turns = decision.schedule == Schedule::Paths;
                let reason =
                    "blocks add up in shared memory what the vertices receive to which most edges lead";
                (in_turns && has_room && is_dense, reason)
            }
        };
        decision.techniques.shared_window =
            self.options.techniques.shared_window && self.shape.accumulates && has_use;
        if decision.techniques.shared_window {
            decision.technique_reasons.push(reason.to_owned());
        }
    }

    /// Decides whether an accumulating program visits vertices in the order of paths, and says what this order can save.
    fn take_paths(&self, decision: &mut Decision) {
        if self.stores_paths && decision.schedule == Schedule::Accumulate && self.options.schedule.is_none() {
            match self.against_stored_paths() {
                Some(reason) => decision.reason += &format!("; the graph stores its paths, but {reason}"),
                None => {
                    decision.schedule = Schedule::Paths;
                    let percent = self.percent_of_one_component();
                    let stored = "the graph stores its paths, of which the largest component has only";
                    decision.reason = format!("{stored} {percent:.0} %");
                }
            }
        }
        if decision.schedule == Schedule::Paths {
            decision.techniques.path_order = self.options.techniques.path_order;
            if !decision.techniques.path_order {
                let reason = "paths are visited in no particular order, as requested";
                decision.technique_reasons.push(reason.to_owned());
            }
            if let Some(reason) = self.against_order() {
                decision.reason += &format!("; {reason}");
            }
        }
    }

    /// Returns the reason why all paths that are connected form one component, if they do.
    fn against_order(&self) -> Option<String> {
        let rows = RowUse::new(self.shape.along, self.graph.symmetric);
        let reason = match self.graph.symmetric {
            true => "the graph is symmetric",
            false if rows.send_out && rows.send_in => "messages travel both ways",
            false => return None,
        };
        Some(format!("{reason}, so paths that are connected depend on each other and form one component"))
    }

    /// Returns the reason why the order of the graph's stored paths is not taken without being requested, if there is one.
    fn against_stored_paths(&self) -> Option<String> {
        if matches!(self.machine, Machine::Device { .. }) {
            return Some("finding their order would take longer than a run on a device".to_owned());
        }
        let percent = self.percent_of_one_component();
        let is_joined = percent > 100.0 * MOST_OF_ONE_COMPONENT;
        let saves_little =
            || format!("the largest component has {percent:.0} % of them, so their order saves little");
        self.against_order().or_else(|| is_joined.then(saves_little))
    }

    /// Returns the share of the graph's stored paths that belong to the largest component, in whole percent.
    fn percent_of_one_component(&self) -> f64 {
        (100.0 * self.largest_component).round()
    }

    /// Returns `true` if the run traverses the layers in their order: it starts at the root of the layers, and its
    /// messages travel in the direction in which the layers were found.
    fn is_from_root(&self) -> bool {
        self.at_root && (self.shape.along == Along::Out || self.graph.symmetric)
    }

    /// Returns the reason why the graph, the options or the engine rule out union-find, if there is one.
    fn against_union(&self) -> Option<&'static str> {
        let from_sources = self.shape.model.starts == Starts::Sources;
        let against = against_union(self.shape, self.graph.symmetric, self.options);
        if against.is_some() {
            against
        } else if self.against_union.is_some() {
            self.against_union
        } else if matches!(self.machine, Machine::Device { .. })
            && self.shape.value.is_float()
            && !from_sources
        {
            Some(
                "the program computes first values that are floats, and a device does not check them for NaN",
            )
        } else {
            None
        }
    }

    /// Returns `true` if some steps may push and others pull. Places of edges are at hand only for one of the two.
    fn may_turn(&self) -> bool {
        self.options.techniques.direction && self.shape.may_turn()
    }

    /// Returns the sets of techniques with which this run can use a schedule.
    fn ways(&self, schedule: ScheduleChoice) -> impl Iterator<Item = Techniques> {
        let asked = self.options.techniques;
        let turns = self.may_turn() && self.uniform && schedule == ScheduleChoice::Frontier;
        let local = Techniques { local_rounds: true, ..Techniques::NONE };
        let direction = Techniques { direction: true, ..Techniques::NONE };
        let local = asked.local_rounds.then_some(local);
        [Some(Techniques::NONE), turns.then_some(direction), local].into_iter().flatten()
    }

    /// Returns the schedules in place whose times are worth estimating.
    fn choices(&self, constraints: &ScheduleConstraints<'_>) -> impl Iterator<Item = ScheduleChoice> {
        use ScheduleChoice::{Bucket, Frontier, Sweep};
        [Frontier, Bucket, Sweep].into_iter().filter(|&choice| {
            let is_in_place = constraints.asked(choice).is_ok_and(Schedule::is_in_place);
            let is_asked_for = self.options.schedule == Some(choice);
            let is_worth_it = match choice {
                Bucket => !self.shape.uniform,
                // A sweep reads the sources of edges, too, which a queue has at hand.
                Sweep => !self.streams && (self.is_from_root() || starts_everywhere(self.shape)),
                _ => true,
            };
            is_in_place && (is_worth_it || is_asked_for)
        })
    }

    /// Replaces a frontier or buckets by a sweep if it is estimated to take less time than either.
    fn sweep_if_cheapest(&self, decision: &mut Decision) {
        let cheapest = decision.estimates.iter().min_by_key(|estimate| estimate.time);
        if cheapest.is_none_or(|estimate| estimate.schedule != ScheduleChoice::Sweep) {
            return;
        }
        decision.schedule = Schedule::Sweep;
        let reason = if self.is_from_root() {
            "a run from the root takes the layers in order and needs no queue"
        } else {
            "every vertex starts with a value, so a run can take the layers in order and needs no queue"
        };
        decision.reason = reason.to_owned();
    }

    /// Decides whether the steps of a frontier on the CPU may gather. They need the rows over which receivers gather.
    fn turn_on_cpu(&self, decision: &mut Decision) {
        let stops_early = self.shape.gathering_stops_early(self.uniform);
        let is_frontier = matches!(decision.schedule, Schedule::Relax | Schedule::Frontier);
        if !is_frontier || !stops_early || !self.may_turn() {
            return;
        }
        decision.techniques.direction = self.gathers_at_hand;
        let reason = match (self.graph.symmetric, self.gathers_at_hand) {
            (true, _) => "receivers gather in steps in which that visits fewer edges",
            (_, true) => {
                "receivers gather over the other direction's rows in steps in which that visits fewer edges"
            }
            _ => {
                "every step pushes: gathering needs the other direction's rows, which this graph has not built yet"
            }
        };
        decision.technique_reasons.push(reason.to_owned());
    }

    /// Decides whether the steps of a step-by-step frontier may pull. A step that pulls searches all edges for senders.
    /// It reads the edges sequentially and writes one word per receiver, whereas pushing takes one atomic per message.
    /// Pulling is therefore faster if most edges are in the frontier. The device decides this in each step, because
    /// only the device knows the number of edges in the frontier.
    fn listen(&self, decision: &mut Decision) {
        if !self.may_turn() {
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
    /// used. A graph with fewer than two edges per vertex has no window either, because few of its vertices receive a
    /// message twice: without a window, BFS on a star takes 0.97 of the time (H200).
    fn use_window(&self, workload: &DeviceWorkload<'_>, decision: &mut Decision) {
        decision.techniques.shared_window = self.options.techniques.shared_window
            && workload.traversal.value_bytes == 4
            && self.uniform
            && self.graph.edges >= 2 * self.graph.vertices
            && workload.is_mostly_wide();
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
    /// through several layers at a time. In wide layers, local rounds are useless: on an H100, BFS on cnr-2000 took
    /// 0.88 of the time when they were disabled.
    fn use_techniques(&self, workload: &DeviceWorkload<'_>, decision: &mut Decision) {
        let choice = match decision.schedule {
            Schedule::Bucket => ScheduleChoice::Bucket,
            Schedule::Sweep => ScheduleChoice::Sweep,
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
            let (turning, plain) = (rounded(turning), rounded(plain));
            reasons.push(format!("{what}: estimated {turning} with pulling, {plain} with pushing only"));
        }
        if decision.schedule == Schedule::Bucket {
            let factor = decision.bucket_factor;
            reasons.push(format!("the first bucket is {factor} x mean weight / mean degree wide"));
        }
    }
}

/// Chooses between a frontier and buckets, if the program's natural schedule is buckets. The choice other than `safe`
/// is used if its estimated time is at most `share` of that of `safe`.
fn take_cheaper(safe: ScheduleChoice, share: f64, decision: &mut Decision) {
    use ScheduleChoice::{Bucket, Frontier};
    let other = if safe == Bucket { Frontier } else { Bucket };
    let time_of = |choice| {
        let found = decision.estimates.iter().find(|estimate| estimate.schedule == choice);
        found.map(|estimate| estimate.time)
    };
    let (Schedule::Bucket, Some(safe_time), Some(other_time)) =
        (decision.schedule, time_of(safe), time_of(other))
    else {
        return;
    };
    let is_worth_it = other_time <= safe_time.mul_f64(share);
    if (if is_worth_it { other } else { safe }) == Frontier {
        decision.schedule = Schedule::Relax;
        decision.reason = "few values are improved more than once, so buckets save no work".to_owned();
    }
    if !is_worth_it && other_time < safe_time {
        let percent = (100.0 * (1.0 - share)).round();
        decision.reason += &format!(
            " (`{}` replaces `{}` only if it is estimated to save {percent} % of the time)",
            other.name(),
            safe.name()
        );
    }
}

/// Adds the estimates to the reason, if there is more than one.
fn list_estimates(decision: &mut Decision) {
    let all: Vec<_> = decision.estimates.iter().map(Estimate::to_string).collect();
    if all.len() > 1 {
        decision.reason += &format!("; estimated: {}", all.join(", "));
    }
}

fn starts_everywhere(shape: &Shape) -> bool {
    shape.model.starts == Starts::Every
}

/// Returns the estimate with the least time. A technique counts only if it takes at most [`MUST_TAKE`] of the time,
/// except local rounds in a sweep, which take no detours.
fn best_way(ways: impl Iterator<Item = Estimate>) -> Option<Estimate> {
    ways.min_by_key(|way| {
        let Techniques { direction, local_rounds, .. } = way.techniques;
        let is_risky = direction || local_rounds && way.schedule != ScheduleChoice::Sweep;
        if is_risky { way.time.div_f64(MUST_TAKE) } else { way.time }
    })
}

fn local_reason(workload: &DeviceWorkload<'_>, is_used: bool, local: Duration, plain: Duration) -> String {
    let what = if is_used {
        "warps run several rounds on their own"
    } else {
        "every round ends with a device-wide barrier"
    };
    let (local, plain) = (rounded(local), rounded(plain));
    let (thin, all) = workload.thin_layers();
    let warps = workload.warps;
    format!(
        "{what}: {thin} of {all} layers have fewer work items than the device has warps ({warps}); estimated {local} with \
         local rounds, {plain} without"
    )
}

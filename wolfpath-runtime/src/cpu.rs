//! The CPU engine: runs every schedule on a pool of threads. Only active vertices send. Values are either atomic words
//! or written only between steps, so a step has neither data races nor locks.

mod arrays;
mod asynchronous;
mod bits;
mod bucket;
mod everyone;
mod folds;
mod frequent;
mod frontier;
mod gather;
mod halt;
mod inbox;
mod lane;
mod long_rows;
mod mirrors;
mod order;
mod outcome;
mod pace;
mod pieces;
mod portions;
mod proxies;
mod pull;
mod radix_heap;
mod relax;
mod rounds;
mod scale;
mod settling;
mod sharing;
mod shelf;
mod stepwise;
mod tasks;
mod together;
mod traffic;
mod turn;
mod unfinished;
mod union;
mod view;
mod waiting;
mod words;

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

use wolfpath_core::program::{AggregateOf, Aggregator, Datum, EdgeProgram};

pub(crate) use self::arrays::{RunSize, arrays, arrays_of};
pub(crate) use self::bits::{Ahead, Bits, arrays as bits_arrays};
use self::bucket::Bucket;
use self::everyone::Everyone;
use self::frontier::Frontier;
pub use self::gather::PIECE as SUMMED_PIECE;
pub(crate) use self::gather::{gathered_bytes, gathered_size};
pub(crate) use self::halt::{Halt, fault_error};
use self::inbox::Inbox;
use self::mirrors::Mirrors;
pub(crate) use self::mirrors::Places;
pub(crate) use self::outcome::{Values, zeros};
pub(crate) use self::portions::Portions;
pub(crate) use self::proxies::{array as array_of_proxies, can_have_proxies};
use self::pull::Pull;
use self::relax::Relax;
use self::settling::Settling;
pub(crate) use self::shelf::{Shelf, Weights};
pub use self::stepwise::BLOCK as FOLDED_BLOCK;
pub(crate) use self::stepwise::record_bytes;
use self::stepwise::{Stepwise, counts_before};
pub(crate) use self::tasks::{Blocks, lock, map_tasks};
pub(crate) use self::traffic::{fold_bytes, folded_blocks, step_bytes};
use self::turn::Turn;
pub(crate) use self::union::name_message_bytes;
pub(crate) use self::view::{Lane, View};
use self::words::Word;
pub(crate) use self::words::{from_word, identity, improves, is_dropped, largest_word, to_word};
use crate::error::RunError;
use crate::options::{Counts, RunOptions, Watch};
use crate::part::KeptState;
use crate::plan::{Plan, Schedule};
use crate::shape::Shape;
use crate::start::Sources;
use crate::stats::{End, StageTimes, Stats, Streamed};
use crate::stop;
use crate::trace::{Begun, Recorded, Recorder, StepKind, StepTrace, Trace, trace};

/// Result of a run, and its statistics.
pub(crate) struct Ran<V: Datum> {
    pub(crate) values: Values<V>,
    pub(crate) steps: u64,
    pub(crate) end: End,
    /// Bytes of the fold of the values; empty if the program has no aggregate.
    pub(crate) fold: Vec<u8>,
    /// Word of the best value that was still to be sent, if the run ended with [`End::Settled`].
    pub(crate) settled: Option<u64>,
    /// Share of all sums that was still to be sent, if the program accumulates.
    pub(crate) pending: Option<f64>,
    pub(crate) edges: u64,
    /// Number of updates, if the schedule counts them.
    pub(crate) updates: Option<u64>,
    pub(crate) recorded: Recorded,
}

/// End of a run that did not fail.
pub(crate) enum Ended<V: Datum> {
    Ran(Ran<V>),
    /// The run has no result, because `start` returned NaN and the schedule does not allow this.
    StartIsNan,
}

/// Counts of a run, for its statistics.
pub(crate) struct Tally {
    pub(crate) steps: u64,
    pub(crate) end: End,
    pub(crate) edges: u64,
    pub(crate) updates: Option<u64>,
    pub(crate) pending: Option<f64>,
}

impl<V: Datum> Ran<V> {
    pub(crate) fn tally(&self) -> Tally {
        let Ran { steps, end, edges, updates, pending, .. } = *self;
        Tally { steps, end, edges, updates, pending }
    }
}

/// Returns the statistics of a run, and its trace if it was requested.
pub(crate) fn tell(plan: &Plan, begun: &Begun, tally: Tally, recorded: Recorded) -> (Stats, Option<Trace>) {
    let Tally { steps, end, edges, updates, pending } = tally;
    let stats = Stats {
        engine: plan.engine.to_string(),
        schedule: plan.schedule,
        steps,
        end,
        edges,
        updates,
        borrowed_edges: 0,
        pending,
        launches: 0,
        host_to_device_copies: 0,
        device_to_host_copies: 0,
        device_bytes: 0,
        host_bytes: 0,
        streamed: Streamed::default(),
        times: StageTimes {
            plan: begun.load - begun.plan,
            load: begun.run - begun.load,
            run: begun.end - begun.run,
            ..StageTimes::default()
        },
        notes: plan.notes.iter().cloned().chain(plan.schedule.note()).collect(),
    };
    let trace =
        plan.traced.then(|| trace(plan.program, stats.engine.clone(), plan.schedule, begun, recorded));
    (stats, trace)
}

/// Runs `program` as planned. Must be called inside the pool whose threads it should use.
pub(crate) fn run<P: EdgeProgram>(
    view: &View<'_, P>,
    sources: &Sources<P::Value>,
    plan: &Plan,
    options: &RunOptions,
) -> Result<Ended<P::Value>, RunError> {
    let (steps, edges, updates) = counts_before::<P>(view.mirrors.as_ref());
    let run = CpuRun {
        view,
        plan,
        watch: Watch::new(plan, options),
        recorder: Recorder::new(options.trace),
        limit_is_asked_for: options.max_steps.is_some(),
        keeps_unfinished: options.keep_unfinished,
        was_halted: Cell::new(false),
        steps,
        end: End::Fixpoint,
        fold: Vec::new(),
        settling: Settling::new(&plan.settles, !options.settle.is_empty()),
        pending: None,
        edges,
        updates,
    };
    // Union-find checks whether it must stop within its passes, of which there are only a few.
    let stops = P::MODEL.has_loops || plan.schedule == Schedule::Union;
    let stop = stops.then(|| run.watch.stop());
    stop::within(stop, || by_schedule(run, sources))
}

/// Runs the program by the plan's schedule.
fn by_schedule<P: EdgeProgram>(
    run: CpuRun<'_, '_, P>,
    sources: &Sources<P::Value>,
) -> Result<Ended<P::Value>, RunError> {
    // The conditions are constants, so only the schedules that a plan can choose for this program are compiled.
    let schedule = run.plan.schedule;
    let in_place = schedule.is_in_place();
    if const { Shape::of::<P>().propagates_labels() } && schedule == Schedule::Union {
        return match const { is_wide::<P>() } {
            true => run.union::<AtomicU64>(sources),
            false => run.union::<AtomicU32>(sources),
        };
    }
    let ran = if const { P::ACCUMULATES } {
        run.accumulate(sources)
    } else if const { Shape::of::<P>().may_be_seen_early() } && schedule == Schedule::Paths {
        if const { is_wide::<P>() } {
            run.paths::<AtomicU64>(sources)
        } else {
            run.paths::<AtomicU32>(sources)
        }
    } else if const { Shape::of::<P>().may_be_seen_early() } && in_place {
        if const { is_wide::<P>() } {
            run.in_place::<AtomicU64>(sources)
        } else {
            run.in_place::<AtomicU32>(sources)
        }
    } else if const { Shape::of::<P>().must_pull() } || schedule == Schedule::Pull {
        run.pull(sources)
    } else if const { is_wide::<P>() } {
        run.frontier::<AtomicU64>(sources)
    } else {
        run.frontier::<AtomicU32>(sources)
    };
    ran.map(Ended::Ran)
}

/// Returns `true` if words of 8 bytes are needed.
const fn is_wide<P: EdgeProgram>() -> bool {
    P::Value::KIND.size() > 4 || P::Message::KIND.size() > 4
}

/// Maximum number of steps in buckets, as a multiple of the step limit of a run by frontier (`max_steps`).
const BUCKET_STEPS: u64 = 4;

/// State of one run: its clock and its counters.
struct CpuRun<'a, 'g, P: EdgeProgram> {
    view: &'a View<'g, P>,
    plan: &'a Plan,
    watch: Watch<'a>,
    recorder: Recorder,
    /// `true` if the user set the step limit. The limit then applies to the sum of steps in buckets and by frontier.
    limit_is_asked_for: bool,
    /// `true` if the values of a run without an answer are wanted.
    keeps_unfinished: bool,
    /// `true` if a function of the program faulted or was interrupted, perhaps in the middle of a step.
    was_halted: Cell<bool>,
    steps: u64,
    /// [`End::Steps`] once another step would have been necessary, but was not allowed.
    end: End,
    /// Bytes of the fold of the values at the end; empty if the program has no aggregate.
    fold: Vec<u8>,
    /// The vertices whose values end the run when they are settled.
    settling: Settling<'a>,
    /// Share of all sums that was still to be sent at the end, if the program accumulates.
    pending: Option<f64>,
    edges: u64,
    updates: u64,
}

/// Description of a step for traces and progress reports.
#[derive(Clone, Copy)]
struct About {
    active: u64,
    kind: StepKind,
    bucket: Option<u64>,
}

impl About {
    /// Returns the description of the next step of a frontier.
    fn next(frontier: &Frontier, turn: &Turn) -> About {
        let kind = if turn.gathers(frontier) { StepKind::Pull } else { StepKind::Push };
        About { kind, ..About::push(frontier.size().vertices) }
    }

    fn push(active: u64) -> About {
        About { active, kind: StepKind::Push, bucket: None }
    }

    /// Adds the level of a program with a `priority`.
    fn at_level<P: EdgeProgram>(self, stepwise: &Stepwise<'_, P>) -> About {
        About { bucket: P::MODEL.has_priority.then(|| stepwise.order.level()), ..self }
    }
}

impl<P: EdgeProgram> CpuRun<'_, '_, P> {
    /// Returns `true` if another step with `active` active vertices may begin. Returns an error if the limit is reached
    /// although the run is not done.
    fn may_step(&mut self, limit: u64, active: u64) -> Result<bool, RunError> {
        if self.plan.steps.is_some_and(|steps| self.steps >= steps) {
            self.end = End::Steps;
            return Ok(false);
        }
        if self.steps >= limit {
            return Err(RunError::Overrun {
                program: self.plan.program,
                max_steps: self.plan.max_steps,
                cycle: None,
                pending: None,
            });
        }
        self.watch.look(self.counts(self.steps, active))?;
        self.steps += 1;
        Ok(true)
    }

    fn counts(&self, steps: u64, active: u64) -> Counts {
        Counts { steps, edges: self.edges, active, present: None }
    }

    /// Returns the error for a halt in a step with `active` active vertices: a fault of the program, or the reason for
    /// which the run was stopped.
    fn error(&self, halt: Halt, active: u64) -> RunError {
        self.was_halted.set(true);
        if let Some(error) = self.view.mirrors.as_ref().and_then(Mirrors::failure) {
            return RunError::Peer { error };
        }
        match halt.is_stop() {
            true => self.watch.stopped(self.counts(self.steps.saturating_sub(1), active)),
            false => self.view.error(halt),
        }
    }

    /// Takes a step by calling `step`, which returns a result and the number of edges visited. Records the step, and
    /// returns the result.
    fn step<T>(
        &mut self,
        about: About,
        step: impl FnOnce(u64) -> Result<(T, u64), Halt>,
    ) -> Result<T, RunError> {
        let began = self.recorder.begin();
        let (next, edges) = step(self.steps).map_err(|halt| self.error(halt, about.active))?;
        self.edges += edges;
        self.record(began, self.steps, about, edges);
        Ok(next)
    }

    fn record(&mut self, began: Option<Duration>, step: u64, about: About, edges: u64) {
        let About { active, kind, bucket } = about;
        self.recorder.end(began, |began, took| StepTrace {
            step,
            began,
            took,
            active,
            edges,
            kind,
            bucket,
            streamed: 0,
        });
    }

    /// Lets the processes of a run over parts keep the state after a step. `state` gets the number of steps.
    fn after_step(&self, mut state: impl FnMut(u64) -> KeptState) -> Result<(), RunError> {
        let Some(mirrors) = &self.view.mirrors else { return Ok(()) };
        let kept = mirrors.after_step(self.steps, || {
            let (edges, updates) = (self.edges, self.updates);
            KeptState { edges, updates, ..state(self.steps) }
        });
        kept.map_err(|error| RunError::Peer { error })
    }

    fn ran(self, values: Values<P::Value>) -> Ran<P::Value> {
        let CpuRun { plan, steps, end, fold, settling, pending, edges, updates, recorder, .. } = self;
        let updates = plan.schedule.counts_updates().then_some(updates);
        let (settled, recorded) = (settling.settled(), recorder.finish());
        Ran { values, steps, end, fold, settled, pending, edges, updates, recorded }
    }

    fn in_place<W: Word>(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Relax::<P, W>::start(self.view, sources, self.plan.uniform);
        let (mut relax, first) = started.map_err(|halt| self.error(halt, 0))?;
        match self.relax(&mut relax, first) {
            Ok(()) => Ok(self.ran(relax.finish())),
            Err(error) => Err(self.keep(error.with_present(|| relax.present()), || relax.finish())),
        }
    }

    fn relax<W: Word>(&mut self, relax: &mut Relax<'_, P, W>, mut first: Vec<u32>) -> Result<(), RunError> {
        let mut limit = self.plan.max_steps;
        if self.plan.schedule == Schedule::Bucket {
            first = self.buckets(relax, first)?;
            if first.is_empty() {
                return Ok(());
            }
            // Buckets may take more steps than a frontier would. The frontier then continues from the remaining
            // vertices. It needs at most one step more than there are vertices.
            if !self.limit_is_asked_for {
                limit = limit.saturating_add(self.steps);
            }
        }
        relax.prepare_steps();
        let before = self.steps;
        let turn = relax.turn(self.plan.techniques.direction);
        let mut frontier = Frontier::new(first, self.view.sends);
        if self.plan.uniform {
            frontier.settle();
        }
        while !frontier.is_empty()
            && !self.is_settled_before(relax, &mut frontier)
            && self.may_step(limit, frontier.size().vertices)?
        {
            let about = About::next(&frontier, &turn);
            // Marks have 32 bits and must not repeat, so steps are numbered from the start of this phase.
            let step = |step| Ok(((), relax.step(&mut frontier, &turn, (step - before) as u32)?));
            self.step(about, step)?;
        }
        self.updates += frontier.take_updates();
        Ok(())
    }

    /// Returns the maximum number of steps in buckets. If the user did not set a limit, the maximum is higher than the
    /// limit of a run by frontier: a frontier may repeat far more work than the remaining buckets cost.
    fn most_bucket_steps(&self) -> u64 {
        let most = self.plan.max_steps;
        if self.limit_is_asked_for { most } else { most.saturating_mul(BUCKET_STEPS) }
    }

    /// Runs in buckets for at most [`most_bucket_steps`](Self::most_bucket_steps) steps. Returns the vertices that
    /// still have to send.
    fn buckets<W: Word>(
        &mut self,
        relax: &Relax<'_, P, W>,
        frontier: Vec<u32>,
    ) -> Result<Vec<u32>, RunError> {
        let mut bucket = Bucket::new(relax, &frontier, self.settling.is_asked_for())
            .map_err(|halt| self.error(halt, 0))?;
        if self.starts_settled(relax, &frontier) {
            return Ok(Vec::new());
        }
        while self.is_anybody_near(&mut bucket) {
            if self.steps >= self.most_bucket_steps() || !self.may_step(u64::MAX, bucket.near() as u64)? {
                return Ok(bucket.pending());
            }
            let about = About { bucket: Some(bucket.number()), ..About::push(bucket.near() as u64) };
            self.step(about, |_| bucket.step().map(|edges| ((), edges)))?;
            self.updates += bucket.take_updates();
        }
        Ok(Vec::new())
    }

    /// Returns `true` if a vertex still has to send. Advances to the next bucket if this one has no such vertex.
    fn is_anybody_near<W: Word>(&mut self, bucket: &mut Bucket<'_, '_, P, W>) -> bool {
        if bucket.near() > 0 {
            return true;
        }
        if self.settling.is_asked_for() && self.is_settled_within(bucket) {
            return false;
        }
        let began = self.recorder.begin();
        let Some(examined) = bucket.advance() else { return false };
        let about = About { active: examined, kind: StepKind::Advance, bucket: Some(bucket.number()) };
        self.record(began, self.steps + 1, about, 0);
        true
    }

    /// Returns `true` if the run takes another step. In a program with a `priority`, if no vertex sends in that step,
    /// those that wait for the next level do.
    fn finds_work(
        &mut self,
        stepwise: &mut Stepwise<'_, P>,
        frontier: &mut Frontier,
    ) -> Result<bool, RunError> {
        if P::MODEL.has_priority && stepwise.is_idle(frontier) {
            let began = self.recorder.begin();
            let raised = stepwise.raise_level(frontier).map_err(|halt| self.error(halt, 0))?;
            let Some(active) = raised else { return Ok(false) };
            let about = About { active, kind: StepKind::Advance, bucket: None };
            self.record(began, self.steps + 1, about.at_level(stepwise), 0);
        }
        Ok(stepwise.goes_on(frontier))
    }

    /// Returns `true` if the program's `finished` ends the run here. `is_finished` asks the program.
    fn finishes(&mut self, is_finished: impl FnOnce(u64) -> Result<bool, Halt>) -> Result<bool, RunError> {
        let finishes =
            P::MODEL.has_finished && is_finished(self.steps).map_err(|halt| self.error(halt, 0))?;
        if finishes {
            self.end = End::Finished;
        }
        Ok(finishes)
    }

    /// Notes the fold of the values at the end of the run, which `fold` computes.
    fn note_fold(&mut self, fold: impl FnOnce(u64) -> Result<AggregateOf<P>, Halt>) -> Result<(), RunError> {
        if P::Aggregate::KIND.is_some() {
            let fold = fold(self.steps + 1).map_err(|halt| self.error(halt, 0))?;
            self.fold = vec![0; AggregateOf::<P>::KIND.size()];
            fold.write(&mut self.fold);
        }
        Ok(())
    }

    fn frontier<W: Word>(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Stepwise::start(self.view, sources);
        let (mut stepwise, first) = started.map_err(|halt| self.error(halt, 0))?;
        match self.push::<W>(&mut stepwise, first) {
            Ok(()) => Ok(self.ran(stepwise.finish())),
            Err(error) => {
                Err(self.keep(self.with_present(error, || stepwise.present()), || stepwise.finish()))
            }
        }
    }

    fn push<W: Word>(&mut self, stepwise: &mut Stepwise<'_, P>, first: Vec<u32>) -> Result<(), RunError> {
        let inbox = Inbox::<W>::new::<P>(self.view.num_vertices(), self.plan.uniform);
        let turn = inbox.turn(self.view, self.plan.techniques.direction);
        let mut frontier = stepwise.frontier(first).map_err(|halt| self.error(halt, 0))?;
        while self.finds_work(stepwise, &mut frontier)?
            && !self.is_settled_everywhere(stepwise, &mut frontier)?
            && !self.finishes(|step| stepwise.is_finished(step))?
            && self.may_step(self.plan.max_steps, stepwise.active(&frontier))?
        {
            let about = About { active: stepwise.active(&frontier), ..About::next(&frontier, &turn) };
            let about = about.at_level(stepwise);
            self.step(about, |step| Ok(((), inbox.step(stepwise, &mut frontier, &turn, step)?)))?;
            self.after_step(|steps| stepwise.keep_frontier(steps, &mut frontier))?;
        }
        self.note_fold(|step| stepwise.fold(step))
    }

    fn pull(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Stepwise::start(self.view, sources);
        let (mut stepwise, first) = started.map_err(|halt| self.error(halt, 0))?;
        if const { Shape::of::<P>().everyone_sends() } {
            let mut everyone = Everyone::new(stepwise, sources.earlier().cloned(), self.plan.uniform);
            everyone.resume().map_err(|halt| self.error(halt, 0))?;
            return match self.gather_everyone(&mut everyone) {
                Ok(()) => Ok(self.ran(everyone.finish())),
                Err(error) => {
                    let error = self.with_present(error, || everyone.stepwise.present());
                    Err(self.keep(error, || everyone.finish()))
                }
            };
        }
        match self.gather(&mut stepwise, first) {
            Ok(()) => Ok(self.ran(stepwise.finish())),
            Err(error) => {
                Err(self.keep(self.with_present(error, || stepwise.present()), || stepwise.finish()))
            }
        }
    }

    fn gather(&mut self, stepwise: &mut Stepwise<'_, P>, first: Vec<u32>) -> Result<(), RunError> {
        let mut pull = Pull::new::<P>(self.view, self.plan.uniform);
        let mut frontier = stepwise.frontier(first).map_err(|halt| self.error(halt, 0))?;
        while self.finds_work(stepwise, &mut frontier)?
            && !self.is_settled_everywhere(stepwise, &mut frontier)?
            && !self.finishes(|step| stepwise.is_finished(step))?
            && self.may_step(self.plan.max_steps, stepwise.active(&frontier))?
        {
            let about = About { kind: StepKind::Pull, ..About::push(stepwise.active(&frontier)) };
            let about = about.at_level(stepwise);
            self.step(about, |step| Ok(((), pull.step(stepwise, &mut frontier, step)?)))?;
            self.after_step(|steps| stepwise.keep_frontier(steps, &mut frontier))?;
        }
        self.note_fold(|step| stepwise.fold(step))
    }

    /// Takes steps in which every vertex with a value sends, including the first.
    fn gather_everyone(&mut self, everyone: &mut Everyone<'_, P>) -> Result<(), RunError> {
        let active = self.view.num_all_vertices();
        let mut goes_on = active > 0;
        while goes_on
            && !self.finishes(|step| everyone.is_finished(step))?
            && self.may_step(self.plan.max_steps, active)?
        {
            let about = About { active, kind: StepKind::Pull, bucket: None };
            let is_last = self.plan.steps == Some(self.steps);
            let edges = self.view.num_gathered_edges();
            goes_on = self.step(about, |step| Ok((everyone.step(step, is_last)?, edges)))?;
            if goes_on && !is_last {
                self.after_step(|steps| everyone.keep(steps))?;
            }
        }
        self.note_fold(|step| everyone.fold(step))
    }
}

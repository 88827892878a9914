//! The CPU engine: every schedule on a pool of threads. Only active vertices send; values are atomic words, or are
//! written between steps, so there is neither a data race nor a lock in a step.

mod bucket;
mod frontier;
mod outcome;
mod pull;
mod relax;
mod stepwise;
mod tasks;
mod view;
mod words;

use std::sync::atomic::{AtomicU32, AtomicU64};

use wolfpath_core::program::{Datum, EdgeProgram, Senders};

use self::bucket::Bucket;
use self::frontier::Inbox;
pub(crate) use self::outcome::Values;
use self::pull::Pull;
use self::relax::Relax;
use self::stepwise::Stepwise;
use self::view::Halt;
pub(crate) use self::view::View;
pub(crate) use self::view::fault_error;
use self::words::Word;
pub(crate) use self::words::{from_word, identity};
use crate::error::RunError;
use crate::options::{RunOptions, Watch};
use crate::plan::{Budget, Plan, PlannedArray, Schedule, word_bytes};
use crate::shape::Shape;
use crate::start::Sources;
use crate::stop;

/// What a run came to, and how much it did.
pub(crate) struct Ran<V> {
    pub(crate) values: Values<V>,
    pub(crate) steps: u64,
    pub(crate) edges: u64,
}

/// Arrays that a run on the CPU needs beside the graph's.
pub(crate) fn arrays(budget: &Budget<'_>) -> Vec<PlannedArray> {
    let n = budget.graph.vertices;
    let value = budget.shape.value;
    let of = |name, each: u64| PlannedArray { name, elements: n, bytes: n * each };
    let bits = |name| PlannedArray { name, elements: n, bytes: n.div_ceil(64) * 8 };
    let mut arrays = vec![bits("presence bits"), of("result", value.size() as u64)];
    arrays.extend(match budget.schedule {
        Schedule::Relax if budget.uniform => vec![of("values", word_bytes(value))],
        Schedule::Relax => vec![of("values", word_bytes(value)), of("marks", 4)],
        Schedule::Bucket => {
            vec![
                of("values", word_bytes(value)),
                of("values sent", word_bytes(value)),
                bits("sent bits"),
                of("marks", 4),
            ]
        }
        Schedule::Frontier => vec![
            of("values", value.size() as u64),
            of("incoming messages", word_bytes(budget.shape.message)),
            of("marks", 4),
        ],
        Schedule::Pull => {
            vec![
                of("values", value.size() as u64),
                of("active marks", 4),
                of("receiver marks", 4),
                of("receivers", 4),
                of("messages sent", 2 * budget.shape.message.size().max(4) as u64),
            ]
        }
    });
    arrays.push(of("frontiers, about", 8));
    arrays
}

/// Runs `program` as planned. Called within the pool whose threads it shall use.
pub(crate) fn run<P: EdgeProgram>(
    view: &View<'_, P>,
    sources: &Sources<P::Value>,
    plan: &Plan,
    options: &RunOptions,
) -> Result<Ran<P::Value>, RunError> {
    let run = Run {
        view,
        plan,
        watch: Watch::new(plan.program, options),
        limit_is_asked_for: options.max_steps.is_some(),
        steps: 0,
        edges: 0,
    };
    let stop = P::MODEL.has_loops.then(|| run.watch.stop());
    stop::within(stop, || by_schedule(run, sources))
}

/// Runs as the plan's schedule says.
fn by_schedule<P: EdgeProgram>(
    run: Run<'_, '_, P>,
    sources: &Sources<P::Value>,
) -> Result<Ran<P::Value>, RunError> {
    // Only the schedules that the planner can choose for this program are compiled: the conditions are constants.
    let in_place = matches!(run.plan.schedule, Schedule::Relax | Schedule::Bucket);
    if const { Shape::of::<P>().may_be_seen_early() } && in_place {
        if const { is_wide::<P>() } {
            run.in_place::<AtomicU64>(sources)
        } else {
            run.in_place::<AtomicU32>(sources)
        }
    } else if const { Shape::of::<P>().must_pull() } {
        run.pull(sources)
    } else if const { is_wide::<P>() } {
        run.frontier::<AtomicU64>(sources)
    } else {
        run.frontier::<AtomicU32>(sources)
    }
}

/// Whether words of 8 bytes are needed.
const fn is_wide<P: EdgeProgram>() -> bool {
    P::Value::KIND.size() > 4 || P::Message::KIND.size() > 4
}

/// One run: its clock and its counts.
struct Run<'a, 'g, P: EdgeProgram> {
    view: &'a View<'g, P>,
    plan: &'a Plan,
    watch: Watch<'a>,
    /// The user set the most steps, so they hold over all phases of the run.
    limit_is_asked_for: bool,
    steps: u64,
    edges: u64,
}

impl<P: EdgeProgram> Run<'_, '_, P> {
    /// Whether another step may begin; an error when it may not and the run is not done.
    fn may_step(&mut self, limit: u64) -> Result<bool, RunError> {
        if self.plan.steps.is_some_and(|steps| self.steps >= steps) {
            return Ok(false);
        }
        if self.steps >= limit {
            return Err(RunError::Overrun { program: self.plan.program, max_steps: self.plan.max_steps });
        }
        self.watch.look(self.steps, self.edges)?;
        self.steps += 1;
        Ok(true)
    }

    /// The error that a halt means: a fault of the program, or what told the run to stop.
    fn error(&self, halt: Halt) -> RunError {
        match halt.is_stop() {
            true => self.watch.stopped(self.steps.saturating_sub(1)),
            false => self.view.error(halt),
        }
    }

    fn count<T>(&mut self, stepped: Result<(T, u64), Halt>) -> Result<T, RunError> {
        let (next, edges) = stepped.map_err(|halt| self.error(halt))?;
        self.edges += edges;
        Ok(next)
    }

    fn ran(&self, values: Values<P::Value>) -> Ran<P::Value> {
        Ran { values, steps: self.steps, edges: self.edges }
    }

    fn in_place<W: Word>(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Relax::<P, W>::start(self.view, sources, !self.plan.uniform);
        let (relax, mut frontier) = started.map_err(|halt| self.error(halt))?;
        let mut limit = self.plan.max_steps;
        if self.plan.schedule == Schedule::Bucket {
            frontier = self.buckets(&relax, frontier)?;
            // Nearest first may take more steps than the frontier would. Whoever is left then goes on as a frontier,
            // which needs no more than the vertices plus one.
            if !self.limit_is_asked_for {
                limit = limit.saturating_add(self.steps);
            }
        }
        while !frontier.is_empty() && self.may_step(limit)? {
            frontier = self.count(relax.step(&frontier, self.steps as u32))?;
        }
        Ok(self.ran(relax.finish()))
    }

    /// Goes nearest first for at most as many steps as a run may take; gives who still has to send then.
    fn buckets<W: Word>(
        &mut self,
        relax: &Relax<'_, P, W>,
        frontier: Vec<u32>,
    ) -> Result<Vec<u32>, RunError> {
        let mut bucket = Bucket::new(relax, frontier).map_err(|halt| self.error(halt))?;
        while !bucket.is_done() && self.steps < self.plan.max_steps && self.may_step(u64::MAX)? {
            self.count(bucket.step().map(|edges| ((), edges)))?;
        }
        Ok(bucket.pending())
    }

    fn frontier<W: Word>(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Stepwise::start(self.view, sources);
        let (mut stepwise, mut frontier) = started.map_err(|halt| self.error(halt))?;
        let inbox = Inbox::<W>::new::<P>(self.view.num_vertices());
        while !frontier.is_empty() && self.may_step(self.plan.max_steps)? {
            frontier = self.count(inbox.step(&mut stepwise, &frontier, self.steps))?;
        }
        Ok(self.ran(stepwise.finish()))
    }

    fn pull(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Stepwise::start(self.view, sources);
        let (mut stepwise, mut frontier) = started.map_err(|halt| self.error(halt))?;
        let pull = Pull::new::<P>(self.view.num_vertices(), &frontier, self.plan.uniform);
        // Under `Senders::All` everybody sends in the first step, whoever has a value.
        let mut goes_on =
            self.view.num_vertices() > 0 && (P::SENDERS == Senders::All || !frontier.is_empty());
        while goes_on && self.may_step(self.plan.max_steps)? {
            frontier = self.count(pull.step(&mut stepwise, &frontier, self.steps))?;
            goes_on = !frontier.is_empty();
        }
        Ok(self.ran(stepwise.finish()))
    }
}

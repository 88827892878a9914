//! Runs in asynchronous rounds: the schedule `paths`, and accumulating programs.

use std::ops::Range;

use wolfpath_core::program::EdgeProgram;

use super::portions::Portions;
use super::relax::Relax;
use super::rounds::{Amounts, Rounds, Waiting};
use super::words::Word;
use super::{About, CpuRun, Ran};
use crate::error::{PendingAmounts, RunError};
use crate::start::Sources;
use crate::stats::End;

/// When a group of vertices is finished for now.
#[derive(Clone, Copy)]
struct Goal {
    /// Share of the sum of all values that may remain to be sent.
    tolerance: f64,
    /// Sum of the sizes of all values, as far as it is known.
    total: f64,
    /// `true` if what was taken since then counts, too.
    grows: bool,
    /// Size of the amounts that earlier groups have not sent.
    left: f64,
}

impl<P: EdgeProgram> CpuRun<'_, '_, P> {
    /// Runs a program in place, in the order of paths.
    pub(super) fn paths<W: Word>(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Relax::<P, W>::start(self.view, sources, false);
        let (relax, first) = started.map_err(|halt| self.error(halt, 0))?;
        let view = self.view;
        let mut rounds = Rounds::new(view, relax, view.path_order(), &first);
        let mut ended = Ok(());
        for places in rounds.groups() {
            ended = ended.and_then(|()| self.finish_group(&mut rounds, &places, None).map(|_| ()));
        }
        let relax = rounds.into_amounts();
        match ended {
            Ok(()) => Ok(self.ran(relax.finish())),
            Err(error) => Err(self.keep(error.with_present(|| relax.present()), || relax.finish())),
        }
    }

    /// Runs an accumulating program.
    pub(super) fn accumulate(mut self, sources: &Sources<P::Value>) -> Result<Ran<P::Value>, RunError> {
        let started = Portions::start(self.view, sources);
        let (portions, first) = started.map_err(|halt| self.error(halt, 0))?;
        let view = self.view;
        let mut rounds = Rounds::new(view, portions, view.path_order(), &first);
        let ended = self.finish_sums(&mut rounds);
        let portions = rounds.into_amounts();
        match ended {
            Ok(()) => Ok(self.ran(portions.finish())),
            Err(error) => Err(self.keep(error.with_present(|| portions.present()), || portions.finish())),
        }
    }

    /// Takes rounds until what is pending is within the tolerance.
    fn finish_sums(&mut self, rounds: &mut Rounds<'_, P, Portions<'_, P>>) -> Result<(), RunError> {
        let tolerance = self.plan.tolerance.unwrap_or(0.0);
        let mut goal = Goal { tolerance, total: rounds.amounts().total(), grows: true, left: 0.0 };
        let all = 0..rounds.num_places();
        loop {
            let mut left = 0.0;
            for places in rounds.groups() {
                left = self.finish_group(rounds, &places, Some(Goal { left, ..goal }))?;
            }
            let pending = rounds.waiting(&all);
            let total = rounds.amounts().total();
            self.check_convergence(pending.urgency + total)?;
            if pending.vertices == 0 || pending.urgency <= tolerance * total {
                self.end = if pending.urgency > 0.0 { End::Tolerance } else { End::Fixpoint };
                self.pending = Some(if pending.urgency > 0.0 { pending.urgency / total } else { 0.0 });
                return Ok(());
            }
            // Amounts of different signs cancelled out, so that the values are smaller than what was taken.
            goal = Goal { total, grows: false, ..goal };
        }
    }

    /// Takes rounds in which the vertices at these places send, until they have nothing more to send. Of sums, as much may
    /// remain as the `goal` allows for these and all earlier places. Returns what then remains.
    fn finish_group<A: Amounts<P>>(
        &mut self,
        rounds: &mut Rounds<'_, P, A>,
        places: &Range<u32>,
        goal: Option<Goal>,
    ) -> Result<f64, RunError> {
        let share = f64::from(places.end) / f64::from(rounds.num_places());
        loop {
            let waiting = rounds.waiting(places);
            let mut remaining = waiting.urgency;
            let mut is_enough = false;
            if let Some(Goal { tolerance, total, grows, left }) = goal {
                self.check_convergence(waiting.urgency)?;
                let taken = if grows { rounds.taken() + waiting.urgency } else { 0.0 };
                remaining += left;
                is_enough = remaining <= tolerance * share * total.max(taken);
            }
            if waiting.vertices == 0 || is_enough {
                return Ok(remaining);
            }
            let limit = self.plan.max_steps;
            self.may_step(limit, waiting.vertices).map_err(|error| self.with_amounts(error, waiting))?;
            let chooses = self.chooses_in_round(limit);
            let about = About::push(waiting.vertices);
            let updates = self.step(about, |_| {
                let done = rounds.round(places, waiting, chooses)?;
                Ok((done.updates, done.edges))
            })?;
            self.updates += updates;
        }
    }

    /// Returns `true` if the next round may leave out vertices that are not due. After half of the steps that the run may
    /// take, all vertices send, since only then the number of rounds has a bound for every program.
    fn chooses_in_round(&self, limit: u64) -> bool {
        self.view.path_order().is_some() && self.steps <= limit / 2
    }

    /// Returns an error if sums have grown beyond all numbers.
    fn check_convergence(&mut self, amount: f64) -> Result<(), RunError> {
        let first = *self.first_pending.get_or_insert(amount);
        if amount.is_finite() {
            return Ok(());
        }
        let pending = Some(PendingAmounts { first, last: amount });
        Err(RunError::Overrun { program: self.plan.program, max_steps: self.steps, cycle: None, pending })
    }

    /// Adds what was pending to the error of an accumulating program that took too many steps.
    fn with_amounts(&self, mut error: RunError, waiting: Waiting) -> RunError {
        if let (RunError::Overrun { pending, .. }, Some(first), true) =
            (&mut error, self.first_pending, P::ACCUMULATES)
        {
            *pending = Some(PendingAmounts { first, last: waiting.urgency });
        }
        error
    }
}

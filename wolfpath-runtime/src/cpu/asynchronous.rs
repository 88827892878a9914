//! Runs in asynchronous rounds: the schedule `paths`, and accumulating programs.
//!
//! In a run over a part of a graph, every step ends with an exchange, after which nothing is untold. So the amounts that wait
//! then are those that a run on one machine could have, and their sums over all processes decide what happens next.

use std::ops::Range;

use wolfpath_core::program::EdgeProgram;

use super::mirrors::sums;
use super::portions::Portions;
use super::relax::Relax;
use super::rounds::{Amounts, Rounds, Waiting};
use super::words::Word;
use super::{About, CpuRun, Ran};
use crate::error::{PendingAmounts, RunError};
use crate::start::Sources;
use crate::stats::End;

/// Condition under which a group of vertices need not send any more.
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
        let mut rounds = Rounds::new(view, relax, view.path_order(), first);
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
        let mut rounds = Rounds::new(view, portions, view.path_order(), first);
        if self.plan.techniques.shared_window {
            rounds.use_proxies();
        }
        let ended = self.finish_sums(&mut rounds);
        let portions = rounds.into_amounts();
        match ended {
            Ok(()) => Ok(self.ran(portions.finish())),
            Err(error) => {
                let error = self.with_present(error, || portions.present());
                Err(self.keep(error, || portions.finish()))
            }
        }
    }

    /// Runs rounds until what is pending is within the tolerance. An error about too many rounds says how much is pending.
    fn finish_sums(&mut self, rounds: &mut Rounds<'_, P, Portions<'_, P>>) -> Result<(), RunError> {
        let all = 0..rounds.num_places();
        let first = self.everywhere(rounds.waiting(&all))?.urgency;
        match self.reach_tolerance(rounds) {
            // All processes of a run over parts find this error together.
            Err(RunError::Overrun { program, max_steps, cycle, .. }) => {
                let (amounts, total) = (self.everywhere(rounds.waiting(&all))?.urgency, self.total(rounds)?);
                // A vertex without edges may have received amounts that are not finite.
                let last = if total.is_finite() { amounts } else { total };
                Err(RunError::Overrun {
                    program,
                    max_steps,
                    cycle,
                    pending: Some(PendingAmounts { first, last }),
                })
            }
            ended => ended,
        }
    }

    /// Returns the sums over all processes, given those of this one.
    fn everywhere(&self, own: Waiting) -> Result<Waiting, RunError> {
        let Waiting { vertices, urgency, taken } = own;
        let [vertices, urgency, taken] = self.sums([vertices as f64, urgency, taken])?;
        Ok(Waiting { vertices: vertices as u64, urgency, taken })
    }

    /// Returns the sum of the sizes of all values, in all processes.
    fn total(&self, rounds: &Rounds<'_, P, Portions<'_, P>>) -> Result<f64, RunError> {
        let [total] = self.sums([rounds.amounts().total()])?;
        Ok(total)
    }

    fn sums<const N: usize>(&self, own: [f64; N]) -> Result<[f64; N], RunError> {
        sums(self.view.mirrors.as_ref(), own).map_err(|halt| self.error(halt, 0))
    }

    fn reach_tolerance(&mut self, rounds: &mut Rounds<'_, P, Portions<'_, P>>) -> Result<(), RunError> {
        let tolerance = self.plan.tolerance.unwrap_or(0.0);
        let mut goal = Goal { tolerance, total: self.total(rounds)?, grows: true, left: 0.0 };
        loop {
            let mut left = 0.0;
            for places in rounds.groups() {
                left = self.finish_group(rounds, &places, Some(Goal { left, ..goal }))?;
            }
            let total = self.total(rounds)?;
            self.check_convergence(total)?;
            if left <= tolerance * total {
                self.end = if left > 0.0 { End::Tolerance } else { End::Fixpoint };
                self.pending = Some(if left > 0.0 { left / total } else { 0.0 });
                return Ok(());
            }
            // Amounts of different signs cancelled out, so that the values are smaller than what was taken.
            goal = Goal { total, grows: false, ..goal };
        }
    }

    /// Runs rounds in which the vertices at these places send, until they have nothing more to send. Of sums, as much may
    /// remain as the `goal` allows for these and all earlier places. Returns what then remains.
    fn finish_group<A: Amounts<P>>(
        &mut self,
        rounds: &mut Rounds<'_, P, A>,
        places: &Range<u32>,
        goal: Option<Goal>,
    ) -> Result<f64, RunError> {
        // A process may have no vertices.
        let is_all = places.end == rounds.num_places();
        let share = if is_all { 1.0 } else { f64::from(places.end) / f64::from(rounds.num_places()) };
        loop {
            let own = rounds.waiting(places);
            let waiting = self.everywhere(own)?;
            let mut remaining = waiting.urgency;
            let mut is_enough = false;
            if let Some(Goal { tolerance, total, grows, left }) = goal {
                self.check_convergence(waiting.urgency)?;
                let taken = if grows { waiting.taken + waiting.urgency } else { 0.0 };
                remaining += left;
                is_enough = remaining <= tolerance * share * total.max(taken);
            }
            if waiting.vertices == 0 || is_enough {
                return Ok(remaining);
            }
            let limit = self.plan.max_steps;
            self.may_step(limit, waiting.vertices)?;
            let chooses = self.chooses_in_round(limit);
            let about = About::push(waiting.vertices);
            let updates = self.step(about, |_| {
                let done = rounds.step(places, own, chooses)?;
                Ok((done.updates, done.edges))
            })?;
            self.updates += updates;
            self.after_step(|steps| rounds.amounts().keep(steps))?;
        }
    }

    /// Returns `true` if the next round may leave out vertices that are not due. After half of the steps that the run may
    /// take, all vertices send, since only then the number of rounds has a bound for every program.
    fn chooses_in_round(&self, limit: u64) -> bool {
        self.view.path_order().is_some() && self.steps <= limit / 2
    }

    /// Returns an error if sums have become infinite or NaN.
    fn check_convergence(&self, amount: f64) -> Result<(), RunError> {
        let (program, max_steps) = (self.plan.program, self.steps);
        let overrun = || RunError::Overrun { program, max_steps, cycle: None, pending: None };
        amount.is_finite().then_some(()).ok_or_else(overrun)
    }
}

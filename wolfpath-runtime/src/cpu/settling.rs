//! Ends of runs at which named vertices are settled (`RunOptions::until_settled`). A value is settled if no value that
//! is still to be sent is better, because no message is better than its sender's value.

use wolfpath_core::program::{Combiner, Datum, EdgeProgram};

use super::CpuRun;
use super::bucket::Bucket;
use super::frontier::Frontier;
use super::relax::Relax;
use super::stepwise::Stepwise;
use super::words::{Word, best, identity, improves, largest_word, to_word};
use crate::error::RunError;
use crate::part::Message;
use crate::stats::End;

/// Maximum number of named vertices for which buckets end at the farthest of them. With more vertices, finding the
/// farthest one for each bucket takes longer than a part of the last bucket is worth.
const FEW: usize = 64;

/// The named vertices of a run.
pub(super) struct Settling<'a> {
    is_asked_for: bool,
    /// Those of this process, in a run over a part of a graph.
    named: &'a [u32],
    /// Number of named vertices that are not known to be settled. They are the first ones.
    left: usize,
    /// Word of the best value that was still to be sent when all of them were settled.
    settled: Option<u64>,
}

impl<'a> Settling<'a> {
    /// `is_asked_for` is `true` if vertices are named, in this process or in another one.
    pub(super) fn new(named: &'a [u32], is_asked_for: bool) -> Settling<'a> {
        Settling { is_asked_for, named, left: named.len(), settled: None }
    }

    /// Returns `true` if the run ends when vertices are settled.
    pub(super) fn is_asked_for(&self) -> bool {
        self.is_asked_for
    }

    /// Returns the word of the best value that was still to be sent when all named vertices were settled.
    pub(super) fn settled(&self) -> Option<u64> {
        self.settled
    }

    /// Returns `true` if vertices are named and all of them have values, so that they may be settled.
    fn may_be_over<P: EdgeProgram, W: Word>(&self, relax: &Relax<'_, P, W>) -> bool {
        self.is_asked_for() && self.named[..self.left].iter().rev().all(|&v| relax.is_present(v))
    }

    /// Returns the words of the named vertices that are not known to be settled; `None` if these are many.
    fn words<P: EdgeProgram, W: Word>(&self, relax: &Relax<'_, P, W>) -> Option<impl Iterator<Item = u64>> {
        let left = &self.named[..self.left];
        (left.len() <= FEW).then(|| left.iter().map(|&v| relax.values[v as usize].load()))
    }

    /// Drops named vertices that `is_settled` holds for, up to the first other one. Returns `true` if none is left.
    fn are_settled(&mut self, is_settled: impl Fn(u32) -> bool) -> bool {
        while self.left > 0 && is_settled(self.named[self.left - 1]) {
            self.left -= 1;
        }
        self.left == 0
    }

    /// Returns `true` if all named vertices, which have values, are settled when `nearest` is the word of the best value
    /// that is still to be sent.
    fn is_over<P: EdgeProgram, W: Word>(&mut self, relax: &Relax<'_, P, W>, nearest: u64) -> bool {
        self.left = self.named.len();
        let is_settled = |v: u32| !improves(Relax::<P, W>::KIND, nearest, relax.values[v as usize].load());
        let is_over = self.are_settled(is_settled);
        if is_over {
            self.settled = Some(nearest);
        }
        is_over
    }
}

impl<P: EdgeProgram> CpuRun<'_, '_, P> {
    /// Returns `true` if the named vertices are settled by their first values. `first` are the vertices that have one.
    pub(super) fn starts_settled<W: Word>(&mut self, relax: &Relax<'_, P, W>, first: &[u32]) -> bool {
        self.settling.may_be_over(relax) && self.ends_settled(relax, first.iter().copied())
    }

    /// Returns `true` if the named vertices are settled before this frontier sends.
    pub(super) fn is_settled_before<W: Word>(
        &mut self,
        relax: &Relax<'_, P, W>,
        frontier: &mut Frontier,
    ) -> bool {
        if !self.settling.may_be_over(relax) {
            return false;
        }
        if !self.plan.uniform {
            return self.ends_settled(relax, frontier.vertices());
        }
        // The first value of every vertex is final.
        let is_over = self.settling.is_over(relax, Relax::<P, W>::NOTHING);
        if is_over {
            self.end = End::Settled;
        }
        is_over
    }

    /// Returns `true` if the named vertices are settled when a bucket has ended. Otherwise, limits the next bucket to
    /// them if they have values.
    pub(super) fn is_settled_within<W: Word>(&mut self, bucket: &mut Bucket<'_, '_, P, W>) -> bool {
        let relax = bucket.relax();
        bucket.limit(None);
        if !self.settling.may_be_over(relax) {
            return false;
        }
        let Some(nearest) = bucket.nearest() else { return false };
        let is_within = |v: u32| bucket.index_of(relax.values[v as usize].load()) < nearest;
        if self.settling.are_settled(is_within) {
            // An index stands for a range of values, and an entry may be old, so the values decide.
            let pending = bucket.pending();
            if !pending.is_empty() && self.ends_settled(relax, pending.into_iter()) {
                return true;
            }
        }
        let farthest =
            self.settling.words(relax).and_then(|words| words.map(|word| bucket.index_of(word)).max());
        bucket.limit(farthest);
        false
    }

    /// Returns `true`, and notes the end of the run, if the vertices that all processes name are settled before this frontier of
    /// a step-by-step run sends. Nothing else is still to be sent: a vertex that is not in the frontier has sent its value.
    pub(super) fn is_settled_everywhere(
        &mut self,
        stepwise: &Stepwise<'_, P>,
        frontier: &mut Frontier,
    ) -> Result<bool, RunError> {
        let Some(mirrors) = self.view.mirrors.as_ref().filter(|_| self.settling.is_asked_for()) else {
            return Ok(false);
        };
        let (kind, max) = (<P::Combine as Combiner<P::Message>>::KIND, largest_word(P::Value::KIND));
        let nothing = identity(kind, max);
        let better = |a: u64, b: u64| if improves(kind, a, b) { a } else { b };
        let worse = |a: u64, b: u64| if improves(kind, a, b) { b } else { a };
        let finest = best(kind, P::Value::KIND, max).unwrap_or(nothing);
        let nearest = match self.plan.uniform {
            // The first value of every vertex is final.
            true => nothing,
            false => {
                let values = frontier.vertices().map(|v| stepwise.values[v as usize]);
                values.map(|value| to_word(kind, max, value)).fold(nothing, better)
            }
        };
        // Each process tells its best value that is still to be sent, and its named vertices' worst one, if all have one.
        let mut told = nearest.to_le_bytes().to_vec();
        let worst = self
            .settling
            .named
            .iter()
            .try_fold(finest, |worst, &v| Some(worse(worst, to_word(kind, max, stepwise.value(v)?))));
        told.extend(worst.iter().flat_map(|word| word.to_le_bytes()));
        let heard = mirrors.tell_all(told).map_err(|halt| self.error(halt, 0))?;
        let (mut nearest, mut worst) = (nothing, Some(finest));
        for (process, message) in heard.iter().enumerate() {
            let mut message = Message(message);
            let Some(word) = message.u64() else { return Err(self.error(mirrors.unreadable(process), 0)) };
            nearest = better(nearest, word);
            worst = worst.zip(message.u64()).map(|(a, b)| worse(a, b));
        }
        let is_over = worst.is_some_and(|worst| !improves(kind, nearest, worst));
        if is_over {
            (self.settling.settled, self.end) = (Some(nearest), End::Settled);
        }
        Ok(is_over)
    }

    /// Returns `true`, and notes the end of the run, if the named vertices are settled while these vertices wait to send.
    fn ends_settled<W: Word>(&mut self, relax: &Relax<'_, P, W>, waiting: impl Iterator<Item = u32>) -> bool {
        let better = |a: u64, b: u64| if improves(Relax::<P, W>::KIND, a, b) { a } else { b };
        let words = waiting.map(|v| relax.values[v as usize].load());
        let is_over = self.settling.is_over(relax, words.fold(Relax::<P, W>::NOTHING, better));
        if is_over {
            self.end = End::Settled;
        }
        is_over
    }
}

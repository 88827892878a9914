//! Nearest first: the frontier in place, cut by a bound that rises bucket by bucket (delta-stepping, after Meyer and
//! Sanders, 2003). What improves within the bound sends soon; the rest waits, so that few vertices send values that are
//! improved later. Vertices wait in a radix heap, which looks at each a few times at most, however many buckets there
//! are; [`Pace`] sets the width of buckets by what they have cost so far, and lowers the bound of one that turns out too
//! wide. The bound is a matter of speed only: every order gives the same answer.

use wolfpath_core::program::{CombineKind, EdgeProgram};

use super::pace::{Pace, Sending, Sent, StepSent};
use super::relax::{Relax, SERIAL_EDGES, par_pieces};
use super::scale::Scale;
use super::tasks::map_ranges;
use super::view::Halt;
use super::waiting::Waiting;
use super::words::{Bits, Word, combine, fill};

/// A run nearest first: who sends within the bound, and who waits.
pub(crate) struct Bucket<'a, 'b, P: EdgeProgram, W: Word> {
    relax: &'b Relax<'a, P, W>,
    sent: SentValues<W>,
    near: Vec<u32>,
    /// The memory of the last step's `near`, empty.
    spare: Vec<u32>,
    waiting: Waiting,
    scale: Scale,
    pace: Pace,
    /// Number of times that the bound was raised.
    number: u64,
}

/// The values that vertices last sent.
struct SentValues<W: Word> {
    /// The word with which a vertex last sent.
    words: Vec<W>,
    /// Set for vertices that sent a value whose word is the identity.
    nothing: Bits,
}

impl<W: Word> SentValues<W> {
    /// Returns `true` if the vertex has not sent the value that it holds, which has this word.
    fn lacks(&self, v: u32, word: u64, identity: u64) -> bool {
        self.words[v as usize].load() != word || (word == identity && !self.nothing.get(v))
    }

    /// Notes that a vertex sends the value that has this word. What it sent beyond the bound, before that was lowered, is
    /// not held against the width of this bucket.
    #[inline]
    fn note<P: EdgeProgram, const ALONE: bool>(&self, v: u32, word: u64, scale: &Scale) -> Sending {
        let identity = Relax::<P, W>::NOTHING;
        let before = combine(CombineKind::Any, &self.words[v as usize], word, ALONE);
        if before != word {
            let is_again = before != identity && scale.is_within::<P, W>(before);
            if is_again { Sending::Again } else { Sending::First }
        } else if word == identity && self.nothing.set(v) {
            Sending::First
        } else {
            Sending::No
        }
    }
}

impl<'a, 'b, P: EdgeProgram, W: Word> Bucket<'a, 'b, P, W> {
    const NOTHING: u64 = Relax::<'a, P, W>::NOTHING;

    pub(crate) fn new(relax: &'b Relax<'a, P, W>, frontier: Vec<u32>) -> Result<Self, Halt> {
        let n = relax.view.num_vertices();
        let sent = SentValues { words: fill(n, Self::NOTHING), nothing: Bits::new(n) };
        let scale = Scale::new(relax, &frontier)?;
        let (near, spare, waiting, pace) = (Vec::new(), Vec::new(), Waiting::new(), Pace::new());
        let mut bucket = Bucket { relax, sent, near, spare, waiting, scale, pace, number: 0 };
        bucket.measure_from_nearest(frontier);
        Ok(bucket)
    }

    /// Returns the number of vertices that may send next: all who must, and perhaps some who have sent already.
    pub(crate) fn near(&self) -> usize {
        self.near.len()
    }

    /// Returns the number of this bucket, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns everybody who still has to send, within the bound or beyond, each once.
    pub(crate) fn pending(mut self) -> Vec<u32> {
        let mut pending = [std::mem::take(&mut self.near), self.waiting.restart()].concat();
        pending.sort_unstable();
        pending.dedup();
        pending.retain(|&v| self.must_send(v));
        pending
    }

    /// Returns `true` if a vertex's value is not the one that it last sent.
    fn must_send(&self, v: u32) -> bool {
        self.sent.lacks(v, self.relax.values[v as usize].load(), Self::NOTHING)
    }

    /// Measures distances from the nearest of these vertices. All of them wait from now on.
    fn measure_from_nearest(&mut self, vertices: Vec<u32>) {
        self.scale.measure_from_nearest(self.relax, &vertices);
        for v in vertices {
            self.waiting.push(v, self.scale.index(self.relax, v));
        }
    }

    /// Goes on to the next bucket, from the nearest of those who wait. Returns how many of them were examined, or `None`
    /// if no vertex waits.
    pub(crate) fn advance(&mut self) -> Option<u64> {
        self.pace.next_bucket();
        let mut examined = self.waiting.raise(self.pace.span(), &mut self.near);
        if self.waiting.bound() == Scale::FARTHEST && !self.pace.is_unbounded() {
            // Too far from the first vertex to be told apart: measured from the nearest of them, they can be.
            examined += self.start_again();
        }
        self.scale.set_bound::<P, W>(self.waiting.bound());
        self.pace.count_examined(examined);
        self.number += 1;
        (!self.near.is_empty()).then_some(examined)
    }

    /// Measures from the nearest of those within the bound, which nobody is beyond, and sets a new bound. Returns how many
    /// vertices were examined.
    fn start_again(&mut self) -> u64 {
        self.waiting.restart();
        let near = std::mem::take(&mut self.near);
        self.measure_from_nearest(near);
        self.waiting.raise(self.pace.span(), &mut self.near)
    }

    /// Takes one step: everybody within the bound sends once. Returns the edges looked at.
    pub(crate) fn step(&mut self) -> Result<u64, Halt> {
        let near = std::mem::replace(&mut self.near, std::mem::take(&mut self.spare));
        let edges = self.relax.view.sends.edges_of(&near);
        let mut counts =
            StepSent { near: Sent { vertices: near.len() as u64, edges }, ..StepSent::default() };
        let alone = edges < SERIAL_EDGES || rayon::current_num_threads() == 1;
        if alone {
            self.step_alone(&near, &mut counts)?;
        } else {
            self.step_together(&near, &mut counts)?;
        }
        self.spare = near;
        self.spare.clear();
        self.pace.count(&counts, alone);
        self.lower_if_too_wide();
        Ok(counts.edges())
    }

    fn step_alone(&mut self, near: &[u32], counts: &mut StepSent) -> Result<(), Halt> {
        let Bucket { relax, sent, near: next, waiting, scale, .. } = self;
        for &v in near {
            let sending = sent.note::<P, true>(v, relax.values[v as usize].load(), scale);
            counts.note(sending, || relax.view.sends.degree(v));
            if sending == Sending::No {
                continue;
            }
            let value = relax.value(v);
            relax.view.visit_sends(v, |end, weight| {
                if let Some(message) = relax.view.message(value, weight, v, end)?
                    && relax.offer::<true>(end, message)
                {
                    scale.place(relax, end, next, waiting);
                }
                Ok(true)
            })?;
        }
        Ok(())
    }

    fn step_together(&mut self, near: &[u32], counts: &mut StepSent) -> Result<(), Halt> {
        let senders = self.senders(near, counts);
        let Bucket { relax, near: next, waiting, scale, .. } = self;
        let improved = par_pieces(relax.view, &senders, |v, piece, improved: &mut Vec<u32>| {
            let value = relax.value(v);
            let send = |end, weight| {
                if let Some(message) = relax.view.message(value, weight, v, end)?
                    && relax.offer::<false>(end, message)
                {
                    improved.push(end);
                }
                Ok(true)
            };
            match piece {
                Some(piece) => relax.view.visit_piece(v, piece, send),
                None => relax.view.visit_sends(v, send),
            }
        })?;
        for v in improved {
            scale.place(relax, v, next, waiting);
        }
        Ok(())
    }

    /// Notes on all threads who sends: a hub that is cut into pieces notes its sending once, before the pieces.
    fn senders(&self, near: &[u32], counts: &mut StepSent) -> Vec<u32> {
        let relax = self.relax;
        let noted = map_ranges(near.len(), 512, |range| {
            let (mut senders, mut counts) = (Vec::new(), StepSent::default());
            for &v in &near[range] {
                let sending = self.sent.note::<P, false>(v, relax.values[v as usize].load(), &self.scale);
                counts.note(sending, || relax.view.sends.degree(v));
                if sending != Sending::No {
                    senders.push(v);
                }
            }
            (senders, counts)
        });
        let mut all = Vec::with_capacity(near.len());
        for (senders, part) in noted {
            all.extend(senders);
            counts.append(&part);
        }
        all
    }

    /// Lowers the bound if too much is sent again in this bucket, so that the nearest go first.
    fn lower_if_too_wide(&mut self) {
        if self.near.is_empty() || !self.pace.is_too_wide(self.near.len() + self.waiting.held()) {
            return;
        }
        if self.waiting.bound() == Scale::FARTHEST {
            self.start_again();
            self.scale.set_bound::<P, W>(self.waiting.bound());
            return;
        }
        let indices = self.near.iter().map(|&v| self.scale.index(self.relax, v));
        let bound = indices.min().unwrap_or(0).saturating_add(self.pace.span() - 1);
        if bound >= self.waiting.bound() {
            return;
        }
        let near = std::mem::take(&mut self.near);
        let held = self.waiting.lower(bound);
        self.scale.set_bound::<P, W>(bound);
        for v in near.into_iter().chain(held) {
            if self.must_send(v) {
                self.scale.place(self.relax, v, &mut self.near, &mut self.waiting);
            }
        }
    }
}

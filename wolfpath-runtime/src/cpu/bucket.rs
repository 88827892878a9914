//! Nearest values first: the frontier in place, limited by a bound that rises bucket by bucket (delta-stepping, after
//! Meyer and Sanders, 2003). Vertices that improve within the bound send soon. The others wait, so that few vertices
//! send values that are improved later. They wait in a radix heap, which examines each vertex only a few times, no
//! matter how many buckets there are. [`Pace`] sets the width of buckets from their cost so far, and lowers the bound
//! of a bucket that turns out too wide. The bound only affects speed: every order gives the same answer.

use wolfpath_core::program::{CombineKind, EdgeProgram};

use super::pace::{Pace, SenderTotals, Sending, StepSenders};
use super::pieces::{SERIAL_EDGES, par_pieces};
use super::relax::Relax;
use super::scale::Scale;
use super::tasks::map_ranges;
use super::view::Halt;
use super::waiting::Waiting;
use super::words::{Bits, Word, combine, fill};

/// Maximum number of entries in a list of vertices, per vertex of the graph. An entry is one occurrence of a vertex in
/// the list. It counts if the vertex still has to send and its current value belongs in that list. If a list is longer
/// than the maximum, at least half of its entries do not count, and these are dropped. The total time for this is
/// proportional to the number of entries created.
pub(super) const MOST_ENTRIES: usize = 2;

/// State of a run in buckets: the vertices within the bound, and the vertices that wait.
pub(crate) struct Bucket<'a, 'b, P: EdgeProgram, W: Word> {
    relax: &'b Relax<'a, P, W>,
    sent: SentValues<W>,
    /// Vertices that send in the next step. A vertex that was improved several times has several entries. It sends
    /// again at a later entry if it was improved since the previous one. Sending the improved value in the same step
    /// saves more work than the additional entries cost.
    near: Vec<u32>,
    /// Empty list that reuses the memory of the last step's `near`.
    spare: Vec<u32>,
    /// Bitmap that marks the vertices already seen while duplicates are removed from a list; all clear between calls.
    collected: Bits,
    waiting: Waiting,
    scale: Scale,
    pace: Pace,
    /// Number of times that the bound was raised.
    number: u64,
}

/// Values that vertices last sent.
struct SentValues<W: Word> {
    /// Word that each vertex last sent.
    words: Vec<W>,
    /// Bitmap of the vertices that sent a value whose word is the identity.
    nothing: Bits,
}

impl<W: Word> SentValues<W> {
    /// Returns `true` if the vertex has not sent its current value, whose word is `word`.
    #[inline]
    fn lacks(&self, v: u32, word: u64, identity: u64) -> bool {
        self.words[v as usize].load() != word || (word == identity && !self.nothing.get(v))
    }

    /// Records that a vertex sends the value with this word. This is repeated work ([`Sending::Again`]) if the vertex
    /// sent a worse value within the bound before. A worse value beyond the bound does not count: the bound was lowered
    /// after the vertex sent it.
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
        let mut bucket = Bucket {
            relax,
            sent: SentValues { words: fill(n, Self::NOTHING), nothing: Bits::new(n) },
            near: Vec::new(),
            spare: Vec::new(),
            collected: Bits::new(n),
            waiting: Waiting::new(),
            scale: Scale::new(relax, &frontier)?,
            pace: Pace::new(n, relax.view.sends.edges_of(&frontier)),
            number: 0,
        };
        bucket.measure_from_nearest(frontier);
        Ok(bucket)
    }

    /// Returns the number of entries in the list of vertices that may send in the next step.
    pub(crate) fn near(&self) -> usize {
        self.near.len()
    }

    /// Returns the number of this bucket, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns all vertices that still have to send, within the bound or beyond it, in ascending order.
    pub(crate) fn pending(mut self) -> Vec<u32> {
        let mut pending = self.take_pending();
        pending.sort_unstable();
        pending
    }

    /// Removes all vertices that still have to send, within the bound or beyond it, and returns them without
    /// duplicates.
    fn take_pending(&mut self) -> Vec<u32> {
        let mut pending = std::mem::take(&mut self.near);
        pending.append(&mut self.waiting.restart());
        self.keep_pending(&mut pending);
        pending
    }

    /// Keeps only the vertices that still have to send, without duplicates.
    fn keep_pending(&mut self, vertices: &mut Vec<u32>) {
        let Bucket { sent, relax, collected, .. } = self;
        vertices.retain(|&v| {
            sent.lacks(v, relax.values[v as usize].load(), Self::NOTHING) && collected.set_alone(v)
        });
        vertices.iter().for_each(|&v| collected.clear_alone(v));
    }

    /// Measures distances from the nearest of these vertices from now on. All of these vertices become waiting
    /// vertices.
    fn measure_from_nearest(&mut self, vertices: Vec<u32>) {
        self.scale.measure_from_nearest(self.relax, &vertices);
        for v in vertices {
            self.waiting.push(v, self.scale.index(self.relax, v));
        }
    }

    /// Advances to the next bucket, which starts at the nearest waiting vertex. Returns the number of entries examined,
    /// or `None` if no vertex waits.
    pub(crate) fn advance(&mut self) -> Option<u64> {
        self.pace.next_bucket();
        let mut examined = self.raise();
        if self.waiting.bound() == Scale::FARTHEST && !self.pace.is_unbounded() {
            // All vertices this far from the base have the same index. Moving the base to the nearest vertex makes them
            // distinguishable.
            examined += self.start_again();
        }
        self.scale.set_bound::<P, W>(self.waiting.bound());
        self.pace.count_examined(examined);
        self.number += 1;
        (!self.near.is_empty()).then_some(examined)
    }

    /// Measures distances from the nearest vertex that has to send from now on, and raises the bound. Returns the
    /// number of entries examined.
    fn start_again(&mut self) -> u64 {
        let pending = self.take_pending();
        self.measure_from_nearest(pending);
        self.raise()
    }

    /// Raises the bound until a vertex has to send or no vertex waits. Returns the number of entries examined.
    fn raise(&mut self) -> u64 {
        let mut examined = 0;
        while self.near.is_empty() && self.waiting.entries() > 0 {
            let mut near = std::mem::take(&mut self.near);
            let Bucket { relax, scale, waiting, pace, .. } = self;
            examined += waiting.raise(pace.span(), &mut near, |v| scale.index(relax, v));
            self.keep_pending(&mut near);
            self.near = near;
        }
        examined
    }

    /// Takes one step, in which the vertices within the bound send. Returns the number of edges visited.
    pub(crate) fn step(&mut self) -> Result<u64, Halt> {
        let near = std::mem::replace(&mut self.near, std::mem::take(&mut self.spare));
        let edges = self.relax.view.sends.edges_of(&near);
        let mut counts = StepSenders {
            near: SenderTotals { vertices: near.len() as u64, edges },
            ..StepSenders::default()
        };
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

    fn step_alone(&mut self, near: &[u32], counts: &mut StepSenders) -> Result<(), Halt> {
        let most_again = self.relax.view.sends.edges().max(SERIAL_EDGES);
        for (at, &v) in near.iter().enumerate() {
            if counts.again.edges > most_again {
                // A hub (a vertex with many edges) that is improved between its entries would send at each of them.
                // Move the remaining vertices to the next step, with one entry each.
                let mut rest = near[at..].to_vec();
                rest.append(&mut self.near);
                self.keep_pending(&mut rest);
                self.near = rest;
                near[at..].iter().for_each(|&v| counts.note(Sending::No, || self.relax.view.sends.degree(v)));
                break;
            }
            let Bucket { relax, sent, near: next, waiting, scale, .. } = self;
            let sending = sent.note::<P, true>(v, relax.values[v as usize].load(), scale);
            counts.note(sending, || relax.view.sends.degree(v));
            if sending == Sending::No {
                continue;
            }
            let value = relax.value(v);
            relax.view.visit_sends(v, |end, weight| {
                if let Some(message) = relax.view.message(value, weight, v, end)?
                    && relax.offer::<true>(end, message)
                    && scale.is_near(relax, end, waiting)
                {
                    next.push(end);
                }
                Ok(true)
            })?;
            self.drop_old_entries();
        }
        Ok(())
    }

    fn step_together(&mut self, near: &[u32], counts: &mut StepSenders) -> Result<(), Halt> {
        let senders = self.senders(near, counts);
        let Bucket { relax, collected, .. } = &*self;
        let improved = par_pieces(relax.view, &senders, |v, piece, improved: &mut Vec<u32>| {
            let value = relax.value(v);
            let send = |end, weight| {
                if let Some(message) = relax.view.message(value, weight, v, end)?
                    && relax.offer::<false>(end, message)
                    && !collected.get(end)
                    && collected.set(end)
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
        improved.iter().for_each(|&v| self.collected.clear_alone(v));
        self.place(improved);
        self.drop_old_entries();
        Ok(())
    }

    /// Records and returns all senders, working on all threads. A hub that is cut into pieces is recorded once, before
    /// its pieces send.
    fn senders(&self, near: &[u32], counts: &mut StepSenders) -> Vec<u32> {
        let relax = self.relax;
        let noted = map_ranges(near.len(), 512, |range| {
            let (mut senders, mut counts) = (Vec::new(), StepSenders::default());
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

    /// Adds each of these vertices to this bucket or to the waiting vertices.
    fn place(&mut self, vertices: Vec<u32>) {
        let Bucket { relax, near, waiting, scale, .. } = self;
        near.extend(vertices.into_iter().filter(|&v| scale.is_near(relax, v, waiting)));
    }

    /// Drops entries that no longer count, from lists in which at least half of the entries are of this kind.
    fn drop_old_entries(&mut self) {
        let most = MOST_ENTRIES * self.relax.view.num_vertices() as usize;
        if self.near.len() > most {
            let mut near = std::mem::take(&mut self.near);
            self.keep_pending(&mut near);
            self.near = near;
        }
        if self.waiting.entries() > most {
            let mut waiting = self.waiting.take();
            self.keep_pending(&mut waiting);
            self.place(waiting);
            debug_assert!(self.waiting.entries() <= most / MOST_ENTRIES, "one entry per vertex is left");
        }
    }

    /// Lowers the bound if this bucket repeats too much work, so that the nearest vertices send first.
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
        let mut placed = std::mem::take(&mut self.near);
        placed.append(&mut self.waiting.lower(bound));
        self.keep_pending(&mut placed);
        self.scale.set_bound::<P, W>(bound);
        self.place(placed);
    }
}

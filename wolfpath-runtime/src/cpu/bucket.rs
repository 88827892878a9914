//! Nearest first: the frontier in place, cut by a bound that rises in steps of a width (near-far, after
//! Davidson et al., "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", 2014, itself a form of
//! Meyer and Sanders' delta-stepping). What improves within the bound sends soon; the rest waits, so that few
//! vertices send values that are improved later. The bound is a matter of speed only: every order gives the same answer.

use wolfpath_core::program::{CombineKind, Datum, EdgeProgram};

use super::relax::{Relax, SERIAL_EDGES, par_pieces};
use super::tasks::map_ranges;
use super::view::{Halt, View};
use super::words::{Bits, Word, combine, fill, from_word, to_word};
use crate::numbers::{from_f64, to_f64};

/// Widths are this many times the mean difference that an edge makes.
const WIDTH_FACTOR: f64 = 4.0;

/// Vertices whose edges are looked at to find the width.
const SAMPLES: u32 = 512;

/// A run nearest first: who sends within the bound, and who waits.
pub(crate) struct Bucket<'a, 'b, P: EdgeProgram, W: Word> {
    relax: &'b Relax<'a, P, W>,
    /// The word with which a vertex last sent.
    sent: Vec<W>,
    /// Set for vertices that sent a value whose word is the identity.
    sent_nothing: Bits,
    near: Vec<u32>,
    far: Vec<u32>,
    bound: u64,
    width: f64,
    /// How often the bound was raised.
    number: u64,
}

impl<'a, 'b, P: EdgeProgram, W: Word> Bucket<'a, 'b, P, W> {
    pub(crate) fn new(relax: &'b Relax<'a, P, W>, frontier: Vec<u32>) -> Result<Self, Halt> {
        let n = relax.view.num_vertices();
        let sent = fill(n, Relax::<P, W>::NOTHING);
        let width = width(relax, &frontier)?;
        let bound = Relax::<P, W>::NOTHING;
        let (sent_nothing, near, far) = (Bits::new(n), Vec::new(), frontier);
        Ok(Bucket { relax, sent, sent_nothing, near, far, bound, width, number: 0 })
    }

    /// Who sends next: at least as many as have to.
    pub(crate) fn near(&self) -> usize {
        self.near.len()
    }

    /// Who waits beyond the bound: at least as many as have to.
    pub(crate) fn far(&self) -> usize {
        self.far.len()
    }

    /// The number of this bucket, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Everybody who still has to send, near or far, each once.
    pub(crate) fn pending(self) -> Vec<u32> {
        let mut pending: Vec<u32> = [self.near.as_slice(), &self.far].concat();
        pending.sort_unstable();
        pending.dedup();
        pending.retain(|&v| self.must_send(v));
        pending
    }

    /// Whether a vertex's value is not the one that it last sent.
    fn must_send(&self, v: u32) -> bool {
        let word = self.relax.values[v as usize].load();
        self.sent[v as usize].load() != word || (word == Relax::<P, W>::NOTHING && !self.sent_nothing.get(v))
    }

    /// Notes that a vertex sends what it holds; false when it has done so before.
    #[inline]
    fn note_sending<const ALONE: bool>(&self, v: u32) -> bool {
        let word = self.relax.values[v as usize].load();
        let before = combine(CombineKind::Any, &self.sent[v as usize], word, ALONE);
        before != word || (word == Relax::<P, W>::NOTHING && self.sent_nothing.set(v))
    }

    #[inline]
    fn is_near(&self, word: u64) -> bool {
        match Relax::<P, W>::KIND {
            CombineKind::Max => word >= self.bound,
            _ => word <= self.bound,
        }
    }

    /// Raises the bound to a width past the nearest of those who wait, and splits them. Whether there is anybody.
    pub(crate) fn advance(&mut self) -> bool {
        let waiting = std::mem::take(&mut self.far);
        let words =
            waiting.iter().filter(|&&v| self.must_send(v)).map(|&v| self.relax.values[v as usize].load());
        let nearest = match Relax::<P, W>::KIND {
            CombineKind::Max => words.max(),
            _ => words.min(),
        };
        let Some(nearest) = nearest else {
            return false;
        };
        self.number += 1;
        self.bound = self.bound_after(nearest);
        for v in waiting {
            if self.must_send(v) {
                let is_near = self.is_near(self.relax.values[v as usize].load());
                if is_near { self.near.push(v) } else { self.far.push(v) }
            }
        }
        true
    }

    /// The word that lies a width past `nearest`.
    fn bound_after(&self, nearest: u64) -> u64 {
        let value = from_word::<P::Value>(Relax::<P, W>::KIND, nearest);
        let sign = if Relax::<P, W>::KIND == CombineKind::Max { -1.0 } else { 1.0 };
        let bound =
            to_word(Relax::<P, W>::KIND, W::MAX, from_f64::<P::Value>(to_f64(value) + sign * self.width));
        // Rounding must not leave the nearest itself out.
        if Relax::<P, W>::KIND == CombineKind::Max { bound.min(nearest) } else { bound.max(nearest) }
    }

    /// One step: everybody within the bound sends once. Gives the edges looked at.
    pub(crate) fn step(&mut self) -> Result<u64, Halt> {
        let senders = std::mem::take(&mut self.near);
        let edges = self.relax.view.sends.edges_of(&senders);
        if edges < SERIAL_EDGES || rayon::current_num_threads() == 1 {
            self.step_alone(&senders)?;
        } else {
            self.step_together(&senders)?;
        }
        Ok(edges)
    }

    fn step_alone(&mut self, senders: &[u32]) -> Result<(), Halt> {
        let (mut near, mut far) = (std::mem::take(&mut self.near), std::mem::take(&mut self.far));
        for &v in senders {
            if !self.note_sending::<true>(v) {
                continue;
            }
            let value = self.relax.value(v);
            self.relax.view.visit_sends(v, |end, weight| {
                if let Some(message) = self.relax.view.message(value, weight, v, end)?
                    && self.relax.offer::<true>(end, message)
                {
                    let is_near = self.is_near(self.relax.values[end as usize].load());
                    if is_near { near.push(end) } else { far.push(end) }
                }
                Ok(true)
            })?;
        }
        (self.near, self.far) = (near, far);
        Ok(())
    }

    fn step_together(&mut self, senders: &[u32]) -> Result<(), Halt> {
        // A hub in pieces notes its sending once, before the pieces.
        let noted = map_ranges(senders.len(), 512, |range| {
            senders[range].iter().copied().filter(|&v| self.note_sending::<false>(v)).collect::<Vec<_>>()
        });
        let senders = noted.concat();
        let improved = par_pieces(self.relax.view, &senders, |v, piece, improved: &mut Vec<u32>| {
            let value = self.relax.value(v);
            let send = |end, weight| {
                if let Some(message) = self.relax.view.message(value, weight, v, end)?
                    && self.relax.offer::<false>(end, message)
                {
                    improved.push(end);
                }
                Ok(true)
            };
            match piece {
                Some(piece) => self.relax.view.visit_piece(v, piece, send),
                None => self.relax.view.visit_sends(v, send),
            }
        })?;
        for v in improved {
            let is_near = self.is_near(self.relax.values[v as usize].load());
            if is_near { self.near.push(v) } else { self.far.push(v) }
        }
        Ok(())
    }
}

/// The width of a bucket: a few times what an edge adds to a value, by a sample of edges. Where that is no positive
/// number, everything is near.
fn width<P: EdgeProgram, W: Word>(relax: &Relax<'_, P, W>, frontier: &[u32]) -> Result<f64, Halt> {
    let view = relax.view;
    let Some(first) = frontier.first().map(|&v| relax.value(v)) else {
        return Ok(f64::INFINITY);
    };
    let (mut sum, mut count, mut held) = (0.0, 0.0, first);
    let stride = (view.num_vertices() / SAMPLES).max(1) as usize;
    for v in (0..view.num_vertices()).step_by(stride) {
        if let Some(message) = first_message(view, v, held)? {
            let next = P::Value::from_bits(message.to_bits());
            let difference = (to_f64(next) - to_f64(held)).abs();
            let is_start = held.same(first);
            if !is_start && difference.is_finite() {
                sum += difference;
                count += 1.0;
            }
            // Two edges after one another show what an edge adds also where the first value is infinite.
            held = if is_start { next } else { first };
        }
    }
    let mean = sum / count;
    Ok(if mean > 0.0 { mean * WIDTH_FACTOR } else { f64::INFINITY })
}

/// The message over the first edge of `v`, did it hold `value`. A fault here is left for the run itself to meet.
fn first_message<P: EdgeProgram>(
    view: &View<'_, P>,
    v: u32,
    value: P::Value,
) -> Result<Option<P::Message>, Halt> {
    let mut first = None;
    view.visit_sends(v, |end, weight| {
        first = view.message(value, weight, v, end).unwrap_or(None);
        Ok(false)
    })?;
    Ok(first)
}

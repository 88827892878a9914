//! Nearest first: the frontier in place, cut by a bound that rises in steps of a width (near-far, after
//! Davidson et al., "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", 2014, itself a form of
//! Meyer and Sanders' delta-stepping). What improves within the bound sends soon; the rest waits, so that few
//! vertices send values that are improved later. The bound is a matter of speed only: every order gives the same answer.

use wolfpath_core::program::{CombineKind, Datum, EdgeProgram};

use super::pace::{EdgesSent, Pace, Sending};
use super::relax::{Relax, SERIAL_EDGES, par_pieces};
use super::tasks::map_ranges;
use super::view::{Halt, View};
use super::waiting::Waiting;
use super::words::{Bits, Word, combine, fill, from_word};
use crate::numbers::to_f64;

/// Widths are this many times the mean difference that an edge makes.
const WIDTH_FACTOR: f64 = 4.0;

/// Up to this mean degree the width is not narrowed.
const ROAD_DEGREE: f64 = 4.0;

/// Vertices whose edges are looked at to find the width.
const SAMPLES: u32 = 512;

/// A run nearest first: who sends within the bound, and who waits.
pub(crate) struct Bucket<'a, 'b, P: EdgeProgram, W: Word> {
    relax: &'b Relax<'a, P, W>,
    sent: Sent<W>,
    near: Vec<u32>,
    waiting: Waiting,
    scale: Scale,
    pace: Pace,
    /// How often the bound was raised.
    number: u64,
}

/// The values that vertices last sent.
struct Sent<W: Word> {
    /// The word with which a vertex last sent.
    words: Vec<W>,
    /// Set for vertices that sent a value whose word is the identity.
    nothing: Bits,
}

impl<W: Word> Sent<W> {
    /// Returns `true` if the vertex has not sent the value that it holds, which has this word.
    fn lacks(&self, v: u32, word: u64, identity: u64) -> bool {
        self.words[v as usize].load() != word || (word == identity && !self.nothing.get(v))
    }

    /// Notes that a vertex sends the value that has this word.
    #[inline]
    fn note<const ALONE: bool>(&self, v: u32, word: u64, identity: u64) -> Sending {
        let before = combine(CombineKind::Any, &self.words[v as usize], word, ALONE);
        if before != word {
            if before == identity { Sending::First } else { Sending::Again }
        } else if word == identity && self.nothing.set(v) {
            Sending::First
        } else {
            Sending::No
        }
    }
}

impl<'a, 'b, P: EdgeProgram, W: Word> Bucket<'a, 'b, P, W> {
    const KIND: CombineKind = Relax::<'a, P, W>::KIND;
    const NOTHING: u64 = Relax::<'a, P, W>::NOTHING;

    pub(crate) fn new(relax: &'b Relax<'a, P, W>, frontier: Vec<u32>) -> Result<Self, Halt> {
        let n = relax.view.num_vertices();
        let sent = Sent { words: fill(n, Self::NOTHING), nothing: Bits::new(n) };
        let degree = relax.view.mean_degree();
        let width = width(relax, &frontier)? * (ROAD_DEGREE / degree).min(1.0);
        let scale = Scale { base: 0.0, per_unit: Pace::PER_WIDTH as f64 / width };
        let (near, waiting, pace) = (Vec::new(), Waiting::new(), Pace::new());
        let mut bucket = Bucket { relax, sent, near, waiting, scale, pace, number: 0 };
        bucket.measure_from_nearest(frontier);
        Ok(bucket)
    }

    /// Who sends next: at least as many as have to.
    pub(crate) fn near(&self) -> usize {
        self.near.len()
    }

    /// The number of this bucket, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Everybody who still has to send, near or far, each once.
    pub(crate) fn pending(mut self) -> Vec<u32> {
        let mut pending = [std::mem::take(&mut self.near), self.waiting.restart()].concat();
        pending.sort_unstable();
        pending.dedup();
        pending.retain(|&v| self.must_send(v));
        pending
    }

    fn word(&self, v: u32) -> u64 {
        self.relax.values[v as usize].load()
    }

    /// Whether a vertex's value is not the one that it last sent.
    fn must_send(&self, v: u32) -> bool {
        self.sent.lacks(v, self.word(v), Self::NOTHING)
    }

    /// Measures from the nearest of these vertices on. All of them wait from now on.
    fn measure_from_nearest(&mut self, vertices: Vec<u32>) {
        let words = vertices.iter().map(|&v| self.word(v));
        let nearest = if Self::KIND == CombineKind::Max { words.max() } else { words.min() };
        let Some(nearest) = nearest else { return };
        self.scale.base = to_f64(from_word::<P::Value>(Self::KIND, nearest));
        for v in vertices {
            self.waiting.push(v, self.scale.index(self.relax, v));
        }
    }

    /// Goes on to the next bucket, from the nearest of those who wait. Gives how many of them were looked at, or `None`
    /// where nobody has to send any more.
    pub(crate) fn advance(&mut self) -> Option<u64> {
        self.pace.next_bucket();
        let mut examined = self.waiting.raise(self.pace.span(), &mut self.near);
        if self.waiting.bound() == u64::MAX && !self.near.is_empty() {
            let all = std::mem::take(&mut self.near);
            self.waiting.restart();
            self.measure_from_nearest(all);
            examined += self.waiting.raise(self.pace.span(), &mut self.near);
        }
        self.pace.count_examined(examined);
        self.number += 1;
        (!self.near.is_empty()).then_some(examined)
    }

    /// Lowers the bound where this bucket repeats too much.
    fn retreat(&mut self) {
        if self.near.is_empty() || !self.pace.is_too_wide(self.near.len() + self.waiting.held()) {
            return;
        }
        let near = std::mem::take(&mut self.near);
        let index_of = |v: &u32| self.scale.index(self.relax, *v);
        let nearest = near.iter().map(index_of).min().unwrap_or(0);
        let bound = nearest.saturating_add(self.pace.span() - 1);
        if bound >= self.waiting.bound() {
            self.near = near;
            return;
        }
        let held = self.waiting.lower(bound);
        for v in near.into_iter().chain(held) {
            if self.must_send(v) {
                self.scale.place(self.relax, v, &mut self.near, &mut self.waiting);
            }
        }
    }

    /// One step: everybody within the bound sends once. Gives the edges looked at.
    pub(crate) fn step(&mut self) -> Result<u64, Halt> {
        let near = std::mem::take(&mut self.near);
        let alone = self.relax.view.sends.edges_of(&near) < SERIAL_EDGES || rayon::current_num_threads() == 1;
        let sent = if alone { self.step_alone(&near)? } else { self.step_together(&near)? };
        self.pace.count(sent, alone);
        self.retreat();
        Ok(sent.first + sent.again)
    }

    fn step_alone(&mut self, near: &[u32]) -> Result<EdgesSent, Halt> {
        let Bucket { relax, sent, near: next, waiting, scale, .. } = self;
        let mut edges = EdgesSent::default();
        for &v in near {
            let sending = sent.note::<true>(v, relax.values[v as usize].load(), Self::NOTHING);
            if sending == Sending::No {
                continue;
            }
            edges.add(sending, relax.view.sends.degree(v));
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
        Ok(edges)
    }

    fn step_together(&mut self, near: &[u32]) -> Result<EdgesSent, Halt> {
        let Bucket { relax, sent, near: next, waiting, scale, .. } = self;
        // A hub in pieces notes its sending once, before the pieces.
        let noted = map_ranges(near.len(), 512, |range| {
            let (mut senders, mut edges) = (Vec::new(), EdgesSent::default());
            for &v in &near[range] {
                let sending = sent.note::<false>(v, relax.values[v as usize].load(), Self::NOTHING);
                if sending != Sending::No {
                    senders.push(v);
                    edges.add(sending, relax.view.sends.degree(v));
                }
            }
            (senders, edges)
        });
        let (mut senders, mut edges) = (Vec::with_capacity(near.len()), EdgesSent::default());
        for (some, of_them) in noted {
            senders.extend(some);
            edges.first += of_them.first;
            edges.again += of_them.again;
        }
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
        Ok(edges)
    }
}

/// How values become indices: how far they lie from `base`, in units of which a mean width has
/// [`PER_WIDTH`](Pace::PER_WIDTH).
struct Scale {
    base: f64,
    per_unit: f64,
}

impl Scale {
    /// Returns a vertex's index, at least 1. Values that no number of units tells apart from the base have the first.
    #[inline]
    fn index<P: EdgeProgram, W: Word>(&self, relax: &Relax<'_, P, W>, v: u32) -> u64 {
        let value = to_f64(relax.value(v));
        let distance =
            if Relax::<P, W>::KIND == CombineKind::Max { self.base - value } else { value - self.base };
        ((distance * self.per_unit) as u64).saturating_add(1)
    }

    /// Lets a vertex that was improved send in this bucket, or wait.
    #[inline]
    fn place<P: EdgeProgram, W: Word>(
        &self,
        relax: &Relax<'_, P, W>,
        v: u32,
        near: &mut Vec<u32>,
        waiting: &mut Waiting,
    ) {
        let index = self.index(relax, v);
        if index <= waiting.bound() { near.push(v) } else { waiting.push(v, index) }
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

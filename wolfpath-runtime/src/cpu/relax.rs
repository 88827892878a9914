//! The frontier in place: a message is combined directly into the receiver's value, and the task that improves a value
//! adds the receiver to the next frontier. For programs whose values may be seen early. There are no locks: values are
//! atomic words, and every worker collects its own part of the next frontier.
//!
//! A step pushes along the edges of the frontier, or every vertex that a message can still change gathers over its own
//! edges, whichever looks at fewer edges (Beamer, Asanović and Patterson, "Direction-Optimizing Breadth-First Search",
//! 2012).

use std::sync::atomic::AtomicU32;

use wolfpath_core::program::{CombineKind, Combiner, Datum, DatumKind, EdgeProgram};

use super::frontier::{Found, Frontier, Part};
use super::halt::Halt;
use super::outcome::Values;
use super::rounds::Amounts;
use super::turn::Turn;
use super::view::View;
use super::words::{Bits, Word, best, combine, fill, from_word, identity, improves, is_dropped, to_word};
use crate::start::Sources;

/// Values of a run in place.
pub(crate) struct Relax<'a, P: EdgeProgram, W: Word> {
    pub(crate) view: &'a View<'a, P>,
    pub(crate) values: Vec<W>,
    /// Bitmap of the vertices that have a value although its word is the identity. Without this bit, a
    /// vertex whose word is the identity has no value.
    present: Bits,
    /// Step in which each vertex was last added to a frontier; empty if no vertex can be added twice in a step, or if
    /// nothing is added.
    marks: Vec<AtomicU32>,
    /// `true` if all messages of a step are equal, so that the first value of a vertex is final.
    uniform: bool,
}

impl<'a, P: EdgeProgram, W: Word> Relax<'a, P, W> {
    pub(crate) const KIND: CombineKind = <P::Combine as Combiner<P::Message>>::KIND;
    pub(crate) const NOTHING: u64 = identity(Self::KIND, W::MAX);
    const BEST: Option<u64> = best(Self::KIND, P::Value::KIND, W::MAX);

    /// Returns the first values, and the vertices that have a value. `uniform` must be `true` only if all messages of a
    /// step are equal.
    pub(crate) fn start(
        view: &'a View<'a, P>,
        sources: &Sources<P::Value>,
        uniform: bool,
    ) -> Result<(Self, Vec<u32>), Halt> {
        let n = view.num_vertices();
        let values = fill(n, Self::NOTHING);
        let relax = Relax { view, values, present: Bits::new(n), marks: Vec::new(), uniform };
        let frontier = view.first_values(sources, |v, value| relax.set(v, value))?;
        Ok((relax, frontier))
    }

    /// Prepares for steps, which add vertices to frontiers.
    pub(crate) fn prepare_steps(&mut self) {
        if !self.uniform {
            self.marks = fill(self.view.num_vertices(), 0);
        }
    }

    fn set(&self, v: u32, value: P::Value) {
        let word = to_word(Self::KIND, W::MAX, value);
        self.values[v as usize].store(word);
        if word == Self::NOTHING {
            self.present.set(v);
        }
    }

    #[inline]
    pub(crate) fn value(&self, v: u32) -> P::Value {
        from_word(Self::KIND, self.values[v as usize].load())
    }

    /// Returns the value of a vertex whose flag was lowered before: if another thread found the flag raised, the value
    /// that it wrote before (see [`Flags`](super::words::Flags)).
    #[inline]
    pub(crate) fn latest_value(&self, v: u32) -> P::Value {
        from_word(Self::KIND, self.values[v as usize].load_latest())
    }

    /// Combines a message into the receiver's value. Returns `true` if the value improved.
    #[inline(always)]
    pub(crate) fn offer<const ALONE: bool>(&self, receiver: u32, message: P::Message) -> bool {
        self.improve::<ALONE>(receiver, message).is_some()
    }

    /// Combines a message into the receiver's value. Returns the words of the value before and of the message if the
    /// value improved.
    #[inline(always)]
    pub(crate) fn improve<const ALONE: bool>(
        &self,
        receiver: u32,
        message: P::Message,
    ) -> Option<(u64, u64)> {
        if is_dropped(Self::KIND, message) {
            return None;
        }
        let word = to_word(Self::KIND, W::MAX, message);
        let held = &self.values[receiver as usize];
        if improves(Self::KIND, word, held.load()) {
            let before = combine(Self::KIND, held, word, ALONE);
            return improves(Self::KIND, word, before).then_some((before, word));
        }
        // A message whose word is the identity improves no word, but it may be the receiver's first value. If the
        // receiver's word is still the identity, no better value has arrived.
        let is_first = word == Self::NOTHING && held.load() == Self::NOTHING && self.present.set(receiver);
        is_first.then_some((word, word))
    }

    /// Claims the receiver for the frontier after `step`. Returns `true` only once per vertex and step.
    #[inline]
    fn claim<const ALONE: bool>(&self, receiver: u32, step: u32) -> bool {
        let Some(mark) = self.marks.get(receiver as usize) else {
            return true;
        };
        if Word::load(mark) == u64::from(step) {
            return false;
        }
        combine(CombineKind::Any, mark, u64::from(step), ALONE) != u64::from(step)
    }

    /// Returns `true` if no message can change the vertex's value any more.
    #[inline]
    fn is_settled(&self, v: u32) -> bool {
        if self.uniform { self.is_present(v) } else { Some(self.values[v as usize].load()) == Self::BEST }
    }

    /// Adds an improved vertex to the next frontier.
    #[inline]
    fn join(&self, v: u32, found: &mut Found) {
        found.add(v);
        if !self.uniform && self.is_settled(v) {
            found.settle(self.view.sends.degree(v));
        }
    }

    /// Sends along the edges of a part of the frontier.
    fn send<const ALONE: bool>(
        &self,
        part: Part<'_>,
        hub_edges: u64,
        found: &mut Found,
        step: u32,
    ) -> Result<(), Halt> {
        let begin = |v, _: &mut Found| Some(self.value(v));
        self.view.visit_part(part, hub_edges, found, begin, |sender, value, end, weight, found| {
            let message = self.view.message(value, weight, sender, end)?;
            if let Some(message) = message
                && self.offer::<ALONE>(end, message)
            {
                found.updates += 1;
                if self.claim::<ALONE>(end, step) {
                    self.join(end, found);
                }
            }
            Ok(())
        })
    }

    /// Gathers the messages of the senders that are marked in `frontier`, until none can change the vertex any more.
    /// Returns `true` if its value improved. No other task may write the value at the same time.
    fn gather(&self, v: u32, frontier: &Bits, found: &mut Found) -> Result<bool, Halt> {
        if self.is_settled(v) {
            return Ok(false);
        }
        let (mut improved, mut visited) = (false, 0);
        self.view.visit_gathers(v, |sender, weight| {
            visited += 1;
            if !frontier.get(sender) {
                return Ok(true);
            }
            if let Some(message) = self.view.message(self.value(sender), weight, sender, v)?
                && self.offer::<true>(v, message)
            {
                improved = true;
                found.updates += 1;
            }
            Ok(!(improved && self.is_settled(v)))
        })?;
        found.visited += visited;
        if !self.uniform && improved && self.is_settled(v) {
            found.settle(self.view.sends.degree(v));
        }
        Ok(improved)
    }

    /// Takes one step, in which every vertex of the frontier sends, and replaces the frontier with the next one.
    /// Returns the number of edges visited.
    pub(crate) fn step(&self, frontier: &mut Frontier, turn: &Turn, step: u32) -> Result<u64, Halt> {
        let sends = self.view.sends;
        let gathers = turn.gathers(frontier);
        let edges = if gathers {
            frontier.gather(turn.receivers(), sends, |v, marks, found| self.gather(v, marks, found))?
        } else {
            if frontier.is_thin() {
                frontier.push(sends, &|part, hub, found| self.send::<true>(part, hub, found, step))?;
            } else {
                frontier.push(sends, &|part, hub, found| self.send::<false>(part, hub, found, step))?;
            }
            frontier.size().edges
        };
        frontier.advance(sends, gathers);
        if self.uniform {
            frontier.settle();
        }
        Ok(edges)
    }

    /// Returns the rule by which this run's steps push or gather. `allowed` is `false` if every step must push.
    pub(crate) fn turn(&self, allowed: bool) -> Turn {
        let first_settles = self.uniform || P::Value::KIND == DatumKind::Bool;
        let is_limited = self.uniform || matches!(Self::KIND, CombineKind::Or | CombineKind::And);
        Turn::new(allowed && is_limited, first_settles, self.view.sends, || self.view.end_of_receivers())
    }

    pub(super) fn is_present(&self, v: u32) -> bool {
        self.values[v as usize].load() != Self::NOTHING || self.present.get(v)
    }

    /// Returns the number of vertices that have a value.
    pub(crate) fn present(&self) -> u64 {
        (0..self.view.num_vertices()).filter(|&v| self.is_present(v)).count() as u64
    }

    /// Returns the values of the run.
    pub(crate) fn finish(self) -> Values<P::Value> {
        Values::collect(self.view.num_vertices(), |v| self.is_present(v).then(|| self.value(v)))
    }
}

/// The amounts of rounds are the values themselves: a vertex that was improved waits, and sends its value.
impl<P: EdgeProgram, W: Word> Amounts<P> for Relax<'_, P, W> {
    /// Values that are better than the mean of those that wait are less likely to be improved before they are sent. Adding up
    /// fewer than 2^32 words of the same sign is wrong by less than this share, so at least one vertex is due despite rounding.
    /// (The words of signed integers are offset by half of their range, and this share of the mean exceeds small differences. Then
    /// all vertices are due.)
    const SLACK: Option<f64> = match (Self::KIND, P::Value::KIND) {
        (_, DatumKind::Bool) => None,
        (CombineKind::Min | CombineKind::Max, _) => Some(1e-6),
        _ => None,
    };
    const TAKING_UPDATES: bool = false;

    #[inline(always)]
    fn urgency(&self, v: u32) -> f64 {
        // Not `MAX - word`: the slack, a share of so large a number, would cover all differences between small words.
        let word = self.values[v as usize].load() as f64;
        if matches!(Self::KIND, CombineKind::Min) { -word } else { word }
    }

    #[inline(always)]
    fn size(_: P::Value) -> f64 {
        0.0
    }

    #[inline(always)]
    fn take<const ALONE: bool>(&self, v: u32) -> Option<P::Value> {
        Some(self.latest_value(v))
    }

    #[inline(always)]
    fn offer<const ALONE: bool>(&self, receiver: u32, message: P::Message) -> bool {
        Relax::offer::<ALONE>(self, receiver, message)
    }
}

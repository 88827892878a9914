//! The frontier step by step: messages are combined separately from the values, then applied to every vertex that
//! received any. For programs whose messages can be combined by atomics, and whose values must not be seen early. A
//! step pushes or gathers, like one in place.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use wolfpath_core::program::{CombineKind, Combiner, Datum, DatumKind, EdgeProgram};

use super::frontier::{Found, Frontier, Part};
use super::halt::Halt;
use super::stepwise::{StepContext, Stepwise};
use super::turn::Turn;
use super::view::View;
use super::words::{Bits, Word, best, combine, fill, from_word, identity, improves, is_dropped, to_word};

/// Step in which each vertex was last claimed, so that it is added to a list only once per step.
pub(crate) struct StepMarks(Vec<AtomicU32>);

impl StepMarks {
    pub(crate) fn new(vertices: u32) -> StepMarks {
        StepMarks(fill(vertices, 0))
    }

    /// Claims the vertex for this step. Returns `true` only for the first call per vertex and step.
    #[inline]
    pub(crate) fn claim(&self, v: u32, step: u32) -> bool {
        let mark = &self.0[v as usize];
        mark.load(Relaxed) != step && mark.swap(step, Relaxed) != step
    }

    /// Like [`claim`](Self::claim), while no other thread claims vertices.
    #[inline]
    pub(crate) fn claim_alone(&self, v: u32, step: u32) -> bool {
        let mark = &self.0[v as usize];
        if mark.load(Relaxed) == step {
            return false;
        }
        mark.store(step, Relaxed);
        true
    }

    /// Returns `true` if the vertex was claimed in this step.
    #[inline]
    pub(crate) fn is_claimed(&self, v: u32, step: u32) -> bool {
        self.0[v as usize].load(Relaxed) == step
    }
}

/// Combined messages of every vertex in the current step.
pub(crate) struct Inbox<W: Word> {
    words: Vec<W>,
    marks: StepMarks,
    /// `true` if the first message that a vertex receives is its last: all messages of a step are equal, or any one of
    /// them suffices.
    first_settles: bool,
}

/// How the program combines messages.
const fn kind_of<P: EdgeProgram>() -> CombineKind {
    <P::Combine as Combiner<P::Message>>::KIND
}

impl<W: Word> Inbox<W> {
    /// Returns an inbox for `vertices` vertices. `uniform` must be `true` only if all messages of a step are equal.
    pub(crate) fn new<P: EdgeProgram>(vertices: u32, uniform: bool) -> Inbox<W> {
        let nothing = identity(kind_of::<P>(), W::MAX);
        let first_settles = uniform || kind_of::<P>() == CombineKind::Any;
        Inbox { words: fill(vertices, nothing), marks: StepMarks::new(vertices), first_settles }
    }

    /// Combines a message into the receiver's inbox. Returns `true` for the receiver's first message in a step.
    #[inline(always)]
    fn deliver<P: EdgeProgram, const ALONE: bool>(
        &self,
        receiver: u32,
        message: P::Message,
        step: u32,
    ) -> bool {
        let kind = const { kind_of::<P>() };
        if is_dropped(kind, message) {
            return false;
        }
        let word = to_word(kind, W::MAX, message);
        let held = &self.words[receiver as usize];
        let claim = || match ALONE {
            true => self.marks.claim_alone(receiver, step),
            false => self.marks.claim(receiver, step),
        };
        if kind == CombineKind::Any {
            let first = claim();
            if first {
                held.store(word);
            }
            return first;
        }
        let before = held.load();
        if improves(kind, word, before) {
            combine(kind, held, word, ALONE);
        } else if before != const { identity(kind_of::<P>(), W::MAX) } {
            // The thread that delivered what the inbox holds claims the receiver.
            return false;
        }
        claim()
    }

    /// Removes and returns the combined message of a vertex.
    fn take<P: EdgeProgram>(&self, v: u32) -> P::Message {
        let kind = const { kind_of::<P>() };
        let word = self.words[v as usize].load();
        self.words[v as usize].store(identity(kind, W::MAX));
        from_word(kind, word)
    }

    /// Sends along the edges of a part of the frontier. Returns the receivers.
    fn send<P: EdgeProgram, const ALONE: bool>(
        &self,
        stepwise: &Stepwise<'_, P>,
        part: Part<'_>,
        hub_edges: u64,
        found: &mut Found,
        context: &StepContext<P>,
    ) -> Result<(), Halt> {
        let view = stepwise.view;
        let begin = |v: u32, _: &mut Found| Some(stepwise.values[v as usize]);
        view.visit_part(part, hub_edges, found, begin, |sender, value, end, weight, found| {
            if let Some(message) = view.message_in(context, value, weight, sender, end)?
                && self.deliver::<P, ALONE>(end, message, context.step as u32)
            {
                found.add(end);
            }
            Ok(())
        })
    }

    /// Combines the messages of the senders that are marked in `frontier`, until none can change the vertex any more.
    /// Returns `true` if there is a message.
    fn gather<P: EdgeProgram>(
        &self,
        stepwise: &Stepwise<'_, P>,
        v: u32,
        frontier: &Bits,
        found: &mut Found,
        context: &StepContext<P>,
    ) -> Result<bool, Halt> {
        let kind = const { kind_of::<P>() };
        let best = best(kind, P::Value::KIND, W::MAX);
        let is_final = |word: u64| Some(word) == best;
        let (mut received, mut visited) = (false, 0);
        match stepwise.value(v) {
            Some(value) if self.first_settles || is_final(to_word(kind, W::MAX, value)) => {
                return Ok(false);
            }
            _ => {}
        }
        let (view, held) = (stepwise.view, &self.words[v as usize]);
        view.visit_gathers(v, |sender, weight| {
            visited += 1;
            if frontier.get(sender)
                && let Some(message) =
                    view.message_in(context, stepwise.values[sender as usize], weight, sender, v)?
                && !is_dropped(kind, message)
            {
                received = true;
                combine(kind, held, to_word(kind, W::MAX, message), true);
            }
            Ok(!(received && (self.first_settles || is_final(held.load()))))
        })?;
        found.visited += visited;
        Ok(received)
    }

    /// Returns the rule by which steps push or gather. `allowed` is `false` if every step must push.
    pub(crate) fn turn<P: EdgeProgram>(&self, view: &View<'_, P>, allowed: bool) -> Turn {
        let first_settles = self.first_settles || P::Value::KIND == DatumKind::Bool;
        Turn::new(allowed, first_settles, view.sends, || view.end_of_receivers())
    }

    /// Takes one step, and replaces the frontier with the next one. Returns the number of edges visited.
    pub(crate) fn step<P: EdgeProgram>(
        &self,
        stepwise: &mut Stepwise<'_, P>,
        frontier: &mut Frontier,
        turn: &Turn,
        step: u64,
    ) -> Result<u64, Halt> {
        let context = stepwise.context(step)?;
        let (sends, this, gathers) = (stepwise.view.sends, &*stepwise, turn.gathers(frontier));
        let edges = if gathers {
            let gather = |v, marks: &Bits, found: &mut Found| self.gather(this, v, marks, found, &context);
            frontier.gather(turn.receivers(), sends, gather)?
        } else {
            if frontier.is_thin() {
                frontier.push(sends, &|part, hub, found| {
                    self.send::<P, true>(this, part, hub, found, &context)
                })?;
            } else {
                frontier.push(sends, &|part, hub, found| {
                    self.send::<P, false>(this, part, hub, found, &context)
                })?;
            }
            frontier.size().edges
        };
        frontier.advance(sends, gathers);
        stepwise.receive(frontier, &context, |v| Some(self.take::<P>(v)))?;
        if self.first_settles {
            frontier.settle();
        }
        Ok(edges)
    }
}

//! The frontier step by step: messages are combined separately from the values, then applied to every vertex that
//! received any. For programs whose messages can be combined by atomics, and whose values must not be seen early.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use wolfpath_core::program::{CombineKind, Combiner, EdgeProgram};

use super::frontier::{Found, Frontier, Part};
use super::stepwise::Stepwise;
use super::view::Halt;
use super::words::{Word, combine, fill, from_word, identity, improves, is_dropped, to_word};

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

    /// Returns `true` if the vertex was claimed in this step.
    #[inline]
    pub(crate) fn is_claimed(&self, v: u32, step: u32) -> bool {
        self.0[v as usize].load(Relaxed) == step
    }
}

/// Combined messages of every vertex in the current step.
pub(crate) struct Inbox<W: Word> {
    kind: CombineKind,
    words: Vec<W>,
    marks: StepMarks,
}

impl<W: Word> Inbox<W> {
    pub(crate) fn new<P: EdgeProgram>(vertices: u32) -> Inbox<W> {
        let kind = <P::Combine as Combiner<P::Message>>::KIND;
        let nothing = identity(kind, W::MAX);
        Inbox { kind, words: fill(vertices, nothing), marks: StepMarks::new(vertices) }
    }

    /// Combines a message into the receiver's inbox. Returns `true` for the receiver's first message in a step.
    #[inline]
    fn deliver<P: EdgeProgram>(&self, receiver: u32, message: P::Message, step: u32) -> bool {
        if is_dropped(self.kind, message) {
            return false;
        }
        let word = to_word(self.kind, W::MAX, message);
        let held = &self.words[receiver as usize];
        if self.kind == CombineKind::Any {
            let first = self.marks.claim(receiver, step);
            if first {
                held.store(word);
            }
            return first;
        }
        if improves(self.kind, word, held.load()) {
            combine(self.kind, held, word, false);
        }
        self.marks.claim(receiver, step)
    }

    /// Removes and returns the combined message of a vertex.
    fn take<P: EdgeProgram>(&self, v: u32) -> P::Message {
        let word = self.words[v as usize].load();
        self.words[v as usize].store(identity(self.kind, W::MAX));
        from_word(self.kind, word)
    }

    /// Sends along the edges of a part of the frontier. Returns the receivers.
    fn send<P: EdgeProgram>(
        &self,
        stepwise: &Stepwise<'_, P>,
        part: Part<'_>,
        hub_edges: u64,
        found: &mut Found,
        step: u32,
    ) -> Result<(), Halt> {
        let view = stepwise.view;
        let begin = |v: u32, _: &mut Found| Some(stepwise.values[v as usize]);
        view.visit_part(part, hub_edges, found, begin, |sender, value, end, weight, found| {
            if let Some(message) = view.message(value, weight, sender, end)?
                && self.deliver::<P>(end, message, step)
            {
                found.add(end);
            }
            Ok(())
        })
    }

    /// Takes one step, and replaces the frontier with the next one. Returns the number of edges visited.
    pub(crate) fn step<P: EdgeProgram>(
        &self,
        stepwise: &mut Stepwise<'_, P>,
        frontier: &mut Frontier,
        step: u64,
    ) -> Result<u64, Halt> {
        let context = stepwise.fold(step)?;
        let (sends, edges) = (stepwise.view.sends, frontier.size().edges);
        let this = &*stepwise;
        frontier.push(sends, &|part, hub, found| self.send(this, part, hub, found, step as u32))?;
        frontier.advance(sends, false);
        stepwise.receive(frontier, &context, |v| Some(self.take::<P>(v)))?;
        Ok(edges)
    }
}

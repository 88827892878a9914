//! The frontier step by step: messages are combined separately from the values, then applied to every vertex that
//! received any. For programs whose messages can be combined by atomics, and whose values must not be seen early.

use wolfpath_core::program::{CombineKind, Combiner, EdgeProgram};

use super::relax::par_pieces;
use super::stepwise::{Marks, Stepwise};
use super::view::Halt;
use super::words::{Word, combine, fill, from_word, identity, improves, is_dropped, to_word};

/// Combined messages of every vertex in the current step.
pub(crate) struct Inbox<W: Word> {
    kind: CombineKind,
    words: Vec<W>,
    marks: Marks,
}

impl<W: Word> Inbox<W> {
    pub(crate) fn new<P: EdgeProgram>(vertices: u32) -> Inbox<W> {
        let kind = <P::Combine as Combiner<P::Message>>::KIND;
        let nothing = identity(kind, W::MAX);
        Inbox { kind, words: fill(vertices, nothing), marks: Marks::new(vertices) }
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

    /// Takes one step. Returns the next frontier and the number of edges visited.
    pub(crate) fn step<P: EdgeProgram>(
        &self,
        stepwise: &mut Stepwise<'_, P>,
        frontier: &[u32],
        step: u64,
    ) -> Result<(Vec<u32>, u64), Halt> {
        let aggregate = stepwise.fold(step)?;
        let view = stepwise.view;
        let edges = view.sends.edges_of(frontier);
        let this = &*stepwise;
        let receivers = par_pieces(view, frontier, |v, piece, received: &mut Vec<u32>| {
            let value = this.values[v as usize];
            let send = |end, weight| {
                if let Some(message) = view.message(value, weight, v, end)?
                    && self.deliver::<P>(end, message, step as u32)
                {
                    received.push(end);
                }
                Ok(true)
            };
            match piece {
                Some(piece) => view.visit_piece(v, piece, send),
                None => view.visit_sends(v, send),
            }
        })?;
        let next = stepwise
            .receive(&receivers, |stepwise, v| stepwise.apply(v, Some(self.take::<P>(v)), step, aggregate))?;
        Ok((next, edges))
    }
}

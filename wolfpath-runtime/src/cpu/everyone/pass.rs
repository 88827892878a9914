//! A pass over one block of vertices, in steps in which every vertex sends.

use std::ops::Range;

use wolfpath_core::program::{AccumulatorOf, Aggregator, Among, EdgeProgram};

use super::super::gather::{Gathered, Receiver};
use super::super::halt::Halt;
use super::super::long_rows::{HUB_EDGES, hub_parts};
use super::super::stepwise::{StepContext, apply};
use super::super::together::{Incoming, MANY, Together, WordDegrees};
use super::super::view::View;
use super::super::words::Bits;
use super::{Block, OfAll, alone, reads_before};

/// A pass over one block.
pub(super) struct Pass<'p, P: EdgeProgram> {
    pub(super) messages: &'p OfAll<'p, P>,
    pub(super) hubs: &'p [(u32, Range<usize>)],
    /// Results of the pieces of all hubs.
    pub(super) of_hubs: &'p [Gathered<AccumulatorOf<P>>],
    /// The messages to the block's vertices by word, if they have been gathered.
    pub(super) gathered: Option<&'p [Incoming<P::Message>]>,
    pub(super) context: &'p StepContext<P>,
    /// Step for which the pass looks ahead.
    pub(super) next_step: u64,
    pub(super) first_suffices: bool,
    /// Values before the step by rank, if `apply` reads those of other vertices.
    pub(super) among: &'p [Option<P::Value>],
    /// First vertex of the block.
    pub(super) first: u32,
    /// `true` to compute what the next step needs.
    pub(super) is_ahead: bool,
    /// `true` to fold the values.
    pub(super) folds: bool,
    pub(super) with_edges: &'p Bits,
}

/// Bitmaps that a pass writes.
pub(super) struct Marks<'p> {
    /// Vertices that have a value. If messages depend on their sender alone, these are also those before the pass.
    pub(super) present: &'p Bits,
    /// Vertices that send in the next step.
    pub(super) sends: &'p Bits,
}

impl<P: EdgeProgram> Pass<'_, P> {
    /// Computes the values of a block. `cells` are the values that it writes. They are also those before the step if
    /// messages depend on their sender alone; `slots` are then the messages of the next step, and otherwise empty.
    ///
    /// The arguments are separate so that the compiler knows that writing `cells` and `slots` changes nothing else.
    #[inline(never)]
    pub(super) fn block(
        &self,
        view: &View<'_, P>,
        program: &P,
        cells: &mut [P::Value],
        slots: &mut [P::Message],
        marks: Marks<'_>,
    ) -> Result<Block<P>, Halt> {
        let mut block = Block::new();
        let (first_word, context) = (self.first as usize / 64, *self.context);
        let (mut incoming, mut degrees) = (Incoming::new(), WordDegrees::new());
        for (word, cells) in cells.chunks_mut(MANY).enumerate() {
            let first = self.first + (MANY * word) as u32;
            let incoming = match self.gathered {
                Some(words) => &words[word],
                None => {
                    self.gather(view, first, cells.len(), &mut incoming)?;
                    &incoming
                }
            };
            let (had, mut has, mut sends) = (self.messages.present.word(first_word + word), 0, 0);
            if const { alone::<P>() && Together::<P>::APPLIES }
                && had == u64::MAX
                && self.messages.all.is_some()
                && let Some(cells) = cells.first_chunk_mut()
                && let Some(together) = Together::new(view, program, first, incoming, &mut degrees)
            {
                let before = const { reads_before::<P>() }.then_some(*cells);
                block.changed |= together.compute(cells, incoming, &context)?;
                if self.folds {
                    together.add(cells, before.as_ref(), self.next_step, &mut block)?;
                }
                if self.is_ahead {
                    let slots = slots[MANY * word..].first_chunk_mut().expect("every value has a slot");
                    let sends = together.look_ahead(cells, slots, self.with_edges, &mut block)?;
                    marks.sends.put_word(first_word + word, sends);
                }
                continue;
            }
            for (offset, cell) in cells.iter_mut().enumerate() {
                let (v, bit, incoming) = (first + offset as u32, 1 << offset, incoming.get(offset));
                let before = if alone::<P>() { *cell } else { self.messages.values[v as usize] };
                let before = (had & bit != 0).then_some(before);
                let mut value = before;
                let among = Among::new(self.among);
                if let Some(applied) = apply(view, program, v, (value, incoming), among, &context)? {
                    value = Some(applied.value);
                    block.changed |= applied.changed;
                }
                if let Some(value) = value {
                    *cell = value;
                    has |= bit;
                }
                if self.folds {
                    block.add(view, program, v, (value, before), self.next_step);
                }
                if self.is_ahead {
                    let slot = slots.get_mut(MANY * word + offset);
                    let sent = block.send(view, program, v, value, slot);
                    sends |= if sent { bit } else { 0 };
                }
            }
            marks.present.put_word(first_word + word, has);
            if alone::<P>() {
                marks.sends.put_word(first_word + word, sends);
            }
        }
        Ok(block)
    }

    /// Gathers the messages to `count` consecutive vertices, which are at most those of a word.
    #[inline(always)]
    fn gather(
        &self,
        view: &View<'_, P>,
        first: u32,
        count: usize,
        incoming: &mut Incoming<P::Message>,
    ) -> Result<(), Halt> {
        let receiver =
            Receiver { view, messages: self.messages, v: first, first_suffices: self.first_suffices };
        receiver.gather_several(incoming, count, HUB_EDGES as usize, |receiver| {
            receiver.join(hub_parts(self.hubs, self.of_hubs, receiver.v))
        })
    }

    /// Gathers the messages to the first `count` vertices of the block, by word.
    pub(super) fn gather_words(
        &self,
        view: &View<'_, P>,
        count: usize,
    ) -> Result<Vec<Incoming<P::Message>>, Halt> {
        let gather = |first: usize| {
            let mut incoming = Incoming::new();
            self.gather(view, self.first + first as u32, MANY.min(count - first), &mut incoming)?;
            Ok(incoming)
        };
        (0..count).step_by(MANY).map(gather).collect()
    }
}

impl<P: EdgeProgram> Together<'_, '_, P> {
    /// Adds the vertices of a word to the fold before `step`.
    #[inline(always)]
    pub(super) fn add(
        &self,
        values: &[P::Value; MANY],
        before: Option<&[P::Value; MANY]>,
        step: u64,
        block: &mut Block<P>,
    ) -> Result<(), Halt> {
        block.fold = P::Aggregate::combine(block.fold, self.fold(values, before, step)?);
        Ok(())
    }

    /// Computes the messages of the vertices of a word. Returns the bits of those that send.
    #[inline(always)]
    pub(super) fn look_ahead(
        &self,
        values: &[P::Value; MANY],
        slots: &mut [P::Message; MANY],
        with_edges: &Bits,
        block: &mut Block<P>,
    ) -> Result<u64, Halt> {
        if self.send(values, slots)? {
            block.is_silent = true;
            return self.senders(values);
        }
        Ok(with_edges.word(self.word()))
    }
}

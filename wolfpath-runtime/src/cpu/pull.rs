//! Gathering from a frontier: the vertices that it can reach gather the messages of those of their neighbours that are
//! in it. For messages that atomics cannot combine, and for sums of floats.

use wolfpath_core::program::{CombineKind, Combiner, EdgeProgram};

use super::frontier::{Besides, Found, Frontier};
use super::gather::{Messages, Receiver};
use super::halt::Halt;
use super::inbox::StepMarks;
use super::stepwise::{StepContext, Stepwise};
use super::view::{LoadOf, View};

/// If the senders have more than one in this many edges, all vertices gather.
const GATHERING_SHARE: u64 = 4;

/// A run in which receivers gather from active senders.
pub(crate) struct Pull<M> {
    /// Step in which each vertex last became a sender.
    active: StepMarks,
    /// Step in which each vertex was last found to receive a message.
    received: StepMarks,
    /// Combined message of every receiver of this step.
    incoming: Vec<Option<M>>,
    /// `true` if a gathering vertex may stop at the first message.
    first_suffices: bool,
}

/// Messages of the active vertices of a step.
struct Active<'s, 'a, P: EdgeProgram> {
    stepwise: &'s Stepwise<'a, P>,
    marks: &'s StepMarks,
    step: u32,
    context: &'s StepContext<P>,
}

impl<P: EdgeProgram> Messages<P> for Active<'_, '_, P> {
    #[inline]
    fn along(
        &self,
        view: &View<'_, P>,
        sender: u32,
        weight: LoadOf<P>,
        receiver: u32,
    ) -> Result<Option<P::Message>, Halt> {
        if !self.marks.is_claimed(sender, self.step) {
            return Ok(None);
        }
        match self.stepwise.value(sender) {
            Some(value) => view.message_in(self.context, value, weight, sender, receiver),
            None => Ok(None),
        }
    }
}

impl<M: Copy + Send + Sync> Pull<M> {
    pub(crate) fn new<P: EdgeProgram<Message = M>>(vertices: u32, uniform: bool) -> Pull<M> {
        let any = <P::Combine as Combiner<P::Message>>::KIND == CombineKind::Any;
        Pull {
            active: StepMarks::new(vertices),
            received: StepMarks::new(vertices),
            incoming: vec![None; vertices as usize],
            first_suffices: uniform || any,
        }
    }

    /// Takes one step, and replaces the frontier with the next one. Returns the number of edges visited.
    pub(crate) fn step<P: EdgeProgram<Message = M>>(
        &mut self,
        stepwise: &mut Stepwise<'_, P>,
        frontier: &mut Frontier,
        step: u64,
    ) -> Result<u64, Halt> {
        let context = stepwise.context(step)?;
        let (view, edges, mark) = (stepwise.view, frontier.size().edges, step as u32);
        let Pull { active, received, incoming, first_suffices } = self;
        let (active, received, first_suffices) = (&*active, &*received, *first_suffices);
        let begin = |v, _: &mut Found| {
            active.claim(v, mark);
            Some(())
        };
        // If the senders have many edges, nearly all vertices receive a message, and need not be looked for.
        let everyone_gathers = edges > view.sends.edges() / GATHERING_SHARE;
        let receivers = if everyone_gathers {
            frontier.for_each(|v| {
                active.claim(v, mark);
            });
            Besides::Everyone
        } else {
            frontier.push(view.sends, &|part, hub, found| {
                view.visit_part(part, hub, found, begin, |_, (), end, _, found| {
                    if received.claim(end, mark) {
                        found.add(end);
                    }
                    Ok(())
                })
            })?;
            frontier.advance(view.sends, false);
            Besides::Nobody
        };
        let edges = if everyone_gathers { view.sends.edges() } else { edges };
        let messages = Active { stepwise, marks: active, step: mark, context: &context };
        frontier.update(view.sends, incoming, receivers, |v, _, slot, found| {
            *slot = Receiver { view, messages: &messages, v, first_suffices }.gather()?;
            if slot.is_some() {
                found.add(v);
            }
            Ok(())
        })?;
        let incoming = &*incoming;
        stepwise.receive(frontier, &context, |v| incoming[v as usize])?;
        Ok(edges)
    }
}

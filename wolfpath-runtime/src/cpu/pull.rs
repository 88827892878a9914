//! Gathering from a frontier: the vertices that it can reach gather the messages of those of their neighbours that are
//! in it. For messages that atomics cannot combine, and for sums of floats. In a step with few edges, one thread pushes
//! instead, if the order in which messages are combined does not matter: it visits the senders' rows, which have fewer
//! edges than those of all receivers.

use std::cell::Cell;

use wolfpath_core::program::{CombineKind, Combiner, EdgeProgram};

use super::frontier::{Besides, Found, Frontier};
use super::gather::{Messages, Receiver};
use super::halt::Halt;
use super::inbox::StepMarks;
use super::stepwise::{StepContext, Stepwise};
use super::tasks::threads;
use super::view::{LoadOf, View};

/// If the senders have more than one in this many edges, all vertices gather.
const GATHERING_SHARE: u64 = 4;

/// Number of edges up to which one thread pushes. More are gathered by all threads.
const PUSHED_EDGES: u64 = 1 << 15;

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
    pub(crate) fn new<P: EdgeProgram<Message = M>>(view: &View<'_, P>, uniform: bool) -> Pull<M> {
        let vertices = view.num_vertices();
        let any = <P::Combine as Combiner<P::Message>>::KIND == CombineKind::Any;
        Pull {
            active: StepMarks::new(view.num_senders()),
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
        if self.pushes::<P>(frontier) {
            return self.push(stepwise, frontier, step);
        }
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

    /// Returns `true` if this thread pushes the messages of the frontier. A program that reads places or directions of
    /// edges gathers in all steps.
    fn pushes<P: EdgeProgram<Message = M>>(&self, frontier: &Frontier) -> bool {
        let reads = &P::MODEL.reads;
        P::Combine::ANY_ORDER
            && !reads.edge_place
            && !reads.edge_forward
            && (threads() == 1 || frontier.size().edges <= PUSHED_EDGES)
    }

    /// Takes one step, in which this thread alone combines the messages of the senders.
    fn push<P: EdgeProgram<Message = M>>(
        &mut self,
        stepwise: &mut Stepwise<'_, P>,
        frontier: &mut Frontier,
        step: u64,
    ) -> Result<u64, Halt> {
        let context = stepwise.context(step)?;
        let (view, edges) = (stepwise.view, frontier.size().edges);
        let Pull { received, incoming, first_suffices, .. } = self;
        let slots = Cell::from_mut(incoming.as_mut_slice()).as_slice_of_cells();
        let values = &*stepwise;
        frontier.push_alone(&|part, found| {
            let begin = |v, _: &mut Found| values.value(v);
            view.visit_part(part, u64::MAX, found, begin, |sender, value, end, weight, found| {
                let Some(message) = view.message_in(&context, value, weight, sender, end)? else {
                    return Ok(());
                };
                let slot = &slots[end as usize];
                if received.claim_alone(end, step as u32) {
                    slot.set(Some(message));
                    found.add(end);
                } else if !*first_suffices {
                    slot.set(slot.get().map(|earlier| P::Combine::combine(earlier, message)));
                }
                Ok(())
            })
        })?;
        frontier.advance(view.sends, false);
        let incoming = &*incoming;
        stepwise.receive(frontier, &context, |v| incoming[v as usize])?;
        Ok(edges)
    }
}

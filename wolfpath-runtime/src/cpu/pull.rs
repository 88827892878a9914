//! Gathering: every receiver traverses its own rows in order, so sums of floats are the same in every run. They are
//! accumulated in f64. Messages of any size work, since no atomics are needed.

use wolfpath_core::program::{CombineKind, Combiner, Datum, EdgeProgram, Senders};

use super::relax::par_pieces;
use super::stepwise::{Marks, Stepwise};
use super::tasks::{joined, map_ranges};
use super::view::{Halt, View};
use super::words::is_dropped;
use crate::numbers::{from_f64, to_f64};
use crate::shape::Shape;

/// A run in which receivers gather.
pub(crate) struct Pull {
    /// Step in which each vertex last became a sender. Used under `Senders::Active` only.
    active: Marks,
    /// Step in which each vertex was last found to receive a message.
    received: Marks,
    /// All vertices, which gather in every step under `Senders::All`.
    everybody: Vec<u32>,
    /// `true` if a gathering vertex may stop at the first message.
    first_suffices: bool,
}

impl Pull {
    pub(crate) fn new<P: EdgeProgram>(vertices: u32, frontier: &[u32], uniform: bool) -> Pull {
        let all = P::SENDERS == Senders::All;
        let active = Marks::new(vertices);
        frontier.iter().for_each(|&v| {
            active.claim(v, 1);
        });
        let everybody = if all { (0..vertices).collect() } else { Vec::new() };
        let any = <P::Combine as Combiner<P::Message>>::KIND == CombineKind::Any;
        Pull { active, received: Marks::new(vertices), everybody, first_suffices: uniform || any }
    }

    /// Takes one step. Returns the next frontier and the number of edges visited.
    pub(crate) fn step<P: EdgeProgram>(
        &self,
        stepwise: &mut Stepwise<'_, P>,
        frontier: &[u32],
        step: u64,
    ) -> Result<(Vec<u32>, u64), Halt> {
        let aggregate = stepwise.fold(step)?;
        let all = P::SENDERS == Senders::All;
        let edges =
            if all { stepwise.view.graph.num_edges() } else { stepwise.view.sends.edges_of(frontier) };
        let found = if all { Vec::new() } else { self.receivers(stepwise.view, frontier, step)? };
        let receivers = if all { &self.everybody } else { &found };
        let sent = self.sent(stepwise)?;
        let next = stepwise.receive(receivers, |stepwise, v| {
            let incoming = self.gather(stepwise, &sent, v, step)?;
            if incoming.is_none() && !all {
                return Ok(None);
            }
            stepwise.apply(v, incoming, step, aggregate)
        })?;
        next.iter().for_each(|&v| {
            self.active.claim(v, step as u32 + 1);
        });
        Ok((next, edges))
    }

    /// Returns the vertices that may receive a message from the frontier.
    fn receivers<P: EdgeProgram>(
        &self,
        view: &View<'_, P>,
        frontier: &[u32],
        step: u64,
    ) -> Result<Vec<u32>, Halt> {
        par_pieces(view, frontier, |v, piece, found: &mut Vec<u32>| {
            let mark = |end, _| {
                if self.received.claim(end, step as u32) {
                    found.push(end);
                }
                Ok(true)
            };
            match piece {
                Some(piece) => view.visit_piece(v, piece, mark),
                None => view.visit_sends(v, mark),
            }
        })
    }

    /// Returns the message that every vertex sends in this step, if messages depend only on their sender. Otherwise
    /// returns an empty list.
    fn sent<P: EdgeProgram>(&self, stepwise: &Stepwise<'_, P>) -> Result<Vec<Option<P::Message>>, Halt> {
        if const { !Shape::of::<P>().message_depends_on_sender_alone() } {
            return Ok(Vec::new());
        }
        let parts = map_ranges(stepwise.values.len(), 4096, |range| {
            // Use the vertex's first edge: a vertex without edges sends nothing, so its message must not be computed
            // and cannot fault.
            let send = |v: u32| {
                let mut message = None;
                if let Some(value) = stepwise.value(v) {
                    stepwise.view.visit_sends(v, |end, weight| {
                        message = stepwise.view.message(value, weight, v, end)?;
                        Ok(false)
                    })?;
                }
                Ok(message)
            };
            (range.start as u32..range.end as u32).map(send).collect::<Result<Vec<_>, Halt>>()
        });
        joined(parts)
    }

    /// Returns the combined message to a vertex in this step. `sent` is the result of [`sent`](Self::sent).
    fn gather<P: EdgeProgram>(
        &self,
        stepwise: &Stepwise<'_, P>,
        sent: &[Option<P::Message>],
        v: u32,
        step: u64,
    ) -> Result<Option<P::Message>, Halt> {
        let kind = <P::Combine as Combiner<P::Message>>::KIND;
        let sums_floats = kind == CombineKind::Sum && <P::Message as Datum>::KIND.is_float();
        let (mut incoming, mut sum) = (None, 0.0);
        stepwise.view.visit_gathers(v, |sender, weight| {
            let message = if const { Shape::of::<P>().message_depends_on_sender_alone() } {
                sent[sender as usize]
            } else {
                self.message(stepwise, sender, weight, v, step)?
            };
            let Some(message) = message.filter(|&message| !is_dropped(kind, message)) else {
                return Ok(true);
            };
            incoming = Some(match incoming {
                _ if sums_floats => {
                    sum += to_f64(message);
                    message
                }
                None => message,
                Some(held) => {
                    stepwise.view.program.checked_combine(held, message).map_err(View::<P>::at_vertex(v))?
                }
            });
            Ok(!self.first_suffices)
        })?;
        Ok(if sums_floats { incoming.map(|_| from_f64(sum)) } else { incoming })
    }

    /// Returns the message along one edge, if its sender sends in this step.
    #[inline]
    fn message<P: EdgeProgram>(
        &self,
        stepwise: &Stepwise<'_, P>,
        sender: u32,
        weight: P::Weight,
        receiver: u32,
        step: u64,
    ) -> Result<Option<P::Message>, Halt> {
        if P::SENDERS != Senders::All && !self.active.is_claimed(sender, step as u32) {
            return Ok(None);
        }
        match stepwise.value(sender) {
            Some(value) => stepwise.view.message(value, weight, sender, receiver),
            None => Ok(None),
        }
    }
}

//! Gathering over one row in a fixed order, so that sums of floats are the same in every run and for any number of
//! threads. Messages of any size work, since no atomics are needed.
//!
//! A row is cut into items of [`ITEM`] edges, counted from its start, and into pieces of [`PIECE`] edges. The messages of
//! an item are combined first, then the items of a piece, then the pieces. Tasks can therefore share a long row.

use std::ops::Range;

use wolfpath_core::program::{CombineKind, Combiner, Datum, EdgeProgram};

use super::view::{Halt, Lane, View};
use super::words::is_dropped;
use crate::numbers::{from_f64, to_f64};

/// Number of edges of an item.
const ITEM: usize = 256;

/// Number of sums over the floats of an item: one of its edges at the positions 0, 8, 16 and so on, one of those at 1, 9,
/// 17, and so on. An addition takes several cycles, which a single sum would have to wait for.
const LANES: usize = 8;

/// Number of edges up to which the floats of an item are added up one after another.
const SHORT: usize = 32;

/// Number of edges of a piece.
pub(crate) const PIECE: usize = 64 * ITEM;

/// Combination of some of the messages to a vertex. Floats are added up in f64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gathered<M> {
    message: Option<M>,
    sum: f64,
}

impl<M: Datum> Gathered<M> {
    /// The combination of no messages.
    pub(crate) const NOTHING: Gathered<M> = Gathered { message: None, sum: 0.0 };
}

/// Messages that receivers gather.
pub(crate) trait Messages<P: EdgeProgram>: Sync {
    /// Returns the message along an edge, or `None` if there is none.
    fn along(
        &self,
        view: &View<'_, P>,
        sender: u32,
        weight: P::Weight,
        receiver: u32,
    ) -> Result<Option<P::Message>, Halt>;

    /// Returns the messages by sender, if every sender sends the same message along all its edges, and all send.
    fn all(&self) -> Option<&[P::Message]> {
        None
    }
}

/// A receiver and the messages that it gathers.
pub(crate) struct Receiver<'r, 'a, P: EdgeProgram, M> {
    pub(crate) view: &'r View<'a, P>,
    pub(crate) messages: &'r M,
    pub(crate) v: u32,
    /// `true` if the first message suffices.
    pub(crate) first_suffices: bool,
}

impl<P: EdgeProgram, M: Messages<P>> Receiver<'_, '_, P, M> {
    const KIND: CombineKind = <P::Combine as Combiner<P::Message>>::KIND;
    const SUMS_FLOATS: bool =
        matches!(Self::KIND, CombineKind::Sum) && <P::Message as Datum>::KIND.is_float();

    /// Returns the combined message of the vertex.
    pub(crate) fn gather(&self) -> Result<Option<P::Message>, Halt> {
        let mut all = Gathered::NOTHING;
        for lane in self.view.gather_lanes() {
            for piece in pieces(lane.range(self.v)) {
                let part = self.gather_piece(lane, piece)?;
                self.append(&mut all, part)?;
                if self.first_suffices && all.message.is_some() {
                    return Ok(Self::result(all));
                }
            }
        }
        Ok(Self::result(all))
    }

    /// Fills `incoming` with the combined messages of consecutive vertices, the first of which is the receiver's. `of_hub`
    /// returns the message of a vertex with more than `hub_edges` edges.
    #[inline(always)]
    pub(crate) fn gather_several(
        mut self,
        incoming: &mut [Option<P::Message>],
        hub_edges: usize,
        of_hub: impl Fn(&Self) -> Result<Option<P::Message>, Halt>,
    ) -> Result<(), Halt> {
        if Self::SUMS_FLOATS
            && let Some(messages) = self.messages.all()
            && let Some(lane) = self.view.only_gather_lane()
        {
            let rows = lane.rows_of(self.v, incoming.len());
            for (slot, senders) in incoming.iter_mut().zip(rows) {
                *slot = match senders.len() {
                    0 => None,
                    1..=SHORT => Some(from_f64(sum_of_few(messages, senders))),
                    edges if edges <= hub_edges => self.gather()?,
                    _ => of_hub(&self)?,
                };
                self.v += 1;
            }
            return Ok(());
        }
        for slot in incoming {
            let is_hub = self.view.gather_degree(self.v) > hub_edges as u64;
            *slot = if is_hub { of_hub(&self)? } else { self.gather()? };
            self.v += 1;
        }
        Ok(())
    }

    /// Combines the results of consecutive pieces into the combined message of the vertex.
    pub(crate) fn join(&self, parts: &[Gathered<P::Message>]) -> Result<Option<P::Message>, Halt> {
        let mut all = Gathered::NOTHING;
        parts.iter().try_for_each(|&part| self.append(&mut all, part))?;
        Ok(Self::result(all))
    }

    /// Returns the combination of the messages along the edges of a piece.
    #[inline]
    pub(crate) fn gather_piece(
        &self,
        lane: &Lane<'_, P::Weight>,
        piece: Range<usize>,
    ) -> Result<Gathered<P::Message>, Halt> {
        if Self::SUMS_FLOATS {
            return match self.messages.all() {
                Some(messages) => Ok(sum_of(messages, &lane.ends()[piece])),
                None => self.sum_of_edges(lane, piece),
            };
        }
        let mut gathered = Gathered::NOTHING;
        lane.visit_range(piece, &mut |sender, weight| {
            if let Some(message) = self.along(sender, weight)? {
                self.append(&mut gathered, Gathered { message: Some(message), sum: 0.0 })?;
            }
            Ok(!(self.first_suffices && gathered.message.is_some()))
        })?;
        Ok(gathered)
    }

    /// Returns the sum of the messages along the edges of a piece.
    fn sum_of_edges(
        &self,
        lane: &Lane<'_, P::Weight>,
        piece: Range<usize>,
    ) -> Result<Gathered<P::Message>, Halt> {
        let mut all = Gathered::NOTHING;
        for first in piece.clone().step_by(ITEM) {
            let (mut lanes, mut at) = ([0.0; LANES], 0);
            let item = first..(first + ITEM).min(piece.end);
            let is_short = item.len() <= SHORT;
            lane.visit_range(item, &mut |sender, weight| {
                if let Some(message) = self.along(sender, weight)? {
                    lanes[if is_short { 0 } else { at % LANES }] += to_f64(message);
                    all.message = Some(message);
                }
                at += 1;
                Ok(true)
            })?;
            all.sum += sum_of_lanes(lanes);
        }
        Ok(all)
    }

    /// Returns the message along an edge, unless the combiner drops it.
    #[inline]
    fn along(&self, sender: u32, weight: P::Weight) -> Result<Option<P::Message>, Halt> {
        let message = self.messages.along(self.view, sender, weight, self.v)?;
        Ok(message.filter(|&message| !is_dropped(Self::KIND, message)))
    }

    #[inline]
    fn append(&self, all: &mut Gathered<P::Message>, part: Gathered<P::Message>) -> Result<(), Halt> {
        all.sum += part.sum;
        all.message = match (all.message, part.message) {
            (Some(a), Some(b)) if !Self::SUMS_FLOATS => {
                Some(self.view.program.checked_combine(a, b).map_err(View::<P>::at_vertex(self.v))?)
            }
            (a, b) => a.or(b),
        };
        Ok(())
    }

    #[inline]
    fn result(all: Gathered<P::Message>) -> Option<P::Message> {
        if Self::SUMS_FLOATS { all.message.map(|_| from_f64(all.sum)) } else { all.message }
    }
}

/// Returns the sum of the messages of these senders, whose row is short.
#[inline(always)]
fn sum_of_few<M: Datum>(messages: &[M], senders: &[u32]) -> f64 {
    senders.iter().fold(0.0, |sum, &sender| sum + to_f64(messages[sender as usize]))
}

/// Returns the sum of the messages of these senders.
fn sum_of<M: Datum>(messages: &[M], senders: &[u32]) -> Gathered<M> {
    let Some(&first) = senders.first() else { return Gathered::NOTHING };
    let sum = senders.chunks(ITEM).map(|item| sum_of_item(messages, item)).fold(0.0, |all, item| all + item);
    Gathered { message: Some(messages[first as usize]), sum }
}

/// Returns the sum of the messages along an item.
#[inline]
fn sum_of_item<M: Datum>(messages: &[M], item: &[u32]) -> f64 {
    if item.len() <= SHORT {
        return sum_of_few(messages, item);
    }
    let mut lanes = [0.0; LANES];
    let mut eights = item.chunks_exact(LANES);
    for eight in &mut eights {
        for (lane, &sender) in lanes.iter_mut().zip(eight) {
            *lane += to_f64(messages[sender as usize]);
        }
    }
    for (lane, &sender) in lanes.iter_mut().zip(eights.remainder()) {
        *lane += to_f64(messages[sender as usize]);
    }
    sum_of_lanes(lanes)
}

#[inline]
fn sum_of_lanes(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Returns the pieces of a row.
pub(crate) fn pieces(row: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    row.clone().step_by(PIECE).map(move |first| first..(first + PIECE).min(row.end))
}

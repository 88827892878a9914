//! Gathering over one row in a fixed order, so that sums of floats are the same in every run and for any number of
//! threads. Messages of any size work, since no atomics are needed.
//!
//! Floats are added up in `f64`, four at a time: one sum for the even edges of a piece, and one for the odd edges. Rows
//! are cut into pieces of [`PIECE`] edges, whose results are combined in order, so that tasks can share a long row.

use std::ops::Range;

use wolfpath_core::program::{AccumulatorOf, CombineKind, Combiner, Datum, EdgeProgram};

use super::frequent::{Counts, with_counts};
use super::halt::Halt;
use super::together::Incoming;
use super::view::{Lane, LoadOf, View};
use super::words::is_dropped;
use crate::numbers::{from_f64, to_f64};
use crate::part::Message;
use crate::start::zero;

/// Number of floats that are added up together: two additions of two floats each, of which only the second one has to
/// wait for the sums so far.
const QUAD: usize = 4;

/// Number of edges of a piece, a multiple of `QUAD`.
pub const PIECE: usize = 1 << 14;

/// Combination of some of the messages to a vertex, as accumulated by the combiner (`A`). Messages that are floats are
/// added up in `sum` instead.
#[derive(Clone, Copy)]
pub(crate) struct Gathered<A> {
    message: Option<A>,
    sum: f64,
}

impl<A: Copy> Gathered<A> {
    /// The combination of no messages.
    pub(crate) const NOTHING: Gathered<A> = Gathered { message: None, sum: 0.0 };
}

/// `true` if messages are floats that are added up.
const fn sums_floats<P: EdgeProgram>() -> bool {
    matches!(<P::Combine as Combiner<P::Message>>::KIND, CombineKind::Sum)
        && <P::Message as Datum>::KIND.is_float()
}

/// Returns the bytes that [`put_gathered`] appends.
pub(crate) const fn gathered_bytes<P: EdgeProgram>() -> usize {
    1 + if sums_floats::<P>() { size_of::<f64>() } else { <P::Message as Datum>::KIND.size() }
}

/// Returns the bytes that the combination of the messages along a piece takes in memory.
pub(crate) const fn gathered_size<P: EdgeProgram>() -> usize {
    size_of::<Gathered<AccumulatorOf<P>>>()
}

/// Appends the combination of the messages along a piece to a message for another process. The program does not combine fields
/// of messages one by one: several messages are then accumulated in the form of one.
pub(crate) fn put_gathered<P: EdgeProgram>(message: &mut Vec<u8>, gathered: Gathered<AccumulatorOf<P>>) {
    let first = message.len();
    message.resize(first + gathered_bytes::<P>(), 0);
    let Some(combined) = gathered.message else { return };
    message[first] = 1;
    match sums_floats::<P>() {
        true => gathered.sum.write(&mut message[first + 1..]),
        false => P::Combine::combined(combined).write(&mut message[first + 1..]),
    }
}

/// Reads what [`put_gathered`] appended. `None` if the message is cut or damaged.
pub(crate) fn read_gathered<P: EdgeProgram>(message: &mut Message<'_>) -> Option<Gathered<AccumulatorOf<P>>> {
    let (head, bytes) = message.take(gathered_bytes::<P>())?.split_first()?;
    Some(match (head, sums_floats::<P>()) {
        (0, _) => Gathered::NOTHING,
        // With a sum, only the presence of a message matters.
        (1, true) => Gathered { message: Some(P::Combine::accumulate(zero())), sum: f64::read(bytes) },
        (1, false) => Gathered { message: Some(P::Combine::accumulate(P::Message::read(bytes))), sum: 0.0 },
        _ => return None,
    })
}

/// Messages that receivers gather.
pub(crate) trait Messages<P: EdgeProgram>: Sync {
    /// Returns the message along an edge, or `None` if the sender sends nothing along it.
    fn along(
        &self,
        view: &View<'_, P>,
        sender: u32,
        weight: LoadOf<P>,
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
    const SUMS_FLOATS: bool = sums_floats::<P>();
    /// `true` if a row cannot be gathered in pieces, because all of its messages are needed at once.
    pub(crate) const AT_ONCE: bool = P::Combine::AT_ONCE.is_some();

    /// Returns the combined message of the vertex.
    pub(crate) fn gather(&self) -> Result<Option<P::Message>, Halt> {
        if Self::AT_ONCE {
            return with_counts(|counts| self.count(counts));
        }
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

    /// Returns the most frequent message.
    fn count(&self, counts: &mut Counts) -> Result<Option<P::Message>, Halt> {
        for lane in self.view.gather_lanes() {
            match self.messages.all() {
                Some(messages) => {
                    let senders = &lane.ends()[lane.range(self.v)];
                    senders.iter().for_each(|&sender| counts.add(messages[sender as usize].to_bits()));
                }
                None => {
                    lane.visit_range(lane.range(self.v), &mut |sender, weight| {
                        if let Some(message) = self.along(sender, weight)? {
                            counts.add(message.to_bits());
                        }
                        Ok(true)
                    })?;
                }
            }
        }
        Ok(counts.most_frequent().map(P::Message::from_bits))
    }

    /// Fills `incoming` with the combined messages of `count` consecutive vertices, the first of which is the
    /// receiver's. `of_hub` returns the message of a vertex with more than `hub_edges` edges.
    #[inline(always)]
    pub(crate) fn gather_several(
        mut self,
        incoming: &mut Incoming<P::Message>,
        count: usize,
        hub_edges: usize,
        of_hub: impl Fn(&Self) -> Result<Option<P::Message>, Halt>,
    ) -> Result<(), Halt> {
        if Self::SUMS_FLOATS
            && let Some(messages) = self.messages.all()
            && let Some(lane) = self.view.only_gather_lane()
        {
            let first = self.v;
            for (at, senders) in lane.rows_of(first, count).enumerate() {
                self.v = first + at as u32;
                let message = match senders.len() {
                    0 => None,
                    1..=PIECE => Some(from_f64(sum_of(messages, senders))),
                    edges if edges <= hub_edges => self.gather()?,
                    _ => of_hub(&self)?,
                };
                incoming.put(at, message);
            }
            return Ok(());
        }
        for at in 0..count {
            let is_hub = !Self::AT_ONCE && self.view.gather_degree(self.v) > hub_edges as u64;
            incoming.put(at, if is_hub { of_hub(&self)? } else { self.gather()? });
            self.v += 1;
        }
        Ok(())
    }

    /// Combines the results of consecutive pieces into the combined message of the vertex.
    pub(crate) fn join(&self, parts: &[Gathered<AccumulatorOf<P>>]) -> Result<Option<P::Message>, Halt> {
        let mut all = Gathered::NOTHING;
        parts.iter().try_for_each(|&part| self.append(&mut all, part))?;
        Ok(Self::result(all))
    }

    /// Returns the combination of the messages along row `row` of all lanes, which is a piece of the vertex's rows.
    pub(crate) fn gather_row(&self, row: u32) -> Result<Gathered<AccumulatorOf<P>>, Halt> {
        let mut all = Gathered::NOTHING;
        for lane in self.view.gather_lanes() {
            let part = self.gather_piece(lane, lane.range(row))?;
            self.append(&mut all, part)?;
        }
        Ok(all)
    }

    /// Returns the combination of the messages along the edges of a piece.
    #[inline]
    pub(crate) fn gather_piece(
        &self,
        lane: &Lane<'_, P>,
        piece: Range<usize>,
    ) -> Result<Gathered<AccumulatorOf<P>>, Halt> {
        if Self::SUMS_FLOATS {
            return match self.messages.all() {
                Some(messages) => {
                    let senders = &lane.ends()[piece];
                    let message =
                        senders.first().map(|&sender| P::Combine::accumulate(messages[sender as usize]));
                    Ok(Gathered { message, sum: message.map_or(0.0, |_| sum_of(messages, senders)) })
                }
                None => self.sum_of_edges(lane, piece),
            };
        }
        let mut gathered = Gathered::NOTHING;
        lane.visit_range(piece, &mut |sender, weight| {
            if let Some(message) = self.along(sender, weight)? {
                let message = Some(P::Combine::accumulate(message));
                self.append(&mut gathered, Gathered { message, sum: 0.0 })?;
            }
            Ok(!(self.first_suffices && gathered.message.is_some()))
        })?;
        Ok(gathered)
    }

    /// Returns the sum of the messages along the edges of a piece.
    fn sum_of_edges(
        &self,
        lane: &Lane<'_, P>,
        piece: Range<usize>,
    ) -> Result<Gathered<AccumulatorOf<P>>, Halt> {
        let mut all = Gathered::NOTHING;
        let (mut sums, mut quad, mut at) = ([0.0; 2], [0.0; QUAD], 0);
        lane.visit_range(piece, &mut |sender, weight| {
            if let Some(message) = self.along(sender, weight)? {
                quad[at] = to_f64(message);
                all.message = Some(P::Combine::accumulate(message));
            }
            at += 1;
            if at == QUAD {
                add_quad(&mut sums, std::mem::take(&mut quad));
                at = 0;
            }
            Ok(true)
        })?;
        add_quad(&mut sums, quad);
        all.sum = sums[0] + sums[1];
        Ok(all)
    }

    /// Returns the message along an edge, unless the combiner drops it.
    #[inline]
    fn along(&self, sender: u32, weight: LoadOf<P>) -> Result<Option<P::Message>, Halt> {
        let message = self.messages.along(self.view, sender, weight, self.v)?;
        Ok(message.filter(|&message| !is_dropped(Self::KIND, message)))
    }

    #[inline]
    fn append(
        &self,
        all: &mut Gathered<AccumulatorOf<P>>,
        part: Gathered<AccumulatorOf<P>>,
    ) -> Result<(), Halt> {
        all.sum += part.sum;
        all.message = match (all.message, part.message) {
            (Some(a), Some(b)) if !Self::SUMS_FLOATS => Some(self.combine(a, b)?),
            (a, b) => a.or(b),
        };
        Ok(())
    }

    /// Combines two accumulations. The program's own `combine` takes messages, which are accumulated as they are.
    #[inline]
    fn combine(&self, a: AccumulatorOf<P>, b: AccumulatorOf<P>) -> Result<AccumulatorOf<P>, Halt> {
        if !matches!(Self::KIND, CombineKind::Custom) {
            return Ok(P::Combine::join(a, b));
        }
        let (a, b) = (P::Combine::combined(a), P::Combine::combined(b));
        let both = self.view.program.checked_combine(a, b).map_err(View::<P>::at_vertex(self.v))?;
        Ok(P::Combine::accumulate(both))
    }

    #[inline]
    fn result(all: Gathered<AccumulatorOf<P>>) -> Option<P::Message> {
        match Self::SUMS_FLOATS {
            true => all.message.map(|_| from_f64(all.sum)),
            false => all.message.map(P::Combine::combined),
        }
    }
}

/// Bits of the messages that count in a quad with this number of edges.
const COUNTED: [[u64; QUAD]; QUAD + 1] =
    [[0; QUAD], [!0, 0, 0, 0], [!0, !0, 0, 0], [!0, !0, !0, 0], [!0; QUAD]];

/// Returns the sum of the messages of at least one sender.
///
/// The last quad may have fewer edges. Its messages are masked instead of skipped: the number of senders differs from
/// row to row, and a branch that is predicted wrongly takes as long as adding several messages.
#[inline(always)]
fn sum_of<M: Datum>(messages: &[M], senders: &[u32]) -> f64 {
    let (quads, last) = senders.split_at((senders.len() - 1) / QUAD * QUAD);
    let mut sums = [0.0; 2];
    for quad in quads.chunks_exact(QUAD) {
        let message = |at: usize| to_f64(messages[quad[at] as usize]);
        add_quad(&mut sums, [message(0), message(1), message(2), message(3)]);
    }
    let counted = &COUNTED[last.len()];
    let message = |at: usize| {
        let message = messages[last[at.min(last.len() - 1)] as usize];
        to_f64(M::from_bits(message.to_bits() & counted[at]))
    };
    add_quad(&mut sums, [message(0), message(1), message(2), message(3)]);
    sums[0] + sums[1]
}

/// Adds a quad to the sums of even and odd edges. The compiler does this in two instructions.
#[inline(always)]
fn add_quad(sums: &mut [f64; 2], [a, b, c, d]: [f64; QUAD]) {
    sums[0] += a + c;
    sums[1] += b + d;
}

/// Returns the pieces of a row.
pub(crate) fn pieces(row: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    row.clone().step_by(PIECE).map(move |first| first..(first + PIECE).min(row.end))
}

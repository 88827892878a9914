//! The values of accumulating programs: what each vertex has received, in two parts. What it has sent is *held*; what it
//! still has to send is *pending*. Taking moves all that is pending at a vertex to what is held.
//!
//! In a run over a part of a graph, what its own vertices have taken is also *untold*: their mirrors have not sent it to the
//! vertices of other parts.

mod kept;

use std::sync::atomic::AtomicU64;

use wolfpath_core::program::{Combiner, Datum, EdgeProgram, Starts};

use super::halt::Halt;
use super::mirrors::Mirrors;
use super::outcome::Values;
use super::rounds::Amounts;
use super::tasks::map_ranges;
use super::view::View;
use super::words::{Bits, filled};
use crate::part::{KeptState, Message};
use crate::start::Sources;

/// Values of a run of an accumulating program.
pub(crate) struct Portions<'a, P: EdgeProgram> {
    view: &'a View<'a, P>,
    held: Vec<AtomicU64>,
    pending: Vec<AtomicU64>,
    untold: Option<Untold>,
    /// Bitmap of the vertices that have a value; empty if all have.
    present: Bits,
}

/// Amounts that the own vertices of a part have taken since their mirrors were last told.
struct Untold {
    sums: Vec<AtomicU64>,
    /// The vertices that have taken something.
    vertices: Bits,
}

impl<'a, P: EdgeProgram> Portions<'a, P> {
    /// Number of words of a vertex.
    const WORDS: usize = <P::Combine as Combiner<P::Message>>::PORTION_WORDS;

    /// Returns the first values, all of which are pending, and the vertices that have one.
    pub(crate) fn start(
        view: &'a View<'a, P>,
        sources: &Sources<P::Value>,
    ) -> Result<(Self, Vec<u32>), Halt> {
        let n = view.num_vertices();
        let every = P::MODEL.starts == Starts::Every && sources.earlier().is_none();
        let zeros = || filled::<AtomicU64>(n as usize * Self::WORDS, 0);
        let present = Bits::new(if every { 0 } else { n });
        let untold = view.mirrors.as_ref().map(|_| Untold { sums: zeros(), vertices: Bits::new(n) });
        let portions = Portions { view, held: zeros(), pending: zeros(), untold, present };
        if let Some(kept) = view.mirrors.as_ref().and_then(Mirrors::resumed) {
            let first = portions.resume(&kept)?;
            return Ok((portions, first));
        }
        let first = view.first_values(sources, |v, value| {
            portions.add::<true>(v, as_message::<P>(value));
        })?;
        Ok((portions, first))
    }

    #[inline(always)]
    fn words(all: &[AtomicU64], v: u32) -> &[AtomicU64] {
        &all[v as usize * Self::WORDS..][..Self::WORDS]
    }

    /// Adds to what is pending at a vertex. Returns `true` if the vertex may have had nothing to send before.
    #[inline(always)]
    fn add<const ALONE: bool>(&self, v: u32, message: P::Message) -> bool {
        if self.present.words() > 0 && !self.present.get(v) {
            self.present.set(v);
        }
        P::Combine::add_portion(Self::words(&self.pending, v), message, ALONE)
    }

    fn sum(&self, v: u32) -> P::Message {
        let of = |all| P::Combine::portion(Self::words(all, v), false, true);
        P::Combine::combine(of(&self.held), of(&self.pending))
    }

    fn is_present(&self, v: u32) -> bool {
        self.present.words() == 0 || self.present.get(v)
    }

    /// Returns the number of vertices that have a value.
    pub(crate) fn present(&self) -> u64 {
        (0..self.view.num_vertices()).filter(|&v| self.is_present(v)).count() as u64
    }

    /// Returns the sum of the sizes of all values.
    pub(crate) fn total(&self) -> f64 {
        let size = |v: usize| P::Combine::size(self.sum(v as u32));
        map_ranges(self.view.num_vertices() as usize, 4096, |range| range.map(size).sum::<f64>())
            .into_iter()
            .sum()
    }

    /// Returns the values of the run, which include what is still pending.
    pub(crate) fn finish(self) -> Values<P::Value> {
        let value = |v| self.is_present(v).then(|| as_value::<P>(self.sum(v)));
        Values::collect(self.view.num_vertices(), value)
    }
}

impl<P: EdgeProgram> Amounts<P> for Portions<'_, P> {
    /// Vertices with less are likely to receive more before the others have sent. To 10^-6 of PageRank, one thread took 4.91,
    /// 4.73 and 4.62 million updates over cnr-2000 with 0.5, 0.25 and 0, and 1.50, 1.40 and 1.35 million over
    /// uk-2007-05@100000. With 0, rounding can leave no vertex due.
    const SLACK: Option<f64> = Some(0.25);
    const TAKING_UPDATES: bool = true;

    #[inline(always)]
    fn urgency(&self, v: u32) -> f64 {
        P::Combine::size(P::Combine::portion(Self::words(&self.pending, v), false, true))
    }

    #[inline(always)]
    fn size(taken: P::Value) -> f64 {
        P::Combine::size(as_message::<P>(taken))
    }

    #[inline(always)]
    fn take<const ALONE: bool>(&self, v: u32) -> Option<P::Value> {
        let portion = P::Combine::portion(Self::words(&self.pending, v), true, ALONE);
        if P::Combine::size(portion) == 0.0 {
            return None;
        }
        P::Combine::add_portion(Self::words(&self.held, v), portion, ALONE);
        if let Some(Untold { sums, vertices }) = &self.untold {
            P::Combine::add_portion(Self::words(sums, v), portion, ALONE);
            if !vertices.get(v) {
                vertices.mark::<ALONE>(v);
            }
        }
        Some(as_value::<P>(portion))
    }

    #[inline(always)]
    fn offer<const ALONE: bool>(&self, receiver: u32, message: P::Message) -> bool {
        self.add::<ALONE>(receiver, message)
    }

    fn keep(&self, steps: u64) -> KeptState {
        Portions::keep(self, steps)
    }

    fn exchange(&mut self, heard: &mut Vec<(u32, P::Value)>) -> Result<(), Halt> {
        let (Some(mirrors), Some(Untold { sums, vertices })) = (&self.view.mirrors, &mut self.untold) else {
            return Ok(());
        };
        let mut messages = vec![Vec::new(); mirrors.processes()];
        let sum = |v: u32| as_value::<P>(P::Combine::portion(Self::words(sums, v), false, true));
        mirrors.add_marked(&mut messages, vertices, sum);
        for v in vertices.marked(0..vertices.words()) {
            P::Combine::portion(Self::words(sums, v), true, true);
        }
        vertices.clear();
        heard.clear();
        heard.reserve_exact(mirrors.part.mirrors.iter().map(Vec::len).sum());
        for (process, message) in mirrors.exchange(messages)?.iter().enumerate() {
            mirrors.hear(process, &mut Message(message), |mirror, taken| heard.push((mirror, taken)))?;
        }
        Ok(())
    }
}

/// Returns a value as a message. The macro makes sure that their types are equal in accumulating programs.
#[inline(always)]
fn as_message<P: EdgeProgram>(value: P::Value) -> P::Message {
    same(value)
}

#[inline(always)]
fn as_value<P: EdgeProgram>(message: P::Message) -> P::Value {
    same(message)
}

/// Returns a number or a struct in another type, which is the same one.
#[inline(always)]
fn same<From: Datum, To: Datum>(from: From) -> To {
    let mut to = None;
    let place: &mut dyn std::any::Any = &mut to;
    if let Some(place) = place.downcast_mut::<Option<From>>() {
        *place = Some(from);
    }
    to.expect("values and messages of accumulating programs have the same type")
}

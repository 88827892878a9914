//! Vertices computed together: 64 consecutive ones that all have a value. Every part of their work is a loop of its own
//! over plain arrays, without ways out, so that the compiler can use vector instructions.

use wolfpath_core::program::{AggregateOf, Aggregator, Along, Among, Datum, EdgeProgram};

use super::halt::Halt;
use super::stepwise::{StepContext, apply_with, part_of};
use super::view::{Loaded, View};
use crate::start::{Degrees, zero};

/// Number of vertices in a word of a bitmap, which are computed together.
pub(super) const MANY: usize = 64;

/// Messages to the vertices of a word.
pub(super) struct Incoming<M> {
    messages: [M; MANY],
    arrived: [bool; MANY],
}

impl<M: Datum> Incoming<M> {
    pub(super) fn new() -> Incoming<M> {
        Incoming { messages: [zero(); MANY], arrived: [false; MANY] }
    }

    /// Replaces the message to a vertex.
    #[inline(always)]
    pub(super) fn put(&mut self, at: usize, message: Option<M>) {
        self.messages[at] = message.unwrap_or(zero());
        self.arrived[at] = message.is_some();
    }

    #[inline(always)]
    pub(super) fn get(&self, at: usize) -> Option<M> {
        self.arrived[at].then_some(self.messages[at])
    }

    /// Returns `Some(true)` if all vertices get a message, `Some(false)` if none does, and `None` otherwise.
    fn arrived(&self) -> Option<bool> {
        let (all, any) =
            self.arrived.iter().fold((true, false), |(all, any), &arrived| (all & arrived, any | arrived));
        (all == any).then_some(all)
    }
}

/// Number of folds whose additions need not wait for each other.
const FOLDS: usize = 4;

/// Degrees of the vertices of a word. Numbers of 32 bits are converted to floats several at a time.
pub(super) struct WordDegrees {
    out: [u32; MANY],
    /// In-degrees, if the program reads them.
    inward: [u32; MANY],
    /// Numbers of edges along which the vertices send, unless these are the out-degrees.
    sends: Option<[u32; MANY]>,
}

impl WordDegrees {
    pub(super) fn new() -> WordDegrees {
        WordDegrees { out: [0; MANY], inward: [0; MANY], sends: None }
    }

    /// Replaces the degrees with those of the vertices from `first` on. Returns `false` if one has very many edges.
    #[inline(never)]
    fn read<P: EdgeProgram>(&mut self, view: &View<'_, P>, first: u32) -> bool {
        let [out, inward] = view.offsets_of(first, MANY);
        let mut largest = differences(&mut self.out, out);
        let reads_inward = P::MODEL.reads.vertex_in_degree || view.rows.send_in;
        if reads_inward {
            largest |= differences(&mut self.inward, inward);
        }
        if view.rows.send_in {
            let out = if view.rows.send_out { self.out } else { [0; MANY] };
            let sends = self.sends.insert(out);
            sends
                .iter_mut()
                .zip(&self.inward)
                .for_each(|(sends, inward)| *sends = sends.wrapping_add(*inward));
        }
        // No sum of two numbers with fewer bits overflows.
        largest <= u64::from(u32::MAX) / 2
    }

    #[inline(always)]
    fn at(&self, at: usize) -> Degrees {
        Degrees { out_degree: self.out[at].into(), in_degree: self.inward[at].into(), neighbours: 0 }
    }

    #[inline(always)]
    fn sends(&self) -> &[u32; MANY] {
        self.sends.as_ref().unwrap_or(&self.out)
    }
}

/// Fills `slots` with the differences of consecutive offsets. Returns the bitwise or of all of them.
#[inline(always)]
fn differences(slots: &mut [u32; MANY], offsets: &[u64]) -> u64 {
    let mut all = 0;
    for (slot, ends) in slots.iter_mut().zip(offsets.windows(2)) {
        let degree = ends[1] - ends[0];
        all |= degree;
        *slot = degree as u32;
    }
    all
}

/// The vertices of a word that are computed together.
pub(super) struct Together<'t, 'a, P: EdgeProgram> {
    view: &'t View<'a, P>,
    program: &'t P,
    first: u32,
    degrees: &'t WordDegrees,
    /// `true` if all vertices get a message, `false` if none does.
    all_arrived: bool,
}

impl<'t, 'a, P: EdgeProgram> Together<'t, 'a, P> {
    /// `true` if the program's functions have no ways out: they cannot fail, and they need not look whether they must
    /// stop. Vertices that send to distinct neighbours are excluded, since their rows are not those of their degrees.
    pub(super) const APPLIES: bool =
        P::MODEL.faults.is_empty() && !P::MODEL.has_loops && !matches!(P::ALONG, Along::Neighbours);

    /// Returns the vertices from `first` on, or `None` if they cannot be computed together.
    #[inline(always)]
    pub(super) fn new(
        view: &'t View<'a, P>,
        program: &'t P,
        first: u32,
        incoming: &Incoming<P::Message>,
        degrees: &'t mut WordDegrees,
    ) -> Option<Together<'t, 'a, P>> {
        let all_arrived = incoming.arrived()?;
        degrees.read(view, first).then_some(Together { view, program, first, degrees, all_arrived })
    }

    /// Returns the vertices from `first` on if they can be computed together, for what needs no messages to them.
    #[inline(always)]
    pub(super) fn without_messages(
        view: &'t View<'a, P>,
        program: &'t P,
        first: u32,
        degrees: &'t mut WordDegrees,
    ) -> Option<Together<'t, 'a, P>> {
        degrees.read(view, first).then_some(Together { view, program, first, degrees, all_arrived: false })
    }

    /// Returns the index of their word in a bitmap.
    #[inline(always)]
    pub(super) fn word(&self) -> usize {
        self.first as usize / MANY
    }

    /// Computes all values. Returns `true` if one changed.
    pub(super) fn compute(
        &self,
        values: &mut [P::Value; MANY],
        incoming: &Incoming<P::Message>,
        context: &StepContext<P>,
    ) -> Result<bool, Halt> {
        match self.all_arrived {
            true => self.compute_from::<true>(values, &incoming.messages, context),
            false => self.compute_from::<false>(values, &incoming.messages, context),
        }
    }

    /// Computes all values from messages that either all `ARRIVED` or none did.
    #[inline(never)]
    fn compute_from<const ARRIVED: bool>(
        &self,
        values: &mut [P::Value; MANY],
        messages: &[P::Message; MANY],
        context: &StepContext<P>,
    ) -> Result<bool, Halt> {
        let mut changed = false;
        for (at, (value, &message)) in values.iter_mut().zip(messages).enumerate() {
            let (v, degrees) = (self.first + at as u32, self.degrees.at(at));
            let incoming = ARRIVED.then_some(message);
            let (of, arrived) = ((v, degrees), (Some(*value), incoming));
            let applied = apply_with(self.view, self.program, of, arrived, Among::nobody(), context)?;
            if let Some(applied) = applied {
                *value = applied.value;
                changed |= applied.changed;
            }
        }
        Ok(changed)
    }

    /// Returns the fold of what all vertices contribute before `step`. `before` are their values before the last step,
    /// which are those of now if they are not given. Vertices whose positions differ by a multiple of
    /// [`FOLDS`] are folded first. A sum of floats may differ in its last digits from the sum vertex by vertex; which
    /// vertices are folded together depends on the data, not on the threads.
    #[inline(never)]
    pub(super) fn fold(
        &self,
        values: &[P::Value; MANY],
        before: Option<&[P::Value; MANY]>,
        step: u64,
    ) -> Result<AggregateOf<P>, Halt> {
        let mut folds = [P::Aggregate::identity(); FOLDS];
        if P::Aggregate::KIND.is_some() {
            for (row, values) in values.chunks_exact(FOLDS).enumerate() {
                for (column, (fold, &value)) in folds.iter_mut().zip(values).enumerate() {
                    let at = FOLDS * row + column;
                    let (v, degrees) = (self.first + at as u32, self.degrees.at(at));
                    let before = Some(before.map_or(value, |before| before[at]));
                    let part = part_of(self.view, self.program, v, degrees, value, before, (step, 0))?;
                    *fold = P::Aggregate::combine(*fold, part);
                }
            }
        }
        Ok(folds.into_iter().fold(P::Aggregate::identity(), P::Aggregate::combine))
    }

    /// Returns the message of a vertex, which must depend on its sender alone.
    #[inline(always)]
    fn message(&self, at: usize, value: P::Value) -> Result<Option<P::Message>, Halt> {
        let (v, out_degree) = (self.first + at as u32, self.degrees.out[at].into());
        self.view.message_from(self.program, value, Loaded::of_any(), v, v, out_degree)
    }

    /// Computes the messages of the vertices with edges, which must depend on their sender alone. Returns `true` if one
    /// of them sends nothing.
    #[inline(never)]
    pub(super) fn send(
        &self,
        values: &[P::Value; MANY],
        slots: &mut [P::Message; MANY],
    ) -> Result<bool, Halt> {
        let (sends, mut is_silent) = (self.degrees.sends(), false);
        for (at, (&value, slot)) in values.iter().zip(slots).enumerate() {
            let message = self.message(at, value)?;
            let has_edges = sends[at] > 0;
            *slot = message.filter(|_| has_edges).unwrap_or(*slot);
            is_silent |= has_edges && message.is_none();
        }
        Ok(is_silent)
    }

    /// Returns the bits of the vertices that send, if one with edges does not.
    #[inline(never)]
    pub(super) fn senders(&self, values: &[P::Value; MANY]) -> Result<u64, Halt> {
        let (sends, mut bits) = (self.degrees.sends(), 0);
        for (at, &value) in values.iter().enumerate().filter(|&(at, _)| sends[at] > 0) {
            bits |= u64::from(self.message(at, value)?.is_some()) << at;
        }
        Ok(bits)
    }
}

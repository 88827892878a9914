//! Common parts of step-by-step schedules: values that change only between steps, the fold of all values before a step,
//! and `apply`.

mod kept;

use std::sync::Arc;

use wolfpath_core::program::{AggregateOf, Aggregator, Among, Datum, EdgeProgram, Starts};

pub(crate) use self::kept::{Head, counts_before, kept_folds, record_bytes};
use super::folds::{Folded, Folds};
use super::frontier::{Besides, Frontier};
use super::halt::Halt;
use super::mirrors::{Mirrors, each, put_values};
use super::order::Order;
use super::outcome::Values;
use super::tasks::{Blocks, for_each_task, joined, map_tasks};
use super::view::View;
use super::words::{Bits, marked};
use crate::part::{Message, put};
use crate::shape::{Computes, Shape};
use crate::start::{Degrees, Sources};

/// Number of vertices in a block, the unit in which tasks write values. If everyone sends, values are also folded block
/// by block, in ascending order, so that folds of floats give the same result with any number of threads.
pub const BLOCK: usize = 1024;

/// If fewer than one in this number of a part's vertices send, each is looked up, instead of looking at all that have mirrors.
pub(super) const FEW: u64 = 16;

/// Values of a step-by-step run.
pub(crate) struct Stepwise<'a, P: EdgeProgram> {
    pub(crate) view: &'a View<'a, P>,
    pub(crate) values: Vec<P::Value>,
    pub(crate) present: Bits,
    /// Vertices that have not halted; empty unless the program has `halts`.
    awake: Bits,
    /// Worklist of a program with a `priority`; otherwise that of no vertices.
    pub(crate) order: Order,
    folds: Folds<P>,
    /// Values before the step by rank, if `apply` reads those of other vertices.
    pub(crate) among: Vec<Option<P::Value>>,
    /// Fold of the values before the next step, if the program has a `finished`, which has already seen it.
    folded: Option<AggregateOf<P>>,
    /// `true` if a vertex changed or is awake, so that another step is necessary even if no vertex sends in it. Only
    /// for programs in which vertices compute without a message.
    goes_on: bool,
    /// Facts about the next step in all parts of the graph, which processes have told each other.
    everywhere: Everywhere,
}

/// Properties of the next step in all parts of a graph.
#[derive(Clone, Copy, Default)]
struct Everywhere {
    /// Number of vertices that send.
    active: u64,
    /// `true` if [`Stepwise::goes_on`] is true in one of them.
    goes_on: bool,
}

/// New value of a vertex, and `true` if the program considers it changed.
#[derive(Clone, Copy)]
pub(crate) struct Applied<V> {
    pub(crate) value: V,
    pub(crate) changed: bool,
}

/// Step that is being taken: its number, its level, and the fold of all values before it.
pub(crate) struct StepContext<P: EdgeProgram> {
    pub(crate) step: u64,
    pub(crate) level: u64,
    pub(crate) aggregate: AggregateOf<P>,
}

impl<P: EdgeProgram> Clone for StepContext<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: EdgeProgram> Copy for StepContext<P> {}

impl<P: EdgeProgram> StepContext<P> {
    /// Returns what stands for the step where messages do not depend on it.
    #[inline(always)]
    pub(crate) fn of_no_step() -> StepContext<P> {
        StepContext { step: 0, level: 0, aggregate: P::Aggregate::identity() }
    }
}

impl<'a, P: EdgeProgram> Stepwise<'a, P> {
    const COMPUTES: Computes = Shape::of::<P>().computes();

    /// Returns the first values, and the vertices that send in the first step; if all send in every step, no list of
    /// them.
    pub(crate) fn start(
        view: &'a View<'a, P>,
        sources: &Sources<P::Value>,
    ) -> Result<(Self, Vec<u32>), Halt> {
        let n = view.num_vertices();
        let awake = Bits::new(if Self::COMPUTES == Computes::Awake { n } else { 0 });
        let senders = view.num_senders();
        let (values, present) = (view.shelf.take(senders as usize), Bits::new(senders));
        let order = Order::new(if P::MODEL.has_priority { n } else { 0 });
        let folds = Folds::new(view, const { !Shape::of::<P>().everyone_sends() });
        let mut stepwise = Stepwise {
            view,
            values,
            present,
            awake,
            order,
            folds,
            among: Vec::new(),
            folded: None,
            goes_on: n > 0,
            everywhere: Everywhere::default(),
        };
        if let Some(kept) = view.mirrors.as_ref().and_then(Mirrors::resumed) {
            let first = stepwise.resume(&kept)?;
            return Ok((stepwise, first));
        }
        let earlier = sources.earlier();
        if let Some(earlier) = earlier.filter(|_| const { Shape::of::<P>().everyone_sends() }) {
            // The first step reads the values where they are (`Everyone`).
            stepwise.present = Bits::of_words(&earlier.present);
            return Ok((stepwise, Vec::new()));
        }
        if P::MODEL.starts == Starts::Sources && earlier.is_none() {
            for (&v, &value) in sources.vertices.iter().zip(&sources.values) {
                stepwise.values[v as usize] = value;
                stepwise.present.set(v);
            }
            return Ok((stepwise, sources.vertices.clone()));
        }
        let Stepwise { values, present, awake, order, .. } = &mut stepwise;
        let (blocks, order) = (Blocks::new(&mut values[..n as usize], BLOCK), &*order);
        let first = StepContext { step: 0, level: 0, aggregate: P::Aggregate::identity() };
        let found = map_tasks(blocks.len(), |block| {
            let mut found = Vec::new();
            for (word, values) in (block * BLOCK / 64..).zip(blocks.take(block).chunks_mut(64)) {
                let (mut has, mut sends, mut wakes) = (0, 0, 0);
                for (bit, value) in values.iter_mut().enumerate() {
                    let v = (64 * word + bit) as u32;
                    let first_value = match earlier {
                        Some(earlier) => earlier.get(v),
                        None => view.start(v)?,
                    };
                    if let Some(first_value) = first_value {
                        *value = first_value;
                        has |= 1 << bit;
                        let wishes = wishes(view, v, first_value, true, &first)?;
                        sends |= u64::from(wishes.sends) << bit;
                        wakes |= u64::from(wishes.is_awake) << bit;
                        if P::MODEL.has_priority && wishes.sends {
                            order.set(v, priority(view, v, first_value, &first)?);
                        }
                    }
                }
                present.put_word(word, has);
                if Self::COMPUTES == Computes::Awake {
                    awake.put_word(word, wakes);
                }
                if const { !Shape::of::<P>().everyone_sends() } {
                    found.extend(marked(word, sends));
                }
            }
            Ok(found)
        });
        drop(blocks);
        if Self::COMPUTES == Computes::Awake {
            stepwise.goes_on = stepwise.awake.marked(0..stepwise.awake.words()).next().is_some();
        }
        Ok((stepwise, joined::<_, Halt>(found)?))
    }

    /// Returns the frontier of the first step, given the vertices that [`start`](Self::start) returned.
    pub(crate) fn frontier(&mut self, first: Vec<u32>) -> Result<Frontier, Halt> {
        let sends = self.view.sends;
        let mut frontier = match P::MODEL.has_priority {
            true => Frontier::of_first(&first, &self.order, sends),
            false => Frontier::new(first, sends),
        };
        self.tell(&mut frontier)?;
        Ok(frontier)
    }

    /// Tells the other processes of a run over parts which own vertices send in the next step, and adds those mirrors to the
    /// frontier that do.
    fn tell(&mut self, frontier: &mut Frontier) -> Result<(), Halt> {
        let Stepwise { view, values, present, goes_on, everywhere, .. } = self;
        let Some(mirrors) = &view.mirrors else { return Ok(()) };
        let active = frontier.size().vertices;
        let mut head = vec![u8::from(*goes_on)];
        head.extend(active.to_le_bytes());
        let mut messages = vec![head; mirrors.processes()];
        let value = |v: u32| values[v as usize];
        if active < u64::from(view.num_vertices()) / FEW {
            mirrors.add_some(&mut messages, frontier.vertices(), value);
        } else {
            mirrors.add_values(&mut messages, Some(frontier.marks(view.num_senders())), value);
        }
        let heard = mirrors.exchange(messages)?;
        *everywhere = Everywhere::default();
        let mut found = Vec::new();
        for (process, message) in heard.iter().enumerate() {
            let mut message = Message(message);
            let head = message.byte().zip(message.u64());
            let (goes_on, active) = head.ok_or_else(|| mirrors.unreadable(process))?;
            everywhere.goes_on |= goes_on != 0;
            everywhere.active = everywhere.active.wrapping_add(active);
            mirrors.hear(process, &mut message, |mirror, value| {
                values[mirror as usize] = value;
                present.set(mirror);
                found.push(mirror);
            })?;
        }
        frontier.join(found, view.sends);
        Ok(())
    }

    /// Returns `true` if no vertex sends in the next step.
    pub(crate) fn is_idle(&self, frontier: &Frontier) -> bool {
        match self.view.mirrors {
            Some(_) => self.everywhere.active == 0,
            None => frontier.is_empty(),
        }
    }

    /// Returns the number of vertices that send in the next step.
    pub(crate) fn active(&self, frontier: &Frontier) -> u64 {
        match self.view.mirrors {
            Some(_) => self.everywhere.active,
            None => frontier.size().vertices,
        }
    }

    /// Raises the level to the least priority of all waiting vertices, which become the frontier. Returns the number of
    /// entries examined, or `None` if no vertex waits.
    pub(crate) fn raise_level(&mut self, frontier: &mut Frontier) -> Result<Option<u64>, Halt> {
        // Mirrors have sent, and do not wait here.
        let examined = frontier.raise_level(&mut self.order, self.view.sends, self.view.mirrors.as_ref())?;
        if examined.is_some() {
            self.tell(frontier)?;
        }
        Ok(examined)
    }

    /// Returns `true` if the run takes another step, in which the frontier sends.
    pub(crate) fn goes_on(&self, frontier: &Frontier) -> bool {
        let goes_on = match self.view.mirrors {
            Some(_) => self.everywhere.goes_on,
            None => self.goes_on,
        };
        match Self::COMPUTES {
            Computes::Receivers => !self.is_idle(frontier),
            Computes::Awake => !self.is_idle(frontier) || goes_on,
            Computes::All => goes_on,
        }
    }

    #[inline]
    pub(crate) fn value(&self, v: u32) -> Option<P::Value> {
        self.present.get(v).then(|| self.values[v as usize])
    }

    /// Returns a step with the fold of all values before it.
    pub(crate) fn context(&mut self, step: u64) -> Result<StepContext<P>, Halt> {
        let aggregate = match self.folded {
            Some(folded) => folded,
            None => self.fold(step)?,
        };
        Ok(StepContext { step, level: self.order.level(), aggregate })
    }

    /// Returns `true` if the program's `finished` ends the run after `step`, which is 0 before the first step.
    pub(crate) fn is_finished(&mut self, step: u64) -> Result<bool, Halt> {
        let now = self.fold(step + 1)?;
        match self.folded.replace(now) {
            Some(before) => self.view.finished(before, now, step),
            None => Ok(false),
        }
    }

    /// Returns the fold of all values before `step`.
    pub(crate) fn fold(&mut self, step: u64) -> Result<AggregateOf<P>, Halt> {
        let Stepwise { view, values, present, order, folds, .. } = self;
        let values = &values[..view.num_vertices() as usize];
        folds.fold(&Folded { view, values, present, step, level: order.level() })
    }

    /// Returns the fold of these values of all vertices before `step`, which count as those before the last step too.
    /// For [`Everyone`](super::everyone::Everyone), which folds values where it writes them.
    pub(crate) fn fold_of(&self, values: &[P::Value], step: u64) -> Result<AggregateOf<P>, Halt> {
        type Fold<P> = <P as EdgeProgram>::Aggregate;
        let mut aggregate = Fold::<P>::identity();
        if Fold::<P>::KIND.is_some() {
            let values = &values[..self.view.num_vertices() as usize];
            let parts = map_tasks(values.len().div_ceil(BLOCK), |block| self.fold_block(values, block, step));
            let mut parts = parts.into_iter().collect::<Result<Vec<_>, Halt>>()?;
            if let Some(mirrors) = &self.view.mirrors {
                let mut told = Vec::new();
                put_values(&mut told, parts.len(), parts.iter().copied());
                parts = of_all_blocks::<P>(mirrors);
                for (process, message) in mirrors.tell_all(told)?.iter().enumerate() {
                    hear_folds::<P>(mirrors, process, &mut Message(message), &mut parts)?;
                }
            }
            aggregate = parts.into_iter().fold(aggregate, Fold::<P>::combine);
        }
        Ok(aggregate)
    }

    /// Returns the fold of one block.
    fn fold_block(&self, values: &[P::Value], block: usize, step: u64) -> Result<AggregateOf<P>, Halt> {
        let first = block * BLOCK;
        let values = &values[first..(first + BLOCK).min(values.len())];
        let mut folded = P::Aggregate::identity();
        for (v, &value) in (first as u32..).zip(values).filter(|&(v, _)| self.present.get(v)) {
            folded = P::Aggregate::combine(
                folded,
                part_of(
                    self.view,
                    self.view.program,
                    v,
                    self.view.degrees(v),
                    value,
                    Some(value),
                    (step, 0),
                )?,
            );
        }
        Ok(folded)
    }

    /// Computes the new value of every vertex of the frontier from the message that `take` returns for it, and of the
    /// other vertices that compute. Replaces the frontier with the vertices that send in the next step. `take` must not
    /// read values.
    pub(crate) fn receive(
        &mut self,
        frontier: &mut Frontier,
        context: &StepContext<P>,
        take: impl Fn(u32) -> Option<P::Message> + Sync,
    ) -> Result<(), Halt> {
        let mut among = std::mem::take(&mut self.among);
        self.copy_before(&self.values, &mut among)?;
        let Stepwise { view, values, present, awake, order, folds, .. } = self;
        let (view, order, folds) = (*view, &*order, &*folds);
        let besides = match Self::COMPUTES {
            Computes::Receivers => Besides::Nobody,
            Computes::Awake if self.goes_on => Besides::Marked(awake),
            Computes::Awake => Besides::Nobody,
            Computes::All => Besides::Everyone,
        };
        let values = &mut values[..view.num_vertices() as usize];
        self.goes_on = frontier.update(view.sends, values, besides, |v, received, value, found| {
            let before = present.get(v).then_some(*value);
            let incoming = if received { take(v) } else { None };
            let values = Among::new(&among);
            let applied = apply(view, view.program, v, (before, incoming), values, context)?;
            let changed = match (applied, before) {
                (Some(applied), _) => {
                    *value = applied.value;
                    present.set(v);
                    folds.note(v, context.step);
                    applied.changed
                }
                (None, Some(_)) => false,
                (None, None) => return Ok(()),
            };
            let wishes = wishes(view, v, *value, changed, context)?;
            if P::MODEL.has_priority {
                if wishes.sends || order.waits(v) {
                    order.place(v, priority(view, v, *value, context)?, found);
                }
            } else if wishes.sends {
                found.add(v);
            }
            if Self::COMPUTES == Computes::Awake {
                awake.put(v, wishes.is_awake);
            }
            found.goes_on |= wishes.is_awake || changed && Self::COMPUTES == Computes::All;
            Ok(())
        })?;
        self.among = among;
        self.tell(frontier)
    }

    /// Copies these values of all vertices to `among`, by rank, if `apply` reads the values of other vertices.
    pub(crate) fn copy_before(
        &self,
        values: &[P::Value],
        among: &mut Vec<Option<P::Value>>,
    ) -> Result<(), Halt> {
        if const { !P::MODEL.reads.vertex_values } {
            return Ok(());
        }
        let Some(graph) = self.view.whole() else {
            return self
                .view
                .mirrors
                .as_ref()
                .map_or(Ok(()), |mirrors| self.hear_all(mirrors, values, among));
        };
        let by_rank = graph.by_rank();
        among.resize(by_rank.len(), None);
        let blocks = Blocks::new(among, BLOCK);
        for_each_task(blocks.len(), &|block| {
            let vertices = &by_rank[block * BLOCK..];
            for (slot, &v) in blocks.take(block).iter_mut().zip(vertices) {
                *slot = self.present.get(v).then(|| values[v as usize]);
            }
        });
        Ok(())
    }

    /// Copies the values of all vertices of all parts to `among`, by rank.
    fn hear_all(
        &self,
        mirrors: &Mirrors<'_>,
        values: &[P::Value],
        among: &mut Vec<Option<P::Value>>,
    ) -> Result<(), Halt> {
        let size = P::Value::KIND.size();
        let mut told = Vec::new();
        for v in (0..self.view.num_vertices()).filter(|&v| self.present.get(v)) {
            put(&mut told, self.view.rank_of(v));
            put(&mut told, values[v as usize]);
        }
        among.clear();
        among.resize(mirrors.part.whole.vertices as usize, None);
        for (process, message) in mirrors.tell_all(told)?.iter().enumerate() {
            for told in message.chunks(4 + size) {
                let slot = told.split_first_chunk().filter(|(_, value)| value.len() == size);
                let slot = slot.and_then(|(rank, value)| {
                    Some((among.get_mut(u32::from_le_bytes(*rank) as usize)?, value))
                });
                let (slot, value) = slot.ok_or_else(|| mirrors.unreadable(process))?;
                *slot = Some(P::Value::read(value));
            }
        }
        Ok(())
    }

    /// Returns the number of vertices that have a value.
    pub(crate) fn present(&self) -> u64 {
        (0..self.view.num_vertices()).filter(|&v| self.present.get(v)).count() as u64
    }

    /// Returns the values of the run.
    pub(crate) fn finish(self) -> Values<P::Value> {
        let (mut values, mut present) = (self.values, self.present.into_words());
        let own = self.view.num_vertices() as usize;
        if self.view.mirrors.is_some() {
            values.truncate(own);
            values.shrink_to_fit();
            present.truncate(own.div_ceil(64));
        }
        Values::new(values, present, Arc::downgrade(&self.view.shelf))
    }
}

/// Returns room for the folds of the blocks of all parts.
pub(super) fn of_all_blocks<P: EdgeProgram>(mirrors: &Mirrors<'_>) -> Vec<AggregateOf<P>> {
    vec![P::Aggregate::identity(); mirrors.part.num_blocks()]
}

/// Reads the folds of a process's blocks, and puts them where they are among those of all parts.
pub(super) fn hear_folds<P: EdgeProgram>(
    mirrors: &Mirrors<'_>,
    process: usize,
    message: &mut Message<'_>,
    folds: &mut [AggregateOf<P>],
) -> Result<(), Halt> {
    let blocks = &mirrors.part.blocks[process];
    let bytes = message.take(blocks.len() * AggregateOf::<P>::KIND.size());
    let bytes = bytes.ok_or_else(|| mirrors.unreadable(process))?;
    for (&block, fold) in blocks.iter().zip(each::<AggregateOf<P>>(bytes, blocks.len())) {
        folds[block as usize] = fold;
    }
    Ok(())
}

/// Decisions of a vertex for the next step.
#[derive(Clone, Copy)]
struct Wishes {
    sends: bool,
    /// `true` if it computes even without a message.
    is_awake: bool,
}

/// Asks the program whether a vertex that has just computed, or has its first value, sends, and whether it halts.
/// Without a `sends`, it sends if it `changed`.
#[inline(always)]
fn wishes<P: EdgeProgram>(
    view: &View<'_, P>,
    v: u32,
    value: P::Value,
    changed: bool,
    context: &StepContext<P>,
) -> Result<Wishes, Halt> {
    let (program, at) = (view.program, View::<P>::at_vertex(v));
    let vertex = || view.vertex(v, view.degrees(v), value, context);
    let sends = if P::MODEL.has_sends { program.checked_sends(vertex()).map_err(&at)? } else { changed };
    let is_awake = P::MODEL.has_halts && !program.checked_halts(vertex()).map_err(&at)?;
    Ok(Wishes { sends, is_awake })
}

/// Returns the priority of a vertex that waits to send.
fn priority<P: EdgeProgram>(
    view: &View<'_, P>,
    v: u32,
    value: P::Value,
    context: &StepContext<P>,
) -> Result<u64, Halt> {
    let vertex = view.vertex(v, view.degrees(v), value, context);
    view.program.checked_priority(vertex).map_err(View::<P>::at_vertex(v))
}

/// Returns what a vertex contributes to the fold before a step with this number and level. `before` is its value before
/// the last step.
#[inline(always)]
pub(crate) fn part_of<P: EdgeProgram>(
    view: &View<'_, P>,
    program: &P,
    v: u32,
    degrees: Degrees,
    value: P::Value,
    before: Option<P::Value>,
    (step, level): (u64, u64),
) -> Result<AggregateOf<P>, Halt> {
    view.poll_at(v)?;
    let context = StepContext { step, level, aggregate: P::Aggregate::identity() };
    let vertex = view.vertex(v, degrees, value, &context);
    program.checked_aggregate(vertex, before).map_err(View::<P>::at_vertex(v))
}

/// Calls `apply` and `changed` for a vertex whose value is `before`. A vertex that gets its first value counts as
/// changed. Returns `None` if the program has no `apply` and no message arrived.
#[inline(always)]
pub(crate) fn apply<P: EdgeProgram>(
    view: &View<'_, P>,
    program: &P,
    v: u32,
    (before, incoming): (Option<P::Value>, Option<P::Message>),
    among: Among<'_, P::Value>,
    context: &StepContext<P>,
) -> Result<Option<Applied<P::Value>>, Halt> {
    apply_with(view, program, (v, view.degrees(v)), (before, incoming), among, context)
}

/// Like [`apply`], for a vertex with these degrees.
#[inline(always)]
pub(crate) fn apply_with<P: EdgeProgram>(
    view: &View<'_, P>,
    program: &P,
    (v, degrees): (u32, Degrees),
    (before, incoming): (Option<P::Value>, Option<P::Message>),
    among: Among<'_, P::Value>,
    context: &StepContext<P>,
) -> Result<Option<Applied<P::Value>>, Halt> {
    if incoming.is_none() && !P::MODEL.has_apply {
        return Ok(None);
    }
    view.poll_at(v)?;
    let vertex = view.vertex(v, degrees, before, context);
    let applied = match const { P::MODEL.reads.vertex_values } {
        true => program.checked_apply_among(vertex, incoming, among),
        false => program.checked_apply(vertex, incoming),
    };
    let value = applied.map_err(View::<P>::at_vertex(v))?;
    let changed = match before {
        None => true,
        Some(before) if P::MODEL.has_changed => {
            program.checked_changed(before, value).map_err(View::<P>::at_vertex(v))?
        }
        Some(before) => !before.same(value),
    };
    Ok(Some(Applied { value, changed }))
}

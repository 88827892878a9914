//! Common parts of step-by-step schedules: values that change only between steps, the fold of all values before a step,
//! and `apply`.

use wolfpath_core::program::{AggregateOf, Aggregator, Datum, EdgeProgram, Senders, Starts};

use super::frontier::Frontier;
use super::outcome::{Values, zeros};
use super::tasks::{Blocks, joined, map_tasks};
use super::view::{Halt, View};
use super::words::Bits;
use crate::start::{Degrees, Sources};

/// Number of vertices in a block. Values are folded block by block, in ascending order, so that folds of floats give
/// the same result with any number of threads. A block is also the unit in which tasks write values.
pub(crate) const BLOCK: usize = 1024;

/// Values of a step-by-step run.
pub(crate) struct Stepwise<'a, P: EdgeProgram> {
    pub(crate) view: &'a View<'a, P>,
    pub(crate) values: Vec<P::Value>,
    pub(crate) present: Bits,
}

/// New value of a vertex, and `true` if the program considers it changed.
#[derive(Clone, Copy)]
pub(crate) struct Applied<V> {
    pub(crate) value: V,
    pub(crate) changed: bool,
}

/// Step that is being taken: its number, and the fold of all values before it.
pub(crate) struct StepContext<P: EdgeProgram> {
    pub(crate) step: u64,
    pub(crate) aggregate: AggregateOf<P>,
}

impl<P: EdgeProgram> Clone for StepContext<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: EdgeProgram> Copy for StepContext<P> {}

impl<'a, P: EdgeProgram> Stepwise<'a, P> {
    /// Returns the first values, and the vertices that have one; if all send in every step, no list of them.
    pub(crate) fn start(
        view: &'a View<'a, P>,
        sources: &Sources<P::Value>,
    ) -> Result<(Self, Vec<u32>), Halt> {
        let n = view.num_vertices();
        let mut values = zeros(n as usize);
        let present = Bits::new(n);
        if P::MODEL.starts == Starts::Sources {
            for (&v, &value) in sources.vertices.iter().zip(&sources.values) {
                values[v as usize] = value;
                present.set(v);
            }
            return Ok((Stepwise { view, values, present }, sources.vertices.clone()));
        }
        let blocks = Blocks::new(&mut values, BLOCK);
        let found = map_tasks(blocks.len(), |block| {
            let mut found = Vec::new();
            for (word, values) in (block * BLOCK / 64..).zip(blocks.take(block).chunks_mut(64)) {
                let mut has = 0;
                for (bit, value) in values.iter_mut().enumerate() {
                    if let Some(first) = view.start((64 * word + bit) as u32)? {
                        *value = first;
                        has |= 1 << bit;
                    }
                }
                present.put_word(word, has);
                if P::SENDERS != Senders::All {
                    found.extend(present.marked(word..word + 1));
                }
            }
            Ok(found)
        });
        drop(blocks);
        Ok((Stepwise { view, values, present }, joined::<_, Halt>(found)?))
    }

    #[inline]
    pub(crate) fn value(&self, v: u32) -> Option<P::Value> {
        self.present.get(v).then(|| self.values[v as usize])
    }

    /// Returns a step with the fold of all values before it.
    pub(crate) fn fold(&self, step: u64) -> Result<StepContext<P>, Halt> {
        type Fold<P> = <P as EdgeProgram>::Aggregate;
        let mut aggregate = Fold::<P>::identity();
        if Fold::<P>::KIND.is_some() {
            for part in map_tasks(self.values.len().div_ceil(BLOCK), |block| self.fold_block(block, step)) {
                aggregate = Fold::<P>::combine(aggregate, part?);
            }
        }
        Ok(StepContext { step, aggregate })
    }

    /// Returns the fold of one block.
    fn fold_block(&self, block: usize, step: u64) -> Result<AggregateOf<P>, Halt> {
        let first = block * BLOCK;
        let values = &self.values[first..(first + BLOCK).min(self.values.len())];
        let mut folded = P::Aggregate::identity();
        for (v, &value) in (first as u32..).zip(values).filter(|&(v, _)| self.present.get(v)) {
            folded = P::Aggregate::combine(
                folded,
                part_of(self.view, self.view.program, v, self.view.degrees(v), value, step)?,
            );
        }
        Ok(folded)
    }

    /// Computes the new value of every vertex of the frontier from the message that `take` returns for it, and keeps
    /// those that changed in the frontier. `take` must not read values.
    pub(crate) fn receive(
        &mut self,
        frontier: &mut Frontier,
        context: &StepContext<P>,
        take: impl Fn(u32) -> Option<P::Message> + Sync,
    ) -> Result<(), Halt> {
        let Stepwise { view, values, present } = self;
        let view = *view;
        frontier.update(view.sends, values, |v, value, found| {
            let before = present.get(v).then_some(*value);
            let Some(applied) = apply(view, view.program, v, view.degrees(v), before, take(v), context)?
            else {
                return Ok(());
            };
            *value = applied.value;
            present.set(v);
            if applied.changed {
                found.add(v);
            }
            Ok(())
        })
    }

    /// Returns the number of vertices that have a value.
    pub(crate) fn present(&self) -> u64 {
        (0..self.view.num_vertices()).filter(|&v| self.present.get(v)).count() as u64
    }

    /// Returns the values of the run.
    pub(crate) fn finish(self) -> Values<P::Value> {
        Values { values: self.values, present: self.present.into_words() }
    }
}

/// Returns what a vertex contributes to the fold before `step`.
#[inline(always)]
pub(crate) fn part_of<P: EdgeProgram>(
    view: &View<'_, P>,
    program: &P,
    v: u32,
    degrees: Degrees,
    value: P::Value,
    step: u64,
) -> Result<AggregateOf<P>, Halt> {
    view.poll_at(v)?;
    let vertex = view.vertex(v, degrees, value, step, P::Aggregate::identity());
    program.checked_aggregate(vertex).map_err(View::<P>::at_vertex(v))
}

/// Calls `apply` and `changed` for a vertex whose value is `before`. A vertex that gets its first value counts as
/// changed. Returns `None` if the program has no `apply` and no message arrived.
#[inline(always)]
pub(crate) fn apply<P: EdgeProgram>(
    view: &View<'_, P>,
    program: &P,
    v: u32,
    degrees: Degrees,
    before: Option<P::Value>,
    incoming: Option<P::Message>,
    context: &StepContext<P>,
) -> Result<Option<Applied<P::Value>>, Halt> {
    if incoming.is_none() && !P::MODEL.has_apply {
        return Ok(None);
    }
    view.poll_at(v)?;
    let vertex = view.vertex(v, degrees, before, context.step, context.aggregate);
    let value = program.checked_apply(vertex, incoming).map_err(View::<P>::at_vertex(v))?;
    let changed = match before {
        None => true,
        Some(before) if P::MODEL.has_changed => {
            program.checked_changed(before, value).map_err(View::<P>::at_vertex(v))?
        }
        Some(before) => !before.same(value),
    };
    Ok(Some(Applied { value, changed }))
}

//! Common parts of step-by-step schedules: values that change only between steps, the fold of all values before a step,
//! and `apply`.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use wolfpath_core::program::{AggregateOf, Aggregator, Datum, EdgeProgram};

use super::outcome::Values;
use super::tasks::{map_ranges, map_tasks};
use super::view::{Halt, View};
use super::words::{Bits, fill};
use crate::start::{Sources, zero};

/// Number of vertices folded by one task. It is constant, so that folds of floats give the same result with any number
/// of threads.
const FOLD_VERTICES: usize = 4096;

/// Minimum number of vertices per task.
const TASK_VERTICES: usize = 512;

/// Values of a step-by-step run.
pub(crate) struct Stepwise<'a, P: EdgeProgram> {
    pub(crate) view: &'a View<'a, P>,
    pub(crate) values: Vec<P::Value>,
    pub(crate) present: Bits,
}

/// New value of a vertex, and `true` if the program considers it changed.
pub(crate) struct Applied<V> {
    pub(crate) vertex: u32,
    pub(crate) value: V,
    pub(crate) changed: bool,
}

impl<'a, P: EdgeProgram> Stepwise<'a, P> {
    /// Returns the first values, and the vertices that have one.
    pub(crate) fn start(
        view: &'a View<'a, P>,
        sources: &Sources<P::Value>,
    ) -> Result<(Self, Vec<u32>), Halt> {
        let n = view.num_vertices();
        let first = std::sync::Mutex::new(Vec::new());
        let frontier = view.first_values(sources, |v, value| match first.lock() {
            Ok(mut first) => first.push((v, value)),
            Err(poisoned) => poisoned.into_inner().push((v, value)),
        })?;
        let mut values = vec![zero(); n as usize];
        let present = Bits::new(n);
        for (v, value) in first.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            values[v as usize] = value;
            present.set(v);
        }
        Ok((Stepwise { view, values, present }, frontier))
    }

    #[inline]
    pub(crate) fn value(&self, v: u32) -> Option<P::Value> {
        self.present.get(v).then(|| self.values[v as usize])
    }

    /// Returns the fold of all values.
    pub(crate) fn fold(&self, step: u64) -> Result<AggregateOf<P>, Halt> {
        type Fold<P> = <P as EdgeProgram>::Aggregate;
        if Fold::<P>::KIND.is_none() {
            return Ok(Fold::<P>::identity());
        }
        let parts = map_tasks(self.values.len().div_ceil(FOLD_VERTICES), |task| {
            let mut folded = Fold::<P>::identity();
            let first = task * FOLD_VERTICES;
            let values = &self.values[first..(first + FOLD_VERTICES).min(self.values.len())];
            for (v, &value) in (first as u32..).zip(values).filter(|&(v, _)| self.present.get(v)) {
                self.view.poll_at(v)?;
                let vertex = self.view.vertex(v, value, step, Fold::<P>::identity());
                let part = self.view.program.checked_aggregate(vertex).map_err(View::<P>::at_vertex(v))?;
                folded = Fold::<P>::combine(folded, part);
            }
            Ok(folded)
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>, Halt>>()?;
        Ok(parts.into_iter().fold(Fold::<P>::identity(), Fold::<P>::combine))
    }

    /// Calls `apply` and `changed` for a vertex. A vertex that gets its first value counts as changed.
    pub(crate) fn apply(
        &self,
        v: u32,
        incoming: Option<P::Message>,
        step: u64,
        aggregate: AggregateOf<P>,
    ) -> Result<Option<Applied<P::Value>>, Halt> {
        if incoming.is_none() && !P::MODEL.has_apply {
            return Ok(None);
        }
        let before = self.value(v);
        self.view.poll_at(v)?;
        let vertex = self.view.vertex(v, before, step, aggregate);
        let value = self.view.program.checked_apply(vertex, incoming).map_err(View::<P>::at_vertex(v))?;
        let changed = match before {
            None => true,
            Some(before) if P::MODEL.has_changed => {
                self.view.program.checked_changed(before, value).map_err(View::<P>::at_vertex(v))?
            }
            Some(before) => !before.same(value),
        };
        Ok(Some(Applied { vertex: v, value, changed }))
    }

    /// Computes the new values of these vertices, and writes them when all are computed. Returns the vertices that
    /// changed.
    pub(crate) fn receive(
        &mut self,
        receivers: &[u32],
        receive: impl Fn(&Self, u32) -> Result<Option<Applied<P::Value>>, Halt> + Sync,
    ) -> Result<Vec<u32>, Halt> {
        let this = &*self;
        let parts = map_ranges(receivers.len(), TASK_VERTICES, |range| {
            receivers[range]
                .iter()
                .filter_map(|&v| receive(this, v).transpose())
                .collect::<Result<Vec<_>, Halt>>()
        });
        let applied = parts.into_iter().collect::<Result<Vec<_>, Halt>>()?;
        let mut changed = Vec::new();
        for Applied { vertex, value, changed: is_changed } in applied.into_iter().flatten() {
            self.values[vertex as usize] = value;
            self.present.set(vertex);
            if is_changed {
                changed.push(vertex);
            }
        }
        Ok(changed)
    }

    /// Returns the number of vertices that have a value.
    pub(crate) fn present(&self) -> u64 {
        (0..self.view.num_vertices()).filter(|&v| self.present.get(v)).count() as u64
    }

    /// Returns the values of the run.
    pub(crate) fn finish(self) -> Values<P::Value> {
        Values::collect(self.view.num_vertices(), |v| self.value(v))
    }
}

/// Step in which each vertex was last claimed, so that it is added to a list only once per step.
pub(crate) struct Marks(Vec<AtomicU32>);

impl Marks {
    pub(crate) fn new(vertices: u32) -> Marks {
        Marks(fill(vertices, 0))
    }

    /// Claims the vertex for this step. Returns `true` only for the first call per vertex and step.
    #[inline]
    pub(crate) fn claim(&self, v: u32, step: u32) -> bool {
        let mark = &self.0[v as usize];
        mark.load(Relaxed) != step && mark.swap(step, Relaxed) != step
    }

    /// Returns `true` if the vertex was claimed in this step.
    #[inline]
    pub(crate) fn is_claimed(&self, v: u32, step: u32) -> bool {
        self.0[v as usize].load(Relaxed) == step
    }
}

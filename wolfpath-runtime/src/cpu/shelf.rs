//! Arrays that runs on the CPU leave behind for the next run over the same loaded graph. Allocating a large array, and
//! touching its pages for the first time, takes longer than a step over a small graph. No plan counts these arrays: they
//! are at most as large as those of the largest run so far, which its plan did count.

use std::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use wolfpath_core::graph::{Direction, LayeredGraph, WeightError};
use wolfpath_core::program::{Common, Datum, EdgeProgram, WeightField};

use super::lane::SendRows;
use super::outcome::zeros;
use super::proxies::Busy;
use super::tasks::lock;
use super::words::Bits;
use crate::error::PlanError;
use crate::path_order::PathOrder;
use crate::plan::RowUse;

/// Maximum number of arrays that are kept. A chain of runs in which every vertex sends uses four: the values of two
/// outcomes, and the messages of two steps.
const MOST: usize = 4;

/// An order of paths, with the rows along which vertices send, and whether the paths are ordered.
type KnownOrder = ((RowUse, bool), Arc<PathOrder>);

/// Arrays that earlier runs allocated, and results that hold for all runs over the graph.
#[derive(Default)]
pub(crate) struct Shelf {
    arrays: Mutex<Vec<Box<dyn Any + Send>>>,
    rows: Mutex<Option<(RowUse, Arc<KnownRows>)>>,
    /// The order of paths of the last run that visited vertices in it.
    path_order: Mutex<Option<KnownOrder>>,
    /// The busy vertices of the last accumulating run on several threads, with the rows along which vertices sent.
    busy: Mutex<Option<(RowUse, Arc<Busy>)>>,
    /// Weights that had to be converted to the type of the last program that read weights.
    weights: Mutex<Vec<(WeightsName, Box<dyn Any + Send>)>>,
    /// Data that the last run prepared for a run that continues it, with the number that identifies the last run's values.
    ahead: Mutex<Option<(u64, Box<dyn Any + Send>)>>,
}

/// Identity of converted weights, apart from their type.
#[derive(Clone, PartialEq)]
struct WeightsName {
    direction: Direction,
    lossy: bool,
    column: Option<String>,
    fields: &'static [WeightField],
    /// Counts of common neighbours, if the program reads them instead of weights.
    counts: Option<Common>,
}

/// Weights as a run reads them.
pub(crate) enum Weights<'a, W> {
    /// Weights of the graph.
    Borrowed(&'a [W]),
    /// Converted weights, which the shelf keeps for the next run.
    Converted(Arc<Vec<W>>),
}

impl<W> Clone for Weights<'_, W> {
    fn clone(&self) -> Self {
        match self {
            Weights::Borrowed(weights) => Weights::Borrowed(weights),
            Weights::Converted(weights) => Weights::Converted(weights.clone()),
        }
    }
}

impl<W> std::ops::Deref for Weights<'_, W> {
    type Target = [W];

    #[inline]
    fn deref(&self) -> &[W] {
        match self {
            Weights::Borrowed(weights) => weights,
            Weights::Converted(weights) => weights,
        }
    }
}

/// Properties of the rows that runs traverse in which every vertex sends.
pub(crate) struct KnownRows {
    /// Vertices that have edges along which they may send.
    pub(crate) with_edges: Bits,
    /// Vertices with long rows, with their pieces as a range of `hub_pieces`, in ascending order.
    pub(crate) hubs: Vec<(u32, std::ops::Range<usize>)>,
    /// Pieces of long rows: the vertex, the lane of its row, and the positions in the lane.
    pub(crate) hub_pieces: Vec<(u32, usize, std::ops::Range<usize>)>,
}

impl std::fmt::Debug for Shelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shelf").finish_non_exhaustive()
    }
}

impl Shelf {
    /// Returns an array of this length, whose contents are arbitrary.
    pub(crate) fn take<V: Datum>(&self, length: usize) -> Vec<V> {
        let mut arrays = lock(&self.arrays);
        let fits = |array: &Box<dyn Any + Send>| {
            array.downcast_ref::<Vec<V>>().is_some_and(|array| array.len() == length)
        };
        let found = arrays.iter().position(fits).map(|at| arrays.swap_remove(at));
        drop(arrays);
        match found.and_then(|found| found.downcast().ok()) {
            Some(array) => *array,
            None => zeros(length),
        }
    }

    /// Keeps an array for the next run.
    pub(crate) fn give<V: Datum>(&self, array: Vec<V>) {
        if array.is_empty() {
            return;
        }
        let mut arrays = lock(&self.arrays);
        if arrays.len() == MOST {
            arrays.remove(0);
        }
        arrays.push(Box::new(array));
    }

    /// Returns the weights of a graph in the type of program `P`. Converted weights are kept until a run needs others.
    pub(crate) fn weights<'a, P: EdgeProgram>(
        &self,
        graph: &'a LayeredGraph,
        direction: Direction,
        lossy: bool,
    ) -> Result<Weights<'a, P::Load>, WeightError> {
        let fields = P::MODEL.weight_columns;
        let column = graph.weight_column().filter(|_| fields.is_empty()).map(str::to_owned);
        let counts = P::MODEL.reads.common();
        let name = WeightsName { direction, lossy, column, fields, counts };
        let known = lock(&self.weights)
            .iter()
            .find(|(of, _)| *of == name)
            .and_then(|(_, weights)| weights.downcast_ref::<Arc<Vec<P::Load>>>().cloned());
        if let Some(weights) = known {
            return Ok(Weights::Converted(weights));
        }
        // Not locked meanwhile: a thread that waits for parts of the conversion may execute another run.
        Ok(match graph.weights_for::<P>(direction, lossy)? {
            Cow::Borrowed(weights) => Weights::Borrowed(weights),
            Cow::Owned(weights) => {
                let weights = Arc::new(weights);
                let mut kept = lock(&self.weights);
                kept.retain(|(of, _)| of.direction != direction);
                kept.push((name, Box::new(weights.clone())));
                Weights::Converted(weights)
            }
        })
    }

    /// Returns the order of paths for a run that sends along these rows, or one in which paths follow each other in no
    /// particular order.
    pub(crate) fn path_order(
        &self,
        graph: &LayeredGraph,
        (rows, is_ordered): (RowUse, bool),
    ) -> Result<Arc<PathOrder>, PlanError> {
        let name = (rows, is_ordered);
        let known =
            lock(&self.path_order).as_ref().filter(|(of, _)| *of == name).map(|(_, known)| known.clone());
        if let Some(known) = known {
            return Ok(known);
        }
        let found = Arc::new(PathOrder::new(graph, rows, is_ordered)?);
        *lock(&self.path_order) = Some((name, found.clone()));
        Ok(found)
    }

    /// Returns the busy vertices of a run that sends along these rows of the graph.
    pub(super) fn busy(&self, of: RowUse, sends: SendRows<'_>) -> Arc<Busy> {
        let known = lock(&self.busy).as_ref().filter(|(rows, _)| *rows == of).map(|(_, known)| known.clone());
        known.unwrap_or_else(|| {
            let found = Arc::new(Busy::of(sends));
            *lock(&self.busy) = Some((of, found.clone()));
            found
        })
    }

    /// Returns what a run left for the next one, which starts with the values that have this number.
    pub(crate) fn take_ahead<T: Any + Send>(&self, number: u64) -> Option<T> {
        let (of, ahead) = lock(&self.ahead).take()?;
        ahead.downcast().ok().filter(|_| of == number).map(|ahead| *ahead)
    }

    /// Leaves data for a run that starts with the values that have this number.
    pub(crate) fn leave_ahead<T: Any + Send>(&self, number: u64, ahead: T) {
        *lock(&self.ahead) = Some((number, Box::new(ahead)));
    }

    /// Returns the properties of the rows that a run traverses. `find` is called if the last run traversed others.
    pub(crate) fn rows(&self, of: RowUse, find: impl FnOnce() -> KnownRows) -> Arc<KnownRows> {
        let known = lock(&self.rows).as_ref().filter(|(rows, _)| *rows == of).map(|(_, known)| known.clone());
        known.unwrap_or_else(|| {
            let found = Arc::new(find());
            *lock(&self.rows) = Some((of, found.clone()));
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_vertices_are_found_once() {
        let star = LayeredGraph::from_edges((1..20_000).map(|v| (v, 0))).expect("a valid graph");
        let rows = RowUse::new(wolfpath_core::program::Along::Out, false);
        let sends = SendRows { out: Some(star.out_edges()), inward: None };
        let shelf = Shelf::default();
        let busy = shelf.busy(rows, sends);
        assert_eq!(busy.number_of(star.vertex_of(0).expect("it is a vertex")), Some(0));
        assert!(Arc::ptr_eq(&busy, &shelf.busy(rows, sends)));
    }

    #[test]
    fn arrays_of_the_same_type_and_length_are_reused() {
        let shelf = Shelf::default();
        shelf.give(vec![7u32; 100]);
        assert_eq!(shelf.take::<u32>(99), [0; 99]);
        assert_eq!(shelf.take::<f32>(100), [0.0; 100]);
        assert_eq!(shelf.take::<u32>(100), [7; 100]);
        assert_eq!(shelf.take::<u32>(100), [0; 100]);
        (0..2 * MOST as u64).for_each(|of| shelf.give(vec![of; 3]));
        assert_eq!(lock(&shelf.arrays).len(), MOST);
    }
}

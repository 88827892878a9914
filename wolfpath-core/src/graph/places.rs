//! The place of each edge among those along which its sender sends, by ascending id of the receiver. Rows are in layered
//! order, not in the order of ids, so places have to be computed. They do not change during a run: they are computed
//! once per graph, by sorting each row, and then read at an edge's position like weights.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::apart::apart;
use super::common::zeros;
use super::layered_graph::LayeredGraph;
use super::neighbours::{split, tasks};
use super::rows::{Direction, Rows};
use crate::program::Along;
use crate::store::StoreError;

/// The rows in whose order places are stored, and what they are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order {
    /// `true` if senders send along the rows of both directions, so that their edges are ranked together.
    both: bool,
    direction: Direction,
    /// `true` if the rows are those over which receivers gather.
    by_receiver: bool,
}

/// Places that were computed so far.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<Vec<(Order, Arc<Vec<u32>>)>>);

impl Places {
    fn get(&self, order: Order) -> Option<Arc<Vec<u32>>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(known, _)| *known == order).map(|(_, places)| places.clone())
    }

    /// Keeps places, and returns them; those that another thread has kept meanwhile take precedence.
    fn keep(&self, order: Order, places: Vec<u32>) -> Arc<Vec<u32>> {
        if let Some(known) = self.get(order) {
            return known;
        }
        let places = Arc::new(places);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((order, places.clone()));
        places
    }
}

/// Number of edges plus vertices per task of one thread.
const TASK: u64 = 1 << 15;

impl LayeredGraph {
    /// Returns the place of every edge among the edges along which its sender sends, if messages travel `along` the
    /// edges. The places are in the order of the rows of `direction`: those of the senders, or, if `by_receiver`, those
    /// over which receivers gather. Parallel edges are in their order in the rows; of edges in both directions, those in
    /// out-rows come first.
    ///
    /// # Errors
    /// Returns an error if the in-rows or the places do not fit into memory, or if a vertex has more than 2^32 edges.
    #[doc(hidden)]
    pub fn edge_places(
        &self,
        along: Along,
        direction: Direction,
        by_receiver: bool,
    ) -> Result<Arc<Vec<u32>>, StoreError> {
        let both = along == Along::Both && !self.is_symmetric();
        let order = Order { both, direction, by_receiver };
        let known = self.kept_places();
        if let Some(places) = known.get(order) {
            return Ok(places);
        }
        let places = match by_receiver {
            true => self.places_by_receiver(along, direction)?,
            false => apart(self.num_edges(), || self.places_by_sender(order))?,
        };
        Ok(known.keep(order, places))
    }

    fn places_by_sender(&self, order: Order) -> Result<Vec<u32>, StoreError> {
        let (rows, ranks) = (self.rows_in(order.direction)?, self.ranks());
        let [first, second] = match order.both {
            true => [self.out_edges(), self.in_edges()?].map(Some),
            false => [Some(rows), None],
        };
        let of_row = |keys: &mut Vec<u64>, v: u32, slots: &mut [u32]| {
            keys.clear();
            // The ids of vertices ascend with their ranks. Equal ranks stay in the order of the rows.
            let ends = [first, second].into_iter().flatten().flat_map(|rows| rows.row(v));
            keys.extend(ends.zip(0u64..).map(|(&end, at)| u64::from(ranks[end as usize]) << u32::BITS | at));
            keys.sort_unstable();
            let skipped = match (order.both, order.direction, first) {
                (true, Direction::In, Some(outs)) => outs.degree(v),
                _ => 0,
            };
            for (place, key) in (0..).zip(&*keys) {
                let at = u64::from(*key as u32).wrapping_sub(skipped);
                if let Some(slot) = slots.get_mut(at as usize) {
                    *slot = place;
                }
            }
        };
        let longest = |v: u32| [first, second].into_iter().flatten().map(|rows| rows.degree(v)).sum::<u64>();
        if (0..rows.num_vertices()).into_par_iter().any(|v| longest(v) > u64::from(u32::MAX)) {
            return Err(StoreError::Space {
                what: "places of edges",
                reason: "a vertex has more than 4294967295 edges, so their places need more than 32 bits"
                    .to_owned(),
            });
        }
        filled(rows, Vec::new, of_row)
    }

    /// Returns the places of the edges in the rows over which receivers gather, from those of the senders' rows.
    fn places_by_receiver(&self, along: Along, direction: Direction) -> Result<Vec<u32>, StoreError> {
        let opposite = match direction {
            Direction::In => Direction::Out,
            _ if self.is_symmetric() => Direction::Out,
            Direction::Out => Direction::In,
        };
        // Not kept: no run reads both arrays unless runs of both kinds take turns.
        let both = along == Along::Both && !self.is_symmetric();
        let order = Order { both, direction: opposite, by_receiver: false };
        let places = match self.kept_places().get(order) {
            Some(places) => places,
            None => Arc::new(apart(self.num_edges(), || self.places_by_sender(order))?),
        };
        let (rows, senders) = (self.rows_in(direction)?, self.rows_in(opposite)?);
        let of_row = |(): &mut (), v: u32, slots: &mut [u32]| {
            let (mut before, mut parallel) = (None, 0);
            for (&sender, slot) in rows.row(v).iter().zip(slots) {
                parallel = if before == Some(sender) { parallel + 1 } else { 0 };
                before = Some(sender);
                *slot = places[senders.twin(sender, v, parallel)];
            }
        };
        apart(self.num_edges(), || filled(rows, || (), of_row))
    }

    fn rows_in(&self, direction: Direction) -> Result<Rows<'_>, StoreError> {
        match direction {
            Direction::Out => Ok(self.out_edges()),
            Direction::In => self.in_edges(),
        }
    }
}

/// Returns one number per position of `rows`, which `of_row` writes row by row. Each task has a state of its own.
fn filled<S>(
    rows: Rows<'_>,
    state: impl Fn() -> S + Send + Sync,
    of_row: impl Fn(&mut S, u32, &mut [u32]) + Send + Sync,
) -> Result<Vec<u32>, StoreError> {
    let mut places: Vec<u32> = zeros(rows.ends.len())?;
    let cuts = tasks(rows, TASK);
    let length = |pair: &[u32]| (rows.offsets[pair[1] as usize] - rows.offsets[pair[0] as usize]) as usize;
    let parts = split(&mut places, cuts.windows(2).map(length));
    parts.into_par_iter().zip(cuts.par_windows(2)).for_each(|(mut part, pair)| {
        let mut state = state();
        for v in pair[0]..pair[1] {
            let (slots, rest) = part.split_at_mut(rows.degree(v) as usize);
            of_row(&mut state, v, slots);
            part = rest;
        }
    });
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

    /// Returns (sender, receiver, place) of all edges in the rows of a direction, with ids.
    fn listed(
        graph: &LayeredGraph,
        along: Along,
        direction: Direction,
        by_receiver: bool,
    ) -> Result<Vec<(u64, u64, u32)>> {
        let places = graph.edge_places(along, direction, by_receiver)?;
        let rows = graph.rows_in(direction)?;
        let mut all = Vec::new();
        for v in 0..rows.num_vertices() {
            for at in rows.range(v) {
                let (here, there) = (graph.id_of(v), graph.id_of(rows.ends[at]));
                let (sender, receiver) = if by_receiver { (there, here) } else { (here, there) };
                all.push((sender, receiver, places[at]));
            }
        }
        all.sort_unstable();
        Ok(all)
    }

    /// A graph whose rows are not in the order of ids: the search from 1 reaches 9 before 2.
    fn graph() -> Result<LayeredGraph> {
        Ok(LayeredGraph::from_edges([(1, 9), (9, 2), (9, 1), (9, 5), (1, 9), (2, 9), (9, 9), (5, 2)])?)
    }

    #[test]
    fn places_ascend_with_the_ids_of_receivers() -> Result {
        let graph = graph()?;
        let expected =
            [(1, 9, 0), (1, 9, 1), (2, 9, 0), (5, 2, 0), (9, 1, 0), (9, 2, 1), (9, 5, 2), (9, 9, 3)];
        assert_eq!(listed(&graph, Along::Out, Direction::Out, false)?, expected);
        assert_eq!(listed(&graph, Along::Out, Direction::In, true)?, expected);
        Ok(())
    }

    #[test]
    fn edges_in_both_directions_are_ranked_together() -> Result {
        let graph = graph()?;
        let mut sent = listed(&graph, Along::Both, Direction::Out, false)?;
        assert_eq!(sent, listed(&graph, Along::Both, Direction::In, true)?);
        let inward = listed(&graph, Along::Both, Direction::In, false)?;
        assert_eq!(inward, listed(&graph, Along::Both, Direction::Out, true)?);
        sent.extend(inward);
        sent.sort_unstable_by_key(|&(sender, _, place)| (sender, place));
        // 9 sends to 1 three times, to 2 twice, to 5 once, and to itself twice.
        let of_nine: Vec<_> = sent.iter().filter(|edge| edge.0 == 9).collect();
        let receivers: Vec<u64> = of_nine.iter().map(|edge| edge.1).collect();
        assert_eq!(receivers, [1, 1, 1, 2, 2, 5, 9, 9]);
        assert!(of_nine.iter().zip(0..).all(|(edge, place)| edge.2 == place), "{of_nine:?}");
        Ok(())
    }

    #[test]
    fn a_symmetric_graph_has_the_same_rows_in_both_roles() -> Result {
        let graph = LayeredGraph::from_edges([(1, 7), (7, 1), (1, 3), (3, 1), (7, 3), (3, 7)])?;
        let sent = listed(&graph, Along::Both, Direction::Out, false)?;
        assert_eq!(sent, listed(&graph, Along::Both, Direction::Out, true)?);
        assert_eq!(sent, [(1, 3, 0), (1, 7, 1), (3, 1, 0), (3, 7, 1), (7, 1, 0), (7, 3, 1)]);
        Ok(())
    }
}

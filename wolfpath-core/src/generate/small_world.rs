//! Small worlds (Watts and Strogatz 1998): a ring of neighbours with a few shortcuts. Adjacent vertices usually have
//! common neighbours, yet the diameter is small.

use super::pairs::{draws, pair, undirected};
use super::{GenerateError, check_vertices};
use crate::edge_list::EdgeList;
use crate::progress::{Progress, Stage};
use crate::random::{below, hash};

/// See [`Recipe::SmallWorld`](super::Recipe::SmallWorld).
pub(super) fn make(
    vertices: u32,
    neighbours: u32,
    rewired: f64,
    seed: u64,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    let vertices = check_vertices(vertices.into())?;
    if !neighbours.is_multiple_of(2) || neighbours >= vertices.max(1) {
        return Err(GenerateError::Neighbours { asked: neighbours, vertices });
    }
    if !(0.0..=1.0).contains(&rewired) {
        return Err(GenerateError::Probability { found: rewired });
    }
    let (half, threshold) = (neighbours / 2, (rewired * 4_294_967_296.0) as u64);
    let draws = draws(vertices, half)?;
    progress.begin(Stage::Generate, Some(draws as u64));
    let pair_of = |number| {
        let random = hash(seed, number as u64);
        let (vertex, place) = ((number / half as usize) as u32, (number % half as usize) as u32);
        // The distance is at least 1 and below the number of vertices, so no edge is a self-loop.
        let ahead = if random >> 32 < threshold { below(vertices - 1, hash(random, 0)) } else { place } + 1;
        let end = (u64::from(vertex) + u64::from(ahead)) % u64::from(vertices);
        pair(vertex, end as u32)
    };
    undirected(vertices, draws, Box::new(pair_of), progress)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::small_world;

    #[test]
    fn a_ring_where_nothing_is_rewired() {
        let list = small_world(6, 2, 0.0, 1).unwrap();
        assert_eq!((list.sources(), list.targets()), (&[0, 0, 1, 2, 3, 4][..], &[1, 5, 2, 3, 4, 5][..]));
        assert_eq!(small_world(100, 8, 0.0, 1).unwrap().sources().len(), 400);
    }

    #[test]
    fn as_many_shortcuts_as_asked_for() {
        let list = small_world(10_000, 10, 0.1, 7).unwrap();
        let ends = list.sources().iter().zip(list.targets());
        let shortcuts = ends.filter(|(u, v)| (6..=9_994).contains(&(*v - *u))).count();
        assert!((4_700..5_300).contains(&shortcuts), "{shortcuts}");
        // Fewer than 50,000 edges remain because some edges were drawn twice.
        assert!((49_900..=50_000).contains(&list.sources().len()), "{}", list.sources().len());
        assert_eq!(list.counts().unwrap(), Default::default());
        assert_eq!(list, small_world(10_000, 10, 0.1, 7).unwrap());
    }

    #[test]
    fn impossible_rings_are_refused() {
        for (vertices, neighbours) in [(10, 3), (10, 10), (2, 2), (1, 2)] {
            let refused = small_world(vertices, neighbours, 0.1, 1);
            assert!(matches!(refused, Err(GenerateError::Neighbours { .. })), "{refused:?}");
        }
        for found in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(small_world(9, 2, found, 1), Err(GenerateError::Probability { .. })));
        }
        assert_eq!(small_world(1, 0, 0.5, 1).unwrap().num_edges(), 0);
        assert_eq!(small_world(0, 0, 0.5, 1).unwrap().num_vertices(), 0);
        assert_eq!(small_world(3, 2, 1.0, 1).unwrap().num_vertices(), 3);
    }
}

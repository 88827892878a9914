//! Grids with gaps. Like road networks, they have degrees from 1 to 4, about 2.5 on average, and a large diameter.

use super::pairs::{draws, pair, undirected};
use super::{GenerateError, check_vertices};
use crate::edge_list::EdgeList;
use crate::progress::{Progress, Stage};
use crate::random::hash;

/// Number of crossings, out of 256, that are joined to both their left and their upper neighbour. The others are joined
/// to one of them. The fraction 69 / 256 = 0.27 gives 1.27 edges per vertex, as in the road network USA-road-NE.
const BOTH_OF_256: u64 = 69;

/// See [`Recipe::Grid`](super::Recipe::Grid).
pub(super) fn make(
    width: u32,
    height: u32,
    seed: u64,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    let vertices = check_vertices(u64::from(width) * u64::from(height))?;

    // Each vertex has two draws: one for the edge to the left, and one for the edge upwards.
    let draws = draws(vertices, 2)?;
    progress.begin(Stage::Generate, Some(draws as u64));
    let pair_of = |number: usize| {
        let vertex = (number / 2) as u32;
        let (left, up) = joined(!vertex.is_multiple_of(width), vertex >= width, hash(seed, vertex.into()));
        let neighbour = match number % 2 {
            0 if left => vertex - 1,
            1 if up => vertex - width,
            _ => vertex,
        };
        pair(neighbour, vertex)
    };
    undirected(vertices, draws, Box::new(pair_of), progress)
}

/// Returns two flags: whether a vertex is joined to its left and to its upper neighbour. `has_left` and `has_up` state
/// which of these neighbours exist.
fn joined(has_left: bool, has_up: bool, random: u64) -> (bool, bool) {
    let both = random % 256 < BOTH_OF_256;
    let left_first = random >> 63 == 0;
    let left = has_left && (both || left_first || !has_up);
    let up = has_up && (both || !left_first || !has_left);
    (left, up)
}

#[cfg(test)]
mod tests {
    use crate::generate::grid;

    #[test]
    fn degrees_like_roads() {
        let list = grid(200, 150, 1).unwrap();
        let edges_a_vertex = list.sources().len() as f64 / 30_000.0;
        assert!((1.2..1.3).contains(&edges_a_vertex), "{edges_a_vertex}");
        assert_eq!(list.counts().unwrap(), Default::default());
        assert_eq!(list, grid(200, 150, 1).unwrap());
    }

    #[test]
    fn every_vertex_has_a_way_to_the_first() {
        let list = grid(17, 9, 4).unwrap();
        let mut reached = [false; 17 * 9];
        reached[0] = true;
        // Every vertex is joined to an earlier one, so one pass in order reaches all.
        let mut edges: Vec<_> = list.sources().iter().zip(list.targets()).collect();
        edges.sort_by_key(|(_, v)| **v);
        for (&u, &v) in edges {
            reached[v as usize] |= reached[u as usize];
        }
        assert!(reached.iter().all(|&reached| reached));
    }

    #[test]
    fn thin_and_empty_grids() {
        assert_eq!(grid(5, 1, 0).unwrap().sources().len(), 4);
        assert_eq!(grid(1, 5, 0).unwrap().sources().len(), 4);
        assert_eq!(grid(0, 5, 0).unwrap().num_vertices(), 0);
        assert!(grid(1 << 16, 1 << 16, 0).is_err());
    }
}

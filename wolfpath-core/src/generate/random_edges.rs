//! Uniformly random graphs. They have no structure, which is the worst case for caches.

use super::pairs::{draws, pair, undirected};
use super::{GenerateError, check_vertices};
use crate::edge_list::EdgeList;
use crate::progress::{Progress, Stage};
use crate::random::{below, hash};

/// See [`Recipe::Random`](super::Recipe::Random).
pub(super) fn make(
    vertices: u32,
    edge_factor: u32,
    seed: u64,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    let vertices = check_vertices(vertices.into())?;
    let draws = draws(vertices, edge_factor)?;
    progress.begin(Stage::Generate, Some(draws as u64));
    let pair_of = |number| {
        let seed = hash(seed, number as u64);
        pair(below(vertices, hash(seed, 0)), below(vertices, hash(seed, 1)))
    };
    undirected(vertices, draws, Box::new(pair_of), progress)
}

#[cfg(test)]
mod tests {
    use crate::generate::{GenerateError, random};

    #[test]
    fn even_simple_and_symmetric() {
        let list = random(1000, 8, 3).unwrap();
        assert_eq!(list.counts().unwrap(), Default::default());
        assert!((7_750..8_000).contains(&list.sources().len()), "{}", list.sources().len());
        assert_eq!(list, random(1000, 8, 3).unwrap());
        assert_eq!(random(0, 8, 3).unwrap().num_edges(), 0);
        assert_eq!(random(1, 8, 3).unwrap().num_edges(), 0);
        assert_eq!(random(9, 0, 3).unwrap().num_edges(), 0);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(matches!(random(1 << 31, u32::MAX, 3), Err(GenerateError::TooLarge { .. })));
        assert!(matches!(random(u32::MAX, 1, 3), Err(GenerateError::TooManyVertices { .. })));
    }
}

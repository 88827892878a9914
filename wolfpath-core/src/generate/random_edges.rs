//! Uniformly random graphs: no structure at all, a worst case for every cache.

use super::pairs::{draw, pair, undirected};
use super::{GenerateError, check_vertices};
use crate::edge_list::EdgeList;
use crate::random::{below, hash};

/// `vertices` vertices, ids from 0, and `edge_factor` times as many draws of an edge between any two; duplicates and
/// self-loops among them are left out, and both directions are listed.
pub fn random(vertices: u32, edge_factor: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    let vertices = check_vertices(vertices.into())?;
    let pairs = draw(u64::from(vertices) * u64::from(edge_factor), |number| {
        let seed = hash(seed, number);
        pair(below(vertices, hash(seed, 0)), below(vertices, hash(seed, 1)))
    })?;
    undirected(vertices, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_simple_and_symmetric() {
        let list = random(1000, 8, 3).unwrap();
        assert_eq!(list.counts().unwrap(), Default::default());
        assert!((15_500..16_000).contains(&list.num_edges()), "{}", list.num_edges());
        assert_eq!(list, random(1000, 8, 3).unwrap());
        assert_eq!(random(0, 8, 3).unwrap().num_edges(), 0);
        assert_eq!(random(1, 8, 3).unwrap().num_edges(), 0);
    }
}

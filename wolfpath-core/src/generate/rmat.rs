//! R-MAT graphs (Chakrabarti, Zhan and Faloutsos 2004) with the parameters of Graph 500: few vertices have very many
//! edges, nearly half have none, and everything is a few steps from everything.

use super::pairs::{draw, pair, undirected};
use super::{GenerateError, check_vertices};
use crate::edge_list::EdgeList;
use crate::random::hash;
use rayon::prelude::*;

/// The probabilities of the four quadrants, 0.57, 0.19, 0.19 and the rest, added up and scaled to 32 bits.
const A: u32 = (0.57 * 4_294_967_296.0) as u32;
const A_B: u32 = (0.76 * 4_294_967_296.0) as u32;
const A_B_C: u32 = (0.95 * 4_294_967_296.0) as u32;

/// 2^`scale` vertices, ids from 0 in random order, and `edge_factor` times as many draws of an edge; duplicates and
/// self-loops among them are left out, and both directions are listed.
pub fn rmat(scale: u32, edge_factor: u32, seed: u64) -> Result<EdgeList, GenerateError> {
    let vertices = check_vertices(1u64.checked_shl(scale).unwrap_or(u64::MAX))?;
    let order = permutation(vertices, hash(seed, 0));
    let seed = hash(seed, 1);
    let pairs = draw(u64::from(vertices) * u64::from(edge_factor), |number| {
        let (source, target) = quadrants(scale, hash(seed, number));
        pair(order[source], order[target])
    })?;
    drop(order);
    undirected(vertices, pairs)
}

/// One draw: a quadrant of the matrix, a quadrant of that, and so on. A hash serves two levels.
#[inline]
fn quadrants(scale: u32, seed: u64) -> (usize, usize) {
    let (mut source, mut target) = (0, 0);
    let mut random = 0;
    for level in 0..scale {
        random = if level % 2 == 0 { hash(seed, level.into()) } else { random >> 32 };
        let place = random as u32;
        // Without branches: nothing predicts these.
        let down = place >= A_B;
        let right = (place >= A) ^ down ^ (place >= A_B_C);
        source = 2 * source + usize::from(down);
        target = 2 * target + usize::from(right);
    }
    (source, target)
}

/// All numbers below `len` in random order.
fn permutation(len: u32, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len).collect();
    order.par_sort_unstable_by_key(|&number| (hash(seed, number.into()), number));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_every_number_once() {
        let mut order = permutation(1000, 7);
        assert_ne!(order, permutation(1000, 8));
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(at, &number)| at == number as usize));
    }

    #[test]
    fn skewed_simple_and_symmetric() {
        let list = rmat(10, 16, 1).unwrap();
        assert_eq!(list.num_vertices(), 1024);
        assert!((18_000..26_000).contains(&list.num_edges()), "{}", list.num_edges());
        assert_eq!(list.counts().unwrap(), Default::default());
        let mut degrees = vec![0; 1024];
        list.edges().for_each(|(source, _, _)| degrees[source as usize] += 1);
        let isolated = degrees.iter().filter(|&&degree| degree == 0).count();
        assert!(isolated > 50 && degrees.iter().max() > Some(&300), "{isolated}, {:?}", degrees.iter().max());
        assert_eq!(list, rmat(10, 16, 1).unwrap());
        assert_ne!(list, rmat(10, 16, 2).unwrap());
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(matches!(rmat(32, 16, 1), Err(GenerateError::TooManyVertices { .. })));
        assert!(matches!(rmat(99, 16, 1), Err(GenerateError::TooManyVertices { .. })));
        assert_eq!(rmat(0, 16, 1).unwrap().num_vertices(), 1);
    }
}

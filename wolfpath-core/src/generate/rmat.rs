//! R-MAT graphs (Chakrabarti, Zhan and Faloutsos 2004) with the parameters of Graph 500: a few vertices have very many
//! edges, nearly half have none, and the diameter is small.

use rayon::prelude::*;

use super::buckets::{Buckets, REPORTED, zeroed};
use super::pairs::{directed, directed_pair, draws, pair, undirected};
use super::{GenerateError, check_vertices};
use crate::edge_list::EdgeList;
use crate::progress::{Progress, Stage};
use crate::random::hash;

/// Cumulative sums of the probabilities of the four quadrants, scaled to 32 bits. The probabilities are 0.57, 0.19,
/// 0.19 and the rest.
const A: u32 = (0.57 * 4_294_967_296.0) as u32;
const A_B: u32 = (0.76 * 4_294_967_296.0) as u32;
const A_B_C: u32 = (0.95 * 4_294_967_296.0) as u32;

/// Number of draws per block. All endpoints of a block are looked up together in `order`, the random permutation of the
/// vertices, so that the cache misses overlap.
const BLOCK: usize = 256;

/// See [`Recipe::Rmat`](super::Recipe::Rmat).
pub(super) fn make(
    scale: u32,
    edge_factor: u32,
    is_directed: bool,
    seed: u64,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    let vertices = check_vertices(1u64.checked_shl(scale).unwrap_or(u64::MAX))?;
    let draws = draws(vertices, edge_factor)?;
    progress.begin(Stage::Generate, Some(draws as u64));
    let pairs = drawn(scale, draws, is_directed, seed, progress)?;
    // Every pair is needed twice. Drawing takes most of the time, so the pairs are drawn once and stored. The closure
    // owns the list, so that it is freed as soon as the pairs are in their buckets.
    let list = if is_directed { directed } else { undirected };
    list(vertices, draws, Box::new(move |number| pairs[number]), &Progress::NONE)
}

/// Returns all draws, indexed by their number.
fn drawn(
    scale: u32,
    draws: usize,
    is_directed: bool,
    seed: u64,
    progress: &Progress,
) -> Result<Vec<u64>, GenerateError> {
    // The larger allocation comes first, so that, if it fails, no work has been wasted.
    let mut pairs = zeroed(draws)?;
    let order = permutation(1 << scale, hash(seed, 0))?;
    let seed = hash(seed, 1);
    pairs.par_chunks_mut(REPORTED).enumerate().for_each(|(chunk, pairs)| {
        for (block, pairs) in pairs.chunks_mut(BLOCK).enumerate() {
            let first = chunk * REPORTED + block * BLOCK;
            for (number, pair) in (first..).zip(&mut *pairs) {
                *pair = quadrants(scale, hash(seed, number as u64));
            }
            for slot in pairs {
                let (source, target) = (order[(*slot >> 32) as usize], order[*slot as u32 as usize]);
                *slot = if is_directed { directed_pair(source, target) } else { pair(source, target) };
            }
        }
        progress.advance(pairs.len() as u64);
    });
    Ok(pairs)
}

/// Draws an edge: chooses a quadrant of the adjacency matrix, then a quadrant of that quadrant, and so on, down to a
/// single entry. Returns the source in the high half and the target in the low half. One 64-bit hash provides the
/// random bits for two of these choices.
#[inline]
fn quadrants(scale: u32, seed: u64) -> u64 {
    let (mut source, mut target) = (0, 0);
    let mut random = 0;
    for level in 0..scale {
        random = if level % 2 == 0 { hash(seed, level.into()) } else { random >> 32 };
        let place = random as u32;
        // This is computed without branches, because they would be unpredictable.
        let down = place >= A_B;
        let right = (place >= A) ^ down ^ (place >= A_B_C);
        source = 2 * source + u64::from(down);
        target = 2 * target + u64::from(right);
    }
    source << 32 | target
}

/// Returns all numbers below `len` in random order: sorted by their hashes. The hashes are evenly distributed, so their
/// upper bits divide the numbers into buckets of about equal size.
fn permutation(len: u32, seed: u64) -> Result<Vec<u32>, GenerateError> {
    const NUMBERS_A_BUCKET: u32 = 1 << 12;
    let bits = (len / NUMBERS_A_BUCKET).max(1).ilog2().min(12);
    let bucket_of = |number: usize| {
        let upper = hash(seed, number as u64).checked_shr(u64::BITS - bits).unwrap_or(0);
        Some((upper as usize, number as u32))
    };
    let mut buckets = Buckets::fill(len as usize, 1 << bits, bucket_of, &Progress::NONE)?;
    buckets.each_mut().into_par_iter().for_each(|numbers| {
        let mut keys: Vec<(u64, u32)> =
            numbers.iter().map(|&number| (hash(seed, number.into()), number)).collect();
        keys.sort_unstable();
        numbers.iter_mut().zip(keys).for_each(|(number, key)| *number = key.1);
    });
    Ok(buckets.into_items())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge_list::Symmetry;
    use crate::generate::{rmat, rmat_directed};

    #[test]
    fn a_permutation_is_the_order_of_hashes() {
        for len in [0, 1, 1000, 50_000] {
            let mut expected: Vec<u32> = (0..len).collect();
            expected.sort_by_key(|&number| (hash(7, number.into()), number));
            assert_eq!(permutation(len, 7).unwrap(), expected);
        }
    }

    #[test]
    fn skewed_simple_and_symmetric() {
        let list = rmat(10, 16, 1).unwrap();
        assert_eq!(list.num_vertices(), 1024);
        assert!((9_000..13_000).contains(&list.sources().len()), "{}", list.sources().len());
        assert_eq!(list.counts().unwrap(), Default::default());
        let mut degrees = vec![0; 1024];
        list.sources().iter().chain(list.targets()).for_each(|&end| degrees[end as usize] += 1);
        let isolated = degrees.iter().filter(|&&degree| degree == 0).count();
        assert!(isolated > 50 && degrees.iter().max() > Some(&300), "{isolated}, {:?}", degrees.iter().max());
        assert_eq!(list, rmat(10, 16, 1).unwrap());
        assert_ne!(list, rmat(10, 16, 2).unwrap());
    }

    #[test]
    fn directed_edges_are_those_of_the_undirected_graph() {
        let list = rmat_directed(10, 16, 1).unwrap();
        assert_eq!((list.num_vertices(), list.symmetry()), (1024, Symmetry::Directed));
        assert_eq!((list.num_self_loops(), list.counts().unwrap()), (0, Default::default()));
        let edges: Vec<(u32, u32)> =
            list.sources().iter().copied().zip(list.targets().iter().copied()).collect();
        assert!(edges.is_sorted_by(|a, b| a < b));
        let upwards = edges.iter().filter(|(source, target)| source < target).count();
        assert!((4..6).contains(&(10 * upwards / edges.len())), "{upwards} of {}", edges.len());

        // Without their directions, they are the edges of the undirected graph, which are fewer: some pairs of vertices
        // are joined in both directions.
        let mut pairs: Vec<(u32, u32)> = edges.iter().map(|&(u, v)| (u.min(v), u.max(v))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let undirected = rmat(10, 16, 1).unwrap();
        let ends = undirected.sources().iter().copied().zip(undirected.targets().iter().copied());
        assert!(ends.eq(pairs.iter().copied()));
        assert!(pairs.len() < edges.len() && edges.len() < 16 << 10);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(matches!(rmat(32, 16, 1), Err(GenerateError::TooManyVertices { .. })));
        assert!(matches!(rmat(99, 16, 1), Err(GenerateError::TooManyVertices { .. })));
        assert!(matches!(rmat(31, u32::MAX, 1), Err(GenerateError::TooLarge { .. })));
        assert!(matches!(rmat_directed(31, u32::MAX, 1), Err(GenerateError::TooLarge { .. })));
        assert_eq!(rmat(0, 16, 1).unwrap().num_vertices(), 1);
        assert_eq!(rmat_directed(0, 16, 1).unwrap().num_edges(), 0);
    }
}

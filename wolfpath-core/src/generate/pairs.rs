//! Edges as packed pairs: drawn in parallel, sorted bucket by bucket, and converted to an edge list.

use rayon::prelude::*;

use super::GenerateError;
use super::buckets::{Buckets, split, zeroed};
use crate::edge_list::{EdgeList, Symmetry, VertexIds};
use crate::progress::Progress;

/// Marker for a pair that is not an edge.
const NO_EDGE: u64 = u64::MAX;

/// Approximate number of pairs per bucket. A bucket takes half a megabyte, so that it stays in a core's own cache while
/// it is sorted.
const PAIRS_A_BUCKET: usize = 1 << 16;

/// Maximum number of buckets. With more buckets, writing to all of them at once would cost more time than sorting
/// smaller buckets saves.
const MOST_BUCKETS: usize = 1 << 11;

/// Packs both endpoints of an undirected edge into one number, with the smaller endpoint in the high half. A self-loop
/// becomes `NO_EDGE`.
#[inline]
pub(super) fn pair(a: u32, b: u32) -> u64 {
    if a == b { NO_EDGE } else { u64::from(a.min(b)) << 32 | u64::from(a.max(b)) }
}

/// Packs a directed edge into one number, with the source in the high half. A self-loop becomes `NO_EDGE`.
#[inline]
pub(super) fn directed_pair(source: u32, target: u32) -> u64 {
    if source == target { NO_EDGE } else { u64::from(source) << 32 | u64::from(target) }
}

/// Returns the number of pairs to draw (`a_vertex` per vertex), or an error if it does not fit in `usize`.
pub(super) fn draws(vertices: u32, a_vertex: u32) -> Result<usize, GenerateError> {
    let draws = u64::from(vertices) * u64::from(a_vertex);
    usize::try_from(draws).map_err(|_| GenerateError::Memory { items: draws, bytes: draws.saturating_mul(8) })
}

/// Builds the undirected graph whose edges are the [pairs](pair) that `pair_of` returns for all numbers below `draws`.
/// Edges ascend; duplicates and `NO_EDGE` are dropped. Each edge is listed once and counts in both directions.
pub(super) fn undirected(
    vertices: u32,
    draws: usize,
    pair_of: Box<dyn Fn(usize) -> u64 + Sync + '_>,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    listed(vertices, draws, pair_of, Symmetry::Doubled, progress)
}

/// Builds a directed graph like [`undirected`], from [directed pairs](directed_pair).
pub(super) fn directed(
    vertices: u32,
    draws: usize,
    pair_of: Box<dyn Fn(usize) -> u64 + Sync + '_>,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    listed(vertices, draws, pair_of, Symmetry::Directed, progress)
}

/// Lists the pairs in ascending order, without duplicates and `NO_EDGE`.
fn listed(
    vertices: u32,
    draws: usize,
    // The closure is boxed, because with a type parameter the code below would be compiled once per generator. The
    // closure is dropped as soon as the pairs are in their buckets, which may free memory that it owns.
    pair_of: Box<dyn Fn(usize) -> u64 + Sync + '_>,
    symmetry: Symmetry,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    let mut buckets = by_first_end(vertices, draws, pair_of, progress)?;
    let sorted: Vec<&[u64]> = buckets.each_mut().into_par_iter().map(sort_and_dedup).collect();
    let edges = sorted.iter().map(|pairs| pairs.len()).sum();
    let (mut sources, mut targets) = (zeroed(edges)?, zeroed(edges)?);
    let lens = || sorted.iter().map(|pairs| pairs.len());
    let ends = split(&mut sources, lens()).into_par_iter().zip(split(&mut targets, lens()));
    ends.zip(&sorted).for_each(|((sources, targets), pairs)| {
        for ((source, target), &pair) in sources.iter_mut().zip(targets).zip(*pairs) {
            (*source, *target) = ((pair >> 32) as u32, pair as u32);
        }
    });
    Ok(EdgeList::from_ranks(VertexIds::first(vertices), sources, targets, symmetry))
}

/// Draws the pairs, and returns them in buckets. All pairs of a bucket are smaller than those of the next bucket.
fn by_first_end(
    vertices: u32,
    draws: usize,
    pair_of: Box<dyn Fn(usize) -> u64 + Sync + '_>,
    progress: &Progress,
) -> Result<Buckets<u64>, GenerateError> {
    let wanted = (draws / PAIRS_A_BUCKET).clamp(1, MOST_BUCKETS).next_power_of_two();
    let last = vertices.saturating_sub(1);
    let shift = (u32::BITS - last.leading_zeros()).saturating_sub(wanted.ilog2());
    let bucket_of = |number| {
        let pair = pair_of(number);
        (pair != NO_EDGE).then_some(((pair >> 32) as usize >> shift, pair))
    };
    Buckets::fill(draws, (last >> shift) as usize + 1, bucket_of, progress)
}

/// Sorts pairs, and returns them without duplicates.
fn sort_and_dedup(pairs: &mut [u64]) -> &[u64] {
    pairs.sort_unstable();
    let mut kept = 0;
    for at in 0..pairs.len() {
        let pair = pairs[at];
        if kept == 0 || pairs[kept - 1] != pair {
            pairs[kept] = pair;
            kept += 1;
        }
    }
    &pairs[..kept]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_once_ascending() {
        let of = |number: usize| pair((number * 7 % 1000) as u32, (number * number % 1000) as u32);
        let list = undirected(1000, 300_000, Box::new(of), &Progress::NONE).unwrap();
        let mut expected: Vec<u64> = (0..300_000).map(of).filter(|&pair| pair != NO_EDGE).collect();
        expected.sort_unstable();
        expected.dedup();
        let ends = list.sources().iter().zip(list.targets());
        assert!(ends.map(|(&u, &v)| u64::from(u) << 32 | u64::from(v)).eq(expected));
    }

    #[test]
    fn directed_edges_keep_their_direction() {
        let ends = [(2, 1), (1, 2), (0, 3), (2, 1), (3, 3), (3, 0), (2, 0)];
        let of = |number: usize| directed_pair(ends[number].0, ends[number].1);
        let list = directed(4, ends.len(), Box::new(of), &Progress::NONE).unwrap();
        assert_eq!((list.sources(), list.targets()), (&[0, 1, 2, 2, 3][..], &[3, 2, 0, 1, 0][..]));
        assert_eq!((list.num_edges(), list.symmetry()), (5, Symmetry::Directed));
    }

    #[test]
    fn no_vertices_no_edges() {
        let list = undirected(0, 0, Box::new(|_| NO_EDGE), &Progress::NONE).unwrap();
        assert_eq!((list.num_vertices(), list.sources().len()), (0, 0));
        assert_eq!(undirected(1, 5, Box::new(|_| pair(0, 0)), &Progress::NONE).unwrap().sources(), []);
    }
}

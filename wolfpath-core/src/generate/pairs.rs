//! Undirected edges as packed pairs: drawn in parallel, sorted, and turned into an edge list.

use super::GenerateError;
use crate::edge_list::{EdgeList, Symmetry, VertexIds};
use rayon::prelude::*;

/// A pair that stands for no edge; it sorts behind all others.
const NO_EDGE: u64 = u64::MAX;

/// Both ends of an undirected edge in one number, the smaller above; no edge for a self-loop.
#[inline]
pub(super) fn pair(a: u32, b: u32) -> u64 {
    if a == b { NO_EDGE } else { u64::from(a.min(b)) << 32 | u64::from(a.max(b)) }
}

/// Draws `edges` pairs, each by its number.
pub(super) fn draw(edges: u64, pair_of: impl Fn(u64) -> u64 + Sync) -> Result<Vec<u64>, GenerateError> {
    let mut pairs = filled(edges, NO_EDGE, edges)?;
    pairs.par_iter_mut().enumerate().for_each(|(number, pair)| *pair = pair_of(number as u64));
    Ok(pairs)
}

/// Sorts pairs, drops duplicates and what stands for no edge, and lists both directions of each.
pub(super) fn undirected(vertices: u32, mut pairs: Vec<u64>) -> Result<EdgeList, GenerateError> {
    pairs.par_sort_unstable();
    pairs.dedup();
    if pairs.last() == Some(&NO_EDGE) {
        pairs.pop();
    }
    let sources: Vec<u32> = pairs.par_iter().map(|pair| (pair >> 32) as u32).collect();
    let targets: Vec<u32> = pairs.par_iter().map(|&pair| pair as u32).collect();
    Ok(EdgeList::from_ranks(VertexIds::first(vertices), sources, targets, Symmetry::Doubled))
}

/// A vector of one value, or an error where memory has no room for it.
fn filled<T: Copy>(len: u64, value: T, edges: u64) -> Result<Vec<T>, GenerateError> {
    let refused = GenerateError::Memory { edges, bytes: len.saturating_mul(size_of::<T>() as u64) };
    let mut values = Vec::new();
    let len = usize::try_from(len).map_err(|_| refused.clone())?;
    values.try_reserve_exact(len).map_err(|_| refused)?;
    values.resize(len, value);
    Ok(values)
}

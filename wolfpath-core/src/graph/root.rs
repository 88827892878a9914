//! The choice of the layering root.
//!
//! A good root reaches many vertices. The forest then consists of few trees, and most edges lead forward. Unless the
//! user names a root, the candidates are the vertex of largest out-degree and up to [`CANDIDATES`] vertices without
//! in-edges, spread evenly over the ids. The candidate that reaches the most vertices is chosen. If candidates tie, a
//! vertex without in-edges is preferred, then the smaller id. If every vertex with edges has in-edges, as in an
//! undirected graph,
//! the vertex of largest out-degree is chosen without a search. The best root of all is not looked for, because that
//! would take one search per vertex.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::error::LayerError;
use super::rows::Rows;

/// Number of vertices without in-edges that are tried. Each takes one graph search.
const CANDIDATES: usize = 3;

/// The root, as a rank, and the reason for choosing it.
pub(super) struct Root {
    pub(super) rank: u32,
    pub(super) reason: String,
}

/// Chooses the root of a graph; `None` if the graph has no vertices.
pub(super) fn choose(
    out: Rows<'_>,
    into: Rows<'_>,
    id_of: impl Fn(u32) -> u64,
    rank_of: impl Fn(u64) -> Option<u32>,
    asked: Option<u64>,
) -> Result<Option<Root>, LayerError> {
    if let Some(id) = asked {
        let rank = rank_of(id).ok_or(LayerError::UnknownRoot { id })?;
        return Ok(Some(Root { rank, reason: "requested".to_owned() }));
    }
    let vertices = (0..out.num_vertices()).into_par_iter().with_min_len(1 << 12);
    let Some((degree, Reverse(hub))) = vertices.map(|rank| (out.degree(rank), Reverse(rank))).max() else {
        return Ok(None);
    };
    let candidates = without_in_edges(out, into);
    if candidates.is_empty() {
        let reason = format!("largest out-degree ({degree}); every vertex with edges has in-edges");
        return Ok(Some(Root { rank: hub, reason }));
    }
    Ok(Some(farthest_reaching(out, into, hub, &candidates, id_of)))
}

/// Returns up to [`CANDIDATES`] vertices without in-edges but with out-edges, spread evenly over the ids.
fn without_in_edges(out: Rows<'_>, into: Rows<'_>) -> Vec<u32> {
    if out == into {
        return Vec::new();
    }
    let vertices = (0..out.num_vertices()).into_par_iter().with_min_len(1 << 12);
    let all: Vec<u32> = vertices.filter(|&rank| into.degree(rank) == 0 && out.degree(rank) > 0).collect();
    let taken = all.len().min(CANDIDATES);
    (0..taken).map(|index| all[index * all.len() / taken]).collect()
}

/// Returns the vertex that reaches the most vertices: one of `candidates`, or `hub`, the vertex of largest out-degree.
fn farthest_reaching(
    out: Rows<'_>,
    into: Rows<'_>,
    hub: u32,
    candidates: &[u32],
    id_of: impl Fn(u32) -> u64,
) -> Root {
    let mut tried: Vec<u32> = candidates.iter().copied().filter(|&rank| rank != hub).collect();
    tried.push(hub);
    let reached: Vec<u64> = tried.par_iter().with_max_len(1).map(|&rank| reach(out, rank)).collect();
    // If several vertices reach equally many, the first is chosen. The hub is last in `tried`.
    let best = (0..tried.len()).max_by_key(|&index| (reached[index], Reverse(index))).unwrap_or(0);
    let (rank, reached) = (tried[best], reached[best]);
    let kind = if into.degree(rank) == 0 { "no in-edges" } else { "largest out-degree" };
    let (id, tried) = (id_of(rank), tried.len());
    let reason = format!("{kind}; of the {tried} vertices tried, vertex {id} reaches the most ({reached})");
    Root { rank, reason }
}

/// Returns the number of vertices that `root` reaches.
fn reach(out: Rows<'_>, root: u32) -> u64 {
    let mut seen = vec![0u64; (out.num_vertices() as usize).div_ceil(64)];
    seen[root as usize / 64] |= 1 << (root % 64);
    let (mut left, mut reached) = (vec![root], 0);
    while let Some(vertex) = left.pop() {
        reached += 1;
        for &target in out.row(vertex) {
            let (word, bit) = (&mut seen[target as usize / 64], 1 << (target % 64));
            if *word & bit == 0 {
                *word |= bit;
                left.push(target);
            }
        }
    }
    reached
}

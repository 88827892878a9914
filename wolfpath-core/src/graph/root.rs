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
use super::explorer::Explorer;

/// Number of vertices without in-edges that are tried. Each takes one graph search.
const CANDIDATES: usize = 3;

/// The root, as a rank, and the reason for choosing it.
#[derive(Debug)]
pub struct Root {
    /// The rank.
    pub rank: u32,
    /// The reason, for the user.
    pub reason: String,
}

impl Root {
    /// Returns the root with a requested id.
    pub(super) fn requested(id: u64, rank: Option<u32>) -> Result<Root, LayerError> {
        let rank = rank.ok_or(LayerError::UnknownRoot { id })?;
        Ok(Root { rank, reason: "requested".to_owned() })
    }
}

/// Chooses the root of a graph; `None` if the graph has no vertices.
pub fn choose<S: Explorer>(search: &S, id_of: impl Fn(u32) -> u64) -> Result<Option<Root>, S::Error> {
    let vertices = (0..search.num_vertices()).into_par_iter().with_min_len(1 << 12);
    let largest = vertices.map(|rank| (search.degrees(rank)[0], Reverse(rank))).max();
    let Some((degree, Reverse(hub))) = largest else { return Ok(None) };
    let candidates = without_in_edges(search);
    if candidates.is_empty() {
        let reason = format!("largest out-degree ({degree}); every vertex with edges has in-edges");
        return Ok(Some(Root { rank: hub, reason }));
    }
    farthest_reaching(search, hub, &candidates, id_of).map(Some)
}

/// Returns up to [`CANDIDATES`] vertices without in-edges but with out-edges, spread evenly over the ids.
fn without_in_edges<S: Explorer>(search: &S) -> Vec<u32> {
    let vertices = (0..search.num_vertices()).into_par_iter().with_min_len(1 << 12);
    let is_head = |&rank: &u32| {
        let [out, into] = search.degrees(rank);
        out > 0 && into == 0
    };
    let all: Vec<u32> = vertices.filter(is_head).collect();
    let taken = all.len().min(CANDIDATES);
    (0..taken).map(|index| all[index * all.len() / taken]).collect()
}

/// Returns the vertex that reaches the most vertices: one of `candidates`, or `hub`, the vertex of largest out-degree.
fn farthest_reaching<S: Explorer>(
    search: &S,
    hub: u32,
    candidates: &[u32],
    id_of: impl Fn(u32) -> u64,
) -> Result<Root, S::Error> {
    let mut tried: Vec<u32> = candidates.iter().copied().filter(|&rank| rank != hub).collect();
    tried.push(hub);
    let reached = search.reach(&tried)?;
    // If several vertices reach equally many, the first is chosen. The hub is last in `tried`.
    let best = (0..tried.len()).max_by_key(|&index| (reached[index], Reverse(index))).unwrap_or(0);
    let (rank, reached) = (tried[best], reached[best]);
    let kind = if search.degrees(rank)[1] == 0 { "no in-edges" } else { "largest out-degree" };
    let (id, tried) = (id_of(rank), tried.len());
    let reason = format!("{kind}; of the {tried} vertices tried, vertex {id} reaches the most ({reached})");
    Ok(Root { rank, reason })
}

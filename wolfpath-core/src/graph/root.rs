//! The choice of the layering root.
//!
//! A good root reaches much, so that most edges run forward through few trees. The rule, unless the user names a
//! vertex: among the vertex of largest out-degree and [`CANDIDATES`] vertices without in-edges (spread evenly over
//! the ids), the one that reaches most. A vertex without in-edges wins a tie, then the smaller id. Where every
//! vertex has in-edges, as in an undirected graph, nothing is compared: the largest out-degree decides.

use super::error::LayerError;
use super::forest::reach;
use super::group::Grouped;

/// How many vertices without in-edges are tried; each costs one breadth-first search.
const CANDIDATES: usize = 3;

/// The root, as a rank, and why it was taken.
pub(super) struct Root {
    pub(super) rank: u32,
    pub(super) reason: String,
}

/// Chooses the root of a graph; `None` when it has no vertices.
pub(super) fn choose(
    edges: &Grouped,
    id_of: impl Fn(u32) -> u64,
    rank_of: impl Fn(u64) -> Option<u32>,
    asked: Option<u64>,
) -> Result<Option<Root>, LayerError> {
    if let Some(id) = asked {
        let rank = rank_of(id).ok_or(LayerError::UnknownRoot { id })?;
        return Ok(Some(Root { rank, reason: "asked for".to_owned() }));
    }
    let vertices = edges.num_vertices() as u32;
    let Some(hub) = (0..vertices).max_by_key(|&rank| (edges.out_degree(rank), std::cmp::Reverse(rank)))
    else {
        return Ok(None);
    };
    let candidates = without_in_edges(edges);
    if candidates.is_empty() {
        let reason = format!("largest out-degree ({})", edges.out_degree(hub));
        return Ok(Some(Root { rank: hub, reason }));
    }
    Ok(Some(farthest_reaching(edges, hub, &candidates, id_of)))
}

/// Up to [`CANDIDATES`] vertices without in-edges but with out-edges, spread evenly over the ids.
fn without_in_edges(edges: &Grouped) -> Vec<u32> {
    let all: Vec<u32> = (0..edges.num_vertices() as u32)
        .filter(|&rank| edges.in_degrees[rank as usize] == 0 && edges.out_degree(rank) > 0)
        .collect();
    let taken = all.len().min(CANDIDATES);
    (0..taken).map(|index| all[index * all.len() / taken]).collect()
}

/// The candidate, or the hub, that reaches most.
fn farthest_reaching(edges: &Grouped, hub: u32, candidates: &[u32], id_of: impl Fn(u32) -> u64) -> Root {
    let mut best = (candidates[0], 0);
    for &rank in candidates.iter().filter(|&&rank| rank != hub).chain([&hub]) {
        let reached = reach(edges, rank);
        if reached > best.1 {
            best = (rank, reached);
        }
    }
    let (rank, reached) = best;
    let kind = if edges.in_degrees[rank as usize] == 0 { "no in-edges" } else { "largest out-degree" };
    let tried = candidates.len() + usize::from(!candidates.contains(&hub));
    let reason = format!("{kind}, and vertex {} reaches most ({reached}) of {tried} tried", id_of(rank));
    Root { rank, reason }
}

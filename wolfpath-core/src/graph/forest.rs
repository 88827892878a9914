//! The order of vertices: breadth-first from a forest of roots.
//!
//! Vertices are taken in rounds. The root's tree comes first; then the trees of all unreached vertices without
//! in-edges, in shared layers; then, round after round, the trees of one vertex (the smallest id) of every weakly
//! connected component that is still unreached; isolated vertices form one last layer. No edge leads from a later
//! round's vertex forward by more than a layer, and none leads from an earlier round to a later one, so an edge out
//! of layer *i* always ends in a layer at most *i+1*.
//!
//! Chains of cycles in an unlucky order could ask for a round each. After [`PATIENT_ROUNDS`] a round takes one
//! vertex of every cycle that the smallest in-neighbours form: whoever follows smallest in-neighbours from an
//! unreached vertex ends in such a cycle, so that round reaches everything and is the last.
//!
//! Within a layer, vertices stand by their smallest parent and then by id: the order in which a serial queue would
//! take them if rows were sorted. `search` finds each layer in the way that is cheapest for it, and all ways agree.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::rows::Rows;
use super::search::{Search, UNREACHED};
use crate::progress::Progress;

/// Rounds of one vertex a component before the round that ends it.
const PATIENT_ROUNDS: usize = 16;

/// The layered order of a graph's vertices.
pub(super) struct Forest {
    /// Ranks in layered order.
    pub(super) order: Vec<u32>,
    /// The place of each rank in that order.
    pub(super) places: Vec<u32>,
    /// How many edges leave each vertex, in that order, behind a 0.
    pub(super) degrees: Vec<u64>,
    /// Where each layer begins in `order`, and the number of vertices.
    pub(super) layer_offsets: Vec<u32>,
    /// How many layers the root's own tree has.
    pub(super) root_layers: u32,
}

impl Forest {
    /// Orders all vertices; `root` is a rank, `None` for an empty graph.
    pub(super) fn grow(out: Rows<'_>, into: Rows<'_>, root: Option<u32>, progress: &Progress) -> Forest {
        let mut search = Search::new(out, into, progress);
        let mut layer_offsets = vec![0];
        let root_layers = root.map_or(0, |root| search.round(&[root], &mut layer_offsets));
        if (search.reached_many() as u32) < out.num_vertices() {
            let isolated = pick(&search, |rank| is_isolated(out, into, rank));
            let heads = pick(&search, |rank| into.degree(rank) == 0 && out.degree(rank) > 0);
            search.round(&heads, &mut layer_offsets);
            round_by_components(&mut search, &mut layer_offsets);
            search.round(&isolated, &mut layer_offsets);
        }
        let (order, places, degrees) = search.finish();
        Forest { order, places, degrees, layer_offsets, root_layers }
    }
}

/// Whether no edge touches the vertex.
fn is_isolated(out: Rows<'_>, into: Rows<'_>, rank: u32) -> bool {
    out.degree(rank) == 0 && into.degree(rank) == 0
}

/// The unreached vertices that `wanted` accepts, by ascending id.
fn pick(search: &Search<'_>, wanted: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
    let vertices = search.out.num_vertices();
    (0..vertices).into_par_iter().filter(|&rank| !search.is_reached(rank) && wanted(rank)).collect()
}

/// Rounds of one vertex of every component still unreached, until only isolated vertices are left.
fn round_by_components(search: &mut Search<'_>, layer_offsets: &mut Vec<u32>) {
    let (out, into) = (search.out, search.into);
    let mut left = pick(search, |rank| !is_isolated(out, into, rank));
    for turn in 0.. {
        if left.is_empty() {
            return;
        }
        let roots = if turn < PATIENT_ROUNDS {
            smallest_of_components(search, &left)
        } else {
            smallest_of_cycles(search, &left)
        };
        search.round(&roots, layer_offsets);
        left.retain(|&rank| !search.is_reached(rank));
    }
}

/// The smallest vertex of every weakly connected component of the unreached vertices, ascending.
fn smallest_of_components(search: &Search<'_>, left: &[u32]) -> Vec<u32> {
    let mut heads: Vec<u32> = (0..search.out.num_vertices()).collect();
    for &rank in left {
        for &target in search.out.row(rank) {
            if !search.is_reached(target) {
                let (a, b) = (head_of(&mut heads, rank), head_of(&mut heads, target));
                heads[a.max(b) as usize] = a.min(b);
            }
        }
    }
    left.iter().copied().filter(|&rank| heads[rank as usize] == rank).collect()
}

/// One vertex, the smallest, of every cycle that smallest in-neighbours form, ascending. Every unreached vertex
/// has an in-neighbour here, and it is unreached too: otherwise the vertex would have been reached.
fn smallest_of_cycles(search: &Search<'_>, left: &[u32]) -> Vec<u32> {
    let before = |rank: u32| search.into.row(rank).iter().copied().min().unwrap_or(rank);
    let mut seen_by = vec![UNREACHED; search.out.num_vertices() as usize];
    let mut roots = Vec::new();
    for &walk in left {
        let mut at = walk;
        while seen_by[at as usize] == UNREACHED {
            seen_by[at as usize] = walk;
            at = before(at);
        }
        if seen_by[at as usize] == walk {
            roots.push(smallest_on_cycle(before, at));
        }
    }
    roots.sort_unstable();
    roots
}

/// The smallest vertex on the cycle through `start`.
fn smallest_on_cycle(before: impl Fn(u32) -> u32, start: u32) -> u32 {
    let (mut smallest, mut at) = (start, before(start));
    while at != start {
        smallest = smallest.min(at);
        at = before(at);
    }
    smallest
}

/// The head of a union-find tree, halving the path to it.
fn head_of(heads: &mut [u32], mut index: u32) -> u32 {
    while heads[index as usize] != index {
        heads[index as usize] = heads[heads[index as usize] as usize];
        index = heads[index as usize];
    }
    index
}

impl Search<'_> {
    /// Whether a vertex has its place.
    pub(super) fn is_reached(&self, rank: u32) -> bool {
        self.reached[rank as usize / 64].load(Ordering::Relaxed) >> (rank % 64) & 1 != 0
    }
}

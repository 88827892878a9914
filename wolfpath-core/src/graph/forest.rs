//! The order of vertices: breadth-first from a forest of roots.
//!
//! Vertices are reached in rounds:
//!
//! 1. the root's tree;
//! 2. the trees of all unreached vertices without in-edges, grown together, so that they share layers;
//! 3. in each further round, trees that start from one vertex (the one with the smallest id) of every weakly connected
//!    component of the unreached vertices;
//! 4. all isolated vertices, as one last layer.
//!
//! Within a round, no edge leads forward by more than one layer, and no edge leads from an earlier round to a later
//! one. Therefore an edge out of layer *i* always ends in layer *i+1* or an earlier layer.
//!
//! A chain of cycles in an unfavourable order could require one round per cycle. After [`PATIENT_ROUNDS`] such rounds,
//! one last round therefore reaches all remaining vertices. It starts from one vertex of every cycle in which
//! repeatedly going to the smallest in-neighbour ends. From any unreached vertex, this always ends in such a cycle, so
//! every vertex is reached.
//!
//! Within a layer, vertices are sorted by their smallest parent, then by id. This is the order in which a serial queue
//! would process them if rows were sorted. `search` finds each layer by the cheapest of several methods, which all give
//! the same result.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::rows::Rows;
use super::search::{Search, UNREACHED};
use crate::progress::Progress;

/// Maximum number of rounds with one tree per component. The round after them reaches everything.
const PATIENT_ROUNDS: usize = 16;

/// The layered order of a graph's vertices.
pub(super) struct Forest {
    /// Ranks in layered order.
    pub(super) order: Vec<u32>,
    /// The position of each rank in `order`.
    pub(super) places: Vec<u32>,
    /// The out-degrees of the vertices, in the sequence of `order`, preceded by a 0.
    pub(super) degrees: Vec<u64>,
    /// The start of each layer in `order`, followed by the number of vertices.
    pub(super) layer_offsets: Vec<u32>,
    /// Number of layers of the root's own tree.
    pub(super) root_layers: u32,
}

impl Forest {
    /// Orders all vertices. `root` is a rank, or `None` for an empty graph.
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

/// Returns `true` if the vertex has no edges.
fn is_isolated(out: Rows<'_>, into: Rows<'_>, rank: u32) -> bool {
    out.degree(rank) == 0 && into.degree(rank) == 0
}

/// Returns the unreached vertices that `wanted` accepts, by ascending id.
fn pick(search: &Search<'_>, wanted: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
    let vertices = search.out.num_vertices();
    (0..vertices).into_par_iter().filter(|&rank| !search.is_reached(rank) && wanted(rank)).collect()
}

/// Runs rounds from one vertex of every unreached component, until only isolated vertices are left.
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

/// Returns the smallest vertex of every weakly connected component of the unreached vertices, ascending.
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

/// Returns the smallest vertex of every cycle that smallest in-neighbours form, ascending. Every vertex that is still
/// unreached has an in-neighbour, and that in-neighbour is unreached too: otherwise it would have reached the vertex.
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

/// Returns the smallest vertex on the cycle through `start`.
fn smallest_on_cycle(before: impl Fn(u32) -> u32, start: u32) -> u32 {
    let (mut smallest, mut at) = (start, before(start));
    while at != start {
        smallest = smallest.min(at);
        at = before(at);
    }
    smallest
}

/// Returns the head (the root) of a union-find tree. Shortens the path to the head on the way (path halving).
fn head_of(heads: &mut [u32], mut index: u32) -> u32 {
    while heads[index as usize] != index {
        heads[index as usize] = heads[heads[index as usize] as usize];
        index = heads[index as usize];
    }
    index
}

impl Search<'_> {
    /// Returns `true` if the vertex already has a position in the order.
    pub(super) fn is_reached(&self, rank: u32) -> bool {
        self.reached[rank as usize / 64].load(Ordering::Relaxed) >> (rank % 64) & 1 != 0
    }
}

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

use std::convert::Infallible;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::explorer::{Explorer, join};
use super::search::{Search, UNREACHED};

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
    pub(super) fn grow(mut search: Search<'_>, root: Option<u32>) -> Forest {
        let Ok(Layers { layer_offsets, root_layers }) = grow(&mut search, root);
        let (order, places, degrees) = search.finish();
        Forest { order, places, degrees, layer_offsets, root_layers }
    }
}

/// The layers of an order.
#[derive(Debug)]
pub struct Layers {
    /// The start of each layer, followed by the number of vertices.
    pub layer_offsets: Vec<u32>,
    /// Number of layers of the root's own tree.
    pub root_layers: u32,
}

/// Lets a search order all vertices. `root` is a rank, or `None` for an empty graph.
pub fn grow<S: Explorer>(search: &mut S, root: Option<u32>) -> Result<Layers, S::Error> {
    let mut layer_offsets = vec![0];
    let root_layers = match root {
        Some(root) => search.round(&[root], &mut layer_offsets)?,
        None => 0,
    };
    if (search.reached_many() as u32) < search.num_vertices() {
        let isolated = pick(search, |degrees| degrees == [0, 0]);
        let heads = pick(search, |[out, into]| into == 0 && out > 0);
        search.round(&heads, &mut layer_offsets)?;
        round_by_components(search, &mut layer_offsets)?;
        search.round(&isolated, &mut layer_offsets)?;
    }
    Ok(Layers { layer_offsets, root_layers })
}

/// Returns the unreached vertices whose numbers of out-edges and in-edges are `wanted`, by ascending id.
fn pick<S: Explorer>(search: &S, wanted: impl Fn([u64; 2]) -> bool + Sync) -> Vec<u32> {
    let vertices = (0..search.num_vertices()).into_par_iter();
    vertices.filter(|&rank| !search.is_reached(rank) && wanted(search.degrees(rank))).collect()
}

/// Runs rounds from one vertex of every unreached component, until only isolated vertices are left.
fn round_by_components<S: Explorer>(search: &mut S, layer_offsets: &mut Vec<u32>) -> Result<(), S::Error> {
    let mut left = pick(search, |degrees| degrees != [0, 0]);
    for turn in 0.. {
        if left.is_empty() {
            break;
        }
        let roots = if turn < PATIENT_ROUNDS {
            smallest_of_components(search, &left)?
        } else {
            smallest_of_cycles(search, &left)?
        };
        search.round(&roots, layer_offsets)?;
        left.retain(|&rank| !search.is_reached(rank));
    }
    Ok(())
}

/// Returns the smallest vertex of every weakly connected component of the unreached vertices, ascending.
fn smallest_of_components<S: Explorer>(search: &S, left: &[u32]) -> Result<Vec<u32>, S::Error> {
    let mut heads: Vec<u32> = (0..search.num_vertices()).collect();
    search.join_unreached(left, &mut heads)?;
    Ok(left.iter().copied().filter(|&rank| heads[rank as usize] == rank).collect())
}

/// Returns the smallest vertex of every cycle that smallest in-neighbours form, ascending. Every vertex that is still
/// unreached has an in-neighbour, and that in-neighbour is unreached too: otherwise it would have reached the vertex.
fn smallest_of_cycles<S: Explorer>(search: &S, left: &[u32]) -> Result<Vec<u32>, S::Error> {
    let mut sources = vec![UNREACHED; search.num_vertices() as usize];
    for (&rank, source) in left.iter().zip(search.smallest_sources(left)?) {
        sources[rank as usize] = source;
    }
    let before = |rank: u32| sources[rank as usize];
    let mut seen_by = vec![UNREACHED; sources.len()];
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
    Ok(roots)
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

/// The search on one machine.
impl Explorer for Search<'_> {
    type Error = Infallible;

    fn num_vertices(&self) -> u32 {
        self.out.num_vertices()
    }

    fn degrees(&self, rank: u32) -> [u64; 2] {
        [self.out, self.into].map(|rows| rows.degree(rank))
    }

    fn reach(&self, ranks: &[u32]) -> Result<Vec<u64>, Infallible> {
        Ok(ranks.par_iter().with_max_len(1).map(|&rank| self.reach_of(rank)).collect())
    }

    fn is_reached(&self, rank: u32) -> bool {
        Search::is_reached(self, rank)
    }

    fn reached_many(&self) -> usize {
        Search::reached_many(self)
    }

    fn round(&mut self, roots: &[u32], layer_offsets: &mut Vec<u32>) -> Result<u32, Infallible> {
        Ok(Search::round(self, roots, layer_offsets))
    }

    fn join_unreached(&self, left: &[u32], heads: &mut [u32]) -> Result<(), Infallible> {
        for &rank in left {
            let targets = self.out.row(rank).iter().filter(|&&target| !self.is_reached(target));
            targets.for_each(|&target| join(heads, rank, target));
        }
        Ok(())
    }

    fn smallest_sources(&self, left: &[u32]) -> Result<Vec<u32>, Infallible> {
        let smallest = |&rank: &u32| self.into.row(rank).iter().copied().min().unwrap_or(rank);
        Ok(left.par_iter().map(smallest).collect())
    }
}

impl Search<'_> {
    /// Returns `true` if the vertex already has a position in the order.
    pub(super) fn is_reached(&self, rank: u32) -> bool {
        self.reached[rank as usize / 64].load(Ordering::Relaxed) >> (rank % 64) & 1 != 0
    }

    /// Returns the number of vertices that `root` reaches.
    fn reach_of(&self, root: u32) -> u64 {
        let mut seen = vec![0u64; (self.out.num_vertices() as usize).div_ceil(64)];
        seen[root as usize / 64] |= 1 << (root % 64);
        let (mut left, mut reached) = (vec![root], 0);
        while let Some(vertex) = left.pop() {
            reached += 1;
            for &target in self.out.row(vertex) {
                let (word, bit) = (&mut seen[target as usize / 64], 1 << (target % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    left.push(target);
                }
            }
        }
        reached
    }
}

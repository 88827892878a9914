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
//! Within a layer, vertices stand by their smallest parent and then by id. That is the order in which a serial
//! queue would take them if rows were sorted, and the parallel path below computes the same.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::group::Grouped;

/// Rounds of one vertex a component before the round that ends it.
const PATIENT_ROUNDS: usize = 16;

/// Layers below this size are expanded by one thread: starting the others costs more.
const SERIAL_BELOW: usize = 4096;

/// Stands for "not yet".
const UNREACHED: u32 = u32::MAX;

/// The layered order of a graph's vertices.
pub(super) struct Forest {
    /// Ranks in layered order.
    pub(super) order: Vec<u32>,
    /// Where each layer begins in `order`, and the number of vertices.
    pub(super) layer_offsets: Vec<u32>,
    /// How many layers the root's own tree has.
    pub(super) root_layers: u32,
}

impl Forest {
    /// Orders all vertices; `root` is a rank, `None` for an empty graph.
    pub(super) fn grow(edges: &Grouped, root: Option<u32>) -> Forest {
        let mut growth = Growth::new(edges);
        let root_layers = root.map_or(0, |root| growth.round(vec![root]));
        let isolated = growth.pick(|rank| edges.is_isolated(rank));
        growth.round(growth.pick(|rank| edges.in_degrees[rank as usize] == 0 && !edges.is_isolated(rank)));
        growth.round_by_components();
        growth.round(isolated);
        Forest { order: growth.order, layer_offsets: growth.layer_offsets, root_layers }
    }
}

/// How many vertices a breadth-first search from `root` reaches.
pub(super) fn reach(edges: &Grouped, root: u32) -> usize {
    let mut growth = Growth::new(edges);
    growth.round(vec![root]);
    growth.order.len()
}

/// A forest being grown.
struct Growth<'a> {
    edges: &'a Grouped,
    order: Vec<u32>,
    layer_offsets: Vec<u32>,
    /// One more than the place in `order` of the vertex's smallest parent, 0 for a root, or `UNREACHED`.
    parents: Vec<AtomicU32>,
}

impl<'a> Growth<'a> {
    fn new(edges: &'a Grouped) -> Growth<'a> {
        let vertices = edges.num_vertices();
        let parents = (0..vertices).into_par_iter().map(|_| AtomicU32::new(UNREACHED)).collect();
        Growth { edges, order: Vec::with_capacity(vertices), layer_offsets: vec![0], parents }
    }

    fn is_unreached(&self, rank: u32) -> bool {
        self.parents[rank as usize].load(Ordering::Relaxed) == UNREACHED
    }

    /// The unreached vertices that `wanted` accepts, by ascending id.
    fn pick(&self, wanted: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
        let vertices = self.edges.num_vertices() as u32;
        (0..vertices).into_par_iter().filter(|&rank| self.is_unreached(rank) && wanted(rank)).collect()
    }

    /// Grows the trees of these roots (ascending, unreached) together. Returns how many layers they have.
    fn round(&mut self, roots: Vec<u32>) -> u32 {
        let layers_before = self.layer_offsets.len();
        for &root in &roots {
            self.parents[root as usize].store(0, Ordering::Relaxed);
        }
        let mut layer = roots;
        while !layer.is_empty() {
            let begin = self.order.len();
            self.order.append(&mut layer);
            self.layer_offsets.push(self.order.len() as u32);
            layer = self.next_layer(begin);
        }
        (self.layer_offsets.len() - layers_before) as u32
    }

    /// The vertices that edges out of the layer beginning at `begin` reach first, in their order.
    fn next_layer(&self, begin: usize) -> Vec<u32> {
        let layer = &self.order[begin..];
        if layer.len() < SERIAL_BELOW {
            self.expand_serially(begin, layer)
        } else {
            self.expand_on_all_threads(begin, layer)
        }
    }

    /// Parents in ascending order: whoever comes first is the smallest.
    fn expand_serially(&self, begin: usize, layer: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        for (place, &vertex) in layer.iter().enumerate() {
            let before = found.len();
            for &target in self.edges.row(vertex) {
                let parent = &self.parents[target as usize];
                if parent.load(Ordering::Relaxed) == UNREACHED {
                    parent.store((begin + place + 1) as u32, Ordering::Relaxed);
                    found.push(target);
                }
            }
            found[before..].sort_unstable();
        }
        found
    }

    /// All parents bid for a vertex, the smallest wins; then each parent collects its children.
    fn expand_on_all_threads(&self, begin: usize, layer: &[u32]) -> Vec<u32> {
        layer.par_iter().enumerate().for_each(|(place, &vertex)| {
            for &target in self.edges.row(vertex) {
                self.parents[target as usize].fetch_min((begin + place + 1) as u32, Ordering::Relaxed);
            }
        });
        let pieces: Vec<Vec<u32>> = layer
            .par_chunks(256)
            .enumerate()
            .map(|(chunk, vertices)| {
                let mut found = Vec::new();
                for (place, &vertex) in vertices.iter().enumerate() {
                    self.collect_children((begin + chunk * 256 + place + 1) as u32, vertex, &mut found);
                }
                found
            })
            .collect();
        pieces.concat()
    }

    /// The children of `vertex`, once each, by ascending id. A vertex that was reached before had a smaller parent
    /// already, which no bid of this layer replaced, so whoever names this parent was reached just now.
    fn collect_children(&self, parent: u32, vertex: u32, found: &mut Vec<u32>) {
        let mut children: Vec<u32> = self
            .edges
            .row(vertex)
            .iter()
            .copied()
            .filter(|&target| self.parents[target as usize].load(Ordering::Relaxed) == parent)
            .collect();
        children.sort_unstable();
        children.dedup();
        found.append(&mut children);
    }

    /// Rounds of one vertex of every component still unreached, until only isolated vertices are left.
    fn round_by_components(&mut self) {
        let mut left = self.pick(|rank| !self.edges.is_isolated(rank));
        for turn in 0.. {
            if left.is_empty() {
                return;
            }
            let roots = if turn < PATIENT_ROUNDS {
                self.smallest_of_components(&left)
            } else {
                self.smallest_of_cycles(&left)
            };
            self.round(roots);
            left.retain(|&rank| self.is_unreached(rank));
        }
    }

    /// The smallest vertex of every weakly connected component of the unreached vertices, ascending.
    fn smallest_of_components(&self, left: &[u32]) -> Vec<u32> {
        let mut heads: Vec<u32> = (0..left.len() as u32).collect();
        for (index, &rank) in left.iter().enumerate() {
            for &target in self.edges.row(rank) {
                if let Ok(other) = left.binary_search(&target) {
                    let (a, b) = (head_of(&mut heads, index as u32), head_of(&mut heads, other as u32));
                    heads[a.max(b) as usize] = a.min(b);
                }
            }
        }
        (0..left.len()).filter(|&index| heads[index] == index as u32).map(|index| left[index]).collect()
    }

    /// One vertex, the smallest, of every cycle that smallest in-neighbours form, ascending. Every unreached vertex
    /// has an in-neighbour here, and it is unreached too: otherwise the vertex would have been reached.
    fn smallest_of_cycles(&self, left: &[u32]) -> Vec<u32> {
        let mut before = vec![UNREACHED; left.len()];
        for (index, &rank) in left.iter().enumerate() {
            for target in self.edges.row(rank) {
                if let Ok(other) = left.binary_search(target) {
                    before[other] = before[other].min(index as u32);
                }
            }
        }
        let mut seen_by = vec![UNREACHED; left.len()];
        let mut roots = Vec::new();
        for walk in 0..left.len() as u32 {
            let mut at = walk;
            while seen_by[at as usize] == UNREACHED {
                seen_by[at as usize] = walk;
                at = before[at as usize];
            }
            if seen_by[at as usize] == walk {
                roots.push(left[smallest_on_cycle(&before, at) as usize]);
            }
        }
        roots.sort_unstable();
        roots
    }
}

/// The smallest index on the cycle through `start`.
fn smallest_on_cycle(before: &[u32], start: u32) -> u32 {
    let (mut smallest, mut at) = (start, before[start as usize]);
    while at != start {
        smallest = smallest.min(at);
        at = before[at as usize];
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

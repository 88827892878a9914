//! The neighbours of every vertex as sets, for the reference.

use std::collections::BTreeSet;

use wolfpath::graph::LayeredGraph;

/// The distinct neighbours and targets of every vertex, except itself, by internal index.
pub(crate) struct Adjacency {
    neighbours: Vec<BTreeSet<u32>>,
    targets: Vec<BTreeSet<u32>>,
    ranks: Vec<u32>,
    oriented: bool,
}

impl Adjacency {
    pub(crate) fn new(graph: &LayeredGraph, oriented: bool) -> Adjacency {
        let n = graph.num_vertices();
        let mut neighbours = vec![BTreeSet::new(); n as usize];
        let mut targets = neighbours.clone();
        for v in 0..n {
            for &end in graph.out_edges().row(v).iter().filter(|&&end| end != v) {
                targets[v as usize].insert(end);
                neighbours[v as usize].insert(end);
                neighbours[end as usize].insert(v);
            }
        }
        Adjacency { neighbours, targets, ranks: graph.ranks().to_vec(), oriented }
    }

    /// Returns the number of neighbours of a vertex.
    pub(crate) fn neighbours(&self, v: u32) -> u64 {
        self.neighbours[v as usize].len() as u64
    }

    /// Returns the number by which oriented programs order vertices.
    fn place(&self, v: u32) -> (u64, u32) {
        (self.neighbours(v), self.ranks[v as usize])
    }

    /// Returns the sender and the receiver of every edge.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (u32, u32)> {
        let edges = (0..).zip(&self.neighbours).flat_map(|(v, ends)| ends.iter().map(move |&end| (v, end)));
        edges.filter(|&(v, end)| !self.oriented || self.place(v) < self.place(end))
    }

    pub(crate) fn common_neighbours(&self, a: u32, b: u32) -> u64 {
        let last = self.place(a).max(self.place(b));
        let both = self.neighbours[a as usize].intersection(&self.neighbours[b as usize]);
        both.filter(|&&v| !self.oriented || self.place(v) > last).count() as u64
    }

    pub(crate) fn common_edges(&self, sender: u32, receiver: u32) -> u64 {
        self.targets[sender as usize].intersection(&self.neighbours[receiver as usize]).count() as u64
    }
}

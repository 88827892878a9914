//! The layered order of a graph whose edges are on several processes.
//!
//! A process has the edges that lead to its own vertices, grouped by source. In each layer, it finds which of its own vertices
//! the layer reaches, each with its smallest parent, and tells all others. So there is one exchange per layer.

use wolfpath_core::assemble::{Explorer, join};
use wolfpath_core::edge_list::{EdgeList, Symmetry};
use wolfpath_core::progress::Progress;
use wolfpath_runtime::part::{Message, put};

use super::team::Team;
use crate::error::BuildError;

/// Marker for a vertex without a source.
const NONE: u32 = u32::MAX;

/// The search of this process.
pub(super) struct Search<'a> {
    team: Team<'a>,
    progress: &'a Progress,
    degrees: &'a [[u64; 2]],
    /// For each source, the start of its edges in `targets`, then the number of edges.
    starts: Vec<u64>,
    /// The targets, which are vertices of this process.
    targets: Vec<u32>,
    /// The reached vertices, in order.
    order: Vec<u32>,
    reached: Bits,
}

/// One bit per vertex.
struct Bits(Vec<u64>);

impl Bits {
    fn new(vertices: u32) -> Bits {
        Bits(vec![0; (vertices as usize).div_ceil(64)])
    }

    fn has(&self, vertex: u32) -> bool {
        self.0[vertex as usize / 64] >> (vertex % 64) & 1 != 0
    }

    /// Sets a bit. Returns `true` if it was not set before.
    fn set(&mut self, vertex: u32) -> bool {
        let is_new = !self.has(vertex);
        self.0[vertex as usize / 64] |= 1 << (vertex % 64);
        is_new
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(
        team: Team<'a>,
        list: &EdgeList,
        degrees: &'a [[u64; 2]],
        progress: &'a Progress,
    ) -> Search<'a> {
        let vertices = list.num_vertices();
        let mut starts = vec![0u64; vertices as usize + 1];
        edges_into_own(team, list, |source, _| starts[source as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut targets = vec![0; starts[vertices as usize] as usize];
        let mut next = starts.clone();
        edges_into_own(team, list, |source, target| {
            targets[next[source as usize] as usize] = target;
            next[source as usize] += 1;
        });
        Search { team, progress, degrees, starts, targets, order: Vec::new(), reached: Bits::new(vertices) }
    }

    /// Returns the ranks of all vertices, in order.
    pub(super) fn into_order(self) -> Vec<u32> {
        self.order
    }

    /// Returns the targets of a source that are vertices of this process.
    fn row(&self, source: u32) -> &[u32] {
        let [begin, end] = [source, source + 1].map(|at| self.starts[at as usize] as usize);
        &self.targets[begin..end]
    }

    /// Returns the vertices next to a layer that are not `seen`, sorted by their smallest parent, then by rank, and marks them.
    fn next_layer(&self, layer: &[u32], seen: &mut Bits) -> Result<Vec<u32>, BuildError> {
        let mut told = Vec::new();
        for (place, &source) in (0u32..).zip(layer) {
            for &target in self.row(source) {
                if seen.set(target) {
                    put(&mut told, place);
                    put(&mut told, target);
                }
            }
        }
        let mut found = Vec::new();
        for told in self.team.tell_all(told)? {
            let mut told = Message(&told);
            while let Some((place, target)) = told.u32().zip(told.u32()) {
                seen.set(target);
                found.push(u64::from(place) << 32 | u64::from(target));
            }
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|both| both as u32).collect())
    }
}

/// Calls `visit` with each edge, source and target, to a vertex of this process.
fn edges_into_own(team: Team<'_>, list: &EdgeList, mut visit: impl FnMut(u32, u32)) {
    let doubled = list.symmetry() == Symmetry::Doubled;
    for (&source, &target) in list.sources().iter().zip(list.targets()) {
        if team.owns(target) {
            visit(source, target);
        }
        if doubled && source != target && team.owns(source) {
            visit(target, source);
        }
    }
}

impl Explorer for Search<'_> {
    type Error = BuildError;

    fn num_vertices(&self) -> u32 {
        self.degrees.len() as u32
    }

    fn degrees(&self, rank: u32) -> [u64; 2] {
        self.degrees[rank as usize]
    }

    fn reach(&self, ranks: &[u32]) -> Result<Vec<u64>, BuildError> {
        let reach = |&rank: &u32| {
            let mut seen = Bits::new(self.num_vertices());
            seen.set(rank);
            let (mut layer, mut reached) = (vec![rank], 0);
            while !layer.is_empty() {
                reached += layer.len() as u64;
                layer = self.next_layer(&layer, &mut seen)?;
            }
            Ok(reached)
        };
        ranks.iter().map(reach).collect()
    }

    fn is_reached(&self, rank: u32) -> bool {
        self.reached.has(rank)
    }

    fn reached_many(&self) -> usize {
        self.order.len()
    }

    fn round(&mut self, roots: &[u32], layer_offsets: &mut Vec<u32>) -> Result<u32, BuildError> {
        let mut seen = std::mem::replace(&mut self.reached, Bits(Vec::new()));
        roots.iter().for_each(|&root| {
            seen.set(root);
        });
        let (mut layer, mut layers) = (roots.to_vec(), 0);
        while !layer.is_empty() {
            self.order.extend(&layer);
            self.progress.advance(layer.len() as u64);
            layer_offsets.push(self.order.len() as u32);
            layers += 1;
            layer = self.next_layer(&layer, &mut seen)?;
        }
        self.reached = seen;
        Ok(layers)
    }

    fn join_unreached(&self, left: &[u32], heads: &mut [u32]) -> Result<(), BuildError> {
        let mut own: Vec<u32> = (0..self.num_vertices()).collect();
        for &source in left {
            let targets = self.row(source).iter().filter(|&&target| !self.is_reached(target));
            targets.for_each(|&target| join(&mut own, source, target));
        }
        let mut told = Vec::new();
        for &rank in left.iter().filter(|&&rank| own[rank as usize] != rank) {
            put(&mut told, rank);
            put(&mut told, own[rank as usize]);
        }
        for told in self.team.tell_all(told)? {
            let mut told = Message(&told);
            while let Some((a, b)) = told.u32().zip(told.u32()) {
                join(heads, a, b);
            }
        }
        Ok(())
    }

    fn smallest_sources(&self, left: &[u32]) -> Result<Vec<u32>, BuildError> {
        let mut smallest = vec![NONE; self.degrees.len()];
        // Sources ascend, so the first is the smallest.
        for source in 0..self.num_vertices() {
            for &target in self.row(source) {
                let first = &mut smallest[target as usize];
                *first = (*first).min(source);
            }
        }
        let mut told = Vec::new();
        left.iter()
            .filter(|&&rank| self.team.owns(rank))
            .for_each(|&rank| put(&mut told, smallest[rank as usize]));
        let heard = self.team.tell_all(told)?;
        let mut heard: Vec<Message<'_>> = heard.iter().map(|told| Message(told)).collect();
        let source = |&rank: &u32| {
            let told = heard[self.team.owner_of(rank)].u32();
            told.filter(|&source| source != NONE).unwrap_or(rank)
        };
        Ok(left.iter().map(source).collect())
    }
}

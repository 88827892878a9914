//! The layered order of a graph whose edges are on several processes.
//!
//! A process has the edges that lead to its own vertices, grouped by source. In each layer, it finds which of its own vertices
//! the layer reaches, each with its smallest parent, and tells all others. So there is one exchange per layer.

use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::assemble::{Explorer, join};
use wolfpath_core::edge_list::{EdgeList, Symmetry};
use wolfpath_core::progress::Progress;
use wolfpath_runtime::part::put;

use super::rows::{cut, grouped, shares, starts_of};
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
        let shares = shares(&starts_of(degrees.iter().map(|[out, _]| *out)));
        let counts = cut(&mut starts[1..], shares.iter().map(Range::len));
        shares.par_iter().zip(counts).for_each(|(share, counts)| {
            edges_into_own(team, list, share, |source, _| counts[source as usize - share.start] += 1);
        });
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let targets = grouped(&starts, &shares, |rows| {
            edges_into_own(team, list, rows.range, |source, target| rows.push(source as usize, target));
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
        self.team.tell_all("vertices of a layer", told, |process, told| {
            while !told.0.is_empty() {
                let (place, target) = (told.u32()?, self.found_by(process, told.u32()?, seen)?);
                found.push(u64::from(place) << 32 | u64::from(target));
            }
            Some(())
        })?;
        found.par_sort_unstable();
        Ok(found.into_iter().map(|both| both as u32).collect())
    }

    /// Returns a vertex that a process has sent, if it is one of the graph.
    fn vertex(&self, vertex: u32) -> Option<u32> {
        (vertex < self.num_vertices()).then_some(vertex)
    }

    /// Marks a vertex that a process has found, and returns it; `None` if it is not one of its own, or was found before.
    fn found_by(&self, process: usize, vertex: u32, seen: &mut Bits) -> Option<u32> {
        let vertex = self.vertex(vertex).filter(|&vertex| self.team.owner_of(vertex) == process)?;
        // This process has marked its own already.
        (seen.set(vertex) || process == self.team.me()).then_some(vertex)
    }
}

/// Calls `visit` with each edge from one of these `sources` to a vertex of this process: the source, and the target.
fn edges_into_own(team: Team<'_>, list: &EdgeList, sources: &Range<usize>, mut visit: impl FnMut(u32, u32)) {
    let doubled = list.symmetry() == Symmetry::Doubled;
    for (&source, &target) in list.sources().iter().zip(list.targets()) {
        if sources.contains(&(source as usize)) && team.owns(target) {
            visit(source, target);
        }
        if doubled && source != target && sources.contains(&(target as usize)) && team.owns(source) {
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
        // All searches take a step at a time, so that there is one exchange per layer of the longest.
        let mut seen: Vec<Bits> = ranks.iter().map(|_| Bits::new(self.num_vertices())).collect();
        let mut layers: Vec<Vec<u32>> = ranks.iter().map(|&rank| vec![rank]).collect();
        let mut reached = vec![0; ranks.len()];
        seen.iter_mut().zip(ranks).for_each(|(seen, &rank)| {
            seen.set(rank);
        });
        while layers.iter().any(|layer| !layer.is_empty()) {
            let mut told = Vec::new();
            for ((layer, seen), reached) in layers.iter_mut().zip(&mut seen).zip(&mut reached) {
                *reached += layer.len() as u64;
                let targets = layer.iter().flat_map(|&source| self.row(source));
                let found: Vec<u32> = targets.copied().filter(|&target| seen.set(target)).collect();
                put(&mut told, found.len() as u32);
                told.extend_from_slice(bytemuck::cast_slice(&found));
                layer.clear();
            }
            self.team.tell_all("vertices that a search reaches", told, |process, told| {
                for (layer, seen) in layers.iter_mut().zip(&mut seen) {
                    for _ in 0..told.u32()? {
                        layer.push(self.found_by(process, told.u32()?, seen)?);
                    }
                }
                Some(())
            })?;
        }
        Ok(reached)
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
        self.team.tell_all("joined vertices", told, |_, told| {
            while !told.0.is_empty() {
                join(heads, self.vertex(told.u32()?)?, self.vertex(told.u32()?)?);
            }
            Some(())
        })?;
        Ok(())
    }

    fn smallest_sources(&self, left: &[u32]) -> Result<Vec<u32>, BuildError> {
        let mut smallest = vec![NONE; self.degrees.len()];
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
        self.team.tell_all("smallest sources", told, |process, told| {
            for &rank in left.iter().filter(|&&rank| self.team.owner_of(rank) == process) {
                smallest[rank as usize] = match told.u32()? {
                    NONE => NONE,
                    source => self.vertex(source).filter(|&source| !self.is_reached(source))?,
                };
            }
            Some(())
        })?;
        let source = |&rank: &u32| match smallest[rank as usize] {
            NONE => rank,
            source => source,
        };
        Ok(left.iter().map(source).collect())
    }
}

//! Small random graphs with weights of the program's type.

use std::collections::{BTreeMap, BTreeSet};

use wolfpath_core::program::{Datum, DatumKind, EdgeProgram, Starts};
use wolfpath_core::random;

/// Edge of a small graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallEdge<W> {
    pub(super) source: u64,
    pub(super) target: u64,
    pub(super) weight: W,
}

/// Graph that is small enough to print in a message.
#[derive(Clone, Debug)]
pub(super) struct SmallGraph<W> {
    /// Ids, in ascending order.
    pub(super) ids: Vec<u64>,
    pub(super) edges: Vec<SmallEdge<W>>,
}

impl<W: Copy> SmallGraph<W> {
    /// Returns the graph without one of its edges.
    pub(super) fn without(&self, edge: usize) -> SmallGraph<W> {
        let mut smaller = self.clone();
        smaller.edges.remove(edge);
        smaller
    }

    /// Returns the distinct vertices that are adjacent to a vertex, except itself.
    pub(super) fn neighbours(&self, id: u64) -> BTreeSet<u64> {
        let other = |edge: &SmallEdge<W>| match (edge.source == id, edge.target == id) {
            (true, false) => Some(edge.target),
            (false, true) => Some(edge.source),
            _ => None,
        };
        self.edges.iter().filter_map(other).collect()
    }

    /// Returns an edge from each vertex to each of its neighbours, with the weight of one of the edges between them.
    pub(super) fn neighbour_edges(&self) -> Vec<(u64, u64, W)> {
        let weights = self.edges.iter().flat_map(|&SmallEdge { source, target, weight }| {
            [((source, target), weight), ((target, source), weight)]
        });
        let weights: BTreeMap<(u64, u64), W> =
            weights.filter(|((source, target), _)| source != target).collect();
        weights.into_iter().map(|((source, target), weight)| (source, target, weight)).collect()
    }

    /// Returns the numbers by which oriented programs order vertices.
    pub(super) fn place(&self, id: u64) -> (usize, u64) {
        (self.neighbours(id).len(), id)
    }

    /// Returns the number of vertices adjacent to both; if `oriented`, only of those later than both.
    pub(super) fn common_neighbours(&self, a: u64, b: u64, oriented: bool) -> u64 {
        let last = self.place(a).max(self.place(b));
        let (a, b) = (self.neighbours(a), self.neighbours(b));
        a.intersection(&b).filter(|&&both| !oriented || self.place(both) > last).count() as u64
    }

    /// Returns the number of distinct targets of a vertex, itself excluded, that are neighbours of another one.
    pub(super) fn common_edges(&self, source: u64, target: u64) -> u64 {
        let edges = self.edges.iter().filter(|edge| edge.source == source && edge.target != source);
        let targets: BTreeSet<u64> = edges.map(|edge| edge.target).collect();
        targets.intersection(&self.neighbours(target)).count() as u64
    }
}

/// Maximum number of vertices.
const VERTICES: u64 = 7;
/// Maximum number of edges.
const EDGES: u64 = 14;

/// Generator of random graphs for one program.
pub(super) struct Cases<P: EdgeProgram> {
    seed: u64,
    drawn: u64,
    /// Ids of the program's sources.
    starts: Vec<u64>,
    non_negative: bool,
    program: std::marker::PhantomData<P>,
}

impl<P: EdgeProgram> Cases<P> {
    pub(super) fn new(program: &P, seed: u64) -> Cases<P> {
        let starts = match P::MODEL.starts {
            Starts::Sources => program.sources().iter().map(|(id, _)| *id).collect(),
            _ => Vec::new(),
        };
        Cases {
            seed,
            drawn: 0,
            starts,
            non_negative: P::NON_NEGATIVE_WEIGHTS,
            program: std::marker::PhantomData,
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.drawn += 1;
        random::hash(self.seed, self.drawn) % end.max(1)
    }

    pub(super) fn graph(&mut self) -> SmallGraph<P::Weight> {
        let mut ids: Vec<u64> = (0..2 + self.below(VERTICES - 1)).collect();
        ids.extend(&self.starts);
        ids.sort_unstable();
        ids.dedup();
        let count = 1 + self.below(EDGES);
        let edges = (0..count).map(|_| self.edge(&ids)).collect();
        SmallGraph { ids, edges }
    }

    fn edge(&mut self, ids: &[u64]) -> SmallEdge<P::Weight> {
        let end = |cases: &mut Self| ids[cases.below(ids.len() as u64) as usize];
        let (source, target) = (end(self), end(self));
        SmallEdge { source, target, weight: self.weight() }
    }

    fn weight(&mut self) -> P::Weight {
        let fields = P::MODEL.weight_columns;
        if fields.is_empty() {
            return P::Weight::from_bits(self.number(P::Weight::KIND));
        }
        let mut bytes = vec![0; P::Weight::KIND.size()];
        for field in fields {
            let number = self.number(field.kind).to_le_bytes();
            let part = &mut bytes[field.offset..field.offset + field.kind.size()];
            part.copy_from_slice(&number[..part.len()]);
        }
        P::Weight::read(&bytes)
    }

    /// Returns the bits of a random number of this type: often small, sometimes large.
    fn number(&mut self, kind: DatumKind) -> u64 {
        let magnitude = match self.below(4) {
            0 => self.below(3),
            1 | 2 => self.below(20),
            _ => self.below(1 << 12),
        };
        let negative = !self.non_negative && self.below(3) == 0;
        let signed = if negative { -(magnitude as i64) } else { magnitude as i64 };
        // Multiples of 1/4 are exact in both types of floats.
        let quarters = signed as f64 / 4.0;
        match kind {
            DatumKind::Unit | DatumKind::Struct { .. } => 0,
            DatumKind::Bool => magnitude & 1,
            DatumKind::U8 | DatumKind::U16 | DatumKind::U32 | DatumKind::U64 => magnitude,
            DatumKind::I32 => Datum::to_bits(signed as i32),
            DatumKind::I64 => Datum::to_bits(signed),
            DatumKind::F32 => Datum::to_bits(quarters as f32),
            DatumKind::F64 => Datum::to_bits(quarters),
        }
    }
}

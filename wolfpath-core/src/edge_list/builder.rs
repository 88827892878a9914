//! From ids in input order to ranks, on all threads.
//!
//! Which ids appear is found with a bit an id where the ids are not much more numerous than the edges, else with hash
//! tables that share the ids out between threads. Ids that turn out to follow each other need no table: a rank is then
//! an id less the first.

use super::id_set::IdSet;
use super::piece::{Ends, EndsSlice, Piece};
use super::{EdgeList, EdgeListError, Slope, Symmetry, VertexIds};
use crate::space::{Array, Space, SpaceError};
use crate::weights::{WeightColumn, Weights};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A growing list of edges by id, for those who meet them one by one.
#[derive(Debug, Default)]
pub(crate) struct EdgeBuilder {
    piece: Piece,
}

impl EdgeBuilder {
    #[inline]
    pub(crate) fn push(&mut self, source: u64, target: u64) {
        self.piece.push(source, target);
    }

    /// The list; see [`number`]. `weights`, where given, has one weight an edge.
    pub(crate) fn finish(
        self,
        weights: Option<Weights>,
        declared: Option<Range<u64>>,
    ) -> Result<EdgeList, EdgeListError> {
        debug_assert!(weights.as_ref().is_none_or(|weights| weights.len() == self.piece.len()));
        match number(vec![self.piece], declared, &Space::Memory) {
            Ok((mut list, _)) => {
                list.weights = weights;
                Ok(list)
            }
            Err(NumberError::Edges(error)) => Err(error),
            Err(NumberError::Space(error)) => Err(error.into()),
        }
    }
}

/// Why lines could not be numbered, or merged.
#[derive(Debug)]
pub enum NumberError {
    /// The edges are not an edge list.
    Edges(EdgeListError),
    /// Neither memory nor disk has room for them.
    Space(SpaceError),
}

impl From<EdgeListError> for NumberError {
    fn from(error: EdgeListError) -> NumberError {
        NumberError::Edges(error)
    }
}

impl From<SpaceError> for NumberError {
    fn from(error: SpaceError) -> NumberError {
        NumberError::Space(error)
    }
}

/// Turns ids into ranks: among the declared ids where there are some (every id must be one), else among the ids that
/// appear. Returns as well where in the input the first weight stands that had to be rounded, because no type holds
/// all weights exactly.
pub fn number(
    pieces: Vec<Piece>,
    declared: Option<Range<u64>>,
    space: &Space,
) -> Result<(EdgeList, Option<usize>), NumberError> {
    let (ids, ranks) = match declared {
        Some(range) => (VertexIds::range(range)?, None),
        None => appearing(&pieces)?,
    };
    let lines: usize = pieces.iter().map(Piece::len).sum();
    let (ends, columns): (Vec<Ends>, Vec<WeightColumn>) =
        pieces.into_iter().map(|piece| (piece.ends, piece.weights)).unzip();
    let (weights, rounded) = WeightColumn::joined(columns, lines);
    let (sources, targets, slope) = to_ranks(ends, lines, &ids, ranks.as_ref(), space)?;
    let mut list = EdgeList::from_counted(ids, sources, targets, Symmetry::Directed, slope);
    list.weights = weights;
    Ok((list, rounded))
}

/// The ids that appear, and a fast way to their ranks where they do not follow each other.
fn appearing(pieces: &[Piece]) -> Result<(VertexIds, Option<IdSet>), EdgeListError> {
    if pieces.iter().all(Piece::is_empty) {
        return Ok((VertexIds::first(0), None));
    }
    let bits = pieces.iter().fold(0, |bits, piece| bits | piece.bits);
    let last = u64::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0);
    let lines: usize = pieces.iter().map(Piece::len).sum();
    let set = IdSet::of(pieces, last, lines)?;
    match set.contiguous() {
        Some(range) => Ok((VertexIds::range(range)?, None)),
        None => Ok((set.ids()?, Some(set))),
    }
}

/// The ranks of sources and targets. Each piece is given back as soon as it was read.
fn to_ranks(
    pieces: Vec<Ends>,
    lines: usize,
    ids: &VertexIds,
    ranks: Option<&IdSet>,
    space: &Space,
) -> Result<(Array<u32>, Array<u32>, Slope), NumberError> {
    let (mut sources, mut targets): (Array<u32>, Array<u32>) = (space.zeroed(lines)?, space.zeroed(lines)?);
    let mut rest = (&mut sources[..], &mut targets[..]);
    let mut tasks = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let length = piece.len();
        let (sources, more_sources) = rest.0.split_at_mut(length);
        let (targets, more_targets) = rest.1.split_at_mut(length);
        rest = (more_sources, more_targets);
        tasks.push((piece, sources, targets));
    }
    let first = ids.contiguous_from();
    let outside = AtomicU64::new(u64::MAX);
    let ranks = Ranks { ids, first, ranks, outside: &outside, any_outside: AtomicU64::new(0) };
    let slopes = tasks.into_par_iter().map(|(piece, sources, targets)| match piece.as_slice() {
        EndsSlice::Narrow(ends) => ranks.of_piece(ends, sources, targets),
        EndsSlice::Wide(ends) => ranks.of_piece(ends, sources, targets),
    });
    let slope = slopes.reduce(Slope::default, Slope::plus);
    if ranks.any_outside.load(Ordering::Relaxed) != 0 {
        let (id, first) = (outside.load(Ordering::Relaxed), ids.get(0).unwrap_or(0));
        let end = first.saturating_add(ids.len().into());
        return Err(NumberError::Edges(EdgeListError::OutsideRange { id, first, end }));
    }
    Ok((sources, targets, slope))
}

/// A way from ids to ranks.
struct Ranks<'a> {
    ids: &'a VertexIds,
    first: Option<u64>,
    ranks: Option<&'a IdSet>,
    /// The smallest id that is no vertex.
    outside: &'a AtomicU64,
    any_outside: AtomicU64,
}

impl Ranks<'_> {
    fn of_piece<T: Copy + Into<u64> + Send + Sync>(
        &self,
        ends: &[[T; 2]],
        sources: &mut [u32],
        targets: &mut [u32],
    ) -> Slope {
        const CHUNK: usize = 1 << 16;
        let columns = sources.par_chunks_mut(CHUNK).zip(targets.par_chunks_mut(CHUNK));
        let ranked = columns.zip(ends.par_chunks(CHUNK)).map(|((sources, targets), ends)| match self.first {
            Some(first) => {
                let len = u64::from(self.ids.len());
                self.each(ends, sources, targets, |id| {
                    let rank = id.wrapping_sub(first);
                    (rank < len).then_some(rank as u32)
                })
            }
            None => self.each(ends, sources, targets, |id| match self.ranks {
                Some(ranks) => ranks.rank(id),
                None => self.ids.rank(id),
            }),
        });
        ranked.reduce(Slope::default, Slope::plus)
    }

    #[inline]
    fn each<T: Copy + Into<u64>>(
        &self,
        ends: &[[T; 2]],
        sources: &mut [u32],
        targets: &mut [u32],
        rank: impl Fn(u64) -> Option<u32>,
    ) -> Slope {
        for ((source, target), edge) in sources.iter_mut().zip(targets.iter_mut()).zip(ends) {
            let [from, to] = edge.map(Into::into);
            *source = rank(from).unwrap_or_else(|| self.refuse(from));
            *target = rank(to).unwrap_or_else(|| self.refuse(to));
        }
        Slope::of(sources, targets)
    }

    #[cold]
    fn refuse(&self, id: u64) -> u32 {
        self.outside.fetch_min(id, Ordering::Relaxed);
        self.any_outside.store(1, Ordering::Relaxed);
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(edges: &[(u64, u64)]) -> EdgeList {
        let mut builder = EdgeBuilder::default();
        for &(source, target) in edges {
            builder.push(source, target);
        }
        builder.finish(None, None).unwrap()
    }

    #[test]
    fn wide_ids_appear_late() {
        let list = list(&[(3, 1), (1, 1 << 40), (3, 3)]);
        assert_eq!(list.ids().table(), Some(&[1, 3, 1 << 40][..]));
        assert_eq!((list.sources(), list.targets()), (&[1, 0, 1][..], &[0, 2, 1][..]));
    }

    #[test]
    fn declared_ids_bind() {
        let mut builder = EdgeBuilder::default();
        builder.push(1, 4);
        let refused = builder.finish(None, Some(1..4)).unwrap_err();
        assert_eq!(refused, EdgeListError::OutsideRange { id: 4, first: 1, end: 4 });
    }

    #[test]
    fn spread_ids_keep_their_order() {
        let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let edges: Vec<(u64, u64)> = (0..5000).map(|n| (spread(n % 700), spread(n * n % 900))).collect();
        let list = list(&edges);
        let table = list.ids().table().unwrap();
        assert!(table.is_sorted_by(|a, b| a < b));
        for (line, &edge) in edges.iter().enumerate() {
            assert_eq!(list.edge(line), edge);
        }
    }
}

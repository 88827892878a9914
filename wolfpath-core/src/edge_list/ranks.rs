//! Converts ids in input order to ranks, on all threads.
//!
//! If the largest id is not much larger than the number of edges, the set of ids is stored as a bitmap, with one bit
//! per id. Otherwise the ids are divided among hash tables. If the ids turn out to be contiguous, ranks need no
//! look-up: the rank is the id minus the first id.

use super::piece::{Ends, EndsSlice, Piece};
use super::{EdgeList, EdgeListError, Slope, Symmetry, VertexIds};
use crate::random;
use crate::space::{Array, Space, SpaceError};
use crate::weights::{Columns, WeightBuilder, Weights};
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A growing list of edges whose endpoints are ids, for callers that produce edges one at a time.
#[derive(Debug, Default)]
pub(crate) struct EdgeBuilder {
    piece: Piece,
}

impl EdgeBuilder {
    #[inline]
    pub(crate) fn push(&mut self, source: u64, target: u64) {
        self.piece.push(source, target);
    }

    /// Builds the list; see [`number`]. `weights`, if given, has one weight per edge.
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

/// Error from converting ids to ranks, or from merging lines.
#[derive(Debug)]
pub enum NumberError {
    /// The edges are not a valid edge list.
    Edges(EdgeListError),
    /// There is not enough memory or disk space.
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

impl EdgeList {
    /// Builds a list from lines whose endpoints are already ranks. `slope` has the number of lines in each direction.
    pub(crate) fn from_counted(
        ids: VertexIds,
        sources: Array<u32>,
        targets: Array<u32>,
        symmetry: Symmetry,
        slope: Slope,
    ) -> EdgeList {
        let (weights, columns, notes) = (None, Columns::default(), Vec::new());
        EdgeList { ids, sources, targets, weights, columns, symmetry, slope, notes, of_input: false }
    }
}

/// Converts ids to ranks. If the format declared the ids, ranks are positions among the declared ids, and an edge with
/// any other id is an error. Otherwise ranks are positions among the ids that occur. If no number type represents all
/// weights exactly, also returns the position of the first weight that was rounded.
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
    let (ends, columns): (Vec<Ends>, Vec<WeightBuilder>) =
        pieces.into_iter().map(|piece| (piece.ends, piece.weights)).unzip();
    let (weights, rounded) = WeightBuilder::joined(columns, lines);
    let (sources, targets, slope) = to_ranks(ends, lines, &ids, ranks.as_ref(), space)?;
    let mut list = EdgeList::from_counted(ids, sources, targets, Symmetry::Directed, slope);
    list.weights = weights;
    Ok((list, rounded))
}

/// Returns the ids that occur. If they are not contiguous, also returns the set in which ranks are looked up.
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

/// Returns the ranks of sources and targets. Frees each piece after reading it.
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

/// A look-up from ids to ranks.
struct Ranks<'a> {
    ids: &'a VertexIds,
    first: Option<u64>,
    ranks: Option<&'a IdSet>,
    /// The smallest id that is an endpoint of an edge but not the id of a vertex; valid only if `any_outside` is set.
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

/// A set of ids in one of two representations.
pub(super) enum IdSet {
    /// A bitmap up to the largest id, for ids that are close together.
    Dense(Dense),
    /// Hash tables, for arbitrary ids.
    Spread(Spread),
}

/// A bitmap in words of 64 bits, and for each word the number of ids in all words before it.
pub(super) struct Dense {
    words: Vec<u64>,
    before: Vec<u32>,
    len: u64,
}

/// The ids, ascending, and hash tables (shards) that map ids to ranks. The top bits of an id's hash select its shard.
pub(super) struct Spread {
    ids: Vec<u64>,
    shards: Vec<HashMap<u64, u32, Mix>>,
}

/// Base-2 logarithm of the number of shards.
const SHARD_BITS: u32 = 6;
/// Maximum size, in words, of a bitmap of which each thread has its own copy. Such a copy fits in a core's cache.
const OWN_WORDS: usize = 1 << 16;
const SHARDS: usize = 1 << SHARD_BITS;
const SHARDS_A_ROUND: usize = SHARDS / 4;

impl IdSet {
    /// Returns the ids of these edges. `last` is an upper bound on the ids.
    pub(super) fn of(pieces: &[Piece], last: u64, lines: usize) -> Result<IdSet, EdgeListError> {
        // A bitmap is cheaper than hashing unless the range of ids is much larger than the number of edge endpoints.
        let bits_worth_it = 64 * (lines as u64 + 1024);
        if last < bits_worth_it {
            Dense::of(pieces, last).map(IdSet::Dense)
        } else {
            Spread::of(pieces).map(IdSet::Spread)
        }
    }

    /// Returns the range of the ids if they are contiguous.
    pub(super) fn contiguous(&self) -> Option<Range<u64>> {
        let (first, last, len) = match self {
            IdSet::Dense(dense) => (dense.first()?, dense.last()?, dense.len),
            IdSet::Spread(spread) => (*spread.ids.first()?, *spread.ids.last()?, spread.ids.len() as u64),
        };
        // The exclusive end of a range must be a `u64`, so a range cannot contain `u64::MAX`.
        (last - first == len - 1 && last < u64::MAX).then(|| first..last + 1)
    }

    /// Returns all ids, ascending.
    pub(super) fn ids(&self) -> Result<VertexIds, EdgeListError> {
        let (ids, found) = match self {
            IdSet::Dense(dense) => (dense.ids(), dense.len),
            IdSet::Spread(spread) => (spread.ids.clone(), spread.ids.len() as u64),
        };
        VertexIds::from_sorted(ids).ok_or(EdgeListError::TooManyVertices { found })
    }

    /// Returns the rank of an id in the set.
    #[inline]
    pub(super) fn rank(&self, id: u64) -> Option<u32> {
        match self {
            IdSet::Dense(dense) => dense.rank(id),
            IdSet::Spread(spread) => spread.shards[shard_of(id)].get(&id).copied(),
        }
    }
}

impl Dense {
    fn of(pieces: &[Piece], last: u64) -> Result<Dense, EdgeListError> {
        let words = (last / 64 + 1) as usize;
        let threads = rayon::current_num_threads();
        let words = if words <= OWN_WORDS && pieces.len() >= threads {
            marked_apart(pieces, words, pieces.len().div_ceil(threads))
        } else {
            marked_together(pieces, words)
        };
        let mut before = Vec::with_capacity(words.len());
        let mut len = 0u64;
        for word in &words {
            // If there are too many ids for `u32` ranks, this cast truncates. That is harmless, because the check below
            // then returns an error.
            before.push(len as u32);
            len += u64::from(word.count_ones());
        }
        if len > super::MAX_VERTICES {
            return Err(EdgeListError::TooManyVertices { found: len });
        }
        Ok(Dense { words, before, len })
    }

    fn first(&self) -> Option<u64> {
        let place = self.words.iter().position(|&word| word != 0)?;
        Some(64 * place as u64 + u64::from(self.words[place].trailing_zeros()))
    }

    fn last(&self) -> Option<u64> {
        let place = self.words.iter().rposition(|&word| word != 0)?;
        Some(64 * place as u64 + 63 - u64::from(self.words[place].leading_zeros()))
    }

    fn ids(&self) -> Vec<u64> {
        let mut ids = Vec::with_capacity(self.len as usize);
        for (place, &word) in self.words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                ids.push(64 * place as u64 + u64::from(left.trailing_zeros()));
                left &= left - 1;
            }
        }
        ids
    }

    #[inline]
    fn rank(&self, id: u64) -> Option<u32> {
        let place = (id / 64) as usize;
        let word = *self.words.get(place)?;
        let smaller = word & ((1 << (id % 64)) - 1);
        (word >> (id % 64) & 1 != 0).then(|| self.before[place] + smaller.count_ones())
    }
}

impl Spread {
    fn of(pieces: &[Piece]) -> Result<Spread, EdgeListError> {
        // Processes a few shards at a time, because processing all at once would take as much memory as the edges.
        let rounds = (0..SHARDS).step_by(SHARDS_A_ROUND);
        let shards: Vec<Vec<u64>> = rounds
            .flat_map(|first| {
                let shards = sharded(pieces, first..first + SHARDS_A_ROUND);
                shards.into_par_iter().map(distinct).collect::<Vec<_>>()
            })
            .collect();
        let mut ids = shards.concat();
        if ids.len() as u64 > super::MAX_VERTICES {
            return Err(EdgeListError::TooManyVertices { found: ids.len() as u64 });
        }
        // There are far fewer distinct ids than edges, so a comparison sort is cheap enough.
        ids.par_sort_unstable();
        let table = |shard: Vec<u64>| {
            let ranks = shard.into_iter().filter_map(|id| Some((id, ids.binary_search(&id).ok()? as u32)));
            ranks.collect::<HashMap<u64, u32, Mix>>()
        };
        let shards = shards.into_par_iter().map(table).collect();
        Ok(Spread { ids, shards })
    }
}

/// Returns, for each piece and each shard in `wanted`, the ids that belong to the shard.
fn sharded(pieces: &[Piece], wanted: Range<usize>) -> Vec<Vec<Vec<u64>>> {
    let parted: Vec<Vec<Vec<u64>>> = pieces
        .par_iter()
        .map(|piece| {
            let mut shards = vec![Vec::new(); wanted.len()];
            let mut put = |id| {
                // For a shard below the first wanted one, the subtraction wraps around to an index that is out of
                // range.
                if let Some(shard) = shards.get_mut(shard_of(id).wrapping_sub(wanted.start)) {
                    shard.push(id);
                }
            };
            match piece.ends.as_slice() {
                EndsSlice::Narrow(ends) => ends.iter().flatten().for_each(|&id| put(id.into())),
                EndsSlice::Wide(ends) => ends.iter().flatten().for_each(|&id| put(id)),
            }
            shards
        })
        .collect();
    let mut shards: Vec<Vec<Vec<u64>>> = wanted.map(|_| Vec::new()).collect();
    for piece in parted {
        shards.iter_mut().zip(piece).for_each(|(shard, part)| shard.push(part));
    }
    shards
}

/// Returns the distinct ids of a shard.
fn distinct(parts: Vec<Vec<u64>>) -> Vec<u64> {
    let mut seen: HashMap<u64, (), Mix> = HashMap::default();
    seen.extend(parts.into_iter().flatten().map(|id| (id, ())));
    seen.into_keys().collect()
}

#[inline]
fn shard_of(id: u64) -> usize {
    (random::hash(0, id) >> (64 - SHARD_BITS)) as usize
}

/// Builds the bitmap of ids from one bitmap per thread. Setting bits in one shared bitmap would take several times as
/// long.
fn marked_apart(pieces: &[Piece], words: usize, pieces_each: usize) -> Vec<u64> {
    let mark = |pieces: &[Piece]| {
        let mut bitmap = vec![0u64; words];
        for piece in pieces {
            let mut insert = |id: u64| bitmap[(id / 64) as usize] |= 1 << (id % 64);
            match piece.ends.as_slice() {
                EndsSlice::Narrow(ends) => ends.iter().flatten().for_each(|&id| insert(id.into())),
                EndsSlice::Wide(ends) => ends.iter().flatten().for_each(|&id| insert(id)),
            }
        }
        bitmap
    };
    let both = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
        a
    };
    pieces.par_chunks(pieces_each).map(mark).reduce_with(both).unwrap_or_else(|| vec![0; words])
}

/// Builds the bitmap of ids, shared among all threads.
fn marked_together(pieces: &[Piece], words: usize) -> Vec<u64> {
    let bitmap: Vec<AtomicU64> = (0..words).into_par_iter().map(|_| AtomicU64::new(0)).collect();
    for_each_id(pieces, |id: u64| {
        let (word, bit) = (&bitmap[(id / 64) as usize], 1 << (id % 64));
        // For most ids, the bit is already set, and a load is much cheaper than an atomic write.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    });
    bitmap.into_iter().map(AtomicU64::into_inner).collect()
}

/// Visits every source and target.
fn for_each_id(pieces: &[Piece], visit: impl Fn(u64) + Sync) {
    const CHUNK: usize = 1 << 16;
    pieces.par_iter().for_each(|piece| match piece.ends.as_slice() {
        EndsSlice::Narrow(ends) => {
            ends.par_chunks(CHUNK).for_each(|ends| ends.iter().flatten().for_each(|&id| visit(id.into())))
        }
        EndsSlice::Wide(ends) => {
            ends.par_chunks(CHUNK).for_each(|ends| ends.iter().flatten().for_each(|&id| visit(id)));
        }
    });
}

/// Builder of hashers of ids. The hashes need not resist attacks: colliding ids only slow down reading the file
/// that contains them.
#[derive(Clone, Copy, Default)]
pub(super) struct Mix;

/// Hasher of one id.
pub(super) struct MixHasher(u64);

impl BuildHasher for Mix {
    type Hasher = MixHasher;
    fn build_hasher(&self) -> MixHasher {
        MixHasher(0)
    }
}

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }
    fn write_u64(&mut self, id: u64) {
        // The seed differs from the seed by which ids are divided among shards. With the same seed, all hashes in a
        // shard would have the same top bits.
        self.0 = random::hash(self.0 ^ 1, id);
    }
}

#[cfg(test)]
mod tests;

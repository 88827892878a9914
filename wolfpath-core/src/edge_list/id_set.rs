//! The ids that appear in a list, and the rank of each.

use super::piece::{EndsSlice, Piece};
use super::{EdgeListError, VertexIds};
use crate::random;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A set of ids in one of two forms.
pub(super) enum IdSet {
    /// A bit for every id up to the largest: ids that lie close together.
    Dense(Dense),
    /// Hash tables: ids that may be anything.
    Spread(Spread),
}

/// Bits of 64 ids each, and how many ids there are before each word.
pub(super) struct Dense {
    words: Vec<u64>,
    before: Vec<u32>,
    len: u64,
}

/// Ids ascending, and shards that know their ranks. An id's shard is the top of its hash.
pub(super) struct Spread {
    ids: Vec<u64>,
    shards: Vec<HashMap<u64, u32, Mix>>,
}

/// How many shards share the ids, as a power of two.
const SHARD_BITS: u32 = 6;
/// Bitmaps up to this size every thread has for itself: they fit its cache.
const OWN_WORDS: usize = 1 << 16;
const SHARDS: usize = 1 << SHARD_BITS;
const SHARDS_A_ROUND: usize = SHARDS / 4;

impl IdSet {
    /// The ids of these edges; `last` is the largest.
    pub(super) fn of(pieces: &[Piece], last: u64, lines: usize) -> Result<IdSet, EdgeListError> {
        // A bit an id is cheaper than hashing while ids are not much more numerous than ends of edges.
        let bits_worth_it = 64 * (lines as u64 + 1024);
        if last < bits_worth_it {
            Dense::of(pieces, last).map(IdSet::Dense)
        } else {
            Spread::of(pieces).map(IdSet::Spread)
        }
    }

    /// The range of the ids, where they follow each other.
    pub(super) fn contiguous(&self) -> Option<Range<u64>> {
        let (first, last, len) = match self {
            IdSet::Dense(dense) => (dense.first()?, dense.last()?, dense.len),
            IdSet::Spread(spread) => (*spread.ids.first()?, *spread.ids.last()?, spread.ids.len() as u64),
        };
        // A range has an end that is a number.
        (last - first == len - 1 && last < u64::MAX).then(|| first..last + 1)
    }

    /// All ids, ascending.
    pub(super) fn ids(&self) -> Result<VertexIds, EdgeListError> {
        let (ids, found) = match self {
            IdSet::Dense(dense) => (dense.ids(), dense.len),
            IdSet::Spread(spread) => (spread.ids.clone(), spread.ids.len() as u64),
        };
        VertexIds::from_sorted(ids).ok_or(EdgeListError::TooManyVertices { found })
    }

    /// The rank of an id of the set.
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
            // Too many to have ranks are refused below.
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
        // A few shards at a time: all of them at once would take as much memory again as the edges.
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
        // Vertices, not edges: few enough to be compared.
        ids.par_sort_unstable();
        let table = |shard: Vec<u64>| {
            let ranks = shard.into_iter().filter_map(|id| Some((id, ids.binary_search(&id).ok()? as u32)));
            ranks.collect::<HashMap<u64, u32, Mix>>()
        };
        let shards = shards.into_par_iter().map(table).collect();
        Ok(Spread { ids, shards })
    }
}

/// All ids of all edges that belong to some of the shards.
fn sharded(pieces: &[Piece], wanted: Range<usize>) -> Vec<Vec<Vec<u64>>> {
    let parted: Vec<Vec<Vec<u64>>> = pieces
        .par_iter()
        .map(|piece| {
            let mut shards = vec![Vec::new(); wanted.len()];
            let mut put = |id| {
                // Below the first one wraps round to beyond the last.
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

/// Each id of a shard once.
fn distinct(parts: Vec<Vec<u64>>) -> Vec<u64> {
    let mut seen: HashMap<u64, (), Mix> = HashMap::default();
    seen.extend(parts.into_iter().flatten().map(|id| (id, ())));
    seen.into_keys().collect()
}

#[inline]
fn shard_of(id: u64) -> usize {
    (random::hash(0, id) >> (64 - SHARD_BITS)) as usize
}

/// A bit for every id, one bitmap a thread and then all of them together: setting a bit that others set as well takes
/// several times as long.
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

/// A bit for every id, in one bitmap of all threads.
fn marked_together(pieces: &[Piece], words: usize) -> Vec<u64> {
    let bitmap: Vec<AtomicU64> = (0..words).into_par_iter().map(|_| AtomicU64::new(0)).collect();
    for_each_id(pieces, |id: u64| {
        let (word, bit) = (&bitmap[(id / 64) as usize], 1 << (id % 64));
        // Most ids were seen before, and looking is much cheaper than writing.
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

/// Hashes an id by mixing its bits. Whoever makes up ids that collide slows down reading their own file.
#[derive(Clone, Copy, Default)]
pub(super) struct Mix;

/// The hash of one id.
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
        // Another seed than the shards', or all ids of a shard would begin alike.
        self.0 = random::hash(self.0 ^ 1, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(edges: &[(u64, u64)]) -> Vec<Piece> {
        let mut piece = Piece::default();
        edges.iter().for_each(|&(source, target)| piece.push(source, target));
        vec![piece]
    }

    #[test]
    fn both_forms_agree() {
        let edges: Vec<(u64, u64)> = (0..500).map(|i| (i * 7919 % 1000, i * 31 % 977)).collect();
        let pieces = piece(&edges);
        let dense = IdSet::Dense(Dense::of(&pieces, 999).unwrap());
        assert_eq!(marked_apart(&pieces, 16, 1), marked_together(&pieces, 16));
        let spread = IdSet::Spread(Spread::of(&pieces).unwrap());
        assert_eq!(dense.ids(), spread.ids());
        assert_eq!(dense.contiguous(), spread.contiguous());
        assert!((0..1100).all(|id| dense.rank(id) == spread.rank(id)));
        assert!(
            dense.ids().unwrap().iter().enumerate().all(|(rank, id)| dense.rank(id) == Some(rank as u32))
        );
    }

    #[test]
    fn ids_that_follow_each_other() {
        let pieces = piece(&[(70, 71), (72, 70)]);
        assert_eq!(IdSet::of(&pieces, 72, 2).unwrap().contiguous(), Some(70..73));
        let pieces = piece(&[(u64::MAX, u64::MAX - 1)]);
        assert_eq!(IdSet::of(&pieces, u64::MAX, 1).unwrap().contiguous(), None);
    }
}

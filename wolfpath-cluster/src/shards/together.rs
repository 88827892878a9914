//! Verifies that the shards of a folder fit together.

use wolfpath_core::graph::Direction;

use super::Shards;
use super::format::Piece;
use super::shard::Shard;
use crate::error::ShardError;

/// What the shards that were added so far contain.
pub(super) struct Together<'a> {
    shards: &'a Shards,
    /// A bit per rank that a vertex has.
    ranks: Vec<u64>,
    /// For each direction, the guests and the pieces elsewhere, with the shard that has and the one that owns them.
    guests: [Vec<(Piece, u16, u16)>; 2],
    away: [Vec<(Piece, u16, u16)>; 2],
}

impl<'a> Together<'a> {
    pub(super) fn new(shards: &'a Shards) -> Together<'a> {
        let ranks = vec![0; (shards.num_vertices() as usize).div_ceil(64)];
        Together { shards, ranks, guests: Default::default(), away: Default::default() }
    }

    /// Adds a shard, which has been verified for itself.
    pub(super) fn add(&mut self, shard: &Shard) -> Result<(), ShardError> {
        for (position, &rank) in shard.ranks().iter().enumerate() {
            let (word, bit) = (&mut self.ranks[rank as usize / 64], 1 << (rank % 64));
            if *word & bit != 0 {
                let found = format!("rank {rank} of a second vertex");
                return Err(shard.broken_rank(position, found, "each rank once").into());
            }
            *word |= bit;
        }
        for (at, direction) in [Direction::Out, Direction::In].into_iter().enumerate() {
            if direction == Direction::In && !self.shards.has_in_rows() {
                continue;
            }
            let [guests, away] = shard.pieces(direction);
            let number = shard.number();
            self.guests[at].extend(guests.iter().map(|piece| (*piece, number, piece.shard as u16)));
            self.away[at].extend(away.iter().map(|piece| (*piece, piece.shard as u16, number)));
        }
        Ok(())
    }

    /// Compares guests with the pieces that are elsewhere, once all shards were added.
    pub(super) fn compare(mut self) -> Result<(), ShardError> {
        for (guests, away) in self.guests.iter_mut().zip(&mut self.away) {
            let key = |&(piece, has, owns): &(Piece, u16, u16)| {
                (piece.vertex, piece.first, piece.length, has, owns)
            };
            guests.sort_by_key(key);
            away.sort_by_key(key);
            let (mut guests, mut away) = (guests.iter().map(key), away.iter().map(key));
            loop {
                let (guest, piece) = (guests.next(), away.next());
                if guest == piece {
                    if guest.is_none() {
                        break;
                    }
                    continue;
                }
                let shard = guest.or(piece).map_or(0, |(.., has, _)| has);
                let tell = |piece: Option<(u32, u64, u64, u16, u16)>| match piece {
                    Some((vertex, first, length, has, owns)) => {
                        format!(
                            "{length} edges of vertex {vertex} from edge {first} on, in shard {has} for shard {owns}"
                        )
                    }
                    None => "no further piece".to_owned(),
                };
                return Err(ShardError::OtherBuild {
                    path: self.shards.path_of(shard),
                    shard,
                    found: format!("among the guests, {}", tell(guest)),
                    expected: format!("as their owners say, {}", tell(piece)),
                });
            }
        }
        Ok(())
    }
}

//! Verifies that the shards of a folder fit together.

use wolfpath_core::graph::Direction;

use super::Shards;
use super::format::Piece;
use super::shard::Shard;
use crate::error::ShardError;

/// A collection of the ranks and pieces of shards, to be compared once all were added.
pub(super) struct Together<'a> {
    shards: &'a Shards,
    /// A bit per rank that a vertex has.
    ranks: Vec<u64>,
    /// For each direction, the guests of all shards, and the pieces that they have lent.
    guests: [Vec<Loan>; 2],
    lent: [Vec<Loan>; 2],
}

/// A piece of a row that a shard other than its owner has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Loan {
    vertex: u32,
    first: u64,
    length: u64,
    owner: u32,
    holder: u32,
}

impl Loan {
    fn new(piece: &Piece, owner: u32, holder: u32) -> Loan {
        let Piece { vertex, first, length, .. } = *piece;
        Loan { vertex, first, length, owner, holder }
    }
}

impl<'a> Together<'a> {
    pub(super) fn new(shards: &'a Shards) -> Together<'a> {
        let ranks = vec![0; (shards.num_vertices() as usize).div_ceil(64)];
        Together { shards, ranks, guests: Default::default(), lent: Default::default() }
    }

    /// Adds a shard, which has been verified by itself.
    pub(super) fn add(&mut self, shard: &Shard) -> Result<(), ShardError> {
        for (position, &rank) in shard.ranks().iter().enumerate() {
            let (word, bit) = (&mut self.ranks[rank as usize / 64], 1 << (rank % 64));
            if *word & bit != 0 {
                let found = format!("rank {rank} of a second vertex");
                return Err(shard.broken_rank(position, found, "each rank once").into());
            }
            *word |= bit;
        }
        let number = shard.number().into();
        let in_rows = self.shards.has_in_rows().then_some(Direction::In);
        for (at, direction) in [Direction::Out].into_iter().chain(in_rows).enumerate() {
            let [guests, lent] = shard.pieces(direction);
            self.guests[at].extend(guests.iter().map(|piece| Loan::new(piece, piece.shard, number)));
            self.lent[at].extend(lent.iter().map(|piece| Loan::new(piece, number, piece.shard)));
        }
        Ok(())
    }

    /// Compares guests with lent pieces, once all shards were added.
    pub(super) fn compare(mut self) -> Result<(), ShardError> {
        for (guests, lent) in self.guests.iter_mut().zip(&mut self.lent) {
            guests.sort_unstable();
            lent.sort_unstable();
            let differ = (0..guests.len().max(lent.len())).find(|&at| guests.get(at) != lent.get(at));
            let Some(at) = differ else { continue };
            let (guest, piece) = (guests.get(at), lent.get(at));
            let shard = guest.or(piece).map_or(0, |loan| loan.holder as u16);
            let path = self.shards.path_of(shard);
            let (found, expected) = (described("guest", guest), described("lent piece", piece));
            return Err(ShardError::OtherBuild { path, shard, found, expected });
        }
        Ok(())
    }
}

fn described(what: &str, loan: Option<&Loan>) -> String {
    match loan {
        Some(Loan { vertex, first, length, owner, holder }) => {
            format!(
                "a {what} of {length} edges of vertex {vertex}, from edge {first} on, of shard {owner} in shard {holder}"
            )
        }
        None => format!("no further {what}"),
    }
}

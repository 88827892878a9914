//! Pieces of rows that processes gather for the owners of the rows' vertices. Otherwise, an owner fetches the pieces that other
//! processes have, and gathers over its whole rows.

use std::ops::Range;

use wolfpath_core::graph::Direction;
use wolfpath_runtime::SUMMED_PIECE;
use wolfpath_runtime::part::{Gathered, Message, PartPieces, PeerError, Peers, unreadable};

use super::{Builder, LOADING, Owners, WholeRows, process_of};
use crate::shards::{Shard, ShardRow};

/// Owners fetch the pieces of their rows unless the process with the most edges would then have more than one in this number more
/// of them. Gathering for each other takes one more exchange per step.
const TOLERANCE: u64 = 32;

/// Number of edges over which a process gathers, by direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Edges if all processes gather over the pieces that they have.
    in_pieces: [u64; 2],
    /// Edges if owners fetch the pieces.
    fetched: [u64; 2],
}

impl Shares {
    /// Returns the shares of the process with these shards.
    pub(crate) fn of<'s>(own: impl Iterator<Item = &'s Shard>) -> Shares {
        let mut shares = Shares::default();
        for shard in own {
            for (at, direction) in [Direction::Out, Direction::In].into_iter().enumerate() {
                let edges = shard.ends(direction).len() as u64;
                let guests = shard.guest_rows(direction).map(|row| row.edges.len() as u64).sum::<u64>();
                let lent = shard.pieces(direction)[1].iter().map(|piece| piece.length).sum::<u64>();
                shares.in_pieces[at] += edges;
                shares.fetched[at] += edges - guests + lent;
            }
        }
        shares
    }

    /// Returns the shares of all processes, which must call this together.
    pub(crate) fn of_all(own: &[Shard], peers: &dyn Peers) -> Result<Vec<Shares>, PeerError> {
        let Shares { in_pieces, fetched } = Shares::of(own.iter());
        let told: Vec<u8> = in_pieces.iter().chain(&fetched).flat_map(|edges| edges.to_le_bytes()).collect();
        let heard = peers.exchange(vec![told; peers.processes()])?;
        let shares = heard.iter().enumerate().map(|(process, message)| {
            let mut message = Message(message);
            let mut pair = || Some([message.u64()?, message.u64()?]);
            let read = pair().zip(pair()).map(|(in_pieces, fetched)| Shares { in_pieces, fetched });
            read.ok_or_else(|| unreadable(process, LOADING))
        });
        shares.collect()
    }

    /// Returns the rows that parts have for runs that could gather over these rows: with pieces only if that is worth it.
    pub(crate) fn choose(all: &[Shares], gathered: Gathered) -> Gathered {
        let Gathered::Edges { out, inward, pieces: true } = gathered else { return gathered };
        let used = |[of_out, of_inward]: [u64; 2]| u64::from(out) * of_out + u64::from(inward) * of_inward;
        let most = |edges: fn(&Shares) -> [u64; 2]| all.iter().map(|of| used(edges(of))).max().unwrap_or(0);
        let (in_pieces, fetched) = (most(|of| of.in_pieces), most(|of| of.fetched));
        Gathered::Edges { out, inward, pieces: fetched > in_pieces + in_pieces / TOLERANCE }
    }
}

/// A piece of a row that this process has.
struct Held<'a> {
    /// Process of the vertex.
    process: usize,
    /// Vertex of the whole graph.
    vertex: u32,
    /// Position of its direction among those that are used.
    at: usize,
    /// Position of its first edge in the row.
    first: u64,
    /// Its edges: a range of the ends in one of this process's shards.
    shard: &'a Shard,
    edges: Range<usize>,
}

/// The pieces that this process has, and its divided vertices.
pub(crate) struct Division<'a> {
    held: Vec<Held<'a>>,
    /// Own vertices, as those of the whole graph, in ascending order.
    divided: Vec<u32>,
    /// Receivers are vertices of the whole graph.
    pub(crate) pieces: PartPieces,
}

impl<'a> Division<'a> {
    /// Returns the division of rows of these directions, from all shards of this process.
    pub(crate) fn of(
        own: impl Iterator<Item = &'a Shard> + Clone,
        owners: &Owners,
        directions: &[Direction],
    ) -> Division<'a> {
        let processes = owners.processes();
        // The pieces of own vertices' rows, in the order of edges: vertex, direction, position of the first edge, and process.
        let mut all = Vec::new();
        for (at, &direction) in directions.iter().enumerate() {
            for piece in own.clone().flat_map(|shard| shard.pieces(direction)[1]) {
                let process = process_of(piece.shard as u16, processes);
                if process != owners.me {
                    all.push((piece.vertex, at, piece.first, process));
                }
            }
        }
        let mut divided: Vec<u32> = all.iter().map(|&(vertex, ..)| vertex).collect();
        divided.sort_unstable();
        divided.dedup();
        let mut held = Vec::new();
        for (at, &direction) in directions.iter().enumerate() {
            for shard in own.clone() {
                for ShardRow { vertex, first, edges } in shard.rows(direction) {
                    let process = owners.place_of(vertex).0;
                    if process == owners.me && divided.binary_search(&vertex).is_err() {
                        continue;
                    }
                    // What an owner has of a row can be longer than a piece.
                    let (mut first, mut edges) = (first, edges);
                    while !edges.is_empty() {
                        let next = (first + 1).next_multiple_of(SUMMED_PIECE as u64);
                        let end = edges.end.min(edges.start + (next - first) as usize);
                        held.push(Held { process, vertex, at, first, shard, edges: edges.start..end });
                        (first, edges.start) = (next, end);
                    }
                }
            }
        }
        held.sort_unstable_by_key(|held| (held.process, held.vertex, held.at, held.first));
        let mut held_for = vec![0; processes];
        held.iter().for_each(|held| held_for[held.process] += 1);
        let own_held = held.iter().filter(|held| held.process == owners.me);
        all.extend(own_held.map(|held| (held.vertex, held.at, held.first, owners.me)));
        all.sort_unstable();
        // Every process has its pieces for this one in this order, too.
        let mut next = vec![0; processes];
        let places = all.iter().map(|&(.., process)| {
            next[process] += 1;
            (process as u32, next[process] - 1)
        });
        let places: Vec<(u32, u32)> = places.collect();
        let range_of = |&vertex: &u32| {
            let range = all.partition_point(|of| of.0 < vertex)..all.partition_point(|of| of.0 <= vertex);
            (owners.place_of(vertex).1, range)
        };
        let pieces = PartPieces {
            receivers: held.iter().map(|held| held.vertex).collect(),
            held_for,
            divided: divided.iter().map(range_of).collect(),
            places,
        };
        Division { held, divided, pieces }
    }

    fn is_divided(&self, vertex: u32) -> bool {
        self.divided.binary_search(&vertex).is_ok()
    }

    /// Returns the rows of own vertices that are not divided, and then those of the pieces. `degrees` are those of own vertices in
    /// each of the directions.
    pub(super) fn rows(
        &self,
        builder: &Builder<'_>,
        directions: &[Direction],
        degrees: &[Vec<u64>],
    ) -> Vec<WholeRows> {
        let Builder { own, owners, .. } = *builder;
        let rows = directions.iter().enumerate().map(|(at, &direction)| {
            let mut lengths = degrees[direction as usize].clone();
            self.divided.iter().for_each(|&vertex| lengths[owners.place_of(vertex).1 as usize] = 0);
            // Their prefix sums have one more element.
            lengths.reserve_exact(self.held.len() + 1);
            lengths
                .extend(self.held.iter().map(|held| if held.at == at { held.edges.len() as u64 } else { 0 }));
            let mut rows = builder.room(lengths, true);
            for shard in own {
                for ShardRow { vertex, first, edges } in shard.rows(direction) {
                    if let Some(number) = owners.own(vertex)
                        && !self.is_divided(vertex)
                    {
                        let start = rows.offsets[number as usize] + first;
                        rows.put(start, shard, direction, edges);
                    }
                }
            }
            for (piece, held) in self.held.iter().enumerate().filter(|(_, held)| held.at == at) {
                let start = rows.offsets[owners.num_own() as usize + piece];
                rows.put(start, held.shard, direction, held.edges.clone());
            }
            rows
        });
        rows.collect()
    }
}

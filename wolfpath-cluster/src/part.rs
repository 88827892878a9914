//! The part of a graph that a process has, from its shards.

use std::sync::Arc;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, WeightChoice};
use wolfpath_core::weights::{WeightSlice, Weights};
use wolfpath_runtime::part::{
    GraphPart, Message, PartCache, PartRows, PeerError, Peers, WholeGraph, unreadable,
};

use crate::deal::{Deal, vertices_of};
use crate::net::ClusterError;
use crate::shards::{Shard, ShardRow, Shards};

/// The vertices of each process.
pub(crate) struct Owners {
    /// Process of each block, and the first number of the block's vertices in that process.
    blocks: Vec<(u32, u32)>,
    /// Blocks of each process, in ascending order.
    of: Vec<Vec<u32>>,
    me: usize,
    /// Number of vertices of this process.
    num_own: u32,
}

/// Returns the process that has a shard.
pub(crate) fn process_of(shard: u16, processes: usize) -> usize {
    usize::from(shard) % processes
}

impl Owners {
    pub(crate) fn new(shards: &Shards, me: usize, processes: usize) -> Owners {
        let mut of = vec![Vec::new(); processes];
        let mut next = vec![0u32; processes];
        let blocks = shards.owners().iter().enumerate().map(|(block, &shard)| {
            let process = process_of(shard, processes);
            of[process].push(block as u32);
            let first = next[process];
            next[process] += vertices_of(block, shards.num_vertices()).len() as u32;
            (process as u32, first)
        });
        let blocks = blocks.collect();
        Owners { blocks, of, me, num_own: next[me] }
    }

    /// Returns the bytes of the owners of the vertices of some shards.
    pub(crate) fn bytes(shards: &Shards) -> u64 {
        shards.owners().len() as u64 * (size_of::<(u32, u32)>() + size_of::<u32>()) as u64
    }

    /// Returns the number of processes.
    pub(crate) fn processes(&self) -> usize {
        self.of.len()
    }

    /// Returns the number of vertices of this process.
    pub(crate) fn num_own(&self) -> u32 {
        self.num_own
    }

    /// Returns `true` if this process has a shard.
    pub(crate) fn is_of_this(&self, shard: u16) -> bool {
        process_of(shard, self.processes()) == self.me
    }

    /// Returns the process of a vertex of the whole graph, and its number there.
    pub(crate) fn place_of(&self, vertex: u32) -> (usize, u32) {
        let (process, first) = self.blocks[vertex as usize / Deal::BLOCK];
        (process as usize, first + vertex % Deal::BLOCK as u32)
    }

    /// Returns the number of a vertex of the whole graph, if this process has it.
    pub(crate) fn own(&self, vertex: u32) -> Option<u32> {
        let (process, number) = self.place_of(vertex);
        (process == self.me).then_some(number)
    }
}

/// Rows of own vertices, with ends as vertices of the whole graph.
struct WholeRows {
    offsets: Vec<u64>,
    ends: Vec<u32>,
    columns: Vec<Numbers>,
}

/// The bytes of a column, in memory that is aligned for numbers.
pub(crate) struct Numbers {
    words: Vec<u64>,
    size: usize,
    edges: usize,
}

impl Numbers {
    pub(crate) fn new(size: usize, edges: usize) -> Numbers {
        Numbers { words: vec![0; (size * edges).div_ceil(8)], size, edges }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.size * self.edges]
    }

    /// Returns the size of a number in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Sets the numbers from the edge `first` on.
    pub(crate) fn put(&mut self, first: usize, numbers: &[u8]) {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
        bytes[first * self.size..][..numbers.len()].copy_from_slice(numbers);
    }
}

/// Builds the part of this process. The runs gather over out-rows, in-rows or both.
pub(crate) struct Builder<'a> {
    pub(crate) shards: &'a Shards,
    pub(crate) own: &'a [Shard],
    pub(crate) owners: &'a Owners,
    pub(crate) peers: &'a dyn Peers,
}

impl Builder<'_> {
    /// Returns the part. All processes must call this together.
    pub(crate) fn build(
        &self,
        whole: &WholeGraph,
        gathers: [bool; 2],
        weights: WeightChoice,
    ) -> Result<GraphPart, PeerError> {
        let own = self.owners.num_own();
        let degrees = self.all_degrees();
        let used = [(Direction::Out, gathers[0]), (Direction::In, gathers[1])];
        let used: Vec<Direction> =
            used.into_iter().filter(|&(_, is_used)| is_used).map(|(direction, _)| direction).collect();
        let rows = self.whole_rows(&used, &degrees)?;
        let remote = Remote::of(rows.iter().map(|rows| rows.ends.as_slice()), whole.vertices, self.owners);
        let first_mirror = remote.first_mirror(self.owners).map_err(|error| Arc::new(error) as PeerError)?;
        let mirrors = remote.by_process(self.owners, self.peers.processes(), first_mirror);
        let mirrored = self.ask(&remote)?;
        let mut names = self.names(degrees, (first_mirror + remote.number) as usize);
        self.tell_names(&mut names, &mirrored, &mirrors)?;
        let mut gathered = rows.into_iter().map(|WholeRows { offsets, mut ends, columns }| {
            ends.par_iter_mut().for_each(|end| {
                *end = self.owners.own(*end).unwrap_or_else(|| first_mirror + remote.rank(*end));
            });
            // Each column is dropped as soon as it is in its place.
            let columns = columns.into_iter().zip(&whole.columns);
            let weights = |(numbers, (kind, _)): (Numbers, &_)| -> Weights {
                let slice = WeightSlice::from_bytes(*kind, numbers.bytes());
                slice.expect("words are aligned for numbers").to_weights()
            };
            PartRows::new(offsets, ends, columns.map(weights).collect())
        });
        let gather_out = if gathers[0] { gathered.next() } else { None };
        let gather_in = if gathers[1] { gathered.next() } else { None };
        drop(gathered);
        let Names { ids, ranks, degrees: [out_degrees, in_degrees] } = names;
        Ok(GraphPart {
            own,
            ids,
            ranks,
            out_degrees: summed(out_degrees),
            in_degrees: summed(in_degrees),
            gather_out,
            gather_in,
            mirrored,
            mirrors,
            blocks: self.owners.of.clone(),
            weights,
            cache: PartCache::default(),
            whole: whole.clone(),
        })
    }

    /// Returns the rows of own vertices. Pieces of them that other processes have are fetched.
    fn whole_rows(
        &self,
        directions: &[Direction],
        degrees: &[Vec<u64>; 2],
    ) -> Result<Vec<WholeRows>, PeerError> {
        let room = |&direction: &Direction| self.room(&degrees[direction as usize]);
        let mut all: Vec<WholeRows> = directions.iter().map(room).collect();
        let mut messages = vec![Vec::new(); self.peers.processes()];
        for (at, (&direction, rows)) in directions.iter().zip(&mut all).enumerate() {
            for shard in self.own {
                for ShardRow { vertex, first, edges } in shard.rows(direction) {
                    match self.owners.place_of(vertex) {
                        (process, own) if process == self.owners.me => {
                            let start = (rows.offsets[own as usize] + first) as usize;
                            rows.ends[start..start + edges.len()]
                                .copy_from_slice(&shard.ends(direction)[edges.clone()]);
                            for (column, numbers) in rows.columns.iter_mut().enumerate() {
                                numbers.put(start, shard.column(direction, column).bytes_of(edges.clone()));
                            }
                        }
                        (process, own) => {
                            let message = &mut messages[process];
                            message.push(at as u8);
                            message.extend(own.to_le_bytes());
                            message.extend(first.to_le_bytes());
                            message.extend((edges.len() as u64).to_le_bytes());
                            message
                                .extend(bytemuck::cast_slice::<_, u8>(&shard.ends(direction)[edges.clone()]));
                            for column in 0..rows.columns.len() {
                                message.extend(shard.column(direction, column).bytes_of(edges.clone()));
                            }
                        }
                    }
                }
            }
        }
        for (process, message) in self.peers.exchange(messages)?.iter().enumerate() {
            let mut message = Message(message);
            while !message.0.is_empty() {
                let put = put_piece(&mut message, &mut all, self.shards.num_vertices());
                put.ok_or_else(|| unreadable(process, LOADING))?;
            }
        }
        Ok(all)
    }

    /// Returns rows of these lengths, without their ends.
    fn room(&self, degrees: &[u64]) -> WholeRows {
        let offsets = summed(degrees.to_vec());
        let edges = offsets[offsets.len() - 1] as usize;
        let columns = self.shards.columns().map(|(kind, _)| Numbers::new(kind.size(), edges));
        WholeRows { offsets, ends: vec![0; edges], columns: columns.collect() }
    }

    /// Returns the lengths of the out-rows and of the in-rows of own vertices.
    fn all_degrees(&self) -> [Vec<u64>; 2] {
        let out = self.degrees(Direction::Out);
        let inward = if self.shards.has_in_rows() { self.degrees(Direction::In) } else { out.clone() };
        [out, inward]
    }

    fn degrees(&self, direction: Direction) -> Vec<u64> {
        let mut degrees = vec![0; self.owners.num_own() as usize];
        for shard in self.own {
            for ShardRow { vertex, edges, .. } in shard.rows(direction) {
                if self.is_of(shard, vertex) {
                    degrees[self.owners.place_of(vertex).1 as usize] += edges.len() as u64;
                }
            }
            let [_, lent] = shard.pieces(direction);
            for piece in lent {
                degrees[self.owners.place_of(piece.vertex).1 as usize] += piece.length;
            }
        }
        degrees
    }

    /// Returns `true` if a vertex belongs to a shard, rather than being a guest in it.
    fn is_of(&self, shard: &Shard, vertex: u32) -> bool {
        self.shards.owners()[vertex as usize / Deal::BLOCK] == shard.number()
    }

    /// Tells all processes which of their vertices have mirrors here. Returns the own vertices that each of them mirrors.
    fn ask(&self, remote: &Remote) -> Result<Vec<Vec<u32>>, PeerError> {
        let mut messages = vec![Vec::new(); self.peers.processes()];
        for vertex in remote.vertices() {
            let (process, number) = self.owners.place_of(vertex);
            messages[process].extend(number.to_le_bytes());
        }
        let heard = self.peers.exchange(messages)?;
        let own = self.owners.num_own();
        let numbers = heard.iter().enumerate().map(|(process, message)| {
            let mut message = Message(message);
            let mut numbers = Vec::with_capacity(message.0.len() / 4);
            while !message.0.is_empty() {
                let number = message.u32().filter(|&number| number < own);
                numbers.push(number.ok_or_else(|| unreadable(process, LOADING))?);
            }
            Ok(numbers)
        });
        numbers.collect()
    }

    /// Returns the names of own vertices, with their degrees, and room for those of mirrors.
    fn names(&self, mut degrees: [Vec<u64>; 2], all: usize) -> Names {
        for degrees in &mut degrees {
            // The last of their sums takes one more.
            degrees.reserve_exact(all + 1 - degrees.len());
            degrees.resize(all, 0);
        }
        let mut names = Names { ids: vec![0; all], ranks: vec![0; all], degrees };
        for shard in self.own {
            for (position, vertex) in shard.vertices().enumerate() {
                let number = self.owners.place_of(vertex).1 as usize;
                names.ids[number] = shard.id_of(position as u32);
                names.ranks[number] = shard.ranks()[position];
            }
        }
        names
    }

    /// Tells each process the names and degrees of the vertices that it mirrors, and puts what it tells in their places.
    fn tell_names(
        &self,
        names: &mut Names,
        mirrored: &[Vec<u32>],
        mirrors: &[Vec<u32>],
    ) -> Result<(), PeerError> {
        let Names { ids, ranks, degrees: [out_degrees, in_degrees] } = names;
        let messages = mirrored.iter().map(|vertices| {
            let mut message = Vec::with_capacity(28 * vertices.len());
            for &v in vertices {
                let v = v as usize;
                message.extend(ids[v].to_le_bytes());
                message.extend(ranks[v].to_le_bytes());
                message.extend(out_degrees[v].to_le_bytes());
                message.extend(in_degrees[v].to_le_bytes());
            }
            message
        });
        let heard = self.peers.exchange(messages.collect())?;
        for (process, (message, mirrors)) in heard.iter().zip(mirrors).enumerate() {
            let mut message = Message(message);
            for &mirror in mirrors {
                let mut read = || {
                    let v = mirror as usize;
                    (ids[v], ranks[v]) = (message.u64()?, message.u32()?);
                    (out_degrees[v], in_degrees[v]) = (message.u64()?, message.u64()?);
                    Some(())
                };
                read().ok_or_else(|| unreadable(process, LOADING))?;
            }
        }
        Ok(())
    }
}

/// Names and degrees of the vertices of a part.
struct Names {
    ids: Vec<u64>,
    ranks: Vec<u32>,
    degrees: [Vec<u64>; 2],
}

/// Vertices of other processes from which own vertices gather.
pub(crate) struct Remote {
    /// A bit per vertex of the whole graph.
    bits: Vec<u64>,
    /// Number of bits before each word, and in all.
    before: Vec<u32>,
    number: u32,
}

impl Remote {
    pub(crate) fn of<'e>(ends: impl Iterator<Item = &'e [u32]>, vertices: u32, owners: &Owners) -> Remote {
        let mut bits = vec![0u64; vertices.div_ceil(64) as usize];
        for &end in ends.flatten().filter(|&&end| owners.own(end).is_none()) {
            bits[end as usize / 64] |= 1 << (end % 64);
        }
        let mut number = 0;
        let before = bits.iter().map(|word| {
            let before = number;
            number += word.count_ones();
            before
        });
        let before = before.collect();
        Remote { bits, before, number }
    }

    /// Returns the number of the first mirror.
    ///
    /// # Errors
    /// Returns an error if the numbers of the mirrors exceed 32 bits.
    pub(crate) fn first_mirror(&self, owners: &Owners) -> Result<u32, ClusterError> {
        let first = GraphPart::first_mirror(owners.num_own());
        let fits = first.checked_add(self.number).is_some();
        fits.then_some(first)
            .ok_or(ClusterError::TooManyVertices { process: owners.me, processes: owners.processes() })
    }

    /// Returns the vertices, in ascending order.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.bits.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(64 * at as u32 + bit)
            })
        })
    }

    /// Returns the number of such vertices before this one.
    fn rank(&self, vertex: u32) -> u32 {
        let (word, bit) = (vertex as usize / 64, vertex % 64);
        self.before[word] + (self.bits[word] & ((1 << bit) - 1)).count_ones()
    }

    /// Returns the mirrors of each process's vertices.
    fn by_process(&self, owners: &Owners, processes: usize, first_mirror: u32) -> Vec<Vec<u32>> {
        let mut mirrors = vec![Vec::new(); processes];
        for (mirror, vertex) in (first_mirror..).zip(self.vertices()) {
            mirrors[owners.place_of(vertex).0].push(mirror);
        }
        mirrors.iter_mut().for_each(Vec::shrink_to_fit);
        mirrors
    }
}

/// Puts a piece of a row, which another process has sent, in its place.
fn put_piece(message: &mut Message<'_>, all: &mut [WholeRows], vertices: u32) -> Option<()> {
    let rows = all.get_mut(usize::from(message.byte()?))?;
    let (own, first, edges) = (message.u32()? as usize, message.u64()?, message.u64()?);
    let start = rows.offsets.get(own)?.checked_add(first)?;
    let end =
        start.checked_add(edges).filter(|end| rows.offsets.get(own + 1).is_some_and(|last| end <= last))?;
    let (start, end) = (start as usize, end as usize);
    let ends = message.take(4 * (end - start))?;
    let number = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    rows.ends[start..end].iter_mut().zip(ends.chunks_exact(4)).for_each(|(end, bytes)| *end = number(bytes));
    if rows.ends[start..end].iter().any(|&end| end >= vertices) {
        return None;
    }
    for numbers in &mut rows.columns {
        numbers.put(start, message.take(numbers.size * (end - start))?);
    }
    Some(())
}

/// Returns the sum of all numbers before each one, then that of all.
fn summed(mut numbers: Vec<u64>) -> Vec<u64> {
    let mut sum = 0;
    for number in &mut numbers {
        sum += std::mem::replace(number, sum);
    }
    numbers.reserve_exact(1);
    numbers.push(sum);
    numbers
}

/// Subject of the messages of this module, for errors.
const LOADING: &str = "loading a graph";

//! The part of a graph that a process has, from its shards.

mod pieces;

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, visit_neighbours};
use wolfpath_core::weights::{WeightSlice, Weights};
use wolfpath_runtime::part::{
    Gathered, GraphPart, Message, PartCache, PartNeighbours, PartRows, PeerError, Peers, WholeGraph,
    unreadable,
};

pub(crate) use self::pieces::{Division, Shares};
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

/// Returns the directions of the rows from which parts get the rows over which they gather.
pub(crate) fn directions_of(gathered: Gathered, shards: &Shards) -> Vec<Direction> {
    let is_used = match gathered {
        Gathered::Edges { out, inward, .. } => [out, inward],
        Gathered::Neighbours => [true, shards.has_in_rows()],
    };
    let directions = [Direction::Out, Direction::In].into_iter().zip(is_used);
    directions.filter(|&(_, is_used)| is_used).map(|(direction, _)| direction).collect()
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

    /// Returns the vertices of this process, as those of the whole graph, in ascending order.
    pub(crate) fn vertices(&self, all: u32) -> impl Iterator<Item = u32> + '_ {
        self.of[self.me].iter().flat_map(move |&block| vertices_of(block as usize, all))
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

impl WholeRows {
    /// Puts edges of a shard in their places, from the position `start` on.
    fn put(&mut self, start: u64, shard: &Shard, direction: Direction, edges: Range<usize>) {
        let ends = &shard.ends(direction)[edges.clone()];
        let start = start as usize;
        self.ends[start..start + ends.len()].copy_from_slice(ends);
        for (column, place) in self.columns.iter_mut().enumerate() {
            place.put(start, shard.column(direction, column).bytes_of(edges.clone()));
        }
    }

    /// Replaces the rows of these vertices by their distinct neighbours. Each row begins with an out-row, which has the length
    /// in `out`, and the in-row follows. Returns a bit per neighbour, set if it is in the out-row.
    fn merge(&mut self, out: &[u64], vertices: impl Iterator<Item = u32>) -> Vec<u64> {
        let (mut filled, mut merged) = (0, Vec::new());
        let mut targets = vec![0u64; self.ends.len().div_ceil(64)];
        for (own, vertex) in vertices.enumerate() {
            let row = self.offsets[own] as usize..self.offsets[own + 1] as usize;
            let (out, inward) = self.ends[row].split_at(out[own] as usize);
            merged.clear();
            visit_neighbours(vertex, out, inward, |end, is_target| {
                let at = filled + merged.len();
                targets[at / 64] |= u64::from(is_target) << (at % 64);
                merged.push(end);
            });
            // There are never more neighbours than edges so far, so nothing is overwritten that is still to be read.
            self.offsets[own] = filled as u64;
            self.ends[filled..filled + merged.len()].copy_from_slice(&merged);
            filled += merged.len();
        }
        self.ends.truncate(filled);
        self.ends.shrink_to_fit();
        if let Some(last) = self.offsets.last_mut() {
            *last = filled as u64;
        }
        targets.truncate(filled.div_ceil(64));
        targets.shrink_to_fit();
        targets
    }
}

/// Rows of own vertices, while pieces of them arrive.
struct Room<'d> {
    rows: Vec<WholeRows>,
    /// Lengths of the first rows, if the second row of each vertex follows its first one in the same array.
    joined: Option<&'d [u64]>,
}

impl Room<'_> {
    /// Returns the number of the array that contains the row of an own vertex in the direction `at`, and the positions in it.
    fn place(&self, at: usize, own: usize) -> Option<(usize, Range<u64>)> {
        let array = if self.joined.is_some() { 0 } else { at };
        let offsets = &self.rows.get(array)?.offsets;
        let (first, last) = (*offsets.get(own)?, *offsets.get(own + 1)?);
        let row = match (self.joined, at) {
            (None, _) => first..last,
            (Some(lengths), 0) => first..first + lengths[own],
            (Some(lengths), _) => first + lengths[own]..last,
        };
        Some((array, row))
    }
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

/// Builds the part of this process.
pub(crate) struct Builder<'a> {
    pub(crate) shards: &'a Shards,
    pub(crate) own: &'a [Shard],
    pub(crate) owners: &'a Owners,
    pub(crate) peers: &'a dyn Peers,
}

impl Builder<'_> {
    /// Returns the part with these rows. All processes must call this together.
    pub(crate) fn build(&self, whole: &WholeGraph, gathered: Gathered) -> Result<GraphPart, PeerError> {
        let own = self.owners.num_own();
        let mut degrees = Vec::from(self.all_degrees());
        let directions = directions_of(gathered, self.shards);
        let division = matches!(gathered, Gathered::Edges { pieces: true, .. })
            .then(|| Division::of(self.own.iter(), self.owners, &directions));
        let mut rows = match &division {
            Some(division) => division.rows(self, &directions, &degrees),
            None => self.whole_rows(gathered, &directions, &degrees)?,
        };
        let mut targets = Vec::new();
        if gathered == Gathered::Neighbours {
            targets = rows[0].merge(&degrees[0], self.owners.vertices(whole.vertices));
            if whole.symmetric_edges {
                targets = Vec::new();
            }
            degrees.push(rows[0].offsets.windows(2).map(|row| row[1] - row[0]).collect());
        }
        let mut pieces = division.map(|division| division.pieces);
        let receivers = pieces.iter().map(|pieces| pieces.receivers.as_slice());
        let ends = rows.iter().map(|rows| rows.ends.as_slice()).chain(receivers);
        let remote = Remote::of(ends, whole.vertices, self.owners);
        let first_mirror = remote.first_mirror(self.owners).map_err(|error| Arc::new(error) as PeerError)?;
        let mirrors = remote.by_process(self.owners, self.peers.processes(), first_mirror);
        let mirrored = self.ask(&remote)?;
        let mut names = self.names(degrees, (first_mirror + remote.number) as usize);
        self.tell_names(&mut names, &mirrored, &mirrors)?;
        let number = |vertex: &mut u32| {
            *vertex = self.owners.own(*vertex).unwrap_or_else(|| first_mirror + remote.rank(*vertex))
        };
        pieces.iter_mut().for_each(|pieces| pieces.receivers.iter_mut().for_each(number));
        let mut rows = rows.into_iter().map(|WholeRows { offsets, mut ends, columns }| {
            ends.par_iter_mut().for_each(number);
            // Each column is dropped as soon as it is in its place.
            let columns = columns.into_iter().zip(&whole.columns);
            let weights = |(numbers, (kind, _)): (Numbers, &_)| -> Weights {
                let slice = WeightSlice::from_bytes(*kind, numbers.bytes());
                slice.expect("words are aligned for numbers").to_weights()
            };
            PartRows::new(offsets, ends, columns.map(weights).collect())
        });
        let mut next = |is_used: bool| if is_used { rows.next() } else { None };
        let (gather_out, gather_in, neighbours) = match gathered {
            Gathered::Edges { out, inward, .. } => (next(out), next(inward), None),
            Gathered::Neighbours => (None, None, next(true)),
        };
        let Names { ids, ranks, degrees } = names;
        let mut degrees = degrees.into_iter().map(summed);
        let mut next = || degrees.next().unwrap_or_default();
        Ok(GraphPart {
            own,
            ids,
            ranks,
            out_degrees: next(),
            in_degrees: next(),
            gather_out,
            gather_in,
            pieces,
            neighbours: neighbours.map(|rows| PartNeighbours::new(rows, targets, next())),
            mirrored,
            mirrors,
            blocks: self.owners.of.clone(),
            cache: PartCache::default(),
            whole: whole.clone(),
        })
    }

    /// Returns the rows of own vertices. Pieces of them that other processes have are fetched. For neighbours, there is one
    /// array, in which the in-row of each vertex, if there is one, follows its out-row.
    fn whole_rows(
        &self,
        gathered: Gathered,
        directions: &[Direction],
        degrees: &[Vec<u64>],
    ) -> Result<Vec<WholeRows>, PeerError> {
        let mut room = match gathered {
            Gathered::Edges { .. } => {
                let rows = |&direction: &Direction| self.room(degrees[direction as usize].clone(), true);
                Room { rows: directions.iter().map(rows).collect(), joined: None }
            }
            Gathered::Neighbours => {
                let degree = |own| directions.iter().map(|&direction| degrees[direction as usize][own]).sum();
                let lengths = (0..degrees[0].len()).map(degree).collect();
                Room { rows: vec![self.room(lengths, false)], joined: Some(&degrees[0]) }
            }
        };
        let columns = room.rows.first().map_or(0, |rows| rows.columns.len());
        let mut messages = vec![Vec::new(); self.peers.processes()];
        for (at, &direction) in directions.iter().enumerate() {
            for shard in self.own {
                for ShardRow { vertex, first, edges } in shard.rows(direction) {
                    match self.owners.place_of(vertex) {
                        (process, own) if process == self.owners.me => {
                            let row = room.place(at, own as usize);
                            let (array, row) = row.expect("there is room for the rows of own vertices");
                            room.rows[array].put(row.start + first, shard, direction, edges);
                        }
                        (process, own) => {
                            let message = &mut messages[process];
                            message.push(at as u8);
                            message.extend(own.to_le_bytes());
                            message.extend(first.to_le_bytes());
                            let numbers = |column| shard.column(direction, column).bytes_of(edges.clone());
                            let ends = &shard.ends(direction)[edges.clone()];
                            message.extend((ends.len() as u64).to_le_bytes());
                            message.extend(bytemuck::cast_slice::<_, u8>(ends));
                            (0..columns).for_each(|column| message.extend(numbers(column)));
                        }
                    }
                }
            }
        }
        for (process, message) in self.peers.exchange(messages)?.iter().enumerate() {
            let mut message = Message(message);
            while !message.0.is_empty() {
                let put = put_piece(&mut message, &mut room, self.shards.num_vertices());
                put.ok_or_else(|| unreadable(process, LOADING))?;
            }
        }
        Ok(room.rows)
    }

    /// Returns rows of these lengths, without their ends.
    fn room(&self, lengths: Vec<u64>, with_columns: bool) -> WholeRows {
        let offsets = summed(lengths);
        let edges = offsets[offsets.len() - 1] as usize;
        let columns = self.shards.columns().filter(|_| with_columns);
        let columns = columns.map(|(kind, _)| Numbers::new(kind.size(), edges)).collect();
        WholeRows { offsets, ends: vec![0; edges], columns }
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
    fn names(&self, mut degrees: Vec<Vec<u64>>, all: usize) -> Names {
        for degrees in &mut degrees {
            // Their prefix sums have one more element.
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
        let Names { ids, ranks, degrees } = names;
        let messages = mirrored.iter().map(|vertices| {
            let mut message = Vec::with_capacity((12 + 8 * degrees.len()) * vertices.len());
            for &v in vertices {
                let v = v as usize;
                message.extend(ids[v].to_le_bytes());
                message.extend(ranks[v].to_le_bytes());
                degrees.iter().for_each(|degrees| message.extend(degrees[v].to_le_bytes()));
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
                    degrees.iter_mut().try_for_each(|degrees| {
                        degrees[v] = message.u64().filter(|&degree| degree <= self.shards.num_edges())?;
                        Some(())
                    })?;
                    (ranks[v] < self.shards.num_vertices()).then_some(())
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
    /// Out-degrees, in-degrees and, if the part has rows of neighbours, numbers of neighbours.
    degrees: Vec<Vec<u64>>,
}

/// Vertices of other processes at the edges over which this process gathers.
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
fn put_piece(message: &mut Message<'_>, room: &mut Room<'_>, vertices: u32) -> Option<()> {
    let (at, own) = (usize::from(message.byte()?), message.u32()? as usize);
    let (first, edges) = (message.u64()?, message.u64()?);
    let (array, row) = room.place(at, own)?;
    let start = row.start.checked_add(first)?;
    let end = start.checked_add(edges).filter(|&end| end <= row.end)?;
    let (start, end) = (start as usize, end as usize);
    let rows = &mut room.rows[array];
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

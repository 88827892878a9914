//! A deal of a layered graph to shards.
//!
//! Vertices are dealt in blocks, which are a multiple of every unit in which values are folded, so that folds of floats need
//! not depend on the number of shards. In each round, every shard gets one of the next blocks, so that all shards have a part
//! of every large layer. The first layers of social and web graphs have most of the edges in few blocks. So a shard with
//! too many edges gives pieces of its rows to others, as *guests*: whole rows, or pieces at whose borders sums are cut
//! anyway, so that sums of floats need not depend on it either.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU16;
use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LayeredGraph, Rows};
use wolfpath_core::store::StoreError;
use wolfpath_runtime::{FOLDED_BLOCK, SUMMED_PIECE, deal_in_rounds};

/// A shard gives edges away if it exceeds its share by more than one part in this number.
const TOLERANCE: u64 = 32;

/// Smallest number of edges of a guest, which costs a message in every step. With 16, none of 64 machines has over 3 % more
/// edges of uk-2007-05@100000 than the average; with 64, one had 7 % more (`wolfpath plan-cluster`).
const LEAST_GUEST: u64 = 16;

/// A piece of a row on a shard other than the owner of the row's vertex.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::Deal;
/// use wolfpath::graph::Direction;
/// use wolfpath::prelude::*;
///
/// let star = LayeredGraph::from_edges((1..50_000).map(|leaf| (0, leaf)))?;
/// let deal = Deal::new(&star, NonZeroU16::new(2).unwrap())?;
/// let guests = deal.guests(Direction::Out);
/// assert!(guests.iter().all(|guest| guest.vertex == 0 && guest.shard != deal.owner_of(0)));
/// assert_eq!(guests[0].edges, 0..16_384, "a piece of the row of the hub");
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guest {
    /// Vertex that has the row, as an internal index.
    pub vertex: u32,
    /// Positions of the edges in the row.
    pub edges: Range<u64>,
    /// Shard that has the piece.
    pub shard: u16,
}

impl Guest {
    /// Returns the positions of the edges among those of all rows.
    pub(crate) fn edges_in(&self, offsets: &[u64]) -> Range<usize> {
        let row = offsets[self.vertex as usize] as usize;
        row + self.edges.start as usize..row + self.edges.end as usize
    }
}

/// A deal of a layered graph to shards. It depends only on the graph and the number of shards.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::Deal;
/// use wolfpath::graph::Direction;
/// use wolfpath::prelude::*;
///
/// let ring = LayeredGraph::from_edges((0..100_000).map(|v| (v, (v + 1) % 100_000)))?;
/// let deal = Deal::new(&ring, NonZeroU16::new(8).unwrap())?;
/// let edges = deal.edges(Direction::Out);
/// assert_eq!((deal.num_shards(), edges.len(), edges.iter().sum()), (8, 8, 100_000u64));
/// assert!(edges.iter().all(|&edges| edges < 13_500));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deal {
    shards: u16,
    vertices: u32,
    /// The shard of each block.
    owners: Vec<u16>,
    out_side: Side,
    /// `None` if the out-rows serve as in-rows.
    in_side: Option<Side>,
}

/// The rows of one direction.
#[derive(Clone, Debug)]
struct Side {
    /// In ascending order of vertices and edges.
    guests: Vec<Guest>,
    /// Number of edges of each shard.
    edges: Vec<u64>,
}

impl Deal {
    /// Number of consecutive vertices that are dealt together. The last block of a graph may have fewer.
    pub const BLOCK: usize = FOLDED_BLOCK;

    /// Deals a graph to this number of shards. If there are more shards than blocks of vertices, some have no vertices.
    ///
    /// # Errors
    /// Returns an error if the in-rows of a directed graph cannot be computed, for lack of memory.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::Deal;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let deal = Deal::new(&graph, NonZeroU16::new(4).unwrap())?;
    /// assert_eq!((deal.num_shards(), deal.owners()), (4, &[0][..]), "one shard has the only block");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn new(graph: &LayeredGraph, shards: NonZeroU16) -> Result<Deal, StoreError> {
        let (out, inward) = (graph.out_edges(), inward(graph)?);
        Ok(Deal::of_rows(out.offsets, inward.map(|rows| rows.offsets), shards))
    }

    /// Deals a graph whose rows begin at these offsets. `inward` is `None` if the out-rows serve as in-rows.
    pub(crate) fn of_rows(out: &[u64], inward: Option<&[u64]>, shards: NonZeroU16) -> Deal {
        let shards = shards.get();
        let owners = deal_blocks(out, inward, shards);
        let even = |offsets: &[u64]| Side::even(offsets, &owners, shards);
        let (out_side, in_side) = (even(out), inward.map(even));
        Deal { shards, vertices: num_vertices(out), owners, out_side, in_side }
    }

    /// Returns the number of shards.
    pub fn num_shards(&self) -> u16 {
        self.shards
    }

    /// Returns the number of vertices of the graph.
    pub(crate) fn num_vertices(&self) -> u32 {
        self.vertices
    }

    /// Returns the shard of each block of [`BLOCK`](Self::BLOCK) consecutive vertices. The last block may be shorter.
    pub fn owners(&self) -> &[u16] {
        &self.owners
    }

    /// Returns the shard of a vertex, which is an internal index.
    ///
    /// # Panics
    /// Panics if the graph has no such vertex.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::Deal;
    /// use wolfpath::prelude::*;
    ///
    /// let ring = LayeredGraph::from_edges((0..2048).map(|v| (v, (v + 1) % 2048)))?;
    /// let deal = Deal::new(&ring, NonZeroU16::new(2).unwrap())?;
    /// assert_eq!(deal.owner_of(0), deal.owner_of(1023));
    /// assert_ne!(deal.owner_of(0), deal.owner_of(1024));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn owner_of(&self, vertex: u32) -> u16 {
        assert!(vertex < self.vertices, "vertex {vertex} is not among the {} of the graph", self.vertices);
        self.owners[vertex as usize / Self::BLOCK]
    }

    /// Returns the number of edges that each shard has in the rows of a direction. A symmetric graph has the same rows in
    /// both directions.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::Deal;
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let ring = LayeredGraph::from_edges((0..2048).map(|v| (v, (v + 1) % 2048)))?;
    /// let deal = Deal::new(&ring, NonZeroU16::new(2).unwrap())?;
    /// assert_eq!(deal.edges(Direction::Out), [1024, 1024]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn edges(&self, direction: Direction) -> &[u64] {
        &self.side(direction).edges
    }

    /// Returns the guests of all shards, in ascending order of vertices and edges.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::Deal;
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let ring = LayeredGraph::from_edges((0..2048).map(|v| (v, (v + 1) % 2048)))?;
    /// let deal = Deal::new(&ring, NonZeroU16::new(2).unwrap())?;
    /// assert!(deal.guests(Direction::In).is_empty(), "the blocks are even");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn guests(&self, direction: Direction) -> &[Guest] {
        &self.side(direction).guests
    }

    /// Returns `true` if in-rows are dealt apart from out-rows. In a symmetric graph, they are the same.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::Deal;
    /// use wolfpath::prelude::*;
    ///
    /// let both = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// assert!(!Deal::new(&both, NonZeroU16::MIN)?.has_in_rows());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn has_in_rows(&self) -> bool {
        self.in_side.is_some()
    }

    fn side(&self, direction: Direction) -> &Side {
        match direction {
            Direction::In => self.in_side.as_ref().unwrap_or(&self.out_side),
            Direction::Out => &self.out_side,
        }
    }

    /// Returns the machine that has a shard if `machines` machines share all shards, each with consecutive ones. If there are
    /// more machines than shards, some have none.
    ///
    /// # Panics
    /// Panics if the deal has fewer shards.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::Deal;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2)])?;
    /// let deal = Deal::new(&graph, NonZeroU16::new(5).unwrap())?;
    /// let machines = [0, 1, 2, 3, 4].map(|shard| deal.machine_of(shard, NonZeroU16::new(2).unwrap()));
    /// assert_eq!(machines, [0, 0, 0, 1, 1]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn machine_of(&self, shard: u16, machines: NonZeroU16) -> u16 {
        assert!(shard < self.shards, "shard {shard} is not among the {} of the deal", self.shards);
        (u32::from(shard) * u32::from(machines.get()) / u32::from(self.shards)) as u16
    }

    /// Returns the blocks of each shard, in ascending order.
    pub(crate) fn blocks_by_shard(&self) -> Vec<Vec<u32>> {
        grouped(&self.owners, self.shards.into())
    }

    /// Returns the vertices of a block.
    pub(crate) fn vertices_of(&self, block: usize) -> Range<u32> {
        vertices_of(block, self.vertices)
    }
}

/// Returns the blocks of each of `number` owners, in ascending order.
pub(crate) fn grouped(owners: &[u16], number: usize) -> Vec<Vec<u32>> {
    let mut blocks = vec![Vec::new(); number];
    (0..).zip(owners).for_each(|(block, &owner)| blocks[usize::from(owner)].push(block));
    blocks
}

/// Returns the vertices of a block of a graph with this number of vertices.
pub(crate) fn vertices_of(block: usize, vertices: u32) -> Range<u32> {
    let first = |block: usize| (block * Deal::BLOCK).min(vertices as usize) as u32;
    first(block)..first(block + 1)
}

/// Returns the number of vertices whose rows begin at these offsets.
fn num_vertices(offsets: &[u64]) -> u32 {
    (offsets.len() - 1) as u32
}

/// Returns the number of edges in the rows of consecutive vertices.
fn edges_of(offsets: &[u64], vertices: Range<u32>) -> u64 {
    offsets[vertices.end as usize] - offsets[vertices.start as usize]
}

/// Returns the in-rows of a graph, unless the out-rows serve as in-rows.
pub(crate) fn inward(graph: &LayeredGraph) -> Result<Option<Rows<'_>>, StoreError> {
    if graph.is_symmetric() { Ok(None) } else { graph.in_edges().map(Some) }
}

/// Returns the shard of each block.
fn deal_blocks(out: &[u64], inward: Option<&[u64]>, shards: u16) -> Vec<u16> {
    let vertices = num_vertices(out);
    let edges_in = |block: usize| {
        let of = |offsets| edges_of(offsets, vertices_of(block, vertices));
        of(out) + inward.map_or(0, of)
    };
    let blocks = (vertices as usize).div_ceil(Deal::BLOCK);
    deal_in_rounds(blocks, shards, edges_in)
}

impl Side {
    /// Lets shards with too many edges give pieces of rows, longest first, to the shards with the fewest edges.
    fn even(offsets: &[u64], owners: &[u16], shards: u16) -> Side {
        let range = |block: usize| vertices_of(block, num_vertices(offsets));
        let mut edges = vec![0u64; shards.into()];
        for (block, &owner) in owners.iter().enumerate() {
            edges[usize::from(owner)] += edges_of(offsets, range(block));
        }
        let share = offsets[offsets.len() - 1].div_ceil(shards.into());
        let limit = share + share / TOLERANCE;
        let mut pieces: Vec<(u64, Guest)> = owners
            .par_iter()
            .enumerate()
            .filter(|&(_, &owner)| edges[usize::from(owner)] > limit)
            .flat_map_iter(|(block, &owner)| range(block).flat_map(move |v| pieces(offsets, v, owner)))
            .collect();
        pieces
            .par_sort_unstable_by_key(|(length, guest)| (Reverse(*length), guest.vertex, guest.edges.start));
        // A shard that gives edges takes none.
        let takers = (0..shards).filter(|&shard| edges[usize::from(shard)] <= limit);
        let mut takers: BinaryHeap<Reverse<(u64, u16)>> =
            takers.map(|shard| Reverse((edges[usize::from(shard)], shard))).collect();
        let mut guests = Vec::new();
        for (length, mut guest) in pieces {
            let owner = usize::from(guest.shard);
            if edges[owner] <= limit {
                continue;
            }
            let Some(mut least) = takers.peek_mut() else { break };
            let Reverse((has, to)) = *least;
            // A shorter piece may still fit.
            if has + length > limit {
                continue;
            }
            *least = Reverse((has + length, to));
            drop(least);
            edges[usize::from(to)] = has + length;
            edges[owner] -= length;
            guest.shard = to;
            guests.push(guest);
        }
        guests.sort_by_key(|guest| (guest.vertex, guest.edges.start));
        Side { guests, edges }
    }
}

/// Returns the pieces of a row that are large enough for guests, with their lengths. Their shard is `owner`.
fn pieces(offsets: &[u64], vertex: u32, owner: u16) -> impl Iterator<Item = (u64, Guest)> {
    let degree = edges_of(offsets, vertex..vertex + 1);
    let piece = move |first: u64| {
        let edges = first..(first + SUMMED_PIECE as u64).min(degree);
        (edges.end - edges.start, Guest { vertex, edges, shard: owner })
    };
    let all = (0..degree).step_by(SUMMED_PIECE).map(piece);
    all.filter(|(length, _)| *length >= LEAST_GUEST)
}

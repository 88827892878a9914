//! A deal of a layered graph to shards.
//!
//! Vertices are dealt in whole blocks, the unit in which values are folded, so that folds of floats are the same for any
//! number of shards. Of as many consecutive blocks as there are shards, each shard gets one, so that all shards have a part
//! of every large layer. The first layers of social and web graphs have most of the edges in few blocks. So a shard with
//! too many edges gives pieces of its rows to others, as *guests*: whole rows, or pieces at whose borders sums are cut
//! anyway, so that sums of floats are the same as well.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU16;
use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LayeredGraph, Rows};
use wolfpath_core::store::StoreError;
use wolfpath_runtime::{FOLDED_BLOCK, SUMMED_PIECE};

/// A shard gives edges to others if it has more than its share by more than one part in this number.
const TOLERANCE: u64 = 32;

/// Smallest number of edges of a guest. A guest costs its owner a message per step, so it must save more than that.
const LEAST_GUEST: u64 = 16;

/// A piece of a row that another shard has than that of the row's vertex.
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
pub struct Guest {
    /// The vertex whose row it is, as an internal index.
    pub vertex: u32,
    /// Positions of its edges in the row.
    pub edges: Range<u64>,
    /// The shard that has it.
    pub shard: u16,
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
    out: Side,
    /// `None` if the out-rows serve as in-rows.
    inward: Option<Side>,
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
    /// Number of consecutive vertices that are dealt together.
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
        let owners = deal_blocks(out, inward, shards.get());
        let even = |rows: Rows<'_>| Side::even(rows, &owners, shards.get());
        let (out, inward, vertices) = (even(out), inward.map(even), graph.num_vertices());
        Ok(Deal { shards: shards.get(), vertices, owners, out, inward })
    }

    /// Returns the number of shards.
    pub fn num_shards(&self) -> u16 {
        self.shards
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

    /// Returns the pieces of rows that other shards have than their vertices, in ascending order of vertices and edges.
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
        self.inward.is_some()
    }

    fn side(&self, direction: Direction) -> &Side {
        match direction {
            Direction::In => self.inward.as_ref().unwrap_or(&self.out),
            Direction::Out => &self.out,
        }
    }

    /// Returns the process that has a shard if `processes` processes share all shards, each with consecutive ones. Processes
    /// beyond the number of shards have none.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::Deal;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2)])?;
    /// let deal = Deal::new(&graph, NonZeroU16::new(5).unwrap())?;
    /// let processes = [0, 1, 2, 3, 4].map(|shard| deal.process_of(shard, NonZeroU16::new(2).unwrap()));
    /// assert_eq!(processes, [0, 0, 0, 1, 1]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn process_of(&self, shard: u16, processes: NonZeroU16) -> u16 {
        (u32::from(shard) * u32::from(processes.get()) / u32::from(self.shards)) as u16
    }

    /// Returns the vertices of a block.
    pub(crate) fn vertices_of(&self, block: usize) -> Range<u32> {
        let last = self.vertices as usize;
        (block * Self::BLOCK).min(last) as u32..((block + 1) * Self::BLOCK).min(last) as u32
    }
}

/// Returns the in-rows of a graph, unless the out-rows serve as in-rows.
pub(crate) fn inward(graph: &LayeredGraph) -> Result<Option<Rows<'_>>, StoreError> {
    if graph.is_symmetric() { Ok(None) } else { graph.in_edges().map(Some) }
}

/// Returns the shard of each block. The block with the most edges of a round goes to the shard with the fewest so far.
fn deal_blocks(out: Rows<'_>, inward: Option<Rows<'_>>, shards: u16) -> Vec<u16> {
    let vertices = out.num_vertices() as usize;
    let edges_of = |block: usize| {
        let (first, end) = (block * Deal::BLOCK, ((block + 1) * Deal::BLOCK).min(vertices));
        let of = |rows: Rows<'_>| rows.offsets[end] - rows.offsets[first];
        of(out) + inward.map_or(0, of)
    };
    let blocks = vertices.div_ceil(Deal::BLOCK);
    let mut owners = vec![0; blocks];
    let mut edges = vec![0u64; shards.into()];
    for first in (0..blocks).step_by(shards.into()) {
        let mut round: Vec<usize> = (first..(first + usize::from(shards)).min(blocks)).collect();
        round.sort_by_key(|&block| Reverse(edges_of(block)));
        let mut order: Vec<u16> = (0..shards).collect();
        order.sort_by_key(|&shard| edges[usize::from(shard)]);
        for (block, shard) in round.into_iter().zip(order) {
            owners[block] = shard;
            edges[usize::from(shard)] += edges_of(block);
        }
    }
    owners
}

impl Side {
    /// Lets shards with too many edges give pieces of rows, largest first, to the shards with the fewest edges.
    fn even(rows: Rows<'_>, owners: &[u16], shards: u16) -> Side {
        let vertices = rows.num_vertices();
        let range = |block: usize| {
            (block * Deal::BLOCK) as u32..((block + 1) * Deal::BLOCK).min(vertices as usize) as u32
        };
        let mut edges = vec![0u64; shards.into()];
        for (block, &owner) in owners.iter().enumerate() {
            let Range { start, end } = range(block);
            edges[usize::from(owner)] += rows.offsets[end as usize] - rows.offsets[start as usize];
        }
        let share = (rows.ends.len() as u64).div_ceil(shards.into());
        let limit = share + share / TOLERANCE;
        let mut pieces: Vec<(u64, Guest)> = owners
            .par_iter()
            .enumerate()
            .filter(|&(_, &owner)| edges[usize::from(owner)] > limit)
            .flat_map_iter(|(block, &owner)| range(block).flat_map(move |v| pieces(rows, v, owner)))
            .collect();
        pieces.par_sort_by_key(|(length, guest)| (Reverse(*length), guest.vertex, guest.edges.start));
        let mut least: BinaryHeap<Reverse<(u64, u16)>> =
            (0..shards).map(|shard| Reverse((edges[usize::from(shard)], shard))).collect();
        let mut guests = Vec::new();
        for (length, mut guest) in pieces {
            let owner = usize::from(guest.shard);
            if edges[owner] <= limit {
                continue;
            }
            // Shards that give are not updated here, since they always have more than others that could take the piece.
            let Some(mut first) = least.peek_mut() else { break };
            let Reverse((has, to)) = *first;
            if has + length > limit {
                continue;
            }
            *first = Reverse((has + length, to));
            drop(first);
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
fn pieces(rows: Rows<'_>, vertex: u32, owner: u16) -> impl Iterator<Item = (u64, Guest)> {
    let degree = rows.degree(vertex);
    let piece = move |first: u64| {
        let edges = first..(first + SUMMED_PIECE as u64).min(degree);
        (edges.end - edges.start, Guest { vertex, edges, shard: owner })
    };
    let all = (0..degree).step_by(SUMMED_PIECE).map(piece);
    all.filter(|(length, _)| *length >= LEAST_GUEST)
}

//! The part of a graph that one of several processes has, and the processes' means to exchange bytes.
//!
//! A part has vertices of its own, which receive messages and compute, and *mirrors* of those vertices of other processes
//! that send to them. Whenever a vertex is to send, its process tells its value to the processes that have a mirror of it,
//! and each of them computes the messages to its own vertices. So every message is computed where it is received, in the
//! order of the whole graph's rows, and a run over parts has the values of a run over the whole graph, bit for bit.
//!
//! Accumulating programs may add up messages in any order. Their vertices take and send amounts in several rounds before the
//! mirrors are told the sums of what was taken.

mod common;
mod compare;
mod kept;
mod message;
mod needs;
mod neighbours;
mod paths;
mod pieces;
mod places;
mod rows;
mod run;
mod weights;

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, WeightChoice};
use wolfpath_core::program::{Along, DatumKind, EdgeProgram, PartNames};

pub use self::compare::{Difference, Settings};
pub use self::kept::KeptState;
pub(crate) use self::message::put_number;
pub use self::message::{Message, put};
pub use self::needs::{PartNeeds, PartSize};
pub use self::neighbours::PartNeighbours;
pub use self::paths::PartPredecessors;
pub use self::pieces::PartPieces;
use self::places::Ranking;
pub use self::rows::PartRows;
use self::run::rows_of;
pub use self::run::{PartRan, PartRun};
pub use self::weights::RunWeights;
pub(crate) use self::weights::{PartLanes, PartUse};
use crate::cpu::Places;
use crate::plan::RowUse;
use crate::shape::Shape;

/// Error of the exchange with other processes.
pub type PeerError = std::sync::Arc<dyn std::error::Error + Send + Sync>;

/// Returns an error with this text.
pub fn peer_error(text: String) -> PeerError {
    PeerError::from(Box::<dyn std::error::Error + Send + Sync>::from(text))
}

/// Returns the error for a process whose message cannot be read. `what` says what it should be about.
pub fn unreadable(process: usize, what: &str) -> PeerError {
    peer_error(format!("process {process} sent a message that is not one of {what}"))
}

/// The processes that share a run. All of them must call [`exchange`](Self::exchange) equally often.
pub trait Peers: Sync {
    /// Returns the number of this process, from 0.
    fn process(&self) -> usize;

    /// Returns the number of processes.
    fn processes(&self) -> usize;

    /// Sends bytes to each process, itself included, and returns what each has sent to this one.
    fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, PeerError>;

    /// Makes the exchanges of all other processes fail for this reason.
    fn abort(&self, reason: &str);

    /// Returns the state from which a run continues. `None`, as by default, if it starts over. Either all processes have one,
    /// after the same number of steps, or none has. A run no longer needs it after its first call of
    /// [`after_step`](Self::after_step).
    fn resumed(&self) -> Option<Arc<KeptState>> {
        None
    }

    /// Is called by all processes after each step that another may follow. They may keep the state, which `state` returns. By
    /// default, nothing happens.
    fn after_step(&self, steps: u64, state: &mut dyn FnMut() -> KeptState) -> Result<(), PeerError> {
        let _ = (steps, state);
        Ok(())
    }
}

/// Properties of the whole graph.
#[derive(Clone, Debug)]
pub struct WholeGraph {
    pub vertices: u32,
    pub edges: u64,
    /// Number of layers, and of those of the root's tree.
    pub layers: u32,
    pub root_layers: u32,
    /// `true` if every edge has its reverse, and `true` if each also has one with the same numbers in all columns.
    pub symmetric_edges: bool,
    pub symmetric_columns: bool,
    /// Type and name of each column. The weight, if any, comes first.
    pub columns: Vec<(DatumKind, String)>,
}

impl WholeGraph {
    /// Returns `true` if the rows of both directions are the same for a run along edges with these weights.
    pub fn is_symmetric(&self, weights: RunWeights) -> bool {
        match weights.choice {
            WeightChoice::Input => self.symmetric_columns,
            _ => self.symmetric_edges,
        }
    }

    /// Returns `true` if the rows of both directions are the same for a run of program `P` with these weights.
    pub(crate) fn is_symmetric_for<P: EdgeProgram>(&self, weights: RunWeights) -> bool {
        match P::ALONG {
            // Counts of edges differ by direction if the edges do.
            Along::Neighbours => !P::ORIENTED && (!P::MODEL.reads.edge_common_edges || self.symmetric_edges),
            // The choice of weights does not affect columns that a program reads by name.
            _ if !P::MODEL.weight_columns.is_empty() => self.symmetric_columns,
            _ => self.is_symmetric(weights),
        }
    }

    /// Returns the rows that parts need for runs of program `P` with these weights.
    pub fn gathered<P: EdgeProgram>(&self, weights: RunWeights) -> Gathered {
        match P::ALONG {
            Along::Neighbours => Gathered::Neighbours,
            _ => {
                let rows = rows_of::<P>(self.is_symmetric_for::<P>(weights));
                let pieces = const { Shape::of::<P>() }.gathers_in_pieces();
                Gathered::Edges { out: rows.gather_out, inward: rows.gather_in, pieces }
            }
        }
    }

    /// Returns the number of blocks of [`FOLDED_BLOCK`](crate::FOLDED_BLOCK) vertices.
    pub(crate) fn num_blocks(&self) -> u64 {
        u64::from(self.vertices).div_ceil(crate::FOLDED_BLOCK as u64)
    }
}

/// Rows over which the own vertices of a part gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// Rows of edges: out-rows, in-rows, or both. `pieces` is `true` if [pieces](PartPieces) of rows may be on other processes
    /// than that of their vertex.
    Edges { out: bool, inward: bool, pieces: bool },
    /// Rows of distinct neighbours.
    Neighbours,
}

/// The part of a graph that this process has. Vertices are numbered within the part: its own, in the order of the whole
/// graph, then mirrors from the next multiple of 64 on. The numbers between them stand for no vertices.
#[derive(Debug)]
pub struct GraphPart {
    pub whole: WholeGraph,
    /// Number of own vertices.
    pub own: u32,
    /// Ids and ranks of all vertices of the part.
    pub ids: Vec<u64>,
    pub ranks: Vec<u32>,
    /// Sums of the degrees, in the whole graph, of all vertices before each vertex of the part.
    pub out_degrees: Vec<u64>,
    pub in_degrees: Vec<u64>,
    /// Rows over which own vertices gather along edges against their direction (out-rows), and in it (in-rows). `None` if
    /// no run needs them.
    pub gather_out: Option<PartRows>,
    pub gather_in: Option<PartRows>,
    /// Pieces of these rows that processes gather for each other: `Some` in all processes, though a process may have none, or in
    /// no process.
    pub pieces: Option<PartPieces>,
    /// Distinct neighbours of own vertices, likewise.
    pub neighbours: Option<PartNeighbours>,
    /// For each process, own vertices of which it has mirrors, ascending.
    pub mirrored: Vec<Vec<u32>>,
    /// For each process, the mirrors of its vertices, in the order in which it lists them, ascending.
    pub mirrors: Vec<Vec<u32>>,
    /// For each process, its blocks of [`FOLDED_BLOCK`](crate::FOLDED_BLOCK) vertices, in ascending order.
    pub blocks: Vec<Vec<u32>>,
    pub cache: PartCache,
}

/// Facts that follow from the other fields of a part, computed when a run first needs them.
#[derive(Debug, Default)]
pub struct PartCache {
    pub(crate) places: OnceLock<Places>,
    /// Own vertices by ascending rank.
    by_rank: OnceLock<Vec<u32>>,
    /// Own vertices and mirrors by ascending rank.
    all_by_rank: OnceLock<Vec<u32>>,
}

impl GraphPart {
    /// Returns the first number of a mirror in a part with so many own vertices.
    pub fn first_mirror(own: u32) -> u32 {
        own.next_multiple_of(64)
    }

    /// Returns the number of vertices, with mirrors and the numbers that stand for none.
    pub(crate) fn num_senders(&self) -> u32 {
        self.ids.len() as u32
    }

    /// Finds what runs of program `P` over `rows` read at edges apart from weights, unless an earlier run has. All processes must
    /// call this together.
    pub(crate) fn prepare<P: EdgeProgram>(&self, peers: &dyn Peers, rows: RowUse) -> Result<(), PeerError> {
        if let Some(common) = P::MODEL.reads.common() {
            self.count::<P>(common, peers)?;
        }
        if P::MODEL.reads.edge_place {
            // A sender's out-row, over which receivers gather as an in-row, comes before its in-row.
            let lanes = [(Direction::In, rows.gather_in), (Direction::Out, rows.gather_out)];
            let lanes = lanes.into_iter().filter(|&(_, is_used)| is_used);
            let lanes = lanes.map(|(direction, _)| self.gather_rows::<P>(direction)).collect();
            Ranking { part: self, peers, lanes }.run(|v| self.num_sent::<P>(v, rows))?;
        }
        Ok(())
    }

    /// Returns the number of edges along which an own vertex sends in runs of program `P` over `rows`, to vertices of all
    /// processes.
    pub(crate) fn num_sent<P: EdgeProgram>(&self, v: u32, rows: RowUse) -> u64 {
        let degree = |sums: &[u64]| sums[v as usize + 1] - sums[v as usize];
        if P::ALONG == Along::Neighbours {
            // In an oriented run, it sends to those neighbours from which it does not receive.
            let received =
                if P::ORIENTED { self.gather_rows::<P>(Direction::In).rows().degree(v) } else { 0 };
            return self.all_neighbours().degree(v) - received;
        }
        let out = if rows.send_out { degree(&self.out_degrees) } else { 0 };
        out + if rows.send_in { degree(&self.in_degrees) } else { 0 }
    }

    /// Returns the number of blocks of all processes.
    pub(crate) fn num_blocks(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// Returns the own vertex with this id.
    pub fn own_vertex_of(&self, id: u64) -> Option<u32> {
        let by_rank = self.by_rank();
        let at = by_rank.binary_search_by_key(&id, |&v| self.ids[v as usize]).ok()?;
        Some(by_rank[at])
    }

    /// Returns the own vertices by ascending rank.
    pub fn by_rank(&self) -> &[u32] {
        self.cache.by_rank.get_or_init(|| self.sorted_by_rank((0..self.own).collect()))
    }

    /// Returns the names of all vertices, for the inputs of programs.
    pub(crate) fn names(&self) -> PartNames<'_> {
        let gap = (self.own, GraphPart::first_mirror(self.own));
        let all = || (0..gap.0).chain(gap.1..self.num_senders());
        let by_rank = self.cache.all_by_rank.get_or_init(|| self.sorted_by_rank(all().collect()));
        PartNames { vertices: self.whole.vertices, ids: &self.ids, ranks: &self.ranks, gap, by_rank }
    }

    fn sorted_by_rank(&self, mut vertices: Vec<u32>) -> Vec<u32> {
        vertices.par_sort_unstable_by_key(|&v| self.ranks[v as usize]);
        vertices
    }
}

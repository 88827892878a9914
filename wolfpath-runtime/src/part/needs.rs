//! Memory and messages of a process in a run over its part of a graph, from numbers that are known without the part.

use wolfpath_core::program::{Along, EdgeProgram};

use super::common::{BATCH_BYTES, Counts, counting_bytes};
use super::places::Ranking;
use super::rows::Sends;
use super::run::{nan_source, rows_of};
use super::{GraphPart, PartPieces, PartRows, PartRun, RunWeights, WholeGraph};
use crate::cpu::{
    Places, RunSize, array_of_proxies, arrays_of, fold_bytes, folded_blocks, gathered_bytes, gathered_size,
    name_message_bytes, step_bytes,
};
use crate::error::PlanError;
use crate::options::RunOptions;
use crate::plan::{Schedule, against_union};
use crate::shape::Shape;

/// Size of the part of a graph that a process has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSize {
    /// Number of own vertices.
    pub own: u32,
    /// Number of edges in the out-rows and in the in-rows over which the process gathers; 0 for rows that are not used. Rows of
    /// neighbours count as in-rows.
    pub edges: [u64; 2],
    /// Number of neighbours of own vertices, if the part has rows of them.
    pub neighbours: u64,
    /// For each process, the number of pieces of its divided vertices' rows that this process gathers; empty unless processes
    /// gather pieces for each other.
    pub pieces: Vec<usize>,
    /// For each process, the number of own vertices of which it has mirrors.
    pub mirrored: Vec<u64>,
    /// For each process, the number of mirrors of its vertices.
    pub mirrors: Vec<u64>,
}

impl PartSize {
    /// Returns the number of vertices, with mirrors and the numbers that stand for none.
    fn senders(&self) -> u64 {
        u64::from(GraphPart::first_mirror(self.own)) + self.mirrors.iter().sum::<u64>()
    }
}

/// Memory and messages of a process in a run over its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartNeeds {
    /// Bytes of rows, of their transpose, and of weights, places and counts, and those that finding these takes for a moment.
    pub rows: u64,
    /// Bytes of the names and degrees of vertices, and of the lists of mirrors.
    pub names: u64,
    /// Bytes of values, messages and worklists.
    pub values: u64,
    /// Bytes of rows that it sends to and receives from other processes at a time, before the first step, to count what ends
    /// of edges have in common.
    pub batches: u64,
    /// Bytes that the process sends to each process in a step in which all vertices take part; 0 to itself.
    pub sent: Vec<u64>,
}

impl<P: EdgeProgram> PartRun<'_, P> {
    /// Returns the schedule of runs of the program with these options, unless `start` returns NaN.
    ///
    /// # Errors
    ///
    /// Returns the reason why several processes cannot share such runs.
    pub fn planned_schedule(
        program: &P,
        whole: &WholeGraph,
        weights: RunWeights,
        options: &RunOptions,
    ) -> Result<Schedule, PlanError> {
        if let Some(refusal) = Self::refusal(options) {
            return Err(refusal);
        }
        let of_graph = || against_union(&Shape::of::<P>(), whole.is_symmetric_for::<P>(weights), options);
        let schedule = Self::schedule(options, nan_source(program).or_else(of_graph))?.0;
        whole.check_columns::<P>(weights)?;
        Self::check_settling(program, options)?;
        Ok(schedule)
    }

    /// Returns what process `process` needs for runs of the program by this schedule over a part of this size.
    pub fn needs(
        schedule: Schedule,
        process: usize,
        size: &PartSize,
        whole: &WholeGraph,
        weights: RunWeights,
    ) -> PartNeeds {
        let own = u64::from(size.own);
        let bytes = |mirrored| match schedule {
            Schedule::Union => name_message_bytes(mirrored),
            _ => step_bytes::<P>(own, mirrored),
        };
        let batch = |&rows: &u64| if rows > 0 { BATCH_BYTES as u64 } else { 0 };
        let batches = size.mirrored.iter().chain(&size.mirrors).map(batch).sum();
        let sent = |to, &mirrored| {
            let pieces = size.pieces.get(to).map_or(0, |pieces| pieces * const { gathered_bytes::<P>() });
            if to == process { 0 } else { bytes(mirrored) + pieces as u64 }
        };
        PartNeeds {
            rows: row_bytes::<P>(size, whole, weights)
                + PartPieces::bytes(size.pieces.iter().sum(), gathered_size::<P>()),
            names: name_bytes::<P>(size, whole),
            values: value_bytes::<P>(size, whole, schedule),
            batches: if P::MODEL.reads.common().is_some() { batches } else { 0 },
            sent: size.mirrored.iter().enumerate().map(|(to, mirrored)| sent(to, mirrored)).collect(),
        }
    }
}

/// Returns the bytes of the rows of a part, with what runs of program `P` derive from them.
fn row_bytes<P: EdgeProgram>(size: &PartSize, whole: &WholeGraph, weights: RunWeights) -> u64 {
    let reads = P::MODEL.reads;
    let weight = if whole.is_weighted::<P>(weights) { size_of::<P::Load>() as u64 } else { 0 };
    let load = weight + if reads.edge_place { size_of::<u32>() as u64 } else { 0 };
    // What is found before a run is found by sender.
    let is_transposed = !const { Shape::of::<P>().everyone_sends() } || is_prepared::<P>();
    let sent_load = if const { Shape::of::<P>().everyone_sends() } { 0 } else { load };
    let is_symmetric = match P::ALONG {
        Along::Neighbours => whole.is_symmetric(weights),
        _ => whole.is_symmetric_for::<P>(weights),
    };
    let rows = rows_of::<P>(is_symmetric);
    let columns = if P::ALONG == Along::Neighbours { &[][..] } else { &whole.columns };
    let bytes = |edges: u64| {
        let sends = Sends::bytes(size.senders(), edges, load > 0);
        PartRows::bytes(size.own.into(), edges, columns)
            + if is_transposed { sends } else { 0 }
            + (load + sent_load) * edges
            + reads.common().map_or(0, |common| Counts::hidden_bytes(common, edges))
    };
    let used = size.edges.into_iter().zip([rows.gather_out, rows.gather_in]);
    let used = used.filter(|&(_, is_used)| is_used).map(|(edges, _)| bytes(edges)).sum::<u64>();
    used + neighbour_bytes::<P>(size, whole) + moment_bytes::<P>(size, whole)
}

/// Returns `true` if processes find something about edges together, before the first step.
const fn is_prepared<P: EdgeProgram>() -> bool {
    P::MODEL.reads.edge_place || P::MODEL.reads.common().is_some()
}

/// Returns the bytes of what a part has of neighbours besides the rows over which vertices gather.
fn neighbour_bytes<P: EdgeProgram>(size: &PartSize, whole: &WholeGraph) -> u64 {
    let targets = if whole.symmetric_edges { 0 } else { size.neighbours.div_ceil(8) };
    targets + if P::ORIENTED { PartRows::bytes(size.own.into(), size.neighbours, &[]) } else { 0 }
}

/// Returns the bytes of what is needed for a moment to find what the program reads at edges.
fn moment_bytes<P: EdgeProgram>(size: &PartSize, whole: &WholeGraph) -> u64 {
    let reads = P::MODEL.reads;
    let ranking = if reads.edge_place { Ranking::bytes(size.edges.iter().sum()) } else { 0 };
    let counting = |common| counting_bytes(size.own.into(), size.neighbours, common, whole.symmetric_edges);
    ranking + reads.common().map_or(0, counting)
}

/// Returns the bytes of what a part has for each of its vertices and blocks, apart from rows.
fn name_bytes<P: EdgeProgram>(size: &PartSize, whole: &WholeGraph) -> u64 {
    let (own, senders) = (u64::from(size.own), size.senders());
    let mirrored = size.mirrored.iter().sum::<u64>();
    let ids_and_ranks = (8 + 4) * senders;
    let kinds = if P::ALONG == Along::Neighbours { 3 } else { 2 };
    let degrees = kinds * 8 * (senders + 1);
    let lists = 4 * (mirrored + size.mirrors.iter().sum::<u64>());
    let by_rank = 4 * own;
    let places = match const { Shape::of::<P>().everyone_sends() } {
        true => 0,
        false => Places::bytes(own, mirrored),
    };
    ids_and_ranks + degrees + lists + by_rank + places + 4 * whole.num_blocks()
}

/// Returns the bytes of the arrays of a run.
fn value_bytes<P: EdgeProgram>(size: &PartSize, whole: &WholeGraph, schedule: Schedule) -> u64 {
    let shape = const { Shape::of::<P>() };
    let run = RunSize {
        vertices: whole.vertices.into(),
        receivers: size.own.into(),
        senders: size.senders(),
        edges: size.edges.iter().sum(),
    };
    // Runs step by step have the same arrays whether messages are equal and whether steps gather.
    let arrays = arrays_of(&shape, schedule, (false, true), run);
    let folds = folded_blocks::<P>(whole.num_blocks()) * fold_bytes::<P>();
    let apart = if shape.accumulates { accumulated_bytes::<P>(size) } else { 0 };
    arrays.iter().map(|array| array.bytes).sum::<u64>() + folds + apart
}

/// Returns the bytes of what a run of an accumulating program has besides its arrays: what own vertices have taken and not told,
/// with their marks, the proxies of as many threads as the pool has by default, and what mirrors are told.
fn accumulated_bytes<P: EdgeProgram>(size: &PartSize) -> u64 {
    let (own, words) = (u64::from(size.own), const { Shape::of::<P>().portion_words });
    let untold = 8 * words as u64 * own + own.div_ceil(64) * 8;
    let proxies = array_of_proxies(size.edges.iter().sum(), words, rayon::current_num_threads());
    untold
        + proxies.map_or(0, |array| array.bytes)
        + size.mirrors.iter().sum::<u64>() * size_of::<(u32, P::Value)>() as u64
}

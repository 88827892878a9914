//! The rows of a process's own vertices, and how they are sent to the processes that write shards.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::assemble::Named;
use wolfpath_core::edge_list::{EdgeList, Symmetry, VertexIds};
use wolfpath_core::graph::Direction;
use wolfpath_core::weights::Weights;
use wolfpath_runtime::part::{Message, put};

use super::super::write::{Source, Writer};
use super::team::Team;
use super::weights_of;
use crate::deal::Deal;
use crate::error::BuildError;
use crate::part::{Numbers, process_of};

/// Largest number of edges that are sent at once.
const RUN: usize = 1 << 14;

/// Lines that one process has sent.
#[derive(Default)]
struct Received {
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// The bytes of each column.
    columns: Vec<Vec<u8>>,
}

/// Sends each line to the owners of its vertices. Returns the lines that this process gets, in input order.
pub(super) fn sent_to_owners(
    team: Team<'_>,
    ids: VertexIds,
    (sources, targets): (Vec<u32>, Vec<u32>),
    columns: Vec<Named<Weights>>,
) -> Result<EdgeList, BuildError> {
    let none = || Received { columns: vec![Vec::new(); columns.len()], ..Received::default() };
    let mut received: Vec<Received> = (0..team.processes()).map(|_| none()).collect();
    let sizes: Vec<usize> = columns.iter().map(|column| column.numbers.kind().size()).collect();
    let send = |line: usize, messages: &mut [Vec<u8>]| {
        let (source, target) = (sources[line], targets[line]);
        let owners = [team.owner_of(source), team.owner_of(target)];
        let owners = if owners[0] == owners[1] { &owners[..1] } else { &owners[..] };
        for &owner in owners {
            let message = &mut messages[owner];
            put(message, source);
            put(message, target);
            let numbers = columns.iter().map(|column| column.numbers.slice().bytes_of(line..line + 1));
            numbers.for_each(|number| message.extend_from_slice(number));
        }
    };
    team.in_rounds(0..sources.len(), send, |process, bytes| {
        let (mut bytes, received) = (Message(bytes), &mut received[process]);
        while let Some((source, target)) = bytes.u32().zip(bytes.u32()) {
            received.sources.push(source);
            received.targets.push(target);
            for (column, &size) in received.columns.iter_mut().zip(&sizes) {
                column.extend_from_slice(bytes.take(size).unwrap_or_default());
            }
        }
    })?;
    drop((sources, targets));
    let joined = |of: fn(&Received) -> &[u32]| received.iter().map(of).collect::<Vec<_>>().concat();
    let (sources, targets) = (joined(|of| of.sources.as_slice()), joined(|of| of.targets.as_slice()));
    let columns = columns.into_iter().enumerate().map(|(at, Named { name, numbers })| {
        let kind = numbers.kind();
        drop(numbers);
        let (mut all, mut first) = (Numbers::new(kind.size(), sources.len()), 0);
        for received in &mut received {
            all.put(first, &std::mem::take(&mut received.columns[at]));
            first += received.sources.len();
        }
        Named { name, numbers: weights_of(kind, &all) }
    });
    let columns = columns.collect();
    Ok(EdgeList::from_lines(ids, sources, targets, columns))
}

/// Calls `visit` with each edge of the rows of this process's vertices: the direction of the row, its vertex, the other vertex,
/// and the line. In-rows of a doubled list are its out-rows, and not visited.
fn visit_rows(team: Team<'_>, list: &EdgeList, mut visit: impl FnMut(Direction, u32, u32, u64)) {
    let doubled = list.symmetry() == Symmetry::Doubled;
    let back = if doubled { Direction::Out } else { Direction::In };
    for (line, (&source, &target)) in (0u64..).zip(list.sources().iter().zip(list.targets())) {
        if team.owns(source) {
            visit(Direction::Out, source, target, line);
        }
        if team.owns(target) && !(doubled && source == target) {
            visit(back, target, source, line);
        }
    }
}

/// Returns the number of out-edges of this process's vertices.
pub(super) fn own_edges(team: Team<'_>, list: &EdgeList) -> u64 {
    let mut edges = 0;
    visit_rows(team, list, |direction, _, _, _| edges += u64::from(direction == Direction::Out));
    edges
}

/// Returns the numbers of out-edges and of in-edges of all vertices.
pub(super) fn degrees(team: Team<'_>, list: &EdgeList) -> Result<Vec<[u64; 2]>, BuildError> {
    let vertices = list.num_vertices();
    let mut degrees = vec![[0; 2]; vertices as usize];
    visit_rows(team, list, |direction, vertex, _, _| {
        degrees[vertex as usize][usize::from(direction == Direction::In)] += 1;
    });
    let own = (0..vertices).filter(|&rank| team.owns(rank));
    let told: Vec<u64> = own.flat_map(|rank| degrees[rank as usize]).collect();
    let heard = team.tell_all(bytemuck::cast_slice(&told).to_vec())?;
    for (process, told) in heard.iter().enumerate() {
        let mut told = Message(told);
        let ranks = (process..vertices as usize).step_by(team.processes());
        for rank in ranks {
            degrees[rank] = [told.u64().unwrap_or(0), told.u64().unwrap_or(0)];
        }
    }
    if list.symmetry() == Symmetry::Doubled {
        degrees.iter_mut().for_each(|[out, into]| *into = *out);
    }
    Ok(degrees)
}

/// An edge of a row. Rows are sorted by these fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The vertex that has the row, as an internal index.
    vertex: u32,
    end: u32,
    line: u64,
}

/// The rows of this process's vertices, in layered order.
pub(super) struct OwnRows {
    symmetry: Symmetry,
    out: Vec<Entry>,
    /// Empty if the out-rows of a doubled list serve as in-rows.
    inward: Vec<Entry>,
}

/// Facts about the edges of all processes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// `true` if edges are symmetric; then if columns are, too; then if parallel edges are also in the same order.
    pub(super) edges: bool,
    pub(super) weights: bool,
    pub(super) order: bool,
    /// Number of edges beyond the first with the same source and target.
    pub(super) duplicates: u64,
}

impl OwnRows {
    /// Sorts the rows. `order` has the ranks of all vertices, in order.
    pub(super) fn new(team: Team<'_>, list: &EdgeList, order: &[u32]) -> OwnRows {
        let mut places = vec![0; order.len()];
        for (place, &rank) in (0..).zip(order) {
            places[rank as usize] = place;
        }
        let mut rows = OwnRows { symmetry: list.symmetry(), out: Vec::new(), inward: Vec::new() };
        visit_rows(team, list, |direction, vertex, end, line| {
            let [vertex, end] = [vertex, end].map(|rank| places[rank as usize]);
            let rows = match direction {
                Direction::Out => &mut rows.out,
                Direction::In => &mut rows.inward,
            };
            rows.push(Entry { vertex, end, line });
        });
        rows.out.par_sort_unstable();
        rows.inward.par_sort_unstable();
        rows
    }

    fn side(&self, direction: Direction) -> &[Entry] {
        match direction {
            Direction::In if self.symmetry != Symmetry::Doubled => &self.inward,
            _ => &self.out,
        }
    }

    /// Compares the rows with their transpose, by the same rules as on one machine.
    pub(super) fn flags(&self, team: Team<'_>, columns: &[Named<Weights>]) -> Result<Flags, BuildError> {
        let parallel = |pair: &[Entry]| (pair[0].vertex, pair[0].end) == (pair[1].vertex, pair[1].end);
        let duplicates = self.out.windows(2).filter(|pair| parallel(pair)).count() as u64;
        let (_, duplicates) = team.before_and_all(duplicates)?;
        let known = match self.symmetry {
            Symmetry::Doubled => true,
            Symmetry::Found => columns.is_empty() || duplicates == 0,
            Symmetry::Directed => false,
        };
        if known {
            return Ok(Flags { edges: true, weights: true, order: true, duplicates });
        }
        let own = self.compared(columns);
        let edges = !team.any(!own[0])?;
        let weights = !team.any(!own[1])? && edges;
        let order = !team.any(!own[2])? && weights;
        Ok(Flags { edges, weights, order, duplicates })
    }

    /// Returns whether edges are symmetric, then whether columns are, then whether parallel edges are in the same order.
    fn compared(&self, columns: &[Named<Weights>]) -> [bool; 3] {
        let same_edge = |(a, b): (&Entry, &Entry)| (a.vertex, a.end) == (b.vertex, b.end);
        if self.out.len() != self.inward.len() || !self.out.iter().zip(&self.inward).all(same_edge) {
            return [false; 3];
        }
        if columns.is_empty() {
            return [true; 3];
        }
        let numbers = |entry: &Entry| -> Vec<&[u8]> {
            let line = entry.line as usize;
            columns.iter().map(|column| column.numbers.slice().bytes_of(line..line + 1)).collect()
        };
        let (mut weights, mut order) = (true, true);
        let mut first = 0;
        for out in self.out.chunk_by(|a, b| (a.vertex, a.end) == (b.vertex, b.end)) {
            let inward = &self.inward[first..first + out.len()];
            first += out.len();
            let [mut out, mut inward] =
                [out, inward].map(|edges| edges.iter().map(numbers).collect::<Vec<_>>());
            order &= out == inward;
            if out.len() > 1 {
                out.sort_unstable();
                inward.sort_unstable();
            }
            weights &= out == inward;
        }
        [true, weights, order]
    }

    /// Cuts the rows into runs of edges that go to one shard.
    fn runs<'a>(
        &'a self,
        direction: Direction,
        (deal, offsets): (&'a Deal, &'a [u64]),
    ) -> impl Iterator<Item = Run<'a>> + 'a {
        let rows = self.side(direction).chunk_by(|a, b| a.vertex == b.vertex);
        rows.flat_map(move |row| {
            let vertex = row[0].vertex;
            let mut at = 0;
            std::iter::from_fn(move || {
                if at == row.len() {
                    return None;
                }
                let (shard, end) = holder(deal, direction, vertex, at as u64, row.len() as u64);
                let end = (end as usize).min(at + RUN);
                let run = Run { shard, first: offsets[vertex as usize] + at as u64, edges: &row[at..end] };
                at = end;
                Some(run)
            })
        })
    }
}

/// Consecutive edges of a row that one shard has.
struct Run<'a> {
    shard: u16,
    /// Position of the first among the edges of all rows.
    first: u64,
    edges: &'a [Entry],
}

/// Returns the shard that has the edge at a position in a row, and the position of the next edge that another shard may have.
fn holder(deal: &Deal, direction: Direction, vertex: u32, at: u64, length: u64) -> (u16, u64) {
    let guests = deal.guests(direction);
    let next = guests.partition_point(|guest| (guest.vertex, guest.edges.end) <= (vertex, at));
    match guests.get(next).filter(|guest| guest.vertex == vertex) {
        Some(guest) if guest.edges.start <= at => (guest.shard, guest.edges.end),
        Some(guest) => (deal.owner_of(vertex), guest.edges.start),
        None => (deal.owner_of(vertex), length),
    }
}

/// The edges of the shards that this process writes, in the order of their files.
pub(super) struct Dealt<'a> {
    team: Team<'a>,
    order: &'a [u32],
    ids: &'a VertexIds,
    /// Out-rows and in-rows of each shard of this process. In-rows are empty if out-rows serve.
    shards: Vec<[Rows; 2]>,
}

/// The rows of a shard in one direction.
struct Rows {
    /// The positions of edges among those of all rows, ascending, and the position of the first in the file.
    segments: Vec<(Range<usize>, usize)>,
    ends: Vec<u32>,
    columns: Vec<Numbers>,
}

impl Rows {
    fn new(segments: Vec<Range<usize>>, columns: &[Named<Weights>]) -> Rows {
        let mut next = 0;
        let mut segments: Vec<_> = segments
            .into_iter()
            .map(|segment| {
                let first = next;
                next += segment.len();
                (segment, first)
            })
            .collect();
        segments.sort_unstable_by_key(|(segment, _)| segment.start);
        let numbers = |column: &Named<Weights>| Numbers::new(column.numbers.kind().size(), next);
        Rows { segments, ends: vec![0; next], columns: columns.iter().map(numbers).collect() }
    }

    /// Sets the edges from a position among those of all rows on. Returns `None` if they are not of this shard.
    fn put(&mut self, first: usize, edges: usize, message: &mut Message<'_>) -> Option<()> {
        let at = self.segments.partition_point(|(segment, _)| segment.start <= first).checked_sub(1)?;
        let (segment, in_file) = &self.segments[at];
        let first = (first + edges <= segment.end).then_some(in_file + (first - segment.start))?;
        for end in &mut self.ends[first..first + edges] {
            *end = message.u32()?;
        }
        for column in &mut self.columns {
            column.put(first, message.take(edges * column.size())?);
        }
        Some(())
    }
}

impl<'a> Dealt<'a> {
    pub(super) fn new(
        team: Team<'a>,
        writer: &Writer<'_>,
        (deal, directions): (&Deal, &[Direction]),
        columns: &[Named<Weights>],
        (order, ids): (&'a [u32], &'a VertexIds),
    ) -> Dealt<'a> {
        let own = (team.me()..deal.num_shards().into()).step_by(team.processes());
        let rows = |shard: usize, direction| match directions.contains(&direction) {
            true => Rows::new(writer.segments(shard as u16, direction), columns),
            false => Rows::new(Vec::new(), &[]),
        };
        let shards = own.map(|shard| [Direction::Out, Direction::In].map(|of| rows(shard, of))).collect();
        Dealt { team, order, ids, shards }
    }

    /// Sends the rows of all processes to those that write them.
    pub(super) fn send(
        &mut self,
        own: &OwnRows,
        direction: Direction,
        dealt: (&Deal, &[u64]),
        columns: &[Named<Weights>],
    ) -> Result<(), BuildError> {
        let (team, processes) = (self.team, self.team.processes());
        let send = |run: Run<'_>, messages: &mut [Vec<u8>]| {
            let message = &mut messages[process_of(run.shard, processes)];
            put(message, u32::from(run.shard));
            put(message, run.edges.len() as u32);
            put(message, run.first);
            run.edges.iter().for_each(|edge| put(message, edge.end));
            for column in columns {
                let numbers = column.numbers.slice();
                let of = |edge: &Entry| numbers.bytes_of(edge.line as usize..edge.line as usize + 1);
                run.edges.iter().for_each(|edge| message.extend_from_slice(of(edge)));
            }
        };
        let side = usize::from(direction == Direction::In);
        let mut unreadable = None;
        team.in_rounds(own.runs(direction, dealt), send, |process, bytes| {
            let mut message = Message(bytes);
            while !message.0.is_empty() {
                let shards = &mut self.shards;
                let mut put = || {
                    let (shard, edges) = (message.u32()?, message.u32()?);
                    let first = message.u64()?;
                    let rows = &mut shards.get_mut(shard as usize / processes)?[side];
                    rows.put(first as usize, edges as usize, &mut message)
                };
                if put().is_none() {
                    unreadable = Some(process);
                    break;
                }
            }
        })?;
        let error = |process| wolfpath_runtime::part::unreadable(process, "rows of shards").into();
        team.agree(unreadable.map_or(Ok(()), |process| Err(error(process))))
    }

    fn rows(&self, shard: u16, direction: Direction) -> &Rows {
        let [out, inward] = &self.shards[usize::from(shard) / self.team.processes()];
        match direction {
            Direction::Out => out,
            Direction::In => inward,
        }
    }
}

impl Source for Dealt<'_> {
    fn rank_of(&self, vertex: u32) -> u32 {
        self.order[vertex as usize]
    }

    fn id_of_rank(&self, rank: u32) -> u64 {
        self.ids.id(rank)
    }

    fn ends(&self, shard: u16, direction: Direction, _: &[Range<usize>]) -> Cow<'_, [u8]> {
        Cow::Borrowed(bytemuck::cast_slice(&self.rows(shard, direction).ends))
    }

    fn column(&self, shard: u16, direction: Direction, at: usize, _: &[Range<usize>]) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.rows(shard, direction).columns[at].bytes())
    }
}

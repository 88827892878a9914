//! The rows of a process's own vertices, and how they are sent to the processes that write shards.
//!
//! Threads count and sort edges by vertex. Each looks at all lines, but writes only its own range of rows, so no atomics are
//! needed, and the result does not depend on the number of threads.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::assemble::Named;
use wolfpath_core::edge_list::{EdgeList, Symmetry, VertexIds};
use wolfpath_core::graph::Direction;
use wolfpath_core::weights::{WeightSlice, Weights};
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
    /// The positions of lines in the input, if they are needed.
    positions: Vec<u64>,
}

/// Sends each line to the owners of its vertices. Returns the lines that this process gets, in input order, and the position of
/// each in the input if those of this process begin at `first`.
pub(super) fn sent_to_owners(
    team: Team<'_>,
    ids: VertexIds,
    (sources, targets): (Vec<u32>, Vec<u32>),
    columns: Vec<Named<Weights>>,
    first: Option<u64>,
) -> Result<(EdgeList, Vec<u64>), BuildError> {
    let none = || Received { columns: vec![Vec::new(); columns.len()], ..Received::default() };
    let mut received: Vec<Received> = (0..team.processes()).map(|_| none()).collect();
    let sizes: Vec<usize> = columns.iter().map(|column| column.numbers.kind().size()).collect();
    let slices: Vec<WeightSlice<'_>> = columns.iter().map(|column| column.numbers.slice()).collect();
    let position = if first.is_some() { size_of::<u64>() } else { 0 };
    let bytes = 2 * size_of::<u32>() + sizes.iter().sum::<usize>() + position;
    let send = |line: usize, messages: &mut [Vec<u8>]| {
        let (source, target) = (sources[line], targets[line]);
        let owners = [team.owner_of(source), team.owner_of(target)];
        let owners = if owners[0] == owners[1] { &owners[..1] } else { &owners[..] };
        for &owner in owners {
            let message = &mut messages[owner];
            message.extend_from_slice(&source.to_le_bytes());
            message.extend_from_slice(&target.to_le_bytes());
            slices.iter().for_each(|column| message.extend_from_slice(column.bytes_of(line..line + 1)));
            if let Some(first) = first {
                put(message, first + line as u64);
            }
        }
        bytes * owners.len()
    };
    let vertices = ids.len();
    team.in_rounds("lines", 0..sources.len(), send, |process, message| {
        let (source, target, received) = (message.u32()?, message.u32()?, &mut received[process]);
        let is_right = source.max(target) < vertices && (team.owns(source) || team.owns(target));
        received.sources.push(is_right.then_some(source)?);
        received.targets.push(target);
        for (column, &size) in received.columns.iter_mut().zip(&sizes) {
            column.extend_from_slice(message.take(size)?);
        }
        if first.is_some() {
            received.positions.push(message.u64()?);
        }
        Some(())
    })?;
    drop((sources, targets));
    let positions = joined(received.iter_mut().map(|received| &mut received.positions).collect());
    let sources = joined(received.iter_mut().map(|received| &mut received.sources).collect());
    let targets = joined(received.iter_mut().map(|received| &mut received.targets).collect());
    let columns = columns.into_iter().enumerate().map(|(at, Named { name, numbers })| {
        let kind = numbers.kind();
        drop(numbers);
        let (mut all, mut first) = (Numbers::new(kind.size(), sources.len()), 0);
        for received in &mut received {
            let numbers = std::mem::take(&mut received.columns[at]);
            all.put(first, &numbers);
            first += numbers.len() / kind.size();
        }
        Named { name, numbers: weights_of(kind, &all) }
    });
    let columns = columns.collect();
    Ok((EdgeList::from_lines(ids, sources, targets, columns), positions))
}

/// Concatenates arrays, and frees each of them as soon as it was copied.
fn joined<T: Copy>(arrays: Vec<&mut Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(arrays.iter().map(|array| array.len()).sum());
    arrays.into_iter().for_each(|array| all.extend_from_slice(&std::mem::take(array)));
    all
}

/// Calls `visit(vertex, other, line)` for each edge in the rows of one direction, of those vertices for which `has_row` is
/// `true`. A doubled list has no in-rows: its out-rows serve as both.
fn visit_rows(
    list: &EdgeList,
    direction: Direction,
    has_row: impl Fn(u32) -> bool,
    mut visit: impl FnMut(u32, u32, u64),
) {
    let doubled = list.symmetry() == Symmetry::Doubled;
    let is_out = direction == Direction::Out;
    if doubled && !is_out {
        return;
    }
    for (line, (&source, &target)) in (0u64..).zip(list.sources().iter().zip(list.targets())) {
        if is_out && has_row(source) {
            visit(source, target, line);
        }
        if (!is_out || doubled && source != target) && has_row(target) {
            visit(target, source, line);
        }
    }
}

/// Returns the start of each row, then the number of edges.
pub(super) fn starts_of(lengths: impl Iterator<Item = u64>) -> Vec<u64> {
    let (mut starts, mut sum) = (Vec::with_capacity(lengths.size_hint().0 + 1), 0);
    starts.push(sum);
    for length in lengths {
        sum += length;
        starts.push(sum);
    }
    starts
}

/// Cuts rows into one range for each thread, with about equally many edges. `starts` has the start of each row, then the number
/// of edges.
pub(super) fn shares(starts: &[u64]) -> Vec<Range<usize>> {
    let (rows, threads) = (starts.len() - 1, rayon::current_num_threads() as u64);
    let of_one = starts[rows] / threads;
    let begins = (1..threads).map(|thread| starts.partition_point(|&start| start < thread * of_one));
    let bounds: Vec<usize> = [0].into_iter().chain(begins).chain([rows]).collect();
    bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Cuts a slice into parts of these lengths, which follow each other.
pub(super) fn cut<T>(mut slice: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let part = |length| slice.split_off_mut(..length).expect("the parts are not longer than the slice");
    lengths.map(part).collect()
}

/// The rows that one thread fills.
pub(super) struct Share<'a, T> {
    pub(super) range: &'a Range<usize>,
    /// Next place of each row in `items`.
    next: Vec<usize>,
    items: &'a mut [T],
}

impl<T> Share<'_, T> {
    /// Appends an item to a row of the range.
    pub(super) fn push(&mut self, row: usize, item: T) {
        let next = &mut self.next[row - self.range.start];
        self.items[*next] = item;
        *next += 1;
    }
}

/// Returns items grouped by row. `starts` has the start of each row, then the number of items. `fill` must push all items of
/// the share that it is called with.
pub(super) fn grouped<T: Copy + Default + Send>(
    starts: &[u64],
    shares: &[Range<usize>],
    fill: impl Fn(&mut Share<'_, T>) + Sync,
) -> Vec<T> {
    let mut items = vec![T::default(); starts[starts.len() - 1] as usize];
    let lengths = shares.iter().map(|share| (starts[share.end] - starts[share.start]) as usize);
    shares.par_iter().zip(cut(&mut items, lengths)).for_each(|(range, items)| {
        let next = starts[range.clone()].iter().map(|start| (start - starts[range.start]) as usize);
        fill(&mut Share { range, next: next.collect(), items });
    });
    items
}

/// Returns the number of out-edges of this process's vertices.
pub(super) fn own_edges(team: Team<'_>, list: &EdgeList) -> u64 {
    let mut edges = 0;
    let owns = |rank| team.owns(rank);
    visit_rows(list, Direction::Out, owns, |_, _, _| edges += 1);
    edges
}

/// Returns the numbers of out-edges and of in-edges of all vertices. The input has `edges` edges.
pub(super) fn degrees(team: Team<'_>, list: &EdgeList, edges: u64) -> Result<Vec<[u64; 2]>, BuildError> {
    let vertices = list.num_vertices();
    let mut degrees = vec![[0; 2]; vertices as usize];
    let length = (vertices as usize).div_ceil(rayon::current_num_threads()).max(1);
    degrees.par_chunks_mut(length).enumerate().for_each(|(share, degrees)| {
        let first = (share * length) as u32;
        let ranks = first..first + degrees.len() as u32;
        let is_own = |rank: u32| ranks.contains(&rank) && team.owns(rank);
        for (at, direction) in [Direction::Out, Direction::In].into_iter().enumerate() {
            visit_rows(list, direction, is_own, |vertex, _, _| degrees[(vertex - first) as usize][at] += 1);
        }
    });
    let own = (0..vertices).filter(|&rank| team.owns(rank));
    let told: Vec<u64> = own.flat_map(|rank| degrees[rank as usize]).collect();
    // Each edge of the input is at most two.
    let mut left = [edges.saturating_mul(2); 2];
    team.tell_all("degrees", bytemuck::cast_slice(&told).to_vec(), |process, told| {
        for rank in (process..vertices as usize).step_by(team.processes()) {
            degrees[rank] = [told.u64()?, told.u64()?];
            for (left, degree) in left.iter_mut().zip(degrees[rank]) {
                *left = left.checked_sub(degree)?;
            }
        }
        Some(())
    })?;
    if list.symmetry() == Symmetry::Doubled {
        degrees.iter_mut().for_each(|[out, into]| *into = *out);
    }
    Ok(degrees)
}

/// An edge of a row. Rows are sorted by these fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Sorts the rows. `order` has the ranks of all vertices, in order, and `degrees` the numbers of out-edges and in-edges of
    /// each rank.
    pub(super) fn new(team: Team<'_>, list: &EdgeList, degrees: &[[u64; 2]], order: &[u32]) -> OwnRows {
        let mut places = vec![0; order.len()];
        for (place, &rank) in (0..).zip(order) {
            places[rank as usize] = place;
        }
        let rows = |direction: Direction| {
            if direction == Direction::In && list.symmetry() == Symmetry::Doubled {
                return Vec::new();
            }
            let at = usize::from(direction == Direction::In);
            let length = |rank: u32| if team.owns(rank) { degrees[rank as usize][at] } else { 0 };
            sorted_rows(team, list, direction, &places, &starts_of(order.iter().map(|&rank| length(rank))))
        };
        OwnRows { symmetry: list.symmetry(), out: rows(Direction::Out), inward: rows(Direction::In) }
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
        let duplicates = team.sum("a number of duplicates", duplicates)?;
        let known = match self.symmetry {
            Symmetry::Doubled => true,
            Symmetry::Found => columns.is_empty() || duplicates == 0,
            Symmetry::Directed => false,
        };
        if known {
            return Ok(Flags { edges: true, weights: true, order: true, duplicates });
        }
        let own = self.compared(columns);
        let differ = |at: usize| team.any("differences of the directions", !own[at]);
        let edges = !differ(0)?;
        let weights = !differ(1)? && edges;
        let order = !differ(2)? && weights;
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

/// Returns the rows of this process's vertices in one direction. `places` has the place of each rank in the layered order, and
/// `starts` the start of the row at each place, then the number of edges.
fn sorted_rows(
    team: Team<'_>,
    list: &EdgeList,
    direction: Direction,
    places: &[u32],
    starts: &[u64],
) -> Vec<Entry> {
    // Grouping lines by vertex first leaves only short arrays to be sorted.
    let mut rows = grouped(starts, &shares(starts), |rows| {
        let range = rows.range;
        let is_own = |rank: u32| range.contains(&(places[rank as usize] as usize)) && team.owns(rank);
        visit_rows(list, direction, is_own, |vertex, end, line| {
            let [vertex, end] = [vertex, end].map(|rank| places[rank as usize]);
            rows.push(vertex as usize, Entry { vertex, end, line });
        });
    });
    rows.par_chunk_by_mut(|a, b| a.vertex == b.vertex).for_each(|row| row.sort_unstable());
    rows
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

    /// Sets the edges from a position among those of all rows on, whose ends are below `vertices`. Returns `None` if they are
    /// not of this shard.
    fn put(&mut self, first: usize, edges: usize, vertices: u32, message: &mut Message<'_>) -> Option<()> {
        let at = self.segments.partition_point(|(segment, _)| segment.start <= first).checked_sub(1)?;
        let (segment, in_file) = &self.segments[at];
        let is_within = first.checked_add(edges).is_some_and(|end| end <= segment.end);
        let first = is_within.then_some(in_file + (first - segment.start))?;
        for end in &mut self.ends[first..first + edges] {
            *end = message.u32().filter(|&end| end < vertices)?;
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
        let slices: Vec<WeightSlice<'_>> = columns.iter().map(|column| column.numbers.slice()).collect();
        let send = |run: Run<'_>, messages: &mut [Vec<u8>]| {
            let message = &mut messages[process_of(run.shard, processes)];
            let before = message.len();
            put(message, u32::from(run.shard));
            put(message, run.edges.len() as u32);
            put(message, run.first);
            run.edges.iter().for_each(|edge| message.extend_from_slice(&edge.end.to_le_bytes()));
            for column in &slices {
                let of = |edge: &Entry| column.bytes_of(edge.line as usize..edge.line as usize + 1);
                run.edges.iter().for_each(|edge| message.extend_from_slice(of(edge)));
            }
            message.len() - before
        };
        let side = usize::from(direction == Direction::In);
        let (vertices, shards) = (self.order.len() as u32, &mut self.shards);
        team.in_rounds("rows of shards", own.runs(direction, dealt), send, |_, message| {
            let (shard, edges, first) = (message.u32()? as usize, message.u32()?, message.u64()?);
            let is_own = shard % processes == team.me();
            let rows = &mut shards.get_mut(is_own.then_some(shard / processes)?)?[side];
            rows.put(usize::try_from(first).ok()?, edges as usize, vertices, message)
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_rows() {
        let in_pool = |threads: usize, starts: &[u64]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| shares(starts))
        };
        assert_eq!(in_pool(4, &[0, 10, 20, 30, 40, 50, 60, 70, 80]), [0..2, 2..4, 4..6, 6..8]);
        // No rows, no edges, fewer edges than threads, one long row at either end.
        for starts in [&[0][..], &[0, 0, 0], &[0, 1, 1, 2], &[0, 1000, 1001, 1001, 1003], &[0, 1, 2, 1000]] {
            for threads in [1, 3, 16] {
                let shares = in_pool(threads, starts);
                assert_eq!(shares.len(), threads);
                assert_eq!((shares[0].start, shares[threads - 1].end), (0, starts.len() - 1));
                assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start), "{shares:?}");
                assert!(shares.iter().all(|share| share.start <= share.end), "{shares:?}");
            }
        }
    }
}

//! The parts of a graph, made from all of it, for any deal of vertices to processes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wolfpath::graph::{Direction, LayeredGraph, WeightChoice};
use wolfpath::program::DatumKind;
use wolfpath::weights::Weights;
use wolfpath_runtime::part::{
    Gathered, GraphPart, PartCache, PartNeighbours, PartPieces, PartRows, WholeGraph,
};
use wolfpath_runtime::{FOLDED_BLOCK, SUMMED_PIECE};

/// A piece of a row of a divided vertex.
struct Piece {
    vertex: u32,
    /// 0 for out-rows and 1 for in-rows.
    at: usize,
    /// Positions of its edges among those of all rows.
    edges: Range<usize>,
    /// Process that gathers over it.
    process: usize,
}

/// Returns the parts of a graph whose vertices are dealt to processes in turns, each time `unit` consecutive ones. If rows may be
/// in pieces, every third vertex is divided: the first piece goes to the process after its own, and so on.
pub(crate) fn parts(graph: &LayeredGraph, processes: usize, unit: u32, gathered: Gathered) -> Vec<GraphPart> {
    let n = graph.num_vertices();
    let owner = |v: u32| (v / unit) as usize % processes;
    let own: Vec<Vec<u32>> =
        (0..processes).map(|process| (0..n).filter(|&v| owner(v) == process).collect()).collect();
    let number_of = |v: u32| own[owner(v)].binary_search(&v).expect("its owner has it") as u32;
    let blocks = blocks(&own, unit);
    let out = graph.out_edges();
    let inward = graph.in_edges().expect("there is memory for the in-rows");
    let adjacent = graph.neighbour_graph(false).expect("there is memory for the neighbours");
    let neighbours = adjacent.neighbour_rows();
    let used = match gathered {
        Gathered::Edges { out: is_out, inward: is_in, .. } => {
            [(is_out, out, Some(Direction::Out)), (is_in, inward, Some(Direction::In))]
        }
        Gathered::Neighbours => [(false, out, None), (true, neighbours, None)],
    };
    let in_pieces = matches!(gathered, Gathered::Edges { pieces: true, .. });
    let is_divided = |v: u32| in_pieces && v.is_multiple_of(3);
    let mut pieces = Vec::new();
    for vertex in (0..n).filter(|&v| is_divided(v)) {
        let mut process = owner(vertex);
        for (at, (_, rows, _)) in used.iter().enumerate().filter(|(_, (is_used, ..))| *is_used) {
            let row = rows.range(vertex);
            for start in row.clone().step_by(SUMMED_PIECE) {
                process = (process + 1) % processes;
                let edges = start..row.end.min(start + SUMMED_PIECE);
                pieces.push(Piece { vertex, at, edges, process });
            }
        }
    }
    let held = |process: usize| {
        let mut held: Vec<&Piece> = pieces.iter().filter(|piece| piece.process == process).collect();
        // Pieces of the same owner stay in order.
        held.sort_by_key(|piece| owner(piece.vertex));
        held
    };
    let remote: Vec<Vec<u32>> = (0..processes)
        .map(|process| {
            let rows = used.iter().filter(|(is_used, ..)| *is_used).map(|(_, rows, _)| rows);
            let whole = own[process].iter().filter(|&&v| !is_divided(v));
            let ends = rows.flat_map(|rows| whole.clone().flat_map(|&v| rows.row(v)));
            let of_pieces = held(process).into_iter().flat_map(|piece| {
                let ends = &used[piece.at].1.ends[piece.edges.clone()];
                ends.iter().chain(std::iter::once(&piece.vertex))
            });
            let ends = ends.chain(of_pieces);
            let remote: BTreeSet<u32> = ends.copied().filter(|&end| owner(end) != process).collect();
            remote.into_iter().collect()
        })
        .collect();
    let part = |process: usize| {
        let (mine, remote_here) = (&own[process], &remote[process]);
        let first_mirror = GraphPart::first_mirror(mine.len() as u32);
        let mut vertices: Vec<Option<u32>> = mine.iter().copied().map(Some).collect();
        vertices.resize(first_mirror as usize, None);
        vertices.extend(remote_here.iter().copied().map(Some));
        let local = |v: u32| match owner(v) == process {
            true => number_of(v),
            false => first_mirror + remote_here.binary_search(&v).expect("a mirror") as u32,
        };
        let held = held(process);
        let part_rows = |at: usize| {
            let (is_used, rows, direction) = used[at];
            is_used.then(|| {
                let mut offsets = vec![0];
                let (mut ends, mut positions) = (Vec::new(), Vec::new());
                let of_own = mine.iter().map(|&v| if is_divided(v) { 0..0 } else { rows.range(v) });
                let of_pieces =
                    held.iter().map(|piece| if piece.at == at { piece.edges.clone() } else { 0..0 });
                for row in of_own.chain(of_pieces) {
                    ends.extend(rows.ends[row.clone()].iter().map(|&end| local(end)));
                    positions.extend(row.map(|position| position as u64));
                    offsets.push(ends.len() as u64);
                }
                let columns = direction.map(|direction| columns(graph, direction, &positions));
                PartRows::new(offsets, ends, columns.unwrap_or_default())
            })
        };
        let of = |name: &dyn Fn(u32) -> u64| vertices.iter().map(|v| v.map_or(0, name)).collect::<Vec<u64>>();
        let sums = |degree: &dyn Fn(u32) -> u64| {
            let before = of(degree).into_iter().scan(0, |sum, degree| {
                *sum += degree;
                Some(*sum)
            });
            std::iter::once(0).chain(before).collect::<Vec<u64>>()
        };
        let [gather_out, gather_in] = [0, 1].map(part_rows);
        let (gather_in, neighbours) = match gathered {
            Gathered::Edges { .. } => (gather_in, None),
            Gathered::Neighbours => {
                let degrees = sums(&|v| neighbours.degree(v));
                let is_target = mine
                    .iter()
                    .flat_map(|&v| neighbours.row(v).iter().map(move |end| out.row(v).contains(end)));
                let mut targets = Vec::new();
                for (at, is_target) in is_target.enumerate().filter(|_| !graph.is_input_symmetric()) {
                    targets.resize(at / 64 + 1, 0);
                    targets[at / 64] |= u64::from(is_target) << (at % 64);
                }
                (None, gather_in.map(|rows| PartNeighbours::new(rows, targets, degrees)))
            }
        };
        let mirrored = remote.iter().map(|of_other| {
            of_other.iter().copied().filter(|&v| owner(v) == process).map(number_of).collect()
        });
        let mirrors = (0..processes).map(|other| {
            let of_other = (first_mirror..).zip(remote_here).filter(|&(_, &v)| owner(v) == other);
            of_other.map(|(mirror, _)| mirror).collect()
        });
        GraphPart {
            whole: whole(graph),
            own: mine.len() as u32,
            ids: of(&|v| graph.id_of(v)),
            ranks: of(&|v| graph.rank_of(v).into()).into_iter().map(|rank| rank as u32).collect(),
            out_degrees: sums(&|v| out.degree(v)),
            in_degrees: sums(&|v| inward.degree(v)),
            gather_out,
            gather_in,
            pieces: in_pieces.then(|| PartPieces {
                receivers: held.iter().map(|piece| local(piece.vertex)).collect(),
                held_for: (0..processes)
                    .map(|other| held.iter().filter(|piece| owner(piece.vertex) == other).count())
                    .collect(),
                ..divided(pieces.iter().filter(|piece| owner(piece.vertex) == process), local)
            }),
            neighbours,
            mirrored: mirrored.collect(),
            mirrors: mirrors.collect(),
            blocks: blocks.clone(),
            cache: PartCache::default(),
        }
    };
    (0..processes).map(part).collect()
}

/// Returns the divided vertices of a process, and the places of their pieces, which are in the order of vertices and edges.
fn divided<'a>(pieces: impl Iterator<Item = &'a Piece>, number: impl Fn(u32) -> u32) -> PartPieces {
    let mut all = PartPieces::default();
    let mut next = BTreeMap::new();
    for (position, piece) in pieces.enumerate() {
        let number = number(piece.vertex);
        match all.divided.last_mut().filter(|(last, _)| *last == number) {
            Some((_, range)) => range.end = position + 1,
            None => all.divided.push((number, position..position + 1)),
        }
        let next = next.entry(piece.process).or_insert(0);
        all.places.push((piece.process as u32, *next));
        *next += 1;
    }
    all
}

/// Returns the numbers of the blocks of each process: those of the graph if vertices are dealt in whole blocks.
fn blocks(own: &[Vec<u32>], unit: u32) -> Vec<Vec<u32>> {
    let mut next = 0..;
    let of = |own: &Vec<u32>| {
        let blocks = own.chunks(FOLDED_BLOCK);
        let number = |block: &[u32]| match unit as usize == FOLDED_BLOCK {
            true => block[0] / unit,
            false => next.next().expect("numbers do not end"),
        };
        blocks.map(number).collect()
    };
    own.iter().map(of).collect()
}

/// Returns the columns of edges at these positions in the rows of a direction.
fn columns(graph: &LayeredGraph, direction: Direction, positions: &[u64]) -> Vec<Weights> {
    let in_out_order = match direction {
        Direction::Out => None,
        Direction::In => graph.in_edge_positions().expect("there is memory for positions"),
    };
    let positions: Vec<u64> = match in_out_order {
        Some(of) => positions.iter().map(|&position| of[position as usize]).collect(),
        None => positions.to_vec(),
    };
    let names = graph.column_names();
    names.iter().map(|name| graph.column(name).expect("a column of the graph").gather(&positions)).collect()
}

pub(crate) fn whole(graph: &LayeredGraph) -> WholeGraph {
    let kinds = graph.column_sizes().into_iter().map(|(kind, _)| kind);
    let names = graph.column_names().into_iter().map(str::to_owned);
    let columns: Vec<(DatumKind, String)> = kinds.zip(names).collect();
    WholeGraph {
        vertices: graph.num_vertices(),
        edges: graph.num_edges(),
        layers: graph.num_layers(),
        root_layers: graph.root_layers(),
        symmetric_edges: graph.is_input_symmetric(),
        symmetric_columns: graph.with_weights(WeightChoice::Input).is_symmetric(),
        columns,
    }
}

//! The parts of a graph, made from all of it, for any deal of vertices to processes.

use std::collections::BTreeSet;

use wolfpath::graph::{Direction, LayeredGraph, WeightChoice};
use wolfpath::program::DatumKind;
use wolfpath::weights::Weights;
use wolfpath_runtime::FOLDED_BLOCK;
use wolfpath_runtime::part::{Gathered, GraphPart, PartCache, PartNeighbours, PartRows, WholeGraph};

/// Returns the parts of a graph whose vertices are dealt to processes in turns, each time `unit` consecutive ones.
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
        Gathered::Edges { out: is_out, inward: is_in } => {
            [(is_out, out, Some(Direction::Out)), (is_in, inward, Some(Direction::In))]
        }
        Gathered::Neighbours => [(false, out, None), (true, neighbours, None)],
    };
    let remote: Vec<Vec<u32>> = (0..processes)
        .map(|process| {
            let rows = used.iter().filter(|(is_used, ..)| *is_used).map(|(_, rows, _)| rows);
            let ends = rows.flat_map(|rows| own[process].iter().flat_map(|&v| rows.row(v)));
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
        let part_rows = |(is_used, rows, direction): (bool, wolfpath::graph::Rows<'_>, Option<Direction>)| {
            is_used.then(|| {
                let mut offsets = vec![0];
                let (mut ends, mut positions) = (Vec::new(), Vec::new());
                for &v in mine {
                    ends.extend(rows.row(v).iter().map(|&end| local(end)));
                    positions.extend(rows.range(v).map(|position| position as u64));
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
        let [gather_out, gather_in] = used.map(part_rows);
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
            neighbours,
            mirrored: mirrored.collect(),
            mirrors: mirrors.collect(),
            blocks: blocks.clone(),
            cache: PartCache::default(),
        }
    };
    (0..processes).map(part).collect()
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

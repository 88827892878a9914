//! Graphs like road networks: crossings on a distorted lattice. More than a quarter of the lattice's edges are missing.
//! About a fifth of the others wind through vertices of degree 2, and a few of these are very long. There are also dead
//! ends. Like real networks, these graphs have an average degree of about 2.4, and half of their vertices are of degree
//! two. They have thousands of thin layers and, if requested, lengths.
//!
//! A row of crossings owns a range of vertices. For each crossing, the range contains the crossing itself, then the
//! vertices on its road to the right, on its road down and in its dead end. Ids therefore ascend along every road, the
//! edges of a row are generated in sorted order, and rows are generated in parallel.

use rayon::prelude::*;

use super::buckets::{split, zeroed};
use super::{GenerateError, check_vertices};
use crate::edge_list::{EdgeList, Symmetry, VertexIds};
use crate::progress::{Progress, Stage};
use crate::random::hash;
use crate::weights::Weights;

/// Number of crossings, out of 256, that are joined to both their left and their upper neighbour. The others are joined
/// to one of them, so that everything is connected.
const BOTH_OF_256: u8 = 115;
/// Number of crossings, out of 256, that have a dead end.
const DEAD_END_OF_256: u8 = 40;
/// Number of roads, out of 256, that are straight, without a vertex between the crossings.
const STRAIGHT_OF_256: u8 = 200;
/// A random byte of at least this value gives a very long road. A smaller byte of at least `STRAIGHT_OF_256` gives a
/// road through a few vertices.
const LONG_FROM_OF_256: u8 = 253;

/// Distance between crossings of the lattice. To distort the lattice, each coordinate of a crossing is increased by a
/// random amount of less than half this distance.
const SPACING: u64 = 1024;

/// See [`Recipe::Road`](super::Recipe::Road).
pub(super) fn make(
    width: u32,
    height: u32,
    lengths: bool,
    seed: u64,
    progress: &Progress,
) -> Result<EdgeList, GenerateError> {
    check_vertices(u64::from(width) * u64::from(height))?;
    let map = Map { width, height, seed };
    progress.begin(Stage::Generate, Some(map.crossings()));
    let rows: Vec<Size> = (0..height).into_par_iter().map(|row| map.size_of_row(row)).collect();
    let vertices = check_vertices(rows.iter().map(|size| size.vertices).sum())?;
    let edges = rows.iter().map(|size| size.edges).sum();
    let (mut sources, mut targets) = (zeroed(edges)?, zeroed(edges)?);
    let mut weights = zeroed(if lengths { edges } else { 0 })?;
    let lens = || rows.iter().map(|size| size.edges);
    let columns = split(&mut sources, lens()).into_par_iter().zip(split(&mut targets, lens()));
    let columns = columns.zip(split(&mut weights, lens().map(|edges| if lengths { edges } else { 0 })));
    columns.zip(first_vertices(&rows)).enumerate().for_each(
        |(row, (((sources, targets), weights), first))| {
            let mut ends = sources.iter_mut().zip(targets);
            let mut weights = weights.iter_mut();
            map.walk(row as u32, first, rows[row].vertices as u32, |edge| {
                // There is a slot for each edge, because the edges of the row were counted by the same rules before.
                if let Some((source, target)) = ends.next() {
                    (*source, *target) = (edge.source, edge.target);
                }
                if let Some(weight) = weights.next() {
                    *weight = edge.length;
                }
            });
            progress.advance(width.into());
        },
    );
    let list = EdgeList::from_ranks(VertexIds::first(vertices), sources, targets, Symmetry::Doubled);
    Ok(if lengths { list.with_weight_column(Weights::U32(weights)) } else { list })
}

/// Returns the first vertex of every row.
fn first_vertices(rows: &[Size]) -> Vec<u32> {
    let firsts = rows.iter().scan(0, |next, size| {
        let first = *next;
        *next += size.vertices as u32;
        Some(first)
    });
    firsts.collect()
}

/// The size of a row.
#[derive(Clone, Copy)]
struct Size {
    vertices: u64,
    edges: usize,
}

struct Edge {
    source: u32,
    target: u32,
    length: u32,
}

/// A map of crossings. Nothing is stored: all properties of a crossing are computed from its position and the seed.
#[derive(Clone, Copy)]
struct Map {
    width: u32,
    height: u32,
    seed: u64,
}

/// A crossing: the numbers of vertices on its roads to the right and down, if any, and in its dead end.
#[derive(Clone, Copy)]
struct Crossing {
    right: Option<u32>,
    down: Option<u32>,
    dead_end: u32,
}

impl Crossing {
    /// Returns the number of vertices that the crossing owns: itself, and those on its roads and in its dead end.
    fn vertices(self) -> u32 {
        1 + self.right.unwrap_or(0) + self.down.unwrap_or(0) + self.dead_end
    }

    /// Returns the number of edges that the crossing owns. A road has one more edge than it has vertices between its
    /// crossings.
    fn edges(self) -> u32 {
        let segment = |between: Option<u32>| between.map_or(0, |between| between + 1);
        segment(self.right) + segment(self.down) + self.dead_end
    }
}

/// The purpose of a random number, which is part of the hash, so that each purpose uses different random numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Joined,
    Right,
    Down,
    DeadEnd,
    Place,
    Winding,
}

impl Map {
    fn crossings(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    fn random(self, column: u32, row: u32, purpose: Purpose) -> u64 {
        let crossing = u64::from(row) * u64::from(self.width) + u64::from(column);
        hash(hash(self.seed, crossing), purpose as u64)
    }

    /// Returns two flags: whether a crossing is joined to its left and to its upper neighbour.
    fn joined(self, column: u32, row: u32) -> (bool, bool) {
        let [kind, coin, ..] = self.random(column, row, Purpose::Joined).to_le_bytes();
        let (has_left, has_up, both) = (column > 0, row > 0, kind < BOTH_OF_256);
        let left = has_left && (both || coin % 2 == 0 || !has_up);
        let up = has_up && (both || coin % 2 == 1 || !has_left);
        (left, up)
    }

    fn crossing(self, column: u32, row: u32) -> Crossing {
        let right = column + 1 < self.width && self.joined(column + 1, row).0;
        let down = row + 1 < self.height && self.joined(column, row + 1).1;
        let [kind, ..] = self.random(column, row, Purpose::Joined).to_be_bytes();
        let between = |purpose| between(self.random(column, row, purpose));
        Crossing {
            right: right.then(|| between(Purpose::Right)),
            down: down.then(|| between(Purpose::Down)),
            dead_end: if kind < DEAD_END_OF_256 {
                a_few(self.random(column, row, Purpose::DeadEnd))
            } else {
                0
            },
        }
    }

    fn size_of_row(self, row: u32) -> Size {
        let crossings = (0..self.width).map(|column| self.crossing(column, row));
        crossings.fold(Size { vertices: 0, edges: 0 }, |size, crossing| Size {
            vertices: size.vertices + u64::from(crossing.vertices()),
            edges: size.edges + crossing.edges() as usize,
        })
    }

    /// Visits all edges that a row owns, in ascending order. `first` is its first vertex, and `owned` is the number of
    /// vertices that it owns.
    fn walk(self, row: u32, first: u32, owned: u32, mut visit: impl FnMut(Edge)) {
        let (mut vertex, mut below) = (first, first + owned);
        for column in 0..self.width {
            let crossing = self.crossing(column, row);
            let next = vertex + crossing.vertices();
            self.walk_crossing([column, row], crossing, [vertex, next, below], &mut visit);
            vertex = next;
            if row + 1 < self.height {
                below += self.crossing(column, row + 1).vertices();
            }
        }
    }

    /// Visits the edges of a crossing: first the edges that start at the crossing itself, then the other edges along
    /// its roads. `vertices` are the crossing, the next crossing to the right, and the crossing below.
    fn walk_crossing(
        self,
        [column, row]: [u32; 2],
        crossing: Crossing,
        [vertex, next, below]: [u32; 3],
        visit: &mut impl FnMut(Edge),
    ) {
        let (right, down) = (crossing.right.unwrap_or(0), crossing.down.unwrap_or(0));
        let segment = |between: Option<u32>, first, end, length: u64| {
            between.map(|between| Segment { first, between, end: Some(end), length })
        };
        let to_right =
            segment(crossing.right, vertex + 1, next, self.length([column, row], [column + 1, row]));
        let to_below =
            segment(crossing.down, vertex + 1 + right, below, self.length([column, row], [column, row + 1]));
        let dead_end = (crossing.dead_end > 0).then(|| Segment {
            first: vertex + 1 + right + down,
            between: crossing.dead_end,
            end: None,
            length: SPACING / 4 * u64::from(crossing.dead_end),
        });
        let segments = [to_right, to_below, dead_end];
        let mut first_steps: Vec<Edge> =
            segments.iter().flatten().map(|segment| segment.first_step(vertex)).collect();
        first_steps.sort_unstable_by_key(|edge| edge.target);
        first_steps.into_iter().for_each(&mut *visit);
        segments.iter().flatten().for_each(|segment| segment.further_steps(&mut *visit));
    }

    /// Returns the length of the road between two neighbours: the distance between their locations, plus a random part
    /// for winding.
    fn length(self, [column, row]: [u32; 2], [other_column, other_row]: [u32; 2]) -> u64 {
        let (here, there) = (self.place(column, row), self.place(other_column, other_row));
        let distance = (here[0].abs_diff(there[0]).pow(2) + here[1].abs_diff(there[1]).pow(2)).isqrt();
        let [to_right, down, ..] = self.random(column, row, Purpose::Winding).to_le_bytes();
        let winding = if column == other_column { down } else { to_right };
        distance + distance * u64::from(winding) / 512
    }

    /// Returns the location of a crossing.
    fn place(self, column: u32, row: u32) -> [u64; 2] {
        let random = self.random(column, row, Purpose::Place);
        let moved = |at: u32, random: u64| (u64::from(at) + 1) * SPACING + random % (SPACING / 2);
        [moved(column, random), moved(row, random >> 32)]
    }
}

/// A road through `between` vertices of degree 2, from a crossing to another or to a dead end.
struct Segment {
    first: u32,
    between: u32,
    end: Option<u32>,
    length: u64,
}

impl Segment {
    fn edges(&self) -> u32 {
        self.between + u32::from(self.end.is_some())
    }

    /// Returns the target of edge `number`.
    fn target(&self, number: u32) -> u32 {
        self.end.filter(|_| number == self.between).unwrap_or(self.first + number)
    }

    /// Returns edge `number` with an equal share of the length. The lengths are integers, and those of all edges add up
    /// to the length of the segment.
    fn edge(&self, source: u32, number: u32) -> Edge {
        let until = |number: u32| self.length * u64::from(number) / u64::from(self.edges());
        let length = (until(number + 1) - until(number)).max(1) as u32;
        Edge { source, target: self.target(number), length }
    }

    fn first_step(&self, crossing: u32) -> Edge {
        self.edge(crossing, 0)
    }

    fn further_steps(&self, visit: impl FnMut(Edge)) {
        (1..self.edges()).map(|number| self.edge(self.first + number - 1, number)).for_each(visit);
    }
}

/// Returns the number of vertices on a road between crossings: mostly none, sometimes a few, rarely many.
fn between(random: u64) -> u32 {
    match random.to_le_bytes()[0] {
        ..STRAIGHT_OF_256 => 0,
        STRAIGHT_OF_256..LONG_FROM_OF_256 => a_few(random),
        LONG_FROM_OF_256.. => 8 + (random >> 32) as u32 % 24,
    }
}

/// Returns a random number of at least 1. Each number is half as likely as the number before it.
fn a_few(random: u64) -> u32 {
    1 + (random >> 8).trailing_ones().min(30)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::road;

    fn degrees(list: &EdgeList) -> Vec<u32> {
        let mut degrees = vec![0; list.num_vertices() as usize];
        list.sources().iter().chain(list.targets()).for_each(|&end| degrees[end as usize] += 1);
        degrees
    }

    #[test]
    fn degrees_like_roads() {
        let list = road(200, 150, false, 1).unwrap();
        let degrees = degrees(&list);
        let vertices = degrees.len() as f64;
        let part = |wanted: u32| degrees.iter().filter(|&&degree| degree == wanted).count() as f64 / vertices;
        let mean = f64::from(degrees.iter().sum::<u32>()) / vertices;
        assert!((2.35..2.5).contains(&mean), "{mean}");
        assert!((0.4..0.6).contains(&part(2)) && (0.05..0.25).contains(&part(1)), "{} {}", part(2), part(1));
        assert!(degrees.iter().all(|degree| (1..=5).contains(degree)));
        assert!((55_000..70_000).contains(&degrees.len()), "{}", degrees.len());
    }

    #[test]
    fn sorted_simple_and_connected() {
        let list = road(23, 17, false, 5).unwrap();
        let edges: Vec<(u32, u32)> =
            list.sources().iter().copied().zip(list.targets().iter().copied()).collect();
        assert!(edges.is_sorted_by(|a, b| a < b) && edges.iter().all(|(u, v)| u < v));
        // For each vertex, the smallest vertex to which it is known to be connected. This is updated until nothing
        // changes.
        let mut smallest: Vec<u32> = (0..list.num_vertices()).collect();
        loop {
            let before = smallest.clone();
            for &(u, v) in &edges {
                let least = smallest[u as usize].min(smallest[v as usize]);
                (smallest[u as usize], smallest[v as usize]) = (least, least);
            }
            if smallest == before {
                break;
            }
        }
        assert!(smallest.iter().all(|&vertex| vertex == 0));
    }

    #[test]
    fn lengths_are_those_of_ways() {
        let (with, without) = (road(40, 30, true, 2).unwrap(), road(40, 30, false, 2).unwrap());
        assert_eq!((with.sources(), with.targets()), (without.sources(), without.targets()));
        let Some(Weights::U32(lengths)) = with.weights() else { panic!("{:?}", with.weights()) };
        assert!(lengths.iter().all(|length| (1..3000).contains(length)));
        let mean = lengths.iter().map(|&length| f64::from(length)).sum::<f64>() / lengths.len() as f64;
        assert!((500.0..1000.0).contains(&mean), "{mean}");
    }

    #[test]
    fn thin_and_empty_maps() {
        assert_eq!(road(0, 5, true, 0).unwrap().num_vertices(), 0);
        assert_eq!(road(5, 0, false, 0).unwrap().num_vertices(), 0);
        for (width, height) in [(1, 1), (50, 1), (1, 50)] {
            let list = road(width, height, false, 3).unwrap();
            // The graph is a tree.
            assert_eq!(list.sources().len() + 1, list.num_vertices() as usize);
        }
        assert!(matches!(road(1 << 16, 1 << 16, false, 0), Err(GenerateError::TooManyVertices { .. })));
    }
}

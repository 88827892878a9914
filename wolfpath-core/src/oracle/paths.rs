//! Best paths with a heap: Dijkstra's algorithm, for shortest paths (least sum of weights) and widest paths (largest
//! bottleneck).
//!
//! Both variants process vertices in the order of their final values, best first. This is correct only if following an
//! edge never improves a value. For sums, weights must therefore not be negative. In floats, the sum along a path is
//! rounded at each edge. The correct answer is the least of these rounded sums over all paths. Because rounding
//! preserves order, Dijkstra's algorithm in `f32` finds exactly this answer.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::graph::Rows;

/// A number type for the values of paths. Sums of integers saturate; use `u128` if sums may exceed 64 bits.
///
/// ```
/// use wolfpath::oracle::PathNumber;
///
/// assert_eq!(3u32.plus(u32::MAX), u32::MAX, "integers saturate");
/// assert!((-0.0f64).order(&0.0).is_lt());
/// ```
pub trait PathNumber: Copy + PartialOrd {
    /// Returns the value at the target of an edge with this weight.
    ///
    /// ```
    /// # use wolfpath::oracle::PathNumber;
    /// assert_eq!(1.5f32.plus(2.0), 3.5);
    /// ```
    fn plus(self, weight: Self) -> Self;
    /// Compares two values, to choose the best. -0.0 is below +0.0.
    ///
    /// ```
    /// # use wolfpath::oracle::PathNumber;
    /// assert!(2u64.order(&3).is_lt());
    /// ```
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! integer {
    ($($type:ident)*) => {$(
        impl PathNumber for $type {
            fn plus(self, weight: $type) -> $type {
                self.saturating_add(weight)
            }
            fn order(&self, other: &$type) -> Ordering {
                self.cmp(other)
            }
        }
    )*};
}

macro_rules! float {
    ($($type:ident)*) => {$(
        impl PathNumber for $type {
            fn plus(self, weight: $type) -> $type {
                self + weight
            }
            fn order(&self, other: &$type) -> Ordering {
                self.total_cmp(other)
            }
        }
    )*};
}

integer!(u32 i32 u64 i64 u128);
float!(f32 f64);

/// Returns, for every vertex, the least sum of weights over all paths from the sources, which start with the given
/// values. `weights` are in the order of the edges of `rows` and must not be negative.
///
/// ```
/// use wolfpath::graph::Direction;
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10u32), (17, 6, 1), (6, 5, 2)])?;
/// let weights = graph.weights_as::<u32>(Direction::Out, false)?;
/// let source = graph.vertex_of(17).expect("17 is a vertex");
/// let distances = oracle::shortest(graph.out_edges(), &weights, &[(source, 0)]);
/// assert_eq!(oracle::by_id(&graph, &distances), [(5, Some(3)), (6, Some(1)), (17, Some(0))]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn shortest<N: PathNumber>(rows: Rows<'_>, weights: &[N], sources: &[(u32, N)]) -> Vec<Option<N>> {
    best(rows, sources, None, |value, edge| value.plus(weights[edge]), |a, b| b.order(a)).values
}

/// The result of [`shortest_to`].
///
/// ```
/// use wolfpath::graph::Rows;
/// use wolfpath::oracle::{ShortestTo, shortest_to};
///
/// // 0 -> 1 -> 2
/// let rows = Rows { offsets: &[0, 1, 2, 2], ends: &[1, 2] };
/// let ShortestTo { distance, edges, .. } = shortest_to(rows, &[4u32, 3], &[(0, 0)], 1);
/// assert_eq!((distance, edges), (Some(4), 1), "the edge 1 -> 2 is not read");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShortestTo<N> {
    /// The distance of the target; `None` if no source reaches it.
    pub distance: Option<N>,
    /// Number of edges read: the out-edges of all vertices that were processed before the target.
    pub edges: u64,
}

/// Returns the least sum of weights over all paths from the sources to `target`, and the number of edges read until it
/// was known. Sources start with the given values. `weights` are in the order of the edges of `rows` and must not be
/// negative.
///
/// The search processes every vertex that is nearer than the target, and may process vertices at the same distance. If
/// no source reaches the target, it processes every vertex that a source reaches.
///
/// ```
/// use wolfpath::graph::Direction;
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10u32), (17, 6, 1), (6, 5, 2), (5, 8, 1)])?;
/// let weights = graph.weights_as::<u32>(Direction::Out, false)?;
/// let [source, target] = [17, 5].map(|id| graph.vertex_of(id).expect("17 and 5 are vertices"));
/// let answer = oracle::shortest_to(graph.out_edges(), &weights, &[(source, 0)], target);
/// assert_eq!((answer.distance, answer.edges), (Some(3), 3));
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn shortest_to<N: PathNumber>(
    rows: Rows<'_>,
    weights: &[N],
    sources: &[(u32, N)],
    target: u32,
) -> ShortestTo<N> {
    let along = |value: N, edge: usize| value.plus(weights[edge]);
    let best = best(rows, sources, Some(target), along, |a, b| b.order(a));
    ShortestTo { distance: best.values[target as usize], edges: best.edges }
}

/// Returns, for every vertex, the largest bottleneck over all paths from the sources, which start with the given
/// values. The bottleneck of a path is the smallest of its capacities and its source's value.
///
/// ```
/// use wolfpath::graph::Direction;
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10u32), (17, 6, 1), (6, 5, 2)])?;
/// let weights = graph.weights_as::<u32>(Direction::Out, false)?;
/// let source = graph.vertex_of(17).expect("17 is a vertex");
/// let widths = oracle::widest(graph.out_edges(), &weights, &[(source, u32::MAX)]);
/// assert_eq!(oracle::by_id(&graph, &widths), [(5, Some(10)), (6, Some(1)), (17, Some(u32::MAX))]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn widest<N: PathNumber>(rows: Rows<'_>, capacities: &[N], sources: &[(u32, N)]) -> Vec<Option<N>> {
    let narrower = |a: N, b: N| if b.order(&a).is_lt() { b } else { a };
    best(rows, sources, None, |width, edge| narrower(width, capacities[edge]), N::order).values
}

/// The best values of the vertices that were processed, and the number of edges read.
struct Best<N> {
    values: Vec<Option<N>>,
    edges: u64,
}

/// Computes the best value of every vertex, or only until that of `target` is known. `better` returns `Greater` if its
/// first argument is better.
fn best<N: PathNumber>(
    rows: Rows<'_>,
    sources: &[(u32, N)],
    target: Option<u32>,
    along: impl Fn(N, usize) -> N,
    better: impl Fn(&N, &N) -> Ordering + Copy,
) -> Best<N> {
    let mut values: Vec<Option<N>> = vec![None; rows.num_vertices() as usize];
    let mut edges = 0;
    let mut heap: BinaryHeap<Offer<N, _>> =
        sources.iter().map(|&(v, value)| Offer { v, value, better }).collect();
    while let Some(Offer { v, value, .. }) = heap.pop() {
        if values[v as usize].is_some() {
            continue;
        }
        values[v as usize] = Some(value);
        if target == Some(v) {
            break;
        }
        edges += rows.degree(v);
        for edge in rows.range(v) {
            let end = rows.ends[edge];
            if values[end as usize].is_none() {
                heap.push(Offer { v: end, value: along(value, edge), better });
            }
        }
    }
    Best { values, edges }
}

/// A value offered to a vertex. The greatest offer is the best.
struct Offer<N, F> {
    v: u32,
    value: N,
    better: F,
}

impl<N, F: Fn(&N, &N) -> Ordering> Ord for Offer<N, F> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.better)(&self.value, &other.value)
    }
}

impl<N, F: Fn(&N, &N) -> Ordering> PartialOrd for Offer<N, F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<N, F: Fn(&N, &N) -> Ordering> PartialEq for Offer<N, F> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<N, F: Fn(&N, &N) -> Ordering> Eq for Offer<N, F> {}

#[cfg(test)]
mod tests {
    use super::super::small_graphs::{Stored, random_edges};
    use super::*;
    use crate::random::{below, hash};

    // 0 -> 1 of weight 10, 0 -> 2 of weight 1, 2 -> 1 of weight 1, and the isolated vertex 3.
    const ROWS: Rows<'_> = Rows { offsets: &[0, 2, 2, 3, 3], ends: &[1, 2, 1] };

    #[test]
    fn shortest_takes_the_detour() {
        assert_eq!(shortest(ROWS, &[10u64, 1, 1], &[(0, 0)]), [Some(0), Some(2), Some(1), None]);
        assert_eq!(
            shortest(ROWS, &[10.0f32, 1.0, 1.0], &[(0, 0.5)]),
            [Some(0.5), Some(2.5), Some(1.5), None]
        );
        assert_eq!(shortest(ROWS, &[1u32, 1, 1], &[(0, u32::MAX)])[1], Some(u32::MAX));
    }

    #[test]
    fn best_of_several_sources() {
        assert_eq!(
            shortest(ROWS, &[10u64, 1, 1], &[(0, 5), (2, 3), (0, 1)]),
            [Some(1), Some(3), Some(2), None]
        );
    }

    #[test]
    fn widest_takes_the_largest_bottleneck() {
        let width = widest(ROWS, &[3.0f64, 7.0, 5.0], &[(0, f64::INFINITY)]);
        assert_eq!(width, [Some(f64::INFINITY), Some(5.0), Some(7.0), None]);
    }

    #[test]
    fn a_target_ends_the_search() {
        let to = |target| shortest_to(ROWS, &[10u64, 1, 1], &[(0, 0)], target);
        assert_eq!(to(0), ShortestTo { distance: Some(0), edges: 0 });
        assert_eq!(to(2), ShortestTo { distance: Some(1), edges: 2 });
        assert_eq!(to(1), ShortestTo { distance: Some(2), edges: 3 });
        assert_eq!(to(3), ShortestTo { distance: None, edges: 3 });
    }

    #[test]
    fn distances_satisfy_their_definition_on_random_graphs() {
        const VERTICES: u32 = 10;
        for seed in 0..100 {
            let mut edges = random_edges(VERTICES, seed as usize % 30, seed);
            edges.sort_unstable();
            let weight = |number: usize| u64::from(below(9, hash(seed, 1000 + number as u64)));
            let weights: Vec<u64> = (0..edges.len()).map(weight).collect();
            // Paths of ever more edges, by the algorithm of Bellman and Ford.
            let mut expected = vec![None; VERTICES as usize];
            expected[0] = Some(3);
            for _ in 0..VERTICES {
                for (&(u, v), weight) in edges.iter().zip(&weights) {
                    let offers =
                        [expected[u as usize].map(|value: u64| value + weight), expected[v as usize]];
                    expected[v as usize] = offers.into_iter().flatten().min();
                }
            }
            let graph = Stored::new(VERTICES, &edges);
            assert_eq!(shortest(graph.rows(), &weights, &[(0, 3)]), expected, "{edges:?}");
            for target in 0..VERTICES {
                let answer = shortest_to(graph.rows(), &weights, &[(0, 3)], target);
                assert_eq!(answer.distance, expected[target as usize], "{edges:?}");
                let read = |bound: fn(&u64, &u64) -> bool| {
                    let distance = answer.distance.unwrap_or(u64::MAX);
                    let near = |u: u32| expected[u as usize].is_some_and(|value| bound(&value, &distance));
                    edges.iter().filter(|&&(u, _)| near(u)).count() as u64
                };
                assert!((read(u64::lt)..=read(u64::le)).contains(&answer.edges), "{edges:?}");
            }
        }
    }
}

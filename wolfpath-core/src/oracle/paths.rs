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
    best(rows, sources, |value, edge| value.plus(weights[edge]), |a, b| b.order(a))
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
    best(rows, sources, |width, edge| narrower(width, capacities[edge]), N::order)
}

/// Returns the best value of every vertex. `better` returns `Greater` if its first argument is better.
fn best<N: PathNumber>(
    rows: Rows<'_>,
    sources: &[(u32, N)],
    along: impl Fn(N, usize) -> N,
    better: impl Fn(&N, &N) -> Ordering + Copy,
) -> Vec<Option<N>> {
    let mut values: Vec<Option<N>> = vec![None; rows.num_vertices() as usize];
    let mut heap: BinaryHeap<Offer<N, _>> =
        sources.iter().map(|&(v, value)| Offer { v, value, better }).collect();
    while let Some(Offer { v, value, .. }) = heap.pop() {
        if values[v as usize].is_some() {
            continue;
        }
        values[v as usize] = Some(value);
        for edge in rows.range(v) {
            let end = rows.ends[edge];
            if values[end as usize].is_none() {
                heap.push(Offer { v: end, value: along(value, edge), better });
            }
        }
    }
    values
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
    use super::*;

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
}

//! Triangles and clustering coefficients, by marking the neighbours of one vertex after the other.

use crate::graph::Rows;

/// Returns, for every vertex, its local clustering coefficient: the fraction of possible edges between its neighbours
/// that exist.
///
/// This is the LCC of LDBC Graphalytics (Iosup et al. 2016), after Watts and Strogatz (1998). The neighbours are the
/// *k* distinct vertices adjacent in either direction, except the vertex itself. The number of directed edges between
/// them is divided by *k* (*k* - 1); with fewer than two neighbours, the coefficient is 0. Self-loops are ignored, and
/// parallel edges count as one. For an undirected graph, both rows are the same.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (1, 4)])?;
/// let coefficients = oracle::clustering(graph.out_edges(), graph.in_edges()?);
/// assert_eq!(oracle::by_id(&graph, &coefficients), [(1, 1.0 / 6.0), (2, 0.5), (3, 0.5), (4, 0.0)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn clustering(out_rows: Rows<'_>, in_rows: Rows<'_>) -> Vec<f64> {
    let vertices = 0..out_rows.num_vertices();
    let targets: Vec<Vec<u32>> = vertices.clone().map(|v| distinct_others(v, &[out_rows])).collect();
    let mut marked = vec![false; targets.len()];
    vertices
        .map(|vertex| {
            let neighbours = distinct_others(vertex, &[out_rows, in_rows]);
            let edges = count_marked(&neighbours, &targets, &mut marked);
            match neighbours.len() as u64 {
                0 | 1 => 0.0,
                k => edges as f64 / (k * (k - 1)) as f64,
            }
        })
        .collect()
}

/// Returns the number of triangles: sets of three vertices of which each two are adjacent, in either direction.
///
/// Self-loops are ignored, and parallel edges count as one. For an undirected graph, both rows are the same. Each edge
/// is followed only from the endpoint of smaller degree, so that vertices of large degree cost little (Schank and
/// Wagner 2005).
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (1, 4), (4, 2)])?;
/// assert_eq!(oracle::triangles(graph.out_edges(), graph.in_edges()?), 2);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn triangles(out_rows: Rows<'_>, in_rows: Rows<'_>) -> u64 {
    let vertices = 0..out_rows.num_vertices();
    let neighbours: Vec<Vec<u32>> = vertices.map(|v| distinct_others(v, &[out_rows, in_rows])).collect();
    let rank = |vertex: u32| (neighbours[vertex as usize].len(), vertex);
    let later = |(vertex, ends): (u32, &Vec<u32>)| -> Vec<u32> {
        ends.iter().copied().filter(|&end| rank(vertex) < rank(end)).collect()
    };
    let later: Vec<Vec<u32>> = (0..).zip(&neighbours).map(later).collect();
    let mut marked = vec![false; later.len()];
    later.iter().map(|ends| count_marked(ends, &later, &mut marked)).sum()
}

/// Returns the distinct vertices other than `vertex` in its rows.
pub(super) fn distinct_others(vertex: u32, rows: &[Rows<'_>]) -> Vec<u32> {
    let mut ends: Vec<u32> = rows.iter().flat_map(|rows| rows.row(vertex)).copied().collect();
    ends.sort_unstable();
    ends.dedup();
    ends.retain(|&end| end != vertex);
    ends
}

/// Counts the edges of `targets` whose endpoints are both in `set`. `marked` has one element per vertex, all `false`
/// before and after the call.
fn count_marked(set: &[u32], targets: &[Vec<u32>], marked: &mut [bool]) -> u64 {
    set.iter().for_each(|&vertex| marked[vertex as usize] = true);
    let edges = set.iter().flat_map(|&vertex| &targets[vertex as usize]);
    let inside = edges.filter(|&&end| marked[end as usize]).count() as u64;
    set.iter().for_each(|&vertex| marked[vertex as usize] = false);
    inside
}

#[cfg(test)]
mod tests {
    use super::super::small_graphs::{Stored, both_ways, random_edges, reversed};
    use super::*;

    fn both(vertices: u32, edges: &[(u32, u32)]) -> (Vec<f64>, u64) {
        let (out, back) = (Stored::new(vertices, edges), Stored::new(vertices, &reversed(edges)));
        (clustering(out.rows(), back.rows()), triangles(out.rows(), back.rows()))
    }

    #[test]
    fn a_square_with_a_diagonal() {
        let edges = both_ways(&[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]);
        assert_eq!(both(5, &edges), (vec![2.0 / 3.0, 1.0, 2.0 / 3.0, 1.0, 0.0], 2));
        assert_eq!(both(0, &[]), (vec![], 0));
    }

    #[test]
    fn directions_count_among_neighbours_only() {
        // 0 has the neighbours 1, 2 and 3; of six possible edges between them, 1 -> 2 and 2 -> 1 exist.
        let edges = [(0, 1), (2, 0), (0, 3), (3, 0), (1, 2), (2, 1)];
        assert_eq!(both(4, &edges), (vec![2.0 / 6.0, 0.5, 0.5, 0.0], 1));
    }

    #[test]
    fn self_loops_and_parallel_edges_make_no_difference() {
        let edges = [(0, 1), (0, 1), (1, 2), (1, 2), (2, 0), (0, 0), (1, 1)];
        assert_eq!(both(3, &edges), (vec![0.5; 3], 1));
    }

    #[test]
    fn as_counted_over_all_pairs_and_triples() {
        const VERTICES: u32 = 9;
        for seed in 0..100 {
            let edges = random_edges(VERTICES, seed as usize % 40, seed);
            let edge = |u: u32, v: u32| u != v && edges.contains(&(u, v));
            let adjacent = |u, v| edge(u, v) || edge(v, u);
            let coefficient = |vertex| {
                let neighbours: Vec<u32> = (0..VERTICES).filter(|&end| adjacent(vertex, end)).collect();
                let pairs = neighbours.iter().flat_map(|&u| neighbours.iter().map(move |&v| (u, v)));
                let found = pairs.filter(|&(u, v)| edge(u, v)).count();
                let possible = neighbours.len() * neighbours.len().saturating_sub(1);
                if possible == 0 { 0.0 } else { found as f64 / possible as f64 }
            };
            let triangle = |u, v, w| u64::from(adjacent(u, v) && adjacent(v, w) && adjacent(u, w));
            let triples =
                (0..VERTICES).flat_map(|u| (0..u).flat_map(move |v| (0..v).map(move |w| (u, v, w))));
            let count = triples.map(|(u, v, w)| triangle(u, v, w)).sum();
            assert_eq!(
                both(VERTICES, &edges),
                ((0..VERTICES).map(coefficient).collect(), count),
                "{edges:?}"
            );
        }
    }
}

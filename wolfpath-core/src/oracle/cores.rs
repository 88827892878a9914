//! Core numbers by peeling: vertices are removed in the order of their remaining degrees.

use super::clustering::distinct_others;
use crate::graph::Rows;

/// Returns, for every vertex, its core number: the largest *k* such that the vertex belongs to a subgraph in which
/// every vertex has at least *k* edges.
///
/// The rows must contain both directions of every edge, as those of an undirected graph do. Every stored edge counts,
/// as in a program that sums one per edge, so *n* parallel edges add *n* to the degrees of both endpoints; self-loops
/// are ignored. To count distinct neighbours instead, drop duplicates before layering
/// ([`EdgeList::without_duplicates`](crate::edge_list::EdgeList::without_duplicates)).
///
/// The algorithm is that of Batagelj and Zaversnik (2003), in linear time. Here each bucket is a list: a vertex whose
/// degree decreases is added to another bucket, and its entry in the old bucket is skipped.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// // A triangle with a tail.
/// let edges = EdgeList::from_edges([(1, 2), (2, 3), (3, 1), (3, 4)])?.undirected();
/// let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
/// let cores = oracle::core_numbers(graph.out_edges());
/// assert_eq!(oracle::by_id(&graph, &cores), [(1, 2), (2, 2), (3, 2), (4, 1)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn core_numbers(rows: Rows<'_>) -> Vec<u64> {
    let others = |vertex: u32| rows.row(vertex).iter().copied().filter(move |&end| end != vertex).collect();
    peeled(&(0..rows.num_vertices()).map(others).collect::<Vec<_>>())
}

/// Returns, for every vertex, its core number: the largest *k* such that the vertex belongs to a subgraph in which every vertex
/// has at least *k* neighbours, as [`programs::CoreNumbers`](https://docs.rs/wolfpath/latest/wolfpath/programs) computes it.
///
/// Neighbours are the distinct vertices that are adjacent in either direction, except the vertex itself.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// // A triangle with a tail, some edges of which are there twice.
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (2, 3), (3, 1), (3, 4), (3, 4), (4, 4)])?;
/// let cores = oracle::core_numbers_of_neighbours(graph.out_edges(), graph.in_edges()?);
/// assert_eq!(oracle::by_id(&graph, &cores), [(1, 2), (2, 2), (3, 2), (4, 1)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn core_numbers_of_neighbours(out_rows: Rows<'_>, in_rows: Rows<'_>) -> Vec<u64> {
    let neighbours = |vertex| distinct_others(vertex, &[out_rows, in_rows]);
    peeled(&(0..out_rows.num_vertices()).map(neighbours).collect::<Vec<_>>())
}

/// Returns the core number of every vertex, given the other ends of its edges.
fn peeled(others: &[Vec<u32>]) -> Vec<u64> {
    let mut degrees: Vec<u64> = others.iter().map(|ends| ends.len() as u64).collect();
    let buckets = degrees.iter().max().map_or(0, |&most| most as usize + 1);
    let mut buckets = vec![Vec::new(); buckets];
    for (vertex, &degree) in (0u32..).zip(&degrees) {
        buckets[degree as usize].push(vertex);
    }
    for core in 0..buckets.len() {
        while let Some(vertex) = buckets[core].pop() {
            if degrees[vertex as usize] != core as u64 {
                continue;
            }
            // From now on the degree of `vertex` is its core number: it does not exceed `core`, so it never decreases.
            for &end in &others[vertex as usize] {
                let degree = &mut degrees[end as usize];
                if *degree > core as u64 {
                    *degree -= 1;
                    buckets[*degree as usize].push(end);
                }
            }
        }
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::super::small_graphs::{Stored, both_ways, random_edges};
    use super::*;

    fn cores(vertices: u32, edges: &[(u32, u32)]) -> Vec<u64> {
        core_numbers(Stored::new(vertices, &both_ways(edges)).rows())
    }

    #[test]
    fn a_clique_with_a_tail() {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5)];
        assert_eq!(cores(7, &edges), [3, 3, 3, 3, 1, 1, 0]);
        assert_eq!(cores(0, &[]), []);
    }

    #[test]
    fn parallel_edges_count_and_self_loops_do_not() {
        assert_eq!(cores(3, &[(0, 1), (0, 1), (1, 2)]), [2, 2, 1]);
        assert_eq!(cores(2, &[(0, 0), (0, 0), (0, 1), (1, 1)]), [1, 1]);
    }

    #[test]
    fn the_largest_least_degree_of_all_subgraphs() {
        for seed in 0..100 {
            let (vertices, edges) = (8, random_edges(8, 3 * seed as usize % 40, seed));
            let degree_in = |set: u32, vertex: u32| {
                let ends = edges.iter().filter(|(u, v)| u != v && (*u == vertex || *v == vertex));
                ends.filter(|(u, v)| set >> u & set >> v & 1 == 1).count() as u64
            };
            let least_degree = |set: u32| {
                (0..vertices).filter(|v| set >> v & 1 == 1).map(|vertex| degree_in(set, vertex)).min()
            };
            let subgraphs: Vec<_> = (0..1 << vertices).map(|set: u32| (set, least_degree(set))).collect();
            let expected: Vec<u64> = (0..vertices)
                .map(|vertex| {
                    let with = subgraphs.iter().filter(|(set, _)| set >> vertex & 1 == 1);
                    with.filter_map(|(_, degree)| *degree).max().unwrap()
                })
                .collect();
            assert_eq!(cores(vertices, &edges), expected, "{edges:?}");
        }
    }
}

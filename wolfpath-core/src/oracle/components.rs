//! Connected components by union-find.

use crate::graph::{LayeredGraph, Rows};

/// Returns, for every vertex, the smallest label in its component. Edge directions are ignored.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (8, 9)])?;
/// let labels: Vec<u64> = graph.ids().iter().map(|id| 100 + id).collect();
/// let smallest = oracle::components(graph.out_edges(), &labels);
/// assert_eq!(oracle::by_id(&graph, &smallest), [(1, 101), (2, 101), (8, 108), (9, 108)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn components(rows: Rows<'_>, labels: &[u64]) -> Vec<u64> {
    let mut parents: Vec<u32> = (0..rows.num_vertices()).collect();
    for vertex in 0..rows.num_vertices() {
        for &end in rows.row(vertex) {
            let (a, b) = (find(&mut parents, vertex), find(&mut parents, end));
            parents[a as usize] = b;
        }
    }
    let mut smallest = labels.to_vec();
    for vertex in 0..rows.num_vertices() {
        let head = find(&mut parents, vertex) as usize;
        smallest[head] = smallest[head].min(labels[vertex as usize]);
    }
    (0..rows.num_vertices()).map(|vertex| smallest[find(&mut parents, vertex) as usize]).collect()
}

/// Returns, for every vertex of a graph, the smallest id in its component.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (9, 8)])?;
/// let smallest = oracle::smallest_ids(&graph);
/// assert_eq!(oracle::by_id(&graph, &smallest), [(1, 1), (2, 1), (8, 8), (9, 8)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn smallest_ids(graph: &LayeredGraph) -> Vec<u64> {
    components(graph.out_edges(), graph.ids())
}

/// Returns the head (the representative) of a vertex's set. Shortens the path to the head on the way (path halving).
fn find(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        parents[vertex as usize] = parents[parents[vertex as usize] as usize];
        vertex = parents[vertex as usize];
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_do_not_matter() {
        let rows = Rows { offsets: &[0, 1, 2, 2, 3, 3], ends: &[2, 2, 3] };
        assert_eq!(components(rows, &[50, 40, 30, 20, 10]), [30, 30, 30, 20, 10]);
    }
}

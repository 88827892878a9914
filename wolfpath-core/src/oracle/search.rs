//! Breadth-first search with a queue.

use std::collections::VecDeque;

use crate::graph::Rows;

/// Returns, for every vertex, the number of hops from the nearest source; `None` if no source reaches it.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(17, 5), (5, 6), (8, 17)])?;
/// let source = graph.vertex_of(5).expect("5 is a vertex");
/// let hops = oracle::hops(graph.out_edges(), &[source]);
/// assert_eq!(oracle::by_id(&graph, &hops), [(5, Some(0)), (6, Some(1)), (8, None), (17, None)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn hops(rows: Rows<'_>, sources: &[u32]) -> Vec<Option<u64>> {
    let mut hops = vec![None; rows.num_vertices() as usize];
    let mut queue = VecDeque::new();
    for &source in sources {
        if hops[source as usize].is_none() {
            hops[source as usize] = Some(0);
            queue.push_back((source, 0));
        }
    }
    while let Some((vertex, depth)) = queue.pop_front() {
        for &end in rows.row(vertex) {
            if hops[end as usize].is_none() {
                hops[end as usize] = Some(depth + 1);
                queue.push_back((end, depth + 1));
            }
        }
    }
    hops
}

/// Returns, for every vertex, `true` if a source reaches it. Sources reach themselves.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(17, 5), (8, 17)])?;
/// let source = graph.vertex_of(17).expect("17 is a vertex");
/// let reached = oracle::reach(graph.out_edges(), &[source]);
/// assert_eq!(oracle::by_id(&graph, &reached), [(5, true), (8, false), (17, true)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn reach(rows: Rows<'_>, sources: &[u32]) -> Vec<bool> {
    hops(rows, sources).into_iter().map(|hops| hops.is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_source_counts() {
        let rows = Rows { offsets: &[0, 1, 2, 3, 3, 3], ends: &[1, 2, 3] };
        assert_eq!(hops(rows, &[0]), [Some(0), Some(1), Some(2), Some(3), None]);
        assert_eq!(hops(rows, &[0, 2, 2]), [Some(0), Some(1), Some(0), Some(1), None]);
        assert_eq!(reach(rows, &[2]), [false, false, true, true, false]);
    }
}

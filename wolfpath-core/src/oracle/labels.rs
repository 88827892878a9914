//! Communities by label propagation.

use crate::graph::Rows;

/// Returns, for every vertex, its label after `steps` synchronous steps of label propagation: in each step, every
/// vertex takes the most frequent label among its neighbours. Ties go to the smallest label.
///
/// This is community detection by label propagation (CDLP) of LDBC Graphalytics (Iosup et al. 2016), a deterministic
/// variant of the algorithm of Raghavan, Albert and Kumara (2007). `labels` are the labels before the first step; the
/// benchmark uses the ids. A vertex without edges keeps its label.
///
/// In a directed graph, labels travel along out-edges and in-edges: a neighbour in both directions counts twice. In an
/// undirected graph, both rows are the same, so every label counts twice, which does not change the most frequent one.
/// Parallel edges count separately. A self-loop counts the vertex's own label.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (3, 4)])?;
/// let labels = oracle::labels_by_majority(graph.out_edges(), graph.in_edges()?, graph.ids(), 1);
/// assert_eq!(oracle::by_id(&graph, &labels), [(1, 2), (2, 1), (3, 1), (4, 3)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn labels_by_majority(out_rows: Rows<'_>, in_rows: Rows<'_>, labels: &[u64], steps: u64) -> Vec<u64> {
    let mut labels = labels.to_vec();
    for _ in 0..steps {
        labels = (0..out_rows.num_vertices())
            .map(|vertex| {
                let ends = out_rows.row(vertex).iter().chain(in_rows.row(vertex));
                let received = ends.map(|&end| labels[end as usize]).collect();
                most_frequent(received).unwrap_or(labels[vertex as usize])
            })
            .collect();
    }
    labels
}

/// Returns the most frequent label; of equally frequent ones, the smallest.
fn most_frequent(mut labels: Vec<u64>) -> Option<u64> {
    labels.sort_unstable();
    // `max_by_key` returns the last of several maxima.
    labels.chunk_by(|a, b| a == b).rev().max_by_key(|equal| equal.len()).map(|equal| equal[0])
}

#[cfg(test)]
mod tests {
    use super::super::small_graphs::{Stored, both_ways, random_edges, reversed};
    use super::*;

    fn labels(edges: &[(u32, u32)], labels: &[u64], steps: u64) -> Vec<u64> {
        let vertices = labels.len() as u32;
        let (out, back) = (Stored::new(vertices, edges), Stored::new(vertices, &reversed(edges)));
        labels_by_majority(out.rows(), back.rows(), labels, steps)
    }

    #[test]
    fn ties_and_isolated_vertices() {
        let path = [(0, 1), (1, 2)];
        assert_eq!(labels(&path, &[5, 7, 3, 9], 0), [5, 7, 3, 9]);
        assert_eq!(labels(&path, &[5, 7, 3, 9], 1), [7, 3, 7, 9]);
        assert_eq!(labels(&path, &[5, 7, 3, 9], 2), [3, 7, 3, 9]);
    }

    #[test]
    fn both_directions_and_parallel_edges_count_separately() {
        assert_eq!(labels(&[(0, 1), (2, 0)], &[9, 2, 1], 1)[0], 1);
        assert_eq!(labels(&[(0, 1), (1, 0), (2, 0)], &[9, 2, 1], 1)[0], 2);
        assert_eq!(labels(&[(0, 1), (0, 1), (2, 0)], &[9, 2, 1], 1)[0], 2);
        assert_eq!(labels(&[(0, 0), (0, 1)], &[9, 2], 1)[0], 9);
    }

    #[test]
    fn rows_of_an_undirected_graph_may_be_given_once_or_twice() {
        for seed in 0..20 {
            let edges = both_ways(&random_edges(9, 12, seed));
            let (graph, none) = (Stored::new(9, &edges), Stored::new(9, &[]));
            let ids: Vec<u64> = (0..9).collect();
            let once = labels_by_majority(graph.rows(), none.rows(), &ids, 5);
            assert_eq!(labels_by_majority(graph.rows(), graph.rows(), &ids, 5), once, "{edges:?}");
        }
    }

    #[test]
    fn as_counted_over_all_edges() {
        for seed in 0..100 {
            let edges = random_edges(8, seed as usize % 20, seed);
            let mut expected: Vec<u64> = (0..8).map(|vertex| 100 - vertex).collect();
            let first = expected.clone();
            for steps in 1..6 {
                expected = (0..8)
                    .map(|vertex: u32| {
                        let votes = |label: u64| -> usize {
                            let vote = |from: u32, to: u32| to == vertex && expected[from as usize] == label;
                            edges
                                .iter()
                                .map(|&(u, v)| usize::from(vote(u, v)) + usize::from(vote(v, u)))
                                .sum()
                        };
                        let mut best = (0, expected[vertex as usize]);
                        for label in 0..=100 {
                            if votes(label) > best.0 {
                                best = (votes(label), label);
                            }
                        }
                        best.1
                    })
                    .collect();
                assert_eq!(labels(&edges, &first, steps), expected, "{edges:?}");
            }
        }
    }
}

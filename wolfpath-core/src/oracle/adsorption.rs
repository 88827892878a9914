//! Adsorption by repeated averages, in f64.

use crate::graph::Rows;

/// Number of labels.
const LABELS: usize = 8;

/// Returns the shares of eight labels at every vertex: the mean of those of its in-neighbours, weighted, times `continues`,
/// plus 1 - `continues` for the vertex's own label, which is `labels[v]` if that is below 8. `rows` are the in-rows, and
/// `weights` those of their edges. Repeats this until no share changes by more than 10^-12, or 10,000 times.
///
/// ```
/// use wolfpath::graph::Direction;
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(1, 3, 1u32), (2, 3, 3)])?;
/// let weights = graph.weights_as::<f64>(Direction::In, false)?;
/// let label = |v| if graph.id_of(v) == 2 { 5 } else { 8 };
/// let labels: Vec<u32> = (0..graph.num_vertices()).map(label).collect();
/// let shares = oracle::adsorption(graph.in_edges()?, &weights, &labels, 0.5);
/// assert_eq!(shares[graph.vertex_of(3).unwrap() as usize][5], 0.1875);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn adsorption(rows: Rows<'_>, weights: &[f64], labels: &[u32], continues: f64) -> Vec<[f64; LABELS]> {
    let mut shares = vec![[0.0; LABELS]; labels.len()];
    for _ in 0..10_000 {
        let next: Vec<[f64; LABELS]> =
            (0..rows.num_vertices()).map(|v| next_of(v, rows, weights, labels, continues, &shares)).collect();
        let moved = shares.iter().flatten().zip(next.iter().flatten()).any(|(a, b)| (a - b).abs() > 1e-12);
        shares = next;
        if !moved {
            break;
        }
    }
    shares
}

fn next_of(
    v: u32,
    rows: Rows<'_>,
    weights: &[f64],
    labels: &[u32],
    continues: f64,
    shares: &[[f64; LABELS]],
) -> [f64; LABELS] {
    let row = rows.range(v);
    let all: f64 = weights[row.clone()].iter().sum();
    let mut next = [0.0; LABELS];
    if all > 0.0 {
        for edge in row {
            let of_sender = shares[rows.ends[edge] as usize];
            next.iter_mut()
                .zip(of_sender)
                .for_each(|(sum, share)| *sum += continues * weights[edge] / all * share);
        }
    }
    if let Some(own) = next.get_mut(labels[v as usize] as usize) {
        *own += 1.0 - continues;
    }
    next
}

//! PageRank by power iteration in f64.

use crate::graph::Rows;

/// Options of [`pagerank`].
///
/// ```
/// use wolfpath::graph::LayeredGraph;
/// use wolfpath::oracle::{PageRankOptions, pagerank};
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
/// let answer = pagerank(graph.out_edges(), &PageRankOptions::new().damping(0.9).steps(7));
/// assert_eq!((answer.ranks, answer.steps), (vec![0.5, 0.5], 7));
/// # Ok::<(), wolfpath::graph::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageRankOptions {
    damping: f64,
    tolerance: f64,
    steps: Option<u64>,
    max_steps: u64,
}

impl Default for PageRankOptions {
    fn default() -> PageRankOptions {
        PageRankOptions { damping: 0.85, tolerance: 1e-12, steps: None, max_steps: 10_000 }
    }
}

impl PageRankOptions {
    /// Returns the defaults.
    pub fn new() -> PageRankOptions {
        PageRankOptions::default()
    }

    /// Sets the damping factor, from 0 to 1: the fraction of a vertex's rank that is passed on along its edges.
    /// Defaults to 0.85.
    ///
    /// ```
    /// use wolfpath::oracle;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let options = oracle::PageRankOptions::new().damping(0.5);
    /// assert_eq!(oracle::pagerank(graph.out_edges(), &options).ranks, [0.5, 0.5]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn damping(mut self, part: f64) -> PageRankOptions {
        self.damping = part;
        self
    }

    /// Sets the relative tolerance: the iteration stops after a step in which no rank changed by more than this
    /// fraction. Defaults to 1e-12.
    ///
    /// ```
    /// use wolfpath::oracle;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let options = oracle::PageRankOptions::new().tolerance(1e-3);
    /// assert!(oracle::pagerank(graph.out_edges(), &options).steps <= 10);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn tolerance(mut self, part: f64) -> PageRankOptions {
        self.tolerance = part;
        self
    }

    /// Sets the exact number of steps, regardless of the tolerance. Defaults to `None`, so that the tolerance decides.
    ///
    /// ```
    /// use wolfpath::oracle;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let options = oracle::PageRankOptions::new().steps(7);
    /// assert_eq!(oracle::pagerank(graph.out_edges(), &options).steps, 7);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn steps(mut self, steps: impl Into<Option<u64>>) -> PageRankOptions {
        self.steps = steps.into();
        self
    }

    /// Sets the maximum number of steps. Defaults to 10,000.
    ///
    /// ```
    /// use wolfpath::oracle;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let options = oracle::PageRankOptions::new().tolerance(0.0).max_steps(5);
    /// assert!(oracle::pagerank(graph.out_edges(), &options).steps <= 5);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn max_steps(mut self, steps: u64) -> PageRankOptions {
        self.max_steps = steps;
        self
    }
}

/// The result of [`pagerank`].
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (2, 3)])?;
/// let oracle::PageRankAnswer { ranks, steps, .. } = oracle::pagerank(graph.out_edges(), &Default::default());
/// assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
/// assert!(steps > 1);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageRankAnswer {
    /// The rank of every vertex. Ranks sum to 1.
    pub ranks: Vec<f64>,
    /// Number of steps, including a last step that changed nothing.
    pub steps: u64,
}

/// Computes the ranks of all vertices from out-rows. Vertices without out-edges distribute their rank to all vertices.
///
/// ```
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
/// let answer = oracle::pagerank(graph.out_edges(), &oracle::PageRankOptions::default());
/// assert_eq!(answer.ranks, [0.5, 0.5]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn pagerank(rows: Rows<'_>, options: &PageRankOptions) -> PageRankAnswer {
    let vertices = f64::from(rows.num_vertices());
    let mut ranks = vec![1.0 / vertices; rows.num_vertices() as usize];
    let limit = options.steps.unwrap_or(options.max_steps);
    for step in 1..=limit {
        let next = step_of(rows, &ranks, options.damping);
        let moved = ranks.iter().zip(&next).any(|(old, new)| (new - old).abs() > options.tolerance * new);
        ranks = next;
        if !moved && options.steps.is_none() {
            return PageRankAnswer { ranks, steps: step };
        }
    }
    PageRankAnswer { ranks, steps: limit }
}

/// Returns the ranks after one more step.
fn step_of(rows: Rows<'_>, ranks: &[f64], damping: f64) -> Vec<f64> {
    let vertices = f64::from(rows.num_vertices());
    let mut incoming = vec![0.0; ranks.len()];
    let mut dangling = 0.0;
    for vertex in 0..rows.num_vertices() {
        let rank = ranks[vertex as usize];
        let row = rows.row(vertex);
        if row.is_empty() {
            dangling += rank;
        }
        for &end in row {
            incoming[end as usize] += rank / row.len() as f64;
        }
    }
    let everyone = (1.0 - damping) / vertices + damping * dangling / vertices;
    incoming.into_iter().map(|incoming| everyone + damping * incoming).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_and_a_dangling_vertex() {
        let rows = Rows { offsets: &[0, 1, 2, 2], ends: &[1, 2] };
        let answer = pagerank(rows, &PageRankOptions::default());
        assert!((answer.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(answer.ranks[0] < answer.ranks[1] && answer.ranks[1] < answer.ranks[2]);
        let shared = 0.15 / 3.0 + 0.85 * answer.ranks[2] / 3.0;
        assert!((answer.ranks[0] - shared).abs() < 1e-11);
        assert!((answer.ranks[2] - shared - 0.85 * answer.ranks[1]).abs() < 1e-11);
    }

    #[test]
    fn steps_are_taken_exactly_when_asked() {
        let rows = Rows { offsets: &[0, 1, 2], ends: &[1, 0] };
        let options = PageRankOptions::new().steps(7);
        assert_eq!(pagerank(rows, &options), PageRankAnswer { ranks: vec![0.5, 0.5], steps: 7 });
        assert_eq!(pagerank(rows, &PageRankOptions::default()).steps, 1);
    }

    #[test]
    fn no_vertices_no_ranks() {
        let rows = Rows { offsets: &[0], ends: &[] };
        assert!(pagerank(rows, &PageRankOptions::default()).ranks.is_empty());
    }
}

//! Adsorption.

pub use in_portions::AccumulatingAdsorption;
pub use step_by_step::Adsorption;

use std::sync::Arc;

use crate::graph::{Direction, LayeredGraph, WeightError};
use crate::prelude::{PerVertex, edge_program};

/// Number of labels of a run of [`Adsorption`]. Labels do not influence each other, so more labels take more runs.
pub const LABELS: usize = 8;

/// Returns the sum of the weights of the edges that arrive at each vertex.
fn arriving(graph: &LayeredGraph, lossy: bool) -> Result<PerVertex<f32>, WeightError> {
    let weights = graph.weights_as::<f32>(Direction::In, lossy)?;
    let rows = graph.in_edges().map_err(WeightError::from)?;
    let sum = |v: u32| weights[rows.range(v)].iter().map(|&weight| f64::from(weight)).sum::<f64>() as f32;
    let sums: Arc<[f32]> = (0..graph.num_vertices()).map(sum).collect();
    let graph = graph.clone();
    Ok(PerVertex::from_fn(move |id| graph.vertex_of(id).map_or(0.0, |v| sums[v as usize])))
}

#[cfg(feature = "cluster")]
mod on_cluster {
    //! Adsorption over a graph that the processes of a cluster share.

    use super::{Adsorption, labelled};
    use crate::cluster::ClusterGraph;
    use crate::prelude::{PerVertex, RunOptions};

    impl Adsorption {
        /// Returns the program for a graph that the processes of a cluster share, like [`over`](Self::over). All processes must
        /// call this together. Each gets the sums of the weights that arrive at its own vertices, for which a run takes one
        /// step with these options. For a run in portions, convert the program to an
        /// [`AccumulatingAdsorption`](super::AccumulatingAdsorption).
        ///
        /// # Errors
        /// Returns the errors of [`ClusterGraph::run_with`].
        ///
        /// ```
        /// use std::num::NonZeroU16;
        /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
        /// use wolfpath::prelude::*;
        /// use wolfpath::programs::{AccumulatingAdsorption, Adsorption};
        ///
        /// let folder = tempfile::tempdir()?;
        /// let links = LayeredGraph::from_weighted_edges([(1, 3, 1u32), (2, 3, 3)])?;
        /// let shards = Shards::write(&links, &Deal::new(&links, NonZeroU16::MIN)?, folder.path())?;
        /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
        /// let program = Adsorption::on_cluster(&mut graph, [(1, 0), (2, 1)], 0.5, &RunOptions::new())?;
        /// let shares = graph.run(&program)?.value(3)?.expect("every vertex has shares");
        /// assert_eq!(shares[..3], [0.0625, 0.1875, 0.0]);
        /// let in_portions = graph.run(&AccumulatingAdsorption::from(program))?;
        /// assert_eq!(in_portions.value(3)?, Some(shares));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn on_cluster(
            graph: &mut ClusterGraph,
            labels: impl IntoIterator<Item = (u64, u32)>,
            continues: f32,
            options: &RunOptions,
        ) -> Result<Adsorption, crate::RunError> {
            let options = options
                .clone()
                .steps_at_most(1)
                .tolerance(None)
                .schedule(None)
                .until_settled([])
                .trace(false);
            let sums = graph.run_with(&super::weights_of_edges::Arriving {}, &options)?;
            // A message needs the sum of its target, which is a vertex of the process that computes it.
            let sum = move |id| sums.value(id).ok().flatten().map_or(0.0, |sum| sum as f32);
            let arriving = PerVertex::from_fn(sum);
            Ok(Adsorption { labels: labelled(labels), arriving, continues, tolerance: 1e-6 })
        }
    }
}

/// Returns the label of each vertex, from pairs of an id and a label.
fn labelled(labels: impl IntoIterator<Item = (u64, u32)>) -> PerVertex<u32> {
    PerVertex::from_pairs(labels, LABELS as u32)
}

impl Adsorption {
    /// Returns the program for a graph in which some vertices have labels: pairs of an id and a label below [`LABELS`].
    /// (Larger numbers are ignored.) `continues` is the probability of continuing to an in-neighbour. The tolerance is
    /// 10^-6. Weights that `f32` cannot represent are rounded if `lossy` is `true`, as in
    /// [`RunOptions::lossy_weights`](crate::RunOptions::lossy_weights).
    ///
    /// # Errors
    /// Returns an error if the weights do not fit the type, or if in-edges have to be computed and there is not enough memory.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::Adsorption;
    ///
    /// // 3 hears of the label 0 from vertex 1, and twice as much of the label 1 from vertex 2.
    /// let graph = LayeredGraph::from_weighted_edges([(1, 3, 1u32), (2, 3, 2)])?;
    /// let program = Adsorption::over(&graph, [(1, 0), (2, 1)], 0.75, false)?;
    /// let shares = Engine::cpu().run(&graph, &program)?.value(3)?.expect("every vertex has shares");
    /// assert_eq!(shares[..3], [0.0625, 0.125, 0.0]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn over(
        graph: &LayeredGraph,
        labels: impl IntoIterator<Item = (u64, u32)>,
        continues: f32,
        lossy: bool,
    ) -> Result<Adsorption, WeightError> {
        let (labels, arriving) = (labelled(labels), arriving(graph, lossy)?);
        Ok(Adsorption { labels, arriving, continues, tolerance: 1e-6 })
    }
}

impl AccumulatingAdsorption {
    /// Returns the program for a graph in which some vertices have labels, like [`Adsorption::over`].
    ///
    /// # Errors
    /// Returns the errors of [`Adsorption::over`].
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::AccumulatingAdsorption;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(1, 3, 1u32), (2, 3, 2), (3, 1, 1)])?;
    /// let program = AccumulatingAdsorption::over(&graph, [(1, 0), (2, 1)], 0.75, false)?;
    /// let shares = Engine::cpu().run(&graph, &program)?.value(3)?.expect("every vertex has shares");
    /// assert!(shares[0] < shares[1] && shares[2] == 0.0);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn over(
        graph: &LayeredGraph,
        labels: impl IntoIterator<Item = (u64, u32)>,
        continues: f32,
        lossy: bool,
    ) -> Result<AccumulatingAdsorption, WeightError> {
        Ok(AccumulatingAdsorption { labels: labelled(labels), arriving: arriving(graph, lossy)?, continues })
    }
}

impl From<Adsorption> for AccumulatingAdsorption {
    /// Returns the accumulating program with the same inputs.
    fn from(program: Adsorption) -> AccumulatingAdsorption {
        let Adsorption { labels, arriving, continues, .. } = program;
        AccumulatingAdsorption { labels, arriving, continues }
    }
}

#[edge_program]
mod step_by_step {
    use wolfpath::prelude::*;

    /// Adsorption: how likely a random walk from each vertex, against the edges, ends at a vertex with each of the labels.
    ///
    /// At every vertex a walk ends with probability 1 - `continues`, and counts for the vertex's label, if it has one.
    /// Otherwise it moves to an in-neighbour, with probabilities in proportion to the weights. So the shares of a vertex are
    /// the mean of those of its in-neighbours, weighted, times `continues`, plus 1 - `continues` for its own label. A run ends
    /// when no share changed by more than `tolerance`. S. Baluja et al., "Video suggestion and discovery for YouTube: taking
    /// random walks through the view graph", 2008. [`over`](Self::over) makes the inputs.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::Adsorption;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let program = Adsorption::over(&graph, [(1, 0)], 0.5, false)?;
    /// let outcome = Engine::cpu().run(&graph, &program)?;
    /// assert_eq!(outcome.value(3)?.map(|shares| shares[0]), Some(0.125));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct Adsorption {
        /// Label of each vertex; [`LABELS`](super::LABELS) or more for a vertex without one.
        pub labels: PerVertex<u32>,
        /// Sum of the weights of the edges that arrive at each vertex.
        pub arriving: PerVertex<f32>,
        /// Probability of continuing, below 1.
        pub continues: f32,
        /// Change up to which a share counts as unchanged.
        pub tolerance: f32,
    }

    impl EdgeProgram for Adsorption {
        type Value = [f32; 8];
        type Message = [f32; 8];
        type Weight = f32;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;
        const NON_NEGATIVE_WEIGHTS: bool = true;

        fn start(&self, v: Vertex) -> [f32; 8] {
            own(self.labels.of(v), 1.0 - self.continues)
        }
        fn edge(&self, e: Edge<[f32; 8], f32>) -> [f32; 8] {
            scaled(e.value, share(self.continues * e.weight, self.arriving.target(e)))
        }
        fn apply(&self, v: Vertex<[f32; 8]>, incoming: [f32; 8]) -> [f32; 8] {
            let own = own(self.labels.of(v), 1.0 - self.continues);
            [
                own[0] + incoming[0],
                own[1] + incoming[1],
                own[2] + incoming[2],
                own[3] + incoming[3],
                own[4] + incoming[4],
                own[5] + incoming[5],
                own[6] + incoming[6],
                own[7] + incoming[7],
            ]
        }
        fn changed(&self, before: [f32; 8], after: [f32; 8]) -> bool {
            let mut largest = 0.0f32;
            for at in 0..8 {
                largest = largest.max((after[at] - before[at]).abs());
            }
            largest > self.tolerance
        }
    }

    /// Returns the shares of a label alone.
    fn own(label: u32, share: f32) -> [f32; 8] {
        let mut shares = [0.0; 8];
        if label < 8 {
            shares[label as usize] = share;
        }
        shares
    }

    /// Returns a part divided by the whole; 0 if all weights are 0.
    fn share(part: f32, whole: f32) -> f32 {
        if whole > 0.0 { part / whole } else { 0.0 }
    }

    fn scaled(x: [f32; 8], by: f32) -> [f32; 8] {
        [x[0] * by, x[1] * by, x[2] * by, x[3] * by, x[4] * by, x[5] * by, x[6] * by, x[7] * by]
    }
}

#[edge_program]
mod in_portions {
    use wolfpath::prelude::*;

    /// [Adsorption](super::Adsorption) in any order: each vertex passes on the shares that it receives, in portions.
    ///
    /// A run ends when all shares that were not passed on are at most
    /// [`RunOptions::tolerance`](crate::RunOptions::tolerance) of all shares. [`over`](Self::over) makes the inputs.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::AccumulatingAdsorption;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let program = AccumulatingAdsorption::over(&graph, [(1, 0)], 0.5, false)?;
    /// let outcome = Engine::cpu().run(&graph, &program)?;
    /// assert_eq!(outcome.value(3)?.map(|shares| shares[0]), Some(0.125));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct AccumulatingAdsorption {
        /// Label of each vertex; [`LABELS`](super::LABELS) or more for a vertex without one.
        pub labels: PerVertex<u32>,
        /// Sum of the weights of the edges that arrive at each vertex.
        pub arriving: PerVertex<f32>,
        /// Probability of continuing, below 1.
        pub continues: f32,
    }

    impl EdgeProgram for AccumulatingAdsorption {
        type Value = [f32; 8];
        type Message = [f32; 8];
        type Weight = f32;
        type Combine = Sum;
        const ACCUMULATES: bool = true;
        const NON_NEGATIVE_WEIGHTS: bool = true;

        fn start(&self, v: Vertex) -> [f32; 8] {
            let mut shares = [0.0; 8];
            let label = self.labels.of(v);
            if label < 8 {
                shares[label as usize] = 1.0 - self.continues;
            }
            shares
        }
        fn edge(&self, e: Edge<[f32; 8], f32>) -> [f32; 8] {
            let arriving = self.arriving.target(e);
            let by = if arriving > 0.0 { self.continues * e.weight / arriving } else { 0.0 };
            let x = e.value;
            [x[0] * by, x[1] * by, x[2] * by, x[3] * by, x[4] * by, x[5] * by, x[6] * by, x[7] * by]
        }
    }
}

#[cfg(feature = "cluster")]
#[edge_program]
mod weights_of_edges {
    use wolfpath::prelude::*;

    /// Sum of the weights of the edges that arrive at each vertex, after one step.
    pub(super) struct Arriving {}

    impl EdgeProgram for Arriving {
        type Value = f64;
        type Message = f64;
        type Weight = f32;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, _: Vertex) -> f64 {
            0.0
        }
        fn edge(&self, e: Edge<f64, f32>) -> f64 {
            e.weight as f64
        }
        fn apply(&self, _: Vertex<f64>, incoming: f64) -> f64 {
            incoming
        }
    }
}

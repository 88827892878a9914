//! PageRank.

pub use double::PageRankF64;
pub use double_in_portions::AccumulatingPageRankF64;
pub use single::PageRank;
pub use single_in_portions::AccumulatingPageRank;

use crate::prelude::edge_program;

/// Defines the program over one type of floats.
macro_rules! pagerank {
    ($(#[$over:meta])* $module:ident, $name:ident, $float:ident) => {
        #[edge_program]
        mod $module {
            use wolfpath::prelude::*;

            /// PageRank: the fraction of time that a random surfer spends at each vertex. All ranks sum to 1.
            ///
            /// Every vertex divides its rank equally among its out-edges. A vertex without out-edges divides its rank
            /// equally among all vertices. A run ends when no vertex changed by more than `tolerance` relative to its
            /// rank, or after the requested number of steps. S. Brin and L. Page, "The anatomy of a large-scale
            /// hypertextual web search engine", 1998.
            ///
            $(#[$over])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                /// Probability of following an edge instead of jumping to a random vertex, commonly 0.85.
                pub damping: $float,
                /// Relative change up to which a vertex counts as unchanged, commonly 1e-6.
                pub tolerance: $float,
            }

            impl EdgeProgram for $name {
                type Value = $float;
                type Message = $float;
                type Combine = Sum;
                type Aggregate = Sum<f64>;
                const SENDERS: Senders = Senders::All;

                fn start(&self, v: Vertex) -> $float {
                    1.0 / v.vertices as $float
                }
                fn edge(&self, e: Edge<$float>) -> $float {
                    e.value / e.out_degree as $float
                }
                fn aggregate(&self, v: Vertex<$float>) -> f64 {
                    if v.out_degree == 0 { v.value as f64 } else { 0.0 }
                }
                fn apply(&self, v: Vertex<$float>, incoming: $float) -> $float {
                    let n = v.vertices as $float;
                    (1.0 - self.damping) / n + self.damping * (incoming + v.aggregate as $float / n)
                }
                fn changed(&self, before: $float, after: $float) -> bool {
                    (after - before).abs() > self.tolerance * after
                }
            }
        }
    };
}

pagerank! {
    /// The ranks are `f32`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::PageRank;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let ranks = Engine::cpu().run(&graph, &PageRank { damping: 0.85, tolerance: 1e-6 })?;
    /// assert_eq!(ranks.value(1)?, Some(0.5));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    single, PageRank, f32
}
pagerank! {
    /// The ranks are `f64`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::PageRankF64;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let ranks = Engine::cpu().run(&graph, &PageRankF64 { damping: 0.85, tolerance: 1e-6 })?;
    /// assert_eq!(ranks.value(1)?, Some(0.5));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    double, PageRankF64, f64
}

/// Defines the accumulating program over one type of floats.
macro_rules! accumulating {
    ($(#[$over:meta])* $module:ident, $name:ident, $float:ident) => {
        #[edge_program]
        mod $module {
            use wolfpath::prelude::*;

            /// PageRank in any order: each vertex passes on the rank that it has received, in portions.
            ///
            /// A run ends when all that was not passed on is at most [`RunOptions::tolerance`](crate::RunOptions::tolerance) of all
            /// ranks. In the order of paths ([`ScheduleChoice::Paths`](crate::ScheduleChoice::Paths)), vertices with much to pass
            /// on do so first, and others wait for more, so that a run visits fewer edges than the steps of
            /// [`PageRank`](super::PageRank). This is PageRank by delta-based accumulation: Zhang, Gao, Gao and Wang, "Maiter",
            /// 2013.
            ///
            /// Vertices without out-edges pass on nothing, so the ranks sum to less than 1. Divided by their sum,
            /// they are those of [`PageRank`](super::PageRank): giving that rank to all vertices equally, as it does, multiplies every
            /// rank by the same number.
            ///
            $(#[$over])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                /// Probability of following an edge instead of jumping to a random vertex, commonly 0.85.
                pub damping: $float,
            }

            impl EdgeProgram for $name {
                type Value = $float;
                type Message = $float;
                type Combine = Sum;
                const ACCUMULATES: bool = true;

                fn start(&self, v: Vertex) -> $float {
                    (1.0 - self.damping) / v.vertices as $float
                }
                fn edge(&self, e: Edge<$float>) -> $float {
                    self.damping * e.value / e.out_degree as $float
                }
            }
        }
    };
}

accumulating! {
    /// The ranks are `f32`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::AccumulatingPageRank;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (2, 3)])?;
    /// let outcome = Engine::cpu().run(&graph, &AccumulatingPageRank { damping: 0.5 })?;
    /// let ranks: Vec<f32> = outcome.read()?.iter().filter_map(|(_, rank)| rank).collect();
    /// let sum: f32 = ranks.iter().sum();
    /// assert!((ranks[0] / sum - 0.3125).abs() < 1e-4 && (ranks[1] / sum - 0.375).abs() < 1e-4);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    single_in_portions, AccumulatingPageRank, f32
}
accumulating! {
    /// The ranks are `f64`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::AccumulatingPageRankF64;
    ///
    /// let ring = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let options = RunOptions::new().tolerance(1e-12);
    /// let outcome = Engine::cpu().run_with(&ring, &AccumulatingPageRankF64 { damping: 0.85 }, &options)?;
    /// assert!((outcome.value(1)?.unwrap() - 0.5).abs() < 1e-11);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    double_in_portions, AccumulatingPageRankF64, f64
}

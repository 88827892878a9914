//! Single-source shortest paths.

use crate::prelude::*;

/// Defines the program over one number type.
macro_rules! sssp {
    ($(#[$over:meta])* $name:ident, $number:ty, $zero:literal) => {
        /// Smallest sum of weights over all paths from the sources, in the unit of the weights.
        ///
        /// `starting_at(id)` starts at a vertex, with distance 0.
        /// A graph with negative weights is rejected.
        /// E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959.
        /// Edges are relaxed in any order, as in
        /// R. Bellman, "On a routing problem", 1958.
        ///
        $(#[$over])*
        #[edge_program(combine = min, first = $zero, non_negative)]
        pub fn $name(distance: $number, weight: $number) -> $number {
            distance + weight
        }
    };
}

sssp! {
    /// The values are `u32`: for integer weights whose sums stay below 2^32.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10u32), (17, 6, 1), (6, 5, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &sssp::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(2));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    sssp, u32, 0
}
sssp! {
    /// The values are `u64`: for integer weights.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp_u64;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10u64), (17, 6, 1), (6, 5, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &sssp_u64::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(2));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    sssp_u64, u64, 0
}
sssp! {
    /// The values are `f32`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp_f32;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10.0f32), (17, 6, 0.5), (6, 5, 0.5)])?;
    /// let outcome = Engine::cpu().run(&graph, &sssp_f32::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(1.0));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    sssp_f32, f32, 0.0
}
sssp! {
    /// The values are `f64`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp_f64;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10.0f64), (17, 6, 0.25), (6, 5, 0.25)])?;
    /// let outcome = Engine::cpu().run(&graph, &sssp_f64::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(0.5));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    sssp_f64, f64, 0.0
}

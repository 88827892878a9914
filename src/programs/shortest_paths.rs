//! Single-source shortest paths.

use crate::prelude::*;

/// Defines the program over one number.
macro_rules! sssp {
    ($(#[$over:meta])* $name:ident, $number:ty, $zero:literal) => {
        /// The smallest sum of weights of a path from the sources, in the unit of the weights.
        ///
        /// Start it with `starting_at(id)`, which begins at distance 0. Weights are at least zero; a graph with others is refused.
        /// E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959; relaxed in any order as R. Bellman,
        /// "On a routing problem", 1958.
        ///
        $(#[$over])*
        #[edge_program(combine = min, first = $zero, non_negative)]
        pub fn $name(distance: $number, weight: $number) -> $number {
            distance + weight
        }
    };
}

sssp! {
    /// Over `u32`: for integer weights whose sums stay below 2^32.
    sssp, u32, 0
}
sssp! {
    /// Over `u64`: for integer weights.
    sssp_u64, u64, 0
}
sssp! {
    /// Over `f32`.
    sssp_f32, f32, 0.0
}
sssp! {
    /// Over `f64`.
    sssp_f64, f64, 0.0
}

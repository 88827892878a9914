//! Breadth-first search.

use crate::prelude::*;

/// Defines the program over one number.
macro_rules! bfs {
    ($(#[$over:meta])* $name:ident, $number:ty, $zero:literal, $one:literal) => {
        /// The number of edges on a shortest path from the sources, whatever the edges weigh.
        ///
        /// Start it with `starting_at(id)`, which begins at depth 0. All messages of one step are equal, so a vertex may stop at the first.
        /// E. F. Moore, "The shortest path through a maze", 1959.
        ///
        $(#[$over])*
        #[edge_program(combine = min, first = $zero, uniform)]
        pub fn $name(depth: $number) -> $number {
            depth + $one
        }
    };
}

bfs! {
    /// Over `u32`: enough for any graph, whose depth is below its number of vertices.
    bfs, u32, 0, 1
}
bfs! {
    /// Over `u64`.
    bfs_u64, u64, 0, 1
}
bfs! {
    /// Over `f32`: exact up to 2^24 steps.
    bfs_f32, f32, 0.0, 1.0
}
bfs! {
    /// Over `f64`.
    bfs_f64, f64, 0.0, 1.0
}

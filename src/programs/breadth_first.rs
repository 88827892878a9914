//! Breadth-first search.

use crate::prelude::*;

/// Defines the program over one number type.
macro_rules! bfs {
    ($(#[$over:meta])* $name:ident, $number:ty, $zero:literal, $one:literal) => {
        /// Number of edges on a shortest path from the sources. Weights are ignored.
        ///
        /// `starting_at(id)` starts the search at a vertex, with depth 0. All messages of one step are equal,
        /// so a vertex that gathers may stop at the first one.
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
    /// The values are `u32`, which suffices for every graph: a depth is always less than the number of vertices.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let outcome = Engine::cpu().run(&graph, &bfs::starting_at(17))?;
    /// assert_eq!(outcome.value(6)?, Some(2));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    bfs, u32, 0, 1
}
bfs! {
    /// The values are `u64`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs_u64;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let outcome = Engine::cpu().run(&graph, &bfs_u64::starting_at(17))?;
    /// assert_eq!(outcome.value(6)?, Some(2));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    bfs_u64, u64, 0, 1
}
bfs! {
    /// The values are `f32`, which is exact up to a depth of 2^24.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs_f32;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let outcome = Engine::cpu().run(&graph, &bfs_f32::starting_at(17))?;
    /// assert_eq!(outcome.value(6)?, Some(2.0));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    bfs_f32, f32, 0.0, 1.0
}
bfs! {
    /// The values are `f64`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs_f64;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let outcome = Engine::cpu().run(&graph, &bfs_f64::starting_at(17))?;
    /// assert_eq!(outcome.value(6)?, Some(2.0));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    bfs_f64, f64, 0.0, 1.0
}

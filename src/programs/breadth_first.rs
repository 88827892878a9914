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
    /// Over `u64`.
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
    /// Over `f32`: exact up to 2^24 steps.
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
    /// Over `f64`.
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

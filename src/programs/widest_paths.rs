//! Widest paths.

use crate::prelude::*;

/// Defines the program over one number.
macro_rules! widest {
    ($(#[$over:meta])* $name:ident, $number:ty, $widest:expr) => {
        /// The largest bottleneck of a path from the sources, in the unit of the weights: of all paths, the one whose
        /// smallest weight is largest.
        ///
        /// Start it with `starting_at(id)`, which begins with a width that nothing exceeds (`MAX` or `INFINITY`).
        /// M. Pollack, "The maximum capacity through a network", 1960.
        ///
        $(#[$over])*
        #[edge_program(combine = max, first = $widest)]
        pub fn $name(width: $number, capacity: $number) -> $number {
            width.min(capacity)
        }
    };
}

widest! {
    /// Over `u32`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::widest;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10u32), (17, 6, 30), (6, 5, 30)])?;
    /// let outcome = Engine::cpu().run(&graph, &widest::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(30));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    widest, u32, u32::MAX
}
widest! {
    /// Over `u64`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::widest_u64;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10u64), (17, 6, 30), (6, 5, 30)])?;
    /// let outcome = Engine::cpu().run(&graph, &widest_u64::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(30));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    widest_u64, u64, u64::MAX
}
widest! {
    /// Over `f32`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::widest_f32;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 1.5f32), (17, 6, 2.5), (6, 5, 2.5)])?;
    /// let outcome = Engine::cpu().run(&graph, &widest_f32::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(2.5));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    widest_f32, f32, f32::INFINITY
}
widest! {
    /// Over `f64`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::widest_f64;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 1.5f64), (17, 6, 2.5), (6, 5, 2.5)])?;
    /// let outcome = Engine::cpu().run(&graph, &widest_f64::starting_at(17))?;
    /// assert_eq!(outcome.value(5)?, Some(2.5));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    widest_f64, f64, f64::INFINITY
}

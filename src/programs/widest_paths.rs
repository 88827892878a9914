//! Widest paths.

use crate::prelude::*;

/// Defines the program over one number type.
macro_rules! widest {
    ($(#[$over:meta])* $name:ident, $number:ty, $widest:expr) => {
        /// Width of a widest path from the sources, in the unit of the weights. The width of a path is its smallest
        /// weight.
        ///
        /// `starting_at(id)` starts at a vertex, with the largest possible width (`MAX` or `INFINITY`).
        /// M. Pollack,
        /// "The maximum capacity through a network", 1960.
        ///
        $(#[$over])*
        #[edge_program(combine = max, first = $widest)]
        pub fn $name(width: $number, capacity: $number) -> $number {
            width.min(capacity)
        }
    };
}

widest! {
    /// The values are `u32`.
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
    /// The values are `u64`.
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
    /// The values are `f32`.
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
    /// The values are `f64`.
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

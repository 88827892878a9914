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
    widest, u32, u32::MAX
}
widest! {
    /// Over `u64`.
    widest_u64, u64, u64::MAX
}
widest! {
    /// Over `f32`.
    widest_f32, f32, f32::INFINITY
}
widest! {
    /// Over `f64`.
    widest_f64, f64, f64::INFINITY
}

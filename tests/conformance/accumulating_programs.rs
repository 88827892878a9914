//! Programs that accumulate.

use wolfpath::prelude::*;

/// Number of ways from the sources, in a graph without cycles.
#[edge_program(combine = sum, first = 1, accumulates)]
pub(crate) fn ways(more: u64) -> u64 {
    more
}

/// The same, against the direction of edges.
#[edge_program(combine = sum, along = in, accumulates)]
pub(crate) fn against(more: u64) -> u64 {
    more
}

/// The same from several sources at once.
#[edge_program(combine = sum, accumulates)]
pub(crate) fn several(more: u64) -> u64 {
    more
}

/// Passes on so little in both directions that sums converge in every small graph.
#[edge_program(combine = sum, along = both, accumulates)]
pub(crate) fn along_both(more: f64) -> f64 {
    more / 10_000.0
}

/// Divides by zero after two edges.
#[edge_program(combine = sum, accumulates)]
pub(crate) fn lopsided(more: i64) -> i64 {
    if more == 1 { 7 } else { more / (more - 7) }
}

#[edge_program]
pub(crate) mod influence {
    use wolfpath::prelude::*;

    /// Three sums of different signs: Katz centralities of three sets of vertices.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Shares {
        pub(crate) good: f32,
        pub(crate) bad: f32,
        pub(crate) both: [f32; 1],
    }

    /// Passes on a part of what a vertex receives, by weight.
    pub(crate) struct Influence {
        pub(crate) factor: f32,
    }

    impl Influence {
        /// Returns the first values of a vertex.
        pub(crate) fn first(&self, id: u64) -> [f32; 3] {
            let good = match id % 2 {
                0 => 1.0,
                _ => 0.0,
            };
            let bad = match id % 3 {
                0 => -1.0,
                _ => 0.25,
            };
            [good, bad, 0.5]
        }
    }

    impl EdgeProgram for Influence {
        type Value = Shares;
        type Message = Shares;
        type Weight = f32;
        type Combine = Sum;
        const ACCUMULATES: bool = true;

        fn start(&self, v: Vertex) -> Shares {
            let [good, bad, both] = self.first(v.id);
            Shares { good, bad, both: [both] }
        }
        fn edge(&self, e: Edge<Shares, f32>) -> Shares {
            let factor = self.factor * e.weight / e.out_degree as f32;
            Shares {
                good: factor * e.value.good,
                bad: factor * e.value.bad,
                both: [factor * e.value.both[0]],
            }
        }
    }
}

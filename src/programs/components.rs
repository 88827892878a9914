//! Weakly connected components.

pub use program::Components;

use crate::prelude::edge_program;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    /// Smallest id in the vertex's component. Every edge counts in both directions.
    ///
    /// Two vertices are connected if and only if their values are equal. The smallest label spreads along edges, as in
    /// L. Shapiro, "Connected component labeling", 1979, and U. Kang et al., "PEGASUS", 2009 (HCC).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::Components;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (8, 9)])?;
    /// let outcome = Engine::cpu().run(&graph, &Components)?;
    /// assert_eq!((outcome.value(17)?, outcome.value(9)?), (Some(5), Some(8)));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Components;

    impl EdgeProgram for Components {
        type Value = u64;
        type Message = u64;
        type Combine = Min;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }

        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
    }
}

//! Core numbers.

pub use program::CoreNumbers;

use crate::prelude::edge_program;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    /// Core number of every vertex: the largest *k* such that the vertex belongs to a *k*-core, a subgraph in which every
    /// vertex has at least *k* neighbours.
    ///
    /// Neighbours are the distinct vertices that are adjacent in either direction, except the vertex itself. Vertices with
    /// the fewest remaining neighbours are removed first, step by step, as in V. Batagelj and M. Zaversnik, "An O(m) algorithm
    /// for cores decomposition of networks", 2003. The number of a vertex's remaining neighbours when it is removed, or of an
    /// earlier vertex's if that is larger, is its core number. Each vertex sends once, so a run visits every edge once in each
    /// direction.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::CoreNumbers;
    ///
    /// // A triangle with a tail.
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (3, 4)])?;
    /// let cores = Engine::cpu().run(&graph, &CoreNumbers)?;
    /// assert!(cores.read()?.iter().eq([(1, Some(2)), (2, Some(2)), (3, Some(2)), (4, Some(1))]));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, Default)]
    pub struct CoreNumbers;

    impl EdgeProgram for CoreNumbers {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;
        const ALONG: Along = Along::Neighbours;

        fn start(&self, v: Vertex) -> u32 {
            v.neighbours as u32
        }
        /// A vertex that sends is removed: each of its neighbours has one fewer.
        fn edge(&self, _: Edge<u32>) -> u32 {
            1
        }
        fn apply(&self, v: Vertex<u32>, removed: u32) -> u32 {
            // A vertex within the level is removed in this step, or was removed before.
            if v.value as u64 <= v.level { v.value } else { (v.value - removed).max(v.level as u32) }
        }
        fn priority(&self, v: Vertex<u32>) -> u64 {
            v.value as u64
        }
    }
}

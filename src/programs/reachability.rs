//! Reachability.

use crate::prelude::*;

/// `true` if there is a path from a source to the vertex.
///
/// `starting_at(id)` starts the search at a vertex. Unreached vertices have no value. The program does the same as
/// breadth-first search, but counts no edges: E. F. Moore, "The shortest path through a maze", 1959.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::programs::reach;
///
/// let graph = LayeredGraph::from_edges([(17, 5), (8, 17)])?;
/// let outcome = Engine::cpu().run(&graph, &reach::starting_at(17))?;
/// assert_eq!((outcome.value(5)?, outcome.value(8)?), (Some(true), None));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[edge_program(combine = or, first = true, uniform)]
pub fn reach(reached: bool) -> bool {
    reached
}

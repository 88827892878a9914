//! Reachability.

use crate::prelude::*;

/// Whether a path leads from the sources to the vertex.
///
/// Start it with `starting_at(id)`. A search that does not count: E. F. Moore, "The shortest path
/// through a maze", 1959.
#[edge_program(combine = or, first = true, uniform)]
pub fn reach(reached: bool) -> bool {
    reached
}

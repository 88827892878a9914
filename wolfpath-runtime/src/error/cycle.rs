//! Cycles along which values improve without end.

use std::fmt;

/// Number of vertices of a cycle that a message names.
const NAMED: usize = 8;

/// A negative cycle, along which values improve without end: the sum of its weights is negative under `min`; under `max`
/// it is positive ([`RunError::Overrun`](crate::RunError::Overrun)).
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// /// Smallest sum of weights, which may be negative.
/// #[edge_program(combine = min, first = 0)]
/// fn cheapest(sum: i64, weight: i64) -> i64 {
///     sum + weight
/// }
///
/// let graph = LayeredGraph::from_weighted_edges([(1, 2, 3i64), (2, 3, -2), (3, 2, 1)])?;
/// match Engine::cpu().run(&graph, &cheapest::starting_at(1)) {
///     Err(RunError::Overrun { cycle: Some(cycle), .. }) => {
///         assert_eq!((cycle.vertices.len(), cycle.sum.as_str()), (2, "-1"));
///     }
///     other => panic!("2 -> 3 -> 2 has no end, but {other:?}"),
/// }
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndlessCycle {
    /// Ids of its vertices, in the order in which messages travel. Each sends to the next, and the last to the first.
    pub vertices: Vec<u64>,
    /// Sum of its weights, as text.
    pub sum: String,
}

impl fmt::Display for EndlessCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for id in self.vertices.iter().take(NAMED) {
            write!(f, "{id} -> ")?;
        }
        let (all, first) = (self.vertices.len(), self.vertices.first().copied().unwrap_or_default());
        match all {
            _ if all > NAMED => write!(f, ".. -> {first} ({all} edges)"),
            _ => write!(f, "{first}"),
        }
    }
}

/// Returns the part of an overrun's message after the number of steps.
pub(super) fn advice(cycle: Option<&EndlessCycle>) -> String {
    match cycle {
        Some(cycle) => format!(
            ": the weights of the cycle {cycle} sum to {}, so values never stop improving; remove the cycle, or set a \
             fixed number of steps",
            cycle.sum
        ),
        None => "; raise the limit, or set a fixed number of steps".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_cycles_are_cut() {
        let cycle = |vertices| EndlessCycle { vertices: (1..=vertices).collect(), sum: "-7".to_owned() };
        assert_eq!(cycle(1).to_string(), "1 -> 1");
        assert_eq!(cycle(8).to_string(), "1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 1");
        assert_eq!(cycle(900).to_string(), "1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> .. -> 1 (900 edges)");
        assert!(advice(Some(&cycle(2))).contains("the cycle 1 -> 2 -> 1 sum to -7"));
    }
}

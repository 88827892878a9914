//! Reasons why runs do not end: cycles along which values improve without end, and sums that do not converge.

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

/// Sizes of the amounts that the vertices of an accumulating program had to send, when it began and when it overran
/// ([`RunError::Overrun`](crate::RunError::Overrun)). The size of an amount is the sum of the absolute values of its numbers.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// /// Each vertex passes on twice what it receives, which grows without end around a cycle.
/// #[edge_program(combine = sum, first = 1.0, accumulates)]
/// fn doubled(more: f64) -> f64 {
///     2.0 * more
/// }
///
/// let ring = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
/// match Engine::cpu().run(&ring, &doubled::starting_at(1)) {
///     Err(RunError::Overrun { pending: Some(pending), .. }) => assert!(pending.last > pending.first),
///     other => panic!("the sums do not converge, but {other:?}"),
/// }
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PendingAmounts {
    /// Sum of the sizes of the first values.
    pub first: f64,
    /// Sum of the sizes of what was still to be sent at the end; infinite or NaN if the sums overflowed.
    pub last: f64,
}

/// Returns an amount as text of a few digits.
fn shown(amount: f64) -> String {
    if amount == 0.0 || (1e-3..1e6).contains(&amount) {
        format!("{amount:.4}")
    } else {
        format!("{amount:.2e}")
    }
}

/// Returns the part of an overrun's message after the number of steps.
pub(super) fn advice(cycle: Option<&EndlessCycle>, pending: Option<PendingAmounts>) -> String {
    if let Some(PendingAmounts { first, last }) = pending {
        let (from, to) = (shown(first), shown(last));
        return match (first.is_finite(), last.is_finite()) {
            (false, _) => format!(": the first amounts sum to {from}; `start` must return finite numbers"),
            (_, false) => format!(
                ": the amounts still to be sent grew from {from} to {to}, so the sums do not converge, or `edge` divides by \
                 zero; each vertex must pass on less than it receives, for which the program may need a smaller factor"
            ),
            _ if last < first => format!(
                ": the amounts still to be sent fell only from {from} to {to}; raise the limit of steps, or the tolerance"
            ),
            _ => format!(
                ": the amounts still to be sent did not fall, from {from} to {to}; if each vertex passes on less than it \
                 receives, raise the limit of steps; otherwise the sums do not converge, and the program may need a smaller \
                 factor"
            ),
        };
    }
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
        assert!(advice(Some(&cycle(2)), None).contains("the cycle 1 -> 2 -> 1 sum to -7"));
    }
}

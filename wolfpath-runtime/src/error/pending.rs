//! Amounts of accumulating programs that do not become small.

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

impl PendingAmounts {
    /// Returns the part of an overrun's message after the number of steps.
    pub(super) fn advice(self) -> String {
        let PendingAmounts { first, last } = self;
        let (from, to) = (shown(first), shown(last));
        match (first.is_finite(), last.is_finite()) {
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
        }
    }
}

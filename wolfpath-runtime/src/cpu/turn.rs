//! The rule by which a step pushes or gathers.

use super::frontier::Frontier;
use super::view::SendRows;

/// Costs, as multiples of the cost of pushing along an edge.
mod cost {
    /// Cost of looking up one sender in the frontier's bitmap.
    pub(super) const LOOK: f64 = 0.6;

    /// Cost of asking a vertex whether a message can still change it.
    pub(super) const VERTEX: f64 = 0.15;

    /// Cost of marking a vertex of the frontier in the bitmap, or of listing it.
    pub(super) const TURN: f64 = 0.5;
}

/// Decides for each step of a run whether senders push or receivers gather.
///
/// A vertex that gathers stops at the first message that settles it. If messages travel along a share *p* of all edges,
/// it looks at 1/*p* of its edges on average before it meets one of them. This estimates the edges that gathering looks
/// at; those that pushing looks at are known. Beamer's rule compares them by two constants that were fitted to graphs.
pub(crate) struct Turn {
    is_allowed: bool,
    /// `true` if the first message that a vertex finds settles it.
    first_settles: bool,
    /// Vertices from here on cannot receive messages.
    receivers: u32,
    /// Number of edges along which all vertices together send.
    edges: u64,
}

impl Turn {
    /// Returns the rule. If `is_allowed` is `false`, every step pushes.
    pub(crate) fn new(
        is_allowed: bool,
        first_settles: bool,
        sends: SendRows<'_>,
        receivers: impl Fn() -> u32,
    ) -> Turn {
        let receivers = if is_allowed { receivers() } else { 0 };
        Turn { is_allowed, first_settles, receivers, edges: sends.edges() }
    }

    /// Returns the first of the vertices at the end of the graph that cannot receive messages.
    pub(crate) fn receivers(&self) -> u32 {
        self.receivers
    }

    /// Returns `true` if the step of this frontier should gather.
    pub(crate) fn gathers(&self, frontier: &Frontier) -> bool {
        let (size, settled) = (frontier.size(), frontier.settled());
        let scan = cost::VERTEX * f64::from(self.receivers);
        if !self.is_allowed || size.edges as f64 <= scan {
            return false;
        }
        let turn = cost::TURN * size.vertices as f64;
        let open = u64::from(self.receivers).saturating_sub(settled.vertices) as f64;
        let open_edges = self.edges.saturating_sub(settled.edges) as f64;
        let share = size.edges as f64 / self.edges as f64;
        let looks = if self.first_settles { open_edges.min(open / share) } else { open_edges };
        scan + turn + cost::LOOK * looks < size.edges as f64
    }
}

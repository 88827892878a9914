//! Decides whether several workers share a thin step. Waking a worker takes between one microsecond and a hundred,
//! depending on the machine and on what else it does, and a worker that runs ahead may send values that the others
//! improve. So both ways are timed.

use std::time::Duration;

/// One in this many thin steps takes the way that has been slower, so that both are timed.
const PROBE: u32 = 16;

/// Part that is left of earlier steps when another one is noted.
const KEPT: f64 = 0.9;

/// Time and work of recent steps. Older ones have a lower weight.
#[derive(Clone, Copy, Default)]
struct Speed {
    seconds: f64,
    edges: f64,
}

impl Speed {
    fn note(&mut self, took: Duration, edges: u64) {
        self.seconds = KEPT * self.seconds + took.as_secs_f64();
        self.edges = KEPT * self.edges + edges as f64;
    }

    /// Returns the time per edge, or `None` before the first step.
    fn per_edge(self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.seconds / self.edges.max(1.0))
    }
}

/// Speed of thin steps on one thread and on several.
#[derive(Default)]
pub(super) struct Sharing {
    alone: Speed,
    together: Speed,
    thin_steps: u32,
}

impl Sharing {
    /// Returns `true` if the next thin step should be shared.
    pub(super) fn shares(&mut self) -> bool {
        self.thin_steps = self.thin_steps.wrapping_add(1);
        let pays = match (self.together.per_edge(), self.alone.per_edge()) {
            (Some(together), Some(alone)) => together <= alone,
            _ => true,
        };
        pays != self.thin_steps.is_multiple_of(PROBE)
    }

    /// Notes how long a thin step took. `edges` are those along which vertices sent for the first time, so that
    /// repeated work counts as a loss of time.
    pub(super) fn note(&mut self, shared: bool, took: Duration, edges: u64) {
        let speed = if shared { &mut self.together } else { &mut self.alone };
        speed.note(took, edges);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many of 160 steps are shared if they take these times per edge, in nanoseconds.
    fn shared_steps(together: u64, alone: u64) -> usize {
        let mut sharing = Sharing::default();
        let steps = (0..160).map(|_| {
            let shares = sharing.shares();
            let each = if shares { together } else { alone };
            sharing.note(shares, Duration::from_nanos(1000 * each), 1000);
            shares
        });
        steps.filter(|&shares| shares).count()
    }

    #[test]
    fn the_faster_way_is_taken_except_for_probes() {
        assert_eq!(shared_steps(5, 10), 150);
        // The first fifteen steps are shared before it is known that one thread is faster.
        assert_eq!(shared_steps(10, 5), 15 + 9);
    }

    #[test]
    fn a_change_is_noticed() {
        let mut sharing = Sharing::default();
        for step in 0..1000 {
            let shares = sharing.shares();
            let each = if shares == (step < 500) { 5 } else { 10 };
            sharing.note(shares, Duration::from_nanos(1000 * each), 1000);
        }
        assert!((0..15).filter(|_| sharing.shares()).count() <= 1);
    }
}

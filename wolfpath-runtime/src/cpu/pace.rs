//! Sets the width of the next bucket. A wide bucket repeats work, since vertices send values that are improved within it; a
//! narrow one takes more steps. Both are counted, in edges, and the width follows whichever is less: what is repeated
//! grows with the width and the number of steps falls with it, so their sum is least where they are equal.

/// Costs, in edges of a vertex that sends again: these find nothing to improve, and most of what they read is
/// in the cache. Chosen by timing R-MAT 18, dblp-2010, cnr-2000, USA-road-NE, osm-moscow and the graphs of
/// `cargo bench --bench cpu -- --shapes` on two x86-64 cores; factors of 2 change little.
mod cost {
    /// An edge of a vertex that had not sent before.
    pub(super) const FIRST: u64 = 5;

    /// A vertex that sends, besides its edges.
    pub(super) const SENDER: u64 = 8;

    /// A step besides its edges, when one thread takes it.
    pub(super) const STEP_ALONE: u64 = 40;

    /// A step besides its edges, when all threads take it.
    pub(super) const STEP_TOGETHER: u64 = 8192;

    /// An entry of a vertex that waited: to make it, and to examine it when the bound is raised.
    pub(super) const EXAMINED: u64 = 20;
}

/// Indices of a bucket without a bound.
const WIDEST: u64 = u64::MAX;

/// The first bucket has no bound if the first step sends over at least one edge per this many vertices.
const LARGE_PART: u64 = 16;

/// The largest factor by which a bucket is narrower than the one before.
const MOST: f64 = 16.0;

/// The part of a vertex in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    /// Nothing: it has sent its value already.
    No,
    First,
    Again,
}

/// Number of senders, and of their edges.
#[derive(Clone, Copy, Default)]
pub(super) struct SenderTotals {
    pub(super) vertices: u64,
    pub(super) edges: u64,
}

impl SenderTotals {
    /// Adds a vertex with so many edges.
    #[inline]
    pub(super) fn add(&mut self, edges: u64) {
        self.vertices += 1;
        self.edges += edges;
    }

    /// Returns what they cost, at so much per edge.
    fn cost(self, edge: u64) -> u64 {
        self.vertices * cost::SENDER + self.edges * edge
    }
}

/// The senders of a step.
#[derive(Clone, Copy, Default)]
pub(super) struct StepSenders {
    /// All of them, and the edges of all.
    pub(super) near: SenderTotals,
    /// Those that had sent their value already.
    pub(super) none: SenderTotals,
    /// Those that had sent a worse value within the bound before.
    pub(super) again: SenderTotals,
}

impl StepSenders {
    /// Counts a vertex, which is one of `near`.
    #[inline]
    pub(super) fn note(&mut self, sending: Sending, edges: impl Fn() -> u64) {
        match sending {
            Sending::First => {}
            Sending::No => self.none.add(edges()),
            Sending::Again => self.again.add(edges()),
        }
    }

    /// Adds what another task noted.
    pub(super) fn append(&mut self, other: &StepSenders) {
        for (sum, part) in [(&mut self.none, other.none), (&mut self.again, other.again)] {
            sum.vertices += part.vertices;
            sum.edges += part.edges;
        }
    }

    /// Returns the edges sent over.
    pub(super) fn edges(&self) -> u64 {
        self.near.edges - self.none.edges
    }

    /// Returns what those had not sent before sent.
    fn first(&self) -> SenderTotals {
        let vertices = self.near.vertices - self.none.vertices - self.again.vertices;
        SenderTotals { vertices, edges: self.edges() - self.again.edges }
    }
}

/// Costs of steps, in edges.
#[derive(Clone, Copy, Default)]
struct Costs {
    /// Edges of vertices that had not sent before.
    first: u64,
    /// Edges of vertices that had sent a worse value before.
    again: u64,
    /// All other costs of steps.
    steps: u64,
}

/// The width of buckets, in indices, and what it depends on.
pub(super) struct Pace {
    span: u64,
    /// Of the whole run.
    run: Costs,
    /// Of this bucket, or since the bound was lowered in it.
    bucket: Costs,
    /// Of recent buckets, the older ones counted less.
    recent: Costs,
}

impl Pace {
    /// Indices in the mean width, which is that of the first bucket that is not the widest.
    pub(super) const PER_WIDTH: u64 = 1 << 10;

    /// Creates the pace of a run over `vertices` vertices whose first step sends over `edges` edges.
    ///
    /// If that step may reach a large part of the graph, the first bucket has no bound: to sort so many vertices by
    /// index would take about as long as to send from all of them.
    pub(super) fn new(vertices: u32, edges: u64) -> Pace {
        let reaches_many = edges >= u64::from(vertices) / LARGE_PART;
        let span = if reaches_many { WIDEST } else { Self::PER_WIDTH };
        Pace { span, run: Costs::default(), bucket: Costs::default(), recent: Costs::default() }
    }

    /// Returns `true` if the next bucket has no bound.
    pub(super) fn is_unbounded(&self) -> bool {
        self.span == WIDEST
    }

    /// Returns the number of indices of the next bucket.
    pub(super) fn span(&self) -> u64 {
        self.span
    }

    /// Counts a step.
    pub(super) fn count(&mut self, sent: &StepSenders, alone: bool) {
        let steps = if alone { cost::STEP_ALONE } else { cost::STEP_TOGETHER };
        for costs in [&mut self.run, &mut self.bucket, &mut self.recent] {
            costs.first += sent.first().cost(cost::FIRST);
            costs.again += sent.again.cost(1);
            costs.steps += steps;
        }
    }

    /// Counts vertices that waited and were examined when the bound was raised.
    pub(super) fn count_examined(&mut self, vertices: u64) {
        for costs in [&mut self.run, &mut self.bucket, &mut self.recent] {
            costs.steps += vertices * cost::EXAMINED;
        }
    }

    /// Returns `true` if so much was sent again in this bucket that its bound is to be lowered, which looks at `waiting`
    /// vertices, and narrows the buckets that follow.
    pub(super) fn is_too_wide(&mut self, waiting: usize) -> bool {
        let Costs { first, again, steps } = self.bucket;
        let (allowed, may_repeat) = match self.span {
            WIDEST => (first / 8, false),
            _ => (first, self.may_repeat()),
        };
        let costs_less = again <= allowed + steps + waiting as u64 * cost::EXAMINED;
        let is_too_wide = !costs_less && !may_repeat && self.span > 1;
        if is_too_wide {
            self.narrow(steps, again);
            self.bucket = Costs::default();
            self.recent = Costs::default();
        }
        is_too_wide
    }

    /// Sets the width of the next bucket by what the last ones cost.
    pub(super) fn next_bucket(&mut self) {
        let Costs { first, again, steps } = self.recent;
        if again > steps && again > first / 4 && !self.may_repeat() {
            self.narrow(steps, again);
        } else if 4 * again < steps && steps > first / 4 && self.may_repeat() {
            let factor = (steps as f64 / (1 + again) as f64).sqrt().clamp(2.0, 4.0);
            self.span = (self.span as f64 * factor) as u64;
        }
        for cost in [&mut self.recent.first, &mut self.recent.again, &mut self.recent.steps] {
            *cost /= 2;
        }
        self.bucket = Costs::default();
    }

    /// Returns `true` while what was sent again in this run is no more than a quarter of the rest.
    fn may_repeat(&self) -> bool {
        self.run.again <= self.run.first / 4
    }

    /// Narrows buckets: the widest to the mean width, others so that both costs would have been equal.
    fn narrow(&mut self, steps: u64, again: u64) {
        let factor = (steps as f64 / again as f64).sqrt().max(1.0 / MOST);
        self.span = match self.span {
            WIDEST => Self::PER_WIDTH,
            span => ((span as f64 * factor) as u64).max(1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step in which `first` edges were sent over for the first time and `again` edges again.
    fn step(first: u64, again: u64) -> StepSenders {
        let again = SenderTotals { vertices: 0, edges: again };
        StepSenders {
            near: SenderTotals { vertices: 0, edges: first + again.edges },
            again,
            ..StepSenders::default()
        }
    }

    /// A run whose first step sends over few edges.
    fn begun() -> Pace {
        Pace::new(1_000_000, 3)
    }

    #[test]
    fn only_a_first_step_that_reaches_many_vertices_has_no_bound() {
        assert_eq!(begun().span(), Pace::PER_WIDTH);
        assert!(!begun().is_unbounded());
        assert!(Pace::new(1_000_000, 62_500).is_unbounded());
        assert!(Pace::new(3, 0).is_unbounded());
    }

    #[test]
    fn buckets_that_repeat_work_become_narrower_and_no_less_than_one_index_wide() {
        let mut pace = begun();
        let mut before = pace.span();
        while before > 1 {
            pace.count(&step(1_000, 1_000_000), true);
            pace.next_bucket();
            assert!(pace.span() < before, "{}", pace.span());
            assert!(pace.span() as f64 >= (before as f64 / MOST).floor(), "{before} -> {}", pace.span());
            before = pace.span();
        }
        pace.count(&step(1_000, 1_000_000), true);
        pace.next_bucket();
        assert_eq!(pace.span(), 1);
    }

    #[test]
    fn buckets_of_many_short_steps_become_wider() {
        let mut pace = begun();
        for _ in 0..20 {
            let before = pace.span();
            (0..1_000).for_each(|_| pace.count(&step(1, 0), true));
            pace.next_bucket();
            assert!(pace.span() >= 2 * before && pace.span() <= 4 * before, "{before} -> {}", pace.span());
        }
    }

    /// Examining entries costs time as steps do: buckets that examine many are widened.
    #[test]
    fn buckets_that_examine_many_entries_become_wider() {
        let mut pace = begun();
        pace.count(&step(1_000, 0), true);
        pace.count_examined(1_000);
        pace.next_bucket();
        assert!(pace.span() > Pace::PER_WIDTH);
    }

    #[test]
    fn buckets_that_cost_what_their_edges_cost_stay_as_they_are() {
        let mut pace = begun();
        for _ in 0..20 {
            pace.count(&step(1_000_000, 100), true);
            pace.next_bucket();
        }
        assert_eq!(pace.span(), Pace::PER_WIDTH);
    }

    #[test]
    fn a_bound_is_lowered_when_more_is_repeated_than_lowering_it_costs() {
        let mut pace = begun();
        pace.count(&step(1_000, 100), true);
        assert!(!pace.is_too_wide(10));
        pace.count(&step(1_000, 100_000), true);
        assert!(!pace.is_too_wide(1_000_000), "so many entries would be examined");
        assert!(pace.is_too_wide(10));
        assert!(pace.span() < Pace::PER_WIDTH);
        assert!(!pace.is_too_wide(10), "nothing has been repeated since");
    }

    #[test]
    fn an_unbounded_bucket_is_lowered_early_and_then_has_the_mean_width() {
        let mut pace = Pace::new(1_000, 1_000);
        pace.count(&step(1_000, 0), true);
        assert!(!pace.is_too_wide(0));
        pace.count(&step(1_000, 2_000), true);
        assert!(pace.is_too_wide(0));
        assert_eq!(pace.span(), Pace::PER_WIDTH);
    }
}

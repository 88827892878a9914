//! Sets the width of the next bucket, as a number of indices (small units into which `scale` divides the values). A
//! wide bucket repeats work, since vertices send values that are improved within the bucket. A narrow bucket takes more
//! steps. Both costs are counted, in units of edges. Repeated work grows with the width, and the number of steps falls,
//! so the sum of the costs is smallest where the two are equal. The width is adapted towards that point.

/// Costs, as multiples of the cost of an edge of a vertex that sends again. Such an edge is cheap: it usually improves
/// nothing, and most of what it reads is in the cache. The values were chosen by timing R-MAT 18, dblp-2010, cnr-2000,
/// USA-road-NE, osm-moscow and the graphs of `cargo bench --bench cpu -- --shapes` on two x86-64 cores. Changing a
/// value by a factor of 2 makes little difference.
mod cost {
    /// Cost of an edge of a vertex that had not sent before.
    pub(super) const FIRST: u64 = 5;

    /// Cost of a vertex that sends, without its edges.
    pub(super) const SENDER: u64 = 8;

    /// Cost of an entry of a vertex that has already sent.
    pub(super) const ENTRY: u64 = 2;

    /// Cost of a step on one thread, without its edges.
    pub(super) const STEP_ALONE: u64 = 40;

    /// Cost of a step on all threads, without its edges.
    pub(super) const STEP_TOGETHER: u64 = 8192;

    /// Cost of an entry of a waiting vertex: creating it, and examining it when the bound is raised.
    pub(super) const EXAMINED: u64 = 20;
}

/// Number of indices of a bucket without a bound.
const WIDEST: u64 = u64::MAX;

/// The first bucket has no bound if the first step sends along at least one edge per this many vertices.
const LARGE_PART: u64 = 16;

/// Largest factor by which a bucket is narrower than the previous one.
const MOST: f64 = 16.0;

/// Number of senders, and of their edges.
#[derive(Clone, Copy, Default)]
pub(super) struct SenderTotals {
    pub(super) vertices: u64,
    pub(super) edges: u64,
}

impl SenderTotals {
    /// Adds a vertex with `edges` edges.
    #[inline]
    pub(super) fn add(&mut self, edges: u64) {
        self.vertices += 1;
        self.edges += edges;
    }

    /// Returns the cost of these senders if an edge costs `edge`.
    fn cost(self, edge: u64) -> u64 {
        self.vertices * cost::SENDER + self.edges * edge
    }
}

/// Senders of a step.
#[derive(Clone, Copy, Default)]
pub(super) struct StepSenders {
    /// Number of entries whose vertices did not send, because they had already sent their current value.
    none: u64,
    /// Vertices that had not sent before.
    first: SenderTotals,
    /// Vertices that had already sent a worse value.
    again: SenderTotals,
}

impl StepSenders {
    /// Counts an entry of a vertex that does not send, because it has already sent its current value.
    #[inline]
    pub(super) fn skip(&mut self) {
        self.none += 1;
    }

    /// Counts a vertex that sends along this number of edges. `again` is `true` if it has sent a worse value since the
    /// bound was last lowered.
    #[inline]
    pub(super) fn add(&mut self, again: bool, edges: u64) {
        if again { self.again.add(edges) } else { self.first.add(edges) }
    }

    /// Adds the counts of another worker.
    pub(super) fn append(&mut self, other: &StepSenders) {
        self.none += other.none;
        for (sum, part) in [(&mut self.first, other.first), (&mut self.again, other.again)] {
            sum.vertices += part.vertices;
            sum.edges += part.edges;
        }
    }

    /// Returns the number of edges along which vertices sent for the first time.
    pub(super) fn first_edges(&self) -> u64 {
        self.first.edges
    }

    /// Returns the number of edges along which vertices sent.
    pub(super) fn edges(&self) -> u64 {
        self.first.edges + self.again.edges
    }
}

/// Costs of steps, in units of edges.
#[derive(Clone, Copy, Default)]
struct Costs {
    /// Cost of vertices that had not sent before.
    first: u64,
    /// Cost of vertices that had sent a worse value before.
    again: u64,
    /// All other costs of steps.
    steps: u64,
}

/// Number of parts into which the range of the vertices of a bucket that is too wide is divided.
const PARTS: u64 = 4;

/// Width of buckets in indices, and the costs from which it is derived.
pub(super) struct Pace {
    span: u64,
    /// Costs of the whole run.
    run: Costs,
    /// Costs of this bucket, since it began or its bound was last lowered.
    bucket: Costs,
    /// Costs of recent buckets. Older buckets have a lower weight.
    recent: Costs,
}

impl Pace {
    /// Number of indices of a bucket with the width that `scale` estimates. The first bucket that has a bound is this
    /// wide.
    pub(super) const PER_WIDTH: u64 = 1 << 10;

    /// Creates the pace of a run over `vertices` vertices whose first step sends over `edges` edges.
    ///
    /// If that step may reach a large part of the graph, the first bucket has no bound, because sorting that part by
    /// index would take about as long as sending from all of its vertices.
    ///
    /// If the run may not need all buckets (`stops_early`), all of them are narrow.
    pub(super) fn new(vertices: u32, edges: u64, stops_early: bool) -> Pace {
        let reaches_many = !stops_early && edges >= u64::from(vertices) / LARGE_PART;
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

    /// Narrows the following buckets to a quarter of `range`, the difference between the largest and the smallest index
    /// in a bucket that was too wide. Otherwise many buckets may pass before the width is as small as the differences
    /// between values.
    pub(super) fn divide(&mut self, range: u64) {
        self.span = self.span.min((range / PARTS).max(1));
    }

    /// Counts the costs of a step.
    pub(super) fn count(&mut self, sent: &StepSenders, alone: bool) {
        let steps = if alone { cost::STEP_ALONE } else { cost::STEP_TOGETHER };
        for costs in [&mut self.run, &mut self.bucket, &mut self.recent] {
            costs.first += sent.first.cost(cost::FIRST);
            costs.again += sent.again.cost(1);
            costs.steps += steps + sent.none * cost::ENTRY;
        }
    }

    /// Counts waiting vertices that were examined when the bound was raised.
    pub(super) fn count_examined(&mut self, vertices: u64) {
        for costs in [&mut self.run, &mut self.bucket, &mut self.recent] {
            costs.steps += vertices * cost::EXAMINED;
        }
    }

    /// Returns `true` if this bucket repeated so much work that its bound should be lowered, and narrows the following
    /// buckets in that case. `waiting` is the number of entries that lowering the bound would examine.
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

    /// Sets the width of the next bucket from the costs of recent buckets.
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

    /// Returns `true` if in this run, sending again has cost at most a quarter of sending for the first time.
    fn may_repeat(&self) -> bool {
        self.run.again <= self.run.first / 4
    }

    /// Narrows the following buckets. If buckets had no bound, they get the width `PER_WIDTH`. Otherwise they get the
    /// width at which the costs of steps and of repeated work would have been equal.
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

    #[test]
    fn dividing_narrows_but_never_to_nothing() {
        let mut pace = Pace::new(1000, 1, false);
        assert_eq!(pace.span(), Pace::PER_WIDTH);
        for (range, span) in [(1 << 20, Pace::PER_WIDTH), (100, 25), (1 << 20, 25), (3, 1), (0, 1)] {
            pace.divide(range);
            assert_eq!(pace.span(), span, "after a range of {range}");
        }
    }

    /// Returns a step that sends along `first` edges for the first time and `again` edges again.
    fn step(first: u64, again: u64) -> StepSenders {
        let edges = |edges| SenderTotals { vertices: 0, edges };
        StepSenders { none: 0, first: edges(first), again: edges(again) }
    }

    /// Returns the pace of a run whose first step sends along few edges.
    fn begun() -> Pace {
        Pace::new(1_000_000, 3, false)
    }

    #[test]
    fn only_a_first_step_that_reaches_many_vertices_has_no_bound() {
        assert_eq!(begun().span(), Pace::PER_WIDTH);
        assert!(!begun().is_unbounded());
        assert!(Pace::new(1_000_000, 62_500, false).is_unbounded());
        assert!(!Pace::new(1_000_000, 62_500, true).is_unbounded());
        assert!(Pace::new(3, 0, false).is_unbounded());
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

    /// Examining entries takes time like steps do, so buckets that examine many entries become wider.
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
        assert!(!pace.is_too_wide(1_000_000), "lowering the bound would examine too many entries");
        assert!(pace.is_too_wide(10));
        assert!(pace.span() < Pace::PER_WIDTH);
        assert!(!pace.is_too_wide(10), "nothing has been repeated since");
    }

    #[test]
    fn an_unbounded_bucket_is_lowered_early_and_then_has_the_mean_width() {
        let mut pace = Pace::new(1_000, 1_000, false);
        pace.count(&step(1_000, 0), true);
        assert!(!pace.is_too_wide(0));
        pace.count(&step(1_000, 2_000), true);
        assert!(pace.is_too_wide(0));
        assert_eq!(pace.span(), Pace::PER_WIDTH);
    }
}

//! Sets the width of the next bucket. A wide bucket repeats work, since vertices send values that are improved within it; a
//! narrow one takes more steps. Both are counted, in edges, and the width follows whichever is less: what is repeated
//! grows with the width and the number of steps falls with it, so their sum is least where they are equal.

/// Costs, in edges of a vertex that sends again: these find nothing to improve, and most of what they read is
/// in the cache. Measured on two x86-64 cores over R-MAT 18, dblp-2010 and osm-moscow.
mod cost {
    /// An edge of a vertex that had not sent before.
    pub(super) const FIRST: u64 = 5;

    /// A vertex that sends, besides its edges.
    pub(super) const SENDER: u64 = 8;

    /// A step besides its edges, when one thread takes it.
    pub(super) const STEP_ALONE: u64 = 40;

    /// A step besides its edges, when all threads take it.
    pub(super) const STEP_TOGETHER: u64 = 8192;

    /// A vertex that waited and was examined.
    pub(super) const EXAMINED: u64 = 5;
}

/// The indices of a bucket without a bound, which everybody is within: so a run begins.
const WIDEST: u64 = u64::MAX;

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

/// Vertices and their edges.
#[derive(Clone, Copy, Default)]
pub(super) struct Sent {
    pub(super) vertices: u64,
    pub(super) edges: u64,
}

impl Sent {
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
pub(super) struct StepSent {
    /// All of them, and the edges of all.
    pub(super) near: Sent,
    /// Those that had sent their value already.
    pub(super) none: Sent,
    /// Those that had sent a worse value within the bound before.
    pub(super) again: Sent,
}

impl StepSent {
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
    pub(super) fn append(&mut self, other: &StepSent) {
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
    fn first(&self) -> Sent {
        let vertices = self.near.vertices - self.none.vertices - self.again.vertices;
        Sent { vertices, edges: self.edges() - self.again.edges }
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

    pub(super) fn new() -> Pace {
        Pace { span: WIDEST, run: Costs::default(), bucket: Costs::default(), recent: Costs::default() }
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
    pub(super) fn count(&mut self, sent: &StepSent, alone: bool) {
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

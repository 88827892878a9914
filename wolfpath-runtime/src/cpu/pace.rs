//! How wide the next bucket is. A wide bucket repeats work, since vertices send values that are improved within it; a
//! narrow one takes more steps. Both are counted, in edges, and the width follows whichever is less: what is repeated
//! grows with the width and the number of steps falls with it, so their sum is least where they are equal.

/// What a step costs besides its edges, in edges, when one thread takes it.
const STEP_ALONE: u64 = 16;

/// What a step costs besides its edges, in edges, when all threads take it.
const STEP_TOGETHER: u64 = 8192;

/// What it costs to examine a vertex that waited, in edges.
const EXAMINED: u64 = 1;

/// Indices of the first bucket.
const FIRST_SPAN: u64 = 1 << 10;

/// The largest factor by which the span changes at a time.
const MOST: f64 = 16.0;

/// What a vertex that is about to send does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    /// Nothing: it has sent its value already.
    No,
    First,
    Again,
}

/// Edges sent over in a step.
#[derive(Clone, Copy, Default)]
pub(super) struct EdgesSent {
    /// Those of vertices that had not sent before.
    pub(super) first: u64,
    /// Those of vertices that had sent a worse value before.
    pub(super) again: u64,
}

impl EdgesSent {
    #[inline]
    pub(super) fn add(&mut self, sending: Sending, edges: u64) {
        match sending {
            Sending::No => {}
            Sending::First => self.first += edges,
            Sending::Again => self.again += edges,
        }
    }
}

/// What steps have cost, in edges.
#[derive(Clone, Copy, Default)]
struct Costs {
    /// Edges of vertices that had not sent before.
    first: u64,
    /// Edges of vertices that had sent a worse value before.
    again: u64,
    /// What steps cost besides.
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
    /// Indices in the mean width.
    pub(super) const PER_WIDTH: u64 = FIRST_SPAN;

    pub(super) fn new() -> Pace {
        Pace { span: FIRST_SPAN, run: Costs::default(), bucket: Costs::default(), recent: Costs::default() }
    }

    /// Returns the number of indices of the next bucket.
    pub(super) fn span(&self) -> u64 {
        self.span
    }

    /// Counts a step that sent over `edges`, `again` of them from vertices that had sent before.
    pub(super) fn count(&mut self, edges: EdgesSent, alone: bool) {
        let steps = if alone { STEP_ALONE } else { STEP_TOGETHER };
        for costs in [&mut self.run, &mut self.bucket, &mut self.recent] {
            costs.first += edges.first;
            costs.again += edges.again;
            costs.steps += steps;
        }
    }

    /// Counts vertices that waited and were examined when the bound was raised.
    pub(super) fn count_examined(&mut self, vertices: u64) {
        for costs in [&mut self.run, &mut self.bucket, &mut self.recent] {
            costs.steps += vertices * EXAMINED;
        }
    }

    /// Returns `true` if so much was repeated in this bucket that its bound is to be lowered, which looks at `waiting`
    /// vertices. Narrows the buckets that follow.
    pub(super) fn is_too_wide(&mut self, waiting: usize) -> bool {
        let Costs { first, again, steps } = self.bucket;
        let is_too_wide = self.span > 1 && again > first / 4 + steps + waiting as u64;
        if is_too_wide {
            self.scale((steps as f64 / again as f64).sqrt());
            self.bucket = Costs::default();
            self.recent = Costs::default();
        }
        is_too_wide
    }

    /// Sets the width of the next bucket by what the last ones cost.
    pub(super) fn next_bucket(&mut self) {
        let Costs { first, again, steps } = self.recent;
        let may_repeat = self.run.again <= self.run.first / 4;
        if again > steps {
            self.scale((steps as f64 / again as f64).sqrt());
        } else if 4 * again < steps && steps > first / 4 && may_repeat {
            self.scale(2.0);
        }
        for cost in [&mut self.recent.first, &mut self.recent.again, &mut self.recent.steps] {
            *cost /= 2;
        }
        self.bucket = Costs::default();
    }

    fn scale(&mut self, factor: f64) {
        self.span = ((self.span as f64 * factor.clamp(1.0 / MOST, MOST)) as u64).max(1);
    }
}

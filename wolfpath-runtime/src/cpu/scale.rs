//! Conversion of values to indices. The index of a value is its distance from the nearest first value. The unit is a
//! small part of the amount that an edge adds to a value.

use wolfpath_core::program::{CombineKind, Datum, EdgeProgram};

use super::halt::Halt;
use super::pace::Pace;
use super::relax::Relax;
use super::view::View;
use super::words::{Word, from_word, to_word};
use crate::numbers::{from_f64, to_f64};

/// Width of a bucket, as a multiple of the mean difference that an edge makes.
const WIDTH_FACTOR: f64 = 4.0;

/// Number of vertices whose edges are sampled to find the width.
const SAMPLES: u32 = 512;

/// Headroom in bits. When the base of the distances is moved, the unit is chosen so that the largest finite distance is
/// at most the farthest index divided by 2^24.
const ROOM: u32 = 24;

/// Conversion of values to indices.
pub(super) struct Scale {
    /// Value from which distances are measured.
    base: f64,
    /// Number of indices per 1.0 of distance.
    per_unit: f64,
    /// Largest index of the current bucket.
    bound: u64,
    /// Word of a value near the bound. Values that are equal or better have an index of at most the bound. Most values
    /// within the bound are recognized by this comparison alone.
    within: u64,
}

impl Scale {
    /// Index of all values that are too far from the base to be distinguished.
    pub(super) const FARTHEST: u64 = u64::MAX;

    /// Creates the scale of a run that starts with these vertices. A bucket's width is [`Pace::PER_WIDTH`] units.
    pub(super) fn new<P: EdgeProgram, W: Word>(
        relax: &Relax<'_, P, W>,
        frontier: &[u32],
    ) -> Result<Scale, Halt> {
        // For subnormal weights the width is so small that the quotient would be infinite.
        let per_unit = (Pace::PER_WIDTH as f64 / width(relax, frontier)?).min(f64::MAX);
        Ok(Scale { base: 0.0, per_unit, bound: 0, within: nearest_word::<P, W>() })
    }

    /// Moves the base to the nearest of these vertices. Enlarges the unit, if necessary, so that all finite distances
    /// of these vertices are far below [`FARTHEST`](Self::FARTHEST). Moving the base is therefore needed at most once
    /// each time the range of values grows by a factor of 2^24.
    pub(super) fn measure_from_nearest<P: EdgeProgram, W: Word>(
        &mut self,
        relax: &Relax<'_, P, W>,
        vertices: &[u32],
    ) {
        let kind = Relax::<P, W>::KIND;
        let words = || vertices.iter().map(|&v| relax.values[v as usize].load());
        let nearest = if kind == CombineKind::Max { words().max() } else { words().min() };
        let Some(nearest) = nearest else { return };
        self.base = to_f64(from_word::<P::Value>(kind, nearest));
        let differences = words().map(|word| self.difference::<P, W>(word));
        let most = differences.filter(|difference| difference.is_finite()).fold(0.0, f64::max);
        let room = (Self::FARTHEST >> ROOM) as f64;
        // The product may be infinite.
        if most * self.per_unit > room {
            self.per_unit = room / most;
        }
    }

    /// Returns the largest index of the current bucket.
    #[inline]
    pub(super) fn bound(&self) -> u64 {
        self.bound
    }

    /// Sets the bound to this index.
    pub(super) fn set_bound<P: EdgeProgram, W: Word>(&mut self, index: u64) {
        let kind = Relax::<P, W>::KIND;
        self.bound = index;
        if index == Self::FARTHEST {
            self.within = if kind == CombineKind::Max { 0 } else { W::MAX };
            return;
        }
        // One index less than the bound, since the conversion to a value and back may be off by one.
        let distance = index.saturating_sub(2) as f64 / self.per_unit;
        let value = if kind == CombineKind::Max { self.base - distance } else { self.base + distance };
        let word = to_word(kind, W::MAX, from_f64::<P::Value>(value));
        // A value of a type with coarse steps may still be beyond it.
        let is_within = self.index_of::<P, W>(word) <= index;
        self.within = if is_within { word } else { nearest_word::<P, W>() };
    }

    /// Returns the difference by which a vertex's value is worse than the base.
    #[inline]
    fn difference<P: EdgeProgram, W: Word>(&self, word: u64) -> f64 {
        let value = to_f64(from_word::<P::Value>(Relax::<P, W>::KIND, word));
        if Relax::<P, W>::KIND == CombineKind::Max { self.base - value } else { value - self.base }
    }

    /// Returns the index of the value with this word, at least 1. The index never increases when the value improves.
    #[inline]
    pub(super) fn index_of<P: EdgeProgram, W: Word>(&self, word: u64) -> u64 {
        // The conversion saturates. NaN, the distance between two infinities, becomes 0.
        ((self.difference::<P, W>(word) * self.per_unit) as u64).saturating_add(1)
    }

    /// Returns `true` if the value with this word is within the bound. A value near the bound may be within it although
    /// the result is `false`.
    #[inline(always)]
    pub(super) fn is_within<P: EdgeProgram, W: Word>(&self, word: u64) -> bool {
        match Relax::<P, W>::KIND {
            CombineKind::Max => word >= self.within,
            _ => word <= self.within,
        }
    }
}

/// Returns the word of the best value. Every other value is worse.
fn nearest_word<P: EdgeProgram, W: Word>() -> u64 {
    if Relax::<P, W>::KIND == CombineKind::Max { W::MAX } else { 0 }
}

/// Returns the width of a bucket: a few times the amount that an edge adds to a value, estimated from a sample of
/// edges. If that amount is not a positive number, the width is infinite, so that every vertex is near.
fn width<P: EdgeProgram, W: Word>(relax: &Relax<'_, P, W>, frontier: &[u32]) -> Result<f64, Halt> {
    let view = relax.view;
    let Some(first) = frontier.first().map(|&v| relax.value(v)) else {
        return Ok(f64::INFINITY);
    };
    let (mut sum, mut count, mut held) = (0.0, 0.0, first);
    let stride = (view.num_vertices() / SAMPLES).max(1) as usize;
    for v in (0..view.num_vertices()).step_by(stride) {
        if let Some(message) = first_message(view, v, held)? {
            let next = P::Value::from_bits(message.to_bits());
            let difference = (to_f64(next) - to_f64(held)).abs();
            let is_start = held.same(first);
            if !is_start && difference.is_finite() {
                sum += difference;
                count += 1.0;
            }
            // Two consecutive edges show what an edge adds even if the first value is infinite.
            held = if is_start { next } else { first };
        }
    }
    let mean = sum / count;
    Ok(if mean > 0.0 { mean * WIDTH_FACTOR } else { f64::INFINITY })
}

/// Returns the message along the first edge of `v` if `v` had the value `value`. A fault is ignored here, because the
/// run itself will report it.
fn first_message<P: EdgeProgram>(
    view: &View<'_, P>,
    v: u32,
    value: P::Value,
) -> Result<Option<P::Message>, Halt> {
    let mut first = None;
    view.visit_sends(v, |end, weight| {
        first = view.message(value, weight, v, end).unwrap_or(None);
        Ok(false)
    })?;
    Ok(first)
}

//! What one parallel pass over a column of weights finds: the first negative weight, the largest weight, and the sum.

use super::{WeightSlice, with_column};
use crate::parallel;

/// Facts about the weights of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Position of the first negative weight.
    pub(crate) first_negative: Option<usize>,
    /// The largest weight, if all weights are non-negative integers; 0 for an empty column.
    pub(crate) largest: Option<u64>,
    /// The sum of all weights, if all weights are non-negative integers.
    pub(crate) sum: Option<u128>,
}

impl Extent {
    const EMPTY: Extent = Extent { first_negative: None, largest: Some(0), sum: Some(0) };

    /// Returns the facts about two pieces of a column together.
    fn and(self, other: Extent) -> Extent {
        let first = self.first_negative.into_iter().chain(other.first_negative).min();
        Extent {
            first_negative: first,
            largest: self.largest.zip(other.largest).map(|(a, b)| a.max(b)),
            sum: self.sum.zip(other.sum).map(|(a, b)| a + b),
        }
    }

    /// Returns the facts about a piece without integers, or with a negative one.
    fn without_sums(first_negative: Option<usize>) -> Extent {
        Extent { first_negative, largest: None, sum: None }
    }
}

impl WeightSlice<'_> {
    /// Reads all weights once.
    pub(crate) fn extent(self) -> Extent {
        with_column!(WeightSlice, self, column => {
            let of = |range: std::ops::Range<usize>| Measured::extent(&column[range.clone()], range.start);
            parallel::fold(column.len(), Extent::EMPTY, &of, Extent::and)
        })
    }
}

/// A number type of weights.
trait Measured: Sized {
    /// Returns the facts about a piece that begins at position `start` of its column.
    fn extent(piece: &[Self], start: usize) -> Extent;
}

/// Largest weight for which the sum of a piece of up to 2^32 weights fits in 64 bits, which are added much faster.
const ADDED_IN_64_BITS: u64 = u32::MAX as u64;

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Measured for $type {
            #[allow(unused_comparisons, reason = "unsigned types have no negative numbers")]
            fn extent(piece: &[$type], start: usize) -> Extent {
                if piece.iter().fold(0, |least: $type, &weight| least.min(weight)) < 0 {
                    let first = piece.iter().position(|&weight| weight < 0);
                    return Extent::without_sums(first.map(|offset| start + offset));
                }
                let largest = piece.iter().fold(0, |largest: $type, &weight| largest.max(weight)) as u64;
                let sum = if largest <= ADDED_IN_64_BITS {
                    piece.iter().map(|&weight| weight as u64).sum::<u64>().into()
                } else {
                    piece.iter().map(|&weight| weight as u128).sum()
                };
                Extent { first_negative: None, largest: Some(largest), sum: Some(sum) }
            }
        }
    )*};
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Measured for $type {
            fn extent(piece: &[$type], start: usize) -> Extent {
                let first = piece.iter().position(|&weight| weight < 0.0);
                Extent::without_sums(first.map(|offset| start + offset))
            }
        }
    )*};
}

integers!(u8 u16 u32 i32 u64 i64);
floats!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first_negative: Option<usize>, largest: Option<u64>, sum: Option<u128>) -> Extent {
        Extent { first_negative, largest, sum }
    }

    #[test]
    fn one_pass_finds_everything() {
        let sum = 2 * u128::from(u64::MAX);
        assert_eq!(WeightSlice::U64(&[u64::MAX, u64::MAX]).extent(), found(None, Some(u64::MAX), Some(sum)));
        assert_eq!(WeightSlice::I32(&[3, 7]).extent(), found(None, Some(7), Some(10)));
        assert_eq!(WeightSlice::I64(&[3, -7, -8]).extent(), found(Some(1), None, None));
        assert_eq!(WeightSlice::F32(&[-0.0, 2.5]).extent(), found(None, None, None));
        assert_eq!(WeightSlice::F64(&[1.0, -0.5]).extent(), found(Some(1), None, None));
        assert_eq!(WeightSlice::U32(&[]).extent(), found(None, Some(0), Some(0)));
    }

    #[test]
    fn pieces_are_put_together() {
        let mut weights = vec![u32::MAX; 100_000];
        assert_eq!(WeightSlice::U32(&weights).extent().sum, Some(100_000 * u128::from(u32::MAX)));
        weights[99_999] = 1;
        assert_eq!(WeightSlice::U32(&weights).extent().largest, Some(u32::MAX.into()));
        let mut signed: Vec<i32> = (0..100_000).collect();
        (signed[70_000], signed[30_000]) = (-1, -2);
        assert_eq!(WeightSlice::I32(&signed).extent(), found(Some(30_000), None, None));
    }
}

//! Edge weights: columns, each stored once in the narrowest type that represents all its numbers exactly, and converted
//! to the type that a program reads. The types of programs have 32 or 64 bits; graphs also store `u8` and `u16`. Most graphs have one column. Several named [columns](ColumnRow) serve programs
//! whose weight is a struct.
//!
//! No column contains NaN: every public constructor rejects it. The stored type does not affect programs. They read the
//! result of [`WeightSlice::convert`], which contains the same numbers in the program's type, or is an error.

pub(crate) mod builder;
pub(crate) mod columns;
mod convert;
pub(crate) mod extent;
mod fields;
pub(crate) mod number;

pub(crate) use builder::WeightBuilder;
pub use columns::{ColumnError, ColumnNumber, ColumnRow, MOST_COLUMNS, WEIGHT};
pub(crate) use columns::{Columns, Named};
#[doc(hidden)]
pub use columns::{check_names, find as find_column, first_negative_in, listed as listed_columns};
pub use convert::ConvertError;
#[doc(hidden)]
pub use fields::{FieldNumbers, structs_of};
pub(crate) use number::Number;
use number::Stored;
pub use number::WeightNumber;

use crate::parallel;
use crate::program::DatumKind;
use crate::space::Array;
use std::cmp::Ordering;
use std::ops::Range;

/// A column of weights, one per edge.
///
/// ```
/// use wolfpath::program::DatumKind;
/// use wolfpath::weights::Weights;
///
/// let lengths = Weights::U32(vec![30, 10, 20]);
/// assert_eq!((lengths.len(), lengths.kind(), lengths.get(1)), (3, DatumKind::U32, 10.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// Integers up to 255. Graphs store such weights; programs read them in a wider type.
    U8(Vec<u8>),
    /// Integers up to 65,535, stored like [`Weights::U8`].
    U16(Vec<u16>),
    /// Non-negative integers of 32 bits.
    U32(Vec<u32>),
    /// Signed integers of 32 bits.
    I32(Vec<i32>),
    /// Non-negative integers of 64 bits.
    U64(Vec<u64>),
    /// Signed integers of 64 bits.
    I64(Vec<i64>),
    /// Numbers that single precision represents exactly.
    F32(Vec<f32>),
    /// All other numbers.
    F64(Vec<f64>),
}

/// Weights as plain bits, for code that moves weights and does not depend on their type.
#[derive(Debug)]
#[doc(hidden)]
pub enum WeightBits {
    /// Weights of 8 bits.
    Byte(Array<u8>),
    /// Weights of 16 bits.
    Half(Array<u16>),
    /// Weights of 32 bits.
    Narrow(Array<u32>),
    /// Weights of 64 bits.
    Wide(Array<u64>),
}

impl WeightBits {
    /// Views these bits as weights of a number type.
    ///
    /// # Panics
    /// Panics if `kind` is not a number type of the same width.
    pub(crate) fn slice(&self, kind: DatumKind) -> WeightSlice<'_> {
        let (width, bytes): (usize, &[u8]) = match self {
            WeightBits::Byte(bits) => (size_of::<u8>(), bits),
            WeightBits::Half(bits) => (size_of::<u16>(), bytemuck::cast_slice(bits)),
            WeightBits::Narrow(bits) => (size_of::<u32>(), bytemuck::cast_slice(bits)),
            WeightBits::Wide(bits) => (size_of::<u64>(), bytemuck::cast_slice(bits)),
        };
        assert_eq!(width, kind.size(), "weights of type {} in bits of another width", kind.name());
        WeightSlice::from_bytes(kind, bytes).expect("weights have a number type")
    }
}

/// A borrowed column of weights, in a graph or a file.
///
/// ```
/// use wolfpath::weights::WeightSlice;
///
/// let lengths = WeightSlice::F32(&[0.5, 2.0, -1.0]);
/// assert_eq!(lengths.first_negative(), Some(2));
/// assert_eq!(WeightSlice::U32(&[3, 4]).sum_integer(), Some(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightSlice<'a> {
    /// See [`Weights::U8`].
    U8(&'a [u8]),
    /// See [`Weights::U16`].
    U16(&'a [u16]),
    /// See [`Weights::U32`].
    U32(&'a [u32]),
    /// See [`Weights::I32`].
    I32(&'a [i32]),
    /// See [`Weights::U64`].
    U64(&'a [u64]),
    /// See [`Weights::I64`].
    I64(&'a [i64]),
    /// See [`Weights::F32`].
    F32(&'a [f32]),
    /// See [`Weights::F64`].
    F64(&'a [f64]),
}

/// Evaluates one expression for a column of any type.
macro_rules! with_column {
    ($enum:ident, $weights:expr, $column:ident => $body:expr) => {
        match $weights {
            $enum::U8($column) => $body,
            $enum::U16($column) => $body,
            $enum::U32($column) => $body,
            $enum::I32($column) => $body,
            $enum::U64($column) => $body,
            $enum::I64($column) => $body,
            $enum::F32($column) => $body,
            $enum::F64($column) => $body,
        }
    };
}

/// Evaluates one expression for a column of any type, and wraps the result as a column of the same type.
macro_rules! map_column {
    ($from:ident => $to:ident, $weights:expr, $column:ident => $body:expr) => {
        match $weights {
            $from::U8($column) => $to::U8($body),
            $from::U16($column) => $to::U16($body),
            $from::U32($column) => $to::U32($body),
            $from::I32($column) => $to::I32($body),
            $from::U64($column) => $to::U64($body),
            $from::I64($column) => $to::I64($body),
            $from::F32($column) => $to::F32($body),
            $from::F64($column) => $to::F64($body),
        }
    };
}

pub(crate) use with_column;

impl Weights {
    /// Borrows the column.
    pub fn slice(&self) -> WeightSlice<'_> {
        map_column!(Weights => WeightSlice, self, column => column)
    }

    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        self.slice().len()
    }

    /// Returns `true` if there are no weights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the stored type.
    pub fn kind(&self) -> DatumKind {
        self.slice().kind()
    }

    /// Returns the weight at a position, as the nearest f64.
    ///
    /// # Panics
    /// Panics if there is no such position.
    ///
    /// ```
    /// # use wolfpath::weights::Weights;
    /// assert_eq!(Weights::I64(vec![-7, 8]).get(0), -7.0);
    /// ```
    pub fn get(&self, position: usize) -> f64 {
        self.slice().get(position)
    }

    /// Returns the weights at these positions, in the order of `positions`. See [`WeightSlice::gather`].
    ///
    /// # Panics
    /// Panics if there is no such position.
    ///
    /// ```
    /// # use wolfpath::weights::Weights;
    /// let order: [u32; 3] = [2, 0, 1];
    /// assert_eq!(Weights::U32(vec![30, 10, 20]).gather(&order), Weights::U32(vec![20, 30, 10]));
    /// ```
    pub fn gather<P: Copy + Into<u64> + Sync>(&self, positions: &[P]) -> Weights {
        self.slice().gather(positions)
    }

    /// Converts the weights to bits.
    pub(crate) fn into_bits(self) -> WeightBits {
        match self {
            Weights::U8(column) => WeightBits::Byte(column.into()),
            Weights::U16(column) => WeightBits::Half(column.into()),
            Weights::U32(column) => WeightBits::Narrow(column.into()),
            Weights::I32(column) => WeightBits::Narrow(bytemuck::cast_vec(column).into()),
            Weights::F32(column) => WeightBits::Narrow(bytemuck::cast_vec(column).into()),
            Weights::U64(column) => WeightBits::Wide(column.into()),
            Weights::I64(column) => WeightBits::Wide(bytemuck::cast_vec(column).into()),
            Weights::F64(column) => WeightBits::Wide(bytemuck::cast_vec(column).into()),
        }
    }

    /// Returns the weights at the positions for which `keep` returns `true`. `keep` is called with ascending positions.
    pub(crate) fn retained(mut self, keep: impl Fn(usize) -> bool) -> Weights {
        let mut position = 0;
        with_column!(Weights, &mut self, column => column.retain(|_| {
            position += 1;
            keep(position - 1)
        }));
        self
    }
}

impl<'a> WeightSlice<'a> {
    /// Returns the number of weights.
    pub fn len(self) -> usize {
        with_column!(WeightSlice, self, column => column.len())
    }

    /// Returns `true` if there are no weights.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the stored type.
    pub fn kind(self) -> DatumKind {
        match self {
            WeightSlice::U8(_) => DatumKind::U8,
            WeightSlice::U16(_) => DatumKind::U16,
            WeightSlice::U32(_) => DatumKind::U32,
            WeightSlice::I32(_) => DatumKind::I32,
            WeightSlice::U64(_) => DatumKind::U64,
            WeightSlice::I64(_) => DatumKind::I64,
            WeightSlice::F32(_) => DatumKind::F32,
            WeightSlice::F64(_) => DatumKind::F64,
        }
    }

    /// Returns the weight at a position, as the nearest f64.
    ///
    /// # Panics
    /// Panics if there is no such position.
    ///
    /// ```
    /// # use wolfpath::weights::WeightSlice;
    /// assert_eq!(WeightSlice::U64(&[5, 1 << 53]).get(1), 9_007_199_254_740_992.0);
    /// ```
    pub fn get(self, position: usize) -> f64 {
        with_column!(WeightSlice, self, column => column[position].number().nearest_f64())
    }

    /// Returns the exact weight at a position, as text.
    ///
    /// # Panics
    /// Panics if there is no such position.
    ///
    /// ```
    /// # use wolfpath::weights::WeightSlice;
    /// assert_eq!(WeightSlice::U64(&[u64::MAX]).text(0), "18446744073709551615");
    /// ```
    pub fn text(self, position: usize) -> String {
        with_column!(WeightSlice, self, column => format!("{:?}", column[position]))
    }

    /// Returns the exact weight at a position.
    pub(crate) fn number(self, position: usize) -> Number {
        with_column!(WeightSlice, self, column => column[position].number())
    }

    /// Compares the weights at two positions; -0.0 and 0.0 are equal.
    pub(crate) fn compare(self, a: usize, b: usize) -> Ordering {
        // Columns contain no NaN, so any two weights can be compared.
        with_column!(WeightSlice, self, column => column[a].partial_cmp(&column[b]).unwrap_or(Ordering::Equal))
    }

    /// Returns the bits of the weight at a position, zero-extended. Equal weights of one column have equal bits.
    pub(crate) fn bits(self, position: usize) -> u64 {
        with_column!(WeightSlice, self, column => column[position].bits())
    }

    /// Returns the weights at these positions, in the order of `positions`. Use it to reorder a column with its edges.
    ///
    /// # Panics
    /// Panics if there is no such position.
    ///
    /// ```
    /// # use wolfpath::weights::{WeightSlice, Weights};
    /// let positions: [u64; 2] = [1, 1];
    /// assert_eq!(WeightSlice::F64(&[0.5, 0.25]).gather(&positions), Weights::F64(vec![0.25, 0.25]));
    /// ```
    pub fn gather<P: Copy + Into<u64> + Sync>(self, positions: &[P]) -> Weights {
        map_column!(WeightSlice => Weights, self, column => {
            let mut gathered = vec![bytemuck::Zeroable::zeroed(); positions.len()];
            parallel::fill(&mut gathered, &|first, slots| {
                let positions = &positions[first..first + slots.len()];
                slots.iter_mut().zip(positions).for_each(|(slot, &at)| *slot = column[at.into() as usize]);
            });
            gathered
        })
    }

    /// Returns an owned copy of the column.
    pub fn to_weights(self) -> Weights {
        map_column!(WeightSlice => Weights, self, column => column.to_vec())
    }

    /// Returns the bytes of some numbers of the column.
    #[doc(hidden)]
    pub fn bytes_of(self, numbers: Range<usize>) -> &'a [u8] {
        let size = self.kind().size();
        &self.bytes()[numbers.start * size..numbers.end * size]
    }

    /// Returns the bytes of the column in memory, for files and devices.
    pub fn bytes(self) -> &'a [u8] {
        with_column!(WeightSlice, self, column => bytemuck::cast_slice(column))
    }

    /// Views bytes, as returned by [`bytes`](Self::bytes), as a column of the type `kind`. Returns `None` if the bytes
    /// are not aligned for the type, if they are not a whole number of weights, or if `kind` is not a number type.
    ///
    /// ```
    /// use wolfpath::program::DatumKind;
    /// use wolfpath::weights::WeightSlice;
    ///
    /// let slice = WeightSlice::U32(&[1, 2, 3]);
    /// assert_eq!(WeightSlice::from_bytes(DatumKind::U32, slice.bytes()), Some(slice));
    /// assert_eq!(WeightSlice::from_bytes(DatumKind::U64, &slice.bytes()[..12]), None, "not a whole number of weights");
    /// ```
    pub fn from_bytes(kind: DatumKind, bytes: &'a [u8]) -> Option<WeightSlice<'a>> {
        match kind {
            DatumKind::U8 => Some(WeightSlice::U8(bytes)),
            DatumKind::U16 => bytemuck::try_cast_slice(bytes).ok().map(WeightSlice::U16),
            DatumKind::U32 => bytemuck::try_cast_slice(bytes).ok().map(WeightSlice::U32),
            DatumKind::I32 => bytemuck::try_cast_slice(bytes).ok().map(WeightSlice::I32),
            DatumKind::U64 => bytemuck::try_cast_slice(bytes).ok().map(WeightSlice::U64),
            DatumKind::I64 => bytemuck::try_cast_slice(bytes).ok().map(WeightSlice::I64),
            DatumKind::F32 => bytemuck::try_cast_slice(bytes).ok().map(WeightSlice::F32),
            DatumKind::F64 => bytemuck::try_cast_slice(bytes).ok().map(WeightSlice::F64),
            DatumKind::Unit | DatumKind::Bool | DatumKind::Struct { .. } => None,
        }
    }

    /// Returns the position of the first negative weight. (-0.0 is not negative.)
    pub fn first_negative(self) -> Option<usize> {
        match self {
            WeightSlice::U8(_) | WeightSlice::U16(_) | WeightSlice::U32(_) | WeightSlice::U64(_) => None,
            WeightSlice::I32(column) => first_below_zero(column),
            WeightSlice::I64(column) => first_below_zero(column),
            WeightSlice::F32(column) => first_below_zero(column),
            WeightSlice::F64(column) => first_below_zero(column),
        }
    }

    /// Returns the largest weight if all weights are non-negative integers. Returns 0 for an empty column.
    pub fn max_integer(self) -> Option<u64> {
        if self.first_negative().is_some() {
            return None;
        }
        match self {
            WeightSlice::U8(column) => Some(largest(column)),
            WeightSlice::U16(column) => Some(largest(column)),
            WeightSlice::U32(column) => Some(largest(column)),
            WeightSlice::I32(column) => Some(largest(column)),
            WeightSlice::U64(column) => Some(largest(column)),
            WeightSlice::I64(column) => Some(largest(column)),
            WeightSlice::F32(_) | WeightSlice::F64(_) => None,
        }
    }

    /// Returns the sum of all weights if all weights are non-negative integers. The sum is an upper bound on the length
    /// of a simple path.
    pub fn sum_integer(self) -> Option<u128> {
        if self.first_negative().is_some() {
            return None;
        }
        match self {
            WeightSlice::U8(column) => Some(sum(column)),
            WeightSlice::U16(column) => Some(sum(column)),
            WeightSlice::U32(column) => Some(sum(column)),
            WeightSlice::I32(column) => Some(sum(column)),
            WeightSlice::U64(column) => Some(sum(column)),
            WeightSlice::I64(column) => Some(sum(column)),
            WeightSlice::F32(_) | WeightSlice::F64(_) => None,
        }
    }
}

/// Returns the position of the first negative number.
fn first_below_zero<T: PartialOrd + Default + Copy + Sync>(column: &[T]) -> Option<usize> {
    parallel::first(column.len(), &|range| {
        let below = column[range.clone()].iter().position(|&weight| weight < T::default());
        below.map(|offset| range.start + offset)
    })
}

/// Returns the largest number of a column of non-negative integers; 0 if the column is empty.
fn largest<T: TryInto<u64> + Copy + Sync>(column: &[T]) -> u64 {
    let largest =
        |range: Range<usize>| column[range].iter().map(|&weight| from_zero(weight)).max().unwrap_or(0);
    parallel::fold(column.len(), 0, &largest, u64::max)
}

/// Returns the sum of a column of non-negative integers.
fn sum<T: TryInto<u64> + Copy + Sync>(column: &[T]) -> u128 {
    let sum = |range: Range<usize>| column[range].iter().map(|&weight| u128::from(from_zero(weight))).sum();
    parallel::fold(column.len(), 0, &sum, |a, b| a + b)
}

/// Converts a non-negative integer to the widest type.
fn from_zero<T: TryInto<u64>>(weight: T) -> u64 {
    weight.try_into().unwrap_or_else(|_| unreachable!("the caller has excluded negative integers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_largest_are_of_integers_from_zero() {
        assert_eq!(WeightSlice::U64(&[u64::MAX, u64::MAX]).sum_integer(), Some(2 * u128::from(u64::MAX)));
        assert_eq!(WeightSlice::I32(&[3, 7]).max_integer(), Some(7));
        assert_eq!(WeightSlice::I32(&[3, -7]).max_integer(), None);
        assert_eq!(WeightSlice::F32(&[3.0]).sum_integer(), None);
        assert_eq!(WeightSlice::U32(&[]).max_integer(), Some(0));
    }

    #[test]
    fn negative_zero_is_not_negative() {
        assert_eq!(WeightSlice::F64(&[0.0, -0.0, 2.0]).first_negative(), None);
        assert_eq!(WeightSlice::F32(&[1.0, -0.5, -2.0]).first_negative(), Some(1));
        assert_eq!(WeightSlice::I64(&[1, 2, -1]).first_negative(), Some(2));
    }

    #[test]
    fn bytes_there_and_back() {
        let weights = Weights::I32(vec![1, -2, 3]);
        let slice = weights.slice();
        assert_eq!(WeightSlice::from_bytes(slice.kind(), slice.bytes()), Some(slice));
        assert_eq!(WeightSlice::from_bytes(DatumKind::U64, slice.bytes()), None);
        assert_eq!(weights.gather(&[2u32, 0]), Weights::I32(vec![3, 1]));
    }
}

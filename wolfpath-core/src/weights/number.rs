//! The number types of weights, and exact conversion between them: the six types that programs read, and the two narrower
//! ones that graphs also store.

use super::Weights;
use crate::program::Datum;

/// One weight of any type: an integer or a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer of any of the four integer types.
    Integer(i128),
    /// A float of either type.
    Float(f64),
}

impl Number {
    /// Returns the nearest f64.
    pub fn nearest_f64(self) -> f64 {
        match self {
            Number::Integer(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }
}

mod sealed {
    /// Prevents implementations in other crates, because files and devices support exactly these six types.
    pub trait Sealed {}
}

/// A number type that weights can have: `u32 i32 u64 i64 f32 f64`.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::weights::WeightNumber;
///
/// fn triangle<W: WeightNumber>(weight: W) -> wolfpath::Result<LayeredGraph> {
///     Ok(LayeredGraph::from_weighted_edges([(1, 2, weight), (2, 3, weight), (3, 1, weight)])?)
/// }
/// assert_eq!(triangle(2.5f32)?.weights().map(|weights| weights.get(0)), Some(2.5));
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub trait WeightNumber: Datum + PartialEq + PartialOrd + bytemuck::Pod + sealed::Sealed {
    /// Returns the nearest f64.
    fn nearest_f64(self) -> f64;

    /// Wraps the numbers as a column of this type.
    #[doc(hidden)]
    fn into_weights(column: Vec<Self>) -> Weights;

    /// Returns `true` if this is NaN.
    #[doc(hidden)]
    fn is_nan(self) -> bool;
}

/// A type in which weights are stored.
pub(crate) trait Stored: bytemuck::Pod + PartialOrd {
    fn number(self) -> Number;
    /// Returns the same number in this type, if the type represents it exactly.
    fn exact(number: Number) -> Option<Self>;
    /// Returns the number's bits, zero-extended.
    fn bits(self) -> u64;
}

/// Conversions that are not part of the public trait.
pub(crate) trait Exact: WeightNumber + Stored {
    /// Converts the number like Rust's `as`: it is rounded, truncated or saturated.
    fn lossy(number: Number) -> Self;
}

macro_rules! stored_integers {
    ($($type:ident)*) => {$(
        impl Stored for $type {
            #[inline]
            fn number(self) -> Number {
                Number::Integer(self.into())
            }
            #[inline]
            fn exact(number: Number) -> Option<$type> {
                match number {
                    Number::Integer(integer) => integer.try_into().ok(),
                    Number::Float(float) => integer_value(float)?.try_into().ok(),
                }
            }
            #[inline]
            fn bits(self) -> u64 {
                let mut bits = [0; 8];
                bits[..size_of::<$type>()].copy_from_slice(&self.to_le_bytes());
                u64::from_le_bytes(bits)
            }
        }
    )*};
}

macro_rules! integer {
    ($type:ident, $variant:ident) => {
        impl sealed::Sealed for $type {}

        impl WeightNumber for $type {
            fn nearest_f64(self) -> f64 {
                self as f64
            }
            fn into_weights(column: Vec<$type>) -> Weights {
                Weights::$variant(column)
            }
            fn is_nan(self) -> bool {
                false
            }
        }

        impl Exact for $type {
            #[inline]
            fn lossy(number: Number) -> $type {
                match number {
                    Number::Integer(integer) => {
                        integer.clamp(i128::from($type::MIN), i128::from($type::MAX)) as $type
                    }
                    Number::Float(float) => float as $type,
                }
            }
        }
    };
}

macro_rules! float {
    ($type:ident, $variant:ident) => {
        impl sealed::Sealed for $type {}

        impl WeightNumber for $type {
            fn nearest_f64(self) -> f64 {
                self.into()
            }
            fn into_weights(column: Vec<$type>) -> Weights {
                Weights::$variant(column)
            }
            fn is_nan(self) -> bool {
                $type::is_nan(self)
            }
        }

        impl Stored for $type {
            #[inline]
            fn number(self) -> Number {
                Number::Float(self.into())
            }
            #[inline]
            fn exact(number: Number) -> Option<$type> {
                match number {
                    Number::Integer(integer) => {
                        let float = integer as $type;
                        (float as i128 == integer).then_some(float)
                    }
                    Number::Float(float) => {
                        let narrow = float as $type;
                        (f64::from(narrow) == float).then_some(narrow)
                    }
                }
            }
            #[inline]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }

        impl Exact for $type {
            #[inline]
            fn lossy(number: Number) -> $type {
                match number {
                    Number::Integer(integer) => integer as $type,
                    Number::Float(float) => float as $type,
                }
            }
        }
    };
}

stored_integers!(u8 u16 u32 i32 u64 i64);
integer!(u32, U32);
integer!(i32, I32);
integer!(u64, U64);
integer!(i64, I64);
float!(f32, F32);
float!(f64, F64);

/// Returns the integer that equals a float, if the float has no fraction and its absolute value is below 1e38.
#[inline]
pub fn integer_value(float: f64) -> Option<i128> {
    (float.trunc() == float && float.abs() < 1e38).then_some(float as i128)
}

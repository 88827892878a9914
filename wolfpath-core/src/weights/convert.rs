//! Conversion of a column to the type that a program reads: the result contains the same numbers, or is an error that
//! names the first weight that the type cannot represent.

use super::number::{Exact, Number, Stored};
use super::{WeightSlice, with_column};
use crate::program::{Datum, DatumKind};
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parallel;

/// Error from converting a column of weights to another type.
///
/// ```
/// use wolfpath::weights::{ConvertError, WeightSlice};
///
/// let error = WeightSlice::F64(&[1.0, 0.1]).convert::<f32>(false).unwrap_err();
/// assert!(matches!(error, ConvertError::Inexact { position: 1, .. }), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// A weight cannot be represented exactly in the requested type.
    #[error(
        "the weight {value} of edge {position} (stored as {from}) cannot be represented exactly as {to}; \
         use a program over {from}, or allow a lossy conversion",
        from = from.name(), to = to.name()
    )]
    Inexact {
        /// Position in the column, from 0.
        position: usize,
        /// The weight, as text.
        value: String,
        /// The type of programs that represents all stored numbers.
        from: DatumKind,
        /// The requested type.
        to: DatumKind,
    },
    /// Weights cannot have the requested type.
    #[error("weights can be u32, i32, u64, i64, f32 or f64, not {}", to.name())]
    NotANumber {
        /// The requested type.
        to: DatumKind,
    },
}

impl<'a> WeightSlice<'a> {
    /// Returns the weights as numbers of type `W`. If the weights are stored in that type, they are borrowed. Otherwise
    /// each weight is converted. If `lossy` is `false`, the conversion must be exact; if it is `true`, weights are
    /// converted like Rust's `as` (out-of-range numbers saturate). For `W = ()`, the type of programs that read no
    /// weights, the result is empty.
    ///
    /// ```
    /// # use wolfpath::weights::WeightSlice;
    /// let weights = WeightSlice::F64(&[2.0, 2.5]);
    /// assert!(weights.convert::<u32>(false).is_err(), "2.5 is not a u32");
    /// assert_eq!(weights.convert::<u32>(true)?[..], [2, 2]);
    /// # Ok::<(), wolfpath::weights::ConvertError>(())
    /// ```
    pub fn convert<W: Datum>(self, lossy: bool) -> Result<Cow<'a, [W]>, ConvertError> {
        if W::KIND == DatumKind::Unit {
            return Ok(Cow::Owned(Vec::new()));
        }
        if let Some(same) = with_column!(WeightSlice, self, column => as_is(column)) {
            return Ok(Cow::Borrowed(same));
        }
        let converted: Box<dyn Any> = match W::KIND {
            DatumKind::U32 => Box::new(self.converted::<u32>(lossy)?),
            DatumKind::I32 => Box::new(self.converted::<i32>(lossy)?),
            DatumKind::U64 => Box::new(self.converted::<u64>(lossy)?),
            DatumKind::I64 => Box::new(self.converted::<i64>(lossy)?),
            DatumKind::F32 => Box::new(self.converted::<f32>(lossy)?),
            DatumKind::F64 => Box::new(self.converted::<f64>(lossy)?),
            _ => return Err(ConvertError::NotANumber { to: W::KIND }),
        };
        match converted.downcast::<Vec<W>>() {
            Ok(column) => Ok(Cow::Owned(*column)),
            // This is reached only if another crate implements `Datum` for a type that claims to be one of the six
            // number types, but is not.
            Err(_) => Err(ConvertError::NotANumber { to: W::KIND }),
        }
    }

    /// Writes the weights at these positions to `to`, as numbers of the type `kind`, like [`convert`](Self::convert) but
    /// on this thread.
    ///
    /// # Panics
    /// Panics if `to` is not aligned for the type, or not as long as the numbers.
    pub(crate) fn write_as(
        self,
        kind: DatumKind,
        lossy: bool,
        positions: Range<usize>,
        to: &mut [u8],
    ) -> Result<(), ConvertError> {
        match kind {
            DatumKind::U8 => self.write_numbers(kind, positions, to, u8::exact),
            DatumKind::U16 => self.write_numbers(kind, positions, to, u16::exact),
            DatumKind::U32 => self.write_in::<u32>(lossy, positions, to),
            DatumKind::I32 => self.write_in::<i32>(lossy, positions, to),
            DatumKind::U64 => self.write_in::<u64>(lossy, positions, to),
            DatumKind::I64 => self.write_in::<i64>(lossy, positions, to),
            DatumKind::F32 => self.write_in::<f32>(lossy, positions, to),
            DatumKind::F64 => self.write_in::<f64>(lossy, positions, to),
            _ => Err(ConvertError::NotANumber { to: kind }),
        }
    }

    fn write_in<W: Exact>(
        self,
        lossy: bool,
        positions: Range<usize>,
        to: &mut [u8],
    ) -> Result<(), ConvertError> {
        if lossy {
            return self.write_numbers(W::KIND, positions, to, |number| Some(W::lossy(number)));
        }
        self.write_numbers(W::KIND, positions, to, W::exact)
    }

    /// Writes numbers as `convert` returns them, or returns an error for the first number for which it returns `None`.
    fn write_numbers<W: Stored>(
        self,
        kind: DatumKind,
        positions: Range<usize>,
        to: &mut [u8],
        convert: impl Fn(Number) -> Option<W>,
    ) -> Result<(), ConvertError> {
        let (first, slots) = (positions.start, bytemuck::cast_slice_mut::<u8, W>(to));
        with_column!(WeightSlice, self, column => {
            let weights = &column[positions];
            assert_eq!(weights.len(), slots.len(), "one number per weight");
            match as_is(weights) {
                Some(same) => slots.copy_from_slice(same),
                None => convert_all(weights, slots, convert)
                    .map_err(|offset| self.inexact(first + offset, kind))?,
            }
        });
        Ok(())
    }

    /// Returns the error for the weight at a position.
    fn inexact(self, position: usize, to: DatumKind) -> ConvertError {
        ConvertError::Inexact { position, value: self.text(position), from: self.kind().of_programs(), to }
    }

    /// Converts the weights to a column of another type.
    fn converted<W: Exact>(self, lossy: bool) -> Result<Vec<W>, ConvertError> {
        let mut converted = vec![W::zeroed(); self.len()];
        // The position of the first weight that the type cannot represent.
        let inexact = AtomicUsize::new(usize::MAX);
        with_column!(WeightSlice, self, column => {
            parallel::fill(&mut converted, &|first, slots| {
                let weights = &column[first..first + slots.len()];
                if lossy {
                    slots.iter_mut().zip(weights).for_each(|(slot, weight)| *slot = W::lossy(weight.number()));
                } else if let Err(offset) = convert_all(weights, slots, W::exact) {
                    inexact.fetch_min(first + offset, Ordering::Relaxed);
                }
            });
        });
        match inexact.into_inner() {
            usize::MAX => Ok(converted),
            position => Err(self.inexact(position, W::KIND)),
        }
    }
}

/// Converts weight by weight. The error is the position of the first weight for which `convert` returns `None`.
fn convert_all<T: Stored, W>(
    weights: &[T],
    slots: &mut [W],
    convert: impl Fn(Number) -> Option<W>,
) -> Result<(), usize> {
    for (position, (slot, weight)) in slots.iter_mut().zip(weights).enumerate() {
        *slot = convert(weight.number()).ok_or(position)?;
    }
    Ok(())
}

/// Returns the column itself if `T` and `W` are the same type.
fn as_is<T: 'static, W: 'static>(column: &[T]) -> Option<&[W]> {
    if TypeId::of::<T>() != TypeId::of::<W>() {
        return None;
    }
    // SAFETY: the comparison of type ids above proves that T and W are the same type. The result therefore is the same
    // slice, with the same lifetime.
    Some(unsafe { std::slice::from_raw_parts(column.as_ptr().cast::<W>(), column.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_or_refused() {
        let halves = WeightSlice::F64(&[1.0, 2.5, 0.1]);
        let refused = halves.convert::<f32>(false).unwrap_err();
        assert_eq!(
            refused,
            ConvertError::Inexact {
                position: 2,
                value: "0.1".into(),
                from: DatumKind::F64,
                to: DatumKind::F32
            }
        );
        assert_eq!(&*halves.convert::<f32>(true).unwrap(), [1.0f32, 2.5, 0.1]);
        assert_eq!(&*halves.convert::<u32>(true).unwrap(), [1u32, 2, 0]);
        assert!(matches!(halves.convert::<f64>(false), Ok(Cow::Borrowed(_))));
        assert_eq!(&*WeightSlice::F32(&[3.0, -0.0]).convert::<u64>(false).unwrap(), [3u64, 0]);
    }

    #[test]
    fn integers_keep_their_value_or_are_refused() {
        assert_eq!(&*WeightSlice::I32(&[1, 2]).convert::<u32>(false).unwrap(), [1u32, 2]);
        assert!(WeightSlice::I32(&[1, -2]).convert::<u64>(false).is_err());
        assert!(WeightSlice::U32(&[16_777_217]).convert::<f32>(false).is_err());
        assert_eq!(&*WeightSlice::U32(&[16_777_216]).convert::<f32>(false).unwrap(), [16_777_216.0f32]);
        assert!(WeightSlice::U64(&[u64::MAX]).convert::<f64>(false).is_err());
        assert_eq!(&*WeightSlice::U64(&[u64::MAX]).convert::<i32>(true).unwrap(), [i32::MAX]);
    }

    #[test]
    fn infinities_stay_floats() {
        let infinite = WeightSlice::F64(&[f64::INFINITY]);
        assert_eq!(&*infinite.convert::<f32>(false).unwrap(), [f32::INFINITY]);
        assert!(infinite.convert::<i64>(false).is_err());
    }

    #[test]
    fn no_weights_and_no_numbers() {
        assert!(WeightSlice::U32(&[1, 2]).convert::<()>(false).unwrap().is_empty());
        assert_eq!(
            WeightSlice::U32(&[1]).convert::<bool>(false),
            Err(ConvertError::NotANumber { to: DatumKind::Bool })
        );
    }
}

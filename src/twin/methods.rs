//! Methods that can fault.

use wolfpath_core::program::{Checked, Fault};

use super::{Integer, Signed, Unsigned, add, div, divides, fits, neg, rem};

/// Computes `a.abs()`.
#[inline]
pub fn abs<T: Integer>(a: T, checked: bool, site: u32) -> Checked<T> {
    if a < T::ZERO { neg(a, checked, site) } else { Ok(a) }
}

/// Computes `a.pow(exponent)`.
#[inline]
pub fn pow<T: Integer>(a: T, exponent: u32, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_pow(exponent), checked, site)
}

/// Computes `a.div_euclid(b)`.
#[inline]
pub fn div_euclid<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_div_euclid(b), b, site)
}

/// Computes `a.rem_euclid(b)`.
#[inline]
pub fn rem_euclid<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_rem_euclid(b), b, site)
}

/// Computes `a.div_ceil(b)` of unsigned integers.
#[inline]
pub fn div_ceil<T: Unsigned>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    let (quotient, remainder) = (div(a, b, checked, site)?, rem(a, b, checked, site)?);
    // If there is a remainder, the divisor is at least 2, so the quotient plus 1 cannot overflow.
    Ok(if remainder == T::ZERO { quotient } else { quotient.overflowing_add(T::ONE).0 })
}

/// Computes `a.next_multiple_of(b)` of unsigned integers.
#[inline]
pub fn next_multiple_of<T: Unsigned>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    let remainder = rem(a, b, checked, site)?;
    if remainder == T::ZERO { Ok(a) } else { add(a, b.overflowing_sub(remainder).0, checked, site + 1) }
}

/// Computes `a.next_power_of_two()` of unsigned integers.
#[inline]
pub fn next_power_of_two<T: Unsigned>(a: T, checked: bool, site: u32) -> Checked<T> {
    let power = a.checked_next_power_of_two();
    fits((power.unwrap_or(T::ZERO), power.is_none()), checked, site)
}

/// Computes `a.isqrt()` of signed integers.
#[inline]
pub fn isqrt<T: Signed>(a: T, _checked: bool, site: u32) -> Checked<T> {
    a.checked_isqrt().ok_or(Fault { site })
}

/// Computes `a.ilog(base)`.
#[inline]
pub fn ilog<T: Integer>(a: T, base: T, _checked: bool, site: u32) -> Checked<u32> {
    if base <= T::ONE { Err(Fault { site }) } else { a.checked_ilog(base).ok_or(Fault { site: site + 1 }) }
}

/// Computes `a.ilog2()`.
#[inline]
pub fn ilog2<T: Integer>(a: T, _checked: bool, site: u32) -> Checked<u32> {
    a.checked_ilog2().ok_or(Fault { site })
}

/// Computes `a.ilog10()`.
#[inline]
pub fn ilog10<T: Integer>(a: T, _checked: bool, site: u32) -> Checked<u32> {
    a.checked_ilog10().ok_or(Fault { site })
}

macro_rules! faults_on_zero {
    ($($name:ident -> $output:ty;)*) => {$(
        #[doc = concat!("Computes `a.", stringify!($name), "(b)`.")]
        #[inline]
        pub fn $name<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<$output> {
            if b == T::ZERO { Err(Fault { site }) } else { Ok(a.$name(b)) }
        }
    )*};
}

faults_on_zero! {
    saturating_div -> T;
    wrapping_div -> T;
    wrapping_rem -> T;
    wrapping_div_euclid -> T;
    wrapping_rem_euclid -> T;
    overflowing_div -> (T, bool);
    overflowing_rem -> (T, bool);
    overflowing_div_euclid -> (T, bool);
    overflowing_rem_euclid -> (T, bool);
}

/// Computes `a.clamp(low, high)`.
#[inline]
pub fn clamp<T: PartialOrd>(a: T, low: T, high: T, _checked: bool, site: u32) -> Checked<T> {
    if low <= high {
        Ok(if a < low {
            low
        } else if a > high {
            high
        } else {
            a
        })
    } else {
        Err(Fault { site })
    }
}

/// Computes `option.unwrap()`.
#[inline]
pub fn unwrap<T>(option: Option<T>, _checked: bool, site: u32) -> Checked<T> {
    option.ok_or(Fault { site })
}

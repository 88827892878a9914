//! What the checked twins of programs are made of: Rust's arithmetic, in which a panic is a [`Fault`] that is
//! returned. Called by the code that `#[edge_program]` writes, never by hand.
//!
//! `checked` says whether an overflow is a fault, as in a debug build, or wraps, as in a release build. It is a
//! constant of the user's crate, so that a release build keeps nothing of the question. `site` is the number of the
//! place in the program's table; where one operation can fault in two ways, the second has the number after it.

use wolfpath_core::program::{Checked, Datum, Fault, Vertex};

/// The integers that programs compute with.
pub trait Integer: Copy + Ord {
    /// Zero.
    const ZERO: Self;
    /// Bits of the type.
    const BITS: u32;
    /// The overflowing operations of the standard library.
    fn overflowing_add(self, other: Self) -> (Self, bool);
    /// See [`overflowing_add`](Self::overflowing_add).
    fn overflowing_sub(self, other: Self) -> (Self, bool);
    /// See [`overflowing_add`](Self::overflowing_add).
    fn overflowing_mul(self, other: Self) -> (Self, bool);
    /// See [`overflowing_add`](Self::overflowing_add).
    fn overflowing_neg(self) -> (Self, bool);
    /// See [`overflowing_add`](Self::overflowing_add).
    fn overflowing_pow(self, exponent: u32) -> (Self, bool);
    /// The shift by the amount's low bits.
    fn wrapping_shl(self, amount: u32) -> Self;
    /// The shift by the amount's low bits.
    fn wrapping_shr(self, amount: u32) -> Self;
    /// `None` where the divisor is zero or the quotient does not fit.
    fn checked_div(self, divisor: Self) -> Option<Self>;
    /// See [`checked_div`](Self::checked_div).
    fn checked_rem(self, divisor: Self) -> Option<Self>;
    /// See [`checked_div`](Self::checked_div).
    fn checked_div_euclid(self, divisor: Self) -> Option<Self>;
    /// See [`checked_div`](Self::checked_div).
    fn checked_rem_euclid(self, divisor: Self) -> Option<Self>;
    /// The low 32 bits, and whether the number is from 0 to below `limit`: a shift's amount.
    fn amount(self, limit: u32) -> (u32, bool);
}

macro_rules! integer {
    ($($type:ident)*) => {$(
        impl Integer for $type {
            const ZERO: Self = 0;
            const BITS: u32 = $type::BITS;
            #[inline]
            fn overflowing_add(self, other: Self) -> (Self, bool) {
                self.overflowing_add(other)
            }
            #[inline]
            fn overflowing_sub(self, other: Self) -> (Self, bool) {
                self.overflowing_sub(other)
            }
            #[inline]
            fn overflowing_mul(self, other: Self) -> (Self, bool) {
                self.overflowing_mul(other)
            }
            #[inline]
            fn overflowing_neg(self) -> (Self, bool) {
                self.overflowing_neg()
            }
            #[inline]
            fn overflowing_pow(self, exponent: u32) -> (Self, bool) {
                self.overflowing_pow(exponent)
            }
            #[inline]
            fn wrapping_shl(self, amount: u32) -> Self {
                self.wrapping_shl(amount)
            }
            #[inline]
            fn wrapping_shr(self, amount: u32) -> Self {
                self.wrapping_shr(amount)
            }
            #[inline]
            fn checked_div(self, divisor: Self) -> Option<Self> {
                self.checked_div(divisor)
            }
            #[inline]
            fn checked_rem(self, divisor: Self) -> Option<Self> {
                self.checked_rem(divisor)
            }
            #[inline]
            fn checked_div_euclid(self, divisor: Self) -> Option<Self> {
                self.checked_div_euclid(divisor)
            }
            #[inline]
            fn checked_rem_euclid(self, divisor: Self) -> Option<Self> {
                self.checked_rem_euclid(divisor)
            }
            #[inline]
            fn amount(self, limit: u32) -> (u32, bool) {
                (self as u32, u64::try_from(self).is_ok_and(|amount| amount < u64::from(limit)))
            }
        }
    )*};
}

integer!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// The result, unless it overflowed and that is a fault.
#[inline]
fn fits<T>((result, overflowed): (T, bool), checked: bool, site: u32) -> Checked<T> {
    if checked && overflowed { Err(Fault { site }) } else { Ok(result) }
}

/// The quotient, or the fault at `site` for a zero divisor and at `site + 1` for one that does not fit.
#[inline]
fn divides<T: Integer>(result: Option<T>, divisor: T, site: u32) -> Checked<T> {
    result.ok_or(Fault { site: if divisor == T::ZERO { site } else { site + 1 } })
}

/// `a + b`
#[inline]
pub fn add<T: Integer>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_add(b), checked, site)
}

/// `a - b`
#[inline]
pub fn sub<T: Integer>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_sub(b), checked, site)
}

/// `a * b`
#[inline]
pub fn mul<T: Integer>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_mul(b), checked, site)
}

/// `-a`
#[inline]
pub fn neg<T: Integer>(a: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_neg(), checked, site)
}

/// `a.abs()`
#[inline]
pub fn abs<T: Integer>(a: T, checked: bool, site: u32) -> Checked<T> {
    if a < T::ZERO { neg(a, checked, site) } else { Ok(a) }
}

/// `a.pow(exponent)`
#[inline]
pub fn pow<T: Integer>(a: T, exponent: u32, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_pow(exponent), checked, site)
}

/// `a << amount`
#[inline]
pub fn shl<T: Integer, A: Integer>(a: T, amount: A, checked: bool, site: u32) -> Checked<T> {
    let (bits, in_range) = amount.amount(T::BITS);
    fits((a.wrapping_shl(bits), !in_range), checked, site)
}

/// `a >> amount`
#[inline]
pub fn shr<T: Integer, A: Integer>(a: T, amount: A, checked: bool, site: u32) -> Checked<T> {
    let (bits, in_range) = amount.amount(T::BITS);
    fits((a.wrapping_shr(bits), !in_range), checked, site)
}

/// `a / b`
#[inline]
pub fn div<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_div(b), b, site)
}

/// `a % b`
#[inline]
pub fn rem<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_rem(b), b, site)
}

/// `a.div_euclid(b)`
#[inline]
pub fn div_euclid<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_div_euclid(b), b, site)
}

/// `a.rem_euclid(b)`
#[inline]
pub fn rem_euclid<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_rem_euclid(b), b, site)
}

/// `a.div_ceil(b)` of unsigned numbers
#[inline]
pub fn div_ceil<T: Integer>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    let (quotient, remainder) = (div(a, b, checked, site)?, rem(a, b, checked, site)?);
    // A remainder means that the divisor is at least 2, so one more fits. Zero to the power of zero is one.
    let one = T::ZERO.overflowing_pow(0).0;
    Ok(if remainder == T::ZERO { quotient } else { quotient.overflowing_add(one).0 })
}

/// `a.clamp(low, high)`
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

/// `option.unwrap()`
#[inline]
pub fn unwrap<T>(option: Option<T>, _checked: bool, site: u32) -> Checked<T> {
    option.ok_or(Fault { site })
}

/// The vertex with a value in place of its optional one.
#[inline]
pub fn with_value<V, A>(vertex: Vertex<Option<V>, A>, value: V) -> Vertex<V, A> {
    Vertex {
        id: vertex.id,
        index: vertex.index,
        value,
        out_degree: vertex.out_degree,
        in_degree: vertex.in_degree,
        vertices: vertex.vertices,
        edges: vertex.edges,
        step: vertex.step,
        aggregate: vertex.aggregate,
    }
}

/// [`Datum::to_bits`] of a struct: its bytes, where they fit.
pub fn struct_to_bits<T: Datum>(value: T) -> u64 {
    let mut bytes = [0; 8];
    if let Some(part) = bytes.get_mut(..T::KIND.size()) {
        value.write(part);
    }
    u64::from_le_bytes(bytes)
}

/// [`Datum::from_bits`] of a struct; zeroes where its bytes do not fit.
pub fn struct_from_bits<T: Datum>(bits: u64) -> T {
    let size = T::KIND.size();
    let mut bytes = bits.to_le_bytes().to_vec();
    bytes.resize(size.max(8), 0);
    T::read(&bytes[..size])
}

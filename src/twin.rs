//! What the checked twins of programs are made of: Rust's arithmetic, in which a panic is a [`Fault`] that is
//! returned. Called by the code that `#[edge_program]` writes, never by hand.
//!
//! `checked` says whether an overflow is a fault, as in a debug build, or wraps, as in a release build. It is a
//! constant of the user's crate, so that a release build keeps nothing of the question. `site` is the number of the
//! place in the program's table; where one operation can fault in two ways, the second has the number after it.

mod integer;
mod language;
mod methods;

use wolfpath_core::program::{Checked, Combiner, Datum, EdgeProgram, Fault};

pub use integer::{Integer, Signed, Unsigned};
pub use language::*;
pub use methods::*;

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

/// Returns the first value that the sources of a program give the vertex `id`: those of this id, combined.
pub fn first_value<P>(program: &P, id: u64) -> Option<P::Value>
where
    P: EdgeProgram<Message = <P as EdgeProgram>::Value>,
{
    let values = program.sources().iter().filter(|(source, _)| *source == id).map(|&(_, value)| value);
    values.reduce(<P::Combine as Combiner<P::Message>>::combine)
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

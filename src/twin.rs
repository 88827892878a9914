//! Operations of the checked twins of programs: Rust's arithmetic, except that a [`Fault`] is returned instead of a
//! panic. Only code that `#[edge_program]` generates calls them.
//!
//! `checked` selects whether an overflow is a fault, as in a debug build, or wraps, as in a release build. It is a
//! constant of the user's crate, so the check costs nothing in a release build. `site` is the number of the operation
//! in the program's table of sites. If an operation can fault in two ways, the second has the number `site + 1`.

mod integer;
mod language;
mod methods;

use wolfpath_core::program::{Checked, Combiner, Datum, EdgeProgram, Fault};

pub use integer::{Integer, Signed, Unsigned};
pub use language::*;
pub use methods::*;

/// Returns the result, or a fault if it overflowed and overflows are checked.
#[inline]
fn fits<T>((result, overflowed): (T, bool), checked: bool, site: u32) -> Checked<T> {
    if checked && overflowed { Err(Fault { site }) } else { Ok(result) }
}

/// Returns the quotient, or the fault at `site` if the divisor is zero, or at `site + 1` if the quotient overflows.
#[inline]
fn divides<T: Integer>(result: Option<T>, divisor: T, site: u32) -> Checked<T> {
    result.ok_or(Fault { site: if divisor == T::ZERO { site } else { site + 1 } })
}

/// Computes `a + b`.
#[inline]
pub fn add<T: Integer>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_add(b), checked, site)
}

/// Computes `a - b`.
#[inline]
pub fn sub<T: Integer>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_sub(b), checked, site)
}

/// Computes `a * b`.
#[inline]
pub fn mul<T: Integer>(a: T, b: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_mul(b), checked, site)
}

/// Computes `-a`.
#[inline]
pub fn neg<T: Integer>(a: T, checked: bool, site: u32) -> Checked<T> {
    fits(a.overflowing_neg(), checked, site)
}

/// Computes `a << amount`.
#[inline]
pub fn shl<T: Integer, A: Integer>(a: T, amount: A, checked: bool, site: u32) -> Checked<T> {
    let (bits, in_range) = amount.amount(T::BITS);
    fits((a.wrapping_shl(bits), !in_range), checked, site)
}

/// Computes `a >> amount`.
#[inline]
pub fn shr<T: Integer, A: Integer>(a: T, amount: A, checked: bool, site: u32) -> Checked<T> {
    let (bits, in_range) = amount.amount(T::BITS);
    fits((a.wrapping_shr(bits), !in_range), checked, site)
}

/// Computes `a / b`.
#[inline]
pub fn div<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_div(b), b, site)
}

/// Computes `a % b`.
#[inline]
pub fn rem<T: Integer>(a: T, b: T, _checked: bool, site: u32) -> Checked<T> {
    divides(a.checked_rem(b), b, site)
}

/// The relation of a function to itself. Each function has a type of its own.
#[diagnostic::on_unimplemented(
    message = "in an edge program, `random` is `wolfpath::program::random`, but this is another function",
    label = "another function",
    note = "rename the other function, or move it into the program's module, where the macro sees it"
)]
pub trait SameFunction<F> {}

impl<F> SameFunction<F> for F {}

/// The function that a program's text names, and the built-in function that the macro took it for.
#[derive(Clone, Copy, Debug)]
pub struct Named<F, B>(pub F, pub B);

impl<F, B> Named<F, B> {
    /// Returns the built-in function. Does not compile if the program's text names another one, since the device would
    /// then call a different function than Rust.
    // The bound is on a method, where both types are known. On a function with two arguments, rustc would infer one type
    // from the other, and would report a mismatch instead of the message above.
    #[inline]
    pub fn built_in(self) -> B
    where
        F: SameFunction<B>,
    {
        self.1
    }
}

/// Returns the first value of the vertex `id`: the values of all sources with this id, combined. `None` if there are
/// none.
pub fn first_value<P>(program: &P, id: u64) -> Option<P::Value>
where
    P: EdgeProgram<Message = <P as EdgeProgram>::Value>,
{
    let values = program.sources().iter().filter(|(source, _)| *source == id).map(|&(_, value)| value);
    values.reduce(<P::Combine as Combiner<P::Message>>::combine)
}

/// Implements [`Datum::to_bits`] for structs: the bytes of the struct, or 0 if it is larger than 8 bytes.
pub fn struct_to_bits<T: Datum>(value: T) -> u64 {
    let mut bytes = [0; 8];
    if let Some(part) = bytes.get_mut(..T::KIND.size()) {
        value.write(part);
    }
    u64::from_le_bytes(bytes)
}

/// Implements [`Datum::from_bits`] for structs. Bytes beyond the first 8 are zero.
pub fn struct_from_bits<T: Datum>(bits: u64) -> T {
    let size = T::KIND.size();
    let mut bytes = bits.to_le_bytes().to_vec();
    bytes.resize(size.max(8), 0);
    T::read(&bytes[..size])
}

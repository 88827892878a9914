//! The types of values, messages, weights and aggregates.
//!
//! A [`Datum`] is plain data with the same layout on the host and on a device: the seven scalar types of the
//! programming model, structs of them that are declared in a program's module (the macro writes the implementation),
//! and `()` for "no data". The engines handle a datum in one of two unsigned forms:
//!
//! * its **bits**, zero-extended ([`Datum::to_bits`]), for `Or`, `And`, `Any` and `Sum`;
//! * its **key** ([`Datum::to_key`]), an unsigned number with the same order, for `Min` and `Max`. Because of keys, the
//!   atomic minimum and maximum of unsigned integers serve all types, including floats.

use std::fmt::Debug;

/// Plain data with the same layout on host and device.
///
/// Implemented for `u32 i32 u64 i64 f32 f64 bool`, for `()`, for arrays, and for tuples, which only folds can be. `#[edge_program]` implements it for the
/// structs and enums of a program's module.
///
/// ```
/// use wolfpath::program::{Datum, DatumKind};
///
/// /// Returns `true` if two lists hold the same values, of any type.
/// fn all_same<T: Datum>(ours: &[T], theirs: &[T]) -> bool {
///     ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| a.same(*b))
/// }
///
/// assert!(all_same(&[1.5, f32::NAN], &[1.5, f32::NAN]));
/// assert_eq!(<[u32; 3]>::KIND, DatumKind::Struct { size: 12, align: 4 });
/// ```
pub trait Datum: Copy + Send + Sync + Debug + 'static {
    /// The datum's type, for plans and generated code.
    ///
    /// ```
    /// use wolfpath::program::{Datum, DatumKind};
    ///
    /// assert_eq!(u32::KIND, DatumKind::U32);
    /// ```
    const KIND: DatumKind;

    /// Returns the datum's bits, zero-extended to 64. Only meaningful for data of at most 8 bytes.
    #[doc(hidden)]
    fn to_bits(self) -> u64;

    /// Returns the datum with these bits; the inverse of [`to_bits`](Self::to_bits).
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;

    /// Returns an unsigned key. Keys have the order of the numbers: `a < b` if and only if `a.to_key() < b.to_key()`,
    /// with -0.0 below +0.0. Not meaningful for NaN and structs.
    #[doc(hidden)]
    #[inline]
    fn to_key(self) -> u64 {
        self.to_bits()
    }

    /// Returns the datum with this key; the inverse of [`to_key`](Self::to_key).
    #[doc(hidden)]
    #[inline]
    fn from_key(key: u64) -> Self {
        Self::from_bits(key)
    }

    /// Returns `true` if both values are identical bit for bit, or if both are NaN.
    ///
    /// ```
    /// use wolfpath::program::Datum;
    ///
    /// assert!(f64::NAN.same(-f64::NAN));
    /// assert!(!0.0f64.same(-0.0));
    /// ```
    #[inline]
    fn same(self, other: Self) -> bool {
        self.to_bits() == other.to_bits()
    }

    /// Writes the datum in the device's layout. `bytes` must have the length [`DatumKind::size`].
    #[doc(hidden)]
    fn write(self, bytes: &mut [u8]);

    /// Reads a datum in the device's layout. `bytes` must have the length [`DatumKind::size`].
    #[doc(hidden)]
    fn read(bytes: &[u8]) -> Self;
}

/// The type of a [`Datum`] as data: for plans, files and generated code.
///
/// ```
/// use wolfpath::program::{Datum, DatumKind};
///
/// let kind = f32::KIND;
/// assert_eq!((kind, kind.name(), kind.size(), kind.is_float()), (DatumKind::F32, "f32", 4, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatumKind {
    /// `()`: zero bytes.
    Unit,
    /// `bool`, one byte, 0 or 1.
    Bool,
    /// `u8`. Only stored weights have this type; programs read them in a wider one.
    U8,
    /// `u16`, for stored weights like `u8`.
    U16,
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `u64`.
    U64,
    /// `i64`.
    I64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// An array, or a `repr(C)` struct or a tuple of the types above.
    Struct {
        /// Size of one element in bytes, including padding.
        size: usize,
        /// Alignment in bytes.
        align: usize,
    },
}

impl DatumKind {
    /// Returns the size of one element in bytes, including padding.
    pub const fn size(self) -> usize {
        match self {
            DatumKind::Unit => 0,
            DatumKind::Bool | DatumKind::U8 => 1,
            DatumKind::U16 => 2,
            DatumKind::U32 | DatumKind::I32 | DatumKind::F32 => 4,
            DatumKind::U64 | DatumKind::I64 | DatumKind::F64 => 8,
            DatumKind::Struct { size, .. } => size,
        }
    }

    /// Returns the alignment in bytes, in the device's layout.
    pub(crate) const fn align(self) -> usize {
        match self {
            DatumKind::Struct { align, .. } => align,
            DatumKind::Unit => 1,
            number => number.size(),
        }
    }

    /// Returns `true` for `f32` and `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, DatumKind::F32 | DatumKind::F64)
    }

    /// Returns `true` for types of integers and floats.
    pub const fn is_number(self) -> bool {
        !matches!(self, DatumKind::Unit | DatumKind::Bool | DatumKind::Struct { .. })
    }

    /// Returns the narrowest type of programs that represents all numbers of this type: `u32` for `u8` and `u16`,
    /// otherwise the type itself.
    pub const fn of_programs(self) -> DatumKind {
        match self {
            DatumKind::U8 | DatumKind::U16 => DatumKind::U32,
            kind => kind,
        }
    }

    /// Returns `true` for structs and arrays, which atomic operations cannot combine.
    pub const fn is_struct(self) -> bool {
        matches!(self, DatumKind::Struct { .. })
    }

    /// Returns the Rust name of the type; `struct` for structs and arrays.
    pub const fn name(self) -> &'static str {
        match self {
            DatumKind::Unit => "()",
            DatumKind::Bool => "bool",
            DatumKind::U8 => "u8",
            DatumKind::U16 => "u16",
            DatumKind::U32 => "u32",
            DatumKind::I32 => "i32",
            DatumKind::U64 => "u64",
            DatumKind::I64 => "i64",
            DatumKind::F32 => "f32",
            DatumKind::F64 => "f64",
            DatumKind::Struct { .. } => "struct",
        }
    }
}

impl Datum for () {
    const KIND: DatumKind = DatumKind::Unit;
    #[inline]
    fn to_bits(self) -> u64 {
        0
    }
    #[inline]
    fn from_bits(_: u64) {}
    #[inline]
    fn write(self, _: &mut [u8]) {}
    #[inline]
    fn read(_: &[u8]) {}
}

impl Datum for bool {
    const KIND: DatumKind = DatumKind::Bool;
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self)
    }
    #[inline]
    fn from_bits(bits: u64) -> bool {
        bits != 0
    }
    #[inline]
    fn write(self, bytes: &mut [u8]) {
        bytes[0] = u8::from(self);
    }
    #[inline]
    fn read(bytes: &[u8]) -> bool {
        bytes[0] != 0
    }
}

/// Implements `Datum` for an integer type. The key of a signed number is its bits with the sign bit flipped.
macro_rules! integer_datum {
    ($type:ident, $unsigned:ident, $kind:ident, $flip:expr) => {
        impl Datum for $type {
            const KIND: DatumKind = DatumKind::$kind;
            #[inline]
            fn to_bits(self) -> u64 {
                self as $unsigned as u64
            }
            #[inline]
            fn from_bits(bits: u64) -> $type {
                bits as $unsigned as $type
            }
            #[inline]
            fn to_key(self) -> u64 {
                (self as $unsigned ^ $flip) as u64
            }
            #[inline]
            fn from_key(key: u64) -> $type {
                (key as $unsigned ^ $flip) as $type
            }
            #[inline]
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
            #[inline]
            fn read(bytes: &[u8]) -> $type {
                let mut array = [0; size_of::<$type>()];
                array.copy_from_slice(bytes);
                $type::from_ne_bytes(array)
            }
        }
    };
}

integer_datum!(u32, u32, U32, 0);
integer_datum!(i32, u32, I32, 1 << 31);
integer_datum!(u64, u64, U64, 0);
integer_datum!(i64, u64, I64, 1 << 63);

/// Implements `Datum` for a float type. The bits of IEEE floats are ordered like sign-magnitude integers. The key is
/// therefore computed by flipping every bit of a negative number, and only the sign bit of a positive number.
macro_rules! float_datum {
    ($type:ident, $unsigned:ident, $kind:ident) => {
        impl Datum for $type {
            const KIND: DatumKind = DatumKind::$kind;
            #[inline]
            fn to_bits(self) -> u64 {
                $type::to_bits(self) as u64
            }
            #[inline]
            fn from_bits(bits: u64) -> $type {
                $type::from_bits(bits as $unsigned)
            }
            #[inline]
            fn to_key(self) -> u64 {
                const SIGN: $unsigned = 1 << ($unsigned::BITS - 1);
                let bits = $type::to_bits(self);
                (if bits & SIGN == 0 { bits | SIGN } else { !bits }) as u64
            }
            #[inline]
            fn from_key(key: u64) -> $type {
                const SIGN: $unsigned = 1 << ($unsigned::BITS - 1);
                let key = key as $unsigned;
                $type::from_bits(if key & SIGN != 0 { key ^ SIGN } else { !key })
            }
            #[inline]
            fn same(self, other: $type) -> bool {
                $type::to_bits(self) == $type::to_bits(other) || (self.is_nan() && other.is_nan())
            }
            #[inline]
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
            #[inline]
            fn read(bytes: &[u8]) -> $type {
                let mut array = [0; size_of::<$type>()];
                array.copy_from_slice(bytes);
                $type::from_ne_bytes(array)
            }
        }
    };
}

float_datum!(f32, u32, F32);
float_datum!(f64, u64, F64);

/// An array has the layout of a struct of its elements. The bits of an array of at most 8 bytes are its bytes.
impl<T: Datum, const N: usize> Datum for [T; N] {
    const KIND: DatumKind = DatumKind::Struct { size: size_of::<[T; N]>(), align: align_of::<[T; N]>() };
    #[inline]
    fn to_bits(self) -> u64 {
        let mut bytes = [0; 8];
        match bytes.get_mut(..size_of::<[T; N]>()) {
            Some(part) => self.write(part),
            None => return 0,
        }
        u64::from_ne_bytes(bytes)
    }
    #[inline]
    fn from_bits(bits: u64) -> [T; N] {
        let bytes = bits.to_ne_bytes();
        match bytes.get(..size_of::<[T; N]>()) {
            Some(part) => Self::read(part),
            None => [T::from_bits(0); N],
        }
    }
    #[inline]
    fn same(self, other: [T; N]) -> bool {
        self.into_iter().zip(other).all(|(a, b)| a.same(b))
    }
    #[inline]
    fn write(self, bytes: &mut [u8]) {
        for (element, part) in self.into_iter().zip(bytes.chunks_exact_mut(size_of::<T>().max(1))) {
            element.write(part);
        }
    }
    #[inline]
    fn read(bytes: &[u8]) -> [T; N] {
        std::array::from_fn(|index| T::read(&bytes[index * size_of::<T>()..(index + 1) * size_of::<T>()]))
    }
}

/// Returns the layout of a struct whose parts are these, followed by one more.
const fn followed_by(parts: DatumKind, part: DatumKind) -> DatumKind {
    let end = parts.size().next_multiple_of(part.align()) + part.size();
    DatumKind::Struct {
        size: end,
        align: if part.align() > parts.align() { part.align() } else { parts.align() },
    }
}

/// Implements `Datum` for tuples, which have the layout of a struct of their parts. Only folds are tuples: programs
/// cannot store tuples as values.
macro_rules! tuple_datum {
    ($($part:ident),*) => {
        impl<$($part: Datum),*> Datum for ($($part,)*) {
            const KIND: DatumKind = {
                let kind = DatumKind::Struct { size: 0, align: 1 };
                $(let kind = followed_by(kind, $part::KIND);)*
                DatumKind::Struct { size: kind.size().next_multiple_of(kind.align()), align: kind.align() }
            };
            fn to_bits(self) -> u64 {
                let mut bytes = [0; 8];
                match bytes.get_mut(..Self::KIND.size()) {
                    Some(part) => self.write(part),
                    None => return 0,
                }
                u64::from_ne_bytes(bytes)
            }
            fn from_bits(bits: u64) -> Self {
                match bits.to_ne_bytes().get(..Self::KIND.size()) {
                    Some(part) => Self::read(part),
                    None => ($($part::from_bits(0),)*),
                }
            }
            #[allow(non_snake_case, unused_assignments)]
            fn write(self, bytes: &mut [u8]) {
                let ($($part,)*) = self;
                let mut end = 0usize;
                $(
                    let first = end.next_multiple_of($part::KIND.align());
                    end = first + $part::KIND.size();
                    $part.write(&mut bytes[first..end]);
                )*
            }
            #[allow(unused_assignments)]
            fn read(bytes: &[u8]) -> Self {
                let mut end = 0usize;
                ($({
                    let first = end.next_multiple_of($part::KIND.align());
                    end = first + $part::KIND.size();
                    $part::read(&bytes[first..end])
                },)*)
            }
        }
    };
}

tuple_datum!(A, B);
tuple_datum!(A, B, C);
tuple_datum!(A, B, C, D);
tuple_datum!(A, B, C, D, E);
tuple_datum!(A, B, C, D, E, F);
tuple_datum!(A, B, C, D, E, F, G);
tuple_datum!(A, B, C, D, E, F, G, H);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_floats_and_invert() {
        let ascending = [
            f32::NEG_INFINITY,
            -3.5,
            -f32::MIN_POSITIVE,
            -1e-45,
            -0.0,
            0.0,
            1e-45,
            1.0,
            f32::MAX,
            f32::INFINITY,
        ];
        for pair in ascending.windows(2) {
            assert!(pair[0].to_key() < pair[1].to_key(), "{pair:?}");
        }
        for number in ascending {
            assert!(f32::from_key(number.to_key()).same(number));
        }
    }

    #[test]
    fn keys_order_signed_integers_and_invert() {
        for pair in [i64::MIN, -1, 0, 1, i64::MAX].windows(2) {
            assert!(pair[0].to_key() < pair[1].to_key());
        }
        assert_eq!(i32::from_key((-7i32).to_key()), -7);
        assert_eq!(i32::from_bits(Datum::to_bits(-7i32)), -7);
    }

    #[test]
    fn tuples_are_laid_out_like_structs() {
        type Parts = (bool, f64, u32);
        assert_eq!(Parts::KIND, DatumKind::Struct { size: 24, align: 8 });
        assert_eq!(<(u32, bool)>::KIND, DatumKind::Struct { size: 8, align: 4 });
        let mut bytes = [0; 24];
        (true, 2.5, 7u32).write(&mut bytes);
        assert_eq!((bytes[0], &bytes[8..16], bytes[16]), (1, &2.5f64.to_ne_bytes()[..], 7));
        assert_eq!(Parts::read(&bytes), (true, 2.5, 7));
        assert_eq!(<(u32, bool)>::from_bits((9u32, true).to_bits()), (9, true));
    }

    #[test]
    fn zeros_differ_and_nans_do_not() {
        assert!(!0.0f64.same(-0.0));
        assert!(f64::NAN.same(-f64::NAN));
    }
}

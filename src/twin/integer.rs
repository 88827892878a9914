//! Integer types that programs can use, as one trait with methods of the standard library.

macro_rules! integers {
    (
        $(#[$about:meta])*
        for $($number:ident)*;
        $($name:ident($($argument:ident: $argument_type:ty),*) -> $output:ty;)*
    ) => {
        $(#[$about])*
        pub trait Integer: Copy + Ord {
            /// The value 0.
            const ZERO: Self;
            /// The value 1.
            const ONE: Self;
            /// Number of bits of the type.
            const BITS: u32;
            $(
                #[doc = concat!("Calls the method `", stringify!($name), "` of the standard library.")]
                fn $name(self $(, $argument: $argument_type)*) -> $output;
            )*
            /// Converts the amount of a shift: returns its low 32 bits, and `true` if it is at least 0 and below
            /// `limit`.
            fn amount(self, limit: u32) -> (u32, bool);
        }
        integers!(@each $($number)*; { $($name($($argument: $argument_type),*) -> $output;)* });
    };
    (@each $($number:ident)*; $methods:tt) => {
        $(integers!(@one $number $methods);)*
    };
    (@one $number:ident { $($name:ident($($argument:ident: $argument_type:ty),*) -> $output:ty;)* }) => {
        impl Integer for $number {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const BITS: u32 = $number::BITS;
            $(
                #[inline]
                fn $name(self $(, $argument: $argument_type)*) -> $output {
                    <$number>::$name(self $(, $argument)*)
                }
            )*
            #[inline]
            fn amount(self, limit: u32) -> (u32, bool) {
                (self as u32, u64::try_from(self).is_ok_and(|amount| amount < u64::from(limit)))
            }
        }
    };
}

integers! {
    /// Integer types that programs can use.
    for u8 u16 u32 u64 usize i8 i16 i32 i64 isize;
    overflowing_add(other: Self) -> (Self, bool);
    overflowing_sub(other: Self) -> (Self, bool);
    overflowing_mul(other: Self) -> (Self, bool);
    overflowing_neg() -> (Self, bool);
    overflowing_pow(exponent: u32) -> (Self, bool);
    wrapping_shl(amount: u32) -> Self;
    wrapping_shr(amount: u32) -> Self;
    checked_div(divisor: Self) -> Option<Self>;
    checked_rem(divisor: Self) -> Option<Self>;
    checked_div_euclid(divisor: Self) -> Option<Self>;
    checked_rem_euclid(divisor: Self) -> Option<Self>;
    saturating_div(divisor: Self) -> Self;
    wrapping_div(divisor: Self) -> Self;
    wrapping_rem(divisor: Self) -> Self;
    wrapping_div_euclid(divisor: Self) -> Self;
    wrapping_rem_euclid(divisor: Self) -> Self;
    overflowing_div(divisor: Self) -> (Self, bool);
    overflowing_rem(divisor: Self) -> (Self, bool);
    overflowing_div_euclid(divisor: Self) -> (Self, bool);
    overflowing_rem_euclid(divisor: Self) -> (Self, bool);
    checked_ilog(base: Self) -> Option<u32>;
    checked_ilog2() -> Option<u32>;
    checked_ilog10() -> Option<u32>;
}

/// Signed integer types.
pub trait Signed: Integer {
    /// Calls the method of the standard library.
    fn checked_isqrt(self) -> Option<Self>;
}

/// Unsigned integer types.
pub trait Unsigned: Integer {
    /// Calls the method of the standard library.
    fn checked_next_power_of_two(self) -> Option<Self>;
}

macro_rules! implement {
    ($name:ident, $method:ident: $($number:ident)*) => {$(
        impl $name for $number {
            #[inline]
            fn $method(self) -> Option<Self> {
                <$number>::$method(self)
            }
        }
    )*};
}

implement!(Signed, checked_isqrt: i8 i16 i32 i64 isize);
implement!(Unsigned, checked_next_power_of_two: u8 u16 u32 u64 usize);

//! Methods of integers that return the wrapped result and whether it overflowed.

use wolfpath::edge_program;
use wolfpath::program::EdgeProgram;

use super::integers::edges;
use super::{cases, compare};

/// Number of operations of `program!`.
const OPERATIONS: u64 = 14;

/// Defines a program with the methods of all integers, and those with an argument of the other signedness, `$other`.
macro_rules! program {
    ($module:ident, $number:ident, $other:ident, $($own:ident)*) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Overflowing;

            /// Adds, or adds and then subtracts again.
            fn own(a: $number, b: $other) -> ($number, bool) {
                let mut result = (a, false);
                $(result = result.0.$own(b);)*
                result
            }

            fn pair(operation: u64, a: $number, b: $number) -> ($number, bool) {
                match operation {
                    0 => a.overflowing_add(b),
                    1 => a.overflowing_sub(b),
                    2 => a.overflowing_mul(b),
                    3 => a.overflowing_div(b),
                    4 => a.overflowing_rem(b),
                    5 => a.overflowing_div_euclid(b),
                    6 => a.overflowing_rem_euclid(b),
                    7 => a.overflowing_neg(),
                    8 => a.overflowing_shl(b as u32),
                    9 => a.overflowing_shr(b as u32),
                    10 => a.overflowing_pow(b as u32 & 63),
                    11 => own(a, b as $other),
                    12 => {
                        let whole = own(b, a as $other);
                        (whole.0, !whole.1)
                    }
                    _ => Some((b, true)).zip(Some(a)).unzip().0.unwrap_or_default(),
                }
            }

            impl EdgeProgram for Overflowing {
                type Value = u64;
                type Message = u64;
                type Weight = u64;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> u64 {
                    0
                }
                fn edge(&self, e: Edge<u64, u64>) -> u64 {
                    let (number, overflowed) = pair(e.source, e.value as $number, e.weight as $number);
                    (number as u64).rotate_left(1) ^ overflowed as u64
                }
            }
        }
    };
}

program!(overflowing_u8, u8, i8, overflowing_add_signed);
program!(overflowing_u16, u16, i16, overflowing_add_signed);
program!(overflowing_u32, u32, i32, overflowing_add_signed);
program!(overflowing_u64, u64, i64, overflowing_add_signed);
program!(overflowing_usize, usize, isize, overflowing_add_signed);
program!(overflowing_i8, i8, u8, overflowing_add_unsigned overflowing_sub_unsigned);
program!(overflowing_i16, i16, u16, overflowing_add_unsigned overflowing_sub_unsigned);
program!(overflowing_i32, i32, u32, overflowing_add_unsigned overflowing_sub_unsigned);
program!(overflowing_i64, i64, u64, overflowing_add_unsigned overflowing_sub_unsigned);
program!(overflowing_isize, isize, usize, overflowing_add_unsigned overflowing_sub_unsigned);

macro_rules! tests {
    ($($module:ident)*) => {$(
        #[test]
        fn $module() {
            let cases = cases(OPERATIONS, edges!(u64), edges!(u64));
            compare(&super::$module::Overflowing, &cases, |program, edge| program.edge(edge));
        }
    )*};
}

mod tests {
    use super::*;

    tests! {
        overflowing_u8 overflowing_u16 overflowing_u32 overflowing_u64 overflowing_usize
        overflowing_i8 overflowing_i16 overflowing_i32 overflowing_i64 overflowing_isize
    }
}

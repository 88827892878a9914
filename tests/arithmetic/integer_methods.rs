//! Methods of integers that `integers` leaves out: every method in docs/methods.md, on every type.

use wolfpath::edge_program;
use wolfpath::program::EdgeProgram;

use super::integers::edges;
use super::{cases, compare};

/// Number of operations of `program!`.
const OPERATIONS: u64 = 38;

/// Defines a program with the methods that signed and unsigned integers share.
macro_rules! program {
    ($module:ident, $number:ident) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Methods;

            fn options(operation: u64, a: $number, b: $number) -> Option<$number> {
                match operation {
                    0 => a.checked_add(b),
                    1 => a.checked_sub(b),
                    2 => a.checked_mul(b),
                    3 => a.checked_div(b),
                    4 => a.checked_rem(b),
                    5 => a.checked_div_euclid(b),
                    6 => a.checked_rem_euclid(b),
                    7 => a.checked_neg(),
                    8 => a.checked_shl(b as u32),
                    9 => a.checked_shr(b as u32),
                    10 => a.checked_pow(b as u32 & 63),
                    _ => None,
                }
            }

            fn logarithms(operation: u64, a: $number, b: $number) -> Option<u32> {
                match operation {
                    11 => a.checked_ilog(b),
                    12 => a.checked_ilog2(),
                    13 => a.checked_ilog10(),
                    14 => Some(a.ilog(b)),
                    15 => Some(a.ilog2()),
                    16 => Some(a.ilog10()),
                    17 => Some(a.leading_ones()),
                    18 => Some(a.trailing_ones()),
                    _ => None,
                }
            }

            fn numbers(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    19 => a.midpoint(b),
                    20 => a.swap_bytes(),
                    21 => a.reverse_bits(),
                    22 => a.to_be(),
                    23 => a.to_le(),
                    24 => <$number>::from_be(a),
                    25 => <$number>::from_le(a),
                    26 => a.unbounded_shl(b as u32),
                    27 => a.unbounded_shr(b as u32),
                    28 => a.saturating_div(b),
                    29 => a.saturating_pow(b as u32 & 63),
                    30 => a.wrapping_div(b),
                    31 => a.wrapping_rem(b),
                    32 => a.wrapping_div_euclid(b),
                    33 => a.wrapping_rem_euclid(b),
                    34 => a.wrapping_pow(b as u32 & 63),
                    35 => a.isqrt(),
                    36 => <$number>::max_value(),
                    37 => <$number>::min_value(),
                    _ => a,
                }
            }

            fn answer(operation: u64, a: $number, b: $number) -> u64 {
                if operation < 11 {
                    let result = options(operation, a, b);
                    return (result.unwrap_or_default() as u64).rotate_left(1) ^ result.is_some() as u64;
                }
                if operation < 19 {
                    let result = logarithms(operation, a, b);
                    return result.unwrap_or(99) as u64;
                }
                numbers(operation, a, b) as u64
            }

            impl EdgeProgram for Methods {
                type Value = u64;
                type Message = u64;
                type Weight = u64;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> u64 {
                    0
                }
                fn edge(&self, e: Edge<u64, u64>) -> u64 {
                    answer(e.source, e.value as $number, e.weight as $number)
                }
            }
        }
    };
}

/// Defines a program with the methods of signed integers only, and those with an unsigned argument.
macro_rules! signed {
    ($module:ident, $number:ident, $unsigned:ident) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Signed;

            fn answer(operation: u64, a: $number, b: $number) -> u64 {
                let other = b as $unsigned;
                let result = match operation {
                    0 => a.checked_abs(),
                    1 => a.checked_isqrt(),
                    2 => a.checked_add_unsigned(other),
                    3 => a.checked_sub_unsigned(other),
                    4 => Some(a.saturating_neg()),
                    5 => Some(a.saturating_abs()),
                    6 => Some(a.saturating_add_unsigned(other)),
                    7 => Some(a.saturating_sub_unsigned(other)),
                    8 => Some(a.wrapping_add_unsigned(other)),
                    9 => Some(a.wrapping_sub_unsigned(other)),
                    10 => Some(a.cast_unsigned().cast_signed()),
                    _ => None,
                };
                (result.unwrap_or_default() as u64).rotate_left(1) ^ result.is_some() as u64
            }

            impl EdgeProgram for Signed {
                type Value = u64;
                type Message = u64;
                type Weight = u64;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> u64 {
                    0
                }
                fn edge(&self, e: Edge<u64, u64>) -> u64 {
                    answer(e.source, e.value as $number, e.weight as $number)
                }
            }
        }
    };
}

/// Defines a program with the methods of unsigned integers only, and those with a signed argument.
macro_rules! unsigned {
    ($module:ident, $number:ident, $signed:ident) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Unsigned;

            fn answer(operation: u64, a: $number, b: $number) -> u64 {
                let other = b as $signed;
                let result = match operation {
                    0 => Some(a.next_multiple_of(b)),
                    1 => a.checked_next_multiple_of(b),
                    2 => Some(a.is_multiple_of(b) as $number),
                    3 => Some(a.next_power_of_two()),
                    4 => a.checked_next_power_of_two(),
                    5 => a.checked_add_signed(other),
                    6 => Some(a.saturating_add_signed(other)),
                    7 => Some(a.wrapping_add_signed(other)),
                    8 => Some(a.cast_signed().cast_unsigned()),
                    _ => None,
                };
                (result.unwrap_or_default() as u64).rotate_left(1) ^ result.is_some() as u64
            }

            impl EdgeProgram for Unsigned {
                type Value = u64;
                type Message = u64;
                type Weight = u64;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> u64 {
                    0
                }
                fn edge(&self, e: Edge<u64, u64>) -> u64 {
                    answer(e.source, e.value as $number, e.weight as $number)
                }
            }
        }
    };
}

program!(methods_u8, u8);
program!(methods_u16, u16);
program!(methods_u32, u32);
program!(methods_u64, u64);
program!(methods_usize, usize);
program!(methods_i8, i8);
program!(methods_i16, i16);
program!(methods_i32, i32);
program!(methods_i64, i64);
program!(methods_isize, isize);
signed!(more_i8, i8, u8);
signed!(more_i16, i16, u16);
signed!(more_i32, i32, u32);
signed!(more_i64, i64, u64);
signed!(more_isize, isize, usize);
unsigned!(more_u8, u8, i8);
unsigned!(more_u16, u16, i16);
unsigned!(more_u32, u32, i32);
unsigned!(more_u64, u64, i64);
unsigned!(more_usize, usize, isize);

macro_rules! tests {
    ($($module:ident $name:ident $operations:expr;)*) => {$(
        #[test]
        fn $module() {
            let cases = cases($operations, edges!(u64), edges!(u64));
            compare(&super::$module::$name, &cases, |program, edge| program.edge(edge));
        }
    )*};
}

mod tests {
    use super::*;

    tests! {
        methods_u8 Methods OPERATIONS;
        methods_u16 Methods OPERATIONS;
        methods_u32 Methods OPERATIONS;
        methods_u64 Methods OPERATIONS;
        methods_usize Methods OPERATIONS;
        methods_i8 Methods OPERATIONS;
        methods_i16 Methods OPERATIONS;
        methods_i32 Methods OPERATIONS;
        methods_i64 Methods OPERATIONS;
        methods_isize Methods OPERATIONS;
        more_i8 Signed 11;
        more_i16 Signed 11;
        more_i32 Signed 11;
        more_i64 Signed 11;
        more_isize Signed 11;
        more_u8 Unsigned 9;
        more_u16 Unsigned 9;
        more_u32 Unsigned 9;
        more_u64 Unsigned 9;
        more_usize Unsigned 9;
    }
}

//! Operations on integers.

use wolfpath::edge_program;
use wolfpath::program::EdgeProgram;

use super::{cases, compare};

/// Number of operations of `program!`.
const OPERATIONS: u64 = 47;

/// Defines a program with the operations of one integer type. `a` and `b` have this type.
macro_rules! program {
    ($module:ident, $number:ident, $value:ident) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Integers;

            fn arithmetic(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a / b,
                    4 => a % b,
                    5 => a & b,
                    6 => a | b,
                    7 => a ^ b,
                    8 => !a,
                    9 => a << b,
                    10 => a >> b,
                    11 => a.min(b),
                    12 => a.max(b),
                    13 => a.clamp(b, 100),
                    14 => a.pow(b as u32 & 31),
                    15 => a.rem_euclid(b),
                    16 => a.div_euclid(b),
                    _ => methods(operation, a, b),
                }
            }

            fn methods(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    17 => a.wrapping_add(b),
                    18 => a.wrapping_sub(b),
                    19 => a.wrapping_mul(b),
                    20 => a.wrapping_neg(),
                    21 => a.wrapping_shl(b as u32),
                    22 => a.wrapping_shr(b as u32),
                    23 => a.saturating_add(b),
                    24 => a.saturating_sub(b),
                    25 => a.saturating_mul(b),
                    26 => a.checked_add(b).unwrap_or(77),
                    27 => a.checked_sub(b).unwrap_or(77),
                    28 => a.checked_mul(b).unwrap(),
                    29 => a.checked_div(b).unwrap_or(77),
                    30 => a.checked_rem(b).unwrap_or(77),
                    31 => a.rotate_left(b as u32),
                    32 => a.rotate_right(b as u32),
                    33 => {
                        let mut sum = a;
                        sum += b;
                        sum -= 1;
                        sum *= 3;
                        sum ^= a;
                        sum >>= 1;
                        sum
                    }
                    _ => counts(operation, a, b) as $number,
                }
            }

            fn counts(operation: u64, a: $number, b: $number) -> u64 {
                match operation {
                    34 => a.leading_zeros() as u64,
                    35 => a.trailing_zeros() as u64,
                    36 => u64::from(a.count_ones()),
                    37 => a.count_zeros() as u64,
                    38 => a.abs_diff(b) as u64,
                    39 => {
                        (a < b) as u64
                            | ((a <= b) as u64) << 1
                            | ((a == b) as u64) << 2
                            | ((a != b) as u64) << 3
                    }
                    40 => (a as f32).to_bits() as u64,
                    41 => (a as f64).to_bits() & 0xff_ffff,
                    42 => a as u8 as u64,
                    43 => a as i8 as i64 as u64,
                    44 => a as i16 as u16 as u64,
                    45 => {
                        if a > b && a / b > 1 || b > 100 {
                            1
                        } else {
                            0
                        }
                    }
                    46 => a as u32 as u64,
                    _ => 0,
                }
            }

            impl EdgeProgram for Integers {
                type Value = $value;
                type Message = $value;
                type Weight = $value;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> $value {
                    0
                }
                fn edge(&self, e: Edge<$value, $value>) -> $value {
                    arithmetic(e.source, e.value as $number, e.weight as $number) as $value
                }
            }
        }
    };
}

/// Defines a program with the operations of signed integers only.
macro_rules! signed {
    ($module:ident, $number:ident, $value:ident, $unsigned:ident) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Signed;

            const STEP: $number = -3;

            fn operation(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    0 => -a,
                    1 => a.abs(),
                    2 => a.signum(),
                    3 => a.is_positive() as $number,
                    4 => a.is_negative() as $number - b.is_negative() as $number,
                    5 => a.unsigned_abs() as $number,
                    6 => a.wrapping_abs(),
                    7 => a / STEP,
                    8 => a % STEP,
                    9 => a.min(-7) + b.max(STEP),
                    10 => (a as $unsigned).wrapping_add(b as $unsigned) as $number,
                    _ => <$number>::MIN,
                }
            }

            impl EdgeProgram for Signed {
                type Value = $value;
                type Message = $value;
                type Weight = $value;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> $value {
                    0
                }
                fn edge(&self, e: Edge<$value, $value>) -> $value {
                    operation(e.source, e.value as $number, e.weight as $number) as $value
                }
            }
        }
    };
}

/// Defines a program with the operations of unsigned integers only.
macro_rules! unsigned {
    ($module:ident, $number:ident, $value:ident) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Unsigned;

            fn operation(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    0 => a.div_ceil(b),
                    1 => a.is_power_of_two() as $number,
                    2 => b << a,
                    _ => <$number>::MAX - a,
                }
            }

            impl EdgeProgram for Unsigned {
                type Value = $value;
                type Message = $value;
                type Weight = $value;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> $value {
                    0
                }
                fn edge(&self, e: Edge<$value, $value>) -> $value {
                    operation(e.source, e.value as $number, e.weight as $number) as $value
                }
            }
        }
    };
}

program!(all_u8, u8, u32);
program!(all_u16, u16, u32);
program!(all_u32, u32, u32);
program!(all_u64, u64, u64);
program!(all_usize, usize, u64);
program!(all_i8, i8, i32);
program!(all_i16, i16, i32);
program!(all_i32, i32, i32);
program!(all_i64, i64, i64);
program!(all_isize, isize, i64);
signed!(signed_i8, i8, i32, u8);
signed!(signed_i16, i16, i32, u16);
signed!(signed_i32, i32, i32, u32);
signed!(signed_i64, i64, i64, u64);
signed!(signed_isize, isize, i64, usize);
unsigned!(unsigned_u8, u8, u32);
unsigned!(unsigned_u16, u16, u32);
unsigned!(unsigned_u32, u32, u32);
unsigned!(unsigned_u64, u64, u64);
unsigned!(unsigned_usize, usize, u64);

/// Numbers at which the behaviour of an operation changes, for every width.
pub(crate) const EDGES: [i64; 29] = [
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    10,
    31,
    32,
    33,
    63,
    64,
    100,
    127,
    128,
    200,
    255,
    256,
    32_767,
    32_768,
    65_535,
    65_536,
    2_147_483_647,
    2_147_483_648,
    4_294_967_295,
    4_294_967_296,
    9_223_372_036_854_775_807,
    3_037_000_500,
];

/// Returns [`EDGES`] and their negatives, truncated to a type.
macro_rules! edges {
    ($value:ident) => {
        &$crate::integers::EDGES
            .iter()
            .flat_map(|&edge| [edge as $value, edge.wrapping_neg() as $value, !edge as $value])
            .collect::<Vec<_>>()
    };
}
pub(crate) use edges;

macro_rules! tests {
    ($($module:ident $name:ident $value:ident $operations:expr;)*) => {$(
        #[test]
        fn $module() {
            let cases = cases($operations, edges!($value), edges!($value));
            compare(&super::$module::$name, &cases, |program, edge| program.edge(edge));
        }
    )*};
}

mod tests {
    use super::*;

    tests! {
        all_u8 Integers u32 OPERATIONS;
        all_u16 Integers u32 OPERATIONS;
        all_u32 Integers u32 OPERATIONS;
        all_u64 Integers u64 OPERATIONS;
        all_usize Integers u64 OPERATIONS;
        all_i8 Integers i32 OPERATIONS;
        all_i16 Integers i32 OPERATIONS;
        all_i32 Integers i32 OPERATIONS;
        all_i64 Integers i64 OPERATIONS;
        all_isize Integers i64 OPERATIONS;
        signed_i8 Signed i32 12;
        signed_i16 Signed i32 12;
        signed_i32 Signed i32 12;
        signed_i64 Signed i64 12;
        signed_isize Signed i64 12;
        unsigned_u8 Unsigned u32 4;
        unsigned_u16 Unsigned u32 4;
        unsigned_u32 Unsigned u32 4;
        unsigned_u64 Unsigned u64 4;
        unsigned_usize Unsigned u64 4;
    }
}

//! The operations on integers.

use wolfpath::edge_program;

use super::{cases, compare};

/// Defines the program of all operations that every integer has, and some of its own.
macro_rules! integers {
    ($module:ident, $number:ident, $unsigned:ident, $($operation:literal => $own:expr),*) => {
        #[edge_program]
        mod $module {
            use wolfpath::prelude::*;

            pub struct Integers;

            impl EdgeProgram for Integers {
                type Value = $number;
                type Message = u64;
                type Weight = $number;
                type Combine = Any;

                fn start(&self, _: Vertex) -> $number {
                    0
                }
                fn edge(&self, e: Edge<$number, $number>) -> u64 {
                    let (a, b) = (e.value, e.weight);
                    operation(e.source, a, b)
                }
                fn apply(&self, v: Vertex<$number>, _: u64) -> $number {
                    v.value
                }
            }
        }
    };
}

/// The operations of one integer type, with a and b of it.
macro_rules! program {
    ($module:ident, $number:ident, $value:ident, $own:ident) => {
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
                    39 => (a < b) as u64 | ((a <= b) as u64) << 1 | ((a == b) as u64) << 2 | ((a != b) as u64) << 3,
                    40 => (a as f32).to_bits() as u64,
                    41 => (a as f64).to_bits() & 0xff_ffff,
                    42 => a as u8 as u64,
                    43 => a as i8 as i64 as u64,
                    44 => a as i16 as u16 as u64,
                    45 => if a > b && a / b > 1 || b > 100 { 1 } else { 0 },
                    46 => a as u32 as u64,
                    _ => own(operation, a, b),
                }
            }

            $own!($number);

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
